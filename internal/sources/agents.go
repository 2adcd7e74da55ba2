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

// Agents is what a system recorded about its coding agents: a history, and a marker that names the one at work.
// Neither proves anything alone: markers stay behind, and entries stay at "spawned" when the agent has long ended.
type Agents struct {
	// Marked: the marker is there; Marker is what it says.
	Marked bool
	Marker string
	// MarkerPath and HistoryPath are below the worktree; History is the file as it was read.
	MarkerPath  string
	HistoryPath string
	History     []byte
	Entries     []Agent
	// Unread says why the history tells nothing: it is missing, or cannot be read; empty where it was read.
	Unread string
}

// Agent is one entry of the history.
type Agent struct {
	ID   string
	Task string
	// Phase and Plan are as written; Unit is the plan's id, with the number of its phase where there is one.
	Phase, Plan, Unit string
	// Status is the word as written, Began and Ended the times.
	Status, Timestamp string
	Began, Ended      time.Time
	ResumedBy         string
	// Place is the entry's number, and List the key of the list that it stands in; empty: the list is the whole file.
	Place int
	List  string
}

// Open reports whether an agent may have been cut off: it was spawned or interrupted, and nobody took it up again.
func (a Agent) Open() bool {
	switch FoldWord(a.Status) {
	case "spawned", "interrupted", "running", "inprogress", "active":
		return a.ResumedBy == ""
	}
	return false
}

// HasEnded reports whether an agent's own entry says that it came to its end, well or not.
func (a Agent) HasEnded() bool {
	switch FoldWord(a.Status) {
	case "completed", "complete", "completedwithissues", "done", "resumed":
		return true
	}
	return false
}

// readAgents reads marker and history in a folder; what is wrong with them comes back as doubts.
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

// WhyUnknown says why nothing is known of an agent that is marked.
func (a Agents) WhyUnknown() string {
	if a.Unread != "" {
		return agentHistory + " " + a.Unread
	}
	return agentHistory + " does not name it"
}

// agentEntries reads the list by each of its names: early versions say entries, later ones agents; it may be the whole file.
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

// UnitOf makes one id of phase and plan: "03-initial-placement" and "06" are 03-06, and a plan may name its phase itself.
func UnitOf(phase, plan string) string {
	number := LeadingNumber(phase)
	if number == "" || plan == "" || strings.Contains(plan, "-") {
		return plan
	}
	return number + "-" + plan
}

// LeadingNumber is the number with which a name begins, as written: 26.1 of "26.1-monitoring".
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

// Find looks an agent up; of several entries with one id the newest counts.
func (a Agents) Find(id string) (Agent, bool) {
	for i := len(a.Entries) - 1; i >= 0; i-- {
		if a.Entries[i].ID == id && id != "" {
			return a.Entries[i], true
		}
	}
	return Agent{}, false
}

// Interrupted is the latest agent that was spawned or interrupted and not taken up again.
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

// Active is when the history was last written to, by its own times.
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

// shortLine is the first line of a text that is meant to be a name.
func shortLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	const longest = 200
	if r := []rune(line); len(r) > longest {
		line = string(r[:longest])
	}
	return strings.TrimSpace(line)
}

// Marked is what the marker is worth.
type Marked struct {
	Agent
	// Known: the history has an entry for it. Stale: it is left over, and says nothing.
	Known, Stale bool
}

// Judge weighs the marker against the work itself: done says why the plan of an entry is done, and all why all of the work is;
// both are empty if that is not so. What there is to doubt comes back too. Without a marker there is nothing to judge.
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

// Live: an agent is marked, and nothing says that it has ended.
func (m Marked) Live() bool { return m.ID != "" && !m.Stale }
