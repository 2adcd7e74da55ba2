package conversation

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/tasks"
)

// continuing is the part of the conversation that shows how a run stands, decides with the user, and carries out the decision.
type continuing struct{ *Talk }

// present shows what was found, on stderr, because stdout belongs to the work that continues.
func (t continuing) present(a *assess.Assessment, w assess.Request) {
	side := t.Person.Screen().OnErr()
	if w.Mode == assess.Preflight {
		t.preflight(a)
		a.Preflighted = true
		return
	}
	assessment.Show(side, a)
}

// preflight shows every check and every file; if the files cannot be compared, the checks say why.
func (t continuing) preflight(a *assess.Assessment) {
	side := t.Person.Screen().OnErr()
	files, err := t.Engine.Viewing.Files(t.Context, a)
	if err != nil {
		side.Note("warning: the files cannot be compared one by one: %s", quote.Printable(err.Error()))
	}
	assessment.Preflight(side, a, files)
}

// onlySay handles -n and --print: nothing is started.
func (t continuing) onlySay(a *assess.Assessment) error {
	if t.Options.Print {
		brief.Show(t.Person.Screen(), a, a.Tree.Path)
	}
	return nil
}

// decideWithUser turns the decision into a yes, a no, or a stop with the ways out.
func (t continuing) decideWithUser(a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	switch {
	case d.Action == assess.Go, d.Why == assess.WhyWaiting && choice.Skip:
		return false, nil
	case d.Action == assess.Stop:
		s := t.Person.Screen()
		switch {
		case len(d.Reasons) > 0 && choice.Mode == assess.Preflight && d.Why == assess.WhyDecision: // the user asked for a report: no error
			s.Note("\nIt was not continued: %s", d.Reasons[0])
		case len(d.Reasons) > 0:
			s.Note("\nerror: %s", d.Reasons[0])
		}
		assessment.WaysOut(s, a, d)
		return true, exit.Code(whyCodes[d.Why])
	}
	return t.ask(a, d, choice)
}

var whyCodes = map[assess.Why]int{
	assess.WhyDecision: exit.Decide, assess.WhyConflicts: exit.Conflicts, assess.WhyBusy: exit.Busy,
	assess.WhyUnrecoverable: exit.Lost, assess.WhyWaiting: exit.Waiting,
}

// ask asks the question of the interactive or the pre-flight mode.
func (t continuing) ask(a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	if d.Takeover {
		t.Person.Screen().Ask("\nTake over run %s? [y/N] ", a.Summary.Run.ID)
		if answer := strings.ToLower(t.Person.Line()); answer != "y" && answer != "yes" {
			return true, t.declined()
		}
		return false, nil
	}
	cutOff := a.Has(candidate.FindPartly) && choice.Execute.Doubt == ""
	switch {
	case choice.Mode == assess.Preflight:
		if err := t.askProceed(); err != nil {
			return true, err
		}
		if !cutOff {
			return false, nil
		}
		return t.askInterrupted(a, choice)
	case cutOff:
		return t.askInterrupted(a, choice)
	}
	letters := "[Y,n,r,d,p,?]"
	if !d.Default {
		letters = "[y,N,r,d,p,?]"
	}
	for {
		fmt.Fprintf(t.Streams.Err, "\n%s %s ", prompt.Asks(a), letters)
		switch strings.ToLower(t.Person.Line()) {
		case "y", "yes":
			return false, nil
		case "":
			if d.Default {
				return false, nil
			}
			return true, t.declined()
		case "r":
			return true, t.restart(a.Summary.Run.ID)
		case "d":
			t.showBuilt(a)
		case "p":
			t.preflight(a)
		case "?":
			fmt.Fprintln(t.Streams.Err, "y continue · n leave as it is · r restart from task 1 (what was built is kept) · d show what the run built · p pre-flight report")
		default:
			return true, t.declined()
		}
	}
}

// showTakeover shows everything that a takeover would rely on: every command in full, the commits, and the place of the worktree.
func (t continuing) showTakeover(a *assess.Assessment) (*tasks.Approval, error) {
	what, err := t.Engine.Tasks.Approval(t.Context, string(a.Summary.Run.ID))
	if err != nil {
		return nil, err
	}
	if what.Built, err = t.Engine.Taking.BuiltSince(t.Context, &a.Summary.Run); err != nil {
		return nil, err
	}
	side := t.Person.Screen().OnErr()
	assessment.Takeover(side, a, what)
	return what, nil
}

// showBuilt shows the review of a run in the middle of a question or, if there can be no review, its tasks.
func (t continuing) showBuilt(a *assess.Assessment) {
	side := t.Person.Screen().OnErr()
	v, err := t.Engine.Merging.Review(t.Context, string(a.Summary.Run.ID), false)
	if err != nil {
		status.Run(side, a.Summary)
		return
	}
	history.Review(side, v)
}

// askInterrupted asks what to do with an interrupted task.
func (t continuing) askInterrupted(a *assess.Assessment, choice *resume.Choice) (stop bool, err error) {
	fmt.Fprint(t.Streams.Err, prompt.Interrupted(a))
	switch strings.ToLower(t.Person.Line()) {
	case "f":
		choice.Execute.Doubt = plan.Retry
	case "k":
		choice.Execute.Doubt = tasks.Keep
	case "m":
		choice.Execute.Doubt = resume.MarkDone
	default:
		return true, t.declined()
	}
	return false, nil
}
