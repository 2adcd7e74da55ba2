package conversation

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/quote"
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

// confirm asks a yes/no question; anything but a yes counts as no.
func (t *Talk) confirm(question string) error {
	if t.Options.Yes {
		return nil
	}
	if !t.Person.CanAnswer() || t.Options.Auto {
		return &NoTerminalError{question: question, flag: "--yes", auto: t.Options.Auto}
	}
	return t.allow(question)
}

// vouch asks a person at a terminal whether to act although somebody may be at work.
// --yes does not answer this, because it was given without knowing that somebody may be at work.
func (t *Talk) vouch(working *adopt.AtWorkError, question string) error {
	if !t.Person.CanAnswer() || t.Options.Yes || t.Options.Auto {
		return working
	}
	others.AtWork(t.Person.Screen(), working)
	return t.allow(question)
}

// agree asks about a change that was shown. If somebody may be at work it says so, and a yes means that the user takes responsibility.
func (t *Talk) agree(pr *adopt.Proposal, question string) error {
	pr.Sure = t.Options.Force
	var working *adopt.AtWorkError
	if len(pr.Changes) == 0 || !errors.As(pr.AtWork(), &working) {
		return t.confirm(question)
	}
	pr.Sure = true
	return t.vouch(working, question)
}

// declined ends the command after a no. It says that nothing was changed if that is true.
func (t *Talk) declined() error {
	switch {
	case t.changed:
	case t.saved != "":
		t.Person.Screen().Note("nothing was changed; what is not committed is also saved as %s", t.saved)
	default:
		t.Person.Screen().Note("nothing was changed")
	}
	return exit.Code(exit.No)
}

// allow always asks a person, whatever the options say; anything but a yes counts as no.
func (t *Talk) allow(question string) error {
	t.Person.Screen().Ask("%s [y,N] ", question)
	switch strings.ToLower(t.Person.Line()) {
	case "y", "yes":
		return nil
	}
	return exit.Code(exit.No)
}

// readAnswer asks until the answer is one of the options, one of the other letters, or the person's own text,
// so that a typing mistake is not stored. An empty text means that there is no answer.
func (t *Talk) readAnswer(options []string, others string, letters ...string) (text string, own bool) {
	last, choices := len(options)+1, "your own words, "
	if len(options) > 0 {
		choices = numbers(last)
	}
	for {
		fmt.Fprintf(t.Streams.Err, "Answer [%s%sq, ?]: ", choices, others)
		text := t.Person.Line()
		_, known := adopt.Option(options, text)
		switch {
		case text == "" || text == "q":
			return "", false
		case slices.Contains(letters, text), known:
			return text, false
		case text == "?":
			prompt.AnswerHelp(t.Person.Screen(), options)
		case len(options) == 0:
			return text, true
		case text == strconv.Itoa(last):
			fmt.Fprint(t.Streams.Err, "Your answer: ")
			if text = t.Person.Line(); text == "q" {
				text = ""
			}
			return text, true
		default:
			t.Person.Screen().Note("'%s' is not one of the answers: type its number or its whole name, or %d to write your own", quote.Printable(text), last)
		}
	}
}

// pickOne asks until the user gives one of the names or its number, or a no, for which it returns -1.
// Return chooses the default; "yes" is accepted only if the default is the first name.
func (t *Talk) pickOne(question, def string, names []string) int {
	for {
		t.Person.Screen().Ask("%s", question)
		answer := cmp.Or(strings.ToLower(t.Person.Line()), def)
		n, err := strconv.Atoi(answer)
		switch {
		case err == nil && n >= 1 && n <= len(names):
			return n - 1
		case slices.Contains([]string{"q", "quit", "n", "no", "none", "cancel", "0"}, answer):
			return -1
		case def == "1" && (answer == "y" || answer == "yes"):
			return 0
		}
		for _, word := range append([]string{answer}, otherWords[answer]...) { // a listed name wins over another meaning of the same word
			if at := slices.IndexFunc(names, func(name string) bool { return strings.EqualFold(name, word) }); at >= 0 {
				return at
			}
		}
		t.Person.Screen().Note("'%s' is not one of these; type a number, a name, or q to change nothing", quote.Printable(answer))
	}
}

// otherWords are the names that other systems use for our alternatives when they ask.
// A system that does not offer the first of several names means the next one: to start fresh, Auto-Claude discards what was built.
var otherWords = map[string][]string{
	"restart from scratch": {sources.StartFresh}, "start from scratch": {sources.StartFresh}, "restart": {sources.StartFresh},
	"start fresh": {sources.StartFresh, sources.Discard}, "start-fresh": {sources.Discard},
	"plan again": {sources.PlanAgain}, "resume": {sources.Continue}, "clean up": {sources.CleanUp},
}

// numbers is the range of choices that can be given by number, with the comma that separates it from other choices.
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

// askProceed asks the question of the pre-flight mode, for every kind of work: only the word "proceed" is a yes.
func (t *Talk) askProceed() error {
	t.Person.Screen().Ask("Type \"proceed\" to continue, anything else to stop: ")
	if t.Person.Line() != "proceed" {
		return t.declined()
	}
	return nil
}
