package assess

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// treeChecks examines the worktree in which the work will continue.
type treeChecks struct{ *assessor }

// tree examines the run's worktree. Each problem that can be repaired is added to the repairs.
func (x treeChecks) tree(ctx context.Context) error {
	r := x.run()
	if r.Here {
		if place, ok := x.TreeOf(r); ok {
			x.repo = x.Repo.At(place)
			x.a.Tree = worktree.Tree{Path: place.WorkTree, Admin: place.GitDir, Health: worktree.Usable, Operation: ongoing.OperationIn(x.repo)}
		}
		return x.here(ctx)
	}
	if r.Admin == "" && !r.Rebuilt && x.a.Summary.Life.Held() {
		x.addFinding(candidate.TreeBeingMade, candidate.Info, candidate.Facts{})
		return x.newPlace(ctx)
	}
	if r.Admin == "" && !r.Rebuilt {
		why := candidate.TreeNotReady
		if r.Accepted != "" || !r.Ours() {
			why = candidate.TreeNoneHere
		}
		x.addFinding(why, candidate.Info, candidate.Facts{})
		x.a.Repairs = append(x.a.Repairs, RepairRecreate)
		return x.newPlace(ctx)
	}
	gone := candidate.TreeFolderGone
	t, err := x.judge.Staging.Registered(ctx, r)
	if err != nil {
		return err
	}
	switch x.a.Tree = t; {
	case r.Rebuilt || !r.Ours():
		gone = candidate.TreeNoneHere
	case t.Health == worktree.Incomplete:
		gone = candidate.TreeIncomplete
	}
	switch t.Health {
	case worktree.Missing, worktree.Incomplete:
		x.addFinding(gone, candidate.Info, candidate.Facts{Saved: x.savedBefore(ctx)})
		x.a.Repairs = append(x.a.Repairs, RepairRecreate)
		x.mayPlace(t.Path)
		return nil
	case worktree.Moved:
		return x.movedTree(t)
	case worktree.Plain, worktree.Foreign:
		why := candidate.TreeNotItsOwn
		if t.Taken {
			why = candidate.TreeTaken
		}
		x.addFinding(why, candidate.Blocking, candidate.Facts{Path: t.Path, To: t.Of})
		return nil
	case worktree.OtherBranch:
		if x.branchWasRenamed(ctx, t.Branch) {
			break
		}
		if x.leftForPlaces(ctx, t) {
			x.a.Repairs = append(x.a.Repairs, RepairReturn)
			break
		}
		x.addFinding(candidate.TreeOnBranch, candidate.Blocking, candidate.Facts{Branch: site.ShortBranch(t.Branch)})
	}
	place, err := locate.Find(t.Path, nil)
	if err != nil {
		return err
	}
	x.repo = x.Repo.At(place)
	switch {
	case t.Health != worktree.MidOperation:
	case t.Operation == ongoing.Merge && x.ownUpdate(ctx):
		x.addFinding(candidate.UpdateUncommitted, candidate.Info, candidate.Facts{Base: r.Base.Name})
		x.a.Repairs = append(x.a.Repairs, RepairUpdate)
	default:
		x.addFinding(candidate.OperationUnderway, candidate.Blocking, candidate.Facts{Text: string(t.Operation)})
	}
	return nil
}

// halfRestored finds a restore that was interrupted in the worktree. Nobody may work in that worktree before the restore is finished or
// undone.
func (x treeChecks) halfRestored(context.Context) error {
	if x.repo == nil {
		return nil
	}
	if x.a.Restore = site.HalfRestoredAt(x.Repo, x.repo.Place); x.a.Restore != nil {
		x.addFinding(candidate.FindRestore.Case(), candidate.Blocking, candidate.Facts{Text: string(x.a.Restore.Purpose), Saved: x.a.Restore.Label()})
	}
	return nil
}

// newPlace checks the path at which the run's first worktree will be created.
func (x treeChecks) newPlace(ctx context.Context) error {
	c, err := x.Repo.Settings.Config(ctx)
	if err == nil {
		x.mayPlace(x.judge.Staging.TreeFor(c, x.run()).Path)
	}
	return err
}

// mayPlace adds a blocking finding if a symbolic link inside the repository is on the path of a new worktree.
func (x treeChecks) mayPlace(path string) {
	var link *place.LinkError
	if path == "" || !errors.As(place.Safe(x.Repo, path), &link) {
		return
	}
	x.a.Link = link.Link
	shown := link.Link
	if main, ok := x.Repo.Main(); ok {
		if rel, err := filepath.Rel(main.WorkTree, link.Link); err == nil && filepath.IsLocal(rel) {
			shown = filepath.ToSlash(rel)
		}
	}
	x.addFinding(candidate.PlaceIsLink, candidate.Blocking, candidate.Facts{Path: shown, To: link.To})
}

