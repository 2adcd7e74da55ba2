package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/resume"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// resume is the command without a name: find, check, show, ask, continue.
func (p *program) resume(c *cli.Context) error {
	given, err := oneRun(c, "[RUN]")
	if err != nil {
		return err
	}
	e, err := p.engine()
	if err != nil {
		return err
	}
	w, err := p.wish(c, e, given != "")
	if err != nil {
		return err
	}
	id, err := p.which(c, e, given, w)
	if err != nil || id == "" {
		return mistyped(c.App.Commands, err)
	}
	if isOperation(id) {
		return p.operation(c, e, id, w)
	}
	if c.IsSet("plan") && !c.Bool("dry-run") {
		if err := e.Replan(p.ctx, id, c.String("plan")); err != nil {
			return err
		}
	}
	if name := c.String("choose"); name != "" {
		return p.chosen(c, e, id, name, w)
	}
	if c.Bool("restart") {
		return p.restart(c, e, id)
	}
	return p.goOn(c, e, id, w)
}

// chosen does what --choose names; for runs of our own every name stands for a command that can also be given itself.
func (p *program) chosen(c *cli.Context, e *resume.Engine, id checkpoint.RunID, name string, w resume.Wish) error {
	s, err := e.Lookup(p.ctx, id)
	if err != nil {
		return err
	}
	if s.Found == nil && !slices.ContainsFunc(s.Alternatives(), func(a sources.Alternative) bool { return a.Name == name }) {
		return usagef("'%s' is no alternative of %s; there are: %s", printable(name), id, nameList(s.Alternatives()))
	}
	switch {
	case name == resume.AltContinue:
		return p.goOn(c, e, id, w)
	case s.Found != nil && handsOver(name) && s.Found.Offers(name):
		w.Alternative = name
		return p.goOn(c, e, id, w)
	case s.Found != nil:
		return p.chooseAlternative(c, e, id, name)
	case name == resume.AltRestart:
		return p.restart(c, e, id)
	case name == resume.AltSkip:
		if err := c.Set("skip", "true"); err != nil {
			return err
		}
		w.Doubt = plan.Retry
		return p.goOn(c, e, id, w)
	case name == resume.AltAnswer:
		return p.goOn(c, e, id, w)
	case name == resume.AltDiscard:
		return p.discardRun(c, e, string(id))
	}
	return p.chooseAlternative(c, e, id, name)
}

// wish collects what the command line and the settings say.
func (p *program) wish(c *cli.Context, e *resume.Engine, named bool) (resume.Wish, error) {
	w := resume.Wish{
		Mode: resume.Interactive, Terminal: p.interactive(), Named: named, Yes: c.Bool("yes"), EvenIdle: c.Bool("even-idle"),
		Takeover: c.Bool("takeover"), DespiteConflicts: c.Bool("despite-conflicts"), Update: c.Bool("update"), Doubt: doubtFlag(c),
	}
	switch {
	case c.Bool("auto"):
		w.Mode = resume.Auto
	case c.Bool("preflight"):
		w.Mode = resume.Preflight
	default:
		mode, err := e.Mode(p.ctx)
		if err != nil {
			return w, err
		}
		w.Mode = mode
	}
	if w.Doubt == "" && (c.String("from") != "" || c.Bool("skip")) {
		w.Doubt = plan.Retry // what a cut-off task left is set aside: that was said with the flag
	}
	if w.Takeover && !named {
		return w, usagef("--takeover needs the run's id")
	}
	return w, nil
}

// which finds the work that is meant; an empty id means that there is nothing to do, and that was said.
func (p *program) which(c *cli.Context, e *resume.Engine, given string, w resume.Wish) (checkpoint.RunID, error) {
	if given == "" {
		given = e.RunName
	}
	if given != "" {
		return e.Which(p.ctx, given)
	}
	open, err := e.Status(p.ctx, checkpoint.OpenRuns)
	if err != nil {
		return "", err
	}
	if len(open) == 0 {
		unmerged, err := e.Unmerged(p.ctx)
		if err == nil {
			p.screen().Nothing(unmerged...)
		}
		return "", err
	}
	here := e.Standing(open)
	switch {
	case len(here) == 1 && (w.Mode != resume.Auto || len(open) > 1):
		return here[0].Run.ID, nil
	case w.Mode == resume.Auto:
		return p.pick(e, open, w)
	}
	runs := open
	if stopped := stoppedOf(open); len(stopped) > 0 {
		runs = stopped
	}
	switch {
	case len(runs) == 1:
		return runs[0].Run.ID, nil
	case w.Terminal:
		return p.choose(e, runs)
	}
	return "", &resume.AmbiguousError{Runs: runs, Resume: true}
}

