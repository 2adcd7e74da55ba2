package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/gittest"
)

// withoutGit returns r for a user who has no git: every attempt to start git fails.
func withoutGit(t *testing.T, r *gittest.Repo) *gittest.Repo {
	t.Helper()
	blind := r.In(r.Dir)
	blind.Env = append(append([]string{}, r.Env...), "PATH="+t.TempDir())
	return blind
}

func TestStatus_startsNoProcessWhereNothingIsOpen(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	kinds := map[string]func(){
		"no run ever":    func() {},
		"packed refs":    func() { r.Git("pack-refs", "--all") },
		"a finished run": func() { resume(r, "start", "--here", "--name", "old", "--task", "one"); resume(r, "finish") },
		"a merged run": func() {
			resume(r, "start", "--name", "built", "--task", "one")
			trees, _ := filepath.Glob(filepath.Join(filepath.Dir(r.Dir), "*.worktrees", "built-*"))
			tree := r.In(trees[0])
			tree.Write("new", "new\n")
			resume(tree, "task", "done", "one", "new")
			resume(r, "merge", "built")
		},
		"many worktrees": func() { addTrees(r, 10) },
	}
	for _, name := range []string{"no run ever", "packed refs", "a finished run", "a merged run", "packed refs", "many worktrees"} {
		kinds[name]()
		want := r.MustResume("status")
		if got, code := withoutGit(t, r).Resume("status"); code != 0 || got != want {
			t.Errorf("%s: without git on PATH: exit code %d\n%s", name, code, got)
		}
	}
}

// addTrees adds n linked worktrees without any work in progress.
func addTrees(r *gittest.Repo, n int) {
	r.T.Helper()
	for i := range n {
		r.Git("worktree", "add", "-q", "--detach", fmt.Sprintf("../trees/%d", i))
	}
}

// crowd makes a repository with the given numbers of finished and open runs.
func crowd(t *testing.T, finished, open int) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	s := store(t, r, "GIT_TEST_FSYNC=0")
	for i := range finished {
		id := begin(t, s, r, fmt.Sprintf("old%d-aaaa", i))
		appendEvents(t, s, id, checkpoint.Event{Event: checkpoint.RunFinished})
	}
	for i := range open {
		resume(r, "start", "--name", fmt.Sprintf("open%d", i), "--task", "one", "--task", "two")
	}
	return r
}

// store opens the journals of a repository as the program does.
func store(t testing.TB, r *gittest.Repo, extra ...string) *journal.Store {
	t.Helper()
	env := append(append([]string{}, r.Env...), extra...)
	at, err := locate.Find(r.Dir, env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(at, env)
	t.Cleanup(repo.Close)
	return &journal.Store{Repo: repo, Now: time.Now, Nonce: "bench00000"}
}

func begin(t *testing.T, s *journal.Store, r *gittest.Repo, id string) checkpoint.RunID {
	t.Helper()
	head := object.ID(r.Git("rev-parse", "HEAD"))
	base := checkpoint.Base{Name: "main", Commit: head}
	event := checkpoint.Event{Event: checkpoint.RunStarted, Name: id[:len(id)-5], Base: &base, Head: head, BaseTip: head,
		Here: true, Branch: "refs/heads/main", Worktree: r.Dir, Admin: "main"}
	j, err := s.Create(t.Context(), checkpoint.RunID(id), []checkpoint.Event{event}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return j.Run.ID
}

func appendEvents(t *testing.T, s *journal.Store, id checkpoint.RunID, events ...checkpoint.Event) {
	t.Helper()
	_, err := s.Append(t.Context(), id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return events, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestStatus_readsOnlyOpenRuns(t *testing.T) {
	t.Parallel()
	r := crowd(t, 5, 3)
	want := r.MustResume("status")
	if n := strings.Count(want, "open"); n < 3 {
		t.Fatalf("status shows %d open runs:\n%s", n, want)
	}
	for i := range 5 {
		for _, space := range []string{"refs/resume/journal", "refs/notes/resume"} {
			ref := filepath.Join(r.Dir, ".git", filepath.FromSlash(space), fmt.Sprintf("old%d-aaaa", i))
			if err := os.WriteFile(ref, []byte("damaged\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := r.MustResume("status"); got != want {
		t.Errorf("status changed with the journals of finished runs:\n%s\nwas:\n%s", got, want)
	}
	if got, _ := r.Resume("status", "--all"); !strings.Contains(got, "old0-aaaa") {
		t.Errorf("the damage has no effect at all, so it proves nothing:\n%s", got)
	}
}

func TestStatus_oneProcessReadsAllJournals(t *testing.T) {
	t.Parallel()
	r := crowd(t, 0, 3)
	forget := func() { // deletes the cache of run states
		if err := os.RemoveAll(filepath.Join(r.Dir, ".git", "resume", "cache")); err != nil {
			t.Fatal(err)
		}
	}
	count := func() []string {
		forget()
		counting, calls := r.Counting()
		counting.MustResume("status")
		return calls()
	}
	if calls := count(); len(calls) != 0 {
		t.Errorf("beside journals that are not packed, status called git %d times: %q", len(calls), calls)
	}
	// Git before 2.36 does not know cat-file --batch-command, so status starts git a second time without this option. It starts git once
	// more after each object that is too large to be read.
	packed, large := 1, 1
	if !(gittest.Git{}).AtLeast(2, 36) {
		packed, large = 2, 2+3
	}
	r.Git("gc", "-q")
	if calls := count(); len(calls) != packed || !strings.Contains(calls[0], "cat-file") {
		t.Errorf("status called git %d times: %q", len(calls), calls)
	}
	giant := r.Giant("blob", "", 64<<20)
	for _, notes := range strings.Fields(r.Git("for-each-ref", "--format=%(refname)", "refs/notes/resume")) {
		list := r.Git("ls-tree", "-r", notes) + "\n100644 blob " + giant + "\t" + strings.Repeat("0", 39) + "1\n"
		r.Git("update-ref", notes, r.Git("commit-tree", "-p", notes, "-m", "more", strings.TrimSpace(r.Pipe(list, "mktree"))))
	}
	if calls := count(); len(calls) != large {
		t.Errorf("beside objects that are too large, status called git %d times: %q", len(calls), calls)
	}
}
