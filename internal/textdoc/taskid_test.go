package textdoc

import (
	"regexp"
	"strings"
	"testing"
)

// These expressions define what an id at the beginning of a list item is. The hand-written functions must find the same ids.
const idText = `((?:T|TASK)-?[0-9]{1,6}(?:\.[0-9]{1,6}){0,5}[a-z]?|[A-Z]\.[0-9]{1,6}(?:\.[0-9]{1,6}){0,5}|[0-9]{1,6}(?:\.[0-9]{1,6}){1,5})`

var (
	taskID   = regexp.MustCompile(`^(?:(?i:task) +)?` + idText + `(?:[.:)]*(?: +[-–—:])? +|[.:)]*$)`)
	inBraces = regexp.MustCompile(`^\[` + idText + `\](?::? +|$)`)
	bareID   = regexp.MustCompile(`^(?:(?i:task) +)?([0-9]{1,6})[.:)](?: +|$)`)
)

func compareID(t *testing.T, text string) {
	t.Helper()
	// The expressions ignore case, so they read U+017F as s and U+212A as k. The hand-written functions do not, so skip these characters.
	// Also skip line breaks, which a list item cannot contain.
	if strings.ContainsAny(text, "\u017f\u212a\n") {
		return
	}
	wantID, wantRest, wantBare, want := "", text, false, false
	for i, form := range []*regexp.Regexp{taskID, bareID} {
		if m := form.FindStringSubmatch(text); m != nil && !want {
			wantID, wantRest, wantBare, want = m[1], text[len(m[0]):], i == 1, true
		}
	}
	if id, rest, bare, ok := cutTaskID(text); id != wantID || rest != wantRest || bare != wantBare || ok != want {
		t.Errorf("%q: id %q, rest %q, bare %v, %v; want %q, %q, %v, %v", text, id, rest, bare, ok, wantID, wantRest, wantBare, want)
	}
	wantID, wantRest, want = "", text, false
	if m := inBraces.FindStringSubmatch(text); m != nil {
		wantID, wantRest, want = m[1], text[len(m[0]):], true
	}
	if id, rest, ok := cutIDInBrackets(text); ok != want || ok && (id != wantID || rest != wantRest) {
		t.Errorf("%q: id %q, rest %q, %v in brackets; want %q, %q, %v", text, id, rest, ok, wantID, wantRest, want)
	}
}

func TestTaskID_asTheExpressionsSay(t *testing.T) {
	t.Parallel()
	parts := []string{"", " ", "  ", "T", "TASK", "task", "Task", "-", "1", "001", "123456", "1234567", ".", ".2", ":", ")", "a", "b", "[", "]", "–", "x y", "B"}
	var walk func(text string, left int)
	walk = func(text string, left int) {
		compareID(t, text)
		if left == 0 {
			return
		}
		for _, p := range parts[1:] {
			walk(text+p, left-1)
		}
	}
	walk("", 4)
	for _, text := range []string{
		"Task 1.2.3.4.5.6 - x", "1.2.3.4.5.6.7 x", "T001.1.2.3.4.5a: x", "TASK-12) — x", "TASK 3: x", "task  T-9 : x", "T1 -x", "T1 - ", "T1.: - x",
		"[T001]: x", "[1.2] x", "[1.2]x", "[T1]", "[T1]:", "12. x", "task 12) x", "1.x", "3.", "T1ab x", "T1a", "1.2a x", "TASK T1 x", "2024-01-02 x", "B.5.1.1 x", "A.1: x", "T.2 x", "B.x", "B.1a x",
	} {
		compareID(t, text)
	}
}

func FuzzTaskID(f *testing.F) {
	for _, text := range []string{"T001 x", "Task 1.2 - x", "[T1]: x", "3) x"} {
		f.Add(text)
	}
	f.Fuzz(compareID)
}
