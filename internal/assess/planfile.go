package assess

import (
	"context"
	"fmt"
	"reflect"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

// PlanChange is an edited plan that a run shall follow, once somebody has agreed.
type PlanChange struct {
	Plan plan.Plan
	// Added, Removed and Changed are tasks, by name.
	Added, Removed, Changed []string

	Event checkpoint.Event
	Doc   []byte
}

// Compare finds the tasks in which two plans differ.
func (p *PlanChange) Compare(old plan.Plan) {
	for _, t := range p.Plan.Tasks {
		was := tasks.SpecOf(old, checkpoint.TaskID(t.ID))
		switch {
		case was.ID == "":
			p.Added = append(p.Added, t.ID)
		case !reflect.DeepEqual(was, t):
			p.Changed = append(p.Changed, t.ID)
		}
	}
	for _, t := range old.Tasks {
		if tasks.SpecOf(p.Plan, checkpoint.TaskID(t.ID)).ID == "" {
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
			x.find(candidate.FindBranchRenamed, candidate.Info, fmt.Sprintf("branch %s was renamed to %s; the run follows it", site.ShortBranch(r.Branch), site.ShortBranch(branch)))
			x.a.Mends = append([]Mend{MendFollow}, x.a.Mends...)
			r.Branch, x.a.Renamed = branch, branch
			return true
		}
	}
	return false
}
