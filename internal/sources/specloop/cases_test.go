package specloop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	auth   = "specs/005-user-auth/"
	index5 = auth + ".workflow/index.md"
	index6 = "specs/006-export/.workflow/index.md"
	plan5  = auth + ".workflow/plan-context.md"
	tasks5 = auth + ".workflow/tasks-context.md"
)

// The function aged() gives the state files an old modification time, so that the times in the files are used.
func aged(ms ...Mutation) func(*gittest.Repo) {
	return func(r *gittest.Repo) {
		Both(ms...)(r)
		age(r)
	}
}

func age(r *gittest.Repo) {
	old := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	files, err := filepath.Glob(filepath.Join(r.Dir, "specs/*/.workflow/*"))
	if err != nil {
		r.T.Fatal(err)
	}
	for _, f := range files {
		if err := os.Chtimes(f, old, old); err != nil {
			r.T.Fatal(err)
		}
	}
}

// change applies mutations, and then gives the state files an old modification time again.
func change(ms ...Mutation) Mutation { return aged(ms...) }

func status(word, n string) Mutation {
	return func(r *gittest.Repo) {
		text := r.Read(index5)
		p := newPage([]byte(text))
		p.setField("loop status", word)
		p.setField("current iteration", n)
		r.Write(index5, string(p.bytes()))
	}
}

// The function settled() marks the questions that wait for an answer as deferred, and the open gaps in the specification as resolved.
func settled(r *gittest.Repo) {
	text := r.Read(index5)
	text = strings.ReplaceAll(text, "awaiting_answer", "deferred")
	r.Write(index5, strings.ReplaceAll(text, "| clarifying | Pending", "| resolved | Pending"))
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	all := append(detectionCases(), statusCases()...)
	all = append(all, storedCases()...)
	all = append(all, crashCases()...)
	all = append(all, integrityCases()...)
	all = append(all, draftCases()...)
	all = append(all, successorCases()...)
	Run(t, New(), all, map[string]string{
		"S4-60": "the confirmation is the program's own question, asked before any such change",
		"S4-61": "whoever declines that question changes nothing, which the program's own tests show",
	})
}

func detectionCases() []Case {
	return []Case{
		{IDs: "S4-1 S4-2 S4-10", In: "clarifying.txtar", Prepare: aged(), Want: `[{"source":"spec-loop","id":"005-user-auth","root":"specs/005-user-auth"}]`,
			Mutate: Remove(auth + ".workflow"), Then: `[]`},
		{IDs: "S4-3", In: "clarifying.txtar", Prepare: aged(), Want: `[{"state":"waiting","doubts":[]}]`, Mutate: change(Add(index5, "# no tables\n")), Then: `[{"state":"corrupt"}]`},
		{IDs: "S4-4", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"found":true}}]`, Mutate: change(status("terminated", "2 / 10")), Then: `[{"state":"ended","protocol":{"found":false}}]`},
		{IDs: "S4-5", In: "clarifying.txtar template.txtar", Prepare: aged(), // without a feature name in the request, all features are found, and their names distinguish them
			Want:   `[{"name":"005-user-auth","protocol":{"feature_name":"sign in by mail"}},{"name":"006-export","protocol":{"feature_name":"006-export"}}]`,
			Mutate: change(Replace(index5, "sign in by mail", "log in")), Then: `[{"protocol":{"feature_name":"log in"}},{}]`},
		{IDs: "S4-6", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"found":true,"feature_id":"005-user-auth"}}]`,
			Mutate: change(Replace(index5, "| **ID** | 005-user-auth |", "| **ID** | 005-sign-in |")), Then: `[{"protocol":{"feature_id":"005-sign-in"}}]`},
		{IDs: "S4-7", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"iteration":2}}]`, Mutate: change(Replace(index5, "2 / 10", "3 / 10")), Then: `[{"protocol":{"iteration":3}}]`},
		{IDs: "S4-8", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"loop_status":"clarifying"},"status":"clarifying"}]`, Mutate: change(status("validating", "2 / 10")), Then: `[{"protocol":{"loop_status":"validating"}}]`},
		{IDs: "S4-9", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"index_path":"specs/005-user-auth/.workflow/index.md"},"files":["specs/005-user-auth/.workflow/index.md","specs/005-user-auth/spec.md"]}]`,
			Mutate: func(r *gittest.Repo) {
				if err := os.Rename(filepath.Join(r.Dir, auth), filepath.Join(r.Dir, "specs/009-x")); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[{"protocol":{"index_path":"specs/009-x/.workflow/index.md"}}]`},
		{IDs: "S4-11", In: "clarifying.txtar", Prepare: aged(),
			Want:   `[{"headline":"found an interrupted workflow for '005-user-auth': clarifying, iteration 2 / 10, pending clarifications 2, last activity 2026-11-14T10:30:00Z"}]`,
			Mutate: change(Replace(index5, "awaiting_answer", "deferred")), Then: `[{"headline":"found an interrupted workflow for '005-user-auth': clarifying, iteration 2 / 10, pending clarifications 0, last activity 2026-11-14T10:30:00Z"}]`},
		{IDs: "S4-12", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"Status":"clarifying"}}]`, Mutate: change(status("spec_writing", "1")), Then: `[{"protocol":{"Status":"spec_writing"}}]`},
		{IDs: "S4-13", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"Iteration":"2 / 10"}}]`, Mutate: change(status("clarifying", "7")), Then: `[{"protocol":{"Iteration":"7 / 10"}}]`},
		{IDs: "S4-14", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"Pending Clarifications":2}}]`,
			Mutate: change(Replace(index5, "G-005 | awaiting_answer", "G-005 | deferred")), Then: `[{"protocol":{"Pending Clarifications":1}}]`},
		{IDs: "S4-15", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"Last Activity":"2026-11-14T10:30:00Z"},"active":"2026-11-14T10:30:00Z","from":"Last Activity"}]`,
			Mutate: change(Replace(index5, "10:30:00Z", "11:30:00Z")), Then: `[{"protocol":{"Last Activity":"2026-11-14T11:30:00Z"}}]`},
		{IDs: "S4-16", In: "clarifying.txtar", Prepare: aged(status("validating", "2")), Want: `[{"alternatives":[{"name":"continue","text":"continue from iteration 2 with B3: validate the specification again"},{"name":"answer"},{"name":"start-fresh"}]}]`,
			Mutate: change(status("validating", "3")), Then: `[{"alternatives":[{"text":"continue from iteration 3 with B3: validate the specification again"},{},{}]}]`},
		{IDs: "S4-17 S4-62 S4-63", In: "clarifying.txtar", Act: &sources.ActionRequest{Name: sources.StartFresh}, // the folder is moved aside, with spec.md
			Want:   `{"changes":[{"path":"specs/005-user-auth","to":"specs/.005-user-auth.archived-20261114T120000Z"}]}`,
			Mutate: Remove(auth + ".workflow"), Then: `[]`},
	}
}

