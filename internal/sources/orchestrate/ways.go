package orchestrate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// alternativeList adds the actions that the user can choose from.
type alternativeList struct{ *work }

// alternatives adds the possible actions. Continuing is not offered while a conflict prevents it.
func (w alternativeList) alternatives() {
	if !w.State.Open() {
		return
	}
	if w.ID == "stories" {
		w.offer(sources.Hide, "stop showing these stories here")
		return
	}
	states := strings.Join(stateFiles(&w.Found), ", ")
	if w.repair {
		w.offer(sources.Repair, "replace %s, which is broken, with the complete version", first(w.Files))
	}
	if worst(&w.Found) < conflicts.Blocking && w.Point.Task != "" {
		how := map[bool]string{true: ", according to the reconstructed state"}[w.Rebuilt]
		who := map[bool]string{true: ", led by @master"}[w.ledByMaster()]
		w.offer(sources.Continue, "continue at %s with @%s%s (%s)%s", orUnknown(w.Point.Task), w.agent, who, w.handoff, how)
	}
	if states != "" {
		w.offer(sources.StartFresh, "archive %s so that the %s starts from scratch; all files that it made stay%s", states, w.title(), w.recommended())
	} else if w.rank == rankSpec && len(w.Files) > 0 {
		w.offer(sources.StartFresh, "archive the files of this pipeline in %s so that it starts from scratch: %s", w.Root, strings.Join(baseNames(w.Files), ", "))
		w.offerArtefacts()
	} else if w.rank == rankStory || w.rank == rankReview {
		w.offer(sources.StartFresh, "set the status of %s from '%s' back to Draft, so that the %s starts from scratch; all files that it made stay", w.about, statefile.Short(w.Status), w.kind)
	}
	if u := w.units(); len(u) > 0 && len(w.Files) > 0 && !w.Rebuilt {
		w.offer(sources.RestartUnit, "start from one of these tasks, not from scratch: %s", strings.Join(u, ", "))
		w.Alternatives[len(w.Alternatives)-1].Of = u
		w.offerSkips()
	} else if w.leading().listsPhases() {
		w.offerPhases()
	}
	if states != "" {
		w.offer(sources.CleanUp, "archive %s and stop here; stories of this work that are in progress or in review are set back to Ready", states)
	} else if w.rank == rankStory || w.rank == rankReview {
		w.offer(sources.CleanUp, "set the status of %s from '%s' back to Ready, and stop here", w.about, statefile.Short(w.Status))
	}
	if w.implied {
		w.offer(sources.Hide, "stop showing it here")
	}
}

func (w alternativeList) offer(name, format string, args ...any) {
	w.Alternatives = append(w.Alternatives, sources.Alternative{Name: name, Text: fmt.Sprintf(format, args...)})
}

// recommended says that a fresh start is recommended if the stories have changed so much that the work cannot continue.
func (w alternativeList) recommended() string {
	for _, d := range w.Doubts {
		if d.Severity == conflicts.Blocking && d.Code != sources.DoubtOtherWork && slices.Contains(acceptedConflicts, d.Code) {
			return " (recommended, because the project has changed)"
		}
	}
	return ""
}

// offerSkips offers to skip an unfinished task, for example a story that was done elsewhere or deleted.
func (w alternativeList) offerSkips() {
	var left []string
	for _, t := range w.Tasks {
		doneElsewhere := t.State == statusDone && t.Evidence == "story status" // the state file still calls it open
		open := t.State != statusDone && t.State != checkpoint.Skipped || doneElsewhere
		if open && w.leading().unit(t.ID) != nil {
			left = append(left, t.ID)
		}
	}
	if len(left) > 0 {
		w.offer(sources.SkipUnit, "skip one of these tasks: %s", strings.Join(left, ", "))
		w.Alternatives[len(w.Alternatives)-1].Of = left
	}
}

// offerPhases offers to restart the work from a finished phase or from the next phase.
func (w alternativeList) offerPhases() {
	var ids []string
	for i, p := range w.phases {
		if i <= w.at && w.startable(p.id) {
			ids = append(ids, p.id)
		}
	}
	if len(ids) > 0 {
		w.offer(sources.RestartUnit, "start from one of these phases, not from scratch: %s", strings.Join(ids, ", "))
		w.Alternatives[len(w.Alternatives)-1].Of = ids
	}
}

// offerArtefacts offers to start a spec pipeline from a phase that has left an artefact.
func (w alternativeList) offerArtefacts() {
	var ids []string
	for _, p := range w.phases {
		if len(p.makes) > 0 {
			ids = append(ids, p.id)
		}
	}
	w.offer(sources.RestartUnit, "start from one of these phases, and archive its file and those of later phases: %s", strings.Join(ids, ", "))
	w.Alternatives[len(w.Alternatives)-1].Of = ids
}

func baseNames(files []string) (out []string) {
	for _, f := range files {
		out = append(out, path.Base(f))
	}
	return out
}

// units returns the ids of the tasks whose status can be changed in the main state file, except stories whose file is missing.
func (w alternativeList) units() []string {
	var out []string
	for _, t := range w.Tasks {
		if w.leading().unit(t.ID) != nil && !w.storyMissing(t.ID) {
			out = append(out, t.ID)
		}
	}
	return out
}

func (w alternativeList) storyMissing(id string) bool {
	key := story.KeyOf(id)
	return slices.ContainsFunc(w.claims, func(c claim) bool {
		return c.key == key && w.storyOf(c) == nil && slices.ContainsFunc(w.Needs, func(n sources.File) bool { return n.Missing && n.Path == w.expected(c) })
	})
}

// startable reports whether the user can restart the work from this phase. It is false if a conflict would remain after the restart.
func (w alternativeList) startable(phase string) bool {
	for _, d := range w.Doubts {
		if d.Severity == conflicts.Blocking && !slices.Contains(acceptedConflicts, d.Code) {
			return false
		}
	}
	for _, n := range w.Needs {
		story := strings.HasPrefix(n.Path, statefile.StoriesDir)
		if n.Missing && n.Critical && story && phase != "create" {
			return false
		}
	}
	for _, c := range w.claims {
		s := w.storyOf(c)
		// Skip a story whose status is in the state file: a restart corrects that status.
		if s == nil || c.raw != "" {
			continue
		}
		if interpret(claim{meaning: phaseMeaning[phase]}, s.Meaning).severity == conflicts.Blocking {
			return false
		}
	}
	return true
}

// acceptedConflicts lists the conflicts that a restart resolves, because the work then uses the current story file.
var acceptedConflicts = []string{sources.DoubtAlreadyEnded, "story-reset", sources.DoubtScope, "needs-added", sources.DoubtNewTasks, sources.DoubtOtherWork}

// worst returns the highest severity among the warnings and the missing files.
func worst(f *sources.Found) conflicts.Severity {
	highest := conflicts.Info
	for _, d := range f.Doubts {
		highest = max(highest, d.Severity)
	}
	for _, n := range f.Needs {
		if n.Missing {
			highest = max(highest, weightOf(n))
		}
	}
	return highest
}

// weightOf returns the severity of a missing file. Without a critical file the work cannot continue.
func weightOf(n sources.File) conflicts.Severity {
	if n.Critical {
		return conflicts.Blocking
	}
	return conflicts.Warning
}
