package main

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// source parses Go code for a test.
func source(t *testing.T, code string) *file {
	t.Helper()
	f, err := parseSource("x.go", "package x\n\n"+code)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSentences checks that sentencesOf returns each kind of message as a whole, and only once.
func TestSentences(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want []string
	}{
		"a format with its arguments": {
			`func read() error { return fmt.Errorf("cannot read the file %s: %w", quote.Name(path), err) }`,
			[]string{"cannot read the file ‹path›: ‹err›  (in func read)"},
		},
		"a concatenation": {
			`func (p *Page) end() { p.Hint("continue this run with " + phrase.Double("git resume %s", string(id)) + " in its worktree") }`,
			[]string{`continue this run with "git resume ‹id›" in its worktree  (in func Page.end)`},
		},
		"a count": {
			`func f() { s.Say("the branch of this run has %s\n", phrase.Count(n, "more commit", "more commits")) }`,
			[]string{"the branch of this run has ‹n› more commits  (in func f)"},
		},
		"a row of a function": {
			`func f() { s.Row("not sent", "earlier snapshots and the output of tasks") }`,
			[]string{"not sent | earlier snapshots and the output of tasks  (in func f)"},
		},
		"a struct": {
			`func f() error { return &TextError{What: "'" + text + "'", Code: 7, Why: "is not a time of day"} }`,
			[]string{"(What) '‹text›' | (Why) is not a time of day  (in func f)"},
		},
		"a struct in a struct": {
			`func f() stage { return stage{action: "run it", at: Point{Reason: "nothing shows that it is ready"}} }`,
			[]string{"(action) run it | (Reason) nothing shows that it is ready  (in func f)"},
		},
		"rows of a table": {
			`var rows = []row{{"a", "this is the first one"}, {"b", "this is the second one"}}`,
			[]string{"a | this is the first one  (in var rows)", "b | this is the second one  (in var rows)"},
		},
		"a map": {
			`var causes = map[Cause]string{Timeout: "its time limit was exceeded", Hook: "short"}`,
			[]string{"(Timeout) its time limit was exceeded  (in var causes)"},
		},
		"an array with keys": {
			`var names = [kinds]string{askHide: "hide the work of others"}`,
			[]string{"(askHide) hide the work of others  (in var names)"},
		},
		"a list in a struct": {
			`var c = Command{Name: "demo", Summary: "try it in a repository", Flags: []Flag{{Name: "explain", Help: "say what each step does"}}}`,
			[]string{"(Name) demo | (Summary) try it in a repository  (in var c)", "(Name) explain | (Help) say what each step does  (in var c)"},
		},
		"one of several texts": {
			`func f() { counts := "the later phase counts"; if a { counts = "the open steps count" }; add("phase %s has open steps; %s", p.id, counts) }`,
			[]string{"phase ‹p.id› has open steps; [the later phase counts / the open steps count]  (in func f)"},
		},
		"an end that may be missing": {
			`func f() { end := ""; if a { end = ", and it is used" }; s.Say("the worktree is not clean%s\n", end) }`,
			[]string{"the worktree is not clean[, and it is used]  (in func f)"},
		},
		"a text that grows": {
			`func f() string { text := "the file was last written"; if a { text += " at an unknown time" }; return text }`,
			[]string{"the file was last written[ at an unknown time]  (in func f)"},
		},
		"a joined list": {
			`func f() string { var all []string; all = append(all, "the status to "+s); all = append(all, "the count to 3"); return "set " + strings.Join(all, ", ") }`,
			[]string{"set [the status to ‹s›][, the count to 3]  (in func f)"},
		},
		"a list of messages": {
			`func f() (out []string) { out = append(out, "leave the large files out"); return append(out, "or send all of them") }`,
			[]string{"leave the large files out  (in func f)", "or send all of them  (in func f)"},
		},
		"a case": {
			`func f() string { switch state { case Open: return "it is not finished yet" }; return "" }`,
			[]string{"it is not finished yet  (in func f, case Open)"},
		},
		"a message about a file": {
			`func f() { d.About(code, warning, w.file, "says that phase %s is done", p.id) }`,
			[]string{"‹w.file› says that phase ‹p.id› is done  (in func f)"},
		},
		"a message in a function that is an argument": {
			`func f() { run("a", func() { s.Say("nothing was changed in it\n") }) }`,
			[]string{"nothing was changed in it  (in func f)"},
		},
		"a variable on its own": {
			`const hint = "see the manual for all options"`,
			[]string{"hint: see the manual for all options"},
		},
		"texts that are not shown": {
			`func f() bool { _ = regexp.MustCompile("this is a pattern here"); return text == "this is only compared here" || strings.Contains(text, "this is only searched for") }`,
			nil,
		},
		"a function of this project": {
			`func f() { out = append(out, "revert the merge with "+git("revert -m 1 %s", e.Commit)+" in its worktree") }`,
			[]string{"revert the merge with ‹git: revert -m 1 e.Commit› in its worktree  (in func f)"},
		},
		"the name of a file before a text about it": {
			`func f() { d.add("a.md", "a.md is read from another commit") }`,
			[]string{"a.md is read from another commit  (in func f)"},
		},
		"a list of words to compare with": {
			`var done = "done complete completed implemented released"`,
			nil,
		},
		"a command in quotation marks": {
			`func f() { s.Hint("continue this work with " + quote.Between("'", quote.Command("git resume %s", id))) }`,
			[]string{"continue this work with 'git resume ‹id›'  (in func f)"},
		},
		"lines of the manual": {
			"var x = Flag{More: `Run the task again, as with\n.Fl -keep ,\nwhich needs a clean worktree\n.Pq exit code 11 .\nSee\n.Xr git-resume 1 .`}",
			[]string{"(More) Run the task again, as with --keep, which needs a clean worktree (exit code 11). See git-resume(1).  (in var x)"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, s := range sentencesOf(source(t, c.code)) {
				got = append(got, s.words)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// TestComments checks what is shown around a comment.
func TestComments(t *testing.T) {
	code := `// look returns the state.
func look(a int) (b int) {
	if a > 0 {
		return 1
	}
	// the state can be
	// unknown
	for range a {
		b++
	}
	b = 2
	b = 3 // it is known now

	return b
}

type thing struct {
	// name is how it is called.
	name string
	// Size is unused here.
	size int
}

const (
	one = 1 // the first one
)
`
	want := []string{
		"// look returns the state.\n| func look(a int) (b int) {\n|     if a > 0 {\n|         return 1",
		"| func look(a int) (b int) {\n|     if a > 0 {\n|         return 1\n|     }\n|     // the state can be unknown\n|     for range a {\n|         b++\n|     }",
		"| func look(a int) (b int) {\n| …\n|     for range a {\n|         b++\n|     }\n|     b = 2\n|     b = 3  // it is known now\n|     return b\n| }",
		"| type thing struct {\n|     // name is how it is called.\n|     name string",
		"| type thing struct {\n|     name string\n|     // Size is unused here.\n|     size int\n| }",
		"| const (\n|     one = 1  // the first one\n| )",
	}
	var got []string
	for _, c := range commentsOf(source(t, code)) {
		got = append(got, strings.ReplaceAll(c.words, "\n"+margin, "\n"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got:\n%s\n\nwant:\n%s", strings.Join(got, "\n\n"), strings.Join(want, "\n\n"))
	}
}

// TestDraw checks that the same seed draws the same texts, that no text is drawn twice, and that all texts are drawn if there are fewer
// than asked for.
func TestDraw(t *testing.T) {
	var all []text
	for _, c := range "abcdefghij" {
		all = append(all, text{string(c), ""})
	}
	first := draw(rand.New(rand.NewPCG(7, 0)), all, 5)
	if again := draw(rand.New(rand.NewPCG(7, 0)), all, 5); !slices.Equal(first, again) {
		t.Errorf("the same seed drew %v and %v", first, again)
	}
	slices.SortFunc(first, func(a, b text) int { return strings.Compare(a.words, b.words) })
	if n := len(slices.Compact(first)); n != 5 {
		t.Errorf("%d different texts were drawn instead of 5", n)
	}
	if got := draw(rand.New(rand.NewPCG(7, 0)), all, 50); len(got) != len(all) {
		t.Errorf("%d texts were drawn from %d", len(got), len(all))
	}
}
