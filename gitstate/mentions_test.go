package gitstate_test

import (
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMentions_looksWhereGitLooks(t *testing.T) {
	t.Parallel()
	const text = "[resume]\n\tnotice = all\n"
	for _, test := range []struct {
		name, file string
		env        func(root string) []string
		want       bool
	}{
		{"nowhere", "", nil, false},
		{"in the repository", "repo/.git/config", nil, true},
		{"in the worktree's own", "repo/.git/config.worktree", nil, true},
		{"in the file of GIT_CONFIG_GLOBAL", "home/.gitconfig", nil, true},
		{"in the home, without GIT_CONFIG_GLOBAL", "home/.gitconfig", func(string) []string { return nil }, true},
		{"in .config, without GIT_CONFIG_GLOBAL", "home/.config/git/config", func(string) []string { return nil }, true},
		{"in .config, which GIT_CONFIG_GLOBAL hides", "home/.config/git/config", nil, false},
		{"in XDG_CONFIG_HOME", "xdg/git/config", func(root string) []string { return []string{"XDG_CONFIG_HOME=" + root + "/xdg"} }, true},
		{"in the file of GIT_CONFIG_SYSTEM", "system", func(root string) []string { return []string{"GIT_CONFIG_SYSTEM=" + root + "/system"} }, true},
		{"on the command line", "", func(string) []string { return []string{"GIT_CONFIG_PARAMETERS='resume.notice'='all'"} }, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := gittest.New(t)
			if test.file != "" {
				r.Write("../"+test.file, text)
			}
			env := r.Env
			if test.env != nil {
				env = append([]string{"HOME=" + filepath.Join(r.Root(), "home")}, test.env(r.Root())...)
			}
			at, err := locate.Find(r.Dir, env)
			if err != nil {
				t.Fatal(err)
			}
			repo := gitstate.Open(at, env)
			t.Cleanup(repo.Close)
			if got := repo.Settings.Mentions("notice"); got != test.want {
				t.Errorf("mentioned: %v", got)
			}
		})
	}
}
