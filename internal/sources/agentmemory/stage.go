package agentmemory

import (
	"path"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// stage describes the phase of a run and the next step.
type stage struct {
	phase     string
	state     sources.State
	action    string
	point     sources.Point
	questions []sources.Question
	missing   []sources.File
	// stood is the phase and task at which the run stopped. It is only set if the run must first repeat an earlier step.
	stood string
}

func stageOf(r *run) stage {
	switch {
	case r.ledger.end != nil:
		return closed(r)
	case r.flow.later:
		st := laterReader{executionReader{r}}.stage()
		if r.flow.paused && st.state.Open() {
			st.state = sources.Paused
		}
		return st
	}
	return earlyReader{executionReader{r}}.stage()
}

// closed returns the stage of a run that an event has closed. If the run was completed or archived, closed adds a warning about a task
// that is still open.
func closed(r *run) stage {
	e := r.ledger.end
	st := stage{phase: "4", state: sources.Complete, action: "nothing: " + e.raw}
	if r.flow.later {
		st.phase = "6"
	}
	switch e.kind {
	case "run-cancelled", "run-canceled", "run-failed":
		st.state, st.phase = sources.Ended, reached(r)
		return st
	}
	if i := slices.IndexFunc(r.tasks, unfinished); i >= 0 {
		r.doubts.About(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, e.where), "has the event %s, but %s is not done", e.raw, r.tasks[i].ID)
	}
	return st
}

// reached returns the phase in which a run was closed. The search for the phase can add warnings, for example about missing files. reached
// drops them, because a closed run needs no more files.
func reached(r *run) string {
	doubts := slices.Clone(r.doubts)
	defer func() { r.doubts = doubts }()
	if r.flow.later {
		return laterReader{executionReader{r}}.stage().phase
	}
	return earlyReader{executionReader{r}}.stage().phase
}
