package boxes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

const (
	album = "specs/001-photo-album/tasks.md"
	login = ".kiro/specs/login/tasks.md"
)

var (
	replace = sourcetest.Replace
	remove  = sourcetest.Remove
	add     = sourcetest.Add
	both    = sourcetest.Both
)

func commitAll(subject string) sourcetest.Mutation {
	return func(r *gittest.Repo) {
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", subject)
	}
}

// The function "later" commits everything, dated one hour after the other commits of the test.
func later(r *gittest.Repo, args ...string) {
	r.Git("add", "-A")
	subject := args[len(args)-1]
	r.With("GIT_COMMITTER_DATE=2030-01-02T04:04:05Z").Git(append([]string{"commit", "-q", "-m", subject}, args[:len(args)-1]...)...)
}

func TestRequirements(t *testing.T) {
	t.Parallel()
	sourcetest.Run(t, New(), slices.Concat(reading(), working(), conductorCases(), kindCases()), nil)
}

func reading() []sourcetest.Case {
	return []sourcetest.Case{
		{IDs: "B-1", In: "speckit.txtar", Prepare: add(album, "- [ ] T001 a\n- [x] T002 b\n- [X] T003 c\n- [-] T004 d\n- [~] T005 e\n- [/] T006 f\n- [>] T007 g\n- [in_progress] T008 h\n- [pending] T009 i\n- [blocked] T010 j\n- [skipped] T011 k\n- [!] T012 l\n"),
			Want: `[{"tasks":[{"id":"T001","state":"pending"},{"id":"T002","state":"done"},{"id":"T003","state":"done"},{"id":"T004","state":"active","raw":"-"},{"id":"T005","state":"active"},{"id":"T006","state":"active"},{"id":"T007","state":"active"},
				{"id":"T008","state":"active","raw":"in_progress"},{"id":"T009","state":"pending"},{"id":"T010","state":"blocked"},{"id":"T011","state":"skipped"},{"id":"T012","state":"unknown","raw":"!"}],"doubts":[{"code":"unknown-word","text":"the mark '[!]' of T012 l is unknown; it counts as open"}]}]`,
			Mutate: replace(album, "[~] T005", "[x] T005"), Then: `[{"tasks":[{},{},{},{},{"state":"done"},"…"]}]`},
		{IDs: "B-2", In: "speckit.txtar", Prepare: add(album, "- [ ] T001 a\n- [ ] 1.2 b\n- [ ] no id\n- [ ] no id\n- [ ] T001 again\n"),
			Want:   `[{"tasks":[{"id":"T001"},{"id":"1.2"},{"id":"3~745677","title":"no id"},{"id":"4~745677"},{"id":"5~b4c9e1","title":"again"}]}]`,
			Mutate: replace(album, "T001 again", "T002 again"), Then: `[{"tasks":[{},{},{},{},{"id":"T002"}]}]`},
		{IDs: "B-3", In: "speckit.txtar", Want: `[{"tasks":[{"id":"T001","title":"create the project"},{"id":"T002","title":"add the linter in ` + "`lint.yml`" + `"},{"id":"T003","title":"store albums"},"…"]}]`,
			Mutate: replace(album, "[P] [US1] add", "[P] (US1) add"), Then: `[{"tasks":[{},{"title":"(US1) add the linter in ` + "`lint.yml`" + `"},"…"]}]`},
		{IDs: "B-4", In: "kiro.txtar", Want: `[{"tasks":[{"id":"1.1","phase":"Set up"},{"id":"1.2"},{"id":"2.1","phase":"Sessions"},{"id":"2.2"},{"id":"2.3"},{"id":"3","phase":null}],"doubts":null}]`,
			Mutate: replace(login, "[x] 1.2", "[ ] 1.2"), Then: `[{"doubts":[{"code":"status-disagrees","severity":"warning","text":"'Set up' is ticked, but boxes below it are not; it counts as open"}],"tasks":[{},{"id":"1.2","state":"pending"},{},{},{},{}]}]`},
		{IDs: "B-5", In: "speckit.txtar", Want: `[{"tasks":[{"phase":"Phase 1: Setup"},{"phase":"Phase 1: Setup"},{"phase":"Phase 2: Albums"},{"phase":"Phase 2: Albums"},{}]}]`,
			Mutate: replace(album, "## Phase 2: Albums\n", ""), Then: `[{"tasks":[{},{},{"phase":"Phase 1: Setup"},{},{}]}]`},
		{IDs: "B-6", In: "kiro.txtar", Want: `[{"state":"interrupted","point":{"task":"2.2","title":"expire sessions","reason":"the first checkbox that is in progress"},"headline":"3 of 5 tasks are ticked; next is 2.2 expire sessions"}]`,
			Mutate: replace(login, "[-] 2.2", "[x] 2.2"), Then: `[{"point":{"task":"3","reason":"the first open checkbox"}}]`},
		{IDs: "B-6", In: "speckit.txtar", Want: `[{"state":"interrupted","point":{"task":"T003","reason":"the first open checkbox"}}]`,
			Mutate: both(replace(album, "[ ] T003", "[x] T003"), replace(album, "[ ] T004", "[x] T004")), Then: `[{"state":"complete","point":{"task":null},"alternatives":null,"headline":"4 of 4 tasks are ticked"}]`},
		{IDs: "B-6", In: "speckit.txtar", Prepare: replace(album, "## Phase 2: Albums", "## Phase 2: Albums — COMPLETE ✅"),
			Want:   `[{"state":"complete","tasks":[{},{},{"id":"T003","state":"done","evidence":"` + album + `:12; the heading 'Phase 2: Albums — COMPLETE ✅' says that it is done"},{"state":"done"},{}],"doubts":[{"code":"status-disagrees","severity":"info","text":"2 boxes are open below 'Phase 2: Albums — COMPLETE ✅'; they count as done, because the heading says so"}]}]`,
			Mutate: replace(album, "COMPLETE ✅", "in progress"), Then: `[{"state":"interrupted","point":{"task":"T003"},"doubts":null}]`},
		{IDs: "B-6", In: "speckit.txtar", Prepare: both(replace(album, "[x] T001", "[ ] T001"), replace(album, "[X] T002", "[ ] T002")), Want: `[{"state":"not started","point":{"task":"T001"}}]`,
			Mutate: replace(album, "[ ] T002", "[x] T002"), Then: `[{"state":"interrupted","point":{"task":"T001"}}]`},
		{IDs: "B-7", In: "speckit.txtar", Want: `[{"tasks":[{"id":"T001"},{"id":"T002"},{"id":"T003"},{"id":"T004"},{"id":"T005"}]}]`,
			Mutate: both(replace(album, "```\n", ""), replace(album, "<!-- - [ ] T901 a comment -->", "- [ ] T901 no comment")), Then: `[{"tasks":[{},{},{},{},{},{"id":"T900"},{"id":"T901"}]}]`},
		{IDs: "B-7", In: "speckit.txtar", Prepare: replace(album, "an example\n```\n", "an example\n"), Want: `[{"tasks":[{},{},{},{},{}],"doubts":[{"code":"tasks-hidden"}]}]`,
			Mutate: replace(album, "```\n", ""), Then: `[{"tasks":[{},{},{},{},{},{}],"doubts":null}]`},
		{IDs: "B-9", In: "kiro.txtar", Prepare: both(replace(login, "[-] 2.2", "[x] 2.2"), replace(login, "- [ ] 3. Wire it up", "- [ ] ~~3. Wire it up~~\n- [ ] 4. More (*)")),
			Want:   `[{"state":"complete","tasks":[{},{},{},{},{"id":"2.3","optional":true,"state":"pending"},{"id":"3","optional":true},{"id":"4","optional":true}]}]`,
			Mutate: replace(login, "~~3. Wire it up~~", "3. Wire it up"), Then: `[{"state":"interrupted","point":{"task":"3"}}]`},
		{IDs: "B-9", In: "speckit.txtar", Prepare: add(album, "- [x] T001 a\n- [ ] T002 try other systems if possible\n\n## Phase 2: Polish (optional)\n\n- [ ] T003 b\n"),
			Want:   `[{"state":"complete","tasks":[{},{"optional":true},{"optional":true}]}]`,
			Mutate: replace(album, "Polish (optional)", "Polish"), Then: `[{"state":"interrupted","point":{"task":"T003"}}]`},
		{IDs: "B-9", In: "speckit.txtar", Prepare: add(album, "- [x] T001 a\n\n## Future work\n\n- [ ] T002 b\n  - [ ] T003 c\n"),
			Want:   `[{"state":"complete","tasks":[{},{"optional":true}]}]`,
			Mutate: replace(album, "Future work", "Polish"), Then: `[{"state":"interrupted","point":{"task":"T003"}}]`},
		{IDs: "B-12", In: "speckit.txtar", Prepare: add(album, "- [x] T001 a\n- [x] T002 b\n\n## Done when\n\n- [ ] all tests pass\n"),
			Want:   `[{"state":"complete","tasks":[{},{},{"title":"all tests pass","aside":true}]}]`,
			Mutate: replace(album, "[ ] all tests pass", "[ ] T003 all tests pass"), Then: `[{"state":"interrupted","point":{"task":"T003"}}]`},
	}
}

