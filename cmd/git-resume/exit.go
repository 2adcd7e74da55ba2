package main

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/handler/compare"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/repair"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/trash"
)

// end shows an error and returns its exit code; no other place does both.
func (p *program) end(err error) int {
	var code exit.Code
	var usage *exit.UsageError
	switch {
	case err == nil:
		return exit.Done
	case p.out.failed() != nil && errors.Is(err, p.out.failed()):
		return exit.Fatal // deliver reports all lost output
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

// helpFor names the command that helps a user who typed something wrong.
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
	screen.Fault(p.Screen(), err)
	code := codeOf(err)
	if code == exit.Failed || code == exit.Fatal {
		p.said = nil // not acknowledged, so that a repeated command still means what it meant the first time
	}
	return code
}

// discardedHere explains an error of git, or a repository that is not found, if somebody else discarded the worktree that we are in.
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

// codeOf maps errors to exit codes.
func codeOf(err error) int {
	var amb *candidate.AmbiguousError
	var open *start.OpenWorkError
	var held *owner.HeldError
	var unchecked *reporting.UncheckedError
	var fenced *journal.FencedError
	var untrusted *tasks.UntrustedError
	var elsewhere *checkpoint.ElsewhereError
	var others *candidate.ElsewhereOnlyError
	var unnamed *candidate.UnnamedError
	var unconfirmed *tasks.UnconfirmedError
	var notHere *discard.NotHereError
	var here *resume.HereError
	var expect *conversation.ExpectError
	var doubt *tasks.DoubtError
	var aim *resume.AimError
	var shelved *assess.ShelvedError
	var hand *assess.ByHandError
	var ask *conversation.NoTerminalError
	var update *resume.UpdateError
	var merge *merge.StoppedError
	var noCommit *compare.NoCommitError
	var data *discard.DataError
	var living *worktree.LivingError
	var working *adopt.AtWorkError
	var inUse *discard.InUseError
	var dropping *trash.BusyError
	var stuck *flock.StuckError
	var git *process.Error
	var late *process.LimitError
	var bad *refs.BadError
	var key *clone.KeyError
	var old *process.TooOldError
	var refused *gitstate.RefusedError
	var faults plan.Faults
	var text *candidate.TextError
	var option *adopt.OptionError
	var op *repair.OperationError
	var lock *guard.LivingLockError
	var link *place.LinkError
	switch {
	case errors.As(err, &amb), errors.As(err, &open), errors.As(err, &untrusted), errors.As(err, &doubt), errors.As(err, &ask), errors.As(err, &data):
		return exit.Decide
	case errors.As(err, &elsewhere), errors.As(err, &others), errors.As(err, &unnamed), errors.As(err, &unconfirmed), errors.As(err, &notHere), errors.As(err, &here), errors.As(err, &expect):
		return exit.Decide
	case errors.As(err, &aim), errors.As(err, &shelved), errors.As(err, &hand):
		return exit.Decide
	case errors.As(err, &update), errors.As(err, &merge) && (merge.Half || merge.Waits), errors.As(err, &link):
		return exit.Conflicts
	case errors.As(err, &held), errors.As(err, &living), errors.As(err, &working), errors.As(err, &stuck), errors.As(err, &unchecked), errors.As(err, &fenced):
		return exit.Busy
	case errors.As(err, &inUse), errors.As(err, &dropping), errors.As(err, &lock), errors.As(err, &op) && (op.What == "busy" || op.What == "unseen"):
		return exit.Busy
	case errors.As(err, &op) && (op.What == "unresolved" || op.What == "doubt"):
		return exit.Conflicts
	case errors.As(err, &op):
		return exit.Decide
	case errors.As(err, &faults):
		return exit.Failed
	case errors.As(err, &text), errors.As(err, &option):
		return exit.Usage
	case errors.Is(err, locate.ErrNotRepository), errors.Is(err, site.ErrNoWorkTree), proc.IsMissing(err), errors.As(err, &noCommit), errors.Is(err, past.ErrUnrelated):
		return exit.Fatal
	case errors.As(err, &old), errors.As(err, &refused), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EROFS):
		return exit.Fatal
	case errors.As(err, &git), errors.As(err, &late), errors.As(err, &bad), errors.As(err, &key), errors.Is(err, fs.ErrPermission), errors.Is(err, os.ErrInvalid):
		return exit.Fatal
	}
	return exit.Failed
}
