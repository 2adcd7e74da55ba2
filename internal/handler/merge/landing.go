package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
)

// landing has the methods that find out what a merge did to the base.
type landing struct{ of *mergeAttempt }

// landed returns the event for the merge that git has just made. The event names the commit that the merge put on the base, and the commit
// of the base before the merge.
//
// Somebody else may commit to the base just before git starts, or just after it ends. An undo of the merge must not remove such commits.
// So the two commits are taken from the reflog of the base if possible, or from the parents of the new commit.
func (l landing) landed(ctx context.Context) (checkpoint.Event, error) {
	_, now, err := l.of.tree.Refs.Head(ctx)
	if err != nil {
		return checkpoint.Event{}, err
	}
	within, err := past.IsAncestor(ctx, l.of.tree, l.of.tip, now)
	if err != nil || !within {
		return checkpoint.Event{}, errors.Join(candidate.ErrMoved, err) // somebody has moved the base back meanwhile
	}
	move, ours := l.ownMove(ctx)
	made, before := move.New, move.Old
	if within, err := past.IsAncestor(ctx, l.of.tree, made, now); made == "" || err != nil || !within {
		if made, before, err = l.addedSince(ctx, now); err != nil {
			return checkpoint.Event{}, err
		}
	}
	if made == "" || !ours { // our command did not move the base; for example, somebody else merged the same commits meanwhile
		return checkpoint.Event{Commit: now, Found: true}, nil
	}
	if first, ok := l.firstParent(ctx, made); ok {
		before = first
	}
	if before == "" {
		before = l.of.before
	}
	event := checkpoint.Event{Commit: made, BaseTip: before}
	if l.of.request.Squash {
		event.Text = squashed
	}
	return event, nil
}

// firstParent returns the first parent of a merge commit that joins the base and the run. It returns false if there is no such commit,
// for example after a fast-forward.
func (l landing) firstParent(ctx context.Context, made object.ID) (object.ID, bool) {
	c, err := l.of.tree.Objects.Commit(ctx, string(made))
	if err != nil || made == l.of.tip || len(c.Parents) != 2 {
		return "", false
	}
	within, err := past.IsAncestor(ctx, l.of.tree, l.of.tip, c.Parents[0])
	return c.Parents[0], err == nil && !within
}

// addedSince finds the merge of the run among the commits that the base got after we read it. It also returns the commit before the merge.
// Both results are "" if none of these commits is the merge.
func (l landing) addedSince(ctx context.Context, now object.ID) (made, before object.ID, err error) {
	list, err := l.of.tree.Line(ctx, "rev-list", "--first-parent", "--parents", string(now), "^"+string(l.of.before))
	if err != nil {
		return "", "", fmt.Errorf("find the merge on the base: %w", err)
	}
	for line := range strings.Lines(list) {
		ids := strings.Fields(line)
		switch {
		case len(ids) == 3 && object.ID(ids[2]) == l.of.tip:
			return object.ID(ids[0]), object.ID(ids[1]), nil
		case object.ID(ids[0]) == l.of.tip:
			return l.of.tip, l.of.before, nil
		}
	}
	return "", "", nil
}

// ownMove finds in the reflog how this merge moved the base. If a post-merge hook has committed something, the move includes that commit.
// The result "ours" is false if the reflog shows no move by this merge. Without a reflog, the move is empty and "ours" is true.
func (l landing) ownMove(ctx context.Context) (move refs.Move, ours bool) {
	moves, err := l.of.tree.Refs.Log(ctx, refs.Branch(l.of.run.Base.Name))
	if err != nil || len(moves) == 0 {
		return refs.Move{}, true
	}
	end := slices.IndexFunc(moves, func(move refs.Move) bool { return move.New == l.of.before })
	known := end >= 0 // false if the reflog does not contain the commit at which the base was before the merge
	if !known {
		end = len(moves)
	}
	for _, older := range moves[:end] {
		switch {
		case !l.isOurs(older) && move.New != "":
			return move, true
		case !l.isOurs(older):
			continue
		case move.New == "":
			move.New = older.New
		}
		if move.Old = ""; known {
			move.Old = older.Old
		}
	}
	return move, move.New != ""
}

// isOurs reports whether an entry in the reflog of the base says that a merge of this run moved the base.
func (l landing) isOurs(move refs.Move) bool {
	return strings.HasPrefix(move.Message, l.of.reflogAction()+": ") && move.Old != move.New
}
