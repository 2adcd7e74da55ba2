package main

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
	"github.com/git-resume/git-resume/internal/tasks"
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
	if c.IsSet("from") && c.String("from") == "" {
		return usagef("--from is empty; it names a task")
	}
	w, err := p.wish(c, e, given != "")
	if err != nil {
		return err
	}
	if !c.Bool("dry-run") {
		e.Repo.Guard.ClearDead() // even if all is done: the locks of a killed git would stop the user's own
	}
	id, err := p.which(c, e, given, w)
	if err != nil || id == "" {
		return mistyped(c.App.Commands, err)
	}
	if c.Bool("force") {
		if s, err := e.Find.Lookup(p.ctx, id); err != nil || s.Found == nil || isOperation(id) {
			return usagef("--force goes with --discard, or with another system's work at which somebody may be at work")
		}
	}
	if isOperation(id) {
		return p.operation(c, e, id, w)
	}
	if err := p.flagsFit(c, e, id); err != nil {
		return err
	}
	if c.IsSet("from") && !c.IsSet("plan") {
		if err := e.Reporting.CheckFrom(p.ctx, id, c.String("from")); err != nil {
			return err
		}
	}
	if c.IsSet("plan") {
		if p.newPlan, err = e.Resuming.ReadPlan(p.ctx, id, c.String("plan"), c.String("from")); err != nil {
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

// ownFlags are about tasks and plans of our own runs; each with the alternative that does the same to another system's work.
var ownFlags = []struct{ flag, alternative string }{
	{"restart", sources.StartFresh}, {"from", sources.RestartUnit}, {resume.FlagSkip, sources.SkipUnit},
	{resume.FlagMarkDone, ""}, {"retry", sources.RestartUnit}, {"keep", ""}, {"plan", ""},
}

// flagsFit refuses flags that another system's work cannot obey, and names what does the same.
func (p *program) flagsFit(c *cli.Context, e *handler.Engine, id checkpoint.RunID) error {
	for _, f := range ownFlags {
		given := flagOf(c, f.flag)
		if !given.on && !c.IsSet(f.flag) || f.flag == "from" && c.String("choose") != "" {
			continue
		}
		s, err := e.Find.Lookup(p.ctx, id)
		if err != nil || s.Run.Source == "" && s.Found == nil {
			return err
		}
		if s.Found == nil || f.alternative == "" || !s.Found.Offers(f.alternative) {
			return usagef("--%s does not apply to '%s', which is another system's work; there are: %s", f.flag, printable(string(id)), nameList(s.Alternatives()))
		}
		words := quote.Command("git resume %s --choose %s", id, sources.ShownName(f.alternative))
		if task := cmp.Or(given.task, c.String("from")); task != "" && f.flag != "restart" {
			words += " " + quote.Command("--from %s", task)
		}
		return usagef("--%s does not apply to another system's work; use '%s'", f.flag, words)
	}
	return nil
}

// chosen does what --choose names; for runs of our own every name stands for a command that can also be given itself.
func (p *program) chosen(c *cli.Context, e *handler.Engine, id checkpoint.RunID, name string, w assess.Wish) error {
	s, err := e.Find.Lookup(p.ctx, id)
	if err != nil {
		return err
	}
	if s.Found != nil {
		name = sources.NamedByPeople(name)
	}
	if s.Found == nil && !slices.ContainsFunc(s.Alternatives(), func(a sources.Alternative) bool { return a.Name == name }) {
		return usagef("'%s' is no alternative of %s; there are: %s", printable(name), id, nameList(s.Alternatives()))
	}
	switch {
	case s.Found != nil && name == candidate.AltContinue && s.Found.Offers(name):
		w.Alternative = name
		return p.goOn(c, e, id, w)
	case name == candidate.AltContinue:
		return p.goOn(c, e, id, w)
	case s.Found != nil && handsOver(name) && s.Found.Offers(name):
		w.Alternative = name
		return p.goOn(c, e, id, w)
	case s.Found != nil:
		return p.chooseAlternative(c, e, id, name)
	case name == candidate.AltRestart:
		return p.restart(c, e, id)
	case name == candidate.AltSkip:
		if err := c.Set("skip", "true"); err != nil {
			return err
		}
		w.Doubt = plan.Retry
		return p.goOn(c, e, id, w)
	case name == candidate.AltAnswer:
		return p.goOn(c, e, id, w)
	case name == candidate.AltDiscard:
		return p.discardRun(c, e, string(id))
	}
	return p.chooseAlternative(c, e, id, name)
}

// wish collects what the command line and the settings say.
func (p *program) wish(c *cli.Context, e *handler.Engine, named bool) (assess.Wish, error) {
	w := assess.Wish{
		Mode: assess.Interactive, Terminal: p.interactive(), Named: named, Yes: c.Bool("yes"), EvenIdle: c.Bool("even-idle"),
		Takeover: c.Bool("takeover"), Force: c.Bool("force"), DespiteConflicts: c.Bool("despite-conflicts"), Update: c.Bool("update"), Doubt: doubtFlag(c), From: c.String("from"),
	}
	var err error
	if w.Mode, err = modeFlag(c); err == nil && w.Mode == "" {
		w.Mode, err = e.Resuming.Mode(p.ctx)
		w.Mode = personal(w.Mode, w)
	}
	if err != nil {
		return w, err
	}
	if w.Doubt == "" && (c.String("from") != "" || flagOf(c, resume.FlagSkip).on) {
		w.Doubt = plan.Retry // what a cut-off task left is set aside: that was said with the flag
	}
	switch {
	case w.Takeover && !named:
		return w, usagef("--takeover needs the run's id")
	case w.Takeover && c.Bool("auto"):
		return w, usagef("--takeover and --auto cannot be used together: a person takes a run over")
	case w.Takeover && w.Mode == assess.Auto:
		w.Mode = assess.Interactive // by a setting or by the run's own record
	}
	return w, nil
}

// nothing says that there is nothing to do, and what deleted worktrees held.
func (p *program) nothing(e *handler.Engine) error {
	unmerged, err := e.Merging.Unmerged(p.ctx)
	if err != nil {
		return err
	}
	lost, err := candidate.LostStates(p.ctx, e.Find, nil)
	if err != nil {
		return err
	}
	screen.Nothing(p.screen(), e.Find.Systems(), unmerged...)
	screen.LostStates(p.screen(), lost)
	return nil
}

// which finds the work that is meant; an empty id means that there is nothing to do, and that was said.
func (p *program) which(c *cli.Context, e *handler.Engine, given string, w assess.Wish) (checkpoint.RunID, error) {
	if given == "" {
		given = e.RunName
	}
	if given != "" {
		return e.Find.Which(p.ctx, given)
	}
	all, err := e.Find.Status(p.ctx, journal.OpenRuns)
	if err != nil {
		return "", err
	}
	open := resume.OwnOnly(all)
	if len(open) == 0 && len(all) > 0 {
		return "", &candidate.ElsewhereOnlyError{Runs: all}
	}
	if len(open) == 0 {
		return "", p.nothing(e)
	}
	// Nobody who could be asked said that another system's work shall be touched.
	unasked := !w.Terminal && !c.Bool("dry-run")
	if others := candidate.OfOthers(open); unasked && w.Mode == assess.Auto {
		if open = without(open, others); len(open) == 0 {
			return "", &resume.UnnamedError{Runs: others}
		}
	}
	id, err := p.oneOf(e, open, w)
	isChosen := func(s candidate.Summary) bool { return s.Run.ID == id }
	if others := candidate.OfOthers(open); unasked && slices.ContainsFunc(others, isChosen) {
		return "", &resume.UnnamedError{Runs: others}
	}
	return id, err
}

// oneOf chooses among what is open.
func (p *program) oneOf(e *handler.Engine, open []candidate.Summary, w assess.Wish) (checkpoint.RunID, error) {
	here := e.Find.Standing(open)
	switch {
	case len(here) == 1 && (w.Mode != assess.Auto || len(open) > 1):
		return here[0].Run.ID, nil
	case w.Mode == assess.Auto:
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
	return "", &candidate.AmbiguousError{Runs: runs, Resume: true}
}

// without are the runs that are not among others.
func without(runs, others []candidate.Summary) []candidate.Summary {
	return slices.DeleteFunc(slices.Clone(runs), func(s candidate.Summary) bool {
		return slices.ContainsFunc(others, func(o candidate.Summary) bool { return o.Run.ID == s.Run.ID })
	})
}

// stoppedOf are the runs among several that are not somebody else's at the moment, and were not stopped on purpose.
func stoppedOf(runs []candidate.Summary) []candidate.Summary {
	return slices.DeleteFunc(slices.Clone(runs), func(m candidate.Summary) bool { return !m.State.Announced() })
}

// pick is the automatic choice: the most recently active run that may be continued,
// else the one that best says why none may.
func (p *program) pick(e *handler.Engine, open []candidate.Summary, w assess.Wish) (checkpoint.RunID, error) {
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
			a, err := e.Judge.Assess(p.ctx, m.Run.ID, assess.OnlyLook)
			if err != nil {
				return "", err
			}
			if assess.Decide(a, w).Action == assess.Go {
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
	screen.Status(p.screen(), open)
	return "", nil
}

// choose asks which of several runs is meant.
func (p *program) choose(e *handler.Engine, runs []candidate.Summary) (checkpoint.RunID, error) {
	stale, err := e.Find.StaleAfter(p.ctx)
	if err != nil {
		return "", err
	}
	if err := p.check(e, runs); err != nil {
		return "", err
	}
	shown := screen.Several(p.screen(), runs, stale)
	names := make([]string, len(shown))
	for i, m := range shown {
		names[i] = string(m.Run.ID)
	}
	n := p.pickOne(fmt.Sprintf("Continue which? [1-%d, 0 none, q] (1) ", len(shown)), "1", names)
	if n < 0 {
		return "", exitCode(codeNo)
	}
	return shown[n].Run.ID, nil
}

// readLine is the next answer; the end of input and Ctrl-C mean no.
func (p *program) readLine() string {
	if p.stdin == nil {
		p.stdin = bufio.NewReader(os.Stdin)
	}
	answer := make(chan string, 1)
	// A read does not end by a signal: whoever presses Ctrl-C would else have to press return as well.
	go func() {
		line, err := p.stdin.ReadString('\n')
		if err != nil && line == "" {
			line = "q"
		}
		answer <- strings.TrimSpace(line)
	}()
	select {
	case text := <-answer:
		return text
	case <-p.ctx.Done():
		fmt.Fprintln(p.err) // the shell's prompt begins a line
		return "q"
	}
}

// maxRounds bounds how often a run is looked at anew because something moved meanwhile.
const maxRounds = 5

// goOn looks, decides, asks and continues; if something moved between question and answer it starts over.
func (p *program) goOn(c *cli.Context, e *handler.Engine, id checkpoint.RunID, w assess.Wish) error {
	var shown *tasks.Approval
	var aim target
	for range maxRounds {
		a, err := e.Judge.AssessWith(p.ctx, id, assessMode(c), p.newPlan)
		if errors.Is(err, candidate.ErrMoved) {
			continue
		}
		if err != nil {
			return err
		}
		if a.Summary.Found != nil || leftNothing(&a.Summary) {
			err := p.foreign(c, e, a, w)
			if errors.Is(err, candidate.ErrMoved) {
				p.screen().Note("something changed meanwhile; looking again")
				continue
			}
			return err
		}
		if a.Summary.Run.Closed() {
			opened, err := p.openAgain(c, e, a)
			if err != nil || !opened {
				return err
			}
			continue
		}
		if a.OnlyAsks() && (a.Below || !e.Resuming.HandsOff(p.ctx, a)) && w.Mode != assess.Preflight && !acts(c) {
			screen.Brief(p.screen(), a, a.Tree.Path)
			return nil
		}
		w := p.recorded(c, a, w)
		if err := p.aim(c, e, a, &w, &aim); err != nil {
			return err
		}
		d := assess.Decide(a, w)
		d.Given = given(c)
		a.Going = d.Action != assess.Stop
		if d.Why != assess.WhyWaiting || w.Mode == assess.Preflight { // the question has a screen of its own
			p.present(e, a, w)
		}
		if d.Takeover {
			if shown, err = p.showTakeover(e, a); err != nil {
				return err
			}
		}
		if c.Bool("dry-run") || c.Bool("print") {
			return p.onlySay(c, a)
		}
		choice := resume.Choice{Decision: d, Mode: w.Mode, From: c.String("from"), Skip: aim.skip != "", SkipTask: aim.skip, Update: w.Update}
		choice.Execute.Doubt, choice.Execute.DoubtTask = w.Doubt, aim.done
		if d.Why == assess.WhyWaiting && !choice.Skip {
			if err := p.waiting(e, a, &choice); err != nil {
				return err
			}
			if !choice.Skip {
				return p.goOn(c, e, id, w) // the answer is stored; the next question may come
			}
		} else if stop, err := p.settle(c, e, a, d, &choice); stop || err != nil {
			return err
		}
		err = p.advance(c, e, a, choice)
		switch {
		case errors.Is(err, resume.ErrTaken):
			p.screen().Note("took over %s", id)
			if w.Terminal && shown != nil {
				err = p.approveShown(e, shown)
			}
			if err != nil && !errors.Is(err, resume.ErrTaken) && !errors.Is(err, candidate.ErrMoved) {
				return err
			}
			shown = nil
		case errors.Is(err, candidate.ErrMoved):
			p.screen().Note("something changed meanwhile; looking again")
		default:
			return err
		}
	}
	return candidate.ErrMoved
}

// assessMode: a dry run saves nothing.
func assessMode(c *cli.Context) assess.AssessMode {
	if c.Bool("dry-run") {
		return assess.OnlyLook
	}
	return assess.AndSave
}

// openAgain opens a finished run where --from asks for that; without it, what is over is only said to be.
func (p *program) openAgain(c *cli.Context, e *handler.Engine, a *assess.Assessment) (opened bool, err error) {
	from := c.String("from")
	if from == "" || c.Bool("dry-run") || c.Bool("print") {
		screen.Over(p.screen(), &a.Summary)
		return false, nil
	}
	if err := e.Resuming.MayReopen(&a.Summary.Run); err != nil {
		return false, err
	}
	t := candidate.FindTask(&a.Summary.Run, from)
	if t != nil && p.interactive() {
		n := slices.IndexFunc(a.Summary.Run.Tasks, func(x checkpoint.Task) bool { return x.ID == t.ID }) + 1
		if err := p.confirm(c, fmt.Sprintf("Run %s is finished. Open it again from task %d, %s?", a.Summary.Run.ID, n, printable(string(t.ID)))); err != nil {
			return false, err
		}
	}
	return true, e.Resuming.Reopen(p.ctx, a.Summary.Run.ID, from)
}

// given are the flags that say how a run shall go on, each as one word.
func given(c *cli.Context) []string {
	var out []string
	for _, name := range []string{"takeover", "force", "even-idle", "update", "despite-conflicts", resume.FlagSkip, "retry", "keep", resume.FlagMarkDone, "keep-going", "no-verify", "verbose", "yes"} {
		if f := flagOf(c, name); f.task != "" {
			out = append(out, "--"+name+"="+f.task)
		} else if f.on || c.Bool(name) {
			out = append(out, "--"+name)
		}
	}
	for _, name := range []string{"from", "plan"} {
		if value := c.String(name); value != "" {
			out = append(out, "--"+name+"="+value)
		}
	}
	return out
}

// modeFlag is the mode that the command line names, if any.
func modeFlag(c *cli.Context) (assess.Mode, error) {
	switch {
	case c.Bool("auto"):
		return assess.Auto, nil
	case c.Bool("preflight"):
		return assess.Preflight, nil
	case c.String("mode") == "":
		return "", nil
	}
	mode, ok := resume.ModeOf(c.String("mode"))
	if !ok {
		return "", usagef("--mode is interactive, auto or preflight, not '%s'", printable(c.String("mode")))
	}
	return mode, nil
}

// recorded lets the mode in which a run was started count where the command line names none:
// it is more of a decision about this run than a setting is.
func (p *program) recorded(c *cli.Context, a *assess.Assessment, w assess.Wish) assess.Wish {
	flag, err := modeFlag(c)
	if mode, ok := resume.ModeOf(a.Summary.Run.Mode); err == nil && flag == "" && ok && a.Summary.Run.Ours() && !w.Takeover {
		w.Mode = personal(mode, w)
	}
	return w
}

// recordedElsewhere is the same for work of another system. What its files say can only ask for more care, never for less;
// work that has been silent for more than a week is checked in full unless it was begun in another mode.
func recordedElsewhere(c *cli.Context, a *assess.Assessment, w assess.Wish) assess.Wish {
	if flag, err := modeFlag(c); err != nil || flag != "" {
		return w
	}
	switch sources.FoldWord(a.Summary.Found.Mode) {
	case "preflight":
		w.Mode = assess.Preflight
	case "":
		if w.Mode == assess.Interactive && a.Age == candidate.Stale && a.Summary.Found.Source != candidate.GitSource {
			w.Mode = assess.Preflight
		}
	}
	return w
}

// personal: who types --yes is there to decide, whatever the run was begun with, or is set.
func personal(mode assess.Mode, w assess.Wish) assess.Mode {
	if mode == assess.Auto && w.Yes {
		return assess.Interactive
	}
	return mode
}

// acts: a flag asks for more than to know where the run stands.
func acts(c *cli.Context) bool {
	return c.String("from") != "" || flagOf(c, resume.FlagSkip).on || c.Bool("update") || c.Bool("takeover") || c.IsSet("plan") || c.Bool("yes") || c.Bool("dry-run")
}

// present shows what was found, on stderr: stdout belongs to what is continued.
func (p *program) present(e *handler.Engine, a *assess.Assessment, w assess.Wish) {
	side := p.screen().OnErr()
	if w.Mode == assess.Preflight {
		p.preflight(e, a)
		a.Preflighted = true
		return
	}
	screen.Assessment(side, a)
}

// preflight shows every check and every file; where the files cannot be compared, the checks say why.
func (p *program) preflight(e *handler.Engine, a *assess.Assessment) {
	side := p.screen().OnErr()
	files, err := e.Viewing.Files(p.ctx, a)
	if err != nil {
		side.Note("warning: the files cannot be compared one by one: %s", printable(err.Error()))
	}
	screen.Preflight(side, a, files)
}

// onlySay is -n and --print: nothing is started.
func (p *program) onlySay(c *cli.Context, a *assess.Assessment) error {
	if c.Bool("print") {
		screen.Brief(p.screen(), a, a.Tree.Path)
	}
	return nil
}

// settle turns the decision into a yes, a no, or a stop with the ways out.
func (p *program) settle(c *cli.Context, e *handler.Engine, a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	switch {
	case d.Action == assess.Go, d.Why == assess.WhyWaiting && choice.Skip:
		return false, nil
	case d.Action == assess.Stop:
		s := p.screen()
		switch {
		case len(d.Reasons) > 0 && choice.Mode == assess.Preflight && d.Why == assess.WhyDecision: // the report was asked for, and is here
			s.Note("\nIt was not continued: %s", d.Reasons[0])
		case len(d.Reasons) > 0:
			s.Note("\nerror: %s", d.Reasons[0])
		}
		screen.WaysOut(s, a, d)
		return true, exitCode(whyCodes[d.Why])
	}
	return p.ask(c, e, a, d, choice)
}

var whyCodes = map[assess.Why]int{
	assess.WhyDecision: codeDecide, assess.WhyConflicts: codeConflicts, assess.WhyBusy: codeBusy,
	assess.WhyUnrecoverable: codeLost, assess.WhyWaiting: codeWaiting,
}

// advance continues the run and says where it came to rest.
func (p *program) advance(c *cli.Context, e *handler.Engine, a *assess.Assessment, choice resume.Choice) error {
	done := p.executing(c, &choice.Execute)
	defer done()
	choice.HandOff = p.handOff(a, choice.Execute.Signals)
	adv, err := e.Resuming.Advance(p.executionContext(), a, choice)
	if adv != nil {
		screen.Mended(p.screen(), adv.Mended)
		screen.Unadded(p.screen(), adv.Unadded)
	}
	if errors.Is(err, candidate.ErrMoved) || err != nil && adv == nil {
		return err
	}
	if err != nil {
		return p.halted(adv.Executed, err)
	}
	if adv.Executed != nil {
		return p.rest(p.askOn(c, e, adv.Executed, nil, resume.ExecuteRequest{Doubt: choice.Execute.Doubt}))
	}
	if adv.Handed != nil {
		screen.Handed(p.screen(), adv.Journal, adv.Handed)
		if adv.Handed.Code != 0 {
			return exitCode(adv.Handed.Code)
		}
		return nil
	}
	now := recorded(a, adv.Journal)
	now.Cleared, now.Updated = adv.Cleared, adv.Updated
	screen.Brief(p.screen(), &now, adv.Path)
	return nil
}

// recorded is an assessment with the run as its journal has it now. Of foreign work the journal knows only what we did:
// its tasks and its last sign stay what its own system says.
func recorded(a *assess.Assessment, j *journal.Journal) assess.Assessment {
	now := *a
	if now.Summary.Found == nil {
		now.Summary.Run = j.Run
		return now
	}
	// The worktree that was missing has been made by now.
	now.Findings = slices.DeleteFunc(slices.Clone(a.Findings), func(f candidate.Finding) bool { return f.Code == candidate.FindTreeMissing })
	return now
}

// handOff gives the user's own tool the terminal and the streams as they are.
func (p *program) handOff(a *assess.Assessment, signals <-chan os.Signal) resume.HandOff {
	h := resume.HandOff{Env: p.env, Stdin: os.Stdin, Stdout: raw(p.out), Stderr: p.err, Signals: signals}
	if isTerminal(os.Stdin) && proc.Foreground(os.Stdin) {
		h.TTY = os.Stdin
	}
	h.Brief = func(j *journal.Journal, path string) string {
		var text strings.Builder
		s, now := p.screen(), recorded(a, j)
		s.Out = &text
		screen.Brief(s, &now, path)
		return text.String()
	}
	return h
}

// restart closes a run as superseded and begins a new one with the same plan; everything is kept.
func (p *program) restart(c *cli.Context, e *handler.Engine, id checkpoint.RunID) error {
	if err := p.confirm(c, "Start again from task 1? What was built is kept."); err != nil {
		return err
	}
	if p.newPlan != nil {
		if err := e.Resuming.Replan(p.ctx, id, p.newPlan); err != nil {
			return err
		}
	}
	st, err := e.Resuming.Restart(p.ctx, id)
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
