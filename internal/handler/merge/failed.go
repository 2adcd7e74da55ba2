package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
)

// describeFailure returns an error that describes what git left in the worktree when it refused to merge or failed. If no merge of this run
// is in progress, describeFailure first restores the files that the failed merge has changed. Git writes files before the index. If it cannot
// write the index, for example because the disk is full, it leaves the files.
func (m *mergeAttempt) describeFailure(ctx context.Context) error {
	if ongoing.OperationIn(m.tree) == ongoing.Merge && !m.others {
		m.mover.End()
		unmerged, err := m.tree.Line(ctx, "ls-files", "-u")
		return errors.Join(err, m.fault(func(e *StoppedError) {
			e.Half = unmerged != ""
			e.Uncommitted = !e.Half
		}))
	}
	_, head, err := m.tree.Refs.Head(ctx)
	if err != nil {
		return err
	}
	if head == m.before {
		_, err = m.mover.SetBack(ctx, head)
	} else {
		err = m.catchUp(ctx, head)
	}
	if err != nil {
		m.said.WriteString("\n" + err.Error())
	}
	now, err := m.tree.Status(ctx)
	if err != nil {
		return err
	}
	left := changedPaths(now, m.status)
	if len(left) == 0 && len(m.unsure) == 0 { // otherwise the note stays, so that the next merge can restore these files
		m.mover.End()
	}
	return m.fault(func(e *StoppedError) { e.Left = left })
}

func changedPaths(now, before []gitstate.Change) []string {
	var out []string
	for _, c := range now {
		if !slices.Contains(before, c) {
			out = append(out, c.Path)
		}
	}
	for _, c := range before {
		if !slices.Contains(now, c) && !slices.Contains(out, c.Path) {
			out = append(out, c.Path)
		}
	}
	return out
}

// catchUp updates the index and the files if somebody else has moved the base while git merged, and git then reset the index to the old
// commit. Otherwise the next commit would revert what the base has got meanwhile. The argument "now" is the new commit of the base.
func (m *mergeAttempt) catchUp(ctx context.Context, now object.ID) error {
	deltas, err := past.Changed(ctx, m.tree, m.before, now)
	if err != nil {
		return err
	}
	changes, err := m.tree.Status(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(deltas, func(d past.Delta) bool {
		return slices.ContainsFunc(changes, func(c gitstate.Change) bool { return c.Path == d.Path && c.Staged() && c.IndexID == d.Old.ID })
	}) {
		return nil
	}
	read := func(args ...string) error {
		_, err := m.tree.Git(ctx, process.Call{Args: append(append([]string{"read-tree", "-m"}, args...), string(m.before), string(now)), Mode: process.Write, Locks: m.mover.Locks})
		return err
	}
	if read("-u") == nil {
		return nil
	}
	return read("-i") // a file differs from the old commit, so the files stay as they are, but the index must not be older than HEAD
}
