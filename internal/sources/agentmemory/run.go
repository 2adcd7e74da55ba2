package agentmemory

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
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

// nameOf takes date and random end off a run's id: 20260115-1030-user-auth-a1b2 is user-auth.
func nameOf(id string) string {
	parts := strings.Split(id, "-")
	if len(parts) < 4 || stampOf(id).IsZero() {
		return id
	}
	return strings.Join(parts[2:len(parts)-1], "-")
}

// worked reports whether an event says that a task was worked on.
func (r *run) worked() bool {
	for _, m := range r.ledger.tasks {
		if m.by != nil && m.state != checkpoint.Pending {
			return true
		}
	}
	return false
}

// approvalAsked: before anything is executed the system asked for an approval, and no later event tells that it was given.
func (r *run) approvalAsked() bool {
	var asked, given time.Time
	for kind, e := range r.ledger.kinds {
		switch {
		case strings.Contains(kind, "approved"), strings.Contains(kind, "approval-g"), strings.Contains(kind, "approval-received"), strings.Contains(kind, "rejected"):
			if e.at.After(given) {
				given = e.at
			}
		case kind == "approval-requested", strings.HasSuffix(kind, "-approval-requested"), kind == "awaiting-approval", kind == "approval-pending":
			if e.at.After(asked) {
				asked = e.at
			}
		}
	}
	return !r.worked() && asked.After(given) && !slices.ContainsFunc(r.ledger.gates, func(e *event) bool { return e.at.After(asked) })
}

// approved reports whether a person passed the gate before the execution.
// The constitution is written only after that.
func (r *run) approved() bool {
	if r.docs["constitution.md"] || r.flow.development || r.flow.state == "phase_3_dev_approved" {
		return true
	}
	if r.flow.kind == "bootstrap-only" && r.flow.bootstrap || r.flow.state == "bootstrap_b5_approved" && r.flow.approval == "approve_bootstrap" {
		return true
	}
	return slices.ContainsFunc(r.ledger.gates, func(e *event) bool { return r.opens(e) })
}

// opens reports whether an event is a person's word that the execution may begin.
func (r *run) opens(e *event) bool {
	switch e.kind {
	case "artifact-approved":
		what := e.details.Get("artifact_type").Text()
		if what == "" { // named by its file
			what, _, _ = strings.Cut(path.Base(e.details.Get("artifact").Text()), ".")
		}
		what = foldKind(what)
		return slices.Contains([]string{"plan", "constitution", "task-graph"}, what) && e.details.Get("approval_type").Text() != "automated"
	case "phase-gate-passed":
		gate := "1"
		if r.flow.later {
			gate = "3"
		}
		return e.details.Get("phase").Text() == gate
	case "development-gate-response":
		return strings.HasPrefix(sources.FoldWord(e.details.Get("response", "decision", "answer").Text()), "approv")
	}
	return false
}

// allDone reports whether every task is known, and none is left.
func (r *run) allDone() bool { return !r.graphless() && !slices.ContainsFunc(r.tasks, unfinished) }

// graphless: no task is left that is known, and there may be more.
func (r *run) graphless() bool {
	return len(r.tasks) == 0 || r.partial && !slices.ContainsFunc(r.tasks, unfinished)
}

// consolidation is the number of the last phase.
func (r *run) consolidation() int {
	if r.flow.later {
		return 6
	}
	return 4
}

// prReady reports whether cleanup and PR preparation are over.
func (r *run) prReady() bool {
	return r.docs["pr-checklist.md"] || r.ledger.reached >= r.consolidation() ||
		r.ledger.has("ready-for-human-review", "pr-prep-completed", "pr-prep-complete", "pr-created", "pr-opened",
			"consolidation-started", "memory-consolidation-started")
}

func (r *run) consolidated() bool {
	return r.ledger.reached > r.consolidation() ||
		r.ledger.has("consolidation-completed", "consolidation-complete", "memory-consolidation-completed", "memory-consolidation-complete")
}

// tooOften is when the system itself gives a task up and asks.
const tooOften = 3

func (r *run) usedUp(id string) bool {
	m := r.ledger.tasks[id]
	return m != nil && m.failures >= tooOften
}

// fault is what the event of a failed task gives as its cause, in brackets; empty if it gives none.
func (r *run) fault(id string) string {
	m := r.ledger.tasks[id]
	if m == nil || m.by == nil {
		return ""
	}
	text, _, _ := strings.Cut(m.by.details.Get("error", "reason", "message", "failure_reason", "cause").Text(), "\n")
	const most = 100
	if cut := []rune(text); len(cut) > most {
		text = string(cut[:most]) + "…"
	}
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// unreadable: there are logs, and nothing in any of them can be read. That is neither a fresh run nor a finished one.
func (r *run) unreadable() bool {
	return len(r.ledger.events) == 0 && (r.ledger.unread || r.ledger.lost)
}

// documents are the files whose presence tells the phase.
var documents = []string{"prd.md", "plan.md", "constitution.md", "pr-checklist.md", "bootstrap-plan.md", "dependency-report.md"}
