package conversation

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/sources"
)

// NoTerminalError says that a question cannot be asked, and names the flag that answers it, if there is one.
type NoTerminalError struct {
	question, flag string
	// auto is true if --auto is the reason why the question was not asked.
	auto bool
}

// ExitCode returns the code which means that a person must decide.
func (e *NoTerminalError) ExitCode() int { return exit.Decide }

func (e *NoTerminalError) Error() string {
	if e.auto {
		return fmt.Sprintf("--auto does not ask '%s'; answer with %s", e.question, e.flag)
	}
	if e.flag == "" {
		return fmt.Sprintf("cannot ask '%s' here, and no option can answer it", e.question)
	}
	return fmt.Sprintf("cannot ask '%s' here; answer with %s", e.question, e.flag)
}

// confirm asks a yes/no question, or returns nil with --yes. A no, --auto, --dry-run, --print or a missing terminal leads to an error.
func (t *Talk) confirm(q question) error {
	if t.Options.DryRun || t.Options.Print {
		return exit.Usagef("--dry-run and --print cannot show what this would change")
	}
	if t.Options.Yes {
		return nil
	}
	if !t.Person.CanAnswer() || t.Options.Auto {
		return &NoTerminalError{question: q.text, flag: "--yes", auto: t.Options.Auto}
	}
	return t.allow(q)
}

// vouch asks a person at a terminal whether to act although somebody may be at work. It refuses without a terminal and with --auto. It also
// refuses with --yes, because the user who gave --yes did not know that somebody may be at work.
func (t *Talk) vouch(working *adopt.AtWorkError, q question) error {
	if !t.Person.CanAnswer() || t.Options.Yes || t.Options.Auto {
		return working
	}
	others.AtWork(t.Person.Screen(), working)
	return t.allow(q)
}

// agree asks whether to make a change that was shown. If somebody may be working, it warns the user, who can agree anyway.
func (t *Talk) agree(pr *adopt.Proposal, text string) error {
	pr.Sure = t.Options.Force
	q := yesNo(askChange, text, "make these changes", differences{t}.proposed(pr))
	var working *adopt.AtWorkError
	if len(pr.Changes) == 0 || !errors.As(pr.AtWork(), &working) {
		return t.confirm(q)
	}
	pr.Sure = true
	q.kind = askChangeAtWork
	return t.vouch(working, q)
}

// allow asks a question even if --yes was given. It returns an error if the user answers no.
func (t *Talk) allow(q question) error {
	_, err := t.put(q)
	return err
}

// readAnswer asks a question that the user can answer by an option, by a key, or by a free text. If there are options, the user must press
// a key before typing a free text. So a mistyped option is not stored as the answer.
func (t *Talk) readAnswer(q question, options []string) (r reply, err error) {
	does := make([]string, len(options))
	for i, o := range options {
		does[i] = "answer " + o
	}
	q.text, q.no, q.def = "Answer?", prompt.Key{Name: "q", Does: "leave it unanswered"}, "q"
	q.own, q.open = strconv.Itoa(len(options)+1), len(options) == 0
	own := "write your own answer"
	if q.open {
		q.own, q.text, own = "w", "Type your answer, or a key", "write an answer, even if it is the same as one of these keys"
	}
	q.keys = append(append(listed(options, does), prompt.Key{Name: q.own, Does: own}), q.keys...)
	return t.put(q)
}

// otherWords maps names that other systems use to the names of our alternatives. If a system does not offer the first alternative of a
// list, the next one is used. For example, Auto-Claude offers no "start-fresh", so "start fresh" means "discard" there.
var otherWords = map[string][]string{
	"restart from scratch": {sources.StartFresh}, "start from scratch": {sources.StartFresh}, "restart": {sources.StartFresh},
	"start fresh": {sources.StartFresh, sources.Discard}, "start-fresh": {sources.Discard},
	"plan again": {sources.PlanAgain}, "resume": {sources.Continue}, "clean up": {sources.CleanUp},
}

// proceeds asks whether to continue after the pre-flight report. Only the whole word "proceed" is a yes.
func (t *Talk) proceeds(k kind, d difference) error {
	q := yesNo(k, "Continue after this report?", "", d)
	q.keys = []prompt.Key{{Name: "proceed", Does: "continue"}}
	return t.allow(q)
}
