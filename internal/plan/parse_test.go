package plan

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

const migrateAuth = `name: migrate-auth
base: main
setup: npm ci                    # once in a new worktree
tasks:
  - id: schema
    title: add users.email_verified
    run: ./scripts/schema.sh
    inputs:  [db/schema.sql]
    outputs: ["db/migrations/**"]
    timeout: 10m
    retries: 1
  - id: backfill
    needs: [schema]
    run: make backfill
    verify: make check-backfill
    on_interrupt: verify
  - id: timeout
    ask: Session timeout for SSO users?
    options: [15 minutes, 8 hours]
  - id: handlers
    title: update the handlers
`

var migrateAuthPlan = Plan{
	Name: "migrate-auth", Base: "main", Setup: "npm ci",
	Tasks: []Task{
		{ID: "schema", Title: "add users.email_verified", Run: "./scripts/schema.sh", Inputs: []string{"db/schema.sql"},
			Outputs: []string{"db/migrations/**"}, Timeout: "10m", Retries: 1},
		{ID: "backfill", Needs: []string{"schema"}, Run: "make backfill", Verify: "make check-backfill", OnInterrupt: Verify},
		{ID: "timeout", Ask: "Session timeout for SSO users?", Options: []string{"15 minutes", "8 hours"}},
		{ID: "handlers", Title: "update the handlers"},
	},
}

// parseText is Parse with the YAML parser of the program.
func parseText(file string, data []byte) (Plan, error) { return Parse(file, data, yamldoc.Plain) }

func mustParse(t *testing.T, file, text string) Plan {
	t.Helper()
	p, err := parseText(file, []byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", file, err)
	}
	return p
}

// faultsOf returns the faults in an error. There must be at least one.
func faultsOf(t *testing.T, err error) Faults {
	t.Helper()
	var faults Faults
	if !errors.As(err, &faults) || len(faults) == 0 {
		t.Fatalf("error is %v, want faults", err)
	}
	return faults
}

// refusal is a plan that must be refused, with the expected fault and cure.
type refusal struct {
	name string
	text string
	want string
	cure string
}

func testRefusals(t *testing.T, file string, rows []refusal) {
	t.Helper()
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			p, err := parseText(file, []byte(row.text))
			if err == nil {
				t.Fatalf("accepted as %+v", p)
			}
			if !reflect.DeepEqual(p, Plan{}) {
				t.Errorf("a refused plan is not empty: %+v", p)
			}
			if got := err.Error(); got != row.want {
				t.Errorf("fault\n got %s\nwant %s", got, row.want)
			}
			if got := faultsOf(t, err)[0].Cure; got != row.cure {
				t.Errorf("cure\n got %s\nwant %s", got, row.cure)
			}
		})
	}
}

func TestParse_readsEveryKeyOfYAML(t *testing.T) {
	t.Parallel()
	if got := mustParse(t, "plan.yaml", migrateAuth); !reflect.DeepEqual(got, migrateAuthPlan) {
		t.Errorf("\n got %+v\nwant %+v", got, migrateAuthPlan)
	}
}

func TestParse_readsTheSamePlanFromJSON(t *testing.T) {
	t.Parallel()
	got := mustParse(t, "plan.json", string(migrateAuthPlan.Canonical()))
	if !reflect.DeepEqual(got, migrateAuthPlan) {
		t.Errorf("\n got %+v\nwant %+v", got, migrateAuthPlan)
	}
}

func TestParse_acceptsByteOrderMarkAndForeignLineEnds(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"byte order mark": "\ufeff" + migrateAuth,
		"CRLF":            strings.ReplaceAll(migrateAuth, "\n", "\r\n"),
		"CR":              strings.ReplaceAll(migrateAuth, "\n", "\r"),
	} {
		if got := mustParse(t, "plan.yaml", text); !reflect.DeepEqual(got, migrateAuthPlan) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	box := mustParse(t, "x/tasks.md", "\ufeff- [ ] T001 one\r\n- [x] T002 two\r\n")
	if box.Tasks[0].Title != "one" || box.Tasks[1].Title != "two" {
		t.Errorf("CRLF is left in titles: %+v", box.Tasks)
	}
}

