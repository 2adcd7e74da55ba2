package bmad

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	dir    = "_bmad-output/implementation-artifacts/"
	file   = dir + "sprint-status.yaml"
	second = dir + "1-2-sell-cards.md"
	before = "docs/sprint-status.yaml"
)

type (
	cases = []sourcetest.Case
	edit  = sourcetest.Mutation
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

// The function "at" commits everything on a day of November 2026.
func at(day int, subject string) edit {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		r.With(fmt.Sprintf("GIT_COMMITTER_DATE=2026-11-%02dT09:00:00Z", day)).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

// The function "status" changes the status of a story in the table.
func status(key, from, to string) edit { return replace(file, "  "+key+": "+from, "  "+key+": "+to) }

// stories writes a table without story files.
func stories(words ...string) edit {
	text := "development_status:\n"
	for i, w := range words {
		text += fmt.Sprintf("  7-%d-x: %s\n", i+1, w)
	}
	return add(file, text)
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	all := cases{}
	for _, some := range []cases{reading(), points(), judging(), acting()} {
		all = append(all, some...)
	}
	sourcetest.Run(t, New(), all, map[string]string{"R-BM-11": "the script bmad.txtar has stories in docs/stories"})
}

func reading() cases {
	return cases{
		{IDs: "R-BM-1", In: "sprint.txtar", Want: `[{"source":"bmad","id":"repo","root":"` + file + `","files":["` + file + `","` + second + `"]}]`,
			Mutate: remove(file), Then: `[]`},
		{IDs: "R-BM-1", In: "former.txtar", Want: `[{"id":"repo","root":"docs/sprint-status.yaml","tasks":[{},{"files":["docs/stories/1-2-sell-gift-cards.md"],"title":"Sell gift cards"},{}]}]`,
			Mutate: replace(before, "development_status", "stories"), Then: `[]`},
		// of two tables, the one that was written last is read
		{IDs: "R-BM-1", In: "sprint.txtar former.txtar", Prepare: both(remove(before), at(10, "new"), add(before, "development_status:\n  7-1-x: in-progress\n"), at(12, "former")), Want: `[{"root":"docs/sprint-status.yaml"}]`,
			Mutate: both(status("1-4-print-cards", "backlog", "ready-for-dev"), at(13, "more")), Then: `[{"root":"` + file + `"}]`},
		{IDs: "R-BM-1", In: "former.txtar", Prepare: both(remove(before), add("_bmad/bmm/config.yaml", "implementation_artifacts: \"{project-root}/out/bmad\"\n"), add("out/bmad/sprint-status.yaml", "development_status:\n  1-1-x: in-progress\n")),
			Want: `[{"root":"out/bmad/sprint-status.yaml"}]`, Mutate: replace("_bmad/bmm/config.yaml", "out/bmad", "../out/bmad"), Then: `[]`},
		{IDs: "R-BM-2", In: "sprint.txtar", Want: `[{"tasks":[{"id":"1-1-store-cards","phase":"epic-1"},{"id":"1-2-sell-cards"},{"id":"1-3-redeem-cards"},{"id":"1-4-print-cards"},{"id":"2-1-search","phase":"epic-2"}]}]`,
			Mutate: replace(file, "2-1-search:", "epic-2-5-x:"), Then: `[{"tasks":[{},{},{},{}]}]`},
		{IDs: "R-BM-2", In: "sprint.txtar", Prepare: add(file, "development_status:\n  epic-se2:\n    status: in-progress\n  se2-1-x:\n    status: done # yes\n    owner: ann\n  fix-login: \"in-progress\"\n"),
			Want:   `[{"tasks":[{"id":"se2-1-x","state":"done","phase":"epic-se2","title":"x"},{"id":"fix-login","state":"active","phase":"epic-se2"}]}]`,
			Mutate: replace(file, "done # yes", "review"), Then: `[{"tasks":[{"state":"waiting"},{}]}]`},
		{IDs: "R-BM-3", In: "former.txtar", Want: `[{"point":{"task":"1-2-sell-cards","reason":"it is the next story of the backlog"}}]`,
			Mutate: replace(before, "drafted", "contexted"), Then: `[{"point":{"task":"1-2-sell-cards","reason":"it is in progress; 0 of its 1 tasks are ticked"}}]`},
		{IDs: "R-BM-4", In: "sprint.txtar", Want: `[{"headline":"1 of 5 stories are done; 1.2 Sell cards is in progress","stands":"story 1.2, 1 of 5 done","context":["the story is in ` + second + `"],"protocol":{"completed":1,"total":5}}]`,
			Mutate: status("1-2-sell-cards", "in-progress", "done"), Then: `[{"headline":"2 of 5 stories are done; next is 1.3 Redeem cards"}]`},
		{IDs: "R-BM-15", In: "sprint.txtar", Prepare: many(2100), Want: `[{"protocol":{"total":2100},"doubts":[{"code":"tasks-counted","text":"there are 2100 stories; only the 100 around the next one are listed"}]}]`,
			Mutate: many(1999), Then: `[{"protocol":{"total":1999},"doubts":null}]`},
		{IDs: "R-BM-16", In: "sprint.txtar", Prepare: both(at(10, "the table"), replace(file, "  epic-1: in", "<<<<<<< HEAD\n=======\n>>>>>>> side\n  epic-1: in")),
			Want:   `[{"point":{"task":"1-2-sell-cards"},"alternatives":[{"name":"continue"}],"doubts":[{"code":"state-damaged","text":"` + file + ` contains conflict markers of an unfinished merge: it holds two versions, 'HEAD' and 'side'"},{"code":"state-from-elsewhere"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("checkout", "--", file) }, Then: `[{"alternatives":[{},{},{}],"doubts":null}]`},
	}
}

// The function "many" writes a table of n stories, of which the first thousand are done.
func many(n int) edit {
	words := make([]string, n)
	for i := range words {
		words[i] = map[bool]string{true: "done", false: "backlog"}[i < 1000]
	}
	return stories(words...)
}

func points() cases {
	idle := both(status("1-2-sell-cards", "in-progress", "done"))
	return cases{
		{IDs: "R-BM-6", In: "sprint.txtar", Want: `[{"state":"interrupted","point":{"task":"1-2-sell-cards","title":"Sell cards: Task 2: payment (AC: 2) › receipt","reason":"it is in progress; 3 of its 6 tasks are ticked"},"command":"/bmad-dev-story 1-2-sell-cards"}]`,
			Mutate: replace(second, "[ ]", "[x]"), Then: `[{"point":{"title":"Sell cards","reason":"it is in progress; all its 6 tasks are ticked, so it can be set to review"}}]`},
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: replace(second, "## Dev Notes", "### Review Follow-ups (AI)\n\n- [ ] [AI-Review][High] check the amount\n\n## Dev Notes"),
			Want: `[{"point":{"title":"Sell cards: [AI-Review][High] check the amount"}}]`, Mutate: replace(second, "- [ ] [AI", "- [x] [AI"), Then: `[{"point":{"title":"Sell cards: Task 2: payment (AC: 2) › receipt"}}]`},
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: status("1-2-sell-cards", "in-progress", "review"), Want: `[{"state":"review","point":{"task":"1-2-sell-cards","title":"Sell cards"},"tasks":[{},{"state":"waiting"},{},{},{}],"command":"/bmad-code-review 1-2-sell-cards"}]`,
			Mutate: status("1-2-sell-cards", "review", "done"), Then: `[{"state":"interrupted","point":{"task":"1-3-redeem-cards"}}]`},
		// a review that asks for changes means that fixes come next, unless the story was committed again since
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: both(status("1-2-sell-cards", "in-progress", "review"), add("docs/qa/gates/1.2-sell-cards.yml", "gate: CONCERNS\n")),
			Want:   `[{"state":"interrupted","point":{"task":"1-2-sell-cards","title":"Sell cards: Task 2: payment (AC: 2) › receipt","reason":"it is in progress; 3 of its 6 tasks are ticked; docs/qa/gates/1.2-sell-cards.yml says CONCERNS"},"command":"/bmad-dev-story 1-2-sell-cards"}]`,
			Mutate: replace("docs/qa/gates/1.2-sell-cards.yml", "CONCERNS", "PASS"), Then: `[{"state":"review"}]`},
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: both(both(status("1-2-sell-cards", "in-progress", "review"), add("docs/qa/gates/1.2-sell-cards.yml", "gate: FAIL\n")), at(10, "review")), Want: `[{"state":"interrupted","point":{"task":"1-2-sell-cards"}}]`,
			Mutate: both(replace(second, "- [ ] Task 3", "- [x] Task 3"), at(11, "fix")), Then: `[{"state":"review"}]`},
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: idle, Want: `[{"point":{"task":"1-3-redeem-cards","reason":"it is the next story that is ready for development"},"command":"/bmad-dev-story 1-3-redeem-cards"}]`,
			Mutate: status("1-3-redeem-cards", "ready-for-dev", "done"), Then: `[{"point":{"task":"1-4-print-cards","reason":"it is the next story of the backlog"},"command":"/bmad-create-story 1-4-print-cards"}]`},
		// of two stories in progress, the one that was changed last comes next
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: both(status("1-3-redeem-cards", "ready-for-dev", "in-progress"), at(10, "begin"), replace(second, "- [ ] Task 3", "- [x] Task 3"), at(11, "mail")),
			Want: `[{"point":{"task":"1-2-sell-cards","reason":"of the 2 stories in progress, it was changed last; 4 of its 6 tasks are ticked"},"doubts":[{"code":"several-in-progress"}]}]`, Mutate: both(replace(dir+"1-3-redeem-cards.md", "[ ] Task 1", "[x] Task 1"), at(12, "code")),
			Then: `[{"point":{"task":"1-3-redeem-cards"},"doubts":[{"code":"older-work-open"},{"code":"own-check-differs"}]}]`},
		// if nothing shows which of them was changed last, the first one in the table comes next
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: stories("done", "in-progress", "in-progress"), Want: `[{"point":{"task":"7-2-x","reason":"it is the first of the 2 stories in progress"}}]`,
			Mutate: stories("done", "done", "in-progress"), Then: `[{"point":{"task":"7-3-x","reason":"it is in progress"}}]`},
		// if a later story was started, a story in review is reported and passed over
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: stories("done", "review", "done", "backlog"), Want: `[{"state":"interrupted","point":{"task":"7-4-x"},"doubts":[{"code":"older-work-open","text":"1 story was left open, although later stories were started or the epic is done: 7-2-x"},{"code":"own-check-differs"}]}]`,
			Mutate: stories("done", "done", "review", "backlog"), Then: `[{"state":"review","point":{"task":"7-3-x"}}]`},
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: add(file, "development_status:\n  epic-1: done\n  1-1-a: done\n  1-2-b: backlog\n  epic-2: in-progress\n  2-1-c: done\n  2-2-d: backlog\n"), Want: `[{"point":{"task":"2-2-d"}}]`,
			Mutate: replace(file, "2-2-d: backlog", "2-2-d: done"), Then: `[{"point":{"task":"1-2-b","reason":"it was left open, although later stories were started or its epic is done"}}]`},
		// if reviews never take place, the work continues with the next story
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: stories("review", "review", "review", "backlog"), Want: `[{"state":"interrupted","point":{"task":"7-4-x"}}]`,
			Mutate: stories("done", "review", "review", "backlog"), Then: `[{"state":"review","point":{"task":"7-3-x"}}]`},
		// a story that was prepared ahead of time does not come before the rest of its epic
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: add(file, "development_status:\n  epic-7: in-progress\n  7-1-a: done\n  7-2-b: backlog\n  7-3-c: ready-for-dev\n"), Want: `[{"point":{"task":"7-2-b","reason":"it is the next story of epic-7"}}]`,
			Mutate: replace(file, "7-2-b: backlog", "7-2-b: done"), Then: `[{"point":{"task":"7-3-c"}}]`},
		// the order of the table decides, even if later stories are done, unless the epic is done
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: add(file, "development_status:\n  epic-7: in-progress\n  7-1-a: done\n  7-2-b: backlog\n  7-3-c: done\n  epic-8: in-progress\n  8-1-d: done\n  8-2-e: backlog\n"), Want: `[{"point":{"task":"7-2-b","reason":"it is the next story of the backlog"},"doubts":null}]`,
			Mutate: replace(file, "epic-7: in-progress", "epic-7: done"), Then: `[{"point":{"task":"8-2-e"}}]`},
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: add(file, "development_status:\n  epic-7: in-progress\n  7-1-a: done\n  7-2-b: backlog\n  7-3-c: ready-for-dev\n  7-4-d: done\n  7-5-e: ready-for-dev\n"), Want: `[{"point":{"task":"7-2-b","reason":"it is the next story of epic-7"}}]`,
			Mutate: replace(file, "7-2-b: backlog", "7-2-b: done"), Then: `[{"point":{"task":"7-3-c","reason":"it is the next story that is ready for development"},"doubts":null}]`},
		// retrospectives and optional stories are never open work
		{IDs: "R-BM-6", In: "sprint.txtar", Prepare: add(file, "development_status:\n  epic-1: in-progress\n  1-1-a: done\n  epic-1-retrospective: optional\n  1-2-b: optional\n"), Want: `[{"state":"complete","point":{"task":null}}]`,
			Mutate: replace(file, "1-2-b: optional", "1-2-b: backlog"), Then: `[{"state":"interrupted","point":{"task":"1-2-b"}}]`},
		{IDs: "R-BM-17", In: "sprint.txtar", Prepare: stories("in-progress", "done", "review", "backlog"), Want: `[{"point":{"task":"7-1-x"},"doubts":null}]`,
			Mutate: stories("review", "done", "backlog"), Then: `[{"point":{"task":"7-3-x"},"doubts":[{},{"code":"own-check-differs","text":"BMAD itself would take 7-1-x: it goes by status and by the order of the table"}]}]`},
	}
}

func judging() cases {
	return cases{
		{IDs: "R-BM-14", In: "sprint.txtar", Prepare: stories("ready-for-dev", "backlog"), Want: `[{"state":"not started","point":{"task":"7-1-x"}}]`,
			Mutate: stories("done", "backlog"), Then: `[{"state":"interrupted","point":{"task":"7-2-x"}}]`},
		{IDs: "R-BM-3", In: "sprint.txtar", Prepare: stories("done", "deferred to v2", "进行中"), Want: `[{"tasks":[{},{"state":"skipped"},{"state":"active"}]}]`,
			Mutate: stories("done", "simmering", "done"), Then: `[{"tasks":[{},{"state":"unknown"},{}],"doubts":[{"code":"unknown-word"},"…"]}]`},
		// if two statuses of a story differ, the one that is further along is used
		{IDs: "R-BM-5", In: "sprint.txtar", Prepare: both(replace(second, "Status: in-progress", "Status: review")), Want: `[{"state":"review","doubts":[{"code":"status-disagrees","text":"` + second + ` says 'review', but ` + file + ` says 'in-progress'; the status that is further along is used"}]}]`,
			Mutate: replace(second, "Status: review", "Status: ready-for-dev"), Then: `[{"state":"interrupted","doubts":null}]`},
		// but a story that calls itself done and has open boxes is not done
		{IDs: "R-BM-5", In: "sprint.txtar", Prepare: replace(second, "Status: in-progress", "Status: done"), Want: `[{"state":"interrupted","point":{"task":"1-2-sell-cards"}}]`,
			Mutate: both(replace(second, "- [ ] receipt", "- [x] receipt"), replace(second, "- [ ] Task 2", "- [x] Task 2"), replace(second, "- [ ] Task 3", "- [x] Task 3")), Then: `[{"point":{"task":"1-3-redeem-cards"}}]`},
		{IDs: "R-BM-5", In: "sprint.txtar", Prepare: both(status("1-2-sell-cards", "in-progress", "done"), replace(dir+"1-3-redeem-cards.md", "- [ ] Task 1", "- [x] Task 1")),
			Want: `[{"point":{"task":"1-3-redeem-cards","title":"Redeem cards: Task 2: balance"},"tasks":[{},{},{"state":"active"},{},{}],"doubts":[{"code":"status-word"}]}]`, Mutate: replace(dir+"1-3-redeem-cards.md", "[x] Task 1", "[ ] Task 1"),
			Then: `[{"tasks":[{},{},{"state":"pending"},{},{}],"doubts":null}]`},
		// a sprint is complete if all stories in its table are done, even if boxes of a story are open
		{IDs: "R-BM-7", In: "sprint.txtar", Prepare: both(stories("done"), add(dir+"7-1-x.md", "# Story 7.1: Sell\n\n## Tasks / Subtasks\n\n- [x] Task 1: form\n- [ ] Task 2: receipt\n")), Want: `[{"state":"complete","point":{"task":null}}]`,
			Mutate: stories("in-progress"), Then: `[{"state":"interrupted","point":{"task":"7-1-x","title":"Sell: Task 2: receipt"}}]`},
		// a story that is not started in the table counts as carried out if a newer commit names it
		{IDs: "R-BM-9", In: "sprint.txtar", Prepare: both(stories("done", "ready-for-dev", "backlog"), at(10, "table"), at(11, "feat: story 7.2 sell cards")), Want: `[{"point":{"task":"7-3-x"},"tasks":[{},{"state":"pending","commit":"*"},{"commit":null}]}]`,
			Mutate: both(stories("done", "in-progress", "backlog"), at(12, "table"), at(13, "feat: more of story 7.2")), Then: `[{"point":{"task":"7-2-x"},"tasks":[{},{"commit":null},{}]}]`},
		{IDs: "R-BM-9", In: "sprint.txtar", Prepare: both(stories("done", "in-progress", "backlog"), at(10, "table"), at(11, "Merge pull request #3 from ann/7-2-sell")), Want: `[{"point":{"task":"7-3-x"}}]`,
			Mutate: at(12, "Merge pull request #4 from ann/7-3-redeem"), Then: `[{"state":"complete","point":{"task":null}}]`},
		{IDs: "R-BM-9", In: "sprint.txtar", Prepare: both(stories("done", "ready-for-dev", "backlog"), at(10, "table"), at(11, "docs: create story 7.2")), Want: `[{"point":{"task":"7-2-x"}}]`,
			Mutate: at(12, "feat(7-2): sell cards"), Then: `[{"point":{"task":"7-3-x"}}]`},
	}
}

func acting() cases {
	return cases{
		{IDs: "R-BM-12", In: "sprint.txtar", Act: &sources.ActionRequest{Name: sources.Continue}, Want: `{"changes":[]}`, Mutate: remove(file), Then: `[]`},
		{IDs: "R-BM-12", In: "sprint.txtar", Prepare: stories("done", "in-progress # since Monday"), Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":"` + file + `","now":"development_status:\n  7-1-x: done\n  7-2-x: done # since Monday\n"}]}`,
			Mutate: stories("done", "done"), Then: `{"error":"'skip-unit' does not apply to bmad:repo"}`},
		{IDs: "R-BM-12", In: "sprint.txtar", Act: &sources.ActionRequest{Name: sources.RestartUnit}, Want: `{"changes":[{"path":"` + file + `"},{"path":"` + second + `"}]}`,
			Mutate: both(status("1-2-sell-cards", "in-progress", "done")), Then: `{"error":"'restart-unit' does not apply to bmad:repo"}`},
		{IDs: "R-BM-13", In: "sprint.txtar", Want: `[{"command":"/bmad-dev-story 1-2-sell-cards"}]`, Mutate: status("1-2-sell-cards", "in-progress", "review"), Then: `[{"command":"/bmad-code-review 1-2-sell-cards"}]`},
	}
}

func TestSetStatus_changesOneWord(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"development_status:\r\n  a: \"backlog\" # x\r\n": "development_status:\r\n  a: \"done\" # x\r\n",
		"development_status:\n  a:\n    status: review":   "development_status:\n  a:\n    status: done",
		"development_status:\n  a:\n":                     "development_status:\n  a: done\n",
	} {
		if got, err := setStatus([]byte(text), "a", "done"); err != nil || string(got) != want {
			t.Errorf("%q became %q, not %q: %v", text, got, want, err)
		}
	}
	if got := string(setSaid([]byte("# Story\n\n**Status:** review (since Monday)\n"), "done")); !strings.Contains(got, "**Status:** done") {
		t.Error(got)
	}
}
