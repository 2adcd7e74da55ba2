package page

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/git-resume/git-resume/conflicts/lines"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Edit replaces some lines of a text with others.
type Edit struct{ Goes, Comes []string }

// Edits lists what turns one version of a file into another. A nil version has no lines.
func Edits(was, now []byte) []Edit {
	a, b := linesOf(was), linesOf(now)
	ids := lines.Numbers{}
	hunks, err := lines.Diff(ids.Cut(was), ids.Cut(now))
	if err != nil { // the versions are too large and too different
		return []Edit{{a, b}}
	}
	var out []Edit
	for _, h := range hunks {
		out = append(out, Edit{a[h.Old.At:h.Old.End()], b[h.New.At:h.New.End()]})
	}
	return out
}

func linesOf(content []byte) []string {
	if len(content) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(content), "\n"), "\n")
}

// Changed prints the lines in which two versions of a file differ.
func (s Page) Changed(was, now []byte) { s.Edits(Edits(was, now)) }

// Edits prints changed lines. If a line that is too long for the screen becomes a similar one, only one line is printed, with the changed
// words in it marked as git marks them: "status": "[-running-]{+done+}".
func (s Page) Edits(all []Edit) {
	for _, e := range all {
		if slices.ContainsFunc(slices.Concat(e.Goes, e.Comes), s.wraps) {
			if inside := insideAll(e); inside != nil {
				s.Wholly("  ", inside)
				continue
			}
		}
		s.Wholly("- ", e.Goes)
		s.Wholly("+ ", e.Comes)
	}
}

// wraps reports whether Wholly needs several lines for a line.
func (s Page) wraps(line string) bool {
	shown, _ := WholeLines("+ ", line, indentOfLines, s.Width())
	return len(shown) > 1
}

// indentOfLines is the indent of the lines that Wholly prints.
const indentOfLines = "           "

// insideAll shows an edit inside of its lines. The result is nil if a line has no counterpart that is similar.
func insideAll(e Edit) (out []string) {
	if len(e.Goes) != len(e.Comes) {
		return nil
	}
	for i := range e.Goes {
		line, ok := inside(e.Goes[i], e.Comes[i])
		if !ok {
			return nil
		}
		out = append(out, line)
	}
	return out
}

// inside marks the words of a line that are replaced, and leaves out what is far from them. It returns false if the two lines have little in
// common.
func inside(was, now string) (string, bool) {
	a, b := wordsOf(was), wordsOf(now)
	ids := lines.Numbers{}
	hunks, err := lines.Diff(ids.Cut(onLines(a)), ids.Cut(onLines(b)))
	if err != nil || len(hunks) == 0 {
		return "", false
	}
	var out strings.Builder
	at, same := 0, 0
	for i, h := range hunks {
		between := strings.Join(a[at:h.Old.At], "")
		same += len(between)
		out.WriteString(near(between, i > 0, true))
		if h.Old.N > 0 {
			out.WriteString("[-" + strings.Join(a[h.Old.At:h.Old.End()], "") + "-]")
		}
		if h.New.N > 0 {
			out.WriteString("{+" + strings.Join(b[h.New.At:h.New.End()], "") + "+}")
		}
		at = h.Old.End()
	}
	rest := strings.Join(a[at:], "")
	out.WriteString(near(rest, true, false))
	const shareInCommon = 3 // at least one character in three
	if same += len(rest); strings.TrimSpace(was) == "" || same*shareInCommon < max(len(was), len(now)) {
		return "", false
	}
	return out.String(), true
}

// wordsOf splits a line into words, and single characters between them. A number or a time such as 12:05:30.5 is one word.
func wordsOf(line string) (out []string) {
	isWord := func(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	isDigit := func(i int) bool { return i < len(line) && '0' <= line[i] && line[i] <= '9' }
	for line != "" {
		n := 0
		for n < len(line) {
			r, size := utf8.DecodeRuneInString(line[n:])
			within := strings.ContainsRune("-:.", r) && n > 0 && isDigit(n-1) && isDigit(n+1)
			if !isWord(r) && !within {
				break
			}
			n += size
		}
		if n == 0 {
			_, n = utf8.DecodeRuneInString(line)
		}
		out, line = append(out, line[:n]), line[n:]
	}
	return out
}

// onLines puts each word on a line of its own.
func onLines(words []string) []byte {
	return []byte(strings.Join(append(words[:len(words):len(words)], ""), "\n"))
}

// near shortens an unchanged part of a line to the words beside the changes before and after it.
func near(text string, after, before bool) string {
	const beside = 30
	if phrase.Width(quote.Clean(text)) <= 2*beside+1 {
		return text
	}
	all := wordsOf(text)
	head, tail := "", ""
	for i := 0; after && i < len(all) && phrase.Width(head+all[i]) <= beside; i++ { // tabs have no width, and may come in any number
		head += all[i]
	}
	for i := len(all) - 1; before && i >= 0 && phrase.Width(all[i]+tail) <= beside; i-- {
		tail = all[i] + tail
	}
	return head + "…" + tail
}

// Wholly prints each line with a mark in front of it, such as "+ " for an added line. It wraps long lines and never shortens them.
func (s Page) Wholly(mark string, lines []string) {
	for _, l := range lines {
		shown, _ := WholeLines(mark, l, indentOfLines, s.Width())
		for _, line := range shown {
			s.Say("%s\n", line)
		}
	}
}
