package agentmemory

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// list combines the graph and the events into the list of tasks.
func (r reader) list() {
	if len(r.graph.nodes) == 0 && len(r.ledger.order) > 0 {
		r.partial, r.rebuilt = true, true
		r.doubts.About(sources.DoubtRebuilt, conflicts.Warning, r.dir, "has no task graph that can be read, so only tasks with events are known; %s",
			r.orRestored(path.Join(r.dir, "task-graph.json"), "the plan must be broken into tasks again"))
	}
	for _, id := range r.ledger.order {
		if r.graph.find(id) != nil {
			continue
		}
		if len(r.graph.nodes) > 0 && r.graph.from != "tasks/" {
			state, counts := r.ledger.tasks[id].state, "is left out"
			open := state == checkpoint.Active || state == checkpoint.Blocked || state == checkpoint.Failed
			if open { // somebody has worked on it and has not finished it, so the run is not over
				counts = "counts as " + word(state)
			}
			r.doubts.About("task-not-in-graph", conflicts.Warning, path.Join(r.dir, r.graph.from), "has no task %s, but the run's events mention this task; it %s", id, counts)
			if !open {
				continue
			}
		}
		n := r.contract(id)
		if e := r.ledger.made[id]; e != nil && n.title == "" {
			n.title, n.needs = e.details.Get("title").Text(), e.details.Get("dependencies").Texts()
		}
		r.graph.add(n)
	}
	for _, n := range r.graph.nodes {
		r.tasks = append(r.tasks, r.task(n))
	}
	if r.circle = r.graph.cycle(); r.circle != nil {
		r.doubts.About(sources.DoubtCycle, conflicts.Blocking, path.Join(r.dir, r.graph.from), "has tasks that depend on each other in a cycle: %s", strings.Join(r.circle, " → "))
	}
}

func (r reader) task(n node) sources.Task {
	t := sources.Task{ID: n.id, Title: n.title, Needs: n.needs, Files: n.files, State: checkpoint.Pending}
	if r.flow.later && isLaterID(n.id) && n.id[0] == 'B' {
		t.Phase = "bootstrap"
	} else if r.flow.later {
		t.Phase = "development"
	}
	for _, need := range n.needs {
		if r.graph.find(need) == nil {
			r.doubts.About(sources.DoubtUnknownNeed, conflicts.Warning, path.Join(r.dir, r.graph.from), "says that %s needs %s, which does not exist", n.id, need)
		}
	}
	m := r.ledger.tasks[n.id]
	if m == nil || m.by == nil {
		if means := sources.MeaningOf(n.word); n.word != "" && means != sources.MeansPending && means != sources.MeansReady {
			r.doubts.About(sources.DoubtStatusWord, conflicts.Info, path.Join(r.dir, r.graph.from), "says that %s is %s, but no event says so", n.id, n.word)
		}
		return t
	}
	t.State, t.Raw, t.Evidence, t.Began = m.state, m.by.raw, m.by.where, m.began
	t.Attempts = max(m.starts, m.failures)
	if t.State == checkpoint.Done || t.State == checkpoint.Skipped {
		t.Ended = m.by.at
	}
	return t
}

// compute finds the tasks that could be worked on now: unfinished tasks that are not blocked and whose dependencies are finished.
// Development tasks wait for all bootstrap tasks. If dependencies form a cycle, compute finds no task.
func (r reader) compute() {
	if r.circle != nil {
		return
	}
	met := map[string]bool{}
	bootstrapping := false
	for _, t := range r.tasks {
		met[t.ID] = !unfinished(t)
		bootstrapping = bootstrapping || unfinished(t) && t.Phase == "bootstrap"
	}
	for _, t := range r.tasks {
		ready := unfinished(t) && t.State != checkpoint.Blocked && !(bootstrapping && t.Phase == "development")
		for _, need := range t.Needs {
			ready = ready && met[need]
		}
		if ready {
			r.runnable = append(r.runnable, t.ID)
		}
	}
}

