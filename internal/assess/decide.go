package assess

import (
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Mode says how much to ask the user before a run continues.
type Mode string

// Interactive asks the user, Auto never asks, and Preflight shows the result of every check before it asks.
const (
	Interactive Mode = "interactive"
	Auto        Mode = "auto"
	Preflight   Mode = "preflight"
)

// Request is what the user asked for on the command line.
type Request struct {
	Mode Mode
	// Terminal is true if there is a terminal at which the user can be asked.
	Terminal bool
	// Named is true if the user named the run. Otherwise the program found it.
	Named    bool
	Yes      bool
	EvenIdle bool
	Takeover bool
	// KeepGoing is true if a failed task does not stop the others, now or since the run was started.
	KeepGoing bool
	// Force is true if the user is sure that nobody is working on the run, even if it looks as if somebody is.
	Force            bool
	DespiteConflicts bool
	Update           bool
	Doubt            plan.OnInterrupt
	// From is the task that the user wants to redo, together with all tasks after it; empty if none was named.
	From string
	// Alternative is the action that the user chose for another system's work.
	// If it is empty, the program asks the user or continues the work.
	Alternative string
}

// Action says what the program does next.
type Action string

// The program continues the run, asks the user, or stops.
const (
	Go   Action = "continue"
	Ask  Action = "ask"
	Stop Action = "stop"
)

// Why gives the reason when the decision is to stop.
type Why string

// The reasons to stop. Each has its own exit code, except for WhyNothing, which is not a reason.
const (
	WhyNothing       Why = ""
	WhyDecision      Why = "decision"
	WhyConflicts     Why = "conflicts"
	WhyBusy          Why = "busy"
	WhyUnrecoverable Why = "unrecoverable"
	WhyWaiting       Why = "waiting"
)

// Decision says what to do with a run, and why.
type Decision struct {
	Action Action
	Why    Why
	// Default is true if the user says yes by only pressing return.
	Default bool
	Reasons []Reason
	// Flag is the flag or the command with which the user can answer the question without a terminal. It is empty if there is none.
	Flag string
	// Takeover is true if the question asks whether to take over a run that was recorded in another clone.
	Takeover bool
	// Given lists the flags that the user has already given.
	// A suggested command repeats them, so that the user is not asked the same questions again.
	Given []string
}

// Decide decides what to do with an assessed run. It is pure: its result depends only on its arguments.
func Decide(a *Assessment, w Request) Decision {
	unchecked := a.Has(candidate.FindUnchecked)
	if w.Takeover && w.Mode != Auto {
		// The user takes over the run, although nobody can check whether its worker is still alive, or although it is lent.
		a = a.withoutCode(candidate.FindUnchecked, candidate.FindLent)
	}
	found := a
	if w.EvenIdle {
		a = a.withoutCode(candidate.FindIdle) // the user knows that the worker shows no activity
	}
	if a.setsAside(w) {
		a = a.withoutSetAside()
	}
	if a.Redoable(w.From) {
		a = a.withoutCode(candidate.FindBranchLost) // the lost commits do not matter, because their tasks run again
	}
	if !w.Terminal && w.Mode != Preflight && a.worksBeside() {
		a = a.withoutCode(candidate.FindQuestion) // nobody can answer now, so the tasks that do not need the answer continue first
	}
	if d, ok := decideUrgent(a, w); ok {
		return d
	}
	if d, ok := decidePersonal(a, w); ok {
		return d
	}
	reasons := []Reason{{Case: ReasonVerdict, Verdict: found.Verdict, Age: a.Age, Findings: found.Findings}}
	for _, f := range found.Findings {
		reasons = append(reasons, Reason{Case: ReasonFinding, Findings: []candidate.Finding{f}})
	}
	if w.Mode == Preflight {
		return ask(w, false, "--yes", reasons)
	}
	if w.Doubt != "" {
		a = a.withoutCode(candidate.FindPartly) // the user said what to do with the interrupted task
	}
	byFlag := w.Doubt != "" || w.Update || w.DespiteConflicts
	if w.Update || w.DespiteConflicts {
		a = a.withoutCode(aboutBase...) // the user said what to do about the base, and nothing about other findings
	}
	switch {
	case w.Mode == Auto && a.Old() && !w.Yes:
		return tooOld(ReasonStale, a.Alone(), nil)
	case w.Mode == Auto, w.Yes:
		return Decision{Action: Go, Reasons: reasons}
	case w.Terminal && byFlag && a.Verdict == candidate.Clean:
		return Decision{Action: Go, Reasons: reasons} // flags have answered the only questions
	case w.Terminal:
		return ask(w, !unchecked && !a.warns(), "", reasons)
	case a.Old(): // a run that is too old for --auto is also refused without a terminal
		return tooOld(ReasonStaleConfirm, a.Alone(), reasons)
	case a.Verdict == candidate.Clean && !a.Reported(), a.Reported() && a.Verdict != candidate.Partial:
		// Without a terminal, the command itself counts as the user's yes.
		return Decision{Action: Go, Reasons: reasons}
	default:
		return stopBecause(WhyDecision, "--yes", openQuestions[a.Verdict], reasons)
	}
}

// aboutBase lists the findings about changes of the base that --update and --despite-conflicts answer.
var aboutBase = []candidate.Code{
	candidate.FindConflict, candidate.FindCannotTell, candidate.FindExpected, candidate.FindSameFile, candidate.FindInput, candidate.FindManifest,
}

// warns reports whether there is a warning besides those about finished tasks that must run again.
func (a *Assessment) warns() bool {
	return slices.ContainsFunc(a.Findings, func(f candidate.Finding) bool {
		return f.Severity == candidate.Warning && f.Code != candidate.FindInvalid
	})
}

// tooOld returns the decision to stop, because nobody has worked on the run for longer than the given time.
func tooOld(because ReasonCase, than time.Duration, more []Reason) Decision {
	d := stopBecause(WhyDecision, "--yes", because, more)
	d.Reasons[0].Stale = than
	return d
}

// openQuestions is for the case that the user must confirm something, but there is no terminal. It maps the verdict to the reason why
// the run then stops.
var openQuestions = map[candidate.Verdict]ReasonCase{
	candidate.Clean: ReasonConfirm, candidate.Warnings: ReasonConfirmWarnings, candidate.Partial: ReasonConfirmAgain,
}

func ask(w Request, def bool, flag string, reasons []Reason) Decision {
	if w.Yes {
		return Decision{Action: Go, Reasons: reasons}
	}
	if !w.Terminal {
		return stopBecause(WhyDecision, flag, ReasonConfirm, reasons)
	}
	return Decision{Action: Ask, Default: def, Reasons: reasons}
}

func stop(why Why, flag string, because ReasonCase) Decision {
	return stopBecause(why, flag, because, nil)
}

func stopBecause(why Why, flag string, because ReasonCase, more []Reason) Decision {
	return Decision{Action: Stop, Why: why, Flag: flag, Reasons: append([]Reason{{Case: because}}, more...)}
}

// stopAbout returns the decision to stop because of these findings.
func stopAbout(why Why, flag string, because ReasonCase, findings []candidate.Finding) Decision {
	return Decision{Action: Stop, Why: why, Flag: flag, Reasons: []Reason{{Case: because, Findings: findings}}}
}

// decideUrgent decides the cases that have priority over all others, for example that somebody is working on the run. The second result is
// false if none of these cases applies.
func decideUrgent(a *Assessment, w Request) (Decision, bool) {
	switch {
	case a.Has(candidate.FindAlive):
		return stop(WhyBusy, "", ReasonRunning), true
	case a.Has(candidate.FindUnchecked):
		return stop(WhyBusy, "--takeover", ReasonUnchecked), true
	case a.Has(candidate.FindElsewhere, candidate.FindLinesMissing) && w.Named && w.Mode != Auto && (w.Terminal || w.Takeover):
		// Decide only about the takeover here. After a takeover, everything else is assessed again.
		return takeOver(w), true
	case a.Has(candidate.FindLinesMissing):
		return stop(WhyDecision, "--takeover", ReasonLinesMissing), true
	case a.Has(candidate.FindElsewhere):
		return stop(WhyDecision, "--takeover", ReasonTakeover), true
	case a.Verdict == candidate.Unrecoverable && a.Summary.Found != nil:
		return stopAbout(WhyUnrecoverable, "", ReasonBlocking, a.blockingFindings()), true
	case a.Verdict == candidate.Unrecoverable:
		return stop(WhyUnrecoverable, "--restart", ReasonResultsGone), true
	case len(a.blockingOf(candidate.FindOperation)) > 0: // before the conflicts, which are often those of the unfinished operation
		return stopAbout(WhyConflicts, "", ReasonOperation, a.blockingOf(candidate.FindOperation)), true
	case a.Has(candidate.FindConflict, candidate.FindCannotTell) && !w.DespiteConflicts && !w.Update:
		if !a.Has(candidate.FindConflict) {
			return stop(WhyConflicts, "--update", ReasonCannotTell), true
		}
		return stopAbout(WhyConflicts, "--update", ReasonConflicts, a.blockingOf(candidate.FindConflict)), true
	case a.otherBlocking() && a.Summary.Found != nil:
		return stopAbout(WhyConflicts, "", ReasonBlocking, slices.DeleteFunc(a.blockingFindings(), func(f candidate.Finding) bool { return !blocksBesides(f) })), true
	case a.otherBlocking():
		return stop(WhyConflicts, "", ReasonFixFirst), true
	case a.mustAnswer() && w.Alternative == "":
		return stop(WhyWaiting, "git resume answer", ReasonAnswer), true
	case a.Has(candidate.FindUntrusted):
		return stop(WhyDecision, quote.Command("git resume trust %s", a.Summary.Run.ID), ReasonUntrusted), true
	}
	return Decision{}, false
}

// blockingFindings returns all blocking findings, with a missing file first. If it returned only one, the user would think that nothing
// else blocks the run.
func (a *Assessment) blockingFindings() []candidate.Finding {
	var missing, others []candidate.Finding
	for _, f := range a.Findings {
		switch {
		case f.Severity != candidate.Blocking:
		case f.Code == candidate.FindFileMissing:
			missing = append(missing, f)
		default:
			others = append(others, f)
		}
	}
	return append(missing, others...)
}

// blockingOf returns the blocking findings of one code.
func (a *Assessment) blockingOf(code candidate.Code) []candidate.Finding {
	return slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code != code || f.Severity != candidate.Blocking })
}

