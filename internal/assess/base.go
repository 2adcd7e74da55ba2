package assess

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/tasks"
)

// baseChecks compares the work with its base, which is the branch that it will be merged into.
type baseChecks struct{ *assessor }

// base finds out how the base has changed since the run last recorded the tip of the base, and whether the changes conflict with the run.
func (x baseChecks) base(ctx context.Context) error {
	r := x.run()
	if r.Base.Name == "" || r.Closed() {
		return nil
	}
	now, err := x.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name))
	if err != nil {
		return err
	}
	x.a.Seen.Base = now
	switch {
	case now == "":
		x.addFinding(candidate.FindBaseGone.Case(), candidate.Warning, candidate.Facts{Base: r.Base.Name})
		return nil
	case now == r.BaseTip || r.Branch == refs.Branch(r.Base.Name):
		return nil
	case x.a.Seen.Branch != "" && x.ancestor(ctx, now, x.a.Seen.Branch):
		return nil // the run already contains every commit of the base
	case x.mergesBase(ctx, now):
		x.a.MergesBase = true
		return nil // this merge brings all commits of the base, and the files of an unfinished merge cannot be compared with it
	}
	gone, come := x.moved(ctx, r.BaseTip, now)
	switch {
	case r.BaseTip != "" && gone != 0:
		x.addFinding(candidate.FindBaseRewritten.Case(), candidate.Warning, candidate.Facts{Base: r.Base.Name})
	case come > 0:
		x.addFinding(candidate.BaseAhead, candidate.Info, candidate.Facts{Base: r.Base.Name, Count: come, Commit: r.BaseTip})
	default:
		x.addFinding(candidate.BaseChanged, candidate.Info, candidate.Facts{Base: r.Base.Name})
	}
	return x.compare(ctx, now)
}

// mergesBase reports whether git is in the middle of a merge in the run's worktree that brings every commit of the base.
func (x baseChecks) mergesBase(ctx context.Context, base object.ID) bool {
	if x.repo == nil || x.a.Tree.Operation != ongoing.Merge {
		return false
	}
	merged, err := x.repo.Line(ctx, "rev-parse", "--verify", "--quiet", "MERGE_HEAD")
	return err == nil && (merged == string(base) || x.ancestor(ctx, base, object.ID(merged)))
}

// moved counts the commits that a branch lost ("gone") and gained ("come") between two tips. If they cannot be counted, "gone" is -1. If
// the old tip is not known, both are 0.
func (x baseChecks) moved(ctx context.Context, from, to object.ID) (gone, come int) {
	if from == "" {
		return 0, 0
	}
	if !x.exists(ctx, from) {
		return -1, 0
	}
	out, err := x.Repo.Line(ctx, "rev-list", "--count", "--left-right", string(from)+"..."+string(to))
	if err != nil {
		return -1, 0 // some of the old commits probably no longer exist here
	}
	_, _ = fmt.Sscan(out, &gone, &come)
	return gone, come
}

func (x baseChecks) compare(ctx context.Context, now object.ID) error {
	ours := x.a.Seen.Branch
	if ours == "" {
		ours = x.run().Head
	}
	c, err := x.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	expect := c.All("resume.expectconflicts")
	if len(expect) == 0 {
		expect = defaultExpect
	}
	files := x.a.Uncommitted
	if x.repo != nil && x.a.Has(candidate.FindAlive) { // the worker's files are not listed, because they may be others the next moment
		if files, err = tasks.Uncommitted(ctx, x.repo); err != nil {
			return err
		}
	}
	q := conflicts.Query{
		Ours: ours, Theirs: now, OursName: "here", TheirsName: x.run().Base.Name,
		Uncommitted: x.a.Snapshot.Tree, Tree: x.repo, Files: files, Inputs: x.inputs(), Expect: expect, Task: x.taskOf,
	}
	rep, err := conflicts.Check(ctx, x.Repo, q)
	if errors.Is(err, past.ErrUnrelated) {
		x.addFinding(candidate.UnrelatedBase, candidate.Blocking, candidate.Facts{})
		return nil
	}
	if err != nil {
		return err
	}
	x.a.Conflicts = &rep
	touched, err := conflicts.Touched(ctx, x.Repo, rep.Base, ours)
	if err != nil {
		return err
	}
	both := map[string]bool{}
	for _, f := range files {
		both[f] = true
	}
	for _, d := range touched {
		both[d.Path] = true
	}
	x.a.Touched = len(both)
	x.addFindings(rep, x.changers(ctx, rep, now))
	return nil
}

// taskOf returns the number and id of the task that made a commit; empty if no task made it.
func (x baseChecks) taskOf(id object.ID) string {
	for i, t := range x.run().Tasks {
		if t.Commit == id {
			return fmt.Sprintf("task %d, %s", i+1, t.ID)
		}
	}
	return ""
}

// defaultExpect lists files that are often changed both by a run and on its base. Such changes are usually harmless.
var defaultExpect = []string{"*.lock", "package-lock.json", "go.sum", "pnpm-lock.yaml", "CHANGELOG*"}

// inputs lists the files that are declared as inputs of unfinished tasks.
func (x baseChecks) inputs() []string {
	var out []string
	for _, t := range x.a.Plan.Tasks {
		if s := x.run().Task(checkpoint.TaskID(t.ID)); s != nil && !s.State.Closed() {
			out = append(out, t.Inputs...)
		}
	}
	return out
}

// addFindings adds findings for the conflicts and notes in the report of the comparison with the base.
func (x baseChecks) addFindings(rep conflicts.Report, by map[string]*candidate.Changed) {
	for _, c := range rep.Conflicts {
		code := candidate.FindConflict
		if c.Expected {
			code = candidate.FindExpected
		}
		x.a.Findings = append(x.a.Findings, candidate.Finding{
			Code: code, Severity: c.Severity(), Path: c.Path, Note: candidate.Note{Case: code.Case(), Facts: candidate.Facts{Base: x.run().Base.Name, Conflict: &c}},
		})
	}
	for _, n := range rep.Notes {
		code, ok := noteCodes[n.Code]
		if !ok {
			continue
		}
		x.a.Findings = append(x.a.Findings, candidate.Finding{
			Code: code, Severity: n.Severity, Path: n.Path, By: by[n.Path],
			Note: candidate.Note{Case: code.Case(), Facts: candidate.Facts{Base: x.run().Base.Name, Text: n.Text}},
		})
	}
}
