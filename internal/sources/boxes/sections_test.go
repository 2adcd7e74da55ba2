package boxes

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/sourcetest"
)

// TestNext checks with which task a list continues, and how many of its tasks are ticked.
func TestNext(t *testing.T) {
	t.Parallel()
	const card = "conductor/tracks/cards_20261105/plan.md"
	for name, c := range map[string]struct{ file, text, next, headline string }{
		"numbers without indent": {login, "- [ ] 1. set up\n- [x] 1.1 a\n- [x] 1.2 b\n- [ ] 2. sell\n- [ ] 2.1 c\n- [ ] 2.2 d\n", "2.1", "2 of 4 tasks are ticked; next is 2.1 c"},
		"only a heading is open": {login, "- [ ] 1. set up\n- [x] 1.1 a\n- [x] 1.2 b\n", "", "2 of 2 tasks are ticked"},
		"a task put in between":  {login, "- [x] 1. set up\n- [ ] 2. sell\n- [ ] 2.1 check\n- [ ] 3. pay\n", "2", "1 of 4 tasks are ticked; next is 2 sell"},
		"a heading with one box": {login, "- [ ] 1. set up\n- [x] 1.1 a\n- [ ] 2. sell\n- [ ] 2.1 c\n- [ ] 2.2 d\n", "2.1", "1 of 3 tasks are ticked; next is 2.1 c"},
		"steps below 2.1":        {login, "- [ ] 2. sell\n- [ ] 2.1 c\n  - [x] 2.1.1 e\n- [ ] 2.2 d\n", "2.2", "1 of 2 tasks are ticked; next is 2.2 d"},
		"two later sections are complete": {login, "- [x] 1. a\n- [x] 1.1 b\n- [ ] 1.2 check\n- [x] 2. c\n- [x] 2.1 d\n- [x] 2.2 e\n- [x] 3. f\n- [x] 3.1 g\n- [x] 3.2 h\n- [ ] 4. i\n- [ ] 4.1 j\n- [ ] 4.2 k\n",
			"4.1", "5 of 8 tasks are ticked; next is 4.1 j"},
		"one later section is complete": {login, "- [x] 1. a\n- [x] 1.1 b\n- [ ] 1.2 check\n- [x] 2. c\n- [x] 2.1 d\n- [x] 2.2 e\n- [ ] 4. i\n- [ ] 4.1 j\n- [ ] 4.2 k\n",
			"1.2", "3 of 6 tasks are ticked; next is 1.2 check"},
		"two open tasks of one section": {album, "## Phase 1\n- [x] T001 a\n- [ ] T002 b\n- [ ] T003 c\n## Phase 2\n- [x] T004 d\n## Phase 3\n- [x] T005 e\n## Phase 4\n- [ ] T006 f\n",
			"T002", "3 of 6 tasks are ticked; next is T002 b"},
		"sections with headings": {album, "## Phase 1\n- [x] T001 a\n- [ ] T002 test\n## Phase 2\n- [x] T003 b\n## Phase 3\n- [x] T004 c\n## Phase 4\n- [ ] T005 d\n", "T005", "3 of 5 tasks are ticked; next is T005 d"},
		"a heading says that it is done": {album, "## Phase 1 ✅\n- [x] T001 a\n- [~] T002 b\n- [ ] T003 c\n- [x] T004 d\n- [x] T005 e\n## Phase 2\n- [ ] T006 f\n",
			"T006", "5 of 6 tasks are ticked; next is T006 f"},
		"a heading ends so, and most tasks are open": {album, "## Phase 1: Sell — complete\n- [x] T001 a\n- [ ] T002 b\n### Tests\n- [ ] T003 c\n## Phase 2\n- [ ] T004 d\n", "T004", "3 of 4 tasks are ticked; next is T004 d"},
		"all headings end so":                        {album, "## Phase 1 (complete)\n- [ ] T001 a\n## Phase 2 - Complete\n- [ ] T002 b\n", "", "2 of 2 tasks are ticked"},
		"a heading does not end so":                  {album, "## Phase 1: ✅ first\n- [x] T001 a\n- [ ] T002 b\n- [ ] T003 c\n## Phase 2 - not complete\n- [ ] T004 d\n", "T002", "1 of 4 tasks are ticked; next is T002 b"},
		"the title of the list ends so":              {album, "# Login ✅\n- [x] T001 a\n- [ ] T002 b\n", "T002", "1 of 2 tasks are ticked; next is T002 b"},
		"a letter for the section":                   {album, "## Phase A\n- [x] A.1.1 a\n## Phase B\n- [ ] B.1.1 b\n", "B.1.1", "1 of 2 tasks are ticked; next is B.1.1 b"},
		"a heading is in progress":                   {login, "- [ ] 1. a\n- [ ] 1.1 b\n- [ ] 1.2 c\n- [-] 2. d\n- [x] 2.1 e\n- [ ] 2.2 f\n", "2.2", "1 of 4 tasks are ticked; next is 2.2 f"},
		"a heading is in progress far ahead":         {login, "- [x] 0. a\n- [ ] 1. a\n- [ ] 1.1 b\n- [ ] 1.2 c\n- [-] 2. d\n- [ ] 2.1 e\n- [ ] 2.2 f\n", "1.1", "1 of 5 tasks are ticked; next is 1.1 b"},
		"steps in a phase with a checkpoint":         {card, "## Phase 1 [checkpoint: 1a2b3c4]\n- [x] Task: a\n    - [ ] one\n## Phase 2\n- [ ] Task: b\n", "2~", "1 of 2 tasks are ticked; next is Task: b"},
		"a task is in progress":                      {login, "- [ ] 1. a\n- [-] 1.1 b\n- [ ] 1.2 c\n- [-] 2. d\n- [x] 2.1 e\n- [ ] 2.2 f\n", "1.1", "1 of 4 tasks are ticked; next is 1.1 b"},
		"nothing else is left":                       {album, "## Phase 1\n- [x] T001 a\n- [ ] T002 test\n## Phase 2\n- [x] T003 b\n## Phase 3\n- [x] T004 c\n", "T002", "3 of 4 tasks are ticked; next is T002 test"},
		"steps below a task with a commit":           {card, "## Phase 1\n- [x] Task: a 1a2b3c4\n    - [ ] one\n    - [ ] two\n- [ ] Task: b\n    - [ ] three\n", "3~", "2 of 3 tasks are ticked; next is three"},
		"a phase with a checkpoint": {card, "## Phase 1 [checkpoint: 1a2b3c4]\n- [x] Task: a 1a2b3c4\n- [ ] Task: Conductor - User Manual Verification 'Phase 1'\n## Phase 2\n- [ ] Task: b\n",
			"3~", "2 of 3 tasks are ticked; next is Task: b"},
	} {
		r := gittest.New(t)
		r.Write(c.file, "# List\n\n"+c.text)
		commitAll("a list")(r)
		found := sourcetest.Find(r, New())
		if len(found) != 1 {
			t.Errorf("%s: %+v", name, found)
			continue
		}
		f := found[0]
		if name == "a heading is in progress" && f.Point.Reason != "the first open checkbox below one that is in progress" {
			t.Errorf("%s: %q", name, f.Point.Reason)
		}
		if got := f.Point.Task; f.Headline != c.headline || got != c.next && (len(c.next) < 2 || c.next[1] != '~') {
			t.Errorf("%s: next is %q, %q", name, got, f.Headline)
		}
	}
}

