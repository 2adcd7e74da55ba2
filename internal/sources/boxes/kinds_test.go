package boxes

import (
	"slices"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	reset    = ".agent-os/specs/2026-11-05-password-reset/tasks.md"
	newReset = "agent-os/specs/2026-11-05-password-reset/tasks.md"
	search   = ".spec-workflow/specs/search/tasks.md"
	specJSON = ".kiro/specs/login/spec.json"
	oneOfTwo = "- [x] 1. one\n- [ ] 2. two\n"
	// unapproved is what cc-sdd writes when it has made the tasks.
	unapproved = `{"feature_name": "login", "phase": "tasks-generated", "approvals": {"requirements": {"generated": true, "approved": true}, ` +
		`"design": {"generated": true, "approved": true}, "tasks": {"generated": true, "approved": false}}, "ready_for_implementation": false}`
)

func kindCases() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "R-X-6-agent-os", In: "kiro.txtar", Prepare: both(remove(login), add(newReset, oneOfTwo)), Want: `[{"same":["spec:agent-os/specs/2026-11-05-password-reset"]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("add", "-A"); r.Git("mv", "agent-os", ".agent-os") }, Then: `[{"same":["spec:.agent-os/specs/2026-11-05-password-reset"]}]`},
		{IDs: "R-X-8", In: "kiro.txtar", Prepare: add(login, "- [x] 1. one\n- [ ] 2. two\n- [~] 3. three\n"), Want: `[{"source":"kiro","point":{"task":"2"},"tasks":[{},{},{"state":"pending","raw":"~"}]}]`,
			Mutate: replace(login, "[~]", "[-]"), Then: `[{"point":{"task":"3"}}]`},
		{IDs: "R-X-8 B-15", In: "kiro.txtar", Prepare: both(remove(login), add(search, "- [x] 1. one\n- [~] 2. two\n- [ ] 3. three\n")),
			Want:   `[{"source":"spec-workflow","id":"search","state":"interrupted","point":{"task":"3","reason":"the first open box that is not blocked"},"tasks":[{},{"state":"blocked"},{}]}]`,
			Mutate: replace(search, "[ ] 3", "[x] 3"), Then: `[{"state":"blocked","point":{"task":"2"}}]`},
		{IDs: "R-X-8", In: "speckit.txtar", Prepare: add(album, "- [x] T001 one\n- [ ] T002 two\n- [~] T003 three\n"), Want: `[{"source":"spec-kit","point":{"task":"T003"}}]`,
			Mutate: replace(album, "[~]", "[ ]"), Then: `[{"point":{"task":"T002"}}]`},
		{IDs: "B-14", In: "kiro.txtar", Prepare: both(remove(login), add(reset, oneOfTwo), func(r *gittest.Repo) { r.Git("branch", "password-reset") }),
			Want:   `[{"source":"agent-os","id":"2026-11-05-password-reset","command":"/execute-tasks","branch":"refs/heads/password-reset","protocol":{"feature_name":"password-reset"}}]`,
			Mutate: func(r *gittest.Repo) { r.Git("add", "-A"); r.Git("mv", ".agent-os", "agent-os") }, Then: `[{"source":"agent-os","command":"/implement-tasks"}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: both(add(login, "- [ ] 1. one\n- [ ] 2. two\n"), add(specJSON, unapproved)),
			Want:   `[{"state":"waiting","headline":"2 tasks; a person must approve the tasks first","command":"/kiro:spec-status login","point":{"task":"1","reason":"a person approves the tasks first"}}]`,
			Mutate: replace(specJSON, "false", "true"), Then: `[{"state":"not started","command":"/kiro:spec-impl login"}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: add(specJSON, unapproved),
			Want:   `[{"state":"interrupted","command":"/kiro:spec-impl login","doubts":[{"code":"status-disagrees","text":".kiro/specs/login/spec.json says that nobody has approved the tasks, but tasks are done"}]}]`,
			Mutate: replace(specJSON, `"design": {"generated": true, "approved": true}`, `"design": {"generated": true, "approved": false}`), Then: `[{"doubts":[{"text":".kiro/specs/login/spec.json says that nobody has approved the design, but tasks are done"}]}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: add(specJSON, `{"ready_for_implementation": `), Want: `[{"state":"interrupted","command":null,"doubts":[{"code":"state-damaged"}]}]`,
			Mutate: add(specJSON, `{"name": "login"}`), Then: `[{"state":"interrupted","command":null,"doubts":null}]`},
	}
}

// Lists in archives are no work, and a list that two kinds could claim is found once.
func TestFind_kindsClaimEachListOnce(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, file := range []string{reset, newReset, search, ".spec-workflow/archive/specs/old/tasks.md", ".agent-os/specs/archive/tasks.md"} {
		r.Write(file, oneOfTwo)
	}
	r.Git("config", "resume.plans", ":(glob)**/tasks.md")
	r.Git("config", "--add", "resume.plans", ":(exclude)*archive*")
	var got []string
	for _, f := range sourcetest.Find(r, New()) {
		got = append(got, f.Source+" "+f.Files[0])
	}
	want := []string{sources.AgentOS + " " + reset, sources.AgentOS + " " + newReset, sources.SpecWorkflow + " " + search}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

func FuzzApproval(f *testing.F) {
	f.Add([]byte(unapproved))
	f.Add([]byte(`{"approvals": [1], "ready_for_implementation": "no"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		value, err := parseApproval(data)
		if err == nil && value != nil && value.missing != "" && !slices.Contains(documents, value.missing) {
			t.Errorf("%q is no document", value.missing)
		}
	})
}