func statusCases() []Case {
	at := func(ids, word, n, point, state, other, then string) Case {
		return Case{IDs: ids, In: "clarifying.txtar", Prepare: aged(settled, status(word, n)),
			Want: `[{"point":{"task":"` + point + `"},"state":"` + state + `"}]`, Mutate: change(status(other, n)), Then: then}
	}
	return []Case{
		at("S4-18", "not_started", "0 / 10", "A1", "not started", "spec_writing", `[{"point":{"task":"A2"},"state":"interrupted"}]`),
		{IDs: "S4-19 S4-26", In: "clarifying.txtar", Prepare: aged(settled, status("scaffolding", "0 / 10"), Remove(auth+"spec.md")), Want: `[{"point":{"task":"A1"},"state":"interrupted"}]`,
			Mutate: Add(auth+"spec.md", "# x\n"), Then: `[{"point":{"task":"A2"}}]`},
		at("S4-20", "spec_writing", "1 / 10", "A2", "interrupted", "validating", `[{"point":{"task":"A3"}}]`),
		at("S4-21 S4-27", "validating", "1 / 10", "A3", "interrupted", "spec_writing", `[{"point":{"task":"A2"}}]`),
		at("S4-28", "validating", "4 / 10", "B3", "interrupted", "spec_writing", `[{"point":{"task":"A2"}}]`),
		{IDs: "S4-22 S4-29", In: "clarifying.txtar", Prepare: aged(),
			Want:   `[{"state":"waiting","point":{"task":"B1"},"questions":[{"task":"C2.1","text":"How long does a session last?"},{"task":"C2.2","text":"What does a lock-out | ban look like?"}],"alternatives":[{"name":"answer"},{"name":"continue"},{"name":"start-fresh"}]}]`,
			Mutate: change(settled), Then: `[{"state":"interrupted","point":{"task":"B3"},"questions":[]}]`},
		{IDs: "S4-23", In: "clarifying.txtar", Prepare: aged(settled, status("completed", "3 / 10")), Want: `[{"state":"complete","point":{"task":null},"headline":"the workflow of '005-user-auth' is completed"}]`,
			Mutate: change(status("clarifying", "3 / 10")), Then: `[{"state":"interrupted"}]`},
		{IDs: "S4-24 S4-30", In: "clarifying.txtar", Prepare: aged(settled, status("terminated", "3 / 10"), Replace(index5, "| **Stale Count** | 0 / 3 |", "| **Stale Count** | 3 / 3 |\n| **Termination Reason** | stale |")),
			Want:   `[{"state":"ended","point":{"task":null},"cause":"stale","headline":"the workflow of '005-user-auth' was terminated: stale","protocol":{"termination_reason":"stale"}}]`,
			Mutate: change(Replace(index5, "| stale |", "| aborted |")), Then: `[{"cause":"aborted"}]`},
		{IDs: "S4-25", In: "clarifying.txtar", Prepare: aged(settled, status("scaffolding", "0")), Want: `[{"point":{"task":"A2"}}]`, Mutate: Remove(auth + "spec.md"), Then: `[{"point":{"task":"A1"}}]`},
	}
}

