package assess

import (
	"context"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/tasks"
)

// provenance checks whether this clone recorded the run, and whether its journal is complete. It adds a finding if one of these is not the
// case. Otherwise it adds findings about reports that other clones made about the run.
func (x runChecks) provenance() {
	r := x.run()
	if r.Rebuilt {
		return // if the run was rebuilt from its commits, the method "journal" adds a finding that says so
	}
	switch r.Lack {
	case checkpoint.LackNothing:
		x.addReportsOfOthers()
	case checkpoint.LackLines:
		x.addFinding(candidate.FindLinesMissing.Case(), candidate.Blocking, candidate.Facts{})
	case checkpoint.LackSignature:
		x.addFinding(candidate.ElsewhereUnsigned, candidate.Blocking, lastHost(r))
	case checkpoint.LackKey:
		x.addFinding(candidate.ElsewhereNoKey, candidate.Blocking, candidate.Facts{})
	case checkpoint.LackFile:
		x.addFinding(candidate.ElsewhereClosed, candidate.Blocking, lastHost(r))
	default:
		x.addFinding(candidate.ElsewhereStarted, candidate.Blocking, lastHost(r))
	}
}

// lastHost names the host on which somebody last worked on the run. The result is empty if the journal does not name the host.
func lastHost(r *checkpoint.Run) candidate.Facts {
	a := r.Driver
	if a == nil {
		a = r.Owner
	}
	if a == nil {
		return candidate.Facts{}
	}
	return candidate.Facts{Text: a.Host}
}

// workEvents lists the kinds of events that show that somebody is working on the run.
var workEvents = []checkpoint.Kind{checkpoint.RunClaimed, checkpoint.RunDriven, checkpoint.RunTaken, checkpoint.RunResumed, checkpoint.TaskStarted}

// addReportsOfOthers adds findings for reports about our run from other clones.
func (x runChecks) addReportsOfOthers() {
	r := x.run()
	for _, w := range r.Unheard() {
		if slices.Contains(workEvents, w.Event) {
			who := ""
			if r.Foreign.By != nil {
				who = r.Foreign.By.Host
			}
			x.addFinding(candidate.ElsewhereGoesOn, candidate.Blocking, candidate.Facts{Text: who, When: r.Foreign.Last.In(x.Now().Location())})
			break
		}
	}
	for _, w := range r.Unheard() {
		if slices.Contains(reportEvents, w.Event) {
			x.addFinding(candidate.FindReported.Case(), candidate.Warning, candidate.Facts{Task: w.Task, Commit: w.Commit, Seen: w})
		}
	}
}

// reportEvents lists the kinds of events about which the user is informed if another clone reports them.
var reportEvents = []checkpoint.Kind{
	checkpoint.TaskDone, checkpoint.TaskFailed, checkpoint.TaskBlocked, checkpoint.TaskAnswered, checkpoint.TaskSkipped,
	checkpoint.RunPaused, checkpoint.RunFinished, checkpoint.RunSuperseded, checkpoint.RunDiscarded, checkpoint.RunMerged, checkpoint.RunPlanned,
}

// lent adds a finding if an earlier version lent the run to a branch of a remote, and nobody has continued it here since.
func (x runChecks) lent() {
	if l := x.run().Lent; l != nil && !x.run().Closed() {
		x.addFinding(candidate.FindLent.Case(), candidate.Warning, candidate.Facts{Branch: l.Branch, When: l.At.In(x.Now().Location()), Span: x.Now().Sub(l.At)})
	}
}

// commits adds a finding if the run's branch has new commits from outside this clone. Commits from the base, and commits that the user
// has accepted, are ignored. The user must know about the others, because the run's commands would use their files. Only our own open
// runs that have commands are checked.
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
	x.addFinding(candidate.FindCommits.Case(), candidate.Warning, candidate.Facts{Count: len(strange), Commit: tip}, more...)
	return nil
}
