package words

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler/since"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// NewsRow is one kind of news about a run, for example "done" and the finished tasks.
type NewsRow struct{ Word, Text string }

// NewsRows describes what happened to a run. Damage, questions and failures come first, because people want to know them first.
func NewsRows(n *since.News, zone *time.Location) []NewsRow {
	var rows []NewsRow
	add := func(word, text string) { rows = append(rows, NewsRow{word, text}) }
	switch {
	case n.Damaged && n.Summary.Found != nil: // the text says which file of the other system cannot be read
		add("damaged", quote.Clean(n.Summary.Damaged))
	case n.Damaged:
		add("damaged", "its journal cannot be read: "+quote.Clean(n.Summary.Damaged))
	}
	for _, e := range n.Asked {
		add("question", eventTask(e)+quote.Clean(e.Text)+answerTo(n, e))
	}
	for _, e := range folded(n.Failed) {
		add("failed", eventTask(e)+failureOf(e)+" ("+minute(e.At, zone)+")"+laterDone(n, e))
	}
	if more := len(n.Failed) - maxNews; more > 0 {
		add("failed", fmt.Sprintf("%d earlier ones", more))
	}
	for _, a := range n.Auto {
		add("auto", autoStep(a, zone))
	}
	for _, e := range n.Changes {
		add("run", change(n, e)+" ("+minute(e.At, zone)+")")
	}
	if len(n.Done) > 0 {
		add("done", phrase.Count(len(n.Done), "task", "tasks")+": "+taskNames(n.Done))
	}
	if len(n.Skipped) > 0 {
		add("skipped", taskNames(n.Skipped))
	}
	for i, c := range n.Commits {
		if i == 0 && n.Count > len(n.Commits) {
			add("commits", fmt.Sprintf("%d, the newest %d are:", n.Count, len(n.Commits)))
		}
		add("commit", c.ID.Short()+" "+quote.Clean(c.Subject()))
	}
	if n.Activity {
		add("activity", minute(n.Summary.Run.LastAt, zone)+"; git-resume keeps no record of this work")
	}
	return rows
}

// maxNews limits how many failures are listed one by one.
const maxNews = 5

func folded(all []checkpoint.Event) []checkpoint.Event { return all[max(0, len(all)-maxNews):] }

// minute formats a time for people without its seconds.
func minute(t time.Time, zone *time.Location) string { return t.In(zone).Format("2006-01-02 15:04") }

// SinceWhen says when the period of a report began.
func SinceWhen(at, now time.Time) string {
	return fmt.Sprintf("%s (%s)", minute(at, now.Location()), phrase.LongAgo(now.Sub(at)))
}

func eventTask(e checkpoint.Event) string {
	if e.Task == "" {
		return ""
	}
	return quote.Clean(string(e.Task)) + ": "
}

func failureOf(e checkpoint.Event) string {
	text := Failure(&checkpoint.Task{ExitCode: e.ExitCode, Cause: e.Cause, Until: e.Until, Reason: e.Text})
	if text == "" {
		return "no reason was given"
	}
	return text
}

// answerTo returns the later answer to a question, in parentheses, or "" if nobody has answered the question.
func answerTo(n *since.News, asked checkpoint.Event) string {
	for _, e := range n.Answered {
		if e.Task == asked.Task && e.Seq > asked.Seq {
			return " (answered: " + quote.Clean(e.Text) + ")"
		}
	}
	return ""
}

// laterDone returns ", done since" if a failed task was finished later, or "" if not.
func laterDone(n *since.News, failed checkpoint.Event) string {
	for _, e := range n.Done {
		if e.Task == failed.Task && e.Seq > failed.Seq {
			return ", done since"
		}
	}
	return ""
}

func taskNames(all []checkpoint.Event) string {
	names := make([]string, 0, len(all))
	for _, e := range all {
		names = append(names, string(e.Task))
	}
	return phrase.Some(names)
}

// autoStep says when and why a run was continued without asking anybody, and which tasks were then done, failed or asked a question.
func autoStep(a since.AutoStep, zone *time.Location) string {
	e := a.Resumed
	text := "continued " + minute(e.At, zone)
	if e.Task != "" {
		text += " at " + quote.Clean(string(e.Task))
	}
	if e.Silent >= 60 {
		text += ", after " + phrase.Long(time.Duration(e.Silent)*time.Second)
	}
	if len(e.Reasons) > 0 {
		text += ", because: " + quote.Clean(strings.Join(e.Reasons, "; "))
	}
	var came []string
	for _, x := range []struct {
		word string
		ids  []checkpoint.TaskID
	}{{"done", a.Done}, {"failed", a.Failed}, {"question", a.Asked}} {
		if len(x.ids) > 0 {
			came = append(came, x.word+" "+someTasks(x.ids))
		}
	}
	if len(came) == 0 {
		return text + "; no task ended"
	}
	return text + "; then " + strings.Join(came, ", ")
}

func someTasks(ids []checkpoint.TaskID) string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, string(id))
	}
	return phrase.Some(names)
}

// changeWords describes the events that a report lists as changes of a run.
func changeWords() map[checkpoint.Kind]string {
	return map[checkpoint.Kind]string{
		checkpoint.RunStarted: "started", checkpoint.RunAdopted: "adopted from another system", checkpoint.RunTaken: "taken over",
		checkpoint.RunPaused: "paused", checkpoint.RunStopped: "stopped", checkpoint.RunFinished: "finished", checkpoint.RunSuperseded: "replaced by",
		checkpoint.RunMerged: "merged as", checkpoint.RunDiscarded: "discarded", checkpoint.RunRestored: "restored",
		checkpoint.RunPlanned: "switched to a changed plan", checkpoint.RunUpdating: "started an update from its base", checkpoint.RunActed: "carried out:",
		checkpoint.TaskAdded: "added task", checkpoint.TaskReset: "reset",
	}
}

// change describes one change of a run for a report.
func change(n *since.News, e checkpoint.Event) string {
	text := changeWords()[e.Event]
	switch e.Event {
	case checkpoint.RunStarted:
		return text
	case checkpoint.RunMerged:
		return text + " " + e.Commit.Short()
	case checkpoint.RunActed:
		return text + " " + Change(&e)
	case checkpoint.Undone:
		first, flips := n.Origin(e)
		if flips%2 == 0 {
			return "redone: " + Change(&first)
		}
		return "undone: " + Change(&first)
	case checkpoint.RunStopped:
		return strings.TrimSuffix(text+": "+Cause(e.Cause), ": ")
	case checkpoint.TaskAdded, checkpoint.TaskReset:
		return text + " " + quote.Clean(string(e.Task))
	case checkpoint.RunPaused, checkpoint.RunSuperseded:
		if e.Text != "" {
			text += map[bool]string{true: " ", false: ": "}[e.Event == checkpoint.RunSuperseded] + quote.Clean(e.Text)
		}
	}
	return text
}