func storedCases() []Case {
	is := func(id, pattern, old, new string) Case {
		return Case{IDs: id, In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":` + pattern + `}]`, Mutate: change(Replace(index5, old, new))}
	}
	question := func(p string) string { return `{"pending_questions":[` + p + `,{}]}` }
	gap := func(p string) string { return `{"gap_priority_queue":[` + p + `,"…"]}` }
	record := func(p string) string { return `{"gap_resolution_history":[` + p + `]}` }
	return []Case{
		is("S4-31", `{"priority_loop_state":{"loop_status":"clarifying"}}`, "| clarifying |\n| **Cur", "| validating |\n| **Cur"),
		is("S4-32", `{"priority_loop_state":{"current_iteration":2}}`, "2 / 10", "4 / 10"),
		is("S4-33", `{"priority_loop_state":{"last_activity":"2026-11-14T10:30:00Z"}}`, "10:30", "10:31"),
		is("S4-34", `{"priority_loop_state":{"stale_count":0}}`, "0 / 3", "1 / 3"),
		is("S4-35", question(`{"id":"C2.1"}`), "| C2.1 |", "| C2.3 |"),
		is("S4-36", question(`{"question_summary":"How long does a session last?"}`), "How long", "How short"),
		is("S4-37", question(`{"gaps":["G-004"]}`), "last? | G-004 |", "last? | G-001, G-004 |"),
		is("S4-38", question(`{"status":"awaiting_answer"}`), "G-004 | awaiting_answer", "G-004 | answered"),
		is("S4-39", gap(`{"priority":"Critical"}`), "Critical", "Minor"),
		is("S4-40", gap(`{"gap_id":"G-001"}`), "| G-001 | resolved", "| G-101 | resolved"),
		is("S4-41", gap(`{"status":"resolved"}`), "resolved | Applied", "pending | Applied"),
		is("S4-42", gap(`{"resolution":"Applied in iteration 1"}`), "Applied", "Used"),
		is("S4-43", record(`{"gap_id":"G-001"}`), "| G-001 | 1 |", "| G-002 | 1 |"),
		is("S4-44", record(`{"iteration":"1"}`), "| G-001 | 1 |", "| G-001 | 2 |"),
		is("S4-45", record(`{"action":"resolved"}`), "| 1 | resolved |", "| 1 | deferred |"),
		is("S4-46", record(`{"details":"Answer: \"by mail\""}`), "by mail\"", "by phone\""),
		{IDs: "S4-47", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "1")), // the loop saves its state after each phase, so the phase before "validating" is done
			Want:   `[{"tasks":[{"id":"A1","state":"done"},{"id":"A2","state":"done"},{"id":"A3","state":"active"},"…"]}]`,
			Mutate: change(status("spec_writing", "1")), Then: `[{"tasks":[{"state":"done"},{"state":"active"},{"state":"pending"},"…"]}]`},
		{IDs: "S4-48", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "3")), // the loop saves its state after each agent returns, so step B2 is done
			Want:   `[{"tasks":[{},{},{},{},{"id":"B2","state":"done"},{"id":"B3","state":"active"},"…"]}]`,
			Mutate: change(status("spec_writing", "3")), Then: `[{"tasks":[{},{"state":"active"},{},{},{"state":"pending"},{"state":"pending"},"…"]}]`},
		{IDs: "S4-49", In: "clarifying.txtar", Prepare: aged(), // the loop saves its state before it shows the questions, so they can be shown again
			Want:   `[{"tasks":[{},{},{},{"id":"B1","state":"waiting"},{},{},{},{},{"id":"G-004","state":"waiting"},{},{"id":"G-006","state":"skipped","optional":true},{"id":"C2.1","state":"waiting"},{"id":"C2.2"}]}]`,
			Mutate: change(settled), Then: `[{"tasks":[{},{},{},{"state":"done"},{},{"state":"pending"},{},{},{"state":"done"},{},{}]}]`},
		{IDs: "S4-50 S4-51 S4-52", In: "clarifying.txtar", Prepare: aged(), Act: &sources.ActionRequest{Name: sources.Answer, Task: "C2.2", Text: "15 minutes | then\nagain"},
			Want:   `{"changes":[{"path":"specs/005-user-auth/.workflow/index.md","now":` + quoted(answeredIndex) + `}]}`,
			Mutate: change(Replace(index5, "G-005 | awaiting_answer", "G-005 | answered"), appended(answersTable)), Then: `{"error":"'answer' does not apply to spec-loop:005-user-auth"}`},
		{IDs: "S4-52", In: "clarifying.txtar", Prepare: func(r *gittest.Repo) { // the field Last Activity is out of date, so the later modification time is used
			at := time.Date(2026, 11, 14, 11, 0, 0, 0, time.UTC)
			if err := os.Chtimes(filepath.Join(r.Dir, index5), at, at); err != nil {
				r.T.Fatal(err)
			}
		}, Want: `[{"active":"2026-11-14T11:00:00Z","from":"file time"}]`, Mutate: change(), Then: `[{"active":"2026-11-14T10:30:00Z","from":"Last Activity"}]`},
	}
}

