package boxes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

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
	health   = "execplans/health.md"
	// execPlan is a plan with boxes in several sections.
	execPlan = "# Health endpoint\n\n## Purpose / Big Picture\n\n- [ ] not a task\n\n## Progress\n\n- [x] (2026-11-12 13:00Z) Add the handler.\n- [ ] Ping the database.\n" +
		"- [ ] Write the page (completed: the layout; remaining: the texts).\n\n## Validation and Acceptance\n\n- [ ] curl answers\n"
	// unapproved is the spec.json that cc-sdd writes after it has created the tasks.
	unapproved = `{"feature_name": "login", "phase": "tasks-generated", "approvals": {"requirements": {"generated": true, "approved": true}, ` +
		`"design": {"generated": true, "approved": true}, "tasks": {"generated": true, "approved": false}}, "ready_for_implementation": false}`
	// unready is a spec.json in which everything is approved, but the work may not begin.
	unready = `{"approvals": {"requirements": {"approved": true}, "design": {"approved": true}, "tasks": {"approved": true}}, "ready_for_implementation": false}`
)

func kindCases() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "R-X-6-agent-os", In: "kiro.txtar", Prepare: both(remove(login), add(newReset, oneOfTwo)), Want: `[{"same":["spec:agent-os/specs/2026-11-05-password-reset"]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("add", "-A"); r.Git("mv", "agent-os", ".agent-os") }, Then: `[{"same":["spec:.agent-os/specs/2026-11-05-password-reset"]}]`},
		{IDs: "R-X-8", In: "kiro.txtar", Prepare: add(login, "- [x] 1. one\n- [ ] 2. two\n- [~] 3. three\n"), Want: `[{"source":"kiro","point":{"task":"2"},"tasks":[{},{},{"state":"pending","raw":"~"}]}]`,
			Mutate: replace(login, "[~]", "[-]"), Then: `[{"point":{"task":"3"}}]`},
		{IDs: "R-X-8 B-15", In: "kiro.txtar", Prepare: both(remove(login), add(search, "- [x] 1. one\n- [~] 2. two\n- [ ] 3. three\n")),
			Want:   `[{"source":"spec-workflow","id":"search","state":"interrupted","point":{"task":"3","reason":"the first open checkbox that is not blocked"},"tasks":[{},{"state":"blocked"},{}]}]`,
			Mutate: replace(search, "[ ] 3", "[x] 3"), Then: `[{"state":"blocked","point":{"task":"2"}}]`},
		{IDs: "R-X-8", In: "speckit.txtar", Prepare: add(album, "- [x] T001 one\n- [ ] T002 two\n- [~] T003 three\n"), Want: `[{"source":"spec-kit","point":{"task":"T003"}}]`,
			Mutate: replace(album, "[~]", "[ ]"), Then: `[{"point":{"task":"T002"}}]`},
		{IDs: "R-X-9-boxes", In: "speckit.txtar", Prepare: add(album, "- [x] T001 one\n"+strings.Repeat("- [ ] next\n", 2100)),
			Want:   `[{"headline":"1 of 2101 tasks are ticked; next is next","protocol":{"completed":1,"total":2101},"doubts":null}]`,
			Mutate: add(album, "- [x] T001 one\n- [ ] T002 two\n"), Then: `[{"headline":"1 of 2 tasks are ticked; next is T002 two"}]`},
		{IDs: "R-X-9-boxes", In: "speckit.txtar", Prepare: add(album, "- [x] T001 one\n- [ ] T002 two\n"+strings.Repeat("prose\n", 1<<20)),
			Want:   `[{"state":"corrupt","tasks":null,"doubts":[{"code":"state-damaged","text":"` + album + ` cannot be read as a list: the plan is larger than 4 MiB"}]}]`,
			Mutate: add(album, "- [x] T001 one\n- [ ] T002 two\n"), Then: `[{"doubts":null}]`},
		{IDs: "R-X-10-boxes", In: "speckit.txtar", Prepare: both(add(album, "- [x] T001 one\n- [ ] T002 two\n"), commitAll("list"), add(album, "- [x] T001 one\n<<<<<<< HEAD\n- [x] T002 two\n=======\n- [ ] T002 2\n>>>>>>> side\n")),
			Want:   `[{"point":{"task":"T002"},"alternatives":[{"name":"continue"}],"doubts":[{"code":"state-damaged","text":"` + album + ` contains conflict markers of an unfinished merge: it holds two versions, 'HEAD' and 'side'"},{"code":"state-from-elsewhere"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("checkout", "--", album) }, Then: `[{"alternatives":[{"name":"continue"},{"name":"skip-unit"}],"doubts":null}]`},
		{IDs: "B-14", In: "kiro.txtar", Prepare: both(remove(login), add(reset, oneOfTwo), func(r *gittest.Repo) { r.Git("branch", "password-reset") }),
			Want:   `[{"source":"agent-os","id":"2026-11-05-password-reset","command":"/execute-tasks","branch":"refs/heads/password-reset","protocol":{"feature_name":"password-reset"}}]`,
			Mutate: func(r *gittest.Repo) { r.Git("add", "-A"); r.Git("mv", ".agent-os", "agent-os") }, Then: `[{"source":"agent-os","command":"/implement-tasks"}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: both(add(login, "- [ ] 1. one\n- [ ] 2. two\n"), add(specJSON, unapproved)),
			Want:   `[{"state":"waiting","headline":"2 tasks; a person must approve the tasks first","command":"/kiro:spec-status login","point":{"task":"1","reason":"a person must approve the tasks first"}}]`,
			Mutate: replace(specJSON, "false", "true"), Then: `[{"state":"not started","command":"/kiro:spec-impl login"}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: add(specJSON, unapproved),
			Want:   `[{"state":"interrupted","command":"/kiro:spec-impl login","doubts":[{"code":"status-disagrees","text":".kiro/specs/login/spec.json says that nobody has approved the tasks, but the work was started"}]}]`,
			Mutate: replace(specJSON, `"design": {"generated": true, "approved": true}`, `"design": {"generated": true, "approved": false}`), Then: `[{"doubts":[{"text":".kiro/specs/login/spec.json says that nobody has approved the design, but the work was started"}]}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: add(specJSON, unready), Want: `[{"state":"interrupted","doubts":[{"text":".kiro/specs/login/spec.json says that the work may not begin yet ('ready_for_implementation' is false), but the work was started"}]}]`,
			Mutate: replace(specJSON, "false", "true"), Then: `[{"doubts":null}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: both(add(specJSON, unready), add(login, "- [ ] 1. one\n")), Want: `[{"state":"waiting","point":{"reason":"a person must set 'ready_for_implementation' to true in spec.json first"}}]`,
			Mutate: replace(specJSON, "false", "true"), Then: `[{"state":"not started"}]`},
		{IDs: "B-16", In: "kiro.txtar", Prepare: add(specJSON, `{"ready_for_implementation": `), Want: `[{"state":"interrupted","command":null,"doubts":[{"code":"state-damaged"}]}]`,
			Mutate: add(specJSON, `{"name": "login"}`), Then: `[{"state":"interrupted","command":null,"doubts":null}]`},
		{IDs: "B-17", In: "kiro.txtar", Prepare: both(remove(login), add(todoFile, oneOfTwo)), Want: `[{"source":"todo","id":"repo","root":"tasks/todo.md","point":{"task":"2"}}]`,
			Mutate: add(todoFile, "- [ ] one\n"), Then: `[]`},
		{IDs: "B-17", In: "kiro.txtar", Prepare: both(remove(login), add(todoFile, oneOfTwo)), Want: `[{"source":"todo"}]`,
			Mutate: func(r *gittest.Repo) {
				old := sourcetest.Now.Add(-31 * 24 * time.Hour)
				if err := os.Chtimes(filepath.Join(r.Dir, todoFile), old, old); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[]`},
		{IDs: "B-17", In: "kiro.txtar", Prepare: both(remove(login), add(todoFile, oneOfTwo), func(r *gittest.Repo) { r.Git("config", "resume.plans", "tasks") }), Want: `[{"source":"plans","id":"tasks"}]`,
			Mutate: func(r *gittest.Repo) { r.Git("config", "--unset", "resume.plans") }, Then: `[{"source":"todo","id":"repo"}]`},
		{IDs: "B-17", In: "kiro.txtar", Prepare: both(remove(login), add(todoFile, "\n")), Want: `[]`, Mutate: add(todoFile, "<<<<<<< a\n- [x] a\n=======\n- [ ] a\n>>>>>>> b\n"), Then: `[{"source":"todo","state":"corrupt"}]`},
		{IDs: "B-18", In: "kiro.txtar", Prepare: both(remove(login), add(health, execPlan), add(".agent/PLANS.md", "# rules\n")),
			Want: `[{"source":"execplans","id":"health","root":"execplans/health.md","state":"interrupted","needs":[{"path":".agent/PLANS.md"}],"point":{"title":"Write the page (completed: the layout; remaining: the texts).","reason":"the first checkbox that is in progress"},
				"tasks":[{"title":"Add the handler.","state":"done"},{"title":"Ping the database.","state":"pending"},{"state":"active"}]}]`,
			Mutate: replace(health, "(completed: the layout; remaining: the texts)", "next"), Then: `[{"point":{"title":"Ping the database."}}]`},
		{IDs: "B-18", In: "kiro.txtar", Prepare: both(remove(login), add(".agent/execplans/health.md", execPlan), add(".agent/execplans/README.md", execPlan), add(".agent/execplans/notes.txt", execPlan)), Want: `[{"id":"health"}]`,
			Mutate: replace(".agent/execplans/health.md", "## Progress", "## Steps"), Then: `[]`},
		{IDs: "B-18", In: "kiro.txtar", Prepare: both(remove(login), add(health, execPlan)), Act: &sources.ActionRequest{Name: sources.SkipUnit}, Want: `{"changes":[{"path":"execplans/health.md","now":"` + strings.ReplaceAll(strings.Replace(execPlan, "[ ] Write", "[x] Write", 1), "\n", `\n`) + `"}]}`,
			Mutate: replace(health, "- [ ] Ping", "- [~] Ping"), Then: `{"changes":[{"path":"execplans/health.md"}]}`},
	}
}

// The title of a step must stay the same when the step is ticked and a time is written before it.
func TestWithin_cutsTimes(t *testing.T) {
	t.Parallel()
	for _, stamped := range []string{"(2026-11-12 13:00Z) Add it.", "(2026-11-12) Add it.", "2026-11-12 13:00 UTC - Add it.", "(2026-11-12T13:00:00+09:00) Add it.", "(2026-11-12 13:00 JST): Add it.", "Add it."} {
		l := &list{kind: kindOf(sources.ExecPlans), path: "x.md"}
		if boxes, err := l.parse([]byte("## Progress / 進捗\n- [x] " + stamped + "\n")); err != nil || len(boxes) != 1 || boxes[0].Title != "Add it." {
			t.Errorf("%q: %+v, %v", stamped, boxes, err)
		}
	}
}

func FuzzWithin(f *testing.F) {
	f.Add([]byte(execPlan), uint8(1))
	f.Add([]byte("- [ ] a\n  - [ ] b\n## Progress\n  - [x] 2026-11-12 c\n    - [ ] d (done: x; remaining: y)\n# e\n- [ ] f\n"), uint8(2))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		l := &list{kind: kindOf(sources.ExecPlans), path: "x.md", data: data}
		all, err := l.parse(data)
		if err != nil || len(all) == 0 {
			return
		}
		for i, b := range all {
			if b.Above >= i {
				t.Fatalf("box %d of %q is below box %d", i, data, b.Above)
			}
		}
		l.boxes = all
		_, _ = l.tasks(), l.wholeBelow()
		i := int(n) % len(all)
		if now, err := l.tick([]int{i}); err == nil {
			if after, err := l.parse(now); err != nil || !after[i].Done {
				t.Errorf("box %d of %q is not ticked in %q", i, data, now)
			}
		}
	})
}

// Lists in archives are not found. A task list of a known tool is found only once, even if the setting resume.plans matches it too.
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
