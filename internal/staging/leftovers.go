package staging

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// SetAside describes uncommitted files that were removed from a run's worktree, so that they do not get into another task's commit.
type SetAside struct {
	// Task is the task that left the files, or empty if no task did.
	Task  checkpoint.TaskID
	Paths []string
	// Saved is the snapshot that contains the files.
	Saved snapshot.Snapshot
}

// UnsavedError says that the worktree contains something that no snapshot holds, so that cleaning the worktree would lose it.
type UnsavedError struct {
	Run  checkpoint.RunID
	Left []snapshot.Omission
}

func (e *UnsavedError) Error() string {
	return fmt.Sprintf("the worktree of run '%s' contains files that cannot be saved in a snapshot", e.Run)
}

// Leftovers are the uncommitted files in the worktree of a run whose task ended without a result.
type Leftovers struct {
	staging *Stager
	repo    *gitstate.Repo
	run     *checkpoint.Run
	// task is the task that left the files. It is nil if no task did, or if that is not known.
	task *checkpoint.Task
	// Hand has the files that somebody changed by hand, before the task or after it stopped, with the ids of their contents. They stay in the
	// worktree.
	Hand map[string]string
	// before has the files that were uncommitted before the task, as the task found them.
	before present
}

// present is a set of uncommitted files, as a snapshot has them.
type present struct {
	snap  snapshot.Snapshot
	items []snapshot.Item
}

// LeftoversOf finds out which uncommitted files in a run's worktree do not come from the task. The argument t may be nil. In the user's own
// worktree it must be a task of which execution.StartKnown is true.
func (e *Stager) LeftoversOf(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, t *checkpoint.Task, hand map[string]string) (Leftovers, error) {
	l := Leftovers{staging: e, repo: repo, run: r, task: t, Hand: maps.Clone(hand)}
	if l.Hand == nil {
		l.Hand = map[string]string{}
	}
	if t == nil || t.Onto == "" {
		return l, nil
	}
	var err error
	l.before, err = presentIn(ctx, repo, t.Onto)
	return l, err
}

