package tasks

import (
	"context"
	"fmt"
	"os"
	"path"
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

// Traces lists the changes that an interrupted task has left.
type Traces struct {
	// Changes lists the files that changed since the task started.
	Changes []string
	Moved   bool
}

func (t Traces) None() bool { return len(t.Changes) == 0 && !t.Moved }

// LookFor finds what an interrupted task has changed, by comparison with the state recorded at its start. In the run's own worktree, all
// uncommitted changes belong to the task. In the user's worktree, only changes since the start belong to it.
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

// CompareWith finds what an interrupted task has changed, as LookFor does. The argument "paths" lists the uncommitted files.
func CompareWith(ctx context.Context, repo *gitstate.Repo, t checkpoint.Task, job execution.Job, paths []string) (Traces, error) {
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return Traces{}, err
	}
	out := Traces{Moved: hasNewCommits(ctx, repo, job.Run, t.FromHead, head)}
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
		changed = append(changed, "files that cannot be named, because too many were uncommitted before the task")
	}
	out.Changes = append(out.Changes, changed...)
	slices.Sort(out.Changes)
	out.Changes = slices.Compact(out.Changes)
	return out, err
}

// ResultMade reports whether a task was finished in its own worktree: its worker reported that, or the trailers of the commit there prove
// it.
func ResultMade(ctx context.Context, repo *gitstate.Repo, run checkpoint.RunID, t checkpoint.Task) (bool, error) {
	if t.Reported {
		return true, nil
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil || head == t.FromHead {
		return false, err
	}
	c, err := repo.Objects.Commit(ctx, string(head))
	if err != nil {
		return false, err
	}
	for _, e := range checkpoint.EvidenceOf(c, run) {
		if e.Task == t.ID && !e.Partial {
			return true, nil
		}
	}
	return false, nil
}

// LeftBy returns the task that may have left uncommitted files in the run's own worktree, in which the task "next" starts. It returns nil if
// there is none. An interrupted task without a command keeps its files, because its worker may still continue with them.
func LeftBy(p plan.Plan, r *checkpoint.Run, next checkpoint.TaskID) *checkpoint.Task {
	t := r.Task(r.InTree)
	if r.Here || t == nil || t.ID == next || t.State == checkpoint.Done || t.State == checkpoint.Active && OnlyReported(p, *t) {
		return nil
	}
	return t
}

// Uncommitted lists the files that differ from HEAD.
func Uncommitted(ctx context.Context, repo *gitstate.Repo) ([]string, error) {
	changes, err := repo.Status(ctx)
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
	}
	return paths, err
}

// OnlyReported reports whether the worker must report the result of a task, because git-resume does not execute it. The plan must have no
// command for the task. If the task had a command before, the plan must have no commands at all.
func OnlyReported(p plan.Plan, t checkpoint.Task) bool {
	return SpecOf(p, t.ID).Run == "" && (t.Command == "" || len(CommandsOf(p)) == 0)
}

