package merge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/forward"
)

// mergeAttempt is a single attempt to merge a run into its base.
type mergeAttempt struct {
	*site.Site
	// tree is the worktree in which the base is checked out. The field "before" holds the commit of the base before the merge, and tip
	// holds the commit to merge.
	tree        *gitstate.Repo
	run         *checkpoint.Run
	before, tip object.ID
	// status lists the uncommitted changes before the merge. mover notes which files git is about to change, and restores them if git fails.
	status []gitstate.Change
	// unsure lists files that an interrupted merge may have written, but that have another content now.
	mover  forward.Mover
	unsure []string
	// others is true if a merge of other commits is in progress in the worktree.
	others bool
	said   bytes.Buffer
	// request is what the user asked for. tasks and path are the run's tasks and its worktree.
	request Request
	tasks   []checkpoint.Task
	path    string
	// merged is the last commit of the run's branch. The field tip is usually the same commit. With --strip, tip is a copy of it without
	// trailers. Once the commit of a squash is made, tip is that commit.
	merged object.ID
	// earlier lists the recorded merges of the run that the base contains.
	earlier []checkpoint.Event
}

// merge runs git merge. If an earlier merge of the same commits was killed just before its commit, merge only makes that commit. If the
// base already has the run's commits, merge only records that.
func (m *mergeAttempt) merge(ctx context.Context, what string) (*Merged, error) {
	finish, err := m.examine(ctx, what)
	if err != nil {
		return nil, err
	}
	if !finish {
		if event, ok := m.alreadyMerged(ctx); ok {
			return m.already(ctx, event)
		}
	}
	message, err := m.describe(ctx)
	if err != nil {
		return nil, err
	}
	if m.request.Squash {
		made, err := squashing{m}.writeSquash(ctx, message)
		if err != nil {
			return nil, err
		}
		if made == "" { // nothing to commit, because the base already has the same changes from elsewhere
			return m.already(ctx, checkpoint.Event{Commit: m.before, Found: true})
		}
		what, m.tip = string(made), made
	}
	if !finish {
		if err := m.announce(ctx); err != nil {
			return nil, err
		}
	}
	if err := m.runGit(ctx, m.arguments(what, finish, mergeMessage(message))); err != nil {
		return nil, err
	}
	out := &Merged{Base: m.run.Base.Name, Finished: finish, Output: m.said.String(), Squash: m.request.Squash}
	event, err := landing{m}.landed(ctx)
	if err != nil {
		return nil, err
	}
	out.Commit, out.Already = event.Commit, event.Found
	return out, m.record(ctx, out, event)
}

// already returns the result for a run whose commits the base already contains.
func (m *mergeAttempt) already(ctx context.Context, event checkpoint.Event) (*Merged, error) {
	m.mover.End() // a killed merge may have left its note, which must have no effect after an undo
	out := &Merged{Base: m.run.Base.Name, Commit: event.Commit, Already: true}
	return out, m.record(ctx, out, event)
}

// arguments returns the git command that merges a commit. If finish is true, all files are merged already, and the command only makes the
// commit.
func (m *mergeAttempt) arguments(what string, finish bool, message string) []string {
	// Disable git's automatic gc. If it were killed, it would leave a lock, and git-resume would not recognize that lock as its own.
	args := []string{"-c", "maintenance.auto=false", "-c", "gc.auto=0"}
	if finish {
		return append(args, "commit", "--no-edit", "--cleanup=whitespace", "-m", message)
	}
	args = append(append(args, "merge", "--no-edit"), m.request.options()...)
	return append(args, "-m", message, what)
}

// runGit runs the git command that moves the base. If git fails, the error usually describes what git left in the worktree. The error is
// ErrMoved if the base moved after the commit of a squash was made, because git cannot fast-forward to that commit then.
func (m *mergeAttempt) runGit(ctx context.Context, args []string) error {
	var refused bytes.Buffer // separate from m.said: in one buffer, git's error would come before the output that led to it
	_, err := m.tree.Git(ctx, process.Call{
		Args: args, Mode: process.User, Env: []string{"GIT_EDITOR=:", "GIT_REFLOG_ACTION=" + m.reflogAction()},
		Stdout: &m.said, Stderr: &refused, Locks: m.mover.Locks,
	})
	m.said.Write(refused.Bytes())
	var git *process.Error
	if errors.As(err, &git) {
		if m.said.Len() == 0 {
			m.said.WriteString(git.Text) // git printed nothing, for example because it was killed, so use the text of the error
		}
		if (squashing{m}).isOutdated(ctx) {
			return candidate.ErrMoved
		}
		return m.describeFailure(ctx)
	}
	if err == nil {
		m.mover.End()
	}
	return err
}

// record writes a merge into the journal, if the journal does not have it yet. The caller must have moved the base branch already. It also
// counts the commits that the run's branch has got since git merged.
func (m *mergeAttempt) record(ctx context.Context, out *Merged, event checkpoint.Event) error {
	event.Event, event.Merged, out.Tip = checkpoint.RunMerged, m.merged, m.merged
	var err error
	out.Journal, err = m.Store.Append(ctx, m.run.ID, journal.Batch{Decide: func(now *checkpoint.Run) ([]checkpoint.Event, error) {
		if out.Since, err = m.commitsSince(ctx); err != nil || now.Merged == event.Commit {
			return nil, err
		}
		return []checkpoint.Event{event}, nil
	}})
	return err
}

