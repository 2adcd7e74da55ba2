package start

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// OpenWorkError says that work of the same name is open already.
type OpenWorkError struct {
	Name string
	Runs []candidate.Summary
	// Command is what the last of them runs, where another command was to get the same name.
	Command string
}

func (e *OpenWorkError) Error() string {
	if e.Command != "" {
		return fmt.Sprintf("'%s' is open already, with another command: %s", e.Name, e.Command)
	}
	return fmt.Sprintf("'%s' is open already", e.Name)
}

// already looks for open work of the same name or plan file.
// The same start repeated after a kill, with nothing done since, is the same run: it makes no second one.
func (e *Starter) already(ctx context.Context, q Request, ev checkpoint.Event, p plan.Plan) (*staging.Started, error) {
	open, err := e.Find.Summaries(ctx, journal.OpenRuns)
	if err != nil {
		return nil, err
	}
	found := &OpenWorkError{Name: p.Name}
	for _, s := range open {
		r := &s.Run
		if r.Name != p.Name && (r.PlanFile == "" || r.PlanFile != ev.PlanFile) {
			continue
		}
		if !r.Ours() {
			// A run of the same name that came from elsewhere is somebody else's; one that an older version recorded here is asked about.
			if r.Lack == checkpoint.LackSignature && e.Store.Folder().OpenHere(r.ID) {
				return nil, site.MustOwn(r)
			}
			continue
		}
		if other := e.otherCommand(ctx, r, q.Command); other != "" {
			if !q.Unnamed {
				found.Runs, found.Command = append(found.Runs, s), other
			}
			continue // who types a command wants that one to run, and no other
		}
		busy := owner.Busy(e.Store, r.ID) // asked now: a task may have ended since the summary
		if q.Auto && busy != nil {
			return nil, busy
		}
		s.Life.OwnerLock = busy != nil && !busy.Task
		if e.sameStart(r, ev, p, s.Life) || q.Auto && r.Planned == len(p.Tasks) && r.Here == ev.Here {
			return e.startAgain(ctx, &s, p)
		}
		found.Runs = append(found.Runs, s)
	}
	if st, err := e.finishedUnheard(ctx, ev, p); len(found.Runs) == 0 && (err != nil || st != nil) {
		return st, err
	}
	foreign, err := e.Find.Foreign(ctx)
	if err != nil {
		return nil, err
	}
	for i := range foreign {
		if f := &foreign[i]; f.State.Open() && !q.Unnamed && (f.ID == p.Name || f.Name == p.Name || readsFrom(f, ev.PlanFile)) {
			found.Runs = append(found.Runs, e.Find.SummaryOf(ctx, f))
		}
	}
	if len(found.Runs) > 0 {
		return nil, found
	}
	return nil, nil
}

// finishedUnheard finds the run of this very plan, from this very base, that finished when its process was killed before it could say so.
func (e *Starter) finishedUnheard(ctx context.Context, ev checkpoint.Event, p plan.Plan) (*staging.Started, error) {
	ids, err := e.Store.Folder().Untold()
	if err != nil || ev.PlanFile == "" {
		return nil, err
	}
	for _, id := range ids {
		j, err := e.Store.Load(ctx, id)
		if err != nil {
			continue // whatever it is, it is not known to be finished
		}
		r := &j.Run
		same := r.Name == p.Name && r.PlanFile == ev.PlanFile && r.PlanHash == ev.PlanHash && r.Base == *ev.Base && r.Here == ev.Here
		if !r.Finished || r.Discarded || r.Superseded != "" || !r.Ours() || !same {
			continue
		}
		place, _ := e.TreeOf(r)
		return &staging.Started{Journal: j, Again: true, Done: true, Path: place.WorkTree}, nil
	}
	return nil, nil
}

// startAgain takes part in a run that is open already. It is held where a worktree is to be made, or commands will be executed.
func (e *Starter) startAgain(ctx context.Context, s *candidate.Summary, p plan.Plan) (*staging.Started, error) {
	id, st := s.Run.ID, &staging.Started{Again: true, Path: s.Path}
	if err := e.Tasks.WriteApproval(id, tasks.CommandsOf(p), ""); err != nil {
		return nil, err
	}
	var err error
	if _, there := e.TreeOf(&s.Run); !there || len(tasks.CommandsOf(p)) > 0 {
		if st.Held, err = e.Staging.KeepOthersOff(id); err != nil {
			return nil, err
		}
	}
	e.Store.Settle(ctx, id)
	if st.Journal, err = e.Store.Load(ctx, id); err == nil && st.Journal.Run.Closed() {
		err = &candidate.ClosedError{ID: id, State: checkpoint.StateOf(&st.Journal.Run, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
	}
	if err != nil {
		st.Held.Release()
		return nil, err
	}
	return st, nil
}

// readsFrom: the plan file is the state of work that another system's reader finds.
func readsFrom(f *sources.Found, file string) bool {
	return file != "" && slices.Contains(f.Files, file)
}

// otherCommand is what an open run would execute instead of a command of the same name; empty if it is this very one.
func (e *Starter) otherCommand(ctx context.Context, r *checkpoint.Run, command string) string {
	if command == "" {
		return ""
	}
	p, err := e.Tasks.PlanOf(ctx, r)
	switch {
	case err != nil || len(p.Tasks) == 0:
		return "none"
	case len(p.Tasks) > 1 || p.Tasks[0].Run != command:
		return cmp.Or(p.Tasks[0].Run, "none")
	}
	return ""
}

// untouched is how many events a run has at most before anybody worked on it: its start and its worktree.
const untouched = 2

func (e *Starter) sameStart(r *checkpoint.Run, ev checkpoint.Event, p plan.Plan, l checkpoint.Life) bool {
	if r.Events > untouched || r.Begun() || l.Held() || r.Here != ev.Here || r.Admin != ev.Admin && r.Here {
		return false
	}
	if r.Planned != len(p.Tasks) || r.PlanHash != ev.PlanHash || r.Base != *ev.Base {
		return false
	}
	for i, t := range p.Tasks {
		if r.Tasks[i].ID != checkpoint.TaskID(t.ID) {
			return false
		}
	}
	return r.Driver == nil || l.Driver == proc.Dead || r.Driver.Same(ev.Actor)
}
