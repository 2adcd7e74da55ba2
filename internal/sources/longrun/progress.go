package longrun

import (
	"fmt"
	"strconv"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/planfolder"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// progress is the content of a checkpoint file: it records how many tasks of a plan are finished.
type progress struct {
	path   string
	plan   string
	done   int
	total  int
	status string
	fault  string
	at     string
	// commits maps task numbers to recorded commits. The field "last" is the commit of the last finished task.
	commits map[int]string
	last    string
	// gone lists the finished tasks whose recorded commit is not in the repository.
	gone []int
	// names lists the names of the finished tasks, and after them those of the open tasks.
	names []string
	files []string
	// open means that the total number of tasks is unknown. Such a plan is never treated as complete.
	open bool
	// odd describes an impossible number in the file, such as a negative count. It is empty if there is none.
	odd string
	// lost means that the file cannot be read. Its content must be reconstructed from commits.
	lost bool
	// dark means that the number of finished tasks is unknown, because neither the file nor the commits show it.
	dark bool
	// question and options are set if the agent needs a decision or an action from a person.
	question string
	options  []string
}

// partial reports whether tasks are left to do, or whether the number of tasks is unknown. It returns false for a checkpoint that cannot
// be read.
func (c *progress) partial() bool { return c != nil && !c.lost && (c.open || c.done < c.total) }

// count returns a text with the number of finished tasks and the number of all tasks.
func (c *progress) count() string {
	if c.dark {
		return "an unknown number"
	}
	if c.open {
		return fmt.Sprintf("%d of an unknown number", c.done)
	}
	return fmt.Sprintf("%d of %d", c.done, c.total)
}

// tasks returns a text such as "2 of 5 tasks" or "2 of an unknown number of tasks".
func (c *progress) tasks() string {
	if c.open {
		return c.count() + " of tasks"
	}
	return c.count() + " tasks"
}

// parseCheckpoint reads all formats of checkpoints. Some contain the number of finished tasks, others list the tasks, and checkpoint.json
// has other field names.
func parseCheckpoint(v textdoc.Value) progress {
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
		c.names = append(c.names, planfolder.StepName(current))
	}
	for _, t := range left.Items() {
		c.names = append(c.names, taskName(t))
	}
	c.takeTotal(v.Get("total_tasks", "tasks_total"), left)
	c.last = c.commits[c.done]
	return c
}

// takeTotal sets the total number of tasks of a plan to the number in the argument "total". If "total" is not a number, the total is the
// number of all finished and open tasks in the checkpoint file. This total counts as known only if the file lists the open tasks, or if the
// status in the file means done.
func (c *progress) takeTotal(total, left textdoc.Value) {
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

// takeCommits reads the commit of each task from a JSON object or a list. It returns the highest task number that has a commit.
func (c *progress) takeCommits(v textdoc.Value) int {
	highest := 0
	add := func(n int, commit textdoc.Value) {
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
			// This list begins with an empty item for a task 0, so the index i is already the task number, and add gets i instead of i+1.
			i--
		}
		add(i+1, commit)
	}
	return highest
}

// longestOdd is the maximum length of a value in a warning, in characters.
const longestOdd = 40

// countDone returns the number of finished tasks. If the recorded count is not a number and nothing else shows the number, it marks the
// checkpoint as lost. It uses the first of these that is known: the recorded count, the list of finished tasks,
// the highest task with a commit, and the index of the current task.
func (c *progress) countDone(v textdoc.Value, highest int) int {
	count := v.Get("last_completed_task", "tasks_completed")
	if n, ok := count.Int(); ok {
		if n < 0 {
			c.odd = fmt.Sprintf("the last finished task is number %d", n)
		}
		return max(0, n)
	}
	if text := count.Text(); text != "" {
		c.odd = fmt.Sprintf("the number of the last finished task is '%s'", textdoc.Shorten(text, longestOdd))
		c.lost = len(c.names) == 0 && highest == 0
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

func taskName(v textdoc.Value) string {
	if v.IsObject() {
		return planfolder.StepName(v.Get("name", "title").Text())
	}
	return planfolder.StepName(v.Text())
}

func optionTexts(v textdoc.Value) []string {
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
