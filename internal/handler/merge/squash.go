package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
)

// OldGitError says that this git cannot squash a run whose base has moved on, because it cannot merge without a worktree.
type OldGitError struct {
	Run  checkpoint.RunID
	Base string
	// Path is the run's worktree; empty if it has none.
	Path string
}

func (e *OldGitError) Error() string {
	return fmt.Sprintf("%s has commits that run '%s' does not have, so a squash needs git 2.38 or newer", e.Base, e.Run)
}

// reflogAction is what the reflog of the base says about a merge of this run. After a kill, it shows that we moved the base.
func (m *mergeAttempt) reflogAction() string { return quote.Command("git resume merge %s", m.run.ID) }

// unrecorded finds a merge of the commit m.tip that moved the base but was killed before the journal said so. It returns false if there is
// none. A killed process can leave an entry in the reflog although the base did not move. So unrecorded also checks that the base contains
// the commit.
func (m *mergeAttempt) unrecorded(ctx context.Context) (event checkpoint.Event, ok bool) {
	moves, err := m.tree.Refs.Log(ctx, refs.Branch(m.run.Base.Name))
	if err != nil {
		return event, false
	}
	for _, move := range moves {
		if !(landing{m}).isOurs(move) || move.Old == "" || !m.inBase(ctx, move.New) {
			continue
		}
		if slices.ContainsFunc(m.earlier, func(e checkpoint.Event) bool { return e.Commit == move.New }) {
			return event, false
		}
		event = checkpoint.Event{Commit: move.New, BaseTip: move.Old}
		if within, err := past.IsAncestor(ctx, m.tree, m.tip, move.New); err == nil && within {
			return event, true
		}
		if event.Text = squashed; m.isSquash(ctx, move) {
			return event, true
		}
		m.noteSquash(ctx, move, event)
		return event, false
	}
	return event, false
}

// maxSquashed limits how many commits of a run are compared with a squash.
const maxSquashed = 100

// noteSquash adds a squash to m.earlier that was killed before the journal said so, if the run has got more commits since. Otherwise the
// changes that the squash brought to the base would conflict with themselves.
func (m *mergeAttempt) noteSquash(ctx context.Context, move refs.Move, event checkpoint.Event) {
	list, err := m.tree.Line(ctx, "rev-list", "--first-parent", fmt.Sprint("--max-count=", maxSquashed), string(m.tip), "^"+string(move.Old), "--")
	if err != nil {
		return // at worst, the merge is refused because of the conflicts
	}
	for id := range strings.FieldsSeq(list) {
		part := *m
		if part.tip = object.ID(id); part.isSquash(ctx, move) {
			event.Merged = part.tip
			m.earlier = append(m.earlier, event)
			return
		}
	}
}

// isSquash reports whether a move of the base added a squash of the commit m.tip.
func (m *mergeAttempt) isSquash(ctx context.Context, move refs.Move) bool {
	c, err := m.tree.Objects.Commit(ctx, string(move.New))
	if err != nil || len(c.Parents) != 1 || c.Parents[0] != move.Old {
		return false
	}
	made, err := squashing{m}.squashTree(ctx, move.Old, false)
	return err == nil && made == c.Tree
}

// squashing has the methods that make the commit of a squash.
type squashing struct{ of *mergeAttempt }

// writeSquash writes the commit of a squash. It moves no branch. It returns "" if there is nothing to commit, and an error if the commit
// could not be signed.
func (s squashing) writeSquash(ctx context.Context, q commit.Request) (object.ID, error) {
	tree, err := s.squashTree(ctx, s.of.before, true)
	if err != nil {
		return "", err
	}
	base, err := s.of.tree.Objects.Commit(ctx, string(s.of.before))
	if err != nil || base.Tree == tree {
		return "", err
	}
	made, err := commit.Write(ctx, s.of.tree, q, tree, s.of.before)
	if err == nil && made.Unsigned != "" {
		err = &candidate.TextError{What: "the commit of the squash", Why: "could not be signed: " + made.Unsigned}
	}
	return made.ID, err
}

