package superpowers

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	plans   = "docs/superpowers/plans/"
	cards   = plans + "2026-11-10-gift-cards.md"
	folder  = ".superpowers/sdd/2026-11-10-gift-cards/"
	journal = folder + "progress.md"
	head    = "# SDD ledger — plan: " + cards + "\n\n"
)

var (
	add     = sourcetest.Add
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	both    = sourcetest.Both
)

// day returns a date of November 2026, in which the cases take place.
func day(n int) time.Time { return time.Date(2026, 11, n, 9, 0, 0, 0, time.UTC) }

// commit commits everything with a date in November 2026.
func commit(n int, subject string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		r.Git("add", "-A")
		date := day(n).Format(time.RFC3339)
		r.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date).Git("commit", "-q", "--allow-empty", "-m", subject)
	}
}

// The mutation "planned" makes a commit with the plan. The commit is one day later than the date in the name of the plan.
var planned = commit(11, "docs: plan gift cards")

// wrote adds a file with a modification time in November 2026.
func wrote(n int, path, text string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		r.Write(path, text)
		if err := os.Chtimes(filepath.Join(r.Dir, path), day(n), day(n)); err != nil {
			r.T.Fatal(err)
		}
	}
}

// The mutation "ignored" makes git ignore the ledger, as superpowers does.
var ignored = add(".superpowers/sdd/.gitignore", "*\n")

// The mutation "onlyChanges" makes the plan ask only for changes of files that exist.
var onlyChanges = both(replace(cards, "- Create:", "- Modify:"), replace(cards, "- Modify: `src/card_test.go`\n", ""), replace(cards, "- Test: `src/sell_test.go`\n", ""))

// without applies a change while a file is away, and then brings the file back.
func without(file string, change sourcetest.Mutation) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.T.Helper()
		text := r.Read(file)
		remove(file)(r)
		change(r)
		r.Write(file, text)
	}
}

func git(args ...string) sourcetest.Mutation { return func(r *gittest.Repo) { r.Git(args...) } }

// elsewhere applies a change in a linked worktree whose branch is called "cards".
func elsewhere(change sourcetest.Mutation) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		side := filepath.Join(r.Root(), "side")
		if _, err := os.Stat(side); err != nil {
			r.Git("worktree", "add", "-q", "-b", "cards", side)
		}
		change(r.In(side))
	}
}

