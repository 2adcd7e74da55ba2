package plan

import (
	"reflect"
	"strings"
	"testing"
)

// brief writes each task on one line with its id, marks, title and phase.
func brief(tasks []Task) string {
	var b strings.Builder
	for _, t := range tasks {
		b.WriteString(t.ID)
		if t.Done {
			b.WriteString(" done")
		}
		if t.Optional {
			b.WriteString(" optional")
		}
		b.WriteString(" | " + t.Title)
		if t.Phase != "" {
			b.WriteString(" | " + t.Phase)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestParse_readsTaskBoxes(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		text string
		want []string
	}{
		{"every bullet", "- [ ] a\n* [ ] b\n+ [ ] c\n1. [ ] d\n2) [ ] e\n", []string{"a | a", "b | b", "c | c", "d | d", "e | e"}},
		{"ticks", "- [x] a\n- [X] b\n- [✓] c\n- [✔️] d\n- [done] e\n- [ x ] f\n", []string{"a done | a", "b done | b", "c done | c", "d done | d", "e done | e", "f done | f"}},
		{"work in progress is not done", "- [-] a\n- [~] b\n- [/] c\n- [>] d\n- [in_progress] e\n- [pending] f\n- [!] g\n- [] h\n",
			[]string{"a | a", "b | b", "c | c", "d | d", "e | e", "f | f", "g | g", "h | h"}},
		{"closed but not done never blocks", "- [cancelled] a\n- [won't-fix] b\n- [skipped] c\n", []string{"a optional | a", "c optional | c"}},
		{"brackets that are no boxes", "- [link](x)\n- [P] label\n- [1] note\n- [x](y)\n- [ ](y)\n- [ ]\n- [x]glued\n- plain\n- [ ] real\n", []string{"real | real"}},
		{"ids of spec tools", "- [ ] T001 a\n- [ ] T002: b\n- [ ] **T003** c\n- [ ] T-4 - d\n- [ ] TASK-5. e\n- [ ] [T006] f\n- [ ] T007a g\n- [ ] T008\n",
			[]string{"T001 | a", "T002 | b", "T003 | c", "T-4 | d", "TASK-5 | e", "T006 | f", "T007a | g", "T008 | "}},
		{"numbers", "- [ ] 1.1 a\n- [ ] 1.2. b\n- [ ] 2.1.3) c\n- [ ] 3. d\n- [ ] Task 4: e\n- [ ] Task 5.1: f\n", []string{"1.1 | a", "1.2 | b", "2.1.3 | c", "3 | d", "4 | e", "5.1 | f"}},
		{"a number in a sentence is no id", "- [ ] 3 retries at most\n- [ ] T1-lines\n- [ ] Take T001 away\n", []string{"3-retries-at-most | 3 retries at most", "t1-lines | T1-lines", "take-t001-away | Take T001 away"}},
		{"labels", "- [ ] T001 [P] [US1] build it\n- [ ] [P] T002 test it\n- [ ] [US2, US3] [Story] [see](x) it\n", []string{"T001 | build it", "T002 | test it", "see-x-it | [see](x) it"}},
		{"labels alone", "- [ ] [P]\n", []string{"p | [P]"}},
		{"bold and patterns", "- [ ] **Set up**: all\n- [ ] lint src/**/*.go and **this**\n", []string{"set-up-all | Set up: all", "lint-src-go-and-this | lint src/**/*.go and **this**"}},
		{"optional marks", "- [ ]* 1.1 a\n- [ ] b (*)\n- [ ] c (optional)\n- [ ] d (Optional, later)\n- [ ] Optional: e\n- [ ] [optional] f\n- [ ] g - optional\n- [ ] _optional_ h\n",
			[]string{"1.1 optional | a", "b optional | b", "c optional | c", "d optional | d", "e optional | e", "f optional | f", "g optional | g", "h optional | h"}},
		{"the word optional is no mark", "- [ ] add optional fields\n- [ ] speed up COUNT(*)\n", []string{"add-optional-fields | add optional fields", "speed-up-count | speed up COUNT(*)"}},
		{"struck through", "- [ ] ~~a~~\n- [ ] T002 ~~b~~\n- [ ] ~~T003 c~~\n- [ ] not ~~d~~\n", []string{"a optional | a", "T002 optional | b", "T003 optional | c", "not-d | not ~~d~~"}},
		{"equal texts", "- [ ] add tests\n- [ ] Add tests!\n- [ ] add tests 2\n- [ ] add tests\n", []string{"add-tests | add tests", "add-tests-2 | Add tests!", "add-tests-2-2 | add tests 2", "add-tests-3 | add tests"}},
		{"texts without ASCII", "- [ ] 写测试\n- [ ] 写测试\n", []string{"task-c5678c | 写测试", "task-c5678c-2 | 写测试"}},
		{"counting from one again", "## A\n- [ ] 1. a\n- [ ] 2. b\n## B\n- [ ] 1. c\n", []string{"a | a | A", "2 | b | A", "c | c | B"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			got := brief(mustParse(t, "s/tasks.md", row.text).Tasks)
			if want := strings.Join(row.want, "\n") + "\n"; got != want {
				t.Errorf("\n got:\n%swant:\n%s", got, want)
			}
		})
	}
}

func TestParse_takesPhasesFromHeadings(t *testing.T) {
	t.Parallel()
	got := brief(mustParse(t, "s/tasks.md", `# Tasks: Photo album
- [ ] zero
## Phase 1: Setup ##
- [x] T001 one
### Tests
- [ ] T002 two
## **Phase 2**: Core
- [ ] T003 three
# Appendix
- [ ] T004 four
#### Deep
- [ ] T005 five
#no heading
`).Tasks)
	want := `zero | zero
T001 done | one | Phase 1: Setup
T002 | two | Phase 1: Setup
T003 | three | Phase 2: Core
T004 | four | Appendix
T005 | five | Deep
`
	if got != want {
		t.Errorf("\n got:\n%swant:\n%s", got, want)
	}
}

func TestParse_takesLeavesAsTasksAndParentsAsPhases(t *testing.T) {
	t.Parallel()
	got := brief(mustParse(t, "s/tasks.md", `# Plan
## Work
- [x] 1. Set up
  - [x] 1.1 folders
    - a note
  - [ ] 1.2 tools

      - [ ] 1.2.1 compiler
- [ ] 2. Build
	- [ ] 2.1 with a tab
- [ ] ~~3. Docs~~
   - [ ] 3.1 page
- group without a box
  - [ ] 4.1 inside
- [ ] 5. alone
 - [ ] 6. one column is no child
`).Tasks)
	want := `1.1 done | folders | Set up
1.2.1 | compiler | tools
2.1 | with a tab | Build
3.1 optional | page | Docs
4.1 | inside | Work
5 | alone | Work
6 | one column is no child | Work
`
	if got != want {
		t.Errorf("\n got:\n%swant:\n%s", got, want)
	}
}

func TestParse_openChildOfTickedParentIsOpen(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "s/tasks.md", "- [x] parent\n  - [ ] child\n")
	if want := []Task{{ID: "child", Title: "child", Phase: "parent"}}; !reflect.DeepEqual(p.Tasks, want) {
		t.Errorf("got %+v", p.Tasks)
	}
}

func TestParse_leavesOutCodeAndComments(t *testing.T) {
	t.Parallel()
	got := brief(mustParse(t, "s/tasks.md", strings.ReplaceAll(`<!-- - [ ] template -->
- [ ] a <!-- hint --> b <!-- again -->
'''md
- [ ] fenced
~~~
'''
~~~~
- [ ] tilde
~~~
~~~~ 
<!--
- [ ] commented
'''
-->
- [ ] c
- '''
  - [ ] in a list
  '''
- [ ] strip '<!--' here
- [ ] and ''<!-- ' '' there
- [ ] 1 <!-- two
- [ ] lines --> tail
- [ ] d<!-->e

para

    - [ ] indented code
> - [ ] quoted
- [ ] literal <!-- end
`, "'", "`")).Tasks)
	want := strings.ReplaceAll(`a-b | a b
c | c
strip-here | strip '<!--' here
and-there | and ''<!-- ' '' there
1 | 1
de | de
literal-end | literal <!-- end
`, "'", "`")
	if got != want {
		t.Errorf("\n got:\n%swant:\n%s", got, want)
	}
}

func TestParse_refusesMarkdownThatWouldLoseTasks(t *testing.T) {
	t.Parallel()
	testRefusals(t, "s/tasks.md", []refusal{
		{
			name: "empty",
			text: "\n",
			want: "s/tasks.md: the plan is empty",
			cure: cureNoBoxes,
		},
		{
			name: "no boxes",
			text: "# Tasks\n- one\n- two\n",
			want: "s/tasks.md: the plan has no task boxes",
			cure: cureNoBoxes,
		},
		{
			name: "id twice",
			text: "- [ ] T001 a\n\n- [ ] T001 b\n",
			want: "s/tasks.md:3: the task id 'T001' is used twice, here and in line 1",
			cure: "give one of the tasks another id",
		},
		{
			name: "number twice",
			text: "- [ ] 1.1 a\n- [ ] 1.1 b\n",
			want: "s/tasks.md:2: the task id '1.1' is used twice, here and in line 1",
			cure: "give one of the tasks another id",
		},
		{
			name: "open code block",
			text: "- [ ] a\n```\ncode\n- [ ] b\n- [x] c\n",
			want: "s/tasks.md:2: the code block that begins here has no end and hides task boxes",
			cure: "close it with '```'",
		},
		{
			name: "open comment",
			text: "- [ ] a\n<!--\n- [ ] b\n",
			want: "s/tasks.md:2: the comment that begins here has no end and hides task boxes",
			cure: "close it with '-->'",
		},
	})
}

func TestParse_acceptsOpenCodeBlockWithoutBoxes(t *testing.T) {
	t.Parallel()
	if n := len(mustParse(t, "s/tasks.md", "- [ ] a\n```\ncode\n").Tasks); n != 1 {
		t.Errorf("%d tasks", n)
	}
}

func TestParse_boxesGiveNoCommands(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "s/tasks.md", "- [ ] T001 a\n  run: rm -rf /\n  `make`\n")
	if want := []Task{{ID: "T001", Title: "a"}}; !reflect.DeepEqual(p.Tasks, want) {
		t.Errorf("got %+v", p.Tasks)
	}
}

func TestParse_staysQuickOnHostileMarkdown(t *testing.T) {
	t.Parallel()
	var runs strings.Builder
	for n := 1; runs.Len() < 1<<18; n++ {
		runs.WriteString(strings.Repeat("`", n) + " ")
	}
	deep := ""
	for n := range 700 {
		deep += strings.Repeat(" ", 2*n) + "- [ ] x\n"
	}
	for name, text := range map[string]string{
		"backticks": runs.String(),
		"comments":  strings.Repeat(" ", 1<<18) + "x" + strings.Repeat("<!--", 1<<16),
		"nesting":   deep,
		"brackets":  "- [ ] " + strings.Repeat("[P] ", 1<<16),
		"bold":      "- [ ] " + strings.Repeat("**", 1<<17),
	} {
		if _, err := parseText("s/tasks.md", []byte(text+"\n- [ ] last\n")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
