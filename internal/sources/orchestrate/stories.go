package orchestrate

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

func (l *treeSearch) readStories() {
	for _, s := range l.stories.All {
		switch {
		case s.Live():
			l.add(l.storyWork(s))
		case s.Problem != nil && !s.Archived:
			w := l.newWork(rankStory, "SDC", "story-"+s.Key, statefile.Record{Path: s.Path, Doubts: []sources.Doubt{*s.Problem}})
			w.Name, w.about, w.State, w.implied = s.ID, story.Titled(s.ID), sources.Corrupt, true
			w.addStory(s.ID)
			w.noteActivity("")
			l.add(w)
		}
	}
}

// storyReading derives a development cycle from a story file alone, without a state file.
type storyReading struct {
	*work
	s *story.Story
	p *story.Parts
}

// storyWork returns the development cycle of a story, as the story file shows it.
func (l *treeSearch) storyWork(s *story.Story) *work {
	p := s.Read()
	w := storyReading{l.newWork(rankStory, "SDC", "story-"+s.Key, statefile.Record{Path: s.Path}), s, p}
	w.Name, w.about, w.Status, w.implied = s.ID, story.Titled(s.ID), s.Word, true
	w.addStory(s.ID)
	w.noteActivity("")
	w.changedFiles = append(w.changedFiles, p.Files...)
	w.phases = slices.Clone(sdc)
	for i := range w.phases {
		w.phases[i].state, w.phases[i].evidence = statusPending, "story status"
		if i < 2 {
			w.phases[i].state = statusDone
		}
	}
	w.phases[0].makes = []string{s.Path}
	if s.Meaning == sources.MeansReview {
		w.inReview()
	} else {
		w.inProgress()
	}
	w.fields["story"], w.fields["tasks_done"], w.fields["tasks_open"] = s.ID, p.Done, p.Open
	return w.work
}

func (w storyReading) inProgress() {
	w.State, w.handoff = sources.Interrupted, "dev-develop-story"
	w.phases[atImplement].state = checkpoint.Active
	ticked, said := w.p.Implemented()
	gate, where := w.gate()
	refused := sources.AsksForChanges(gate)
	reason := "the story says '" + statefile.Short(w.s.Phrase) + "'"
	if w.p.Done+w.p.Open > 0 {
		reason += fmt.Sprintf("; %d of %d tasks are ticked", w.p.Done, w.p.Done+w.p.Open)
	}
	switch {
	case ticked && said && !refused:
		w.phases[atImplement].state, w.phases[atImplement].evidence = statusDone, "task boxes and change log"
		w.phases[atQA].state, w.handoff = statusPending, "qa-gate"
		w.doubt(sources.DoubtStatusWord, conflicts.Info, w.s.Path, "the story says '%s', but all its tasks are ticked (%d), and its change log says that it is implemented", statefile.Short(w.s.Word), w.p.Done)
		w.resumeAt(atQA, "all tasks are ticked and the change log says that it is implemented")
		return
	case ticked && !refused:
		w.doubt(sources.DoubtNotMarked, conflicts.Info, w.s.Path, "all its tasks are ticked (%d), but nothing says that the implementation is complete", w.p.Done)
	case w.p.NextBox != "":
		reason += "; next: " + w.p.NextBox
	}
	if w.s.Meaning == sources.MeansReady {
		w.doubt(sources.DoubtStatusWord, conflicts.Info, w.s.Path, "the story says '%s', but %d of %d tasks are ticked", statefile.Short(w.s.Word), w.p.Done, w.p.Done+w.p.Open)
	}
	if gate != "" {
		reason += "; " + where + " says " + gate
	}
	if gate == "PASS" {
		w.doubt(sources.DoubtDiscrepancy, conflicts.Info, w.s.Path, "the story says '%s', but a review of it passed", statefile.Short(w.s.Word))
	}
	w.resumeAt(atImplement, reason)
}

func (w storyReading) inReview() {
	// An agent does the review, so the state is Interrupted. If the review has already passed, a person must close the story: the state is
	// then changed to Review below.
	w.rank, w.State, w.handoff = rankReview, sources.Interrupted, "qa-gate"
	w.phases[atImplement].state, w.phases[atQA].state = statusDone, checkpoint.Active
	gate, where := w.gate()
	if gate == "PASS" || gate == "WAIVED" {
		w.State, w.Over = sources.Review, w.search.stories.LeftBehind(w.s)
		w.phases[atQA].state, w.phases[atQA].evidence = statusDone, where
		w.at, w.position, w.handoff, w.agent = len(w.phases), "reviewed, not closed", "orchestrate", "po"
		w.Point = sources.Point{Task: "close", Title: "close the story", Reason: "the result of the review is " + gate + ", according to " + where + "; the status still says '" + statefile.Short(w.s.Phrase) + "'"}
		w.doubt(sources.DoubtStatusWord, conflicts.Info, w.s.Path, "the story says '%s', but the result of its review is %s", statefile.Short(w.s.Word), gate)
		return
	}
	reason := "the story says '" + statefile.Short(w.s.Phrase) + "'"
	if gate != "" {
		reason += "; " + where + " says " + gate
	}
	if w.gateFile().Refuses(w.search.Ctx, w.search.View, w.search.Tree, w.s.Path) {
		w.phases[atImplement].state, w.phases[atQA].state = checkpoint.Active, statusPending
		w.resumeAt(atImplement, reason)
		return
	}
	if w.p.Open > 0 {
		w.doubt(sources.DoubtNoEvidence, conflicts.Info, w.s.Path, "the story is in review, but %d of %d tasks are not ticked", w.p.Open, w.p.Done+w.p.Open)
	}
	w.resumeAt(atQA, reason)
}

// gate returns the verdict of the story's last review, and where it was found. The file of its quality gate counts more than the story.
func (w storyReading) gate() (verdict, where string) {
	if g := w.gateFile(); g.Verdict != "" {
		return story.GateWord(g.Verdict), g.File
	}
	return w.p.Gate, "the story's own results"
}

func (w storyReading) gateFile() sources.Gate {
	return sources.GateOf(w.search.Tree, "", func(stem string) bool {
		id := story.LeadingID(stem)
		return id != "" && story.KeyOf(id) == w.s.Key
	})
}