func TestParse_takesNumbersAsIDs(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"p.yaml": "tasks:\n- id: 1\n- id: 1.20\n  needs: [1]\n- id: true\n",
		"p.json": `{"tasks":[{"id":1},{"id":1.20,"needs":[1]},{"id":true}]}`,
	} {
		p := mustParse(t, file, text)
		if p.Tasks[0].ID != "1" || p.Tasks[1].ID != "1.20" || p.Tasks[1].Needs[0] != "1" || p.Tasks[2].ID != "true" {
			t.Errorf("%s: %+v", file, p.Tasks)
		}
	}
}

func TestParse_keepsLinesAndTabsOfCommands(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "p.yaml", "setup: |\n  a\n  \tb\ntasks:\n- id: x\n  run: |\n    make a\n    make b\n")
	if p.Setup != "a\n\tb\n" || p.Tasks[0].Run != "make a\nmake b\n" {
		t.Errorf("setup %q, run %q", p.Setup, p.Tasks[0].Run)
	}
}

func TestParse_stripsControlCharactersFromTitles(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"p.yaml": "tasks:\n- id: x\n  title: \"a \\e[31mred\\x07 \u202etxt\u2066 \\n b\"\n",
		"p.json": `{"tasks":[{"id":"x","title":"a \u001b[31mred\u0007 \u202etxt\u2066 \n b"}]}`,
		"p.md":   "- [ ] a \x1b[31mred\x07 \u202etxt\u2066 \t b\n",
	} {
		if got := mustParse(t, file, text).Tasks[0].Title; got != "a [31mred txt b" {
			t.Errorf("%s: title is %q", file, got)
		}
	}
}

func TestParse_cutsEndlessTitles(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "p.md", "- [ ] "+strings.Repeat("é", 3000))
	if got := []rune(p.Tasks[0].Title); len(got) != textdoc.MaxTitle || got[textdoc.MaxTitle-1] != '…' {
		t.Errorf("title has %d characters and ends with %q", len(got), got[len(got)-1])
	}
}

func TestParse_keepsLinesOfQuestions(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "p.json", `{"tasks":[{"id":"x","ask":" Which?\n\ta\u001b\n b ","options":[15, "8\nhours", true]}]}`)
	if got := p.Tasks[0].Ask; got != "Which?\n a\n b" {
		t.Errorf("ask is %q", got)
	}
	if got := p.Tasks[0].Options; !reflect.DeepEqual(got, []string{"15", "8 hours", "true"}) {
		t.Errorf("options are %q", got)
	}
}

func TestParse_spellsPathsInOneWay(t *testing.T) {
	t.Parallel()
	p := mustParse(t, "p.yaml", "tasks:\n- id: x\n  inputs: [./a//b/, ., a/./c, 'src/**/']\n  outputs: ['[ab]?.go', 'a b/*', ...]\n")
	if got, want := p.Tasks[0].Inputs, []string{"a/b", ".", "a/c", "src/**"}; !reflect.DeepEqual(got, want) {
		t.Errorf("inputs %q, want %q", got, want)
	}
	if got, want := p.Tasks[0].Outputs, []string{"[ab]?.go", "a b/*", "..."}; !reflect.DeepEqual(got, want) {
		t.Errorf("outputs %q, want %q", got, want)
	}
}

func TestParse_emptyListMeansNone(t *testing.T) {
	t.Parallel()
	if p := mustParse(t, "p.yaml", "tasks:\n- id: x\n  needs: []\n"); p.Tasks[0].Needs != nil {
		t.Errorf("needs is %#v", p.Tasks[0].Needs)
	}
}

