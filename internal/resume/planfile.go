package resume

import (
	"context"
	"fmt"
	"reflect"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
)

// PlanChange is an edited plan that a run shall follow, once somebody has agreed.
type PlanChange struct {
	Plan plan.Plan
	// Added, Removed and Changed are tasks, by name.
	Added, Removed, Changed []string

	event checkpoint.Event
	doc   []byte
}

// compare finds the tasks in which two plans differ.
func (p *PlanChange) compare(old plan.Plan) {
	for _, t := range p.Plan.Tasks {
		was := specOf(old, checkpoint.TaskID(t.ID))
		switch {
		case was.ID == "":
			p.Added = append(p.Added, t.ID)
		case !reflect.DeepEqual(was, t):
			p.Changed = append(p.Changed, t.ID)
		}
	}
	for _, t := range old.Tasks {
		if specOf(p.Plan, checkpoint.TaskID(t.ID)).ID == "" {
			p.Removed = append(p.Removed, t.ID)
		}
	}
}

// follows reports whether the branch in the run's worktree is the run's own under another name, and goes on with that.
// Two things prove it, and both are this clone's alone: git moves a worktree's HEAD along with a rename, and writes it into the branch's log.
func (x *assessor) follows(ctx context.Context, branch string) bool {
	r := x.run()
	if branch == "" || branch == "refs/heads/"+r.Base.Name || !r.Ours() {
		return false
	}
	if at, err := x.Repo.Refs.Ref(ctx, r.Branch); err != nil || at != "" {
		return false
	}
	steps, err := x.Repo.Refs.Log(ctx, branch)
	if err != nil {
		return false
	}
	for _, s := range steps {
		if s.Message == fmt.Sprintf("Branch: renamed %s to %s", r.Branch, branch) {
			x.find(FindBranchRenamed, Info, fmt.Sprintf("branch %s was renamed to %s; the run follows it", shortBranch(r.Branch), shortBranch(branch)))
			x.a.Mends = append([]Mend{MendFollow}, x.a.Mends...)
			r.Branch, x.a.Renamed = branch, branch
			return true
		}
	}
	return false
}
