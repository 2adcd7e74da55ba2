package assess

import (
	"context"
	"errors"
	"os"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
)

// Assess examines a run, or another system's work, before it is continued.
func (e *Judge) Assess(ctx context.Context, key candidate.Key, mode AssessMode) (*Assessment, error) {
	return e.AssessWith(ctx, key, mode, nil)
}

// AssessWith examines a run, or another system's work, before it is continued. If p is not nil, an open run of ours is examined as if it
// followed the plan in p.
func (e *Judge) AssessWith(ctx context.Context, key candidate.Key, mode AssessMode, p *PlanChange) (*Assessment, error) {
	if key.Kind() != candidate.OwnRun {
		s, err := e.Find.Lookup(ctx, key)
		if err != nil {
			return nil, err
		}
		return e.assessForeign(ctx, s, mode)
	}
	s, err := e.Detail(ctx, key.Run())
	if err != nil {
		return nil, err
	}
	if s.Run.Source != "" {
		if s, err = e.Find.Lookup(ctx, key); err != nil {
			return nil, err
		}
		if s.Found != nil {
			return e.assessForeign(ctx, s, mode)
		}
	}
	x := &assessor{Site: e.Site, judge: e, mode: mode, a: &Assessment{Summary: s, Silent: max(e.Now().Sub(s.Run.LastAt), 0)}}
	if err := x.age(ctx); err != nil {
		return nil, err
	}
	if x.a.Plan, err = e.Tasks.PlanOf(ctx, &s.Run); err != nil {
		x.addFinding(candidate.DamagedPlan, candidate.Blocking, candidate.Facts{Text: err.Error()})
	}
	if p != nil && !s.Run.Closed() {
		if err := x.assumePlan(ctx, p); err != nil {
			return nil, err
		}
	}
	if err := x.examine(ctx); err != nil {
		return nil, err
	}
	x.progress()
	x.a.Point = taskChecks{x}.point()
	x.a.Summary.Next = x.a.Point.Task.Run
	x.a.Verdict = VerdictOf(x.a.Findings)
	x.a.Seen.Events = s.Run.Events
	return x.a, nil
}

// assumePlan changes the assessed run as if it followed the new plan.
func (x *assessor) assumePlan(ctx context.Context, p *PlanChange) (err error) {
	x.a.NewPlan, x.a.Plan = p, p.Plan
	x.a.Summary.Run = x.a.Summary.Run.Following(p.Event, p.Plan)
	if !x.a.Summary.Life.Held() {
		x.a.Summary.Invalid, err = x.judge.Tasks.ValidityIn(ctx, p.Plan, x.run())
	}
	return err
}

// examine makes all checks until one of them returns an error. If the run changed during the checks, the error wraps ErrMoved too. This
// happens, for example, if somebody discards the run meanwhile.
func (x *assessor) examine(ctx context.Context) (err error) {
	run, work := runChecks{x}, taskChecks{x}
	for _, look := range []func(context.Context) error{
		run.checkWorkers, run.journal, treeChecks{x}.tree, treeChecks{x}.halfRestored, run.branch, work.save, run.checkLeft, work.tasks, baseChecks{x}.base, run.others,
	} {
		if err = look(ctx); err != nil {
			break
		}
	}
	if err != nil && x.changed(ctx) {
		err = errors.Join(candidate.ErrMoved, err)
	}
	if x.repo != nil {
		x.repo.Close()
	}
	return err
}

// changed reports whether the run got new events after it was looked up, or its worktree no longer exists.
func (x *assessor) changed(ctx context.Context) bool {
	if x.repo != nil {
		if _, err := os.Stat(x.repo.WorkTree); errors.Is(err, os.ErrNotExist) {
			return true
		}
	}
	j, err := x.Store.Load(ctx, x.run().ID)
	return err == nil && j.Run.Events != x.run().Events
}

// Detail returns the summary of a run. It also finds out whether a recorded merge has the whole run, and where the commits of the finished tasks are now. If no process executes the run,
// it also finds out which finished tasks must run again.
func (e *Judge) Detail(ctx context.Context, id checkpoint.RunID) (candidate.Summary, error) {
	s, err := e.Find.Summary(ctx, id)
	if err != nil {
		return s, err
	}
	if s.Run.Merged != "" {
		s.AddMerge(ctx, e.Site)
	}
	if s.Moved, err = e.Store.History().Relocate(ctx, &s.Run); err != nil || s.Life.Held() {
		return s, err
	}
	s.Invalid, err = e.Tasks.Validity(ctx, &s.Run)
	return s, err
}