func TestParse_namesThePlanAfterItsPlace(t *testing.T) {
	t.Parallel()
	const yes, box = "tasks: [{id: a}]\n", "- [ ] a\n"
	for _, row := range []struct{ file, text, want string }{
		{"plans/auth.yaml", yes, "auth"},
		{"auth.v2.yml", yes, "auth.v2"},
		{"plan.yaml", "name: ' mine '\n" + yes, "mine"},
		{"specs/001-photo-album/tasks.md", box, "001-photo-album"},
		{"/abs/specs/002-x/tasks.markdown", box, "002-x"},
		{"tasks.md", box, "tasks"},
		{"./tasks.md", box, "tasks"},
		{"../tasks.md", box, "tasks"},
		{"/tasks.md", box, "tasks"},
		{"todo", box, "todo"},
		{"-", yes, "plan"},
		{"", yes, "plan"},
		{"a\x1b\u202eb.yaml", yes, "ab"},
		{"bad\xff.yaml", yes, "bad"},
		{strings.Repeat("n", 300) + ".yaml", yes, strings.Repeat("n", 199) + "…"},
	} {
		if got := mustParse(t, row.file, row.text).Name; got != row.want {
			t.Errorf("%q: name is %q, want %q", row.file, got, row.want)
		}
	}
}

func TestFormatOf_looksAtTheNameThenAtTheText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		file, text string
		want       Format
	}{
		{"a.yaml", "{}", YAML},
		{"a.YML", "- [ ] x", YAML},
		{"a.Json", "tasks:", JSON},
		{"a.md", "{}", Markdown},
		{"a.markdown", "", Markdown},
		{"a.plan", "\ufeff\n {\"tasks\": []}", JSON},
		{"a", "name: x\ntasks:\n- id: a\n  title: |\n    - [ ] b\n", YAML},
		{"a", "# Tasks\n\n1. [x] done\n", Markdown},
		{"a.txt", "* [ ] open\n", Markdown},
		{"a", "hello", YAML},
		{"dir.md/a", "tasks: []", YAML},
	} {
		if got := FormatOf(row.file, []byte(row.text)); got != row.want {
			t.Errorf("%s %q is %s, want %s", row.file, row.text, got, row.want)
		}
	}
}

func TestParse_refusesBeforeLookingAtTheFormat(t *testing.T) {
	t.Parallel()
	const save = "save the file as UTF-8 text"
	rows := []refusal{
		{
			name: "nothing at all",
			text: "",
			want: "p: the plan is empty",
			cure: cureNoTasks,
		},
		{
			name: "only space",
			text: "\n \t\r\n",
			want: "p: the plan is empty",
			cure: cureNoTasks,
		},
		{
			name: "only a byte order mark",
			text: "\ufeff",
			want: "p: the plan is empty",
			cure: cureNoTasks,
		},
		{
			name: "Latin 1",
			text: "name: x\ntasks:\n- id: \xe9t\xe9\n",
			want: "p:3: the plan is not UTF-8 text",
			cure: save,
		},
		{
			name: "UTF-16",
			text: "\xff\xfet\x00a\x00",
			want: "p:1: the plan is not UTF-8 text",
			cure: save,
		},
		{
			name: "NUL byte",
			text: "name: x\nta\x00sks:\n",
			want: "p:2: the plan has a NUL byte",
			cure: save,
		},
		{
			name: "too large",
			text: strings.Repeat("#", maxFile+1),
			want: "p: the plan is larger than 4 MiB",
			cure: "split it into several plans, or move long commands into scripts",
		},
	}
	testRefusals(t, "p", rows)
}

func TestParse_readsAThousandTasksQuickly(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString("tasks:\n")
	for i := range 1000 {
		fmt.Fprintf(&b, "  - id: t%d\n    title: task number %d\n    run: make t%d\n    needs: [t%d]\n", i, i, i, max(0, i-1))
	}
	text := strings.Replace(b.String(), "needs: [t0]", "retries: 0", 1)
	begun := time.Now()
	if n := len(mustParse(t, "p.yaml", text).Order()); n != 1000 {
		t.Fatalf("%d tasks", n)
	}
	// The limit is generous, because the race detector is slow.
	if took := time.Since(begun); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}

func BenchmarkParse(b *testing.B) {
	var text strings.Builder
	text.WriteString("tasks:\n")
	for i := range 1000 {
		fmt.Fprintf(&text, "  - id: t%d\n    title: task number %d\n    run: make t%d\n    outputs: [out/%d]\n", i, i, i, i)
	}
	data := []byte(text.String())
	for b.Loop() {
		if _, err := parseText("p.yaml", data); err != nil {
			b.Fatal(err)
		}
	}
}
