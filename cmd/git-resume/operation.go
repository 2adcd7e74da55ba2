package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/urfave/cli/v2"
)

// isOperation tells the name of one of git's own operations.
func isOperation(id checkpoint.RunID) bool {
	return strings.HasPrefix(string(id), candidate.GitSource+":")
}

// operation shows what git itself left half way, asks, and does what was chosen about it.
func (p *program) operation(c *cli.Context, e *handler.Engine, id checkpoint.RunID, w assess.Wish) error {
	choice := c.String("choose")
	if choice == "" && flagOf(c, resume.FlagSkip).on {
		choice = gitops.Skip
	}
	for range maxRounds {
		o, err := p.findOperation(e, id)
		if err != nil {
			return err
		}
		if w.Mode == assess.Preflight {
			screen.PreflightTitle(p.screen().OnErr(), o.Key())
		}
		p.showOperation(e, o)
		if c.Bool("dry-run") || c.Bool("print") {
			if o.Life != proc.Alive {
				screen.OperationWays(p.screen(), o, e.Repo.GitDir)
			}
			return nil
		}
		req, err := p.operating(c, e, o, choice, w)
		if err != nil {
			return err
		}
		if err = p.operate(e, req); !errors.Is(err, candidate.ErrMoved) {
			return err
		}
		p.screen().Note("something changed meanwhile; looking again")
	}
	return candidate.ErrMoved
}

func (p *program) findOperation(e *handler.Engine, id checkpoint.RunID) (*gitops.State, error) {
	all, err := e.Repairing.Operations(p.ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s gitops.State) bool { return s.Key() == string(id) })
	if i < 0 {
		return nil, &candidate.NoneError{Given: string(id)}
	}
	return &all[i], all[i].Examine(p.ctx, e.Repo)
}

// statusOperation shows one operation and its ways out, as what was asked for.
func (p *program) statusOperation(e *handler.Engine, id checkpoint.RunID) error {
	o, err := p.findOperation(e, id)
	if err != nil {
		return err
	}
	s := p.screen()
	s.Err = p.out
	p.tellOperation(s, e, o)
	if o.Life != proc.Alive {
		screen.OperationWays(s, o, e.Repo.GitDir)
	}
	return nil
}

func (p *program) showOperation(e *handler.Engine, o *gitops.State) {
	side := p.screen().OnErr()
	p.tellOperation(side, e, o)
}

func (p *program) tellOperation(side page.Page, e *handler.Engine, o *gitops.State) {
	var also []string
	if m, err := e.Find.Lookup(p.ctx, checkpoint.RunID(o.Key())); err == nil {
		also = m.Also
	}
	screen.Operation(side, o, e.Repo.GitDir, also...)
}

