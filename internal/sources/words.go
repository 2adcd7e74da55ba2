package sources

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/git-resume/git-resume/checkpoint"
)

// Meaning is the meaning of a status word. Different words and spellings can have the same meaning.
type Meaning string

// These are the meanings of status words. An unknown word does not count as done.
const (
	MeansDone       Meaning = "done"
	MeansInProgress Meaning = "in progress"
	MeansReview     Meaning = "review"
	MeansPending    Meaning = "pending"
	MeansReady      Meaning = "ready"
	MeansBlocked    Meaning = "blocked"
	MeansWaiting    Meaning = "waiting"
	MeansFailed     Meaning = "failed"
	MeansClosed     Meaning = "closed" // the work ended without being done
	MeansUnknown    Meaning = ""
)

// meanings maps folded status words to their meanings. See FoldWord for the folding.
var meanings = sync.OnceValue(func() map[string]Meaning {
	table := map[string]Meaning{}
	for m, words := range wordsOf() {
		for _, w := range strings.Fields(words) {
			table[w] = m
		}
	}
	return table
})

// wordsOf returns the folded words for a meaning, separated by spaces. The words for MeansWaiting are in the variable "beginnings".
func wordsOf() map[Meaning]string {
	return map[Meaning]string{
		MeansDone:       "done complete completed implemented released shipped closed verified passed archived 已完成 完成 완료 完了 completado completada concluído concluída terminado terminé abgeschlossen erledigt готово",
		MeansInProgress: "inprogress executing building active running working hooked claimed contexted 进行中 進行中 진행 진행중 enprogreso encurso emandamento encours inarbeit inbearbeitung",
		MeansReview:     "inreview review readyforreview aireview humanreview awaitingreview prcreated readyfortesting qaapproved",
		MeansPending:    "draft rascunho planning backlog drafted new pending notstarted todo open optional pinned 未开始 未開始 未着手 대기 pendiente pendente ausstehend",
		MeansReady:      "ready readytostart readyfordev readyfordevelopment readyforexecution approved",
		MeansBlocked:    "blocked onhold paused stopped escalated",
		MeansFailed:     "failed rejected error timeout",
		MeansClosed:     "cancelled canceled aborted terminated abandoned wontfix discarded skipped tombstone",
	}
}

// Count returns a number with its noun: "1 plan", "3 plans".
func Count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

// UnreadableWord is the status of a record that cannot be read at all.
const UnreadableWord = "unreadable"

// FoldWord converts a status word to lower case. It removes an explanation after a dash, a bracket or a comma, and then everything except
// letters and digits. For example, "In-Progress (50 %)" becomes "inprogress".
func FoldWord(word string) string {
	word = strings.ToLower(word)
	for _, end := range []string{" — ", " – ", " - ", "(", "（", ";", "；", ",", "，", ". ", "。"} {
		word, _, _ = strings.Cut(word, end)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, word)
}

// beginnings has words after which people often write more, such as "deferred to v2".
var beginnings = []struct {
	with  string
	means Meaning
}{
	{"waiting", MeansWaiting}, {"awaiting", MeansWaiting}, {"deferred", MeansClosed}, {"postmvp", MeansClosed}, {"parked", MeansClosed}, {"待", MeansPending},
}

// MeaningOf returns the meaning of a status word. Upper case, spaces and punctuation do not matter.
func MeaningOf(word string) Meaning {
	folded := FoldWord(word)
	if m, ok := meanings()[folded]; ok {
		return m
	}
	for _, b := range beginnings {
		if strings.HasPrefix(folded, b.with) {
			return b.means
		}
	}
	return MeansUnknown
}

// TaskState converts the meaning of a status word into a task state.
func (m Meaning) TaskState() checkpoint.TaskState {
	switch m {
	case MeansDone:
		return checkpoint.Done
	case MeansInProgress, MeansReview:
		return checkpoint.Active
	case MeansPending, MeansReady:
		return checkpoint.Pending
	case MeansBlocked:
		return checkpoint.Blocked
	case MeansWaiting:
		return TaskWaiting
	case MeansFailed:
		return checkpoint.Failed
	case MeansClosed:
		return checkpoint.Skipped
	}
	return TaskUnknown
}

// SomeOf joins the first five names, and says how many more there are, if any.
func SomeOf(names []string) string {
	const most = 5
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
}
