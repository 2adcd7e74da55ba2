package locate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestParseSettings_asGit(t *testing.T) {
	t.Parallel()
	own := gittest.Empty(t)
	for _, text := range []string{
		"[core]\n\tbare = true\n\tworktree = ../x\n",
		"[CORE]\nBare\nWorkTree = a b  \n",
		"[core] bare = yes\n[other]\nbare = no\n",
		"[core]\r\n\tbare = true\r\n\tworktree = c:/x\r\n",
		"[core]\n\tworktree = \" lead and trail \" # comment\n",
		"[core]\n\tworktree = a\\tb\\\\c\\\"d\\n\n",
		"[core]\n\tworktree = one\\\ntwo\n",
		"[core]\n\tworktree = \"a#b\";c\n",
		"[core \"sub\"]\n\tbare = true\n[core]\n\tworktree = x\n",
		"# [core]\n; bare = true\n[core]\n\tbare = false\n\tbare = true\n",
		"[core]\n\tbare\n\tworktree =\n",
		"[core]\n\tworktree = a \"b  \" c \n",
		"\n",
	} {
		path := filepath.Join(own.Root(), "settings")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		got := ReadSettings(path)
		for _, key := range []string{"core.bare", "core.worktree"} {
			args := []string{"config", "--file", path, "-z", key}
			if key == "core.bare" {
				args = []string{"config", "--file", path, "-z", "--type=bool", key}
			}
			want, code := own.Try("git", args...)
			value, ok := got[key]
			if key == "core.bare" && IsTrue(value) {
				value = "true"
			} else if key == "core.bare" && ok {
				value = "false"
			}
			if ok != (code == 0) || value != strings.TrimSuffix(want, "\x00") {
				t.Errorf("%s in %q: got %q, %v, want %q, code %d", key, text, value, ok, want, code)
			}
		}
	}
}
