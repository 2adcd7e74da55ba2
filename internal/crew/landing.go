package crew

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// landing is one attempt to bring a task's commits onto the run's branch.
type landing struct {
	*hand
	job execution.Job
	out *execution.Outcome
	// from is the commit at which the task began, made is HEAD of the task's worktree now, and tip is the tip of the run's branch.
	from, made, tip object.ID
	result          execution.Landing
	// commits lists the commits that are put on the branch.
	commits []object.ID
	// verified is true if the task's check succeeded on the merged result. That result is then checked out in the task's worktree.
	verified bool
	// busy is the error if the branch could not be moved because another process holds its lock.
	busy error
}

// land brings the task's commits onto the run's branch and records the result. If somebody else moves the branch meanwhile, it tries again.
// After too many tries it returns an error, and the task's commits stay in its worktree.
func (h *hand) land(ctx context.Context, job execution.Job, out *execution.Outcome) error {
	return h.landBy(job, func() (overtaken bool, busy, err error) {
		l := landing{hand: h, job: job, out: out}
		overtaken, err = l.try(ctx)
		return overtaken, l.busy, err
	})
}

// waitForOthers waits while another task has the exclusive right to move the branch.
func (h *hand) waitForOthers() {
	for h.c.alone != nil && h.c.alone != h {
		h.c.landing.Wait()
	}
}

// others gives up the task's exclusive right to move the branch, if the task has that right, and wakes the tasks that wait.
func (h *hand) others() {
	if h.c.alone == h {
		h.c.alone = nil
	}
	h.c.landing.Broadcast()
}

// try tries once to bring the result onto the branch. The result "overtaken" is true if somebody else moved the branch meanwhile, so that
// the caller must try again.
func (l *landing) try(ctx context.Context) (overtaken bool, err error) {
	if err := l.look(ctx); err != nil {
		return false, err
	}
	if found, err := l.landedBefore(ctx); found || err != nil {
		return false, err
	}
	if paths, err := l.movedInputs(ctx); err != nil || len(paths) > 0 {
		if err != nil {
			return false, err
		}
		return false, l.reject(ctx, execution.CauseInputs, paths)
	}
	clash, err := l.replay(ctx)
	if err != nil || len(clash) > 0 {
		if err != nil {
			return false, err
		}
		return false, l.reject(ctx, execution.CauseConflict, clash)
	}
	if l.tip != l.from && l.task.Verify != "" {
		if ok, err := l.verify(ctx); err != nil || !ok {
			return false, err
		}
		l.waitForOthers()
	}
	overtaken, err = l.swap(ctx)
	if overtaken && l.verified {
		_, err = l.c.Pool.putOn(ctx, l.repo, l.job.Run, l.made, l.result.Tip, l.c.rest)
	}
	return overtaken, err
}

// look reads the current commits of the branch and of the task's worktree.
func (l *landing) look(ctx context.Context) (err error) {
	if _, l.made, err = l.repo.Refs.Head(ctx); err != nil {
		return err
	}
	if l.tip, err = l.repo.Refs.Ref(ctx, l.job.Branch); err != nil {
		return err
	}
	l.from = l.made
	if t := l.c.Host.Run().Task(l.job.Task); t != nil && t.FromHead != "" {
		l.from = t.FromHead
	}
	return nil
}

// landedBefore looks for results of tasks that another process has put on the branch, for example a git process of a killed worker. It
// records them, and reports whether one of them belongs to this task.
func (l *landing) landedBefore(ctx context.Context) (bool, error) {
	if l.tip == l.c.tip || l.onlyOthers(ctx) {
		return false, nil
	}
	landed, err := l.c.Pool.Store.History().Landed(ctx, l.c.Host.Run())
	if err != nil {
		return false, err
	}
	l.c.isAt(l.tip)
	j, err := l.c.Owner.Append(ctx, func(r *checkpoint.Run) ([]checkpoint.Event, error) { return tasks.FoundEvents(r, landed, ""), nil })
	if err != nil {
		return false, err
	}
	l.out.Journal = j
	l.c.Host.Stored(j)
	return slices.ContainsFunc(landed, func(e checkpoint.Evidence) bool { return e.Task == l.job.Task }), nil
}

// onlyOthers returns true only if it is sure that no new commit on the branch belongs to a task of the run. It starts no git process,
// because it must be faster than somebody who commits again and again.
func (l *landing) onlyOthers(ctx context.Context) bool {
	const soon = 200
	fresh, ok := l.line(ctx, l.tip, soon, func(id object.ID) bool { return id == l.c.tip })
	if !ok || slices.ContainsFunc(fresh, func(c object.Commit) bool { return len(checkpoint.EvidenceOf(c, l.job.Run)) > 0 }) {
		return false
	}
	for _, c := range fresh {
		l.c.onBranch[c.ID] = true
	}
	l.c.tip = l.tip
	return true
}

