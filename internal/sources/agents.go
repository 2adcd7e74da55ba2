package sources

import (
	"context"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
)

// The files in which a family of systems keeps track of its coding agents.
const (
	agentMarker  = "current-agent-id.txt"
	agentHistory = "agent-history.json"
)

// Agents is what a system recorded about its coding agents: a history, and a marker that names the agent at work.
// Neither proves anything alone: markers get left over, and entries still say "spawned" long after the agent has ended.
type Agents struct {
	// Marked says that the marker file exists; Marker is the text in it.
	Marked bool
	Marker string
	// MarkerPath and HistoryPath are relative to the worktree; History is the content of the history file as it was read.
	MarkerPath  string
	HistoryPath string
	History     []byte
	Entries     []Agent
	// Unread says why the history gives no information: it is missing or cannot be read. It is empty if the history was read.
	Unread string
}

// Agent is one entry of the history.
type Agent struct {
	ID   string
	Task string
	// Phase and Plan are as written; Unit is the plan's id, preceded by the number of its phase where there is one.
	Phase, Plan, Unit string
	// Status and Timestamp are as written; Began and Ended are the parsed times.
	Status, Timestamp string
	Began, Ended      time.Time
	ResumedBy         string
	// Place is the entry's position in its list, and List the key of that list; an empty List means that the list is the whole file.
	Place int
	List  string
}

// Open reports whether an agent may have been interrupted: it was spawned or interrupted, and no other agent resumed it.
func (a Agent) Open() bool {
	switch FoldWord(a.Status) {
	case "spawned", "interrupted", "running", "inprogress", "active":
		return a.ResumedBy == ""
	}
	return false
}

// HasEnded reports whether an agent's own entry says that the agent ended, with or without issues.
func (a Agent) HasEnded() bool {
	switch FoldWord(a.Status) {
	case "completed", "complete", "completedwithissues", "done", "resumed":
		return true
	}
	return false
}

// readAgents reads the marker and the history in a folder; problems with them are returned as doubts.
func (v *View) readAgents(ctx context.Context, t Tree, dir string) (Agents, []Doubt) {
	a := Agents{MarkerPath: dir + "/" + agentMarker, HistoryPath: dir + "/" + agentHistory}
	var doubts []Doubt
	if t.Has(a.MarkerPath) {
		data, err := t.Read(a.MarkerPath)
		a.Marked, a.Marker = err == nil, shortLine(Text(data))
		if err != nil {
			doubts = append(doubts, DoubtOf(err, a.MarkerPath))
		}
	}
	if !t.Has(a.HistoryPath) {
		a.Unread = "is missing"
		return a, doubts
	}
	ok, more := v.Recover(ctx, t, a.HistoryPath, func(data []byte) error {
		history, err := ParseJSON(data)
		if err == nil {
			a.History, a.Entries = data, agentEntries(history)
		}
		return err
	})
	if !ok {
		a.Unread = "cannot be read"
	}
	return a, append(doubts, more...)
}

// WhyUnknown says why nothing is known about the agent that the marker names.
func (a Agents) WhyUnknown() string {
	if a.Unread != "" {
		return agentHistory + " " + a.Unread
	}
	return agentHistory + " does not name it"
}

// agentEntries reads the list of agents: early versions call it entries, later ones agents, and it may also be the whole file.
func agentEntries(history Value) []Agent {
	list, all := "", history
	for _, name := range []string{"history", "agents", "entries"} {
		if named := history.Get(name); named.IsList() {
			list, all = name, named
		}
	}
	var out []Agent
	for i, e := range all.Items() {
		a := Agent{
			ID: e.Get("agent_id").Text(), Task: e.Get("task_description").Text(), Phase: e.Get("phase").Text(), Plan: e.Get("plan").Text(),
			Status: e.Get("status").Text(), Timestamp: e.Get("timestamp").Text(), ResumedBy: e.Get("resumed_by").Text(), Place: i, List: list,
		}
		a.Began, _, _ = ParseTime(a.Timestamp)
		a.Ended, _, _ = ParseTime(e.Get("completion_timestamp").Text())
		a.Unit = UnitOf(a.Phase, a.Plan)
		out = append(out, a)
	}
	return out
}

