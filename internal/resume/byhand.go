package resume

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/worktree"
)

// maxByHand is how many files that were changed by hand are told apart: their names go into one line of the journal.
const maxByHand = 50

// ByHandError says that more files were changed by hand in a run's worktree than can be told apart from its task's.
type ByHandError struct {
	Run   checkpoint.RunID
	Path  string
	Count int
}

func (e *ByHandError) Error() string {
	return fmt.Sprintf("%d files were changed by hand in the worktree of run '%s'", e.Count, e.Run)
}

// changedByHand finds the files in a run's own worktree that somebody changed after its task was stopped, with their contents:
// the snapshot that was taken at the stop tells them from what the task left. Files that the task had changed as well
// are not among them. Of a task whose end nobody saw nothing is known.
func changedByHand(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run, paths []string) (map[string]string, error) {
	t := stoppedTask(r)
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
		was, base, err := atStop(ctx, repo, t.Stop)
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

// stoppedTask is the interrupted task of a run in its own worktree of which it is known what is not its own; nil if there is none.
func stoppedTask(r *checkpoint.Run) *checkpoint.Task {
	i := slices.IndexFunc(r.Tasks, func(t checkpoint.Task) bool {
		return t.State == checkpoint.Active && (t.Stop != nil || len(t.ByHand) > 0)
	})
	if i < 0 || r.Here {
		return nil
	}
	return &r.Tasks[i]
}

// atStop is the content of every file when the task was stopped, and in the commit that was checked out then.
func atStop(ctx context.Context, repo *gitstate.Repo, s *checkpoint.TaskStop) (was, base map[string]string, err error) {
	if base, err = idsOf(ctx, repo, s.Tree); err != nil || s.Saved == "" {
		return base, base, err
	}
	snap, err := worktree.Load(ctx, repo, s.Saved)
	if err != nil {
		return nil, nil, err
	}
	was, err = idsOf(ctx, repo, snap.Tree)
	return was, base, err
}

// idsOf lists the contents of a tree by path.
func idsOf(ctx context.Context, repo *gitstate.Repo, tree gitstate.OID) (map[string]string, error) {
	all, err := entriesOf(ctx, repo, tree)
	for p, entry := range all {
		_, all[p], _ = strings.Cut(entry, " ")
	}
	return all, err
}

// withoutByHand leaves out what was changed by hand.
func withoutByHand(paths []string, hand map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(paths), func(p string) bool { _, ok := hand[p]; return ok })
}

// cleanAround is cleanTree for a tree in which some files stay as they are.
func cleanAround(ctx context.Context, r *gitstate.Repo, hand map[string]string) error {
	call := func(paths []string, args ...string) error {
		env := []string{"GIT_LITERAL_PATHSPECS=1"}
		_, err := r.Git(ctx, gitstate.Call{Args: args, Mode: gitstate.Write, Env: env, Stdin: strings.NewReader(strings.Join(paths, "\x00")), Locks: []string{filepath.Join(r.GitDir, "index.lock")}})
		if err != nil {
			return fmt.Errorf("clean the tree: %w", err)
		}
		return nil
	}
	if err := call(nil, "reset", "-q"); err != nil {
		return err
	}
	changes, err := r.Status(ctx)
	if err != nil {
		return err
	}
	var tracked, untracked []string
	for _, c := range changes {
		if _, keep := hand[c.Path]; keep {
			continue
		}
		if c.Index == '?' {
			untracked = append(untracked, c.Path)
		} else {
			tracked = append(tracked, c.Path)
		}
	}
	if len(tracked) > 0 {
		if err := call(tracked, "checkout", "-q", "--pathspec-from-file=-", "--pathspec-file-nul"); err != nil {
			return err
		}
	}
	for chunk := range slices.Chunk(untracked, 500) {
		if err := call(nil, append([]string{"clean", "-fdq", "--"}, chunk...)...); err != nil {
			return err
		}
	}
	return dotgit.Durable(r.WorkTree)
}

// tellByHand tells of files that were changed by hand.
func (x *assessor) tellByHand(hand map[string]string) {
	names := slices.Sorted(maps.Keys(hand))
	text := "1 file changed after it stopped, not by the task"
	if len(names) > 1 {
		text = fmt.Sprintf("%d files changed after it stopped, not by the task", len(names))
	}
	x.find(FindByHand, Info, text, names...)
}

// handEdits is changedByHand over all that is uncommitted in a worktree.
func handEdits(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run) (map[string]string, error) {
	paths, err := uncommitted(ctx, repo)
	if err != nil {
		return nil, err
	}
	return changedByHand(ctx, repo, r, paths)
}

// noteByHand finds what was changed by hand before anything is set aside.
func (m *mover) noteByHand(ctx context.Context) error {
	r := &m.out.Journal.Run
	if stoppedTask(r) == nil {
		return nil
	}
	tree, err := m.workTree()
	if err != nil {
		return nil // what is wrong with the tree is told by who needs it
	}
	defer tree.Close()
	m.c.Execute.ByHand, err = handEdits(ctx, tree, r)
	return err
}

// keepByHand is noteByHand for who executes without a question before.
func (x *executor) keepByHand(ctx context.Context) (err error) {
	if x.q.ByHand == nil && stoppedTask(x.run()) != nil {
		if x.q.ByHand, err = handEdits(ctx, x.repo, x.run()); err != nil {
			return err
		}
	}
	x.runner.ByHand = x.q.ByHand
	return nil
}

// tellByHand names what was changed by hand and is still uncommitted.
func (x *executor) tellByHand(ctx context.Context) {
	if len(x.q.ByHand) == 0 {
		return
	}
	if now, err := execution.StillByHand(ctx, x.repo, x.q.ByHand); err == nil {
		x.out.ByHand = now
	}
}
