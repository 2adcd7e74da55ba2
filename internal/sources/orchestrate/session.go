package orchestrate

import (
	"cmp"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

type sessionReading reading

func (l *treeSearch) session(r statefile.Record) *work {
	if r.Broken {
		return l.rebuildWorkflow(r, "Session", "session")
	}
	v := r.Value.Get("session_state")
	epic := v.Get("epic").Get("id").Text()
	w := sessionReading{l.newWork(rankWorkflow, "Session", "session-"+orUnknown(epic), r), v}
	w.Name, w.about = v.Get("epic").Get("title").Text(), epicTitle(epic)
	w.Same = append(w.Same, "epic:"+strings.ToLower(epic))
	w.noteActivity("last_updated", w.timeOf(v, "last_updated"), w.timeOf(v.Get("last_action"), "timestamp"))
	w.began = w.timeOf(v.Get("workflow"), "started_at")
	w.agent = agentName(v.Get("context_snapshot").Get("last_executor").Text())
	done, open := v.Get("progress").Get("stories_done").Texts(), v.Get("progress").Get("stories_pending").Texts()
	current := v.Get("progress").Get("current_story").Text()
	w.sessionTasks(done, open, current)
	w.sessionState(len(open) == 0 && current == "")
	phase := cmp.Or(v.Get("workflow").Get("current_phase").Text(), v.Get("last_action").Get("phase").Text())
	w.fields["last_action"], w.fields["resume_instructions"] = v.Get("last_action").Get("type").Text(), statefile.Short(v.Get("resume_instructions").Text())
	reason := "it is the current story of the session"
	if current == "" && len(open) > 0 {
		current, reason, w.agent = open[0], "it is the first pending story of the session", "master" // the last agent worked on another story
	}
	if w.State != sources.Complete {
		w.position = "story " + current
		w.Point = sources.Point{Task: current, Title: phase, Reason: reason}
		w.setBranch(v.Get("context_snapshot").Get("branch").Text())
	}
	return w.work
}

func (w sessionReading) sessionTasks(done, open []string, current string) {
	for _, id := range done {
		w.Tasks = append(w.Tasks, sources.Task{ID: id, State: statusDone, Evidence: "stories_done"})
		w.addClaim(claim{id: id, meaning: sources.MeansDone, raw: "done", over: true})
	}
	for _, id := range open {
		c := claim{id: id, meaning: sources.MeansPending, raw: "pending", phase: "session"}
		if id == current {
			c.meaning, c.raw, c.place = sources.MeansInProgress, "", "the current story"
		}
		w.Tasks = append(w.Tasks, sources.Task{ID: id, State: c.meaning.TaskState(), Evidence: "stories_pending"})
		w.addClaim(c)
	}
}

// sessionState sets the state of a session. The state is complete if no story is left. Otherwise it depends on the last recorded action,
// such as a pause. If that action has no special meaning, the time of the last activity decides between running and interrupted.
func (w sessionReading) sessionState(over bool) {
	w.Status = w.v.Get("last_action").Get("type").Text()
	switch {
	case over:
		w.State, w.position = sources.Complete, "all stories"
	case w.Status == "PAUSE":
		w.State, w.Cause = sources.Paused, statefile.CausePause
	case w.Status == "ABORT":
		w.State, w.Cause = sources.Paused, statefile.CauseUser
	case w.Status == "CHECKPOINT_REACHED":
		w.Questions = append(w.Questions, sources.Question{Text: "the checkpoint waits for a decision: continue, pause, review or abort", Options: []string{"GO", "PAUSE", "REVIEW", "ABORT"}})
		w.waitForAnswer()
	case w.Status == "ERROR_OCCURRED":
		w.State, w.Cause = sources.Failed, statefile.CauseError
	default:
		w.State, w.Cause = w.stopped(sessionQuiet), statefile.CauseSession
	}
}

// waitForAnswer marks the work as waiting for an answer, or as paused if there was no answer for half an hour.
func (w *work) waitForAnswer() {
	w.State = sources.Waiting
	if w.search.View.Now.Sub(w.Active) > checkpointWait {
		w.State, w.Cause = sources.Paused, statefile.CausePause
		w.doubt("checkpoint-unanswered", conflicts.Info, "", "the checkpoint has had no answer since %s, for more than half an hour, so the work counts as paused", w.search.View.Shown(w.Active))
	}
}

// sessionQuiet is how long a session counts as running after its last recorded activity. It is long, because a session writes its state
// file only once per action.
const sessionQuiet = 30 * time.Minute

// checkpointWait is how long a checkpoint waits for an answer before the work counts as paused.
const checkpointWait = 30 * time.Minute
