package sharing

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree/trash"
)

// ParkedWork is work that this clone did under one lease and that does not count, because somebody else got the next lease before the
// work arrived at the remote.
type ParkedWork struct {
	Run   checkpoint.RunID
	Lease int
	// Commits lists the parked commits, oldest first. Ref is the ref that keeps them.
	Commits []checkpoint.Evidence
	Ref     refs.Name
	// Tasks lists the tasks that were recorded as done in the parked work.
	Tasks []checkpoint.TaskID
}

// commitsOf returns the parked commits of a task. It leaves out commits that do not complete the task.
func (p *ParkedWork) commitsOf(task checkpoint.TaskID) []checkpoint.Evidence {
	return slices.DeleteFunc(slices.Clone(p.Commits), func(e checkpoint.Evidence) bool { return e.Task != task || e.Partial })
}

// NotParkedError says that a run, or one of its tasks, has no parked work. Dropped is true if only parked work that was dropped was looked
// for.
type NotParkedError struct {
	Run     checkpoint.RunID
	Task    checkpoint.TaskID
	Dropped bool
}

func (e *NotParkedError) Error() string {
	const meaning = "work is parked if it was done without the lease, the right to work on the run"
	switch {
	case e.Dropped:
		return fmt.Sprintf("run '%s' has no dropped work", e.Run)
	case e.Task == "":
		return fmt.Sprintf("run '%s' has no parked work; %s", e.Run, meaning)
	}
	return fmt.Sprintf("no commit of task '%s' of run '%s' is parked; %s", e.Task, e.Run, meaning)
}

// DoneError says that the parked work of a task is not needed, because the run has a result of that task.
type DoneError struct {
	Run    checkpoint.RunID
	Task   checkpoint.TaskID
	Commit object.ID
}

func (e *DoneError) Error() string {
	if e.Commit == "" {
		return fmt.Sprintf("task '%s' of run '%s' is done already", e.Task, e.Run)
	}
	return fmt.Sprintf("task '%s' of run '%s' is done already, in commit %s", e.Task, e.Run, e.Commit.Short())
}

// ClashError says that the parked commits of a task cannot be added to the run's branch. The branch is unchanged.
type ClashError struct {
	Run  checkpoint.RunID
	Task checkpoint.TaskID
	Ref  refs.Name
	// Reason says what prevents it: there is a conflict, one of the commits is a merge, or git is too old.
	// Merge is true if one of the commits is a merge.
	Reason string
	Merge  bool
	// Commits lists the parked commits of the task, oldest first.
	Commits []object.ID
}

func (e *ClashError) Error() string {
	return fmt.Sprintf("the parked commits of task '%s' cannot be added to run '%s': %s", e.Task, e.Run, e.Reason)
}

// parking has the methods that deal with parked work.
type parking struct{ in *Sharer }

// Parked lists the parked work of a run, or of all runs if none is named. It is sorted by run and lease.
func (e *Sharer) Parked(ctx context.Context, run string) ([]ParkedWork, error) {
	var only checkpoint.RunID
	if run != "" {
		id, err := e.Find.Resolve(ctx, run)
		if err != nil {
			return nil, err
		}
		only = id
	}
	return (parking{e}).parkedIn(ctx, trash.ParkedSpace, only)
}

// parkedIn lists the work that the refs below one prefix keep. If the argument "only" is not empty, it lists only the work of that run.
func (p parking) parkedIn(ctx context.Context, space string, only checkpoint.RunID) ([]ParkedWork, error) {
	at, err := p.in.Repo.Refs.List(ctx, space)
	if err != nil {
		return nil, err
	}
	var out []ParkedWork
	for ref, tip := range at {
		name, number, _ := strings.Cut(strings.TrimPrefix(string(ref), space), "/")
		id := checkpoint.RunID(name)
		n, err := strconv.Atoi(number)
		if err != nil || !id.Valid() || only != "" && id != only {
			continue
		}
		w := ParkedWork{Run: id, Lease: n, Ref: ref}
		if err := p.describe(ctx, &w, tip); err != nil {
			return nil, err
		}
		out = append(out, w)
	}
	slices.SortFunc(out, func(a, b ParkedWork) int {
		if a.Run != b.Run {
			return strings.Compare(string(a.Run), string(b.Run))
		}
		return a.Lease - b.Lease
	})
	return out, nil
}

// describe finds the commits and the tasks of parked work. It finds no tasks if the run's record is gone, or if the record does not say
// where the lease ended.
func (p parking) describe(ctx context.Context, w *ParkedWork, tip object.ID) error {
	j, err := p.in.Store.Load(ctx, w.Run)
	var none *checkpoint.NoRunError
	if errors.As(err, &none) {
		w.Commits, err = p.in.Store.History().Trailed(ctx, w.Run, string(tip))
		return err
	}
	if err != nil {
		return err
	}
	revs := append([]string{string(tip)}, p.known(ctx, &j.Run, tip)...)
	if w.Commits, err = p.in.Store.History().Trailed(ctx, w.Run, revs...); err != nil {
		return err
	}
	last, ended := j.Run.Share.EndOf(w.Lease)
	if !ended {
		return nil
	}
	lines, err := p.in.Store.Lines(ctx, w.Run)
	late := exchange.Parked{Lines: exchange.LateUnder(lines, w.Lease, last)}
	w.Tasks = late.Tasks()
	return err
}

