package conversation

import (
	"errors"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/screen/operation"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

type operations struct{ *Talk }

// operation shows an unfinished git operation, asks the user what to do, and does it.
func (t operations) operation(key candidate.Key, w assess.Request) error {
	choice := t.Options.Choose
	if choice == "" && t.Options.Skip.On {
		choice = gitops.Skip
	}
	for range maxRounds {
		o, err := t.findOperation(key)
		if err != nil {
			return err
		}
		if w.Mode == assess.Preflight {
			assessment.PreflightTitle(t.report(), o.Key())
		}
		t.showOperation(o)
		if t.Options.DryRun || t.Options.Print {
			if o.Life != proc.Alive {
				s := t.report()
				s.Err = s.Out // what the user can do is part of the report
				operation.Ways(s, o, t.Engine.Repo.GitDir)
			}
			return nil
		}
		req, err := t.operating(o, choice, w)
		if err != nil {
			return err
		}
		if err = t.operate(req); !errors.Is(err, candidate.ErrMoved) {
			return err
		}
		t.Person.Screen().Note("something changed in the meantime; checking again")
	}
	return candidate.ErrMoved
}

func (t operations) findOperation(key candidate.Key) (*gitops.State, error) {
	all, err := t.Engine.Repairing.Operations(t.Context)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s gitops.State) bool { return s.Key() == string(key) })
	if i < 0 {
		return nil, &candidate.NoneError{Given: string(key)}
	}
	return &all[i], all[i].Examine(t.Context, t.Engine.Repo)
}

// ShowOperation shows a git operation and what the user can do about it. The status command uses it.
func ShowOperation(t *Talk, key candidate.Key) error { return operations{t}.status(key) }

func (t operations) status(key candidate.Key) error {
	o, err := t.findOperation(key)
	if err != nil {
		return err
	}
	s := t.Person.Screen()
	s.Err = s.Out
	t.tellOperation(s, o)
	if o.Life != proc.Alive {
		operation.Ways(s, o, t.Engine.Repo.GitDir)
	}
	return nil
}

func (t operations) showOperation(o *gitops.State) {
	side := t.report()
	t.tellOperation(side, o)
}

func (t operations) tellOperation(side page.Page, o *gitops.State) {
	var also []string
	if m, err := t.Engine.Find.Lookup(t.Context, candidate.Key(o.Key())); err == nil {
		also = m.Also
	}
	operation.Show(side, o, t.Engine.Repo.GitDir, also...)
}

// operating decides from the flags, or with the user, what to do about a git operation. It returns an error if nothing can be done now.
func (t operations) operating(o *gitops.State, choice string, w assess.Request) (repair.Operating, error) {
	req := repair.Operating{State: *o, Choice: choice, Stdin: t.Streams.In, Stdout: t.Streams.Out, Stderr: t.Streams.Err}
	stop := func(code int) (repair.Operating, error) {
		operation.Ways(t.Person.Screen(), o, t.Engine.Repo.GitDir)
		return req, exit.Code(code)
	}
	if o.Life == proc.Alive {
		return req, exit.Code(exit.Busy)
	}
	if choice == "" {
		req.Choice = gitops.Continue
	} else if !offers(o, choice) && choice != gitops.Continue {
		return req, exit.Usagef("'%s' is not a choice for %s; choose one of: %s", quote.Printable(choice), o.Key(), wayNames(o))
	}
	if req.Choice == gitops.Continue && !offers(o, gitops.Continue) {
		return t.cannotContinue(o, req, w, stop)
	}
	if o.Life == proc.Unknown {
		if !w.Terminal || w.Mode == assess.Auto {
			return stop(exit.Busy)
		}
		req.Vouched = true
	}
	switch {
	case w.Mode == assess.Auto && (choice != "" || !automatic(o)):
		return stop(exit.Decide)
	case w.Mode == assess.Auto, w.Yes && o.Life == proc.Dead:
		return req, nil
	case w.Terminal && w.Mode == assess.Preflight:
		operation.Ways(t.Person.Screen(), o, t.Engine.Repo.GitDir)
		return req, t.proceeds(askProceedOperation, differences(t).operation(o))
	case w.Terminal:
		return t.askOperation(o, req)
	case choice == "" && onlyWaits(o) && w.Mode != assess.Preflight:
		return req, nil // git only waits for a command to continue, and the user has just given one
	}
	t.Person.Screen().Note("\nerror: cannot ask here; answer with --yes")
	return stop(exit.Decide)
}

func offers(o *gitops.State, name string) bool {
	return slices.ContainsFunc(o.Ways(), func(w gitops.Way) bool { return w.Name == name })
}

func wayNames(o *gitops.State) string {
	var names []string
	for _, w := range o.Ways() {
		names = append(names, w.Name)
	}
	return strings.Join(names, ", ")
}

// automatic reports whether a git operation can continue without a question: a crash interrupted it, and git did not stop by itself.
func automatic(o *gitops.State) bool {
	return o.Life == proc.Dead && (o.Stop == ongoing.StopMidway || o.Stop == ongoing.StopStarting) && o.Dir != ""
}

