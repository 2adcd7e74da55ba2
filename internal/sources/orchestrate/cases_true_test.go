package orchestrate

import (
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// pendingPhases is a paused state whose next phase was not started. With the story Ready, this is consistent.
var pendingPhases = strings.NewReplacer("in_progress", "pending", `"interrupted"`, `"paused"`).Replace(objectPhases)

const validation42 = "docs/stories/4.2.validation.md"

// withStoryFile names the file of its story, and withOutput also the output of its second phase.
var (
	withStoryFile = strings.Replace(objectPhases, `"status":"interrupted"`, `"storyFile":"docs/stories/4.2.story.md","status":"interrupted"`, 1)
	withOutput    = strings.Replace(withStoryFile, `"Validate","status":"completed"`, `"Validate","status":"completed","output":"docs/stories/4.2.validation.md"`, 1)
)

const (
	loginSpec = "docs/specs/login/"
	stamp     = ".archived-20261114T120000Z"
	// epicOf5 is an epic whose story 5.2 is in progress, according to the state.
	epicOf5 = `{"epicId":"5","status":"interrupted","updated_at":"2026-11-14T09:00:00Z","currentWave":1,"waves":[{"wave":1,"stories":[{"id":"5.2","status":"InProgress"},{"id":"5.3","status":"pending"}]}]}`
)

// truths holds the test cases for what the report says about a phase, a story or another workflow.
var truths = []sourcetest.Case{
	// a phase that is pending was not started, and its story may still be Ready
	{IDs: "S1-46", In: "story-4.2.txtar", Prepare: both(replace(story42, "InProgress", "Ready"), add(general, pendingPhases)),
		Want: `[{"point":{"task":"implement","reason":"it is the phase after the last completed one"},"doubts":null,"tasks":[{},{},{"id":"implement","state":"pending"},{}],
			"protocol":{"validation_status":"clean","status_consistency":[{"story":"4.2","interpretation":"consistent"}]}}]`,
		Mutate: replace(general, `"Implement","status":"pending"`, `"Implement","status":"in_progress"`),
		Then:   `[{"point":{"reason":"it is the phase after the last completed one, and was started"},"doubts":[{"code":"status-disagrees"}],"tasks":[{},{},{"state":"active"},{}]}]`},
	// a missing story is in the table of the stories too
	{IDs: "S1-41", In: "epic-3.txtar", Prepare: remove("docs/stories/3.3.story.md"),
		Want:   `[{"protocol":{"status_consistency":["…",{"story":"3.3","state_says":"in_progress","story_says":"missing","interpretation":"its file is missing"},{"story":"3.4"}]}}]`,
		Mutate: add("docs/stories/3.3.story.md", "# Story 3.3: x\n**Status:** InProgress\n"), Then: `[{"protocol":{"status_consistency":["…",{"story":"3.3","story_says":"InProgress"},{}]}}]`},
	// a story that its own file calls done was not in progress
	{IDs: "S1-43", Prepare: both(add(".aios/epic-5-state.json", epicOf5), add("docs/stories/5.2.story.md", "# Story 5.2: x\n**Status:** Done\n"), add("docs/stories/5.3.story.md", "# Story 5.3: x\n**Status:** Draft\n")),
		Want:   `[{"point":{"task":"5.3"},"tasks":[{"id":"5.2","state":"done"},{"id":"5.3","state":"pending"}],"doubts":["…",{"code":"ended-elsewhere"}],"alternatives":["…",{"name":"skip-unit","of":["5.2","5.3"]},{}]}]`,
		Mutate: replace("docs/stories/5.2.story.md", "Done", "InProgress"), Then: `[{"point":{"task":"5.2"},"tasks":[{"id":"5.2","state":"active"},{}]}]`},
	// requirements that changed must be validated again
	{IDs: "S1-49", In: "story-4.2.txtar sdc.txtar", Prepare: later("2026-11-14T11:40:00Z", "docs of story 4.2", replace(story42, "a lost key can be replaced", "a lost key is gone")),
		Want:   `[{"point":{"task":"validate"},"doubts":[{"code":"scope-changed","severity":"blocking"},{"code":"phase-invalid"}],"protocol":{"valid_phases":[{"name":"Create"}],"invalid_phases":[{"number":2,"name":"Validate"}]}}]`,
		Mutate: replace(story42, "a lost key is gone", "a lost key can be replaced"), Then: `[{"point":{"task":"implement"},"protocol":{"invalid_phases":null}}]`},
	// an artefact that was deleted was not skipped
	{IDs: "S1-66", In: "spec-login.txtar", Prepare: later("2026-11-14T11:40:00Z", "oops", remove(loginSpec+"complexity.json")),
		Want: `[{"point":{"task":"assess","reason":"it must be done again: its output docs/specs/login/complexity.json is missing"},"tasks":[{"state":"done"},{"id":"assess","state":"pending"},"…"],
			"needs":[{"path":"docs/specs/login/complexity.json","for":"Assess","missing":true},"…"],"doubts":[{"code":"phase-invalid","severity":"warning"}]}]`,
		Mutate: add(loginSpec+"complexity.json", "{}"), Then: `[{"point":{"task":"write"},"doubts":null}]`},
	{IDs: "S1-66", In: "spec-login.txtar", Prepare: remove(loginSpec + "complexity.json"),
		Want:   `[{"point":{"task":"write"},"tasks":[{},{"id":"assess","state":"skipped"},"…"],"doubts":[{"code":"file-missing","severity":"info"}]}]`,
		Mutate: both(add(loginSpec+"complexity.json", "{}"), remove(loginSpec+"requirements.json")), Then: `[{"point":{"task":"gather"},"tasks":[{"id":"gather","state":"pending"},"…"],"doubts":[{"code":"phase-invalid"}],"protocol":{"resume_from_phase":{"inputs":[]}}}]`},
	// the words of a validation are no file
	{IDs: "S1-94", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "output: docs/qa/4.2-validation.md", "output: GO 9/10"),
		Want:   `[{"tasks":[{"files":["docs/stories/4.2.story.md"]},{"id":"validate","files":null},{},{}],"protocol":{"resume_from_phase":{"inputs":["docs/stories/4.2.story.md","GO 9/10"]}}}]`,
		Mutate: replace(sdcState, "output: GO 9/10", "output: docs/qa/4.2-validation.md"), Then: `[{"tasks":[{},{"files":["docs/qa/4.2-validation.md"]},{},{}]}]`},
	// a file about a story is not the story, even if its name begins with the same id
	{IDs: "S1-37 S1-96", In: "story-4.2.txtar", Prepare: later("2026-11-14T11:40:00Z", "drop it", add(general, withStoryFile), add(validation42, "GO\n"), remove(story42)),
		Want:   `[{"needs":[{"path":"docs/stories/4.2.story.md","missing":true,"critical":true},"…"],"doubts":null,"protocol":{"validation_status":"conflicts","status_consistency":[{"story":"4.2","story_says":"missing"}]}}]`,
		Mutate: add("docs/stories/4.2.md", "# Story 4.2: moved\n\n**Status:** InProgress\n"), Then: `[{"doubts":null,"protocol":{"validation_status":"clean","status_consistency":[{"story_says":"InProgress"}]}}]`},
	{IDs: "S1-37 S1-96", In: "story-4.2.txtar", Prepare: both(add(general, objectPhases), add("docs/stories/4.2.notes.md", "GO\n")),
		Want:   `[{"protocol":{"validation_status":"clean","status_consistency":[{"story_says":"InProgress"}]}}]`,
		Mutate: both(remove(story42), add("docs/stories/4.2.story.md", "# Story 4.2: x\n\n**Status:** Draft\n")), Then: `[{"protocol":{"validation_status":"conflicts","status_consistency":[{"story_says":"Draft"}]}}]`},
	// the output of a finished phase is missing also if its name begins like a story's
	{IDs: "S1-38 S1-100", In: "story-4.2.txtar", Prepare: add(general, withOutput),
		Want: `[{"point":{"task":"validate"},"needs":["…",{"path":"docs/stories/4.2.validation.md","for":"Validate","missing":true}],"doubts":[{"code":"phase-invalid","severity":"warning"}],
			"protocol":{"invalid_phases":[{"number":2,"why":"its output docs/stories/4.2.validation.md is missing"}],"resume_from_phase":{"inputs":["docs/stories/4.2.story.md"]}}}]`,
		Mutate: add(validation42, "GO\n"), Then: `[{"point":{"task":"implement"},"doubts":null}]`},
	// a state that still says active is told as such, and the files that it names are watched
	{IDs: "S1-116", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "status: interrupted", "status: active"), Want: `[{"state":"interrupted","stopped":null,"edits":["src/login.go"],"doubts":[{"code":"status-word","severity":"info"}]}]`,
		Mutate: replace(sdcState, "updated_at: 2026-11-14T11:15:00Z", "updated_at: 2026-11-14T10:15:00Z"), Then: `[{"state":"interrupted","edits":["src/login.go"],"doubts":null}]`},
	// a story whose status stands beside the waves is changed there
	{IDs: "S1-98", Prepare: add(".aios/epic-5-state.json", beside("InProgress")), Act: &sources.ActionRequest{Name: sources.SkipUnit, Task: "5.2"},
		Want:   changed(".aios/epic-5-state.json", beside("skipped")),
		Mutate: replace(".aios/epic-5-state.json", `"stories":["5.1"]`, `"stories":["5.0"]`), Then: changed(".aios/epic-5-state.json", strings.Replace(beside("skipped"), `["5.1"]`, `["5.0"]`, 1))},
	// the names of files that the remaining phases need
	{IDs: "S1-39", In: "story-4.2.txtar", Prepare: add(general, strings.Replace(withStoryFile, `"storyFile"`, `"configFiles":["config/a.yaml"],"requiredFiles":["config/b.yaml"],"templateFiles":["templates/c.md"],"storyFile"`, 1)),
		Want:   `[{"needs":[{"path":"config/a.yaml","missing":true,"critical":true},{"path":"config/b.yaml","missing":true,"critical":true},{"path":"templates/c.md","missing":true},"…"]}]`,
		Mutate: both(add("config/a.yaml", "x"), add("config/b.yaml", "x")), Then: `[{"needs":[{"missing":null},{"missing":null},{"missing":true},"…"]}]`},
	// the recorded error is told
	{IDs: "S1-3", In: "story-4.2.txtar sdc.txtar", Prepare: replace(sdcState, "status: interrupted", "error: tests do not end\nstatus: failed"), Want: `[{"cause":"error: tests do not end","state":"failed"}]`,
		Mutate: replace(sdcState, "error: tests do not end\n", ""), Then: `[{"cause":"error"}]`},
	{IDs: "S1-3", In: "story-4.2.txtar", Prepare: add(general, strings.Replace(strings.Replace(objectPhases, `"interrupted"`, `"failed"`, 1), `"status":"in_progress"`, `"status":"failed","error":{"message":"disk full"}`, 1)),
		Want: `[{"cause":"error: disk full"}]`, Mutate: replace(general, "disk full", "no network"), Then: `[{"cause":"error: no network"}]`},
	// a spec pipeline is its artefacts, so starting again moves them aside
	{IDs: "S1-97 S1-98", In: "spec-login.txtar", Want: `[{"alternatives":[{"name":"continue"},{"name":"start-fresh"},{"name":"restart-unit","of":["gather","assess","research"]},{"name":"hide"}]}]`,
		Mutate: remove(loginSpec + "research.json"), Then: `[{"alternatives":[{},{},{"of":["gather","assess"]},{}]}]`},
	{IDs: "S1-97", In: "spec-login.txtar", Act: &sources.ActionRequest{Name: sources.StartFresh},
		Want:   `{"changes":[{"path":"docs/specs/login/requirements.json","to":"docs/specs/login/requirements.json` + stamp + `"},{"path":"docs/specs/login/complexity.json"},{"path":"docs/specs/login/research.json"}]}`,
		Mutate: remove(loginSpec + "research.json"), Then: `{"changes":[{},{}]}`},
	{IDs: "S1-98", In: "spec-login.txtar", Act: &sources.ActionRequest{Name: sources.RestartUnit, Task: "assess"},
		Want:   `{"changes":[{"path":"docs/specs/login/complexity.json","to":"docs/specs/login/complexity.json` + stamp + `"},{"path":"docs/specs/login/research.json"}]}`,
		Mutate: remove(loginSpec + "complexity.json"), Then: `{"error":"assess cannot be started again now; choose one of these tasks: gather, research"}`},
}
