package journal

import (
	"context"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// tidyEvery is the number of events between two checks of whether git wants to pack objects:
// they make about 1,500 objects, well below the 6,700 at which git packs.
const tidyEvery = 500

// tidy lets git pack the objects of appends, now and then and when a run ends, as "git commit" does.
// git decides whether there is enough to do, and packs in the background;
// gc.auto, gc.autoDetach, maintenance.auto and the pre-auto-gc hook are obeyed.
// tidy runs after the append has released its lock, and cannot fail an append that is already durable.
func tidy(ctx context.Context, r *gitstate.Repo, j *Journal) {
	if !j.tidyDue() {
		return
	}
	c, err := r.Settings.Config(ctx)
	// gc.auto=0 is the older way to turn this off, which newer versions of git ignore.
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