// takeOver returns the decision to ask whether to take over a run, or to take it over if the user has already agreed.
func takeOver(w Request) Decision {
	d := Decision{Action: Ask, Takeover: true, Reasons: []Reason{{Case: ReasonElsewhere}}}
	if w.Takeover && (w.Yes || !w.Terminal) {
		d.Action = Go
	}
	return d
}

// decidePersonal handles the cases that only a person may decide. The second result is false if there is no such case, or if the user's
// flags have already decided it.
func decidePersonal(a *Assessment, w Request) (Decision, bool) {
	person := []struct {
		code    candidate.Code
		because ReasonCase
		ok      bool
	}{
		{candidate.FindIdle, ReasonIdle, w.EvenIdle},
		{candidate.FindMaybeAlive, ReasonMaybeAlive, w.Force && w.Mode != Auto},
		{candidate.FindLimited, ReasonLimited, false},
		{candidate.FindLeft, ReasonLeft, false},
		{candidate.FindPaused, ReasonPaused, false},
		{candidate.FindRebuilt, rebuiltReasons[rebuiltFrom(a)], false},
		{candidate.FindDiverged, ReasonDiverged, false},
		{candidate.FindCommits, ReasonCommits, false},
		{candidate.FindReported, ReasonReported, false},
		{candidate.FindLent, ReasonLent, false},
		{candidate.FindAttemptsUsedUp, ReasonAttempts, w.Mode == Auto && w.KeepGoing && a.othersCanRun()},
		{candidate.FindNoProgress, ReasonNoProgress, w.Mode != Auto && w.Terminal},
		{candidate.FindPartly, ReasonPartly, w.Doubt != ""},
	}
	for _, p := range person {
		if !a.Has(p.code) || p.ok {
			continue
		}
		// A user may give --yes without knowing about these findings, so it does not answer them.
		notByYes := []candidate.Code{candidate.FindPartly, candidate.FindCommits, candidate.FindMaybeAlive}
		if w.Mode != Auto && w.Yes && !slices.Contains(notByYes, p.code) {
			continue
		}
		if !w.Terminal || w.Mode == Auto || w.Yes && p.code == candidate.FindMaybeAlive {
			flag := map[candidate.Code]string{candidate.FindIdle: "--even-idle", candidate.FindPartly: doubtFlags, candidate.FindMaybeAlive: "--force --yes", candidate.FindLent: "--takeover"}[p.code]
			switch {
			case flag == "" && w.Yes:
				flag = "--mode=interactive --yes" // with --auto, --yes does not count as a person's answer
			case flag == "":
				flag = "--yes"
			}
			if p.code == candidate.FindIdle {
				flag = evenIdle(a, w)
			} else if p.code != candidate.FindPartly && w.Doubt == "" && a.Has(candidate.FindPartly) { // the flag alone would only lead to the next stop
				flag = flag + " " + strings.ReplaceAll(doubtFlags, " or ", " or "+flag+" ")
			}
			if p.code == candidate.FindCommits {
				return stop(WhyDecision, quote.Command("git resume trust %s", a.Summary.Run.ID), p.because), true
			}
			if slices.Contains([]candidate.Code{candidate.FindIdle, candidate.FindMaybeAlive, candidate.FindLimited, candidate.FindLeft}, p.code) {
				return stop(WhyBusy, flag, p.because), true
			}
			return stop(WhyDecision, flag, p.because), true
		}
		return Decision{Action: Ask, Default: p.code == candidate.FindPartly, Reasons: []Reason{{Case: p.because}}}, true
	}
	return Decision{}, false
}

