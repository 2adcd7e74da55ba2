package reporting

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/commit"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Reporter records reports about tasks.
type Reporter struct {
	*site.Site
	Find    *candidate.Finder
	Tasks   *tasks.Tasks
	Staging *staging.Stager
}

// Verb is the kind of a report, for example "start" or "done".
type Verb string

// The possible reports about a task.
const (
	Add   Verb = "add"
	Start Verb = "start"
	Done  Verb = "done"
	Fail  Verb = "fail"
	Block Verb = "block"
	Skip  Verb = "skip"
	Reset Verb = "reset"
)

// TaskReport is one report about one task.
type TaskReport struct {
	Run  string
	Task string
	Verb Verb
	// Message is the subject of the commit (for done), the reason (for fail, skip and reset), or the question (for block, if Ask is
	// empty).
	Message string
	Title   string
	Paths   []string
	// Add creates the task if it is not yet part of the run.
	Add      bool
	NoVerify bool
	Cause    string
	ExitCode *int
	Until    string
	Ask      string
	Options  []string
	// Owner is the process id of the reporter. If it is 0, git-resume finds the reporter among its ancestor processes.
	Owner int
	// Takeover accepts the report even if we cannot check whether the run's last worker is still alive.
	Takeover bool
}

// Reported is the result of a report.
type Reported struct {
	Journal *journal.Journal
	Task    checkpoint.Task
	Number  int
	// Commit is the task's commit; empty if there is none. Made is true if this report made the commit.
	Commit commit.Result
	Made   bool
	// Already is true if there was nothing new to record.
	Already bool
	// Left is the number of changes that are still uncommitted. Others names those in the user's own worktree that are not part of a task's
	// commit, because they were uncommitted before the task started.
	Left   int
	Others []string
	// Saved is the snapshot of what a failed task left uncommitted.
	Saved snapshot.Snapshot
	// Staged lists paths whose staged content the commit has replaced. StagedIn is the snapshot that holds the staged content.
	Staged   []string
	StagedIn snapshot.Snapshot
	// Unanswered is the question of the task that the report closed without an answer; empty if there was none.
	Unanswered string
	// Found lists tasks that were committed earlier but are recorded only now.
	Found []checkpoint.TaskID
}

// StateError says that a report does not fit the state of its task.
type StateError struct {
	Run   checkpoint.RunID
	Task  checkpoint.Task
	Wants Verb
}

func (e *StateError) Error() string {
	if e.Asks() {
		return fmt.Sprintf("task '%s' is a question of the plan, and only an answer completes it", e.Task.ID)
	}
	return fmt.Sprintf("task '%s' is %s", e.Task.ID, e.Task.State)
}

// Asks reports whether the task is a question of the plan that has no answer yet.
func (e *StateError) Asks() bool { return e.Task.Asks && !e.Task.State.Closed() && e.Wants != "answer" }

// Report records a worker's report about a task.
func (e *Reporter) Report(ctx context.Context, q TaskReport) (*Reported, error) {
	if err := q.check(); err != nil {
		return nil, err
	}
	var err error
	if q.Until, err = tasks.Until(q.Until, e.Now()); err != nil {
		return nil, err
	}
	rep, err := e.reportOpen(ctx, q)
	if j := e.findClosedRun(ctx, err); j != nil {
		if was := repeatedReport(j, q); was != nil {
			return was, nil
		}
	}
	return rep, err
}

func (e *Reporter) reportOpen(ctx context.Context, q TaskReport) (*Reported, error) {
	e.Repo.Warm(ctx)
	id, err := e.Find.Resolve(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	d, err := e.open(ctx, id, q.Owner, q.Takeover)
	if err != nil {
		return nil, err
	}
	unlock, err := e.LockTree(e.Admin(), treePatience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	d.q = q
	d.q.Add = q.Add || q.Verb == Add
	if err := d.prepare(ctx); err != nil {
		return nil, d.saveAfterRefusal(ctx, err)
	}
	if q.Verb == Fail {
		// Save uncommitted work before recording the failure, because a failed task makes no commit.
		if d.saved, err = e.Staging.Snapshot(ctx, e.Repo, id, "task "+string(d.task)+" failed"); err != nil {
			return nil, err
		}
	}
	return d.report(ctx)
}

func (q TaskReport) check() error {
	for _, t := range []struct{ what, text string }{
		{"the message", q.Message}, {"the title", q.Title}, {"the question", q.Ask}, {"the cause", q.Cause}, {"the time", q.Until},
	} {
		if err := checkText(t.what, t.text); err != nil {
			return err
		}
	}
	for _, o := range q.Options {
		if err := checkText("an option", o); err != nil {
			return err
		}
	}
	return nil
}

// maxText limits the length of one text, so that a line of the journal does not become too long.
const maxText = 4 << 10

func checkText(what, text string) error {
	switch {
	case len(text) > maxText:
		return &candidate.TextError{What: what, Why: fmt.Sprintf("is longer than %d bytes", maxText)}
	case !utf8.ValidString(text):
		return &candidate.TextError{What: what, Why: "is not UTF-8"}
	case strings.ContainsRune(text, 0):
		return &candidate.TextError{What: what, Why: "contains a NUL"}
	}
	return nil
}
