package yamldoc

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/textdoc"
)

func TestParse_keepsOrderAndForgives(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte("b: [1, x]\na: {n: ~, yes: true}\nb2: 3\n"))
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
	bomb := "a: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for i, c := 0, 'a'; i < 12; i, c = i+1, c+1 {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c+1, c+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*%c,", c), 10), ","))
	}
	for name, c := range map[string]struct{ text, want string }{
		"deep":      {strings.Repeat("[", 100000), "nested too deeply"},
		"bomb":      {bomb, "too many parts"},
		"not":       {"a: b: c", "is not YAML"},
		"empty":     {"", "is empty"},
		"recursive": {"a: &a [*a]", "nested too deeply"},
		"merged":    {"{\n<<<<<<< HEAD\n1\n=======\n2\n>>>>>>> side\x1b[31m\n<<<<<<< b\n>>>>>>> c\n}", "it holds two versions, 'HEAD' and 'side[31m'"},
	} {
		if _, err := Parse([]byte(c.text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := Parse([]byte("<<<<<<< HEAD\n")); err != nil && strings.Contains(err.Error(), "versions") {
		t.Errorf("half of a merge is taken for one: %v", err)
	}
}

func TestParse_knowsLinesAndKinds(t *testing.T) {
	t.Parallel()
	odd := func(what textdoc.Oddity, line int, text string) {
		t.Errorf("oddity %d in line %d: %s", what, line, text)
	}
	for format, parse := range map[string]func([]byte) (textdoc.Value, error){
		"\na:\n - 1\n - \" x \"\nb: true\nc: ~\n":    Parse,
		"\na:\n - 1\n - \" x \"\nb: true\nc: null\n": func(data []byte) (textdoc.Value, error) { return Plain(textdoc.Bounds{Depth: 5, Nodes: 50}, data, odd) },
	} {
		v, err := parse([]byte(format))
		if err != nil {
			t.Fatal(err)
		}
		a := v.Fields()[0]
		got := fmt.Sprintln(a.Line, a.Value.Line(), a.Value.Items()[1].Line(), v.Get("b").Line(), a.Value.Items()[0].Kind() == textdoc.NumberKind,
			a.Value.Items()[1].Kind() == textdoc.TextKind, v.Get("b").Kind() == textdoc.TruthKind, v.Fields()[2].Value.Kind() == textdoc.NullKind, a.Value.Items()[1].Raw())
		if want := "2 3 4 5 true true true true  x \n"; got != want {
			t.Errorf("%s: %s, want %s", format, got, want)
		}
	}
}

func TestFrontMatter(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"---\nstatus: x\n---\n# T\n": "x|# T\n|<nil>",
		"# T\n":                      "|# T\n|<nil>",
		"---\nstatus: x\n":           "|---\nstatus: x\n|<nil>",
		"---\n---\nb":                "|b|<nil>",
		"---\nstatus: b: it's\n---":  "b: it's||<nil>",
		"---\na: [b: c\n---":         "||is not YAML: line 1: did not find expected ',' or ']'",
	} {
		front, body, err := FrontMatter(text)
		if got := fmt.Sprintf("%s|%s|%v", front.Get("status").Text(), body, err); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// If Plain accepts a text without an oddity, Parse must return the same values.
func FuzzYAML(f *testing.F) {
	for _, text := range []string{"a: [1, {b: x}]\nc: ~\n", "a: &x [*x]\n", "a: 1\n---\nb: 2\n", "? [a]\n: b\n", "a: !!str 1\n<<: b\n", "a: \x1b\n", "a:\n\t- b\n", strings.Repeat("[", 300)} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		odd := false
		plain, err := Plain(textdoc.Tolerant, data, func(_ textdoc.Oddity, line int, _ string) {
			if odd = true; line < 1 {
				t.Errorf("an oddity in line %d", line)
			}
		})
		if err != nil || odd || !utf8.Valid(data) || bytes.ContainsRune(data, '\r') || bytes.HasPrefix(data, []byte("\ufeff")) || textdoc.Merging(string(data)) {
			return
		}
		v, err := Parse(data)
		if err != nil {
			return // Parse also counts brackets inside quoted texts, so it can refuse more than Plain
		}
		if want, got := fmt.Sprint(plain.Plain()), fmt.Sprint(v.Plain()); want != got {
			t.Errorf("%q: plain %s, Tolerant %s", data, want, got)
		}
	})
}