// doubtFlags are the answers to the question what happens to an interrupted task.
const doubtFlags = "--retry or --keep or --mark-done"

// evenIdle returns the options with which a run continues although its worker shows no activity: --even-idle, and those without which the
// command would stop at the next question. "or" stands between several possibilities.
func evenIdle(a *Assessment, w Request) string {
	w.EvenIdle = true
	next := Decide(a, w)
	if next.Action != Stop || !strings.HasPrefix(next.Flag, "--") {
		return "--even-idle"
	}
	return "--even-idle " + strings.ReplaceAll(next.Flag, " or ", " or --even-idle ")
}

// Exhausted lists the tasks that have failed too often to run again unless a person allows it.
func (a *Assessment) Exhausted() (out []checkpoint.TaskID) {
	for _, f := range a.Findings {
		if f.Code == candidate.FindAttemptsUsedUp {
			out = append(out, f.Note.Facts.Task)
		}
	}
	return out
}

// othersCanRun reports whether a task can run although others have failed too often.
func (a *Assessment) othersCanRun() bool {
	tried := map[checkpoint.TaskID]bool{}
	for _, id := range a.Exhausted() {
		tried[id] = true
	}
	return tasks.Next(a.Plan, &a.Summary.Run, tried).Kind == tasks.StepRun
}