// commitsSince counts the commits of the run's branch that are newer than the one that was merged.
func (m *mergeAttempt) commitsSince(ctx context.Context) (n int, err error) {
	tip, err := m.Repo.Refs.Ref(ctx, m.run.Branch)
	if err != nil || tip == "" || tip == m.merged {
		return 0, err
	}
	count, err := m.Repo.Line(ctx, "rev-list", "--count", string(m.merged)+".."+string(tip), "--")
	if err == nil {
		_, err = fmt.Sscan(count, &n)
	}
	return n, err
}

// alreadyMerged returns the event that records an earlier merge, if the base already contains the run. For any other run, ok is false. If
// it is not known where the base was before that merge, the event is marked as Found, and undo does not offer to reverse the merge.
func (m *mergeAttempt) alreadyMerged(ctx context.Context) (event checkpoint.Event, ok bool) {
	for _, e := range slices.Backward(m.earlier) {
		within, err := past.IsAncestor(ctx, m.tree, m.tip, e.Commit)
		if e.Merged == m.merged || err == nil && within {
			return checkpoint.Event{Commit: e.Commit, BaseTip: e.BaseTip, Found: e.Found, Text: e.Text}, true
		}
	}
	if event, ok := m.unrecorded(ctx); ok {
		return event, true
	}
	if !m.inBase(ctx, m.tip) {
		return checkpoint.Event{}, false
	}
	c, err := m.tree.Objects.Commit(ctx, string(m.before))
	if err == nil && len(c.Parents) == 2 && c.Parents[1] == m.tip {
		return checkpoint.Event{Commit: m.before, BaseTip: c.Parents[0]}, true
	}
	return checkpoint.Event{Commit: m.before, Found: true}, true
}

// examine stores the state of the worktree before git starts. It returns true if an earlier merge of the same commits only has to be
// committed.
func (m *mergeAttempt) examine(ctx context.Context, what string) (finish bool, err error) {
	if err := m.AwaitMerge(m.tree); err != nil {
		return false, err
	}
	if _, m.before, err = m.tree.Refs.Head(ctx); err != nil {
		return false, err
	}
	tip, err := m.tree.Objects.Commit(ctx, what)
	if err != nil {
		return false, fmt.Errorf("read the commit to merge: %w", err)
	}
	m.tip = tip.ID
	if m.merged, err = m.Repo.Refs.Ref(ctx, m.run.Branch); err != nil {
		return false, err
	}
	if m.earlier, err = m.earlierMerges(ctx); err != nil {
		return false, err
	}
	if finish, err = m.onlyLacksCommit(ctx); finish || err != nil {
		return finish, err
	}
	if m.unsure, err = m.mover.SetBack(ctx, m.before); err != nil {
		return false, err
	}
	m.status, err = m.tree.Status(ctx)
	return false, err
}

// onlyLacksCommit reports whether a merge of the same commits is in progress and has only to be committed. It returns a *StoppedError if
// git-resume must not make this commit: the merge has conflicts, its index differs from git's own result, or the user now wants a squash.
// For any other operation in progress it returns false, because then "git merge" itself refuses to start.
func (m *mergeAttempt) onlyLacksCommit(ctx context.Context) (bool, error) {
	if ongoing.OperationIn(m.tree) != ongoing.Merge {
		return false, nil
	}
	all, err := ongoing.In(ctx, m.tree)
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(all, func(o ongoing.Ongoing) bool { return o.Op == ongoing.Merge })
	if i < 0 || !slices.Equal(all[i].Heads, []object.ID{m.tip}) {
		m.others = true
		return false, nil
	}
	if m.inBase(ctx, m.tip) { // git was killed after it had moved the base, so only its notes about the merge are left
		_, err := m.tree.Git(ctx, process.Call{Args: []string{"merge", "--quit"}, Mode: process.Write, Locks: m.mover.Locks})
		return false, err
	}
	if len(all[i].Unmerged) > 0 {
		return false, m.fault(func(e *StoppedError) { e.Half = true })
	}
	if m.request.Squash || !m.indexIsComplete(ctx) {
		return false, m.fault(func(e *StoppedError) { e.Waits = true })
	}
	return true, nil
}

// indexIsComplete reports whether the index holds exactly the result that git makes when it merges the two commits.
func (m *mergeAttempt) indexIsComplete(ctx context.Context) bool {
	store, err := past.NewScratch(m.tree)
	if err != nil {
		return false
	}
	defer store.Close()
	made, err := store.Merge(ctx, string(m.before), string(m.tip))
	if err != nil || !made.Clean {
		return false
	}
	_, err = store.Repo.Git(ctx, process.Call{Args: []string{"diff-index", "--cached", "--quiet", string(made.Tree), "--"}})
	return err == nil
}

func (m *mergeAttempt) fault(say func(*StoppedError)) error {
	e := &StoppedError{Run: m.run.ID, Base: m.run.Base.Name, Path: m.tree.WorkTree, Text: m.said.String(), Unsure: m.unsure}
	say(e)
	return e
}
