package orchestrate

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
)

var masterMust = []string{"storyId", "workflowId", "epics", "status"}

// engines are the parts of the master orchestrator that run one after the other, by the numbers it gives them.
var engines = map[string]string{"3": "Spec Pipeline", "4": "Execution Engine", "5": "Recovery System", "6": "QA Loop", "7": "Memory Layer"}

func (l *look) readMasters() {
	for _, home := range statefile.Homes {
		l.states(path.Join(home, "master-orchestrator"), statefile.IsJSON, masterMust, l.master)
	}
}

func (l *look) master(r statefile.Record) *work {
	id := strings.TrimSuffix(path.Base(r.Path), ".json")
	if r.Broken {
		return l.rebuildWorkflow(r, "Master Orchestrator", id)
	}
	v := r.Value
	if own := v.Get("storyId").Text(); own != "" {
		id = own
	}
	w := l.newWork(rankWorkflow, "Master Orchestrator", "orchestrator-"+id, r)
	w.Name, w.about, w.Status = id, story.Titled(id), v.Get("status").Text()
	w.began = w.timeOf(v.Get("timestamps"), "startedAt", "started")
	if w.began.IsZero() {
		w.began = w.timeOf(v, "startedAt")
	}
	w.sign("timestamps", w.timeOf(v.Get("timestamps"), "updatedAt", "savedAt", "lastUpdated"), w.timeOf(v, "updatedAt"), w.began)
	w.masterPhases(v)
	w.claim(claim{id: id, meaning: sources.MeansInProgress, place: w.position, phase: w.Point.Title, over: w.Point.Task == ""})
	w.workflowState(v)
	if w.State.Open() && w.look.View.Now.Sub(w.Active) > day {
		w.doubt("too-old-for-its-tool", conflicts.Warning, r.Path, "its own command takes no state that is older than 24 hours")
	}
	w.Command = quote.Command("*orchestrate-resume %s", id)
	return w
}

func (w *work) masterPhases(v sources.Value) {
	completed := v.Get("completedEpics").Texts()
	for _, f := range v.Get("epics").Fields() {
		p := phase{id: "epic-" + f.Key, name: engines[f.Key], agent: "master", raw: f.Value.Get("status").Text(), evidence: "epics"}
		if p.name == "" {
			p.name = "epic " + f.Key
		}
		p.state = sources.MeaningOf(p.raw).TaskState()
		if p.state != statusDone && slices.Contains(completed, f.Key) {
			w.doubt(sources.DoubtDiscrepancy, conflicts.Warning, "", "epic %s is among the completed ones, but says '%s'", f.Key, statefile.Short(p.raw))
		}
		w.phases = append(w.phases, p)
	}
	slices.SortStableFunc(w.phases, func(a, b phase) int { return sources.NaturalOrder(a.id, b.id) })
	at := firstOpen(w.phases)
	if pointer := v.Get("currentEpic").Text(); pointer != "" && at < len(w.phases) && w.phases[at].id != "epic-"+pointer {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "currentEpic is %s, but by the epics themselves it is %s", statefile.Short(pointer), strings.TrimPrefix(w.phases[at].id, "epic-"))
	}
	w.goOn(at, "the first epic that is neither completed nor skipped")
}

const buildFile = "build-state.json"

var buildMust = []string{"storyId", "checkpoints", "completedSubtasks", "currentSubtask"}

func (l *look) readBuilds() {
	if !l.Tree.Has("plan") {
		return
	}
	dirs := append([]string{"plan"}, l.Folders("plan", maxLoops)...)
	for _, dir := range dirs {
		name := path.Join(dir, buildFile)
		if !l.Tree.Has(name) {
			continue
		}
		if r, ok := l.Load(name, statefile.Format(name, buildMust...)); ok {
			l.add(l.build(r))
		}
	}
}

