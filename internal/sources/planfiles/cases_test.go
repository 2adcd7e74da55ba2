package planfiles

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	file   = "task_plan.md"
	notes  = "progress.md"
	cards  = ".planning/2026-11-10-cards/task_plan.md"
	search = ".planning/2026-11-12-search/task_plan.md"
)

type (
	cases = []sourcetest.Case
	edit  = sourcetest.Mutation
)

var (
	change = sourcetest.Replace
	remove = sourcetest.Remove
	add    = sourcetest.Add
	both   = sourcetest.Both
)

// write replaces the plan file of the test.
func write(text string) edit { return add(file, text) }

// set changes the status of a phase.
func set(phase, from, to string) edit {
	return func(r *gittest.Repo) {
		r.T.Helper()
		before, rest, ok := strings.Cut(r.Read(file), "### Phase "+phase+":")
		after := strings.Replace(rest, "**Status:** "+from, "**Status:** "+to, 1)
		if !ok || after == rest {
			r.T.Fatalf("phase %s is not %s", phase, from)
		}
		r.Write(file, before+"### Phase "+phase+":"+after)
	}
}

func commit(day int, subject string) edit {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		date := fmt.Sprintf("2026-11-%02dT09:00:00Z", day)
		r.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	all := cases{}
	for _, some := range []cases{finding(), reading(), points(), judging(), warnings(), acting()} {
		all = append(all, some...)
	}
	sourcetest.Run(t, New(), all, map[string]string{
		"R-X-6-planning-files": "TestFind_leavesPlansToTheirReader of the reader of task lists and the script all_sources.txtar show it",
	})
}

func finding() cases {
	const one = "### Phase 1: a\n- **Status:** in_progress\n"
	two := both(remove(file), remove(notes), add(cards, one), add(search, one))
	return cases{
		{IDs: "R-PF-1", In: "plan.txtar", Want: `[{"source":"planning-files","id":"task_plan","root":"task_plan.md","files":["task_plan.md","progress.md"]}]`, Mutate: remove(file), Then: `[]`},
		{IDs: "R-PF-1", In: "plan.txtar", Prepare: both(two, add("web/"+cards, one), add(".planning/-x/task_plan.md", one), add(".planning/templates/task_plan.md", one), add("skills/"+cards, one), add("a/b/"+cards, one)),
			Want:   `[{"id":"2026-11-12-search"},{"root":"web/.planning/2026-11-10-cards","id":"web/.planning/2026-11-10-cards"},{"root":".planning/2026-11-10-cards"}]`,
			Mutate: remove("web"), Then: `[{},{"id":"2026-11-10-cards"}]`},
		{IDs: "R-X-5-planning-files", In: "plan.txtar", Prepare: add(".planning/archive/task_plan.md", one), Want: `[{"id":"task_plan"}]`, Mutate: add(".planning/archived/task_plan.md", one), Then: `[{"id":"archived"},{}]`},
		{IDs: "R-PF-6", In: "plan.txtar", Prepare: both(two, add(file, one), add(".planning/.active_plan", "2026-11-10-cards\n")),
			Want:   `[{"id":"2026-11-10-cards","protocol":{"active":true}},{"id":"task_plan","protocol":{"active":false}},{"id":"2026-11-12-search","context":["planning-with-files itself would continue with another plan"]}]`,
			Mutate: add(".planning/.active_plan", "../../etc"), Then: `[{"id":"2026-11-12-search","protocol":{"active":true},"doubts":[{"code":"stale-marker","text":".planning/.active_plan names '../../etc', which is not a plan"}]},{"id":"task_plan","protocol":{"active":false}},{}]`},
		{IDs: "R-PF-7", In: "plan.txtar", Prepare: write("# Plan\n\nSome prose.\n\n| Error | Status |\n|---|---|\n| x | open |\n"), Want: `[]`, Mutate: write("# Plan\n\n- [ ] a box\n"), Then: `[{"point":{"task":"1"}}]`},
		{IDs: "R-PF-13", In: "plan.txtar", Want: `[{"command":"/plan"}]`, Mutate: both(remove(file), add(cards, one)), Then: `[{"command":"/plan .planning/2026-11-10-cards"}]`},
	}
}

