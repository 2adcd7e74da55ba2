package adopt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// The changes to undo come from a journal, which anybody may have written. So a change outside the worktree or in git's files must be
// refused.
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
	e := adopter(t, r)
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
		if err := e.reverse([]sources.Change{c}, ""); err == nil {
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
		if err := e.reverse([]sources.Change{{Tree: r.Dir, Path: path, Gone: true, Was: owned}}, ""); err != nil || r.Read(path) != string(owned) {
			t.Errorf("%s did not come back: %v", path, err)
		}
	}
}

func TestForeign_refusesToWriteElsewhere(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	e := adopter(t, r)
	for _, c := range []sources.Change{
		{Tree: r.Dir, Path: "../x", Now: []byte("x")},
		{Tree: r.Dir, Path: "a", To: "../../x"},
		{Tree: filepath.Dir(r.Dir), Path: "x", Now: []byte("x")},
	} {
		if err := e.checkChange(c); err == nil {
			t.Errorf("%+v was allowed", c)
		}
	}
}

func TestRedo_afterAKillAtEveryFile(t *testing.T) {
	t.Parallel()
	for done := 0; done <= 4; done++ {
		r := gittest.New(t)
		e := adopter(t, r)
		r.Write("edited", "was\n")
		r.Write("gone", "was\n")
		r.Write("moved/file", "was\n")
		changes := []sources.Change{
			{Tree: r.Dir, Path: "edited", Was: []byte("was\n"), Now: []byte("now\n")},
			{Tree: r.Dir, Path: "made", Now: []byte("now\n")},
			{Tree: r.Dir, Path: "gone", Was: []byte("was\n"), Gone: true},
			{Tree: r.Dir, Path: "moved", To: "aside/moved"},
		}
		for _, c := range changes[:done] {
			if err := e.carryOut(c); err != nil {
				t.Fatal(err)
			}
		}
		if err := e.redo(changes); err != nil {
			t.Fatalf("with %d done: %v", done, err)
		}
		if got := r.Read("edited") + r.Read("made") + r.Read("aside/moved/file"); got != "now\nnow\nwas\n" {
			t.Errorf("with %d done: %q", done, got)
		}
		for _, name := range []string{"gone", "moved"} {
			if _, err := os.Lstat(filepath.Join(r.Dir, name)); err == nil {
				t.Errorf("with %d done: %s is still there", done, name)
			}
		}
	}
}

// adopter returns an Adopter that can check and change files of a repository. It cannot search for work or record anything.
func adopter(t *testing.T, r *gittest.Repo) *Adopter {
	t.Helper()
	at, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(at, r.Env)
	t.Cleanup(repo.Close)
	return &Adopter{Site: &site.Site{Repo: repo}}
}
