package resume

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Resumer continues runs.
type Resumer struct {
	*site.Site
	Find      *candidate.Finder
	Tasks     *tasks.Tasks
	Staging   *staging.Stager
	Adopt     *adopt.Adopter
	Judge     *assess.Judge
	Starting  *start.Starter
	Reporting *reporting.Reporter
	Dropping  *discard.Discarder
	Executing *Executer
	Taking    *Taker
}

// Choice says how to continue a run.
type Choice struct {
	// Reasons says why it is safe to continue, in words for the journal.
	Reasons []string
	Mode    assess.Mode
	// From is the task from which to continue: this task and all tasks after it are reopened. Skip is true if the current task is skipped.
	From string
	Skip bool
	// SkipTask is the task that Skip applies to. The user was shown this task, or has named it.
	SkipTask checkpoint.TaskID
	// Foreign says what to do about another system's work; empty means to continue it.
	Foreign sources.ActionRequest
	// Update merges the base into the run first, or rebases the run onto the base.
	Update bool
	// Brought is uncommitted work from another clone that is put into the worktree first, or nil.
	Brought *Brought
	Execute ExecuteRequest
	HandOff HandOff
	// Offer is the agent that the person chose for the next task, or nil.
	Offer *Offer
}

// Advanced is the result of continuing a run.
type Advanced struct {
	// Executed is set if tasks were executed; otherwise it is nil.
	Executed *Executed
	Journal  *journal.Journal
	Path     string
	Repaired []assess.Repair
	// Changed lists what was changed in the files of another system.
	Changed []sources.Change
	// Cleared is true if uncommitted work was removed from the worktree and is now only in the snapshot. Updated is the commit of HEAD
	// after the run was updated from its base; empty if it was not.
	Cleared bool
	Updated object.ID
	// Unadded lists nested repositories without a commit, which git could not add to the commit of unfinished work.
	Unadded []string
	// Handed is set if a tool that the user has configured took over the run. The tool has ended.
	Handed *Handed
	// NotHanded says why the session of an agent was not continued, although the user has asked for that with resume.handoff. Otherwise it
	// is nil.
	NotHanded *NotHanded
}

// continuing holds the state while a run or another system's work is continued.
type continuing struct {
	*site.Site
	resumer *Resumer
	a       *assess.Assessment
	c       Choice
	owner   *owner.Owner
	// mergedState describes the worktree after the base was merged in.
	mergedState checkpoint.WorktreeState
	head        object.ID
	out         Advanced
	// recordedForeignAct is true if an action on another system's work was recorded. Most such actions change files of that system, but
	// some only create a worktree.
	recordedForeignAct bool
}

// workTree opens the run's worktree, which must exist. The caller closes it.
func (m *continuing) workTree() (*gitstate.Repo, error) {
	r := &m.out.Journal.Run
	place, ok := m.TreeOf(r)
	if !ok {
		return nil, &TreeError{Run: r.ID, Path: r.Worktree}
	}
	return m.Repo.At(place), nil
}

// sameUncommitted saves the uncommitted files again. It returns ErrMoved if they have changed since the assessment that the user was
// shown. The output of this command does not count, because with "git resume > log" every look at the worktree would find a longer log.
func (m *continuing) sameUncommitted(ctx context.Context, place locate.Place, id checkpoint.RunID) error {
	tree := m.Repo.At(place)
	defer tree.Close()
	snap, err := m.resumer.Staging.Snapshot(ctx, tree, id, "before continuing")
	if err != nil || snap.Tree == m.a.Seen.Uncommitted {
		return err
	}
	if m.a.Seen.Uncommitted == "" || snap.Tree == "" {
		return candidate.ErrMoved
	}
	changed, err := snapshot.DiffTrees(ctx, tree, m.a.Seen.Uncommitted, snap.Tree)
	if err != nil {
		return err
	}
	for _, f := range changed {
		if !m.printsTo(filepath.Join(place.WorkTree, filepath.FromSlash(f.Path))) {
			return candidate.ErrMoved
		}
	}
	return nil
}

// printsTo reports whether a file receives the output of this command.
func (m *continuing) printsTo(path string) bool {
	file, err := os.Lstat(path)
	return err == nil && slices.ContainsFunc(m.Outputs, func(f *os.File) bool {
		to, err := f.Stat()
		return err == nil && os.SameFile(file, to)
	})
}

// note records events, and remembers the new journal.
func (m *continuing) note(ctx context.Context, events ...checkpoint.Event) error {
	return m.noted(m.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil }))
}

func (m *continuing) noted(j *journal.Journal, err error) error {
	if err == nil {
		m.out.Journal = j
	}
	return err
}

// Brought is uncommitted work that came from another clone. This clone has it as a snapshot.
type Brought struct {
	Snapshot snapshot.Snapshot
	// Put is true when the files of this work are in the worktree. Kept is true if they were not put there, because the worktree has
	// uncommitted work of its own, or another commit is checked out.
	Put, Kept bool
}

// ErrPut says that uncommitted work from another clone was put into the worktree. Before the run continues, the caller must assess it
// again, because the earlier assessment does not know this work.
var ErrPut = errors.New("uncommitted work from another clone was put into the worktree; repeat the command to continue on top of it")

// bringing puts uncommitted work of another clone into the worktree.
type bringing struct{ *continuing }

// put restores the uncommitted work from another clone in the worktree. It then returns ErrPut, so that the caller assesses the run again
// before it continues. If the worktree has other uncommitted changes, or another commit is checked out, put restores nothing and sets Kept;
// the work then stays in its snapshot. It does nothing if there is no such work, or if put was called before.
func (m bringing) put(ctx context.Context) error {
	b := m.c.Brought
	if b == nil || b.Put || b.Kept {
		return nil
	}
	tree, err := m.workTree()
	if err != nil {
		return err
	}
	defer tree.Close()
	changed, err := tasks.Uncommitted(ctx, tree)
	if err != nil {
		return err
	}
	if _, head, err := tree.Refs.Head(ctx); err != nil || len(changed) > 0 || head != b.Snapshot.Head {
		b.Kept = true
		return err
	}
	s := b.Snapshot
	if _, err := snapshot.Restore(ctx, tree, snapshot.RestoreRequest{Snapshot: s.ID, Number: s.Number, Purpose: snapshot.ByRestore, Run: s.Run, Now: m.Now}); err != nil {
		return err
	}
	b.Put = true
	return ErrPut
}
