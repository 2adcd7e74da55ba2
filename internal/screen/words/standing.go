package words

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/crew"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// Headline describes the state of a run in a few words.
func Headline(m *candidate.Summary, now time.Time) string {
	r := &m.Run
	ago := phrase.LongAgo(now.Sub(r.LastAt))
	silent := ""
	if d := now.Sub(r.LastAt); d >= time.Minute {
		silent = phrase.Long(d)
	}
	_, t := r.Current()
	at := At(m)
	switch m.State {
	case checkpoint.Interrupted:
		if m.Limited {
			return fmt.Sprintf("stopped %s%s; its agent reached a limit that lasts %s", ago, at, Limit(m, now))
		}
		return fmt.Sprintf("stopped %s%s", ago, at) + because(Stop(m))
	case checkpoint.FailedRun:
		return fmt.Sprintf("failed %s%s", ago, at) + because(Failure(t))
	case checkpoint.Waiting:
		if silent == "" {
			return "is waiting for you" + at
		}
		return fmt.Sprintf("has been waiting for you for %s%s", silent, at)
	case checkpoint.Paused:
		if at += failedMeanwhile(t); r.LastEvent != checkpoint.RunPaused && r.LastEvent != checkpoint.RunStopped { // something was reported after the pause
			return "is paused" + at + because(r.Cause) + "; last report " + ago
		}
		return fmt.Sprintf("was paused %s%s", ago, at) + because(r.Cause)
	case checkpoint.Running:
		return fmt.Sprintf("is running%s, last report %s", at, ago) + pausesSoon(r)
	case checkpoint.Idle:
		if !r.Begun() {
			return fmt.Sprintf("was started %s; no task has started", phrase.LongAgo(now.Sub(r.Started)))
		}
		if silent == "" {
			return fmt.Sprintf("is open%s, last report %s", at, ago)
		}
		return fmt.Sprintf("is open%s, no activity for %s", at, silent)
	case checkpoint.FinishedRun, checkpoint.Discarded:
		if text := LeftOpen(m); text != "" {
			return fmt.Sprintf("%s %s, with %s", m.State, ago, text)
		}
		return fmt.Sprintf("%s %s", m.State, ago) + map[string]string{
			DetailMerged: ", merged into " + quote.Clean(r.Base.Name), DetailNotMerged: ", " + NotMerged(m),
			DetailSuperseded: ", replaced by " + quote.Clean(r.Superseded),
		}[Detail(m)]
	default:
		return fmt.Sprintf("%s %s", m.State, ago)
	}
}

// failedMeanwhile says that the task at which a paused run stands has failed. Otherwise it returns "".
func failedMeanwhile(t *checkpoint.Task) string {
	if t == nil || t.State != checkpoint.Failed {
		return ""
	}
	return ", which failed (" + Failure(t) + ")"
}

// pausesSoon says that a run which is still executed pauses after the running task, and why. Otherwise it returns "".
func pausesSoon(r *checkpoint.Run) string {
	if !r.Paused {
		return ""
	}
	return "; it pauses after that" + because(r.Cause)
}

// Pause says in a few words why a run is paused, and whether its task failed.
func Pause(r *checkpoint.Run) string {
	why := quote.Clean(r.Cause)
	if _, t := r.Current(); t != nil && t.State == checkpoint.Failed {
		return strings.TrimSuffix("failed ("+Failure(t)+"); "+why, "; ")
	}
	return why
}

// At says where in its tasks a piece of work stands, for example " at task 2 of 5", in the units of the system that knows them.
func At(m *candidate.Summary) string {
	n, t := m.Run.Current()
	switch {
	case m.Found != nil && m.Found.Stands != "":
		return " at " + quote.Clean(m.Found.Stands)
	case t != nil && n > 0:
		return " at " + quote.Clean(sources.Nth("task", string(t.ID), n, max(n, len(steps(m)))))
	case m.Found != nil && m.Found.Point.Task != "":
		return " at " + quote.Clean(m.Found.Point.Task)
	}
	return ""
}

