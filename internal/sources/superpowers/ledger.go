package superpowers

import (
	"path"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// ledger is the record that the system superpowers writes while it carries out a plan.
type ledger struct {
	// plan is the path of the plan in the first line of the ledger. It is empty if that line has none.
	plan string
	// The field "last" maps the id of each task to the content of its last line. The field "order" has the ids in the order of their first
	// lines. The field "parked" has the lines about problems that were put off.
	last   map[string]entry
	order  []string
	parked []string
}

// entry is what a line of the ledger says about a task.
type entry struct {
	kind entryKind
	// from and to are the first and the last commit of the task, abbreviated as in the line.
	from, to string
	// round is the number of a round of fixes, and the field "of" is the largest allowed number of rounds.
	round, of int
	skipped   bool
	line      int
}

type entryKind int

const (
	otherEntry entryKind = iota
	completeEntry
	fixEntry
)

// mostLines limits how many lines of a ledger are read. A real ledger has a few lines for each task.
const mostLines = 20000

// skippedWords is the text at the end of the line with which git-resume marks a task as skipped.
const skippedWords = "(skipped by git resume)"

// ledgerTitle is the text at the beginning of the first line of a ledger. The path of the plan follows in the same line.
const ledgerTitle = "# SDD ledger — plan: "

var (
	ledgerHead  = textdoc.NewForm(`(?i)^#+[ \t]+SDD ledger\b.*?\bplan:[ \t]*(.+)$`)
	ledgerLine  = textdoc.NewForm(`^(?i:task)[ \t]+([0-9]{1,6}(?:\.[0-9]{1,6}){0,4}[a-z]?)[ \t*]*:[ \t*]*(.*)$`)
	ledgerFix   = textdoc.NewForm(`^(?i:fix round)[ \t]+([0-9]{1,3})[ \t]*/[ \t]*([0-9]{1,3})`)
	ledgerRange = textdoc.NewForm(`\bcommits?[ \t]+([0-9a-f]{4,64})(?:\.\.\.?([0-9a-f]{4,64}))?`)
)

// parseLedger reads a ledger. It ignores lines in an unknown form, because people and agents also write notes into it.
func parseLedger(text string) *ledger {
	l := &ledger{last: map[string]entry{}}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		if number++; number > mostLines {
			break
		}
		if m := ledgerHead.FindStringSubmatch(line); m != nil && number == 1 {
			l.plan = strings.Trim(strings.TrimSpace(m[1]), "`\"'")
		}
		m := ledgerLine.FindStringSubmatch(strings.TrimLeft(textdoc.Unbulleted(line), "*_ \t"))
		if m == nil {
			continue
		}
		id, says := m[1], strings.TrimSpace(m[2])
		if strings.HasPrefix(strings.ToLower(says), "parked") {
			l.parked = append(l.parked, "Task "+id+": "+textdoc.Shorten(textdoc.OneLine(says), 120))
			continue
		}
		if _, known := l.last[id]; !known {
			l.order = append(l.order, id)
		}
		e := parseEntry(says)
		e.line = number
		l.last[id] = e
	}
	return l
}

func parseEntry(says string) entry {
	var e entry
	if c := ledgerRange.FindStringSubmatch(says); c != nil {
		e.from, e.to = c[1], c[2]
		if e.to == "" {
			e.to = e.from
		}
	}
	fix := ledgerFix.FindStringSubmatch(says)
	switch {
	case fix != nil:
		e.kind = fixEntry
		e.round, _ = strconv.Atoi(fix[1]) // the pattern allows at most three digits
		e.of, _ = strconv.Atoi(fix[2])
	case strings.HasPrefix(strings.TrimLeftFunc(strings.ToLower(says), notLetter), "complete"):
		e.kind, e.skipped = completeEntry, strings.Contains(says, skippedWords)
	}
	return e
}

func notLetter(r rune) bool { return r < 'a' || r > 'z' }

// isOf reports whether the ledger belongs to a plan. It is enough if the path in the ledger ends with the path of the plan, or the other
// way round. The path in the ledger may come from another machine, or be relative to a folder of the project.
func (l *ledger) isOf(plan string) bool {
	named := path.Clean("/" + strings.ReplaceAll(l.plan, `\`, "/"))
	if l.plan == "" || path.Base(named) != path.Base(plan) {
		return false
	}
	own := "/" + plan
	return strings.HasSuffix(named, own) || strings.HasSuffix(own, named)
}

// rounds returns the task whose last line is about a round of fixes. If there are several, it returns the one whose line comes last. The id
// is empty if there is none.
func (l *ledger) rounds() (id string, e entry) {
	for _, one := range l.order {
		if last := l.last[one]; last.kind == fixEntry && last.line > e.line {
			id, e = one, last
		}
	}
	return id, e
}