// rebuiltFrom returns the sentence that says from what the state of the work was rebuilt. The user must confirm a rebuilt state.
func rebuiltFrom(a *Assessment) candidate.Case {
	switch f := a.Summary.Found; {
	case f == nil:
		return candidate.RebuiltCommits
	case f.State == sources.Review:
		return candidate.RebuiltDisagree
	case a.Has(sources.DoubtOwnCheck):
		return candidate.RebuiltConfirm
	}
	return candidate.RebuiltEvidence
}

var rebuiltReasons = map[candidate.Case]ReasonCase{
	candidate.RebuiltCommits: ReasonRebuilt, candidate.RebuiltDisagree: ReasonDisagree,
	candidate.RebuiltConfirm: ReasonConfirmStep, candidate.RebuiltEvidence: ReasonEvidence,
}

// withoutCode returns the assessment without the findings of some codes.
func (a *Assessment) withoutCode(codes ...candidate.Code) *Assessment {
	if !a.Has(codes...) {
		return a
	}
	b := *a
	b.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return slices.Contains(codes, f.Code) })
	b.Verdict = VerdictOf(b.Findings)
	return &b
}

// setsAside reports whether the user asked to set the uncommitted work aside before the run continues.
func (a *Assessment) setsAside(w Request) bool {
	return w.From != "" || w.Doubt == plan.Retry && a.Interrupted != nil && !a.Reported()
}

