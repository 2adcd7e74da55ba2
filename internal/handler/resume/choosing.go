package resume

import (
	"context"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// choose records what the options --from and --skip ask for.
func (m continuation) choose(ctx context.Context) error {
	r := &m.out.Journal.Run
	switch {
	case m.c.From != "":
		t, err := candidate.NeedTask(r, m.c.From)
		if err != nil {
			return err
		}
		return m.recordChoice(ctx, resetsFrom(r, t.ID))
	case m.c.Skip:
		return m.skip(ctx)
	}
	return nil
}

// recordChoice records events that a person asked for.
func (m continuation) recordChoice(ctx context.Context, events []checkpoint.Event) error {
	if len(events) == 0 {
		return nil
	}
	return m.noted(m.owner.AppendAsked(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil }))
}

// resetsFrom returns events that reopen a task and every later task that is not pending.
func resetsFrom(r *checkpoint.Run, from checkpoint.TaskID) []checkpoint.Event {
	var out []checkpoint.Event
	i := slices.IndexFunc(r.Tasks, func(t checkpoint.Task) bool { return t.ID == from })
	for _, t := range r.Tasks[max(i, 0):] {
		if t.State != checkpoint.Pending {
			out = append(out, checkpoint.Event{Event: checkpoint.TaskReset, Task: t.ID, Attempt: t.Attempt, Text: "from " + string(from)})
		}
	}
	return out
}

// skip records that the current task is skipped. It returns ErrMoved if the current task is not the one that the user was shown.
func (m continuation) skip(ctx context.Context) error {
	t := currentBy(m.a.Plan, m.out.Journal.Run)
	if t == nil {
		return nil
	}
	if m.c.SkipTask != "" && t.ID != m.c.SkipTask {
		return candidate.ErrMoved
	}
	if err := m.resumer.Executing.noteAsked(m.out.Journal.Run.ID, FlagSkip, t.ID); err != nil {
		return err
	}
	return m.recordChoice(ctx, []checkpoint.Event{{Event: checkpoint.TaskSkipped, Task: t.ID, Attempt: t.Attempt}})
}

// currentBy returns the current task of a run, or nil. It uses the plan, as the assessment does.
func currentBy(p plan.Plan, r checkpoint.Run) *checkpoint.Task {
	tasks.PointToNext(p, &r)
	_, t := r.Current()
	return t
}

// cleanForTask cleans the worktree before the base is merged. It does so for --from, and if a task is skipped that left files there.
// Leftover files could block the merge or get into the next task's commit.
func (m continuation) cleanForTask(ctx context.Context) error {
	r := &m.out.Journal.Run
	if m.c.From != "" {
		if _, err := candidate.NeedTask(r, m.c.From); err != nil {
			return err
		}
		return m.setAside(ctx, r)
	}
	t := currentBy(m.a.Plan, m.out.Journal.Run)
	if !m.c.Skip || t == nil {
		return nil
	}
	left := tasks.LeftBy(m.a.Plan, r, "")
	if t.State == checkpoint.Active && tasks.SpecOf(m.a.Plan, t.ID).Run != "" || left != nil && left.ID == t.ID {
		return m.setAside(ctx, r)
	}
	return nil
}

// setAside cleans the worktree for a task that is redone or skipped, after saving the uncommitted work in a snapshot. If something cannot
// be saved, it returns a *staging.UnsavedError. The user's own worktree, and files that were changed by hand, stay as they are.
func (m continuation) setAside(ctx context.Context, r *checkpoint.Run) error {
	place, ok := m.TreeOf(r)
	if r.Here || !ok {
		return nil
	}
	tree := m.Repo.At(place)
	defer tree.Close()
	l, err := m.resumer.Staging.LeftoversOf(ctx, tree, r, leftBy(m.a, m.c, r), m.c.Execute.ByHand)
	if err != nil {
		return err
	}
	err = l.SetAside(ctx, "set aside", func(s staging.SetAside) error {
		m.a.Snapshot, m.out.Cleared = s.Saved, true
		if m.c.Execute.Watch != nil {
			m.c.Execute.Watch.SetAside(s)
		}
		return nil
	})
	if len(l.Hand) > 0 {
		m.c.Execute.ByHand = l.Hand
	}
	return err
}

// leftBy returns the task whose uncommitted files are set aside: the interrupted task, or with --skip and --from also another task that ended
// without a result. It returns nil if there is none.
func leftBy(a *assess.Assessment, c Choice, r *checkpoint.Run) *checkpoint.Task {
	if t := assess.StoppedTask(r); t != nil || !c.Skip && c.From == "" {
		return t
	}
	return tasks.LeftBy(a.Plan, r, "")
}

// settleFirst decides about an interrupted task before the base is merged in.
// Afterwards the task's own changes could not be distinguished from changes of the base.
func (m continuation) settleFirst(ctx context.Context) error {
	r := &m.out.Journal.Run
	if !m.c.Update || r.Base.Name == "" || m.c.From != "" || m.c.Skip || setupDue(m.a.Plan, r) || len(tasks.CommandsOf(m.a.Plan)) == 0 {
		return nil
	}
	q := m.c.Execute
	q.Owner = m.owner
	out, why, err := m.resumer.Executing.settleOnly(ctx, r.ID, q)
	if out == nil {
		return err
	}
	m.out.Journal, m.c.Execute.Settled = out.Journal, why
	m.out.Unadded = append(m.out.Unadded, out.Unadded...)
	return err
}

// noteByHand stores which files were changed by hand since a task stopped. It runs before the worktree is cleaned.
func (m continuation) noteByHand(ctx context.Context) error {
	r := &m.out.Journal.Run
	left := leftBy(m.a, m.c, r)
	if left == nil {
		return nil
	}
	tree, err := m.workTree()
	if err != nil {
		return nil // a later step that needs the worktree returns this error
	}
	defer tree.Close()
	m.c.Execute.ByHand, err = assess.HandEditsSince(ctx, tree, r, left)
	return err
}
