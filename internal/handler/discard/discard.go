package discard

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/trash"
)

// Discarder discards runs.
type Discarder struct {
	*site.Site
	Find    *candidate.Finder
	Staging *staging.Stager
	Adopt   *adopt.Adopter
}

// DiscardMode says how careful a discard is.
type DiscardMode int

const (
	// DiscardCarefully refuses if something would be lost or is still in progress.
	DiscardCarefully DiscardMode = iota
	// DiscardForced skips checks that protect the worktree, for example whether a process is using it. A run that somebody works on is
	// still refused.
	DiscardForced
)

// Preview describes what a discard would remove.
type Preview struct {
	Run     candidate.Summary
	Preview trash.Preview
	// As holds the run id under which another system's work is kept after the discard. It is empty for our own runs, which keep their ids.
	As checkpoint.RunID
	// Keep is the time during which the run can be restored.
	Keep time.Duration
	// Living lists the processes that are running in the run's worktree, except shells that are waiting for a command.
	Living []proc.Process
	// InBase is true if the base has all changes of the branch, although it does not have all of its commits.
	InBase bool
	// Half is true if an earlier discard of the run was killed. This discard will finish it.
	Half bool
}

// Discarded describes what a discard removed.
type Discarded struct {
	Journal *journal.Journal
	// Already is true if the run had been discarded before.
	Already bool
	// Forgotten is true if nothing was kept, because the user's settings say to keep nothing.
	Forgotten bool
	trash.Discarded
}

// DataError says that the discard would lose ignored files that look like somebody's data.
type DataError struct {
	Run   checkpoint.RunID
	Files []string
}

func (e *DataError) Error() string { return "ignored files that look like data would be lost" }