// line returns a commit and its ancestors, newest first. It stops before the first commit that is known. ok is false if there are more
// commits than the argument "most" allows, a merge, or a commit that cannot be read.
func (l *landing) line(ctx context.Context, from object.ID, most int, known func(object.ID) bool) (out []object.Commit, ok bool) {
	for id := from; !known(id); {
		c, err := l.repo.Objects.Commit(ctx, string(id))
		if err != nil || len(c.Parents) != 1 || len(out) == most {
			return nil, false
		}
		out, id = append(out, c), c.Parents[0]
	}
	return out, true
}

// movedInputs lists the task's input files that were changed on the branch since the task began.
func (l *landing) movedInputs(ctx context.Context) ([]string, error) {
	if l.tip == l.from || len(l.job.Inputs) == 0 {
		return nil, nil
	}
	changed, err := past.Changed(ctx, l.repo, l.from, l.tip)
	var out []string
	for _, d := range changed {
		if execution.Matches(l.job.Inputs, d.Path) {
			out = append(out, d.Path)
		}
	}
	return out, err
}

// replay puts the task's commits on top of the branch, without moving the branch. If they conflict, it returns the conflicting files.
func (l *landing) replay(ctx context.Context) (clash []string, err error) {
	l.result = execution.Landing{Tip: l.tip, From: l.from, Home: l.c.files}
	commits, err := l.newCommits(ctx)
	if err != nil {
		return nil, err
	}
	tip, err := l.repo.Objects.Commit(ctx, string(l.tip))
	if err != nil {
		return nil, err
	}
	l.result.Tree = tip.Tree
	if len(commits) == 0 {
		return nil, nil
	}
	l.result.Made = l.made
	for _, c := range commits {
		if clash, err := l.put(ctx, c); err != nil || len(clash) > 0 {
			return clash, err
		}
	}
	return nil, nil
}