// savedBefore names the last snapshot of a missing worktree. The result is "" if there is no snapshot. It is also "" if the branch has
// moved since the snapshot, because then the changes were probably committed.
func (x treeChecks) savedBefore(ctx context.Context) string {
	snap, err := snapshot.Newest(ctx, x.Repo, string(x.run().ID))
	if err != nil || snap.ID == "" || snap.Head == "" {
		return ""
	}
	if tip, err := x.Store.History().BranchTip(ctx, x.run()); err != nil || snap.Head != tip {
		return ""
	}
	return snap.Label()
}

// movedTree examines a worktree after it or the repository was moved. Git cannot find such a worktree until its registration is repaired.
func (x treeChecks) movedTree(t worktree.Tree) error {
	moved := candidate.TreeMovedTo
	if t.Now == t.Path {
		moved = candidate.TreeStayedBehind
	}
	x.addFinding(moved, candidate.Info, candidate.Facts{To: t.Now})
	x.a.Repairs = append(x.a.Repairs, RepairRegistration)
	x.a.Tree.Path = t.Now
	place, err := MovedPlace(t)
	if err != nil {
		return err
	}
	x.repo = x.Repo.At(place)
	if t.Operation != ongoing.NoOperation {
		x.addFinding(candidate.OperationUnderway, candidate.Blocking, candidate.Facts{Text: string(t.Operation)})
	} else if t.Branch != x.run().Branch {
		x.addFinding(candidate.TreeOnBranch, candidate.Blocking, candidate.Facts{Branch: site.ShortBranch(t.Branch)})
	}
	return nil
}

// MovedPlace finds a worktree that somebody moved by hand. It uses the paths of the worktree and of its registration, because these two no
// longer refer to each other.
func MovedPlace(t worktree.Tree) (locate.Place, error) {
	return locate.Find(t.Now, []string{"GIT_DIR=" + t.Admin, "GIT_WORK_TREE=" + t.Now})
}

// ownUpdate reports whether git is in the middle of our merge of the base into the run, and all conflicts are resolved.
// Then only the commit is missing.
func (x treeChecks) ownUpdate(ctx context.Context) bool {
	const most = 1 << 16
	message, err := gitstate.ReadUpTo(filepath.Join(x.repo.GitDir, "MERGE_MSG"), most)
	if err != nil || !strings.HasPrefix(string(message), site.UpdateMessage(x.run())) {
		return false
	}
	unmerged, err := x.repo.Line(ctx, "ls-files", "--unmerged")
	return err == nil && unmerged == ""
}

// here examines a run that works in the user's own worktree.
func (x treeChecks) here(ctx context.Context) error {
	r := x.run()
	if x.repo == nil {
		x.addFinding(candidate.TreeNotThere, candidate.Blocking, candidate.Facts{})
		return nil
	}
	if op := x.a.Tree.Operation; op != ongoing.NoOperation {
		x.addFinding(candidate.OperationUnderway, candidate.Blocking, candidate.Facts{Text: string(op)})
	}
	branch, _, err := x.repo.Refs.Head(ctx)
	if err != nil {
		return err
	}
	if branch != r.Branch {
		x.addFinding(candidate.CheckedOutBranch, candidate.Blocking, candidate.Facts{Branch: site.ShortBranch(r.Branch), Other: site.ShortBranch(branch)})
	}
	return nil
}

// branchWasRenamed reports whether somebody renamed the run's branch, and the renamed branch is checked out in the run's worktree. The
// proof is in the branch's reflog, where git records a rename. If it was renamed, a finding and a repair are added.
func (x treeChecks) branchWasRenamed(ctx context.Context, branch refs.Name) bool {
	r := x.run()
	if branch == "" || branch == refs.Branch(r.Base.Name) || !r.Ours() {
		return false
	}
	if at, err := x.Repo.Refs.Ref(ctx, r.Branch); err != nil || at != "" {
		return false
	}
	steps, err := x.Repo.Refs.Log(ctx, branch)
	if err != nil {
		return false
	}
	for _, s := range steps {
		if s.Message == fmt.Sprintf("Branch: renamed %s to %s", r.Branch, branch) {
			x.addFinding(candidate.FindBranchRenamed.Case(), candidate.Info, candidate.Facts{Branch: site.ShortBranch(r.Branch), Other: site.ShortBranch(branch)})
			x.a.Repairs = append([]Repair{RepairFollow}, x.a.Repairs...)
			r.Branch, x.a.Renamed = branch, branch
			return true
		}
	}
	return false
}
