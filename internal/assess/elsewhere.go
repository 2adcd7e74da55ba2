package assess

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/tasks"
)

// provenance finds out whether this clone recorded the run. It also looks for reports from other clones that our journal does not contain.
func (x runChecks) provenance() {
	r := x.run()
	if r.Rebuilt {
		return // a rebuilt run has its own finding and question
	}
	switch r.Lack {
	case checkpoint.LackNothing:
		x.addReportsOfOthers()
	case checkpoint.LackLines:
		x.addFinding(candidate.FindLinesMissing, candidate.Blocking, "records that were made here are missing from its journal")
	case checkpoint.LackSignature:
		x.addFinding(candidate.FindElsewhere, candidate.Blocking, "it was recorded without a signature, by an older version or elsewhere"+lastHost(r))
	case checkpoint.LackKey:
		x.addFinding(candidate.FindElsewhere, candidate.Blocking, "it is not known whether it was started here, because the key of this user cannot be used")
	case checkpoint.LackFile:
		x.addFinding(candidate.FindElsewhere, candidate.Blocking, "it was closed here, or came back from elsewhere"+lastHost(r))
	default:
		x.addFinding(candidate.FindElsewhere, candidate.Blocking, "it was started elsewhere"+lastHost(r))
	}
}

// lastHost names the host on which somebody last worked on the run, if the journal says so.
func lastHost(r *checkpoint.Run) string {
	a := r.Driver
	if a == nil {
		a = r.Owner
	}
	if a == nil || a.Host == "" {
		return ""
	}
	return ", last by " + a.Host
}

// workEvents lists the kinds of events that show that somebody is working on the run.
var workEvents = []checkpoint.Kind{checkpoint.RunClaimed, checkpoint.RunDriven, checkpoint.RunTaken, checkpoint.RunResumed, checkpoint.TaskStarted}

// addReportsOfOthers adds findings for reports about our run from other clones. Such a report can only add a warning; it never removes one.
func (x runChecks) addReportsOfOthers() {
	r := x.run()
	for _, w := range r.Unheard() {
		if slices.Contains(workEvents, w.Event) {
			who := ""
			if r.Foreign.By != nil && r.Foreign.By.Host != "" {
				who = " on " + r.Foreign.By.Host
			}
			x.addFinding(candidate.FindElsewhere, candidate.Blocking, fmt.Sprintf("it was continued elsewhere%s, last record from %s", who, r.Foreign.Last.In(x.Now().Location()).Format("2006-01-02 15:04:05")))
			break
		}
	}
	for _, w := range r.Unheard() {
		if text := describeReport(w); text != "" {
			x.addFinding(candidate.FindReported, candidate.Warning, text)
		}
	}
}

// describeReport describes a report from another clone. It returns "" for reports that need no attention.
func describeReport(w checkpoint.Word) string {
	task := fmt.Sprintf("task '%s'", w.Task)
	switch w.Event {
	case checkpoint.TaskDone:
		if w.Commit == "" {
			return task + " was reported done elsewhere, without a commit"
		}
		return fmt.Sprintf("%s was reported done elsewhere, as %s", task, w.Commit.Short())
	case checkpoint.TaskFailed:
		return strings.TrimSpace(fmt.Sprintf("%s was reported failed elsewhere %s", task, w.Cause))
	case checkpoint.TaskBlocked:
		return fmt.Sprintf("%s asks elsewhere: %s", task, w.Text)
	case checkpoint.TaskAnswered:
		return fmt.Sprintf("%s was answered elsewhere: %s", task, w.Text)
	case checkpoint.TaskSkipped:
		return task + " was skipped elsewhere"
	case checkpoint.RunPaused:
		return "somebody elsewhere asked to pause it"
	case checkpoint.RunFinished, checkpoint.RunSuperseded:
		return "it was reported finished elsewhere"
	case checkpoint.RunDiscarded:
		return "it was discarded elsewhere"
	case checkpoint.RunMerged:
		return "it was reported merged elsewhere"
	case checkpoint.RunPlanned:
		return "its plan was changed elsewhere; here it is as before"
	}
	return ""
}

// commits looks for commits on the run's branch that were not made in this clone.
// The user must know about them, because the run's commands would use their files.
func (x runChecks) commits(ctx context.Context) error {
	r := x.run()
	if !r.Ours() || r.Closed() || len(tasks.CommandsOf(x.a.Plan)) == 0 {
		return nil
	}
	strange, err := x.judge.Tasks.StrangeCommits(ctx, r)
	if err != nil || len(strange) == 0 {
		return err
	}
	tip := strange[0].ID
	if ok, err := x.judge.Tasks.AcceptedTip(ctx, r.ID, strange); ok || err != nil {
		return err
	}
	more := make([]string, 0, len(strange))
	for _, c := range strange {
		more = append(more, fmt.Sprintf("%s %s (%s)", c.ID.Short(), c.Subject(), c.Author.Name))
	}
	x.addFinding(candidate.FindCommits, candidate.Warning, fmt.Sprintf("%s on its branch came from elsewhere, up to %s", howMany(len(strange), "commit"), tip.Short()), more...)
	return nil
}

func howMany(n int, word string) string {
	if n != 1 {
		word += "s"
	}
	return fmt.Sprintf("%d %s", n, word)
}
