package assess

import (
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// Mode says how much the user is asked before a run continues.
type Mode string

// The modes.
const (
	Interactive Mode = "interactive"
	Auto        Mode = "auto"
	Preflight   Mode = "preflight"
)

// Request is what the user asked for on the command line.
type Request struct {
	Mode Mode
	// Terminal: the user can be asked.
	Terminal bool
	// Named: the user named the run; otherwise we found it.
	Named    bool
	Yes      bool
	EvenIdle bool
	Takeover bool
	// Force: the user is sure that nobody is working on it, even if it looks otherwise.
	Force            bool
	DespiteConflicts bool
	Update           bool
	Doubt            plan.OnInterrupt
	// From is the task from which everything is done again, if the user named one.
	From string
	// Alternative is the name of what to do about another system's work; if empty, we ask the user or continue the work.
	Alternative string
}

// Action is what a decision leads to.
type Action string

// The actions.
const (
	Go   Action = "continue"
	Ask  Action = "ask"
	Stop Action = "stop"
)

// Why says why a decision is to stop.
type Why string

// The reasons to stop; each has its exit code.
const (
	WhyNothing       Why = ""
	WhyDecision      Why = "decision"
	WhyConflicts     Why = "conflicts"
	WhyBusy          Why = "busy"
	WhyUnrecoverable Why = "unrecoverable"
	WhyWaiting       Why = "waiting"
)

// Decision is what to do about a run, and why.
type Decision struct {
	Action Action
	Why    Why
	// Default is the answer if the user just presses return.
	Default bool
	Reasons []string
	// Flag is the flag that answers the question if the user cannot be asked.
	Flag string
	// Takeover: the question is whether to take over a run that was recorded elsewhere.
	Takeover bool
	// Given lists the flags that the user gave already: without them, the suggested command would lead back to the first question.
	Given []string
}

// Decide decides what to do about an assessment. It is pure: the same assessment and the same wish give the same decision.
func Decide(a *Assessment, w Request) Decision {
	if w.Takeover && w.Mode != Auto {
		a = a.withoutCode(candidate.FindUnchecked) // the user takes responsibility for what cannot be checked
	}
	found := a
	if a.setsAside(w) {
		a = a.withoutSetAside()
	}
	if a.Redoable(w.From) {
		a = a.withoutCode(candidate.FindBranchLost) // everything from that task on is made again
	}
	if d, ok := decideHard(a, w); ok {
		return d
	}
	if d, ok := decidePersonal(a, w); ok {
		return d
	}
	reasons := []string{fmt.Sprintf("verdict %s, %s", found.Verdict, a.Age)}
	for _, f := range found.Findings {
		reasons = append(reasons, fmt.Sprintf("%s: %s", f.Code, f.Text))
	}
	if w.Mode == Preflight {
		return ask(w, false, "--yes", reasons)
	}
	if w.Doubt != "" {
		a = a.withoutCode(candidate.FindPartly) // the user said what to do with the interrupted task
	}
	switch {
	case w.Mode == Auto && a.Age == candidate.Stale && !w.Yes:
		return stop(WhyDecision, "--yes", "the run is older than a week")
	case w.Mode == Auto, w.Yes, w.DespiteConflicts, w.Update:
		return Decision{Action: Go, Reasons: reasons}
	case w.Terminal && w.Doubt != "" && a.Verdict == candidate.Clean:
		return Decision{Action: Go, Reasons: reasons} // a flag has answered the only question
	case w.Terminal:
		return ask(w, a.Verdict != candidate.Warnings, "", reasons)
	case a.Age == candidate.Stale && a.Summary.Found != nil: // without a terminal, nothing is allowed that --auto may not do
		return stop(WhyDecision, "--yes", append([]string{"it is older than a week: confirmation is needed, but there is no terminal"}, reasons...)...)
	case a.Verdict == candidate.Clean && !a.Reported(), a.Reported() && a.Verdict != candidate.Partial:
		// The user cannot be asked and need not be: giving the command is the answer.
		return Decision{Action: Go, Reasons: reasons}
	default:
		return stop(WhyDecision, "--yes", append([]string{openQuestions[a.Verdict]}, reasons...)...)
	}
}

// openQuestions says what the user would have to decide if there were a terminal.
var openQuestions = map[candidate.Verdict]string{
	candidate.Clean:    "confirmation is needed, but there is no terminal",
	candidate.Warnings: "there are warnings: confirmation is needed, but there is no terminal",
	candidate.Partial:  "finished tasks must be done again: confirmation is needed, but there is no terminal",
}

func ask(w Request, def bool, flag string, reasons []string) Decision {
	if w.Yes {
		return Decision{Action: Go, Reasons: reasons}
	}
	if !w.Terminal {
		return stop(WhyDecision, flag, append([]string{"confirmation is needed, but there is no terminal"}, reasons...)...)
	}
	return Decision{Action: Ask, Default: def, Reasons: reasons}
}

func stop(why Why, flag string, reasons ...string) Decision {
	return Decision{Action: Stop, Why: why, Flag: flag, Reasons: reasons}
}

// decideHard decides the cases that no mode and no --yes can override.
func decideHard(a *Assessment, w Request) (Decision, bool) {
	switch {
	case a.Has(candidate.FindAlive):
		return stop(WhyBusy, "", "it is still running"), true
	case a.Has(candidate.FindUnchecked):
		return stop(WhyBusy, "--takeover", "whether it still runs cannot be checked from here"), true
	case a.Has(candidate.FindElsewhere, candidate.FindLinesMissing) && w.Named && w.Mode != Auto && (w.Terminal || w.Takeover):
		// Decide only the takeover here: everything else is assessed again when the run is ours.
		return takeOver(w), true
	case a.Has(candidate.FindLinesMissing):
		return stop(WhyDecision, "--takeover", "records that were made here are missing"), true
	case a.Has(candidate.FindElsewhere):
		return stop(WhyDecision, "--takeover", "it was recorded elsewhere; a person must take it over first"), true
	case a.Verdict == candidate.Unrecoverable && a.Summary.Found != nil:
		return stop(WhyUnrecoverable, "", "it cannot be continued as it is: "+a.firstBlocking()), true
	case a.Verdict == candidate.Unrecoverable:
		return stop(WhyUnrecoverable, "--restart", "what it made is not here any more"), true
	case a.Has(candidate.FindConflict, candidate.FindCannotTell) && !w.DespiteConflicts && !w.Update:
		return stop(WhyConflicts, "--update", "files changed by this run were also changed elsewhere"), true
	case a.otherBlocking():
		return stop(WhyConflicts, "", "something must be fixed first"), true
	case a.mustAnswer() && w.Alternative == "":
		return stop(WhyWaiting, "git resume answer", "it waits for an answer"), true
	case a.Has(candidate.FindUntrusted):
		return stop(WhyDecision, quote.Command("git resume trust %s", a.Summary.Run.ID), "its commands were not approved on this machine"), true
	}
	return Decision{}, false
}

// firstBlocking describes the first missing file without which the work cannot continue.
func (a *Assessment) firstBlocking() string {
	for _, f := range a.Findings {
		if f.Severity == candidate.Blocking && f.Code == candidate.FindFileMissing {
			return f.Path + " " + f.Text + a.withOtherBlocking(f)
		}
	}
	return "what it needs is not here any more"
}

// withOtherBlocking adds the other blocking findings, because a user who reads only one reason believes that it is the only one.
func (a *Assessment) withOtherBlocking(first candidate.Finding) string {
	text, more := "", 0
	for _, f := range a.Findings {
		switch {
		case f.Severity != candidate.Blocking || f.Code == first.Code && f.Path == first.Path:
		case text == "" && f.Code == candidate.FindFileMissing:
			text = "; besides, " + f.Path + " " + f.Text
		case text == "":
			text = "; besides, " + f.Text
		default:
			more++
		}
	}
	if more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// takeOver asks whether to take over a run, unless the user said so already.
func takeOver(w Request) Decision {
	d := Decision{Action: Ask, Takeover: true, Reasons: []string{"it was recorded elsewhere"}}
	if w.Takeover && (w.Yes || !w.Terminal) {
		d.Action = Go
	}
	return d
}

// decidePersonal decides the cases in which only a person may decide; automatic mode stops there.
func decidePersonal(a *Assessment, w Request) (Decision, bool) {
	person := []struct {
		code candidate.Code
		text string
		ok   bool
	}{
		{candidate.FindIdle, "its driver is alive, only silent", w.EvenIdle},
		{candidate.FindMaybeAlive, "somebody may be working on it", w.Force && w.Mode != Auto},
		{candidate.FindPaused, "it was stopped on purpose", false},
		{candidate.FindRebuilt, rebuiltFrom(a), false},
		{candidate.FindDiverged, "it was worked on in two places", false},
		{candidate.FindCommits, "commits on its branch came from elsewhere", false},
		{candidate.FindReported, "something was reported of it elsewhere", false},
		{candidate.FindAttemptsUsedUp, "its task has failed too often", false},
		{candidate.FindNoProgress, "it was continued several times, and nothing came of it", w.Mode != Auto},
		{candidate.FindPartly, "a task was interrupted", w.Doubt != ""},
	}
	for _, p := range person {
		if !a.Has(p.code) || p.ok {
			continue
		}
		// The user gave --yes without knowing that somebody may be working.
		notByYes := []candidate.Code{candidate.FindPartly, candidate.FindCommits, candidate.FindMaybeAlive}
		if w.Mode != Auto && w.Yes && !slices.Contains(notByYes, p.code) {
			continue
		}
		if !w.Terminal || w.Mode == Auto || w.Yes && p.code == candidate.FindMaybeAlive {
			flag := map[candidate.Code]string{candidate.FindIdle: "--even-idle", candidate.FindPartly: "--retry or --keep or --mark-done", candidate.FindMaybeAlive: "--force --yes"}[p.code]
			switch {
			case flag == "" && w.Yes:
				flag = "--mode=interactive --yes" // together with --auto, --yes is not the word of a person
			case flag == "":
				flag = "--yes"
			}
			if p.code == candidate.FindCommits {
				return stop(WhyDecision, quote.Command("git resume trust %s", a.Summary.Run.ID), p.text), true
			}
			if p.code == candidate.FindIdle || p.code == candidate.FindMaybeAlive {
				return stop(WhyBusy, flag, p.text), true
			}
			return stop(WhyDecision, flag, p.text), true
		}
		return Decision{Action: Ask, Default: p.code == candidate.FindPartly, Reasons: []string{p.text}}, true
	}
	return Decision{}, false
}

// rebuiltFrom says why the user must confirm a state that was rebuilt.
func rebuiltFrom(a *Assessment) string {
	switch f := a.Summary.Found; {
	case f == nil:
		return "its state was rebuilt from commits"
	case f.State == sources.Review:
		return "its own records disagree whether it is done"
	case a.Has(sources.DoubtOwnCheck):
		return "which step comes next is for a person to confirm"
	}
	return "its state was put together from other evidence"
}

// withoutCode returns the same assessment without the findings of one code.
func (a *Assessment) withoutCode(code candidate.Code) *Assessment {
	if !a.Has(code) {
		return a
	}
	b := *a
	b.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == code })
	b.Verdict = verdictOf(b.Findings)
	return &b
}

