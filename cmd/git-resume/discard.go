package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/worktree/trash"
)

func discardFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}}, &cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}},
		&cli.BoolFlag{Name: "force"}, &cli.BoolFlag{Name: "merged"},
	}
}

func (p *program) discardCommand() *cli.Command {
	return p.command("discard", append(discardFlags(), runFlag()), p.discard)
}

func (p *program) discard(c *cli.Context) error {
	run, err := oneRun(c, "discard [RUN]")
	if err != nil {
		return err
	}
	e, err := p.engine()
	if err != nil {
		return err
	}
	if c.Bool("merged") {
		if run != "" {
			return usagef("--merged drops all that are merged; it takes no run")
		}
		return p.discardMerged(c, e)
	}
	return p.discardRun(c, e, run)
}

// onlyForeign is the work of another system that a discard without a name means: what is adopted, or the only one,
// where no run of our own is open. Without a terminal it must be named.
func (p *program) onlyForeign(c *cli.Context, e *handler.Engine) (string, error) {
	all, err := e.Find.Status(p.ctx, journal.OpenRuns)
	if err != nil {
		return "", err
	}
	others := candidate.OfOthers(all)
	id, err := e.Find.Resolve(p.ctx, "")
	var none *candidate.NoneError
	switch {
	case err == nil:
		others = slices.DeleteFunc(others, func(s candidate.Summary) bool { return s.Run.ID != id })
	case !errors.As(err, &none):
		return "", nil // whoever looks next says so
	}
	switch {
	case len(others) == 0:
		return "", nil
	case !p.interactive() && !c.Bool("dry-run"):
		return "", &resume.UnnamedError{Runs: others}
	case len(others) > 1:
		return "", &candidate.AmbiguousError{Runs: others}
	}
	return string(others[0].Run.ID), nil
}

func (p *program) discardRun(c *cli.Context, e *handler.Engine, run string) error {
	if run == "" {
		var err error
		if run, err = p.onlyForeign(c, e); err != nil {
			return err
		}
	}
	if run != "" {
		id, err := e.Find.Which(p.ctx, run)
		if err != nil {
			return err
		}
		if isOperation(id) {
			return p.discardOperation(c, e, id)
		}
		s, err := e.Find.Lookup(p.ctx, id)
		if err == nil && s.Found != nil { // adopted or not: its own system's state goes too
			return p.discardForeign(c, e, id)
		}
		if err == nil && s.Run.Here && !s.Run.Closed() {
			hidden, err := e.Adopt.Hidden(p.ctx, &s.Run)
			if err != nil {
				return err
			}
			if hidden { // discarded before: there was nothing to do but to hide it
				screen.StillHidden(p.screen(), &s.Run)
				return nil
			}
		}
		run = string(id)
	}
	mode := discard.DiscardCarefully
	if c.Bool("force") {
		mode = discard.DiscardForced
	}
	d, err := e.Dropping.Dropping(p.ctx, run, mode)
	if d == nil || err != nil && !c.Bool("dry-run") {
		return err
	}
	screen.Dropping(p.screen(), d)
	if c.Bool("dry-run") {
		return err
	}
	if d.Run.Run.Discarded { // the first one may have been killed before it had cleared away all
		return p.drop(e, d, mode)
	}
	if d.Preview.HoldsData() && !c.Bool("force") {
		return dataError(d)
	}
	if err := p.confirmInUse(c, d); err != nil {
		return err
	}
	if err := p.confirm(c, "Discard?"); err != nil {
		return err
	}
	return p.drop(e, d, mode)
}

// confirmInUse asks about processes that work in the worktree. --yes was said without knowing of them, and does not answer it.
func (p *program) confirmInUse(c *cli.Context, d *discard.Dropping) error {
	if d.InUse() == nil || c.Bool("force") {
		return nil
	}
	if !p.interactive() {
		return d.InUse()
	}
	p.screen().Ask("%s\nDiscard it although they may still write? [y,N] ", screen.Living(d.Living))
	return p.yes()
}

func dataError(d *discard.Dropping) error {
	e := &discard.DataError{Run: d.Run.Run.ID}
	for _, l := range d.Preview.Ignored {
		e.Files = append(e.Files, l.Path)
	}
	return e
}

