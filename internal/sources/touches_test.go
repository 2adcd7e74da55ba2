package sources

import (
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/gittest"
)

// historyRepo creates a repository and adds three commits: the first adds three files, the second changes one of them, and the third
// changes none of them.
func historyRepo(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	commit := func(subject string, files ...string) {
		for _, name := range files {
			r.Write(name, subject+"\n")
		}
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", subject)
	}
	commit("all", "specs/x/tasks.md", "qa/y", "src/z")
	commit("only x", "specs/x/tasks.md")
	commit("neither", "c")
	r.Git("repack", "-a", "-d", "-q") // pack the commits, because loose commits are read without git
	return r
}

// viewCounting opens a view. The returned function says how often git log was started.
func viewCounting(t *testing.T, r *gittest.Repo) (*View, func() int) {
	t.Helper()
	place, err := locate.Find(r.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	counting, calls := r.Counting()
	repo := gitstate.Open(place, counting.Env)
	t.Cleanup(repo.Close)
	v := NewView(repo, time.Now(), func(string) []string { return nil })
	t.Cleanup(v.RestLogs)
	return v, func() int {
		return len(slices.DeleteFunc(calls(), func(c string) bool { return !strings.Contains(c, "log") }))
	}
}

func shown(touches []past.Touch) (text string) {
	for _, touch := range touches {
		text += touch.Subject + ";"
		for _, d := range touch.Changes {
			text += d.Path + ";"
		}
	}
	return text
}

// Sources that ask for commits at the same time share one git process, and each gets only the commits of its own files.
func TestTouches_together(t *testing.T) {
	t.Parallel()
	v, logs := viewCounting(t, historyRepo(t))
	ctx, tree := t.Context(), v.Trees[0]
	got := make([]string, 3)
	var asked sync.WaitGroup
	for i, p := range []string{"specs/x/tasks.md", "qa", "specs/x/missing.md"} {
		asked.Go(func() { got[i] = shown(v.Touches(ctx, tree, time.Time{}, 10, nil, p)) })
	}
	asked.Wait()
	if got[0] != "only x;specs/x/tasks.md;all;specs/x/tasks.md;" || got[1] != "all;qa/y;" || got[2] != "" {
		t.Errorf("got %q", got)
	}
	v.Date(ctx, tree, "specs/x/tasks.md", "qa/y")
	if when, from := v.Written(ctx, tree, "qa/y"); from != "commit" || when.IsZero() {
		t.Errorf("written %v, %s", when, from)
	}
	if n := logs(); n != 1 {
		t.Errorf("git log was started %d times for state files", n)
	}
	if both := shown(v.Touches(ctx, tree, time.Time{}, 10, nil, "src/z", "specs/x/tasks.md")); both != "only x;specs/x/tasks.md;all;specs/x/tasks.md;src/z;" {
		t.Errorf("a file elsewhere and a state file: %q", both)
	}
	if n := logs(); n != 2 {
		t.Errorf("git log was started %d times for state files and another file", n)
	}
}

// TestTouches_enough: a search for commits returns no more commits than it needs, even if an earlier search has already read older commits.
func TestTouches_enough(t *testing.T) {
	t.Parallel()
	v, logs := viewCounting(t, historyRepo(t))
	ctx, tree := t.Context(), v.Trees[0]
	first := func(*past.Touch, *past.Delta) bool { return true }
	for range 2 {
		if got := shown(v.Touches(ctx, tree, time.Time{}, 10, first, "specs/x/tasks.md")); got != "only x;specs/x/tasks.md;" {
			t.Errorf("the newest commit is enough: %q", got)
		}
		v.Touches(ctx, tree, time.Time{}, 10, nil, "specs", "qa")
	}
	if id, _ := v.NewestCommit(ctx, tree, "qa/y", "specs/x/tasks.md"); v.LastCommits(ctx, tree, "specs/x/tasks.md")["specs/x/tasks.md"].ID != id {
		t.Errorf("the newest commit of both is %s", id)
	}
	if n := logs(); n != 1 {
		t.Errorf("git log was started %d times", n)
	}
	v.RestLogs()
	if got := shown(v.Touches(ctx, tree, time.Time{}, 10, nil, "qa")); got != "all;qa/y;" {
		t.Errorf("after the process was ended: %q", got)
	}
}
