package specloop

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	. "github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// fixture returns one file of a txtar archive.
func fixture(archive, name string) string {
	a, err := txtar.ParseFile(filepath.Join("testdata", archive))
	if err != nil {
		panic(err)
	}
	for _, f := range a.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	panic(name + " is not in " + archive)
}

func jsonText(s string) string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func place(t *testing.T, archives ...string) *gittest.Repo {
	t.Helper()
	r := gittest.New(t)
	for _, a := range archives {
		Place(r, filepath.Join("testdata", a))
	}
	age(r)
	return r
}

// act carries out an action and then reads the workflow again.
func act(r *gittest.Repo, w sources.ActionRequest) []sources.Found {
	r.T.Helper()
	Do(r, New(), w)
	age(r)
	return Find(r, New())
}

func TestAct_answersAreStoredOneByOne(t *testing.T) {
	t.Parallel()
	r := place(t, "clarifying.txtar")
	f := act(r, sources.ActionRequest{Name: sources.Answer, Text: "15 minutes"})[0]
	if f.Point.Task != "B1" || len(f.Questions) != 1 || f.Questions[0].Task != "C2.2" {
		t.Errorf("after the first answer: %v, %v", f.Point, f.Questions)
	}
	f = act(r, sources.ActionRequest{Name: sources.Answer, Text: "\x1b[31ma | b\x00\r\n"})[0]
	answers, _ := f.Protocol["user_answers"].(map[string]string)
	if answers["C2.1"] != "15 minutes" || answers["C2.2"] != "[31ma | b" || f.State != sources.Interrupted || len(f.Questions) != 0 {
		t.Errorf("after the second: %q, %s", answers, f.State)
	}
	if strings.Contains(r.Read(index5), "\x1b") {
		t.Error("a control character was stored")
	}
}

func TestAct_answersKeepEveryOtherByte(t *testing.T) {
	t.Parallel()
	for name, convert := range map[string]func(string) string{
		"crlf":     func(s string) string { return "\ufeff" + strings.ReplaceAll(s, "\n", "\r\n") },
		"open end": func(s string) string { return strings.ReplaceAll(s, " |\n", "\n") },
		"indented": func(s string) string { return strings.ReplaceAll(s, "\n|", "\n  |") },
		"not utf8": func(s string) string { return s + "\xff\xfe" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := place(t, "clarifying.txtar")
			before := convert(r.Read(index5))
			r.Write(index5, before)
			age(r)
			f := act(r, sources.ActionRequest{Name: sources.Answer, Task: "C2.1", Text: "yes"})[0]
			if answers, _ := f.Protocol["user_answers"].(map[string]string); answers["C2.1"] != "yes" {
				t.Errorf("the answer is %q\n%s", answers, r.Read(index5))
			}
			was, is := strings.Split(before, "\n"), strings.Split(r.Read(index5), "\n")
			changed := 0
			for i := range was {
				if was[i] != is[i] {
					changed++
				}
			}
			// Five lines must change: the header row, the separator line, two questions and the last activity.
			if len(was) != len(is) || changed != 5 {
				t.Errorf("%d lines became %d, %d changed:\n%s", len(was), len(is), changed, r.Read(index5))
			}
		})
	}
}

func TestAct_startFreshKeepsEveryFile(t *testing.T) {
	t.Parallel()
	r := place(t, "clarifying.txtar")
	if found := act(r, sources.ActionRequest{Name: sources.StartFresh}); len(found) != 0 {
		t.Errorf("still found: %v", found)
	}
	if aside := "specs/.005-user-auth.archived-20261114T120000Z/"; r.Read(aside+"spec.md") != "# Sign in\n" || r.Read(aside+".workflow/index.md") == "" {
		t.Error("something is gone")
	}
	r = place(t, "plan.txtar")
	if found := act(r, sources.ActionRequest{Name: sources.StartFresh}); len(found) != 1 || found[0].Point.Task != "A1" {
		t.Errorf("the plan is still found: %v", found)
	}
	if r.Read(auth+".workflow.archived-20261114T120000Z/plan-context.md") == "" {
		t.Error("the plan's state is gone")
	}
}

func TestAct_repairIsReadBack(t *testing.T) {
	t.Parallel()
	r := place(t, "clarifying.txtar")
	Both(status("thinking", "-4 / 10"), Replace(index5, "0 / 3", "77 / 3"))(r)
	f := act(r, sources.ActionRequest{Name: sources.Repair})[0]
	if f.State != sources.Waiting || f.Point.Task != "B1" || f.Protocol["iteration"] != 2 || f.Protocol["valid"] != true {
		t.Errorf("repaired to %s, %v, %v", f.State, f.Point, f.Protocol)
	}
}

