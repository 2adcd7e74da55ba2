package forward_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/worktree/forward"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// scene is a worktree before a move that adds, changes and removes files.
type scene struct {
	*gittest.Repo
	from, to string
	mover    forward.Mover
}

func newScene(t *testing.T) *scene {
	t.Helper()
	r := gittest.New(t)
	r.Write("changed", "one\n")
	r.Write("removed", "gone soon\n")
	r.Write("mine", "as it was\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "first")
	from := r.Git("rev-parse", "HEAD")
	r.Write("changed", "one\ntwo\nthree\n")
	r.Write("new/file", "new content\n")
	r.Write("new/empty", "")
	r.Git("rm", "-q", "removed")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "second")
	to := r.Git("rev-parse", "HEAD")
	r.Git("reset", "-q", "--hard", from)
	s := &scene{Repo: r, from: from, to: to}
	repo := repotest.Open(t, r.Dir, r.Env)
	s.mover = forward.Mover{Tree: repo, Note: filepath.Join(repo.CommonDir, "resume", "moving", "job-1")}
	return s
}

func (s *scene) move(to string) error {
	return s.mover.Move(context.Background(), object.ID(s.from), object.ID(to))
}

// killed writes only the note that Move writes before it moves the branch. So it looks as if a move was killed before git wrote anything.
func (s *scene) killed(busy ...string) {
	s.T.Helper()
	list := ""
	if len(busy) > 0 {
		list = `,"busy":["` + strings.Join(busy, `","`) + `"]`
	}
	if err := os.MkdirAll(filepath.Dir(s.mover.Note), 0o755); err != nil {
		s.T.Fatal(err)
	}
	text := `{"v":1,"worktree":"` + s.mover.Tree.GitDir + `","from":"` + s.from + `","to":"` + s.to + `"` + list + "}\n"
	if err := os.WriteFile(s.mover.Note, []byte(text), 0o600); err != nil {
		s.T.Fatal(err)
	}
}

func (s *scene) remove(name string) {
	s.T.Helper()
	if err := os.Remove(filepath.Join(s.Dir, name)); err != nil {
		s.T.Fatal(err)
	}
}

// A move that was killed must succeed when it is repeated, whatever the killed git has written.
func TestMove_completesWhatWasKilled(t *testing.T) {
	t.Parallel()
	for name, half := range map[string]func(*scene){
		"nothing was written":     func(*scene) {},
		"one file was removed":    func(s *scene) { s.remove("removed") },
		"a changed file is gone":  func(s *scene) { s.remove("removed"); s.remove("changed") },
		"a changed file is empty": func(s *scene) { s.remove("removed"); s.Write("changed", "") },
		"a changed file is cut":   func(s *scene) { s.remove("removed"); s.Write("changed", "one\ntw") },
		"a new file is empty":     func(s *scene) { s.remove("removed"); s.Write("changed", "one\ntwo\nthree\n"); s.Write("new/file", "") },
		"a new file is cut":       func(s *scene) { s.Write("new/file", "new con") },
		"all files were written":  func(s *scene) { s.Git("read-tree", "-m", "-u", s.from, s.to); s.Git("read-tree", s.from) },
		"the index was written":   func(s *scene) { s.Git("read-tree", "-m", "-u", s.from, s.to) },
		"a new folder is empty":   func(s *scene) { s.Write("new/file", ""); s.remove("new/file") },
		"a new file is ignored":   func(s *scene) { s.Write(".git/info/exclude", "new\n"); s.Write("new/file", "new content\n") },
		"the killed one goes back": func(s *scene) {
			s.Git("read-tree", "-m", "-u", s.from, s.to)
			s.Git("read-tree", s.from)
			s.Write("changed", "on")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			s.Write("mine", "changed by the user\n")
			s.Write("other", "of the user\n")
			s.killed()
			half(s)
			if err := s.move(s.to); err != nil {
				t.Fatal(err)
			}
			if got := s.Git("rev-parse", "HEAD"); got != s.to {
				t.Errorf("HEAD is %s, want %s", got, s.to)
			}
			if got, want := s.Git("status", "--porcelain"), "M mine\n?? other"; strings.TrimSpace(got) != want {
				t.Errorf("status is %q, want %q", got, want)
			}
			if _, err := os.Stat(s.mover.Note); !os.IsNotExist(err) {
				t.Errorf("the note is still there: %v", err)
			}
		})
	}
}

