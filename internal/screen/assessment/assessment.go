// Package assessment prints the state of a run before the user decides whether to continue it.
// It also prints the pre-flight report and the screens for approvals and takeovers.
package assessment

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Show prints the assessment of a run, before the user is asked whether to continue. On a low terminal, it shortens the list of tasks and
// then leaves out empty lines, so that the first line is still visible while the user is asked. If even that does not fit, it shortens nothing.
func Show(s page.Page, a *assess.Assessment) {
	draw := func(s page.Page, tight int) {
		if status.Tightness(tight) == status.Tightest {
			s = s.Dense()
		}
		if a.Summary.Found != nil {
			foreign(s, a, status.Tightness(tight))
			return
		}
		own(s, a, status.Tightness(tight))
	}
	draw(s, s.Fit(asking(s, a), int(status.Tightest), draw))
}

// asking returns about how many lines the question after the assessment takes, with its answers. The wording is only known later.
func asking(s page.Page, a *assess.Assessment) int {
	const (
		question = 2  // lines of the question, with an empty line before it
		answers  = 5  // lines of the longest usual list of answers
		wide     = 72 // on a screen of this width, few answers are wrapped
	)
	if a.Summary.Found != nil {
		lines := question + 1 // one line says what the first answer does
		for _, way := range a.Summary.Alternatives() {
			lines += 1 + (len(way.Name)+phrase.Width(way.Text))/s.Width()
		}
		return lines
	}
	if s.Width() < wide {
		return question + answers*3/2
	}
	return question + answers
}

func own(s page.Page, a *assess.Assessment, tight status.Tightness) {
	r := &a.Summary.Run
	switch {
	case a.Verdict == candidate.Blocked && a.Going:
		s.Headed(words.Title(r), words.Headline(&a.Summary, s.Now)+", with "+blockingCount(a))
	case a.Verdict == candidate.Blocked:
		s.Say("%s cannot continue: %s\n\n", words.Title(r), blockingCount(a))
	case a.Verdict == candidate.Unrecoverable:
		s.Say("%s cannot continue.\n\n", words.Title(r))
	case a.Verdict == candidate.Partial:
		s.Say("%s: %s\n\n", words.Title(r), validTasks(a))
	default:
		s.Headed(words.Title(r), words.Headline(&a.Summary, s.Now))
	}
	if a.Verdict != candidate.Blocked && a.Verdict != candidate.Unrecoverable {
		m := a.Summary
		m.Checked = &a.Picture
		status.TasksAround(s, &m, tight)
		s.Say("\n")
	}
	status.Findings(s, &a.Summary.Run, &a.Picture)
	planChange(s, a.NewPlan)
	if a.Verdict != candidate.Unrecoverable {
		surroundings(s, a)
	}
}

// planChange prints the tasks that the edited plan file adds, removes or changes.
func planChange(s page.Page, p *assess.PlanChange) {
	if p == nil {
		return
	}
	var words []string
	for _, part := range []struct {
		mark  string
		tasks []string
	}{{"+", p.Added}, {"-", p.Removed}, {"~", p.Changed}} {
		for _, t := range part.tasks {
			words = append(words, part.mark+quote.Clean(t))
		}
	}
	if len(words) == 0 {
		words = []string{"no task is added, removed or changed"}
	}
	s.Row("plan", strings.Join(words, " "))
}

// validTasks returns a text about which finished tasks are still valid and which must be done again.
func validTasks(a *assess.Assessment) string {
	var good, again []int
	for i, t := range a.Summary.Run.Tasks {
		if t.State != checkpoint.Done {
			continue
		}
		if _, bad := a.Summary.Invalid[t.ID]; bad {
			again = append(again, i+1)
		} else {
			good = append(good, i+1)
		}
	}
	redo := fmt.Sprintf("%s must be done again", tasksNamed(again))
	switch len(good) {
	case 0:
		return redo
	case 1:
		return tasksNamed(good) + " is still good, " + redo
	default:
		return tasksNamed(good) + " are still good, " + redo
	}
}

// tasksNamed formats task numbers, for example "task 3", "tasks 1-2" or "tasks 1-2, 5-9".
func tasksNamed(numbers []int) string {
	if len(numbers) == 1 {
		return fmt.Sprintf("task %d", numbers[0])
	}
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		switch last - i {
		case 0:
			parts = append(parts, fmt.Sprint(numbers[i]))
		default:
			parts = append(parts, fmt.Sprintf("%d-%d", numbers[i], numbers[last]))
		}
		i = last + 1
	}
	return "tasks " + strings.Join(parts, ", ")
}