// stoppedOf are the runs among several that are not somebody else's at the moment, and were not stopped on purpose.
func stoppedOf(runs []resume.Summary) []resume.Summary {
	return slices.DeleteFunc(slices.Clone(runs), func(m resume.Summary) bool { return !m.State.Announced() })
}

// pick is the automatic choice: the most recently active run that may be continued,
// else the one that best says why none may.
func (p *program) pick(e *resume.Engine, open []resume.Summary, w resume.Wish) (checkpoint.RunID, error) {
	var first, waits, busy checkpoint.RunID
	for _, m := range open {
		switch {
		case isOperation(m.Run.ID) && m.State == checkpoint.Interrupted:
			o, err := p.findOperation(e, m.Run.ID)
			if err != nil {
				return "", err
			}
			if automatic(o) && offers(o, gitops.Continue) {
				return m.Run.ID, nil
			}
			first = cmp.Or(first, m.Run.ID)
		case m.State == checkpoint.Interrupted, m.State == checkpoint.FailedRun, m.State == checkpoint.Idle && w.EvenIdle:
			a, err := e.Assess(p.ctx, m.Run.ID, resume.OnlyLook)
			if err != nil {
				return "", err
			}
			if resume.Decide(a, w).Action == resume.Go {
				return m.Run.ID, nil
			}
			first = cmp.Or(first, m.Run.ID)
		case m.State == checkpoint.Waiting:
			waits = cmp.Or(waits, m.Run.ID)
		case m.State == checkpoint.Running, m.State == checkpoint.Idle && m.Run.Begun():
			busy = cmp.Or(busy, m.Run.ID)
		}
	}
	if id := cmp.Or(first, waits, busy); id != "" {
		return id, nil
	}
	p.screen().Note("nothing here may be continued by itself")
	p.screen().Status(open)
	return "", nil
}

// choose asks which of several runs is meant.
func (p *program) choose(e *resume.Engine, runs []resume.Summary) (checkpoint.RunID, error) {
	stale, err := e.StaleAfter(p.ctx)
	if err != nil {
		return "", err
	}
	if err := p.check(e, runs); err != nil {
		return "", err
	}
	shown := p.screen().Several(runs, stale)
	fmt.Fprintf(p.err, "Continue which? [1-%d, 0 none, q] (1) ", len(shown))
	answer := p.readLine()
	if answer == "" {
		answer = "1"
	}
	n, err := strconv.Atoi(answer)
	if err != nil || n < 1 || n > len(shown) {
		return "", exitCode(codeNo)
	}
	return shown[n-1].Run.ID, nil
}

func (p *program) readLine() string {
	if p.stdin == nil {
		p.stdin = bufio.NewReader(os.Stdin)
	}
	line, err := p.stdin.ReadString('\n')
	if err != nil && line == "" {
		return "q" // the end of input means no
	}
	return strings.TrimSpace(line)
}

// maxRounds bounds how often a run is looked at anew because something moved meanwhile.
const maxRounds = 5

