package mirror

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/plan"
)

// mostTasks limits the tasks of a run: a run with this many tasks gets no more of them from an agent's list.
const mostTasks = 400

// listed compares an agent's list with the tasks of the run, and returns events for the differences. It returns none if the report has no
// list.
func (m mirrored) listed() (out []checkpoint.Event) {
	if len(m.rep.Items) == 0 && (m.rep.Partial || m.rep.What != agents.Listed) {
		return nil
	}
	matched := map[checkpoint.TaskID]bool{}
	taken := map[checkpoint.TaskID]bool{}
	for _, i := range m.rep.Items {
		t := m.match(i, matched)
		if t == nil {
			if len(m.run.Tasks)+len(taken) >= mostTasks || i.Title == "" {
				continue
			}
			id := m.newID(i.Title, taken)
			taken[id] = true
			out = append(out, m.event(checkpoint.TaskAdded, checkpoint.Task{ID: id, Title: i.Title}))
			t = &checkpoint.Task{ID: id, State: checkpoint.Pending, List: m.rep.Session}
		}
		matched[t.ID] = true
		out = append(out, m.bring(*t, i.State)...)
	}
	if m.rep.Partial {
		return out
	}
	return append(out, m.vanished(matched)...)
}

func (m mirrored) event(kind checkpoint.Kind, t checkpoint.Task) checkpoint.Event {
	e := checkpoint.Event{Event: kind, Task: t.ID, Actor: m.who, Mirrored: true}
	switch kind {
	case checkpoint.TaskAdded:
		e.Title = t.Title
	case checkpoint.TaskStarted:
	default:
		e.Attempt = t.Attempt
	}
	return e
}

// match finds the task for an item of the list: the first task with the same title that no earlier item has matched. If a task has no
// title, its id is compared instead. The result is nil if no task matches.
func (m mirrored) match(i agents.Item, matched map[checkpoint.TaskID]bool) *checkpoint.Task {
	if i.Title == "" {
		return nil
	}
	for n := range m.run.Tasks {
		t := &m.run.Tasks[n]
		if !matched[t.ID] && (plain(t.Title) == plain(i.Title) || t.Title == "" && plain(string(t.ID)) == plain(i.Title)) {
			return t
		}
	}
	return nil
}

// plain removes differences in case, space and final punctuation, because agents change these when they repeat a title.
func plain(title string) string {
	return strings.ToLower(strings.TrimRight(strings.Join(strings.Fields(title), " "), ".!…:;"))
}

// newID makes an id for a new task out of its title.
func (m mirrored) newID(title string, taken map[checkpoint.TaskID]bool) checkpoint.TaskID {
	const longest = 40
	slug := plan.Slug(title)
	// Slug returns "run" for a title without Latin letters or digits
	if slug = strings.Trim(slug[:min(len(slug), longest)], "-._"); !plan.IsTaskID(slug) || slug == "run" {
		slug = "item"
	}
	id := checkpoint.TaskID(slug)
	for n := 2; m.run.Task(id) != nil || taken[id]; n++ {
		id = checkpoint.TaskID(fmt.Sprintf("%s-%d", slug, n))
	}
	return id
}

// bring returns the events that bring a task into the state of its item in the agent's list. If the task is from the plan, the list can
// start it. The list can mark it as done only if the run works in the user's own worktree.
func (m mirrored) bring(t checkpoint.Task, want agents.State) []checkpoint.Event {
	own := t.List != ""
	mayClose := own || m.run.Here
	done, skipped := t.State == checkpoint.Done, t.State == checkpoint.Skipped
	switch want {
	case agents.Done:
		if done || skipped && !own || !mayClose || t.State == checkpoint.Failed || t.State == checkpoint.Blocked {
			return nil
		}
		return []checkpoint.Event{m.event(checkpoint.TaskDone, t)}
	case agents.Dropped:
		if !own || done || skipped {
			return nil
		}
		e := m.event(checkpoint.TaskSkipped, t)
		e.Text = "dropped from the agent's list"
		return []checkpoint.Event{e}
	case agents.Active:
		return m.activate(t, own && (done || skipped))
	}
	if own && (t.State == checkpoint.Active || done && t.Commit == "" || skipped) {
		return []checkpoint.Event{m.event(checkpoint.TaskReset, t)}
	}
	return nil
}

func (m mirrored) activate(t checkpoint.Task, reopen bool) []checkpoint.Event {
	start := m.event(checkpoint.TaskStarted, t)
	switch {
	case reopen && t.Commit == "":
		return []checkpoint.Event{m.event(checkpoint.TaskReset, t), start}
	case t.State == checkpoint.Pending:
		return []checkpoint.Event{start}
	}
	return nil
}

// vanished returns events that skip open tasks that came from this session's list and are no longer in it. Tasks from another session's
// list stay open.
func (m mirrored) vanished(matched map[checkpoint.TaskID]bool) (out []checkpoint.Event) {
	for _, t := range m.run.Tasks {
		if t.List != m.rep.Session || matched[t.ID] || t.State != checkpoint.Pending && t.State != checkpoint.Active {
			continue
		}
		e := m.event(checkpoint.TaskSkipped, t)
		e.Cause, e.Text = checkpoint.CauseVanished, "no longer in the agent's list"
		out = append(out, e)
	}
	return out
}
