package orchestrate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

func (l *look) readStories() {
	for _, s := range l.shelf.all {
		switch {
		case s.live():
			l.add(l.storyWork(s))
		case s.problem != nil && !s.archived:
			w := l.newWork(rankStory, "SDC", "story-"+s.key, record{path: s.path, doubts: []sources.Doubt{*s.problem}})
			w.Name, w.about, w.State, w.implied = s.id, titled(s.id), sources.Corrupt, true
			w.names(s.id)
			w.sign("")
			l.add(w)
		}
	}
}

// storyWork is the cycle that a story's status implies.
func (l *look) storyWork(s *story) *work {
	w := l.newWork(rankStory, "SDC", "story-"+s.key, record{path: s.path})
	w.Name, w.about, w.Status, w.implied = s.id, titled(s.id), s.word, true
	w.names(s.id)
	w.sign("")
	p := s.read()
	w.own = append(w.own, p.files...)
	w.phases = slices.Clone(sdc)
	for i := range w.phases {
		w.phases[i].state, w.phases[i].evidence = statusPending, "story status"
		if i < 2 {
			w.phases[i].state = statusDone
		}
	}
	w.phases[0].makes = []string{s.path}
	if s.meaning == sources.MeansReview {
		w.inReview(s, p)
	} else {
		w.inProgress(s, p)
	}
	w.fields["story"], w.fields["tasks_done"], w.fields["tasks_open"] = s.id, p.done, p.open
	return w
}

// implied phases by their place in the cycle.
const (
	atImplement = 2
	atQA        = 3
)

func (w *work) inProgress(s *story, p *parts) {
	w.State, w.handoff = sources.Interrupted, "dev-develop-story"
	w.phases[atImplement].state = checkpoint.Active
	ticked, said := p.implemented()
	refused := p.gate == "FAIL" || p.gate == "NEEDS_WORK"
	reason := "the story says '" + short(s.phrase) + "'"
	if p.done+p.open > 0 {
		reason += fmt.Sprintf("; %d of %d tasks are ticked", p.done, p.done+p.open)
	}
	switch {
	case ticked && said && !refused:
		w.phases[atImplement].state, w.phases[atImplement].evidence = statusDone, "task boxes and change log"
		w.phases[atQA].state, w.handoff = statusPending, "qa-gate"
		w.doubt(sources.DoubtStatusWord, conflicts.Info, s.path, "the story says '%s', but all %d tasks are ticked and its change log says that it is implemented", short(s.word), p.done)
		w.goOn(atQA, "all tasks are ticked and the change log says that it is implemented")
		return
	case ticked && !refused:
		w.doubt(sources.DoubtNotMarked, conflicts.Info, s.path, "all %d tasks are ticked, but nothing says that the implementation is complete", p.done)
	case p.nextBox != "":
		reason += "; next: " + p.nextBox
	}
	if p.gate != "" {
		reason += "; the last review said " + p.gate
	}
	if p.gate == "PASS" {
		w.doubt(sources.DoubtDiscrepancy, conflicts.Info, s.path, "the story says '%s', but a review of it passed", short(s.word))
	}
	w.goOn(atImplement, reason)
}

func (w *work) inReview(s *story, p *parts) {
	// An agent does the review: nobody has to be waited for, unless all that is left is to close the story.
	w.rank, w.State, w.handoff = rankReview, sources.Interrupted, "qa-gate"
	w.phases[atImplement].state, w.phases[atQA].state = statusDone, checkpoint.Active
	gate, where := p.gate, "the story's own results"
	if verdict, file := w.look.gateOf(s.key); verdict != "" {
		gate, where = verdict, file
	}
	if gate == "PASS" || gate == "WAIVED" {
		w.State = sources.Review
		w.phases[atQA].state, w.phases[atQA].evidence = statusDone, where
		w.at, w.position, w.handoff, w.agent = len(w.phases), "reviewed, not closed", "orchestrate", "po"
		w.Point = sources.Point{Task: "close", Title: "close the story", Reason: "the review passed (" + where + "); only the status says '" + short(s.phrase) + "'"}
		w.doubt(sources.DoubtStatusWord, conflicts.Info, s.path, "the story says '%s', but its review passed: %s", short(s.word), gate)
		return
	}
	reason := "the story says '" + short(s.phrase) + "'"
	if gate != "" {
		reason += "; the last review said " + gate
	}
	if p.open > 0 {
		w.doubt(sources.DoubtNoEvidence, conflicts.Info, s.path, "the story is in review with %d of %d tasks not ticked", p.open, p.done+p.open)
	}
	w.goOn(atQA, reason)
}

const gatesDir = "docs/qa/gates"

// gateOf is the verdict of a story's gate file.
func (l *look) gateOf(key string) (verdict, file string) {
	for _, name := range l.list(gatesDir, func(n string) bool { return strings.HasSuffix(n, ".yml") || strings.HasSuffix(n, ".yaml") }) {
		id := leadingID(strings.TrimSuffix(strings.TrimSuffix(path.Base(name), ".yml"), ".yaml"))
		if id == "" || keyOf(id) != key {
			continue
		}
		data, err := l.tree.Read(name)
		if err != nil {
			continue
		}
		if v, err := sources.ParseYAML(data); err == nil {
			if g := v.Get("gate", "verdict", "status"); g.Text() != "" {
				return gateWord(g.Text()), name
			}
		}
	}
	return "", ""
}

// shown is how many stories without a state file are told one by one; the rest is folded.
const shown = 10

// fold ranks the works that only a story's status implies by their last sign, and puts all but the first together.
func fold(all []*work) []*work {
	var kept, bare []*work
	for _, w := range all {
		if w.implied && (w.rank == rankStory || w.rank == rankReview) {
			bare = append(bare, w)
		} else {
			kept = append(kept, w)
		}
	}
	if len(bare) <= shown {
		return all
	}
	slices.SortStableFunc(bare, func(a, b *work) int { return b.Active.Compare(a.Active) })
	rest := bare[shown:]
	l := rest[0].look
	w := l.newWork(rankRest, "Stories", "stories", record{})
	w.about, w.State, w.Active, w.From = fmt.Sprintf("%d more stories", len(rest)), sources.Unknown, rest[0].Active, rest[0].From
	w.implied, w.position = true, "the newest is "+rest[0].about
	for _, r := range rest {
		w.Tasks = append(w.Tasks, sources.Task{ID: r.Name, Title: r.position, State: checkpoint.Active, Raw: r.Status, Files: r.Files, Evidence: "story status"})
		w.Same = append(w.Same, r.Same...)
	}
	w.Point = sources.Point{Task: rest[0].Name, Title: rest[0].Point.Title, Reason: "of these stories a commit touched it last"}
	return append(append(kept, bare[:shown]...), w)
}
