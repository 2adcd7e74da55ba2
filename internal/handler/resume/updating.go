package resume

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

// UpdateError says that the base could not be merged into the run automatically.
type UpdateError struct {
	Run  checkpoint.RunID
	Path string
	Base string
	// The field How is the git command that stopped: merge or rebase.
	How  string
	Text string
}

func (e *UpdateError) Error() string {
	if e.How == tasks.UpdateByRebase {
		return fmt.Sprintf("the run cannot be rebased onto %s automatically", e.Base)
	}
	return fmt.Sprintf("%s cannot be merged into the run automatically", e.Base)
}

// updater merges the base into a run. Meanwhile it keeps the run's unfinished work in a commit.
type updater struct{ *continuing }

// update merges the base into the run with "git merge" or "git rebase", if the user gave --update. It returns an *UpdateError if a person
// must resolve conflicts.
func (m updater) update(ctx context.Context) error {
	r := &m.out.Journal.Run
	if !m.c.Update || r.Base.Name == "" {
		return nil
	}
	tree, err := m.workTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	cfg, err := tree.Settings.Config(ctx)
	if err != nil {
		return err
	}
	args := []string{"merge", "--no-edit", "-m", site.UpdateMessage(r), string(refs.Branch(r.Base.Name))}
	if how, _ := cfg.Get("resume.update"); how == tasks.UpdateByRebase {
		args = []string{tasks.UpdateByRebase, string(refs.Branch(r.Base.Name))}
	}
	if err := m.recordUpdateStart(ctx, tree, args[0]); err != nil {
		return err
	}
	if err := m.commitRest(ctx, tree); err != nil {
		return err
	}
	var said bytes.Buffer // git prints conflicts to its standard output
	_, err = tree.Git(ctx, process.Call{
		Args: args, Mode: process.Write, Env: []string{"GIT_EDITOR=:"}, Stdout: &said, Locks: site.MoveLocks(tree, r.Branch),
	})
	var git *process.Error
	// Exit code 1 usually means that a person must resolve conflicts. failedWithoutConflicts finds other failures with this code, such as a
	// full disk.
	if errors.As(err, &git) && git.Code == 1 && !m.failedWithoutConflicts(ctx, tree, args[0], git.Text) {
		return &UpdateError{Run: r.ID, Path: tree.WorkTree, Base: r.Base.Name, How: args[0], Text: strings.TrimSpace(said.String() + "\n" + git.Text)}
	}
	if err == nil && args[0] == tasks.UpdateByRebase && ongoing.OperationIn(tree) == ongoing.CherryPick {
		// Git could not remove CHERRY_PICK_HEAD. Remove it now, because it would later look like a leftover of the next task.
		_, err = tree.Git(ctx, process.Call{Args: []string{"cherry-pick", "--quit"}, Mode: process.Write})
	}
	if err != nil {
		if args[0] == "merge" {
			m.abort(ctx, tree, ongoing.Merge)
		}
		return fmt.Errorf("bring '%s' into the run: %w", r.Base.Name, err)
	}
	if err := m.unshelveIn(ctx, tree); err != nil {
		return err
	}
	return m.noteMergedWorktree(ctx, tree)
}

// recordUpdateStart records that the base is about to be merged in.
// If git is killed, the next process can distinguish git's leftovers from other changes.
func (m updater) recordUpdateStart(ctx context.Context, tree *gitstate.Repo, how string) error {
	_, head, err := tree.Refs.Head(ctx)
	if err != nil {
		return err
	}
	return m.noted(m.owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunUpdating, Text: how, Head: head, Base: &checkpoint.Base{Name: r.Base.Name, Commit: m.a.Seen.Base}}}, nil
	}))
}

// failedWithoutConflicts reports whether git failed for a reason other than conflicts. git exits with 1 in both cases. If a rebase
// failed without conflicts, it is aborted here.
func (m updater) failedWithoutConflicts(ctx context.Context, tree *gitstate.Repo, how, said string) bool {
	if how != "rebase" {
		return strings.Contains(said, "Unable to write index") // the disk is full; git then exits with the same code as after a conflict
	}
	if unmerged, err := tree.Line(ctx, "ls-files", "-u"); err == nil && unmerged != "" {
		return false
	}
	m.abort(ctx, tree, ongoing.Rebase)
	return true
}

// abort aborts an update that git left incomplete. It ignores its own error, because the first failure is the one to report.
func (m updater) abort(ctx context.Context, tree *gitstate.Repo, op ongoing.Operation) {
	if ongoing.OperationIn(tree) == op {
		_, _ = tree.Git(ctx, process.Call{Args: []string{string(op), "--abort"}, Mode: process.Write, Locks: site.MoveLocks(tree, m.out.Journal.Run.Branch)})
	}
}

// noteMergedWorktree stores how the worktree looks after an update. Later checks compare with it, so that changes from the base do not
// invalidate finished tasks.
func (m updater) noteMergedWorktree(ctx context.Context, tree *gitstate.Repo) (err error) {
	if m.mergedState, err = execution.DescribeFiles(ctx, tree, tasks.Watched(m.a.Plan)); err != nil {
		return err
	}
	_, m.head, err = tree.Refs.Head(ctx)
	m.out.Updated = m.head
	return err
}

// finishUpdate makes the merge commit of an interrupted merge of the base that has no conflicts left.
func (m updater) finishUpdate(ctx context.Context) error {
	tree, err := m.workTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	_, err = tree.Git(ctx, process.Call{Args: []string{"commit", "--quiet", "--no-edit"}, Mode: process.Write,
		Env: []string{"GIT_EDITOR=:"}, Locks: site.MoveLocks(tree, m.out.Journal.Run.Branch)})
	if err != nil {
		return err
	}
	return m.noteMergedWorktree(ctx, tree)
}

// commitRest commits all uncommitted files as unfinished work of the current task, except in the user's own worktree. It does this because
// git may refuse to merge or to rebase in a worktree with uncommitted changes.
func (m updater) commitRest(ctx context.Context, tree *gitstate.Repo) error {
	left, err := tasks.Uncommitted(ctx, tree)
	r := &m.out.Journal.Run
	if err != nil || len(left) == 0 || r.Here {
		return err
	}
	q := commit.Request{Run: r.ID, Partial: true, Subject: assess.UnfinishedWork, Stage: commit.Everything, NoVerify: true, SignWithin: commit.SignWithin}
	if _, t := r.Current(); t != nil {
		q.Task, q.Subject = t.ID, assess.UnfinishedWork+" on "+string(t.ID)
	}
	made, err := commit.Make(ctx, tree, q)
	m.out.Unadded = append(m.out.Unadded, made.Unadded...)
	if err != nil || made.Empty {
		return err
	}
	return m.note(ctx, checkpoint.Event{Event: checkpoint.Checkpoint, Task: q.Task, Commit: made.ID, Tree: made.Tree, Patch: made.Patch, Head: made.ID})
}
