package assess

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// maxByHand limits how many files can count as changed by hand, because their names must fit into one line of the journal.
const maxByHand = 50

// ByHandError says that too many files in a run's worktree were changed by hand. The journal cannot list all of them, so later nobody could
// tell them from the files that the task changed.
type ByHandError struct {
	Run   checkpoint.RunID
	Path  string
	Count int
}

func (e *ByHandError) Error() string {
	return fmt.Sprintf("%d files were changed by hand in the worktree of run '%s'", e.Count, e.Run)
}

// changedByHand finds the files in a run's worktree that somebody has changed since a task was stopped or failed. Files that the task itself
// had changed are left out. Files that were recorded as changed by hand earlier, and are still the same, are included. It finds none if the
// task is nil. If there are too many, it returns a *ByHandError.
func changedByHand(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, t *checkpoint.Task, paths []string) (map[string]string, error) {
	if t == nil || len(paths) == 0 {
		return nil, nil
	}
	now, err := execution.Contents(ctx, repo, paths)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for p, id := range t.ByHand {
		if now[p] == id {
			out[p] = id
		}
	}
	if t.Stop != nil {
		was, base, err := filesAtStop(ctx, repo, t.Stop)
		if err == nil && t.Onto != "" {
			base = maps.Clone(base)
			err = addUncommitted(ctx, repo, t.Onto, base)
		}
		if err != nil {
			return nil, err
		}
		for p, id := range now {
			if was[p] == base[p] && id != was[p] {
				out[p] = id
			}
		}
	}
	if len(out) > maxByHand {
		return nil, &ByHandError{Run: r.ID, Path: repo.WorkTree, Count: len(out)}
	}
	return out, nil
}

// StoppedTask returns the interrupted task of a run, if the journal knows the state of the worktree when the task stopped, or the files
// that somebody had changed by hand before the task started. Otherwise it returns nil.
func StoppedTask(r *checkpoint.Run) *checkpoint.Task {
	i := slices.IndexFunc(r.Tasks, func(t checkpoint.Task) bool {
		return t.State == checkpoint.Active && (t.Stop != nil || len(t.ByHand) > 0)
	})
	if i < 0 {
		return nil
	}
	return &r.Tasks[i]
}

// filesAtStop maps each path to its blob id, for two states. The first result has the files at the moment when the task was
// stopped. The second result has the files of the commit that was then checked out.
func filesAtStop(ctx context.Context, repo *gitstate.Repo, s *checkpoint.TaskStop) (was, base map[string]string, err error) {
	if base, err = idsOf(ctx, repo, s.Tree); err != nil || s.Saved == "" {
		return base, base, err
	}
	snap, err := snapshot.Load(ctx, repo, s.Saved)
	if err != nil {
		return nil, nil, err
	}
	was, err = idsOf(ctx, repo, snap.Tree)
	return was, base, err
}

// unknown stands for the content of a file that no snapshot has.
const unknown = "unknown"

// addUncommitted adds the files that were uncommitted before a task to the files of the commit that was checked out when it stopped. It
// leaves out files that the task has committed. So a file that the setup made, and that the task did not change, is not the task's own.
func addUncommitted(ctx context.Context, repo *gitstate.Repo, onto object.ID, base map[string]string) error {
	snap, err := snapshot.Load(ctx, repo, onto)
	if err != nil {
		return err
	}
	items, err := snap.Items(ctx, repo)
	if err != nil {
		return err
	}
	head, err := repo.Objects.Commit(ctx, string(snap.Head))
	if err != nil {
		return err
	}
	committed, err := idsOf(ctx, repo, head.Tree)
	for _, it := range items {
		if base[it.Path] == committed[it.Path] {
			base[it.Path] = string(it.ID)
		}
	}
	for _, o := range snap.Left {
		base[o.Path] = unknown
	}
	return err
}

// idsOf lists the files of a git tree. It maps each path to the id of its content.
func idsOf(ctx context.Context, repo *gitstate.Repo, tree object.ID) (map[string]string, error) {
	all, err := EntriesOf(ctx, repo, tree)
	for p, entry := range all {
		_, all[p], _ = strings.Cut(entry, " ")
	}
	return all, err
}

// WithoutByHand returns the paths without the files that were changed by hand.
func WithoutByHand(paths []string, hand map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, ok := hand[p]; return ok })
}

func (x taskChecks) addByHandFinding(hand map[string]string) {
	x.addFinding(candidate.FindByHand.Case(), candidate.Info, candidate.Facts{Count: len(hand)}, slices.Sorted(maps.Keys(hand))...)
}

// HandEditsSince finds the uncommitted files of a worktree that somebody changed after a task was stopped or failed. If there are too many,
// it returns a *ByHandError.
func HandEditsSince(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, t *checkpoint.Task) (map[string]string, error) {
	paths, err := tasks.Uncommitted(ctx, repo)
	if err != nil {
		return nil, err
	}
	return changedByHand(ctx, repo, r, t, paths)
}
