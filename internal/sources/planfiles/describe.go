package planfiles

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

const (
	info    = conflicts.Info
	warning = conflicts.Warning
)

func (w *work) describe() sources.Found {
	f := sources.Found{Source: sources.PlanningFiles, Home: w.Tree.WorkTree, Root: w.dir, Files: w.Files, Protocol: map[string]any{"active": w.leads}}
	if w.dir == "." {
		f.Root, f.Calls = w.file, []string{w.View.Name()} // many repositories have only this plan, so people call it by the repository's name
	}
	w.date()
	if !w.ok {
		f.State, f.Headline = sources.Corrupt, w.file+" cannot be read"
		f.Active, f.From, f.Doubts = w.Active, w.From, w.Doubts
		return f
	}
	w.shorten()
	j := judge(w.plan, w.changedLast)
	f.State = j.state()
	j.addTasks(&f, w)
	j.addHeadline(&f)
	w.compare(j, f.State)
	w.leftBehind()
	f.Active, f.From, f.Doubts = w.Active, w.From, w.Doubts
	if f.State.Open() {
		f.Command = w.command()
	}
	f.Context = w.context(j)
	f.Alternatives = w.alternatives(j, &f)
	return f
}

// command returns the tool's own command to continue.
func (w *work) command() string {
	if w.dir == "." {
		return "/plan"
	}
	return quote.Command("/plan %s", w.dir)
}

// progress returns the path of the file in which the sessions record what they did.
func (w *work) progress() string { return path.Join(w.dir, "progress.md") }

// date finds the last activity. It uses the times of the plan and of progress.md, and the newest date in the headings of progress.md. It
// also adds a note if progress.md was committed after the plan, and reads from a newer progress.md which phases are done.
func (w *work) date() {
	written, by := w.View.Written(w.Ctx, w.Tree, w.file)
	w.Saw(written, "the time of "+sources.PlanFile)
	progress := w.progress()
	if !slices.Contains(w.Files, progress) {
		return
	}
	noted, notedBy := w.View.Written(w.Ctx, w.Tree, progress)
	w.Saw(noted, "the time of progress.md")
	if by == "commit" && notedBy == "commit" && noted.After(written) && w.ok && len(w.plan.phases) > 0 {
		w.Doubts.Add("plan-not-updated", info, w.file, "progress.md was committed after the plan; the plan may be behind")
	}
	data, err := w.Tree.Read(progress)
	if err != nil || len(data) > largest {
		return
	}
	if noted.After(written) && w.ok {
		w.plan.addLog(textdoc.Text(data))
	}
	for _, l := range textdoc.Visible(textdoc.Text(data)) {
		if _, title, ok := textdoc.Heading(l.Text); ok {
			if day, _, ok := sources.ParseTime(dayForm.FindString(title)); ok && !day.After(w.View.Now) {
				w.Saw(day, "the last session in progress.md")
			}
		}
	}
}

var dayForm = textdoc.NewForm(`20[0-9]{2}-[0-9]{2}-[0-9]{2}(?: [0-9]{2}:[0-9]{2})?`)

// shorten shortens a plan that has become a long diary. It leaves out the phases that were not changed in the last 30 days, as far as the
// commits show this.
func (w *work) shorten() {
	if len(w.plan.phases) <= diaryPhases && w.Tree.Size(w.file) <= diaryBytes {
		return
	}
	all := len(w.plan.phases)
	if w.plan.more > 0 {
		w.Doubts.Add("tasks-counted", info, w.file, "the plan has %d phases; only the first %d are read and counted", all+w.plan.more, all)
	}
	touches := w.View.Touches(w.Ctx, w.Tree, w.View.Now.Add(-diaryTime), oldTouches, nil, w.file)
	if len(touches) > 0 {
		for _, d := range touches[len(touches)-1].Changes {
			if d.Path != w.file || d.Letter != 'M' {
				continue
			}
			if data, err := w.View.Repo.Objects.BlobUpTo(w.Ctx, d.Old.ID, largest); err == nil {
				w.plan = w.plan.without(parse(textdoc.Text(data)))
			}
		}
	}
	if told := len(w.plan.phases); told < all {
		w.Doubts.Add("tasks-counted", info, w.file, "of %d phases only %d changed in the last 30 days; the others are not listed", all, told)
	}
}

// These limits restrict how many commits and versions of a plan are read.
const (
	oldTouches  = 300
	oldVersions = 8
)