func TestFind_takesTheIndexFromHistory(t *testing.T) {
	t.Parallel()
	for name, spoilt := range map[string]string{"empty": "", "merge": "<<<<<<< HEAD\n| a |\n=======\n>>>>>>> x\n", "torn": "# Feature Index\n\n## Priority"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := place(t, "clarifying.txtar")
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "state")
			good := r.Read(index5)
			r.Write(index5, spoilt)
			found := Find(r, New())
			f := found[0]
			if f.State != sources.Waiting || !f.Rebuilt || f.Point.Task != "B1" || f.Doubts[0].Code != sources.DoubtDamaged || f.Doubts[1].Code != sources.DoubtFallback {
				t.Errorf("%s, rebuilt %v, %v, %v", f.State, f.Rebuilt, f.Point, f.Doubts)
			}
			if f.Alternatives[0].Name != sources.Repair {
				t.Errorf("offers %v", f.Alternatives)
			}
			act(r, sources.ActionRequest{Name: sources.Repair})
			if r.Read(index5) != good {
				t.Error("the repair did not bring it back")
			}
		})
	}
}

func TestFind_neverCallsTheUnreadableDone(t *testing.T) {
	t.Parallel()
	r := place(t, "clarifying.txtar")
	Both(settled, status("completed", "3 / 10"))(r)
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	r.Write(index5, "")
	found := Find(r, New())
	if f := found[0]; f.State != sources.Corrupt {
		t.Errorf("an older version makes it %s", f.State)
	}
	for name, spoil := range map[string]Mutation{
		"link": LeadOut(index5),
		"huge": func(r *gittest.Repo) {
			if err := os.Truncate(filepath.Join(r.Dir, index5), 200<<20); err != nil {
				t.Fatal(err)
			}
		},
		"folder": Both(Remove(index5), Add(index5+"/x", "")),
	} {
		r := place(t, "clarifying.txtar")
		spoil(r)
		found := Find(r, New())
		if f := found[0]; f.State != sources.Corrupt || f.Doubts[0].Code != sources.DoubtRefused || f.Point.Task != "" || f.Protocol["loop_status"] != "unknown" {
			t.Errorf("%s: %s, %v, %v", name, f.State, f.Point, f.Doubts)
		}
	}
}

func TestFind_readsWhatIsWrittenAnotherWay(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"a list":   "## 1. Priority Loop State\n\n- **Loop Status**: clarifying\n- **Current Iteration:** iteration 2 of 10\n- Last Activity: 2026-11-14T10:00:00Z\n",
		"no table": "**Loop Status:** `clarifying`\n**Current Iteration:** 2\n",
		"emoji":    "| Field | Value |\n|---|---|\n| Loop Status | ⏳ **Clarifying** |\n| Current Iteration | **2** / 10 |\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := place(t, "clarifying.txtar")
			r.Write(index5, text+"\nStale Count: 0 / 3\n\n## 4. Pending Questions (1)\n\n| ID | Question | Status |\n|:--|:-:|--:|\n| C2.1 | How long? | ⏳ awaiting answer |\n")
			age(r)
			f := Find(r, New())[0]
			if f.State != sources.Waiting || f.Point.Task != "B1" || f.Protocol["iteration"] != 2 || len(f.Doubts) != 0 {
				t.Errorf("%s at %v, %v, %v", f.State, f.Point, f.Protocol["iteration"], f.Doubts)
			}
			if f := act(r, sources.ActionRequest{Name: sources.Answer, Text: "long"})[0]; f.Point.Task != "B2" {
				t.Errorf("answered, and it is at %v", f.Point)
			}
		})
	}
}

func TestFind_takesTheCopyOfTheBranch(t *testing.T) {
	t.Parallel()
	r := place(t, "template.txtar")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "state")
	r.Git("worktree", "add", "-q", "-b", "006-export", "../export")
	there := r.In(filepath.Join(r.Dir, "../export"))
	Both(Replace(index6, "| pending | Q-S1", "| answered | Q-S1"), answered6)(there)
	found := Find(r, New())
	f := found[0]
	if len(found) != 1 || f.Point.Task != "B2" || filepath.Base(f.Worktree) != "export" || f.Home != f.Worktree || f.Doubts[0].Code != sources.DoubtCopies {
		t.Errorf("%v in %s, %v", f.Point, f.Worktree, f.Doubts)
	}
	// The index on the feature's branch is damaged. The source must read the copy in the other worktree, and warn about the damage.
	there.Write(index6, "")
	found = Find(r, New())
	if f := found[0]; f.Point.Task != "B1" || f.Doubts[0].Code != sources.DoubtDamaged || f.Doubts[1].Code != sources.DoubtFallback {
		t.Errorf("%v, %v", f.Point, f.Doubts)
	}
}

