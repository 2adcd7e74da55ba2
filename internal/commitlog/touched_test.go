package commitlog

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// Git ends its list at the time since which commits are asked for. A later question about older commits is answered too.
func TestTouched_sinceATime(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, day := range []string{"01", "10", "20"} {
		r.Write("src/a", day)
		r.Git("add", "-A")
		r.With("GIT_COMMITTER_DATE=2030-02-"+day+"T00:00:00Z").Git("commit", "-q", "-m", day)
	}
	r.Git("gc", "-q") // loose commits are read without git
	l := NewTouched(repotest.Open(t, r.Dir, r.Env), object.ID(r.Git("rev-parse", "HEAD")), []string{"specs"})
	defer l.Rest()
	on := func(day int) time.Time { return time.Date(2030, 2, day, 0, 0, 0, 0, time.UTC) }
	for _, q := range []struct {
		since time.Time
		want  int
	}{{on(25), 0}, {on(15), 1}, {on(5), 2}, {on(15), 1}, {time.Time{}, 3}, {on(5), 2}} {
		if got := l.Of(t.Context(), q.since, 10, nil, []string{"src/a"}); len(got) != q.want {
			t.Errorf("since %s: %d commits, want %d", q.since, len(got), q.want)
		}
	}
	if got := l.Last(t.Context(), time.Time{}, []string{"src/a"}); got["src/a"].Subject != "20" {
		t.Errorf("the newest is %+v", got)
	}
}