func (l *look) build(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildBuild(r)
	}
	v := r.Value
	id := v.Get("storyId").Text()
	if id == "" {
		id = path.Base(path.Dir(r.Path))
	}
	w := l.newWork(rankWorkflow, "Build", "build-"+story.KeyOf(id), r)
	w.Name, w.about, w.Status, w.agent, w.handoff = id, story.Titled(id), v.Get("status").Text(), "dev", "dev-develop-story"
	w.began = w.timeOf(v, "startedAt")
	w.sign("lastCheckpoint", w.timeOf(v, "lastCheckpoint"), w.timeOf(v, "abandonedAt"), w.began)
	w.subtasks(v, l.checkpoints(path.Join(path.Dir(r.Path), "checkpoints")))
	w.claim(claim{id: id, meaning: sources.MeansInProgress, place: w.position, phase: "build", over: sources.MeaningOf(w.Status) == sources.MeansDone})
	w.buildState(v)
	w.buildTree(v.Get("worktree"))
	if plan := v.Get("plan").Get("path").Text(); plan != "" {
		w.need(plan, "the remaining subtasks", true)
	}
	return w
}

// checkpoints are kept in files of their own as well.
func (l *look) checkpoints(dir string) []sources.Value {
	const most = 500
	var out []sources.Value
	for _, name := range l.List(dir, func(n string) bool { return strings.HasPrefix(n, "cp-") && statefile.IsJSON(n) }) {
		if len(out) == most {
			break
		}
		if data, err := l.Tree.Read(name); err == nil {
			if v, err := sources.ParseJSON(data); err == nil && v.IsObject() {
				out = append(out, v)
			}
		}
	}
	return out
}

// subtasks are known by their checkpoints first, then by the list, then by the pointer.
func (w *work) subtasks(v sources.Value, extra []sources.Value) {
	at := map[string]int{}
	put := func(id string, state checkpoint.TaskState, evidence string) *sources.Task {
		if i, ok := at[id]; ok {
			return &w.Tasks[i]
		}
		at[id] = len(w.Tasks)
		w.Tasks = append(w.Tasks, sources.Task{ID: id, State: state, Evidence: evidence, Phase: v.Get("currentPhase").Text()})
		return &w.Tasks[len(w.Tasks)-1]
	}
	for _, id := range v.Get("completedSubtasks").Texts() {
		put(id, statusDone, "completedSubtasks")
	}
	for _, c := range append(v.Get("checkpoints").Items(), extra...) {
		id := c.Get("subtaskId").Text()
		m := sources.MeaningOf(c.Get("status").Text())
		if id == "" || m == sources.MeansFailed {
			continue
		}
		t := put(id, statusDone, "checkpoint "+statefile.Short(c.Get("id").Text()))
		if hash := c.Get("gitCommit").Text(); object.IsID(hash) {
			t.Commit, w.Last = object.ID(hash), object.ID(hash)
		}
		t.Files = c.Get("filesModified").Texts()
		w.own = append(w.own, t.Files...)
		w.sign("checkpoint", w.timeOf(c, "timestamp"))
	}
	for _, f := range v.Get("failedAttempts").Items() {
		if id := f.Get("subtaskId").Text(); id != "" {
			t := put(id, checkpoint.Failed, "failedAttempts")
			t.Attempts++
		}
	}
	w.buildPoint(v, at)
}

func (w *work) buildPoint(v sources.Value, at map[string]int) {
	current := v.Get("currentSubtask").Text()
	total, known := v.Get("metrics").Get("totalSubtasks").Int()
	if !known {
		total, known = v.Get("plan").Get("totalSubtasks").Int()
	}
	done := 0
	for _, t := range w.Tasks {
		if t.State == statusDone {
			done++
		}
	}
	w.position = fmt.Sprintf("%d subtasks done", done)
	if known {
		w.position = fmt.Sprintf("%d of %d subtasks done", done, total)
	}
	if i, ok := at[current]; current != "" && (!ok || w.Tasks[i].State != statusDone) {
		if !ok {
			w.Tasks = append(w.Tasks, sources.Task{ID: current, State: checkpoint.Active, Evidence: "currentSubtask"})
		}
		w.Point = sources.Point{Task: current, Reason: "the current subtask, which has no checkpoint"}
		return
	}
	for _, t := range w.Tasks {
		if t.State == checkpoint.Failed {
			w.Point = sources.Point{Task: t.ID, Reason: fmt.Sprintf("it failed %d times and has no checkpoint", t.Attempts)}
			return
		}
	}
	if current != "" {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "currentSubtask %s has its checkpoint already", statefile.Short(current))
	}
	if known && done >= total && total > 0 {
		return
	}
	w.Point = sources.Point{Task: "next-subtask", Title: "the subtask after " + orNone(current), Reason: "all subtasks that the state names are done"}
}

