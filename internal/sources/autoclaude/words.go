package autoclaude

import (
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// command is the system's own way to go on.
func (l *looked) command(r *reading, f *sources.Found) string {
	if !f.State.Open() || f.State == sources.Corrupt || len(r.folders) == 0 {
		return ""
	}
	if r.specless() {
		return l.specCommand(r)
	}
	run := quote.Command("python auto-claude/run.py --spec %s", r.id)
	switch l.era(r) {
	case "a0":
		run = quote.Command("python auto-build/run.py --spec %s", r.id)
	case "c":
		run = quote.Command("python run.py --project-dir %s --spec %s", filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(r.project)), r.id)
	}
	switch f.Point.Task {
	case pointQA, pointFix:
		run += " --qa"
	case pointMerge:
		run += " --merge"
	default:
		if l.era(r) != "a0" { // whoever gets the command has chosen already, and must not be asked once more
			run += " --auto-continue"
		}
	}
	return run
}

// specCommand is the system's way to write the specification, which plans the work afterwards.
func (l *looked) specCommand(r *reading) string {
	switch l.era(r) {
	case "a0":
		return quote.Command("python auto-build/spec_runner.py --continue %s", r.id)
	case "c":
		return quote.Command("python runners/spec_runner.py --project-dir %s --continue %s", filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(r.project)), r.id)
	}
	return quote.Command("python auto-claude/spec_runner.py --continue %s", r.id)
}

// alternatives are the ways on that the system's own prompt offers, and those that its recovery adds.
func (l *looked) alternatives(r *reading, f *sources.Found) []sources.Alternative {
	var out []sources.Alternative
	add := func(yes bool, name, text string) {
		if yes {
			out = append(out, sources.Alternative{Name: name, Text: text})
		}
	}
	open, corrupt := f.State.Open(), f.State == sources.Corrupt
	built := r.proof.ahead > 0 || r.site.tree != nil
	item := r.isItem(f.Point.Task)
	fresh := "put the plan and its records aside in the spec's folder, and plan again; the specification stays"
	if built {
		fresh += ", and so does what was built in its worktree and on its branch"
	}
	add(open && corrupt && len(r.folders) > 0, sources.StartFresh, fresh)
	add(open && !corrupt && f.State != sources.Blocked && f.State != sources.Unknown && len(r.folders)+len(r.strays) > 0, sources.Continue, r.continueText(f))
	add(r.repairable(), sources.Repair, "put the version of the plan that can be read in the place of the damaged one")
	add(len(f.Questions) > 0, sources.Answer, answerText(f))
	add(built && open, sources.ReviewIt, "see what was built so far")
	add(built && open && r.tip != "" && (r.proof.ahead > 0 || !r.proof.asked), sources.MergeIt, "merge the branch as it is into "+strings.TrimPrefix(r.base, heads))
	add(open && !corrupt && r.resettable(), sources.Reset, "set what was in progress or failed back to pending, and keep what is completed")
	add(open && !corrupt && (item || len(f.Questions) > 0 && r.plan != nil), sources.RestartUnit, "set one "+word(r)+" back to pending and forget its failed attempts")
	add(open && !corrupt && (item || f.State == sources.Blocked), sources.SkipUnit, "skip one "+word(r)+" and continue after it; the plan calls it completed then")
	add(open && len(r.folders) > 0 && r.plan != nil && !corrupt, sources.StartFresh, fresh)
	add(open && r.site.tree != nil, sources.Discard, "discard its worktree and its branch, and stop showing it; all of it can be brought back")
	add(true, sources.Hide, "stop showing it in this repository")
	for i, alt := range out {
		if alt.Name == sources.RestartUnit || alt.Name == sources.SkipUnit {
			out[i].Of = r.openItems()
		}
	}
	return out
}

// answerText says what an answer does: the options change the plan, and any other word is left for whoever builds next.
func answerText(f *sources.Found) string {
	note := "leave a word for the next session in " + inputFile
	if len(f.Questions) == 0 || len(f.Questions[0].Options) == 0 {
		return note
	}
	return "say " + strings.Join(f.Questions[0].Options, " or ") + ", which changes the plan, or " + note
}

// openItems are the items that are not finished, as far as somebody can choose among them.
func (r *reading) openItems() []string {
	var out []string
	const most = 20
	for _, ph := range r.plan.phases {
		for _, it := range ph.items {
			if !it.finished() && len(out) < most {
				out = append(out, it.id)
			}
		}
	}
	return out
}

func word(r *reading) string {
	if r.plan != nil && r.plan.word != "" {
		return r.plan.word
	}
	return "item"
}

func (r *reading) continueText(f *sources.Found) string {
	where := "in a new worktree at " + f.Wants
	switch {
	case r.site.tree != nil:
		where = "in its worktree"
	case r.tip != "":
		where = "in a worktree for its branch at " + f.Wants
	}
	switch f.Point.Task {
	case pointMerge:
		return "review it and merge it"
	case pointQA:
		return "check the quality " + where
	case pointFix:
		return "repair what the quality check found, " + where
	}
	if r.isItem(f.Point.Task) {
		return "continue with " + f.Point.Task + " " + where
	}
	if r.specless() {
		return "write the specification and plan the work first, then build " + where
	}
	return "plan the work first, then build " + where
}

// protocol are the answers of the system's own functions and fields, under their names.
func (l *looked) protocol(r *reading, f *sources.Found) map[string]any {
	p := map[string]any{
		"is_first_run": r.plan == nil && r.missing, "load_implementation_plan": "valid", "staging_exists": r.site.tree != nil,
		"get_existing_build_worktree": nil, "branch_name": strings.TrimPrefix(r.branchName(), heads), "get_next_chunk": nil,
		"session": "coder", "scenario": l.scenario(r), "era": l.era(r),
	}
	if r.site.tree != nil {
		p["get_existing_build_worktree"] = l.below(r, r.site.tree.WorkTree)
	}
	switch {
	case r.plan == nil && r.missing:
		p["load_implementation_plan"], p["session"] = nil, "planner"
	case r.plan == nil || r.version != nil:
		p["load_implementation_plan"] = "invalid"
	}
	if phase := r.logPhase(); phase != "" {
		p["task_logs"] = phase
	}
	if r.plan != nil {
		r.planProtocol(p)
	}
	if r.mark != nil {
		p["status_file"] = map[string]any{"active": r.mark.active, "state": r.mark.state, "completed": r.mark.done, "total": r.mark.total, "session": r.mark.session}
	}
	return p
}

func (r *reading) planProtocol(p map[string]any) {
	all, finished, active, failed := r.plan.count()
	p[word(r)+"s"] = map[string]any{"completed": finished, "total": all, "in_progress": active, "failed": failed}
	p["status"], p["planStatus"] = r.plan.status, r.plan.planStatus
	if next, ok := r.plan.literal(); ok {
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

// scenario is the number of the recovery scenario that the system's text describes.
func (l *looked) scenario(r *reading) int {
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
