package orchestrate

import (
	"fmt"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	sdcState  = ".aios/sdc-20261114-001-state.yaml"
	story42   = "docs/stories/4.2.story.md"
	epicState = ".aios/epic-3-state.yaml"
	loopState = "qa/loop-status.json"
	stepState = ".aiox/greenfield-20261114-a1-state.yaml"
	cycState  = ".aios/workflow-state/7.1-state.yaml"
	mastState = ".aiox/master-orchestrator/STORY-42.json"
	bldState  = "plan/build-state.json"
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

// commit commits all files at the given time.
func commit(r *gittest.Repo, when, subject string) {
	r.T.Helper()
	r.Git("add", "-A")
	r.With("GIT_AUTHOR_DATE="+when, "GIT_COMMITTER_DATE="+when).Git("commit", "-q", "--allow-empty", "-m", subject)
}

// The function committed() makes a commit with all files. The argument is the commit time, which must be before the interruption.
func committed(when string) func(*gittest.Repo) {
	return func(r *gittest.Repo) { commit(r, when, "as it was") }
}

// The function later() makes two commits. The first contains the current files, and the second contains changes that were made after the
// interruption.
func later(when, subject string, m ...sourcetest.Mutation) func(*gittest.Repo) {
	return func(r *gittest.Repo) {
		commit(r, "2026-11-01T00:00:00Z", "as it was")
		both(m...)(r)
		commit(r, when, subject)
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	var all []sourcetest.Case
	for _, group := range [][]sourcetest.Case{causes, searches, integrity, consistency, clashes, ages, points, plans, ways, deeds, family, realFiles, truths} {
		all = append(all, group...)
	}
	sourcetest.Run(t, New(), all, elsewhere)
}

// causes holds the test cases for the reasons of interruptions.
var causes = []sourcetest.Case{
	{IDs: "S1-1", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "status: interrupted", "interrupt_reason: session end\nstatus: interrupted"), Want: `[{"cause":"session end","state":"interrupted"}]`,
		Mutate: replace(sdcState, "interrupt_reason: session end\n", ""), Then: `[{"cause":null,"state":"interrupted"}]`},
	{IDs: "S1-2", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "status: interrupted", "status: aborted"), Want: `[{"cause":"user command","state":"paused"}]`,
		Mutate: replace(sdcState, "status: aborted", "status: active"), Then: `[{"cause":null,"state":"interrupted"}]`},
	{IDs: "S1-3", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "status: interrupted", "status: failed"), Want: `[{"cause":"error","state":"failed"}]`,
		Mutate: replace(sdcState, "status: failed", "status: active"), Then: `[{"cause":null,"state":"interrupted"}]`},
	{IDs: "S1-4", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "status: interrupted", "interrupt_reason: timeout\nstatus: interrupted"), Want: `[{"cause":"timeout"}]`,
		Mutate: replace(sdcState, "interrupt_reason: timeout", "interrupt_reason: user said stop"), Then: `[{"cause":"user command"}]`},
	{IDs: "S1-5", In: "steps.txtar", Want: `[{"cause":"intentional pause","state":"paused"}]`,
		Mutate: replace(stepState, "status: paused", "status: active"), Then: `[{"cause":null,"state":"interrupted"}]`},
}

