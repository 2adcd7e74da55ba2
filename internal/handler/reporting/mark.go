package reporting

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Finish ends a run early. If the run is already finished, Finish only returns it.
func (e *Reporter) Finish(ctx context.Context, run string) (*journal.Journal, error) {
	j, err := e.appendToRun(ctx, run, true, func(d *taskReport, r *checkpoint.Run) ([]checkpoint.Event, error) {
		if err := withoutTakeover(d.allowed(r)); err != nil {
			return nil, err
		}
		// If this process is killed before the user has seen the end, a script that is started again must find it, and not start again from the beginning.
		if err := e.Store.Folder().KeepUnreported(r.ID); err != nil {
			return nil, fmt.Errorf("finish the run: %w", err)
		}
		return []checkpoint.Event{{Event: checkpoint.RunFinished}}, nil
	})
	if was := e.findClosedRun(ctx, err); was != nil {
		return was, nil
	}
	return j, err
}

// withoutTakeover marks an *UncheckedError of a command that has no option --takeover. It changes no other error.
func withoutTakeover(err error) error {
	if unchecked := new(UncheckedError); errors.As(err, &unchecked) {
		unchecked.NoTakeover = true
	}
	return err
}

// appendToRun appends events that concern the run but not its worktree. It refuses a closed run, and a run that is not ours.
func (e *Reporter) appendToRun(ctx context.Context, run string, asked bool, decide func(*taskReport, *checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	d, err := e.openForPerson(ctx, id)
	if err != nil {
		return nil, err
	}
	if err := site.MustOwn(&d.j.Run); err != nil && !d.j.Run.Closed() {
		return nil, err
	}
	return e.Store.Append(ctx, id, journal.Batch{Asked: asked, Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if r.Closed() {
			return nil, &candidate.ClosedError{ID: r.ID, State: checkpoint.StateOf(r, checkpoint.Life{}, e.Now(), candidate.IdleAfter)}
		}
		return decide(d, r)
	}})
}

// openForPerson opens a run for a person who pauses, answers or ends it but does not work on it.
func (e *Reporter) openForPerson(ctx context.Context, id checkpoint.RunID) (*taskReport, error) {
	if err := e.Store.Remember(ctx); err != nil {
		return nil, err
	}
	clone, err := e.Clone()
	if err != nil {
		return nil, err
	}
	actor, err := e.Driver(0, clone)
	if err != nil {
		return nil, err
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return nil, err
	}
	return &taskReport{Site: e.Site, reporter: e, j: j, actor: actor, clone: clone}, nil
}

// CheckpointRequest asks for a commit of unfinished work.
type CheckpointRequest struct {
	Run      string
	Message  string
	Paths    []string
	NoVerify bool
	Owner    int
}

// Checkpoint commits the work of the current task so far, if there is any, and marks the commit as partial.
func (e *Reporter) Checkpoint(ctx context.Context, q CheckpointRequest) (*Reported, error) {
	if err := checkText("the message", q.Message); err != nil {
		return nil, err
	}
	id, err := e.Find.Resolve(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	d, err := e.open(ctx, id, q.Owner, false)
	if err != nil {
		return nil, withoutTakeover(err)
	}
	unlock, err := e.LockTree(e.Admin(), treePatience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	d.q = TaskReport{Verb: Done, Message: q.Message, Paths: q.Paths, NoVerify: q.NoVerify}
	out, err := d.checkpoint(ctx)
	return out, withoutTakeover(err)
}

func (d *taskReport) checkpoint(ctx context.Context) (*Reported, error) {
	if err := errors.Join(d.reload(ctx), d.checkPlace(ctx)); err != nil {
		return nil, err
	}
	_, t := d.j.Run.Current()
	if d.place != nil {
		t = d.j.Run.Task(d.place.Task)
	}
	if t != nil {
		d.task = t.ID
	}
	changes, err := d.Repo.Status(ctx)
	if err != nil {
		return nil, err
	}
	c := d.commitRequest(ctx, t)
	c.Partial = true
	switch {
	case len(d.q.Paths) > 0:
		c.Stage, c.Paths, c.Dir = stageForPaths(changes), d.q.Paths, d.reporter.folderOfNames()
	case !d.j.Run.Here:
		c.Stage = commit.Everything
	case !slices.ContainsFunc(changes, gitstate.Change.Staged):
		return d.checkpointEmpty(ctx, changes)
	}
	if err := d.saveStaged(ctx, c, changes); err != nil {
		return nil, err
	}
	if d.commit, err = commit.Make(ctx, d.Repo, c); err != nil {
		return nil, err
	}
	if d.commit.Empty {
		return d.checkpointEmpty(ctx, changes)
	}
	if err := d.recordNewCommit(ctx, c, changes); err != nil {
		return nil, err
	}
	return d.recordCheckpoint(ctx)
}

// recordCheckpoint records the commit of unfinished work in the journal.
func (d *taskReport) recordCheckpoint(ctx context.Context) (*Reported, error) {
	ev := d.addLocation(checkpoint.Event{Event: checkpoint.Checkpoint, Task: d.task, Commit: d.commit.ID, Tree: d.commit.Tree, Patch: d.patch})
	if d.place != nil {
		ev.Place.Commit, ev.Commit, ev.Tree, ev.Patch = d.commit.ID, "", "", ""
	}
	j, err := d.Store.Append(ctx, d.j.Run.ID, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if err := d.allowed(r); err != nil {
			return nil, err
		}
		// First record results that are committed but not yet recorded.
		// Later commands search only the commits after this event, so they would miss these results.
		events := tasks.FoundEvents(r, d.landed, "")
		return append(append(events, d.driven(r)...), ev), nil
	}})
	if err != nil {
		return nil, err
	}
	return &Reported{Journal: j, Commit: d.commit, Made: true, Left: d.left, Staged: d.staged, StagedIn: d.stagedIn}, nil
}

