package orchestrate

import (
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// indexedLoops adds the open QA loops that are listed in qa-loops-index.json but have lost their own state file. The result is always
// nil, because the method adds the loops itself.
func (l *treeSearch) indexedLoops(r statefile.Record) *work {
	if r.Broken {
		return nil // the file qa-loops-index.json only repeats the state files of the loops, so nothing is lost
	}
	for _, f := range r.Value.Get("loops").Fields() {
		if l.Tree.Has(path.Join("qa", f.Key, statefile.LoopFile)) || !openLoop(f.Value) || len(l.works) > maxLoops {
			continue
		}
		if p := f.Value.Get("statusPath").Text(); p != "" {
			if _, ok := l.Tree.Reroot(p); ok {
				continue
			}
		}
		w := l.loopWork(statefile.Record{Path: r.Path, Value: f.Value, Rebuilt: true, Doubts: []sources.Doubt{{Code: sources.DoubtFallback, Severity: conflicts.Warning, Path: r.Path,
			Text: "the loop of story " + statefile.Short(f.Key) + " has no status file; only what this index says is shown"}}}, f.Key)
		l.add(w)
	}
	return nil
}

// openLoop reports whether a loop was started and is not completed.
func openLoop(v textdoc.Value) bool {
	return !slices.Contains([]string{"", "idle", "completed"}, v.Get("status").Text())
}

type loopReading reading

// loopStory returns the story id in a loop's state file. Without an id, it returns the name of the file's folder. It returns "" if that
// folder is qa itself or the loop is idle.
func loopStory(r statefile.Record) string {
	if id := r.Value.Get("storyId", "story_id", "story").Text(); id != "" && id != "null" {
		return id
	}
	if dir := path.Base(path.Dir(r.Path)); dir != "qa" && r.Value.Get("status").Text() != "idle" {
		return dir
	}
	return ""
}

func (l *treeSearch) loop(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildLoop(r)
	}
	id := loopStory(r)
	if id == "" || r.Value.Get("status").Text() == "idle" {
		return nil // a file without a story, or with the status "idle", is only a template
	}
	return l.loopWork(r, id)
}

func (l *treeSearch) loopWork(r statefile.Record, id string) *work {
	v := r.Value
	w := loopReading{l.newWork(rankLoop, "QA Loop", "qa-"+story.KeyOf(id), r), v}
	w.Name, w.about, w.agent, w.handoff = id, story.Titled(id), "qa", "qa-review-story"
	w.Status, w.Mode = v.Get("status").Text(), v.Get("mode").Text()
	w.began = w.timeOf(v, "startedAt", "started_at")
	w.noteActivity("updatedAt", w.timeOf(v, "updatedAt", "updated_at"))
	current, most := iterations(v)
	w.fields["storyId"], w.fields["currentIteration"], w.fields["maxIterations"] = id, current, most
	w.position = fmt.Sprintf("iteration %d/%d", current, most)
	w.loopTasks()
	w.loopPoint(current)
	// While somebody fixes the issues of a review, the status of the story can also be "in progress". This is not a contradiction.
	c := claim{id: id, meaning: sources.MeansReview, phase: w.Point.Title, over: w.State == sources.Complete, acceptable: []sources.Meaning{sources.MeansInProgress}}
	c.setStatus(w.position, v.Get("storyStatus", "story_status").Text())
	w.addClaim(c)
	w.Cause = statefile.CauseOf(v, w.Status)
	if history := v.Get("history").Items(); len(history) > 0 {
		if last := history[len(history)-1].Get("interruptReason").Text(); last != "" {
			w.Cause = statefile.KnownCause(last)
		}
	}
	return w.work
}

// iterations returns the number of the current iteration, at least 1, and the largest allowed number, which is 5 if the file gives none.
func iterations(v textdoc.Value) (current, most int) {
	current, _ = v.Get("currentIteration", "current_iteration", "iteration").Int()
	most, ok := v.Get("maxIterations", "max_iterations").Int()
	if !ok || most <= 0 {
		most = 5
	}
	for _, h := range v.Get("history").Items() {
		if n, ok := h.Get("iteration").Int(); ok {
			current = max(current, n)
		}
	}
	return max(current, 1), most
}

func (w loopReading) loopTasks() {
	for _, h := range w.v.Get("history").Items() {
		n, verdict := h.Get("iteration").Text(), h.Get("verdict").Text()
		t := sources.Task{ID: "iteration-" + n, Title: "iteration " + n + ": " + statefile.Short(verdict), Raw: verdict, Evidence: "loop history", State: checkpoint.Done}
		t.Began, t.Ended = w.timeOf(h, "reviewedAt"), w.timeOf(h, "fixedAt")
		w.noteActivity("history", t.Began, t.Ended)
		if verdict != "" { // a review without a verdict is unfinished
			w.Tasks = append(w.Tasks, t)
		}
	}
}