// setsAside reports whether the user asked to set the uncommitted work aside before the run continues.
func (a *Assessment) setsAside(w Request) bool {
	return w.From != "" || w.Doubt == plan.Retry && a.Interrupted != nil && !a.Reported()
}

// withoutSetAside returns the same assessment as if there were no uncommitted work, so without the conflicts that only this work causes.
func (a *Assessment) withoutSetAside() *Assessment {
	b := *a
	b.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == candidate.FindConflict && a.onlyUncommitted(f.Path) })
	b.Verdict = verdictOf(b.Findings)
	return &b
}

// onlyUncommitted reports whether a conflict involves only uncommitted work and none of the run's commits.
func (a *Assessment) onlyUncommitted(path string) bool {
	return a.Conflicts != nil && slices.ContainsFunc(a.Conflicts.Conflicts, func(c conflicts.Conflict) bool {
		return c.Path == path && c.Ours.Uncommitted && len(c.Ours.Commits) == 0
	})
}

// SettingAsideHelps reports whether only uncommitted work prevents the run from continuing.
func (a *Assessment) SettingAsideHelps() bool {
	b := a.withoutSetAside()
	return a.Verdict == candidate.Blocked && b.Verdict != candidate.Blocked && b.Verdict != candidate.Unrecoverable
}

