package conversation

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
)

type continuing struct{ *Talk }

// The method "present" shows the findings.
func (t continuing) present(a *assess.Assessment, w assess.Request) {
	if w.Mode == assess.Preflight {
		t.preflight(a)
		a.Preflighted = true
		return
	}
	assessment.Show(t.report(), a)
}

// preflight shows the pre-flight report. If the files cannot be compared, it warns and shows only the checks.
func (t continuing) preflight(a *assess.Assessment) {
	side := t.report()
	files, err := t.Engine.Viewing.Files(t.Context, a)
	if err != nil {
		side.Note("warning: the table of changed files is missing, because the files cannot be compared: %s", quote.Printable(err.Error()))
	}
	if a.Summary.Found != nil {
		if err := (candidate.Judging{Find: t.Engine.Find}).Judge(t.Context, &a.Summary); err != nil {
			side.Note("warning: cannot check whether this work is still in progress: %s", quote.Printable(err.Error()))
		}
	}
	assessment.Preflight(side, a, files)
}

// onlySay handles --dry-run and --print, with which nothing is started. With --print, it shows the brief.
func (t continuing) onlySay(a *assess.Assessment) error {
	if t.Options.Print {
		showBrief(t.Person.Screen(), a, a.Tree.Path)
	}
	return nil
}

// showBrief prints the brief of a run.
func showBrief(s page.Page, a *assess.Assessment, path string) {
	brief.Show(s, a, path)
	if f := a.Summary.Found; f != nil && f.Command != "" && s.Terminal { // a user at a terminal may expect that an agent was started, so say that none was
		s.Note("\nNothing was started: follow the text above, or give it to your agent.")
	}
}

// decideWithUser continues as decided, asks the user, or shows why the run stops and what to do. stop is true if the run stops.
func (t continuing) decideWithUser(a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	switch {
	case d.Action == assess.Go, d.Why == assess.WhyWaiting && choice.Skip:
		return false, nil
	case d.Action == assess.Stop:
		s := t.Person.Screen()
		switch {
		case len(d.Reasons) > 0 && choice.Mode == assess.Preflight && d.Why == assess.WhyDecision: // the user asked only for a report, so this is not an error
			s.Note("\nThe work was not continued: %s", words.Reason(d.Reasons[0]))
		case len(d.Reasons) > 0:
			s.Note("\nerror: %s", words.Reason(d.Reasons[0]))
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

func (t continuing) ask(a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	interrupted := a.Has(candidate.FindPartly) && choice.Execute.Doubt == ""
	switch {
	case d.Takeover:
		err = t.allow(yesNo(askTakeover, fmt.Sprintf("\nTake over run %s?", a.Summary.Run.ID), "take it over, and approve the commands that are shown", differences(t).built(&a.Summary)))
		return err != nil, err
	case choice.Mode == assess.Preflight:
		if err := t.proceeds(askProceed, differences(t).soFar(a)); err != nil || !interrupted {
			return err != nil, err
		}
		return t.askInterrupted(a, choice)
	case interrupted:
		return t.askInterrupted(a, choice)
	}
	return t.askContinue(a, d, choice)
}

// AllowLease asks whether to take a run's lease from its holder. With --yes or without a terminal it does not ask, and returns nil.
func AllowLease(t *Talk, a *assess.Assessment, holder string) error {
	if t.Options.Yes || !t.Person.CanAnswer() {
		return nil
	}
	text := fmt.Sprintf("\nTake the lease of run %s from %s?", a.Summary.Run.ID, quote.Clean(holder))
	return t.allow(yesNo(askLease, text, "take it; what its holder does from now on is kept, but does not become part of the run", differences{t}.built(&a.Summary)))
}

// askContinue asks whether a run continues, or starts again from task 1. If git-resume cannot do the next task itself, it offers the coding
// agents that are installed, or the brief.
func (t continuing) askContinue(a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	q := yesNo(askContinue, "\n"+prompt.Asks(a), "continue", differences(t).soFar(a))
	var offers []resume.Offer
	who := own(t).asksWho(a, assess.Request{Terminal: t.Person.CanAnswer()})
	if who {
		offers = t.Engine.Resuming.Offers(t.Context, &a.Summary, a.Tree.Path)
		q.keys = []prompt.Key{{Name: "b", Also: []string{"y", "yes"}, Does: "print the brief: what is done, and what to do next"}}
	}
	for i, o := range offers {
		does := "start " + o.Agent.Title + " with the brief"
		if o.Continues {
			does = "continue the session of " + o.Agent.Title
		}
		q.keys = append(q.keys, prompt.Key{Name: strconv.Itoa(i + 1), Also: []string{o.Agent.Name}, Does: does})
	}
	if len(offers) > 0 {
		t.Person.Screen().Note("")
		prompt.List(t.Person.Screen(), append(slices.Clip(q.keys), q.no))
	}
	q.keys = append(q.keys, prompt.Key{Name: "r", Does: "start again from task 1; nothing of the earlier work is deleted"})
	q.views = []view{{prompt.Key{Name: "p", Does: "show the pre-flight report"}, func() { t.preflight(a) }}}
	if d.Default {
		q.def = q.keys[0].Name
	}
	answer, err := t.put(q)
	switch n, _ := strconv.Atoi(answer.key); { // any other key is no number
	case err != nil:
		return true, err
	case answer.key == "r":
		return true, t.restart(&a.Summary)
	case n > 0:
		choice.Offer = &offers[n-1]
	case who && a.OnlyAsks(): // the run is in somebody's hands already, so nothing is recorded
		showBrief(t.Person.Screen(), a, a.Tree.Path)
		t.goesOn = true
		return true, nil
	}
	return false, nil
}

// showTakeover shows what the user has to check before taking over a run: every command in full, the commits, and the path of the worktree.
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

// askInterrupted asks what to do with the interrupted tasks: with all of them at once, or with each of them.
func (t continuing) askInterrupted(a *assess.Assessment, choice *resume.Choice) (stop bool, err error) {
	var ids []checkpoint.TaskID
	for _, f := range a.Findings {
		if f.Code == candidate.FindPartly {
			ids = append(ids, f.Note.Facts.Task)
		}
	}
	key, err := t.askWhatWith(a, ids)
	if err != nil || key != "e" {
		choice.Execute.Doubt = interruptedKeys[key]
		return err != nil, err
	}
	choice.Execute.Doubts = map[checkpoint.TaskID]plan.OnInterrupt{}
	for _, id := range ids {
		if key, err = t.askWhatWith(a, []checkpoint.TaskID{id}); err != nil {
			return true, err
		}
		choice.Execute.Doubts[id] = interruptedKeys[key]
	}
	return false, nil
}

// interruptedKeys says what each answer about an interrupted task means.
var interruptedKeys = map[string]plan.OnInterrupt{"f": plan.Retry, "k": tasks.Keep, "m": resume.MarkDone}

// askWhatWith asks what to do with some interrupted tasks, and returns the key of the answer.
func (t continuing) askWhatWith(a *assess.Assessment, ids []checkpoint.TaskID) (string, error) {
	s := t.Person.Screen()
	keys := prompt.Interrupted(s, a, ids)
	no := prompt.Key{Name: "q", Does: "leave as it is"}
	prompt.List(s, append(slices.Clip(keys), no))
	answer, err := t.put(question{
		kind: askInterrupted, text: "Which?", keys: keys, no: no, def: no.Name, diff: differences(t).left(a),
		views: []view{{prompt.Key{Name: "p", Does: "show the pre-flight report"}, func() { t.preflight(a) }}},
	})
	return answer.key, err
}
