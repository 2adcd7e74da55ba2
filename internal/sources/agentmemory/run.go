package agentmemory

import (
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

type run struct {
	*memory
	home   sources.Tree
	docs   map[string]bool
	ledger *ledger
	graph  graph
	flow   workflow
	tasks  []sources.Task
	// runnable lists the tasks that could be worked on now, according to the protocol.
	runnable []string
	circle   []string
	// partial is true if some tasks may be missing from the list. rebuilt is true if part of the state was derived from other evidence,
	// such as commits.
	partial, rebuilt bool
	// place holds the name, the branch and the worktree of the run.
	place sources.Found
}

// worked reports whether any event shows work on a task.
func (r *run) worked() bool {
	for _, m := range r.ledger.tasks {
		if m.by != nil && m.state != checkpoint.Pending {
			return true
		}
	}
	return false
}

// approvalAsked reports whether the system asked for an approval that nobody has given or refused yet. It returns false if a task was
// already worked on.
func (r *run) approvalAsked() bool {
	var asked, given time.Time
	for kind, e := range r.ledger.kinds {
		switch {
		case strings.Contains(kind, "approved"), strings.Contains(kind, "approval-g"), strings.Contains(kind, "approval-received"), strings.Contains(kind, "rejected"):
			if e.at.After(given) {
				given = e.at
			}
		case strings.HasSuffix(kind, "approval-requested"), slices.Contains(awaits, kind):
			if e.at.After(asked) {
				asked = e.at
			}
		}
	}
	return !r.worked() && asked.After(given) && !slices.ContainsFunc(r.ledger.gates, func(e *event) bool { return e.at.After(asked) })
}

// awaits lists the types of events that say that an approval is waited for, besides those that end in "approval-requested".
var awaits = []string{"awaiting-approval", "waiting-for-approval", "waiting-approval", "approval-pending"}

// planned lists the documents that make up the plan. Who rejects one of them rejects the plan.
var planned = []string{"plan", "constitution", "task-graph"}

// refused returns the event that rejected the plan. It returns nil if somebody approved the plan afterwards, or worked on a task.
func (r *run) refused() (no *event) {
	for i := range r.ledger.events {
		e := &r.ledger.events[i]
		state, moved := e.effect()
		about := artifact(e)
		plan := slices.Contains(planned, about) || about == "" && (strings.HasPrefix(e.kind, "approval-") || strings.HasPrefix(e.kind, "artifact-"))
		switch {
		case moved && state != checkpoint.Pending:
			no = nil
		case e.task != "":
		case plan && strings.HasSuffix(e.kind, "rejected"):
			no = e
		case plan && approves(e), r.opens(e):
			no = nil
		}
	}
	return no
}

// approves reports whether an event says by its type that something was approved.
func approves(e *event) bool {
	return strings.HasSuffix(e.kind, "approved") || strings.HasSuffix(e.kind, "approval-granted") || strings.HasSuffix(e.kind, "approval-received")
}

// approved reports whether something shows that a person approved the start of the execution. An example is the file
// constitution.md, which is normally written after the approval, or a task that is done: without the approval, nobody would have started it.
func (r *run) approved() bool {
	done := func(m *mark) bool { return m.by != nil && m.state == checkpoint.Done }
	if !r.flow.later && r.refused() != nil {
		return false
	}
	if !r.flow.later && slices.ContainsFunc(slices.Collect(maps.Values(r.ledger.tasks)), done) {
		return true
	}
	if r.docs["constitution.md"] && !r.beforeExecution() || r.flow.development || r.flow.state == "phase_3_dev_approved" {
		return true
	}
	if r.flow.kind == "bootstrap-only" && r.flow.bootstrap || r.flow.state == approvedB5 && r.flow.approval == "approve_bootstrap" {
		return true
	}
	return slices.ContainsFunc(r.ledger.gates, func(e *event) bool { return r.opens(e) })
}

// beforeExecution reports whether the newest event about a phase names one before the execution. The constitution may then have been
// written before the approval.
func (r *run) beforeExecution() bool {
	return !r.flow.later && r.ledger.reachedBy != nil && r.ledger.reached <= 1
}

// orRestored returns a text that says what to do about a lost document. It adds how to get the document back if HEAD still has it.
func (r *run) orRestored(full, what string) string {
	if head, ok := r.view.Before(r.ctx, r.home, r.dir); ok && r.home.Size(full) <= 0 && head.Size(full) > 0 {
		what += ", or HEAD's version brought back: " + quote.Command("git restore -- %s", full)
	}
	return what
}

// rejected returns the event that rejected a document, or an event that rejected no certain document. It returns nil if the document was
// approved, asked about or written again afterwards.
func (r *run) rejected(docs ...string) (no *event) {
	for i := range r.ledger.events {
		e := &r.ledger.events[i]
		about := artifact(e)
		if about != "" && !slices.Contains(docs, about) {
			continue
		}
		asked := strings.Contains(e.kind, "approv") || e.kind == "phase-gate-passed"
		switch written := about != "" && (strings.HasPrefix(e.kind, "artifact-") || strings.HasPrefix(e.kind, about+"-")); {
		case e.task != "":
		case strings.HasSuffix(e.kind, "rejected"):
			no = e
		case asked, written:
			no = nil
		}
	}
	// The time of a file is only compared with our own event. The times in other events are those of another clock, or of another day.
	if no != nil && no.own() {
		if when, _ := r.view.Written(r.ctx, r.home, path.Join(r.dir, docs[0]+".md")); when.After(no.at) {
			return nil
		}
	}
	return no
}

// refusal says why a document was rejected, as the event says it.
func refusal(e *event, doc string) string {
	if about := artifact(e); about == "task-graph" {
		doc = "task-graph.json"
	} else if about != "" {
		doc = about + ".md"
	}
	why, _, _ := strings.Cut(e.details.Get("reason", "response", "feedback", "comment", "description", "message").Text(), "\n")
	if len(why) >= 2 && strings.EqualFold(why[:2], "no") && strings.TrimLeft(why[2:], ":,;. ") != why[2:] || strings.EqualFold(why, "no") {
		why = strings.TrimLeft(why[2:], ":,;. ")
	}
	if why != "" {
		why = ": " + why
	}
	return doc + " was rejected" + why
}

// artifact returns the document that an event is about, without the ending of its file, or "" if the event names none.
func artifact(e *event) string {
	what := e.details.Get("artifact_type").Text()
	if what == "" { // some events contain the file of the artifact instead of its type
		what, _, _ = strings.Cut(path.Base(e.details.Get("artifact").Text()), ".")
	}
	for _, doc := range []string{"prd", "plan", "constitution", "task-graph"} {
		if what == "" && strings.HasPrefix(e.kind, doc+"-") {
			return doc
		}
	}
	return foldKind(what)
}

// opens reports whether an event says that a person approved the start of the execution.
func (r *run) opens(e *event) bool {
	switch e.kind {
	case "artifact-approved":
		return slices.Contains(planned, artifact(e)) && e.details.Get("approval_type").Text() != "automated"
	case "phase-gate-passed":
		gate := "1"
		if r.flow.later {
			gate = "3"
		}
		return e.details.Get("phase").Text() == gate
	case developmentAnswer:
		return strings.HasPrefix(response(e), "approv")
	}
	return false
}

// These are the events that contain a person's answer to the question at a gate.
const (
	bootstrapAnswer   = "bootstrap-gate-response"
	developmentAnswer = "development-gate-response"
)

// response returns the answer in such an event, as one word.
func response(e *event) string {
	if e == nil {
		return ""
	}
	return sources.FoldWord(e.details.Get("response", "decision", "answer").Text())
}

// allDone reports whether all tasks are known and finished.
func (r *run) allDone() bool { return !r.graphless() && !slices.ContainsFunc(r.tasks, unfinished) }

// graphless reports whether the remaining tasks are not known. Either no task is known at all, or all known tasks are finished and others
// may follow.
func (r *run) graphless() bool {
	return len(r.tasks) == 0 || r.partial && !slices.ContainsFunc(r.tasks, unfinished)
}

// consolidation returns the number of the last phase.
func (r *run) consolidation() int {
	if r.flow.later {
		return 6
	}
	return 4
}

// prReady reports whether something shows that the pull request is prepared.
func (r *run) prReady() bool {
	return r.docs["pr-checklist.md"] || r.ledger.reached >= r.consolidation() ||
		r.ledger.has("ready-for-human-review", "pr-prep-completed", "pr-prep-complete", "pr-created", "pr-opened",
			"consolidation-started", "memory-consolidation-started")
}

func (r *run) consolidated() bool {
	return r.ledger.reached > r.consolidation() ||
		r.ledger.has("consolidation-completed", "consolidation-complete", "memory-consolidation-completed", "memory-consolidation-complete")
}

func (r *run) usedUp(id string) bool {
	m := r.ledger.tasks[id]
	return m != nil && m.failures >= tooOften
}

// fault returns, in parentheses, the cause that is named in the last event of a task. It returns "" if the event names none.
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

// unreadable reports whether logs exist but none of them contains a readable event. Such a run is neither new nor finished.
func (r *run) unreadable() bool {
	return len(r.ledger.events) == 0 && (r.ledger.unread || r.ledger.lost)
}

// documents lists the files whose existence shows the phase of a run.
var documents = []string{"prd.md", "plan.md", "constitution.md", "pr-checklist.md", "bootstrap-plan.md", "dependency-report.md"}

func unfinished(t sources.Task) bool {
	return t.State != checkpoint.Done && t.State != checkpoint.Skipped
}

// unmet returns the dependencies of a task that are not finished. The result "lost" is the first dependency that does not exist at all, or
// "".
func (r *run) unmet(t sources.Task) (all []string, lost string) {
	for _, need := range t.Needs {
		i := slices.IndexFunc(r.tasks, func(other sources.Task) bool { return other.ID == need })
		if i >= 0 && !unfinished(r.tasks[i]) {
			continue
		}
		if all = append(all, need); i < 0 && lost == "" {
			lost = need
		}
	}
	return all, lost
}

func named(t *sources.Task) string {
	if t.Title == "" {
		return t.ID
	}
	return t.ID + " - " + t.Title
}
