package orchestrate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// finish writes what everybody reads: tasks, headline, ways on, and the plan in the family's own terms.
func (w *work) finish() {
	if len(w.Tasks) == 0 {
		w.tasksOfPhases()
	}
	w.Stopped = !w.implied && statefile.SaysStopped(w.Status)
	if w.State == sources.Complete {
		w.Cause = "" // it came to its end, and nothing interrupted it
	}
	w.headline()
	w.stands()
	if w.Command == "" && w.State.Open() {
		w.Command = quote.Command("@%s "+w.handoff+" %s", w.agent, w.subject())
	}
	w.alternatives()
	w.plan()
	w.Name = w.ID // a bare number says nothing beside the names of other work
}

// subject is what the hand-off is about, as an argument.
func (w *work) subject() string {
	if id, ok := strings.CutPrefix(w.about, "story "); ok {
		return id
	}
	return w.Name
}

func (w *work) headline() {
	parts := []string{w.title()}
	if w.ID == "stories" {
		parts[0] = w.about + " are in progress or in review by their status"
	}
	if w.position != "" {
		parts = append(parts, w.position)
	}
	w.Listed = strings.Join(parts, ", ")
	w.Headline = w.Listed + w.partly()
}

// title says what kind of work it is, and what it is for where that is known.
func (w *work) title() string {
	if w.about == "" || strings.EqualFold(w.about, w.kind) {
		return w.kind
	}
	return w.kind + " for " + w.about
}

// partly says which phases stay and which must be done again, where some do.
func (w *work) partly() string {
	var valid, again []string
	for i, p := range w.phases {
		switch {
		case p.invalid != "":
			again = append(again, fmt.Sprintf("%d (%s)", i+1, p.name))
		case p.over():
			valid = append(valid, fmt.Sprintf("%d (%s)", i+1, p.name))
		}
	}
	if len(again) == 0 || !w.State.Open() {
		return ""
	}
	text := "; a partial resume is possible: phase " + strings.Join(again, ", ") + " must be done again"
	if len(valid) > 0 {
		text += ", phase " + strings.Join(valid, ", ") + " stays valid"
	}
	return text
}

// stands says how far it is in the family's own units, and names the command that begins such work from scratch.
func (w *work) stands() {
	for _, unit := range []string{"phase ", "iteration ", "wave "} {
		if strings.HasPrefix(w.position, unit) {
			w.Stands = w.position
		}
	}
	if w.ID != "stories" && w.rank != rankRest {
		w.Again = quote.Command("@master orchestrate %s", w.subject())
	}
}

// worst is the gravest of the doubts; a file that is missing is one as well.
func (w *work) worst() conflicts.Severity {
	worst := conflicts.Info
	for _, d := range w.Doubts {
		worst = max(worst, d.Severity)
	}
	for _, n := range w.Needs {
		if n.Missing {
			worst = max(worst, weightOf(n))
		}
	}
	return worst
}

// weightOf a missing file: without a critical one nothing goes on.
func weightOf(n sources.File) conflicts.Severity {
	if n.Critical {
		return conflicts.Blocking
	}
	return conflicts.Warning
}

