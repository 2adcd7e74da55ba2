package longrun

import (
	"cmp"
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
)

type reader struct{ *run }

func read(ctx context.Context, v *sources.View, t sources.Tree, dir string) *run {
	r := reader{&run{Folder: planfolder.Folder{Reading: sources.Reading{Ctx: ctx, View: v, Tree: t}, Dir: dir}, commits: &evidence{ctx: ctx, view: v, tree: t}}}
	r.ReadState(&r.state.StateFile, r.state.parse)
	r.ReadAgents()
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
	r.commits.start, r.commits.units = r.commits.find(r.state.start), r.units
	r.checkCommits()
	if r.Naive {
		r.Doubts.Add(sources.DoubtLocalTime, conflicts.Info, "", "%s has no time zone; local time is assumed", r.From)
	}
	return r.run
}

func (r reader) unit(id string) *unit {
	i := slices.IndexFunc(r.units, func(u *unit) bool { return u.id == id })
	if i < 0 {
		i, r.units = len(r.units), append(r.units, &unit{id: id})
	}
	return r.units[i]
}

// owner returns the plan to which a file belongs. If no plan has exactly this id, leading zeros are ignored: 1-SUMMARY.md belongs to
// 01-PLAN.md, unless that plan already has such a file. If no plan fits, owner adds one.
func (r reader) owner(id string, has func(*unit) bool) *unit {
	if !slices.ContainsFunc(r.units, func(u *unit) bool { return u.id == id }) {
		for _, u := range r.units {
			if sources.NaturalOrder(u.id, id) == 0 && !has(u) {
				return u
			}
		}
	}
	return r.unit(id)
}

// readFolders reads plans, checkpoints and summaries from the given folders. It reads the plans first, so that 1-SUMMARY.md can be assigned
// to plan 01.
func (r reader) readFolders(subs ...string) {
	var files []string
	for _, sub := range subs {
		files = append(files, r.listFolder(path.Join(r.Dir, sub))...)
	}
	for _, kind := range []struct {
		suffix string
		take   func(id, file string)
	}{{"-PLAN.md", r.readPlan}, {"-CHECKPOINT.json", r.readCheckpoint}, {"-SUMMARY.md", r.readSummary}} {
		for _, file := range files {
			if id, ok := strings.CutSuffix(path.Base(file), kind.suffix); ok && id != "" {
				kind.take(id, file)
				r.Seen(file)
			}
		}
	}
}

// listFolder returns the files of a folder. It records the leftovers of interrupted writes in r.temps instead of returning them.
func (r reader) listFolder(dir string) (files []string) {
	for _, e := range r.List(dir) {
		file := dir + "/" + e.Name()
		if of, _, ok := strings.Cut(e.Name(), ".tmp"); ok {
			r.temps = append(r.temps, temp{path: file, of: dir + "/" + of})
			continue
		}
		files = append(files, file)
	}
	return files
}

func (r reader) readPlan(id, file string) {
	r.unit(id).planned = file
	r.planned++
}

// loadPlan reads the plan file. If the plan is finished, loadPlan reads only the title.
func (r reader) loadPlan(u *unit) {
	switch {
	case u.planned == "":
	case u.finished():
		r.loadTitle(u)
	default:
		u.plan = r.Plan(u.planned)
	}
}

// loadTitle reads the title of a finished plan, but only if the run has few plans. It ignores errors, because a finished plan is not needed
// otherwise.
func (r reader) loadTitle(u *unit) {
	const most = 40
	if len(r.units) > most {
		return
	}
	data, err := r.Tree.Read(u.planned)
	if err != nil {
		return
	}
	if doc, err := planfolder.ReadPlanDoc(textdoc.Text(data)); err == nil {
		u.plan.Title, u.plan.Front = doc.Title, doc.Front
	}
}

// checkTemps reads the temporary files of interrupted writes, and adds a warning about each. If a temporary file is complete and not older
// than its state file, the user can let it replace the state file.
func (r reader) checkTemps() {
	for i := range r.temps {
		t := &r.temps[i]
		data, err := r.Tree.Read(t.path)
		if err == nil && strings.HasSuffix(t.of, ".json") {
			_, err = textdoc.ParseJSON(data)
		} else if err == nil {
			_, err = textdoc.Markdown(data)
		}
		t.good = err == nil
		if file := r.Tree.Changed(t.of); t.good && r.Tree.Has(t.of) && r.Tree.Changed(t.path).Before(file) {
			t.good = false
			r.Doubts.Add("write-interrupted", conflicts.Info, t.path, "%s was left by an interrupted write and is older than %s, so it is not used; it stays where it is", t.path, path.Base(t.of))
			continue
		}
		if t.good {
			r.Doubts.Add("write-interrupted", conflicts.Warning, t.path, "%s is a complete new version of %s that never replaced it", t.path, path.Base(t.of))
			continue
		}
		r.Doubts.Add("write-interrupted", conflicts.Info, t.path, "%s is an unreadable part of %s, left by an interrupted write; it stays where it is", t.path, path.Base(t.of))
	}
}

