package assess

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// taskChecks examines the tasks that were started, and the files that they left in the worktree.
type taskChecks struct{ *assessor }

// tasks examines the tasks that were started, and the tasks that are left to do.
func (x taskChecks) tasks(ctx context.Context) error {
	r := x.run()
	if step := x.point(); step.Kind == tasks.StepAsk && r.Point == "" && !slices.ContainsFunc(r.Tasks, func(t checkpoint.Task) bool { return t.State == checkpoint.Active }) {
		r.Point = checkpoint.TaskID(step.Task.ID) // the run continues at the task with the question, even if a later task has failed
	}
	tasks.PointToNext(x.a.Plan, r)
	if q := r.Question(); q != nil && r.Begun() {
		x.addFinding(candidate.QuestionWaits, candidate.Warning, candidate.Facts{Text: q.Question})
	}
	alive := x.a.Has(candidate.FindAlive)
	if alive {
		x.besideOrphans(ctx)
	}
	for i := range r.Tasks {
		t := &r.Tasks[i]
		if t.State == checkpoint.Active && !alive {
			x.examineInterrupted(ctx, t)
		}
		if spec := tasks.SpecOf(x.a.Plan, t.ID); t.State == checkpoint.Failed && t.Attempts >= max(maxAttempts, spec.Retries+1) {
			x.addFinding(candidate.FindAttemptsUsedUp.Case(), candidate.Warning, candidate.Facts{Task: t.ID, Count: t.Attempts})
		}
	}
	for _, t := range r.Tasks {
		if why, ok := x.a.Summary.Invalid[t.ID]; ok {
			x.addFinding(candidate.FindInvalid.Case(), candidate.Warning, candidate.Facts{Task: t.ID, Again: why})
		}
	}
	missing, err := x.judge.Tasks.NeedsApproval(r.ID, x.a.Plan)
	if err != nil {
		return err
	}
	if len(missing) > 0 && !r.Closed() && x.a.NewPlan == nil { // a new plan needs no further approval, because the user approved its commands by naming the plan
		x.addFinding(candidate.FindUntrusted.Case(), candidate.Blocking, candidate.Facts{Count: len(missing)}, missing...)
	}
	return x.planFile()
}

// maxAttempts is how often a task may fail, unless the plan allows more. After that, only a person can let it run again.
const maxAttempts = 3

// examineInterrupted finds out whether an interrupted task left part of its work or nothing, and adds a finding if somebody must decide
// about the task. A task that is already done in an extra worktree does not count as interrupted.
func (x taskChecks) examineInterrupted(ctx context.Context, t *checkpoint.Task) {
	if x.doneInPlace(ctx, t) {
		return
	}
	x.a.Interrupted = t
	spec := tasks.SpecOf(x.a.Plan, t.ID)
	if x.repo == nil || tasks.OnlyReported(x.a.Plan, *t) {
		return
	}
	job := execution.Job{Run: x.run().ID, Own: !x.run().Here, Inputs: spec.Inputs, Outputs: spec.Outputs}
	var seen tasks.Traces
	var err error
	if repo, ok := x.placeOf(t); ok {
		defer repo.Close()
		seen, err = tasks.LookFor(ctx, repo, *t, job)
		x.askAbout(t, spec, seen, err)
		return
	}
	if x.filesKnown {
		seen, err = tasks.CompareWith(ctx, x.repo, *t, job, x.a.Uncommitted)
	} else {
		seen, err = tasks.LookFor(ctx, x.repo, *t, job)
	}
	seen.Moved = seen.Moved && !x.onlyRebased(ctx)
	// The commit that ShelvedWork finds is undone before the task continues, so its files count as uncommitted.
	if shelf, err := ShelvedWork(ctx, x.repo, x.run()); err == nil && shelf != nil {
		paths, err := ChangedPaths(ctx, x.repo, shelf.Commit.Parents[0], shelf.Commit.ID)
		if err == nil {
			seen.Changes = append(seen.Changes, paths...)
		}
	}
	hand, handErr := changedByHand(ctx, x.repo, x.run(), StoppedTask(x.run()), seen.Changes)
	if handErr == nil && len(hand) > 0 {
		seen.Changes = WithoutByHand(seen.Changes, hand)
		defer x.addByHandFinding(hand)
	}
	x.askAbout(t, spec, seen, err)
}