// squashTree merges the run's commit into a commit of the base and returns the resulting tree. If the argument "write" is true, the tree is
// written to the repository.
func (s squashing) squashTree(ctx context.Context, base object.ID, write bool) (object.ID, error) {
	ours, theirs, err := s.sides(ctx, base)
	if err != nil {
		return "", err
	}
	if bases, err := past.MergeBases(ctx, s.of.tree, ours.id, theirs); err == nil && len(bases) == 1 && bases[0] == ours.id {
		c, err := s.of.tree.Objects.Commit(ctx, string(s.of.tip))
		return c.Tree, err
	}
	store, err := past.NewScratch(s.of.tree)
	if err != nil {
		return "", err
	}
	defer store.Close()
	joined := ours.id
	if ours.earlier != "" {
		if joined, err = store.MakeCommit(ctx, ours.tree, ours.id, ours.earlier); err != nil {
			return "", err
		}
	}
	made, err := store.Merge(ctx, string(joined), string(theirs))
	switch {
	case errors.Is(err, past.ErrNoMergeTree):
		return "", &OldGitError{Run: s.of.run.ID, Base: s.of.run.Base.Name, Path: s.of.path}
	case err != nil:
		return "", err
	case !made.Clean:
		return "", s.conflicting(made)
	case !write:
		return made.Tree, nil
	}
	return s.writeMerged(ctx, ours, theirs)
}

// side describes the base for a squash: its commit and its tree. If an earlier squash has brought commits of the run into the base,
// "earlier" is the last of these commits.
type side struct{ id, tree, earlier object.ID }

// sides returns the two commits to merge. After an earlier squash, the base has the changes of some of the run's commits, but not these
// commits themselves. So git would merge the changes a second time and find conflicts. To prevent this, ours.earlier names the last of
// these commits, and the merge is made as if it were a second parent of the base.
func (s squashing) sides(ctx context.Context, base object.ID) (ours side, theirs object.ID, err error) {
	c, err := s.of.tree.Objects.Commit(ctx, string(base))
	if err != nil {
		return side{}, "", err
	}
	ours = side{id: base, tree: c.Tree}
	for _, e := range s.of.earlier {
		if e.Text != squashed || e.Merged == "" {
			continue
		}
		within, err := past.IsAncestor(ctx, s.of.tree, e.Merged, s.of.tip)
		below, err2 := past.IsAncestor(ctx, s.of.tree, e.Commit, base)
		known, err3 := past.IsAncestor(ctx, s.of.tree, e.Commit, s.of.tip) // true if the run's branch contains the earlier squash, for example because the base was merged into the run
		if errors.Join(err, err2, err3) == nil && within && below && !known {
			ours.earlier = e.Merged
		}
	}
	return ours, s.of.tip, nil
}

// writeMerged merges again, with all objects written to the repository.
func (s squashing) writeMerged(ctx context.Context, ours side, theirs object.ID) (object.ID, error) {
	call := func(args ...string) (object.ID, error) {
		out, err := s.of.tree.Git(ctx, process.Call{Args: args, Mode: process.Write, Stdin: strings.NewReader("squash\n")})
		id, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return object.ID(id), err
	}
	joined := ours.id
	if ours.earlier != "" {
		var err error
		if joined, err = call("commit-tree", "--no-gpg-sign", string(ours.tree), "-p", string(ours.id), "-p", string(ours.earlier)); err != nil {
			return "", fmt.Errorf("squash the run: %w", err)
		}
	}
	tree, err := call("merge-tree", "--write-tree", string(joined), string(theirs))
	if err != nil {
		return "", fmt.Errorf("squash the run: %w", err)
	}
	return tree, nil
}

func (s squashing) conflicting(made past.Merged) error {
	return &ConflictsError{Run: s.of.run.ID, Base: s.of.run.Base.Name, Path: s.of.path, Files: made.Paths(), Squash: true}
}

// isOutdated reports whether the base has moved since the commit of a squash was written. Then git cannot fast-forward to that commit.
func (s squashing) isOutdated(ctx context.Context) bool {
	_, now, err := s.of.tree.Refs.Head(ctx)
	return err == nil && s.of.request.Squash && now != s.of.before
}