// steps returns the tasks of the work, without the items inside a step of another system.
func steps(m *candidate.Summary) []checkpoint.Task {
	if m.Found == nil {
		return m.Run.Tasks
	}
	var out []checkpoint.Task
	for i, t := range m.Run.Tasks {
		if i >= len(m.Found.Tasks) || !m.Found.Tasks[i].Aside {
			out = append(out, t)
		}
	}
	return out
}

func ForeignHeadline(m *candidate.Summary, now time.Time) string {
	at := At(m)
	ago := ""
	if !m.Run.LastAt.IsZero() {
		ago = " " + phrase.LongAgo(now.Sub(m.Run.LastAt))
	}
	if Ahead(now, m.Run.LastAt) {
		ago = " at a time in the future (" + m.Run.LastAt.In(now.Location()).Format("2006-01-02 15:04") + ")"
	}
	switch m.State {
	case checkpoint.Interrupted:
		if m.Fresh {
			return "was set back to its start" + ago + "; it is now" + at
		}
		return "stopped" + ago + whereNow(m, at, now) + because(m.Found.Cause)
	case checkpoint.FailedRun:
		return "failed" + ago + whereNow(m, at, now) + because(m.Found.Cause)
	case checkpoint.Waiting:
		if Blocked(m) {
			return "is blocked" + at
		}
		return "is waiting for you" + at
	case checkpoint.Paused:
		return "was paused" + ago + at
	case checkpoint.Running:
		if m.Elsewhere() {
			return "was handed over"
		}
		if m.Handed { // we printed how to continue, and nothing shows that somebody has started
			return "was handed over" + at
		}
		if m.Busy == "" { // it is certain: a process of git was seen, or git-resume itself started the running tool
			return "is running" + at
		}
		return "may be running" + at
	case checkpoint.Idle:
		if ago == "" {
			return "is open" + at
		}
		return "is open" + at + ", last activity" + ago
	case checkpoint.Discarded: // the other system ended the work, so "discarded" would be wrong
		return "ended" + ago + because(m.Found.Cause)
	default:
		return string(m.State) + ago
	}
}

// whereNow says at which task the work is. If git-resume changed something after the work had stopped, the text says so, because the work
// may be at another task now.
func whereNow(m *candidate.Summary, at string, now time.Time) string {
	changed := changedHere(m, now)
	if changed == "" || at == "" {
		return at + changed
	}
	return changed + "; it is now" + at
}

// changedHere mentions a change that git-resume made after the work had stopped, or returns "". Without this text, the newer times in the
// state files would be confusing.
func changedHere(m *candidate.Summary, now time.Time) string {
	if m.Run.LastAt.IsZero() || m.Found.Active.Sub(m.Run.LastAt) < time.Minute || Ahead(now, m.Found.Active) {
		return ""
	}
	return ", and was changed here " + phrase.Long(now.Sub(m.Found.Active)) + " ago"
}

func because(cause string) string {
	if cause == "" || cause == string(checkpoint.FailedRun) { // "failed: failed" says nothing more
		return ""
	}
	return ": " + quote.Clean(cause)
}

// Stop returns why a run stopped, or "" if that is not known.
func Stop(m *candidate.Summary) string {
	if m.Run.Cause != "" {
		return Cause(m.Run.Cause)
	}
	if k := m.Session; k != nil && turnCauses()[k.Turn.Cause] != "" {
		return turnCauses()[k.Turn.Cause]
	}
	return map[candidate.Ending]string{candidate.Restarted: "the machine was restarted", candidate.Killed: "killed"}[m.Ending]
}

// turnCauses says why an agent's last turn ended early. It has no text for a turn whose end nobody reported, because the state of the
// agent's process explains more.
func turnCauses() map[checkpoint.TurnCause]string {
	return map[checkpoint.TurnCause]string{
		checkpoint.TurnQuota: "its agent reached a limit", checkpoint.TurnOverloaded: "its agent's server was overloaded",
		checkpoint.TurnUser: "its agent was interrupted by the user", checkpoint.TurnError: "its agent had an error",
	}
}