func working() []sourcetest.Case {
	branch := func(r *gittest.Repo) { r.Git("branch", "001-photo-album") }
	return []sourcetest.Case{
		{IDs: "B-8", In: "speckit.txtar", Prepare: branch, Want: `[{"source":"spec-kit","id":"001-photo-album","name":"001-photo-album","branch":"refs/heads/001-photo-album","same":["spec:specs/001-photo-album"],"command":"/speckit.implement","needs":[{"path":"specs/001-photo-album/spec.md"}]}]`,
			Mutate: func(r *gittest.Repo) { r.Git("branch", "-D", "001-photo-album") }, Then: `[{"id":"001-photo-album","branch":null}]`},
		{IDs: "B-10", In: "speckit.txtar", Prepare: func(r *gittest.Repo) {
			replace(album, "[X] T002", "[ ] T002")(r)
			commitAll("the list")(r)
			replace(album, "[ ] T002", "[x] T002")(r)
			commitAll("lint")(r)
			r.Write("other", "x")
			commitAll("other")(r)
			replace(album, "[ ] T003", "[x] T003")(r)
		}, Want: `[{"tasks":[{"id":"T001","commit":"` + listed + `"},{"id":"T002","commit":"` + linted + `"},{"id":"T003","state":"done","commit":null},{"commit":null},{}],"last":"` + linted + `"}]`,
			Mutate: commitAll("albums"), Then: `[{"tasks":[{"commit":"` + listed + `"},{"commit":"` + linted + `"},{"commit":"` + albums + `"},{},{}],"active":"2030-01-02T03:04:05Z","from":"commit ` + albums[:7] + `"}]`},
		{IDs: "B-13", In: "speckit.txtar", Prepare: func(r *gittest.Repo) {
			commitAll("the list")(r)
			r.Write("albums", "x")
			later(r, "feat: T003 store albums")
		}, Want: `[{"state":"interrupted","point":{"task":"T004","reason":"the first open checkbox without a commit"},"doubts":["…",{"code":"done-not-marked"}]}]`,
			Mutate: func(r *gittest.Repo) { later(r, "--amend", "wip: T003 store albums") }, Then: `[{"point":{"task":"T003"},"doubts":null}]`},
		// "Task 1" of plan 02 of another system is not task group 1 of this list
		{IDs: "B-13", In: "kiro.txtar", Prepare: func(r *gittest.Repo) {
			r.Write(login, "- [ ] 1.1 a\n- [ ] 2.1 b\n")
			commitAll("the list")(r)
			r.Write("src", "x")
			later(r, "feat(02): Task 1: the store")
		}, Want: `[{"point":{"task":"1.1","reason":"the first open checkbox"},"doubts":null}]`,
			Mutate: func(r *gittest.Repo) { later(r, "--amend", "feat: Task 1: the store") }, Then: `[{"point":{"task":"2.1"},"doubts":[{"code":"done-not-marked"}]}]`},
		{IDs: "B-11", In: "speckit.txtar", Act: &sources.ActionRequest{Name: sources.Continue}, Want: `{"changes":[]}`,
			Mutate: remove("specs"), Then: `[]`},
		{IDs: "B-11", In: "kiro.txtar", Act: &sources.ActionRequest{Name: sources.SkipUnit},
			Want:   `{"changes":[{"path":".kiro/specs/login/tasks.md","now":"# Implementation Plan\n\n- [x] 1. Set up\n  - [x] 1.1 make folders\n    - _Requirements: 1.1_\n  - [x] 1.2 make types\n- [ ] 2. Sessions\n  - [x] 2.1 store sessions\n  - [x] 2.2 expire sessions\n  - [ ]* 2.3 write tests for it\n- [ ] 3. Wire it up\n"}]}`,
			Mutate: add(login, "\ufeff- [x] 1. a\r\n- [ ] 2. b\r\n"), Then: `{"changes":[{"now":"\ufeff- [x] 1. a\r\n- [x] 2. b\r\n"}]}`},
		{IDs: "B-11", In: "kiro.txtar", Prepare: replace(login, "[-] 2.2", "[x] 2.2"), Want: `[{"alternatives":["…",{"name":"repair","text":"tick 'Sessions', because nothing below it is left to do"}]}]`,
			Mutate: both(replace(login, "[x] 1. Set up", "[ ] 1. Set up")), Then: `[{"alternatives":["…",{"name":"repair","text":"tick 2 boxes, because nothing below them is left to do"}]}]`},
		{IDs: "B-11", In: "kiro.txtar", Prepare: replace(login, "[-] 2.2", "[x] 2.2"), Act: &sources.ActionRequest{Name: sources.Repair},
			Want:   `{"changes":[{"path":".kiro/specs/login/tasks.md","now":"# Implementation Plan\n\n- [x] 1. Set up\n  - [x] 1.1 make folders\n    - _Requirements: 1.1_\n  - [x] 1.2 make types\n- [x] 2. Sessions\n  - [x] 2.1 store sessions\n  - [x] 2.2 expire sessions\n  - [ ]* 2.3 write tests for it\n- [ ] 3. Wire it up\n"}]}`,
			Mutate: replace(login, "- [ ] 2. Sessions", "- [x] 2. Sessions"), Then: `{"error":"'repair' does not apply to kiro:login"}`},
	}
}

