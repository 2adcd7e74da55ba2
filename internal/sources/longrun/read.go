package longrun

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

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

func (r *run) readState() {
	s := &r.state
	s.path = r.dir + "/STATE.md"
	if !r.tree.Has(s.path) && len(r.tree.Leftovers(s.path)) == 0 {
		return
	}
	s.there = true
	r.seen(s.path)
	ok, doubts := r.view.Recover(r.ctx, r.tree, s.path, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err == nil {
			s.parse(text)
		}
		return err
	})
	s.ok = ok
	r.doubts = append(r.doubts, doubts...)
}

// addCurrent takes in the plan at which the run stands although its file is lost: it stands between others, and no later one has a summary.
func (r *run) addCurrent() {
	current := r.state.current
	if !r.state.ok || r.state.complete() || current == "" || strings.Trim(current, "0123456789") != "" || r.find(current) != nil || !r.numbered() {
		return
	}
	after := slices.IndexFunc(r.units, func(u *unit) bool { return sources.NaturalOrder(u.id, current) > 0 })
	if after < 0 || slices.ContainsFunc(r.units[after:], func(u *unit) bool { return u.sum != nil }) {
		return
	}
	id := current
	if other := r.units[after].id; strings.HasPrefix(r.units[0].id, "0") && len(other) > len(id) {
		id = strings.Repeat("0", len(other)-len(id)) + id
	}
	r.units = slices.Insert(r.units, after, &unit{id: id})
}

// settleState says what a missing or unreadable state file means, once the plans are known.
func (r *run) settleState() {
	s := &r.state
	r.stateTimes()
	switch {
	case s.ok:
	case s.there && len(r.units) == 0:
		r.corrupt = true
	case s.there:
		r.rebuilt = true
		r.doubt(sources.DoubtRebuilt, conflicts.Warning, s.path, "where the run stands was put together from %s, because %s cannot be read", sources.Count(r.summed, "summary", "summaries"), s.path)
	case len(r.units) > 0:
		r.doubt(sources.DoubtMissing, conflicts.Info, s.path, "%s is not there; the plans' own files tell where the run stands", s.path)
	}
}

var leadingTime = sources.NewForm(`^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.]{4,18}(?:Z|[+-][0-9:]{4,6})?)?`)

func (r *run) stateTimes() {
	for _, name := range []string{"last activity", "last session", "started"} {
		r.sawText(leadingTime.FindString(r.state.labels[name]), name+" in STATE.md")
	}
	// Where nothing in any file tells a time, that of the file is left.
	if r.active.IsZero() {
		when, _ := r.view.Written(r.ctx, r.tree, r.state.path)
		r.saw(when, "the time of STATE.md")
	}
}

func (r *run) readCheckpoint(id, file string) {
	u := r.owner(id, func(u *unit) bool { return u.check != nil })
	if u.check = r.loadCheckpoint(file); u.check == nil {
		u.check = &progress{path: file, lost: true}
	}
}

// readAlias takes the one checkpoint that another part of the system reads: it belongs to the plan that it names, or where the run stands.
func (r *run) readAlias() {
	file := r.dir + "/checkpoint.json"
	if !r.tree.Has(file) {
		return
	}
	r.seen(file)
	c := r.loadCheckpoint(file)
	if c == nil {
		return
	}
	id := first(c.plan, r.state.current)
	if id == "" {
		return
	}
	u := r.find(id)
	if u == nil {
		u = r.unit(id)
	}
	if u.check == nil {
		u.check = c
	}
}

func (r *run) loadCheckpoint(file string) *progress {
	var c progress
	ok, doubts := r.view.Recover(r.ctx, r.tree, file, func(data []byte) error {
		v, err := sources.ParseJSON(data)
		if err != nil {
			return err
		}
		if !v.IsObject() {
			return &sources.DamageError{Why: "is no checkpoint"}
		}
		c = parseCheckpoint(v)
		return nil
	})
	r.doubts = append(r.doubts, doubts...)
	if !ok {
		return nil
	}
	c.path = file
	r.sawText(c.at, path.Base(file))
	return &c
}

func (r *run) readSummary(id, file string) {
	u := r.owner(id, func(u *unit) bool { return u.sum != nil })
	r.summed++
	s := &summary{path: file}
	ok, doubts := r.view.Recover(r.ctx, r.tree, file, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err != nil {
			return err
		}
		s.data = data
		return s.parse(text)
	})
	r.doubts = append(r.doubts, doubts...)
	u.sum = s
	if !ok {
		s.status, r.rebuilt = sources.UnreadableWord, true // whether that plan is done is for a person to say
		return
	}
	r.saw(s.ended, path.Base(file))
	if s.status != "" && sources.MeaningOf(s.status) == sources.MeansUnknown && !s.is("partial") && !s.is("unknown") {
		r.doubt(sources.DoubtUnknownWord, conflicts.Warning, file, "%s has the status '%s', which is not known; it does not count as done", path.Base(file), s.status)
	}
}

func (r *run) readClarifications() {
	file := r.clarificationFile()
	if !r.tree.Has(file) {
		return
	}
	r.seen(file)
	ok, doubts := r.view.Recover(r.ctx, r.tree, file, func(data []byte) error {
		text, err := sources.Markdown(data)
		if err == nil {
			r.asked, r.unclear = parseClarifications(text)
		}
		return err
	})
	r.doubts = append(r.doubts, doubts...)
	switch {
	case !ok:
		r.unclear = true // its damage was told
	case r.unclear:
		r.doubt(sources.DoubtDamaged, conflicts.Warning, file, "%s has a question in a form that is not known: look there whether something waits for an answer", path.Base(file))
	}
	for _, c := range r.asked {
		r.sawText(c.asked, "clarifications.md")
	}
}
