package sourcetest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// rows is how many expectations the list of Demands has for each system.
var rows = map[string]int{
	"long-run":     126,
	"agent-memory": 85,
	"spec-loop":    76,
	"orchestrate":  117,
	"auto-claude":  93,
}

// TestDemands_areTested: the file demands.tsv must contain every expectation of each system exactly once, and every test that it names for
// an expectation must exist.
func TestDemands_areTested(t *testing.T) {
	t.Parallel()
	all, err := Demands("")
	if err != nil {
		t.Fatal(err)
	}
	tree := readTests(t, filepath.Join("..", "..", ".."))
	seen := map[string][]int{}
	for _, d := range all {
		seen[d.Source] = append(seen[d.Source], d.Row)
		if len(d.Says) < 20 || !strings.HasSuffix(d.Says, ".") {
			t.Errorf("%s %d: %q is no sentence", d.Source, d.Row, d.Says)
		}
		if len(d.Tests) == 0 {
			t.Errorf("%s %d is not tested: %s", d.Source, d.Row, d.Says)
		}
		for _, name := range d.Tests {
			if !tree.has(t, name) {
				t.Errorf("%s %d: there is no test %s", d.Source, d.Row, name)
			}
		}
	}
	for source, n := range rows {
		var want []int
		for i := range n {
			want = append(want, i+1)
		}
		if !slices.Equal(seen[source], want) {
			t.Errorf("%s has the rows %v, want 1 to %d", source, seen[source], n)
		}
	}
	for source := range seen {
		if rows[source] == 0 {
			t.Errorf("how many demands %s has is not stated", source)
		}
	}
}

// A missing test must be noticed, even if another test has a similar name.
func TestDemands_noticeTestsThatAreNotThere(t *testing.T) {
	t.Parallel()
	tree := tests{"longrun": {text: "func TestRequirements(\n{IDs: \"S0-1 S0-3..5\",\n\"S0-9\": \"elsewhere\"\n\"28_brief\"\n"}}
	for name, want := range map[string]bool{
		"longrun.TestRequirements": true, "longrun.TestRequirements/S0-4": true, "longrun.TestRequirements/28_brief": true,
		"longrun.TestRequirements/S0-2": false, "longrun.TestRequirements/S0-9": false, "longrun.TestRequirements/28": false,
		"longrun.TestOther": false, "other.TestRequirements": false, "longrun.TestScript/x": false, "TestRequirements": false,
	} {
		if got := tree.has(t, name); got != want {
			t.Errorf("%s is there: %v", name, got)
		}
	}
}

// tests maps the name of a package folder to the code of its tests and to its test scripts.
type tests map[string]struct {
	text    string
	scripts []string
}

func readTests(t *testing.T, top string) tests {
	t.Helper()
	out := tests{}
	err := filepath.WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		dir := strings.TrimSuffix(filepath.Dir(path), string(filepath.Separator)+"long") // scripts in a subfolder "long" count as scripts of the folder above it
		switch {
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			p := out[filepath.Base(dir)]
			p.text += string(text)
			out[filepath.Base(dir)] = p
			return err
		case strings.HasSuffix(path, ".txtar") && filepath.Base(dir) == "script":
			name := filepath.Base(filepath.Dir(filepath.Dir(dir)))
			p := out[name]
			p.scripts = append(p.scripts, strings.TrimSuffix(e.Name(), ".txtar"))
			out[name] = p
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

var idList = regexp.MustCompile(`"(S\d+-\d+(?:\.\.\d+)?(?: S\d+-\d+(?:\.\.\d+)?)*)"(:?)`)

// has reports whether a test exists. The name is PACKAGE.TEST or PACKAGE.TEST/PART, where PART is a script, a requirement id or the name of
// a subtest.
func (all tests) has(t *testing.T, name string) bool {
	t.Helper()
	dir, test, _ := strings.Cut(name, ".")
	test, part, parted := strings.Cut(test, "/")
	p := all[dir]
	if !strings.Contains(p.text, "func "+test+"(") {
		return false
	}
	if !parted || slices.Contains(p.scripts, part) && test == "TestScript" {
		return true
	}
	if strings.Contains(p.text, `"`+part+`"`) && !strings.Contains(p.text, `"`+part+`":`+" \"") {
		return true
	}
	for _, m := range idList.FindAllStringSubmatch(p.text, -1) {
		if m[2] == "" && slices.Contains(Expand(t, m[1]), part) {
			return true
		}
	}
	return false
}
