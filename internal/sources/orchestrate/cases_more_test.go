package orchestrate

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// points holds the test cases for the resume point of each kind of workflow.
var points = []sourcetest.Case{
	{IDs: "S1-59", In: "story-4.2.txtar sdc.txtar", Want: `[{"point":{"task":"implement","title":"Implement"}}]`,
		Mutate: replace(sdcState, "context:", "  - {phase: implement, agent: dev}\ncontext:"), Then: `[{"point":{"task":"qa","title":"QA"},"doubts":["…"]}]`},
	{IDs: "S1-60", In: "spec-login.txtar", Want: `[{"point":{"task":"write"},"protocol":{"completed_phases":[{"name":"Gather"},{"name":"Assess"},{"name":"Research"}]}}]`,
		Mutate: both(add("docs/specs/login/spec.md", "x"), add("docs/specs/login/critique.json", `{"verdict":"BLOCKED"}`)), Then: `[{"point":{"task":"critique"},"questions":[{"text":"the critique is blocked and needs a person"}]}]`},
	{IDs: "S1-61", In: "loop-2.1.txtar", Want: `[{"point":{"task":"review-3"},"headline":"QA Loop for story 2.1, iteration 3/5","protocol":{"currentIteration":3,"maxIterations":5}}]`,
		Mutate: replace(loopState, `"currentIteration": 3`, `"currentIteration": 4`), Then: `[{"point":{"task":"review-4"}}]`},
	{IDs: "S1-62", In: "epic-3.txtar", Want: `[{"point":{"task":"3.3"}}]`, Mutate: replace(epicState, "3.3: {status: in_progress", "3.3: {status: completed"), Then: `[{"point":{"task":"3.4"}}]`},
}

