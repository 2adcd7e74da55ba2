package longrun

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
)

// run is one state folder as it was read.
type run struct {
	ctx  context.Context
	view *sources.View
	tree sources.Tree
	dir  string // the state folder, below the worktree

	state    stateFile
	agents   sources.Agents
	units    []*unit
	asked    []clarification
	unclear  bool // clarifications.md may have questions that cannot be read
	temps    []temp
	files    []string
	doubts   []sources.Doubt
	rebuilt  bool
	corrupt  bool
	planned  int // plan files
	summed   int // summary files
	start    object.ID
	log      []past.Logged
	logRead  bool
	active   time.Time
	activeBy string
	naive    bool // that time has no zone
}

// unit is one plan with everything that is known about it.
type unit struct {
	id      string
	plan    sources.PlanDoc
	planned string // the plan file, where there is one
	check   *progress
	sum     *summary
}

// temp is what an interrupted write left beside a state file.
type temp struct {
	path, of string
	good     bool
}

func read(ctx context.Context, v *sources.View, t sources.Tree, dir string) *run {
	r := &run{ctx: ctx, view: v, tree: t, dir: dir}
	r.readState()
	agents, doubts := v.ReadAgents(ctx, t, dir)
	r.agents = agents
	r.doubts = append(r.doubts, doubts...)
	r.seen(agents.MarkerPath, agents.HistoryPath)
	r.saw(agents.Active(), "agent-history.json")
	r.readFolders("", "plans", "summaries")
	for _, u := range r.units {
		r.loadPlan(u)
	}
	r.readAlias()
	r.readClarifications()
	slices.SortFunc(r.units, func(a, b *unit) int { return sources.NaturalOrder(a.id, b.id) })
	r.checkTemps()
	r.addCurrent()
	r.settleState()
	r.start = r.commit(r.state.start)
	r.checkCommits()
	if r.naive {
		r.doubt(sources.DoubtLocalTime, conflicts.Info, "", "%s has no zone, and was taken as local time", r.activeBy)
	}
	return r
}

// empty: the folder is there, but nothing of the system is in it.
func (r *run) empty() bool {
	return !r.state.there && len(r.units) == 0 && !r.agents.Marked && len(r.agents.Entries) == 0 && len(r.asked) == 0 && len(r.doubts) == 0
}

func (r *run) doubt(code string, grade conflicts.Severity, file, format string, args ...any) {
	r.doubts = append(r.doubts, sources.Doubt{Code: code, Severity: grade, Path: file, Text: fmt.Sprintf(format, args...)})
}

// seen notes state files that are there.
func (r *run) seen(files ...string) {
	for _, f := range files {
		if r.tree.Has(f) && !slices.Contains(r.files, f) {
			r.files = append(r.files, f)
		}
	}
}

// saw notes a sign of life and what it was taken from.
func (r *run) saw(when time.Time, by string) {
	if when.After(r.active) {
		r.active, r.activeBy, r.naive = when, by, false
	}
}

// sawText is saw for a time as written.
func (r *run) sawText(text, by string) {
	when, naive, ok := sources.ParseTime(text)
	if ok && when.After(r.active) {
		r.saw(when, by)
		r.naive = naive && len(text) > len("2026-01-15")
	}
}

func (r *run) unit(id string) *unit {
	for _, u := range r.units {
		if u.id == id {
			return u
		}
	}
	u := &unit{id: id}
	r.units = append(r.units, u)
	return u
}

// owner is the plan that a file belongs to: the one of its very name, else one of its number that has no such file yet (1-SUMMARY.md of 01-PLAN.md).
func (r *run) owner(id string, has func(*unit) bool) *unit {
	for _, u := range r.units {
		if u.id == id {
			return u
		}
	}
	for _, u := range r.units {
		if sources.NaturalOrder(u.id, id) == 0 && !has(u) {
			return u
		}
	}
	return r.unit(id)
}