// withoutSetAside returns a copy of the assessment without the conflicts that only uncommitted work causes.
func (a *Assessment) withoutSetAside() *Assessment {
	b := *a
	b.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == candidate.FindConflict && a.onlyUncommitted(f.Path) })
	b.Verdict = VerdictOf(b.Findings)
	return &b
}

// onlyUncommitted reports whether the conflict in a file involves only uncommitted work and none of the run's commits.
func (a *Assessment) onlyUncommitted(path string) bool {
	return a.Conflicts != nil && slices.ContainsFunc(a.Conflicts.Conflicts, func(c conflicts.Conflict) bool {
		return c.Path == path && c.Ours.Uncommitted && len(c.Ours.Commits) == 0
	})
}

// SettingAsideHelps reports whether the run is blocked, and would not be blocked if its uncommitted work were set aside.
func (a *Assessment) SettingAsideHelps() bool {
	b := a.withoutSetAside()
	return a.Verdict == candidate.Blocked && b.Verdict != candidate.Blocked && b.Verdict != candidate.Unrecoverable
}

// WithoutQuestion returns the assessment without the finding about a question that must be answered, because that question is shown
// elsewhere on the screen.
func (a *Assessment) WithoutQuestion() *Assessment {
	if !a.mustAnswer() {
		return a
	}
	b := *a
	b.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == candidate.FindQuestion })
	return &b
}

// worksBeside reports whether tasks of the run can work in worktrees of their own although another task waits for an answer.
func (a *Assessment) worksBeside() bool {
	return tasks.WorkBeside(a.Plan, &a.Summary.Run)
}

// mustAnswer reports whether a question must be answered before anything can continue.
func (a *Assessment) mustAnswer() bool {
	return slices.ContainsFunc(a.Findings, func(f candidate.Finding) bool {
		return f.Code == candidate.FindQuestion && f.Severity != candidate.Info
	})
}

// OnlyConflicts reports whether conflicts with the base, certain or possible, are all that blocks the run. It ignores findings that Decide
// handles separately, such as a run from another clone. The user can resolve the conflicts later, in the merge.
func (a *Assessment) OnlyConflicts() bool {
	return a.Has(candidate.FindConflict, candidate.FindCannotTell) && a.Verdict != candidate.Unrecoverable && !a.otherBlocking()
}

// otherBlocking reports whether anything besides conflicts with the base blocks the run. It ignores findings that Decide handles
// separately, such as a run from another clone.
func (a *Assessment) otherBlocking() bool {
	return slices.ContainsFunc(a.Findings, blocksBesides)
}

func blocksBesides(f candidate.Finding) bool {
	return f.Severity == candidate.Blocking && !slices.Contains([]candidate.Code{candidate.FindConflict, candidate.FindCannotTell, candidate.FindUntrusted, candidate.FindElsewhere, candidate.FindLinesMissing}, f.Code)
}