// searches holds the test cases for the paths at which state files are found.
var searches = []sourcetest.Case{
	{IDs: "S1-7 S1-31", In: "sdc.txtar", Want: `[{"id":"sdc-20261114-001","root":".aios","protocol":{"priority":3,"workflow_type":"SDC"}}]`, Mutate: remove(sdcState), Then: `[]`},
	{IDs: "S1-8 S1-30", In: "loop-2.1.txtar", Want: `[{"id":"qa-2.1","root":"qa","protocol":{"priority":2,"workflow_type":"QA Loop"}}]`,
		Mutate: remove(loopState), Then: `[{"id":"story-2.1","protocol":{"priority":5}}]`},
	{IDs: "S1-9 S1-29", In: "epic-3.txtar", Want: `[{"id":"epic-3","protocol":{"priority":1,"workflow_type":"Epic Execution"}}]`,
		Mutate: remove(epicState), Then: `[{"id":"story-3.3","protocol":{"priority":4}}]`},
	{IDs: "S1-10 S1-32", In: "story-4.2.txtar", Want: `[{"id":"story-4.2","protocol":{"priority":4,"workflow_type":"SDC","position":"phase 3 (Implement)"}}]`,
		Mutate: replace(story42, "InProgress", "Ready"), Then: `[]`},
	// a story with ticked tasks is found even if its status was not changed
	{IDs: "S1-10", In: "story-4.2.txtar", Prepare: replace(story42, "InProgress", "Approved"), Want: `[{"id":"story-4.2","state":"interrupted","doubts":["…",{"code":"status-word","severity":"info"}]}]`,
		Mutate: replace(story42, "[x]", "[ ]"), Then: `[]`},
	{IDs: "S1-33", In: "review-5.1.txtar", Want: `[{"id":"story-5.1","state":"interrupted","protocol":{"priority":5,"position":"phase 4 (QA)"}}]`,
		Mutate: replace("docs/stories/5.1.story.md", "InReview", "InProgress"), Then: `[{"protocol":{"priority":4}}]`},
	{IDs: "S1-34", In: "spec-login.txtar", Want: `[{"id":"spec-login","state":"interrupted","protocol":{"priority":6,"workflow_type":"Spec Pipeline"}}]`,
		Mutate: both(add("docs/specs/login/spec.md", "x"), add("docs/specs/login/critique.json", `{"verdict":"APPROVED"}`)), Then: `[{"state":"complete"}]`},
	{IDs: "S1-35", In: "spec-login.txtar review-5.1.txtar story-4.2.txtar steps.txtar loop-2.1.txtar epic-3.txtar",
		Want:   `[{"id":"epic-3"},{"id":"qa-2.1"},{"id":"greenfield-20261114-a1"},{"id":"story-4.2"},{"id":"story-5.1"},{"id":"spec-login"}]`,
		Mutate: remove(loopState), Then: `[{"id":"epic-3"},{"id":"greenfield-20261114-a1"},{"id":"story-4.2"},{},{},{"id":"spec-login"}]`},
	{IDs: "S1-36", Want: `[]`, Mutate: func(r *gittest.Repo) { sourcetest.Place(r, "testdata/story-4.2.txtar") }, Then: `[{"id":"story-4.2"}]`},
	{IDs: "S1-6", In: "story-4.2.txtar sdc.txtar", Want: `[{"point":{"task":"implement"},"tasks":[{"id":"create","state":"done"},{"id":"validate","state":"done"},{"id":"implement","state":"active"},{"id":"qa","state":"pending"}]}]`,
		Mutate: replace(sdcState, "  - {phase: validate, agent: po, output: docs/qa/4.2-validation.md}\n", ""), Then: `[{"point":{"task":"validate"}}]`},
}