// loopPoint sets the resume point from the last entry of the history. A rejection is followed by a fix, and a fix by the next review.
func (w loopReading) loopPoint(current int) {
	var last textdoc.Value
	if h := w.v.Get("history").Items(); len(h) > 0 {
		last = h[len(h)-1]
	}
	verdict, step := last.Get("verdict").Text(), "review"
	number := current
	reason := "iteration " + fmt.Sprint(current) + " has no verdict yet"
	if said := w.v.Get("last_verdict", "lastVerdict").Text(); said != "" && verdict == "" {
		reason = fmt.Sprintf("iteration %d is the current one; the last verdict is %s, but the state does not say which iteration it belongs to", current, statefile.Short(said))
	}
	if n, ok := last.Get("iteration").Int(); ok && n < current {
		verdict = "" // the last verdict belongs to an earlier iteration
	}
	if verdict != "" {
		reason = fmt.Sprintf("the verdict of iteration %d is %s", current, statefile.Short(verdict))
	}
	switch {
	case verdict == "REJECT" && !last.Get("fixedAt").Is():
		step, w.agent, w.handoff = "fix", "dev", "dev-develop-story"
		reason = fmt.Sprintf("iteration %d was rejected with %s, and no fix is recorded yet", current, issues(last.Get("issuesFound").Text()))
		if _, most := iterations(w.v); current >= most {
			w.doubt("last-iteration", conflicts.Info, "", "iteration %d is the last of %d: after its fix a person decides how to continue", current, most)
		}
	case verdict == "REJECT":
		number = current + 1
		reason = fmt.Sprintf("iteration %d was rejected and fixed; the next review follows", current)
		if _, most := iterations(w.v); number > most {
			reason = fmt.Sprintf("iteration %d, the last of %d, was rejected and fixed; another review would exceed that number", current, most)
		}
	}
	w.Point = sources.Point{Task: fmt.Sprintf("%s-%d", step, number), Title: fmt.Sprintf("%s of iteration %d", step, number), Reason: reason}
	w.phases = []phase{{id: w.Point.Task, name: w.Point.Title, agent: w.agent, state: checkpoint.Active}}
	w.at = 0
	w.loopState(verdict, number)
	if p := w.Point; p.Task != "" {
		w.Tasks = append(w.Tasks, sources.Task{ID: p.Task, Title: p.Title + " (@" + w.agent + ")", State: checkpoint.Active, Evidence: "loop status"})
	}
}

func (w loopReading) loopState(verdict string, number int) {
	_, most := iterations(w.v)
	switch {
	case verdict == "APPROVE":
		if w.Status != "completed" {
			w.doubt(sources.DoubtStatusWord, conflicts.Info, "", "the loop says %s, but its last verdict is APPROVE", statefile.Said(w.Status))
		}
		w.State, w.Point = sources.Complete, sources.Point{}
	case w.Status == "completed":
		w.State, w.Point = sources.Complete, sources.Point{}
		if verdict != "" {
			w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "the loop says 'completed', but its last verdict is %s", statefile.Short(verdict))
			w.State = sources.Unknown
		}
	case verdict == "BLOCKED" || w.Status == "escalated" || number > most:
		w.State = sources.Waiting
		w.Questions = append(w.Questions, sources.Question{Task: w.Point.Task, Text: escalation(w.v, verdict, number, most)})
	case w.Status == "stopped" || w.Status == "paused":
		w.State = sources.Paused
	default:
		w.State = w.stopped(quiet)
		if sources.MeaningOf(w.Status) == sources.MeansUnknown && w.Status != "interrupted" {
			w.doubt(sources.DoubtUnknownWord, conflicts.Warning, "", "the loop has %s", statefile.UnknownStatus(w.Status))
		}
	}
	if w.v.Get("wasAbandoned").True() && w.State.Open() {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "the loop was marked as abandoned")
	}
}

func issues(n string) string {
	if n == "1" {
		return "1 issue"
	}
	return orUnknown(n) + " issues"
}

func escalation(v textdoc.Value, verdict string, next, most int) string {
	if why := v.Get("escalationReason", "escalation_reason").Text(); why != "" {
		return statefile.Short(why)
	}
	if verdict == "BLOCKED" {
		return "the review is blocked and needs a person"
	}
	return map[bool]string{true: fmt.Sprintf("iteration %d would be next, but the loop is limited to %d: a person must decide how to continue", next, most), false: "the loop was escalated and needs a person; it gives no reason"}[next > most]
}

// rebuildLoop reconstructs a QA loop whose state file is broken. It uses the story named by the folder, or the only story in review.
func (l *treeSearch) rebuildLoop(r statefile.Record) *work {
	id := path.Base(path.Dir(r.Path))
	var s *story.Story
	if id != "qa" {
		s = l.stories.Find(story.KeyOf(id))
	} else {
		id = "unknown"
		for _, other := range l.stories.All {
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
	w.phases, w.agent, w.handoff = nil, "qa", "qa-review-story" // replace the values for a development cycle that fromStory has set
	if w.State != sources.Corrupt {
		loopReading{work: w}.positionFromStory(s)
	}
	return w
}

var iterationForm = textdoc.NewForm(`(?i)\biteration\s+#?([0-9]{1,3})\b`)

// positionFromStory sets the position of a QA loop if its state file is broken. The story's status shows the next agent, and the change log
// may show the iteration.
func (w loopReading) positionFromStory(s *story.Story) {
	step := phase{id: "review", name: "review of the story", agent: "qa", state: checkpoint.Active, evidence: "story status"}
	if s.Meaning == sources.MeansInProgress {
		step.id, step.name, step.agent, w.handoff = "fix", "fix of the problems that the review found", "dev", "dev-develop-story"
	}
	w.phases = []phase{step}
	w.resumeAt(0, "the story says '"+statefile.Short(s.Phrase)+"'")
	for i := range w.claims {
		w.claims[i].phase = step.name
	}
	last := 0
	for _, entry := range s.Read().Log {
		for _, m := range iterationForm.FindAllStringSubmatch(entry, -1) {
			n, _ := strconv.Atoi(m[1])
			last = max(last, n)
		}
	}
	w.position = "its iteration could not be read"
	if last > 0 {
		w.position = fmt.Sprintf("iteration %d, according to the change log of its story", last)
	}
}
