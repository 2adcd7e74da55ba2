package orchestrate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
	"github.com/git-resume/git-resume/internal/textdoc"
)

type epicReading reading

// wave is a group of stories of an epic.
type wave struct {
	id, name string
	meaning  sources.Meaning
	raw      string
	stories  []epicStory
	// gate is the verdict of the review after the wave. It is empty if there is no verdict yet.
	gate string
}

type epicStory struct {
	sources.Task
	branch, agent string
	meaning       sources.Meaning
}

func (s epicStory) over() bool {
	return s.meaning == sources.MeansDone || s.meaning == sources.MeansClosed
}

func (l *treeSearch) epic(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildEpic(r, statefile.EpicID(r.Path))
	}
	v := r.Value
	if inner := v.Get("epic_state"); inner.IsObject() {
		v = inner
	}
	id := cmp.Or(v.Get("epicId", "epic_id").Text(), statefile.EpicID(r.Path))
	w := epicReading{l.newWork(rankEpic, "Epic Execution", "epic-"+id, r), v}
	w.Name, w.about, w.agent = id, epicTitle(id), "pm"
	w.Same = append(w.Same, "epic:"+strings.ToLower(id))
	w.Mode, w.Status = v.Get("mode").Text(), v.Get("status").Text()
	w.began = w.timeOf(v, "started_at", "startedAt")
	w.noteActivity("updated_at", w.timeOf(v, "updated_at", "updatedAt"))
	waves := w.wavesOf()
	if len(w.Tasks) == 0 && !approvedEnd(v, w.Status) {
		w.reportUnreadable()
		return w.work
	}
	w.epicPoint(waves)
	w.epicState()
	if plan := v.Get("execution_plan").Text(); plan != "" && w.State.Open() {
		w.need(plan, "the remaining waves", false)
		w.fields["execution_plan"] = plan
	}
	return w.work
}

// approvedEnd reports whether the state file says that the whole epic is finished.
func approvedEnd(v textdoc.Value, status string) bool {
	verdict := v.Get("gate_verdicts").Get("final", "epic", "final_gate").Get("status", "verdict").Text()
	return approved(verdict) || sources.MeaningOf(status) == sources.MeansDone
}

// reportUnreadable reports an epic whose state file contains no stories. Without this report, the epic would count as finished.
func (w epicReading) reportUnreadable() {
	w.State, w.position = sources.Corrupt, "its progress could not be read"
	w.doubt(sources.DoubtInvalidState, conflicts.Blocking, first(w.Files), "no wave with stories could be read from it, so its progress is not known")
	w.Cause = statefile.CauseOf(w.v, w.Status)
}

func epicTitle(id string) string {
	if strings.HasPrefix(strings.ToLower(id), "epic") {
		return "epic " + strings.TrimLeft(id[4:], "-_ ")
	}
	return "epic " + id
}

// wavesOf reads the waves in the order of their numbers, and adds each of their stories as a task.
func (w epicReading) wavesOf() []wave {
	var out []wave
	for _, f := range statefile.Named(w.v.Get("waves"), statefile.WaveNames...) {
		g := wave{id: strings.TrimPrefix(f.Key, "wave-"), name: f.Value.Get("name", "title").Text(), raw: f.Value.Get("status").Text()}
		g.meaning = sources.MeaningOf(g.raw)
		g.gate = w.v.Get("gate_verdicts").Get(f.Key).Get("status", "verdict").Text()
		for _, s := range statefile.Named(f.Value.Get("stories"), statefile.StoryNames...) {
			if !s.Value.Is() {
				s.Value = statefile.Beside(w.v, s.Key)
			}
			g.stories = append(g.stories, w.epicStory(g, s.Key, s.Value))
		}
		out = append(out, g)
	}
	if len(out) == 0 {
		out = w.looseStories()
	}
	slices.SortStableFunc(out, func(a, b wave) int { return sources.NaturalOrder(a.id, b.id) })
	for _, g := range out {
		for _, s := range g.stories {
			w.Tasks = append(w.Tasks, s.Task)
			w.addClaim(claim{id: s.ID, meaning: s.meaning, raw: s.Raw, phase: "wave " + g.id, over: s.over(), path: first(s.Files)})
		}
	}
	return out
}

// looseStories makes waves of the stories of a state file that lists them outside of waves. A story may name its wave.
func (w epicReading) looseStories() (out []wave) {
	for _, s := range statefile.Named(w.v.Get("stories"), statefile.StoryNames...) {
		id := cmp.Or(strings.TrimPrefix(s.Value.Get("wave").Text(), "wave-"), "1")
		i := slices.IndexFunc(out, func(g wave) bool { return g.id == id })
		if i < 0 {
			i, out = len(out), append(out, wave{id: id})
		}
		out[i].stories = append(out[i].stories, w.epicStory(out[i], s.Key, s.Value))
	}
	return out
}

