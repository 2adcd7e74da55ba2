package orchestrate

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/story"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func (l *treeSearch) build(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildBuild(r)
	}
	v := r.Value
	id := cmp.Or(v.Get("storyId").Text(), path.Base(path.Dir(r.Path)))
	w := buildReading{l.newWork(rankWorkflow, "Build", "build-"+story.KeyOf(id), r), v}
	w.Name, w.about, w.Status, w.agent, w.handoff = id, story.Titled(id), v.Get("status").Text(), "dev", "dev-develop-story"
	w.began = w.timeOf(v, "startedAt")
	w.noteActivity("lastCheckpoint", w.timeOf(v, "lastCheckpoint"), w.timeOf(v, "abandonedAt"), w.began)
	w.subtasks(l.checkpoints(path.Join(path.Dir(r.Path), "checkpoints")))
	w.addClaim(claim{id: id, meaning: sources.MeansInProgress, place: w.position, phase: "build", over: sources.MeaningOf(w.Status) == sources.MeansDone})
	w.buildState()
	w.buildTree(v.Get("worktree"))
	if plan := v.Get("plan").Get("path").Text(); plan != "" {
		w.need(plan, "the remaining subtasks", true)
	}
	return w.work
}

type buildReading reading

// checkpoints reads the checkpoint files cp-*.json in a folder, at most 500 of them. It leaves out files that cannot be read.
func (l *treeSearch) checkpoints(dir string) []textdoc.Value {
	const most = 500
	var out []textdoc.Value
	for _, name := range l.List(dir, func(n string) bool { return strings.HasPrefix(n, "cp-") && statefile.IsJSON(n) }) {
		if len(out) == most {
			break
		}
		if data, err := l.Tree.Read(name); err == nil {
			if v, err := textdoc.ParseJSON(data); err == nil && v.IsObject() {
				out = append(out, v)
			}
		}
	}
	return out
}

// subtasks collects the subtasks in this order: completed subtasks, subtasks with a checkpoint, and subtasks with failed attempts.
func (w buildReading) subtasks(extra []textdoc.Value) {
	at := map[string]int{}
	put := func(id string, state checkpoint.TaskState, evidence string) *sources.Task {
		if i, ok := at[id]; ok {
			return &w.Tasks[i]
		}
		at[id] = len(w.Tasks)
		w.Tasks = append(w.Tasks, sources.Task{ID: id, State: state, Evidence: evidence, Phase: w.v.Get("currentPhase").Text()})
		return &w.Tasks[len(w.Tasks)-1]
	}
	for _, id := range w.v.Get("completedSubtasks").Texts() {
		put(id, statusDone, "completedSubtasks")
	}
	for _, c := range append(w.v.Get("checkpoints").Items(), extra...) {
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
		w.changedFiles = append(w.changedFiles, t.Files...)
		w.noteActivity("checkpoint", w.timeOf(c, "timestamp"))
	}
	for _, f := range w.v.Get("failedAttempts").Items() {
		if id := f.Get("subtaskId").Text(); id != "" {
			t := put(id, checkpoint.Failed, "failedAttempts")
			t.Attempts++
		}
	}
	w.buildPoint(at)
}

func (w buildReading) buildPoint(at map[string]int) {
	current := w.v.Get("currentSubtask").Text()
	total, known := w.v.Get("metrics").Get("totalSubtasks").Int()
	if !known {
		total, known = w.v.Get("plan").Get("totalSubtasks").Int()
	}
	done := 0
	for _, t := range w.Tasks {
		if t.State == statusDone {
			done++
		}
	}
	w.position = sources.Count(done, "subtask", "subtasks") + " done"
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
			w.Point = sources.Point{Task: t.ID, Reason: "it failed " + sources.Count(t.Attempts, "time", "times") + " and has no checkpoint"}
			return
		}
	}
	if current != "" {
		w.doubt(sources.DoubtStaleMarker, conflicts.Info, "", "currentSubtask %s is already done", statefile.Short(current))
	}
	if known && done >= total && total > 0 {
		return
	}
	w.Point = sources.Point{Task: "next-subtask", Title: "the subtask after " + orUnknown(current), Reason: "all subtasks that the state names are done"}
}

func (w buildReading) buildState() {
	m := sources.MeaningOf(w.Status)
	w.Cause = statefile.CauseOf(w.v, w.Status)
	switch {
	case m == sources.MeansDone && w.Point.Task != "" && w.Point.Task != "next-subtask":
		w.doubt(sources.DoubtStatusWord, conflicts.Warning, "", "the status of the build is '%s', but %s is not done", w.Status, w.Point.Task)
		w.State = sources.Interrupted
	case m == sources.MeansDone:
		w.State, w.Point = sources.Complete, sources.Point{}
	case w.Status == "paused":
		w.State = sources.Paused
	case m == sources.MeansFailed:
		w.State = sources.Failed
	case w.Status == "abandoned" || w.v.Get("abandoned").True():
		w.State = sources.Interrupted
	case w.Status == "pending" && len(w.Tasks) == 0:
		w.State = sources.NotStarted
	default:
		w.State = w.stopped(quiet)
	}
}

// buildTree sets the worktree of a build to the registered worktree of its branch. If there is none, it uses the path in the state file.
// It refuses a path at which the build tool would not create a worktree, and adds a warning.
func (w buildReading) buildTree(v textdoc.Value) {
	w.setBranch(v.Get("branch").Text())
	place := strings.ReplaceAll(v.Get("path").Text(), `\`, "/")
	if place == "" || w.Worktree != "" {
		return
	}
	m := worktreeTail.FindStringSubmatch(place)
	if m == nil || m[2] == "." || m[2] == ".." {
		w.doubt(sources.DoubtRefused, conflicts.Info, "", "the state names the worktree %s, outside of the folder in which its tool creates worktrees", statefile.Short(place))
		if w.Branch != "" {
			w.search.View.SettleBeside(&w.Found)
		}
		return
	}
	place = m[1]
	w.Wants = place
	if w.search.Tree.Has(place) {
		if t, ok := w.search.View.At(filepath.Join(w.search.Tree.WorkTree, filepath.FromSlash(place))); !ok || t.Branch != w.Branch {
			w.doubt(sources.DoubtWorktree, conflicts.Warning, place, "%s exists, but it is not the worktree of this build", place)
		}
	}
}

// rebuildBuild reconstructs a build whose state file is broken. It uses the checkpoint files, or the story if there are no checkpoints.
func (l *treeSearch) rebuildBuild(r statefile.Record) *work {
	id := path.Base(path.Dir(r.Path))
	w := l.brokenWork(rankWorkflow, "Build", "build-"+story.KeyOf(id), r)
	w.Name, w.about, w.agent, w.handoff = id, id, "dev", "dev-develop-story"
	points := l.checkpoints(path.Join(path.Dir(r.Path), "checkpoints"))
	if len(points) == 0 {
		l.fromStory(w, l.stories.Find(story.KeyOf(id)))
		return w
	}
	buildReading{work: w}.subtasks(points)
	w.State = sources.Interrupted
	w.rebuilt(fmt.Sprintf("the state was reconstructed from %d checkpoints", len(points)))
	return w
}

var worktreeTail = textdoc.NewForm(`(?:^|/)(\.aiox?s?/worktrees/([^/]+))/?$`)
