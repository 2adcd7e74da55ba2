package textdoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParse_keepsOrderAndForgives(t *testing.T) {
	t.Parallel()
	v, err := ParseJSON([]byte("\ufeff{\"b\": [1, \"x\"],\r\n \"a\": {\"n\": null, \"yes\": true}, \"b\": [2]}"))
	if err != nil {
		t.Fatal(err)
	}
	if got := v.Fields()[0].Key; got != "b" {
		t.Errorf("the first key is %q", got)
	}
	if v.Get("a").Get("n").Is() || !v.Get("zz", "a").Get("yes").True() || v.Get("none").Get("deeper").Text() != "" {
		t.Errorf("wrong values: %v", v.Plain())
	}
}

func TestParse_refusesWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"empty":  {" \n", "is empty"},
		"merged": {"{\n<<<<<<< HEAD\n\"a\":1\n=======\n\"a\":2\n>>>>>>> x\n}", "unfinished merge"},
		"twice":  {"{\"a\":1}\n{\"b\":2}", "has text after the end of its value"},
		"torn":   {"{\"a\":[1,", "is not valid JSON at line 1"},
		"deep":   {strings.Repeat("[", 100000), "nested too deeply"},
	} {
		_, err := ParseJSON([]byte(c.text))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	text := "# T\n\n## Tasks ##\n| **Id** | Text |\n|:--|---|\n| `a` | one \\| two |\n```\n## Not\n| x |\n```\n<!-- ## No\n-->## Next\n"
	sections := Sections(Visible(text))
	var titles []string
	for _, s := range sections {
		titles = append(titles, s.Title)
	}
	if got := strings.Join(titles, ","); got != "T,Tasks,Next" {
		t.Errorf("sections %s", got)
	}
	tables := Tables(sections[1].Body)
	if len(tables) != 1 || tables[0].Cell(tables[0].Rows[0], "none", "TEXT") != "one | two" || tables[0].Cell(tables[0].Rows[0], "id") != "a" {
		t.Errorf("tables %+v", tables)
	}
}

func TestTables_nameTheLinesOfTheirRows(t *testing.T) {
	t.Parallel()
	tables := Tables(Visible("a\n| A |\n|---|\n| 1 |\n```\n| no |\n```\n| 2 |\n"))
	if len(tables) != 1 || !slices.Equal(tables[0].Lines, []int{4, 8}) {
		t.Errorf("tables %+v", tables)
	}
}

func TestLabel_readsBoldPlainAndListed(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"Plan: 2 of 5": "plan|2 of 5", "- **Phase:** Ready to Execute": "phase|Ready to Execute", "**Last Updated:** 2026-02-20  ": "last updated|2026-02-20",
		"start_commit: abc": "start_commit|abc", "**Status**: done": "status|done", "**Response:**": "response|",
		"see http://x": "", "": "", "| a: b |": "", "10:30 now": "", strings.Repeat("a", 60) + ": b": "",
	} {
		name, value, ok := Label(line)
		if got := name + "|" + value; ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	if got := Labels(Visible("Status: `a`\n```\nStatus: b\n```\nstatus: c\n"))["status"]; got != "a" {
		t.Errorf("the first label says %q", got)
	}
}

// Boxes and visible lines must agree about what a code block or a comment covers.
func TestVisible_coversWhatBoxesCovers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"- [ ] a `<!--` b\n- [ ] c\n":          2,
		"- [ ] a <!-- b\n- [ ] c\n":            2,
		"```inline``` text\n- [ ] a\n":         1,
		"- x\n      ```\n- [ ] a\n      ```\n": 0,
		"<!-- a\n- [ ] b\n--> c\n- [ ] d\n":    1,
	} {
		boxes, _ := Boxes(text)
		seen := 0
		for _, l := range Visible(text) {
			if HasBox(l.Text + " ") {
				seen++
			}
		}
		if len(boxes) != want || seen != want {
			t.Errorf("%q: %d boxes and %d lines with boxes, want %d", text, len(boxes), seen, want)
		}
	}
}

func TestParse_knowsLinesAndKinds(t *testing.T) {
	t.Parallel()
	v, err := ParseJSON([]byte("{\n\"a\":\n [1,\n \" x \"],\n\"b\": true, \"c\": null}"))
	if err != nil {
		t.Fatal(err)
	}
	a := v.Fields()[0]
	got := fmt.Sprintln(a.Line, a.Value.Line(), a.Value.Items()[1].Line(), v.Get("b").Line(), a.Value.Items()[0].Kind() == NumberKind,
		a.Value.Items()[1].Kind() == TextKind, v.Get("b").Kind() == TruthKind, v.Fields()[2].Value.Kind() == NullKind, a.Value.Items()[1].Raw())
	if want := "2 3 4 5 true true true true  x \n"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
