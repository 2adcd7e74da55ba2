package assess

import (
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
)

func TestDecide_aQuestionBesideOthers(t *testing.T) {
	for name, c := range map[string]struct {
		places bool
		needs  []string
		w      Request
		want   string
	}{
		"with --yes":               {places: true, w: Request{Yes: true}, want: "go"},
		"in automatic mode":        {places: true, w: Request{Mode: Auto}, want: "go"},
		"at a terminal":            {places: true, w: Request{Yes: true, Terminal: true}, want: "15"},
		"only looked at":           {places: true, w: Request{Mode: Preflight}, want: "15"},
		"one after another":        {w: Request{Yes: true}, want: "15"},
		"the rest needs an answer": {places: true, needs: []string{"a"}, w: Request{Yes: true}, want: "15"},
	} {
		a := assessed(finding(candidate.FindQuestion)...)
		a.Plan = plan.Plan{Tasks: []plan.Task{{ID: "a", Run: "true"}, {ID: "b", Run: "true", Needs: c.needs}}}
		a.Summary.Run.Tasks = []checkpoint.Task{{ID: "a", State: checkpoint.Blocked}, {ID: "b", State: checkpoint.Pending}}
		if c.places {
			a.Summary.Run.Places = append(a.Summary.Run.Places, checkpoint.Place{N: 1})
		}
		if got := outcome(Decide(a, c.w)); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