// WithoutQuestion returns the same assessment without the question, which has its own place on the screen.
func (a *Assessment) WithoutQuestion() *Assessment {
	if !a.mustAnswer() {
		return a
	}
	b := *a
	b.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == candidate.FindQuestion })
	return &b
}

// mustAnswer reports whether nothing can continue before a question is answered.
func (a *Assessment) mustAnswer() bool {
	return slices.ContainsFunc(a.Findings, func(f candidate.Finding) bool {
		return f.Code == candidate.FindQuestion && f.Severity != candidate.Info
	})
}

// OnlyConflicts reports whether only conflicting lines prevent the run from continuing; these may wait until the merge.
func (a *Assessment) OnlyConflicts() bool {
	return a.Has(candidate.FindConflict, candidate.FindCannotTell) && a.Verdict != candidate.Unrecoverable && !a.otherBlocking()
}

// otherBlocking reports whether there is a blocking finding that is not a conflict of lines and that has no decision of its own.
func (a *Assessment) otherBlocking() bool {
	return slices.ContainsFunc(a.Findings, func(f candidate.Finding) bool {
		return f.Severity == candidate.Blocking && !slices.Contains([]candidate.Code{candidate.FindConflict, candidate.FindCannotTell, candidate.FindUntrusted, candidate.FindElsewhere, candidate.FindLinesMissing}, f.Code)
	})
}
