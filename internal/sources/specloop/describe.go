package specloop

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// commands is the prefix of the slash commands that continue a workflow.
const commands = "/humaninloop:"

// description converts the resume point of a specification workflow into a sources.Found.
type description struct{ *resumePoint }

func describe(s *resumePoint) sources.Found {
	l := description{s}
	f := sources.Found{Source: "spec-loop", ID: l.id, Name: l.id, Home: l.home.WorkTree, Root: l.dir, Files: l.files(), State: s.state,
		Active: l.when, From: l.from, Command: commands + "specify", Rebuilt: l.damaged,
		Point: sources.Point{Task: s.at, Title: title(s.at), Reason: s.reason}}
	if l.damaged && !s.state.Open() {
		f.State = sources.Corrupt // this state is from an older version of the index. The current version is damaged, and the loop may be open there
	}
	if l.x != nil {
		l.fill(&f)
	}
	if f.Active.IsZero() {
		f.Active, f.From = l.view.Written(l.ctx, l.home, path.Join(l.dir, ".workflow"))
	}
	f.Tasks = stepList{l}.tasks(f.State)
	f.Stands, f.Plan, f.Sound = l.progressText(f.State), planOf(l), soundOf(l)
	for _, q := range l.answered {
		f.Context = append(f.Context, fmt.Sprintf("answer to %s: %s", q.called(), q.answer))
	}
	if l.x != nil {
		for _, field := range []string{"feature name", "name", "original description"} {
			if name := l.x.meta[field]; name != "" {
				f.Calls = append(f.Calls, name)
			}
		}
	}
	f.Protocol = l.protocol(&f)
	if name, _ := f.Protocol["feature_name"].(string); name != "" { // the command names the feature, if it is known
		f.Command = quote.Command(f.Command+" %s", name)
	}
	if l.broken && f.State.Open() {
		f.State = sources.Blocked // whatever its step: the workflow's own check refuses this index, so a person must decide first
	}
	if f.State == sources.Interrupted && l.refused() {
		f.Rebuilt = true
		l.doubts.About(sources.DoubtOwnCheck, conflicts.Warning, l.file("index.md"), "would be rejected by the workflow's own check, because its questions and its gaps do not fit together")
	}
	f.Headline = l.headline(&f)
	f.Alternatives = l.alternatives(&f)
	f.Doubts = l.doubts
	return f
}

// progressText describes how far the workflow is: its iteration, if there is one, and its step.
func (l description) progressText(state sources.State) string {
	var parts []string
	if l.x != nil && (l.x.iteration > 0 || l.x.iteration == 0 && l.broken) {
		parts = append(parts, fmt.Sprintf("iteration %d of %d", l.x.iteration, l.x.rounds))
	}
	if l.at != "" && !l.broken && state.Open() { // if the workflow's index.md breaks the rules of the protocol, the step may be wrong
		parts = append(parts, "step "+l.at)
	}
	return strings.Join(parts, ", ")
}

// theEnd is shown instead of step C, which ends the loop, in the list of remaining steps.
const theEnd = "the end of the loop"

// planOf lists the remaining steps from step B1, B2 or B3 to the end of the loop. For the steps before B1 it returns nil.
func planOf(l description) []string {
	if !strings.HasPrefix(l.at, "B") {
		return nil
	}
	var out []string
	for _, s := range steps[3:6] { // the step ids are in alphabetical order, so they can be compared as texts
		if s.id >= l.at {
			out = append(out, s.id)
		}
	}
	if l.at != "B1" && len(l.pending) > 0 {
		out = slices.Insert(out, 1, "B1 (waits for an answer)")
	}
	end := theEnd
	if goesOn(l) {
		end = fmt.Sprintf("iteration %d or %s", l.x.iteration+1, theEnd)
	}
	return append(out, end)
}

func goesOn(l description) bool { return l.x != nil && l.x.iteration < l.x.rounds }

// soundOf returns a text that says that all parts of the index file are valid. The text is empty if a part is missing, breaks a rule of
// the specification loop, or has an unknown status.
func soundOf(l description) string {
	if l.x == nil || l.x.blank || l.damaged || l.broken || l.misfits() || l.uncounted() || l.x.loop["stale count"] == "" ||
		slices.ContainsFunc(l.doubts, func(d sources.Doubt) bool { return d.Code == sources.DoubtUnknownWord }) {
		return ""
	}
	return fmt.Sprintf("loop status, iteration, stale count (%d / 3), questions and gaps are valid", l.x.stale)
}