// These are the ids of the commits that the case B-10 makes. They never change, because the authors and dates are fixed.
const (
	listed = "e4c4c67122994fb162881e70424b3aae5ac8afdb"
	linted = "9eeb20aa5c1234e9266176a5367cbebe78a58d8f"
	albums = "15ea014a8cae85071c8edb9f62b779e713a93fd0"
)

func TestFind_looksWhereToolsKeepTheirLists(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	const text = "- [x] 1. a\n- [ ] 2. b\n"
	for _, file := range []string{"specs/a/tasks.md", ".kiro/specs/a/tasks.md", "openspec/changes/b/tasks.md", "openspec/changes/archive/c/tasks.md", "openspec/changes/archive/tasks.md",
		"task_plan.md", "docs/one.md", "docs/two/todo.md", "docs/ignored.md", "elsewhere/tasks.md"} {
		r.Write(file, text)
	}
	r.Write("docs/none.md", "no boxes here\n")
	r.Write("docs/data.txt", text)
	r.Write(".gitignore", "docs/ignored.md\n")
	r.Git("config", "resume.plans", "docs")
	var got []string
	for _, f := range sourcetest.Find(r, New()) {
		got = append(got, f.ID+" at "+f.Files[0])
	}
	want := []string{"specs/a at specs/a/tasks.md", ".kiro/specs/a at .kiro/specs/a/tasks.md", "b at openspec/changes/b/tasks.md", "one at docs/one.md", "two at docs/two/todo.md"}
	if !slices.Equal(got, want) {
		t.Errorf("found %q\nwant  %q", got, want)
	}
}

