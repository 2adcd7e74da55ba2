package agentmemory

import (
	"path"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// stage is where a run stands and what comes next.
type stage struct {
	phase     string
	state     sources.State
	action    string
	point     sources.Point
	questions []sources.Question
	missing   []sources.File
}

func (r *run) stage() stage {
	switch {
	case r.ledger.end != nil:
		return r.closed()
	case r.flow.later:
		st := r.laterStage()
		if r.flow.paused && st.state.Open() {
			st.state = sources.Paused
		}
		return st
	}
	return r.earlyStage()
}

// closed is a run with a last word; tasks that it left open are told.
func (r *run) closed() stage {
	e := r.ledger.end
	st := stage{phase: "4", state: sources.Complete, action: "nothing: " + e.raw}
	if r.flow.later {
		st.phase = "6"
	}
	switch e.kind {
	case "run-cancelled", "run-canceled", "run-failed":
		st.state, st.phase = sources.Ended, r.reached()
		return st
	}
	if i := slices.IndexFunc(r.tasks, unfinished); i >= 0 {
		r.doubt(sources.DoubtDiscrepancy, conflicts.Warning, path.Join(r.dir, e.where), "tells %s, and %s is not done", e.raw, r.tasks[i].ID)
	}
	return st
}

// reached is the phase in which a run was when it was closed; what is missing there is nobody's concern any more.
func (r *run) reached() string {
	doubts := len(r.doubts)
	defer func() { r.doubts = r.doubts[:doubts] }()
	if r.flow.later {
		return r.laterStage().phase
	}
	return r.earlyStage().phase
}
