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

// OpenWorkError says that work with the same name or plan file is already open.
type OpenWorkError struct {
	Name string
	Runs []candidate.Summary
	// If one of the open runs has another command than the new run, Command is the command of that open run. Otherwise it is empty.
	Command string
	// Again is the user's command with --new added: the words after "git resume".
	Again []string
}

func (e *OpenWorkError) Error() string {
	if e.Command != "" {
		return fmt.Sprintf("'%s' is already open, with another command: %s", e.Name, e.Command)
	}
	return fmt.Sprintf("'%s' is already open", e.Name)
}

// findOpenWork looks for open work with the same name or plan file. It returns a run that can be continued, such as one that the same
// command created before it was killed. For other open work, it returns *OpenWorkError.
func (e *Starter) findOpenWork(ctx context.Context, q Request, ev checkpoint.Event, p plan.Plan) (*staging.Started, error) {
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
			// Ignore a run from another clone, because it belongs to somebody else. But if an older version of git-resume recorded the run
			// in this clone, the user must decide.
			if r.Lack == checkpoint.LackSignature && e.Store.Folder().OpenHere(r.ID) {
				return nil, site.MustOwn(r)
			}
			continue
		}
		if r.Source != "" {
			continue // work of another system that we adopted; it is looked for below, together with its own files
		}
		if other := e.differingCommand(ctx, r, q.Command); other != "" {
			if !q.Unnamed {
				found.Runs, found.Command = append(found.Runs, s), other
			}
			continue // the open run has another command, so it is not the run that the user wants
		}
		busy := owner.Busy(e.Store, r.ID) // check again whether the run is in use, because a task may have ended since the summary was read
		if q.Auto && busy != nil {
			return nil, busy
		}
		s.Life.OwnerLock = busy != nil && !busy.Task
		if e.sameStart(r, ev, p, s.Life) || q.Auto && r.Planned == len(p.Tasks) && r.Here == ev.Here {
			return e.joinOpenRun(ctx, &s, p)
		}
		found.Runs = append(found.Runs, s)
	}
	if st, err := e.findFinishedRun(ctx, q, ev, p); len(found.Runs) == 0 && (err != nil || st != nil) {
		return st, err
	}
	if open, err = e.Find.Status(ctx, journal.OpenRuns); err != nil {
		return nil, err
	}
	for _, s := range open {
		switch f := s.Found; {
		case q.Unnamed:
		case f != nil && f.State.Open() && (f.ID == p.Name || f.Name == p.Name || f.Called(p.Name) || planBelongsTo(f, ev.PlanFile)),
			s.Vanished() && s.Run.Ours() && s.Run.Name == p.Name:
			found.Runs = append(found.Runs, s)
		}
	}
	if len(found.Runs) > 0 {
		return nil, found
	}
	return nil, nil
}

// findFinishedRun finds a finished run of the same plan and base whose result the user has not seen. The process of such a run was killed
// before it could show the result. It returns nil if there is none. A run without a plan file is found only with q.Auto, because only then
// the caller is a script that continues the same run. A run in the user's own worktree may itself have moved its base.
func (e *Starter) findFinishedRun(ctx context.Context, q Request, ev checkpoint.Event, p plan.Plan) (*staging.Started, error) {
	ids, err := e.Store.Folder().Unreported()
	if err != nil || ev.PlanFile == "" && !q.Auto {
		return nil, err
	}
	for _, id := range ids {
		j, err := e.Store.Load(ctx, id)
		if err != nil {
			continue
		}
		r := &j.Run
		same := r.Name == p.Name && r.PlanFile == ev.PlanFile && r.PlanHash == ev.PlanHash && r.Here == ev.Here && r.Planned == len(p.Tasks) &&
			(r.Base == *ev.Base || r.Here && r.Base.Name == ev.Base.Name && r.Admin == ev.Admin)
		if !r.Finished || r.Discarded || r.Superseded != "" || !r.Ours() || !same {
			continue
		}
		place, _ := e.TreeOf(r)
		return &staging.Started{Journal: j, Again: true, Done: true, Path: place.WorkTree}, nil
	}
	return nil, nil
}

// joinOpenRun returns a run that is already open. It locks the run if a worktree must be created or commands will be executed.
func (e *Starter) joinOpenRun(ctx context.Context, s *candidate.Summary, p plan.Plan) (*staging.Started, error) {
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

// planBelongsTo reports whether the plan file is one of the state files of another system's work.
func planBelongsTo(f *sources.Found, file string) bool {
	return file != "" && slices.Contains(f.Files, file)
}

// differingCommand returns the command that an open run would execute, if it differs from the given command. It returns "none" for a run
// without a command, and "" if nothing differs or no command is given.
func (e *Starter) differingCommand(ctx context.Context, r *checkpoint.Run, command string) string {
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

// eventsBeforeWork is the largest number of events in a run on which nobody has worked yet: one for its start and one for its worktree.
const eventsBeforeWork = 2

func (e *Starter) sameStart(r *checkpoint.Run, ev checkpoint.Event, p plan.Plan, l checkpoint.Life) bool {
	if r.Events > eventsBeforeWork || r.Begun() || l.Held() || r.Here != ev.Here || r.Admin != ev.Admin && r.Here {
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