// known returns arguments that make git leave out the commits that are not parked: those of the base, of the remote and of the run's
// branch. If the branch still contains the parked commits, the arguments do not name it, because git would leave out the parked commits
// too.
func (p parking) known(ctx context.Context, r *checkpoint.Run, tip object.ID) []string {
	there := []object.ID{r.Base.Commit}
	if seen := exchange.ReadSeen(p.in.Store.Folder(), r.ID); seen != nil {
		there = append(there, seen.Head)
	}
	now, _ := p.in.Store.History().BranchTip(ctx, r) // if the branch cannot be read, git does not leave out its commits
	for _, id := range []object.ID{r.Head, now} {
		if id == "" {
			continue
		}
		if late, err := past.IsAncestor(ctx, p.in.Repo, tip, id); err == nil && !late {
			there = append(there, id)
		}
	}
	var out []string
	for _, id := range there {
		if id == "" {
			continue
		}
		if _, err := p.in.Repo.Objects.Commit(ctx, string(id)); err == nil {
			out = append(out, "^"+string(id))
		}
	}
	return out
}

// Taken is a parked result that is part of the run now.
type Taken struct {
	Work   ParkedWork
	Task   checkpoint.TaskID
	Commit object.ID
	Shift  *Shift
}

// TakeParked puts the parked commits of a task onto the run's branch and records its result. For a shared run it gets the lease first,
// and gives it back at the end. If a commit conflicts, the branch stays as it is.
func (e *Sharer) TakeParked(ctx context.Context, run, task string) (*Taken, error) {
	all, err := e.Parked(ctx, run)
	if err != nil {
		return nil, err
	}
	id := checkpoint.TaskID(task)
	out := &Taken{Task: id}
	for _, w := range slices.Backward(all) { // of several leases, take the newest one that has commits of the task
		if len(w.commitsOf(id)) > 0 {
			out.Work = w
			break
		}
	}
	if out.Work.Run == "" {
		name, err := e.Find.Resolve(ctx, run)
		return nil, errors.Join(err, &NotParkedError{Run: name, Task: id})
	}
	j, err := e.Find.Journal(ctx, out.Work.Run)
	if err != nil {
		return nil, err
	}
	if err := site.MustOwn(&j.Run); err != nil {
		return nil, err
	}
	if err := (parking{e}).mustBeOpen(ctx, &j.Run, id); err != nil {
		return nil, err
	}
	if !j.Run.Share.Bound() {
		return out, (parking{e}).putParked(ctx, out)
	}
	if out.Shift, err = e.Continue(ctx, &j.Run, WorkRequest{}); err != nil {
		return nil, err
	}
	defer out.Shift.Release()
	err = (parking{e}).putParked(ctx, out)
	_, sent := e.Exchange.GiveBack(ctx, out.Work.Run, out.Shift.Remote, "done", exchange.Wip{})
	return out, errors.Join(err, sent)
}

// mustBeOpen returns *DoneError if this clone or another one recorded the task as done.
func (p parking) mustBeOpen(ctx context.Context, r *checkpoint.Run, id checkpoint.TaskID) error {
	all, err := p.in.together(ctx, r.ID)
	if err != nil {
		return err
	}
	for _, run := range []*checkpoint.Run{r, all} {
		if t := run.Task(id); t != nil && t.State == checkpoint.Done {
			return &DoneError{r.ID, id, t.Commit}
		}
	}
	return nil
}

// putParked puts the parked commits of a task onto the run's branch, and records the task's result. If it is killed in between, a later
// command finds the commits by their trailers.
func (p parking) putParked(ctx context.Context, t *Taken) error {
	j, err := p.in.Find.Journal(ctx, t.Work.Run)
	if err != nil {
		return err
	}
	r := &j.Run
	if err := p.mustBeOpen(ctx, r, t.Task); err != nil {
		return err // the task has a result by now, for example because the exchange with the remote has brought it
	}
	tip, err := p.in.Store.History().BranchTip(ctx, r)
	if err != nil {
		return err
	}
	at, err := p.in.Repo.Objects.Commit(ctx, string(tip))
	if err != nil {
		return err
	}
	top, tree := at.ID, at.Tree
	for _, c := range t.Work.commitsOf(t.Task) {
		if top, tree, err = p.putOne(ctx, t, c.Commit, top, tree); err != nil {
			return err
		}
	}
	if err := p.in.Staging.Forward(ctx, r, tip, top); err != nil {
		return err
	}
	t.Commit = top
	_, err = p.in.Store.Append(ctx, r.ID, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		ev := checkpoint.Event{Event: checkpoint.TaskDone, Task: t.Task, Commit: top, Tree: tree, Head: top, Found: true}
		if now := r.Task(t.Task); now != nil {
			ev.Attempt = now.Attempt
		}
		return []checkpoint.Event{ev}, nil
	}})
	return err
}

