package journal

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
)

// In a cache file, the tasks are stored as columns, after the rest of the state. Parsing them as JSON took a third of the time of a status
// command. The separators are control characters that never occur in JSON.
const (
	taskMark   = '\x1e'
	columnMark = '\x1f'
	columns    = 14
)

// appendTasks adds tasks after a cached state. A task is written in columns, or as JSON if fitsColumns returns false.
func appendTasks(to []byte, tasks []checkpoint.Task) ([]byte, error) {
	for i := range tasks {
		t := &tasks[i]
		to = append(to, taskMark)
		if !fitsColumns(t) {
			text, err := checkpoint.Marshal(t)
			if err != nil {
				return nil, err
			}
			to = append(to, text...)
			continue
		}
		to = append(to, t.ID...)
		for _, column := range [...]string{
			t.Title, string(t.State), t.Attempt, number(int64(t.Attempts)), string(t.Commit), string(t.Tree), t.Patch,
			string(t.FromHead), moment(t.Started), moment(t.Ended), t.Command, number(t.LastSeq),
			strings.Join(t.Undone, " "),
		} {
			to = append(append(to, columnMark), column...)
		}
	}
	return to, nil
}

// fitsColumns reports whether appendTasks can write a task in columns. A task fits if it uses only fields that have a column, and contains
// no text that looks like a separator or like JSON.
func fitsColumns(t *checkpoint.Task) bool {
	if t.Found || t.Before != nil || t.Onto != "" || t.Stop != nil || t.ByHand != nil || t.Cause != "" || t.ExitCode != nil || t.Until != "" || t.Reason != "" ||
		t.Question != "" || t.Options != nil || t.Answer != "" || t.Asks || t.Optional || t.Place != 0 || t.Reported {
		return false
	}
	for _, text := range [...]string{
		string(t.ID), t.Title, string(t.State), t.Attempt, string(t.Commit), string(t.Tree), t.Patch, string(t.FromHead), t.Command,
	} {
		if !utf8.ValidString(text) || strings.ContainsFunc(text, func(c rune) bool { return c < ' ' }) {
			return false
		}
	}
	for _, result := range t.Undone {
		if result == "" || !utf8.ValidString(result) || strings.ContainsFunc(result, func(c rune) bool { return c <= ' ' }) {
			return false
		}
	}
	return !strings.HasPrefix(string(t.ID), "{") && isText(t.Started) && isText(t.Ended)
}

// isText reports whether a time can be written as text. For example, a year above 9999 cannot.
func isText(at time.Time) bool {
	_, err := at.MarshalText()
	return err == nil
}

// number and moment return the text of a number and of a time. For the zero value, which is common, the text is empty.
func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func moment(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	text, _ := at.MarshalText() // isText has already checked for errors
	return string(text)
}

// parseTasks parses the text that appendTasks wrote, without the first separator. ok is false if that is not possible.
func parseTasks(text string) (tasks []checkpoint.Task, ok bool) {
	tasks = make([]checkpoint.Task, 0, strings.Count(text, string(taskMark))+1)
	for one := range strings.SplitSeq(text, string(taskMark)) {
		var t checkpoint.Task
		if strings.HasPrefix(one, "{") {
			ok = json.Unmarshal([]byte(one), &t) == nil
		} else {
			t, ok = parseColumns(one)
		}
		if !ok {
			return nil, false
		}
		tasks = append(tasks, t)
	}
	return tasks, true
}

func parseColumns(text string) (t checkpoint.Task, ok bool) {
	var c [columns]string
	for i := range columns - 1 {
		if c[i], text, ok = strings.Cut(text, string(columnMark)); !ok {
			return t, false
		}
	}
	c[columns-1] = text
	t = checkpoint.Task{
		ID: checkpoint.TaskID(c[0]), Title: c[1], State: checkpoint.TaskState(c[2]), Attempt: c[3],
		Commit: object.ID(c[5]), Tree: object.ID(c[6]), Patch: c[7], FromHead: object.ID(c[8]), Command: c[11],
	}
	attempts, first := readNumber(c[4])
	seq, second := readNumber(c[12])
	t.Attempts, t.LastSeq = int(attempts), seq
	if c[13] != "" {
		t.Undone = strings.Split(c[13], " ")
	}
	return t, first && second && readMoment(c[9], &t.Started) && readMoment(c[10], &t.Ended)
}

func readNumber(text string) (int64, bool) {
	if text == "" {
		return 0, true
	}
	n, err := strconv.ParseInt(text, 10, 64)
	return n, err == nil
}

func readMoment(text string, to *time.Time) bool {
	return text == "" || to.UnmarshalText([]byte(text)) == nil
}
