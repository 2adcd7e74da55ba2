package resume

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// TestReverse_staysInItsWorktree: what is recorded of a person's changes comes with the journal, and may be anybody's word.
// To take it back moves, writes and removes files of this repository's worktrees, and no others.
func TestReverse_staysInItsWorktree(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	out := t.TempDir()
	for _, err := range []error{
		os.WriteFile(filepath.Join(out, "secret"), []byte("theirs\n"), 0o644),
		os.Symlink(out, filepath.Join(r.Dir, "out")), os.Mkdir(filepath.Join(r.Dir, "dir"), 0o755), os.Symlink("dir", filepath.Join(r.Dir, "in")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	place, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	e := New(Site{Repo: gitstate.Open(place, r.Env)})
	owned := []byte("owned\n")
	for what, c := range map[string]sources.Change{
		"written elsewhere":        {Tree: out, Path: "planted", Gone: true, Was: owned},
		"changed elsewhere":        {Tree: out, Path: "secret", Now: []byte("theirs\n"), Was: owned},
		"removed elsewhere":        {Tree: out, Path: "secret", Now: []byte("theirs\n")},
		"moved elsewhere":          {Tree: out, Path: "moved", To: "secret"},
		"moved from above":         {Tree: r.Dir, Path: "taken", To: "../" + filepath.Base(out) + "/secret"},
		"written through a link":   {Tree: r.Dir, Path: "out/planted", Gone: true, Was: owned},
		"moved from behind a link": {Tree: r.Dir, Path: "taken", To: "out/secret"},
		"moved through a link":     {Tree: r.Dir, Path: "out/new/moved", To: "README"},
		"a hook":                   {Tree: r.Dir, Path: ".git/hooks/pre-commit", To: "README"},
		"a setting":                {Tree: r.Dir, Path: "dir/../.GIT/config.worktree", Gone: true, Was: owned},
	} {
		if err := e.Adopt.reverse([]sources.Change{c}, ""); err == nil {
			t.Errorf("%s: it was taken back", what)
		}
	}
	if text, _ := os.ReadFile(filepath.Join(out, "secret")); string(text) != "theirs\n" {
		t.Errorf("their file has %q", text)
	}
	if left, _ := os.ReadDir(out); len(left) != 1 {
		t.Errorf("their folder has %v", left)
	}
	for _, path := range []string{"back", "in/new/back"} {
		if err := e.Adopt.reverse([]sources.Change{{Tree: r.Dir, Path: path, Gone: true, Was: owned}}, ""); err != nil || r.Read(path) != string(owned) {
			t.Errorf("%s did not come back: %v", path, err)
		}
	}
}
