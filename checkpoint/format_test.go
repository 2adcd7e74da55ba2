package checkpoint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
)

// format returns the sections of docs/FORMAT.md by heading.
func format(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile("../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	out, heading := map[string]string{}, ""
	for line := range strings.Lines(string(text)) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && line[0] == '#' {
			heading = strings.TrimSpace(title)
		}
		out[heading] += line
	}
	return out
}

// firstColumn returns the words in backquotes from the first column of a section's table.
func firstColumn(section string) []string {
	var out []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		out = append(out, m[1])
	}
	return sortedCopy(out)
}

func jsonNames(v any) []string {
	var out []string
	typ := reflect.TypeOf(v)
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		out = append(out, name)
	}
	return sortedCopy(out)
}

// kinds returns the values of all Kind constants in event.go.
func kinds(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if typ, ok := spec.Type.(*ast.Ident); ok && typ.Name == "Kind" {
			word, _ := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			out = append(out, word)
		}
		return true
	})
	return sortedCopy(out)
}

func TestFormat_namesEverythingThatIsStored(t *testing.T) {
	doc := format(t)
	for _, c := range []struct {
		what             string
		documented, used []string
	}{
		{"events", firstColumn(doc["Events"]), kinds(t)},
		{"fields", firstColumn(doc["Fields"]), jsonNames(Event{})},
		{"fields of an actor", firstColumn(doc["Actors"]), jsonNames(Actor{})},
		{"fields of a caller", firstColumn(doc["Callers"]), jsonNames(Caller{})},
		{"trailers", firstColumn(doc["Trailers"]), sortedCopy([]string{TrailerRun, TrailerTask, TrailerState})},
	} {
		if !slices.Equal(c.documented, c.used) {
			t.Errorf("%s:\ndocumented %v\nused       %v", c.what, c.documented, c.used)
		}
	}
	refs := firstColumn(doc["Refs"])
	for _, ref := range []string{string(JournalRef("<run>")), string(NotesRef("<run>")), string(BaseRef("<run>")), BranchPrefix + "<run>"} {
		if !slices.Contains(refs, ref) {
			t.Errorf("ref %s is not documented", ref)
		}
	}
}

func TestFormat_saysTheLimits(t *testing.T) {
	doc := format(t)
	for section, want := range map[string]string{
		"Lines":       "at most 16,384 bytes",
		"The journal": "more than 64 notes",
		"Run ids":     "at most 80 characters",
		"Actors":      "at most 200 bytes",
	} {
		if !strings.Contains(doc[section], want) {
			t.Errorf("%s does not say %q", section, want)
		}
	}
	if MaxLine != 16384 || maxID != 80 || maxCommand != 200 || Version != 1 {
		t.Error("a limit is not what is documented")
	}
}

func TestFormat_examplesAreLines(t *testing.T) {
	doc := format(t)
	_, rest, _ := strings.Cut(doc["Lines"], "```json\n")
	examples, _, ok := strings.Cut(rest, "```")
	if !ok {
		t.Fatal("no examples")
	}
	var lines []Line
	for text := range strings.Lines(examples) {
		l := ParseLine(strings.TrimSuffix(text, "\n"))
		back, err := l.Event.Encode()
		if l.Bad || err != nil || string(back) != text {
			t.Errorf("the example\n%sis read and written as\n%s%v", text, back, err)
		}
		lines = append(lines, l)
	}
	r := Fold("migrate-auth-a7f3", lines, nil)
	if len(lines) != 5 || r.Task("backfill").State != Done || r.Task("signup").State != Failed || r.Epoch != 1 || r.Driver.PID != 412 || r.Diverged {
		t.Errorf("%s", asJSON(r))
	}
	_, rest, _ = strings.Cut(doc["Trailers"], "```\n")
	message, _, _ := strings.Cut(rest, "```")
	if run := gitstate.TrailerValues(message, TrailerRun); !slices.Equal(run, []string{"migrate-auth-a7f3"}) || !RunID(run[0]).Valid() {
		t.Errorf("the example's trailer is %v", run)
	}
}
