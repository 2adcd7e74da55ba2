package journal

import (
	"context"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// tidyEvery is the number of events after which we ask git whether to pack objects. 500 events make about 1,500 objects, and by default
// git packs when there are 6,700.
const tidyEvery = 500

// tidy runs "git maintenance run --auto", as "git commit" does. It does this from time to time, and when a run ends. It does nothing if
// the user has turned off git's automatic maintenance.
func tidy(ctx context.Context, r *gitstate.Repo, j *Journal) {
	if !j.tidyDue() {
		return
	}
	c, err := r.Settings.Config(ctx)
	// gc.auto=0 is the older way to turn off packing. Newer versions of git ignore it, so we check it here.
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
