package tasks

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Traces are what can be seen of a task that was begun and not ended.
type Traces struct {
	// changes are files that are not as they were when it began.
	Changes []string
	Moved   bool
}

func (t Traces) None() bool { return len(t.Changes) == 0 && !t.Moved }

// LookFor compares HEAD and files with the intent of a cut-off task.
// In a tree of the run's own whatever is uncommitted is the task's; in the user's only what changed since.
func LookFor(ctx context.Context, repo *gitstate.Repo, t checkpoint.Task, job execution.Job) (Traces, error) {
	if !job.Own {
		return CompareWith(ctx, repo, t, job, nil)
	}
	paths, err := Uncommitted(ctx, repo)
	if err != nil {
		return Traces{}, err
	}
	return CompareWith(ctx, repo, t, job, paths)
}

// CompareWith is lookFor for who knows what is uncommitted.
func CompareWith(ctx context.Context, repo *gitstate.Repo, t checkpoint.Task, job execution.Job, paths []string) (Traces, error) {
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return Traces{}, err
	}
	out := Traces{Moved: movedOn(ctx, repo, job.Run, t.FromHead, head)}
	if job.Own {
		out.Changes = slices.Clone(paths)
	}
	began, err := repo.Objects.Commit(ctx, string(t.FromHead))
	if err != nil || t.Before == nil {
		return out, nil
	}
	was := *t.Before
	was.Tree = began.Tree
	patterns := append(append([]string{}, job.Inputs...), job.Outputs...)
	if !job.Own {
		patterns = []string{execution.AllFiles}
	}
	changed, many, err := execution.Changed(ctx, repo, was, patterns)
	if many {
		changed = append(changed, "some of many files")
	}
	out.Changes = append(out.Changes, changed...)
	slices.Sort(out.Changes)
	out.Changes = slices.Compact(out.Changes)
	return out, err
}

// Uncommitted names the files that are not as HEAD has them.
func Uncommitted(ctx context.Context, repo *gitstate.Repo) ([]string, error) {
	changes, err := repo.Status(ctx)
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths, err
}

// OnlyReported: the task is not one that this program runs. One that it ran, and that a changed plan leaves out, still is:
// what that left would go into the commit of the next one.
func OnlyReported(p plan.Plan, t checkpoint.Task) bool {
	return SpecOf(p, t.ID).Run == "" && (t.Command == "" || len(CommandsOf(p)) == 0)
}

// movedOn reports whether commits were made since a task began; merges by which its run took the base in are none of those.
func movedOn(ctx context.Context, repo *gitstate.Repo, run checkpoint.RunID, from, head object.ID) bool {
	for range MaxAbove {
		if head == from {
			return false
		}
		c, err := repo.Objects.Commit(ctx, string(head))
		if err != nil || len(c.Parents) != 2 || !OfRun(run, c) {
			return true
		}
		head = c.Parents[0]
	}
	return true
}

// FoundEvents records landed commits; a task that is reported in the same breath is left out.
func FoundEvents(r *checkpoint.Run, landed []checkpoint.Evidence, but checkpoint.TaskID) []checkpoint.Event {
	var out []checkpoint.Event
	for _, l := range landed {
		t := r.Task(l.Task)
		if l.Task == but || l.Task == "" || (t != nil && t.State == checkpoint.Done) {
			continue
		}
		ev := checkpoint.Event{
			Event: checkpoint.TaskDone, Task: l.Task, Commit: l.Commit.ID, Tree: l.Commit.Tree, Found: true, Head: l.Commit.ID,
		}
		if t != nil {
			ev.Attempt = t.Attempt
		}
		out = append(out, ev)
	}
	return out
}

// HasUnsaved reports whether something that a clean-up would remove is not in the snapshot.
func HasUnsaved(left []snapshot.Left) bool { return len(UnsavedOf(left)) > 0 }

func UnsavedOf(left []snapshot.Left) []snapshot.Left {
	return slices.DeleteFunc(slices.Clone(left), func(l snapshot.Left) bool { return l.Kind == snapshot.Ignored })
}

// CleanTree makes a staging worktree what HEAD says; ignored files stay, and those that were changed by hand.
func CleanTree(ctx context.Context, r *gitstate.Repo, hand map[string]string) error {
	if len(hand) > 0 {
		return cleanAround(ctx, r, hand)
	}
	lock := []string{filepath.Join(r.GitDir, "index.lock"), filepath.Join(r.GitDir, "HEAD.lock"), filepath.Join(r.GitDir, "ORIG_HEAD.lock")}
	for _, args := range [][]string{{"reset", "-q", "--hard"}, {"clean", "-fdq"}} {
		if _, err := r.Git(ctx, process.Call{Args: args, Mode: process.Write, Locks: lock}); err != nil {
			return fmt.Errorf("clean the tree: %w", err)
		}
	}
	return dotgit.Durable(r.WorkTree)
}

// cleanAround is cleanTree for a tree in which some files stay as they are.
func cleanAround(ctx context.Context, r *gitstate.Repo, hand map[string]string) error {
	call := func(paths []string, args ...string) error {
		env := []string{"GIT_LITERAL_PATHSPECS=1"}
		_, err := r.Git(ctx, process.Call{Args: args, Mode: process.Write, Env: env, Stdin: strings.NewReader(strings.Join(paths, "\x00")), Locks: []string{filepath.Join(r.GitDir, "index.lock")}})
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

func OfRun(run checkpoint.RunID, c object.Commit) bool {
	return slices.Contains(gitstate.TrailerValues(c.Message, checkpoint.TrailerRun), string(run))
}

// UnconfirmedError says that only a person can have a task run.
type UnconfirmedError struct {
	Run  checkpoint.RunID
	Task checkpoint.TaskID
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("the plan says that a person must allow task '%s'", e.Task)
}

// DoubtError says that a task was cut off half way and nobody said what to do about it.
type DoubtError struct {
	Run  checkpoint.RunID
	Task checkpoint.TaskID
	// Changes are what it left; Moved says that it, or somebody, committed since.
	Changes []string
	Moved   bool
	Saved   object.ID
	// Unsaved is what stands in the way of a clean tree: the snapshot does not hold it.
	Unsaved []snapshot.Left
	// Line: it is a line of a script, which is repeated and not continued.
	Line bool
	Here bool
}

func (e *DoubtError) Error() string {
	return fmt.Sprintf("task '%s' was cut off half way", e.Task)
}