func reading() cases {
	const table = "| 阶段 | 目标 | 状态 |\n|---|---|---|\n| 0 | a | 已完成 |\n| 1 | b | 进行中 |\n"
	return cases{
		{IDs: "R-PF-2", In: "plan.txtar", Want: `[{"tasks":[{"id":"1","title":"Store cards","raw":"complete"},{"id":"2"},{"id":"3"},{"id":"4","needs":["3"]}],"point":{"task":"2","title":"Sell cards / payment"},"stands":"phase 2 of 4"}]`,
			Mutate: change(file, "- **Status:**", "- Stand:"), Then: `[{"tasks":[{"state":"done"},{"state":"active"},{"state":"pending"},{}],"point":{"task":"2"}}]`},
		{IDs: "R-PF-2", In: "plan.txtar", Prepare: write("## Phase 3: Three [status: pending]\n## Phase 2 - Two (in progress)\n- [ ] s\n### Phase 2 notes\n- [ ] t\n## Phase 1 - One `[complete]`\n## Phase 0 — Zero ✅\n"),
			Want:   `[{"tasks":[{"id":"3","title":"Three","state":"pending"},{"id":"2","title":"Two","state":"active"},{"id":"1","title":"One","state":"done"},{"id":"0","title":"Zero","state":"done"}],"point":{"title":"Two / s"}}]`,
			Mutate: change(file, "(in progress)", "(pending)"), Then: `[{"tasks":[{},{"state":"pending"},{},{}],"point":{"task":"3"}}]`},
		{IDs: "R-PF-4", In: "plan.txtar", Prepare: write("## Phase 1: One — complete\n- [x] s\n- [ ] t\n## Phase 2: Two (complete)\n- [ ] u\n## Phase 3: Three ✅\n- [ ] v\n## Phase 4: Four\n- [ ] w\n"), Want: `[{"tasks":[{"state":"done"},{"state":"done"},{"state":"done"},{"state":"pending"}],"point":{"task":"4"}}]`,
			Mutate: change(file, "Two (complete)", "Two"), Then: `[{"tasks":[{},{"state":"pending"},{},{}]}]`},
		{IDs: "R-PF-2", In: "plan.txtar", Prepare: write("## Phases\n- [completed] 1. a\n- [in_progress] b\n- [pending] c\n\n" + table), Want: `[{"tasks":[{"id":"1","title":"a","state":"done"},{"id":"2","title":"b","state":"active"},{"id":"3"}]}]`,
			Mutate: change(file, "[in_progress]", "[completed]"), Then: `[{"point":{"task":"3","title":"c","reason":"the next pending phase"}}]`},
		{IDs: "R-PF-2", In: "plan.txtar", Prepare: write("## 当前状态\n- 当前状态：`in_progress`\n" + table + "- [ ] x\n"), Want: `[{"tasks":[{"id":"0","title":"a","state":"done"},{"id":"1","title":"b","raw":"进行中"}],"point":{"task":"1","title":"b"}}]`,
			Mutate: change(file, "状态 |", "备注 |"), Then: `[{"tasks":[{"title":"x"}]}]`},
		{IDs: "R-PF-2", In: "plan.txtar", Prepare: write("## Phases\n- [ ] Phase 1: Blueprint (all of it)\n- [ ] Phase 2: Link\n\n## Phase 1: Blueprint\n- [/] ask\n- [ ] write\n"),
			Want: `[{"tasks":[{"id":"1","title":"Blueprint","state":"active"},{"id":"2","title":"Link"}],"point":{"task":"1","title":"Blueprint / ask"}}]`, Mutate: change(file, "[/]", "[ ]"), Then: `[{"state":"not started","point":{"title":"Blueprint / ask"}}]`},
		{IDs: "R-PF-2", In: "plan.txtar", Prepare: write("# T\n## Setup\n- [x] a\n## Build\n- [ ] b\n"), Want: `[{"tasks":[{"title":"Setup","state":"done"},{"title":"Build"}]}]`, Mutate: change(file, "## Build\n", ""), Then: `[{"tasks":[{"title":"a"},{"title":"b"}]}]`},
		{IDs: "R-PF-2", In: "plan.txtar", Prepare: write("## Phases\n- [x] Phase 1: a\n- [ ] Phase 2: b (draft)\n- [ ] Phase 3: c (in progress)\n  - [ ] 3.1 d\n"), Want: `[{"tasks":[{},{"title":"b (draft)","state":"pending"},{"title":"c","state":"active"}],"point":{"task":"3","title":"c / 3.1 d"}}]`,
			Mutate: change(file, " (in progress)", ""), Then: `[{"point":{"task":"2"}}]`},
		{IDs: "R-PF-3", In: "plan.txtar", Want: `[{"tasks":[{},{"raw":"in_progress","state":"active"},{},{}]}]`, Mutate: change(file, "<!-- **Status:** complete -->", "- **Status:** complete"), Then: `[{"tasks":[{},{"raw":"complete"},{},{}]}]`},
		{IDs: "R-X-7-planning-files", In: "plan.txtar", Prepare: both(change(file, "- **Status:**", "- **状态：**"), change(file, "in_progress", "进行中（等待）")), Want: `[{"point":{"task":"2"},"tasks":[{"state":"done"},{"state":"active","raw":"进行中（等待）"},{},{}]}]`,
			Mutate: change(file, "进行中（等待）", "simmering"), Then: `[{"tasks":[{},{"state":"unknown","raw":"simmering"},{},{}],"doubts":["…",{"code":"unknown-word","text":"task_plan.md has the unknown status 'simmering' for phase 2; it counts as open"}]}]`},
		{IDs: "R-X-9-planning-files", In: "plan.txtar", Prepare: write(strings.Repeat("- [ ] x\n", 2100)), Want: `[{"protocol":{"total":2000},"doubts":[{"code":"tasks-counted","text":"the plan has 2100 phases; only the first 2000 are read and counted"}]}]`,
			Mutate: write(strings.Repeat("- [ ] x\n", 1999)), Then: `[{"protocol":{"total":1999},"doubts":null}]`},
		{IDs: "R-X-9-planning-files", In: "plan.txtar", Prepare: write("- [ ] x\n" + strings.Repeat("prose\n", 1<<20)), Want: `[{"state":"corrupt","doubts":[{"code":"state-refused"}]}]`, Mutate: write("- [ ] x\n"), Then: `[{"state":"not started"}]`},
	}
}

