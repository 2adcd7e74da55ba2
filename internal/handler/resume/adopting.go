package resume

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// advanceForeign continues another system's work as the user decided. It adopts the work as a run, and creates a missing worktree. Then it
// updates the other system's files, and starts the tool that the user has configured for such work, if any.
func (e *Resumer) advanceForeign(ctx context.Context, a *assess.Assessment, c Choice) (*Advanced, error) {
	j, err := e.Adopt.Adopt(ctx, &a.Summary)
	if err != nil {
		return nil, err
	}
	owner, err := e.Executing.claim(ctx, j.Run.ID, nil)
	if err != nil {
		return nil, err
	}
	defer owner.Release()
	m := adopting{&continuing{Site: e.Site, resumer: e, a: a, c: c, owner: owner}}
	m.out.Journal, m.out.Path = j, a.Tree.Path
	for _, step := range []func(context.Context) error{m.checkUnchanged, m.findTree, m.makeTree, m.updateSystem, m.record} {
		if err := step(ctx); err != nil {
			return &m.out, err
		}
	}
	_, err = m.handOff(ctx)
	return &m.out, err
}

// adopting continues another system's work.
type adopting struct{ *continuing }

// checkUnchanged returns ErrMoved if the other system's work, its branch or its saved uncommitted files changed while the user was asked.
func (m adopting) checkUnchanged(ctx context.Context) error {
	now, err := m.resumer.Find.Lookup(ctx, candidate.FoundKey(m.a.Summary.Found))
	if err != nil {
		return errors.Join(candidate.ErrMoved, err)
	}
	if adopt.Fingerprint(now.Found) != m.a.Seen.Found {
		return candidate.ErrMoved
	}
	if m.a.Seen.Branch != "" {
		if tip, err := m.Repo.Refs.Ref(ctx, m.a.Summary.Found.Branch); err != nil || tip != m.a.Seen.Branch {
			return errors.Join(candidate.ErrMoved, err)
		}
	}
	if !m.a.Seen.Saved {
		return nil
	}
	place, err := locate.Find(m.a.Tree.Path, nil)
	if m.a.Tree.Health == worktree.Moved {
		place, err = assess.MovedPlace(m.a.Tree)
	}
	if err != nil {
		return err
	}
	return m.sameUncommitted(ctx, place, m.out.Journal.Run.ID)
}

// findTree repairs git's registration of a worktree that was moved, if the assessment asks for that. It then looks for the other
// system's work again. If this work is not the same as the user was shown, findTree returns ErrMoved.
func (m adopting) findTree(ctx context.Context) error {
	if !slices.Contains(m.a.Repairs, assess.RepairRegistration) {
		return nil
	}
	t, err := worktree.Repair(ctx, m.Repo, m.a.Tree)
	if err != nil {
		return err
	}
	m.out.Path = t.Path
	m.out.Repaired = append(m.out.Repaired, assess.RepairRegistration)
	before := m.a.Summary.Found
	now, err := m.resumer.Find.Lookup(ctx, candidate.FoundKey(before))
	if err != nil {
		return errors.Join(candidate.ErrMoved, err)
	}
	same := func(f *sources.Found) string {
		return adopt.Fingerprint(&sources.Found{Tasks: f.Tasks, Point: f.Point, State: f.State})
	}
	if now.Found == nil || same(now.Found) != same(before) {
		return candidate.ErrMoved
	}
	m.a.Summary.Found = now.Found
	if err := m.resumer.Adopt.MarkAdopted(now.Found, m.out.Journal.Run.ID); err != nil {
		return err
	}
	place, ok := m.resumer.Adopt.RegisteredAt(t.Path)
	if !ok {
		return nil
	}
	return m.note(ctx, checkpoint.Event{Event: checkpoint.TreeReady, Worktree: place.WorkTree, Admin: site.AdminOf(place)})
}

// createdWorktree reports whether this continuation created the worktree.
func (m adopting) createdWorktree() bool {
	return slices.Contains(m.out.Repaired, assess.RepairMake) || slices.Contains(m.out.Repaired, assess.RepairRecreate)
}

// makeTree creates the missing worktree, if the assessment planned that. It also creates the branch if that is missing too.
func (m adopting) makeTree(ctx context.Context) error {
	f := m.a.Summary.Found
	for _, step := range m.a.Repairs {
		if step != assess.RepairRecreate && step != assess.RepairMake {
			continue
		}
		at := f.Start
		if m.a.Seen.Branch != "" {
			at = ""
		} else if at == "" {
			at = m.out.Journal.Run.Base.Commit
		}
		made, err := worktree.Create(ctx, m.Repo, worktree.CreateRequest{
			Run: string(m.out.Journal.Run.ID), Branch: refs.Short(f.Branch), At: at, Path: m.a.Tree.Path, Now: m.Now,
		})
		if err != nil {
			return err
		}
		// Unlock the worktree, because the other system must be able to remove it. Only a worktree of our own stays locked, until its run ends.
		if err := worktree.Unlock(made.Tree, string(m.out.Journal.Run.ID)); err != nil {
			return err
		}
		m.out.Path = made.Tree.Path
		m.out.Repaired = append(m.out.Repaired, step)
	}
	return nil
}

// updateSystem changes the other system's files for the chosen action. If we created a worktree, it writes a record even if no file
// changes, because an undo needs the record to find the worktree.
func (m adopting) updateSystem(ctx context.Context) error {
	w := m.c.Foreign
	if w.Name == "" {
		w.Name = sources.Continue
	}
	changes, err := m.resumer.Adopt.ChangesFor(ctx, m.a.Summary.Found, w)
	if err != nil || len(changes) == 0 && !m.createdWorktree() {
		return err
	}
	m.recordedForeignAct = true
	m.out.Changed = changes
	j, err := m.resumer.Adopt.Act(ctx, &m.a.Summary, m.out.Journal.Run.ID, w, changes, m.owner.Append)
	if j != nil {
		m.out.Journal = j
	}
	return err
}

func (m adopting) record(ctx context.Context) error {
	f := m.a.Summary.Found
	ev := checkpoint.Event{
		Event: checkpoint.RunResumed, Task: checkpoint.TaskID(f.Point.Task), Verdict: string(m.a.Verdict),
		Reasons: append(shortenReasons(m.c.Reasons), adopt.ResumeFacts(f)...), Silent: int64(m.a.Silent.Seconds()), Text: string(m.c.Mode),
		BaseTip: m.a.Seen.Base, Head: m.a.Seen.Branch, Standing: m.a.Standing(),
	}
	if m.resumer.HandsOff(ctx, m.a) {
		ev.Name = checkpoint.ToTool
	}
	if place, ok := m.resumer.Adopt.RegisteredAt(m.out.Path); ok && m.createdWorktree() { // record the new worktree, so that an undo can remove it
		ev.Worktree, ev.Admin = place.WorkTree, site.AdminOf(place)
	}
	if ev.Name == "" && ev.Worktree == "" && !m.recordedForeignAct { // no files were changed and no worktree was made, so an undo only has to cancel this event
		ev.Cause = checkpoint.HandedOver
	}
	return m.note(ctx, ev)
}
