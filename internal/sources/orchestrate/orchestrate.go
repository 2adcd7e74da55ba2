// Package orchestrate reads the work of the orchestrate family: epics in waves, QA loops, workflow runs, builds,
// stories with a status, and the artefacts of a spec pipeline, below .aios or .aiox, qa, plan and docs/stories.
//
// It collects all of them, joins those that name the same story, and compares each with the stories and the history.
// It only reads, and continuing never changes a story.
package orchestrate

import (
	"cmp"
	"context"
	"path"
	"slices"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// Reader finds the work of this family.
type Reader struct{}

// New returns a Reader.
func New() *Reader { return &Reader{} }

// Starts names the family's commands where nothing was interrupted.
func (*Reader) Starts() string { return "with orchestrate; orchestrate-status shows the project" }

// Name returns the name of the family among the sources.
func (*Reader) Name() string { return "orchestrate" }

// AsksHistory marks this reader as one that searches the history, for the commits of the stories.
func (*Reader) AsksHistory() {}

// stateFolders are the folders that may hold work; without any of them there is nothing to find.
var stateFolders = []string{".aios", ".aiox", "qa", "plan", statefile.StoriesDir, "docs/specs"}

// Find collects the work in every worktree, ordered by the family's own priorities, and the newest first within each priority.
func (r *Reader) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var seen []*treeSearch
	var shelves []*story.Collection
	var all []*work
	for _, t := range v.Trees {
		if !slices.ContainsFunc(stateFolders, t.Has) {
			continue
		}
		l := &treeSearch{Files: statefile.Files{Ctx: ctx, View: v, Tree: t}, stories: story.Read(t)}
		seen, shelves = append(seen, l), append(shelves, l.stories)
	}
	story.Settle(ctx, v, shelves)
	for _, l := range seen {
		l.read()
		all = append(all, l.works...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	all = chooseCopies(all)
	order(all)
	all = join(all)
	warnUnattributed(all)
	for _, l := range seen {
		l.compare(worksIn(all, l))
	}
	all = foldStories(all)
	order(all)
	out := make([]sources.Found, 0, len(all))
	for _, w := range all {
		reporter{w}.finish()
		out = append(out, w.Found)
	}
	return out, nil
}

// order sorts works by priority, and the newest first within each priority.
func order(all []*work) {
	slices.SortStableFunc(all, func(a, b *work) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), b.Active.Compare(a.Active), sources.NaturalOrder(a.ID, b.ID))
	})
}

func worksIn(all []*work, l *treeSearch) []*work {
	return slices.DeleteFunc(slices.Clone(all), func(w *work) bool { return w.search != l })
}

func (l *treeSearch) read() {
	for _, k := range kinds {
		for _, home := range k.homes {
			for _, in := range k.folders {
				for _, dir := range l.dirs(path.Join(home, in)) {
					l.readIn(dir, k)
				}
			}
		}
	}
	l.readStories()
	l.readSpecs()
}
