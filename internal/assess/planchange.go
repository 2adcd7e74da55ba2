package assess

import (
	"reflect"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/tasks"
)

// PlanChange is an edited plan that a run will follow if the user agrees.
type PlanChange struct {
	Plan plan.Plan
	// Added, Removed and Changed list the ids of the tasks in which the edited plan differs from the old one.
	Added, Removed, Changed []string

	Event checkpoint.Event
	Doc   []byte
}

// Compare finds the tasks in which the edited plan differs from the old one.
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