// plans holds the test cases for the fields of the resume plan.
var plans = []sourcetest.Case{
	{IDs: "S1-63 S1-65 S1-73 S1-81 S1-93", In: "story-4.2.txtar sdc.txtar",
		Want:   `[{"protocol":{"resume_from_phase":{"number":3,"name":"Implement","agent":"@dev","inputs":["docs/stories/4.2.story.md","docs/qa/4.2-validation.md"]}}}]`,
		Mutate: remove("docs/qa/4.2-validation.md"), Then: `[{"protocol":{"resume_from_phase":{"number":2,"name":"Validate","inputs":["docs/stories/4.2.story.md"]}}}]`},
	{IDs: "S1-64", In: "story-4.2.txtar sdc.txtar", Want: `[{"protocol":{"agent_configured":true}}]`, Mutate: remove(".claude/agents/dev.md"),
		Then: `[{"protocol":{"agent_configured":false,"warnings":["agent @dev, who comes next, is not configured in this project"]}}]`},
	{IDs: "S1-66 S1-67 S1-68", In: "story-4.2.txtar sdc.txtar", Prepare: remove("docs/qa/4.2-validation.md"),
		Want:   `[{"point":{"task":"validate","reason":"it must be done again: its output docs/qa/4.2-validation.md is missing"},"protocol":{"missing_files":[{"path":"docs/qa/4.2-validation.md","phase":"Validate","critical":false}],"resume_from_phase":{"number":2}}}]`,
		Mutate: add("docs/qa/4.2-validation.md", "GO"), Then: `[{"point":{"task":"implement"},"protocol":{"missing_files":null}}]`},
	{IDs: "S1-69 S1-79", In: "story-4.2.txtar sdc.txtar", Want: `[{"headline":"SDC for story 4.2, phase 3 (Implement)","active":"2026-11-14T11:15:00Z","protocol":{"workflow_type":"SDC","state_source_path":".aios/sdc-20261114-001-state.yaml"}}]`,
		Mutate: replace(sdcState, "workflow: sdc", "workflow: spec-pipeline"), Then: `[{"protocol":{"workflow_type":"Spec Pipeline"}}]`},
	{IDs: "S1-70", In: "loop-2.1.txtar", Want: `[{"files":["qa/loop-status.json"],"protocol":{"state_source_path":"qa/loop-status.json"}}]`,
		Mutate: func(r *gittest.Repo) {
			r.Git("mv", "-k", "x", "y")
			add("qa/2.1/loop-status.json", r.Read(loopState))(r)
			remove(loopState)(r)
		}, Then: `[{"protocol":{"state_source_path":"qa/2.1/loop-status.json"}}]`},
	{IDs: "S1-71", In: "story-4.2.txtar sdc.txtar", Want: `[{"active":"2026-11-14T11:15:00Z","from":"updated_at","protocol":{"interrupted_at":"2026-11-14T11:15:00Z","state_age":"Fresh"}}]`,
		Mutate: replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-11-14T10:15:00Z"), Then: `[{"protocol":{"state_age":"Recent"}}]`},
	{IDs: "S1-72 S1-80", In: "story-4.2.txtar sdc.txtar", Want: `[{"protocol":{"last_completed_phase":{"number":2,"name":"Validate","agent":"@po","output":"docs/qa/4.2-validation.md"},
		"completed_phases":[{"number":1,"name":"Create","agent":"@sm"},{"number":2,"name":"Validate","agent":"@po"}]}}]`,
		Mutate: replace(sdcState, "  - {phase: validate, agent: po, output: docs/qa/4.2-validation.md}\n", ""), Then: `[{"protocol":{"last_completed_phase":{"number":1,"name":"Create","agent":"@sm"},"completed_phases":[{}]}}]`},
	{IDs: "S1-74 S1-82", In: "story-4.2.txtar sdc.txtar", Want: `[{"protocol":{"validation_status":"clean","warnings":null,"conflicts":null}}]`, Mutate: remove("templates/story.yml"),
		Then: `[{"protocol":{"validation_status":"warnings","warnings":["templates/story.yml is missing; needed by the remaining phases"],"conflicts":null}}]`},
	{IDs: "S1-83", In: "story-4.2.txtar sdc.txtar", Prepare: remove(".aios/pack.yaml"), Want: `[{"protocol":{"conflicts":[".aios/pack.yaml is missing; needed by the remaining phases"]}}]`,
		Mutate: add(".aios/pack.yaml", "x"), Then: `[{"protocol":{"conflicts":null}}]`},
	{IDs: "S1-75 S1-89", In: "story-4.2.txtar sdc.txtar", Want: `[{"protocol":{"estimated_remaining_phases":2,"remaining_phases":[{"number":3,"name":"Implement"},{"number":4,"name":"QA"}]}}]`,
		Mutate: replace(sdcState, "context:", "  - implement\ncontext:"), Then: `[{"protocol":{"estimated_remaining_phases":1,"remaining_phases":[{"number":4}]}}]`},
	{IDs: "S1-87", In: "epic-3.txtar", Want: `[{"protocol":{"status_consistency":[{},{},{},{}],"files":[{},{},{},{},{}],"validation_status":"clean"}}]`, Mutate: remove("docs/stories/3.4.story.md"),
		Then: `[{"protocol":{"status_consistency":[{},{},{},{"story":"3.4","story_says":"missing"}],"validation_status":"conflicts"}}]`},
	{IDs: "S1-85", In: "story-4.2.txtar loop-2.1.txtar epic-3.txtar", Want: `[{"headline":"Epic Execution for epic 3, wave 2"},{"headline":"QA Loop for story 2.1, iteration 3/5"},{"headline":"SDC for story 4.2, phase 3 (Implement)"}]`,
		Mutate: replace(loopState, `"currentIteration": 3`, `"currentIteration": 5`), Then: `[{},{"headline":"QA Loop for story 2.1, iteration 5/5"},{}]`},
	{IDs: "S1-108", In: "story-4.2.txtar sdc.txtar", Want: `[{"command":"@dev dev-develop-story 4.2","protocol":{"workflow_type":"SDC","story":"4.2","agent":"@dev","resume_from_phase":{"number":3},"validation_status":"clean"}}]`,
		Mutate: replace(sdcState, "context:", "  - implement\ncontext:"), Then: `[{"command":"@qa qa-gate 4.2","protocol":{"agent":"@qa"}}]`},
	{IDs: "S1-109", In: "sdc.txtar", Prepare: add(sdcState, "execution_id: ["), Want: `[{"state":"corrupt","files":[".aios/sdc-20261114-001-state.yaml"],"doubts":[{"code":"state-damaged","path":".aios/sdc-20261114-001-state.yaml"}],"alternatives":[{"name":"start-fresh"},{"name":"clean-up"}]}]`,
		Mutate: add(sdcState, "execution_id: x\nworkflow: sdc\nstatus: active\nphases_completed: []\n"), Then: `[{"state":"interrupted"}]`},
	{IDs: "S1-91", In: "steps.txtar", Want: `[{"session":"s-17","tasks":[{"id":"step-0","state":"done","files":["docs/project-brief.md","…"]},{"id":"step-1","state":"skipped","optional":true},{"id":"step-2","state":"active"},{"id":"step-3","state":"pending"}]}]`,
		Mutate: replace(stepState, "session_id: s-17", "session_id: s-18"), Then: `[{"session":"s-18"}]`},
	{IDs: "S1-94", In: "story-4.2.txtar sdc.txtar", Want: `[{"point":{"task":"implement"},"protocol":{"handoff":"dev-develop-story","agent":"@dev","completed_phases":[{},{"output":"docs/qa/4.2-validation.md"}]}}]`,
		Mutate: replace(sdcState, "output: docs/qa/4.2-validation.md", "note: none"), Then: `[{"protocol":{"completed_phases":[{},{"output":""}]}}]`},
	{IDs: "S1-126", In: "story-4.2.txtar sdc.txtar", Want: `[{"mode":"autopilot"}]`, Mutate: replace(sdcState, "mode: autopilot", "mode: preflight"), Then: `[{"mode":"preflight"}]`},
	{IDs: "S1-128", In: "epic-3.txtar", Want: `[{"protocol":{"handoff":"orchestrate"}}]`, Mutate: remove(epicState), Then: `[{"protocol":{"handoff":"dev-develop-story"}}]`},
	{IDs: "S1-130", In: "story-4.2.txtar", Want: `[{"protocol":{"handoff":"dev-develop-story","agent":"@dev"},"command":"@dev dev-develop-story 4.2"}]`, Mutate: replace(story42, "InProgress", "InReview"), Then: `[{"protocol":{"handoff":"qa-gate"}}]`},
	{IDs: "S1-131", In: "review-5.1.txtar", Want: `[{"protocol":{"handoff":"qa-gate","agent":"@qa"},"command":"@qa qa-gate 5.1"}]`, Mutate: replace("docs/stories/5.1.story.md", "InReview", "InProgress"), Then: `[{"protocol":{"handoff":"dev-develop-story"}}]`},
	{IDs: "S1-132", In: "loop-2.1.txtar", Want: `[{"protocol":{"handoff":"qa-review-story"},"command":"@qa qa-review-story 2.1"}]`, Mutate: remove(loopState), Then: `[{"protocol":{"handoff":"qa-gate"}}]`},
}

// ways holds the test cases for the actions that are offered to the user.
var ways = []sourcetest.Case{
	{IDs: "S1-84 S1-103", In: "story-4.2.txtar sdc.txtar", Want: `[{"alternatives":[{"name":"continue","text":"continue at implement with @dev (dev-develop-story)"},{"name":"start-fresh"},{"name":"restart-unit","of":["create","validate","implement"]},{"name":"clean-up"}]}]`,
		Mutate: remove(".aios/pack.yaml"), Then: `[{"alternatives":[{"name":"start-fresh"},{"name":"restart-unit"},{"name":"clean-up"}]}]`},
	{IDs: "S1-97 S1-99 S1-107", In: "epic-3.txtar", Prepare: remove("docs/stories/3.3.story.md"),
		Want: `[{"alternatives":[{"name":"start-fresh","text":"archive .aios/epic-3-state.yaml so that the Epic Execution for epic 3 starts from scratch; all files that it made stay"},{"name":"restart-unit"},{"name":"skip-unit"},
			{"name":"clean-up","text":"archive .aios/epic-3-state.yaml and stop here; stories of this work that are in progress or in review are set back to Ready"}]}]`,
		Mutate: add("docs/stories/3.3.story.md", "# Story 3.3: x\n**Status:** InProgress\n"), Then: `[{"alternatives":[{"name":"continue"},"…"]}]`},
	{IDs: "S1-98", In: "steps.txtar", Want: `[{"alternatives":[{"name":"continue"},{"name":"start-fresh"},{"name":"restart-unit","text":"start from one of these tasks, not from scratch: step-0, step-1, step-2, step-3"},"…"]}]`,
		Mutate: replace(stepState, "  - step_index: 3\n    phase: \"Architecture\"\n    agent: architect\n    status: pending\n", ""), Then: `[{"alternatives":[{},{},{"text":"start from one of these tasks, not from scratch: step-0, step-1, step-2"},"…"]}]`},
}

// changed returns the expected JSON for an action that writes the given content to the given path.
func changed(path, now string) string {
	return fmt.Sprintf(`{"changes":[{"path":%q,"now":%q}]}`, path, now)
}

var text42 = "# Story 4.2: x\n\n**Status:** 🔄 InProgress — second try<br>\nInProgress is a word.\n"

// listedPhases, mappedPhases and objectPhases are state files in which each phase has a status of its own.
const (
	listedPhases = "workflow: SDC\nstory: \"4.2\"\nstatus: interrupted\nupdated_at: 2026-11-14T11:15:00Z\ncurrent_phase: 3\nphases:\n" +
		"  - {id: create, name: Create, status: completed}   # kept\n  - {id: validate, name: Validate, status: completed}\n  - id: implement\n    name: Implement\n    status: in_progress\n  - {id: qa, name: QA, status: pending}\n"
	mappedPhases = "workflow: SDC\nstory: \"4.2\"\nstatus: interrupted\nupdated_at: 2026-11-14T11:15:00Z\ncurrent_phase: implement\nphases:\n" +
		"  create: {status: completed}\n  validate: {status: completed, agent: po}\n  implement:\n    status: in_progress\n  qa: pending\n"
	objectPhases = `{"workflow":"SDC","storyId":"4.2","status":"interrupted","updatedAt":"2026-11-14T11:15:00Z","currentPhase":3,` +
		`"phases":[{"phase":1,"name":"Create","status":"completed"},{"phase":2,"name":"Validate","status":"completed"},{"phase":3,"name":"Implement","status":"in_progress"},{"phase":4,"name":"QA","status":"pending"}]}`
)

// deeds holds the test cases for the file changes of each action.
var deeds = []sourcetest.Case{
	{IDs: "S1-92", In: "sdc.txtar", Prepare: add(sdcState, "# kept\nexecution_id: e\nworkflow: sdc\nstatus: interrupted   # by hand\nphases_completed: [create]\n"), Act: &sources.ActionRequest{Name: sources.Continue},
		Want:   changed(sdcState, "# kept\nexecution_id: e\nworkflow: sdc\nstatus: active   # by hand\nphases_completed: [create]\n"),
		Mutate: replace(sdcState, "interrupted", "active"), Then: `{"changes":[]}`},
	{IDs: "S1-123", In: "story-4.2.txtar", Act: &sources.ActionRequest{Name: sources.Continue}, Want: `{"changes":[]}`,
		Mutate: func(r *gittest.Repo) { sourcetest.Place(r, "testdata/sdc.txtar") }, Then: `{"changes":[{"path":".aios/sdc-20261114-001-state.yaml"}]}`},
	{IDs: "S1-104", In: "story-4.2.txtar sdc.txtar", Act: &sources.ActionRequest{Name: sources.CleanUp},
		Want: `{"changes":[{"path":".aios/sdc-20261114-001-state.yaml","to":".aios/sdc-20261114-001-state.yaml.archived-20261114T120000Z"},{"path":"docs/stories/4.2.story.md","now":"*"}]}`,
		Mutate: func(r *gittest.Repo) {
			remove(sdcState)(r)
			remove("docs")(r)
			sourcetest.Place(r, "testdata/loop-2.1.txtar")
		}, Then: `{"changes":[{"path":"qa/loop-status.json","to":"qa/loop-status.json.archived-20261114T120000Z"},{"path":"docs/stories/2.1.story.md"}]}`},
	{IDs: "S1-105", In: "sdc.txtar", Prepare: add(story42, text42), Act: &sources.ActionRequest{Name: sources.CleanUp, Task: "4.2"},
		Want:   `{"changes":[{"path":".aios/sdc-20261114-001-state.yaml"},{"path":"docs/stories/4.2.story.md","now":"# Story 4.2: x\n\n**Status:** 🔄 Ready — second try<br>\nInProgress is a word.\n"}]}`,
		Mutate: replace(story42, "🔄 InProgress", "Done"), Then: `{"error":"story 4.2 is 'Done — second try', so it was not interrupted"}`},
	{IDs: "S1-105", Prepare: add(story42, text42), Act: &sources.ActionRequest{Name: sources.CleanUp}, Want: changed(story42, strings.Replace(text42, "InProgress", "Ready", 1)),
		Mutate: replace(story42, "🔄 InProgress — second try", "InReview"), Then: changed(story42, "# Story 4.2: x\n\n**Status:** Ready<br>\nInProgress is a word.\n")},
	{IDs: "S1-97", In: "steps.txtar", Act: &sources.ActionRequest{Name: sources.StartFresh}, Want: `{"changes":[{"path":".aiox/greenfield-20261114-a1-state.yaml.archived-20261114T120000Z","now":"*"},{"path":".aiox/greenfield-20261114-a1-state.yaml","now":"*"}]}`,
		Mutate: func(r *gittest.Repo) {
			remove(stepState)(r)
			add(".aios/forge-runs/f1/state.json", `{"run_id":"f1","status":"interrupted","phases":{"1":{"status":"pending"}}}`)(r)
		}, Then: `{"changes":[{"path":".aios/forge-runs/f1/state.json.archived-20261114T120000Z"},{"path":".aios/forge-runs/f1/state.json"}]}`},
	{IDs: "S1-98", Prepare: add(stepState, "instance_id: i\nstatus: paused\nsteps:\n  - {phase: a, status: completed}\n  - {phase: b, status: completed}\n  - {phase: c, status: pending}\n"), Act: &sources.ActionRequest{Name: sources.RestartUnit, Task: "step-1"},
		Want:   changed(stepState, "instance_id: i\nstatus: paused\nsteps:\n  - {phase: a, status: completed}\n  - {phase: b, status: pending}\n  - {phase: c, status: pending}\n"),
		Mutate: replace(stepState, "phase: a, status: completed", "phase: a, status: skipped"), Then: changed(stepState, "instance_id: i\nstatus: paused\nsteps:\n  - {phase: a, status: skipped}\n  - {phase: b, status: pending}\n  - {phase: c, status: pending}\n")},
	// phases with a status of their own: a list, a map, words alone, and JSON
	{IDs: "S1-98", In: "story-4.2.txtar", Prepare: add(sdcState, listedPhases), Act: &sources.ActionRequest{Name: sources.RestartUnit, Task: "validate"},
		Want:   changed(sdcState, strings.NewReplacer("Validate, status: completed", "Validate, status: pending", "in_progress", "pending", "current_phase: 3", "current_phase: 2", "11:15", "12:00").Replace(listedPhases)),
		Mutate: remove(story42), Then: `{"error":"validate cannot be started again now; choose one of these tasks: create"}`},
	{IDs: "S1-98", In: "story-4.2.txtar", Prepare: add(sdcState, mappedPhases), Act: &sources.ActionRequest{Name: sources.RestartUnit, Task: "validate"},
		Want:   changed(sdcState, strings.NewReplacer("validate: {status: completed", "validate: {status: pending", "in_progress", "pending", "current_phase: implement", "current_phase: validate", "11:15", "12:00").Replace(mappedPhases)),
		Mutate: add(sdcState, strings.Replace(mappedPhases, "{status: completed}", "completed", 1)), Then: changed(sdcState, strings.NewReplacer("create: {status: completed}", "create: completed", "validate: {status: completed", "validate: {status: pending", "in_progress", "pending", "current_phase: implement", "current_phase: validate", "11:15", "12:00").Replace(mappedPhases))},
	{IDs: "S1-98", In: "story-4.2.txtar", Prepare: add(general, objectPhases), Act: &sources.ActionRequest{Name: sources.RestartUnit, Task: "validate"},
		Want:   changed(general, strings.NewReplacer(`"Validate","status":"completed"`, `"Validate","status":"pending"`, "in_progress", "pending", `"currentPhase":3`, `"currentPhase":2`, "11:15", "12:00").Replace(objectPhases)),
		Mutate: replace(general, `"currentPhase":3`, `"lastCompletedPhase":"Validate"`), Then: `{"error":"'restart or skip' does not apply to orchestrate:workflow"}`},
	// started from scratch, such work begins with its first phase
	{IDs: "S1-97", Prepare: add(sdcState, listedPhases), Act: &sources.ActionRequest{Name: sources.StartFresh},
		Want:   `{"changes":[{"path":".aios/sdc-20261114-001-state.yaml.archived-20261114T120000Z"},{"path":".aios/sdc-20261114-001-state.yaml","now":` + fmt.Sprintf("%q", strings.NewReplacer("status: completed", "status: pending", "status: interrupted", "status: pending", "in_progress", "pending", "current_phase: 3", "current_phase: 1", "11:15", "12:00").Replace(listedPhases)) + `}]}`,
		Mutate: add(sdcState, mappedPhases), Then: `{"changes":[{},{"path":".aios/sdc-20261114-001-state.yaml","now":` + fmt.Sprintf("%q", strings.NewReplacer("status: completed", "status: pending", "status: interrupted", "status: pending", "in_progress", "pending", "current_phase: implement", "current_phase: create", "11:15", "12:00").Replace(mappedPhases)) + `}]}`},
	{IDs: "S1-139", In: "epic-3.txtar", Prepare: func(r *gittest.Repo) {
		add(epicState+".bak", "epic_state: {epicId: \"3\", status: active, waves: {1: {status: in_progress, stories: {3.3: {status: in_progress}}}}}\n")(r)
		add(epicState, "")(r)
	}, Act: &sources.ActionRequest{Name: sources.Repair}, Want: `{"changes":[{"path":".aios/epic-3-state.yaml","now":"epic_state: {epicId: \"3\", status: active, waves: {1: {status: in_progress, stories: {3.3: {status: in_progress}}}}}\n"}]}`,
		Mutate: remove(epicState + ".bak"), Then: `{"error":"'repair' does not apply to orchestrate:epic-3"}`},
}

// family holds the test cases for rules that were taken from the source code of the orchestrate tools.
var family = []sourcetest.Case{
	{IDs: "S1-134", In: "epic-3.txtar", Prepare: replace(epicState, "current_wave: 2", "current_wave: 1"), Want: `[{"point":{"task":"3.3"},"protocol":{"position":"wave 2"},"doubts":[{"code":"stale-marker"}]}]`,
		Mutate: both(replace(epicState, "3.2: {status: completed", "3.2: {status: in_progress"), replace(epicState, "      name: \"Ground\"\n      status: completed", "      name: \"Ground\"\n      status: in_progress")), Then: `[{"point":{"task":"gate-1"},"protocol":{"position":"wave 1"}}]`},
	{IDs: "S1-135", In: "epic-3.txtar", Prepare: both(replace(epicState, "      status: in_progress", "      status: gate_review"), replace(epicState, "3.3: {status: in_progress", "3.3: {status: completed"), replace(epicState, "3.4: {status: pending", "3.4: {status: completed")),
		Want: `[{"point":{"task":"gate-2"}},"…"]`, Mutate: replace(epicState, "    1: {status: approved, agent: architect}", "    1: {status: approved, agent: architect}\n    2: {status: approved, agent: architect}"), Then: `[{"point":{"task":"final-gate"}},"…"]`},
	{IDs: "S1-136", In: "epic-3.txtar", Prepare: replace(epicState, "      status: in_progress", "      status: pending"), Want: `[{"protocol":{"position":"wave 2"}}]`,
		Mutate: replace(epicState, "3.2: {status: completed", "3.2: {status: in_progress"), Then: `[{"protocol":{"position":"wave 1"}}]`},
	{IDs: "S1-137", In: "epic-3.txtar", Prepare: both(replace(epicState, "      status: in_progress", "      status: completed"), replace(epicState, "3.3: {status: in_progress", "3.3: {status: completed"), replace(epicState, "3.4: {status: pending", "3.4: {status: completed")),
		Want: `[{"point":{"task":"final-gate","reason":"all waves are completed (2)"}},"…"]`, Mutate: replace(epicState, "  status: active", "  status: completed"), Then: `[{"state":"complete","point":{"task":null}},"…"]`},
	{IDs: "S1-138", In: "epic-3.txtar", Prepare: replace(epicState, "  status: active", "  status: aborted"), Want: `[{"state":"paused","point":{"task":"3.3"},"alternatives":[{"name":"continue"},"…"]}]`,
		Mutate: replace(epicState, "  status: aborted", "  status: active"), Then: `[{"state":"interrupted"}]`},
	{IDs: "S1-139 S1-114", In: "epic-3.txtar", Prepare: func(r *gittest.Repo) {
		add(epicState+".bak", r.Read(epicState))(r)
		add(epicState, "epic_state: [")(r)
	}, Want: `[{"rebuilt":true,"point":{"task":"3.3"},"doubts":[{"code":"state-damaged"},{"code":"state-from-elsewhere","text":"the state was read from its backup epic-3-state.yaml.bak"}],"alternatives":[{"name":"repair"},"…"]}]`,
		Mutate: remove(epicState + ".bak"), Then: `[{"rebuilt":true,"state":"interrupted","point":{"task":"3.3"},"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt"}]}]`},
	{IDs: "S1-114", In: "story-4.2.txtar sdc.txtar", Prepare: both(remove(sdcState), add(".aios/4.2-state.yaml", "")),
		Want:   `[{"id":"4.2","rebuilt":true,"point":{"task":"implement"},"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt","text":"the state was reconstructed from the status of story 4.2, its tasks, its change log; check it before you use it"}]}]`,
		Mutate: both(replace(story42, "- [ ] sign in with it\n- [ ] replace it\n", "- [x] sign in with it\n"), replace(story42, "validated |", "validated |\n| 2026-11-14 | @dev | Implementation complete |")), Then: `[{"rebuilt":true,"point":{"task":"qa"}}]`},
	{IDs: "S1-140", In: "loop-2.1.txtar", Prepare: replace(loopState, `"fixedAt": "2026-11-11T11:00:00Z", "issuesFixed": 2}`, `"fixedAt": null}`),
		Want:   `[{"point":{"task":"review-3"},"state":"interrupted"}]`,
		Mutate: replace(loopState, `"currentIteration": 3`, `"currentIteration": 2`), Then: `[{"point":{"task":"fix-2","reason":"iteration 2 was rejected with 2 issues, and no fix is recorded yet"},"protocol":{"agent":"@dev"}}]`},
	{IDs: "S1-140", In: "loop-2.1.txtar", Prepare: replace(loopState, `"currentIteration": 3`, `"currentIteration": 2`), Want: `[{"point":{"task":"review-3"}}]`,
		Mutate: replace(loopState, `"REJECT", "issuesFound": 2`, `"BLOCKED", "issuesFound": 2`), Then: `[{"state":"waiting","questions":[{"text":"the review is blocked and needs a person"}]}]`},
	{IDs: "S1-140", In: "loop-2.1.txtar", Prepare: replace(loopState, `"status": "in_progress"`, `"status": "stopped"`), Want: `[{"state":"paused","cause":"user command","point":{"task":"review-3"},"alternatives":[{"name":"continue"},"…"]}]`,
		Mutate: replace(loopState, `"status": "stopped"`, `"status": "completed"`), Then: `[{"id":"qa-2.1","state":"complete"},"…"]`},
	{IDs: "S1-140", In: "loop-2.1.txtar", Prepare: replace(loopState, `"status": "in_progress"`, `"status": "escalated", "escalationReason": "no idea"`), Want: `[{"state":"waiting","questions":[{"text":"no idea"}]}]`,
		Mutate: both(replace(loopState, `"currentIteration": 3`, `"currentIteration": 2`), replace(loopState, `"REJECT", "issuesFound": 2`, `"APPROVE", "issuesFound": 0`)), Then: `[{"state":"complete"},"…"]`},
	{IDs: "S1-141", In: "story-4.2.txtar", Prepare: committed("2026-11-09T11:59:59Z"), Want: `[{"active":"2026-11-09T11:59:59Z","from":"commit","doubts":[{"code":"story-stale","severity":"info"}]}]`,
		Mutate: func(r *gittest.Repo) {
			replace(story42, "- [ ] sign in", "- [x] sign in")(r)
			commit(r, "2026-11-09T12:00:00Z", "more")
		}, Then: `[{"doubts":null}]`},
	{IDs: "S1-141", In: "review-5.1.txtar", Prepare: committed("2026-11-11T11:59:59Z"), Want: `[{"doubts":[{"code":"story-stale"}]}]`,
		Mutate: func(r *gittest.Repo) {
			replace("docs/stories/5.1.story.md", "print", "print it")(r)
			commit(r, "2026-11-11T12:00:00Z", "more")
		}, Then: `[{"doubts":null}]`},
	{IDs: "S1-142", In: "epic-3.txtar", Prepare: replace(epicState, "2026-11-13T09:00:00Z", "2026-11-07T11:59:59Z"), Want: `[{"doubts":[{"code":"epic-stalled"},"…"]}]`,
		Mutate: replace(epicState, "2026-11-07T11:59:59Z", "2026-11-07T12:00:00Z"), Then: `[{"doubts":null}]`},
	{IDs: "S1-143", In: "cycle.txtar", Prepare: replace(cycState, "4_quality_gate: {status: completed}", "4_quality_gate: {status: completed}\n  6_checkpoint: {status: pending, awaiting_input: true}"), Want: `[{"state":"waiting"}]`,
		Mutate: replace(cycState, "11:50:00.000Z", "11:29:59.000Z"), Then: `[{"state":"paused","cause":"intentional pause","doubts":[{},{"code":"checkpoint-unanswered"}]}]`},
	{IDs: "S1-144", In: "story-4.2.txtar", Want: `[{"point":{"task":"implement"},"tasks":[{"id":"create","state":"done"},{"id":"validate","state":"done"},{"id":"implement","state":"active"},{"id":"qa","state":"pending"}],"protocol":{"agent":"@dev","completed_phases":[{"agent":"@sm"},{"agent":"@po"}]}}]`,
		Mutate: replace(story42, "InProgress", "InReview"), Then: `[{"point":{"task":"qa"},"protocol":{"agent":"@qa"}}]`},
	{IDs: "S1-144", Prepare: both(add(".aios/4.2-state.yaml", ""), add(story42, "# Story 4.2: x\n**Status:** Draft\n")), Want: `[{"point":{"task":"validate"},"rebuilt":true}]`,
		Mutate: replace(story42, "Draft", "Ready"), Then: `[{"point":{"task":"implement"},"rebuilt":true}]`},
	{IDs: "S1-144", Prepare: both(add(".aios/4.2-state.yaml", ""), add(story42, "# Story 4.2: x\n**Status:** Done\n")), Want: `[{"state":"corrupt","point":{"task":null}}]`,
		Mutate: replace(story42, "Done", "InReview"), Then: `[{"state":"interrupted","point":{"task":"qa"}}]`},
}

// inStory writes a story file for story 4.2, with the given text below its title.
func inStory(head string) sourcetest.Mutation {
	return add(story42, "# Story 4.2: x\n\n"+head+"\n\n## Tasks\n\n- [ ] one\n")
}

// The function reads() builds a test case for one spelling of a story's status. If the story contains the argument "head", Find must report
// the given position. If it contains the argument "other", Find must report something else.
func reads(id, head, position string, other string) sourcetest.Case {
	then := `[]`
	if strings.Contains(other, "InReview") {
		then = `[{"protocol":{"position":"phase 4 (QA)"}}]`
	}
	return sourcetest.Case{IDs: id, Prepare: inStory(head), Want: `[{"id":"story-4.2","protocol":{"position":"` + position + `"}}]`, Mutate: inStory(other), Then: then}
}

// realFiles holds the test cases that were added because of files in real projects.
var realFiles = []sourcetest.Case{
	{IDs: "S1-145", In: "epic-3.txtar", Prepare: func(r *gittest.Repo) { add(".aiox/epic-3-state.yaml", r.Read(epicState))(r); remove(".aios")(r) }, Want: `[{"id":"epic-3","root":".aiox"}]`,
		Mutate: remove(".aiox"), Then: `[{"id":"story-3.3"}]`},
	reads("S1-146", "**Status:** 🔄 In Progress", "phase 3 (Implement)", "**Status:** ✅ Done"),
	reads("S1-146", "**Status:** building", "phase 3 (Implement)", "**Status:** Ready for Review (InReview)"),
	reads("S1-147", "**Status:** InProgress — item 2 concluído, falta o resto", "phase 3 (Implement)", "**Status:** Done — item 2"),
	reads("S1-147", "Status: InProgress_By_Claude", "phase 3 (Implement)", "Status: Done_By_Claude"),
	reads("S1-147", "## Status\n\nInProgress", "phase 3 (Implement)", "## Status\n\nInReview"),
	reads("S1-147", "## Status\n\n- [x] Rascunho\n- [x] InProgress\n- [ ] Done", "phase 3 (Implement)", "## Status\n\n- [x] Rascunho\n- [ ] InProgress"),
	reads("S1-147", "**Status**: InReview<br>", "phase 4 (QA)", "**Status**: Draft<br>"),
	reads("S1-147", "- **Status:** InProgress", "phase 3 (Implement)", "```\n**Status:** InProgress\n```"),
	{IDs: "S1-148", In: "story-4.2.txtar", Prepare: both(replace(story42, "- [ ] sign in with it\n- [ ] replace it\n", "- [x] sign in with it\n- [x] replace it\n"), replace(story42, "validated |", "validated |\n| 2026-11-14 | @dev | Implementation complete |")),
		Want: `[{"point":{"task":"qa"},"doubts":[{"code":"status-word"},"…"],"protocol":{"handoff":"qa-gate"}}]`, Mutate: replace(story42, "Implementation complete", "looked at"), Then: `[{"point":{"task":"implement"},"doubts":[{"code":"done-not-marked"},"…"]}]`},
	{IDs: "S1-149", In: "epic-3.txtar", Prepare: both(replace(epicState, "current_wave: 2", "current_wave: 1"), replace(epicState, "      status: in_progress", "      status: pending")),
		Want: `[{"point":{"task":"3.3"},"doubts":[{"code":"stale-marker","text":"current_wave is 1, but the first unfinished wave is 2"}]}]`, Mutate: replace(epicState, "current_wave: 1", "current_wave: 2"), Then: `[{"point":{"task":"3.3"},"doubts":null}]`},
	{IDs: "S1-150", In: "cycle.txtar", Want: `[{"id":"development-cycle-7.1","point":{"task":"5_push"},"doubts":[{"code":"stale-marker"}]}]`, Mutate: replace(cycState, "  4_quality_gate: {status: completed}\n", ""), Then: `[{"point":{"task":"4_quality_gate"},"protocol":{"agent":"@architect"}}]`},
	{IDs: "S1-151", In: "cycle.txtar", Want: `[{"needs":[{"path":"docs/stories/7.1.story.md","missing":null}]}]`, Mutate: both(remove("docs/stories/7.1.story.md"), add("docs/stories/7.0.story.md", "# Story 7.0: x\n**Status:** Done\n")),
		Then: `[{"needs":[{"path":"docs/stories/7.1.story.md","missing":true,"critical":true}]}]`},
	{IDs: "S1-152", Prepare: add(loopState, `{"storyId": null, "iteration": 0, "maxIterations": 5, "status": "idle", "lastVerdict": null, "history": []}`), Want: `[]`,
		Mutate: add(loopState, `{"storyId": "2.1", "iteration": 1, "maxIterations": 5, "status": "in_progress", "history": []}`), Then: `[{"id":"qa-2.1","point":{"task":"review-1"}}]`},
	{IDs: "S1-153", In: "cycle.txtar", Prepare: replace(cycState, "4_quality_gate: {status: completed}", "4_quality_gate: {status: completed}\n  5_push: {status: completed}\n  6_checkpoint: {status: completed, awaiting_input: true, options: {GO: a, PAUSE: b}}"),
		Want:   `[{"state":"waiting","questions":[{"task":"6_checkpoint","options":["GO","PAUSE"]}],"point":{"task":"6_checkpoint"}}]`,
		Mutate: replace(cycState, "awaiting_input: true", "awaiting_input: false"), Then: `[{"id":"development-cycle-7.1","state":"complete"},{"id":"story-7.1"}]`},
	{IDs: "S1-154", In: "archive.txtar", Want: `[]`, Mutate: func(r *gittest.Repo) {
		add("docs/stories/active/1.1.story.md", r.Read("docs/stories/archive/1.1.story.md"))(r)
		add("docs/stories/archive/1.1.story.md", "x")(r)
	}, Then: `[{"id":"story-1.1"}]`},
	{IDs: "S1-155", Prepare: manyStories(24), Want: `[{"id":"story-6.24"},{"id":"story-6.23"},{},{},{},{},{},{},{},{"id":"story-6.15"},{"id":"stories","state":"unknown","headline":"14 more stories are in progress or in review, according to their status, the newest is story 6.14","tasks":[{"id":"6.14"},"…"]}]`,
		Mutate: func(r *gittest.Repo) {
			replace("docs/stories/6.3.story.md", "x", "y")(r)
			commit(r, "2026-11-14T11:00:00Z", "touch")
		}, Then: `[{"id":"story-6.3"},{"id":"story-6.24"},"…"]`},
	{IDs: "S1-156", In: "epic-3.txtar", Prepare: func(r *gittest.Repo) {
		replace(epicState, "3.3: {status: in_progress", "3.3: {status: in_progress, branch: feat/3-3")(r)
		commit(r, "2026-11-12T00:00:00Z", "as it was")
		r.Git("worktree", "add", "-q", "-b", "feat/3-3", "../feat")
	}, Want: `[{"id":"epic-3","branch":"refs/heads/feat/3-3"}]`, Mutate: func(r *gittest.Repo) {
		r.Git("worktree", "remove", "--force", "../feat")
		r.Git("branch", "-D", "feat/3-3")
	},
		Then: `[{"branch":null,"doubts":[{"code":"branch-missing"}]}]`},
	{IDs: "S1-120", In: "loop-2.1.txtar", Prepare: later("2026-11-12T12:00:00Z", "notes", replace("docs/stories/2.1.story.md", "It is a list.", "It is a table.")),
		Want:   `[{"headline":"QA Loop for story 2.1, iteration 3/5","active":"2026-11-11T12:00:00Z","point":{"task":"review-3"},"doubts":[{"code":"story-changed","severity":"warning","text":"section 'Dev Notes' of story 2.1 is different now than it was at 2026-11-11 12:00"}],"protocol":{"state_age":"Moderate","validation_status":"warnings"}}]`,
		Mutate: replace("docs/stories/2.1.story.md", "One basket.", "Two baskets."), Then: `[{"doubts":["…"],"protocol":{"validation_status":"conflicts"}}]`},
	{IDs: "S1-119", In: "story-4.2.txtar sdc.txtar", Prepare: committed("2026-11-14T11:10:00Z"), Want: `[{"headline":"SDC for story 4.2, phase 3 (Implement)","doubts":null,"protocol":{"state_age":"Fresh","validation_status":"clean"},"command":"@dev dev-develop-story 4.2"}]`,
		Mutate: replace(story42, "InProgress", "Done"), Then: `[{"protocol":{"validation_status":"conflicts"}}]`},
	{IDs: "S1-121", In: "story-4.2.txtar loop-2.1.txtar spec-login.txtar", Want: `[{"headline":"QA Loop for story 2.1, iteration 3/5"},{"headline":"SDC for story 4.2, phase 3 (Implement)"},{"headline":"Spec Pipeline for login, phase 4 (Write)"}]`,
		Mutate: remove("docs/specs"), Then: `[{},{}]`},
	{IDs: "S1-122", In: "epic-3.txtar", Prepare: func(r *gittest.Repo) {
		replace(epicState, "2026-11-13T09:00:00Z", "2026-10-31T12:00:00Z")(r)
		replace(epicState, "3.4: {status: pending, executor: dev}", "3.4: {status: in_progress}\n        3.5: {status: pending}")(r)
		replace("docs/stories/3.4.story.md", "Draft", "Done")(r)
	}, Want: `[{"protocol":{"position":"wave 2","state_age":"Stale","validation_status":"conflicts","conflicts":["story 3.4 was completed outside of this workflow (the state says 'in_progress', the story says 'Done')","docs/stories/3.5.story.md is missing; needed by wave 2"]},
		"alternatives":[{"name":"start-fresh"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"clean-up"}]}]`,
		Mutate: both(replace("docs/stories/3.4.story.md", "Done", "InProgress"), add("docs/stories/3.5.story.md", "# Story 3.5: x\n**Status:** Draft\n")), Then: `[{"protocol":{"validation_status":"clean","conflicts":null}}]`},
}

// manyStories writes n stories with the status InProgress, and commits one of them per day.
func manyStories(n int) func(*gittest.Repo) {
	return func(r *gittest.Repo) {
		for i := 1; i <= n; i++ {
			r.Write(fmt.Sprintf("docs/stories/6.%d.story.md", i), fmt.Sprintf("# Story 6.%d: x\n\n**Status:** InProgress\n", i))
			commit(r, fmt.Sprintf("2026-10-%02dT12:00:00Z", i), "one more")
		}
	}
}
