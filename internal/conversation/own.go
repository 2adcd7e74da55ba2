package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
)

// own has the methods that continue one of our own runs. They pass another system's work to the type foreign.
type own struct{ *Talk }

// maxRounds limits how often a run is assessed again after something has changed during the command.
const maxRounds = 5

// continueRun assesses a run, asks the user, and continues the run. If the run changes before the answer, it is assessed again.
func (t own) continueRun(key candidate.Key, w assess.Request) (result error) {
	var aim target
	for range maxRounds {
		a, err := t.Engine.Judge.AssessWith(t.Context, key, t.Options.assessing(), t.newPlan)
		t.Engine.Find.Look.Release() // the scan must end here, because the user may be asked and files may be written
		if errors.Is(err, candidate.ErrMoved) {
			continue
		}
		if err != nil {
			return err
		}
		if a.Snapshot.ID != "" && words.Held(a.Snapshot) != words.NoContent {
			t.saved = words.SavedAs(a.Snapshot.Label())
		}
		if t.Lease != nil && !t.leased {
			leave, err := t.Lease(a, t.recorded(a, w))
			if err != nil {
				return err
			}
			if t.leased, t.changed = leave != nil, t.changed || leave != nil; t.leased {
				defer func() { result = leave(result, t.goesOn) }()
				continue // assess the run again, because Lease has fetched what the remote knows about it
			}
		}
		again, err := t.round(a, w, &aim)
		switch {
		case errors.Is(err, candidate.ErrMoved):
			t.Person.Screen().Note("something changed in the meantime; checking again")
		case err != nil || !again:
			return err
		}
	}
	return candidate.ErrMoved
}

// round asks the user about the assessed work, and continues it. again is true if the work has changed and must be assessed again.
func (t own) round(a *assess.Assessment, w assess.Request, aim *target) (again bool, err error) {
	if a.Summary.Found != nil || leftNothing(&a.Summary) {
		return false, foreign(t).foreign(a, w)
	}
	if a.Summary.Run.Closed() {
		again, err = t.openAgain(a)
		t.changed = t.changed || again
		return again, err
	}
	if t.onlyBriefs(a, w) && !t.asksWho(a, w) {
		outcome.NotHanded(t.Person.Screen(), t.Engine.Resuming.NotContinued(t.Context, &a.Summary, a.Tree.Path))
		showBrief(t.Person.Screen(), a, a.Tree.Path)
		t.goesOn = true
		return false, nil
	}
	w = t.recorded(a, w)
	if err := t.aim(a, &w, aim); err != nil {
		return false, err
	}
	d := assess.Decide(a, w)
	if t.answered && d.Action == assess.Stop && d.Why == assess.WhyBusy {
		outcome.AnsweredAlive(t.Person.Screen(), &a.Summary)
		return false, nil // storing the answer was all that could be done
	}
	d.Given = t.Options.given()
	a.Going = d.Action != assess.Stop
	if d.Why != assess.WhyWaiting || w.Mode == assess.Preflight { // show no findings if a question waits for an answer, because the question has its own screen
		continuing(t).present(a, w)
	}
	var shown *tasks.Approval
	if d.Takeover {
		if shown, err = continuing(t).showTakeover(a); err != nil {
			return false, err
		}
	}
	if t.Options.DryRun || t.Options.Print {
		return false, continuing(t).onlySay(a)
	}
	choice := resume.Choice{Reasons: words.Reasons(d.Reasons), Mode: w.Mode, From: t.Options.From, Skip: aim.skip != "", SkipTask: aim.skip, Update: w.Update}
	choice.Execute.Doubt, choice.Execute.DoubtTask, choice.Brought = w.Doubt, aim.done, t.Brought
	if w.Mode == assess.Auto && !w.Yes {
		choice.Execute.Exhausted = a.Exhausted()
	}
	if d.Why == assess.WhyWaiting && !choice.Skip {
		if err := continuing(t).waiting(a, &choice); err != nil {
			return false, err
		}
		if !choice.Skip {
			t.changed, t.answered = true, true
			return false, t.continueRun(a.Summary.Key(), w) // the answer is stored, so start again with a new assessment; there may be another question
		}
	} else if stop, err := continuing(t).decideWithUser(a, d, &choice); stop || err != nil {
		return false, err
	}
	err = continuing(t).advance(a, choice)
	switch {
	case errors.Is(err, resume.ErrPut):
		t.changed = true
		t.Person.Screen().Note("the uncommitted work of snapshot %s is in the worktree now", t.Brought.Snapshot.Label())
		return true, nil
	case !errors.Is(err, resume.ErrTaken):
		return false, err
	}
	return true, t.taken(a, w, shown)
}

// onlyBriefs reports whether the command only shows where the run is and what to do next.
func (t own) onlyBriefs(a *assess.Assessment, w assess.Request) bool {
	return a.OnlyAsks() && (a.Below || !t.Engine.Resuming.HandsOff(t.Context, a)) && w.Mode != assess.Preflight && !t.Options.acts()
}

// asksWho reports whether a person at a terminal is asked who does the next task, because git-resume cannot do it and the user has named no
// tool. A brief is written for agents, and a person should not get one unasked.
func (t own) asksWho(a *assess.Assessment, w assess.Request) bool {
	return w.Terminal && w.Mode != assess.Auto && t.Engine.Agent == "" && a.Reported() && a.Summary.Found == nil && !t.Engine.Resuming.HandsOff(t.Context, a)
}