// A move must restore only files that a killed move may have written. All other files are the user's, and git refuses to overwrite them.
func TestMove_keepsWhatIsNotOurs(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path string
		set  func(*scene)
	}{
		"no move was killed, and the file is equal":  {"new/file", func(s *scene) { s.Write("new/file", "new content\n") }},
		"no move was killed, and the file is empty":  {"new/file", func(s *scene) { s.Write("new/file", "") }},
		"the user wrote the new file":                {"new/file", func(s *scene) { s.killed(); s.Write("new/file", "new content, and more\n") }},
		"the user changed the file":                  {"changed", func(s *scene) { s.killed(); s.Write("changed", "one, or two\n") }},
		"the user added a line to the new file":      {"new/file", func(s *scene) { s.killed(); s.Write("new/file", "new content\nand more\n") }},
		"the user added a line to the newer version": {"changed", func(s *scene) { s.killed(); s.Write("changed", "one\ntwo\nthree\nfour\n") }},
		"the user added a line to the older version": {"changed", func(s *scene) { s.killed(); s.Write("changed", "one\nmine\n") }},
		"the user filled the new empty file":         {"new/empty", func(s *scene) { s.killed(); s.Write("new/empty", "mine\n") }},
		"the file was there before the killed move":  {"new/file", func(s *scene) { s.killed("new/file"); s.Write("new/file", "new") }},
		"the user staged something else": {"changed", func(s *scene) {
			s.killed()
			s.Write("changed", "x\n")
			s.Git("add", "changed")
			s.Write("changed", "one\n")
		}},
		"the killed move was another one":            {"new/file", func(s *scene) { s.killed(); s.renote("job-2"); s.Write("new/file", "new") }},
		"the folder of the new file is a link":       {"elsewhere/file", func(s *scene) { s.killed(); s.Write("elsewhere/file", "new content\n"); s.link("elsewhere", "new") }},
		"the user removed the folder for a new file": {"new", func(s *scene) { s.killed(); s.Write("new", "new content\n") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newScene(t)
			c.set(s)
			before, err := os.ReadFile(filepath.Join(s.Dir, c.path))
			if err != nil {
				t.Fatal(err)
			}
			if err := s.move(s.to); err == nil {
				t.Error("the move was not refused")
			}
			if after, err := os.ReadFile(filepath.Join(s.Dir, c.path)); err != nil || !bytes.Equal(before, after) {
				t.Errorf("%s was %q and is %q, %v", c.path, before, after, err)
			}
			if got := s.Git("rev-parse", "HEAD"); got != s.from {
				t.Errorf("HEAD is %s, want %s", got, s.from)
			}
		})
	}
}

// renote changes the note of the killed move, so that it names another worktree.
func (s *scene) renote(name string) {
	s.T.Helper()
	text, err := os.ReadFile(s.mover.Note)
	if err != nil {
		s.T.Fatal(err)
	}
	text = bytes.Replace(text, []byte(s.mover.Tree.GitDir), []byte(s.mover.Tree.GitDir+"/worktrees/"+name), 1)
	if err := os.WriteFile(s.mover.Note, text, 0o600); err != nil {
		s.T.Fatal(err)
	}
}

func (s *scene) link(to, at string) {
	s.T.Helper()
	if err := os.Symlink(to, filepath.Join(s.Dir, at)); err != nil {
		s.T.Fatal(err)
	}
}

// A move to one commit was killed, and the next move goes to another commit. The worktree must be clean after the second move: no change of
// the killed move may be left.
func TestMove_toAnotherCommitThanTheKilledOne(t *testing.T) {
	t.Parallel()
	s := newScene(t)
	s.killed()
	s.Git("read-tree", "-m", "-u", s.from, s.to)
	s.Git("read-tree", s.from)
	other := s.Git("commit-tree", "-p", s.from, "-m", "other", s.from+"^{tree}")
	if err := s.move(other); err != nil {
		t.Fatal(err)
	}
	if got := s.Git("status", "--porcelain"); got != "" {
		t.Errorf("status is %q", got)
	}
	if got := s.Git("rev-parse", "HEAD"); got != other {
		t.Errorf("HEAD is %s, want %s", got, other)
	}
}