func crashCases() []Case {
	return []Case{
		{IDs: "S4-53", In: "clarifying.txtar", Prepare: aged(Remove(index5)), Want: `[{"state":"interrupted","point":{"task":"A1","reason":"the scaffold was interrupted before it wrote an index"}}]`,
			Mutate: Add(auth+".workflow/pipeline.yaml", "other: tool\n"), Then: `[]`},
		{IDs: "S4-53", In: "clarifying.txtar", Prepare: aged(Remove(index5), Remove(auth+"spec.md"), Add(auth+".workflow/scaffold.md", "# Scaffold\n")), // the report of the scaffold is the first file
			Want:   `[{"state":"interrupted","point":{"task":"A1","reason":"the scaffold was interrupted before it wrote an index"}}]`,
			Mutate: Add(auth+".workflow/pipeline.yaml", "other: tool\n"), Then: `[]`},
		{IDs: "S4-54", In: "clarifying.txtar", Prepare: aged(settled, status("not_started", "0 / 10")), Want: `[{"point":{"task":"A1"}}]`, Mutate: change(status("spec_writing", "1")), Then: `[{"point":{"task":"A2"}}]`},
		{IDs: "S4-55", In: "clarifying.txtar", Prepare: aged(settled, status("spec_writing", "1")), Want: `[{"point":{"task":"A2","reason":"the specification was being written; it is safe to write it again"}}]`,
			Mutate: change(status("validating", "1")), Then: `[{"point":{"task":"A3"}}]`},
		{IDs: "S4-56", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "1 / 10")), Want: `[{"point":{"task":"A3"}}]`, Mutate: change(status("validating", "2 / 10")), Then: `[{"point":{"task":"B3"}}]`},
		{IDs: "S4-57", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "2 / 10")), Want: `[{"point":{"task":"B3"},"protocol":{"iteration":2}}]`, Mutate: change(status("validating", "1 / 10")), Then: `[{"point":{"task":"A3"}}]`},
		{IDs: "S4-58", In: "clarifying.txtar", Prepare: aged(), Want: `[{"state":"waiting","point":{"task":"B1","reason":"2 questions wait for an answer"},"questions":[{},{}]}]`,
			Mutate: change(Replace(index5, "G-004 | awaiting_answer", "G-004 | answered"), appended(oneAnswer)), Then: `[{"state":"waiting","point":{"task":"B1"},"questions":[{"task":"C2.2"}]}]`},
		{IDs: "S4-59 S4-85", In: "clarifying.txtar", Prepare: aged(Replace(index5, "awaiting_answer", "answered"), appended(answersTable)),
			Want:   `[{"state":"interrupted","point":{"task":"B2","reason":"2 answers are not applied to the specification yet"},"protocol":{"iteration":2,"user_answers":{"C2.1":"30 minutes","C2.2":"a page"}}}]`,
			Mutate: change(Replace(index5, "| clarifying | Pending", "| resolved | Pending")), Then: `[{"state":"interrupted","point":{"task":"B3"},"protocol":{"user_answers":{}}}]`},
		{IDs: "S4-59 S4-85", In: "clarifying.txtar", Prepare: aged(cutAt("0 / 3 |\n"), appended(answersTable)), // the questions and the gaps are no longer in the index
			Want: `[{"state":"interrupted","point":{"task":"B2","reason":"2 answers are not applied to the specification yet"},"protocol":{"iteration":2,"valid":true,"pending_questions":null,"user_answers":{"C2.1":"30 minutes","C2.2":"a page"}},
				"context":["answer to C2.1: 30 minutes","answer to C2.2: a page"],"doubts":[]}]`,
			Mutate: change(Replace(index5, "2 / 10", "3 / 10")), Then: `[{"point":{"task":"B1"},"protocol":{"user_answers":{}},"doubts":[{"code":"no-question"}]}]`}, // the answers are those of the iteration before
		{IDs: "S4-59 S4-85", In: "clarifying.txtar", Prepare: aged(noQuestions, appended("\n## User Answers\n\n- C2.1: 30 minutes\n- **C2.2**: a page\n")), // only the rows of the questions are missing
			Want:   `[{"point":{"task":"B2"},"protocol":{"valid":true,"user_answers":{"C2.1":"30 minutes","C2.2":"a page"}},"doubts":[]}]`,
			Mutate: change(Replace(index5, "| clarifying | Pending C2.2", "| resolved | Applied"), Replace(index5, "| G-001 | 1 |", "| G-005 | 2 | resolved | x |\n| G-001 | 1 |")), Then: `[{"point":{"task":"B2"},"protocol":{"user_answers":{"C2.1":"30 minutes","C2.2":null}}}]`},
	}
}

