package sharing

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/worktree/trash"
)

// ParkedWork is work that this clone did under one lease and that does not count, because somebody else got the next lease before the
// work arrived at the remote.
type ParkedWork struct {
	Run   checkpoint.RunID
	Lease int
	// Commits lists the parked commits, oldest first. Ref is the ref that keeps them.
	Commits []checkpoint.Evidence
	Ref     refs.Name
	// Tasks lists the tasks that were recorded as done in the parked work.
	Tasks []checkpoint.TaskID
	// Worktree is the folder of the run's worktree in this clone, or empty. Behind is true if somebody else had the newest lease. The run must
	// then be continued here first: until this clone has the lease, commits that are picked would be set aside too.
	Worktree string
	Behind   bool
}

// Parked lists the parked work of a run, or of all runs if none is named. It is sorted by run and lease.
func (e *Sharer) Parked(ctx context.Context, run string) ([]ParkedWork, error) {
	var only checkpoint.RunID
	if run != "" {
		id, err := e.Find.Resolve(ctx, run)
		if err != nil {
			return nil, err
		}
		only = id
	}
	at, err := e.Repo.Refs.List(ctx, trash.ParkedSpace)
	if err != nil {
		return nil, err
	}
	var out []ParkedWork
	for ref, tip := range at {
		name, number, _ := strings.Cut(strings.TrimPrefix(string(ref), trash.ParkedSpace), "/")
		id := checkpoint.RunID(name)
		n, err := strconv.Atoi(number)
		if err != nil || !id.Valid() || only != "" && id != only {
			continue
		}
		w := ParkedWork{Run: id, Lease: n, Ref: ref}
		if err := e.describe(ctx, &w, tip); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b ParkedWork) int {
		if a.Run != b.Run {
			return strings.Compare(string(a.Run), string(b.Run))
		}
		return a.Lease - b.Lease
	})
	return out, nil
}

// describe finds the commits and the tasks of parked work. It finds no tasks if the run's record is gone, or if the record does not say
// where the lease ended.
func (e *Sharer) describe(ctx context.Context, w *ParkedWork, tip object.ID) error {
	j, err := e.Store.Load(ctx, w.Run)
	var none *checkpoint.NoRunError
	if errors.As(err, &none) {
		w.Commits, err = e.Store.History().Trailed(ctx, w.Run, string(tip))
		return err
	}
	if err != nil {
		return err
	}
	if place, ok := e.TreeOf(&j.Run); ok {
		w.Worktree = place.WorkTree
	}
	seen := exchange.ReadSeen(e.Store.Folder(), w.Run)
	w.Behind = seen != nil && !seen.Ours
	revs := append([]string{string(tip)}, e.known(ctx, &j.Run, seen, tip)...)
	if w.Commits, err = e.Store.History().Trailed(ctx, w.Run, revs...); err != nil {
		return err
	}
	last, ended := j.Run.Share.EndOf(w.Lease)
	if !ended {
		return nil
	}
	lines, err := e.Store.Lines(ctx, w.Run)
	late := exchange.Parked{Lines: exchange.LateUnder(lines, w.Lease, last)}
	w.Tasks = late.Tasks()
	return err
}

// known returns arguments that make git leave out the commits that are not parked: those of the base, of the remote and of the run's
// branch. If the branch still contains the parked commits, the arguments do not name it, because git would leave out the parked commits
// too.
func (e *Sharer) known(ctx context.Context, r *checkpoint.Run, seen *exchange.Seen, tip object.ID) []string {
	there := []object.ID{r.Base.Commit}
	if seen != nil {
		there = append(there, seen.Head)
	}
	now, _ := e.Store.History().BranchTip(ctx, r) // if the branch cannot be read, git does not leave out its commits
	for _, id := range []object.ID{r.Head, now} {
		if id == "" {
			continue
		}
		if late, err := past.IsAncestor(ctx, e.Repo, tip, id); err == nil && !late {
			there = append(there, id)
		}
	}
	var out []string
	for _, id := range there {
		if id == "" {
			continue
		}
		if _, err := e.Repo.Objects.Commit(ctx, string(id)); err == nil {
			out = append(out, "^"+string(id))
		}
	}
	return out
}
