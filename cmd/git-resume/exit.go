package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/worktree/trash"
)

// end returns the program's exit code, and prints the error that ended a command. If the command ended for want of an answer, although there
// is a terminal, end says why nothing was asked.
func (p *program) end(err error) int {
	code := p.tell(err)
	if why := p.silenced(); why != "" && (code == exit.Decide || code == exit.Waiting) && onTerminal() {
		p.Screen().Note("hint: nothing is asked at this terminal, because %s is set", why)
	}
	return code
}

// tell prints the error that ended a command, and returns its exit code. It does not print an error whose message was already printed, or
// that the method "deliver" will print.
func (p *program) tell(err error) int {
	var code exit.Code
	var usage *exit.UsageError
	switch {
	case err == nil:
		return exit.Done
	case p.out.failed() != nil && errors.Is(err, p.out.failed()):
		return exit.Fatal // the method "deliver" will print the error
	case errors.As(err, &code):
		return int(code)
	case errors.As(err, &usage):
		p.Screen().Note("error: %s\nhint: %s", usage.Text, helpFor(usage))
		return exit.Usage
	}
	if gone := p.discardedHere(err); gone != nil {
		err = gone
	}
	return p.Fault(err)
}

// helpFor returns the hint after a usage error: the command that was probably meant, or a command such as "git resume start -h".
func helpFor(e *exit.UsageError) string {
	switch {
	case e.Meant != "":
		return "did you mean " + quote.Between("'", e.Meant) + "?"
	case e.Command != "":
		return "see " + quote.Between("'", quote.Command("git resume "+e.Command+" -h")) + " for its arguments and options"
	}
	return "see 'git resume -h' for the commands and options"
}

// Fault shows the error that stopped a command, and returns the exit code for it.
func (p *program) Fault(err error) int {
	var amb *candidate.AmbiguousError
	if errors.As(err, &amb) && len(amb.Runs) > 0 {
		amb.Again, amb.At = withRun(p.args, amb.Given, amb.Runs[0].Called())
	}
	var open *start.OpenWorkError
	if errors.As(err, &open) {
		open.Again = withNew(p.args)
	}
	screen.Fault(p.Screen(), err)
	code := advice.Code(err)
	if code == exit.Failed || code == exit.Fatal {
		p.said = nil // do not record that the user has seen the result, because after an error the user will repeat the command
	}
	return code
}

// discardedHere returns a better error if somebody else discarded the current worktree, and nil otherwise. Without it, the user would see
// only an error of git, or that there is no repository.
func (p *program) discardedHere(err error) error {
	var git *process.Error
	var ref *refs.StaleError
	var path *fs.PathError
	if !errors.As(err, &git) && !errors.As(err, &ref) && !errors.As(err, &path) && !errors.Is(err, locate.ErrNotRepository) {
		return nil
	}
	var gone *trash.DiscardedError
	if p.repo != nil {
		gone = trash.DiscardedFrom(p.repo.GitDir)
	} else if dir, err := os.Getwd(); err == nil {
		gone = trash.DiscardedAt(dir)
	}
	if gone == nil {
		return nil
	}
	return gone
}