// changedLast returns the one of the given phases that was changed last, according to the committed versions of the plan. It returns nil if
// these versions do not show this, or if the plan was not changed for a long time.
func (w *work) changedLast(some []*phase) *phase {
	if w.View.Now.Sub(w.Tree.Changed(w.file)) > diaryTime {
		return nil
	}
	versions, err := w.View.History(w.Ctx, w.Tree, w.file, oldVersions)
	if err != nil {
		return nil // git cannot show earlier versions, for example because there are no commits yet
	}
	for _, old := range versions {
		before := map[string]*phase{}
		for _, o := range parse(textdoc.Text(old.Data)).phases {
			before[o.id] = o
		}
		if at := slices.IndexFunc(some, func(p *phase) bool { return !p.sameAs(before[p.id]) }); at >= 0 {
			return some[at]
		}
	}
	return nil
}

func (j *judged) addTasks(f *sources.Found, w *work) {
	done, total := 0, 0
	for _, p := range j.phases {
		t := sources.Task{ID: p.id, Title: p.title, State: j.states[p], Needs: p.needs, Optional: p.optional, Evidence: fmt.Sprintf("%s:%d", w.file, p.line)}
		if p.wordLine > 0 {
			t.Raw = p.raw
		}
		if t.Commit = p.named; p.named != "" {
			t.Evidence = "commit " + p.named.Short() + " names the task"
		} else if p.logged > 0 {
			t.Evidence = fmt.Sprintf("%s:%d", w.progress(), p.logged)
		}
		t.Overtaken = j.overtaken(p) && j.left(p)
		f.Tasks = append(f.Tasks, t)
		if t.State == checkpoint.Done {
			done++
		}
		if t.State == checkpoint.Done || j.left(p) {
			total++
		}
		for _, b := range p.steps {
			if b.Done {
				f.Steps++
			}
		}
	}
	f.Protocol["completed"], f.Protocol["total"] = done, total
	f.Headline = fmt.Sprintf("%d of %d phases are done", done, total)
	f.Stands = fmt.Sprintf("%d of %d done", done, total)
	if j.at == nil {
		return
	}
	f.Stands = sources.Nth("phase", j.at.id, slices.Index(j.phases, j.at)+1, len(j.phases))
	f.Point = sources.Point{Task: j.at.id, Title: j.at.title, Reason: j.why}
	if step := j.at.firstOpen(); step != nil {
		f.Point.Title += " / " + stepName(*step)
		f.Protocol["step"] = stepName(*step)
	}
}

func (j *judged) addHeadline(f *sources.Found) {
	if j.at == nil {
		return
	}
	label := strings.TrimSpace("phase " + j.at.id + " " + j.at.title)
	switch {
	case f.State == sources.Review && !j.unclosed(j.at):
		f.Headline += "; " + label + " waits for a review"
	case f.State == sources.Review:
		f.Headline += "; all steps of " + label + " are ticked, but it is not closed"
	case j.isActive(j.at):
		f.Headline += "; " + label + " is in progress"
	default:
		f.Headline += "; next is " + label
	}
}

// context lists facts for the next worker.
func (w *work) context(j *judged) (out []string) {
	if j.at != nil {
		var open []string
		for _, b := range j.at.steps {
			if !closed(b) {
				open = append(open, stepName(b))
			}
		}
		if len(open) > 1 {
			out = append(out, "open steps of phase "+j.at.id+": "+sources.SomeOf(open))
		}
		if j.next != "" {
			out = append(out, "the plan's own next step: "+j.next)
		}
	}
	if !w.leads {
		out = append(out, "planning-with-files itself would continue with another plan")
	}
	if w.leads && w.unread > 0 {
		out = append(out, sources.Count(w.unread, "older plan is", "older plans are")+" not read")
	}
	return out
}

func ids(some []*phase) (out []string) {
	for _, p := range some {
		out = append(out, p.id)
	}
	return out
}