// taken shows that a run was taken over. If a user at a terminal agreed, it also approves the commands that were shown.
func (t own) taken(a *assess.Assessment, w assess.Request, shown *tasks.Approval) error {
	t.changed = true
	t.Person.Screen().Note("took over %s", a.Summary.Key())
	if !w.Terminal || shown == nil {
		return nil
	}
	if err := trusting(t).approveShown(shown); !errors.Is(err, candidate.ErrMoved) {
		return err
	}
	return nil
}

// openAgain reopens a finished run if --from was given without --dry-run and without --print. Otherwise it only shows that the run is over.
// The result "opened" is true if the run was reopened.
func (t own) openAgain(a *assess.Assessment) (opened bool, err error) {
	from := t.Options.From
	if err := t.onClosed(a); err != nil {
		return false, err
	}
	if from == "" || t.Options.DryRun || t.Options.Print {
		outcome.Over(t.Person.Screen(), &a.Summary)
		return false, nil
	}
	if err := t.Engine.Resuming.MayReopen(&a.Summary.Run); err != nil {
		return false, err
	}
	task := candidate.FindTask(&a.Summary.Run, from)
	if task != nil && t.Person.CanAnswer() {
		n := slices.IndexFunc(a.Summary.Run.Tasks, func(x checkpoint.Task) bool { return x.ID == task.ID }) + 1
		text := fmt.Sprintf("Run %s is finished. Open it again from task %d, %s?", a.Summary.Run.ID, n, quote.Printable(string(task.ID)))
		if err := t.confirm(yesNo(askReopen, text, "open it again", differences(t).built(&a.Summary))); err != nil {
			return false, err
		}
	}
	return true, t.Engine.Resuming.Reopen(t.Context, a.Summary.Run.ID, from)
}

// onClosed refuses options that can no longer have any effect on a closed run. It accepts an option that a command may repeat which was
// killed after the option had had its effect.
func (t own) onClosed(a *assess.Assessment) error {
	r := &a.Summary.Run
	if t.Options.Update {
		if err := t.Engine.Resuming.NothingToUpdate(t.Context, r); err != nil {
			return err
		}
	}
	if !t.Options.MarkDone.On || r.Discarded || !r.Ours() {
		return nil
	}
	task, already, err := t.Engine.Executing.Aim(r, resume.FlagMarkDone, t.Options.MarkDone.Task)
	var aim *resume.AimError
	switch {
	case already, errors.As(err, &aim) && aim.Repeated:
		return nil
	case err == nil && task == "":
		return exit.Usagef("--mark-done: no task of run '%s' was interrupted", r.ID)
	}
	return err
}

// recorded applies the options with which a run was started. A mode or --takeover on the command line has priority over it.
func (t own) recorded(a *assess.Assessment, w assess.Request) assess.Request {
	flag, err := t.Options.Named()
	w.KeepGoing = w.KeepGoing || a.Summary.Run.KeepGoing
	if mode, ok := resume.ModeOf(a.Summary.Run.Mode); err == nil && flag == "" && ok && a.Summary.Run.Ours() && !w.Takeover {
		w.Mode = personal(mode, w)
	}
	return w
}

// target is the task to which --skip or --mark-done applies. It stays the same when the run is assessed again.
type target struct {
	skip, done checkpoint.TaskID
}

// aim finds the task to which --skip or --mark-done applies. If that task is already skipped or done, it ignores the flag.
func (t own) aim(a *assess.Assessment, w *assess.Request, to *target) error {
	r := &a.Summary.Run
	if !r.Ours() {
		return nil // the run must be taken over first; after that, this method is called again
	}
	for _, f := range []struct {
		flag  string
		given TaskFlag
		to    *checkpoint.TaskID
	}{{resume.FlagSkip, t.Options.Skip, &to.skip}, {resume.FlagMarkDone, t.Options.MarkDone, &to.done}} {
		if !f.given.On {
			continue
		}
		task, already, err := t.Engine.Executing.Aim(r, f.flag, cmp.Or(string(*f.to), f.given.Task))
		if err != nil {
			return err
		}
		if f.flag == resume.FlagMarkDone && task == "" && !slices.ContainsFunc(r.Tasks, func(t checkpoint.Task) bool { return t.State == checkpoint.Active }) {
			return exit.Meantf(quote.Command("git resume %s", r.ID), "--mark-done: no task of run '%s' was interrupted", r.ID)
		}
		if *f.to = task; !already {
			continue
		}
		*f.to = ""
		t.Person.Screen().Note("task '%s' is already %s", task, r.Task(task).State)
		if w.Doubt == resume.MarkDone || w.Doubt == plan.Retry && !t.Options.Retry && t.Options.From == "" {
			w.Doubt = ""
		}
	}
	if err := resume.ReportedOnly(a, t.Options.Retry, to.done); err != nil {
		return err
	}
	if !t.Options.DryRun && !t.Options.Print {
		t.Person.WhenSaid(func() { t.Engine.Executing.Acknowledged(r.ID) })
	}
	return nil
}
