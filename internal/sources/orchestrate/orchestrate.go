// Package orchestrate reads the work of the tools around a command named orchestrate: epics, QA loops, workflows, builds, stories and spec
// pipelines. Their files are in .aios, .aiox, qa, plan, docs/stories and docs/specs.
//
// The package combines state files for the same story, and compares them with the story files and the commits. It changes no file itself.
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

// Reader finds the work of the orchestrate tools.
type Reader struct{}

// New returns a Reader.
func New() *Reader { return &Reader{} }

// Starts names the commands that start new work. The text is shown if there is no work to continue.
func (*Reader) Starts() string {
	return "with the command orchestrate (orchestrate-status shows its status)"
}

// commandFiles are the files of the command orchestrate.
var commandFiles = []string{".aiox-core/development/tasks/orchestrate.md", ".aios-core/development/tasks/orchestrate.md", ".aios-core/tasks/orchestrate.md"}

// SetUp reports whether the command orchestrate is installed in a worktree.
func (*Reader) SetUp(t sources.Tree) bool { return slices.ContainsFunc(commandFiles, t.Has) }

// Name returns the name of this source.
func (*Reader) Name() string { return "orchestrate" }

// stateFolders are folders that may hold work. A worktree without any of them is skipped.
var stateFolders = []string{".aios", ".aiox", "qa", "plan", statefile.StoriesDir, "docs/specs"}

// Find returns the work in all worktrees, sorted by the priorities of the orchestrate tools, and then with the newest first.
func (r *Reader) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var seen []*treeSearch
	var shelves []*story.Collection
	var all []*work
	for _, t := range v.Trees {
		if !slices.ContainsFunc(stateFolders, t.Has) {
			continue
		}
		l := &treeSearch{Files: statefile.Files{Ctx: ctx, View: v, Tree: t}, stories: story.Read(v, t)}
		seen, shelves = append(seen, l), append(shelves, l.stories)
	}
	story.Settle(ctx, v, shelves)
	for _, l := range seen {
		v.Date(ctx, l.Tree, l.stories.Live()...)
		l.read()
		all = append(all, l.works...)
	}
	if len(all) == 0 {
		return nil, nil
	}
	all = chooseCopies(all)
	order(all)
	all = join(all)
	warnApart(all)
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

// order sorts pieces of work by priority. Among those of the same priority, the newest is first.
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