// Preview describes what Discard would do; it changes nothing. If Discard would refuse, Preview can return both a preview and the reason.
func (e *Discarder) Preview(ctx context.Context, run string, mode DiscardMode) (*Preview, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	s, err := e.Find.Summary(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Run.Rebuilt && s.Rebuilt == "" {
		return nil, &candidate.LostJournalError{Run: id}
	}
	d := &Preview{Run: s}
	if d.Keep, err = e.Staging.KeepDiscarded(ctx); err != nil {
		return nil, err
	}
	req, err := e.Request(ctx, &s.Run, mode)
	if err != nil {
		return nil, err
	}
	if req.Path == "" {
		return d, e.MayDrop(&s.Run)
	}
	d.Preview, err = trash.PreviewDiscard(ctx, e.Repo, req, string(e.BaseTip(ctx, &s.Run)))
	if err != nil {
		return e.checkConcurrentDiscard(ctx, d, err)
	}
	d.Living = e.processesIn(d.Preview.Tree.Path)
	if d.Preview.Ahead > 0 {
		d.InBase, _ = candidate.InBase(ctx, e.Site, &s.Run, d.Preview.Tip) // after an error, only the commits are counted
	}
	return d, errors.Join(e.MayDrop(&s.Run), d.Preview.Refusal)
}

// checkConcurrentDiscard examines why a preview failed. It returns no error if another process has meanwhile discarded the run.
func (e *Discarder) checkConcurrentDiscard(ctx context.Context, d *Preview, fault error) (*Preview, error) {
	if err := e.MayDrop(&d.Run.Run); err != nil {
		return nil, err
	}
	now, err := e.Find.Summary(ctx, d.Run.Run.ID)
	if err != nil || !now.Run.Discarded {
		return nil, fault
	}
	d.Run = now
	return d, nil
}

// MayDrop refuses a run that is not ours, or that somebody is working on. A worker that only reports on the run does not count if it has
// started this process.
func (e *Discarder) MayDrop(r *checkpoint.Run) error {
	if err := site.MustOwn(r); err != nil {
		return err
	}
	if by := owner.Holder(e.Store, r.ID); by != nil {
		return &owner.HeldError{Run: r.ID, By: by}
	}
	if r.Closed() || r.Driver == nil || r.Resting() {
		return nil
	}
	if r.Driver.Fate(e.Procs, clone.ID(e.Repo)) == proc.Alive && !e.Procs.Descends(e.PID, r.Driver.PID, r.Driver.Start) {
		return &owner.HeldError{Run: r.ID, By: r.Driver, Reports: true}
	}
	return nil
}

func (e *Discarder) Request(ctx context.Context, r *checkpoint.Run, mode DiscardMode) (trash.DiscardRequest, error) {
	req := trash.DiscardRequest{Run: string(r.ID), Now: e.Now}
	if mode == DiscardForced {
		req.Care = trash.Forced
	}
	if r.Here {
		return req, nil // the run works in the user's own worktree, so no worktree, branch or file is touched
	}
	// Look for a worktree even if the start of the run was interrupted: the worktree may exist although nothing was recorded.
	t, err := e.Staging.Registered(ctx, r)
	if t.Admin != "" || r.Admin != "" && !t.Taken {
		req.Path = t.Path
	}
	// A journal can name any branch. So discard the branch only if it has the run's name or is checked out in the run's worktree.
	if e.OwnBranch(r) || t.Admin != "" && t.Branch == r.Branch {
		req.Branch = r.Branch
	}
	return req, err
}

// Discard removes the worktree and the branch that belong to the run, and marks the run as discarded. Undo can restore them while they
// are kept.
func (e *Discarder) Discard(ctx context.Context, id checkpoint.RunID, mode DiscardMode) (*Discarded, error) {
	return e.discard(ctx, id, discardOptions{mode: mode})
}

// DiscardShown is like Discard, but a person has seen the preview, including the processes in the worktree, and agreed to it.
func (e *Discarder) DiscardShown(ctx context.Context, d *Preview, mode DiscardMode) (*Discarded, error) {
	return e.discard(ctx, d.Run.Run.ID, discardOptions{mode: mode, shown: d})
}

type discardOptions struct {
	mode DiscardMode
	// shown is the preview that a person agreed to; nil if nobody was asked.
	shown *Preview
	// keep lists files in the worktree that are kept even if git ignores them.
	keep []string
	// path and branch are set for another system's work without a usable worktree: its branch, and the path of its worktree if that is
	// still registered.
	path   string
	branch refs.Name
}

func (e *Discarder) discard(ctx context.Context, id checkpoint.RunID, way discardOptions) (*Discarded, error) {
	unlock, err := e.lockWorktree(ctx, id)
	if err != nil {
		return nil, err
	}
	defer unlock()
	release, err := e.Staging.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := e.MayDropHeld(&j.Run); err != nil {
		return nil, err
	}
	req, err := e.Request(ctx, &j.Run, way.mode)
	if err != nil {
		return nil, err
	}
	req.Keep = way.keep
	if way.branch != "" {
		req.Path, req.Branch = way.path, way.branch
	}
	var known []proc.Process
	if way.shown != nil {
		req.Shown, known = &way.shown.Preview, way.shown.Living
	}
	if way.mode != DiscardForced {
		if err := e.refuseIfUsed(id, req.Path, known); err != nil {
			return nil, err
		}
	}
	if err := crew.PoolOf(e.Staging).Discard(ctx, &j.Run, way.mode == DiscardForced); err != nil {
		return nil, err
	}
	landed, err := e.unrecordedResults(ctx, id)
	if err != nil {
		return nil, err
	}
	merged := candidate.FoundMerged(ctx, e.Site, &j.Run) // looked for now, because the branch will be gone
	out := &Discarded{Journal: j, Already: j.Run.Discarded}
	req.Record = func(ctx context.Context, d trash.Discarded) error {
		out.Journal, err = e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
			if r.Discarded {
				return nil, nil
			}
			// Record the results that only the branch shows, because nobody can see them once the branch is gone.
			events := tasks.FoundEvents(r, landed, "")
			if r.MayLackMerge() {
				events = append(events, merged...)
			}
			return append(events, checkpoint.Event{Event: checkpoint.RunDiscarded, Tree: d.Snapshot}), nil
		}})
		return err
	}
	if out.Discarded, err = trash.Discard(ctx, e.Repo, req); err != nil {
		return nil, err
	}
	if out.Discarded.Already && !j.Run.Discarded {
		// The run's files are discarded, but its journal does not say so. This happens if an older version of git-resume undoes the record
		// of a discard without restoring the files. So record the discard again.
		if err := req.Record(ctx, out.Discarded); err != nil {
			return nil, err
		}
	}
	gone, err := e.Staging.Expire(ctx)
	out.Forgotten = slices.Contains(gone, string(id))
	return out, err
}

// lockWorktree locks the run's worktree against reports, and returns the function that unlocks it. It waits until no report is using the
// worktree, because moving the worktree could interrupt the report's commit. If the run has no worktree of its own, nothing is locked.
func (e *Discarder) lockWorktree(ctx context.Context, id checkpoint.RunID) (func(), error) {
	j, err := e.Store.Find(ctx, id)
	if err != nil || j.Run.Here {
		return func() {}, err
	}
	t, err := e.Staging.Registered(ctx, &j.Run)
	if err != nil || t.Admin == "" {
		return func() {}, err
	}
	return e.LockTree(filepath.Base(t.Admin), site.OperationPatience)
}

