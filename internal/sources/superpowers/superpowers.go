// Package superpowers reads the plans of the superpowers skills and the ledger that is written while a plan is carried
// out. A line in the ledger is the strongest proof that a task is done. Boxes are the weakest, because they are rarely
// ticked. The package never changes a plan.
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

// records is the folder that contains one folder for each plan, with its ledger and its briefs.
const records = ".superpowers/sdd"

// largest is the maximum size of a plan or ledger that is read, in bytes.
const largest = 4 << 20

// work is a plan with everything that is known about the work on it.
type work struct {
	sources.Reading
	// path is the path of the plan, and text is its content. The field "gone" is true if the plan does not exist, and only its ledger was
	// found.
	path, text string
	plan       plan
	ok, gone   bool
	// unread means that the plan exists, but was not recognized as a plan of superpowers. Then the field "gone" is true too.
	unread bool
	// record is the folder with the plan's ledger and briefs. It is nil if there is none.
	record *record
	// site is the worktree in which the plan is carried out.
	site   sources.Tree
	branch string
	proof
}

// record is the folder with a plan's ledger and briefs in one worktree.
type record struct {
	tree   sources.Tree
	dir    string
	ledger *ledger // nil if there is no ledger, or if it cannot be read
	doubts []sources.Doubt
	// briefs and reports map the id of a task to the modification time of its brief or report.
	briefs, reports map[string]time.Time
	used            bool
}

// baseOf returns the file name of a plan without its ending.
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
	dateAll(ctx, v, all)
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

// dateAll finds out when the plans were written. Without it, git would be started for each plan.
func dateAll(ctx context.Context, v *sources.View, all []*work) {
	for _, t := range v.Trees {
		var paths []string
		for _, w := range all {
			if w.Tree.WorkTree == t.WorkTree && !w.gone {
				paths = append(paths, w.path)
			}
		}
		v.Date(ctx, t, paths...)
	}
}

// addPlans adds the plans of a worktree. If a plan is in several worktrees, it keeps the readable copy with the most
// ticked boxes.
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

// read reads a plan. It returns nil if the document is not, or not certainly, a plan of superpowers.
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
		return nil // other tools may use the folder too, and an unreadable file does not show which tool wrote it
	}
	return w
}

func (w *work) ticked() (n int) {
	for _, t := range w.plan.tasks {
		n += t.ticked
	}
	return n
}

// withoutCopies keeps only one of several plans with the same name and content in different folders.
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

// recordsOf reads the record folders of all plans in a worktree. It also reads the ledger directly in .superpowers/sdd, which earlier
// versions of superpowers used for all plans.
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

// read reads a ledger. There is no committed version to fall back to, because git ignores the ledger.
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

// take finds the record folder of the plan. A ledger is used only if its first line names this plan, because otherwise
// one plan could be continued with the ledger of another.
func (w *work) take(folders []*record) {
	for _, r := range folders {
		file := r.dir + "/" + ledgerName
		switch {
		case r.dir == records:
			if r.tree.WorkTree == w.Tree.WorkTree && r.ledger != nil {
				w.Doubts.Add("ledger-unnamed", conflicts.Info, file, "%s is not used, because it may be about other plans too", file)
				r.used = true
			}
		case path.Base(r.dir) != baseOf(w.path):
		case r.ledger != nil && r.ledger.plan == "":
			w.Doubts.Add("ledger-foreign", conflicts.Warning, file, "%s is not used, because it does not say which plan it belongs to", file)
			r.used = true
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

// newest returns the newest modification time of the ledger, the briefs and the reports.
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

// entry returns what the last line about a task in the ledger says. It is empty if no line is about the task, or if there is no ledger.
func (r *record) entry(id string) entry {
	if r == nil || r.ledger == nil {
		return entry{}
	}
	return r.ledger.last[id]
}

// fixing returns the task that is in a round of fixes according to the ledger, or "" if there is none.
func (r *record) fixing() string {
	if r == nil || r.ledger == nil {
		return ""
	}
	id, _ := r.ledger.rounds()
	return id
}

// next returns the task at which superpowers itself would continue, or "" if there is none. It uses only the ledger.
func (r *record) next(tasks []sources.Task) string {
	if id := r.fixing(); id != "" {
		return id
	}
	for _, t := range tasks {
		if r.entry(t.ID).kind != completeEntry {
			return t.ID
		}
	}
	return ""
}

// orphan returns the work for a ledger whose plan was not found or not recognized. Its tasks come from the ledger.
func orphan(ctx context.Context, v *sources.View, r *record) *work {
	w := &work{Reading: sources.Reading{Ctx: ctx, View: v, Tree: r.tree}, path: path.Base(r.dir) + ".md", ok: true, gone: true, record: r, site: r.tree}
	w.Doubts = append(w.Doubts, r.doubts...)
	named := textdoc.OneLine(r.ledger.plan)
	if r.dir == records || named == "" {
		named = "its plan"
	}
	if at, ok := r.tree.Reroot(r.ledger.plan); ok && r.dir != records {
		w.unread = true
		w.Doubts.Add(sources.DoubtRefused, conflicts.Warning, r.dir, "%s was not read, because it is not in a folder of plans or does not name superpowers; only its ledger %s was used", at, r.dir+"/"+ledgerName)
	} else {
		w.Doubts.Add(sources.DoubtMissing, conflicts.Warning, r.dir, "no worktree has %s; only its ledger %s was found", named, r.dir+"/"+ledgerName)
	}
	for _, id := range r.ledger.order {
		w.plan.tasks = append(w.plan.tasks, task{id: id})
	}
	return w
}
