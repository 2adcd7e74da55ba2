package sources

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
)

type asker struct{ Source }

func (asker) AsksHistory() {}

// Two sources that call Touches at the same time share one git process, and each gets its own commits. They do not wait for a source that
// has already finished.
func TestTouches_together(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	commit := func(subject string, files ...string) {
		for _, name := range files {
			r.Write(name, subject+"\n")
		}
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", subject)
	}
	commit("both", "a/x", "b/y")
	commit("only a", "a/x")
	commit("neither", "c")
	place, err := locate.Find(r.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	counting, calls := r.Counting()
	repo := gitstate.Open(place, counting.Env)
	defer repo.Close()
	v := NewView(repo, time.Now(), func(string) []string { return nil })
	through := []func(context.Context){v.Expect(asker{}), v.Expect(asker{}), v.Expect(asker{})}
	got := make([]string, 2)
	var asked sync.WaitGroup
	for i, p := range []string{"a/x", "b"} {
		asked.Go(func() {
			defer through[i](t.Context())
			touches, err := v.Touches(t.Context(), v.Trees[0], time.Time{}, 10, p)
			if err != nil {
				t.Error(err)
			}
			for _, touch := range touches {
				got[i] += touch.Subject + ";"
				for _, d := range touch.Changes {
					got[i] += d.Path + ";"
				}
			}
		})
	}
	through[2](t.Context())
	asked.Wait()
	if got[0] != "only a;a/x;both;a/x;" || got[1] != "both;b/y;" {
		t.Errorf("got %q", got)
	}
	if logs := slices.DeleteFunc(calls(), func(c string) bool { return !strings.Contains(c, "log") }); len(logs) != 1 {
		t.Errorf("git log was started %d times: %q", len(logs), logs)
	}
}
