package words

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// Headline says in words how the run stands.
func Headline(m *candidate.Summary, now time.Time) string {
	r := &m.Run
	ago := phrase.LongAgo(now.Sub(r.LastAt))
	silent := ""
	if d := now.Sub(r.LastAt); d >= time.Minute {
		silent = phrase.Long(d)
	}
	n, t := r.Current()
	at := ""
	if t != nil {
		at = fmt.Sprintf(" at task %d of %d", n, len(r.Tasks))
	}
	switch m.State {
	case checkpoint.Interrupted:
		return fmt.Sprintf("stopped %s%s", ago, at) + because(Stop(m))
	case checkpoint.FailedRun:
		return fmt.Sprintf("failed %s%s: %s", ago, at, Failure(t))
	case checkpoint.Waiting:
		if silent == "" {
			return "is waiting for you" + at
		}
		return fmt.Sprintf("has waited %s for you%s", silent, at)
	case checkpoint.Paused:
		return fmt.Sprintf("was paused %s%s", ago, at) + because(r.Cause)
	case checkpoint.Running:
		return fmt.Sprintf("is running%s, last report %s", at, ago)
	case checkpoint.Idle:
		if !r.Begun() {
			return fmt.Sprintf("was started %s; no task has started", ago)
		}
		if silent == "" {
			return fmt.Sprintf("is open%s, last report %s", at, ago)
		}
		return fmt.Sprintf("is open%s, no activity for %s", at, silent)
	case checkpoint.FinishedRun, checkpoint.Discarded:
		return fmt.Sprintf("%s %s", m.State, ago) + map[string]string{
			DetailMerged: ", merged into " + quote.Clean(r.Base.Name), DetailNotMerged: ", not merged into " + quote.Clean(r.Base.Name),
			DetailSuperseded: ", replaced by " + quote.Clean(r.Superseded),
		}[Detail(m)]
	default:
		return fmt.Sprintf("%s %s", m.State, ago)
	}
}

func ForeignHeadline(m *candidate.Summary, now time.Time) string {
	at := ""
	if m.Found.Stands != "" {
		at = " at " + quote.Clean(m.Found.Stands)
	} else if n, t := m.Run.Current(); t != nil && n > 0 {
		at = fmt.Sprintf(" at task %d of %d", n, len(m.Run.Tasks))
	} else if m.Found.Point.Task != "" {
		at = " at " + quote.Clean(m.Found.Point.Task)
	}
	ago := ""
	if !m.Run.LastAt.IsZero() {
		ago = " " + phrase.LongAgo(now.Sub(m.Run.LastAt))
	}
	if Ahead(now, m.Run.LastAt) {
		ago = " in the future (" + m.Run.LastAt.In(now.Location()).Format("2006-01-02 15:04") + ")"
	}
	switch m.State {
	case checkpoint.Interrupted:
		return "stopped" + ago + at + changedHere(m, now) + because(m.Found.Cause)
	case checkpoint.FailedRun:
		return "failed" + ago + at + changedHere(m, now) + because(m.Found.Cause)
	case checkpoint.Waiting:
		if q := m.Found.Questions; m.Found.State == sources.Blocked && len(q) > 0 && q[0].Block {
			return "is blocked" + at
		}
		return "is waiting for you" + at
	case checkpoint.Paused:
		return "was paused" + ago + at
	case checkpoint.Running:
		if m.Elsewhere() {
			return "may be running"
		}
		if m.Busy == "" { // a tool that we started holds the work
			return "is running" + at
		}
		return "may be running" + at
	case checkpoint.Idle:
		return "is open" + at + ", last activity" + ago
	case checkpoint.Discarded: // its own system ended it; nobody here discarded it
		return "ended" + ago + because(m.Found.Cause)
	default:
		return string(m.State) + ago
	}
}

// changedHere tells of a change that we made after the work stopped, because its own records carry the time of that change.
func changedHere(m *candidate.Summary, now time.Time) string {
	if m.Run.LastAt.IsZero() || m.Found.Active.Sub(m.Run.LastAt) < time.Minute || Ahead(now, m.Found.Active) {
		return ""
	}
	return ", and was changed here " + phrase.Long(now.Sub(m.Found.Active)) + " ago"
}

func because(cause string) string {
	if cause == "" {
		return ""
	}
	return ": " + quote.Clean(cause)
}

// Stop says why a run stopped; it is empty if that is not known.
func Stop(m *candidate.Summary) string {
	if m.Run.Cause != "" {
		return Cause(m.Run.Cause)
	}
	return map[candidate.Ending]string{candidate.Restarted: "the machine was restarted", candidate.Killed: "killed"}[m.Ending]
}

// causes are the words for a stored cause of a stop or a failure.
var causes = map[string]string{
	checkpoint.CauseTaken:    "taken over from elsewhere",
	resume.CauseConfirm:      "a task must be confirmed",
	execution.CauseSignal:    "ended by a signal",
	execution.CauseTimeout:   "its time limit",
	execution.CauseHook:      "a hook refused its commit",
	execution.CauseBranch:    "it left another branch checked out",
	execution.CauseOperation: "it left a git operation unfinished",
	execution.CauseWorktree:  "the worktree is gone",
	execution.CauseInput:     "a file that it reads changed while it ran",
	execution.CauseStart:     "its command could not be started",
	execution.CauseInterrupt: "Ctrl-C",
	execution.CauseTerminate: "SIGTERM",
	execution.CauseHangup:    "the terminal was closed",
}

