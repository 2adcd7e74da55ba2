package conversation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/prompt"
)

// kind is one of the questions that the program asks.
type kind int

// All questions. A test asks each of them at a terminal, so a new one needs a name below and a place in that test.
const (
	askWhichWork kind = iota
	askContinue
	askInterrupted
	askTakeover
	askProceed
	askProceedForeign
	askProceedOperation
	askAnswer
	askAnswerForeign
	askConfirmTask
	askRestart
	askReopen
	askStartedAlready
	askAlternative
	askPart
	askChange
	askChangeAtWork
	askContinueAtWork
	askContinueWarnings
	askAnswerAtWork
	askHide
	askDiscard
	askDiscardForeign
	askDiscardInUse
	askDiscardMerged
	askMergeUnfinished
	askMergeAtWork
	askRemoveMerged
	askUndo
	askRedo
	askTrust
	askTrustAll
	askOperation
	askOperationWay
	askOperationEnd
	kinds // how many there are
)

var kindNames = [kinds]string{
	askWhichWork: "which work", askContinue: "continue a run", askInterrupted: "interrupted task", askTakeover: "take over a run",
	askProceed: "proceed with a run", askProceedForeign: "proceed with other work", askProceedOperation: "proceed with an operation",
	askAnswer: "answer a run", askAnswerForeign: "answer other work", askConfirmTask: "confirm a task", askRestart: "restart a run", askReopen: "reopen a run",
	askStartedAlready: "started already", askAlternative: "what to do with other work", askPart: "which part", askChange: "change other work",
	askChangeAtWork: "change other work in use", askContinueAtWork: "continue other work in use", askContinueWarnings: "continue other work despite warnings",
	askAnswerAtWork: "answer other work in use", askHide: "hide other work", askDiscard: "discard a run", askDiscardForeign: "discard other work",
	askDiscardInUse: "discard a run in use", askDiscardMerged: "discard merged runs", askMergeUnfinished: "merge unfinished work", askMergeAtWork: "merge work in use",
	askRemoveMerged: "remove what is merged", askUndo: "undo", askRedo: "redo", askTrust: "trust a run", askTrustAll: "trust all runs",
	askOperation: "git's operation", askOperationWay: "way out of git's operation", askOperationEnd: "end of git's operation",
}

// Questions names every question that the program asks.
func Questions() []string { return kindNames[:] }

// difference is what the key d shows at a question.
type difference struct {
	// what names it for the help; none says why there is none, if show is nil.
	what, none string
	show       func()
}

// question is a question with everything that can be typed at it.
type question struct {
	kind kind
	text string
	// keys lead to an answer; no is the key that changes nothing; def is the key that return stands for, if any.
	keys []prompt.Key
	no   prompt.Key
	def  string
	// yes: the first key is a yes, and the no stands beside it.
	yes bool
	// views only show something, and the question is asked again.
	views []view
	diff  difference
	// words are more words for some of the keys; a key that is listed wins over them.
	words map[string][]string
	// own is the key after which the answer is written in the user's own words; with open, they may also be typed at once.
	own  string
	open bool
}

type view struct {
	prompt.Key
	show func()
}

// reply is the answer to a question: a key, or the user's own words.
type reply struct {
	key, text string
}

// refusals are the words that change nothing at every question, unless a key has that name.
var refusals = []string{"q", "quit", "n", "no", "none", "cancel", "0"}

// leaves is the key that chooses nothing from a list.
var leaves = prompt.Key{Name: "q", Does: "change nothing"}

// yesNo is a question to which yes must be typed.
func yesNo(k kind, text, does string, d difference) question {
	return question{
		kind: k, text: text, diff: d, def: "n", yes: true,
		keys: []prompt.Key{{Name: "y", Also: []string{"yes"}, Does: does}}, no: prompt.Key{Name: "n", Does: "change nothing"},
	}
}