// TestProve_sections: if a commit names a section, the tasks in the section count as carried out.
func TestProve_sections(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write(login, "# List\n\n- [ ] 1. set up\n- [ ] 1.1 a\n- [ ] 1.2 b\n- [ ] 2. sell\n- [ ] 2.1 c\n- [ ] 2.2 d\n")
	commitAll("a list")(r)
	r.Write("a", "x")
	later(r, "feat(login): task 1 - set up")
	found := sourcetest.Find(r, New())
	if len(found) != 1 || found[0].Point.Task != "2.1" || !strings.HasSuffix(found[0].Tasks[0].Evidence, " names a part of the list that contains the task") || found[0].Tasks[1].Commit == "" || found[0].Tasks[2].Commit != "" {
		t.Errorf("%+v", found)
	}
}

// TestNext_goneOn: if the boxes that were ticked last are in a section after the first open task, work continues in that section or after
// it.
func TestNext_goneOn(t *testing.T) {
	t.Parallel()
	const list = "- [x] 1. a\n- [x] 1.1 b\n- [ ] 1.2 check\n- [x] 1.3 c\n- [ ] 2. d\n- [ ] 2.1 e\n- [ ] 2.2 f\n- [ ] 2.3 g\n- [ ] 3. h\n- [ ] 3.1 i\n- [ ] 3.2 j\n"
	for name, c := range map[string]struct {
		ticks     []string // the ids of the boxes that each commit ticks, with commas between them
		change    string   // the box that is ticked after the last commit
		next, why string
	}{
		"nothing since":                    {nil, "", "1.2", "the first open checkbox"},
		"in a later section":               {[]string{"2.1"}, "", "2.2", "the first open checkbox in or after the section where checkboxes were ticked last"},
		"with a task left out there":       {[]string{"2.2"}, "", "2.1", "the first open checkbox in or after the section where checkboxes were ticked last"},
		"up to the end of the section":     {[]string{"2.1", "2.2,2.3"}, "", "3.1", "the first open checkbox in or after the section where checkboxes were ticked last"},
		"not committed yet":                {nil, "2.1", "2.2", "the first open checkbox in or after the section where checkboxes were ticked last"},
		"nothing is left behind it":        {[]string{"2.1,2.2,2.3", "3.1,3.2"}, "", "1.2", "the first open checkbox"},
		"the commit also ticked before it": {[]string{"1.1,2.1"}, "", "1.2", "the first open checkbox"},
	} {
		r := gittest.New(t)
		text := "# List\n\n" + list
		if name == "the commit also ticked before it" {
			text = strings.Replace(text, "[x] 1.1", "[ ] 1.1", 1)
		}
		tick := func(ids string) {
			for id := range strings.SplitSeq(ids, ",") {
				text = strings.Replace(text, "[ ] "+id, "[x] "+id, 1)
			}
			r.Write(login, text)
		}
		tick("none")
		commitAll("a list")(r)
		for _, ids := range c.ticks {
			tick(ids)
			commitAll("work")(r)
		}
		if c.change != "" {
			tick(c.change)
		}
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].Point.Task != c.next || found[0].Point.Reason != c.why {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// TestNext_said: if the subject of a commit says nearly the same as a box, this box and all boxes below it count as carried out.
func TestNext_said(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"feat: implement the gift card store":        "2.2",
		"feat: sell gift cards to customers by mail": "3",
		"feat: gift cards":                           "2.1",
	} {
		r := gittest.New(t)
		r.Write(login, "# List\n\n- [x] 1. set up\n- [ ] 2. Sell gift cards to customers\n- [ ] 2.1 Gift card store\n- [ ] 2.2 Mail with the code\n- [ ] 3. Clean up\n")
		commitAll("a list")(r)
		r.Write("a", "x")
		later(r, subject)
		found := sourcetest.Find(r, New())
		if len(found) != 1 || found[0].Point.Task != want {
			t.Errorf("%s: %+v", subject, found)
			continue
		}
		if want == "2.1" {
			continue
		}
		for _, told := range []string{found[0].Tasks[1].Evidence, found[0].Doubts[0].Text} {
			if strings.Contains(told, "name") || !strings.Contains(told, "nearly") {
				t.Errorf("%s: %q", subject, told)
			}
		}
	}
}

// TestNext_tickedAbove: Conductor ticks the box of a task and leaves the boxes of its steps open. Work continues in the section of that
// task, although the task "check" of an earlier section is open.
func TestNext_tickedAbove(t *testing.T) {
	t.Parallel()
	const file, list = "conductor/tracks/cards_20261105/plan.md", "# List\n\n## Phase 1\n- [x] Task: a 1a2b3c4\n    - [ ] one\n- [ ] Task: check\n## Phase 2\n- [ ] Task: b\n    - [ ] two\n- [ ] Task: c\n    - [ ] three\n"
	r := gittest.New(t)
	r.Write(file, list)
	commitAll("a list")(r)
	r.Write(file, strings.Replace(list, "- [ ] Task: b", "- [x] Task: b 2b3c4d5", 1))
	commitAll("conductor(plan): mark b")(r)
	if found := sourcetest.Find(r, New()); len(found) != 1 || found[0].Point.Title != "three" {
		t.Errorf("%+v", found)
	}
}

// TestLeft: the title of an open box, or the heading above it, shows whether something is left to do. All other boxes are ticked.
func TestLeft(t *testing.T) {
	t.Parallel()
	for text, left := range map[string]bool{
		"- [ ] 2.1 Archive the change with `openspec archive add-login --yes`": false,
		"- [ ] 2.1 Run `openspec archive add-login`":                           false,
		"- [ ] 2.1 Archive": false,
		"- [ ] 2.1 After deployment: archive this change and update the specs": false,
		"- [ ] 2.1 Move the change to openspec/changes/archive/":               false,
		"- [ ] 2.1 Move to archive":                                            false,
		"- [ ] 2.1 Archive old orders":                                         true,
		"- [ ] 2.1 Archive the change and deploy":                              true,
		"- [ ] 2.1 Add a command that archives a change":                       true,
		"- [ ] 2.1 Run the tests, then archive the change":                     true,
		"- [ ] 2.1 Write tests (not done this time)":                           false,
		"- [ ] 2.1 Write tests (deferred to 0.3)":                              false,
		"- [ ] 2.1 Write tests — deferred":                                     false,
		"- [ ] 2.1 Write tests - skipped because of the license":               false,
		"- [ ] 2.1 Write tests **[WON'T DO]**":                                 false,
		"- [ ] 2.1 Write tests (out of scope)":                                 false,
		"- [ ] 2.1 Deferred: write tests":                                      false,
		"- [ ] 2.1 **Out of scope** — write tests":                             false,
		"- [ ] 2.1 Defer the tests of skipped orders":                          true,
		"- [ ] 2.1 Deferred loading of images":                                 true,
		"- [ ] 2.1 Count orders - skipped orders too":                          true,
		"## Out of scope\n\n- [ ] 2.1 Write tests":                             false,
		"## 3. Deferred (next release)\n\n- [ ] 2.1 Write tests":               false,
		"## Not done this time\n\n- [ ] 2.1 Write tests":                       false,
		"## Deferred rendering\n\n- [ ] 2.1 Write tests":                       true,
	} {
		r := gittest.New(t)
		r.Write("openspec/changes/add-login/tasks.md", "## 1. Login\n\n- [x] 1.1 form\n"+text+"\n")
		if found := sourcetest.Find(r, New()); len(found) != 1 || (found[0].State == sources.Complete) == left {
			t.Errorf("%q: %s at %q", text, found[0].State, found[0].Point.Task)
		}
	}
}