// noQuestions removes the rows of the questions.
func noQuestions(r *gittest.Repo) {
	Both(Replace(index5, "| C2.1 | How long does a session last? | G-004 | awaiting_answer |\n", ""), Replace(index5, "| C2.2 | What does a lock-out \\| ban look like? | G-005 | awaiting_answer |\n", ""))(r)
}

func integrityCases() []Case {
	broken := func(ids string, spoil Mutation, text string, cure Mutation) Case {
		return Case{IDs: ids, In: "clarifying.txtar", Prepare: aged(spoil),
			Want: `[{"protocol":{"valid":false},"doubts":[{"code":"state-inconsistent","severity":"blocking","text":"specs/005-user-auth/.workflow/index.md ` + text + `"}],
				"alternatives":[{"name":"repair"},{"name":"start-fresh"},{"name":"review"}]}]`,
			Mutate: change(cure), Then: `[{"protocol":{"valid":true},"doubts":[]}]`}
	}
	// The questions are compared with the gaps before every step, not only before the step that asks them.
	unasked := func(word, n, state string) Case {
		return Case{IDs: "S4-67 S4-68", In: "clarifying.txtar", Prepare: aged(status(word, n), Replace(index5, "| C2.2 | What does a lock-out \\| ban look like? | G-005 | awaiting_answer |\n", ""), Replace(index5, "G-004 | awaiting_answer", "G-004 | "+state)),
			Want: `[{"state":"interrupted","rebuilt":true,"sound":null,"protocol":{"valid":false},"doubts":[{"code":"gap-without-question","severity":"warning"},{"code":"own-check-differs"}],
				"alternatives":[{"name":"repair","text":"make the statuses of gaps match the questions: set G-005 to pending"},{"name":"review"},{"name":"continue"},"…"]}]`,
			Mutate: change(func(r *gittest.Repo) { act(r, sources.ActionRequest{Name: sources.Repair}) }), Then: `[{"rebuilt":null,"protocol":{"valid":true},"doubts":[]}]`}
	}
	return []Case{
		broken("S4-64", status("thinking", "2 / 10"), "has the loop status 'thinking', which is not one of not_started, scaffolding, spec_writing, validating, clarifying, completed, terminated", status("clarifying", "2 / 10")),
		broken("S4-65", status("clarifying", "11 / 10"), "has the iteration 11 / 10, which is not between 1 and 10", status("clarifying", "9 / 10")),
		broken("S4-66", Replace(index5, "0 / 3", "4 / 3"), "has the stale count 4 / 3: this number of iterations without progress must be between 0 and 3", Replace(index5, "4 / 3", "2 / 3")),
		{IDs: "S4-67", In: "clarifying.txtar", Prepare: aged(Replace(index5, "| Important | G-005 | clarifying | Pending C2.2 |", "| Important | G-005 | clarifying | |\n| Minor | G-007 | clarifying | |")),
			Want:   `[{"protocol":{"valid":false},"doubts":[{"code":"gap-without-question","severity":"warning"}]}]`,
			Mutate: change(Replace(index5, "G-007 | clarifying", "G-007 | deferred")), Then: `[{"doubts":[]}]`},
		{IDs: "S4-67", In: "clarifying.txtar", Prepare: aged(Replace(index5, "| clarifying | Pending C2.2", "| resolved | Pending C2.2")),
			Want:   `[{"protocol":{"valid":false},"doubts":[{"code":"question-without-gap","severity":"warning"}]}]`,
			Mutate: change(Replace(index5, "G-005 | awaiting_answer", "G-005 | deferred")), Then: `[{"doubts":[]}]`},
		unasked("validating", "3 / 10", "awaiting_answer"), unasked("validating", "3 / 10", "answered"), unasked("spec_writing", "1 / 10", "awaiting_answer"),
		{IDs: "S4-68", In: "clarifying.txtar", Prepare: aged(), Want: `[{"protocol":{"valid":true},"doubts":[]}]`,
			Mutate: change(status("thinking", "12 / 10"), Replace(index5, "0 / 3", "9 / 3")), Then: `[{"protocol":{"valid":false},"doubts":[{},{},{}]}]`},
		{IDs: "S4-69", In: "clarifying.txtar", Prepare: aged(status("thinking", "12 / 10"), Replace(index5, "0 / 3", "9 / 3")), Act: &sources.ActionRequest{Name: sources.Repair},
			Want:   `{"changes":[{"path":"specs/005-user-auth/.workflow/index.md","now":` + quoted(repairedIndex) + `}]}`,
			Mutate: change(status("clarifying", "2 / 10"), Replace(index5, "9 / 3", "0 / 3")), Then: `{"error":"'repair' does not apply to spec-loop:005-user-auth"}`},
		{IDs: "S4-69", In: "clarifying.txtar", Prepare: aged(status("thinking", "12 / 10"), Replace(index5, "0 / 3", "9 / 3")), // the text of the repair action lists the values that it would write
			Want:   `[{"alternatives":[{"name":"repair","text":"set the loop status to clarifying, the iteration to 10 / 10, the stale count to 3 / 3"},"…"]}]`,
			Mutate: change(Replace(index5, "9 / 3", "1 / 3")), Then: `[{"alternatives":[{"name":"repair","text":"set the loop status to clarifying, the iteration to 10 / 10"},"…"]}]`},
		{IDs: "S4-70 S4-71", In: "clarifying.txtar", Prepare: aged(status("thinking", "2")),
			Want: `[{"alternatives":[{},{"name":"start-fresh","text":"move its folder aside (specs/005-user-auth), so that the workflow starts at A1"},
				{"name":"review","text":"look at specs/005-user-auth/.workflow/index.md and repair it by hand"}]}]`,
			Mutate: change(status("clarifying", "2")), Then: `[{"alternatives":[{"name":"answer"},{"name":"continue"},{"name":"start-fresh"}]}]`},
	}
}

