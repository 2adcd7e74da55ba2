package longrun

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// agentIs changes the status of the spawned agent in the agent history.
func agentIs(status string) sourcetest.Mutation {
	return replace(history, `"status": "spawned"`, `"status": "`+status+`"`)
}

// commits makes one empty commit for each subject.
func commits(subjects ...string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		for _, s := range subjects {
			r.Git("commit", "-q", "--allow-empty", "-m", s)
		}
	}
}

// family holds the test cases for long-run's other commands, which write the same state files.
func family() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "S0-55", In: "run.txtar agent.txtar", Want: `[{"state":"interrupted","tasks":[{},{"id":"02","state":"active","raw":"spawned"},{}],"session":"a1b2c3d"}]`,
			Mutate: agentIs("completed"), Then: `[{"state":"interrupted","protocol":{"type":"between_plans"},"tasks":[{},{"state":"pending"},{}],"session":null}]`},
		{IDs: "S0-56", In: "run.txtar agent.txtar", Prepare: agentIs("completed"), Want: `[{"doubts":[{"code":"stale-marker","text":"the marker of agent a1b2c3d is left over: the history says that this agent has ended (completed); long-run itself would conclude from this marker that an agent is working: before you use long-run, remove the marker (with the choice clean-up), or tell long-run to ignore it"}],"protocol":{"type":"between_plans"}}]`,
			Mutate: agentIsFrom("completed", "spawned"), Then: protocol(`"type":"active_agent"`)},
		{IDs: "S0-57", In: "run.txtar agent.txtar", Prepare: agentIs("interrupted"), Want: `[{"cause":"interrupted","protocol":{"type":"active_agent","status":"interrupted"}}]`,
			Mutate: agentIsFrom("interrupted", "spawned"), Then: `[{"cause":null}]`},
		{IDs: "S0-58", In: "run.txtar agent.txtar", Prepare: both(remove(marker), replace(history, `"status": "spawned", "completion_timestamp": null}`,
			`"status": "resumed", "resumed_by": "b2"},{"agent_id":"b2","plan":"02","timestamp":"2026-01-15T10:50:00Z","status":"spawned","resumes":"a1b2c3d"}`)),
			Want: `[{"session":"b2"}]`, Mutate: replace(history, `"status":"spawned","resumes"`, `"status":"completed","resumes"`), Then: `[{"session":null}]`},
		{IDs: "S0-59", In: "run.txtar agent.txtar", Prepare: agentIs("failed"), Want: `[{"cause":"failed","protocol":{"type":"active_agent","status":"failed"}}]`,
			Mutate: agentIsFrom("failed", "timeout"), Then: `[{"cause":"timeout"}]`},
		{IDs: "S0-60", In: "run.txtar agent.txtar", Prepare: agentIs("timeout"), Want: `[{"cause":"timeout","protocol":{"status":"timeout"}}]`,
			Mutate: agentIsFrom("timeout", "failed"), Then: `[{"cause":"failed"}]`},
		{IDs: "S0-61", In: "run.txtar agent.txtar", Prepare: remove(marker), Want: `[{"session":"a1b2c3d","protocol":{"type":"between_plans"}}]`,
			Mutate: replace(history, `"status": "spawned"`, `"status": "interrupted", "resumed_by": "zz"`), Then: `[{"session":null}]`},
		{IDs: "S0-62", In: "run.txtar second.txtar", Want: `[{"state":"interrupted","tasks":[{},{"id":"02","state":"active","raw":"in_progress"},{}]}]`,
			Mutate: replace(check, `"status": "in_progress",
  "error": null`, `"status": "failed",
  "error": "tests are red"`), Then: `[{"state":"failed","cause":"failed: tests are red","tasks":[{},{"state":"failed","raw":"failed"},{}]}]`},
		{IDs: "S0-62", In: "run.txtar second.txtar", Prepare: replace(check, `"in_progress"`, `"timeout"`), Want: `[{"state":"failed","cause":"timeout"}]`,
			Mutate: replace(check, `"timeout"`, `"interrupted"`), Then: `[{"state":"interrupted","cause":"interrupted"}]`},
		{IDs: "S0-63", In: "run.txtar", Prepare: add(sum2, withSummary("02", "completed")), Want: `[{"point":{"task":"03"},"tasks":[{"state":"done"},{"state":"done"},{"state":"pending"}]}]`,
			Mutate: add(sum2, withSummary("02", "failed")), Then: `[{"point":{"task":"02"},"state":"failed"}]`},
		{IDs: "S0-64", In: "run.txtar", Prepare: add(sum2, withSummary("02", "failed")),
			Want:   `[{"state":"failed","cause":"failed","alternatives":[{"name":"restart-unit","text":"retry plan 02 from its beginning"},{"name":"skip-unit"},{"name":"continue","text":"ignore the failure and continue with plan 02"},{"name":"start-fresh"}]}]`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `[{"state":"interrupted"}]`},
		{IDs: "S0-65", In: "run.txtar partial.txtar", Prepare: add(sum2, withSummary("02", "partial")),
			Want:   `[{"state":"interrupted","point":{"task":"02"},"tasks":[{},{"state":"active","raw":"partial"},{}],"alternatives":[{"name":"continue","text":"resume plan 02 from task 3"},{"name":"restart-unit"},{"name":"skip-unit","text":"skip plan 02; plan 03 needs it, and will be blocked"},{"name":"start-fresh"}]}]`,
			Mutate: add(sum2, withSummary("02", "completed")), Then: `[{"point":{"task":"03"}}]`},
		{IDs: "S0-66", In: "run.txtar", Prepare: add(sum2, "---\nplan: \"02\"\nstatus: skipped\nreason: needs-clarification\n---\n"),
			Want: `[{"state":"blocked","point":{"task":"03"},"tasks":[{},{"state":"skipped"},{"state":"blocked"}],"doubts":[{"code":"needs-skipped","text":"plan 03 needs plan 02, which was skipped because a question was not answered"},"…"],
				"alternatives":[{"name":"skip-unit","text":"skip plan 03 too"},{"name":"answer"},{"name":"restart-unit","text":"do plan 02 first after all"},{"name":"continue","text":"ignore the block and continue with plan 03 anyway"},{"name":"start-fresh"}]}]`,
			Mutate: replace(plan3, `depends_on: ["02"]`, "depends_on: []"), Then: `[{"state":"interrupted","point":{"task":"03"},"tasks":[{},{},{"state":"pending"}]}]`},
		{IDs: "S0-67", In: "run.txtar", Prepare: add(sum2, withSummary("02", "timeout")),
			Want:   `[{"state":"failed","cause":"timeout","alternatives":[{"name":"restart-unit"},{"name":"skip-unit"},{"name":"continue"},{"name":"start-fresh"}]}]`,
			Mutate: add(sum2, withSummary("02", "skipped")), Then: `[{"state":"blocked"}]`},
		{IDs: "S0-68", In: "run.txtar", Prepare: replace(plan2, `depends_on: ["01"]`, `depends_on: ["07"]`),
			Want:   `[{"state":"blocked","tasks":[{},{"id":"02","state":"blocked"},{}],"doubts":[{"code":"needs-unknown","severity":"blocking","text":"plan 02 needs plan 07, but there is no plan 07"}]}]`,
			Mutate: add(at+"summaries/07-SUMMARY.md", withSummary("07", "completed")), Then: `[{"state":"interrupted","tasks":[{},{"state":"pending"},{},{}]}]`},
		{IDs: "S0-68", In: "run.txtar", Prepare: replace(state, "Plan: 2 of 3", "Plan: 3 of 3"),
			Want:   `[{"point":{"task":"02"},"doubts":[{"code":"needs-not-done","text":"plan 03 needs plan 02, which is not done"},"…"]}]`,
			Mutate: replace(plan3, `depends_on: ["02"]`, "depends_on: []"), Then: `[{"point":{"task":"03"}}]`},
		{IDs: "S0-69", In: "run.txtar", Prepare: replace(plan2, `depends_on: ["01"]`, `depends_on: ["03"]`),
			Want:   `[{"state":"blocked","doubts":[{"code":"needs-not-done"},{"code":"needs-not-done"},{"code":"needs-cycle","severity":"blocking","text":"plans depend on each other in a cycle: 02 → 03 → 02"}]}]`,
			Mutate: replace(plan3, `depends_on: ["02"]`, "depends_on: []"), Then: `[{"state":"interrupted","point":{"task":"03"}}]`},
		{IDs: "S0-70", In: "run.txtar second.txtar", Prepare: replace(check, `"status": "in_progress",`, `"status": "NEEDS_DECISION", "question": "Which queue?", "options": [{"label":"redis"},"none"],`),
			Want:   `[{"state":"waiting","tasks":[{},{"state":"waiting","raw":"NEEDS_DECISION"},{}],"questions":[{"task":"02","text":"Which queue?","options":["redis","none"]}]}]`,
			Mutate: replace(check, "NEEDS_DECISION", "in_progress"), Then: `[{"state":"interrupted","questions":null}]`},
		{IDs: "S0-70", In: "run.txtar second.txtar", Prepare: replace(check, `"status": "in_progress",`, `"status": "NEEDS_ACTION", "instructions": "confirm the mail",`),
			Want:   `[{"state":"waiting","questions":[{"text":"confirm the mail"}]}]`,
			Mutate: replace(check, "NEEDS_ACTION", "FAILED"), Then: `[{"state":"failed"}]`},
		{IDs: "S0-71", In: "run.txtar partial.txtar", Prepare: add(check+".tmp.4711", checkpointOf("02", 3, 4)),
			Want:   `[{"protocol":{"completed_tasks":2},"doubts":[{"code":"write-interrupted","severity":"warning"},"…"],"alternatives":[{},{},{},{},{"name":"repair"}]}]`,
			Mutate: add(check+".tmp.4711", `{"plan":`), Then: `[{"protocol":{"completed_tasks":2},"doubts":[{"code":"write-interrupted","severity":"info"},"…"],"alternatives":[{},{},{},{}]}]`},
		{IDs: "S0-71", In: "run.txtar partial.txtar", Prepare: both(add(check+".tmp.4711", checkpointOf("02", 3, 4)), add(check, "")),
			Want:   `[{"protocol":{"completed_tasks":3},"doubts":[{"code":"state-damaged"},{"code":"state-from-elsewhere"},"…"]}]`,
			Mutate: add(check, checkpointOf("02", 1, 4)), Then: protocol(`"completed_tasks":1`)},
		{IDs: "S0-71", In: "run.txtar partial.txtar", Prepare: add(check+".tmp.4711", checkpointOf("02", 3, 4)), Act: &sources.ActionRequest{Name: sources.Repair},
			Want:   `{"changes":[{"path":"` + check + `","now":` + quoted(checkpointOf("02", 3, 4)) + `},{"path":"` + check + `.tmp.4711","gone":true}]}`,
			Mutate: remove(check + ".tmp.4711"), Then: `{"error":"'repair' does not apply to long-run:photo-album"}`},
		{IDs: "S0-72", In: "run.txtar", Prepare: add(state, ""),
			Want:   `[{"state":"interrupted","rebuilt":true,"point":{"task":"02"},"doubts":[{"code":"state-damaged","text":"` + state + ` is empty"},{"code":"state-rebuilt"}]}]`,
			Mutate: remove(at + "plans"), Then: `[{"state":"corrupt","rebuilt":true}]`},
		{IDs: "S0-72", In: "run.txtar", Prepare: both(commitAll, replace(state, "## Current Position", "<<<<<<< HEAD\n## Current Position\n=======\n>>>>>>> topic\n")),
			Want:   `[{"state":"interrupted","rebuilt":null,"status":"Executing","doubts":[{"code":"state-damaged","text":"` + state + ` contains conflict markers of an unfinished merge: it holds two versions, 'HEAD' and 'topic'"},{"code":"state-from-elsewhere"}]}]`,
			Mutate: both(remove(at+"plans"), remove(at+"summaries"), func(r *gittest.Repo) { r.Git("update-ref", "-d", "HEAD") }), Then: `[{"state":"corrupt"}]`},
		{IDs: "S0-73", In: "run.txtar partial.txtar", Prepare: both(commits("feat(02): add routes", "docs: other", "test(02): add validation", "feat(2): add paging", "feat(03): no"), add(check, `{"plan": "02", "last_comp`)),
			Want:   `[{"rebuilt":true,"protocol":{"type":"partial_plan","completed_tasks":3,"total_tasks":4},"point":{"task":"02","title":"task 4 of 4, write tests"},"doubts":[{"code":"state-damaged"},{"code":"state-rebuilt","text":"the progress of plan 02 was reconstructed from 3 commits that name it, because its checkpoint cannot be read"}]}]`,
			Mutate: commits("feat(02): write tests"), Then: `[{"point":{"task":"02","reason":"all tasks of plan 02 are done; its summary is missing"}}]`},
		{IDs: "S0-74", In: "run.txtar", Prepare: func(r *gittest.Repo) {
			commits("second")(r)
			replace(state, "## Session Continuity", "## Rollback Reference\nstart_commit: "+r.Git("rev-parse", "--short", "HEAD~1")+"\n\n## Session Continuity")(r)
		}, Want: `[{"start":"` + firstCommit + `"}]`, Mutate: replace(state, "start_commit: ", "start_commit: HEAD~0 "), Then: `[{"start":null}]`},
		{IDs: "S0-77", In: "run.txtar", Want: `[{"id":"photo-album"}]`, Mutate: func(r *gittest.Repo) {
			if err := os.Rename(filepath.Join(r.Dir, at), filepath.Join(r.Dir, strings.TrimSuffix(at, "/")+"-archive-20260115")); err != nil {
				r.T.Fatal(err)
			}
			r.Git("add", "-A")
		}, Then: `[]`},
	}
}

// firstCommit is the id of the first commit of every test repository.
const firstCommit = "057db761f46936e0bcf362a345abe48fb683d44c"

func agentIsFrom(old, status string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		replace(history, `"timestamp": "2026-01-15T10:20:00Z", "status": "`+old+`"`, `"timestamp": "2026-01-15T10:20:00Z", "status": "`+status+`"`)(r)
	}
}

func commitAll(r *gittest.Repo) {
	r.Git("add", "-A", "-f")
	r.Git("commit", "-q", "-m", "state")
}