func (l description) files() []string {
	var out []string
	for _, full := range []string{l.file("index.md"), l.specFile()} {
		if l.home.Has(full) {
			out = append(out, full)
		}
	}
	return out
}

// fill adds the fields that come from the index file, such as status, cause and questions.
func (l description) fill(f *sources.Found) {
	x := l.x
	f.Status = x.loop["loop status"]
	f.Cause = x.loop["termination reason"]
	if branch := x.meta["branch"]; branch != "" && !l.view.Settle(l.ctx, f, branch) {
		l.doubts.About(sources.DoubtWorktree, conflicts.Info, l.file("index.md"), "names the branch '%s', which does not exist here", branch)
	}
	if f.State.Open() && !l.broken {
		for _, q := range l.pending {
			f.Questions = append(f.Questions, sources.Question{Task: q.id, Text: q.text, Options: q.options})
		}
	}
	if f.Point.Task == "A2" && x.status == validating {
		f.Needs = []sources.File{{Path: l.specFile(), For: "A3", Missing: true}}
	}
	if x.stale == 3 && f.State.Open() {
		l.doubts.About("loop-stale", conflicts.Info, l.file("index.md"), "records no progress in %d iterations", x.stale)
	}
}

// headline describes the workflow in one line, with the words that the workflow system itself would use.
func (l description) headline(f *sources.Found) string {
	name := l.id
	switch {
	case f.State == sources.Complete:
		return fmt.Sprintf("the workflow of '%s' is completed%s", name, because(f.Cause))
	case f.State == sources.Ended:
		return fmt.Sprintf("the workflow of '%s' was terminated%s", name, because(f.Cause))
	case l.x == nil:
		return fmt.Sprintf("found an interrupted workflow for '%s': %s", name, f.Point.Reason)
	}
	last := "last activity " + stamp(f.Active)
	if f.From != fromField && !f.Active.IsZero() { // the time is not from the field Last Activity, so the text says where it is from
		last = "last changed " + stamp(f.Active) + " (" + f.From + ")"
	}
	return fmt.Sprintf("found an interrupted workflow for '%s': %s, iteration %s, pending clarifications %d, %s",
		name, l.status(), l.iteration(), len(l.pending), last)
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func stamp(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	return t.UTC().Format(time.RFC3339)
}

// status returns the loop status in the words of the protocol. A loop without a status has not started. If the index cannot be read, the
// status is "unknown".
func (l description) status() string {
	if l.x == nil && l.damaged {
		return "unknown"
	}
	if l.x == nil || l.x.blank || l.x.status == "" {
		return notStarted
	}
	return l.x.status
}

func (l description) iteration() string {
	if l.x == nil && l.damaged {
		return "unknown"
	}
	if l.x == nil {
		return "0 / 10"
	}
	if l.x.iteration < 0 && l.broken {
		return "unknown"
	}
	return fmt.Sprintf("%d / %d", max(l.x.iteration, 0), l.x.rounds)
}

// protocol returns fields under the names that the workflow system itself uses, such as feature_id and loop_status.
func (l description) protocol(f *sources.Found) map[string]any {
	p := map[string]any{"found": f.State.Open(), "feature_id": l.id, "feature_name": l.id, "index_path": l.file("index.md"), "loop_status": l.status(),
		"Status": l.status(), "Iteration": l.iteration(), "Pending Clarifications": len(l.pending), "Last Activity": stamp(f.Active),
		"valid": !l.broken && !l.damaged && !(f.State.Open() && l.refused())}
	if f.Point.Task != "" && !l.broken && !(l.damaged && l.x == nil) { // an index that breaks the rules does not show where to continue
		p["resume_point"], p["resume_phase"] = f.Point.Task, "Phase "+f.Point.Task
	}
	return l.indexFields(p)
}

// indexFields adds to p the fields that were read from the index file, even if the index breaks rules of the protocol.
func (l description) indexFields(p map[string]any) map[string]any {
	if l.x == nil {
		return p
	}
	x := l.x
	if id := x.meta["id"]; id != "" {
		p["feature_id"] = id
	}
	if d := cmp.Or(x.meta["original description"], x.meta["feature name"], x.meta["name"]); d != "" {
		p["feature_name"] = d
	}
	p["iteration"] = max(x.iteration, 0)
	p["priority_loop_state"] = map[string]any{"loop_status": l.status(), "current_iteration": max(x.iteration, 0), "last_activity": x.loop["last activity"],
		"stale_count": max(x.stale, 0), "termination_reason": x.loop["termination reason"], "deferred_minor_gaps": x.loop["deferred minor gaps"], "known_issues": x.loop["known issues"]}
	var questions, gaps, history []any
	for _, q := range x.questions {
		if q.loose {
			continue
		}
		questions = append(questions, map[string]any{"id": q.id, "question_summary": q.text, "gaps": q.gaps, "status": q.status, "answer": q.answer, "options": q.options})
	}
	for _, g := range x.gaps {
		gaps = append(gaps, map[string]any{"priority": g.priority, "gap_id": g.id, "status": g.status, "resolution": g.resolution, "question": g.text})
	}
	for _, h := range x.history {
		history = append(history, map[string]any{"gap_id": h.gap, "iteration": h.iteration, "action": h.action, "details": h.details})
	}
	p["pending_questions"], p["gap_priority_queue"], p["gap_resolution_history"] = questions, gaps, history
	answers := map[string]string{}
	for _, q := range l.answered {
		answers[q.id] = q.answer
	}
	p["user_answers"] = answers
	if reason := x.loop["termination reason"]; reason != "" {
		p["termination_reason"] = reason
	}
	return p
}

const askAgain = "let the workflow ask its questions again"

// alternatives returns the actions that the user can choose. If the index is damaged or breaks a mandatory rule of the protocol, a repair
// comes first if there is one, and continuing is not offered. A closed workflow can only start fresh.
func (l description) alternatives(f *sources.Found) []sources.Alternative {
	fresh := sources.Alternative{Name: sources.StartFresh, Text: "move its folder aside (" + l.dir + "), so that the workflow starts at A1"}
	if spec := l.specFile(); l.hasSpec() && !strings.HasPrefix(spec, l.dir+"/") {
		fresh.Text += "; " + spec + " stays"
	}
	if !f.State.Open() {
		return []sources.Alternative{fresh}
	}
	by := sources.Alternative{Name: sources.ReviewIt, Text: "look at " + l.file("index.md") + " and repair it by hand", Edits: l.file("index.md")}
	if l.broken || l.damaged {
		return append(l.repair(), fresh, by)
	}
	set := append(l.repair(), by)
	switch {
	case l.misfits(): // the system's own check would reject this index, so repair must come before continue
		return slices.Concat(set, l.waysOn(f), []sources.Alternative{fresh})
	case l.uncounted():
		return slices.Concat(l.waysOn(f), set, []sources.Alternative{fresh})
	}
	return append(l.waysOn(f), fresh)
}

// waysOn returns the actions that continue the workflow or answer a question. If the workflow waits for a person, the answer comes first.
// Otherwise continuing comes first.
func (l description) waysOn(f *sources.Found) []sources.Alternative {
	on := []sources.Alternative{{Name: sources.Continue, Text: continues(l, f)}}
	var answer []sources.Alternative
	if len(f.Questions) > 0 {
		answer = []sources.Alternative{{Name: sources.Answer, Text: fmt.Sprintf("answer %s: %s", f.Questions[0].Task, f.Questions[0].Text)}}
	}
	if f.State == sources.Waiting {
		return append(answer, on...)
	}
	return append(on, answer...)
}

// The function continues() returns a text that says what happens if the user continues this workflow.
func continues(l description, f *sources.Found) string {
	switch {
	case f.Point.Task == "B1" && len(f.Questions) == 0:
		return "let the workflow ask its questions"
	case f.Point.Task == "B1":
		return askAgain
	case l.x != nil && l.x.iteration > 0:
		return fmt.Sprintf("continue from iteration %d with %s: %s", l.x.iteration, f.Point.Task, f.Point.Title)
	}
	return fmt.Sprintf("continue with %s: %s", f.Point.Task, f.Point.Title)
}
