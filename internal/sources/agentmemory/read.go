package agentmemory

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

type reader struct {
	*run
	// subjects caches the newest commits of each branch for all runs.
	subjects map[string][]past.Logged
}

func read(m *memory, subjects map[string][]past.Logged) *run {
	r := reader{&run{memory: m, docs: map[string]bool{}, ledger: readLogs(m).fold()}, subjects}
	r.home = r.newest()
	r.trees = append([]sources.Tree{r.home}, slices.DeleteFunc(slices.Clone(r.trees), func(t sources.Tree) bool { return t.WorkTree == r.home.WorkTree })...)
	r.graph = r.readGraph()
	r.flow = r.readWorkflow()
	for _, name := range documents {
		r.docs[name] = r.has(name)
	}
	r.list()
	r.readPlace()
	r.commits()
	r.compute()
	return r.run
}

// newest returns the worktree with the newest event, because the run was last worked on there. If there are no events, it returns the
// first worktree.
func (r reader) newest() sources.Tree {
	best := r.trees[0]
	for _, t := range r.trees[1:] {
		if r.ledger.newest[t.WorkTree].After(r.ledger.newest[best.WorkTree]) {
			best = t
		}
	}
	if len(r.trees) > 1 && best.WorkTree != r.trees[0].WorkTree {
		r.doubts.About(sources.DoubtCopies, conflicts.Info, r.dir, "has newer events in worktree %s", best.WorkTree)
	}
	return best
}

// readPlace sets the name and the folder of the run. If the run recorded a branch, it also sets the branch and the worktree.
func (r reader) readPlace() {
	r.place = sources.Found{Source: "agent-memory", ID: r.id, Name: nameOf(r.id), Home: r.home.WorkTree, Root: r.dir}
	f := &r.place
	branch := ""
	if e := r.ledger.kinds["run-started"]; e != nil {
		branch, f.Base = e.details.Get("branch_name", "branch").Text(), e.details.Get("base_branch").Text()
	}
	if v, _, ok := r.parse("manifest.yaml", conflicts.Info, yamldoc.Parse); ok { // only older versions of the system write manifest.yaml
		git := v.Get("git")
		branch, f.Base = cmp.Or(git.Get("work_branch", "branch").Text(), branch), cmp.Or(git.Get("base_branch").Text(), f.Base)
		f.Status = v.Get("state").Get("status").Text()
	}
	if branch == "" {
		return
	}
	if !r.view.Settle(r.ctx, f, branch) {
		r.doubts.About(sources.DoubtWorktree, conflicts.Warning, r.dir, "works on the branch '%s', which does not exist here", branch)
	}
}

// nameOf removes the date and the random suffix from the id of a run: 20260115-1030-user-auth-a1b2 becomes user-auth. An
// id in another form stays unchanged.
func nameOf(id string) string {
	parts := strings.Split(id, "-")
	if len(parts) < 4 || stampOf(id).IsZero() {
		return id
	}
	return strings.Join(parts[2:len(parts)-1], "-")
}

// parse returns the first copy of a file that can be parsed, and adds a warning for each damaged copy before it. The result "there" is true
// if any copy could be read.
func (r reader) parse(name string, grade conflicts.Severity, as func([]byte) (textdoc.Value, error)) (v textdoc.Value, there, ok bool) {
	full := path.Join(r.dir, name)
	for _, t := range r.trees {
		data, has := r.read(t, full)
		if !has {
			continue
		}
		there = true
		v, err := as(data)
		if err == nil {
			return v, true, true
		}
		r.doubts.About(sources.DoubtDamaged, grade, full, "%s", err)
	}
	return v, there, false
}

func (r reader) readWorkflow() workflow {
	w := workflow{later: slices.ContainsFunc(r.graph.nodes, func(n node) bool { return isLaterID(n.id) })}
	v, there, ok := r.parse("workflow-state.json", conflicts.Warning, textdoc.ParseJSON)
	if w.later = w.later || there; !ok {
		return w
	}
	if w.parse(v); w.state == "" {
		r.doubts.About(sources.DoubtUnknownWord, conflicts.Info, path.Join(r.dir, "workflow-state.json"), "names no known phase that is still open")
	}
	return w
}

// readGraph returns the first task graph that can be read, from the worktree of the run or from another one. Otherwise it reads a
// committed version of a damaged graph. Without such a version, it builds a graph from the files tasks/<id>.md.
func (r reader) readGraph() graph {
	type place struct {
		tree sources.Tree
		full string
	}
	var damaged []place
	for _, t := range r.trees {
		for _, name := range graphFiles {
			full := path.Join(r.dir, name)
			data, ok := r.read(t, full)
			if !ok {
				continue
			}
			g, err := parseGraph(name, data)
			if err == nil {
				if len(damaged) > 0 {
					r.doubts.About(sources.DoubtFallback, conflicts.Warning, full, "was read from worktree %s, because %s in worktree %s cannot be read", t.WorkTree, damaged[0].full, damaged[0].tree.WorkTree)
				}
				return g
			}
			damaged = append(damaged, place{t, full})
			r.doubts.About(sources.DoubtDamaged, conflicts.Warning, full, "%s", err)
		}
	}
	for _, p := range damaged {
		if g, ok := r.graphOfHistory(p.tree, p.full); ok {
			return g
		}
	}
	return r.contracts(len(damaged) > 0)
}

// graphOfHistory finds a committed version of the graph that can be read. An older version is usually good enough,
// because the graph rarely changes during the work.
func (r reader) graphOfHistory(t sources.Tree, full string) (graph, bool) {
	const most = 10
	versions, _ := r.view.History(r.ctx, t, full, most) // an error counts as an empty history
	for _, v := range versions {
		if g, err := parseGraph(path.Base(full), v.Data); err == nil {
			r.rebuilt = true
			r.doubts.About(sources.DoubtFallback, conflicts.Warning, full, "was read from commit %.12s, because the copy in the worktree cannot be read", v.Commit)
			return g, true
		}
	}
	return graph{}, false
}

// contract reads the file of one task. If there is none, only the id of the task is known.
func (r reader) contract(id string) node {
	for _, t := range r.trees {
		if strings.ContainsAny(id, `/\`) {
			break
		}
		if data, ok := r.read(t, path.Join(r.dir, "tasks", id+".md")); ok {
			return parseContract(id, data)
		}
	}
	return node{id: id}
}

// contracts builds a graph from the files tasks/<id>.md. The method list() adds the tasks that only events mention.
func (r reader) contracts(damaged bool) graph {
	g := graph{from: "tasks/"}
	for _, t := range r.trees {
		entries, err := t.List(path.Join(r.dir, "tasks"))
		if err != nil {
			r.doubts.Refuse(path.Join(r.dir, "tasks"), err)
			continue
		}
		for _, e := range entries {
			id, ok := strings.CutSuffix(e.Name(), ".md")
			if !ok || g.find(id) != nil {
				continue
			}
			if data, ok := r.read(t, path.Join(r.dir, "tasks", e.Name())); ok {
				g.add(parseContract(id, data))
			}
		}
	}
	if len(g.nodes) > 0 && damaged {
		r.rebuilt = true
		r.doubts.About(sources.DoubtRebuilt, conflicts.Warning, path.Join(r.dir, "tasks"), "supplied the tasks, because the task graph cannot be read")
	}
	return g
}
