package resume

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Mode returns how much the user wants to be asked, according to the setting resume.mode. Without this setting, it returns Interactive.
func (e *Resumer) Mode(ctx context.Context) (assess.Mode, error) {
	if !e.Repo.Settings.Mentions("resume") {
		return assess.Interactive, nil // no setting contains "resume", so do not start git to read resume.mode
	}
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return "", err
	}
	v, ok := c.Get("resume.mode")
	if !ok {
		return assess.Interactive, nil
	}
	if m, ok := ModeOf(v); ok {
		return m, nil
	}
	return "", fmt.Errorf("setting 'resume.mode' is '%s': it must be interactive, auto or preflight", v)
}

// ModeOf parses the word for a mode. It returns false for any other word.
func ModeOf(word string) (assess.Mode, bool) {
	switch m := assess.Mode(word); m {
	case assess.Interactive, assess.Auto, assess.Preflight:
		return m, true
	}
	return "", false
}

// Restart closes a run as superseded, keeps everything that it made, and starts a new run with the same plan.
// The new run stays locked for the caller, who will execute it.
func (e *Resumer) Restart(ctx context.Context, id checkpoint.RunID) (*staging.Started, error) {
	release, err := e.Staging.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := e.Dropping.MayDropHeld(&j.Run); err != nil {
		return nil, err
	}
	p, err := e.Tasks.PlanOf(ctx, &j.Run)
	if err != nil {
		return nil, err
	}
	if missing, err := e.Tasks.NeedsApproval(id, p); err != nil {
		return nil, err
	} else if len(missing) > 0 {
		return nil, tasks.Untrusted(id, p, missing)
	}
	ev := checkpoint.Event{
		Event: checkpoint.RunStarted, Name: j.Run.Name, PlanFile: j.Run.PlanFile, PlanHash: j.Run.PlanHash, Text: j.Run.Mode, Jobs: j.Run.Jobs, KeepGoing: j.Run.KeepGoing,
		Base: &checkpoint.Base{Name: j.Run.Base.Name, Commit: e.BaseTip(ctx, &j.Run)}, Here: j.Run.Here,
	}
	ev.Head, ev.BaseTip = ev.Base.Commit, ev.Base.Commit
	place, there := e.TreeOf(&j.Run)
	if j.Run.Here && !there {
		return nil, &TreeError{Run: id, Path: j.Run.Worktree}
	}
	if j.Run.Here {
		ev.Branch, ev.Worktree, ev.Admin, ev.Head = j.Run.Branch, place.WorkTree, site.AdminOf(place), j.Run.Head
	}
	q := start.Request{New: true, Here: j.Run.Here, Hold: true}
	st, err := e.Starting.Begin(ctx, q, ev, p)
	if err != nil {
		return nil, err
	}
	_, err = e.Store.Append(ctx, id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunSuperseded, Text: string(st.Journal.Run.ID)}}, nil
	}})
	if err != nil {
		st.Held.Release()
		return nil, err
	}
	if j.Run.Here {
		st.Path = place.WorkTree
	}
	return st, e.Starting.Equip(ctx, st, p, q)
}

// ReadPlan reads an edited plan file for a run, and records nothing. If the argument "from" names a task, that task must exist in the
// edited plan or in the run. If "from" is empty, a closed run is refused, because only the option --from opens it again.
func (e *Resumer) ReadPlan(ctx context.Context, id checkpoint.RunID, file, from string) (*assess.PlanChange, error) {
	p, data, err := start.ReadPlanFile(file)
	if err != nil {
		return nil, err
	}
	h, err := e.Repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := checkPlanned(&j.Run, p, from); err != nil {
		return nil, err
	}
	if j.Run.Closed() && from == "" {
		return nil, &candidate.ClosedError{ID: id, State: checkpoint.StateOf(&j.Run, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
	}
	out := &assess.PlanChange{Plan: p, Doc: p.Canonical()}
	out.Event = checkpoint.Event{
		Event: checkpoint.RunPlanned, Plan: h.ID("blob", out.Doc), PlanFile: e.Starting.Shorten(file), PlanHash: object.Hasher{}.ID("blob", data),
	}
	old, err := e.Tasks.PlanOf(ctx, &j.Run)
	if err == nil {
		out.Compare(old)
	}
	return out, nil
}

// Replan makes a run follow an edited plan. The user approves the plan's commands by naming its file.
func (e *Resumer) Replan(ctx context.Context, id checkpoint.RunID, p *assess.PlanChange) error {
	release, err := e.Staging.Hold(id)
	if err != nil {
		return err
	}
	defer release()
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	if err := e.Dropping.MayDropHeld(&j.Run); err != nil {
		return err
	}
	_, err = e.followPlan(ctx, id, p, nil)
	return err
}

// followPlan records that a run follows another plan from now on, and approves the plan's commands.
func (e *Resumer) followPlan(ctx context.Context, id checkpoint.RunID, p *assess.PlanChange, claim *journal.Claim) (*journal.Journal, error) {
	j, err := e.Store.Append(ctx, id, journal.Batch{Docs: [][]byte{p.Doc}, Claim: claim, Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if r.Closed() {
			return nil, &candidate.ClosedError{ID: r.ID, State: checkpoint.StateOf(r, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
		}
		return []checkpoint.Event{p.Event}, nil
	}})
	if err != nil {
		return nil, err
	}
	return j, e.Tasks.WriteApproval(id, tasks.CommandsOf(p.Plan), "")
}

// followShownPlan makes the run follow the edited plan that the user was shown, if there is one.
func (m continuation) followShownPlan(ctx context.Context) error {
	if m.a.NewPlan == nil {
		return nil
	}
	return m.noted(m.resumer.followPlan(ctx, m.a.Summary.Run.ID, m.a.NewPlan, &m.owner.Claim))
}

// checkPlanned checks that the task to continue from exists, either in the edited plan or in the run.
func checkPlanned(r *checkpoint.Run, p plan.Plan, from string) error {
	if from == "" {
		return nil
	}
	planned := checkpoint.Run{ID: r.ID}
	for _, t := range p.Tasks {
		planned.Tasks = append(planned.Tasks, checkpoint.Task{ID: checkpoint.TaskID(t.ID)})
	}
	_, err := candidate.NeedTask(&planned, from)
	if err != nil && r.Task(checkpoint.TaskID(from)) != nil {
		return nil
	}
	return err
}