// newCommits lists the commits of the task that are not on the branch, oldest first. If there is a merge among them, it combines them
// into one commit.
func (l *landing) newCommits(ctx context.Context) ([]object.Commit, error) {
	if l.made == l.tip {
		return nil, nil
	}
	if out, ok := l.ownCommits(ctx); ok {
		return out, nil
	}
	text, err := l.repo.Git(ctx, process.Call{Args: []string{"rev-list", "--reverse", "--topo-order", string(l.made), "^" + string(l.tip)}})
	if err != nil {
		return nil, fmt.Errorf("list the commits of task '%s': %w", l.job.Task, err)
	}
	var out []object.Commit
	for id := range strings.FieldsSeq(string(text)) {
		c, err := l.repo.Objects.Commit(ctx, id)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	if slices.ContainsFunc(out, func(c object.Commit) bool { return len(c.Parents) != 1 }) {
		whole := out[len(out)-1]
		whole.Parents = []object.ID{l.from}
		return []object.Commit{whole}, nil
	}
	return out, nil
}

// ownCommits is a fast way to list the commits of the task that are not on the run's branch. It starts at HEAD of the task's worktree and
// follows the parents to a commit that is known to be on the run's branch. ok is false if it does not find such a commit quickly, or if it
// finds a merge.
func (l *landing) ownCommits(ctx context.Context) (out []object.Commit, ok bool) {
	const soon = 20
	if l.tip != l.c.tip {
		return nil, false
	}
	out, ok = l.line(ctx, l.made, soon, func(id object.ID) bool { return l.c.onBranch[id] })
	slices.Reverse(out)
	return out, ok
}

// put adds one commit of the task to the result. If the commit conflicts, it returns the conflicting files, and otherwise none.
func (l *landing) put(ctx context.Context, c object.Commit) (clash []string, err error) {
	if len(c.Parents) == 1 && c.Parents[0] == l.result.Tip {
		l.result.Tip, l.result.Tree, l.result.Commit = c.ID, c.Tree, c.ID
		l.commits = append(l.commits, c.ID)
		l.result.Patch = l.out.Commit.Patch
		return nil, nil
	}
	m, err := past.Pick(ctx, l.repo, c, l.result.Tree)
	if err != nil {
		return nil, err
	}
	if !m.Clean {
		return l.clashes(ctx, c.Parents[0], c, m)
	}
	if m.Tree == l.result.Tree {
		return nil, nil // the branch already has these changes
	}
	was := l.result.Tree
	made, err := commit.Write(ctx, l.repo, commit.Request{Again: &c, SignWithin: commit.SignWithin, Now: l.c.Pool.Now}, m.Tree, l.result.Tip)
	if err != nil {
		return nil, err
	}
	l.result.Tip, l.result.Tree, l.result.Commit = made.ID, m.Tree, made.ID
	l.commits = append(l.commits, made.ID)
	l.result.Patch, _ = past.PatchOf(ctx, l.repo, was, m.Tree) // the patch id is only additional evidence, so an error does not matter
	l.out.Commit.Unsigned = made.Unsigned
	return nil, nil
}

// clashes describes the files that cannot be merged: their names, and the conflicting lines if they are known.
func (l *landing) clashes(ctx context.Context, base object.ID, c object.Commit, m past.Merged) ([]string, error) {
	report, err := conflicts.Check(ctx, l.repo, conflicts.Query{Ours: l.result.Tip, Theirs: c.ID, Base: base, Detail: conflicts.Where})
	var out []string
	for _, clash := range report.Conflicts {
		line := clash.Path
		for i, r := range clash.Theirs.Ranges {
			if line += ", "; i == 0 {
				line = clash.Path + " line "
			}
			line += rangeOf(r)
		}
		out = append(out, line)
	}
	if err != nil || len(out) == 0 { // if the conflicting lines are not known, list the paths in which git found conflicts
		out = m.Paths()
	}
	if len(out) == 0 {
		out = []string{"."}
	}
	return out, nil
}

func rangeOf(r conflicts.Range) string {
	if r.To <= r.From {
		return strconv.Itoa(r.From)
	}
	return fmt.Sprintf("%d-%d", r.From, r.To)
}

// verify runs the task's check on the merged result, in the task's worktree, and returns true if it succeeds. A check that was killed
// runs once more.
func (l *landing) verify(ctx context.Context) (bool, error) {
	pool, run := l.c.Pool, l.c.Host.Run().ID
	if _, err := pool.putOn(ctx, l.repo, run, l.result.Tip, l.made, l.c.rest); err != nil {
		return false, err
	}
	ok, out, err := l.runner.Verify(ctx, l.job, l.task.Verify)
	if err == nil && !ok && out.Cause == execution.CauseSignal { // somebody killed the check, which says nothing about the result
		ok, out, err = l.runner.Verify(ctx, l.job, l.task.Verify)
	}
	if err != nil || ok {
		l.verified = ok
		return ok, err
	}
	if _, err := pool.putOn(ctx, l.repo, run, l.made, l.result.Tip, l.c.rest); err != nil {
		return false, err
	}
	if out.State == checkpoint.Active { // a signal ended the check, so it has no result
		l.out.State, l.out.Cause = checkpoint.Active, out.Cause
		return false, nil
	}
	return false, l.reject(ctx, execution.CauseVerify, nil)
}

// swap moves the branch to the merged result and records that the task is done. If somebody else moved the branch first, or is moving it
// now, swap changes nothing, and the result "overtaken" is true.
func (l *landing) swap(ctx context.Context) (overtaken bool, err error) {
	if l.result.Tip != l.tip {
		if err := l.c.Owner.Check(ctx); err != nil {
			return false, err
		}
		err := l.repo.Refs.Update(ctx, refs.Update{Ref: l.job.Branch, New: l.result.Tip, Old: l.tip, Message: l.job.LogMessage(), Often: true, Log: true})
		if errors.As(err, new(*refs.BusyError)) {
			l.busy = err
		}
		if errors.As(err, new(*refs.StaleError)) || l.busy != nil {
			return true, nil
		}
		if err != nil {
			return false, err
		}
		l.c.tip = l.result.Tip
		for _, id := range l.commits {
			l.c.onBranch[id] = true
		}
	} else if now, err := l.repo.Refs.Ref(ctx, l.job.Branch); err != nil || now != l.tip {
		return err == nil, err
	}
	if err := l.runner.RecordLanded(ctx, l.job, l.out, l.result); err != nil {
		return false, err
	}
	l.c.Host.Stored(l.out.Journal)
	return false, nil
}

// reject saves a task's result in a snapshot instead of merging it, and records why. Then the task counts as failed, or waits for a
// person's answer.
func (l *landing) reject(ctx context.Context, cause string, files []string) error {
	saved, err := l.c.Pool.saveResult(ctx, l.repo, l.c.Host.Run().ID, l.from, fmt.Sprintf("task %s: %s", l.job.Task, cause))
	if err != nil {
		return err
	}
	l.out.Saved, l.out.State, l.out.Cause, l.out.Clash, l.out.Told = saved, checkpoint.Failed, cause, files, false
	e := checkpoint.Event{Event: checkpoint.TaskFailed, Cause: cause, Saved: saved.ID, Text: strings.Join(files[:min(len(files), maxNamed)], "; ")}
	if l.task.OnConflict == "" || l.task.OnConflict == plan.AskPerson {
		l.out.State = checkpoint.Blocked
		ask := l.c.Ask(l.task.ID, cause, files)
		e = checkpoint.Event{Event: checkpoint.TaskBlocked, Cause: cause, Saved: saved.ID, Text: ask.Text, Options: ask.Options}
	}
	if err := l.runner.Reject(ctx, l.job, l.out, e); err != nil {
		return err
	}
	l.c.Host.Stored(l.out.Journal)
	return nil
}

// maxNamed is the largest number of files that the record of a rejected result lists.
const maxNamed = 5
