package autoclaude

import (
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// command returns the command with which Auto-Claude continues, or "" if there is none.
func (t reporter) command() string {
	if !t.f.State.Open() || t.f.State == sources.Corrupt || len(t.r.folders) == 0 {
		return ""
	}
	if t.r.lacksSpec() {
		return t.specCommand()
	}
	run := quote.Command("python auto-claude/run.py --spec %s", t.r.id)
	switch t.l.era(t.r) {
	case "a0":
		run = quote.Command("python auto-build/run.py --spec %s", t.r.id)
	case "c":
		run = quote.Command("python run.py --project-dir %s --spec %s", filepath.Join(t.l.v.Trees[0].WorkTree, filepath.FromSlash(t.r.project)), t.r.id)
	}
	switch t.f.Point.Task {
	case pointQA, pointFix:
		run += " --qa"
	case pointMerge:
		run += " --merge"
	default:
		// The option --auto-continue makes run.py start without asking the user again. The oldest versions do not have this option.
		if t.l.era(t.r) != "a0" {
			run += " --auto-continue"
		}
	}
	return run
}

// specCommand returns the command with which Auto-Claude writes the specification and plans the work.
func (t reporter) specCommand() string {
	switch t.l.era(t.r) {
	case "a0":
		return quote.Command("python auto-build/spec_runner.py --continue %s", t.r.id)
	case "c":
		return quote.Command("python runners/spec_runner.py --project-dir %s --continue %s", filepath.Join(t.l.v.Trees[0].WorkTree, filepath.FromSlash(t.r.project)), t.r.id)
	}
	return quote.Command("python auto-claude/spec_runner.py --continue %s", t.r.id)
}

func (t reporter) alternatives() []sources.Alternative {
	var out []sources.Alternative
	add := func(yes bool, name, text string) {
		if yes {
			out = append(out, sources.Alternative{Name: name, Text: text})
		}
	}
	open, corrupt := t.f.State.Open(), t.f.State == sources.Corrupt
	built := t.r.proof.ahead > 0 || t.r.site.tree != nil
	item := t.r.isItem(t.f.Point.Task)
	again := t.planAgainText(built)
	out = append(out, t.otherSpecOptions()...)
	helps := len(out) == 0 // false while another spec uses the shared worktree, because resetting or skipping items does not help then
	add(open && corrupt && len(t.r.folders) > 0, sources.PlanAgain, again)
	add(open && !corrupt && t.f.State != sources.Blocked && t.f.State != sources.Unknown && len(t.r.folders)+len(t.r.strays) > 0, sources.Continue, t.continueText())
	add(t.r.repairable(), sources.Repair, "replace the damaged or missing plan with the version that can be read")
	add(len(t.f.Questions) > 0, sources.Answer, t.answerText())
	add(built && open, sources.ReviewIt, "see the changes made so far")
	add(built && open && t.r.tip != "" && (t.r.proof.ahead > 0 || !t.r.proof.asked), sources.MergeIt, "merge the branch as it is into "+refs.Short(t.r.base))
	resettable := t.r.resettable()
	add(open && !corrupt && helps && len(resettable) > 0, sources.Reset, "set "+sources.SomeOf(idsOf(resettable))+" back to pending; the record of failed attempts stays")
	add(open && !corrupt && helps && (item || len(t.f.Questions) > 0 && t.r.plan != nil), sources.RestartUnit, "set one "+itemWord(t.r)+" back to pending and forget its failed attempts")
	add(open && !corrupt && helps && (item || t.f.State == sources.Blocked), sources.SkipUnit, "skip one "+itemWord(t.r)+" and continue after it; the plan then marks it as completed")
	gone := t.r.withoutResults()
	add(open && !corrupt && helps && len(gone) > 0, sources.BuildAgain, "set "+sources.SomeOf(idsOf(gone))+" back to pending, because no branch here has "+wordFor(len(gone), "its result", "their results")+"; choose this only if "+wordFor(len(gone), "it is", "they are")+" not merged")
	add(open && len(t.r.folders) > 0 && !corrupt && (t.r.plan != nil || hasRecords(t.r)), sources.PlanAgain, again)
	what := "its branch"
	if t.r.site.tree != nil {
		what = "its worktree and its branch"
	}
	add(open && (t.r.site.tree != nil || t.r.tip != "" && t.r.site.held == ""), sources.Discard, "discard "+what+" (Auto-Claude's \"start fresh\"), and stop showing the spec; this can be undone")
	left := t.staleMarks()
	add(len(left) > 0, sources.CleanUp, "remove "+strings.Join(left, " and ")+", which the finished work left behind")
	add(true, sources.Hide, "stop showing it in this repository")
	for i, alt := range out {
		if alt.Name == sources.RestartUnit || alt.Name == sources.SkipUnit {
			out[i].Of = t.r.plan.openItems()
		}
	}
	return out
}

// planAgainText says what is archived before planning again, and what stays.
func (t reporter) planAgainText(built bool) string {
	text := "move the plan and its records aside in the spec's folder, and plan again; the specification stays"
	if t.r.plan == nil && t.r.missing {
		text = "move the records of the lost plan aside in the spec's folder, and plan again; the specification stays"
	}
	if built {
		text += ", and so do the changes in its worktree and on its branch"
	}
	return text
}

// otherSpecOptions lists actions for another spec that uses the shared worktree in which this spec would be built.
func (t reporter) otherSpecOptions() []sources.Alternative {
	other := t.r.site.other
	if other == nil || !t.f.State.Open() {
		return nil
	}
	key, place := system+":"+t.r.project+other.id, t.f.Wants
	out := []sources.Alternative{{Name: "review-other", Text: "see what " + other.id + " built in " + place, On: key, Does: sources.ReviewIt}}
	if !other.merged {
		out = append(out, sources.Alternative{Name: "merge-other", Text: "merge what " + other.id + " built into " + refs.Short(t.r.base) + "; after that, remove its worktree with " + other.remove, On: key, Does: sources.MergeIt})
	}
	return append(out, sources.Alternative{Name: "discard-other", Text: "discard the worktree and the branch of " + other.id + ", and stop showing it (can be undone)", On: key, Does: sources.Discard})
}

// leftAfterDiscard says what stays in a copy of the plan outside of the discarded worktree: open items, which are no longer shown, and
// completed items, which Auto-Claude would not build again, although their results are gone unless they are merged.
func (t reporter) leftAfterDiscard() string {
	if t.r.plan == nil || t.r.site.tree == nil && t.r.tip == "" {
		return ""
	}
	for _, c := range t.r.live {
		if c.plan == nil || t.r.site.tree != nil && c.tree.WorkTree == t.r.site.tree.WorkTree {
			continue
		}
		var open, done []string
		for it := range c.plan.all() {
			if it.state == checkpoint.Done {
				done = append(done, it.id)
			} else if !it.finished() {
				open = append(open, it.id)
			}
		}
		show := quote.Command("git resume hide --undo %s", t.f.Key())
		var parts []string
		if len(open) > 0 {
			parts = append(parts, "its plan stays, with "+sources.Count(len(open), "open "+c.plan.word, "open "+c.plan.word+"s")+" ("+sources.SomeOf(open)+"), but the spec is no longer shown; to continue with "+
				wordFor(len(open), "it", "them")+", show the spec again with "+show)
		}
		if len(done) > 0 && !t.r.proof.merged {
			it := wordFor(len(done), "it", "them")
			parts = append(parts, "its plan calls "+sources.SomeOf(done)+" completed, so run.py would not build "+it+" again; to have "+it+" built again, show the spec with "+show+
				", and then set "+it+" back with "+quote.Command("git resume %s --choose "+sources.BuildAgain, t.f.Key()))
		}
		if len(parts) > 0 {
			return c.path + ": " + strings.Join(parts, "; ")
		}
	}
	return ""
}

// staleMarks lists the outdated status file and pause file of a complete spec.
func (t reporter) staleMarks() []string {
	var out []string
	for _, d := range t.f.Doubts {
		if t.f.State == sources.Complete && d.Code == sources.DoubtStaleMarker && d.Path != "" && (d.Path == t.r.paused || t.r.mark != nil && d.Path == t.r.mark.path) {
			out = append(out, d.Path)
		}
	}
	return out
}

// answerText says what an answer does. Any text that is no option is left for the next session, and the item is tried again.
func (t reporter) answerText() string {
	note := "leave a message for the next session in " + inputFile
	if len(t.f.Questions) == 0 || len(t.f.Questions[0].Options) == 0 {
		return note
	}
	text := "answer '" + strings.Join(t.f.Questions[0].Options, "' or '") + "', or try again and " + note
	if t.r.plan == nil {
		return text
	}
	if it, ok := t.r.plan.find(t.f.Questions[0].Task); ok && t.r.history.needsPerson(it) != "" {
		text += "; to try it again, git-resume removes its failed attempts from " + historyFile
	}
	return text
}

func itemWord(r *reading) string {
	if r.plan != nil && r.plan.word != "" {
		return r.plan.word
	}
	for _, t := range r.rebuilt() { // without a plan, take the word for an item from the item ids, for example "chunk" from chunk-1-2
		for _, word := range []string{"chunk", "subtask"} {
			if strings.HasPrefix(t.ID, word+"-") {
				return word
			}
		}
	}
	return "item"
}

func (t reporter) continueText() string {
	where := "in a new worktree at " + t.f.Wants
	switch {
	case t.r.site.tree != nil:
		where = "in its worktree"
	case t.r.tip != "":
		where = "in a worktree for its branch at " + t.f.Wants
	}
	switch t.f.Point.Task {
	case pointMerge:
		return "review it and merge it"
	case pointQA:
		return "let Auto-Claude check the quality " + where
	case pointFix:
		return "fix the problems that the quality check found, " + where
	}
	if t.r.isItem(t.f.Point.Task) {
		return "continue with " + t.f.Point.Task + " " + where + t.resetText()
	}
	if t.r.lacksSpec() {
		return "write the specification and plan the work first, then build " + where
	}
	return "plan the work first, then build " + where
}

// resetText says how the plan is changed before the work continues.
func (t reporter) resetText() string {
	reset, done := t.r.unsettled(t.f.Point.Task)
	var texts []string
	if len(done) > 0 {
		texts = append(texts, sources.SomeOf(idsOf(done))+wordFor(len(done), " is", " are")+" marked as completed first")
	}
	if len(reset) > 0 {
		texts = append(texts, sources.SomeOf(idsOf(reset))+wordFor(len(reset), " is", " are")+" set back to pending first")
	}
	for i, c := range t.r.live {
		if i > 0 && t.r.version == nil && string(c.data) != string(t.r.live[0].data) {
			texts = append(texts, "the plan in "+c.where()+" is replaced by the one in "+t.r.live[0].where())
		}
	}
	if len(texts) == 0 {
		return ""
	}
	return " (" + strings.Join(texts, ", ") + ")"
}

func idsOf(items []item) (ids []string) {
	for _, it := range items {
		ids = append(ids, it.id)
	}
	return ids
}

// protocol returns a map with facts about the spec. Most of its keys, such as get_next_chunk, are names from Auto-Claude's source code.
func (t reporter) protocol() map[string]any {
	p := map[string]any{
		"is_first_run": t.r.plan == nil && t.r.missing, "load_implementation_plan": "valid", "staging_exists": t.r.site.tree != nil,
		"get_existing_build_worktree": nil, "branch_name": refs.Short(t.r.branchName()), "get_next_chunk": nil,
		"session": "coder", "scenario": t.r.scenario(), "era": t.l.era(t.r),
	}
	if t.r.site.tree != nil {
		p["get_existing_build_worktree"] = t.l.relative(t.r, t.r.site.tree.WorkTree)
	}
	switch {
	case t.r.plan == nil && t.r.missing:
		p["load_implementation_plan"], p["session"] = nil, "planner"
	case t.r.plan == nil || t.r.version != nil:
		p["load_implementation_plan"] = "invalid"
	}
	if phase := t.r.place.logPhase(); phase != "" {
		p["task_logs"] = phase
	}
	if t.r.plan != nil {
		t.r.planProtocol(p)
	}
	if t.r.mark != nil {
		p["status_file"] = map[string]any{"active": t.r.mark.active, "state": t.r.mark.state, "completed": t.r.mark.done, "total": t.r.mark.total, "session": t.r.mark.session}
	}
	return p
}

func (r *reading) planProtocol(p map[string]any) {
	all, finished, active, failed := r.plan.count()
	p[itemWord(r)+"s"] = map[string]any{"completed": finished, "total": all, "in_progress": active, "failed": failed}
	p["status"], p["planStatus"] = r.plan.status, r.plan.planStatus
	if next, ok := r.plan.nextByOwnRule(); ok {
		p["get_next_chunk"] = next
	}
	if r.plan.signoff.word != "" {
		p["qa_signoff"] = r.plan.signoff.word
	}
	if r.plan.note != "" {
		p["recoveryNote"] = r.plan.note
	}
	switch {
	case all == 0:
		p["session"] = "planner"
	case all == finished:
		p["session"] = "qa"
	}
	if r.commits.good != "" {
		p["last_good_commit"] = r.commits.good
	}
}

// scenario returns the number of the matching recovery scenario in Auto-Claude's documentation.
func (r *reading) scenario() int {
	if r.plan == nil {
		return 3
	}
	_, _, active, failed := r.plan.count()
	switch {
	case r.site.tree != nil && active+failed > 0:
		return 4
	case r.site.tree != nil:
		return 2
	}
	return 1
}