// A plan that has a reader of its own must not be found a second time as a task list, even if the settings name it. If that reader is
// switched off, the plan is a task list.
func TestFind_leavesPlansToTheirReader(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, file := range []string{"task_plan.md", ".planning/cards/task_plan.md", "web/.planning/cards/task_plan.md", "docs/task_plan.md", ".planning/archive/task_plan.md"} {
		r.Write(file, "- [x] a\n- [ ] b\n")
	}
	r.Git("config", "resume.plans", "*.md")
	if found := sourcetest.Find(r, New()); len(found) != 2 || found[0].Files[0] != ".planning/archive/task_plan.md" || found[1].Files[0] != "docs/task_plan.md" {
		t.Errorf("%+v", found)
	}
	r.Git("config", "resume.sources", "plans")
	if found := sourcetest.Find(r, New()); len(found) != 5 {
		t.Errorf("%d lists without the reader of plans", len(found))
	}
}

// A list must be read in the worktree whose branch has the same name as the work. Copies on other branches must be ignored.
func TestFind_takesTheCopyOnItsOwnBranch(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/speckit.txtar")
	commitAll("the list")(r)
	own := filepath.Join(filepath.Dir(r.Dir), "own")
	r.Git("worktree", "add", "-q", "-b", "001-photo-album", own)
	replace(album, "[ ] T003", "[x] T003")(r.In(own))
	found := sourcetest.Find(r, New())
	if len(found) != 1 || found[0].Home != own || found[0].Worktree != own || found[0].Branch != "refs/heads/001-photo-album" || found[0].Point.Task != "T004" {
		t.Errorf("found %+v", found)
	}
}

