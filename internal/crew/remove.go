package crew

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
)

// Kept is a place (the linked worktree of a task) that was not removed. The field "Why" is one of the constants below, such as KeptDirty.
type Kept struct {
	N    int
	Path string
	Why  string
}

// The reasons why a place, which is the linked worktree of a task, is not removed.
const (
	KeptDirty   = "dirty"
	KeptCommits = "commits"
	KeptProcess = "process"
	KeptInUse   = "operation"
	KeptFailed  = "error"
)

// Removed lists which linked worktrees of a run were removed, and which were kept.
type Removed struct {
	Gone []int
	Kept []Kept
	// Ignored counts the ignored files and folders that were removed together with their worktrees.
	Ignored int
}

// Remove removes the linked worktrees of a run after all its tasks were closed. It keeps a worktree that is in use, that cannot be
// removed, or whose work would be lost.
func (e *Pool) Remove(ctx context.Context, r *checkpoint.Run) Removed {
	var out Removed
	for _, p := range r.Places {
		why, path, ignored := e.removePlace(ctx, r, p)
		if why == KeptFailed { // try once more, because git may have been killed, and nobody would remove the worktree later
			why, path, ignored = e.removePlace(ctx, r, p)
		}
		if why != "" {
			out.Kept = append(out.Kept, Kept{p.N, path, why})
			continue
		}
		out.Ignored += ignored
		out.Gone = append(out.Gone, p.N)
	}
	return out
}

// Discard removes the worktrees that were made for single tasks of a run, when the run is discarded. Before that, it saves their
// uncommitted files, and commits that would be lost, as snapshots of the run.
func (e *Pool) Discard(ctx context.Context, r *checkpoint.Run, forced bool) error {
	var out Removed
	with := r.Copy()
	for _, p := range e.Staging.HalfPlaces(r) {
		if _, err := worktree.Shelve(ctx, e.Repo, e.Repo.CommonPath("worktrees", p.Admin), e.Now); err != nil {
			// Shelve refused: the worktree is complete or may contain work. Let the loop below save and remove it.
			with.Places = append(with.Places, p)
		}
	}
	r = &with
	for _, p := range r.Places {
		at, ok := e.placeOf(r, p.N)
		if ok {
			if err := e.savePlace(ctx, at, r, p, forced); err != nil {
				return err
			}
		}
		if err := e.removeSaved(ctx, at, ok, r, p); err != nil {
			return err
		}
		out.Gone = append(out.Gone, p.N)
	}
	if len(out.Gone) == 0 {
		return nil
	}
	_, err := e.Store.Append(ctx, r.ID, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) { return out.GoneEvents(), nil }})
	return err
}

// removeSaved removes a place after its content was saved.
func (e *Pool) removeSaved(ctx context.Context, at locate.Place, there bool, r *checkpoint.Run, p checkpoint.Place) error {
	why := ""
	if admin := e.Repo.CommonPath("worktrees", p.Admin); there {
		why = e.drop(ctx, at)
	} else if p.Admin != "" && worktree.RunOf(admin) == r.ID.Place(p.N) {
		why = e.forget(ctx, admin)
	}
	if why != "" {
		return fmt.Errorf("worktree %d for tasks of run '%s' could not be removed; its uncommitted files are saved in a snapshot", p.N, r.ID)
	}
	return nil
}

// savePlace saves the uncommitted files in a place. It also saves commits that would be lost. It returns an error if a process works in the
// place, or if files cannot be saved. If the argument "forced" is true, neither is an error, and files that cannot be saved are lost.
func (e *Pool) savePlace(ctx context.Context, at locate.Place, r *checkpoint.Run, p checkpoint.Place, forced bool) error {
	if pids, known := e.Procs.In([]string{at.WorkTree}); known && len(pids) > 0 && !forced {
		return &worktree.LivingError{Run: string(r.ID), Who: fmt.Sprintf("process %d works in '%s'", pids[0].PID, at.WorkTree)}
	}
	tree := e.Repo.At(at)
	defer tree.Close()
	look, err := tree.ReadState(ctx)
	if err != nil {
		return err
	}
	tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil {
		return err
	}
	if _, err = e.saveBefore(ctx, tree, r.ID, look, cmp.Or(tip, look.Head), p.Commit); errors.Is(err, errInUse) && forced {
		return nil
	}
	return err
}

