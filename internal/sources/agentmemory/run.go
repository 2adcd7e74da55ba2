package agentmemory

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// run is one run while it is read.
type run struct {
	ctx   context.Context
	view  *sources.View
	id    string
	dir   string
	trees []sources.Tree
	// subjects are the newest commits of each tip, which runs share.
	subjects map[string][]past.Logged

	home   sources.Tree
	docs   map[string]bool
	ledger *ledger
	graph  graph
	flow   workflow
	tasks  []sources.Task
	// runnable are the tasks that could be worked on now, as the protocol defines them.
	runnable []string
	circle   []string
	// partial: there may be more tasks than are known.
	partial bool

	doubts       []sources.Doubt
	rebuilt      bool
	naive, ahead bool
	files        map[string][]string // by worktree
}

// mostDoubts is how many are told: whoever spoils a thousand lines has made the point with the first.
const mostDoubts = 40

func (r *run) doubt(code string, grade conflicts.Severity, path, format string, args ...any) {
	if len(r.doubts) < mostDoubts {
		r.doubts = append(r.doubts, sources.Doubt{Code: code, Severity: grade, Path: path, Text: path + " " + fmt.Sprintf(format, args...)})
	}
}

// refuse notes that something is there and was not read.
func (r *run) refuse(path string, err error) {
	if d := sources.DoubtOf(err, path); len(r.doubts) < mostDoubts {
		r.doubts = append(r.doubts, d)
	}
}

// read gives a file of a worktree; one that is there and cannot be read is a doubt.
func (r *run) read(t sources.Tree, full string) ([]byte, bool) {
	data, err := t.Read(full)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, false
	case err != nil:
		r.refuse(full, err)
		return nil, false
	}
	r.seen(t, full)
	return data, true
}

// seen notes a state file of a worktree.
func (r *run) seen(t sources.Tree, full string) {
	if r.files == nil {
		r.files = map[string][]string{}
	}
	if !slices.Contains(r.files[t.WorkTree], full) {
		r.files[t.WorkTree] = append(r.files[t.WorkTree], full)
	}
}

// has reports whether a document is there, in any worktree. An empty one is not: its writing was interrupted.
func (r *run) has(name string) bool {
	for _, t := range r.trees {
		full := path.Join(r.dir, name)
		switch size := t.Size(full); {
		case size > 0:
			r.seen(t, full)
			return true
		case size == 0:
			r.doubt(sources.DoubtDamaged, conflicts.Warning, full, "is empty")
		}
	}
	return false
}

func (r *run) found() sources.Found {
	r.ledger = r.readLogs().fold()
	r.home = r.newest()
	r.docs = map[string]bool{}
	r.trees = append([]sources.Tree{r.home}, slices.DeleteFunc(slices.Clone(r.trees), func(t sources.Tree) bool { return t.WorkTree == r.home.WorkTree })...)
	r.graph = r.readGraph()
	r.flow = r.readWorkflow()
	for _, name := range documents {
		r.docs[name] = r.has(name)
	}
	r.list()
	f := sources.Found{Source: "agent-memory", ID: r.id, Name: nameOf(r.id), Home: r.home.WorkTree, Root: r.dir, Agent: "agentic-orchestrator",
		Command: quote.Command("agentic-orchestrator: resume run %s", r.id), Again: "agentic-orchestrator: start a new run"}
	r.place(&f)
	r.commits(&f)
	r.compute()
	f.Tasks = r.tasks
	r.stand(&f)
	f.Doubts, f.Rebuilt = r.doubts, r.rebuilt
	f.Files = r.files[r.home.WorkTree]
	slices.SortFunc(f.Files, sources.NaturalOrder)
	const most = 100
	f.Files = f.Files[max(0, len(f.Files)-most):]
	return f
}

// newest is the worktree with the newest event: the run was last worked on there.
func (r *run) newest() sources.Tree {
	best := r.trees[0]
	for _, t := range r.trees[1:] {
		if r.ledger.newest[t.WorkTree].After(r.ledger.newest[best.WorkTree]) {
			best = t
		}
	}
	if len(r.trees) > 1 && best.WorkTree != r.trees[0].WorkTree {
		r.doubt(sources.DoubtCopies, conflicts.Info, r.dir, "has newer events in %s", best.WorkTree)
	}
	return best
}

// nameOf takes date and random end off a run's id: 20260115-1030-user-auth-a1b2 is user-auth.
func nameOf(id string) string {
	parts := strings.Split(id, "-")
	if len(parts) < 4 || stampOf(id).IsZero() {
		return id
	}
	return strings.Join(parts[2:len(parts)-1], "-")
}

// list brings graph and events together as tasks.
func (r *run) list() {
	if len(r.graph.nodes) == 0 && len(r.ledger.order) > 0 {
		r.partial, r.rebuilt = true, true
		r.doubt(sources.DoubtRebuilt, conflicts.Warning, r.dir, "has no task graph that can be read: only tasks that have events are known, and after them the plan is broken into tasks again")
	}
	for _, id := range r.ledger.order {
		if r.graph.find(id) != nil {
			continue
		}
		if len(r.graph.nodes) > 0 && r.graph.from != "tasks/" {
			r.doubt("task-not-in-graph", conflicts.Warning, path.Join(r.dir, r.graph.from), "does not name %s, which has events", id)
			continue
		}
		n := node{id: id}
		if e := r.ledger.made[id]; e != nil {
			n.title, n.needs = e.details.Get("title").Text(), e.details.Get("dependencies").Texts()
		}
		r.graph.add(n)
	}
	for _, n := range r.graph.nodes {
		r.tasks = append(r.tasks, r.task(n))
	}
	if r.circle = r.graph.cycle(); r.circle != nil {
		r.doubt(sources.DoubtCycle, conflicts.Blocking, path.Join(r.dir, r.graph.from), "has tasks that need each other in a circle: %s", strings.Join(r.circle, " → "))
	}
}

