// Package planfiles reads the plans of planning-with-files: task_plan.md at the top of a worktree, and in folders below
// .planning. People and agents write these plans in many forms and languages. A plan is divided into phases, whose
// progress is read from status words, boxes and commits. The package changes no file itself.
package planfiles

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// Source finds plans in files called task_plan.md.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and in the output.
func (Source) Name() string { return sources.PlanningFiles }

// These limits restrict what is read. Real plans are small.
const (
	largest   = 4 << 20
	mostPlans = 300
)

type work struct {
	sources.Reading
	// dir is the folder of the plan, and file is the plan itself. Both paths are relative to the worktree.
	dir, file string
	ok        bool
	plan      *plan
	leads     bool   // the tool itself would continue with this plan
	active    string // the folder name that the file .active_plan contains
	unread    int    // the number of older plans that were not read
	written   time.Time
}

// Find reads the plans of every worktree.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var all []*work
	for _, t := range v.Trees {
		some := find(ctx, v, t)
		var files []string
		for _, w := range some {
			files = append(files, w.Files...)
		}
		v.Date(ctx, t, files...)
		lead(some)
		addCommits(ctx, v, t, some)
		all = append(all, some...)
	}
	found := make([]sources.Found, 0, len(all))
	names := map[string]string{}
	for _, w := range all {
		f := w.describe()
		names[f.Home+"\x00"+f.Files[0]] = w.name()
		found = append(found, f)
	}
	sources.NameByFolder(found, func(f *sources.Found) string { return names[f.Home+"\x00"+f.Files[0]] })
	return sources.MergeCopies(found), nil
}

// name returns the path from which the name of the work is made.
func (w *work) name() string {
	if w.dir == "." {
		return strings.TrimSuffix(sources.PlanFile, ".md")
	}
	return w.dir
}

// find reads the plans of one worktree: the plan at its top, and the plans in folders below .planning. There may be a folder .planning at
// the top, and one in each project.
func find(ctx context.Context, v *sources.View, t sources.Tree) (all []*work) {
	if t.Has(sources.PlanFile) {
		all = addPlan(all, read(ctx, v, t, "."))
	}
	parents := []string{sources.PlanFolders}
	for _, project := range t.Projects(sources.PlanFolders) {
		if sources.IsPlanFolder(path.Base(project)) {
			parents = append(parents, project+"/"+sources.PlanFolders)
		}
	}
	for _, parent := range parents {
		if t.Has(parent) {
			all = append(all, below(ctx, v, t, parent)...)
		}
	}
	return all
}

func addPlan(all []*work, w *work) []*work {
	if w == nil {
		return all
	}
	return append(all, w)
}

// The function below() reads at most mostPlans plans in the subfolders of a .planning folder. If there are more, it reads those whose names
// come last in alphabetical order. They are usually the newest, because most names begin with a date.
func below(ctx context.Context, v *sources.View, t sources.Tree, parent string) (all []*work) {
	entries, err := t.List(parent)
	if err != nil {
		return nil // the folder cannot be read, or a link leads out of the worktree
	}
	var dirs []string
	for _, e := range entries {
		if dir := parent + "/" + e.Name(); e.IsDir() && sources.IsPlanFolder(e.Name()) && t.Has(dir+"/"+sources.PlanFile) {
			dirs = append(dirs, dir)
		}
	}
	unread := max(0, len(dirs)-mostPlans)
	active := ""
	if data, err := t.Read(parent + "/.active_plan"); err == nil && len(data) < 1000 {
		active = strings.TrimSpace(textdoc.Text(data))
	}
	for _, dir := range dirs[unread:] {
		all = addPlan(all, read(ctx, v, t, dir))
	}
	for _, w := range all {
		w.active, w.unread = active, unread
	}
	return all
}

// read reads one plan. It returns nil if the file contains no phases. Such a file probably comes from another tool that uses the same file
// name.
func read(ctx context.Context, v *sources.View, t sources.Tree, dir string) *work {
	w := &work{Reading: sources.Reading{Ctx: ctx, View: v, Tree: t}, dir: dir, file: path.Join(dir, sources.PlanFile), plan: &plan{}}
	w.Files = []string{w.file}
	w.Seen(path.Join(dir, "progress.md"), path.Join(dir, "findings.md"))
	if size := t.Size(w.file); size > largest {
		w.Doubts.About(sources.DoubtRefused, conflicts.Warning, w.file, "has %d bytes, but at most %d are read", size, largest)
		return w
	}
	w.ok = w.Recover(w.file, func(data []byte) error {
		text, err := textdoc.Markdown(data)
		if err == nil {
			w.plan = parse(text)
		}
		return err
	})
	if w.ok && len(w.plan.phases) == 0 {
		return nil
	}
	return w
}

// lead finds for each project the plan with which the tool itself would continue, and sorts the list so that these plans come first. The
// tool prefers the plan that .active_plan names, then the newest plan below .planning, then the plan at the top.
func lead(all []*work) {
	best := map[string]*work{}
	for _, w := range all {
		parent := path.Dir(w.dir)
		if w.dir == "." {
			parent = sources.PlanFolders
		}
		if o := best[parent]; o == nil || w.before(o) {
			best[parent] = w
		}
	}
	for _, w := range best {
		w.leads = true
	}
	slices.SortStableFunc(all, func(a, b *work) int {
		if a.leads != b.leads && b.leads {
			return 1
		} else if a.leads != b.leads {
			return -1
		}
		return 0
	})
}

// The method before() reports whether the tool would choose this plan rather than plan o.
func (w *work) before(o *work) bool {
	named := func(x *work) bool { return x.active != "" && path.Base(x.dir) == x.active }
	switch {
	case named(w) != named(o):
		return named(w)
	case (w.dir == ".") != (o.dir == "."):
		return o.dir == "."
	}
	if c := w.Tree.Changed(w.file).Compare(o.Tree.Changed(o.file)); c != 0 {
		return c > 0
	}
	return sources.NaturalOrder(w.dir, o.dir) > 0
}
