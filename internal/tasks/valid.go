package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/plan"
)

// Watched lists the file patterns in the tasks of a plan, without duplicates.
func Watched(p plan.Plan) []string {
	var out []string
	for _, t := range p.Tasks {
		out = append(append(out, t.Inputs...), t.Outputs...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Invalid finds the finished tasks that are no longer valid. Either the command of such a task has changed, or one of its inputs or
// outputs has changed since the last recorded task of the run. A task that runs only once stays valid.
func (e *Tasks) Invalid(ctx context.Context, repo *gitstate.Repo, p plan.Plan, r *checkpoint.Run) (map[checkpoint.TaskID]candidate.Invalid, error) {
	if len(finished(p, r)) == 0 {
		return nil, nil
	}
	changed, many, err := e.changed(ctx, repo, p, r)
	if err != nil {
		return nil, err
	}
	return firstDifferences(p, r, changed, many), nil
}

// finished lists the tasks of a plan that are recorded as done.
func finished(p plan.Plan, r *checkpoint.Run) []plan.Task {
	var done []plan.Task
	for _, t := range p.Tasks {
		if s := r.Task(checkpoint.TaskID(t.ID)); s != nil && s.State == checkpoint.Done && s.LastSeq > 0 {
			done = append(done, t)
		}
	}
	return done
}

func firstDifferences(p plan.Plan, r *checkpoint.Run, changed []string, many bool) map[checkpoint.TaskID]candidate.Invalid {
	out := map[checkpoint.TaskID]candidate.Invalid{}
	for _, t := range finished(p, r) {
		s := r.Task(checkpoint.TaskID(t.ID))
		if why, ok := firstDifference(t, s, changed, many); ok {
			out[s.ID] = why
		}
	}
	return out
}

// firstDifference returns the first part of a finished task that has changed: its command, inputs or outputs. The second result is false
// if none has changed, or if the task runs only once.
func firstDifference(t plan.Task, s *checkpoint.Task, changed []string, many bool) (candidate.Invalid, bool) {
	if t.Once {
		return candidate.Invalid{}, false // a task that runs only once stays done, whatever has changed
	}
	if t.Run != "" && s.Command != "" && s.Command != execution.Hash(t.Run, nil) {
		return candidate.Invalid{Component: "command"}, true
	}
	for _, c := range []struct {
		name     string
		patterns []string
	}{{"inputs", t.Inputs}, {"outputs", t.Outputs}} {
		var paths []string
		for _, p := range changed {
			if execution.Matches(c.patterns, p) {
				paths = append(paths, p)
			}
		}
		if len(paths) > 0 || many && len(c.patterns) > 0 {
			return candidate.Invalid{Component: c.name, Paths: paths}, true
		}
	}
	return candidate.Invalid{}, false
}

// changed lists the inputs and outputs of the plan's tasks that have changed since the last recorded task. If a task is recorded as in
// progress, uncommitted changes are ignored, because this task may have made them.
func (e *Tasks) changed(ctx context.Context, repo *gitstate.Repo, p plan.Plan, r *checkpoint.Run) ([]string, bool, error) {
	patterns := Watched(p)
	if len(patterns) == 0 || r.Left.Tree == "" {
		return nil, false, nil
	}
	left := r.Left
	if r.Updating != nil {
		_, tip, err := repo.Refs.Head(ctx)
		if err != nil {
			return nil, false, err
		}
		left.Tree = cmp.Or(Updated(ctx, repo, r, tip), left.Tree)
	}
	for i := range r.Tasks {
		if r.Tasks[i].State == checkpoint.Active {
			return committedSince(ctx, repo, left.Tree, "HEAD^{tree}", patterns)
		}
	}
	return execution.Changed(ctx, repo, left, patterns)
}

func committedSince(ctx context.Context, repo *gitstate.Repo, tree object.ID, now string, patterns []string) ([]string, bool, error) {
	out, err := repo.Git(ctx, process.Call{Args: []string{"diff-tree", "-r", "-z", "--name-only", "--no-renames", string(tree), now}})
	if err != nil {
		return nil, false, fmt.Errorf("compare with the state that the task left: %w", err)
	}
	var paths []string
	for p := range strings.SplitSeq(string(out), "\x00") {
		if p != "" && execution.Matches(patterns, p) {
			paths = append(paths, p)
		}
	}
	return paths, false, nil
}

// Validity finds the finished tasks of a run that are no longer valid. It finds none for a closed run.
func (e *Tasks) Validity(ctx context.Context, r *checkpoint.Run) (map[checkpoint.TaskID]candidate.Invalid, error) {
	p, err := e.PlanOf(ctx, r)
	if err != nil || r.Closed() {
		return nil, err
	}
	return e.ValidityIn(ctx, p, r)
}

func (e *Tasks) ValidityIn(ctx context.Context, p plan.Plan, r *checkpoint.Run) (map[checkpoint.TaskID]candidate.Invalid, error) {
	place, ok := e.TreeOf(r)
	// If the run has places, its tasks work at the same time in worktrees of their own. Then only the branch has all results.
	if !ok || len(r.Places) > 0 {
		return e.validOnBranch(ctx, p, r)
	}
	repo := e.Repo.At(place)
	defer repo.Close()
	return e.Invalid(ctx, repo, p, r)
}

// validOnBranch finds finished tasks that are no longer valid. It reads the branch, because the run's worktree is missing or does not
// have all results.
func (e *Tasks) validOnBranch(ctx context.Context, p plan.Plan, r *checkpoint.Run) (map[checkpoint.TaskID]candidate.Invalid, error) {
	patterns := Watched(p)
	tip, err := e.Store.History().BranchTip(ctx, r)
	if err != nil || tip == "" || r.Branch == "" || len(patterns) == 0 || r.Left.Tree == "" {
		return nil, err
	}
	changed, many, err := committedSince(ctx, e.Repo, r.Left.Tree, string(tip)+"^{tree}", patterns)
	if err != nil {
		return nil, err
	}
	return firstDifferences(p, r, changed, many), nil
}