func (w epicReading) epicStory(g wave, id string, v textdoc.Value) epicStory {
	s := epicStory{branch: v.Get("branch").Text(), agent: agentName(v.Get("executor", "agent").Text())}
	s.ID, s.Title, s.Phase, s.Raw = id, v.Get("title", "note").Text(), "wave "+g.id, v.Get("status").Text()
	// Some files contain only the status of a story, as in "3.1: done".
	if v.Text() != "" {
		s.Raw = v.Text()
	}
	s.Title = statefile.Short(s.Title)
	s.meaning = sources.MeaningOf(s.Raw)
	s.State, s.Evidence = s.meaning.TaskState(), "epic state"
	if s.meaning == sources.MeansUnknown {
		w.doubt(sources.DoubtUnknownWord, conflicts.Warning, "", "story %s has %s", id, statefile.UnknownStatus(s.Raw))
	}
	s.Began, s.Ended = w.timeOf(v, "started_at"), w.timeOf(v, "completed_at")
	w.noteActivity("completed_at", s.Ended)
	if file := v.Get("file", "path", "story_file").Text(); file != "" {
		s.Files = []string{file}
	}
	return s
}

// passed reports whether a wave is finished. All its stories must be finished. The status of the wave must also say done, or the gate of
// the wave must be approved.
func (w epicReading) passed(g wave) bool {
	var left []string
	for _, s := range g.stories {
		if !s.over() {
			left = append(left, s.ID)
		}
	}
	switch {
	case g.meaning == sources.MeansDone && len(left) == 0:
		return true
	case g.meaning == sources.MeansDone:
		w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "wave %s is '%s', but some of its stories are not finished: %s", g.id, g.raw, strings.Join(left, ", "))
		return false
	case len(left) == 0 && len(g.stories) > 0:
		return approved(g.gate)
	}
	return false
}

func (g wave) allOver() bool {
	return len(g.stories) > 0 && !slices.ContainsFunc(g.stories, func(s epicStory) bool { return !s.over() })
}

func approved(verdict string) bool {
	return slices.Contains([]string{"approved", "approve", "pass", "passed", "go", "waived"}, strings.ToLower(verdict))
}

// epicPoint sets the resume point in the first unfinished wave, even if the state file calls another wave the current one. If all waves
// are finished, the final gate comes next.
func (w epicReading) epicPoint(waves []wave) {
	w.at = len(waves)
	pointed := slices.IndexFunc(waves, func(g wave) bool { return g.id == w.v.Get(statefile.CurrentWave...).Text() })
	for i, g := range waves {
		gate := cmp.Or(agentName(w.v.Get("gate_verdicts").Get(g.id).Get("agent").Text()), "pm")
		p := phase{id: "wave-" + g.id, name: "Wave " + g.id, agent: gate, raw: g.raw, state: g.meaning.TaskState()}
		if g.name != "" {
			p.name += ": " + g.name
		}
		if w.passed(g) || g.raw == "" && g.gate == "" && i < pointed && g.allOver() {
			p.state = checkpoint.Done
		} else if p.state == checkpoint.Done {
			p.state = checkpoint.Active
		}
		w.phases = append(w.phases, p)
		if !p.over() && w.at == len(waves) {
			w.at = i
		}
	}
	w.fields["total_waves"], w.fields["current_wave"] = len(waves), w.v.Get(statefile.CurrentWave...).Plain()
	if w.at == len(waves) {
		w.finalGate(len(waves))
		return
	}
	g := waves[w.at]
	w.position = fmt.Sprintf("wave %s", g.id)
	if pointer := w.v.Get(statefile.CurrentWave...).Text(); pointer != "" && pointer != g.id {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "current_wave is %s, but the first unfinished wave is %s", statefile.Short(pointer), g.id)
	}
	w.wavePoint(g)
}

// wavePoint sets the resume point to the first unfinished story of a wave, if possible one that is not blocked. A story counts as finished
// if the state file or its own file says so. If all stories are finished, the point is the gate of the wave, a review of its stories.
func (w epicReading) wavePoint(g wave) {
	var open, blocked []epicStory
	for _, s := range g.stories {
		switch {
		case s.over():
		case w.doneInFile(s):
			w.finishedMeanwhile(s.ID)
		case s.meaning == sources.MeansBlocked || s.meaning == sources.MeansWaiting:
			blocked = append(blocked, s)
		default:
			open = append(open, s)
		}
	}
	if len(open) == 0 && len(blocked) > 0 {
		w.State = sources.Blocked
		open = blocked
	}
	if len(open) == 0 {
		w.agent = w.phases[w.at].agent
		w.Point = sources.Point{Task: "gate-" + g.id, Title: "gate of wave " + g.id, Reason: "all stories of the wave are finished, according to the state or their own files, but its gate is not approved"}
		return
	}
	s, which := open[0], "unfinished story of wave "+g.id
	if w.State != sources.Blocked && len(blocked) > 0 {
		which += " that is not blocked"
	}
	if s.meaning == sources.MeansFailed {
		w.State = sources.Failed
	}
	w.agent = cmp.Or(s.agent, "dev")
	w.Point = sources.Point{Task: s.ID, Title: s.Title, Reason: strings.TrimSuffix(fmt.Sprintf("it is the first %s: %s", which, s.Raw), ": ")}
	w.setBranch(s.branch)
}