// operating settles what is to be done: by the flags, or by asking. Its error is a stop with the ways out, already told.
func (p *program) operating(c *cli.Context, e *handler.Engine, o *gitops.State, choice string, w assess.Wish) (repair.Operating, error) {
	req := repair.Operating{State: *o, Choice: choice, Stdin: os.Stdin, Stdout: raw(p.out), Stderr: p.err}
	stop := func(code int) (repair.Operating, error) {
		screen.OperationWays(p.screen(), o, e.Repo.GitDir)
		return req, exitCode(code)
	}
	if o.Life == proc.Alive {
		return req, exitCode(codeBusy)
	}
	if choice == "" {
		req.Choice = gitops.Continue
	} else if !offers(o, choice) && choice != gitops.Continue {
		return req, usagef("'%s' is no alternative of %s; there are: %s", printable(choice), o.Key(), wayNames(o))
	}
	if req.Choice == gitops.Continue && !offers(o, gitops.Continue) {
		return p.cannotContinue(o, req, w, stop)
	}
	if o.Life == proc.Unknown {
		if !w.Terminal || w.Mode == assess.Auto {
			return stop(codeBusy)
		}
		req.Vouched = true
	}
	switch {
	case w.Mode == assess.Auto && (choice != "" || !automatic(o)):
		return stop(codeDecide)
	case w.Mode == assess.Auto, w.Yes && o.Life == proc.Dead:
		return req, nil
	case w.Terminal && w.Mode == assess.Preflight:
		screen.OperationWays(p.screen(), o, e.Repo.GitDir)
		return req, p.askProceed()
	case w.Terminal:
		return p.askOperation(o, req)
	case choice == "" && onlyWaits(o) && w.Mode != assess.Preflight:
		return req, nil // nobody can be asked, and nothing needs to be: the command itself is the answer
	}
	p.screen().Note("\nerror: no terminal to ask; answer with --yes")
	return stop(codeDecide)
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

// automatic: only what a crash cut off goes on by itself; everything else waits for somebody on purpose, or for his help.
func automatic(o *gitops.State) bool {
	return o.Life == proc.Dead && (o.Stop == ongoing.StopMidway || o.Stop == ongoing.StopStarting) && o.Dir != ""
}

// onlyWaits: git was only waiting to be told to go on.
func onlyWaits(o *gitops.State) bool {
	return o.Stop == ongoing.StopReady && o.Crash.Mend == gitops.MendNothing && len(o.Files) == 0
}

// cannotContinue is for states that only a person can lead on: paths to resolve, a doubt, a decision.
func (p *program) cannotContinue(o *gitops.State, req repair.Operating, w assess.Wish, stop func(int) (repair.Operating, error)) (repair.Operating, error) {
	if len(o.Unmerged) > 0 || o.Crash.Mend == gitops.MendDoubt {
		return stop(codeConflicts)
	}
	ways := o.Ways()
	if !w.Terminal || w.Mode == assess.Auto || w.Yes && len(ways) != 1 {
		return stop(codeDecide)
	}
	screen.OperationWays(p.screen(), o, "")
	p.screen().Ask("Which? [%s, n] (n) ", wayNames(o))
	answer := strings.ToLower(p.readLine())
	if !offers(o, answer) {
		return req, exitCode(codeNo)
	}
	req.Choice = answer
	return req, nil
}

// askOperation puts the question; the default is yes only where nothing can be lost by it.
func (p *program) askOperation(o *gitops.State, req repair.Operating) (repair.Operating, error) {
	question, yes := operationQuestion(o, req.Choice), !req.Vouched && req.Choice == gitops.Continue
	letters := "[Y,n,d,?]"
	if !yes {
		letters = "[y,N,d,?]"
	}
	for {
		p.screen().Ask("\n%s %s ", question, letters)
		switch answer := strings.ToLower(p.readLine()); answer {
		case "y", "yes":
			return req, nil
		case "":
			if yes {
				return req, nil
			}
			return req, exitCode(codeNo)
		case "d":
			p.showCommit(o)
		case "?":
			p.screen().Note("y do it · n leave everything as it is · d show the commit · or one of: %s", wayNames(o))
		default:
			if !offers(o, answer) {
				return req, exitCode(codeNo)
			}
			req.Choice = answer
			question, yes, letters = operationQuestion(o, answer), false, "[y,N,d,?]"
		}
	}
}

// operationQuestion asks for one thing, in its own words.
func operationQuestion(o *gitops.State, choice string) string {
	if choice != gitops.Continue {
		return strings.ToUpper(choice[:1]) + choice[1:] + "? What is uncommitted is saved first."
	}
	switch {
	case o.Crash.Loses():
		return fmt.Sprintf("Put %s back and continue?", printable(o.Crash.Lost.Subject()))
	case o.Crash.Mend == gitops.MendRewind:
		return fmt.Sprintf("Go back to the %s of %s and continue?", o.Crash.Command.Name, printable(o.Crash.Lost.Subject()))
	case o.Op == ongoing.StaleLock:
		return "Move them aside?"
	case o.Op == ongoing.HalfWorktree:
		return "Clear it away?"
	}
	return "Continue?"
}

// showCommit shows the commit in question as git does.
func (p *program) showCommit(o *gitops.State) {
	id := o.Commit
	if o.Crash.Lost.ID != "" {
		id = string(o.Crash.Lost.ID)
	}
	if id == "" {
		return
	}
	at := p.repo.At(o.Tree)
	defer at.Close()
	_, _ = at.Git(p.ctx, process.Call{Args: []string{"--no-pager", "show", "--no-ext-diff", "--no-textconv", "--no-color", "--stat", "-p", id}, Stdout: tame(p.err), Stderr: tame(p.err)}) // it is only a look
}

// operate carries the choice out, and tells where it led.
func (p *program) operate(e *handler.Engine, req repair.Operating) error {
	told := false
	// Git would wait for ever for an editor that nobody sees; one that the environment names is meant for this.
	req.Alone = !p.interactive() && p.getenv("GIT_EDITOR") == ""
	if req.Alone && req.Choice == gitops.Continue {
		p.screen().Note("note: no terminal for an editor: messages of commits stay as they are")
	}
	req.Before = func(out *repair.Operated) { told = true; screen.OperationStarts(p.screen(), out) }
	out, err := e.Repairing.Operate(p.ctx, req)
	if out != nil && !told {
		screen.OperationStarts(p.screen(), out)
	}
	if err != nil {
		return err
	}
	screen.Operated(p.screen(), out, e.Repo.GitDir)
	switch {
	case out.Now != nil && (len(out.Now.Unmerged) > 0 || out.Now.Crash.Mend == gitops.MendDoubt):
		return exitCode(codeConflicts)
	case out.Code != 0:
		return exitCode(codeFailed)
	}
	return nil
}

// discardOperation ends an operation: back to where it began, or forgotten with everything left as it is.
func (p *program) discardOperation(c *cli.Context, e *handler.Engine, id checkpoint.RunID) error {
	o, err := p.findOperation(e, id)
	if err != nil {
		return err
	}
	p.showOperation(e, o)
	if o.Life == proc.Alive {
		return exitCode(codeBusy)
	}
	ends := []string{}
	for _, name := range []string{gitops.Abort, gitops.Quit, gitops.Continue} {
		if offers(o, name) && (name != gitops.Continue || len(ends) == 0) {
			ends = append(ends, name)
		}
	}
	screen.OperationWays(p.screen(), o, e.Repo.GitDir)
	if c.Bool("dry-run") {
		return nil
	}
	req := repair.Operating{State: *o, Choice: ends[0], Stdin: os.Stdin, Stdout: raw(p.out), Stderr: p.err}
	switch {
	case c.Bool("yes") && o.Life == proc.Dead:
	case !p.interactive():
		other := ""
		if len(ends) > 1 {
			other = ", or with --choose " + ends[1] + " instead of --discard"
		}
		return &noTerminalError{question: "Discard?", flag: "--yes (" + ends[0] + ")" + other}
	default:
		p.screen().Ask("Which? What is uncommitted is saved first. [%s, n] (n) ", strings.Join(ends, ", "))
		req.Choice, req.Vouched = strings.ToLower(p.readLine()), true
		if !slices.Contains(ends, req.Choice) {
			return exitCode(codeNo)
		}
	}
	return p.operate(e, req)
}
