package sources

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Doubts lists warnings about contradictions and problems, in the order in which they were noticed.
type Doubts []Doubt

// Add adds a warning.
func (d *Doubts) Add(code string, grade conflicts.Severity, file, format string, args ...any) {
	*d = append(*d, Doubt{Code: code, Severity: grade, Path: file, Text: fmt.Sprintf(format, args...)})
}

// mostDoubts is the number of warnings after which About and Refuse add no more. If a thousand lines are damaged, a few warnings are
// enough.
const mostDoubts = 40

// About adds a warning whose text starts with the name of the file. It does nothing if there are already too many warnings.
func (d *Doubts) About(code string, grade conflicts.Severity, file, format string, args ...any) {
	if len(*d) < mostDoubts {
		d.Add(code, grade, file, "%s", file+" "+fmt.Sprintf(format, args...))
	}
}

// Refuse adds a warning about a file that exists but was not read. It does nothing if there are already too many warnings.
func (d *Doubts) Refuse(file string, err error) {
	if len(*d) < mostDoubts {
		*d = append(*d, DoubtOf(err, file))
	}
}

// Reading collects the results while a source reads the state folder of one worktree.
type Reading struct {
	Ctx    context.Context
	View   *View
	Tree   Tree
	Files  []string
	Doubts Doubts
	// Active is the time of the latest activity. The field From says where this time was found. The field Naive means
	// that this time comes from a text with a time of day but without a known time zone.
	Active time.Time
	From   string
	Naive  bool
}

// Seen adds each of the given files to r.Files if it exists in the worktree.
func (r *Reading) Seen(files ...string) {
	for _, f := range files {
		if r.Tree.Has(f) && !slices.Contains(r.Files, f) {
			r.Files = append(r.Files, f)
		}
	}
}

// Saw records a time of activity and where that time was found. Only the latest time is kept.
func (r *Reading) Saw(when time.Time, from string) {
	if when.After(r.Active) {
		r.Active, r.From, r.Naive = when, from, false
	}
}

// SawText records an activity time that is given as text. It ignores a text that is not a time.
func (r *Reading) SawText(text, from string) {
	when, naive, ok := ParseTime(text)
	if ok && when.After(r.Active) {
		r.Saw(when, from)
		r.Naive = naive && len(text) > len("2026-01-15")
	}
}

var leadingTime = textdoc.NewForm(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]{4,18}(?:Z|[+-][0-9:]{4,6})?)?`)

// SawLabels records activity times from the values of the named labels. A value counts only if it starts with a time.
func (r *Reading) SawLabels(labels map[string]string, file string, names ...string) {
	for _, name := range names {
		r.SawText(leadingTime.FindString(labels[name]), name+" in "+path.Base(file))
	}
}

// SawFile uses the time of a file as the time of the last activity. It does nothing if a time of activity is already known.
func (r *Reading) SawFile(file string) {
	if r.Active.IsZero() {
		when, _ := r.View.Written(r.Ctx, r.Tree, file)
		r.Saw(when, "the time of "+path.Base(file))
	}
}

// List returns the entries of a folder. It adds a warning if the folder cannot be read.
func (r *Reading) List(dir string) []fs.DirEntry {
	if !r.Tree.Has(dir) {
		return nil
	}
	entries, err := r.Tree.List(dir)
	if err != nil {
		r.Doubts = append(r.Doubts, DoubtOf(err, dir))
	}
	return entries
}

// Recover calls View.Recover and records the warnings.
func (r *Reading) Recover(file string, parse func([]byte) error) bool {
	ok, doubts := r.View.Recover(r.Ctx, r.Tree, file, parse)
	r.Doubts = append(r.Doubts, doubts...)
	return ok
}

// Markdown reads a Markdown state file. Like Recover, it falls back to another copy if the file is damaged.
func (r *Reading) Markdown(file string, parse func(text string) error) bool {
	r.Seen(file)
	return r.Recover(file, func(data []byte) error {
		text, err := textdoc.Markdown(data)
		if err == nil {
			err = parse(text)
		}
		return err
	})
}

// Archived returns the change that renames a state folder, so that the workflow system can start with an empty folder. Sources ignore the
// renamed folder.
func (v *View) Archived(t Tree, dir string) []Change {
	return []Change{{Tree: t.WorkTree, Path: dir, To: ArchiveName(dir, v.Now.UTC().Format("20060102T150405Z"))}}
}

// ArchiveName returns the new name of an archived state folder.
func ArchiveName(dir, when string) string { return dir + "-archive-" + when }

// Circle finds a cycle of dependencies. The result starts and ends with the same element. It is nil if no cycle was
// found.
func Circle[K comparable](all []K, needs func(K) []K) []K {
	const over, deepest = -1, 10000
	at := map[K]int{} // position of each element in the current chain of dependencies, counted from 1
	var way []K
	var visit func(K) []K
	visit = func(k K) []K {
		switch {
		case at[k] > 0:
			return append(slices.Clone(way[at[k]-1:]), k)
		case at[k] == over || len(way) > deepest:
			return nil
		}
		way = append(way, k)
		at[k] = len(way)
		for _, need := range needs(k) {
			if c := visit(need); c != nil {
				return c
			}
		}
		at[k], way = over, way[:len(way)-1]
		return nil
	}
	for _, k := range all {
		if c := visit(k); c != nil {
			return c
		}
	}
	return nil
}