// hasNewCommits reports whether commits were made since a task started. Merges that updated the run from its base do not count.
func hasNewCommits(ctx context.Context, repo *gitstate.Repo, run checkpoint.RunID, from, head object.ID) bool {
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

// FoundEvents returns events for commits that finished a task but are missing in the journal. It leaves out the task that the argument
// "except" names; an empty string names none.
func FoundEvents(r *checkpoint.Run, landed []checkpoint.Evidence, except checkpoint.TaskID) []checkpoint.Event {
	var out []checkpoint.Event
	for _, l := range landed {
		t := r.Task(l.Task)
		if l.Task == except || l.Task == "" || (t != nil && t.State == checkpoint.Done) {
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

// HasUnsaved reports whether a file that is not ignored is missing in the snapshot. Cleaning the worktree would destroy this file.
func HasUnsaved(left []snapshot.Omission) bool { return len(UnsavedOf(left)) > 0 }

func UnsavedOf(left []snapshot.Omission) []snapshot.Omission {
	return slices.DeleteFunc(slices.Clone(left), func(l snapshot.Omission) bool { return l.Kind == snapshot.Ignored })
}

// CleanTree resets a run's worktree to HEAD. It keeps ignored files and files that were changed by hand.
func CleanTree(ctx context.Context, r *gitstate.Repo, hand map[string]string) error {
	if err := refuseBuried(ctx, r); err != nil {
		return fmt.Errorf("clean the tree: %w", err)
	}
	if len(hand) > 0 {
		return cleanAround(ctx, r, hand)
	}
	lock := []string{filepath.Join(r.GitDir, "index.lock"), filepath.Join(r.GitDir, "HEAD.lock"), filepath.Join(r.GitDir, "ORIG_HEAD.lock")}
	return Reset(ctx, r, lock, "reset", "-q", "--hard")
}

// refuseBuried returns an error if a folder with ignored files is in the place of a tracked file. To put the file back, git would remove the
// folder with everything in it, and no snapshot has ignored files.
func refuseBuried(ctx context.Context, r *gitstate.Repo) error {
	look, err := r.ReadState(ctx)
	if err != nil {
		return err
	}
	for _, c := range look.Changes {
		if info, err := os.Lstat(filepath.Join(r.WorkTree, filepath.FromSlash(c.Path))); c.Untracked() || err != nil || !info.IsDir() {
			continue
		}
		for _, p := range look.Ignored {
			if strings.HasPrefix(p, c.Path+"/") {
				return fmt.Errorf("'%s' is an ignored file in a folder that has the place of a tracked file; move it away first", p)
			}
		}
	}
	return nil
}

// Reset runs a git command that resets the files of a worktree, and then removes untracked files. A file that is untracked only after the
// command was ignored before, and the command has changed a .gitignore file. No snapshot has such a file, so Reset keeps it.
func Reset(ctx context.Context, r *gitstate.Repo, locks []string, command ...string) error {
	before, err := r.Status(ctx)
	if err != nil {
		return err
	}
	call := process.Call{Args: command, Mode: process.Write, Locks: locks}
	if _, err := r.Git(ctx, call); err != nil {
		return fmt.Errorf("clean the tree: %w", err)
	}
	now, err := r.Status(ctx)
	if err != nil {
		return err
	}
	known, remove, all := map[string]bool{}, []string{}, true
	for _, c := range before {
		known[c.Path] = true
	}
	for _, c := range now {
		switch {
		case !c.Untracked():
		case known[c.Path]:
			remove = append(remove, c.Path)
		default:
			all = false
		}
	}
	if !all {
		err = removeUntracked(ctx, r, remove)
	} else {
		call.Args = []string{"clean", "-fdq"} // this also removes empty folders
		_, err = r.Git(ctx, call)
	}
	if err != nil {
		return fmt.Errorf("clean the tree: %w", err)
	}
	return dotgit.Durable(r.WorkTree)
}

// removeUntracked removes untracked files, and the folders that are empty without them.
func removeUntracked(ctx context.Context, r *gitstate.Repo, paths []string) error {
	for chunk := range slices.Chunk(paths, 500) {
		args := append([]string{"clean", "-fdq", "--"}, chunk...)
		if _, err := r.Git(ctx, process.Call{Args: args, Mode: process.Write, Env: []string{"GIT_LITERAL_PATHSPECS=1"}}); err != nil {
			return err
		}
	}
	for _, p := range paths {
		for dir := path.Dir(p); dir != "." && os.Remove(filepath.Join(r.WorkTree, filepath.FromSlash(dir))) == nil; {
			dir = path.Dir(dir)
		}
	}
	return nil
}

// cleanAround resets the worktree to HEAD, but does not touch the files in the map "hand", which were changed by hand.
func cleanAround(ctx context.Context, r *gitstate.Repo, hand map[string]string) error {
	return cleanOf(ctx, r, nil, func(path string) bool { _, keep := hand[path]; return !keep })
}

// CleanFiles resets files of the user's own worktree to HEAD, and removes those that HEAD does not have. It touches no other file, and leaves
// what is staged of other files as it is.
func CleanFiles(ctx context.Context, r *gitstate.Repo, paths []string) error {
	if err := refuseBuried(ctx, r); err != nil {
		return fmt.Errorf("clean the tree: %w", err)
	}
	return cleanOf(ctx, r, paths, func(path string) bool { return slices.Contains(paths, path) })
}

// cleanOf resets the index, or only the entries of the given paths, and then the files that the function "wanted" selects.
func cleanOf(ctx context.Context, r *gitstate.Repo, entries []string, wanted func(path string) bool) error {
	call := func(paths []string, args ...string) error {
		env := []string{"GIT_LITERAL_PATHSPECS=1"}
		if len(paths) > 0 {
			args = append(args, "--pathspec-from-file=-", "--pathspec-file-nul")
		}
		_, err := r.Git(ctx, process.Call{Args: args, Mode: process.Write, Env: env, Stdin: strings.NewReader(strings.Join(paths, "\x00")), Locks: []string{filepath.Join(r.GitDir, "index.lock")}})
		if err != nil {
			return fmt.Errorf("clean the tree: %w", err)
		}
		return nil
	}
	if err := call(entries, "reset", "-q"); err != nil {
		return err
	}
	changes, err := r.Status(ctx)
	if err != nil {
		return err
	}
	var tracked, untracked []string
	for _, c := range changes {
		if !wanted(c.Path) {
			continue
		}
		if c.Index == '?' {
			untracked = append(untracked, c.Path)
		} else {
			tracked = append(tracked, c.Path)
		}
	}
	if len(tracked) > 0 {
		if err := call(tracked, "checkout", "-q"); err != nil {
			return err
		}
	}
	if err := removeUntracked(ctx, r, untracked); err != nil {
		return fmt.Errorf("clean the tree: %w", err)
	}
	return dotgit.Durable(r.WorkTree)
}

func OfRun(run checkpoint.RunID, c object.Commit) bool {
	return slices.Contains(gitstate.TrailerValues(c.Message, checkpoint.TrailerRun), string(run))
}

// UnconfirmedError says that only a person can allow a task to run.
type UnconfirmedError struct {
	Run  checkpoint.RunID
	Task checkpoint.TaskID
}

func (e *UnconfirmedError) Error() string {
	return fmt.Sprintf("the plan says that a person must confirm task '%s'", e.Task)
}

// DoubtError says that a task was interrupted, and that the user must decide what happens to its changes.
type DoubtError struct {
	Run  checkpoint.RunID
	Task checkpoint.TaskID
	// Changes lists the files that the task has changed. Moved is true if somebody has committed since the task started.
	Changes []string
	Moved   bool
	Saved   string // the name of the snapshot; empty if there was nothing to save
	// Unsaved lists files that are not in the snapshot. If there are any, the worktree is not cleaned, because they would be lost.
	Unsaved []snapshot.Omission
	// Line is true if the task is a line of a script. The script itself runs such a task again.
	Line bool
	// Uncertain is true if it is not known which files were uncommitted in the user's own worktree before the task, so that it is not cleaned.
	Uncertain bool
}

func (e *DoubtError) Error() string {
	return fmt.Sprintf("task '%s' was interrupted", e.Task)
}
