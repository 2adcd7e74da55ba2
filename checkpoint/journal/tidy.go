package journal

import (
	"context"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// tidyEvery is how many events pass between two looks at whether git wants to pack objects:
// some 1,500 of them, well below the 6,700 at which git does.
const tidyEvery = 500

// tidy lets git pack what appends have left, now and then and when a run ends, as "git commit" does.
// git decides whether there is enough to do, and does it in the background;
// gc.auto, gc.autoDetach, maintenance.auto and the pre-auto-gc hook are obeyed.
// It comes after the append's lock is free, and cannot fail an append that is durable already.
func tidy(ctx context.Context, r *gitstate.Repo, j *Journal) {
	if !j.tidyDue() {
		return
	}
	c, err := r.Settings.Config(ctx)
	// gc.auto=0 is the older way to say so, which newer versions of git pass over.
	if err != nil || !c.Bool("maintenance.auto", true) || !c.Bool("gc.auto", true) {
		return
	}
	lock := r.CommonPath("objects", "maintenance.lock")
	_, _ = r.Git(ctx, process.Call{
		Args: []string{"maintenance", "run", "--auto", "--quiet"}, Mode: process.Write, Locks: []string{lock},
	})
}

func (j *Journal) tidyDue() bool {
	if j.added == 0 {
		return false
	}
	return j.Run.Closed() || j.Run.Events/tidyEvery != (j.Run.Events-j.added)/tidyEvery
}
