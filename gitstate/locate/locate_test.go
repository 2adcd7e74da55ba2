package locate

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestLocate_refusesWhatGitRefuses(t *testing.T) {
	t.Parallel()
	own := gittest.Git{}.Fresh(t, "repo")
	root := own.Root()
	for _, dir := range []string{"plain/below", "broken", "nowhere", "half/refs", "half/objects", "repo/dir/deep"} {
		gittest.NoError(t, "mkdir", os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	at := own.In(root)
	at.Write("broken/.git", "no git file\n")
	at.Write("nowhere/.git", "gitdir: /no/such/place\n")
	at.Write("half/config", "")
	link := filepath.Join(t.TempDir(), "link")
	gittest.NoError(t, "link", os.Symlink(own.Dir, link))
	for _, c := range []struct {
		name, dir string
		env       []string
		found     bool
	}{
		{"a plain folder", "plain/below", nil, false},
		{"a broken git file", "broken", nil, false},
		{"a git file that leads nowhere", "nowhere", nil, false},
		{"half a git dir", "half", nil, false},
		{"GIT_DIR that is none", "repo", []string{"GIT_DIR=" + root}, false},
		{"GIT_DIR that is not there", "repo", []string{"GIT_DIR=none"}, false},
		{"a ceiling above", "repo/dir/deep", []string{"GIT_CEILING_DIRECTORIES=" + root}, true},
		{"a ceiling at the top", "repo/dir/deep", []string{"GIT_CEILING_DIRECTORIES=" + own.Dir}, false},
		{"a ceiling between", "repo/dir/deep", []string{"GIT_CEILING_DIRECTORIES=/none:" + own.Dir + "/dir"}, false},
		{"a ceiling where one stands", "repo/dir/deep", []string{"GIT_CEILING_DIRECTORIES=" + own.Dir + "/dir/deep"}, true},
		{"a ceiling through a link", "repo/dir/deep", []string{"GIT_CEILING_DIRECTORIES=" + link}, false},
		{"a ceiling through a link, not followed", "repo/dir/deep", []string{"GIT_CEILING_DIRECTORIES=:" + link}, true},
		{"a ceiling at the top, standing there", "repo", []string{"GIT_CEILING_DIRECTORIES=" + own.Dir}, true},
	} {
		there := own.In(filepath.Join(root, c.dir)).With(c.env...)
		if _, code := there.Try("git", "rev-parse", "--git-dir"); (code == 0) != c.found {
			t.Fatalf("%s: git itself answers %d", c.name, code)
		}
		_, err := Find(there.Dir, there.Env)
		if (err == nil) != c.found || err != nil && !errors.Is(err, ErrNotRepository) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

// TestLocate_halfMadeWorktree finds the shared git dir from a linked worktree whose file "commondir" is empty. The file is empty if git
// was killed while it made the worktree.
func TestLocate_halfMadeWorktree(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	own.Git("worktree", "add", "-q", "../linked")
	own.Write(".git/worktrees/linked/commondir", "")
	p, err := Find(filepath.Join(own.Root(), "linked"), own.Env)
	gittest.NoError(t, "Locate", err)
	gittest.Equal(t, "common dir", p.CommonDir, filepath.Join(own.Dir, ".git"))
}

func TestLocate_emptyVariablesCountAsUnset(t *testing.T) {
	t.Parallel()
	own := gittest.New(t)
	env := append(own.Env, "GIT_WORK_TREE=", "GIT_COMMON_DIR=", "GIT_CEILING_DIRECTORIES=")
	p, err := Find(own.Dir, env)
	gittest.NoError(t, "Locate", err)
	gittest.Equal(t, "work tree", p.WorkTree, own.Dir)
}

// TestPlace_main looks for the main worktree from a linked worktree, from the main worktree and from the git dir, for several kinds of
// repositories.
func TestPlace_main(t *testing.T) {
	t.Parallel()
	root := gittest.New(t)
	at := root.In(filepath.Dir(root.Dir))
	at.Git("init", "-q", "-b", "main", "--separate-git-dir", "apart.git", "apart")
	at.Git("clone", "-q", "--bare", root.Dir, "bare.git")
	at.Git("clone", "-q", root.Dir, "super")
	super := root.In(filepath.Join(at.Dir, "super"))
	super.Git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", root.Dir, "sub")
	apart := root.In(filepath.Join(at.Dir, "apart"))
	apart.Git("commit", "-q", "--allow-empty", "-m", "first")
	for _, c := range []struct{ name, from, want string }{
		{"an ordinary repository", root.Dir, root.Dir},
		{"a submodule", filepath.Join(super.Dir, "sub"), filepath.Join(super.Dir, "sub")},
		{"a bare repository", filepath.Join(at.Dir, "bare.git"), ""},
		{"a git dir that does not know its worktree", apart.Dir, ""},
	} {
		linked := filepath.Join(at.Dir, "linked-"+filepath.Base(c.from))
		root.In(c.from).Git("worktree", "add", "-q", "--detach", linked)
		p, err := Find(linked, root.Env)
		gittest.NoError(t, c.name, err)
		main, ok := p.Main()
		if ok != (c.want != "") || ok && (main.WorkTree != RealPath(c.want) || main.GitDir != p.CommonDir) {
			t.Errorf("%s: %+v, %v", c.name, main, ok)
		}
		own, err := Find(c.from, root.Env)
		gittest.NoError(t, c.name, err)
		if got, ok := own.Main(); ok != (own.WorkTree != "") || got.WorkTree != own.WorkTree {
			t.Errorf("%s, from itself: %+v, %v", c.name, got, ok)
		}
		// Look from inside the git dir, where Place has no worktree.
		if got, ok := (Place{GitDir: p.CommonDir, CommonDir: p.CommonDir}).Main(); ok != (c.want != "") || ok && got.WorkTree != RealPath(c.want) {
			t.Errorf("%s, from its git dir: %+v, %v", c.name, got, ok)
		}
	}
}