// askAbout adds a finding if somebody must decide about an interrupted task.
func (x taskChecks) askAbout(t *checkpoint.Task, spec plan.Task, seen tasks.Traces, err error) {
	untouched := err == nil && seen.None() && spec.OnInterrupt != plan.Ask
	if untouched || spec.OnInterrupt == plan.Retry || spec.OnInterrupt == plan.Verify {
		return
	}
	x.addFinding(candidate.FindPartly.Case(), candidate.Warning, candidate.Facts{Task: t.ID}, seen.Changes...)
}

// planFile checks whether the plan was edited since the run started to follow it.
func (x taskChecks) planFile() error {
	r := x.run()
	if r.PlanFile == "" || r.PlanHash == "" {
		return nil
	}
	path := r.PlanFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(x.Repo.WorkTree, filepath.FromSlash(path))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil // the run does not need the plan file, because the journal has a copy of the plan
	}
	if got := (object.Hasher{}).ID("blob", data); got != r.PlanHash {
		file := path
		if x.Dir == x.Repo.WorkTree {
			file = r.PlanFile
		}
		facts := candidate.Facts{Run: r.ID, Path: r.PlanFile, To: file}
		x.a.Findings = append(x.a.Findings, candidate.Finding{
			Code: candidate.FindPlanChanged, Severity: candidate.Warning, Note: candidate.Note{Case: candidate.FindPlanChanged.Case(), Facts: facts},
			Details: []candidate.Note{{Case: candidate.PlanAdopt, Facts: facts}},
		})
	}
	return nil
}

// save saves the uncommitted work in a snapshot, before the user is asked whether to continue. Where writing is not allowed, it only lists
// the files.
func (x taskChecks) save(ctx context.Context) error {
	if x.repo == nil || x.a.Has(candidate.FindAlive) || x.run().Closed() {
		return nil
	}
	x.filesKnown = true
	// Writing is not allowed in these cases, so take no snapshot.
	if x.mode == OnlyLook || x.a.Below || !x.run().Ours() && !x.run().Rebuilt {
		var err error
		x.a.Uncommitted, err = tasks.Uncommitted(ctx, x.repo)
		return err
	}
	if err := x.savePlaces(ctx); err != nil {
		return err
	}
	return x.saveAs(ctx, x.run().ID)
}

func (x taskChecks) saveAs(ctx context.Context, id checkpoint.RunID) error {
	snap, err := x.judge.Staging.Snapshot(ctx, x.repo, id, "before continuing")
	if err != nil {
		return err
	}
	x.a.Snapshot, x.a.Uncommitted = snap, snap.Paths
	x.a.Seen.Saved, x.a.Seen.Uncommitted = true, snap.Tree
	return nil
}

// point returns the step at which the run will continue: the first finished task that has a command and must run again, or otherwise the
// next open task.
func (x taskChecks) point() tasks.Step {
	for _, t := range x.a.Plan.Order() {
		if _, again := x.a.Summary.Invalid[checkpoint.TaskID(t.ID)]; again && t.Run != "" {
			return tasks.Step{Kind: tasks.StepRun, Task: t}
		}
	}
	return tasks.Next(x.a.Plan, &x.a.Summary.Run, nil)
}

// onlyRebased reports whether the user finished a rebase that an update had started, and whether all commits on top of the base belong
// to the run.
func (x taskChecks) onlyRebased(ctx context.Context) bool {
	r, tip := x.run(), x.a.Seen.Branch
	if r.Updating == nil || r.Updating.How != tasks.UpdateByRebase || tasks.Updated(ctx, x.repo, r, tip) == "" {
		return false
	}
	made, err := x.Store.History().Between(ctx, r.Updating.Base, tip, tasks.MaxStrange)
	return err == nil && !slices.ContainsFunc(made, func(c object.Commit) bool { return !tasks.OfRun(r.ID, c) })
}