func TestFind_asksNobodyWhereNothingIs(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, "specs/001-kit"), 0o755); err != nil {
		t.Fatal(err)
	}
	v := &sources.View{Now: Now, Trees: []sources.Tree{{Files: sources.Files{Top: top}}}} // this view has no repository, so any use of git would panic
	if found, err := New().Find(t.Context(), v); err != nil || len(found) != 0 {
		t.Errorf("found %v, %v", found, err)
	}
}

func TestFind_readsLoopAndWhatFollows(t *testing.T) {
	t.Parallel()
	r := place(t, "clarifying.txtar", "plan.txtar", "tasks.txtar")
	found := Find(r, New())
	var ids []string
	for _, f := range found {
		ids = append(ids, f.ID)
	}
	if got := strings.Join(ids, " "); got != "005-user-auth 005-user-auth-plan 005-user-auth-tasks" {
		t.Errorf("found %s", got)
	}
	r.Write(plan5, "---\nphase: [\n---\n")
	found = Find(r, New())
	if f := found[1]; f.State != sources.Corrupt || f.Doubts[0].Code != sources.DoubtDamaged {
		t.Errorf("a broken context is %s, %v", f.State, f.Doubts)
	}
	r.Write(plan5, "---\nphase: analysis\n---\n<<<<<<< ours\n=======\n>>>>>>> theirs\n")
	found = Find(r, New())
	if f := found[1]; f.State != sources.Corrupt || f.Doubts[0].Text != plan5+" contains conflict markers of an unfinished merge: it holds two versions, 'ours' and 'theirs'" {
		t.Errorf("a context with conflict markers is %s, %v", f.State, f.Doubts)
	}
	r.Write(auth+".workflow/specify-context.md", "---\nstatus: thinking\n---\n")
	found = Find(r, New())
	if f := found[1]; f.Headline != "the workflow 'specify' of the feature '005-user-auth' is in phase (none) with status thinking; next: decide where to continue" {
		t.Errorf("a context without a type and a phase: %s", f.Headline)
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(fixture("clarifying.txtar", index5)), "C2.1", "an | answer")
	f.Add([]byte(fixture("template.txtar", index6)), "Q-S1", "x")
	f.Add([]byte("| a | b |\r|--|--|\r\n| **Loop Status** | \\| |"), "", "")
	f.Fuzz(func(t *testing.T, data []byte, id, answer string) {
		x, err := parseIndex(data)
		if err != nil {
			return
		}
		l := &loop{feature: &feature{view: &sources.View{Now: Now}, dir: "specs/x"}, home: sources.Tree{Files: sources.Files{Top: "/nowhere"}}, x: x, data: data}
		l.sort()
		s := findResumePoint(check(l))
		_ = stepList{description{s}}.tasks(s.state)
		status, iteration, stale := l.likely()
		if foldStatus(status) != status || iteration < 1 || iteration > 10 || stale < 0 || stale > 3 {
			t.Errorf("likely %q %d %d", status, iteration, stale)
		}
		now, ok := l.withAnswer(sources.ActionRequest{Task: id, Text: answer})
		if !ok {
			return
		}
		if strings.Count(string(now), "\n") != strings.Count(string(data), "\n") {
			t.Errorf("lines were added or lost:\n%q", now)
		}
		again, err := parseIndex(now)
		if err != nil {
			t.Fatalf("the answer broke it: %v\n%q", err, now)
		}
		if len(again.questions) != len(x.questions) {
			t.Errorf("%d questions became %d:\n%q", len(x.questions), len(again.questions), now)
		}
	})
}

func FuzzNames(f *testing.F) {
	Trees{Names: []string{"index.md", "005-", ".workflow", "-context.md"}}.Fuzz(f, New())
}

// A field that the index does not have must not become an empty name, by which the work would be found.
func TestFind_hasNoEmptyName(t *testing.T) {
	t.Parallel()
	r := place(t, "clarifying.txtar")
	if f := Find(r, New())[0]; slices.Contains(f.Calls, "") || len(f.Calls) != 1 {
		t.Errorf("it is called %q", f.Calls)
	}
}