// Limit says how long the limit lasts that stopped the session of a run, for example "until 19:41 (claude, 5-hour limit)".
func Limit(m *candidate.Summary, now time.Time) string {
	k := m.Session
	text := limitText(k.Agent, k.Turn.Limit, k.Until.In(now.Location()), now)
	if k.Fate == proc.Alive {
		text += ", " + quote.Clean(k.Agent) + " is still running"
	}
	return text
}

// limitText says until when a limit lasts. If that is not today, the text includes the date.
func limitText(agent, limit string, until, now time.Time) string {
	text := "until " + until.Format("15:04")
	if until.YearDay() != now.YearDay() || until.Year() != now.Year() {
		text = "until " + until.Format("2006-01-02 15:04")
	}
	names := quote.Clean(agent)
	if limit != "" {
		names += ", " + quote.Clean(limit)
	}
	return text + " (" + names + ")"
}

// causes holds the texts for stored causes that execution.CauseText does not know.
var causes = sync.OnceValue(func() map[string]string {
	return map[string]string{
		checkpoint.CauseTaken: "taken over from another clone or user",
		resume.CauseConfirm:   "a task must be confirmed",
		crew.CauseMoving:      "another program keeps moving its branch",
	}
})

// Cause returns the text for a stored cause. For an unknown cause, it returns the cause itself, without control characters.
func Cause(cause string) string {
	return cmp.Or(causes()[cause], execution.CauseText(cause), quote.Clean(cause))
}

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

// Until formats the stored time after which a task can be tried again.
func Until(stored string) string {
	at, err := time.Parse(time.RFC3339, stored)
	if err != nil {
		return quote.Clean(stored)
	}
	return phrase.Moment(at, time.Local)
}

// Ahead reports whether a time is more than one minute in the future. Smaller differences between clocks are normal.
func Ahead(now, t time.Time) bool { return t.After(now.Add(time.Minute)) }

// Position says how many tasks of a run are done and at which it stands, for example "3 of 7 done, at login". Other systems' work stands at
// the name that its author gave to a task, or where its own system says, for example "iteration 2 of 10, step B1". What is not known is left out.
func Position(m *candidate.Summary) string {
	f := m.Found
	if m.Run.Source != "" && f == nil { // only the other system knows the tasks
		if m.Aside == nil {
			return ""
		}
		return quote.Clean(cmp.Or(m.Aside.Listed, m.Aside.Stands))
	}
	var parts []string
	if tasks := steps(m); len(tasks) > 0 && (f == nil || f.Counted()) {
		tally := TallyOf(tasks)
		switch {
		case f != nil && f.State == sources.Ended: // ended work skips all its remaining tasks, so do not count them
			tally = Tally{Done: tally.Done}
		case f != nil:
			tally.Failed = 0 // what failed is where the work stands
		}
		parts = append(parts, fmt.Sprintf("%d of %s done%s", tally.Done, Total(f, len(tasks)), tally.Besides()))
	}
	if at := place(m, f); at != "" {
		parts = append(parts, map[bool]string{true: "at "}[len(parts) > 0]+quote.Clean(at))
	}
	return strings.Join(parts, ", ")
}

// Total returns the number of all tasks, or a question mark if the tasks of another system's work are not all known.
func Total(f *sources.Found, n int) string {
	if f != nil && f.Unlisted {
		return "?"
	}
	return strconv.Itoa(n)
}

// place returns the name of the task at which a run stands, as Position shows it.
func place(m *candidate.Summary, f *sources.Found) string {
	_, t := m.Run.Current()
	switch {
	case f == nil && (t == nil || m.Run.Finished):
		return ""
	case f == nil:
		return string(t.ID)
	case f.Listed != "" || !f.Counted():
		return cmp.Or(f.Listed, f.Stands)
	case f.Point.Task != "":
		return TaskLabel(f, f.Point.Task)
	case t != nil:
		return TaskLabel(f, string(t.ID))
	}
	return ""
}

