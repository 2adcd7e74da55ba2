package autoclaude

import (
	"slices"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// The checked-out branch auto-claude/010-63ab6c belongs to the spec 010-routes, because both have the number 010. So the plan file in the
// top folder of the repository belongs to 010-routes too, and not to a second spec. A number with fewer than three digits does not count.
func TestNumbered(t *testing.T) {
	t.Parallel()
	const plan = `{"feature": "routes", "status": "in_progress", "phases": [{"id": "1", "subtasks": [{"id": "1-1", "description": "a", "status": "completed"}, {"id": "1-2", "description": "b", "status": "pending"}]}]}`
	for branch, want := range map[string][]string{
		"auto-claude/010-63ab6c": {"010-routes"},
		"auto-claude/010-routes": {"010-routes"},
		"auto-claude/011-other":  {"010-routes", "011-other"},
		"auto-claude/01-routes":  {"010-routes", "01-routes"},
	} {
		r := gittest.New(t)
		r.Write(".auto-claude/specs/010-routes/implementation_plan.json", plan)
		r.Write("implementation_plan.json", plan)
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "a spec")
		r.Git("checkout", "-q", "-b", branch)
		r.Git("commit", "-q", "--allow-empty", "-m", "auto-claude: 1-1 - a")
		var got []string
		for _, f := range sourcetest.Find(r, New()) {
			got = append(got, f.ID)
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", branch, got, want)
		}
	}
}

// The text of a spec does not count as progress if nobody has started to plan.
func TestEmpty_notStarted(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]sources.State{"backlog": sources.NotStarted, "in_progress": sources.Interrupted} {
		r := gittest.New(t)
		r.Write(".auto-claude/specs/004-secrets/implementation_plan.json", `{"feature": "secrets", "status": "`+status+`", "phases": []}`)
		r.Write(".auto-claude/specs/004-secrets/spec.md", "# Secrets\n")
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != want || found[0].Tasks[0].Aside != (want == sources.NotStarted) {
			t.Errorf("%s: %+v", status, found)
		}
	}
}