// integrity holds the test cases for the files and stories that a state file names, for example missing ones.
var integrity = []sourcetest.Case{
	{IDs: "S1-11 S1-37 S1-96", In: "story-4.2.txtar sdc.txtar", Want: `[{"needs":["…"],"protocol":{"validation_status":"clean"}}]`, Mutate: remove(story42),
		Then: `[{"protocol":{"validation_status":"conflicts","missing_files":[{"path":"docs/stories/4.2.story.md","phase":"Implement","critical":true}]}}]`, Prepare: func(r *gittest.Repo) {
			add("docs/stories/4.1.story.md", "# Story 4.1: x\n**Status:** Done\n")(r)
		}},
	{IDs: "S1-12", In: "story-4.2.txtar sdc.txtar", Prepare: both(remove("docs/stories"), remove("templates"), remove(".aios/pack.yaml"), add("stories/4.2.md", "x"), add("docs/stories/9.9.story.md", "# Story 9.9: x\n**Status:** Done\n")),
		Want:   `[{"doubts":[{"code":"restructured","severity":"blocking"}]}]`,
		Mutate: both(add("templates/story.yml", "x"), add(".aios/pack.yaml", "x")), Then: `[{"doubts":null}]`},
	{IDs: "S1-38 S1-100 S1-101 S1-102", In: "story-4.2.txtar sdc.txtar", Prepare: remove("docs/qa/4.2-validation.md"),
		Want: `[{"point":{"task":"validate"},"protocol":{"valid_phases":[{"number":1,"name":"Create"}],"invalid_phases":[{"number":2,"name":"Validate","why":"its output docs/qa/4.2-validation.md is missing"}],
			"suggestion":"resume from phase 2, using the outputs of the phases before it"}}]`,
		Mutate: add("docs/qa/4.2-validation.md", "GO"), Then: `[{"point":{"task":"implement"},"protocol":{"invalid_phases":null}}]`},
	{IDs: "S1-39", In: "story-4.2.txtar sdc.txtar", Prepare: remove(".aios/pack.yaml"),
		Want:   `[{"needs":[{"path":".aios/pack.yaml","for":"the remaining phases","missing":true,"critical":true},"…"],"protocol":{"validation_status":"conflicts"}}]`,
		Mutate: add(".aios/pack.yaml", "x"), Then: `[{"needs":[{"path":".aios/pack.yaml","missing":null},"…"],"protocol":{"validation_status":"clean"}}]`},
	{IDs: "S1-40", In: "story-4.2.txtar sdc.txtar", Prepare: remove("templates/story.yml"),
		Want:   `[{"needs":[{"path":".aios/pack.yaml"},{"path":"templates/story.yml","missing":true,"critical":null},"…"],"protocol":{"validation_status":"warnings"}}]`,
		Mutate: add("templates/story.yml", "x"), Then: `[{"protocol":{"validation_status":"clean"}}]`},
	{IDs: "S1-41 S1-111", In: "epic-3.txtar", Prepare: both(remove("docs/stories/3.3.story.md"), remove("docs/stories/epic-3-EXECUTION.yaml")),
		Want: `[{"protocol":{"missing_files":[{"path":"docs/stories/epic-3-EXECUTION.yaml","phase":"the remaining waves","critical":false},{"path":"docs/stories/3.3.story.md","phase":"wave 2","critical":true}]},
			"alternatives":[{"name":"start-fresh"},"…"]}]`,
		Mutate: add("docs/stories/3.3.story.md", "# Story 3.3: x\n**Status:** InProgress\n"), Then: `[{"protocol":{"missing_files":[{"critical":false}]},"alternatives":[{"name":"continue"},"…"]}]`},
	{IDs: "S1-24 S1-88", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "docs", replace(story42, "cryptography", "mathematics")),
		Want:   `[{"protocol":{"files":[{"path":".aios/pack.yaml","state":"present"},{"path":"templates/story.yml","state":"present"},{"path":"docs/stories/4.2.story.md","state":"changed"},{"path":"docs/qa/4.2-validation.md","state":"present"}]}}]`,
		Mutate: remove("templates/story.yml"), Then: `[{"protocol":{"files":[{},{"state":"missing"},{},{}]}}]`},
	// what finished phases made is compared too, in all forms in which phases are listed
	{IDs: "S1-24", In: "story-4.2.txtar", Prepare: both(add(sdcState, phasesList), add("docs/qa/4.2.md", "GO"), add("src/pay.ts", "1"), later("2026-11-14T11:40:00Z", "refactor", add("src/pay.ts", "2"))),
		Want:   `[{"point":{"task":"implement"},"tasks":[{"state":"done"},{"state":"done"},{"id":"implement","state":"pending"},{"id":"qa","state":"pending"}],"protocol":{"files":[{"path":"docs/stories/4.2.story.md"},{"path":"docs/qa/4.2.md","state":"present"},{"path":"src/pay.ts","state":"changed"}]}}]`,
		Mutate: remove("docs/qa/4.2.md"), Then: `[{"point":{"task":"validate"},"protocol":{"files":[{},{"path":"docs/qa/4.2.md","state":"missing"},{"path":"src/pay.ts","state":"changed"}]}}]`},
	{IDs: "S1-25", In: "epic-3.txtar", Want: `[{"protocol":{"status_consistency":[{"story":"3.1","story_says":"Done"},{"story":"3.2"},{"story":"3.3","state_says":"in_progress","story_says":"InProgress","interpretation":"consistent"},{"story":"3.4","story_says":"Draft"}]}}]`,
		Mutate: replace("docs/stories/3.4.story.md", "Draft", "Ready"), Then: `[{"protocol":{"status_consistency":[{},{},{},{"story_says":"Ready"}]}}]`},
	{IDs: "S1-26", In: "epic-3.txtar", Prepare: replace("docs/stories/3.4.story.md", "3.3", "3.3, 3.9"), Want: `[{"doubts":[{"code":"needs-unknown","severity":"warning","path":"docs/stories/3.4.story.md"},"…"]}]`,
		Mutate: add("docs/stories/3.9.story.md", "# Story 3.9: x\n**Status:** Done\n"), Then: `[{"doubts":[{"code":"tasks-added","severity":"info"}]}]`},
}