func (w *work) offer(name, format string, args ...any) {
	w.Alternatives = append(w.Alternatives, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
}

// alternatives are the ways on; where a conflict is in the way, going on is not among them.
func (w *work) alternatives() {
	if !w.State.Open() {
		return
	}
	if w.ID == "stories" {
		w.offer(sources.Hide, "do not show these stories here any more")
		return
	}
	states := strings.Join(w.stateFiles(), ", ")
	if w.repair {
		w.offer(sources.Repair, "put the whole version back in the place of %s, which is broken", first(w.Files))
	}
	if w.worst() < conflicts.Blocking && w.Point.Task != "" {
		how := ""
		if w.Rebuilt {
			how = ", by the state as it was put together above"
		}
		w.offer(sources.Continue, "continue at %s with @%s (%s)%s", orNone(w.Point.Task), w.agent, w.handoff, how)
	}
	if states != "" {
		w.offer(sources.StartFresh, "archive %s and start the %s from scratch; all that it made stays", states, w.title())
	} else if w.rank == rankStory || w.rank == rankReview {
		w.offer(sources.StartFresh, "set the status of %s from '%s' back to Draft, one word, and start the %s from scratch; all that it made stays", w.about, statefile.Short(w.Status), w.kind)
	}
	if u := w.units(); len(u) > 0 && len(w.Files) > 0 && !w.Rebuilt {
		w.offer(sources.RestartUnit, "start from one of these of your choice: %s", strings.Join(u, ", "))
		w.Alternatives[len(w.Alternatives)-1].Of = u
		w.skips()
	} else if w.look.listsPhases(&w.Found) {
		w.restartPhases()
	}
	if states != "" {
		w.offer(sources.CleanUp, "archive %s and stop here; stories that it left in progress or in review are set back to Ready", states)
	} else if w.rank == rankStory || w.rank == rankReview {
		w.offer(sources.CleanUp, "set the status of %s from '%s' back to Ready, one word, and stop here", w.about, statefile.Short(w.Status))
	}
	if w.implied {
		w.offer(sources.Hide, "do not show it here any more")
	}
}

// skips offers to leave out what is not over: a story that was done elsewhere or deleted is put right that way.
func (w *work) skips() {
	var left []string
	for _, t := range w.Tasks {
		open := t.State != statusDone && t.State != checkpoint.Skipped
		if open && w.look.unit(&w.Found, t.ID) != nil {
			left = append(left, t.ID)
		}
	}
	if len(left) > 0 {
		w.offer(sources.SkipUnit, "leave out one of these: %s", strings.Join(left, ", "))
		w.Alternatives[len(w.Alternatives)-1].Of = left
	}
}

// restartPhases offers to begin again with a phase that is over, or with the one that is next.
func (w *work) restartPhases() {
	var ids []string
	for i, p := range w.phases {
		if i <= w.at && w.startable(p.id) {
			ids = append(ids, p.id)
		}
	}
	if len(ids) > 0 {
		w.offer(sources.RestartUnit, "start from one of these phases of your choice: %s", strings.Join(ids, ", "))
		w.Alternatives[len(w.Alternatives)-1].Of = ids
	}
}

// units are the parts whose status the state file holds one by one.
func (w *work) units() []string {
	var out []string
	for _, t := range w.Tasks {
		if w.look.unit(&w.Found, t.ID) != nil && !w.gone(t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

// gone reports whether the file of a story is among those that are missing: nobody can work on it again.
func (w *work) gone(id string) bool {
	key := story.KeyOf(id)
	return slices.ContainsFunc(w.claims, func(c claim) bool {
		return c.key == key && w.storyOf(c) == nil && slices.ContainsFunc(w.Needs, func(n sources.File) bool { return n.Missing && n.Path == w.expected(c) })
	})
}

// stateFiles are those that belong to the workflow alone: stories and artefacts are the product.
func (w *work) stateFiles() []string { return stateFiles(&w.Found) }

func stateFiles(f *sources.Found) []string {
	var out []string
	for _, name := range f.Files {
		if statefile.IsState(name) {
			out = append(out, name)
		}
	}
	return out
}

// plan is the family's resume plan, by the names that its text gives the fields.
func (w *work) plan() {
	// No age in words: what is told must be the same while somebody thinks about it.
	assessment, advice := assess(w.look.View.Now.Sub(w.Active))
	p := w.fields
	p["workflow_type"], p["priority"] = w.kind, w.rank
	p["state_source_path"] = first(w.Files)
	p["interrupted_at"] = w.Active.UTC().Format(time.RFC3339)
	p["state_age"], p["recommendation"] = assessment, advice
	p["position"] = w.position
	w.validation(p)
	w.planPhases(p)
	if w.State.Open() {
		p["handoff"], p["agent"] = w.handoff, "@"+w.agent
	}
	if len(w.also) > 0 {
		p["also"] = w.also
	}
	if w.Cause != "" {
		p["interrupted_by"] = w.Cause
	}
	w.Protocol = p
}

// validation sorts the doubts into the family's three grades.
func (w *work) validation(p map[string]any) {
	grades := map[conflicts.Severity][]any{}
	for _, d := range w.Doubts {
		grades[d.Severity] = append(grades[d.Severity], d.Text)
	}
	for _, n := range w.Needs {
		if n.Missing {
			grades[weightOf(n)] = append(grades[weightOf(n)], n.Path+" is missing; needed by "+n.For)
		}
	}
	p["validation_status"] = [...]string{"clean", "warnings", "conflicts"}[w.worst()]
	for severity, name := range map[conflicts.Severity]string{conflicts.Info: "info", conflicts.Warning: "warnings", conflicts.Blocking: "conflicts"} {
		if len(grades[severity]) > 0 {
			p[name] = grades[severity]
		}
	}
	var missing, compared []any
	for _, n := range w.Needs {
		state := "present"
		if n.Missing {
			state = "missing"
			missing = append(missing, map[string]any{"path": n.Path, "phase": n.For, "critical": n.Critical})
		}
		for _, d := range w.Doubts {
			if d.Path == n.Path && (d.Code == "story-changed" || d.Code == sources.DoubtScope || d.Code == sources.DoubtForeignChange) && state == "present" {
				state = "changed"
			}
		}
		compared = append(compared, map[string]any{"path": n.Path, "state": state})
	}
	if len(missing) > 0 {
		p["missing_files"] = missing
	}
	if len(compared) > 0 {
		p["files"] = compared
	}
}

// planPhases are what is behind, what comes next with which input, and how much is left.
func (w *work) planPhases(p map[string]any) {
	var completed, valid, invalid, left []any
	var inputs []string
	for i, ph := range w.phases {
		entry := map[string]any{"number": i + 1, "name": ph.name, "agent": "@" + ph.agent}
		switch {
		case ph.invalid != "":
			invalid = append(invalid, map[string]any{"number": i + 1, "name": ph.name, "why": ph.invalid})
			left = append(left, entry)
		case ph.over() && (i < w.at || w.at < 0):
			entry["output"] = strings.Join(ph.makes, ", ")
			completed, valid = append(completed, entry), append(valid, entry)
			inputs = append(inputs, ph.makes...)
			p["last_completed_phase"] = entry
		case !ph.over() || i >= w.at:
			left = append(left, entry)
		}
	}
	for _, n := range w.Needs {
		if !n.Missing && strings.HasPrefix(n.Path, statefile.StoriesDir) {
			inputs = append(inputs, n.Path)
		}
	}
	if w.implied && w.rank != rankSpec {
		inputs = append(inputs, w.Files...)
	}
	set := func(name string, list []any) {
		if len(list) > 0 {
			p[name] = list
		}
	}
	set("completed_phases", completed)
	set("remaining_phases", left)
	if w.Point.Task != "" {
		p["resume_from_phase"] = map[string]any{"number": w.at + 1, "name": orTask(w.Point), "agent": "@" + w.agent, "inputs": unique(inputs)}
		p["estimated_remaining_phases"] = w.remaining()
	}
	if len(invalid) > 0 {
		set("valid_phases", valid)
		set("invalid_phases", invalid)
		p["suggestion"] = fmt.Sprintf("resume from phase %d, using the outputs of the phases before it", w.at+1)
	}
}

func orTask(p sources.Point) string {
	if p.Title == "" {
		return p.Task
	}
	return p.Title
}

func unique(list []string) []string {
	out := []string{}
	for _, s := range list {
		if s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// assess names an age and what the family advises about it.
func assess(age time.Duration) (assessment, advice string) {
	switch {
	case age < time.Hour:
		return "Fresh", "Resume safely"
	case age < day:
		return "Recent", "Resume with quick validation"
	case age <= week:
		return "Moderate", "Resume with careful validation"
	}
	return "Stale", "Consider restarting: the project may have changed significantly"
}