func (w *work) buildState(v sources.Value) {
	m := sources.MeaningOf(w.Status)
	w.Cause = statefile.CauseOf(v, w.Status)
	switch {
	case m == sources.MeansDone && w.Point.Task != "" && w.Point.Task != "next-subtask":
		w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "the build says '%s', but %s is not done", w.Status, w.Point.Task)
		w.State = sources.Interrupted
	case m == sources.MeansDone:
		w.State, w.Point = sources.Complete, sources.Point{}
	case w.Status == "paused":
		w.State = sources.Paused
	case m == sources.MeansFailed:
		w.State = sources.Failed
	case w.Status == "abandoned" || v.Get("abandoned").True():
		w.State = sources.Interrupted
	case w.Status == "pending" && len(w.Tasks) == 0:
		w.State = sources.NotStarted
	default:
		w.State = w.stopped()
	}
}

// buildTree names the worktree of a build: a registered one on the right branch, or the place where its tool would make it.
func (w *work) buildTree(v sources.Value) {
	w.on(v.Get("branch").Text())
	place := strings.ReplaceAll(v.Get("path").Text(), `\`, "/")
	if place == "" || w.Worktree != "" {
		return
	}
	m := worktreeTail.FindStringSubmatch(place)
	if m == nil || m[2] == "." || m[2] == ".." {
		w.doubt(sources.DoubtRefused, conflicts.Info, "", "the state names a worktree that is not where its tool makes them: %s", statefile.Short(place))
		if w.Branch != "" {
			w.look.View.SettleBeside(&w.Found)
		}
		return
	}
	place = m[1]
	w.Wants = place
	if w.look.Tree.Has(place) {
		if t, ok := w.look.View.At(filepath.Join(w.look.Tree.WorkTree, filepath.FromSlash(place))); !ok || t.Branch != w.Branch {
			w.doubt(sources.DoubtWorktree, conflicts.Warning, place, "%s is there, but it is not the worktree of this build", place)
		}
	}
}

func (l *look) readForges() {
	for _, home := range statefile.Homes {
		for _, dir := range l.Folders(path.Join(home, "forge-runs"), maxLoops) {
			name := path.Join(dir, "state.json")
			if r, ok := l.Load(name, statefile.Format(name, "run_id", "phases")); ok {
				l.add(l.forge(r))
			}
		}
	}
}

func (l *look) forge(r statefile.Record) *work {
	id := path.Base(path.Dir(r.Path))
	if r.Broken {
		return l.rebuildWorkflow(r, "Forge", id)
	}
	v := r.Value
	w := l.newWork(rankWorkflow, "Forge", id, r)
	w.Name, w.about, w.Status = v.Get("project").Get("name").Text(), statefile.Short(v.Get("project").Get("name").Text()), v.Get("status").Text()
	w.began = w.timeOf(v, "started_at")
	w.sign("updated_at", w.timeOf(v, "updated_at", "completed_at"), w.began)
	for _, f := range v.Get("phases").Fields() {
		p := phase{id: "phase-" + f.Key, name: "phase " + f.Key, raw: f.Value.Get("status").Text(), evidence: "phases"}
		p.state = sources.MeaningOf(p.raw).TaskState()
		p.began, p.ended = w.timeOf(f.Value, "started_at"), w.timeOf(f.Value, "completed_at")
		w.phases = append(w.phases, p)
	}
	slices.SortStableFunc(w.phases, func(a, b phase) int { return sources.NaturalOrder(a.id, b.id) })
	w.goOn(firstOpen(w.phases), "the first phase that is not completed")
	if w.at < len(w.phases) {
		w.position = w.phases[w.at].name
	}
	w.workflowState(v)
	return w
}
