// Package prompt prints questions and the possible answers.
package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// Question prints the question that a run is waiting for. If ask is true, the program asks for the answer itself after that. Otherwise
// Question also prints the commands that answer the question or skip the task.
func Question(s page.Page, r *checkpoint.Run, ask bool) {
	q := r.Question()
	if q == nil {
		return
	}
	n, _ := r.Current()
	s.Note("%s has been waiting for you since %s, at task %d of %d\n\n  %s %s",
		words.Title(r), moment(s, asked(r, q)), n, len(r.Tasks), s.Marks.Ask, quote.Clean(q.Question))
	for i, o := range q.Options {
		s.Note("      %d  %s", i+1, quote.Clean(o))
	}
	if ask && len(q.Options) > 0 {
		s.Note("      %d  write your own answer", len(q.Options)+1)
	}
	if more := questions(r) - 1; more > 0 {
		s.Note("  %s after this one.", phrase.Count(more, "more question", "more questions"))
	}
	s.Note("")
	if ask {
		return
	}
	answer := "TEXT"
	if len(q.Options) > 0 {
		answer = "1" // the first option stands for all of them, which are listed above with their numbers
	}
	s.Note("hint: answer it with %s", phrase.Single("git resume answer --run %s %s "+answer, r.ID.Suffix(), q.ID))
	s.Note("hint: or skip the task with %s", phrase.Single("git resume %s --skip=%s", r.ID, q.ID))
}

// Confirming prints the command that a task would run, and returns the question whether to run it.
func Confirming(s page.Page, r *checkpoint.Run, c *resume.Confirming) string {
	n := slices.IndexFunc(r.Tasks, func(t checkpoint.Task) bool { return string(t.ID) == c.Task.ID }) + 1
	s.Note("%s stops before task %d of %d, %s. The task would run:", words.Title(r), n, len(r.Tasks), quote.Clean(c.Task.ID))
	for _, line := range page.CommandLines([]string{c.Task.Run}, "    ", s.Width()) {
		s.Note("%s", line)
	}
	question := "Run it?"
	switch {
	case c.Again && r.Rebuilt:
		s.Note("It must run only once, and it is not known whether it was started before.")
	case c.Again:
		s.Note("It must run only once, but it was started before: it may already have had its effect.")
		question = "Run it again?"
	}
	if c.Text != "" {
		question = quote.Clean(c.Text)
	}
	return question
}

// asked returns when a question was asked. For a question in the plan, it returns the time of the run's last event.
func asked(r *checkpoint.Run, q *checkpoint.Task) time.Time {
	if q.State == checkpoint.Blocked && !q.Ended.IsZero() {
		return q.Ended
	}
	return r.LastAt
}

// questions counts the open questions.
func questions(r *checkpoint.Run) int {
	n := 0
	for _, t := range r.Tasks {
		if t.Question != "" && t.Answer == "" && !t.State.Closed() {
			n++
		}
	}
	return n
}

// moment formats a time in the user's time zone, for example "15:04" or "yesterday 15:04".
func moment(s page.Page, at time.Time) string {
	at, now := at.In(s.Now.Location()), s.Now
	day := func(t time.Time) string { return t.Format("2006-01-02") }
	switch {
	case day(at) == day(now):
		return at.Format("15:04")
	case day(at) == day(now.AddDate(0, 0, -1)):
		return "yesterday " + at.Format("15:04")
	case now.Sub(at) < 300*24*time.Hour:
		return at.Format("2 Jan 15:04")
	default:
		return at.Format("2 Jan 2006 15:04")
	}
}

// Asks returns the question whether to continue a run, without the possible answers.
func Asks(a *assess.Assessment) string {
	r := &a.Summary.Run
	n, _ := r.Current()
	var first []string
	for _, m := range a.Repairs {
		first = append(first, repairWords[m])
	}
	for i, t := range r.Tasks {
		if string(t.ID) == a.Point.Task.ID {
			n = i + 1
		}
	}
	what := fmt.Sprintf("continue with task %d", n)
	if n == 0 {
		what = "finish"
	}
	text := what
	if repairs := strings.Join(first, ", "); repairs != "" {
		text = repairs + " and " + what
	}
	text = strings.ToUpper(text[:1]) + text[1:]
	if a.Has(candidate.FindIdle) {
		return fmt.Sprintf("%s is open: %s. %s here anyway?", words.Title(r), idleWords(a), text)
	}
	if a.Verdict == candidate.Warnings {
		text += despiteWarnings(a)
	}
	return text + "?"
}

