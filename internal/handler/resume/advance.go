package resume

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// ErrTaken says that a run was taken over and belongs to us now. It must be assessed again before it continues.
var ErrTaken = errors.New("the run was taken over")

// approveTip allows the run's commands to run on commits from another clone. The user has seen these commits. It returns ErrMoved if there
// are newer commits.
func (e *Resumer) approveTip(ctx context.Context, a *assess.Assessment) error {
	strange, err := e.Tasks.StrangeCommits(ctx, &a.Summary.Run)
	if err != nil || len(strange) == 0 {
		return err
	}
	if strange[0].ID != a.Seen.Branch {
		return candidate.ErrMoved
	}
	return e.Tasks.WriteApproval(a.Summary.Run.ID, tasks.CommandsOf(a.Plan), strange[0].ID)
}

// Advance continues a run as the user or the program has decided. It claims the run, checks that nothing has changed, and repairs the
// worktree. Then it executes the tasks or hands the run over to a tool. If the run is from another clone, Advance only takes it over,
// and returns ErrTaken.
func (e *Resumer) Advance(ctx context.Context, a *assess.Assessment, c Choice) (*Advanced, error) {
	if a.Summary.Found != nil {
		return e.advanceForeign(ctx, a, c)
	}
	if err := e.Judge.Renew(ctx, a); err != nil {
		return nil, err
	}
	if a.Has(candidate.FindElsewhere, candidate.FindLinesMissing) {
		if _, err := e.Taking.TakeOver(ctx, &a.Summary.Run, a.Seen.Branch); err != nil {
			return nil, err
		}
		return nil, ErrTaken
	}
	if a.Has(candidate.FindCommits) {
		if err := e.approveTip(ctx, a); err != nil {
			return nil, err
		}
	}
	id := a.Summary.Run.ID
	owner, err := e.Executing.claim(ctx, id, nil)
	if err != nil {
		return nil, err
	}
	e.Staging.Tidy(ctx)
	m := continuation{&continuing{Site: e.Site, resumer: e, a: a, c: c, owner: owner}}
	out, err := m.move(ctx)
	if err != nil || out.Executed == nil {
		owner.Release()
	}
	if errors.Is(err, execution.ErrPaused) { // somebody paused the run while it was prepared
		out.Executed, err = e.Executing.neverBegun(ctx, id)
	}
	return out, err
}

// continuation continues one of our own runs.
type continuation struct{ *continuing }

func (m continuation) move(ctx context.Context) (*Advanced, error) {
	u := updater(m)
	for _, step := range []func(context.Context) error{
		m.checkUnchanged, m.followShownPlan, m.repairWorktree, bringing(m).put, u.noteUpdated, u.uncommitShelved, m.noteByHand,
		m.cleanForTask, m.settleFirst, u.update, m.recordFound, m.choose, m.record,
	} {
		if err := step(ctx); err != nil {
			return &m.out, err
		}
	}
	point := tasks.Next(m.a.Plan, &m.out.Journal.Run, nil)
	works, err := m.works(ctx, point.Kind)
	if err != nil {
		return &m.out, err
	}
	if !works {
		if done, err := m.handOff(ctx); done || err != nil {
			return &m.out, err
		}
		return &m.out, m.releaseWorker(ctx)
	}
	m.c.Execute.Owner = m.owner
	x, err := m.resumer.Executing.Execute(ctx, m.a.Summary.Run.ID, m.c.Execute)
	m.out.Executed = x
	if x != nil {
		m.out.Journal = x.Journal
	}
	return &m.out, err
}

// works reports whether git-resume can do the next step of a run itself, for example run a command or the setup, ask a question, end the
// run, or start the user's tool for several tasks at the same time.
func (m continuation) works(ctx context.Context, kind tasks.StepKind) (bool, error) {
	r := &m.out.Journal.Run
	if kind == tasks.StepRun || kind == tasks.StepAsk || kind == tasks.StepFinish || setupDue(m.a.Plan, r) {
		return true, nil
	}
	if kind != tasks.StepReport || m.c.Execute.Tool == nil || len(m.a.Plan.Tasks) == 0 {
		return false, nil
	}
	jobs, err := m.resumer.Executing.Jobs(ctx, r, m.a.Plan, m.c.Execute.Jobs)
	return jobs > 1, err
}

// checkUnchanged returns ErrMoved if the journal, the branch, the base or the uncommitted files have changed since the decision.
func (m continuation) checkUnchanged(ctx context.Context) error {
	j, err := m.Store.Load(ctx, m.a.Summary.Run.ID)
	if err != nil {
		return err
	}
	m.out.Journal, m.out.Path = j, m.a.Tree.Path
	if m.a.Renamed != "" {
		j.Run.Branch = m.a.Renamed
	}
	if j.Run.Events != m.a.Seen.Events+1 { // our own claim has added one event
		return candidate.ErrMoved
	}
	tip, err := m.Store.History().BranchTip(ctx, &j.Run)
	if err != nil {
		return err
	}
	if tip != m.a.Seen.Branch {
		return candidate.ErrMoved
	}
	if m.a.Seen.Base != "" {
		if now, err := m.Repo.Refs.Ref(ctx, refs.Branch(j.Run.Base.Name)); err != nil || now != m.a.Seen.Base {
			return errors.Join(candidate.ErrMoved, err)
		}
	}
	return m.completeSnapshot(ctx)
}

