package resume

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Taker takes over runs that were recorded in another clone or by somebody else.
type Taker struct {
	*site.Site
	Find    *candidate.Finder
	Staging *staging.Stager
}

// HereError says that a run works on a branch of the user, but this branch is not checked out in the current worktree. Branch is empty if
// the run works on a detached HEAD, but a branch is checked out.
type HereError struct {
	Run    checkpoint.RunID
	Branch refs.Name
}

func (e *HereError) Error() string {
	if e.Branch == "" {
		return fmt.Sprintf("run '%s' has no worktree of its own, and works on a detached HEAD, but a branch is checked out here", e.Run)
	}
	return fmt.Sprintf("run '%s' has no worktree of its own, and its branch '%s' is not checked out here", e.Run, site.ShortBranch(e.Branch))
}

// TakeOver makes a run from another clone belong to this clone. It also takes back a run of this clone that was continued elsewhere.
// Journal lines from other clones stay untrusted, so TakeOver writes its own lines for everything that it accepts.
//
// The arguments are the run and the last commit of its branch, as the user saw them. If either has changed since then, TakeOver returns
// ErrMoved.
func (e *Taker) TakeOver(ctx context.Context, shown *checkpoint.Run, tip object.ID) (*journal.Journal, error) {
	id := shown.ID
	release, err := e.Staging.Hold(id)
	if err != nil {
		return nil, err
	}
	defer release()
	if busy := owner.Busy(e.Store, id); busy != nil && busy.Task {
		return nil, busy
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return nil, err
	}
	if j.Run.Closed() {
		return nil, &candidate.ClosedError{ID: id, State: checkpoint.StateOf(&j.Run, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
	}
	if now, err := e.Store.History().BranchTip(ctx, &j.Run); err != nil {
		return nil, err
	} else if now != tip {
		return nil, candidate.ErrMoved
	}
	if tip, err = e.bringBranch(ctx, &j.Run, tip); err != nil {
		return nil, err
	}
	t := takeover{Taker: e, tip: tip}
	if t.landed, err = e.landed(ctx, j); err != nil {
		return nil, err
	}
	if t.path, t.admin, err = e.placeOf(ctx, &j.Run); err != nil {
		return nil, err
	}
	j, err = e.Store.Append(ctx, id, journal.Batch{Takeover: true, Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if !sameRecord(r, shown) {
			return nil, candidate.ErrMoved
		}
		return t.events(r), nil
	}})
	if err != nil {
		return nil, err
	}
	return j, e.keepBase(ctx, &j.Run)
}

// landed lists commits that are on the branch and finished a task, but are missing from the journal. TakeOver must record them now, because
// git-resume will later search only commits that are newer than the present end of the branch.
func (e *Taker) landed(ctx context.Context, shown *journal.Journal) ([]checkpoint.Evidence, error) {
	if shown.Run.Rebuilt {
		return nil, nil
	}
	j, err := e.Store.Load(ctx, shown.Run.ID) // read the journal alone, without the results that were found in commits
	if err != nil {
		return nil, err
	}
	return e.Store.History().Landed(ctx, &j.Run)
}

// bringBranch creates the missing branch of a run, at the commit that the user was shown. Otherwise the run would start again at its base,
// although its record says that tasks are done. The result is the end of the branch; "" if there is still no branch.
func (e *Taker) bringBranch(ctx context.Context, r *checkpoint.Run, tip object.ID) (object.ID, error) {
	if tip != "" || r.Here || r.Branch == "" || r.Head == "" || r.Rooted {
		return tip, nil
	}
	if c, err := e.Repo.Objects.Commit(ctx, string(r.Head)); err != nil || c.ID != r.Head {
		return "", nil // there is no branch, because this clone does not have the commit
	}
	return r.Head, e.Repo.Refs.Update(ctx, refs.Update{Ref: r.Branch, New: r.Head, Message: "git-resume: bring back"})
}

// sameRecord reports whether two versions of a run agree. If they differ, journal lines have arrived that the user has not seen.
func sameRecord(a, b *checkpoint.Run) bool {
	return a.Events == b.Events && a.HeardSum() == b.HeardSum() && a.Base == b.Base && a.Branch == b.Branch && a.Plan == b.Plan && a.Here == b.Here
}

// placeOf returns the run's worktree as git has registered it, or "" if there is none. It does not trust the path in the journal. A run in
// the user's own worktree must have its branch checked out in the current worktree.
func (e *Taker) placeOf(ctx context.Context, r *checkpoint.Run) (path, admin string, err error) {
	if r.Here {
		branch, _, err := e.Repo.Refs.Head(ctx)
		if err == nil && branch != r.Branch {
			err = &HereError{Run: r.ID, Branch: r.Branch}
		}
		return e.Repo.WorkTree, e.Admin(), err
	}
	if r.Admin == "" {
		return "", "", nil // the journal records no finished worktree, so a registered one may be an incomplete checkout and is not used
	}
	t, err := e.Staging.Registered(ctx, r)
	if err != nil || t.Admin == "" {
		return "", "", err
	}
	return t.Path, filepath.Base(t.Admin), nil
}

// keepBase creates a ref to the base commit of a run from another clone. The ref protects this commit from garbage collection.
func (e *Taker) keepBase(ctx context.Context, r *checkpoint.Run) error {
	at, err := e.Repo.Refs.Ref(ctx, checkpoint.BaseRef(r.ID))
	if err != nil || at != "" {
		return err
	}
	if _, err := e.Repo.Objects.Commit(ctx, string(r.Base.Commit)); errors.Is(err, object.ErrMissing) {
		return nil // the base commit was not fetched
	}
	return e.Repo.Refs.Update(ctx, refs.Update{Ref: checkpoint.BaseRef(r.ID), New: r.Base.Commit})
}

type takeover struct {
	*Taker
	tip   object.ID
	path  string
	admin string
	// landed are commits that finished a task and are not recorded.
	landed []checkpoint.Evidence
}

func (t takeover) events(r *checkpoint.Run) []checkpoint.Event {
	base := r.Base
	ev := checkpoint.Event{
		Event: checkpoint.RunTaken, Name: r.Name, Base: &base, Branch: r.Branch, Plan: r.Plan, PlanFile: r.PlanFile, PlanHash: r.PlanHash,
		Source: r.Source, SourceID: r.SourceID, Text: r.Mode, Here: r.Here, Head: t.tip, BaseTip: r.BaseTip, Heard: r.HeardSum(),
	}
	ev.Worktree, ev.Admin = t.path, t.admin
	out := append([]checkpoint.Event{ev}, t.consent(r)...)
	if r.Rooted {
		return append(out, t.foundResults(r)...)
	}
	for i := range r.Tasks {
		out = append(out, restate(&r.Tasks[i])...)
	}
	out = append(out, t.foundResults(r)...)
	if r.Setup != nil && r.Setup.State == checkpoint.Done && t.admin != "" {
		out = append(out, checkpoint.Event{Event: checkpoint.SetupDone, Attempt: r.Setup.Attempt})
	}
	if r.Begun() {
		out = append(out, checkpoint.Event{
			Event: checkpoint.RunStopped, Cause: checkpoint.CauseTaken, Head: t.tip, Tree: r.Left.Tree, Differs: r.Left.Differs, DiffersSum: r.Left.Sum,
		})
	}
	if r.Paused {
		out = append(out, checkpoint.Event{Event: checkpoint.RunPaused, Text: r.Cause})
	}
	return out
}

// consent returns two events. The first records from which remote this clone got the run, and the second that the user accepts this remote.
// It returns none if this clone has not itself seen the run at that remote: journal lines of other clones must not choose the remote.
func (t takeover) consent(r *checkpoint.Run) []checkpoint.Event {
	seen := exchange.ReadSeen(t.Store.Folder(), r.ID)
	if seen == nil || !r.Share.Bound() || r.Share.Remote != seen.Sum {
		return nil
	}
	return []checkpoint.Event{
		{Event: checkpoint.RunShared, Remote: seen.Sum}, {Event: checkpoint.RunAccepted, Remote: seen.Sum, Plan: r.Plan, Commit: t.tip},
	}
}

// restate returns new events of our own that repeat the state of a task. That state is only known from journal lines of other clones.
func restate(t *checkpoint.Task) []checkpoint.Event {
	var out []checkpoint.Event
	ev := checkpoint.Event{Task: t.ID, Attempt: t.Attempt, Title: t.Title}
	if t.LastSeq > 0 && t.State == checkpoint.Pending {
		ev.Event = checkpoint.TaskAdded
		out = append(out, ev)
	}
	if t.Answer != "" {
		out = append(out, checkpoint.Event{Event: checkpoint.TaskAnswered, Task: t.ID, Attempt: t.Attempt, Text: t.Answer})
		if t.Asks {
			return out
		}
	}
	if t.LastSeq == 0 && !t.Found {
		return out // nothing has happened to the task since the plan was made
	}
	ev.Title = ""
	switch t.State {
	case checkpoint.Active:
		ev.Event, ev.Head, ev.Command = checkpoint.TaskStarted, t.FromHead, t.Command
		if t.Before != nil {
			ev.Differs, ev.DiffersSum = t.Before.Differs, t.Before.Sum
		}
	case checkpoint.Done:
		ev.Event, ev.Commit, ev.Tree, ev.Patch, ev.Found, ev.Text, ev.Command = checkpoint.TaskDone, t.Commit, t.Tree, t.Patch, t.Found, t.Reason, t.Command
	case checkpoint.Failed:
		ev.Event, ev.Cause, ev.ExitCode, ev.Until, ev.Text = checkpoint.TaskFailed, t.Cause, t.ExitCode, t.Until, t.Reason
	case checkpoint.Blocked:
		ev.Event, ev.Text, ev.Options = checkpoint.TaskBlocked, t.Question, t.Options
	case checkpoint.Skipped:
		ev.Event, ev.Text = checkpoint.TaskSkipped, t.Reason
	default:
		return out
	}
	return append(out, ev)
}

// foundResults returns events for results that are on the branch but were never recorded. The report of another clone adds none: only the
// trailers of a commit on the run's branch prove that a task is done.
func (t takeover) foundResults(r *checkpoint.Run) []checkpoint.Event {
	out := tasks.FoundEvents(r, t.landed, "")
	for i := range out {
		out[i].Head = t.tip
	}
	return out
}

// BuiltSince lists the commits on a run's branch since its base, newest first, at most MaxStrange of them.
func (e *Taker) BuiltSince(ctx context.Context, r *checkpoint.Run) ([]object.Commit, error) {
	tip, err := e.Store.History().BranchTip(ctx, r)
	if tip == "" && r.Head != "" {
		if c, err := e.Repo.Objects.Commit(ctx, string(r.Head)); err == nil {
			tip = c.ID // the branch is missing here, and would be created at this commit
		}
	}
	if err != nil || tip == "" || r.Base.Commit == "" {
		return nil, err
	}
	return e.Store.History().Between(ctx, r.Base.Commit, tip, tasks.MaxStrange)
}

// OwnOnly leaves out the runs from other clones. Such a run may be continued only if the user names it.
func OwnOnly(all []candidate.Summary) []candidate.Summary {
	return slices.DeleteFunc(slices.Clone(all), func(s candidate.Summary) bool { return s.Found == nil && !s.Run.Ours() })
}