func draftCases() []Case {
	gap := func(id, word, state, other string) Case {
		return Case{IDs: id, In: "template.txtar", Prepare: aged(Replace(index6, "| clarifying | 0 | Q-S1 |\n| Important", "| "+word+" | 0 | Q-S1 |\n| Important")),
			Want:   `[{"tasks":[{},{},{},{},{},{},{},{"id":"G-001","title":"Which format?","raw":"` + word + `","state":"` + state + `"},"…"]}]`,
			Mutate: change(Replace(index6, "| "+word+" | 0 | Q-S1 |\n| Important", "| "+other+" | 0 | Q-S1 |\n| Important"))}
	}
	ended := func(id, word, reason, state, other string) Case {
		return Case{IDs: id, In: "clarifying.txtar", Prepare: aged(settled, status(word, "3 / 10"), Replace(index5, "| **Stale Count** |", "| **Termination Reason** | "+reason+" |\n| **Stale Count** |")),
			Want:   `[{"state":"` + state + `","cause":"` + reason + `"}]`,
			Mutate: change(Replace(index5, "| "+reason+" |", "| "+other+" |")), Then: `[{"cause":"` + other + `"}]`}
	}
	return []Case{
		gap("S4-72", "pending", "pending", "resolved"), gap("S4-73", "clarifying", "waiting", "resolved"), gap("S4-74", "resolved", "done", "pending"),
		gap("S4-75", "deferred", "skipped", "pending"), gap("S4-76", "known_gap", "skipped", "pending"),
		ended("S4-77", "completed", "success", "complete", "none"), ended("S4-79", "terminated", "stale", "ended", "aborted"),
		ended("S4-80", "terminated", "no_progress", "ended", "stale"), ended("S4-81", "terminated", "aborted", "ended", "stale"),
		{IDs: "S4-78", In: "clarifying.txtar", Prepare: aged(status("completed", "10 / 10"), Replace(index5, "| **Stale Count** |", "| **Termination Reason** | max_iterations |\n| **Known Issues** | G-004, G-005 |\n| **Stale Count** |")),
			Want:   `[{"state":"complete","cause":"max_iterations","doubts":[],"protocol":{"priority_loop_state":{"known_issues":"G-004, G-005"}}}]`,
			Mutate: change(Replace(index5, "max_iterations", "success")), Then: `[{"state":"complete","doubts":[{"code":"status-disagrees"},{"code":"status-disagrees"}]}]`},
		{IDs: "S4-82", In: "clarifying.txtar", Prepare: aged(status("completed", "3 / 10"), Replace(index5, "| Important | G-004 | clarifying", "| Minor | G-004 | pending"), Replace(index5, "| Important | G-005 | clarifying", "| Important | G-005 | resolved")),
			Want:   `[{"state":"complete","doubts":[{"code":"question-without-gap"},{"code":"question-without-gap"}]}]`, // no doubt about the open gap G-004: in a complete workflow, a minor gap may stay open
			Mutate: change(Replace(index5, "| Minor | G-004", "| Important | G-004")), Then: `[{"doubts":[{},{},{"code":"status-disagrees","severity":"warning"}]}]`},
		{IDs: "S4-83", In: "clarifying.txtar", Prepare: aged(settled, status("spec_writing", "0 / 10")), Want: `[{"point":{"task":"A2"},"protocol":{"valid":true,"iteration":0},"doubts":[]}]`,
			Mutate: change(status("clarifying", "0 / 10")), Then: `[{"protocol":{"valid":false}}]`},
		{IDs: "S4-83", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "0 / 10")), Want: `[{"point":{"task":"A3"},"protocol":{"valid":true}}]`,
			Mutate: change(status("validating", "2 / 10")), Then: `[{"point":{"task":"B3"}}]`},
		{IDs: "S4-84", In: "template.txtar", Prepare: aged(),
			Want:   `[{"state":"waiting","point":{"task":"B1"},"protocol":{"valid":true,"pending_questions":[{"gaps":["G-001","G-002"]}]},"doubts":[{"code":"worktree-unusable"}]}]`,
			Mutate: change(Replace(index6, "| 0 | Q-S1 |\n| Minor", "| 0 | Q-S2 |\n| Minor")), Then: `[{"protocol":{"valid":false,"pending_questions":[{"gaps":["G-001"]}]},"doubts":[{"code":"gap-without-question"},{}]}]`},
		{IDs: "S4-86 S4-87", In: "clarifying.txtar template.txtar", Prepare: aged(), Want: `[{"questions":[{},{}]},{"questions":[{"task":"Q-S1","text":"Which format?","options":["CSV","JSON"]}]}]`,
			Mutate: change(Replace(index6, "Unified Pending Questions", "Old Questions")), Then: `[{"questions":[{},{}]},{"questions":[]}]`},
		{IDs: "S4-88 S4-89", In: "template.txtar", Prepare: aged(), Want: `[{"protocol":{"iteration":1,"Iteration":"1 / 10","priority_loop_state":{"stale_count":1,"deferred_minor_gaps":"2"}}}]`,
			Mutate: change(Replace(index6, "1/10", "**3** of 10")), Then: `[{"protocol":{"iteration":3,"Iteration":"3 / 10"}}]`},
		{IDs: "S4-89", In: "template.txtar", Prepare: aged(Replace(index6, "| Status | ID |", "| State | ID |")), Want: `[{"questions":[{"task":"Q-S1"}]}]`, // without a status column, the question counts as open
			Mutate: change(Replace(index6, "| State | ID |", "| Status | ID |"), Replace(index6, "| pending | Q-S1", "| answered | Q-S1"), answered6), Then: `[{"questions":[],"point":{"task":"B2"}}]`},
		{IDs: "S4-90", In: "template.txtar", Prepare: aged(), Want: `[{"state":"waiting"}]`, Mutate: change(Replace(index6, "```\n\n## Feature", "\n\n## Feature"), Replace(index6, "```markdown\n", "")), Then: `[{"state":"complete"}]`},
		{IDs: "S4-91", In: "blank.txtar", Prepare: aged(), Want: `[{"state":"not started","point":{"task":"A1"},"protocol":{"loop_status":"not_started","valid":true},"doubts":[]}]`,
			Mutate: change(Replace("specs/007-new/.workflow/index.md", "{{loop_status}}", "spec_writing")), Then: `[{"state":"interrupted","point":{"task":"A2"}}]`},
		{IDs: "S4-92", In: "template.txtar", Prepare: aged(Replace(index6, "| **Current Phase** | clarifying |", "| **Current Phase** | spec_writing |")),
			Want:   `[{"point":{"task":"B1"},"doubts":[{"code":"status-word","severity":"warning"},{}]}]`,
			Mutate: change(Replace(index6, "| **Current Phase** | spec_writing |", "| **Current Phase** | clarifying |")), Then: `[{"doubts":[{"code":"worktree-unusable"}]}]`},
		{IDs: "S4-93", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "2"), Remove(auth+"spec.md")), Want: `[{"point":{"task":"A2","reason":"spec.md is missing or empty"},"needs":[{"path":"specs/005-user-auth/spec.md","missing":true}]}]`,
			Mutate: Add(auth+"spec.md", "x"), Then: `[{"point":{"task":"B3"}}]`},
		{IDs: "S4-93", In: "clarifying.txtar", Prepare: aged(settled), Want: `[{"state":"interrupted","point":{"task":"B3","reason":"no question is open"}}]`,
			Mutate: change(Replace(index5, "G-004 | deferred", "G-004 | pending")), Then: `[{"state":"waiting","point":{"task":"B1"}}]`},
		{IDs: "S4-94", In: "clarifying.txtar", Prepare: aged(Add("specs/001-kit/spec.md", "x"), Add("specs/001-kit/tasks.md", "- [ ] T001 x\n")), Want: `[{"id":"005-user-auth"}]`,
			Mutate: Add("specs/001-kit/.workflow/index.md", "x"), Then: `[{"id":"001-kit"},{}]`},
		{IDs: "S4-95", In: "template.txtar", Prepare: aged(), Want: `[{"branch":null}]`, Mutate: func(r *gittest.Repo) { r.Git("branch", "006-export") },
			Then: `[{"branch":"refs/heads/006-export","wants":"../repo.worktrees/006-export"}]`},
		{IDs: "S4-96", In: "clarifying.txtar", Prepare: aged(settled, status("validating", "10 / 10")), Want: `[{"point":{"task":"B3"},"tasks":["…",{"id":"C","title":"end the loop"},"…"]}]`,
			Mutate: change(status("validating", "9 / 10")), Then: `[{"point":{"task":"B3"},"tasks":["…",{"id":"C","title":"end the loop, or ask again"},"…"]}]`},
	}
}