// goOn looks, decides, asks and continues; if something moved between question and answer it starts over.
func (p *program) goOn(c *cli.Context, e *resume.Engine, id checkpoint.RunID, w resume.Wish) error {
	for range maxRounds {
		mode := resume.AndSave
		if c.Bool("dry-run") {
			mode = resume.OnlyLook
		}
		a, err := e.Assess(p.ctx, id, mode)
		if err != nil {
			return err
		}
		if a.Summary.Found != nil {
			err := p.foreign(c, e, a, w)
			if errors.Is(err, resume.ErrMoved) {
				p.screen().Note("something changed meanwhile; looking again")
				continue
			}
			return err
		}
		if a.Summary.Run.Closed() {
			p.screen().Over(&a.Summary)
			return nil
		}
		if a.OnlyAsks() && w.Mode != resume.Preflight && !acts(c) {
			p.screen().Brief(a, a.Tree.Path)
			return nil
		}
		d := resume.Decide(a, w)
		a.Going = d.Action != resume.Stop
		if d.Why != resume.WhyWaiting { // the question has a screen of its own
			p.present(a, w)
		}
		if c.Bool("dry-run") || c.Bool("print") {
			return p.onlySay(c, a)
		}
		choice := resume.Choice{Decision: d, Mode: w.Mode, From: c.String("from"), Skip: c.Bool("skip"), Update: w.Update}
		choice.Execute.Doubt = w.Doubt
		if d.Why == resume.WhyWaiting {
			if err := p.waiting(e, a); err != nil {
				return err
			}
			return p.goOn(c, e, id, w) // the answer is stored; the next question may come
		}
		if stop, err := p.settle(c, a, d, &choice); stop || err != nil {
			return err
		}
		err = p.advance(c, e, a, choice)
		if !errors.Is(err, resume.ErrMoved) {
			return err
		}
		p.screen().Note("something changed meanwhile; looking again")
	}
	return resume.ErrMoved
}

// acts: a flag asks for more than to know where the run stands.
func acts(c *cli.Context) bool {
	return c.String("from") != "" || c.Bool("skip") || c.Bool("update") || c.Bool("takeover") || c.Bool("yes") || c.Bool("dry-run")
}

// present shows what was found, on stderr: stdout belongs to what is continued.
func (p *program) present(a *resume.Assessment, w resume.Wish) {
	side := p.screen()
	side.Out = side.Err
	if w.Mode == resume.Preflight {
		side.Preflight(a)
		return
	}
	side.Assessment(a)
}

// onlySay is -n and --print: nothing is started.
func (p *program) onlySay(c *cli.Context, a *resume.Assessment) error {
	if c.Bool("print") {
		p.screen().Brief(a, a.Tree.Path)
	}
	return nil
}

// settle turns the decision into a yes, a no, or a stop with the ways out.
func (p *program) settle(c *cli.Context, a *resume.Assessment, d resume.Decision, choice *resume.Choice) (stop bool, err error) {
	switch d.Action {
	case resume.Go:
		return false, nil
	case resume.Stop:
		s := p.screen()
		for _, r := range d.Reasons[:min(1, len(d.Reasons))] {
			s.Note("\nerror: %s", r)
		}
		s.WaysOut(a, d)
		return true, exitCode(whyCodes[d.Why])
	}
	return p.ask(c, a, d, choice)
}

var whyCodes = map[resume.Why]int{
	resume.WhyDecision: codeDecide, resume.WhyConflicts: codeConflicts, resume.WhyBusy: codeBusy,
	resume.WhyUnrecoverable: codeLost, resume.WhyWaiting: codeWaiting,
}

// waiting shows the question; at a terminal it can be answered at once.
func (p *program) waiting(e *resume.Engine, a *resume.Assessment) error {
	r := &a.Summary.Run
	s := p.screen()
	s.Question(r)
	q := r.Question()
	if q == nil || !p.interactive() {
		return exitCode(codeWaiting)
	}
	fmt.Fprintf(p.err, "Answer [%sor your own words, q]: ", numbers(len(q.Options)))
	text := p.readLine()
	if text == "" || text == "q" {
		return exitCode(codeNo)
	}
	j, id, err := e.Answer(p.ctx, string(r.ID), string(q.ID), text)
	if err != nil {
		return err
	}
	s.Out = s.Err
	s.Answered(j, id)
	if j.Run.Finished {
		return exitCode(codeDone)
	}
	return nil
}

// numbers are the options that can be named by their place.
func numbers(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return "1, "
	default:
		return fmt.Sprintf("1-%d, ", n)
	}
}