// find looks a plan up by its number, however it is written: 2 is 02.
func (r *run) find(id string) *unit {
	for _, u := range r.units {
		if id != "" && sources.NaturalOrder(u.id, id) == 0 {
			return u
		}
	}
	return nil
}

// readFolders takes in plans, checkpoints and summaries; a run of a single plan keeps them at the top of its folder.
// Plans come first: what belongs to them may write their number in another way.
func (r *run) readFolders(subs ...string) {
	var files []string
	for _, sub := range subs {
		files = append(files, r.listFolder(path.Join(r.dir, sub))...)
	}
	for _, kind := range []struct {
		suffix string
		take   func(id, file string)
	}{{"-PLAN.md", r.readPlan}, {"-CHECKPOINT.json", r.readCheckpoint}, {"-SUMMARY.md", r.readSummary}} {
		for _, file := range files {
			if id, ok := strings.CutSuffix(path.Base(file), kind.suffix); ok && id != "" {
				kind.take(id, file)
				r.seen(file)
			}
		}
	}
}

// listFolder are the files of a folder; what interrupted writes left is noted and is none of them.
func (r *run) listFolder(dir string) []string {
	if !r.tree.Has(dir) {
		return nil
	}
	entries, err := r.tree.List(dir)
	if err != nil {
		r.doubts = append(r.doubts, sources.DoubtOf(err, dir))
		return nil
	}
	var files []string
	for _, e := range entries {
		file := dir + "/" + e.Name()
		if of, _, ok := strings.Cut(file, ".tmp"); ok {
			r.temps = append(r.temps, temp{path: file, of: of})
			continue
		}
		files = append(files, file)
	}
	return files
}

func (r *run) readPlan(id, file string) {
	r.unit(id).planned = file
	r.planned++
}

// loadPlan reads what a plan has to do; of one that is done only its title is asked for.
func (r *run) loadPlan(u *unit) {
	if u.planned == "" {
		return
	}
	if u.finished() {
		r.loadTitle(u)
		return
	}
	_, doubts := r.view.Recover(r.ctx, r.tree, u.planned, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err != nil {
			return err
		}
		u.plan, err = sources.ReadPlanDoc(text)
		return err
	})
	r.doubts = append(r.doubts, doubts...)
}

// loadTitle reads what a finished plan is called, as long as there are not too many of them to be shown.
// What else is wrong with its file is nobody's concern any more.
func (r *run) loadTitle(u *unit) {
	const most = 40
	if len(r.units) > most {
		return
	}
	data, err := r.tree.Read(u.planned)
	if err != nil {
		return
	}
	if doc, err := sources.ReadPlanDoc(sources.Text(data)); err == nil {
		u.plan.Title = doc.Title
	}
}

// checkTemps looks at what interrupted writes left: a good copy may be newer than the file, a bad one is told and left alone.
func (r *run) checkTemps() {
	for i := range r.temps {
		t := &r.temps[i]
		data, err := r.tree.Read(t.path)
		if err == nil && strings.HasSuffix(t.of, ".json") {
			_, err = sources.ParseJSON(data)
		} else if err == nil {
			_, err = sources.Markdown(data)
		}
		t.good = err == nil
		if file := r.tree.Changed(t.of); t.good && r.tree.Has(t.of) && r.tree.Changed(t.path).Before(file) {
			t.good = false // the file was written after it
			r.doubt("write-interrupted", conflicts.Info, t.path, "%s is older than %s, and is left where it is", t.path, path.Base(t.of))
			continue
		}
		if t.good {
			r.doubt("write-interrupted", conflicts.Warning, t.path, "%s is a whole copy of %s that was never put in its place", t.path, path.Base(t.of))
			continue
		}
		r.doubt("write-interrupted", conflicts.Info, t.path, "%s is what an interrupted write left of %s, and cannot be read; it stays where it is", t.path, path.Base(t.of))
	}
}