// onlyWaits reports whether the operation needs no repair and no decision: git only waits until somebody continues the operation.
func onlyWaits(o *gitops.State) bool {
	return o.Stop == ongoing.StopReady && o.Crash.Repair == gitops.RepairNothing && len(o.Files) == 0
}

// cannotContinue is called if an operation does not offer to continue. It stops the command, or asks a user how the operation ends.
func (t operations) cannotContinue(o *gitops.State, req repair.Operating, w assess.Request, stop func(int) (repair.Operating, error)) (repair.Operating, error) {
	if len(o.Unmerged) > 0 || o.Crash.Repair == gitops.RepairDoubt {
		return stop(exit.Conflicts)
	}
	ways := o.Ways()
	if !w.Terminal || w.Mode == assess.Auto || w.Yes && len(ways) != 1 {
		return stop(exit.Decide)
	}
	operation.Ways(t.Person.Screen(), o, "")
	answer, err := t.put(question{kind: askOperationWay, text: "Which?", keys: wayKeys(o), no: refuses, def: refuses.Name, diff: differences(t).operation(o)})
	req.Choice = answer.key
	return req, err
}

// refuses is the key for doing nothing about a git operation.
var refuses = prompt.Key{Name: "n", Does: "leave everything as it is"}

func wayKeys(o *gitops.State) []prompt.Key {
	var keys []prompt.Key
	for _, w := range o.Ways() {
		keys = append(keys, prompt.Key{Name: w.Name, Does: w.Text})
	}
	return keys
}

// askOperation asks whether to carry out a choice, or another one that the user types. Pressing return means yes only if the first choice
// is to continue and the operation's process is certainly dead.
func (t operations) askOperation(o *gitops.State, req repair.Operating) (repair.Operating, error) {
	yes := !req.Vouched && req.Choice == gitops.Continue
	for {
		q := yesNo(askOperation, "\n"+operation.Question(o, req.Choice), "do it", differences(t).operation(o))
		q.no = refuses
		for _, w := range wayKeys(o) {
			if w.Name != req.Choice {
				q.keys = append(q.keys, w)
				continue
			}
			q.keys[0].Also = append(q.keys[0].Also, w.Name) // the name of the choice means yes too
			q.keys[0].Does = w.Does
		}
		if yes {
			q.def = "y"
		}
		answer, err := t.put(q)
		if err != nil || answer.key == "y" {
			return req, err
		}
		req.Choice, yes = answer.key, false
	}
}

func (t operations) operate(req repair.Operating) error {
	told := false
	// Without a terminal, git would wait forever for an editor. An editor from the environment is still used: it may need no terminal.
	req.Alone = !t.Person.CanAnswer() && !t.Streams.Editor
	if req.Alone && req.Choice == gitops.Continue {
		t.Person.Screen().Note("note: no terminal for an editor, so commit messages stay as they are")
	}
	req.Before = func(out *repair.Operated) { told = true; operation.Starts(t.Person.Screen(), out) }
	out, err := t.Engine.Repairing.Operate(t.Context, req)
	if out != nil && !told {
		operation.Starts(t.Person.Screen(), out)
	}
	if err != nil {
		return err
	}
	operation.Operated(t.Person.Screen(), out, t.Engine.Repo.GitDir)
	switch {
	case out.Now != nil && (len(out.Now.Unmerged) > 0 || out.Now.Crash.Repair == gitops.RepairDoubt):
		return exit.Code(exit.Conflicts)
	case out.Code != 0:
		return exit.Code(exit.Failed)
	}
	return nil
}

func (t operations) discardOperation(key candidate.Key) error {
	o, err := t.findOperation(key)
	if err != nil {
		return err
	}
	t.showOperation(o)
	if o.Life == proc.Alive {
		return exit.Code(exit.Busy)
	}
	ends := []string{}
	for _, name := range []string{gitops.Abort, gitops.Quit, gitops.Continue} {
		if offers(o, name) && (name != gitops.Continue || len(ends) == 0) {
			ends = append(ends, name)
		}
	}
	operation.Ways(t.Person.Screen(), o, t.Engine.Repo.GitDir)
	if t.Options.DryRun || t.Options.Print {
		return nil
	}
	req := repair.Operating{State: *o, Choice: ends[0], Stdin: t.Streams.In, Stdout: t.Streams.Out, Stderr: t.Streams.Err}
	switch {
	case t.Options.Yes && o.Life == proc.Dead:
	case !t.Person.CanAnswer() && o.Life != proc.Dead:
		return &repair.OperationError{State: *o, What: "unseen"} // somebody may be working on the operation, and --yes does not answer that
	case !t.Person.CanAnswer():
		other := ""
		if len(ends) > 1 {
			other = "; or use --choose " + ends[1] + " --yes instead of --discard"
		}
		return &NoTerminalError{question: "Discard?", flag: "--yes, which chooses " + ends[0] + other}
	default:
		keys := slices.DeleteFunc(wayKeys(o), func(k prompt.Key) bool { return !slices.Contains(ends, k.Name) })
		answer, err := t.put(question{kind: askOperationEnd, text: "How do you want to end it?" + operation.SavedFirst(o), keys: keys, no: refuses, def: refuses.Name, diff: differences(t).operation(o)})
		if err != nil {
			return err
		}
		req.Choice, req.Vouched = answer.key, true
	}
	return t.operate(req)
}