func (e *Pool) removePlace(ctx context.Context, r *checkpoint.Run, p checkpoint.Place) (why, path string, ignored int) {
	admin := e.Repo.CommonPath("worktrees", p.Admin)
	if p.Admin == "" || worktree.RunOf(admin) != r.ID.Place(p.N) {
		if p.Admin == string(r.ID.Place(p.N)) && !place.Present(filepath.Join(admin, "gitdir")) {
			_ = os.RemoveAll(admin) // a killed git left a part of the registration; if this call fails, "git worktree prune" removes it
		}
		return "", "", 0 // the worktree is already removed, or another worktree has its name now
	}
	at, ok := e.placeOf(r, p.N)
	// If the folder is missing or incomplete, an earlier removal was interrupted. That removal had checked the content before.
	if !ok {
		return e.forget(ctx, admin), filepath.Dir(place.Content(filepath.Join(admin, "gitdir"))), 0
	}
	tree := e.Repo.At(at)
	defer tree.Close()
	if why, ignored = e.whyKept(ctx, tree, r, p); why != "" {
		return why, at.WorkTree, 0
	}
	return e.drop(ctx, at), at.WorkTree, ignored
}

// whyKept returns the reason why a place must not be removed. If it may be removed, the reason is "", and the second result is the number
// of ignored entries in the place.
func (e *Pool) whyKept(ctx context.Context, tree *gitstate.Repo, r *checkpoint.Run, p checkpoint.Place) (why string, ignored int) {
	if ongoing.OperationIn(tree) != ongoing.NoOperation {
		return KeptInUse, 0
	}
	if pids, known := e.Procs.In([]string{tree.WorkTree}); known && len(pids) > 0 {
		return KeptProcess, 0
	}
	look, err := tree.ReadState(ctx)
	if err != nil {
		return KeptFailed, 0
	}
	if len(look.Changes) > 0 {
		return KeptDirty, 0
	}
	if look.Head != p.Commit && !e.IsOnBranch(ctx, r, look.Head) {
		return KeptCommits, 0
	}
	return "", len(look.Ignored)
}

// IsOnBranch reports whether a commit is on the branch of a run. It returns false after an error.
func (e *Pool) IsOnBranch(ctx context.Context, r *checkpoint.Run, commit object.ID) bool {
	tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil || tip == "" {
		return false
	}
	within, err := past.IsAncestor(ctx, e.Repo, commit, tip)
	return err == nil && within
}

// drop removes a worktree, and returns a reason if that is impossible. The folder is renamed first, so that an interrupted removal does
// not look as if somebody had deleted files in it.
func (e *Pool) drop(ctx context.Context, at locate.Place) (why string) {
	away := awayName(at.WorkTree)
	if os.RemoveAll(away) != nil || os.Rename(at.WorkTree, away) != nil {
		return KeptFailed
	}
	return e.forget(ctx, at.GitDir)
}

// awayName returns the path to which the folder of a place is renamed before it is removed.
func awayName(path string) string {
	return filepath.Join(filepath.Dir(path), place.TrashPrefix+filepath.Base(path))
}

// forget finishes the removal of a worktree whose folder was already renamed by drop: it removes the renamed folder, and then the
// worktree's registration in git. If this is impossible, it returns a reason, otherwise "".
func (e *Pool) forget(ctx context.Context, admin string) (why string) {
	path := filepath.Dir(place.Content(filepath.Join(admin, "gitdir")))
	if place.Present(path) {
		return KeptFailed // something else is at this path now
	}
	away := awayName(path)
	if to, ok := place.LeadsTo(away); ok && !place.SameDir(to, admin) {
		return KeptFailed
	}
	// Git's registration is removed last, because an interrupted removal is found by its registration.
	if os.RemoveAll(away) != nil {
		return KeptFailed
	}
	if _, err := e.Repo.Git(ctx, process.Call{Args: []string{"worktree", "remove", "--force", "--force", path}, Mode: process.Write}); err != nil {
		return KeptFailed
	}
	return ""
}

// GoneEvents returns the events that record the removal of linked worktrees.
func (p Removed) GoneEvents() []checkpoint.Event {
	var out []checkpoint.Event
	for _, n := range p.Gone {
		out = append(out, checkpoint.Place{N: n}.Gone())
	}
	return out
}

func (p Kept) String() string { return fmt.Sprintf("place %d: %s", p.N, p.Why) }