// ask puts the question of the interactive and of the pre-flight mode.
func (p *program) ask(c *cli.Context, a *resume.Assessment, d resume.Decision, choice *resume.Choice) (stop bool, err error) {
	if choice.Mode == resume.Preflight {
		fmt.Fprint(p.err, "Type \"proceed\" to continue, anything else to stop: ")
		if p.readLine() != "proceed" {
			return true, exitCode(codeNo)
		}
		if a.Has(resume.FindPartly) && choice.Execute.Doubt == "" {
			return p.askCutOff(a, choice)
		}
		return false, nil
	}
	if a.Has(resume.FindPartly) && choice.Execute.Doubt == "" {
		return p.askCutOff(a, choice)
	}
	letters := "[Y,n,r,d,p,?]"
	if !d.Default {
		letters = "[y,N,r,d,p,?]"
	}
	n, _ := a.Summary.Run.Current()
	for {
		fmt.Fprintf(p.err, "\nContinue with task %d? %s ", n, letters)
		switch answer := strings.ToLower(p.readLine()); answer {
		case "y", "yes":
			return false, nil
		case "":
			if d.Default {
				return false, nil
			}
			return true, exitCode(codeNo)
		case "r":
			return true, p.restartRun(c, a.Summary.Run.ID)
		case "d":
			p.screen().Run(a.Summary)
		case "p":
			side := p.screen()
			side.Out = side.Err
			side.Preflight(a)
		case "?":
			fmt.Fprintln(p.err, "y continue · n leave as it is · r restart from task 1 (what was built is kept) · d show the run · p pre-flight report")
		default:
			return true, exitCode(codeNo)
		}
	}
}

// askCutOff asks what to do with a task that was stopped half way.
func (p *program) askCutOff(a *resume.Assessment, choice *resume.Choice) (stop bool, err error) {
	fmt.Fprintf(p.err, "\nTask '%s' was cut off half way.\n  f run again from a clean tree (what it left stays in the snapshot)\n  k run again on top of it\n  q leave as it is\nWhich? [f,k,q] ", a.CutOff.ID)
	switch strings.ToLower(p.readLine()) {
	case "f":
		choice.Execute.Doubt = plan.Retry
	case "k":
		choice.Execute.Doubt = resume.Keep
	default:
		return true, exitCode(codeNo)
	}
	return false, nil
}

// advance continues the run and says where it came to rest.
func (p *program) advance(c *cli.Context, e *resume.Engine, a *resume.Assessment, choice resume.Choice) error {
	done := p.executing(c, &choice.Execute)
	defer done()
	choice.HandOff = p.handOff(a, choice.Execute.Signals)
	adv, err := e.Advance(p.executionContext(), a, choice)
	if adv != nil {
		p.screen().Mended(adv.Mended)
	}
	if errors.Is(err, resume.ErrMoved) || err != nil && adv == nil {
		return err
	}
	if err != nil {
		return p.halted(adv.Executed, err)
	}
	if adv.Executed != nil {
		return p.rest(adv.Executed, nil)
	}
	if adv.Handed != nil {
		p.screen().Handed(adv.Journal, adv.Handed)
		if adv.Handed.Code != 0 {
			return exitCode(adv.Handed.Code)
		}
		return nil
	}
	if a.Summary.Found == nil {
		a.Summary.Run = adv.Journal.Run
	}
	a.Cleared, a.Updated = adv.Cleared, adv.Updated
	p.screen().Brief(a, adv.Path)
	return nil
}

// handOff gives the user's own tool the terminal and the streams as they are.
func (p *program) handOff(a *resume.Assessment, signals <-chan os.Signal) resume.HandOff {
	h := resume.HandOff{Env: p.env, Stdin: os.Stdin, Stdout: p.out, Stderr: p.err, Signals: signals}
	if term.IsTerminal(int(os.Stdin.Fd())) {
		h.TTY = os.Stdin
	}
	h.Brief = func(j *checkpoint.Journal, path string) string {
		var text strings.Builder
		s, now := p.screen(), *a
		s.Out, now.Summary.Run = &text, j.Run
		s.Brief(&now, path)
		return text.String()
	}
	return h
}

// restart closes a run as superseded and begins a new one with the same plan; everything is kept.
func (p *program) restart(c *cli.Context, e *resume.Engine, id checkpoint.RunID) error {
	if err := p.confirm(c, "Start again from task 1? What was built is kept."); err != nil {
		return err
	}
	st, err := e.Restart(p.ctx, id)
	if err != nil {
		return err
	}
	return p.begin(c, e, st)
}

func (p *program) restartRun(c *cli.Context, id checkpoint.RunID) error {
	e, err := p.engine()
	if err != nil {
		return err
	}
	return p.restart(c, e, id)
}