// completeSnapshot saves the uncommitted files once more before the run continues. It returns ErrMoved if they are not the same as when
// the user was asked.
func (m continuation) completeSnapshot(ctx context.Context) error {
	place, ok := m.TreeOf(&m.out.Journal.Run)
	if m.a.Tree.Health == worktree.Moved {
		var err error
		if place, err = assess.MovedPlace(m.a.Tree); err != nil {
			return errors.Join(candidate.ErrMoved, err)
		}
		ok = true
	}
	if !m.a.Seen.Saved || !ok {
		return nil
	}
	return m.sameUncommitted(ctx, place, m.a.Summary.Run.ID)
}

// repairWorktree carries out the repair steps that the assessment has planned.
func (m continuation) repairWorktree(ctx context.Context) error {
	r := &m.out.Journal.Run
	steps, tip := m.a.Repairs, r.Head
	if m.a.Redoable(m.c.From) {
		steps, tip = append([]assess.Repair{assess.RepairBranch}, steps...), m.a.Survivor
	}
	for _, step := range steps {
		var err error
		switch step {
		case assess.RepairBranch:
			err = m.Repo.Refs.Update(ctx, refs.Update{Ref: r.Branch, New: tip, Message: "git-resume: bring back"})
		case assess.RepairFollow:
			err = m.recordBranchName(ctx)
		case assess.RepairRegistration:
			var t worktree.Tree
			t, err = worktree.Repair(ctx, m.Repo, m.a.Tree)
			m.out.Path = t.Path
		case assess.RepairRecreate:
			err = m.recreate(ctx)
		case assess.RepairReturn:
			err = m.returnToBranch(ctx)
		case assess.RepairUpdate:
			err = updater(m).finishUpdate(ctx)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step, err)
		}
		m.out.Repaired = append(m.out.Repaired, step)
	}
	return nil
}

// returnToBranch puts the run's worktree on its branch again, after an interruption while several tasks worked at the same time.
func (m continuation) returnToBranch(ctx context.Context) error {
	tree, err := m.workTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	return crew.PoolOf(m.resumer.Staging).ReturnToBranch(ctx, tree, &m.out.Journal.Run)
}

func (m continuation) recreate(ctx context.Context) error {
	st := &staging.Started{Journal: m.out.Journal}
	if err := m.resumer.Staging.Stage(ctx, st); err != nil {
		return err
	}
	m.out.Journal, m.out.Path = st.Journal, st.Path
	return nil
}

// recordFound records results that are missing from the journal. Otherwise the next worker would do these tasks again.
func (m continuation) recordFound(ctx context.Context) error {
	landed, err := m.Store.History().Landed(ctx, &m.out.Journal.Run)
	if err != nil {
		return err
	}
	if len(landed) == 0 {
		return nil
	}
	return m.noted(m.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return tasks.FoundEvents(r, landed, ""), nil
	}))
}

// record writes to the journal that the run continues, from which task, and why this was considered safe.
func (m continuation) record(ctx context.Context) error {
	ev := checkpoint.Event{
		Event: checkpoint.RunResumed, Task: m.firstTask(), Verdict: string(m.a.Verdict),
		Reasons: shortenReasons(m.c.Reasons), Silent: int64(m.a.Silent.Seconds()), Text: string(m.c.Mode),
		BaseTip: m.a.Seen.Base, Tree: m.mergedState.Tree, Head: m.head, Heard: m.out.Journal.Run.HeardSum(),
		Standing: m.a.Standing(),
	}
	if m.out.Journal.Run.Paused {
		ev.Cause = checkpoint.EndedPause
	}
	execution.Record(&ev, m.mergedState)
	return m.noted(m.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if r.Paused && !m.a.Summary.Run.Paused {
			return nil, execution.ErrPaused // the user has not seen this pause, so this event must not end it
		}
		return []checkpoint.Event{ev}, nil
	}))
}

// firstTask returns the task at which the run continues: usually the task of the next step. If the next step does not run a task and a task
// is already started, it returns the started task, even if an earlier task is open.
func (m continuation) firstTask() checkpoint.TaskID {
	point := tasks.Next(m.a.Plan, &m.out.Journal.Run, nil)
	if _, t := m.out.Journal.Run.Current(); t != nil && t.State == checkpoint.Active && point.Kind != tasks.StepRun {
		return t.ID
	}
	return checkpoint.TaskID(point.Task.ID)
}

// shortenReasons shortens the reasons and limits their number, so that they fit into a line of the journal.
func shortenReasons(reasons []string) []string {
	const most, long = 20, 300
	out := make([]string, 0, min(len(reasons), most))
	for _, r := range reasons[:min(len(reasons), most)] {
		if len(r) > long {
			r = strings.ToValidUTF8(r[:long], "")
		}
		out = append(out, r)
	}
	return out
}

// releaseWorker records that the run has no worker now. It does nothing if the last worker is dead, or if this process is a descendant
// of that worker. The next process that reports a task becomes the worker. This process does not become the worker: perhaps a person
// only wants to see the state of the run.
func (m continuation) releaseWorker(ctx context.Context) error {
	return m.noted(m.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return m.resumer.Reporting.LetGoEvents(r), nil
	}))
}

// recordBranchName records the new name of the run's branch.
func (m continuation) recordBranchName(ctx context.Context) error {
	return m.note(ctx, checkpoint.Event{Event: checkpoint.RunRenamed, Branch: m.a.Renamed})
}
