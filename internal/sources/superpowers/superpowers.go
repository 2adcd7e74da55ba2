// Package superpowers reads the plans of the superpowers skills and the ledger that is written while a plan is carried out.
//
// The boxes of a plan are rarely ticked, so they are the weakest proof. A task is done by its line in the ledger, else by the commit that
// the plan prescribes, else by the files that it creates, and only then by its boxes. The plan itself is never changed.
package superpowers

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

// Source finds plans of superpowers.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and in the output.
func (Source) Name() string { return sources.Superpowers }

// records is the folder in which each plan has a folder for its ledger and its briefs.
const records = ".superpowers/sdd"

// largest is the size of the plans and ledgers that are read.
const largest = 4 << 20

// work is a plan with everything that is known about carrying it out.
type work struct {
	sources.Reading
	// path is the path of the plan, and text its content. The plan is gone if only a ledger names it.
	path, text string
	plan       plan
	ok, gone   bool
	// record is the folder with the ledger and the briefs. It is nil if there is none.
	record *record
	// site is the worktree in which the plan is carried out.
	site   sources.Tree
	branch string
	proof
}

// record is a folder of a plan below records, in one worktree.
type record struct {
	tree   sources.Tree
	dir    string
	ledger *ledger // nil if there is none, or if it cannot be read
	doubts []sources.Doubt
	// briefs and reports map the id of a task to the time when its file was written.
	briefs, reports map[string]time.Time
	used            bool
}

// baseOf returns the name of a plan's file without its ending.
func baseOf(file string) string { return strings.TrimSuffix(path.Base(file), ".md") }

// Find looks for plans and ledgers in every worktree.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var all []*work
	var folders []*record
	for _, t := range v.Trees {
		all = addPlans(ctx, v, t, all)
		folders = append(folders, recordsOf(t)...)
	}
	if len(all)+len(folders) == 0 {
		return nil, nil
	}
	all = withoutCopies(all)
	for _, w := range all {
		w.take(folders)
	}
	for _, r := range folders {
		if !r.used && r.ledger != nil {
			all = append(all, orphan(ctx, v, r))
		}
	}
	prove(ctx, v, all)
	found := make([]sources.Found, len(all))
	paths := map[string]string{}
	for i, w := range all {
		found[i] = w.describe()
		paths[found[i].Home+"\x00"+found[i].Files[0]] = strings.TrimSuffix(w.path, ".md")
	}
	sources.NameByFolder(found, func(f *sources.Found) string { return paths[f.Home+"\x00"+f.Files[0]] })
	slices.SortStableFunc(found, func(a, b sources.Found) int { return b.Active.Compare(a.Active) })
	return sources.MergeCopies(found), nil
}

// addPlans adds the plans of a worktree. A plan that another worktree has too is added once, as the copy with more ticked boxes.
func addPlans(ctx context.Context, v *sources.View, t sources.Tree, all []*work) []*work {
	for _, dir := range sources.SuperpowersFolders(v, t) {
		entries, err := t.List(dir)
		if err != nil {
			continue // the folder cannot be read, or a link leads out of the worktree
		}
		for _, e := range entries {
			file := dir + "/" + e.Name()
			if e.IsDir() || !sources.SuperpowersName(dir, e.Name()) {
				continue
			}
			at := slices.IndexFunc(all, func(w *work) bool { return w.path == file })
			w := read(ctx, v, t, file)
			switch {
			case w == nil:
			case at < 0:
				all = append(all, w)
			case w.ok && (!all[at].ok || w.ticked() > all[at].ticked()):
				all[at] = w
			}
		}
	}
	return all
}

// read reads a plan. It returns nil if the document is not a plan of superpowers.
func read(ctx context.Context, v *sources.View, t sources.Tree, file string) *work {
	w := &work{Reading: sources.Reading{Ctx: ctx, View: v, Tree: t}, path: file, site: t}
	foreign := false
	if size := t.Size(file); size > largest {
		w.Doubts.About(sources.DoubtRefused, conflicts.Warning, file, "has %d bytes, but at most %d are read", size, largest)
	} else {
		w.ok = w.Recover(file, func(data []byte) error {
			if foreign = !sources.NamesSuperpowers(data); foreign && len(data) > 0 {
				return nil
			}
			text, err := textdoc.Markdown(data)
			if err == nil {
				w.text, w.plan = text, parsePlan(text)
			}
			return err
		})
	}
	switch {
	case w.ok && (foreign || len(w.plan.tasks) == 0):
		return nil
	case !w.ok && !strings.HasSuffix(path.Dir(file), sources.SuperpowersPlans):
		return nil // other people use this folder too, and the document does not say whose it is
	}
	return w
}

func (w *work) ticked() (n int) {
	for _, t := range w.plan.tasks {
		n += t.ticked
	}
	return n
}