func (p *program) drop(e *handler.Engine, d *discard.Dropping, mode discard.DiscardMode) error {
	dropped, err := e.Dropping.DiscardShown(p.ctx, d, mode)
	if err != nil {
		return err
	}
	screen.Dropped(p.screen(), dropped)
	screen.Unfinished(p.screen(), trash.Unfinished(p.repo, string(d.Run.Run.ID)))
	return nil
}

// discardMerged drops every run that is finished, clean and contained in its base.
func (p *program) discardMerged(c *cli.Context, e *handler.Engine) error {
	all, unseen := e.Dropping.Merged(p.ctx)
	if len(all) == 0 && unseen != nil {
		return unseen
	}
	if len(all) == 0 {
		fmt.Fprintln(p.out, "No finished run is merged and clean.")
		return nil
	}
	for i := range all {
		screen.Dropping(p.screen(), &all[i])
	}
	if c.Bool("dry-run") {
		return unseen
	}
	if err := p.confirm(c, fmt.Sprintf("Discard these %d?", len(all))); err != nil {
		return err
	}
	var inUse error
	for i := range all {
		if err := p.confirmInUse(c, &all[i]); err != nil {
			inUse = errors.Join(inUse, err) // the others go all the same
			continue
		}
		if err := p.drop(e, &all[i], discard.DiscardCarefully); err != nil {
			return err
		}
	}
	return errors.Join(inUse, unseen)
}

// noTerminalError says which flag answers a question that cannot be asked.
type noTerminalError struct {
	question, flag string
	// auto: there may be a terminal, but --auto asks nobody.
	auto bool
}

func (e *noTerminalError) Error() string {
	if e.auto {
		return fmt.Sprintf("--auto does not ask '%s'; answer with %s", e.question, e.flag)
	}
	if e.flag == "" {
		return fmt.Sprintf("no terminal to ask '%s'; no option answers this", e.question)
	}
	return fmt.Sprintf("no terminal to ask '%s'; answer with %s", e.question, e.flag)
}

// confirm asks a question whose answer is no unless it is yes.
func (p *program) confirm(c *cli.Context, question string) error {
	if c.Bool("yes") {
		return nil
	}
	if !p.interactive() || c.Bool("auto") {
		return &noTerminalError{question: question, flag: "--yes", auto: c.Bool("auto")}
	}
	p.screen().Ask("%s [y,N] ", question)
	return p.yes()
}

// vouch lets a person at a terminal say that something shall be done although somebody may be at work.
// --yes was said without knowing of them, and does not answer it.
func (p *program) vouch(c *cli.Context, working *adopt.AtWorkError, question string) error {
	if !p.interactive() || c.Bool("yes") || c.Bool("auto") {
		return working
	}
	screen.AtWork(p.screen(), working)
	p.screen().Ask("%s [y,N] ", question)
	return p.yes()
}

// agree asks about a change that was shown. Who is asked is told that somebody may be at work, and vouches that nobody is.
func (p *program) agree(c *cli.Context, pr *adopt.Proposal, question string) error {
	pr.Sure = c.Bool("force")
	var working *adopt.AtWorkError
	if len(pr.Changes) == 0 || !errors.As(pr.AtWork(), &working) {
		return p.confirm(c, question)
	}
	pr.Sure = true
	return p.vouch(c, working, question)
}

// yes reads an answer that is no unless it is yes.
func (p *program) yes() error {
	switch strings.ToLower(p.readLine()) {
	case "y", "yes":
		return nil
	}
	return exitCode(codeNo)
}

// interactive reports whether somebody can be asked.
func (p *program) interactive() bool {
	for _, name := range []string{"CI", "AI_AGENT", "CLAUDECODE"} {
		if p.getenv(name) != "" {
			return false
		}
	}
	if p.getenv("GIT_TERMINAL_PROMPT") == "0" || p.getenv("TERM") == "dumb" {
		return false
	}
	return term.IsTerminal(int(os.Stdin.Fd())) && term.IsTerminal(int(os.Stderr.Fd()))
}