// checkpointEmpty handles a checkpoint that finds nothing to commit. An earlier checkpoint may have been killed after its commit.
// Then checkpointEmpty only records that commit.
func (d *taskReport) checkpointEmpty(ctx context.Context, changes []gitstate.Change) (*Reported, error) {
	c, err := d.Repo.Objects.Commit(ctx, string(d.head))
	if err != nil {
		return nil, err
	}
	if d.place == nil && d.head != d.j.Run.Head && d.isPartial(c) {
		if err := d.useCommit(ctx, d.head, changes); err != nil {
			return nil, err
		}
		return d.recordCheckpoint(ctx)
	}
	d.Store.Settle(ctx, d.j.Run.ID)
	return &Reported{Journal: d.j, Already: true, Left: len(changes), Staged: d.staged, StagedIn: d.stagedIn}, nil
}

// isPartial reports whether a commit's trailers say that it belongs to this run and does not finish its task.
func (d *taskReport) isPartial(c object.Commit) bool {
	ours, partial := false, false
	for _, t := range gitstate.Trailers(c.Message) {
		ours = ours || t.Key == checkpoint.TrailerRun && t.Value == string(d.j.Run.ID)
		partial = partial || t.Key == checkpoint.TrailerState && t.Value == checkpoint.Partial
	}
	return ours && partial
}

// Log returns the events of a run in order. It includes lines that cannot be parsed.
func (e *Reporter) Log(ctx context.Context, run string) (checkpoint.RunID, []checkpoint.Line, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return "", nil, err
	}
	lines, err := e.Store.Lines(ctx, id)
	return id, lines, err
}

// CheckFrom returns an error if a run does not have the task that the user named. It does not check other systems' work or damaged runs.
func (e *Reporter) CheckFrom(ctx context.Context, key candidate.Key, given string) error {
	s, err := e.Find.Lookup(ctx, key)
	if err != nil || s.Found != nil || s.Damaged != "" {
		return err
	}
	_, err = candidate.NeedTask(&s.Run, given)
	return err
}

// maxShownLog limits how much of a task's stored output is read.
const maxShownLog = 64 << 20

// TaskLog returns what the last attempt of a task, or of the setup, printed.
func (e *Reporter) TaskLog(ctx context.Context, run, task string) ([]byte, error) {
	id, err := e.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	j, err := e.Find.Journal(ctx, id)
	if err != nil {
		return nil, err
	}
	name, attempt := checkpoint.TaskID(tasks.SetupTask), ""
	if t := candidate.FindTask(&j.Run, task); t != nil {
		name, attempt = t.ID, t.Attempt
	} else if task == tasks.SetupTask && j.Run.Setup != nil {
		attempt = j.Run.Setup.Attempt
	} else {
		_, err := candidate.NeedTask(&j.Run, task)
		return nil, err
	}
	text, err := execution.Read(e.Store.Folder().LogPath(id, name, attempt), maxShownLog)
	if err != nil {
		return nil, fmt.Errorf("no output of task '%s' is stored here", name)
	}
	return text, nil
}

// LetGoEvents returns the events that remove the worker of a run. It returns none if there is no worker, or if the worker is dead or is
// an ancestor of this process.
func (e *Reporter) LetGoEvents(r *checkpoint.Run) []checkpoint.Event {
	d := r.Driver
	if d == nil || d.Fate(e.Procs, clone.ID(e.Repo)) == proc.Dead || e.Procs.Descends(e.PID, d.PID, d.Start) {
		return nil
	}
	return []checkpoint.Event{{Event: checkpoint.RunDriven}}
}