// unrecordedResults lists the results that commits on the branch show, so that they can be recorded before the branch is gone.
func (e *Discarder) unrecordedResults(ctx context.Context, id checkpoint.RunID) ([]checkpoint.Evidence, error) {
	j, err := e.Store.Load(ctx, id)
	if err != nil || j.Run.Closed() {
		return nil, nil // a closed run needs no further results; if the journal cannot be read, the next write to it reports why
	}
	return e.Store.History().Landed(ctx, &j.Run)
}

// MayDropHeld checks again whether anybody is working on the run. The caller holds the run's lock, so nobody can claim the run meanwhile.
func (e *Discarder) MayDropHeld(r *checkpoint.Run) error {
	if err := site.MustOwn(r); err != nil {
		return err
	}
	l := owner.FindLife(e.Store, r, e.Procs, time.Time{})
	if l.TaskLock {
		return &owner.HeldError{Run: r.ID, By: owner.TaskHolder(e.Store, r.ID), Task: true}
	}
	if !r.Closed() && !r.Resting() && l.Driver == proc.Alive && !e.Procs.Descends(e.PID, r.Driver.PID, r.Driver.Start) {
		return &owner.HeldError{Run: r.ID, By: r.Driver, Reports: true}
	}
	return nil
}

// Merged lists the finished runs whose discard would lose nothing, and runs whose discard was interrupted. The error names the runs that
// could not be examined.
func (e *Discarder) Merged(ctx context.Context) ([]Preview, error) {
	all, err := e.Find.Summaries(ctx, journal.AllRuns)
	if err != nil {
		return nil, err
	}
	var out []Preview
	var unseen error
	for i := range all {
		d, err := e.droppable(ctx, &all[i])
		if why := cmp.Or(all[i].Damaged, all[i].Rebuilt); why != "" { // we cannot know whether this run is finished
			err = errors.New(why)
		}
		if err != nil {
			unseen = errors.Join(unseen, fmt.Errorf("look at run '%s': %w", all[i].Run.ID, err))
		}
		if d != nil {
			out = append(out, *d)
		}
	}
	return out, unseen
}

// Discardable describes a finished run whose discard would lose nothing and whose worktree is not in use. It returns nil for any other
// run.
func (e *Discarder) Discardable(ctx context.Context, id checkpoint.RunID) (*Preview, error) {
	s, err := e.Find.Summary(ctx, id)
	if err != nil {
		return nil, err
	}
	d, err := e.droppable(ctx, &s)
	if err != nil || d == nil || d.Half || len(d.Living) > 0 {
		return nil, err
	}
	return d, nil
}

// droppable describes a finished run whose discard would lose nothing, or a run whose discard was interrupted. It returns nil for any
// other run.
func (e *Discarder) droppable(ctx context.Context, s *candidate.Summary) (*Preview, error) {
	if s.Run.Here {
		return nil, nil
	}
	if (s.State == checkpoint.FinishedRun || s.State == checkpoint.Discarded) && s.Run.Ours() && trash.HalfDiscarded(e.Repo, string(s.Run.ID)) {
		keep, err := e.Staging.KeepDiscarded(ctx)
		return &Preview{Run: *s, Keep: keep, Half: true}, err
	}
	if s.State != checkpoint.FinishedRun || s.Path == "" {
		return nil, nil
	}
	d, err := e.Preview(ctx, string(s.Run.ID), DiscardCarefully)
	if d == nil && isFault(err) {
		return nil, err
	}
	if err != nil { // the run must not be discarded, for example because somebody is working in the worktree
		return nil, nil
	}
	return e.previewIfMerged(ctx, d)
}

// previewIfMerged returns d if the base contains all commits of the run, and the run's worktree has nothing of value. Otherwise it
// returns nil.
func (e *Discarder) previewIfMerged(ctx context.Context, d *Preview) (*Preview, error) {
	if len(d.Preview.Changed)+len(d.Preview.Untracked)+len(d.Preview.Nested) > 0 || d.Preview.HoldsData() {
		return nil, nil
	}
	if within, err := candidate.InBase(ctx, e.Site, &d.Run.Run, d.Preview.Tip); err != nil || !within {
		return nil, err
	}
	return d, nil
}

// isFault reports whether an error means that a run could not be examined. It is false for an error that only says why the run must not be
// discarded.
func isFault(err error) bool {
	var held *owner.HeldError
	var lost *candidate.LostJournalError
	var elsewhere *checkpoint.ElsewhereError
	return err != nil && !errors.As(err, &held) && !errors.As(err, &lost) && !errors.As(err, &elsewhere)
}