func points() cases {
	busy := set("3", "pending", "in_progress")
	return cases{
		{IDs: "R-PF-5", In: "plan.txtar", Want: `[{"point":{"task":"2","title":"Sell cards / payment","reason":"it is in progress"},"context":["open steps of phase 2: payment, receipt","the plan's own next step: Ask for the key of the bank."]}]`,
			Mutate: set("2", "in_progress", "pending"), Then: `[{"point":{"task":"2","reason":"the next pending phase"}}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: busy, Want: `[{"point":{"task":"2","reason":"the plan names it as the current phase; 2 phases are in progress"}}]`,
			Mutate: change(file, "\nPhase 2\n", "\nPhase 3\n"), Then: `[{"point":{"task":"3","title":"Redeem cards / form"}}]`},
		// a commit names the phase that it carries out, and the plan stays as it was
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: both(write("### Phase 1: a\n- **Status:** pending\n### Phase 2: b\n- **Status:** pending\n### Phase 3: c\n- **Status:** pending\n"), commit(12, "plan"), commit(13, "feat: Phase 2 - build b")),
			Want:   `[{"state":"interrupted","point":{"task":"3"},"tasks":[{"state":"pending"},{"state":"done","commit":"*"},{"state":"pending"}]}]`,
			Mutate: both(change(file, "Phase 3: c", "Phase 4: c"), commit(14, "docs: say more about phase 4")), Then: `[{"state":"not started","point":{"task":"1"}}]`},
		// only the section "Current Phase" shows which phases are done
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: write("## Current Phase\n**Phase 2: b**\n## Phases\n### Phase 1: a\n### Phase 2: b\n### Phase 3: c\n## Success\n- [ ] all of it works\n"),
			Want:   `[{"state":"interrupted","point":{"task":"2"},"tasks":[{"state":"done"},{"state":"active"},{"state":"pending"}]}]`,
			Mutate: change(file, "**Phase 2: b**", "soon"), Then: `[{"state":"not started","tasks":[{"title":"all of it works"}]}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: both(change(file, "\nPhase 2\n", "\n"), commit(12, "plan"), busy), Want: `[{"point":{"task":"3","reason":"of the 2 phases in progress, it was changed last"}}]`,
			Mutate: both(commit(13, "begin"), change(file, "[ ] receipt", "[x] receipt")), Then: `[{"point":{"task":"2"}}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: both(change(file, "\nPhase 2\n", "\n"), busy), Want: `[{"point":{"task":"2","reason":"it is the first of 2 phases in progress"}}]`, Mutate: set("2", "in_progress", "complete"), Then: `[{"point":{"task":"3"}}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: both(set("3", "pending", "complete (skipped by git resume)")), Want: `[{"point":{"task":"4","reason":"the next pending phase"},"doubts":["…",{"code":"older-work-open","text":"phase 2 is in progress, although a later phase is done"}]}]`,
			Mutate: set("4", "pending", "cancelled"), Then: `[{"point":{"task":"2","reason":"it is in progress"}}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: both(set("2", "in_progress", "blocked"), change(file, "DependsOn:** Phase 3", "DependsOn:** 2")), Want: `[{"point":{"task":"3"},"tasks":[{},{"state":"blocked"},{},{}]}]`,
			Mutate: set("3", "pending", "done (skipped by git resume)"), Then: `[{"point":{"task":"4","reason":"the first pending phase, although it depends on phases that are not done"}}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: write("# New\n### Phase 1: a (done)\n### Phase 2: b (in progress)\n# Old\n### Phase 1: c (done)\n### Phase 2: d (done)\n"), Want: `[{"tasks":[{"id":"1"},{"id":"2"},{"id":"1-5"},{"id":"2-6"}],"point":{"task":"2"},"doubts":null}]`,
			Mutate: change(file, "Phase 1: c", "Phase 3: c"), Then: `[{"tasks":[{"id":"1"},{"id":"2"},{"id":"3"},{"id":"2-6"}],"doubts":[{"code":"older-work-open"}]}]`},
		{IDs: "R-X-3-planning-files", In: "plan.txtar", Prepare: both(busy, change(file, "\nPhase 2\n", "\nPhase 3\n")),
			Want:   `[{"doubts":["…",{"code":"own-check-differs","text":"planning-with-files itself would continue with phase 2, the first that is in progress; git-resume continues with phase 3"}]}]`,
			Mutate: change(file, "\nPhase 3\n", "\nPhase 2\n"), Then: `[{"doubts":[{"code":"several-in-progress"}]}]`},
	}
}

func judging() cases {
	return cases{
		{IDs: "R-PF-4", In: "plan.txtar", Prepare: set("2", "in_progress", "complete"), Want: `[{"point":{"task":"2"},"tasks":[{},{"state":"active"},{},{}],"doubts":["…",{"code":"status-disagrees","text":"task_plan.md says that phase 2 is complete, but it has open steps; git-resume treats it as unfinished"}]}]`,
			Mutate: set("3", "pending", "in_progress"), Then: `[{"point":{"task":"3"},"tasks":[{},{"state":"done"},{},{}],"doubts":["…",{"text":"task_plan.md says that phase 2 is complete, but it has open steps; git-resume treats it as finished, because a later phase was started"}]}]`},
		{IDs: "R-PF-9", In: "plan.txtar", Prepare: both(change(file, "[ ]", "[x]"), set("3", "pending", "complete"), set("4", "pending", "complete")),
			Want:   `[{"state":"review","point":{"task":"2","title":"Sell cards","reason":"it is in progress; all its steps are ticked, so check it and close it"},"headline":"3 of 4 phases are done; all steps of phase 2 Sell cards are ticked, but it is not closed"}]`,
			Mutate: set("2", "in_progress", "complete"), Then: `[{"state":"complete","point":{"task":null},"alternatives":null,"doubts":null}]`},
		{IDs: "R-PF-9", In: "plan.txtar", Want: `[{"state":"interrupted","headline":"1 of 4 phases are done; phase 2 Sell cards is in progress"}]`, Mutate: change(file, "**Status:** pending", "**Status:** cancelled"), Then: `[{"headline":"1 of 2 phases are done; phase 2 Sell cards is in progress"}]`},
		{IDs: "R-X-1-planning-files", In: "plan.txtar", Prepare: both(change(file, "[x]", "[ ]"), set("1", "complete", "pending"), set("2", "in_progress", "pending")), Want: `[{"state":"not started","point":{"task":"1"}}]`,
			Mutate: both(change(file, "- [ ] table\n- [ ] tests", "- [x] table\n- [x] tests"), set("1", "pending", "complete")), Then: `[{"state":"interrupted","point":{"task":"2"},"tasks":[{"state":"done"},{"state":"pending"},{},{}]}]`},
		{IDs: "R-PF-8", In: "plan.txtar", Prepare: commit(11, "plan"), Want: `[{"active":"*","from":"the last session in progress.md"}]`, Mutate: change(notes, "2026-11-12", "2026-12-24"), Then: `[{"from":"the time of progress.md"}]`},
		{IDs: "R-PF-8", In: "plan.txtar", Prepare: both(commit(11, "plan"), change(notes, "there", "tested"), commit(13, "notes")), Want: `[{"from":"the time of progress.md","doubts":[{"code":"plan-not-updated"}]}]`,
			Mutate: both(change(file, "payment", "pay"), commit(13, "more")), Then: `[{"doubts":null}]`},
		{IDs: "R-PF-10", In: "plan.txtar", Prepare: both(diary(60, 0), old("diary"), diary(60, 58)), Want: `[{"tasks":[{"id":"58","state":"done"}],"doubts":[{"code":"tasks-counted","text":"of 60 phases only 1 changed in the last 30 days; the others are not listed"}]}]`,
			Mutate: diary(40, 0), Then: `[{"tasks":[{"id":"1"},"…"],"doubts":null}]`},
	}
}

// diary writes a plan with n phases. Only the phase with the given number is done.
func diary(n, done int) edit {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "## Phase %d: x (%s)\n", i, map[bool]string{true: "done", false: "pending"}[i == done])
	}
	return write(b.String())
}

// The function old() makes two commits of the plan: one long ago, and one with a longer text a few days ago.
func old(subject string) edit {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		r.With("GIT_AUTHOR_DATE=2026-06-01T09:00:00Z", "GIT_COMMITTER_DATE=2026-06-01T09:00:00Z").Git("commit", "-q", "-m", subject)
		r.Write(file, r.Read(file)+"\nmore\n")
		commit(12, "more")(r)
	}
}

