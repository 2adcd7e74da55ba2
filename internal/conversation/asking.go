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

// NoTerminalError names the flag that answers a question which cannot be asked.
type NoTerminalError struct {
	question, flag string
	// auto says that nobody is asked because of --auto, even if there is a terminal.
	auto bool
}

// ExitCode says that a person must decide.
func (e *NoTerminalError) ExitCode() int { return exit.Decide }

func (e *NoTerminalError) Error() string {
	if e.auto {
		return fmt.Sprintf("--auto does not ask '%s'; answer with %s", e.question, e.flag)
	}
	if e.flag == "" {
		return fmt.Sprintf("no terminal to ask '%s'; no option answers this", e.question)
	}
	return fmt.Sprintf("no terminal to ask '%s'; answer with %s", e.question, e.flag)
}

// confirm asks for a yes unless an option gave it.
func (t *Talk) confirm(q question) error {
	if t.Options.Yes {
		return nil
	}
	if !t.Person.CanAnswer() || t.Options.Auto {
		return &NoTerminalError{question: q.text, flag: "--yes", auto: t.Options.Auto}
	}
	return t.allow(q)
}

// vouch asks a person at a terminal whether to act although somebody may be at work.
// --yes does not answer this, because it was given without knowing that somebody may be at work.
func (t *Talk) vouch(working *adopt.AtWorkError, q question) error {
	if !t.Person.CanAnswer() || t.Options.Yes || t.Options.Auto {
		return working
	}
	others.AtWork(t.Person.Screen(), working)
	return t.allow(q)
}

// agree asks about a change that was shown. If somebody may be at work it says so, and a yes means that the user takes responsibility.
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

// allow always asks a person, whatever the options say; only a yes allows it.
func (t *Talk) allow(q question) error {
	_, err := t.put(q)
	return err
}

// readAnswer asks for one of the options, one of the other keys, or the person's own words; only what is typed after the key for them, or at a question
// without options, is stored as it is, so that a typing mistake is not.
func (t *Talk) readAnswer(q question, options []string) (r reply, err error) {
	does := make([]string, len(options))
	for i, o := range options {
		does[i] = "answer " + o
	}
	q.text, q.no, q.def = "Answer?", prompt.Key{Name: "q", Does: "leave it unanswered"}, "q"
	q.own, q.open = strconv.Itoa(len(options)+1), len(options) == 0
	own := "write your own answer"
	if q.open {
		q.own, q.text, own = "w", "Type your answer, or a key", "write an answer that would be taken for a key"
	}
	q.keys = append(append(listed(options, does), prompt.Key{Name: q.own, Does: own}), q.keys...)
	return t.put(q)
}

// otherWords are the names that other systems use for our alternatives when they ask.
// A system that does not offer the first of several names means the next one: to start fresh, Auto-Claude discards what was built.
var otherWords = map[string][]string{
	"restart from scratch": {sources.StartFresh}, "start from scratch": {sources.StartFresh}, "restart": {sources.StartFresh},
	"start fresh": {sources.StartFresh, sources.Discard}, "start-fresh": {sources.Discard},
	"plan again": {sources.PlanAgain}, "resume": {sources.Continue}, "clean up": {sources.CleanUp},
}

// proceeds asks the question of the pre-flight mode, for every kind of work: only the whole word "proceed" is a yes.
func (t *Talk) proceeds(k kind, d difference) error {
	q := yesNo(k, "Continue after this report?", "", d)
	q.keys = []prompt.Key{{Name: "proceed", Does: "continue"}}
	return t.allow(q)
}