// presentIn reads which files a snapshot has. It leaves out files that were committed since then.
func presentIn(ctx context.Context, repo *gitstate.Repo, id object.ID) (present, error) {
	snap, err := snapshot.Load(ctx, repo, id)
	if err != nil {
		return present{}, fmt.Errorf("read what was uncommitted before the task: %w", err)
	}
	items, err := snap.Items(ctx, repo)
	if err != nil {
		return present{}, err
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil || head == snap.Head {
		return present{snap, items}, err
	}
	committed, err := past.Changed(ctx, repo, snap.Head, head)
	items = slices.DeleteFunc(items, func(it snapshot.Item) bool {
		return slices.ContainsFunc(committed, func(d past.Delta) bool { return d.Path == it.Path })
	})
	return present{snap, items}, err
}

// Baseline says how the user's own worktree was before a task: onto is a snapshot of its uncommitted files, or empty if there were none. A
// task that is tried again, because it was interrupted or has failed, keeps what was recorded before its first attempt, which is then in the
// result "before". So files that an earlier attempt left still count as the task's own.
func (e *Stager) Baseline(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, task checkpoint.TaskID) (onto object.ID, before *checkpoint.WorktreeState, err error) {
	if t := r.Task(task); t != nil && (t.State == checkpoint.Active || t.State == checkpoint.Failed) && execution.StartKnown(t) {
		return t.Onto, t.Before, nil
	}
	snap, err := e.SnapshotOfAll(ctx, repo, r.ID, "before task "+string(task))
	return snap.ID, nil, err
}

// SetAside saves the leftovers in a snapshot and removes them from the worktree. Afterwards the worktree has only the uncommitted files
// that were there before the task, and those that were changed by hand. If something was saved, SetAside calls the function "told" before
// it removes anything. If something cannot be saved, SetAside removes nothing and returns an *UnsavedError.
func (l Leftovers) SetAside(ctx context.Context, cause string, told func(SetAside) error) error {
	out, err := l.save(ctx, cause)
	if err != nil {
		return err
	}
	if len(out.Paths) > 0 {
		if err := told(out); err != nil {
			return err
		}
		clean := func() error { return tasks.CleanTree(ctx, l.repo, l.kept()) }
		if l.run.Here { // the rest of the user's own worktree is none of our business, and neither is what is staged there
			clean = func() error { return tasks.CleanFiles(ctx, l.repo, out.Paths) }
		}
		if err := clean(); err != nil {
			return err
		}
	}
	if err := l.putBack(ctx); err != nil || len(out.Paths) == 0 {
		return err
	}
	return l.hideAgain(ctx, out)
}

// hideAgain puts back the .gitignore files of the task if files are visible without them. The snapshot does not have these files, and they
// would get into the commit of the next task. From then on, the .gitignore files count as changed by hand.
func (l Leftovers) hideAgain(ctx context.Context, out SetAside) error {
	seen, err := l.paths(ctx)
	if err != nil || len(withoutKeys(seen, l.Hand)) == 0 {
		return err
	}
	items, err := out.Saved.Items(ctx, l.repo)
	if err != nil {
		return err
	}
	items = slices.DeleteFunc(items, func(it snapshot.Item) bool {
		return path.Base(it.Path) != ".gitignore" || it.ID == "" || !slices.Contains(out.Paths, it.Path)
	})
	for _, it := range items {
		l.Hand[it.Path] = string(it.ID)
	}
	return l.write(ctx, out.Saved, items)
}

// save takes a snapshot if the worktree has other uncommitted files than before the task. In the result, Paths lists the files to remove.
// If a file cannot be saved, save returns an *UnsavedError, even if the file counts as changed by hand, because it may still be a file of
// the task. For example, a file may be too large for a snapshot. The snapshot that was made when the task stopped does not have this file,
// so it looks as if somebody had added it later.
func (l Leftovers) save(ctx context.Context, cause string) (SetAside, error) {
	var out SetAside
	paths, err := l.paths(ctx)
	if err != nil || len(paths) == 0 {
		return out, err
	}
	if out.Saved, err = l.staging.Snapshot(ctx, l.repo, l.run.ID, cause); err != nil {
		return out, err
	}
	if left := l.unsaved(out.Saved); len(left) > 0 {
		return out, &UnsavedError{Run: l.run.ID, Left: left}
	}
	out.Paths = withoutKeys(paths, l.Hand)
	if l.task != nil {
		out.Task = l.task.ID
	}
	return out, nil
}

// paths lists the uncommitted files that are not as they were before the task.
func (l Leftovers) paths(ctx context.Context) ([]string, error) {
	paths, err := tasks.Uncommitted(ctx, l.repo)
	if err != nil || len(paths) == 0 {
		return nil, err
	}
	now, err := execution.Contents(ctx, l.repo, paths)
	if err != nil {
		return nil, err
	}
	same := map[string]bool{}
	for _, it := range l.before.items {
		id, ok := now[it.Path]
		same[it.Path] = ok && id == string(it.ID)
	}
	for _, o := range l.before.snap.Left {
		same[o.Path] = true
	}
	return slices.DeleteFunc(paths, func(p string) bool { return same[strings.TrimSuffix(p, "/")] }), nil
}

// unsaved lists the files that the new snapshot does not have and that would be lost. It leaves out files that could not be saved before the
// task either, because SetAside leaves them in the worktree. An ignored file would be lost only if it is in a folder that has the place of a
// file that is put back.
func (l Leftovers) unsaved(snap snapshot.Snapshot) []snapshot.Omission {
	back := map[string]bool{}
	for _, p := range snap.Deleted {
		back[p] = true
	}
	for _, it := range l.before.items {
		back[it.Path] = it.ID != ""
	}
	return slices.DeleteFunc(slices.Clone(snap.Left), func(o snapshot.Omission) bool {
		if o.Kind == snapshot.Ignored {
			return !inFolderOf(o.Path, back)
		}
		return slices.ContainsFunc(l.before.snap.Left, func(b snapshot.Omission) bool { return b.Path == o.Path })
	})
}

// inFolderOf reports whether one of the folders of a path is in a set.
func inFolderOf(p string, set map[string]bool) bool {
	for dir := strings.TrimSuffix(p, "/"); dir != "."; dir = path.Dir(dir) {
		if set[dir] {
			return true
		}
	}
	return false
}

// kept has the paths that are not cleaned: files that were changed by hand, and files that were uncommitted before the task.
func (l Leftovers) kept() map[string]string {
	kept := maps.Clone(l.Hand)
	for _, it := range l.before.items {
		kept[it.Path] = string(it.ID)
	}
	for _, o := range l.before.snap.Left {
		kept[o.Path], kept[o.Path+"/"] = "", "" // git shows a nested repository with a slash
	}
	return kept
}

// putBack writes the files that were uncommitted before the task, because the task may have changed or deleted them.
func (l Leftovers) putBack(ctx context.Context) error {
	items := slices.DeleteFunc(slices.Clone(l.before.items), func(it snapshot.Item) bool { _, ok := l.Hand[it.Path]; return ok })
	return l.write(ctx, l.before.snap, items)
}

// write puts files of a snapshot back into the worktree.
func (l Leftovers) write(ctx context.Context, snap snapshot.Snapshot, items []snapshot.Item) error {
	if len(items) == 0 {
		return nil
	}
	if err := snap.Writer(l.repo, l.repo.WorkTree).PutAll(ctx, items); err != nil {
		return fmt.Errorf("put back what was uncommitted before the task: %w", err)
	}
	return dotgit.Durable(l.repo.WorkTree)
}

// withoutKeys returns the paths that are not keys of the map.
func withoutKeys(paths []string, keys map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, ok := keys[p]; return ok })
}
