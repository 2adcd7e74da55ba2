package orchestrate

import (
	"fmt"
	"path"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// broken begins a candidate of which no state can be read: it is neither complete nor absent.
func (l *look) brokenWork(rank int, kind, id string, r record) *work {
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
func (l *look) rebuildEpic(r record, id string) *work {
	w := l.brokenWork(rankEpic, "Epic Execution", "epic-"+id, r)
	w.Name, w.about, w.agent = id, epicTitle(id), "pm"
	w.Same = append(w.Same, "epic:"+strings.ToLower(id))
	for _, s := range l.shelf.all {
		if s.archived && s.meaning != sources.MeansDone || !belongs(s, id, "") || s.problem != nil {
			continue
		}
		w.names(s.id)
		state := s.meaning.TaskState()
		if ticked, said := s.read().implemented(); s.meaning == sources.MeansInProgress && ticked && said {
			w.doubt(sources.DoubtNotMarked, conflicts.Info, s.path, "story %s is implemented by its change log and tasks", s.id)
		}
		w.Tasks = append(w.Tasks, sources.Task{ID: s.id, Title: s.title, State: state, Raw: s.word, Files: []string{s.path}, Evidence: "story status"})
		if w.Point.Task == "" && state != checkpoint.Done && state != checkpoint.Skipped {
			w.Point = sources.Point{Task: s.id, Title: s.title, Reason: "it is the first story of the epic that is not done, by the stories themselves"}
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
func belongs(s *story, epic, planDir string) bool {
	id := strings.ToLower(epic)
	if bare := strings.TrimLeft(strings.TrimPrefix(id, "epic"), "-_ "); bare != "" {
		id = bare
	}
	for _, sep := range []string{".", "-"} {
		if rest, ok := strings.CutPrefix(s.key, id+sep); ok && rest != "" {
			return true
		}
	}
	return planDir != "" && planDir != storiesDir && path.Dir(s.path) == planDir
}

// rebuildWorkflow takes a workflow's story for its state.
func (l *look) rebuildWorkflow(r record, kind, id string) *work {
	if word, _, ok := strings.Cut(id, "-"); ok && sources.FoldWord(word) == "sdc" && kind == "Workflow" {
		kind = "SDC" // the name of the file is all that is left of it
	}
	w := l.brokenWork(rankWorkflow, kind, id, r)
	w.Name, w.about = id, id
	s := l.shelf.find(keyOf(id))
	if s == nil {
		for _, part := range idsIn(id, -1) {
			if s = l.shelf.find(keyOf(part)); s != nil {
				break
			}
		}
	}
	if s == nil && kind == "Workflow" && len(idsIn(id, 1)) == 0 {
		s = l.onlyLive()
	}
	l.fromStory(w, s)
	return w
}

// onlyLive is the only story at which somebody is at work by its own word: a state without a name can be of no other one.
func (l *look) onlyLive() *story {
	var out *story
	for _, s := range l.shelf.all {
		if s.live() && out != nil {
			return nil
		}
		if s.live() {
			out = s
		}
	}
	return out
}

// fromStory takes status, tasks and change log of a story for the state of a cycle.
func (l *look) fromStory(w *work, s *story) {
	if s == nil || s.problem != nil {
		return
	}
	w.about = titled(s.id)
	w.names(s.id)
	twin := l.storyWork(s)
	w.phases, w.handoff, w.agent = twin.phases, twin.handoff, twin.agent
	from := []string{"the status of story " + s.id}
	if p := s.read(); p.done > 0 {
		from = append(from, "its tasks")
	}
	if len(s.read().log) > 0 {
		from = append(from, "its change log")
	}
	switch s.meaning {
	case sources.MeansInProgress, sources.MeansReview:
		w.Point, w.position, w.at, w.State = twin.Point, twin.position, twin.at, twin.State
	case sources.MeansPending:
		w.goOn(1, "the story says '"+short(s.phrase)+"'")
		w.State = sources.Interrupted
	case sources.MeansReady:
		w.goOn(atImplement, "the story says '"+short(s.phrase)+"'")
		w.State = sources.Interrupted
	default:
		return // done or unknown: a broken state is not called complete
	}
	w.rebuilt(strings.Join(from, ", "))
}

// rebuildLoop finds the story of a broken loop: by its folder, by the index, or the only one that is in review.
func (l *look) rebuildLoop(r record) *work {
	id := path.Base(path.Dir(r.path))
	var s *story
	if id != "qa" {
		s = l.shelf.find(keyOf(id))
	} else {
		id = "unknown"
		for _, other := range l.shelf.all {
			if other.live() && other.meaning == sources.MeansReview {
				if s != nil {
					s = nil
					break
				}
				s = other
			}
		}
	}
	if s != nil {
		id = s.id
	}
	w := l.brokenWork(rankLoop, "QA Loop", "qa-"+keyOf(id), r)
	w.Name, w.about, w.handoff, w.agent = id, titled(id), "qa-review-story", "qa"
	l.fromStory(w, s)
	w.handoff = "qa-review-story"
	return w
}

// rebuildBuild puts a build together from the checkpoints that are files of their own.
func (l *look) rebuildBuild(r record) *work {
	id := path.Base(path.Dir(r.path))
	w := l.brokenWork(rankWorkflow, "Build", "build-"+keyOf(id), r)
	w.Name, w.about, w.agent, w.handoff = id, id, "dev", "dev-develop-story"
	points := l.checkpoints(path.Join(path.Dir(r.path), "checkpoints"))
	if len(points) == 0 {
		l.fromStory(w, l.shelf.find(keyOf(id)))
		return w
	}
	w.subtasks(sources.Value{}, points)
	w.State = sources.Interrupted
	w.rebuilt(fmt.Sprintf("%d checkpoints", len(points)))
	return w
}