// addCurrent adds the plan that STATE.md names as the current one, if the file of this plan is missing. It does so only if later plans
// exist and none of them has a summary.
func (r reader) addCurrent() {
	current := r.state.current
	if !r.state.OK || r.state.complete() || current == "" || strings.Trim(current, "0123456789") != "" || r.units.find(current) != nil || !r.units.numbered() {
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

// settleState decides how the run is reported if STATE.md is missing or unreadable. It uses r.units, so the plans must have been read
// already.
func (r reader) settleState() {
	s := &r.state
	known := r.Active
	r.SawLabels(s.Labels, s.Path, "last activity", "last session", "started")
	if r.Active.After(known) {
		r.timeOfDay()
	}
	r.SawFile(s.Path)
	if r.Active.IsZero() {
		r.sawFiles(func(time.Time) bool { return true })
	}
	switch {
	case s.OK:
	case s.There && len(r.units) == 0:
		r.corrupt = true
	case s.There:
		r.rebuilt = true
		from := sources.Count(r.summed, "summary", "summaries")
		if r.summed == 0 {
			from = "the plan files"
		}
		r.Doubts.Add(sources.DoubtRebuilt, conflicts.Warning, s.Path, "the state of the run was reconstructed from %s, because %s cannot be read", from, s.Path)
	case len(r.units) > 0:
		r.Doubts.Add(sources.DoubtMissing, conflicts.Info, s.Path, "%s does not exist; the plans' own files show where the run is", s.Path)
	}
}

// timeOfDay handles a time of activity in STATE.md that is only a date. It is read as the beginning of that day, and the files that were
// written on that day show more.
func (r reader) timeOfDay() {
	day := r.Active.Local()
	if h, m, s := day.Clock(); h+m+s != 0 {
		return
	}
	r.sawFiles(func(at time.Time) bool { return at.Local().Format(time.DateOnly) == day.Format(time.DateOnly) })
}

// sawFiles uses the times of the state files as times of activity, if the function counts returns true for them.
func (r reader) sawFiles(counts func(time.Time) bool) {
	r.View.Date(r.Ctx, r.Tree, r.Files...)
	for _, file := range r.Files {
		if at, _ := r.View.Written(r.Ctx, r.Tree, file); counts(at) {
			r.Saw(at, "the time of "+path.Base(file))
		}
	}
}

func (r reader) readCheckpoint(id, file string) {
	u := r.owner(id, func(u *unit) bool { return u.check != nil })
	if u.check = r.loadCheckpoint(file); u.check == nil {
		u.check = &progress{path: file, lost: true}
	}
}

// readAlias reads checkpoint.json, which another part of the long-run system writes. The file belongs to the plan that it names, or
// otherwise to the current plan. It counts only if that plan has no other checkpoint.
func (r reader) readAlias() {
	file := r.Dir + "/checkpoint.json"
	if !r.Tree.Has(file) {
		return
	}
	r.Seen(file)
	c := r.loadCheckpoint(file)
	if c == nil {
		return
	}
	id := cmp.Or(c.plan, r.state.current)
	if id == "" {
		return
	}
	u := r.units.find(id)
	if u == nil {
		u = r.unit(id)
	}
	if u.check == nil {
		u.check = c
	}
}

func (r reader) loadCheckpoint(file string) *progress {
	var c progress
	ok := r.Recover(file, func(data []byte) error {
		v, err := textdoc.ParseJSON(data)
		if err != nil {
			return err
		}
		if !v.IsObject() {
			return &textdoc.DamageError{Why: "is not a checkpoint"}
		}
		if c = parseCheckpoint(v); c.lost {
			return &textdoc.DamageError{Why: "says that " + c.odd}
		}
		return nil
	})
	if !ok {
		return nil
	}
	c.path = file
	r.SawText(c.at, path.Base(file))
	return &c
}

func (r reader) readSummary(id, file string) {
	u := r.owner(id, func(u *unit) bool { return u.sum != nil })
	r.summed++
	s := &summary{path: file}
	ok := r.Recover(file, func(data []byte) error {
		text, err := textdoc.Markdown(data)
		if err != nil {
			return err
		}
		s.data = data
		return s.parse(text)
	})
	u.sum = s
	if !ok {
		s.status, r.rebuilt = sources.UnreadableWord, true // a person must decide whether this plan is done
		return
	}
	r.Saw(s.ended, path.Base(file))
	if s.status != "" && sources.MeaningOf(s.status) == sources.MeansUnknown && !s.is("partial") && !s.is("unknown") {
		r.Doubts.Add(sources.DoubtUnknownWord, conflicts.Warning, file, "%s has the unknown status '%s'; it does not count as done", path.Base(file), s.status)
	}
}

func (r reader) readClarifications() {
	file := r.clarificationFile()
	if !r.Tree.Has(file) {
		return
	}
	ok := r.Markdown(file, func(text string) error {
		r.asked, r.unclear = parseClarifications(text)
		return nil
	})
	switch {
	case !ok:
		r.unclear = true
	case r.unclear:
		r.Doubts.Add(sources.DoubtDamaged, conflicts.Warning, file, "%s has a question in an unknown form: check in that file whether something waits for an answer", path.Base(file))
	}
	for _, c := range r.asked {
		r.SawText(c.asked, "clarifications.md")
	}
}