// phasesList is a state file in which each phase has a status of its own. The current phase is QA.
const phasesList = `workflow: sdc
story: "4.2"
status: interrupted
updated_at: 2026-11-14T11:15:00Z
current_phase: qa
phases:
  - {id: create, status: completed, output: docs/stories/4.2.story.md}
  - {id: validate, status: completed, output: docs/qa/4.2.md}
  - {id: implement, status: completed, output: src/pay.ts}
  - {id: qa, status: in_progress}
`

// storySays builds a test case with two given statuses of story 3.3, one in the state file and one in the story file.
func storySays(id, state, story, code, severity string, instead string) sourcetest.Case {
	want := `[{"doubts":null}]`
	if code != "" {
		want = fmt.Sprintf(`[{"doubts":[{"code":%q,"severity":%q,"path":"docs/stories/3.3.story.md"},"…"]}]`, code, severity)
	}
	return sourcetest.Case{IDs: id, In: "epic-3.txtar", Want: want,
		Prepare: both(replace(epicState, "3.3: {status: in_progress", "3.3: {status: "+state), replace("docs/stories/3.3.story.md", "InProgress", story)),
		Mutate:  replace("docs/stories/3.3.story.md", "**Status:** "+story, "**Status:** "+instead)}
}

var consistency = []sourcetest.Case{
	storySays("S1-42", "in_progress", "InProgress", "", "", "Done"),
	storySays("S1-43", "in_progress", "Done", "ended-elsewhere", "blocking", "InProgress"),
	storySays("S1-44", "in_progress", "Draft", "story-reset", "blocking", "InProgress"),
	storySays("S1-46", "pending", "Ready", "story-validated", "info", "Draft"),
	storySays("S1-47", "in_progress", "InReview", "status-disagrees", "warning", "InProgress"),
	{IDs: "S1-45", In: "loop-2.1.txtar", Prepare: replace("docs/stories/2.1.story.md", "InReview", "Done"), Want: `[{"id":"qa-2.1","doubts":[{"code":"ended-elsewhere","severity":"blocking"}]}]`,
		Mutate: replace("docs/stories/2.1.story.md", "Done", "InReview"), Then: `[{"doubts":null}]`},
}