// compare adds warnings about contradictions in the plan, for example a finished phase with open steps.
func (w *work) compare(j *judged, state sources.State) {
	add := func(code string, grade conflicts.Severity, format string, args ...any) {
		w.Doubts.Add(code, grade, w.file, format, args...)
	}
	for _, p := range j.phases {
		if p.overruled() {
			counts := "git-resume treats it as finished, because a later phase was started"
			if j.isActive(p) {
				counts = "git-resume treats it as unfinished"
			}
			w.Doubts.About(sources.DoubtDiscrepancy, warning, w.file, "says that phase %s is %s, but it has open steps; %s", p.id, textdoc.Shorten(textdoc.OneLine(p.raw), 40), counts)
		}
		if j.states[p] == sources.TaskUnknown {
			w.Doubts.About(sources.DoubtUnknownWord, info, w.file, "has the unknown status '%s' for phase %s; it counts as open", textdoc.Shorten(textdoc.OneLine(p.raw), 40), p.id)
		}
	}
	if some := j.some(j.unclosed); len(some) > 0 {
		add(sources.DoubtStatusWord, info, "every step of %s is ticked, but the status says otherwise", phaseNames(some))
	}
	if !state.Open() || j.at == nil {
		return
	}
	active := j.some(j.isActive)
	if len(active) > 1 {
		add("several-in-progress", info, "%d phases are in progress: %s", len(active), sources.SomeOf(ids(active)))
	}
	if passed := slices.DeleteFunc(slices.Clone(active), func(p *phase) bool { return !j.overtaken(p) }); len(passed) > 0 {
		add(sources.DoubtSkippedOver, info, "%s in progress, although a later phase is done", phasesAre(passed))
	}
	if len(active) > 0 && active[0] != j.at {
		add(sources.DoubtOwnCheck, info, "planning-with-files itself would continue with phase %s, the first that is in progress; git-resume continues with phase %s", active[0].id, j.at.id)
	}
	if named := j.named(); named != nil && named != j.at {
		add(sources.DoubtStaleMarker, info, "the plan calls phase %s the current one", named.id)
	}
	w.compareNeeds(j)
}

func phasesAre(some []*phase) string {
	if len(some) == 1 {
		return phaseNames(some) + " is"
	}
	return phaseNames(some) + " are"
}

func phaseNames(some []*phase) string {
	if len(some) == 1 {
		return "phase " + some[0].id
	}
	return "phases " + sources.SomeOf(ids(some))
}

// compareNeeds adds warnings about dependencies on missing phases, and about phases that depend on each other in a cycle.
func (w *work) compareNeeds(j *judged) {
	var missing, open []string
	for _, p := range j.some(func(*phase) bool { return true }) {
		open = append(open, p.id)
		for _, id := range p.needs {
			if j.byID[id] == nil {
				missing = append(missing, p.id+" on "+id)
			}
		}
	}
	if len(missing) > 0 {
		w.Doubts.Add(sources.DoubtUnknownNeed, warning, w.file, "phases depend on phases that do not exist: %s", sources.SomeOf(missing))
	}
	needs := func(id string) []string {
		if p := j.byID[id]; p != nil && j.left(p) {
			return p.needs
		}
		return nil
	}
	if circle := sources.Circle(open, needs); circle != nil {
		w.Doubts.Add(sources.DoubtCycle, warning, w.file, "phases depend on each other: %s", strings.Join(circle[:min(len(circle), 8)], " → "))
	}
}

// leftBehind adds notes about the lock and the temporary files of a session that may have been killed, and about a file .active_plan that
// names a missing plan.
func (w *work) leftBehind() {
	if w.dir != "." {
		for _, file := range w.Tree.Leftovers(w.file) {
			w.Doubts.About(sources.DoubtStaleMarker, info, file, "was left by an interrupted write")
		}
	}
	if lock := w.lock(); w.Tree.Has(lock) {
		w.Doubts.About(sources.DoubtStaleMarker, info, lock, "means that a session is writing, or was killed while it wrote")
	}
	if w.active == "" || !w.leads {
		return
	}
	if parent := path.Dir(w.dir); !sources.IsPlanFolder(w.active) || !w.Tree.Has(parent+"/"+w.active+"/"+sources.PlanFile) {
		w.Doubts.Add(sources.DoubtStaleMarker, info, parent+"/.active_plan", "%s/.active_plan names '%s', which is not a plan", parent, textdoc.Shorten(textdoc.OneLine(w.active), 60))
	}
}

// lock returns the path of the file that exists while a session of the tool writes the plan.
func (w *work) lock() string { return path.Join(w.dir, ".write_lock") }

func (w *work) alternatives(j *judged, f *sources.Found) (out []sources.Alternative) {
	note := ""
	if w.Tree.Has(path.Join(w.dir, ".attestation")) {
		note = "; the hooks of planning-with-files refuse the plan until you attest it again"
	}
	add := func(name, format string, args ...any) {
		out = append(out, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
	}
	if j.at != nil && f.State.Open() {
		add(sources.Continue, "continue with phase %s %s", j.at.id, f.Point.Title)
	}
	replaced := slices.ContainsFunc(w.Doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtFallback })
	if replaced || w.Tree.Has(w.lock()) {
		return out // an older version of the plan was read, or a session may be writing the plan, so the file must not be edited
	}
	if j.at != nil && f.State.Open() {
		add(sources.SkipUnit, "close phase %s in %s and continue with the next%s", j.at.id, w.file, note)
	}
	if some := j.some(j.unclosed); len(some) > 0 {
		add(sources.Repair, "set the status of %s to complete, because all steps are ticked%s", phaseNames(some), note)
	}
	return out
}