// Tally counts how the tasks of a run ended. Tasks that have not ended are in no count.
type Tally struct{ Done, Failed, Skipped int }

// TallyOf counts how tasks ended.
func TallyOf(tasks []checkpoint.Task) (out Tally) {
	for _, t := range tasks {
		switch t.State {
		case checkpoint.Done:
			out.Done++
		case checkpoint.Failed:
			out.Failed++
		case checkpoint.Skipped:
			out.Skipped++
		}
	}
	return out
}

// Besides returns a text such as ", 1 failed, 2 skipped", for use after the number of tasks that are done. It returns "" if there are none.
func (t Tally) Besides() string {
	text := ""
	for _, c := range []struct {
		n    int
		word string
	}{{t.Failed, "failed"}, {t.Skipped, "skipped"}} {
		if c.n > 0 {
			text += fmt.Sprintf(", %d %s", c.n, c.word)
		}
	}
	return text
}

// Gone explains why the state of another system's work cannot be found.
func Gone(m *candidate.Summary) string {
	switch {
	case m.Hidden:
		return "it is hidden in this clone"
	case m.Lost && m.LostBranch != "":
		return "its worktree was deleted; branch " + quote.Clean(ShortBranch(m.LostBranch)) + " is still there"
	case m.Lost:
		return "its worktree was deleted, and its state with it"
	}
	return "the state files of its system no longer exist"
}

// HasAllOfBase reports whether the base of a run has moved, and the run has all commits of the base.
func HasAllOfBase(a *assess.Assessment) bool {
	moved := a.ComparedBase() && a.Seen.Base != a.Summary.Run.BaseTip
	return a.Summary.Found == nil && moved && a.Conflicts == nil && !a.MergesBase && !a.Has(candidate.FindBaseMoved, candidate.FindBaseRewritten, candidate.FindCannotTell)
}

// Since says whether anything has changed on the base of a run, and whether that conflicts with the changes of the run. It returns "" if
// this is not known. The argument "base" is the name to print.
func Since(a *assess.Assessment, base string) string {
	r := &a.Summary.Run
	switch {
	case a.Summary.Found != nil && !a.ComparedBase():
		return ""
	case r.Base.Name == "" || r.Closed() || a.Conflicts == nil && a.Has(candidate.FindCannotTell, candidate.FindBaseGone):
		return ""
	case a.MergesBase:
		return fmt.Sprintf("the run has all commits of %s as soon as the merge is committed", base)
	case a.Conflicts == nil && HasAllOfBase(a):
		return fmt.Sprintf("the run has all commits of %s", base)
	case a.Conflicts == nil && a.Summary.Found != nil && a.Seen.Base != r.BaseTip && a.Seen.Base != r.Base.Commit:
		return fmt.Sprintf("its branch has all commits of %s", base)
	case a.Conflicts == nil:
		return fmt.Sprintf("nothing has changed on %s", base)
	case len(a.Conflicts.Conflicts) == 0 && !a.Has(candidate.FindCannotTell):
		return fmt.Sprintf("no conflict with %s (%s checked)", sinceWhen(a, base), phrase.Count(a.Touched, "file", "files"))
	default:
		return fmt.Sprintf("%s changed here, checked against %s", phrase.Count(a.Touched, "file", "files"), sinceWhen(a, base))
	}
}

// sinceWhen names the base, and the commit from which its changes are compared: where it was when the work was interrupted.
func sinceWhen(a *assess.Assessment, base string) string {
	if at := cmp.Or(a.Summary.Run.BaseTip, a.Conflicts.Base); at != "" {
		return base + " since " + at.Short()
	}
	return "what changed on " + base
}

// NeedsPath reports whether a path must be added to the text of a finding. Many texts already start with their path.
func NeedsPath(f candidate.Finding) bool {
	text := Text(f)
	return f.Path != "" && !strings.HasPrefix(text, f.Path) && !strings.HasPrefix(text, path.Base(f.Path)+" ")
}

// AtPath puts the path before the text of a finding, if NeedsPath says so. A colon follows the path, except before a verb such as "was".
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