// blockingCount returns the number of blocking findings as text. It calls them conflicts if all of them are conflicts.
func blockingCount(a *assess.Assessment) string {
	n := words.Blocking(&a.Picture)
	for _, f := range a.Findings {
		if f.Severity == candidate.Blocking && f.Code != candidate.FindConflict {
			return phrase.Count(n, "problem to fix first", "problems to fix first")
		}
	}
	return phrase.Count(n, "conflict", "conflicts")
}

// surroundings prints the worktree, the changes on the base, the snapshot and the next step.
func surroundings(s page.Page, a *assess.Assessment) {
	r := &a.Summary.Run
	if a.Tree.Path != "" {
		s.Where(a.Tree.Path, words.OnBranch(&a.Summary))
	}
	if since := words.Since(a, quote.Clean(r.Base.Name)); since != "" {
		s.Row("since", since)
	}
	if a.Snapshot.ID != "" {
		if words.Held(a.Snapshot) != words.NoContent {
			saved(s, "saved", words.SavedNames(a), "as "+words.SavedAs(a.Snapshot.Label()))
		}
		for _, what := range words.Unsaved(a.Snapshot.Left) {
			s.Row("unsaved", what+", kept in place")
		}
	} else if len(a.Uncommitted) > 0 {
		saved(s, "unsaved", phrase.Some(a.Uncommitted), "")
	}
	switch a.Point.Kind {
	case tasks.StepRun:
		s.Say("  next     %s\n", firstLine(s, a.Point.Task.Run))
	case tasks.StepReport:
		if a.Summary.Found != nil {
			return // the function "foreign" prints the next step
		}
		if _, t := r.Current(); t != nil {
			s.Row("next", status.Next(s, t))
		}
	}
}

// firstLine returns the first line of a command. On a terminal, it cuts the line to the width of the screen. If something is missing, the
// result ends with "…".
func firstLine(s page.Page, command string) string {
	text, more, _ := strings.Cut(strings.TrimSpace(command), "\n")
	shown, _ := quote.Escape(text)
	width := s.Width() - len("  next     ") - len(" …")
	switch {
	case s.Terminal && phrase.Width(shown) > width:
		return phrase.Head(shown, width) + " …"
	case more != "":
		return shown + " …"
	}
	return shown
}

func saved(s page.Page, word, names, as string) {
	s.Row(word, strings.TrimSpace(names+" "+as))
}

// foreign prints the assessment of work that another system started.
func foreign(s page.Page, a *assess.Assessment, tight status.Tightness) {
	m := &a.Summary
	f := m.Found
	if a.Verdict == candidate.Blocked || a.Verdict == candidate.Unrecoverable && words.Blocking(&a.Picture) > 0 {
		s.Say("%s cannot continue: %s\n\n", words.Name(m), blockingCount(a))
	} else {
		s.Headed(words.Name(m), words.ForeignHeadline(m, s.Now))
	}
	if told := m.Headline(); told != "" {
		s.Paragraph("  ", "  ", quote.Clean(told))
		s.Say("\n")
	}
	if len(m.Run.Tasks) > 0 {
		status.Steps(s, m, tight)
		s.Say("\n")
	}
	status.Findings(s, &a.Summary.Run, &a.WithoutQuestion().Picture)
	status.StateSource(s, m, "state")
	surroundings(s, a)
	if f.Point.Task != "" {
		s.Row("next", words.NextStep(f))
	}
	if f.Point.Reason != "" {
		s.Row("", quote.Clean(f.Point.Reason))
	}
	status.NextInput(s, f)
}

// WaysOut prints the commands that help if the work cannot continue as it is. It prints nothing if there are none.
func WaysOut(s page.Page, a *assess.Assessment, d assess.Decision) {
	ways := advice.Ways(a, d)
	if len(ways) == 0 {
		return
	}
	if a.Snapshot.ID != "" && words.Held(a.Snapshot) != words.NoContent {
		s.Warn("\nNothing was changed; uncommitted work is saved as\n  %s\nOne of:\n", words.SavedAs(a.Snapshot.Label()))
	} else {
		s.Warn("\nNothing was changed. One of:\n")
	}
	s.Ways(ways)
}
