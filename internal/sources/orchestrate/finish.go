package orchestrate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// reporter completes the report about one piece of work.
type reporter struct{ *work }

// finish fills in the remaining fields of the report, such as the tasks, the headline and the resume plan.
func (w reporter) finish() {
	if len(w.Tasks) == 0 {
		w.tasksOfPhases()
	}
	w.Stopped = !w.implied && statefile.SaysStopped(w.Status)
	if w.State == sources.Complete {
		w.Cause = "" // finished work has no cause of interruption
	}
	w.edits()
	w.headline()
	w.describeProgress()
	switch {
	case w.Command != "" || !w.State.Open():
	case w.ledByMaster():
		w.Command = quote.Command("@master orchestrate %s at %s with @%s", w.subject(), w.Point.Task, w.agent)
	default:
		w.Command = quote.Command("@%s "+w.handoff+" %s", w.agent, w.subject())
	}
	alternativeList(w).alternatives()
	planning(w).plan()
	if id, ok := strings.CutPrefix(w.about, "story "); ok {
		w.Calls = append(w.Calls, id, w.about)
	}
	w.Name = w.ID // the name alone may be a number such as 3, so the ID is shown
}

// edits records the existing files that the work changes, if a state file names them. The file list of a story alone does not say who
// changes its files now.
func (w reporter) edits() {
	for _, f := range w.changedFiles {
		if rel, there := w.resolve(f); there && !w.implied && len(w.Edits) < maxWatched && !slices.Contains(w.Edits, rel) {
			w.Edits = append(w.Edits, rel)
		}
	}
}

// ledByMaster reports whether the agent of the next step is called through the master agent. This is so for steps such as "create", which
// have no orchestrate task of their own.
func (w *work) ledByMaster() bool {
	return w.handoff == "orchestrate" && w.agent != "master" && w.Point.Task != ""
}

// subject returns the argument of the orchestrate command, such as the id of a story.
func (w reporter) subject() string {
	if id, ok := strings.CutPrefix(w.about, "story "); ok {
		return id
	}
	if w.kind == "Spec Pipeline" && w.about != "" {
		return w.about
	}
	return w.Name
}

func (w reporter) headline() {
	parts := []string{w.title()}
	if w.ID == "stories" {
		parts[0] = w.about + " are in progress or in review, according to their status"
	}
	if w.position != "" {
		parts = append(parts, w.position)
	}
	w.Listed = strings.Join(parts, ", ")
	w.Headline = w.Listed + w.partialResume()
}

// title returns the kind of work and its subject, for example "QA Loop for story 2.1".
func (w *work) title() string {
	if w.about == "" || strings.EqualFold(w.about, w.kind) {
		return w.kind
	}
	return w.kind + " for " + w.about
}

// partialResume returns the part of the headline that says which phases must be done again and which are still valid. It returns "" if no
// phase must be done again.
func (w reporter) partialResume() string {
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
		text += "; still valid: phase " + strings.Join(valid, ", ")
	}
	return text
}

// describeProgress sets the text that says which phase, iteration or wave is reached. It also sets the command that starts the work from
// scratch.
func (w reporter) describeProgress() {
	for _, unit := range []string{"phase ", "iteration ", "wave "} {
		if strings.HasPrefix(w.position, unit) {
			w.Stands = w.position
		}
	}
	if w.ID != "stories" && w.rank != rankRest {
		w.Again = quote.Command("@master orchestrate %s", w.subject())
	}
}

// filesOf returns the outputs of a phase that look like files. A state file may also give the verdict of a phase as its output.
func (w reporter) filesOf(p phase) (out []string) {
	for _, f := range p.makes {
		if w.mayBeFile(f) {
			out = append(out, f)
		}
	}
	return out
}

func (w reporter) tasksOfPhases() {
	w.Tasks = nil
	for _, p := range w.phases {
		state := p.state
		if p.invalid != "" {
			state = checkpoint.Pending
		}
		title := p.name
		if p.agent != "" {
			title += " (@" + p.agent + ")"
		}
		w.Tasks = append(w.Tasks, sources.Task{ID: p.id, Title: title, State: state, Raw: p.raw, Files: w.filesOf(p),
			Evidence: p.evidence, Began: p.began, Ended: p.ended, Optional: p.optional})
	}
}
