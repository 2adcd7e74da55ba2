package sources

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/git-resume/git-resume/conflicts"
)

// Doubts are what does not fit together, in the order in which it was noticed.
type Doubts []Doubt

// Add notes one more.
func (d *Doubts) Add(code string, grade conflicts.Severity, file, format string, args ...any) {
	*d = append(*d, Doubt{Code: code, Severity: grade, Path: file, Text: fmt.Sprintf(format, args...)})
}

// mostDoubts is how many are told about files: whoever spoils a thousand lines has made the point with the first.
const mostDoubts = 40

// About notes one more with a text that begins with the file, while there are not too many.
func (d *Doubts) About(code string, grade conflicts.Severity, file, format string, args ...any) {
	if len(*d) < mostDoubts {
		d.Add(code, grade, file, "%s", file+" "+fmt.Sprintf(format, args...))
	}
}

// Refuse notes a file that is there and was not read, while there are not too many.
func (d *Doubts) Refuse(file string, err error) {
	if len(*d) < mostDoubts {
		*d = append(*d, DoubtOf(err, file))
	}
}

// Reading is a state folder of one worktree while it is read: which files it has, when it last showed a sign of life, what there is to doubt.
type Reading struct {
	Ctx    context.Context
	View   *View
	Tree   Tree
	Files  []string
	Doubts Doubts
	// Active is the newest sign of life, and From what it was taken from; Naive: that time has no zone.
	Active time.Time
	From   string
	Naive  bool
}

// Seen notes state files that are there.
func (r *Reading) Seen(files ...string) {
	for _, f := range files {
		if r.Tree.Has(f) && !slices.Contains(r.Files, f) {
			r.Files = append(r.Files, f)
		}
	}
}

// Saw notes a sign of life and what it was taken from.
func (r *Reading) Saw(when time.Time, from string) {
	if when.After(r.Active) {
		r.Active, r.From, r.Naive = when, from, false
	}
}

// SawText is Saw for a time as written.
func (r *Reading) SawText(text, from string) {
	when, naive, ok := ParseTime(text)
	if ok && when.After(r.Active) {
		r.Saw(when, from)
		r.Naive = naive && len(text) > len("2026-01-15")
	}
}

var leadingTime = NewForm(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]{4,18}(?:Z|[+-][0-9:]{4,6})?)?`)

// SawLabels takes the times with which labels of a file begin.
func (r *Reading) SawLabels(labels map[string]string, file string, names ...string) {
	for _, name := range names {
		r.SawText(leadingTime.FindString(labels[name]), name+" in "+path.Base(file))
	}
}

// SawFile takes the time of a file, where nothing in any of them tells one.
func (r *Reading) SawFile(file string) {
	if r.Active.IsZero() {
		when, _ := r.View.Written(r.Ctx, r.Tree, file)
		r.Saw(when, "the time of "+path.Base(file))
	}
}

// List gives the names in a folder; one that cannot be read is doubted.
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

// Recover is View.Recover; its doubts are noted.
func (r *Reading) Recover(file string, parse func([]byte) error) bool {
	ok, doubts := r.View.Recover(r.Ctx, r.Tree, file, parse)
	r.Doubts = append(r.Doubts, doubts...)
	return ok
}

// Markdown recovers a state file that is Markdown.
func (r *Reading) Markdown(file string, parse func(text string) error) bool {
	r.Seen(file)
	return r.Recover(file, func(data []byte) error {
		text, err := Markdown(data)
		if err == nil {
			err = parse(text)
		}
		return err
	})
}

// Plan recovers a plan.
func (r *Reading) Plan(file string) (doc PlanDoc) {
	r.Recover(file, func(data []byte) error {
		text, err := Markdown(data)
		if err == nil {
			doc, err = ReadPlanDoc(text)
		}
		return err
	})
	return doc
}

// Agents reads the marker and the history of coding agents in a folder.
func (r *Reading) Agents(dir string) Agents {
	a, doubts := r.View.readAgents(r.Ctx, r.Tree, dir)
	r.Doubts = append(r.Doubts, doubts...)
	r.Seen(a.MarkerPath, a.HistoryPath)
	r.Saw(a.Active(), agentHistory)
	return a
}

// Archived is the change that moves a state folder aside when the work starts afresh; such folders are not read.
func (v *View) Archived(t Tree, dir string) []Change {
	return []Change{{Tree: t.WorkTree, Path: dir, To: ArchiveName(dir, v.Now.UTC().Format("20060102T150405Z"))}}
}

// ArchiveName is where a state folder goes.
func ArchiveName(dir, when string) string { return dir + "-archive-" + when }

// Circle is a way along needs that comes back to where it begins, which stands at both its ends; nil if there is none.
func Circle[K comparable](all []K, needs func(K) []K) []K {
	const over, deepest = -1, 10000
	at := map[K]int{} // its place on the way, from 1
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