// Cause returns the words for a cause; a cause that a script or a person reported is shown as it is.
func Cause(cause string) string { return cmp.Or(causes[cause], quote.Clean(cause)) }

func Failure(t *checkpoint.Task) string {
	switch {
	case t.ExitCode != nil:
		return fmt.Sprintf("exit %d", *t.ExitCode)
	case t.Cause != "" && t.Until != "":
		return quote.Clean(t.Cause + " until " + Until(t.Until))
	case t.Cause != "":
		return Cause(t.Cause)
	default:
		return quote.Clean(t.Reason)
	}
}

// Until is a stored time at which a task can be tried again, as the reader's clock shows it.
func Until(stored string) string {
	at, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return quote.Clean(stored)
	}
	return phrase.Moment(at, time.Local)
}

// Ahead reports whether a time is in the future by more than two clocks may differ.
func Ahead(now, t time.Time) bool { return t.After(now.Add(time.Minute)) }

// Position is the place of the current task in the run, for example "4/7 login".
func Position(m *candidate.Summary) string {
	r := &m.Run
	if m.Found != nil && m.Found.Listed != "" {
		return quote.Clean(m.Found.Listed)
	}
	if r.Source != "" && m.Found == nil { // its tasks are recorded by its own system only
		if m.Aside == nil {
			return ""
		}
		return quote.Clean(cmp.Or(m.Aside.Listed, m.Aside.Stands))
	}
	n, t := r.Current()
	if m.Found != nil && m.Found.Stands != "" {
		return quote.Clean(m.Found.Stands)
	}
	if m.Found != nil && (t == nil || string(t.ID) != m.Found.Point.Task) {
		return foreignPosition(m)
	}
	if t == nil {
		return fmt.Sprintf("%d/%d", len(r.Tasks), len(r.Tasks))
	}
	return fmt.Sprintf("%d/%d %s", n, len(r.Tasks), quote.Clean(string(t.ID)))
}

// foreignPosition says where another system's work stands when its next step is not one of its tasks.
func foreignPosition(m *candidate.Summary) string {
	done, skipped := 0, 0
	for _, t := range m.Run.Tasks {
		switch {
		case t.State == checkpoint.Done:
			done++
		case t.State == checkpoint.Skipped && m.Found.State != sources.Ended: // if the work was ended early, it skipped these itself
			skipped++
		}
	}
	step := quote.Clean(m.Found.Point.Task)
	if len(m.Run.Tasks) == 0 {
		return step
	}
	return strings.TrimSpace(fmt.Sprintf("%d/%d%s %s", done, len(m.Run.Tasks), AlsoSkipped(skipped), step))
}

// AlsoSkipped follows a number of finished tasks, because skipped tasks do not count as done.
func AlsoSkipped(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", %d skipped", n)
}

// Gone says why the state of adopted work cannot be found.
func Gone(m *candidate.Summary) string {
	switch {
	case m.Hidden:
		return "it is hidden in this clone"
	case m.Lost && m.LostBranch != "":
		return "its worktree was deleted; branch " + quote.Clean(ShortBranch(m.LostBranch)) + " is still there"
	case m.Lost:
		return "its worktree was deleted, and its state with it"
	}
	return "its system's state is no longer here"
}

// Since says what changed on the base, which is called by the given name.
func Since(a *assess.Assessment, base string) string {
	r := &a.Summary.Run
	switch {
	case a.Summary.Found != nil && !a.ComparedBase():
		return "" // nothing was compared
	case r.Base.Name == "" || r.Closed() || a.Conflicts == nil && a.Has(candidate.FindCannotTell, candidate.FindBaseGone):
		return ""
	case a.Conflicts == nil:
		return fmt.Sprintf("nothing has changed on %s", base)
	case len(a.Conflicts.Conflicts) == 0:
		return fmt.Sprintf("no overlap with what changed on %s (%s checked)", base, phrase.Count(a.Touched, "file", "files"))
	default:
		return fmt.Sprintf("%s touched here, compared with %s", phrase.Count(a.Touched, "file", "files"), base)
	}
}

// NeedsPath reports whether a finding's text does not name its file; the doubts of other systems' readers do name it.
func NeedsPath(f candidate.Finding) bool {
	return f.Path != "" && !strings.HasPrefix(f.Text, f.Path) && !strings.HasPrefix(f.Text, path.Base(f.Path)+" ")
}

// AtPath puts the path before a finding's text if the text does not name it. A text that begins with a verb continues the path.
func AtPath(f candidate.Finding, path, text string) string {
	if !NeedsPath(f) {
		return text
	}
	verb, _, _ := strings.Cut(text, " ")
	switch verb {
	case "is", "was", "has", "had", "does", "did", "can", "cannot":
		return path + " " + text
	}
	return path + ": " + text
}

func Blocking(a *candidate.Picture) int {
	n := 0
	for _, f := range a.Findings {
		if f.Severity == candidate.Blocking {
			n++
		}
	}
	return n
}

func Warnings(a *candidate.Picture) int {
	n := 0
	for _, f := range a.Findings {
		if f.Severity == candidate.Warning {
			n++
		}
	}
	return n
}