// commits looks for commits whose subject names a task, such as "[T001] what was done". A review shows these commits. They also prove work
// whose events were lost.
func (r reader) commits() {
	if r.ledger.end != nil || len(r.tasks) == 0 {
		return
	}
	tips := []string{"HEAD"}
	if r.place.Branch != "" {
		tips = []string{string(r.place.Branch)}
	}
	prefix := string(refs.Branch("agent/" + r.id + "/"))
	lanes, _ := r.view.Repo.Refs.Names(r.ctx, prefix) // an error counts as an empty list: most runs have no such branches
	for _, l := range lanes[:min(len(lanes), 8)] {
		tips = append(tips, prefix+l)
	}
	since := stampOf(r.id).Add(-14 * time.Hour) // the time in the id is local, and no time zone is more than 14 hours ahead of UTC
	if stampOf(r.id).IsZero() {
		since = time.Time{}
	}
	var all []past.Logged
	for _, tip := range tips {
		for _, c := range r.log(tip, since) {
			if c.When.After(since) {
				all = append(all, c)
			}
		}
	}
	for _, c := range all {
		r.recorded(c)
	}
	for _, c := range all {
		r.landed(c)
	}
}

// recorded sets the field Commit of the tasks whose last event names the given commit.
func (r reader) recorded(c past.Logged) {
	const shortest = 7
	for i := range r.tasks {
		m := r.ledger.tasks[r.tasks[i].ID]
		if m == nil || m.by == nil {
			continue
		}
		if id := strings.ToLower(m.by.details.Get("commit", "commit_sha", "commit_hash", "sha").Text()); len(id) >= shortest && strings.HasPrefix(string(c.ID), id) {
			r.tasks[i].Commit = c.ID
		}
	}
}

// within reports whether a commit was made while somebody worked on a task. The event that finishes the task often follows the commit, and
// sometimes it comes first.
func (r reader) within(id string, c past.Logged) bool {
	m := r.ledger.tasks[id]
	if m == nil || m.by == nil || m.began.IsZero() || c.When.Before(m.began) {
		return false
	}
	return m.state != checkpoint.Done || c.When.Before(m.by.at.Add(time.Hour))
}

// log returns the newest commits of a branch, or none if the branch has no commit.
func (r reader) log(tip string, since time.Time) []past.Logged {
	const most = 200
	at := r.view.Head(r.ctx, r.home)
	if tip != "HEAD" {
		at, _ = r.view.Repo.Refs.Ref(r.ctx, refs.Name(tip)) // an error counts as an empty log
	}
	if at == "" {
		return nil
	}
	if log, ok := r.view.Recent.Log(r.ctx, at, since, most); ok {
		return log
	}
	key := r.home.WorkTree + " " + tip
	if log, ok := r.subjects[key]; ok {
		return log
	}
	tree := r.view.Repo.At(r.home.Place)
	defer tree.Close()
	log, _ := past.FileLog(r.ctx, tree, string(at), most) // an error counts as an empty log
	if r.subjects != nil {
		r.subjects[key] = log
	}
	return log
}

// landed sets the field Commit of a task, if the subject of the given commit starts with the id of that task in brackets. Without the
// brackets, as in "T001: what was done", the commit must also have been made while somebody worked on the task. The commit also
// proves that an open task is done, if nothing else is known about the task and events of the run are lost: the event that finished the
// task may be among them. Otherwise landed notes that no event finishes the open task.
func (r reader) landed(c past.Logged) {
	id, _, ok := strings.Cut(strings.TrimPrefix(c.Subject, "["), "]")
	if !strings.HasPrefix(c.Subject, "[") {
		id, _, ok = strings.Cut(c.Subject, ": ")
		ok = ok && r.within(id, c)
	}
	if !ok {
		return
	}
	i := slices.IndexFunc(r.tasks, func(t sources.Task) bool { return t.ID == id })
	if i < 0 || r.tasks[i].Commit != "" {
		return
	}
	t := &r.tasks[i]
	t.Commit = c.ID
	if !unfinished(*t) {
		return
	}
	if t.Evidence == "" && (r.ledger.lost || r.ledger.unread || len(r.ledger.events) == 0) {
		t.State, t.Evidence, t.Ended = checkpoint.Done, fmt.Sprintf("commit %.12s", c.ID), c.When
		r.rebuilt = true
		r.doubts.About(sources.DoubtRebuilt, conflicts.Warning, r.dir, "has lost events; %s counts as done because of commit %.12s", t.ID, c.ID)
		return
	}
	r.doubts.About(sources.DoubtNotMarked, conflicts.Info, r.dir, "has no event that finishes %s, but commit %.12s names it", t.ID, c.ID)
}
