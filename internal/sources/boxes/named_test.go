package boxes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestNext_named checks which open tasks count as carried out because commits name them or their phase, or added their files.
func TestNext_named(t *testing.T) {
	t.Parallel()
	const (
		list = "# Tasks\n\n## Phase 1: Setup\n- [x] T001 a\n- [ ] T002 b\n## Phase 2: User Story 1\n- [ ] T003 [US1] c in src/c.go\n- [ ] T004 [US1] d in `src/d.go`\n## Phase 3: User Story 2\n- [ ] T005 [US2] e\n- [ ] T006 [US2] f\n"
		tick = "- [x] T001 a"
	)
	for name, c := range map[string]struct {
		first, then string // first is the subject of the commit that adds the list, and then the subject of a later commit
		file        string // the file that the later commit adds
		next        string
	}{
		"nothing":                           {"docs: add the list", "", "", "T002"},
		"the list's own commit names tasks": {"feat: set up (T002)", "", "", "T003"},
		"the list's own commit plans tasks": {"docs: plan T002-T004", "", "", "T002"},
		"it ticked one that it names":       {"feat: set up (T001-T002)", "", "", "T002"},
		"a phase is complete":               {"docs: add the list", "feat: complete phases 1-2", "x", "T005"},
		"a story is complete":               {"feat: set up (T002)", "feat(cards): implement the store (US1)", "x", "T005"},
		"one side of a story":               {"feat: set up (T002)", "feat: implement the backend of US1", "x", "T003"},
		"a phase is begun":                  {"feat: set up (T002)", "feat: start to implement phase 2", "x", "T003"},
		"the file of a task was added":      {"feat: set up (T002)", "the store", "src/c.go", "T004"},
		"another file was added":            {"feat: set up (T002)", "the store", "src/x.go", "T003"},
	} {
		r := gittest.New(t)
		r.Write(album, strings.Replace(list, tick, "- [ ] T001 a", 1))
		commitAll("docs: the list")(r)
		r.Write(album, list)
		commitAll(c.first)(r)
		if c.then != "" {
			r.Write(c.file, "x")
			later(r, c.then)
		}
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != c.next {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestNext_addedWith: the commit that adds a list proves the tasks that it names only if it also has code.
func TestNext_addedWith(t *testing.T) {
	t.Parallel()
	const list = "# Tasks\n\n## Phase 1: Setup\n- [ ] T001 a\n- [ ] T002 b\n## Phase 2: Store\n- [ ] T003 c\n"
	for _, c := range []struct{ subject, file, next string }{
		{"cards: T001-T002", "docs/cards.md", "T001"},
		{"cards: T001-T002", "specs/other/contract.yaml", "T001"},
		{"cards: T001-T002", "src/cards.go", "T003"},
		{"cards: complete phase 1", "docs/cards.md", "T001"},
		{"cards: complete phase 1", "src/cards.go", "T003"},
	} {
		r := gittest.New(t)
		r.Write(album, list)
		r.Write(c.file, "x")
		commitAll(c.subject)(r)
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Task != c.next {
			t.Errorf("%s with %s: %+v", c.subject, c.file, found)
		}
	}
}

// TestAdded_withOnlyPlans: a document that comes with its list proves no task, unless there is code too.
func TestAdded_withOnlyPlans(t *testing.T) {
	t.Parallel()
	const guide = "specs/001-photo-album/quickstart.md"
	for file, want := range map[string]sources.State{"docs/cards.md": sources.NotStarted, "src/cards.go": sources.Interrupted} {
		r := gittest.New(t)
		r.Write(album, "# Tasks\n\n- [ ] T001 a\n- [ ] T002 run `"+guide+"`\n")
		r.Write(guide, "x")
		r.Write(file, "x")
		commitAll("the specification")(r)
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].State != want {
			t.Errorf("with %s: %+v", file, found)
		}
	}
}

// TestCameWith: the commit that adds a list also changes the code that its tasks name. Then the list came with the work, and is finished. If
// the commit has only documents, or if work goes on, only later commits count.
func TestCameWith(t *testing.T) {
	t.Parallel()
	const (
		change = "openspec/changes/add-cards/tasks.md"
		list   = "# Tasks\n\n- [ ] 1.1 store cards in src/store.go\n- [ ] 1.2 sell cards in `src/sell.go`\n- [ ] 1.3 check it\n"
		guides = "# Tasks\n\n- [ ] 1.1 describe cards in docs/store.md\n- [ ] 1.2 describe sales in docs/sell.md\n"
	)
	write := func(files ...string) sourcetest.Mutation {
		return func(r *gittest.Repo) {
			for _, file := range files {
				r.Write(file, r.Git("rev-parse", "HEAD")+file)
			}
		}
	}
	for name, c := range map[string]struct {
		text          string
		before, along []string // files that exist before the list, and files that its commit changes
		then          sourcetest.Mutation
		want          sources.State
	}{
		"both files are new":         {list, nil, []string{"src/store.go", "src/sell.go"}, nil, sources.Complete},
		"both files are changed":     {list, []string{"src/store.go", "src/sell.go"}, []string{"src/store.go", "src/sell.go"}, nil, sources.Complete},
		"only one of them":           {list, []string{"src/sell.go"}, []string{"src/store.go"}, nil, sources.Interrupted},
		"other code":                 {list, []string{"src/store.go", "src/sell.go"}, []string{"src/pay.go"}, nil, sources.NotStarted},
		"only documents":             {list, []string{"src/store.go", "src/sell.go"}, []string{"docs/cards.md"}, nil, sources.NotStarted},
		"the plan is for documents":  {guides, nil, []string{"docs/store.md", "docs/sell.md", "src/pay.go"}, nil, sources.Interrupted},
		"few tasks name files":       {list + "- [ ] 2.1 a\n- [ ] 2.2 b\n- [ ] 2.3 c\n- [ ] 2.4 d\n- [ ] 2.5 e\n- [ ] 2.6 f\n", nil, []string{"src/store.go", "src/sell.go"}, nil, sources.Interrupted},
		"a task was ticked":          {list + "- [x] 1.4 d\n", nil, []string{"src/store.go", "src/sell.go"}, nil, sources.Interrupted},
		"a file is being changed":    {list, nil, []string{"src/store.go", "src/sell.go"}, write("src/sell.go"), sources.Interrupted},
		"a later commit names tasks": {list, nil, []string{"src/store.go", "src/sell.go"}, func(r *gittest.Repo) { r.Write("x", "x"); later(r, "feat(add-cards): task 1.3") }, sources.Interrupted},
	} {
		for _, file := range []string{change, album} {
			r := gittest.New(t)
			r.Write("README.md", "x")
			commitAll("begin")(r)
			write(c.before...)(r)
			r.Git("add", "-A")
			r.Git("commit", "-q", "--allow-empty", "-m", "before")
			write(c.along...)(r)
			r.Write(file, c.text)
			commitAll("feat: gift cards (#7)")(r)
			if c.then != nil {
				c.then(r)
			}
			if file == album && strings.Contains(name, "later commit") {
				continue // the commit names the other list
			}
			if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].State != c.want {
				t.Errorf("%s, %s: %s at %q", name, file, found[0].State, found[0].Point.Task)
			}
		}
	}
}

// TestByParts: a list is marked as partly carried out once three commits have ticked boxes and two phases at the end are untouched.
func TestByParts(t *testing.T) {
	t.Parallel()
	text := "# Tasks\n\n## Phase 1\n- [ ] T001 a\n## Phase 2\n- [ ] T002 b\n## Phase 3\n- [ ] T003 c\n## Phase 4\n- [ ] T004 d\n## Phase 5\n- [ ] T005 e\n"
	r := gittest.New(t)
	r.Write(album, text)
	commitAll("docs: the list")(r)
	for _, id := range []string{"T001", "T002", "T003"} {
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Partly {
			t.Errorf("before %s: %+v", id, found)
		}
		text = strings.Replace(text, "[ ] "+id, "[x] "+id, 1)
		r.Write(album, text)
		commitAll("work")(r)
	}
	if found := sourcetest.Find(r, New()); len(found) != 1 || !found[0].Partly {
		t.Errorf("%+v", found)
	}
}

// TestPassChecks: an open checkpoint counts as overtaken if a later task is done. If there is such a checkpoint, and only checkpoints are
// left in the list, a checkpoint at the end of the list counts as overtaken too.
func TestPassChecks(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text        string
		first, last bool
	}{
		"only checkpoints are left":       {"- [x] 1. a\n- [ ] 2. Checkpoint - run the tests\n- [x] 3. b\n- [ ] 4. Final checkpoint\n", true, true},
		"the first checkpoint was ticked": {"- [ ] 1. a\n- [x] 2. Checkpoint - run the tests\n- [x] 3. b\n- [ ] 4. Final checkpoint\n", false, false},
		"a task is left":                  {"- [x] 1. a\n- [ ] 2. Checkpoint - run the tests\n- [x] 3. b\n- [ ] 4. Final checkpoint\n- [ ] 5. c\n", true, false},
	} {
		r := gittest.New(t)
		r.Write(login, "# List\n\n"+c.text)
		commitAll("a list")(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].Tasks[1].Overtaken != c.first || found[0].Tasks[3].Overtaken != c.last {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestDropped: a task is skipped or optional if people noted that in its title.
func TestDropped(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"(skipped - there is no README) write about it": "skipped", "N/A: no server": "skipped", "Cancelled, see 4": "skipped", "send it too (out of scope)": "skipped", "send it too — deferred": "skipped", "_(future)_ send it too": "optional",
		"send it too (deferred to v2)": "optional", "skip the header of the file": "", "cancel a booking": "", "send future dates": "",
		"（可选）发送邮件": "optional", "发送邮件（可选）": "optional", "可选：发送邮件": "optional", "检测环境；可选解析版本用于展示": "",
	} {
		r := gittest.New(t)
		r.Write(login, "# List\n\n- [x] 1. a\n- [~] 2. "+title+"\n- [ ] 3. b\n")
		commitAll("a list")(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || len(found[0].Tasks) != 3 {
			t.Fatalf("%s: %+v", title, found)
		}
		if task := found[0].Tasks[1]; (task.State == checkpoint.Skipped) != (want == "skipped") || task.Optional != (want == "optional") {
			t.Errorf("%s: %+v", title, task)
		}
	}
}

// TestReformatted: a commit that changes only white space in a list does not count as activity.
func TestReformatted(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	const text = "# List\n\n- [x] 1. a\n- [ ] 2. b\n"
	for i, lines := range []string{strings.Replace(text, "[x]", "[ ]", 1), text, strings.ReplaceAll(text, "\n", "\r\n")} {
		r.Write(login, lines)
		r.Git("add", "-A")
		date := fmt.Sprintf("2030-01-0%dT03:04:05Z", i+1)
		r.With("GIT_COMMITTER_DATE="+date, "GIT_AUTHOR_DATE="+date).Git("-c", "core.autocrlf=false", "commit", "-q", "-m", "the list")
	}
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Active.Day() != 2 {
		t.Errorf("%+v", found)
	}
}

// TestChangeVerbs: commits name a change of OpenSpec without its verb.
func TestChangeVerbs(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for _, change := range []string{"add-repo-connection", "add-login"} {
		r.Write("openspec/changes/"+change+"/tasks.md", "- [ ] 1.1 a\n")
	}
	commitAll("the lists")(r)
	for _, f := range sourcetest.Find(r, New()) {
		if got := strings.Join(f.Names, " "); got != map[string]string{"add-repo-connection": "repo-connection"}[f.Slug()] {
			t.Errorf("%s: %s", f.Slug(), got)
		}
	}
}

// TestByParts_landed: a list counts as carried out part by part if several pull requests ticked boxes and many tasks are open.
func TestByParts_landed(t *testing.T) {
	t.Parallel()
	const list = "# Tasks\n\n## Phase 1\n- [ ] T001 a\n- [ ] T002 b\n- [ ] T003 c\n- [ ] T004 d\n- [ ] T005 e\n"
	for name, c := range map[string]struct {
		ticks, subject string
		want           bool
	}{
		"one pull request":     {"T002", "feat: a (#1)", false},
		"two pull requests":    {"T002 T004", "feat: a (#1)", true},
		"two commits":          {"T002 T004", "feat: a", false},
		"nearly all is ticked": {"T001 T002 T003 T004", "feat: a (#1)", false},
	} {
		r := gittest.New(t)
		text := list
		r.Write(album, text)
		commitAll("docs: the list")(r)
		for id := range strings.FieldsSeq(c.ticks) {
			text = strings.Replace(text, "[ ] "+id, "[x] "+id, 1)
			r.Write(album, text)
			commitAll(c.subject)(r)
		}
		if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Partly != c.want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestAdded_withTheList: one commit added the list and a file. If a task of the list names the file, this task counts as carried out, so
// the work was interrupted. If no task names it, the work was not started.
func TestAdded_withTheList(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]sources.State{"src/a.go": sources.Interrupted, "src/other.go": sources.NotStarted} {
		r := gittest.New(t)
		r.Write(album, "# Tasks\n\n## Phase 1\n- [ ] T001 a in src/a.go\n- [ ] T002 b in src/b.go\n")
		r.Write(file, "package a\n")
		commitAll("feat: all at once")(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].State != want || (found[0].Point.Task == "T002") != (want == sources.Interrupted) {
			t.Errorf("%s: %+v", file, found)
		}
	}
}
