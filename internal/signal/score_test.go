package signal

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// stale is how old work may be before status leaves it out: the default of resume.stale.
const stale = 14 * 24 * time.Hour

// A view selects some of the judged states (a state is a repository at one commit), and says at which time "git resume status" is run on
// them. If the field "today" is true, this is the present time. Otherwise it is the time of the state's commit.
type view struct {
	title string
	today bool
	takes func(state) bool
}

var views = []view{
	{"on the day", false, func(state) bool { return true }},
	{"plain clone at HEAD, today", true, func(s state) bool { return s.head }},
	{"plain clone of a past commit, today", true, func(s state) bool { return !s.head }},
}

// tally counts right and wrong rows in one of the views (see the type view). A row is one piece of work in the output of status, and
// truth.tsv says which rows are right.
//
// The column "half" of truth.tsv splits the judged states of repositories into two halves. People look at half "a" when they improve the
// rules of the program, and half "b" tests these rules. A tally is about only one half.
type tally struct {
	states, missing, broken int
	// shown is the number of shown rows whose judgement is "yes" or "no". The field "wrong" is the number of those with "no". Shown rows
	// with the judgement "either" are not counted. The field "unjudged" is the number of shown rows that nobody judged.
	//
	// If the last commit of a state is old, no row should be shown. Then every judged row that is shown counts as wrong, even one with "either".
	shown, wrong, unjudged   int
	middle, found            int // the number of pieces of work that status must show, and how many of them it showed
	asked, right             int // the number of next tasks that a person judged, and how many of them the program named
	conditions, conditionsOK int // rows with a condition that a person judged, and how many of these conditions are right
	lines                    []string
	all                      []string // every row and every missing piece of work, for comparison with another run
}

func (t *tally) say(s state, what, format string, args ...any) {
	t.lines = append(t.lines, fmt.Sprintf("  %-9s %s  %s", what, s, fmt.Sprintf(format, args...)))
}

// result is the output of status for one state, or the error that prevented it.
type result struct {
	state
	measured
	err error
}

// tallyOf compares results with truth.tsv. It uses the states that belong to the view, and to one half ("a" or "b") of truth.tsv.
func tallyOf(results []result, half string, v view, now time.Time) *tally {
	t := &tally{}
	var missing []string
	for _, r := range results {
		if r.half != half || !v.takes(r.state) {
			continue
		}
		switch {
		case r.err == errMissing:
			t.missing++
			if !slices.Contains(missing, r.repository) {
				missing = append(missing, r.repository)
				t.say(r.state, "missing", "the folder has no such repository")
			}
		case r.err != nil:
			t.broken++
			t.all = append(t.all, strings.Join([]string{r.repository, r.commit, "-", "-", "-", "-", "broken"}, "\t"))
			t.say(r.state, "broken", "%v", r.err)
		default:
			t.states++
			rows := r.day
			if v.today {
				rows = r.today
			}
			t.add(r.state, rows, v.today && now.Sub(r.at) > stale)
		}
	}
	return t
}

// add compares the rows that the program shows for one state of a repository with the judgements of a person in
// truth.tsv. If old is true, the state's last commit is so old that the program should show nothing. Then every shown row that has a
// judgement counts as wrong.
func (t *tally) add(s state, rows []row, old bool) {
	found := map[string]bool{}
	for _, r := range rows {
		judged, ok := s.of(r)
		t.note(s, r, judged, ok, old)
		if ok && r.Condition != "" && judged.listed != "either" && judged.item != "*" && !old {
			t.conditions++
			if inTable[r.Condition] == judged.condition {
				t.conditionsOK++
			}
		}
		if !r.shown() {
			continue
		}
		if !ok {
			t.unjudged++
			t.say(s, "unjudged", "%s (%s): nobody said what is true", r.Run, r.State)
			continue
		}
		t.addShown(s, r, judged, old, found)
	}
	for _, j := range s.truths {
		if j.listed != "yes" || old {
			continue
		}
		t.middle++
		if found[j.item] {
			t.found++
			continue
		}
		t.all = append(t.all, strings.Join([]string{s.repository, s.commit, j.item, "-", "-", "-", "missing"}, "\t"))
		t.say(s, "left out", "%s, judged %s: %s%s", j.item, j.condition, j.evidence, known(rows, j.item))
	}
}

