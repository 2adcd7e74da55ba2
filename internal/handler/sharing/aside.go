package sharing

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Aside is work that a clone did while somebody else had the lease of the run. It is kept, but the run continues without it.
type Aside struct {
	// Commits is the ref that keeps the commits, and Files is the name of the snapshot with uncommitted work. Each is empty if there was no
	// such work.
	Commits refs.Name
	Files   string
}

// makeRoom is called before a lease is taken. If the newest lease of our run is somebody else's, it sets aside the work of this clone that
// the remote does not have. It sets nothing aside if the run works in the user's own worktree. If makeRoom is killed, the next attempt to
// take the lease repeats it.
func (e *Sharer) makeRoom(ctx context.Context, x *exchange.Exchange, out *Aside) error {
	r, newest := &x.Journal.Run, lease.Newest(x.Look.Leases)
	if newest == nil || newest.Ours || !r.Ours() || r.Here || x.Look.Head == "" {
		if x.Apart {
			return x.ApartError()
		}
		return nil
	}
	extra := x.Tip != "" && x.Tip != x.Look.Head && (x.Ahead == 0 || x.Apart)
	place, ok := e.TreeOf(r)
	if ok {
		saved, err := e.saveFiles(ctx, place, r.ID, out)
		if err != nil || !saved && !extra {
			return err
		}
	}
	if extra {
		var err error
		if out.Commits, err = e.Exchange.KeepParked(ctx, r.ID, r.Share.Mine, x.Tip); err != nil {
			return err
		}
	}
	if !ok {
		if !extra {
			return nil
		}
		return e.Repo.Refs.Update(ctx, refs.Update{Ref: r.Branch, New: x.Look.Head, Old: x.Tip, Log: true})
	}
	return e.resetTo(ctx, place, r, x)
}

// UnsavedError says that the worktree of a run must be cleaned, because another clone worked on the run, but that this would lose the
// files in the field Left. Saved is the name of the snapshot that has the other files.
type UnsavedError struct {
	Run   checkpoint.RunID
	Saved string
	Left  []snapshot.Omission
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("another clone worked on run '%s', so its worktree here must be cleaned, but no snapshot contains all of its files", e.Run)
}

// saveFiles saves the uncommitted work in a worktree. It returns false if there is none.
func (e *Sharer) saveFiles(ctx context.Context, place locate.Place, id checkpoint.RunID, out *Aside) (bool, error) {
	tree := e.Repo.At(place)
	defer tree.Close()
	const why = "another clone had the right to work on this run"
	snap, err := e.Staging.Snapshot(ctx, tree, id, why)
	if err != nil || snap.ID == "" {
		return false, err
	}
	if tasks.HasUnsaved(snap.Left) {
		return false, &UnsavedError{Run: id, Saved: snap.Label(), Left: tasks.UnsavedOf(snap.Left)}
	}
	out.Files = snap.Label()
	_, err = e.Store.Append(ctx, id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.Snapshot, Tree: snap.ID, Text: why}}, nil
	}})
	return true, err
}

// resetTo resets the files of a worktree after they were saved. It also moves the branch to the remote's commit, unless the remote only has
// additional commits: then the method "forward" adds them later.
func (e *Sharer) resetTo(ctx context.Context, place locate.Place, r *checkpoint.Run, x *exchange.Exchange) error {
	tree := e.Repo.At(place)
	defer tree.Close()
	to := string(x.Look.Head)
	if x.Ahead > 0 && !x.Apart {
		to = "HEAD" // reset only the files, because the method "forward" will add the missing commits of the remote
	}
	return tasks.Reset(ctx, tree, site.MoveLocks(tree, r.Branch), "reset", "-q", "--hard", to)
}
