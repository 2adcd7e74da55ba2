package conversation

import (
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/prompt"
)

// kind identifies one of the questions that the program asks.
type kind int

// These are all questions. A test asks each of them at a terminal, so a new question must be added to kindNames and to that test.
const (
	askWhichWork kind = iota
	askContinue
	askInterrupted
	askTakeover
	askLease
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
	askMergeConflicts
	askRemoveMerged
	askUndo
	askRedo
	askRestore
	askTrust
	askOperation
	askOperationWay
	askOperationEnd
	askPurge
	askInstallAgents
	askUninstallAgents
	askTaskLists
	kinds // the number of questions
)

var kindNames = [kinds]string{
	askWhichWork: "which work", askContinue: "continue a run", askInterrupted: "interrupted task", askTakeover: "take over a run", askLease: "take the lease of a run",
	askProceed: "proceed with a run", askProceedForeign: "continue another system's work", askProceedOperation: "proceed with an operation",
	askAnswer: "answer a run's question", askAnswerForeign: "answer a question of another system's work", askConfirmTask: "confirm a task", askRestart: "restart a run", askReopen: "reopen a run",
	askStartedAlready: "started already", askAlternative: "what to do with another system's work", askPart: "which part", askChange: "change files of another system",
	askChangeAtWork: "change files of another system although somebody may be working on them", askContinueAtWork: "continue another system's work although somebody may be working on it", askContinueWarnings: "continue another system's work despite warnings",
	askAnswerAtWork: "answer another system's question although somebody may be working on it", askHide: "hide another system's work", askDiscard: "discard a run", askDiscardForeign: "discard another system's work",
	askDiscardInUse: "discard a run that is in use", askDiscardMerged: "discard merged runs", askMergeUnfinished: "merge unfinished work", askMergeAtWork: "merge work although somebody may be working on it",
	askMergeConflicts: "start a merge that stops at conflicts",
	askRemoveMerged:   "remove what is merged", askUndo: "undo", askRedo: "redo", askRestore: "restore a snapshot", askTrust: "trust a run",
	askOperation: "git operation", askOperationWay: "what to do with a git operation", askOperationEnd: "how to end a git operation", askPurge: "purge",
	askInstallAgents: "install for agents", askUninstallAgents: "uninstall from agents", askTaskLists: "task lists of agents",
}

// Questions returns the names of all questions that the program asks.
func Questions() []string { return kindNames[:] }

// difference describes what the user sees after typing d at a question.
type difference struct {
	// The field "what" describes the difference in the help. If "show" is nil, "none" says why there is no difference.
	what, none string
	show       func()
}

// question is a question to the user, with all keys that the user can type.
type question struct {
	kind kind
	text string
	// The field "keys" has the answers, and "no" is the key that changes nothing. The field "def" is the key that counts if the user
	// presses return; it may be empty.
	keys []prompt.Key
	no   prompt.Key
	def  string
	// The field "yes" is true if the first key means yes. The key for no is then shown next to it.
	yes bool
	// views are keys that show something. After that, the question is asked again.
	views []view
	diff  difference
	// words maps other words to the names of keys. If a word is also the name of a key, it means that key.
	words map[string][]string
	// The field "own" is the key for typing a free answer. If "open" is true, the user may also type the answer without this key.
	own  string
	open bool
}

type view struct {
	prompt.Key
	show func()
}

// reply is the answer to a question: a key, or a text that the user typed.
type reply struct {
	key, text string
}

// refusals are words that mean no. If a question has such a word as a key, the key wins. Questions with free answers do not use this list.
var refusals = []string{"q", "quit", "n", "no", "none", "cancel", "0"}

// leaves is the key for choosing nothing from a list.
var leaves = prompt.Key{Name: "q", Does: "change nothing"}

// yesNo returns a question with the keys y and n. Pressing return means no.
func yesNo(k kind, text, does string, d difference) question {
	return question{
		kind: k, text: text, diff: d, def: "n", yes: true,
		keys: []prompt.Key{{Name: "y", Also: []string{"yes"}, Does: does}}, no: prompt.Key{Name: "n", Does: "change nothing"},
	}
}

// listed returns a key for each name in a list. The user can type the number or the name.
func listed(names, does []string) []prompt.Key {
	keys := make([]prompt.Key, len(names))
	for i, name := range names {
		keys[i] = prompt.Key{Name: strconv.Itoa(i + 1), Also: []string{name}, Does: does[i]}
	}
	return keys
}

// position returns the index of a numbered key, for example 0 for the key "1".
func position(key string) int {
	n, _ := strconv.Atoi(key) // the key is a number, because the method "put" returns only keys of the question
	return n - 1
}

// allKeys returns the keys in the order in which they are shown: first the answers, then the keys that only show something. The key for no
// comes right after the key for yes. Without a key for yes, the key for no comes last.
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

// put asks until the user gives a valid answer, and returns it. It returns an error if the user answers no or the input ends.
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

// refused reports whether the user typed no. If the user may type a free answer, "no" can be that answer, so only the key q.no counts.
func (q *question) refused(typed string) bool {
	return strings.EqualFold(typed, q.no.Name) || q.own == "" && slices.Contains(refusals, strings.ToLower(typed))
}

// match returns the name of the key that the user chose, by typing that name or another word for the key. It returns false if no key fits.
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

// view handles keys that only show something, such as the help. It reports whether the user typed such a key.
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

// ownWords reads a free answer. If the user types nothing or q, the question stays unanswered.
func (t *Talk) ownWords() (reply, error) {
	prompt.OwnWords(t.Person.Screen())
	text, ok := t.Person.Line()
	if !ok || text == "" || text == "q" {
		return reply{}, t.declined()
	}
	return reply{text: text}, nil
}

// declined ends the command after a no. It shows whether the command had already changed something.
func (t *Talk) declined() error {
	prompt.Left(t.Person.Screen(), t.changed, t.saved)
	return exit.Code(exit.No)
}
