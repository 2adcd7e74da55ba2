package agentmemory

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

type node struct {
	id, title, word string
	needs, files    []string
}

// graph lists the tasks of the run in the order in which they should be done.
type graph struct {
	nodes []node
	at    map[string]int
	// from names the file or folder from which the graph was read.
	from string
}

func (g *graph) find(id string) *node {
	if i, ok := g.at[id]; ok {
		return &g.nodes[i]
	}
	return nil
}

// graphFiles lists the file names of the graph in all versions of the system.
var graphFiles = []string{"task-graph.json", "task-graph.yaml", "task-graph.yml"}

// parseGraph reads a task graph. The tasks are in a list, or in an object with the task ids as keys.
func parseGraph(name string, data []byte) (graph, error) {
	parse := textdoc.ParseJSON
	if path.Ext(name) != ".json" {
		parse = yamldoc.Parse
	}
	v, err := parse(data)
	if err != nil {
		return graph{}, err
	}
	if inner := v.Get("task_graph", "taskGraph"); inner.IsObject() {
		v = inner
	}
	g := graph{from: name}
	tasks := v.Get("tasks", "nodes")
	if v.IsList() {
		tasks = v
	}
	if !tasks.IsList() && !tasks.IsObject() {
		return graph{}, &textdoc.DamageError{Why: "names no tasks"}
	}
	for _, item := range tasks.Items() {
		g.add(parseNode(item, item.Get("id", "task_id", "key").Text()))
	}
	for _, f := range tasks.Fields() {
		g.add(parseNode(f.Value, f.Key))
	}
	g.connect(v.Get("edges"))
	g.order(v.Get("execution_order", "executionOrder"))
	return g, nil
}

// parseNode reads one task. In a list, a task may be only an id.
func parseNode(v textdoc.Value, id string) node {
	n := node{id: cmp.Or(id, v.Text()), title: v.Get("title", "name", "summary").Text(), word: v.Get("status", "state").Text(),
		needs: v.Get("dependencies", "depends_on", "dependsOn", "deps", "needs").Texts()}
	if n.title == "" {
		n.title, _, _ = strings.Cut(v.Get("description").Text(), "\n")
	}
	if f := v.Get("files"); f.IsList() {
		n.files = f.Texts()
	} else {
		n.files = f.Get("allowed", "modify").Texts()
	}
	return n
}

// add adds a task. It ignores a task that has no id, or the id of an earlier task.
func (g *graph) add(n node) {
	if n.id == "" || g.find(n.id) != nil {
		return
	}
	if g.at == nil {
		g.at = map[string]int{}
	}
	g.at[n.id] = len(g.nodes)
	g.nodes = append(g.nodes, n)
}

// connect adds the dependencies that are listed beside the tasks. An edge leads from a task to the one that waits for it, unless its type says
// that the first one depends on the other.
func (g *graph) connect(edges textdoc.Value) {
	for _, e := range edges.Items() {
		from, to := e.Get("from", "source").Text(), e.Get("to", "target").Text()
		if slices.Contains([]string{"dependson", "dependency", "needs", "requires"}, sources.FoldWord(e.Get("type", "kind", "relation").Text())) {
			from, to = to, from
		}
		if n := g.find(to); n != nil && from != "" && !slices.Contains(n.needs, from) {
			n.needs = append(n.needs, from)
		}
	}
}

// order sorts the tasks by the execution order that the graph contains. Tasks outside this order come last.
func (g *graph) order(v textdoc.Value) {
	place := map[string]int{}
	var walk func(textdoc.Value)
	walk = func(v textdoc.Value) {
		for _, item := range v.Items() {
			id := cmp.Or(item.Text(), item.Get("id", "task_id").Text())
			if _, ok := place[id]; id != "" && !ok {
				place[id] = len(place)
			}
			if item.IsList() {
				walk(item)
			}
			walk(item.Get("tasks"))
		}
	}
	walk(v)
	at := func(id string) int {
		if n, ok := place[id]; ok {
			return n
		}
		return len(place)
	}
	slices.SortStableFunc(g.nodes, func(a, b node) int { return at(a.id) - at(b.id) })
	for i, n := range g.nodes {
		g.at[n.id] = i
	}
}

// cycle finds tasks that depend on each other in a cycle, and returns them in the order of the cycle. It returns nil if there is no
// cycle.
func (g *graph) cycle() []string {
	var ids []string
	for _, n := range g.nodes {
		ids = append(ids, n.id)
	}
	return sources.Circle(ids, func(id string) []string {
		if n := g.find(id); n != nil {
			return n.needs
		}
		return nil
	})
}

var (
	contractTitle = textdoc.NewForm(`^(?:[Tt]ask(?: [Cc]ontract)?:?\s+)?([A-Z][A-Za-z]*-?\d+)\s*[:—–-]?\s*(.*)$`)
	contractNeeds = textdoc.NewForm(`(?i)^[-*\s]*\**(?:dependencies|depends on)\**\s*:\**(.*)$`)
	taskID        = textdoc.NewForm(`\b[A-Z][A-Za-z]*-?\d+\b`)
)

// parseContract reads the title and the dependencies from the file of a task.
func parseContract(id string, data []byte) node {
	n := node{id: id}
	front, body, _ := yamldoc.FrontMatter(textdoc.Text(data)) // if the file has no valid front matter, the variable "front" is empty
	n.title, n.needs = front.Get("title", "name").Text(), front.Get("dependencies", "depends_on").Texts()
	lines := textdoc.Visible(body)
	for _, s := range textdoc.Sections(lines) {
		if n.title == "" && s.Level == 1 {
			n.title = s.Title
			if m := contractTitle.FindStringSubmatch(s.Title); m != nil && m[2] != "" {
				n.title = m[2]
			}
		}
		if len(n.needs) == 0 && strings.EqualFold(s.Title, "dependencies") {
			for _, l := range s.Body {
				n.needs = append(n.needs, taskID.FindAllString(l.Text, -1)...)
			}
		}
	}
	for _, l := range lines {
		if m := contractNeeds.FindStringSubmatch(l.Text); m != nil && len(n.needs) == 0 {
			n.needs = taskID.FindAllString(m[1], -1)
		}
	}
	return n
}
