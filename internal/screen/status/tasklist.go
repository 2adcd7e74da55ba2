package status

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// taskLine is one line in a list of tasks. It shows one task. If "folded" is set, it shows this text instead of several tasks.
type taskLine struct {
	number int
	task   checkpoint.Task
	folded string
}

// listTasks prints every task. A title or result that is too long continues below the title.
func listTasks(s page.Page, m *candidate.Summary) {
	var lines []taskLine
	for i, t := range m.Run.Tasks {
		lines = append(lines, taskLine{number: i + 1, task: t})
	}
	printTasks(s, m, lines, false, Roomy)
}

// mostShown is the number of tasks that fit on a terminal with 24 lines, together with the other text.
// mostPiped is the limit if the output is not a terminal.
const mostShown, mostPiped = 10, 40

// nearby is the number of tasks that a terminal shows before and after the current one.
const nearby = 3

// Tightness says how much a list of tasks is shortened. With Roomy, a list of few tasks is complete, and a longer one has "nearby" tasks
// around the current one. Each further step has one task less before and after it. Tightest has only the current task and those that need
// attention, and does not say how many others there are.
type Tightness int

const (
	Roomy    Tightness = 0
	Tightest Tightness = nearby + 2
)

// TasksAround prints all tasks if there are few. Otherwise it prints the tasks around the current one. On a terminal, each of them then
// takes one line.
func TasksAround(s page.Page, m *candidate.Summary, tight Tightness) {
	most, near := mostShown, nearby
	if !s.Terminal {
		most, near = mostPiped, mostPiped/2
	}
	if len(m.Run.Tasks) <= most && tight == Roomy {
		listTasks(s, m)
		return
	}
	if tight > Roomy {
		near = max(0, nearby+1-int(tight))
	}
	lines := fold(m, near)
	if tight == Tightest {
		lines = slices.DeleteFunc(lines, func(l taskLine) bool { return l.folded != "" })
	}
	printTasks(s, m, lines, s.Terminal, tight)
}

// fold replaces tasks that are further than "near" from the current one by a line such as "… 10 done". It keeps tasks that need attention,
// for example because they failed or must run again.
func fold(m *candidate.Summary, near int) []taskLine {
	current, _ := m.Run.Current()
	from, to := current-1-near, current-1+near
	var lines, hidden []taskLine
	for i, t := range m.Run.Tasks {
		line := taskLine{number: i + 1, task: t}
		if i < from && isPlain(m, t) || i > to && isPlain(m, t) {
			hidden = append(hidden, line)
			continue
		}
		lines = append(append(lines, foldedLine(hidden)...), line)
		hidden = nil
	}
	return append(lines, foldedLine(hidden)...)
}

// isPlain reports whether a list may leave out a task, because nothing about the task needs attention.
func isPlain(m *candidate.Summary, t checkpoint.Task) bool {
	_, again := m.Invalid[t.ID]
	_, moved := m.Moved[t.ID]
	return !again && !moved && foldedWord(t.State) != ""
}

// foldedLine replaces several tasks by one line that says how many they are, such as "… 9 done". A single task stays as it is.
func foldedLine(hidden []taskLine) []taskLine {
	if len(hidden) < 2 {
		return hidden
	}
	counts, order := map[string]int{}, []string{}
	for _, h := range hidden {
		word := foldedWord(h.task.State)
		if counts[word]++; counts[word] == 1 {
			order = append(order, word)
		}
	}
	var parts []string
	for _, word := range order {
		parts = append(parts, fmt.Sprintf("%d %s", counts[word], word))
	}
	return []taskLine{{folded: "… " + strings.Join(parts, ", ")}}
}

func foldedWord(state checkpoint.TaskState) string {
	switch state {
	case checkpoint.Done:
		return "done"
	case checkpoint.Skipped:
		return "skipped"
	case checkpoint.Pending:
		return "to do"
	}
	return ""
}

// printTasks prints tasks in columns. If cut is true, long titles are shortened instead of wrapped. A result that does not fit beside its
// title is printed below it. With Tightest, which saves lines, such a result is left out. For the current task, the screen shows it in
// another place too.
func printTasks(s page.Page, m *candidate.Summary, list []taskLine, cut bool, tight Tightness) {
	// These are widths in characters. Longer ids are shortened. Longer results do not widen the column of the results. On a terminal that is
	// wide enough, titles get at least titleRoom. If cut is true, they get at least half of that.
	const idRoom, resultRoom, titleRoom = 24, 30, 34
	wide, titles, results, number := 0, 0, 0, 0
	for _, l := range list {
		if l.folded != "" {
			continue
		}
		number = max(number, len(fmt.Sprint(l.number)))
		wide = max(wide, phrase.Width(s.Cut(quote.Clean(string(l.task.ID)), idRoom)))
		titles = max(titles, phrase.Width(quote.Clean(l.task.Title)))
		if n := phrase.Width(Result(m, l.task)); n <= resultRoom {
			results = max(results, n)
		}
	}
	indent := strings.Repeat(" ", len("  x     ")+number+wide)
	left := s.Width() - len(indent)
	room := max(min(titleRoom, left), left-len("  ")-results)
	if cut {
		room = max(left-len("  ")-results, min(left, titleRoom/2))
	}
	if !s.Terminal {
		room = max(titles, 1)
	}
	titles = min(titles, room)
	for _, l := range list {
		if l.folded != "" {
			s.Say("  %s\n", l.folded)
			continue
		}
		text, result := []string{quote.Clean(l.task.Title)}, Result(m, l.task)
		switch {
		case cut:
			text[0] = phrase.Shorten(text[0], room)
		case s.Terminal:
			text = page.Wrap(text[0], room)
		}
		below := text[1:]
		if s.Terminal && len(indent)+titles+len("  ")+phrase.Width(result) > s.Width() {
			if tight != Tightest {
				below = append(below, page.Wrap(result, left)...)
			}
			result = ""
		}
		line := fmt.Sprintf("  %s %*d  %s  %s  %s", Mark(s, m, l.task), number, l.number,
			phrase.Pad(s.Cut(quote.Clean(string(l.task.ID)), idRoom), wide), phrase.Pad(text[0], titles), result)
		s.Say("%s\n", strings.TrimRight(line, " "))
		for _, b := range below {
			s.Say("%s%s\n", indent, b)
		}
	}
}
