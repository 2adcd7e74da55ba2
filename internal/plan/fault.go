package plan

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// maxFaults limits how many faults are shown. A longer list would only scroll the first faults off the screen.
const maxFaults = 20

// Fault is one reason why a plan is refused.
type Fault struct {
	File string // the file name that the caller gave, or empty
	Line int    // the line number from 1, or 0 if the fault has no line
	What string // what is wrong
	Cure string // how to fix it
}

// Error returns what is wrong, without the cure. If the file and the line are known, they come first.
func (f Fault) Error() string {
	switch {
	case f.File == "":
		return f.What
	case f.Line == 0:
		return escape(f.File) + ": " + f.What
	}
	return escape(f.File) + ":" + strconv.Itoa(f.Line) + ": " + f.What
}

// Faults lists the faults of a plan, sorted by line. If a plan has more than twenty, only the first twenty that were found are listed, and
// a last entry counts the others.
type Faults []Fault

// Error returns all faults, one per line.
func (f Faults) Error() string {
	texts := make([]string, len(f))
	for i, fault := range f {
		texts[i] = fault.Error()
	}
	return strings.Join(texts, "\n")
}

type collector struct {
	file string
	// ifEmpty is the cure for an empty plan, if the format has one of its own.
	ifEmpty string
	kept    Faults
	more    int
}

func (c *collector) add(line int, what, cure string) {
	if len(c.kept) == maxFaults {
		c.more++
		return
	}
	c.kept = append(c.kept, Fault{File: c.file, Line: line, What: what, Cure: cure})
}

// err returns the collected faults as an error of type Faults, or nil if there are none.
func (c *collector) err() error {
	if len(c.kept) == 0 {
		return nil
	}
	all := append(Faults(nil), c.kept...)
	sort.SliceStable(all, func(i, j int) bool { return all[i].Line < all[j].Line })
	if c.more > 0 {
		all = append(all, Fault{File: c.file, What: fmt.Sprintf("more faults: %d", c.more), Cure: "fix the first ones and try again"})
	}
	return all
}

// quote puts text in single quotes. It shortens long text and escapes unprintable characters.
func quote(s string) string {
	return "'" + escape(textdoc.Shorten(s, 60)) + "'"
}

// escape writes every unprintable character as an escape sequence.
func escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}