// withoutCopies leaves out plans that stand in a second folder too, with the same name and content.
func withoutCopies(all []*work) []*work {
	var out []*work
	for _, w := range all {
		copied := func(o *work) bool { return w.ok && baseOf(o.path) == baseOf(w.path) && o.text == w.text }
		if !slices.ContainsFunc(out, copied) {
			out = append(out, w)
		}
	}
	return out
}

// recordsOf reads the folders of all plans in a worktree. The ledger of earlier versions, which belonged to no plan, is one of them, with
// the name of the whole folder.
func recordsOf(t sources.Tree) (out []*record) {
	if !t.Has(records) {
		return nil
	}
	entries, err := t.List(records)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		switch {
		case e.IsDir():
			r := readRecord(t, records+"/"+e.Name())
			out = append(out, r)
		case e.Name() == ledgerName:
			out = append(out, readRecord(t, records))
		}
	}
	return out
}

const ledgerName = "progress.md"

func readRecord(t sources.Tree, dir string) *record {
	r := &record{tree: t, dir: dir, briefs: map[string]time.Time{}, reports: map[string]time.Time{}}
	entries, err := t.List(dir)
	if err != nil {
		r.doubts = append(r.doubts, sources.DoubtOf(err, dir))
	}
	for _, e := range entries {
		name := e.Name()
		if name == ledgerName {
			r.read(dir + "/" + name)
		}
		id, rest, _ := strings.Cut(strings.TrimPrefix(name, "task-"), "-")
		to := map[string]map[string]time.Time{"brief.md": r.briefs, "report.md": r.reports}[rest]
		if info, err := e.Info(); to != nil && err == nil && info.Mode().IsRegular() && strings.HasPrefix(name, "task-") {
			to[id] = info.ModTime()
		}
	}
	return r
}

// read reads a ledger. Git ignores it, so there is no older version to read instead.
func (r *record) read(file string) {
	if size := r.tree.Size(file); size > largest {
		r.doubts = append(r.doubts, sources.DoubtOf(&sources.RefusedError{Path: file, Why: "is too large to be a ledger"}, file))
		return
	}
	data, err := r.tree.Read(file)
	text := ""
	if err == nil {
		text, err = textdoc.Markdown(data)
	}
	if err != nil {
		r.doubts = append(r.doubts, sources.DoubtOf(err, file))
		return
	}
	r.ledger = parseLedger(text)
}

// take finds the folder of the plan. A ledger counts only if its first line names this plan: superpowers itself once continued one plan
// with the ledger of another.
func (w *work) take(folders []*record) {
	for _, r := range folders {
		file := r.dir + "/" + ledgerName
		switch {
		case r.dir == records:
			if r.tree.WorkTree == w.Tree.WorkTree && r.ledger != nil {
				w.Doubts.Add("ledger-unnamed", conflicts.Info, file, "%s does not belong to one plan: it is not used", file)
				r.used = true
			}
		case path.Base(r.dir) != baseOf(w.path):
		case r.ledger != nil && !r.ledger.isOf(w.path):
			w.Doubts.Add("ledger-foreign", conflicts.Warning, file, "%s is about another plan, %s: it is not used", file, textdoc.OneLine(r.ledger.plan))
			r.used = true
		case w.record == nil || r.newest().After(w.record.newest()):
			w.record, r.used = r, true
		}
	}
	if w.record == nil {
		return
	}
	w.Doubts = append(w.Doubts, w.record.doubts...)
	w.site = w.record.tree
	if w.site.Has(w.path) {
		if own := read(w.Ctx, w.View, w.site, w.path); own != nil && own.ok {
			w.Tree, w.text, w.plan, w.ok = w.site, own.text, own.plan, true
		}
	}
}

// newest returns when something was last written into the folder.
func (r *record) newest() time.Time {
	when := r.tree.Changed(r.dir + "/" + ledgerName)
	for _, times := range []map[string]time.Time{r.briefs, r.reports} {
		for _, t := range times {
			if t.After(when) {
				when = t
			}
		}
	}
	return when
}

// orphan is the work of a ledger whose plan no worktree has.
func orphan(ctx context.Context, v *sources.View, r *record) *work {
	w := &work{Reading: sources.Reading{Ctx: ctx, View: v, Tree: r.tree}, path: path.Base(r.dir) + ".md", ok: true, gone: true, record: r, site: r.tree}
	w.Doubts = append(w.Doubts, r.doubts...)
	named := textdoc.OneLine(r.ledger.plan)
	if r.dir == records || named == "" {
		named = "its plan"
	}
	w.Doubts.Add(sources.DoubtMissing, conflicts.Warning, r.dir, "%s is in no worktree, only its ledger %s", named, r.dir+"/"+ledgerName)
	for _, id := range r.ledger.order {
		w.plan.tasks = append(w.plan.tasks, task{id: id})
	}
	return w
}