// finishedMeanwhile marks a story as done that the state file calls active, because its own file says that it is done.
func (w epicReading) finishedMeanwhile(id string) {
	for i := range w.Tasks {
		if t := &w.Tasks[i]; t.ID == id && t.State == checkpoint.Active {
			t.State, t.Evidence = statusDone, "story status"
		}
	}
}

func (w epicReading) doneInFile(s epicStory) bool {
	file := w.storyOf(claim{id: s.ID, key: story.KeyOf(s.ID), path: first(s.Files)})
	return file != nil && file.Meaning == sources.MeansDone
}

func (w epicReading) finalGate(waves int) {
	w.position = "final gate"
	verdict := w.v.Get("gate_verdicts").Get("final", "epic", "final_gate").Get("status", "verdict").Text()
	if approved(verdict) || sources.MeaningOf(w.Status) == sources.MeansDone {
		w.State, w.position = sources.Complete, "all waves"
		return
	}
	w.Point = sources.Point{Task: "final-gate", Title: "final gate", Reason: fmt.Sprintf("all waves are completed (%d)", waves)}
}

// epicState sets the state of the epic from its status and its waves, and reports contradictions between them.
func (w epicReading) epicState() {
	m := sources.MeaningOf(w.Status)
	if m == sources.MeansUnknown && w.Status != "" && !strings.EqualFold(w.Status, "interrupted") {
		w.doubt(sources.DoubtUnknownWord, conflicts.Warning, "", "the epic has the unknown status '%s'", statefile.Short(w.Status))
	}
	if w.State == sources.Complete {
		if m != sources.MeansDone {
			w.doubt(sources.DoubtStatusWord, conflicts.Info, "", "the epic says %s, but its last gate is approved", statefile.Said(w.Status))
		}
		return
	}
	switch {
	case m == sources.MeansDone:
		w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "the epic says '%s', but it continues at %s", w.Status, w.Point.Task)
		w.State = sources.Interrupted
	case w.State != "":
	case m == sources.MeansClosed || m == sources.MeansBlocked: // an aborted epic can be continued later
		w.State = sources.Paused
	default:
		w.State = w.stopped(quiet)
	}
	w.Cause = statefile.CauseOf(w.v, w.Status)
	if w.search.View.Now.Sub(w.Active) > week {
		w.doubt("epic-stalled", conflicts.Info, "", "the state of the epic was last written at %s, more than a week ago", w.search.View.Shown(w.Active))
	}
}

// rebuildEpic reconstructs an epic whose state file is broken. It uses the statuses of the epic's stories.
func (l *treeSearch) rebuildEpic(r statefile.Record, id string) *work {
	w := l.brokenWork(rankEpic, "Epic Execution", "epic-"+id, r)
	w.Name, w.about, w.agent = id, epicTitle(id), "pm"
	w.Same = append(w.Same, "epic:"+strings.ToLower(id))
	for _, s := range l.stories.All {
		if s.Archived && s.Meaning != sources.MeansDone || !belongs(s, id, "") || s.Problem != nil {
			continue
		}
		w.addStory(s.ID)
		state := s.Meaning.TaskState()
		if ticked, said := s.Read().Implemented(); s.Meaning == sources.MeansInProgress && ticked && said {
			w.doubt(sources.DoubtNotMarked, conflicts.Info, s.Path, "story %s is implemented, according to its change log and tasks", s.ID)
		}
		w.Tasks = append(w.Tasks, sources.Task{ID: s.ID, Title: s.Title, State: state, Raw: s.Word, Files: []string{s.Path}, Evidence: "story status"})
		if w.Point.Task == "" && state != checkpoint.Done && state != checkpoint.Skipped {
			w.Point = sources.Point{Task: s.ID, Title: s.Title, Reason: "it is the first story of the epic that is not done, according to the stories themselves"}
		}
	}
	if len(w.Tasks) == 0 {
		return w
	}
	w.rebuilt("the state was reconstructed from the statuses of the epic's stories")
	w.position = "according to its stories"
	if w.Point.Task != "" {
		w.State = sources.Interrupted
	}
	return w
}

// belongs reports whether a story is part of an epic. The story's key must begin with the epic's id, or the story file must be in the
// folder of the epic's plan.
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