// note adds a row to the list of all rows, and says whether it is right.
func (t *tally) note(s state, r row, judged truth, ok, old bool) {
	id, title := r.nextTask()
	is := "right"
	switch {
	case !r.shown():
		is = "not shown"
	case !ok:
		is = "unjudged"
	case old, judged.listed == "no":
		is = "wrong"
	case judged.listed == "either":
		is = "either"
	case judged.next != nil && !isNext(judged.next, id, title):
		is = "next is wrong"
	}
	next := strings.Join(strings.Fields(id+" "+title), " ")
	t.all = append(t.all, strings.Join([]string{s.repository, s.commit, r.Run, r.State, r.Condition, next, is}, "\t"))
}

func (t *tally) addShown(s state, r row, judged truth, old bool, found map[string]bool) {
	id, title := r.nextTask()
	switch {
	case judged.listed == "either" && !old:
	case old:
		t.shown++
		t.wrong++
		t.say(s, "false", "%s (%s), but its last commit is older than %d days", r.Run, r.State, int(stale.Hours()/24))
	case judged.listed == "no":
		t.shown++
		t.wrong++
		t.say(s, "false", "%s (%s), judged %s: %s", r.Run, r.State, judged.condition, judged.evidence)
	default:
		t.shown++
		if found[judged.item] {
			return
		}
		found[judged.item] = true
		if judged.next == nil {
			return
		}
		t.asked++
		if isNext(judged.next, id, title) {
			t.right++
			return
		}
		t.say(s, "next", "%s: %q, judged %s: %s", r.Run, strings.TrimSpace(id+" "+title), strings.Join(judged.next, " or "), judged.evidence)
	}
}

// known returns the state and the condition that the program found for a piece of work. It is called for work that status must show but
// does not show. If the program did not find the work at all, the text says so.
func known(rows []row, item string) string {
	at := slices.IndexFunc(rows, func(r row) bool { return r.isCalled(item) })
	if at < 0 {
		return " (not found)"
	}
	return fmt.Sprintf(" (found as %s %s)", rows[at].State, rows[at].Condition)
}

// isNext reports whether a task is an accepted next task. An accepted text can be the id of the task, without leading zeros and with a word
// such as "Task" before it. If the text is long enough not to occur by chance, it can also be a part of the title.
func isNext(accepted []string, id, title string) bool {
	return slices.ContainsFunc(accepted, func(a string) bool {
		number := a
		if word, rest, ok := strings.Cut(a, " "); ok && slices.Contains([]string{"task", "phase", "story"}, strings.ToLower(word)) {
			number = rest
		}
		sameID := strings.EqualFold(strings.TrimLeft(number, "0"), strings.TrimLeft(id, "0")) && number != "" && id != ""
		return sameID || isTelling(a) && strings.Contains(strings.ToLower(title), strings.ToLower(a))
	})
}

// longestID is a limit that few ids of tasks exceed. A longer text without spaces is usually the name of a file or of a function.
const longestID = 12

// isTelling reports whether a text has several words, or is long, or is in a language that has no spaces between words.
func isTelling(text string) bool {
	return strings.Contains(text, " ") || len(text) > longestID || len(text) > 2*utf8.RuneCountInString(text)
}

// print writes the numbers of a tally, and one line for every wrong or missing row. The arguments say which half of truth.tsv and which
// view the tally is about.
func (t *tally) print(w io.Writer, half string, v view) {
	fmt.Fprintf(w, "half %s, %s: %d states, %d missing, %d broken\n", half, v.title, t.states, t.missing, t.broken)
	if t.states+t.missing+t.broken == 0 {
		fmt.Fprintf(w, "  nobody has judged such states\n\n")
		return
	}
	fmt.Fprintf(w, "  precision %s of the rows shown are right\n", share(t.shown-t.wrong, t.shown))
	fmt.Fprintf(w, "  recall    %s of what is in the middle is shown\n", share(t.found, t.middle))
	fmt.Fprintf(w, "  next      %s next tasks are right\n", share(t.right, t.asked))
	if t.conditions > 0 {
		fmt.Fprintf(w, "  condition %s conditions are right\n", share(t.conditionsOK, t.conditions))
	}
	if t.unjudged > 0 {
		fmt.Fprintf(w, "  unjudged  %d rows\n", t.unjudged)
	}
	for _, line := range t.lines {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintln(w)
}

func share(part, whole int) string {
	if whole == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d (%.1f %%)", part, whole, 100*float64(part)/float64(whole))
}

// inTable maps the program's words for a condition to the words in truth.tsv.
var inTable = map[string]string{
	"in-hand": "in-hand", "between-tasks": "between", "waiting": "waiting", "finished": "finished", "not-started": "not-begun", "abandoned": "abandoned",
}
