package orchestrate

import (
	"fmt"
	"path"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

// broken begins a candidate of which no state can be read: it is neither complete nor absent.
func (l *look) brokenWork(rank int, kind, id string, r statefile.Record) *work {
	w := l.newWork(rank, kind, id, r)
	w.State = sources.Corrupt
	w.sign("")
	return w
}

// rebuilt marks a candidate that was put together from other evidence, which a person has to confirm.
func (w *work) rebuilt(from string) {
	w.Rebuilt = true
	w.doubt(sources.DoubtRebuilt, conflicts.Warning, first(w.Files), "the state was put together from %s; look at it before it is used", from)
}

// rebuildEpic puts an epic together from the statuses of its stories.
func (l *look) rebuildEpic(r statefile.Record, id string) *work {
	w := l.brokenWork(rankEpic, "Epic Execution", "epic-"+id, r)
	w.Name, w.about, w.agent = id, epicTitle(id), "pm"
	w.Same = append(w.Same, "epic:"+strings.ToLower(id))
	for _, s := range l.shelf.All {
		if s.Archived && s.Meaning != sources.MeansDone || !belongs(s, id, "") || s.Problem != nil {
			continue
		}
		w.names(s.ID)
		state := s.Meaning.TaskState()
		if ticked, said := s.Read().Implemented(); s.Meaning == sources.MeansInProgress && ticked && said {
			w.doubt(sources.DoubtNotMarked, conflicts.Info, s.Path, "story %s is implemented by its change log and tasks", s.ID)
		}
		w.Tasks = append(w.Tasks, sources.Task{ID: s.ID, Title: s.Title, State: state, Raw: s.Word, Files: []string{s.Path}, Evidence: "story status"})
		if w.Point.Task == "" && state != checkpoint.Done && state != checkpoint.Skipped {
			w.Point = sources.Point{Task: s.ID, Title: s.Title, Reason: "it is the first story of the epic that is not done, by the stories themselves"}
		}
	}
	if len(w.Tasks) == 0 {
		return w
	}
	w.rebuilt("the statuses of its stories")
	w.position = "by its stories"
	if w.Point.Task != "" {
		w.State = sources.Interrupted
	}
	return w
}

// belongs reports whether a story is one of an epic: by its number, or because it stands beside the epic's plan.
func belongs(s *story.Story, epic, planDir string) bool {
	id := strings.ToLower(epic)
	if bare := strings.TrimLeft(strings.TrimPrefix(id, "epic"), "-_ "); bare != "" {
		id = bare
	}
	for _, sep := range []string{".", "-"} {
		if rest, ok := strings.CutPrefix(s.Key, id+sep); ok && rest != "" {
			return true
		}
	}
	return planDir != "" && planDir != statefile.StoriesDir && path.Dir(s.Path) == planDir
}

// rebuildWorkflow takes a workflow's story for its state.
func (l *look) rebuildWorkflow(r statefile.Record, kind, id string) *work {
	if word, _, ok := strings.Cut(id, "-"); ok && sources.FoldWord(word) == "sdc" && kind == "Workflow" {
		kind = "SDC" // the name of the file is all that is left of it
	}
	w := l.brokenWork(rankWorkflow, kind, id, r)
	w.Name, w.about = id, id
	s := l.shelf.Find(story.KeyOf(id))
	if s == nil {
		for _, part := range story.IDsIn(id, -1) {
			if s = l.shelf.Find(story.KeyOf(part)); s != nil {
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

// onlyLive is the only story at which somebody is at work by its own word: a state without a name can be of no other one.
func (l *look) onlyLive() *story.Story {
	var out *story.Story
	for _, s := range l.shelf.All {
		if s.Live() && out != nil {
			return nil
		}
		if s.Live() {
			out = s
		}
	}
	return out
}

// fromStory takes status, tasks and change log of a story for the state of a cycle.
func (l *look) fromStory(w *work, s *story.Story) {
	if s == nil || s.Problem != nil {
		return
	}
	w.about = story.Titled(s.ID)
	w.names(s.ID)
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
		w.goOn(1, "the story says '"+statefile.Short(s.Phrase)+"'")
		w.State = sources.Interrupted
	case sources.MeansReady:
		w.goOn(atImplement, "the story says '"+statefile.Short(s.Phrase)+"'")
		w.State = sources.Interrupted
	default:
		return // done or unknown: a broken state is not called complete
	}
	w.rebuilt(strings.Join(from, ", "))
}

// rebuildLoop finds the story of a broken loop: by its folder, by the index, or the only one that is in review.
func (l *look) rebuildLoop(r statefile.Record) *work {
	id := path.Base(path.Dir(r.Path))
	var s *story.Story
	if id != "qa" {
		s = l.shelf.Find(story.KeyOf(id))
	} else {
		id = "unknown"
		for _, other := range l.shelf.All {
			if other.Live() && other.Meaning == sources.MeansReview {
				if s != nil {
					s = nil
					break
				}
				s = other
			}
		}
	}
	if s != nil {
		id = s.ID
	}
	w := l.brokenWork(rankLoop, "QA Loop", "qa-"+story.KeyOf(id), r)
	w.Name, w.about, w.handoff, w.agent = id, story.Titled(id), "qa-review-story", "qa"
	l.fromStory(w, s)
	w.handoff = "qa-review-story"
	return w
}

// rebuildBuild puts a build together from the checkpoints that are files of their own.
func (l *look) rebuildBuild(r statefile.Record) *work {
	id := path.Base(path.Dir(r.Path))
	w := l.brokenWork(rankWorkflow, "Build", "build-"+story.KeyOf(id), r)
	w.Name, w.about, w.agent, w.handoff = id, id, "dev", "dev-develop-story"
	points := l.checkpoints(path.Join(path.Dir(r.Path), "checkpoints"))
	if len(points) == 0 {
		l.fromStory(w, l.shelf.Find(story.KeyOf(id)))
		return w
	}
	w.subtasks(sources.Value{}, points)
	w.State = sources.Interrupted
	w.rebuilt(fmt.Sprintf("%d checkpoints", len(points)))
	return w
}