func TestFind_requirements(t *testing.T) {
	t.Parallel()
	first := both(planned, commit(12, "feat: store gift cards"))
	sourcetest.Run(t, New(), []sourcetest.Case{
		{IDs: "R-SP-1 R-SP-6", In: "plan.txtar", Prepare: planned,
			Want:   `[{"source":"superpowers","id":"2026-11-10-gift-cards","state":"not started","point":{"task":"1","title":"Store cards"},"headline":"4 tasks, none started","files":["` + cards + `"]}]`,
			Mutate: replace(cards, "superpowers:", "another:"), Then: `[]`},
		{IDs: "R-SP-1", In: "plan.txtar", Prepare: func(r *gittest.Repo) { move(r, cards, "packages/shop/docs/plans/2026-11-10-gift-cards.md") }, Want: `[{"id":"2026-11-10-gift-cards","protocol":{"plan":"packages/shop/docs/plans/2026-11-10-gift-cards.md"}}]`,
			Mutate: func(r *gittest.Repo) {
				move(r, "packages/shop/docs/plans/2026-11-10-gift-cards.md", "packages/shop/docs/plans/gift-cards.md")
			}, Then: `[]`},
		{IDs: "R-SP-1", In: "plan.txtar", Prepare: func(r *gittest.Repo) {
			move(r, cards, "notes/gift-cards.md")
			r.Git("config", "resume.superpowers.path", "notes")
		}, Want: `[{"id":"gift-cards"}]`, Mutate: git("config", "resume.superpowers.path", "../notes"), Then: `[]`},
		{IDs: "R-SP-1", In: "plan.txtar", Prepare: both(remove(cards), ignored, wrote(13, journal, head+"Task 1: complete (commits abcd1234..bcde2345, review clean)\nTask 2: fix round 1/5 (1 addressed, 1 open; commits abcd1234..bcde2345)\n")),
			Want:   `[{"id":"2026-11-10-gift-cards","state":"interrupted","point":{"task":"2"},"headline":"its plan is gone; the ledger has 2 tasks","doubts":["…",{"code":"file-missing"}]}]`,
			Mutate: replace(journal, "fix round 1/5", "complete"), Then: `[{"state":"unknown","point":{"task":null}}]`},
		// the plan exists, but in a folder in which no plans are looked for
		{IDs: "R-SP-1", In: "plan.txtar", Prepare: both(func(r *gittest.Repo) { move(r, cards, "notes/gift-cards.md") }, ignored, wrote(13, ".superpowers/sdd/gift-cards/progress.md", "# SDD ledger — plan: notes/gift-cards.md\n\nTask 1: complete\nTask 2: fix round 1/5\n")),
			Want:   `[{"id":"gift-cards","headline":"its plan was not read; the ledger has 2 tasks","command":"Use superpowers:subagent-driven-development to continue with notes/gift-cards.md: Task 1 is done, continue at Task 2","doubts":["…",{"code":"state-refused"}]}]`,
			Mutate: remove("notes/gift-cards.md"), Then: `[{"headline":"its plan is gone; the ledger has 2 tasks","doubts":["…",{"code":"file-missing"}]}]`},
		{IDs: "R-SP-2", In: "plan.txtar", Prepare: planned,
			Want:   `[{"tasks":[{"id":"1","title":"Store cards","files":["src/card.go","src/card_test.go","src/store.go"]},{"id":"2","files":["src/sell.go","src/sell_test.go"]},{"id":"3","files":["src/pay.go"]},{"id":"4","title":"Verify"}]}]`,
			Mutate: both(replace(cards, "### Task 2:", "## 任务 1a："), replace(cards, "### Task 3:", "#### Tarefa 0.1 —"), replace(cards, "```markdown\n", "")),
			Then:   `[{"tasks":[{"id":"1"},{"id":"9"},"…"]}]`},
		{IDs: "R-SP-2", In: "plan.txtar", Prepare: both(replace(cards, "### Task 2:", "## 任务 1a："), replace(cards, "### Task 3:", "#### Tarefa 0.1 —")), Want: `[{"tasks":[{"id":"1"},{"id":"1a","title":"Sell cards"},{"id":"0.1","title":"Pay with a card"},{"id":"4"}]}]`,
			Mutate: replace(cards, "#### Tarefa", "##### Tarefa"), Then: `[{"tasks":[{"id":"1"},{"id":"1a"},{"id":"4"}]}]`},
		{IDs: "R-SP-2", In: "plan.txtar", Prepare: both(replace(cards, "### Task 2:", "### Задача 2:"), replace(cards, "### Task 3:", "### Task 2B:"), replace(cards, "### Task 4:", "### Task A4:")), Want: `[{"tasks":[{"id":"1"},{"id":"2","title":"Sell cards"},{"id":"2B"},{"id":"A4"}]}]`,
			Mutate: replace(cards, "### Задача 2:", "### Заметка 2:"), Then: `[{"tasks":[{"id":"1"},{"id":"2B"},{"id":"A4"}]}]`},
		{IDs: "R-SP-3", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 1: complete (review clean)\n")), Want: `[{"state":"interrupted","point":{"task":"2"},"tasks":[{"state":"done","evidence":"` + journal + `:3"},"…"]}]`,
			Mutate: replace(journal, plans, "docs/other/"), Then: `[{"state":"not started","point":{"task":"1"},"doubts":["…",{"code":"ledger-foreign","severity":"warning","text":"` + journal + ` is about another plan, docs/other/2026-11-10-gift-cards.md: it is not used"}]}]`},
		{IDs: "R-SP-3", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, ".superpowers/sdd/progress.md", head+"Task 1: complete (review clean)\n")), Want: `[{"state":"not started","doubts":[{"code":"ledger-unnamed"}]}]`,
			Mutate: func(r *gittest.Repo) { move(r, ".superpowers/sdd/progress.md", journal) }, Then: `[{"state":"interrupted","doubts":null}]`},
		{IDs: "R-SP-3", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, "Task 1: complete\n")), Want: `[{"state":"not started","doubts":[{"code":"ledger-foreign","text":"` + journal + ` is not used, because it does not say which plan it belongs to"}]}]`,
			Mutate: add(journal, head+"Task 1: complete\n"), Then: `[{"state":"interrupted","doubts":null}]`},
		{IDs: "R-SP-4 R-X-2-superpowers", In: "plan.txtar", Prepare: first, Want: `[{"state":"interrupted","headline":"1 of 4 tasks are proven done (1 by commits); next is Task 2 Sell cards","tasks":[{"state":"done","commit":"*","evidence":"*"},{"state":"pending"},"…"],"point":{"task":"2","reason":"this task follows the last proven task"}}]`,
			Mutate: git("reset", "-q", "--hard", "HEAD^"), Then: `[{"state":"not started"}]`},
		// somebody began with the last task, and the files of the earlier tasks do not exist, so the work continues with the first task
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(replace(cards, "- Modify: `src/pay.go`", "- Create: `src/pay.go`"), replace(cards, "- [ ] Run all tests", "- [x] Run all tests"), planned), Want: `[{"state":"interrupted","point":{"task":"1","reason":"later tasks are done, but the files that this task creates are missing"}}]`,
			Mutate: both(add("src/card.go", "x"), add("src/sell.go", "x"), commit(13, "several tasks at once")), Then: `[{"state":"review"}]`},
		// one commit added the files of several tasks, so it also counts for a task whose files it only changed
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(add("src/pay.go", "x"), planned, add("src/card.go", "x"), add("src/card_test.go", "x"), add("src/pay.go", "y"), commit(13, "the cards")), Want: `[{"point":{"task":"2"},"tasks":["…",{"id":"3","state":"pending"},{}]}]`,
			Mutate: both(git("reset", "-q", "--soft", "HEAD^"), add("src/sell.go", "x"), commit(13, "the cards")), Then: `[{"point":{"task":"4"},"tasks":["…",{"id":"3","state":"done","commit":"*"},{"id":"4"}]}]`},
		// the commit that adds the plan has no code: what changed the plan's files that morning proves nothing, and half-done work is open
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(onlyChanges, add("src/card.go", "x"), add("src/sell.go", "x"), add("src/pay.go", "x"), without(cards, commit(9, "old")),
			add("src/card.go", "y"), add("src/sell.go", "y"), add("src/pay.go", "y"), without(cards, commit(10, "fix: other work")), planned),
			Want:   `[{"state":"not started","headline":"4 tasks, none started"}]`,
			Mutate: both(add("src/card.go", "z"), commit(12, "half of it"), add("src/sell.go", "z")), Then: `[{"state":"unknown","point":{"task":"1"}}]`},
		// the same files in the commit that adds the plan are the work, unless somebody is changing one of them
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(onlyChanges, add("src/card.go", "x"), add("src/sell.go", "x"), add("src/pay.go", "x"), without(cards, commit(9, "old")),
			add("src/card.go", "y"), add("src/sell.go", "y"), add("src/pay.go", "y"), planned),
			Want: `[{"state":"complete"}]`, Mutate: add("src/sell.go", "z"), Then: `[{"state":"not started"}]`},
		// the plan was committed alone, but after its work: each task has its commit or its files, and only the check is left
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(add("src/card.go", "x"), add("src/card_test.go", "x"), without(cards, commit(10, "feat: store gift cards")), add("src/sell.go", "x"),
			without(cards, commit(10, "cards")), add("src/pay.go", "x"), without(cards, commit(10, "feat: pay with a gift card")), planned),
			Want:   `[{"state":"complete"}]`,
			Mutate: add("src/pay.go", "half"), Then: `[{"state":"interrupted"}]`},
		// one commit of that morning with the subject of a late task is about other work
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(onlyChanges, add("src/pay.go", "x"), without(cards, commit(10, "feat: pay with a gift card")), planned),
			Want:   `[{"state":"not started","point":{"task":"1"}}]`,
			Mutate: commit(12, "feat: pay with a gift card"), Then: `[{"state":"interrupted","point":{"task":"4"}}]`},
		// a commit with nearly the subject of a late task does not pass over open tasks
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(onlyChanges, planned, commit(12, "feat: use a gift card to pay")), Want: `[{"point":{"task":"1"},"tasks":[{"state":"pending"},{},{"state":"done"},{}]}]`,
			Mutate: commit(13, "feat: sell gift cards"), Then: `[{"point":{"task":"4"},"tasks":["…",{"id":"4"}]}]`},
		// a commit proves that the next task is done if it changed exactly the files of that task
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(add("src/pay.go", "x"), planned, add("src/card.go", "x"), add("src/card_test.go", "x"), commit(12, "a"), add("src/sell.go", "x"), add("src/sell_test.go", "x"), commit(13, "b"), add("src/pay.go", "y"), commit(14, "c")),
			Want:   `[{"point":{"task":"4"},"tasks":["…",{"id":"3","state":"done","commit":"*","evidence":"*"},{"id":"4"}]}]`,
			Mutate: both(git("reset", "-q", "--soft", "HEAD^"), add("src/sell.go", "y"), commit(14, "c")), Then: `[{"point":{"task":"3"},"tasks":["…",{"id":"3","state":"pending"},{"id":"4"}]}]`},
		// a commit counts if its subject says nearly the same as the planned one
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(replace(cards, "feat: store gift cards", "feat(cards): store gift cards in the customer database"), planned, commit(12, "feat: add store for gift cards to customer database (cards)")),
			Want:   `[{"point":{"task":"2"},"tasks":[{"state":"done","evidence":"*"},"…"]}]`,
			Mutate: both(git("reset", "-q", "--hard", "HEAD^"), commit(12, "feat: store gift vouchers in files")), Then: `[{"state":"not started"}]`},
		// upper case and additional words at the end of a commit subject do not matter
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(planned, commit(12, "Feat: store gift cards (with tests) (#12)")), Want: `[{"point":{"task":"2"}}]`,
			Mutate: both(git("reset", "-q", "--hard", "HEAD^"), commit(12, "feat: store gift cardigans")), Then: `[{"state":"not started"}]`},
		// a commit that is older than the plan proves nothing
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(func(r *gittest.Repo) { move(r, cards, "aside") }, commit(8, "feat: store gift cards"), func(r *gittest.Repo) { move(r, "aside", cards) }, planned), Want: `[{"state":"not started"}]`,
			Mutate: commit(12, "feat: store gift cards"), Then: `[{"point":{"task":"2"}}]`},
		// people often commit a plan only after its first tasks, so every commit since the date in the plan's name counts
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(func(r *gittest.Repo) { move(r, cards, "../aside") }, commit(10, "feat: store gift cards"), func(r *gittest.Repo) { move(r, "../aside", cards) }, planned), Want: `[{"state":"interrupted","point":{"task":"2"}}]`,
			Mutate: func(r *gittest.Repo) { move(r, cards, plans+"2026-11-11-gift-cards.md") }, Then: `[{"state":"not started"}]`},
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(planned, add("src/card.go", "x"), add("src/card_test.go", "x"), commit(12, "wip")), Want: `[{"headline":"1 of 4 tasks are proven done (1 by files); next is Task 2 Sell cards","tasks":[{"evidence":"all files that the task creates were added after the plan"},"…"]}]`,
			Mutate: both(remove("src/card_test.go"), commit(13, "remove a test")), Then: `[{"state":"interrupted","point":{"task":"1"},"tasks":[{"state":"active","evidence":"a part of it is done"},"…"]}]`},
		// the files of the first task were committed together with the plan, so they prove nothing
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(add("src/card.go", "x"), add("src/card_test.go", "x"), planned), Want: `[{"state":"not started"}]`,
			Mutate: both(remove("src/card.go"), remove("src/card_test.go"), commit(12, "a"), add("src/card.go", "x"), add("src/card_test.go", "x"), commit(13, "b")), Then: `[{"point":{"task":"2"}}]`},
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(replace(cards, "- [ ] **Step 1: Write the test**", "- [x] **Step 1: Write the test**"), replace(cards, "- [ ] **Step 2: Commit**\n\n```bash\ngit add src", "- [x] **Step 2: Commit**\n\n```bash\ngit add src"), planned), Want: `[{"headline":"1 of 4 tasks are proven done (1 by boxes); next is Task 2 Sell cards"}]`,
			Mutate: replace(cards, "- [x] **Step 1", "- [ ] **Step 1"), Then: `[{"state":"interrupted","tasks":[{"state":"active"},"…"],"point":{"task":"1"}}]`},
		// a heading of a task, or of the phase around it, says that it is done
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(replace(cards, "Task 1: Store cards", "Task 1: Store cards — complete"), planned), Want: `[{"headline":"1 of 4 tasks are proven done (1 by headings); next is Task 2 Sell cards","tasks":[{"state":"done","evidence":"its heading says that it is done"},"…"]}]`,
			Mutate: replace(cards, "cards — complete", "cards — incomplete"), Then: `[{"state":"not started"}]`},
		{IDs: "R-SP-4", In: "plan.txtar", Prepare: both(replace(cards, "### Task 1: Store cards", "## Phase 1 ✅\n\n### Task 1: Store cards"), replace(cards, "### Task 3:", "## Phase 2\n\n### Task 3:"), planned), Want: `[{"state":"interrupted","point":{"task":"3"}}]`,
			Mutate: replace(cards, "## Phase 2", "## Phase 2 (done)"), Then: `[{"state":"complete"}]`},
		{IDs: "R-SP-5", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 1: complete (review clean)\nTask 2: complete (review clean)\nTask 2: fix round 2/5 (1 addressed, 1 open — names; commits abcd1234..bcde2345)\n")),
			Want:   `[{"state":"interrupted","point":{"task":"2","title":"fix round 3 of 5: Sell cards","reason":"its last line in the ledger is fix round 2"},"tasks":[{"state":"done"},{"state":"active","raw":"fix round 2/5","attempts":2},"…"]}]`,
			Mutate: add(journal, head+"Task 1: complete (review clean)\nTask 2: fix round 5/5 (1 open)\n"), Then: `[{"point":{"task":"2","title":"Sell cards","reason":"fix round 5 of 5 was the last: a person has to decide"}}]`},
		{IDs: "R-SP-5", In: "plan.txtar", Prepare: both(ignored, first, wrote(13, journal, head+"Task 1: complete (review clean)\n"), wrote(13, folder+"task-2-brief.md", "x")),
			Want:   `[{"state":"interrupted","point":{"task":"2","title":"Sell cards","reason":"the file with the task's instructions was written, but no result was found"},"tasks":[{},{"state":"active","evidence":"` + folder + `task-2-brief.md"},"…"]}]`,
			Mutate: commit(14, "feat: sell gift cards"), Then: `[{"point":{"task":"2","title":"review, do not implement again: Sell cards"},"tasks":[{},{"state":"active"},{"state":"pending"},{}]}]`},
		{IDs: "R-SP-5", In: "plan.txtar", Prepare: both(ignored, first, wrote(13, folder+"task-2-brief.md", "x"), add("src/sell.go", "x")), Want: `[{"point":{"task":"2","title":"review, do not implement again: Sell cards","reason":"it was handed to an agent and not reviewed; src/sell.go was changed"}}]`,
			Mutate: remove("src/sell.go"), Then: `[{"point":{"title":"Sell cards"}}]`},
		{IDs: "R-SP-5", In: "plan.txtar", Prepare: both(ignored, first, wrote(13, folder+"task-2-brief.md", "x"), wrote(14, folder+"task-2-report.md", "x")), Want: `[{"point":{"reason":"it was handed to an agent and not reviewed; its report exists"}}]`,
			Mutate: remove(folder + "task-2-report.md"), Then: `[{"point":{"title":"Sell cards"}}]`},
		// a started task does not count as done, although a commit changed exactly its files
		{IDs: "R-SP-5", In: "plan.txtar", Prepare: both(ignored, add("src/pay.go", "x"), planned, wrote(13, journal, head+"Task 1: complete\nTask 2: complete\n"), wrote(13, folder+"task-3-brief.md", "x"), add("src/pay.go", "y"), commit(14, "c")),
			Want:   `[{"headline":"2 of 4 tasks are proven done (2 by the ledger); next is Task 3 review, do not implement again: Pay with a card"}]`,
			Mutate: remove(folder + "task-3-brief.md"), Then: `[{"headline":"3 of 4 tasks are proven done (2 by the ledger, 1 by files); next is Task 4 Verify"}]`},
		{IDs: "R-SP-5", In: "plan.txtar", Prepare: both(planned, commit(12, "feat: sell gift cards")), Want: `[{"point":{"task":"3"},"doubts":[{"code":"older-work-open","severity":"info","text":"a later task is done, but nothing proves that Task 1 is done"},"…"]}]`,
			Mutate: both(commit(13, "feat: pay with a gift card"), replace(cards, "- [ ] Run all tests", "- [x] Run all tests")), Then: `[{"state":"review","point":{"task":"check","title":"check Task 1"}}]`},
		{IDs: "R-SP-6", In: "plan.txtar", Prepare: both(planned, add("src/store.go", "x"), commit(12, "another way")), Want: `[{"state":"unknown","headline":"no progress is recorded; 1 commit changed the plan's files since the plan was written","point":{"task":"1","reason":"nothing proves that any task is done"}}]`,
			Mutate: git("reset", "-q", "--hard", "HEAD^"), Then: `[{"state":"not started"}]`},
		{IDs: "R-SP-7", In: "plan.txtar", Prepare: both(first, commit(12, "feat: sell gift cards"), commit(12, "feat: pay with a gift card"), replace(cards, "- [ ] Run all tests", "- [x] Run all tests")), Want: `[{"state":"complete","headline":"4 of 4 tasks are proven done (3 by commits, 1 by boxes)","point":{"task":null},"alternatives":null}]`,
			Mutate: replace(cards, "- [x] Run all tests", "- [ ] Run all tests"), Then: `[{"state":"interrupted","point":{"task":"4"}}]`},
		{IDs: "R-SP-7", In: "plan.txtar", Prepare: both(planned, git("checkout", "-q", "-b", "cards"), commit(12, "feat: store gift cards"), git("checkout", "-q", "main"), merge("cards")), Want: `[{"state":"complete","doubts":["…",{"code":"ended-elsewhere"}]}]`,
			Mutate: both(git("reset", "-q", "--hard", "HEAD^"), git("merge", "-q", "--ff-only", "cards")), Then: `[{"state":"interrupted","point":{"task":"2"}}]`},
		// If the commit of the plan also adds the files of the tasks, the plan counts as carried out. A later commit for one of its tasks
		// shows that it is not.
		{IDs: "R-SP-7", In: "plan.txtar", Prepare: both(add("src/card.go", "x"), add("src/card_test.go", "x"), add("src/store.go", "x"), add("src/sell.go", "x"), add("src/pay.go", "x"), commit(11, "feat: gift cards")), Want: `[{"state":"complete","point":{"task":null}}]`,
			Mutate: commit(12, "feat: sell gift cards"), Then: `[{"state":"interrupted","point":{"task":"3"}}]`},
		{IDs: "R-SP-7", In: "plan.txtar", Prepare: both(replace(cards, "**Goal:**", "**Status:** Completed. It landed.\n\n**Goal:**"), first), Want: `[{"state":"interrupted","over":"` + cards + ` says 'Completed'"}]`,
			Mutate: replace(cards, "**Status:** Completed.", "**Status:** in progress."), Then: `[{"over":null}]`},
		{IDs: "R-SP-8", In: "plan.txtar", Prepare: both(planned, elsewhere(commit(12, "feat: store gift cards"))), Want: `[{"branch":"refs/heads/cards","point":{"task":"2"}}]`,
			Mutate: git("merge", "-q", "--ff-only", "cards"), Then: `[{"branch":null}]`},
		{IDs: "R-SP-8", In: "plan.txtar", Prepare: both(planned, elsewhere(both(ignored, wrote(13, journal, head+"Task 1: complete (review clean)\n")))), Want: `[{"branch":"refs/heads/cards","point":{"task":"2"}}]`,
			Mutate: elsewhere(remove(".superpowers")), Then: `[{"branch":null,"state":"not started"}]`},
		{IDs: "R-SP-8", In: "plan.txtar", Prepare: both(planned, git("checkout", "-q", "-b", "cards"), commit(12, "feat: store gift cards"), git("checkout", "-q", "main")), Want: `[{"branch":"refs/heads/cards","wants":"../repo.worktrees/2026-11-10-gift-cards","point":{"task":"2"},"doubts":[{"code":"worktree-unusable","text":"its commits are on the branch cards, which no worktree has checked out"},"…"]}]`,
			Mutate: git("branch", "-q", "-D", "cards"), Then: `[{"branch":null,"state":"not started"}]`},
		{IDs: "R-SP-9", In: "plan.txtar", Prepare: both(ignored, first, wrote(13, journal, head+"Task 1: complete (commits 0000000..1111111, review clean)\n")), Want: `[{"state":"interrupted","doubts":["…",{"code":"done-no-evidence","severity":"warning"}]}]`,
			Mutate: func(r *gittest.Repo) {
				r.Write(journal, head+"Task 1: complete (commits 0000000.."+r.Git("rev-parse", "--short", "HEAD")+", review clean)\n")
			}, Then: `[{"doubts":null}]`},
		// the commits of a plan with a ledger are looked for even if all its boxes are ticked
		{IDs: "R-SP-9", In: "plan.txtar", Prepare: func(r *gittest.Repo) {
			r.Write(cards, strings.ReplaceAll(r.Read(cards), "- [ ]", "- [x]"))
			both(ignored, first)(r)
			wrote(13, journal, head+"Task 1: complete (commits 0000000.."+r.Git("rev-parse", "--short", "HEAD")+", review clean)\n")(r)
			commit(13, "more")(r)
		}, Want: `[{"doubts":null}]`, Mutate: git("reset", "-q", "--hard", "HEAD~2"), Then: `[{"doubts":["…",{"code":"done-no-evidence"}]}]`},
		{IDs: "R-SP-9", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 1: complete (review clean)\nTask 7: complete (review clean)\nTask 1: parked — the name is long — ruling: later\n")),
			Want:   `[{"doubts":[{"code":"status-disagrees","severity":"warning","text":"the ledger mentions Task 7, which the plan (4 tasks) does not have"},{"code":"parked","severity":"info","text":"Task 1: parked — the name is long — ruling: later"}]}]`,
			Mutate: add(journal, head+"Task 1: complete (review clean)\n"), Then: `[{"doubts":null}]`},
		{IDs: "R-SP-9", In: "plan.txtar", Prepare: both(first, replace(cards, "Task 4: Verify", "Task 4: Verify twice"), commit(13, "docs: more")), Want: `[{"doubts":["…",{"code":"scope-changed","severity":"warning"}]}]`,
			// a version of the plan that differs only in ticked boxes does not count as a changed plan
			Mutate: both(git("reset", "-q", "--hard", "HEAD^"), replace(cards, "- [ ] Run all tests", "- [x] Run all tests"), commit(13, "docs: tick")), Then: `[{"doubts":[{"code":"older-work-open"}]}]`},
		{IDs: "R-SP-10", In: "plan.txtar", Prepare: first, Act: &sources.ActionRequest{Name: sources.SkipUnit}, Want: `{"changes":[{"path":".superpowers/sdd/.gitignore","now":"*\n"},{"path":"` + journal + `","now":"` + strings.ReplaceAll(head, "\n", `\n`) + `Task 2: complete (skipped by git resume)\n"}]}`,
			Mutate: both(ignored, add(journal, head+"Task 1: complete (review clean)")), Then: `{"changes":[{"path":"` + journal + `","now":"` + strings.ReplaceAll(head, "\n", `\n`) + `Task 1: complete (review clean)\nTask 2: complete (skipped by git resume)\n"}]}`},
		{IDs: "R-SP-10", In: "plan.txtar", Prepare: both(first, ignored, wrote(13, journal, head+"Task 2: complete (skipped by git resume)\n")), Want: `[{"point":{"task":"3","reason":"this task follows the last skipped task"},"headline":"1 of 4 tasks are proven done (1 by commits), 1 skipped; next is Task 3 Pay with a card","tasks":[{"state":"done"},{"state":"skipped"},"…"]}]`,
			Mutate: remove(journal), Then: `[{"point":{"task":"2"}}]`},
		{IDs: "R-SP-10", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 2: complete (skipped by git resume)\n")), Want: `[{"point":{"task":"3"},"doubts":[{"code":"older-work-open","text":"a later task is skipped, but nothing proves that Task 1 is done"},"…"]}]`,
			Mutate: wrote(13, journal, head+"Task 2: complete\n"), Then: `[{"doubts":[{"code":"older-work-open","text":"a later task is done, but nothing proves that Task 1 is done"},"…"]}]`},
		{IDs: "R-SP-10", In: "plan.txtar", Prepare: first, Act: &sources.ActionRequest{Name: sources.Continue}, Want: `{"changes":[]}`,
			Mutate: remove(cards), Then: `[]`},
		{IDs: "R-SP-11", In: "plan.txtar", Prepare: both(planned, commit(12, "feat: store gift cards"), commit(12, "feat: sell gift cards")), Want: `[{"command":"*","alternatives":[{"name":"continue","text":"continue with Task 3 Pay with a card"},{"name":"skip-unit"}]}]`,
			Mutate: both(commit(12, "feat: pay with a gift card"), replace(cards, "- [ ] Run all", "- [x] Run all")), Then: `[{"state":"complete","command":null}]`},
		{IDs: "R-SP-11", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 1: complete\nTask 2: complete (skipped by git resume)\n")), Want: `[{"command":"Use superpowers:subagent-driven-development to continue with ` + cards + `: Task 1 is done, Task 2 is skipped, continue at Task 3"}]`,
			Mutate: wrote(13, journal, head+"Task 1: complete (skipped by git resume)\nTask 2: complete (skipped by git resume)\n"), Then: `[{"headline":"0 of 4 tasks are proven done, 2 skipped; next is Task 3 Pay with a card","command":"Use superpowers:subagent-driven-development to continue with ` + cards + `: tasks 1–2 are skipped, continue at Task 3"}]`},
		{IDs: "R-SP-11", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 1: complete\nTask 2: complete\n")), Want: `[{"command":"Use superpowers:subagent-driven-development to continue with ` + cards + `: tasks 1–2 are done, continue at Task 3"}]`,
			Mutate: both(remove(".superpowers"), replace(cards, "superpowers:subagent-driven-development (recommended) or ", "")), Then: `[{"command":"Use superpowers:executing-plans to continue with ` + cards + `: continue at Task 1"}]`},
		{IDs: "R-X-1-superpowers", In: "plan.txtar", Prepare: first, Want: `[{"tasks":[{"state":"done"},{"state":"pending"},{"state":"pending"},{"state":"pending"}]}]`,
			Mutate: both(ignored, wrote(13, folder+"task-2-brief.md", "x")), Then: `[{"tasks":[{"state":"done"},{"state":"active"},"…"]}]`},
		{IDs: "R-X-3-superpowers", In: "plan.txtar", Prepare: first, Want: `[{"doubts":[{"code":"own-check-differs","text":"superpowers itself would begin at Task 1 (it has no ledger for this plan); git-resume continues at Task 2"}]}]`,
			Mutate: both(ignored, wrote(13, journal, head+"Task 1: complete\n")), Then: `[{"doubts":null}]`},
		{IDs: "R-X-3-superpowers", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, head+"Task 2: complete\n")), Want: `[{"doubts":["…",{"code":"own-check-differs","text":"superpowers itself would begin at Task 1 (the first task that the ledger does not call complete); git-resume continues at Task 3"}]}]`,
			Mutate: wrote(13, journal, head+"Task 1: complete\nTask 2: complete\n"), Then: `[{"doubts":null}]`},
		{IDs: "R-X-4-superpowers", In: "plan.txtar", Prepare: both(ignored, planned, wrote(13, journal, "# SDD ledger — plan: C:\\work\\shop\\docs\\superpowers\\plans\\2026-11-10-gift-cards.md\nTask 1: complete\n")), Want: `[{"point":{"task":"2"}}]`,
			Mutate: replace(journal, `plans\2026`, `other\2026`), Then: `[{"point":{"task":"1"}}]`},
		{IDs: "R-X-4-superpowers", In: "plan.txtar", Prepare: both(replace(cards, "`src/card_test.go`", "`../../etc/passwd`"), replace(cards, "`src/store.go:10-40`", "`/etc/passwd`")), Want: `[{"tasks":[{"files":["src/card.go"]},"…"]}]`,
			Mutate: replace(cards, "`/etc/passwd`", "`etc/passwd`"), Then: `[{"tasks":[{"files":["src/card.go","etc/passwd"]},"…"]}]`},
		{IDs: "R-X-5-superpowers", In: "plan.txtar", Want: `[{"id":"2026-11-10-gift-cards"}]`,
			Mutate: func(r *gittest.Repo) { move(r, cards, plans+"archive/2026-11-10-gift-cards.md") }, Then: `[]`},
		{IDs: "R-X-9-superpowers", In: "plan.txtar", Prepare: add(cards, "superpowers:\n"+strings.Repeat("## Task 1: x\n", 2001)), Want: `[{"headline":"2001 tasks, none started","doubts":[{"code":"tasks-hidden","text":"the plan has 2001 tasks; only the first 2000 are read"}]}]`,
			Mutate: func(r *gittest.Repo) {
				if err := os.Truncate(filepath.Join(r.Dir, cards), 4<<20+1); err != nil {
					r.T.Fatal(err)
				}
			}, Then: `[{"state":"corrupt","doubts":[{"code":"state-refused"}]}]`},
		{IDs: "R-X-10-superpowers", In: "plan.txtar", Prepare: both(first, replace(cards, "### Task 2", "<<<<<<< ours\n=======\n>>>>>>> theirs\n### Task 2")), Want: `[{"point":{"task":"2"},"doubts":[{"code":"state-damaged"},{"code":"state-from-elsewhere"},"…"]}]`,
			Mutate: replace(cards, "<<<<<<< ours\n", ""), Then: `[{"doubts":[{"code":"own-check-differs"}]}]`},
	}, map[string]string{"R-X-6-superpowers": "TestFind_isNoSecondList of the reader of task lists"})
}

func merge(branch string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		date := day(13).Format(time.RFC3339)
		r.With("GIT_AUTHOR_DATE="+date, "GIT_COMMITTER_DATE="+date).Git("merge", "-q", "--no-ff", "-m", "Merge branch '"+branch+"'", branch)
	}
}

func move(r *gittest.Repo, from, to string) {
	r.T.Helper()
	r.Write(to, r.Read(from))
	remove(from)(r)
}