// listed are keys for things that have a number and a name.
func listed(names, does []string) []prompt.Key {
	keys := make([]prompt.Key, len(names))
	for i, name := range names {
		keys[i] = prompt.Key{Name: strconv.Itoa(i + 1), Also: []string{name}, Does: does[i]}
	}
	return keys
}

// position is the place of a numbered key in its list.
func position(key string) int {
	n, _ := strconv.Atoi(key) // the engine returns only keys that it was given
	return n - 1
}

// allKeys are the keys as they are shown: answers, then those that only show something; the one that changes nothing is beside a yes, or last.
func (q *question) allKeys() []prompt.Key {
	keys := slices.Clone(q.keys)
	does := "show the difference: " + q.diff.what
	if q.diff.show == nil {
		does = "show the difference (there is none: " + q.diff.none + ")"
	}
	views := append([]view{{Key: prompt.Key{Name: prompt.DifferenceKey, Does: does}}}, q.views...)
	for _, v := range views {
		keys = append(keys, v.Key)
	}
	if q.yes {
		return slices.Insert(keys, 1, q.no)
	}
	return append(keys, q.no)
}

// put asks until one of the keys is typed, and returns the answer. A no and the end of the input are errors, and change nothing.
func (t *Talk) put(q question) (reply, error) {
	for {
		prompt.Ask(t.Person.Screen(), q.text, q.allKeys(), q.def)
		typed, ok := t.Person.Line()
		if !ok {
			t.ended = true
			return reply{}, t.declined()
		}
		if typed == "" {
			typed = q.def
		}
		key, known := q.match(typed)
		switch {
		case known && key == q.own:
			return t.ownWords()
		case known:
			return reply{key: key}, nil
		case q.view(t, typed):
		case q.refused(typed):
			return reply{}, t.declined()
		case q.open && len([]rune(typed)) > 1:
			return reply{text: typed}, nil
		default:
			prompt.Unknown(t.Person.Screen(), typed, q.allKeys())
		}
	}
}

// refused reports whether a no was typed. Where an answer is asked for, "no" may be one, and only the key itself counts.
func (q *question) refused(typed string) bool {
	return strings.EqualFold(typed, q.no.Name) || q.own == "" && slices.Contains(refusals, strings.ToLower(typed))
}

// match finds the key that was typed.
func (q *question) match(typed string) (string, bool) {
	for _, word := range append([]string{typed}, q.words[strings.ToLower(typed)]...) {
		for _, k := range q.keys {
			if strings.EqualFold(k.Name, word) || slices.ContainsFunc(k.Also, func(a string) bool { return strings.EqualFold(a, word) }) {
				return k.Name, true
			}
		}
	}
	return "", false
}

// view shows what a key stands for that is not an answer; it reports whether there is such a key.
func (q *question) view(t *Talk, typed string) bool {
	switch {
	case typed == prompt.HelpKey:
		prompt.Help(t.Person.Screen(), q.allKeys())
		return true
	case strings.EqualFold(typed, prompt.DifferenceKey) && q.diff.show == nil:
		prompt.NoDifference(t.Person.Screen(), q.diff.none)
		return true
	case strings.EqualFold(typed, prompt.DifferenceKey):
		q.diff.show()
		return true
	}
	for _, v := range q.views {
		if strings.EqualFold(typed, v.Name) {
			v.show()
			return true
		}
	}
	return false
}

// ownWords reads an answer that is stored as it is typed; an empty one, and q, leave the question unanswered.
func (t *Talk) ownWords() (reply, error) {
	prompt.OwnWords(t.Person.Screen())
	text, ok := t.Person.Line()
	if !ok || text == "" || text == "q" {
		return reply{}, t.declined()
	}
	return reply{text: text}, nil
}

// declined ends the command after a no, and says whether anything was changed before it.
func (t *Talk) declined() error {
	prompt.Left(t.Person.Screen(), t.changed, t.saved)
	return exit.Code(exit.No)
}
