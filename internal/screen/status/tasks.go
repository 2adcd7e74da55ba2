package status

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

func Mark(s page.Page, m *candidate.Summary, t checkpoint.Task) string {
	if _, again := m.Invalid[t.ID]; again && t.State == checkpoint.Done {
		return "!"
	}
	switch t.State {
	case checkpoint.Done:
		return s.Marks.Done
	case checkpoint.Active:
		return s.Marks.Active
	case checkpoint.Failed:
		return s.Marks.Fail
	case checkpoint.Blocked, sources.TaskWaiting, sources.TaskUnknown:
		return s.Marks.Ask
	case checkpoint.Skipped:
		return "-"
	default:
		return s.Marks.Open
	}
}

// blockedBy returns a colon and the question for which another system's task is waiting. It returns "" if there is no question, or if the
// question contains the task's id, because it then usually says nothing new.
func blockedBy(m *candidate.Summary, id checkpoint.TaskID) string {
	if m.Found == nil {
		return ""
	}
	for _, q := range m.Found.Questions {
		if q.Task == string(id) && !strings.Contains(q.Text, q.Task) { // a text that contains the task's id usually says nothing new
			return ": " + quote.Clean(q.Text)
		}
	}
	return ""
}

// noteOf returns the note about a task of another system, or "". The note is shown instead of the word for the task's state.
func noteOf(m *candidate.Summary, id checkpoint.TaskID) string {
	if m.Found == nil {
		return ""
	}
	at := slices.IndexFunc(m.Found.Tasks, func(t sources.Task) bool { return t.ID == string(id) })
	if at < 0 {
		return ""
	}
	return quote.Clean(m.Found.Tasks[at].Note)
}

// Result returns a text about what happened to a task, for example "done" or "failed". It is empty for a task that was not started.
func Result(m *candidate.Summary, t checkpoint.Task) string {
	if m.Found != nil && t.Reason != "" && slices.ContainsFunc(m.Found.Tasks, func(f sources.Task) bool { return f.Aside && f.ID == string(t.ID) }) {
		return strings.ReplaceAll(quote.Clean(t.Reason), "_", " ") // f.Aside: not a step of its own, so show the other system's word for its state
	}
	if note := noteOf(m, t.ID); note != "" {
		return note
	}
	switch t.State {
	case checkpoint.Done:
		text := "done"
		switch {
		case t.Commit != "":
			text = t.Commit.Short()
		case t.Answer != "":
			text = "answered: " + quote.Clean(t.Answer)
		}
		if mv, ok := m.Moved[t.ID]; ok {
			text += movedText(mv)
		}
		if t.Found {
			text += ", known only from its commit"
		}
		if why, ok := m.Invalid[t.ID]; ok {
			text = "must run again: " + quote.Clean(why.String())
		}
		return text
	case checkpoint.Active:
		if a := m.Checked; a != nil && a.Interrupted != nil && a.Interrupted.ID == t.ID && len(a.Uncommitted) > 0 {
			return "started; " + phrase.Count(len(a.Uncommitted), "uncommitted file", "uncommitted files") + " kept"
		}
		if m.Found != nil && m.State == checkpoint.Running {
			return "in progress"
		}
		if m.Found != nil {
			return "was in progress" // the task was started, but nobody seems to be working on it
		}
		return "started"
	case checkpoint.Failed:
		why := words.Failure(&t)
		if m.Found != nil && slices.Contains([]string{"", "failed", "taskfailed"}, sources.FoldWord(why)) { // the cause only repeats that the task failed
			return "failed"
		}
		return strings.TrimSuffix("failed: "+why, ": ")
	case checkpoint.Blocked:
		return "blocked" + blockedBy(m, t.ID)
	case checkpoint.Skipped:
		return "skipped"
	case sources.TaskWaiting:
		return "waiting for somebody"
	case sources.TaskUnknown:
		switch t.Reason {
		case "":
			return "not known"
		case sources.UnreadableWord:
			return "not known: its record cannot be read"
		}
		return "unknown status '" + quote.Clean(t.Reason) + "'"
	default:
		return ""
	}
}

func movedText(mv evidence.Moved) string {
	if mv.Now == "" {
		return ", no longer on the branch"
	}
	return fmt.Sprintf(", now %s (same %s)", mv.Now.Short(), mv.By)
}

// Steps prints the steps of another system's work. For the items inside the steps, it prints only how many there are.
func Steps(s page.Page, m *candidate.Summary, tight Tightness) {
	own := *m
	own.Run.Tasks = nil
	for i, t := range m.Run.Tasks {
		if i >= len(m.Found.Tasks) || !m.Found.Tasks[i].Aside {
			own.Run.Tasks = append(own.Run.Tasks, t)
		}
	}
	TasksAround(s, &own, tight)
	within(s, m.Found)
}

// within prints how many items each phase has in each status, in the other system's words. For example, "gaps 1 resolved, 2 clarifying".
func within(s page.Page, f *sources.Found) {
	var phases []string
	words, counts := map[string][]string{}, map[string]int{}
	for _, t := range f.Tasks {
		if !t.Aside {
			continue
		}
		word := strings.ReplaceAll(quote.Clean(t.Raw), "_", " ")
		if !slices.Contains(phases, t.Phase) {
			phases = append(phases, t.Phase)
		}
		if counts[t.Phase+" "+word]++; counts[t.Phase+" "+word] == 1 {
			words[t.Phase] = append(words[t.Phase], word)
		}
	}
	for _, p := range phases {
		var parts []string
		for _, w := range words[p] {
			parts = append(parts, fmt.Sprintf("%d %s", counts[p+" "+w], w))
		}
		s.Paragraph("  "+phrase.Pad(quote.Clean(p), 9)+" ", "            ", strings.Join(parts, ", "))
	}
}
