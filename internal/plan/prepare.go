package plan

import (
	"bytes"
	"cmp"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// These limits prevent a hostile or mistaken file from filling the memory or the repository.
const (
	maxFile    = 4 << 20
	maxTasks   = 10_000
	maxItems   = 10_000 // the maximum for each list in a task
	maxCommand = 1 << 20
)

// bounds limit the tree of a plan. They are generous: a valid plan has at most five levels, and the size of the file already limits the
// number of values.
var bounds = textdoc.Bounds{Depth: 16, Nodes: MaxStored}

// MaxStored limits the size of the stored form. That form is indented and escaped, so it can be longer than the plan file.
const MaxStored = 64 << 20

const nestedTooDeeply = "the plan is nested too deeply"

// These are remedies for faults that can occur in several formats.
const (
	cureNoTasks = "add a 'tasks:' list in which every task has an 'id:'"
	cureNesting = "a task may have only keys and short lists; remove the deeper levels"
)

// prepare does the checks that apply to every format. It returns the text without a byte order mark and with "\n" as line ends. If a check
// fails, it adds a fault and returns false.
func prepare(data []byte, limit int, faults *collector) ([]byte, bool) {
	const save = "save the file as UTF-8 text"
	if len(data) > limit {
		faults.add(0, "the plan is larger than "+size(limit), "split it into several plans, or move long commands into scripts")
		return nil, false
	}
	text := bytes.TrimPrefix(data, []byte("\ufeff"))
	if i := invalid(text); i >= 0 {
		faults.add(textdoc.LineAt(text, i), "the plan is not UTF-8 text", save)
		return nil, false
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		faults.add(textdoc.LineAt(text, i), "the plan has a NUL byte", save)
		return nil, false
	}
	text = []byte(textdoc.Text(text))
	if len(bytes.TrimSpace(text)) == 0 {
		faults.add(0, "the plan is empty", cmp.Or(faults.ifEmpty, cureNoTasks))
		return nil, false
	}
	return text, true
}

// invalid returns the offset of the first byte that is not UTF-8, or -1.
func invalid(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}
