package agentmemory

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestDemands_agentMemory holds the reader to what users of the system expect; the sentences are in the list of demands.
func TestDemands_agentMemory(t *testing.T) {
	t.Parallel()
	thrice := line("task_failed", "T002", "12:00:00Z") + line("task_failed", "T002", "12:10:00Z") + line("task_failed", "T002", "12:20:00Z")
	own := dir + "events/git-resume/20261114-120000.jsonl"
	RunDemands(t, New(), map[string]Case{
		"7_an_approval_may_name_the_file": {In: "planned.txtar", Prepare: prepare(log("o", `{"event_type":"artifact-approved","timestamp":"2026-11-10T12:00:00Z","details":{"artifact":"plan.md"}}`)),
			Want:   `[{"state":"interrupted","point":{"task":"constitution"},"protocol":{"Phase":1,"Next Action":"write the constitution of the approved plan"}}]`,
			Mutate: log("o", line("task_completed", "T001", "12:00:00Z")), Then: `[{"state":"waiting","point":{"task":"approval"}}]`},
		"9_an_event_without_a_task_is_told": {In: "execution.txtar",
			Prepare: prepare(log("x", `{"type":"task_started","taskId":"T004","timestamp":"2026-11-10T12:00:00Z"}`+"\n"+`{"type":"task_completed","what":"T002","timestamp":"2026-11-10T12:01:00Z"}`+"\n")),
			Want: `[{"protocol":{"tasks":{"T002":"in_progress","T004":"in_progress"}},"doubts":[{"severity":"warning","path":"` + dir + `events/x/20261110-1200.jsonl:2",
				"text":"` + dir + `events/x/20261110-1200.jsonl:2 tells task_completed and names no task; it counts for nothing"}]}]`,
			Mutate: Replace(dir+"events/x/20261110-1200.jsonl", `"what"`, `"task_id"`), Then: `[{"protocol":{"tasks":{"T002":"done"}},"doubts":[]}]`},
		"23_a_cancelled_run_keeps_its_phase": {In: "execution.txtar", Prepare: prepare(log("o", line("run-cancelled", "", "12:00:00Z"))),
			Want:   `[{"state":"ended","protocol":{"Phase":2,"Tasks":"1/4 complete"},"doubts":[]}]`,
			Mutate: Remove(dir + "prd.md"), Then: `[{"state":"ended","protocol":{"Phase":0},"doubts":[]}]`},
		"29_without_a_graph_the_plan_is_broken_into_tasks": {In: "planned.txtar", Prepare: prepare(Add(dir+"constitution.md", "x"), Remove(dir+"events"), Add(graphAt, `{"tasks": [{"id`)),
			Want:   `[{"state":"interrupted","point":{"task":"task-graph"},"protocol":{"Phase":1,"Next Action":"break the plan into tasks"},"doubts":["…",{"code":"state-damaged"},{"code":"file-missing","severity":"warning"}]}]`,
			Mutate: Add(graphAt, `{"tasks":[{"id":"T001"}]}`), Then: `[{"point":{"task":"T001"},"protocol":{"Phase":2}}]`},
		"44_an_empty_run_has_not_started": {Prepare: func(r *gittest.Repo) {
			if err := os.MkdirAll(filepath.Join(r.Dir, dir), 0o755); err != nil {
				r.T.Fatal(err)
			}
		}, Want: `[{"state":"not started","protocol":{"Phase":0,"Next Action":"continue the PRD"}}]`,
			Mutate: Add(dir+"prd.md", "# x"), Then: `[{"state":"interrupted","protocol":{"Phase":1}}]`},
		"30_without_a_graph_the_total_is_unknown": {In: "execution.txtar", Prepare: prepare(Remove(graphAt)),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"T002"},"protocol":{"Phase":2,"Tasks":"1/? complete"},
				"headline":"run 20261110-0900-user-auth-a1b2, phase 2, 1 task complete, of how many is not known; next: execute T002"}]`,
			Mutate: Add(graphAt, `{"tasks":[{"id":"T001"},{"id":"T002"}]}`), Then: `[{"rebuilt":null,"protocol":{"Tasks":"1/2 complete"}}]`},
		"33_an_unreadable_log_is_continued_with_care": {In: "execution.txtar", Prepare: prepare(Remove(executor), Add(orch, "\x00\x00\x00\x00")),
			Want: `[{"state":"interrupted","rebuilt":true,"point":{"task":"T001"},"protocol":{"Tasks":"?/4 complete"},
				"headline":"run 20261110-0900-user-auth-a1b2, phase 2, how many tasks are complete is not known; next: execute T001 - add the table",
				"doubts":[{"code":"state-damaged","path":"` + orch + `:1"},{"code":"state-rebuilt","text":"` + dir[:len(dir)-1] + ` has no event that can be read: what was done is not known"}],
				"alternatives":[{"name":"continue","text":"execute T001 - add the table; see first whether it was done already"},{"name":"review"},{"name":"skip-unit"},{"name":"start-fresh"}]}]`,
			Mutate: Add(orch, line("task_completed", "T001", "12:00:00Z")), Then: `[{"rebuilt":null,"point":{"task":"T002"},"doubts":[]}]`},
		"40_an_answer_lets_a_failed_task_be_tried_again": {In: "execution.txtar", Prepare: prepare(log("v", thrice), Add(own, line("escalation-resolved", "T002", "13:00:00Z"))),
			Want:   `[{"state":"interrupted","questions":[],"point":{"task":"T002","reason":"it failed, and what it needs is done"}}]`,
			Mutate: Both(Remove(own), log("w", line("task_completed", "T004", "12:30:00Z"))),
			Then: `[{"state":"waiting","point":{"task":"T002"},"questions":[{"text":"T002 - write the handler failed 3 times: what should the next try do differently?"}],
				"alternatives":[{"name":"answer","text":"say what to do differently, and T002 is tried again"},{"name":"restart-unit"},{"name":"skip-unit"},{"name":"review"},{"name":"start-fresh"}]}]`},
	})
}

// What a review shows is there in every phase: commits that name tasks are evidence of what was built.
func TestFind_knowsTheCommitsOfTasksThatAreDone(t *testing.T) {
	t.Parallel()
	r := place(t, "done.txtar")
	r.Git("commit", "-q", "--allow-empty", "-m", "[T001] add the table")
	f := find(r)
	if f.State != sources.Interrupted || string(f.Tasks[0].Commit) != r.Git("rev-parse", "HEAD") || len(f.Doubts) != 0 {
		t.Errorf("%s, %+v, %v", f.State, f.Tasks[0], f.Doubts)
	}
}

func TestFind_looksWhereTheSettingPoints(t *testing.T) {
	t.Parallel()
	r := place(t, "intake.txtar")
	if err := os.MkdirAll(filepath.Join(r.Dir, "p/a"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(r.Dir, ".agent-memory"), filepath.Join(r.Dir, "p/a/.agent-memory")); err != nil {
		t.Fatal(err)
	}
	if found := Find(r, New()); len(found) != 0 {
		t.Errorf("without the setting: %v", found)
	}
	for _, setting := range []string{"p/a", "p/a/.agent-memory/", `p\a`} {
		r.Git("config", "resume.agent-memory.path", setting)
		if found := Find(r, New()); len(found) != 1 || found[0].Root != "p/a/"+dir[:len(dir)-1] || found[0].ID != "20261110-0900-user-auth-a1b2" {
			t.Errorf("%s: found %v", setting, found)
		}
	}
}
