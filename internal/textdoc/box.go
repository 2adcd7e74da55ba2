package textdoc

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// Box is one checkbox of a Markdown list.
type Box struct {
	Line     int    // the line number, from 1
	Mark     string // the text between the brackets
	ID       string // the id in the text, or empty
	Title    string
	Phase    string // the title of the box that contains this one, or otherwise the heading above this box
	Done     bool
	Dropped  bool // closed without being done, for example cancelled
	Optional bool // the list can be finished without this box
	Above    int  // the index of the box in which this one is nested, or -1
	Parent   bool // other boxes are nested in this one
	Bare     bool // the id is only a number
}

var (
	label = NewForm(`^\[[A-Za-z][A-Za-z0-9 _.,:/-]{0,19}\](?: +|$)`)

	// optionalMark matches the usual ways to mark an optional task. It does not match the plain word "optional" in the
	// middle of a sentence.
	optionalMark = NewForm(`(?i)(?:^| )(?:\(\*\)|\(optional\b[^()]*\)|\[optional\]|\*optional\*|_optional_)(?: +|$)|^optional: *| [-–—] *optional$`)
)

// parseBox parses the content of a list item. It returns false if the item has no checkbox, or only a checkbox without text.
func parseBox(content string) (Box, bool) {
	mark, star, text, ok := cutMark(content)
	if !ok {
		return Box{}, false
	}
	state := stateOf(mark)
	rest := OneLine(text)
	if state == noBox || rest == "" {
		return Box{}, false
	}
	b := Box{Mark: mark, Done: state == ticked, Dropped: state == dropped, Optional: star || state == dropped, Above: -1}
	b.describe(rest)
	return b, true
}

// longestMark is the maximum length of the text between the brackets of a checkbox, in characters.
const longestMark = 20

// cutMark splits "[x] text" or "[x]* text" into the mark, the star and the text.
func cutMark(content string) (mark string, star bool, text string, ok bool) {
	inner, ok := strings.CutPrefix(content, "[")
	end := strings.IndexAny(inner, "[]")
	if !ok || end < 0 || inner[end] != ']' || utf8.RuneCountInString(inner[:end]) > longestMark {
		return "", false, "", false
	}
	text, star = strings.CutPrefix(inner[end+1:], "*")
	if text != "" && !IsBlank(text[0]) {
		return "", false, "", false
	}
	return inner[:end], star, strings.TrimLeft(text, Blanks), true
}

// describe splits a box's text into id, labels, marks and title, and stores them in the box.
func (b *Box) describe(text string) {
	rest := text
	if strings.Contains(text, "(*)") || strings.Contains(strings.ToLower(text), "optional") {
		rest = optionalMark.ReplaceAllString(text, " ")
	}
	b.Optional = b.Optional || rest != text
	rest = strings.TrimSpace(rest)
	for before := ""; rest != before; {
		before = rest
		if bare, ok := struck(rest); ok {
			rest, b.Optional = bare, true
		}
		rest = unbold(rest)
		if b.ID == "" {
			rest = b.takeID(rest)
		}
		if strings.HasPrefix(rest, "[") {
			rest = rest[len(label.FindString(rest)):]
		}
	}
	b.Title = OneLine(rest)
	if b.Title == "" && b.ID == "" {
		b.Title = text
	}
}

// takeID removes an id from the beginning of the text and stores it in the box. It returns the rest of the text, or the whole text if there
// is no id.
func (b *Box) takeID(text string) string {
	id, rest, ok := cutIDInBrackets(text)
	if !ok {
		id, rest, b.Bare, ok = cutTaskID(text)
	}
	if ok {
		b.ID = id
		return rest
	}
	return text
}

// struck removes the strike-through marks if the whole text is struck through.
func struck(s string) (string, bool) {
	inner, ok := strings.CutPrefix(s, "~~")
	if !ok {
		return s, false
	}
	inner, ok = strings.CutSuffix(inner, "~~")
	return strings.TrimSpace(inner), ok && inner != ""
}

// unbold removes bold marks, but only at the beginning of a text. Elsewhere "**" may be part of a file pattern.
func unbold(s string) string {
	for _, mark := range []string{"**", "__"} {
		inner, ok := strings.CutPrefix(s, mark)
		if !ok {
			continue
		}
		if bold, rest, ok := strings.Cut(inner, mark); ok && strings.TrimSpace(bold) != "" {
			return strings.TrimSpace(bold + rest)
		}
	}
	return s
}

// boxState is the meaning of the text between the brackets of a checkbox.
type boxState int

const (
	noBox boxState = iota
	open
	ticked
	dropped // closed without being done, for example cancelled
)

// boxWords maps the words and symbols that stand between the brackets of a checkbox to their meaning.
var boxWords = sync.OnceValue(func() map[string]boxState {
	states := map[string]boxState{}
	for state, group := range boxGroups() {
		for _, word := range strings.Fields(group) {
			states[word] = state
		}
	}
	return states
})

func boxGroups() map[boxState]string {
	return map[boxState]string{
		ticked: "x ✓ ✔ ✅ ☑ done complete completed implemented released shipped closed verified passed archived 已完成 完成 완료",
		open: "inprogress executing building active running working hooked claimed wip inreview review readyforreview " +
			"awaitingreview readyfortesting draft planning backlog drafted new pending notstarted todo open ready " +
			"readytostart readyfordev approved blocked onhold paused stopped escalated waiting awaiting failed rejected error timeout 进行中 進行中 未开始 待办 진행중 대기",
		dropped: "cancelled canceled aborted terminated abandoned wontfix discarded skipped deferred",
	}
}

// foldMark removes blanks, hyphens, underscores and U+FE0F from the mark of a checkbox, which is the text between its brackets. U+FE0F only
// changes how an emoji looks.
func foldMark(mark string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t-_\ufe0f", r) {
			return -1
		}
		return r
	}, mark)
}

// stateOf interprets the text between the brackets of a checkbox. An unknown symbol means open, so that no work is overlooked. An unknown
// word is a label or a link and not a checkbox.
func stateOf(mark string) boxState {
	word := foldMark(strings.ToLower(mark))
	if state, ok := boxWords()[word]; ok {
		return state
	}
	if r, n := utf8.DecodeRuneInString(word); n < len(word) || isWord(r) {
		return noBox
	}
	return open // for example "[ ]", "[-]", "[~]", "[/]", "[>]", "[!]"
}

func isWord(r rune) bool {
	return 'a' <= r && r <= 'z' || '0' <= r && r <= '9'
}

// boxLine is a rough pattern for a line with a checkbox. parseBox decides exactly.
var boxLine = NewForm(`(?m)^[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]+\[[ xX]\][ \t*]`)

// HasBox reports whether a text seems to contain a checkbox.
func HasBox(text string) bool { return boxLine.MatchString(text) }
