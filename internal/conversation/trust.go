package conversation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/assessment"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

type trusting struct{ *Talk }

// Trust shows the commands of a run, asks, and approves exactly these commands. With an expected hash, it compares the hash instead.
func Trust(t *Talk, run, expect string) error { return trusting{t}.trust(run, expect) }

func (t trusting) trust(run, expect string) error {
	a, err := t.Engine.Tasks.Approval(t.Context, run)
	if err != nil {
		return err
	}
	assessment.Approval(t.Person.Screen(), a)
	if t.Options.DryRun {
		return nil
	}
	if err := site.MustOwn(&a.Run); err != nil || !a.Open() {
		return err
	}
	if expect != "" {
		if expect != a.Hash() {
			return &ExpectError{run: a.Run.ID, want: expect, have: a.Hash()}
		}
	} else if err := t.confirm(yesNo(askTrust, "Approve this?", "let these commands run in this clone", shownAbove)); err != nil {
		return err
	}
	if err := t.Engine.Tasks.Approve(t.Context, a); err != nil {
		return err
	}
	t.Person.Screen().Note("approved the commands of run %s in this clone", a.Run.ID)
	return nil
}

// shownAbove is for questions about approval. They show no diff, because all commands were shown before the question.
var shownAbove = difference{none: "every command is shown above, in full"}

// approveShown approves the commands that were shown before a takeover. It returns ErrMoved if the run has other commands now, or if its
// branch now has commits that may come from another clone.
func (t trusting) approveShown(shown *tasks.Approval) error {
	now, err := t.Engine.Tasks.Approval(t.Context, string(shown.Run.ID))
	if err != nil {
		return err
	}
	if !slices.Equal(now.Commands, shown.Commands) || len(now.Strange) > 0 {
		return candidate.ErrMoved
	}
	if !now.Open() {
		return nil
	}
	return t.Engine.Tasks.Approve(t.Context, now)
}

// ExpectError says that the hash given by a script does not match the commands that would be approved.
type ExpectError struct {
	run        checkpoint.RunID
	want, have string
}

// ExitCode returns the code which means that a person must decide.
func (e *ExpectError) ExitCode() int { return exit.Decide }

func (e *ExpectError) Error() string {
	return fmt.Sprintf("the commands of run '%s' have the hash %s, not %s; nothing was approved", e.run, e.have, strings.Map(plain, e.want))
}

func plain(r rune) rune {
	if r < ' ' || r > '~' {
		return '?'
	}
	return r
}
