package conversation

import (
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

type foreign struct{ *Talk }

// foreign shows the state of another system's work and what can be done, and does what the user chooses.
func (t foreign) foreign(a *assess.Assessment, w assess.Request) error {
	f := a.Summary.Found
	if f == nil {
		return t.vanished(a)
	}
	if !f.State.Open() {
		others.Over(t.Person.Screen(), &a.Summary)
		return nil
	}
	w = t.Options.recordedElsewhere(a, w)
	continuing(t).present(a, w)
	switch {
	case t.Options.Print:
		return continuing(t).onlySay(a)
	case t.Options.DryRun:
		if f.State == sources.Waiting {
			status.Questions(t.report(), f)
		} else {
			t.sayChanges(a)
		}
		return continuing(t).onlySay(a)
	}
	return t.act(a, w)
}

// sayChanges prints in a dry run which files of the other system would change if the work continued.
func (t foreign) sayChanges(a *assess.Assessment) {
	f := a.Summary.Found
	if a.Verdict == candidate.Blocked || f.State == sources.Blocked || !f.Offers(sources.Continue) {
		return
	}
	if changes := t.continuation(a).Changes; len(changes) > 0 {
		others.Proposal(t.Person.Screen(), &adopt.Proposal{Summary: a.Summary, Request: sources.ActionRequest{Name: sources.Continue}, Changes: changes})
	}
}

// act does what the user chooses about work whose state was shown.
func (t foreign) act(a *assess.Assessment, w assess.Request) error {
	d := assess.Decide(a, w)
	d.Given = t.Options.given()
	choice := resume.Choice{Reasons: words.Reasons(d.Reasons), Mode: w.Mode, Update: w.Update}
	name, err := t.chosenWay(a, d, w, &choice)
	switch {
	case err != nil || name == "":
		return err
	case name != sources.Continue && !handsOver(name):
		return t.chooseAlternative(a.Summary.Key(), name)
	}
	choice.Foreign.Name = name
	a.Summary.Found = a.Summary.Found.HandedBy(name)
	return continuing(t).advance(a, choice)
}

// chosenWay returns the alternative that the decision, the flags or the user chose. It returns "" if everything is done or said already.
func (t foreign) chosenWay(a *assess.Assessment, d assess.Decision, w assess.Request, choice *resume.Choice) (string, error) {
	if d.Why == assess.WhyConflicts && d.Action == assess.Stop && t.Options.DespiteConflicts {
		t.Person.Screen().Note("\nnote: --despite-conflicts is only about conflicts with the base; it does not help here")
	}
	switch {
	case d.Why == assess.WhyWaiting:
		return "", t.foreignQuestion(a, w)
	case d.Action == assess.Stop && t.mayChoose(a, d, w):
		return "", t.chooseWayOut(a, d, w)
	case d.Action == assess.Stop:
		_, err := continuing(t).decideWithUser(a, d, choice)
		return "", err
	}
	return t.nameForeign(a, d, w)
}

// leftNothing reports whether another system's open work has lost its state files and has no branch, so that nothing can be assessed.
func leftNothing(m *candidate.Summary) bool {
	return m.Vanished() && m.Run.Branch == "" && !m.Run.Closed()
}

// vanished shows that work cannot continue because its state files were moved or deleted, or are on another branch.
func (t foreign) vanished(a *assess.Assessment) error {
	var last *discard.Undoing
	if u, err := t.Engine.Undoing.Undoing(t.Context, string(a.Summary.Run.ID)); err == nil && u.What.Event == checkpoint.RunActed && !u.HandOver() {
		last = u
	}
	others.Vanished(t.Person.Screen(), &a.Summary, last)
	return nil
}

// mayChoose reports whether the user can be asked what to do about work that is blocked by a problem or damaged. It is false in automatic
// mode, without a terminal, if the user has named an alternative already, and if there is no alternative.
func (t foreign) mayChoose(a *assess.Assessment, d assess.Decision, w assess.Request) bool {
	stands := d.Why == assess.WhyConflicts || d.Why == assess.WhyUnrecoverable
	return stands && t.Person.CanAnswer() && w.Mode != assess.Auto && w.Alternative == "" && len(t.waysOut(a)) > 0
}

// waysOut returns the alternatives that the user can choose when the work is blocked. Continuing is one of them only if nothing but
// conflicts with the base blocks the work.
func (t foreign) waysOut(a *assess.Assessment) []sources.Alternative {
	alts := slices.Clone(beside(&a.Summary))
	for i := range alts {
		if alts[i].Name == sources.Continue && a.OnlyConflicts() {
			alts[i].Text += "; this is the option --despite-conflicts: you resolve the conflicts later, when you merge"
		}
	}
	return slices.DeleteFunc(alts, func(alt sources.Alternative) bool {
		return alt.Name == sources.Continue && !a.OnlyConflicts() || handsOver(alt.Name)
	})
}

// chooseWayOut shows why work cannot continue, and lets the user choose an alternative. If the user answers no, nothing changes.
func (t foreign) chooseWayOut(a *assess.Assessment, d assess.Decision, w assess.Request) error {
	for _, r := range d.Reasons[:min(1, len(d.Reasons))] {
		t.Person.Screen().Note("\nerror: %s", words.Reason(r))
	}
	name, err := t.pickAlternative(a, t.waysOut(a), false)
	var no exit.Code
	if errors.As(err, &no) {
		return exit.Code(whyCodes[d.Why])
	}
	if err != nil {
		return err
	}
	if name == sources.Continue {
		if err := t.confirmAtWork(a); err != nil {
			return err
		}
		w.DespiteConflicts = true
		return t.carryOn(a, w, name)
	}
	return t.chooseAlternative(a.Summary.Key(), name)
}

// nameForeign returns the alternative to carry out: the one on the command line, or the user's choice, or otherwise to continue.
func (t foreign) nameForeign(a *assess.Assessment, d assess.Decision, w assess.Request) (string, error) {
	switch {
	case w.Alternative == "" && d.Action == assess.Ask:
		name, err := t.askForeign(a, d, w)
		switch {
		case err != nil || w.Mode == assess.Preflight:
			return name, err
		case name == sources.Continue:
			return name, t.confirmAtWork(a)
		case !handsOver(name):
			return name, nil
		}
		return name, t.confirmHandOver(a, name, false)
	case w.Alternative == "":
		return sources.Continue, nil
	case w.Alternative == sources.Continue && d.Action == assess.Ask && atWork(a) != nil:
		return w.Alternative, t.confirmAtWork(a)
	case w.Alternative == sources.Continue && d.Action == assess.Ask && !d.Default:
		text := map[bool]string{true: "Continue despite the warnings?", false: "Continue?"}[a.Verdict == candidate.Warnings]
		return w.Alternative, t.confirm(yesNo(askContinueWarnings, text, "continue", differences(t).soFar(a)))
	case w.Alternative == sources.Continue:
		return w.Alternative, nil
	}
	return w.Alternative, t.confirmHandOver(a, w.Alternative, true)
}

// confirmHandOver shows which files an alternative would change, and asks for confirmation. It asks if somebody may be working, if a file
// would change, or if the user named the alternative on the command line.
func (t foreign) confirmHandOver(a *assess.Assessment, name string, named bool) error {
	pr, err := t.propose(a, name)
	switch {
	case err != nil:
		return err
	case atWork(a) != nil:
		return t.confirmAtWork(a)
	case len(pr.Changes) > 0 || named:
		return t.confirm(yesNo(askChange, "Do this?", "make these changes and continue", differences(t).proposed(pr)))
	}
	return nil
}

// atWork returns an error if somebody may already be doing this work. It returns nil if there is no sign of anybody.
func atWork(a *assess.Assessment) *adopt.AtWorkError {
	var working *adopt.AtWorkError
	pr := adopt.Proposal{Summary: a.Summary, Request: sources.ActionRequest{Name: sources.Continue}}
	errors.As(pr.AtWork(), &working)
	return working
}

// confirmAtWork asks whether to continue, if somebody may be working. It does not ask if both --force and --yes were given.
func (t foreign) confirmAtWork(a *assess.Assessment) error {
	working := atWork(a)
	if working == nil || t.Options.Force && t.Options.Yes {
		return nil
	}
	return t.vouch(working, yesNo(askContinueAtWork, "Continue anyway?", "continue even if somebody may be working on it", differences(t).soFar(a)))
}

func (t foreign) propose(a *assess.Assessment, name string) (*adopt.Proposal, error) {
	pr, err := t.Engine.Adopt.Propose(t.Context, a.Summary.Key(), sources.ActionRequest{Name: name})
	if err != nil {
		return nil, err
	}
	side := t.Person.Screen().OnErr()
	others.Proposal(side, pr)
	return pr, nil
}

// handsOver reports whether an alternative other than "continue" continues the work. Such an alternative may first change files.
func handsOver(name string) bool { return name != sources.Continue && sources.Proceeds(name) }

// askForeign lets the user choose an alternative. In pre-flight mode, it only asks whether to continue.
func (t foreign) askForeign(a *assess.Assessment, d assess.Decision, w assess.Request) (string, error) {
	if w.Mode == assess.Preflight {
		if working := atWork(a); working != nil {
			others.AtWork(t.Person.Screen(), working)
		}
		does := t.continuation(a)
		named, _ := t.Options.Named() // an unknown mode was refused earlier
		does.Reports = named == "" || (&Options{}).recordedElsewhere(a, assess.Request{Mode: assess.Interactive}).Mode == assess.Preflight
		others.ProceedHint(t.Person.Screen(), &a.Summary, does)
		return sources.Continue, t.proceeds(askProceedForeign, differences(t).soFar(a))
	}
	return t.pickAlternative(a, beside(&a.Summary), d.Default)
}

// foreignQuestion shows the question that another system's work is waiting for. The user can answer it or choose another alternative.
func (t foreign) foreignQuestion(a *assess.Assessment, w assess.Request) error {
	s := t.Person.Screen().OnErr()
	alts := beside(&a.Summary)
	chooses := t.Person.CanAnswer() && w.Mode != assess.Auto && len(alts) > 0
	others.Question(s, &a.Summary, !chooses)
	if !chooses {
		others.Commands(s, &a.Summary)
		return exit.Code(exit.Waiting)
	}
	name, err := t.pickAlternative(a, alts, alts[0].Name == sources.Answer && w.Mode == assess.Interactive)
	switch {
	case err != nil:
		return err
	case name == sources.Continue:
		if err := t.confirmAtWork(a); err != nil {
			return err
		}
		return t.carryOn(a, w, name)
	case handsOver(name):
		if err := t.confirmHandOver(a, name, false); err != nil {
			return err
		}
		return t.carryOn(a, w, name)
	}
	return t.chooseAlternative(a.Summary.Key(), name)
}

// carryOn continues work in the way that the user has just chosen, unless something else stops it.
func (t foreign) carryOn(a *assess.Assessment, w assess.Request, name string) error {
	w.Alternative = name
	d := assess.Decide(a, w)
	choice := resume.Choice{Reasons: words.Reasons(d.Reasons), Mode: w.Mode, Update: w.Update}
	if d.Action == assess.Stop {
		_, err := continuing(t).decideWithUser(a, d, &choice)
		return err
	}
	choice.Foreign.Name = name
	a.Summary.Found = a.Summary.Found.HandedBy(name)
	return continuing(t).advance(a, choice)
}