// A plan of superpowers is not read as a task list, even if a setting of the user says that its folder contains task lists. It is read as
// one if the reader of superpowers is switched off, or if the file lacks the mark of superpowers.
func TestFind_isNoSecondList(t *testing.T) {
	t.Parallel()
	const list, plan = "# List\n\n- [x] one\n- [ ] two\n", "docs/plans/2026-11-10-cards.md"
	for name, c := range map[string]struct {
		text, sources string
		want          int
	}{
		"a plan of superpowers":       {"> Use superpowers:executing-plans\n" + list, "", 0},
		"superpowers is switched off": {"> Use superpowers:executing-plans\n" + list, "plans, kiro", 1},
		"somebody else's plan":        {list, "", 1},
		"superpowers is named late":   {list + strings.Repeat("x", 1500) + " superpowers:\n", "", 1},
	} {
		r := gittest.New(t)
		r.Write(plan, c.text)
		r.Git("config", "resume.plans", "docs/plans")
		if c.sources != "" {
			r.Git("config", "resume.sources", c.sources)
		}
		if found := sourcetest.Find(r, New()); len(found) != c.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

func TestFind_startsNoProcessWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("specs/a/notes.md", "- [ ] not a list of tasks")
	sourcetest.FindsNothing(t, r, New())
}

func TestFind_tellsWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		spoil sourcetest.Mutation
		code  string
	}{
		"empty":  {add(album, ""), sources.DoubtDamaged},
		"merge":  {add(album, "<<<<<<< a\n- [x] 1. a\n=======\n- [ ] 1. a\n>>>>>>> b\n"), sources.DoubtDamaged},
		"zeroes": {add(album, "- [x] 1. a\x00\n"), sources.DoubtDamaged},
		"link":   {sourcetest.LeadOut(album), sources.DoubtRefused},
		"large": {func(r *gittest.Repo) {
			if err := os.Truncate(filepath.Join(r.Dir, album), 200<<20); err != nil {
				t.Fatal(err)
			}
		}, sources.DoubtRefused},
		"many": {add(album, strings.Repeat("- [ ] x\n", 1<<19)), sources.DoubtDamaged},
	} {
		r := gittest.New(t)
		sourcetest.Place(r, "testdata/speckit.txtar")
		c.spoil(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != sources.Corrupt || !slices.ContainsFunc(found[0].Doubts, func(d sources.Doubt) bool { return d.Code == c.code }) {
			t.Errorf("%s: %d found: %.300v", name, len(found), found)
		}
	}
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/speckit.txtar")
	commitAll("the list")(r)
	add(album, "")(r)
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != "T003" || found[0].Doubts[1].Code != sources.DoubtFallback {
		t.Errorf("the committed version was not read: %+v", found)
	}
	r = gittest.New(t)
	r.Write(login, "\n")
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].State != sources.Corrupt {
		t.Errorf("a new list, which a killed writer may have emptied: %+v", found)
	}
	commitAll("an empty list")(r)
	sourcetest.FindsNothing(t, r, New())
}

// The last activity of an unchanged list is the time of its last commit, because a checkout changes the time of the file. For a changed
// list it is the time of the file.
func TestFind_takesTheTimeOfTheCommit(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	sourcetest.Place(r, "testdata/kiro.txtar")
	commitAll("the list")(r)
	if f := sourcetest.Find(r, New())[0]; !strings.HasPrefix(f.From, "commit ") || f.Active.Year() != 2030 {
		t.Errorf("active %s, from %s", f.Active, f.From)
	}
	replace(login, "expire", "end")(r)
	if f := sourcetest.Find(r, New())[0]; !strings.HasPrefix(f.From, "the time of ") {
		t.Errorf("active %s, from %s", f.Active, f.From)
	}
}

func FuzzTick(f *testing.F) {
	f.Add([]byte("- [ ] 1. a\n  - [-] b\r\n- [done] c"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, n uint8) {
		all, err := plan.Boxes("x.md", data)
		if err != nil || len(all) == 0 {
			return
		}
		l := &list{path: "x.md", data: data, boxes: all}
		_ = l.tasks()
		i := int(n) % len(all)
		now, err := l.tick([]int{i})
		if err != nil {
			return
		}
		if after, err := plan.Boxes("x.md", now); err != nil || !after[i].Done {
			t.Errorf("box %d of %q is not ticked in %q", i, data, now)
		}
	})
}

func FuzzNames(f *testing.F) {
	sourcetest.Trees{Names: []string{"tasks.md", "001-", ".kiro", "openspec"}}.Fuzz(f, New())
}
