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

// Doubts are contradictions and problems, in the order in which they were noticed.
type Doubts []Doubt

// Add adds a doubt.
func (d *Doubts) Add(code string, grade conflicts.Severity, file, format string, args ...any) {
	*d = append(*d, Doubt{Code: code, Severity: grade, Path: file, Text: fmt.Sprintf(format, args...)})
}

// mostDoubts limits the doubts about files: if a thousand lines are damaged, the first few show it.
const mostDoubts = 40

// About adds a doubt whose text starts with the file, unless there are too many already.
func (d *Doubts) About(code string, grade conflicts.Severity, file, format string, args ...any) {
	if len(*d) < mostDoubts {
		d.Add(code, grade, file, "%s", file+" "+fmt.Sprintf(format, args...))
	}
}

// Refuse adds a doubt about a file that exists but was not read, unless there are too many already.
func (d *Doubts) Refuse(file string, err error) {
	if len(*d) < mostDoubts {
		*d = append(*d, DoubtOf(err, file))
	}
}

// Reading collects what is learned while the state folder of one worktree is read: its files, its last activity, its doubts.
type Reading struct {
	Ctx    context.Context
	View   *View
	Tree   Tree
	Files  []string
	Doubts Doubts
	// Active is the time of the latest activity, and From where that time comes from; Naive says that the time has no zone.
	Active time.Time
	From   string
	Naive  bool
}

// Seen notes those of the state files that exist.
func (r *Reading) Seen(files ...string) {
	for _, f := range files {
		if r.Tree.Has(f) && !slices.Contains(r.Files, f) {
			r.Files = append(r.Files, f)
		}
	}
}

// Saw notes a time of activity and where it comes from.
func (r *Reading) Saw(when time.Time, from string) {
	if when.After(r.Active) {
		r.Active, r.From, r.Naive = when, from, false
	}
}

// SawText is Saw for a time that is still a text.
func (r *Reading) SawText(text, from string) {
	when, naive, ok := ParseTime(text)
	if ok && when.After(r.Active) {
		r.Saw(when, from)
		r.Naive = naive && len(text) > len("2026-01-15")
	}
}

var leadingTime = NewForm(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]{4,18}(?:Z|[+-][0-9:]{4,6})?)?`)

// SawLabels notes the times at the start of the values of some labels in a file.
func (r *Reading) SawLabels(labels map[string]string, file string, names ...string) {
	for _, name := range names {
		r.SawText(leadingTime.FindString(labels[name]), name+" in "+path.Base(file))
	}
}

// SawFile notes the time of a file, if no other time is known yet.
func (r *Reading) SawFile(file string) {
	if r.Active.IsZero() {
		when, _ := r.View.Written(r.Ctx, r.Tree, file)
		r.Saw(when, "the time of "+path.Base(file))
	}
}

// List returns the entries of a folder; a folder that cannot be read becomes a doubt.
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

// Recover calls View.Recover and keeps its doubts.
func (r *Reading) Recover(file string, parse func([]byte) error) bool {
	ok, doubts := r.View.Recover(r.Ctx, r.Tree, file, parse)
	r.Doubts = append(r.Doubts, doubts...)
	return ok
}

// Markdown reads a Markdown state file with Recover.
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

// Plan reads a plan with Recover.
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

// Archived returns the change that moves a state folder aside when the work starts afresh; archived folders are not read.
func (v *View) Archived(t Tree, dir string) []Change {
	return []Change{{Tree: t.WorkTree, Path: dir, To: ArchiveName(dir, v.Now.UTC().Format("20060102T150405Z"))}}
}

// ArchiveName returns the new name of a state folder that is moved aside.
func ArchiveName(dir, when string) string { return dir + "-archive-" + when }

// Circle finds a chain of needs that leads back to its start, which is both its first and its last element; nil if there is none.
func Circle[K comparable](all []K, needs func(K) []K) []K {
	const over, deepest = -1, 10000
	at := map[K]int{} // position on the current way, counted from 1
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