// clashes holds the test cases for events after the interruption, such as an edited story or other work.
var clashes = []sourcetest.Case{
	{IDs: "S1-48", In: "story-4.2.txtar sdc.txtar loop-2.1.txtar", Prepare: both(replace(loopState, `"2.1"`, `"4.2"`), replace(sdcState, "started_at: 2026-11-14T09:00:00Z", "started_at: 2026-11-12T09:00:00Z")),
		Want:   `[{"id":"qa-4.2","doubts":["…"],"protocol":{"conflicts":["other work (SDC for story 4.2) was started 21 hours after the last activity of this work"]}},{"id":"story-2.1"}]`,
		Mutate: replace(sdcState, "started_at: 2026-11-12T09:00:00Z", "started_at: 2026-11-10T09:00:00Z"), Then: `[{"protocol":{"conflicts":null}},{}]`},
	{IDs: "S1-49 S1-52", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "docs", replace(story42, "a lost key can be replaced", "a lost key is gone")),
		Want:   `[{"doubts":[{"code":"scope-changed","severity":"blocking","path":"docs/stories/4.2.story.md","text":"the requirements of story 4.2 have changed since 2026-11-14 11:15: section 'Acceptance Criteria' is different now"},{"code":"phase-invalid","severity":"warning"}],"protocol":{"validation_status":"conflicts"}}]`,
		Mutate: replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-11-14T11:45:00Z"), Then: `[{"doubts":null,"protocol":{"validation_status":"clean"}}]`},
	{IDs: "S1-49", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "docs of story 4.2", replace(story42, "Only the web shop", "All shops")),
		Want:   `[{"doubts":[{"code":"scope-changed","severity":"blocking","text":"the requirements of story 4.2 have changed since 2026-11-14 11:15: section 'Scope' is different now"},{"code":"phase-invalid","severity":"warning"}]}]`,
		Mutate: replace(story42, "All shops", "Only the web shop"), Then: `[{"doubts":null}]`},
	// a state file that is committed together with such a change does not make the change older than it is
	{IDs: "S1-49", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "wip", replace(story42, "a lost key can be replaced", "a lost key is gone"), replace(sdcState, "# by hand", "# again")),
		Want:   `[{"doubts":[{"code":"scope-changed","severity":"blocking","text":"the requirements of story 4.2 have changed since 2026-11-14 11:15: section 'Acceptance Criteria' is different now"},{"code":"phase-invalid","severity":"warning"}]}]`,
		Mutate: replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-11-14T11:39:30Z"), Then: `[{"doubts":null}]`},
	{IDs: "S1-113", In: "epic-3.txtar", Prepare: later("2026-11-13T12:00:00Z", "wip", add("docs/stories/3.5.story.md", "# Story 3.5: roof\n**Status:** Draft\n"), replace(epicState, "status: active", "status: active # still")),
		Want:   `[{"doubts":[{"code":"tasks-added","severity":"blocking","path":"docs/stories/3.5.story.md"}]}]`,
		Mutate: remove("docs/stories/3.5.story.md"), Then: `[{"doubts":null}]`},
	{IDs: "S1-50 S1-53", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "tidy up", replace("src/login.go", "shop", "till")),
		Want:   `[{"doubts":[{"code":"changed-by-others","severity":"warning","path":"src/login.go"}],"protocol":{"validation_status":"warnings"}}]`,
		Mutate: replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-11-14T11:45:00Z"), Then: `[{"doubts":null,"protocol":{"validation_status":"clean"}}]`},
	{IDs: "S1-51", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "docs", replace(story42, "**Epic:** 4", "**Epic:** 4\n**Dependencies:** 4.1"), add("docs/stories/4.1.story.md", "# Story 4.1: x\n**Status:** Draft\n")),
		Want:   `[{"doubts":[{"code":"needs-added","severity":"blocking"}]}]`,
		Mutate: replace("docs/stories/4.1.story.md", "Draft", "Done"), Then: `[{"doubts":[{"code":"needs-added","severity":"info"}]}]`},
	{IDs: "S1-54", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "docs", replace(story42, "validated |", "validated |\n| 2026-11-14 | @po | looked at |")),
		Want:   `[{"doubts":[{"code":"story-changed","severity":"info","text":"section 'Change Log' of story 4.2 was edited since 2026-11-14 11:15"}],"protocol":{"validation_status":"clean"}}]`,
		Mutate: replace(story42, "looked at |", "looked at |\n\n## Dev Notes\n\nnew"), Then: `[{"doubts":[{"severity":"info"},{"severity":"warning"}],"protocol":{"validation_status":"warnings"}}]`},
	{IDs: "S1-113 S1-117", In: "epic-3.txtar", Prepare: later("2026-11-13T12:00:00Z", "more", add("docs/stories/3.5.story.md", "# Story 3.5: roof\n**Status:** Draft\n")),
		Want:   `[{"doubts":[{"code":"tasks-added","severity":"blocking","path":"docs/stories/3.5.story.md"}],"alternatives":[{"name":"start-fresh"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"clean-up"}]}]`,
		Mutate: replace(epicState, "        3.4: {status: pending, executor: dev}", "        3.4: {status: pending, executor: dev}\n        3.5: {status: pending}"), Then: `[{"doubts":null,"alternatives":[{"name":"continue"},"…"]}]`},
	{IDs: "S1-116", In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "status: interrupted", "status: active"), replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-11-14T11:56:00Z")), Want: `[{"state":"running","doubts":[{"code":"still-written","severity":"warning"}]}]`,
		Mutate: replace(sdcState, "updated_at: 2026-11-14T11:56:00Z", "updated_at: 2026-11-14T11:54:00Z"), Then: `[{"state":"interrupted","doubts":[{"code":"status-word","severity":"info"}]}]`},
	{IDs: "S1-124", In: "story-4.2.txtar sdc.txtar", Prepare: func(r *gittest.Repo) {
		replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-10-20T11:15:00Z")(r)
		replace(sdcState, "started_at: 2026-11-14T09:00:00Z", "started_at: 2026-10-20T09:00:00Z")(r)
		commit(r, "2026-10-20T11:10:00Z", "as it was")
	}, Want: `[{"protocol":{"state_age":"Stale","validation_status":"clean"}}]`,
		Mutate: func(r *gittest.Repo) {
			replace(story42, "a lost key", "no key")(r)
			commit(r, "2026-10-20T12:00:00Z", "docs")
		}, Then: `[{"protocol":{"state_age":"Stale","validation_status":"conflicts"}}]`},
}

// aged builds a test case for the limit between two ages, such as Fresh and Recent. Two states whose times differ by one second must get
// different ages.
func aged(id, last, first, age, older string) sourcetest.Case {
	return sourcetest.Case{IDs: id, In: "story-4.2.txtar sdc.txtar", Prepare: both(replace(sdcState, "2026-11-14T11:15:00Z", last), replace(sdcState, "2026-11-14T09:00:00Z", "2026-11-01T00:00:00Z")),
		Want: `[{"protocol":{"state_age":"` + age + `"}}]`, Mutate: replace(sdcState, last, first), Then: `[{"protocol":{"state_age":"` + older + `"}}]`}
}

var ages = []sourcetest.Case{
	aged("S1-55", "2026-11-14T11:00:01Z", "2026-11-14T11:00:00Z", "Fresh", "Recent"),
	aged("S1-56", "2026-11-13T12:00:01Z", "2026-11-13T12:00:00Z", "Recent", "Moderate"),
	aged("S1-57", "2026-11-07T12:00:00Z", "2026-11-07T11:59:59Z", "Moderate", "Stale"),
	aged("S1-58", "2026-11-07T11:59:59Z", "2026-11-07T12:00:00Z", "Stale", "Moderate"),
}
