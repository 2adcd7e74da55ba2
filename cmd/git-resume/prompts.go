package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// waiting shows the question; at a terminal it can be answered at once, or its task left out.
func (p *program) waiting(e *handler.Engine, a *assess.Assessment, choice *resume.Choice) (err error) {
	r := &a.Summary.Run
	if r.Question() == nil || !p.interactive() {
		screen.Question(p.screen(), r, false)
		return exitCode(codeWaiting)
	}
	choice.Skip, err = p.askQuestion(e, r)
	return err
}

// askQuestion puts the question of a run and stores the answer; skip says that its task shall be left out.
func (p *program) askQuestion(e *handler.Engine, r *checkpoint.Run) (skip bool, err error) {
	s, q := p.screen(), r.Question()
	screen.Question(s, r, true)
	n, _ := r.Current()
	req := adopt.AnswerRequest{Run: string(r.ID), Task: string(q.ID)}
	req.Text, req.Own = p.readAnswer(q.Options, fmt.Sprintf("s skip task %d, ", n), "s")
	switch {
	case req.Text == "":
		return false, exitCode(codeNo)
	case req.Text == "s" && !req.Own:
		return true, nil
	}
	j, id, err := e.Reporting.Answer(p.ctx, req)
	if err != nil {
		return false, err
	}
	screen.Answered(s.OnErr(), j, id)
	if j.Run.Finished {
		return false, exitCode(codeDone)
	}
	return false, nil
}

// readAnswer asks until the answer is one of the options, one of the other letters, or a text of the person's own:
// a typing mistake must not be stored. An empty text means that there is no answer.
func (p *program) readAnswer(options []string, others string, letters ...string) (text string, own bool) {
	last, choices := len(options)+1, "your own words, "
	if len(options) > 0 {
		choices = numbers(last)
	}
	for {
		fmt.Fprintf(p.err, "Answer [%s%sq, ?]: ", choices, others)
		text := p.readLine()
		_, known := adopt.Option(options, text)
		switch {
		case text == "" || text == "q":
			return "", false
		case slices.Contains(letters, text), known:
			return text, false
		case text == "?":
			screen.AnswerHelp(p.screen(), options)
		case len(options) == 0:
			return text, true
		case text == strconv.Itoa(last):
			fmt.Fprint(p.err, "Your answer: ")
			if text = p.readLine(); text == "q" {
				text = ""
			}
			return text, true
		default:
			p.screen().Note("'%s' is not one of the answers: type its number or its whole name, or %d to write your own", printable(text), last)
		}
	}
}

// pickOne asks until one of some names is given, by its number or as it is, or a no, which is -1.
// Return gives the default; yes is an answer only where that is the first one.
func (p *program) pickOne(question, def string, names []string) int {
	for {
		p.screen().Ask("%s", question)
		answer := cmp.Or(strings.ToLower(p.readLine()), def)
		n, err := strconv.Atoi(answer)
		switch {
		case err == nil && n >= 1 && n <= len(names):
			return n - 1
		case slices.Contains([]string{"q", "quit", "n", "no", "none", "cancel", "0"}, answer):
			return -1
		case def == "1" && (answer == "y" || answer == "yes"):
			return 0
		}
		for _, word := range []string{answer, otherWords[answer]} { // what is listed means what is listed
			if at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, word) }); at >= 0 {
				return at
			}
		}
		p.screen().Note("'%s' is none of these; give a number or a name, or q to leave everything as it is", printable(answer))
	}
}

// otherWords are what other systems call alternatives of ours when they ask.
var otherWords = map[string]string{
	"restart from scratch": sources.StartFresh, "start from scratch": sources.StartFresh, "restart": sources.StartFresh, "start fresh": sources.StartFresh,
	"resume": sources.Continue, "clean up": sources.CleanUp,
}

// numbers are the choices that can be named by their place, with what parts them from others.
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
func (p *program) ask(c *cli.Context, e *handler.Engine, a *assess.Assessment, d assess.Decision, choice *resume.Choice) (stop bool, err error) {
	if d.Takeover {
		p.screen().Ask("\nTake over run %s? [y/N] ", a.Summary.Run.ID)
		if answer := strings.ToLower(p.readLine()); answer != "y" && answer != "yes" {
			return true, exitCode(codeNo)
		}
		return false, nil
	}
	cutOff := a.Has(candidate.FindPartly) && choice.Execute.Doubt == ""
	switch {
	case choice.Mode == assess.Preflight:
		if err := p.askProceed(); err != nil {
			return true, err
		}
		if !cutOff {
			return false, nil
		}
		return p.askCutOff(a, choice)
	case cutOff:
		return p.askCutOff(a, choice)
	}
	letters := "[Y,n,r,d,p,?]"
	if !d.Default {
		letters = "[y,N,r,d,p,?]"
	}
	for {
		fmt.Fprintf(p.err, "\n%s %s ", screen.Asks(a), letters)
		switch strings.ToLower(p.readLine()) {
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
			p.showBuilt(e, a)
		case "p":
			p.preflight(e, a)
		case "?":
			fmt.Fprintln(p.err, "y continue · n leave as it is · r restart from task 1 (what was built is kept) · d show what the run built · p pre-flight report")
		default:
			return true, exitCode(codeNo)
		}
	}
}

// askProceed is the question of the pre-flight mode, for every kind of work: only the word itself is a yes.
func (p *program) askProceed() error {
	p.screen().Ask("Type \"proceed\" to continue, anything else to stop: ")
	if p.readLine() != "proceed" {
		return exitCode(codeNo)
	}
	return nil
}

// showTakeover shows all that a takeover would rely on: every command in full, the commits, and the place of the worktree.
func (p *program) showTakeover(e *handler.Engine, a *assess.Assessment) (*tasks.Approval, error) {
	what, err := e.Tasks.Approval(p.ctx, string(a.Summary.Run.ID))
	if err != nil {
		return nil, err
	}
	if what.Built, err = e.Taking.BuiltSince(p.ctx, &a.Summary.Run); err != nil {
		return nil, err
	}
	side := p.screen().OnErr()
	screen.Takeover(side, a, what)
	return what, nil
}

// showBuilt is the review of a run in the middle of a question; where that cannot be made, its tasks are shown.
func (p *program) showBuilt(e *handler.Engine, a *assess.Assessment) {
	side := p.screen().OnErr()
	v, err := e.Merging.Review(p.ctx, string(a.Summary.Run.ID), false)
	if err != nil {
		screen.Run(side, a.Summary)
		return
	}
	screen.Review(side, v)
}

// askCutOff asks what to do with a task that was stopped half way.
func (p *program) askCutOff(a *assess.Assessment, choice *resume.Choice) (stop bool, err error) {
	fmt.Fprint(p.err, screen.CutOff(a))
	switch strings.ToLower(p.readLine()) {
	case "f":
		choice.Execute.Doubt = plan.Retry
	case "k":
		choice.Execute.Doubt = tasks.Keep
	case "m":
		choice.Execute.Doubt = resume.MarkDone
	default:
		return true, exitCode(codeNo)
	}
	return false, nil
}
