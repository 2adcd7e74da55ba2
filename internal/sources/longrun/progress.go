package longrun

import (
	"fmt"
	"strconv"

	"github.com/git-resume/git-resume/internal/sources"
)

// progress is a checkpoint: it shows how far a plan's executor got.
type progress struct {
	path   string
	plan   string
	done   int
	total  int
	status string
	fault  string
	at     string
	// commits holds the commits as written, by task number; last is the commit of the last finished task.
	commits map[int]string
	last    string
	// names holds the names of the finished tasks, followed by the remaining ones.
	names []string
	files []string
	// open means that the number of tasks is not known, so the plan never counts as fully done.
	open bool
	// odd says which of the numbers are impossible; empty if they are plausible.
	odd string
	// lost means that the file cannot be read, so its content is reconstructed from the history.
	lost bool
	// dark means that not even the history shows how many tasks are done.
	dark bool
	// question and options are set when the executor needs a person.
	question string
	options  []string
}

// partial reports whether tasks are left to do.
func (c *progress) partial() bool { return c != nil && !c.lost && (c.open || c.done < c.total) }

// count says how many of the tasks are done.
func (c *progress) count() string {
	if c.dark {
		return "an unknown number"
	}
	if c.open {
		return fmt.Sprintf("%d of an unknown number", c.done)
	}
	return fmt.Sprintf("%d of %d", c.done, c.total)
}

// tasks is count followed by the word "tasks".
func (c *progress) tasks() string {
	if c.open {
		return c.count() + " of tasks"
	}
	return c.count() + " tasks"
}

// parseCheckpoint reads all forms: the first counts finished tasks, the second lists them, and checkpoint.json has its own field names.
func parseCheckpoint(v sources.Value) progress {
	c := progress{
		plan: v.Get("plan", "plan_number").Text(), status: v.Get("status").Text(), fault: v.Get("error").Text(),
		at:      v.Get("updated_at", "last_activity", "last_activity_timestamp").Text(),
		commits: map[int]string{}, files: v.Get("files_modified").Texts(),
		question: v.Get("question", "decision", "instructions", "action_required").Text(), options: optionTexts(v.Get("options")),
	}
	highest := c.takeCommits(v.Get("task_commits"))
	finished, left := v.Get("completed_tasks"), v.Get("remaining_tasks")
	if finished.IsList() {
		for i, t := range finished.Items() {
			c.names = append(c.names, taskName(t))
			if commit := t.Get("commit").Text(); commit != "" && c.commits[i+1] == "" {
				c.commits[i+1] = commit
			}
		}
	}
	c.done = c.countDone(v, highest)
	if current := v.Get("current_task").Text(); current != "" && c.done == len(c.names) {
		c.names = append(c.names, sources.StepName(current))
	}
	for _, t := range left.Items() {
		c.names = append(c.names, taskName(t))
	}
	c.takeTotal(v.Get("total_tasks", "tasks_total"), left)
	c.last = c.commits[c.done]
	return c
}

// takeTotal sets the total from its field, otherwise from the lists of tasks. A list of finished tasks alone does not show how many follow.
func (c *progress) takeTotal(total, left sources.Value) {
	n, ok := total.Int()
	switch {
	case ok:
		c.total = n
	case left.IsList() || sources.MeaningOf(c.status) == sources.MeansDone:
		c.total = max(len(c.names), c.done)
	default:
		c.total, c.open = max(len(c.names), c.done), true
	}
	if ok && c.done > c.total && c.odd == "" {
		c.odd = fmt.Sprintf("%d of %d tasks are done", c.done, c.total)
	}
}

// takeCommits reads the commits of tasks, keyed by number or as a list, and returns the highest task number.
func (c *progress) takeCommits(v sources.Value) int {
	highest := 0
	add := func(n int, commit sources.Value) {
		if commit.IsObject() {
			commit = commit.Get("commit", "hash", "sha")
		}
		if text := commit.Text(); text != "" && n > 0 {
			c.commits[n], highest = text, max(highest, n)
		}
	}
	for _, f := range v.Fields() {
		if n, err := strconv.Atoi(f.Key); err == nil {
			add(n, f.Value)
		}
	}
	for i, commit := range v.Items() {
		if items := v.Items(); items[0].Text() == "" && !items[0].IsObject() {
			i-- // an empty first item stands for no task
		}
		add(i+1, commit)
	}
	return highest
}

// countDone uses the count, otherwise the list of finished tasks, the highest task with a commit, or the index of the current task.
func (c *progress) countDone(v sources.Value, highest int) int {
	if n, ok := v.Get("last_completed_task", "tasks_completed").Int(); ok {
		if n < 0 {
			c.odd = fmt.Sprintf("task %d was the last one", n)
		}
		return max(0, n)
	}
	if len(c.names) > 0 {
		return len(c.names)
	}
	if highest > 0 {
		return highest
	}
	n, _ := v.Get("current_task_index").Int()
	return max(0, n)
}

func taskName(v sources.Value) string {
	if v.IsObject() {
		return sources.StepName(v.Get("name", "title").Text())
	}
	return sources.StepName(v.Text())
}

func optionTexts(v sources.Value) []string {
	var out []string
	for _, o := range v.Items() {
		text := o.Text()
		if o.IsObject() {
			text = o.Get("label", "name", "title", "option", "id").Text()
		}
		if text != "" {
			out = append(out, text)
		}
	}
	return out
}