// despiteWarnings says how many warnings the user accepts by continuing, or returns "". It does not count the warning about an
// interrupted task, because the program asks about that separately.
func despiteWarnings(a *assess.Assessment) string {
	n := 0
	for _, f := range a.Findings {
		if f.Severity == candidate.Warning && f.Code != candidate.FindPartly {
			n++
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return " despite the warning"
	default:
		return fmt.Sprintf(" despite the %d warnings", n)
	}
}

// repairWords describes each repair, for use in a question.
var repairWords = map[assess.Repair]string{
	assess.RepairRecreate: "recreate the worktree", assess.RepairMake: "make the worktree", assess.RepairRegistration: "repair the worktree's registration", assess.RepairBranch: "bring the branch back", assess.RepairFollow: "follow the renamed branch",
}

// idleWords describes a worker process that is alive, although no task of the run is in progress or it has shown no activity for a while.
func idleWords(a *assess.Assessment) string {
	d := a.Summary.Run.Driver
	if d == nil {
		return "somebody may be working on it"
	}
	if a.Silent <= candidate.IdleAfter {
		return fmt.Sprintf("%s (%s) is alive; its last report was %s", words.Process(d.PID), quote.Clean(words.Program(d)), phrase.Ago(a.Silent))
	}
	return fmt.Sprintf("%s (%s) is alive but has shown no activity for %s", words.Process(d.PID), quote.Clean(words.Program(d)), phrase.Long(a.Silent))
}

// Interrupted prints that tasks were interrupted, and returns the possible answers. If there are several tasks, the user can answer for all
// of them, or decide for each.
func Interrupted(s page.Page, a *assess.Assessment, ids []checkpoint.TaskID) []Key {
	if len(ids) > 1 {
		names := make([]string, len(ids))
		for i, id := range ids {
			names[i] = quote.Clean(string(id))
		}
		s.Note("\n%d tasks were interrupted: %s.", len(ids), phrase.Cut(strings.Join(names, ", "), 60))
		return []Key{
			{Name: "f", Does: "run all of them again from clean trees (their changes stay in snapshots)"},
			{Name: "k", Does: "run all of them again on top of their changes"},
			{Name: "m", Does: "mark all of them as done, with their changes as the results"},
			{Name: "e", Does: "decide for each of them"},
		}
	}
	stays := ""
	switch n := len(a.Snapshot.Paths); {
	case n > 1:
		stays = fmt.Sprintf(" (the %d files stay in the snapshot)", n)
	case n == 1:
		stays = " (its changes stay in the snapshot)"
	}
	s.Note("\nTask '%s' was interrupted.", quote.Clean(string(ids[0])))
	return []Key{
		{Name: "f", Does: "run it again from a clean tree" + stays},
		{Name: "k", Does: "run it again on top of its changes"},
		{Name: "m", Does: "mark it as done, with its changes as the result"},
	}
}

// StartedAlready returns the possible answers to the question of "git resume start" what to do about similar work that is already open.
func StartedAlready(open *candidate.Summary) []Key {
	keys := []Key{{Name: "c", Does: "continue it"}}
	for _, k := range []struct {
		names []string
		key   Key
	}{
		{[]string{candidate.AltReview}, Key{Name: "r", Does: "look at the changes made so far"}},
		{[]string{candidate.AltMerge}, Key{Name: "m", Does: "merge it"}},
		{[]string{candidate.AltRestart, sources.StartFresh}, Key{Name: "f", Does: "start again from the beginning; nothing of the earlier work is deleted"}},
	} {
		if slices.ContainsFunc(open.Alternatives(), func(a sources.Alternative) bool { return slices.Contains(k.names, a.Name) }) {
			keys = append(keys, k.key)
		}
	}
	return append(keys, Key{Name: "b", Does: "start another run as well"})
}

// MergeUnfinished returns the question whether to merge a run that is not finished.
func MergeUnfinished(e *merge.UnfinishedError) string {
	text := fmt.Sprintf("%d of %s done%s", e.Done-e.Skipped, phrase.Count(e.Of, quote.Clean(e.Unit), quote.Clean(e.Unit)+"s"), words.Tally{Skipped: e.Skipped}.Besides())
	switch {
	case e.Why != "":
		text = quote.Clean(e.Why)
	case e.Failed != "":
		text += fmt.Sprintf(", '%s' failed", quote.Clean(string(e.Failed)))
	case e.State == checkpoint.Paused:
		text += ", and the run is paused"
	}
	if n := len(e.Uncommitted); n > 0 {
		text += fmt.Sprintf(", %s not committed (%s)", phrase.Count(n, "file", "files"), phrase.Some(e.Uncommitted))
	}
	if len(e.Conflicts) > 0 {
		text += ", and the merge will stop at a conflict in " + firstOf(e.Conflicts)
	}
	return text + "; merge the work so far?"
}

// MergeConflicts returns the question whether to start a merge that will stop at conflicts.
func MergeConflicts(e *merge.ConflictsError) string {
	return fmt.Sprintf("The merge will stop at a conflict in %s; start it, and resolve it in %s?", firstOf(e.Files), quote.Clean(e.At))
}

// firstOf names the first of some files, and how many more there are.
func firstOf(files []string) string {
	switch n := len(files); n {
	case 0:
		return "a file"
	case 1:
		return quote.Clean(files[0])
	default:
		return quote.Clean(files[0]) + " and " + phrase.Count(n-1, "more file", "more files")
	}
}