func (r *run) task(n node) sources.Task {
	t := sources.Task{ID: n.id, Title: n.title, Needs: n.needs, Files: n.files, State: checkpoint.Pending}
	if r.flow.later && laterID.MatchString(n.id) && n.id[0] == 'B' {
		t.Phase = "bootstrap"
	} else if r.flow.later {
		t.Phase = "development"
	}
	for _, need := range n.needs {
		if r.graph.find(need) == nil {
			r.doubt(sources.DoubtUnknownNeed, conflicts.Warning, path.Join(r.dir, r.graph.from), "lets %s need %s, which is not there", n.id, need)
		}
	}
	m := r.ledger.tasks[n.id]
	if m == nil || m.by == nil {
		if means := sources.MeaningOf(n.word); n.word != "" && means != sources.MeansPending && means != sources.MeansReady {
			r.doubt(sources.DoubtStatusWord, conflicts.Info, path.Join(r.dir, r.graph.from), "calls %s %s, and no event says so", n.id, n.word)
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

// place finds branch and worktree, where the run recorded a branch.
func (r *run) place(f *sources.Found) {
	branch := ""
	if e := r.ledger.kinds["run-started"]; e != nil {
		branch, f.Base = e.details.Get("branch_name", "branch").Text(), e.details.Get("base_branch").Text()
	}
	if v, ok := r.manifest(); ok {
		git := v.Get("git")
		if b := git.Get("work_branch", "branch").Text(); b != "" {
			branch = b
		}
		if b := git.Get("base_branch").Text(); b != "" {
			f.Base = b
		}
		f.Status = v.Get("state").Get("status").Text()
	}
	if branch == "" {
		return
	}
	if !r.view.Settle(r.ctx, f, branch) {
		r.doubt(sources.DoubtWorktree, conflicts.Warning, r.dir, "works on the branch '%s', which is not here", branch)
	}
}

// manifest is the run's own summary, which older versions wrote.
func (r *run) manifest() (sources.Value, bool) {
	for _, t := range r.trees {
		full := path.Join(r.dir, "manifest.yaml")
		data, ok := r.read(t, full)
		if !ok {
			continue
		}
		v, err := sources.ParseYAML(data)
		if err == nil {
			return v, true
		}
		r.doubt(sources.DoubtDamaged, conflicts.Info, full, "%s", err)
	}
	return sources.Value{}, false
}

// commits looks for commits that name tasks: a review shows them, and one may have landed when the event was lost.
// Their subjects read "[T001] what was done".
func (r *run) commits(f *sources.Found) {
	if r.ledger.end != nil || len(r.tasks) == 0 {
		return
	}
	tips := []string{"HEAD"}
	if f.Branch != "" {
		tips = []string{f.Branch}
	}
	prefix := "refs/heads/agent/" + r.id + "/"
	lanes, _ := r.view.Repo.Refs.Names(r.ctx, prefix) // none is the usual answer
	for _, l := range lanes[:min(len(lanes), 8)] {
		tips = append(tips, prefix+l)
	}
	since := stampOf(r.id).Add(-14 * time.Hour) // the id tells local time of some zone
	if stampOf(r.id).IsZero() {
		since = time.Time{}
	}
	for _, tip := range tips {
		for _, c := range r.log(tip) {
			if c.When.After(since) {
				r.landed(c)
			}
		}
	}
}

// log lists the newest commits of a tip; none if it has none.
func (r *run) log(tip string) []past.Logged {
	key := r.home.WorkTree + " " + tip
	if log, ok := r.subjects[key]; ok {
		return log
	}
	tree := r.view.Repo.At(r.home.Place)
	defer tree.Close()
	const most = 200
	log, _ := past.FileLog(r.ctx, tree, tip, most) // a branch without a commit has no log
	if r.subjects != nil {
		r.subjects[key] = log
	}
	return log
}

func unfinished(t sources.Task) bool {
	return t.State != checkpoint.Done && t.State != checkpoint.Skipped
}

// landed notes a commit that names a task. It makes the task done only where the log that should say so is lost.
func (r *run) landed(c past.Logged) {
	id, _, ok := strings.Cut(strings.TrimPrefix(c.Subject, "["), "]")
	if !ok || !strings.HasPrefix(c.Subject, "[") {
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
		r.doubt(sources.DoubtRebuilt, conflicts.Warning, r.dir, "has lost events; %s counts as done by the commit %.12s", t.ID, c.ID)
		return
	}
	r.doubt(sources.DoubtNotMarked, conflicts.Info, r.dir, "has no event that finishes %s, and the commit %.12s names it", t.ID, c.ID)
}

// compute finds what could be worked on now: needs met, not done, not blocked.
func (r *run) compute() {
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