func successorCases() []Case {
	at := func(id, in, file, phase, word, point, state string) Case {
		set := func(p, s string) Mutation {
			return func(r *gittest.Repo) {
				text := strings.ReplaceAll(r.Read(file), "phase: "+strings.Split(strings.Split(r.Read(file), "phase: ")[1], "\n")[0], "phase: "+p)
				r.Write(file, strings.ReplaceAll(text, "status: "+strings.Split(strings.Split(text, "status: ")[1], "\n")[0], "status: "+s))
			}
		}
		return Case{IDs: id, In: in, Prepare: aged(set(phase, word)), Want: `[{"state":"` + state + `","point":{"task":"` + point + `"},"protocol":{"phase":"` + phase + `","status":"` + word + `","feature_id":"005-user-auth"}}]`,
			Mutate: change(set(phase, "awaiting-nobody")), Then: `[{"state":"unknown","doubts":[{"code":"unknown-word"}]}]`}
	}
	plan := func(id, phase, word, point, state string) Case {
		return at(id, "plan.txtar", plan5, phase, word, point, state)
	}
	tasks := func(id, phase, word, point, state string) Case {
		return at(id, "tasks.txtar", tasks5, phase, word, point, state)
	}
	return []Case{
		plan("S4-97", "analysis", "awaiting-analyst", "2.3", "interrupted"), plan("S4-98", "analysis", "awaiting-architect", "2.5", "interrupted"),
		plan("S4-99", "analysis", "awaiting-advocate", "2.7", "interrupted"), plan("S4-100", "analysis", "awaiting-user", "clarification", "waiting"),
		plan("S4-101", "design", "awaiting-analyst", "3.3", "interrupted"), plan("S4-102", "design", "awaiting-advocate", "3.5", "interrupted"),
		plan("S4-103", "design", "awaiting-user", "clarification", "waiting"),
		{IDs: "S4-104", In: "plan.txtar", Prepare: aged(Replace(plan5, "awaiting-analyst", "completed")), Want: `[{"id":"005-user-auth-plan","state":"complete","point":{"task":null}}]`,
			Mutate: change(Replace(plan5, "completed", "awaiting-analyst")), Then: `[{"state":"interrupted"}]`},
		tasks("S4-105", "mapping", "awaiting-architect", "2.3", "interrupted"), tasks("S4-106", "mapping", "awaiting-advocate", "2.5", "interrupted"),
		tasks("S4-107", "mapping", "awaiting-user", "clarification", "waiting"), tasks("S4-108", "tasks", "awaiting-architect", "3.3", "interrupted"),
		tasks("S4-109", "tasks", "awaiting-advocate", "3.5", "interrupted"), tasks("S4-110", "tasks", "awaiting-user", "clarification", "waiting"),
		{IDs: "S4-100", In: "plan.txtar", Prepare: aged(Replace(plan5, "awaiting-analyst", "awaiting-user")), Want: `[{"questions":[{"task":"analysis/clarification","text":"May we store the address?"}],"tasks":[{"state":"done"},{},{},{"state":"waiting"},"…"]}]`,
			Mutate: change(Replace(plan5, "1. May we store the address?", "none")), Then: `[{"questions":[{"text":"the workflow waits for you: see specs/005-user-auth/.workflow/plan-context.md"}]}]`},
	}
}

// quoted applies a change to the index file of the fixture, and returns the new content as a JSON string.
func quoted(change func(string) string) string {
	return jsonText(change(fixture("clarifying.txtar", index5)))
}

func answeredIndex(text string) string {
	return strings.NewReplacer("2026-11-14T10:30:00Z", "2026-11-14T12:00:00Z",
		"| ID | Question Summary | Gaps | Status |\n|----|------------------|------|--------|", "| ID | Question Summary | Gaps | Status | Answer |\n|----|------------------|------|--------|---|",
		"| G-004 | awaiting_answer |", "| G-004 | awaiting_answer |  |",
		"| G-005 | awaiting_answer |", `| G-005 | answered | 15 minutes \| then again |`).Replace(text)
}

func repairedIndex(text string) string {
	return strings.NewReplacer("2026-11-14T10:30:00Z", "2026-11-14T12:00:00Z", "2 / 10", "10 / 10", "0 / 3", "3 / 3").Replace(text)
}
