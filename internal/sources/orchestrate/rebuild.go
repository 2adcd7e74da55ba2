package orchestrate

import (
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// brokenWork creates a piece of work with the state Corrupt from a broken state file, so that the work is not left out.
func (l *treeSearch) brokenWork(rank int, kind, id string, r statefile.Record) *work {
	w := l.newWork(rank, kind, id, r)
	w.State = sources.Corrupt
	w.noteActivity("")
	return w
}

// rebuilt marks a piece of work as reconstructed, so that a person has to confirm it. The text says from what it was reconstructed.
func (w *work) rebuilt(text string) {
	w.Rebuilt = true
	w.doubt(sources.DoubtRebuilt, conflicts.Warning, first(w.Files), "%s; check it before you use it", text)
}

// rebuildWorkflow reconstructs a workflow whose state file is broken. It uses the workflow's story.
func (l *treeSearch) rebuildWorkflow(r statefile.Record, kind, id string) *work {
	if word, _, ok := strings.Cut(id, "-"); ok && sources.FoldWord(word) == "sdc" && kind == "Workflow" {
		kind = "SDC" // the broken state file does not show the kind of workflow, but its name does
	}
	w := l.brokenWork(rankWorkflow, kind, id, r)
	w.Name, w.about = id, id
	s := l.stories.Find(story.KeyOf(id))
	if s == nil {
		for _, part := range story.IDsIn(id, -1) {
			if s = l.stories.Find(story.KeyOf(part)); s != nil {
				break
			}
		}
	}
	if s == nil && kind == "Workflow" && len(story.IDsIn(id, 1)) == 0 {
		s = l.onlyLive()
	}
	l.fromStory(w, s)
	return w
}

// onlyLive returns the only story that is in progress or in review, or nil if there is none or more than one. A broken state file without
// a story id is assumed to belong to this story.
func (l *treeSearch) onlyLive() *story.Story {
	var out *story.Story
	for _, s := range l.stories.All {
		if s.Live() && out != nil {
			return nil
		}
		if s.Live() {
			out = s
		}
	}
	return out
}

// fromStory sets the position of a workflow from the status, the tasks and the change log of its story. It does so only if the story can
// be read and its status is draft, ready, in progress or in review.
func (l *treeSearch) fromStory(w *work, s *story.Story) {
	if s == nil || s.Problem != nil {
		return
	}
	w.about = story.Titled(s.ID)
	w.addStory(s.ID)
	twin := l.storyWork(s)
	w.phases, w.handoff, w.agent = twin.phases, twin.handoff, twin.agent
	from := []string{"the status of story " + s.ID}
	if p := s.Read(); p.Done > 0 {
		from = append(from, "its tasks")
	}
	if len(s.Read().Log) > 0 {
		from = append(from, "its change log")
	}
	switch s.Meaning {
	case sources.MeansInProgress, sources.MeansReview:
		w.Point, w.position, w.at, w.State = twin.Point, twin.position, twin.at, twin.State
	case sources.MeansPending:
		w.resumeAt(1, "the story says '"+statefile.Short(s.Phrase)+"'")
		w.State = sources.Interrupted
	case sources.MeansReady:
		w.resumeAt(atImplement, "the story says '"+statefile.Short(s.Phrase)+"'")
		w.State = sources.Interrupted
	default:
		return // a broken state file is never reported as complete, even if the story is done
	}
	w.addClaim(claim{id: s.ID, meaning: s.Meaning, phase: w.Point.Title, unread: true})
	w.rebuilt("the state was reconstructed from " + strings.Join(from, ", "))
}