func warnings() cases {
	return cases{
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: add(".write_lock", ""), Want: `[{"alternatives":[{"name":"continue"}],"doubts":[{"code":"stale-marker","path":".write_lock"}]}]`, Mutate: remove(".write_lock"), Then: `[{"alternatives":[{"name":"continue"},{"name":"skip-unit"}]}]`},
		{IDs: "R-PF-11", In: "plan.txtar", Prepare: add(".attestation", "x"), Want: `[{"alternatives":[{"name":"continue"},{"text":"close phase 2 in task_plan.md and continue with the next; the hooks of planning-with-files refuse the plan until you attest it again"}]}]`,
			Mutate: remove(".attestation"), Then: `[{"alternatives":[{},{"text":"close phase 2 in task_plan.md and continue with the next"}]}]`},
		{IDs: "R-X-10-planning-files", In: "plan.txtar", Prepare: both(commit(12, "plan"), change(file, "## Goal\n", "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n")),
			Want:   `[{"point":{"task":"2"},"alternatives":[{"name":"continue"}],"doubts":["…",{"code":"state-damaged","text":"task_plan.md contains conflict markers of an unfinished merge: it holds two versions, 'HEAD' and 'side'"},{"code":"state-from-elsewhere"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("checkout", "--", file) }, Then: `[{"alternatives":[{},{"name":"skip-unit"}],"doubts":null}]`},
		{IDs: "R-PF-5", In: "plan.txtar", Prepare: change(file, "DependsOn:** Phase 3", "DependsOn:** 9"), Want: `[{"doubts":[{"code":"needs-unknown","text":"phases depend on phases that do not exist: 4 on 9"}]}]`,
			Mutate: change(file, "DependsOn:** 9", "DependsOn:** 4"), Then: `[{"doubts":[{"code":"needs-cycle","text":"phases depend on each other: 4 → 4"}]}]`},
	}
}

func acting() cases {
	skip, repair := &sources.ActionRequest{Name: sources.SkipUnit}, &sources.ActionRequest{Name: sources.Repair}
	is := func(text string) string { return fmt.Sprintf(`{"changes":[{"path":"task_plan.md","now":%q}]}`, text) }
	const refused = `{"error":"'repair' does not apply to planning-files:task_plan"}`
	return cases{
		{IDs: "R-PF-12", In: "plan.txtar", Act: &sources.ActionRequest{Name: sources.Continue}, Want: `{"changes":[]}`, Mutate: remove(file), Then: `[]`},
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: write("### Phase 1: a\r\n- [ ] b\r\n- **Status:** `in_progress`\r\n### Phase 2: c\r\n- **Status:** pending"), Act: skip,
			Want: is("### Phase 1: a\r\n- [ ] b\r\n- **Status:** `complete (skipped by git resume)`\r\n### Phase 2: c\r\n- **Status:** pending"), Mutate: change(file, "- [ ] b\r\n", ""),
			Then: is("### Phase 1: a\r\n- **Status:** `complete`\r\n### Phase 2: c\r\n- **Status:** pending")},
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: write("## Phase 1: pending (done)\n## Phase 2: pending (pending)\n- [ ] x\n"), Act: skip, Want: is("## Phase 1: pending (done)\n## Phase 2: pending (done; skipped by git resume)\n- [ ] x\n"),
			Mutate: change(file, "- [ ] x\n", ""), Then: is("## Phase 1: pending (done)\n## Phase 2: pending (done)\n")},
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: write("- [completed] a\n- [pending] [pending] b\n"), Act: skip, Want: is("- [completed] a\n- [completed] [pending] b\n"), Mutate: change(file, "[pending] b", "b"), Then: is("- [completed] a\n- [completed] b\n")},
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: write("| Phase | Status | Note |\n|---|---|---|\n| 1 a \\| b | Complete | x |\n| 2 pending | pending | pending |\n"), Act: skip,
			Want: is("| Phase | Status | Note |\n|---|---|---|\n| 1 a \\| b | Complete | x |\n| 2 pending | Complete | pending |\n"), Mutate: change(file, "| 2 pending | pending |", "| 2 pending | |"),
			Then: is("| Phase | Status | Note |\n|---|---|---|\n| 1 a \\| b | Complete | x |\n| 2 pending | Complete| pending |\n")},
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: write("## Phases\n- [ ] 1. a\n  - [x] b\n  - [ ] c\n- [ ] 2. d\n"), Act: skip, Want: is("## Phases\n- [x] 1. a\n  - [x] b\n  - [x] c\n- [ ] 2. d\n"), Mutate: change(file, "  - [ ] c\n", ""), Then: is("## Phases\n- [x] 1. a\n  - [x] b\n- [ ] 2. d\n")},
		{IDs: "R-PF-12", In: "plan.txtar", Prepare: write("### Phase 1: a\n- [x] b\n- **Status:** in_progress\n### Phase 2: c\n- **Status:** pending\n"), Act: repair,
			Want: is("### Phase 1: a\n- [x] b\n- **Status:** complete\n### Phase 2: c\n- **Status:** pending\n"), Mutate: change(file, "[x]", "[ ]"), Then: refused},
	}
}