// clash returns the error for parked commits that cannot be added to the branch.
func (t *Taken) clash(reason string) *ClashError {
	out := &ClashError{Run: t.Work.Run, Task: t.Task, Ref: t.Work.Ref, Reason: reason}
	for _, c := range t.Work.commitsOf(t.Task) {
		out.Commits = append(out.Commits, c.Commit.ID)
		out.Merge = out.Merge || len(c.Commit.Parents) > 1
	}
	return out
}

// putOne makes a copy of a commit on top of another one. It makes no copy if that other commit is already the parent.
func (p parking) putOne(ctx context.Context, t *Taken, c object.Commit, top, tree object.ID) (object.ID, object.ID, error) {
	if len(c.Parents) == 1 && c.Parents[0] == top {
		return c.ID, c.Tree, nil
	}
	if len(c.Parents) != 1 {
		return "", "", t.clash("commit " + c.ID.Short() + " is a merge")
	}
	m, err := past.Pick(ctx, p.in.Repo, c, tree)
	if errors.Is(err, past.ErrNoMergeTree) {
		return "", "", t.clash("git before 2.38 cannot merge commits without a worktree")
	}
	if err != nil {
		return "", "", err
	}
	if !m.Clean {
		return "", "", t.clash("these commits conflict with the run in " + strings.Join(m.Paths(), ", "))
	}
	made, err := commit.Write(ctx, p.in.Repo, commit.Request{Again: &c, SignWithin: commit.SignWithin}, m.Tree, top)
	if err != nil {
		return "", "", err
	}
	return made.ID, m.Tree, nil
}

// DropParked hides the parked work of a run. The commits are kept, so that UndropParked can bring the work back.
func (e *Sharer) DropParked(ctx context.Context, run string) ([]ParkedWork, error) {
	return (parking{e}).moveParked(ctx, run, trash.ParkedSpace, trash.DroppedSpace)
}

// UndropParked brings back the parked work that DropParked has hidden.
func (e *Sharer) UndropParked(ctx context.Context, run string) ([]ParkedWork, error) {
	return (parking{e}).moveParked(ctx, run, trash.DroppedSpace, trash.ParkedSpace)
}

// moveParked moves the refs of a run's parked work from one prefix to another. It does not replace a ref that has other commits, because
// they would be lost.
func (p parking) moveParked(ctx context.Context, run, from, to string) ([]ParkedWork, error) {
	id, err := p.in.Find.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	all, err := p.parkedIn(ctx, from, id)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &NotParkedError{Run: id, Dropped: from == trash.DroppedSpace}
	}
	var moves []refs.Update
	for i, w := range all {
		at, err := p.in.Repo.Refs.Ref(ctx, w.Ref)
		if err != nil {
			return nil, err
		}
		name, err := p.freeName(ctx, to, id, w.Lease, at)
		if err != nil {
			return nil, err
		}
		all[i].Ref = name
		moves = append(moves, refs.Update{Ref: name, New: at, NoLog: true}, refs.Update{Ref: w.Ref, Old: at, NoLog: true})
	}
	for _, m := range moves { // record the time first: if we are killed in between, the work is not kept longer than intended
		if m.New != "" && to == trash.DroppedSpace {
			if err := trash.NoteDropped(p.in.Repo, m.Ref, p.in.Now()); err != nil {
				return nil, err
			}
		}
	}
	if err := errors.Join(p.in.Repo.Refs.UpdateAll(ctx, moves...)...); err != nil {
		return nil, err
	}
	for _, m := range moves {
		if m.New == "" && from == trash.DroppedSpace {
			trash.ForgetDropped(p.in.Repo, m.Ref)
		}
	}
	return all, nil
}

// freeName returns the name for the ref that keeps the work of one lease. Such a name ends with the number of the lease. If that name is
// used for other commits, freeName takes the next free number.
func (p parking) freeName(ctx context.Context, space string, id checkpoint.RunID, lease int, at object.ID) (refs.Name, error) {
	const most = 1000
	for n := lease; n < lease+most; n++ {
		name := refs.Name(fmt.Sprintf("%s%s/%d", space, id, n))
		have, err := p.in.Repo.Refs.Ref(ctx, name)
		if err != nil || have == "" || have == at {
			return name, err
		}
	}
	return "", fmt.Errorf("cannot keep the parked work of run '%s': all names from %s%s/%d to %d are in use", id, space, id, lease, lease+most-1)
}
