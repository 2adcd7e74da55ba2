package plan

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestCanonical_isTheStoredForm(t *testing.T) {
	t.Parallel()
	p := Plan{Name: "a & b", Base: "main", Setup: "x <y", Tasks: []Task{
		{ID: "one", Title: "t", Phase: "p", Run: "r", Verify: "v", OnInterrupt: Retry, Needs: []string{"two"}, Inputs: []string{"i"},
			Outputs: []string{"o"}, Timeout: "1m", Retries: 2},
		{ID: "two", Ask: "q?", Options: []string{"y"}, Done: true, Optional: true},
	}}
	const want = `{
  "name": "a & b",
  "base": "main",
  "setup": "x <y",
  "tasks": [
    {
      "id": "one",
      "title": "t",
      "phase": "p",
      "run": "r",
      "verify": "v",
      "on_interrupt": "retry",
      "needs": [
        "two"
      ],
      "inputs": [
        "i"
      ],
      "outputs": [
        "o"
      ],
      "timeout": "1m",
      "retries": 2
    },
    {
      "id": "two",
      "ask": "q?",
      "options": [
        "y"
      ],
      "done": true,
      "optional": true
    }
  ]
}
`
	if got := string(p.Canonical()); got != want {
		t.Errorf("got %s", got)
	}
	back, err := Decode([]byte(want))
	if err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("decoded %+v, %v", back, err)
	}
}

func TestCanonical_writesNoTasksAsEmptyList(t *testing.T) {
	t.Parallel()
	if got := string(Plan{Name: "x"}.Canonical()); got != "{\n  \"name\": \"x\",\n  \"tasks\": []\n}\n" {
		t.Errorf("got %s", got)
	}
}

func TestDecode_skipsWhatLaterVersionsWrote(t *testing.T) {
	t.Parallel()
	p, err := Decode([]byte(`{"v":2,"name":"x","tasks":[{"id":"a","colour":{"deep":[1]}}],"more":null}`))
	if want := (Plan{Name: "x", Tasks: []Task{{ID: "a"}}}); err != nil || !reflect.DeepEqual(p, want) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestDecode_refusesDamageAndHostileContent(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, text, want string }{
		{"nothing", "", "stored plan: the plan is empty"},
		{"cut off", `{"name":"x","ta`, "stored plan:1: the plan is not valid JSON: unexpected end of JSON input"},
		{"YAML", "tasks: []", "stored plan:1: the plan is not valid JSON: invalid character 'a' in literal true (expecting 'r')"},
		{"no name", `{"tasks":[]}`, "stored plan:1: the plan has no name"},
		{"no tasks", `{"name":"x"}`, "stored plan:1: the plan has no tasks"},
		{"wrong type", `{"name":"x","tasks":[{"id":"a","retries":"1"}]}`, "stored plan:1: 'retries' of task 'a' must be a whole number, not the text '1'"},
		{"escaping path", `{"name":"x","tasks":[{"id":"a","outputs":["../../x"]}]}`, "stored plan:1: 'outputs' of task 'a' has the path '../../x', which has '..' in it"},
		{"option as base", `{"name":"x","base":"-x","tasks":[]}`, "stored plan:1: the base '-x' is not a valid name"},
		{"cycle", `{"name":"x","tasks":[{"id":"a","needs":["a"]}]}`, "stored plan:1: task 'a' needs itself"},
		{"too large", strings.Repeat(" ", MaxStored+1), "stored plan: the plan is larger than 64 MiB"},
	} {
		p, err := Decode([]byte(row.text))
		if err == nil || err.Error() != row.want || !reflect.DeepEqual(p, Plan{}) {
			t.Errorf("%s: got %+v, %v, want %s", row.name, p, err, row.want)
		}
	}
}

func TestDecode_readsWhatALargePlanBecomes(t *testing.T) {
	t.Parallel()
	text := "tasks:\n- id: a\n"
	for i := range 20 {
		text += fmt.Sprintf("- id: b%d\n  needs: [%s]\n  run: '%s'\n", i, strings.Repeat("a,", maxItems), strings.Repeat("\"", 100_000))
	}
	p := mustParse(t, "p.yaml", text)
	if n := len(p.Canonical()); n <= maxFile {
		t.Fatalf("the stored form has only %d bytes", n)
	}
	if back, err := Decode(p.Canonical()); err != nil || !reflect.DeepEqual(back, p) {
		t.Errorf("a plan that was accepted cannot be read back: %v", err)
	}
}

func TestDuration_hasAValue(t *testing.T) {
	t.Parallel()
	for d, want := range map[Duration]time.Duration{"10m": 10 * time.Minute, "1h30m": 90 * time.Minute, "": 0, "soon": 0} {
		if got := d.Value(); got != want {
			t.Errorf("%q is %v, want %v", d, got, want)
		}
	}
}

func TestCheck_tellsFaultsOfPlansMadeByHand(t *testing.T) {
	t.Parallel()
	if err := (Plan{Name: "x", Tasks: []Task{{ID: "a", Run: "make"}}}).Check(); err != nil {
		t.Errorf("a right plan: %v", err)
	}
	err := Plan{Tasks: []Task{{ID: "a", Inputs: []string{""}}, {ID: "a"}, {Title: "B c"}}}.Check()
	want := "the plan has no name\ntask 'a' has an empty path in 'inputs'\ntask 3 has no id\nthe task id 'a' is used twice"
	if err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}