// UnitOf makes one id from phase and plan: "03-initial-placement" and "06" become 03-06. A plan that names its phase is used as it is.
func UnitOf(phase, plan string) string {
	number := LeadingNumber(phase)
	if number == "" || plan == "" || strings.Contains(plan, "-") {
		return plan
	}
	return number + "-" + plan
}

// LeadingNumber returns the number at the start of a name, as written: 26.1 for "26.1-monitoring".
func LeadingNumber(name string) string {
	n := digits(name)
	if n == 0 {
		return ""
	}
	if n < len(name) && name[n] == '.' {
		if m := digits(name[n+1:]); m > 0 {
			n += 1 + m
		}
	}
	return name[:n]
}

// Find looks up an agent by its id; if several entries have the same id, the newest one counts.
func (a Agents) Find(id string) (Agent, bool) {
	for i := len(a.Entries) - 1; i >= 0; i-- {
		if a.Entries[i].ID == id && id != "" {
			return a.Entries[i], true
		}
	}
	return Agent{}, false
}

// Interrupted returns the latest agent that was spawned or interrupted and that no other agent resumed.
func (a Agents) Interrupted() (Agent, bool) {
	var last Agent
	found := false
	for _, e := range a.Entries {
		if e.Open() && (!found || !e.Began.Before(last.Began)) {
			last, found = e, true
		}
	}
	return last, found
}

// Active is when the history was last updated, according to the times in its entries.
func (a Agents) Active() time.Time {
	var last time.Time
	for _, e := range a.Entries {
		for _, t := range []time.Time{e.Began, e.Ended} {
			if t.After(last) {
				last = t
			}
		}
	}
	return last
}

// shortLine returns the first line of a text that should be a name, cut to 200 characters.
func shortLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	const longest = 200
	if r := []rune(line); len(r) > longest {
		line = string(r[:longest])
	}
	return strings.TrimSpace(line)
}

// Marked is the agent that the marker names, and whether the marker can be trusted.
type Marked struct {
	Agent
	// Known says that the history has an entry for the agent. Stale says that the marker is left over and means nothing.
	Known, Stale bool
}

// Judge compares the marker with the work itself: done says why the plan of an entry is done, and all says why the whole work is done;
// both are empty if that is not the case. Problems are returned as doubts. Without a marker there is nothing to judge.
func (a Agents) Judge(done func(unit string) string, all string) (m Marked, doubts []Doubt) {
	if !a.Marked {
		return m, nil
	}
	if a.Marker == "" {
		m.Stale = true
		return m, []Doubt{{Code: DoubtStaleMarker, Severity: conflicts.Warning, Path: a.MarkerPath, Text: "the marker is empty, and names no agent"}}
	}
	m.Agent, m.Known = a.Find(a.Marker)
	why := done(m.Unit)
	switch {
	case why != "":
	case m.Known && m.HasEnded():
		why = "the history says " + m.Status
	case !m.Known && all != "":
		why = all
	}
	if m.Stale = why != ""; m.Stale {
		return m, []Doubt{{Code: DoubtStaleMarker, Severity: conflicts.Warning, Path: a.MarkerPath,
			Text: "the marker of agent " + a.Marker + " is left over: " + why}}
	}
	if !m.Known {
		m.Agent = Agent{ID: a.Marker}
		doubts = append(doubts, Doubt{Code: DoubtAgentUnknown, Severity: conflicts.Warning, Path: a.MarkerPath,
			Text: "agent " + a.Marker + " is marked as working, and " + a.WhyUnknown() + ": which plan it worked on is not known"})
	}
	return m, doubts
}

// Live reports whether the marker names an agent and nothing shows that this agent has ended.
func (m Marked) Live() bool { return m.ID != "" && !m.Stale }
