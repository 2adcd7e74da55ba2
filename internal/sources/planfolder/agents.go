package planfolder

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// These are the files in which several related systems keep track of their coding agents.
const (
	agentMarker  = "current-agent-id.txt"
	agentHistory = "agent-history.json"
)

// Agents holds what a system recorded about its coding agents: a history file, and a marker file that names the agent at work. Neither file
// is proof alone. A marker can be left over, and a history entry can still say "spawned" long after its agent has ended.
type Agents struct {
	// Marked is true if the marker file exists and can be read. Marker is the first line of that file.
	Marked bool
	Marker string
	// MarkerPath and HistoryPath are relative to the worktree. History is the content of the history file.
	MarkerPath  string
	HistoryPath string
	History     []byte
	Entries     []Agent
	// Unread says why the history could not be used: the file is missing or cannot be read. Unread is empty if the history was read.
	Unread string
}

// Agent is one agent, as an entry of the agents' history file describes it.
type Agent struct {
	ID   string
	Task string
	// Phase and Plan are copied from the file. If it names the file of a plan, Plan is only the id. Unit is the id that UnitOf makes from them.
	Phase, Plan, Unit string
	// Status and Timestamp are copied from the file. Began and Ended are the parsed times.
	Status, Timestamp string
	Began, Ended      time.Time
	ResumedBy         string
	// At is the path of the entry in the history file: keys, and positions in lists.
	At []any
}

// Open reports whether the agent may have been interrupted: according to its status it was interrupted or is at work, and no other agent
// has resumed its work.
func (a Agent) Open() bool {
	return a.ResumedBy == "" && (a.AtWork() || a.is("interrupted"))
}

// AtWork reports whether the agent's own entry says that the agent is working.
func (a Agent) AtWork() bool { return a.is("spawned", "running", "inprogress", "active") }

// HasEnded reports whether the agent's own entry says that the agent completed its work, with or without issues, or that another agent
// resumed the work.
func (a Agent) HasEnded() bool {
	return a.is("completed", "complete", "completedwithissues", "done", "resumed")
}

func (a Agent) is(words ...string) bool { return slices.Contains(words, sources.FoldWord(a.Status)) }

// ReadAgents reads the files that name the running coding agent and the earlier agents. It adds a warning for each file that it cannot
// read.
func (f *Folder) ReadAgents() {
	a := &f.Agents
	a.MarkerPath, a.HistoryPath = f.Dir+"/"+agentMarker, f.Dir+"/"+agentHistory
	if f.Tree.Has(a.MarkerPath) {
		data, err := f.Tree.Read(a.MarkerPath)
		line, _, _ := strings.Cut(strings.TrimSpace(textdoc.Text(data)), "\n")
		a.Marked, a.Marker = err == nil, strings.TrimSpace(textdoc.Shorten(line, longestName))
		if err != nil {
			f.Doubts = append(f.Doubts, sources.DoubtOf(err, a.MarkerPath))
		}
	}
	if !f.Tree.Has(a.HistoryPath) {
		a.Unread = "is missing"
	} else if !f.Recover(a.HistoryPath, a.parse) {
		a.Unread = "cannot be read"
	}
	f.Seen(a.MarkerPath, a.HistoryPath)
	f.Saw(a.Active(), agentHistory)
}

func (a *Agents) parse(data []byte) error {
	history, err := textdoc.ParseJSON(data)
	if err == nil {
		a.History, a.Entries = data, agentEntries(history)
	}
	return err
}

// WhyUnknown explains why nothing is known about the agent that the marker file names.
func (a Agents) WhyUnknown() string {
	if a.Unread != "" {
		return agentHistory + " " + a.Unread
	}
	return agentHistory + " does not name the agent"
}

// agentEntries reads the agents. They are a list, or a map from their ids. Its key depends on the version of the system, and it may also be
// the whole file.
func agentEntries(history textdoc.Value) (out []Agent) {
	var above []any
	all := history
	for _, name := range []string{"history", "agents", "entries"} {
		if named := history.Get(name); named.IsList() || named.IsObject() {
			above, all = []any{name}, named
		}
	}
	for i, e := range all.Items() {
		out = append(out, agentEntry(e, "", append(slices.Clone(above), i)))
	}
	for _, f := range all.Fields() {
		if f.Value.IsObject() {
			out = append(out, agentEntry(f.Value, f.Key, append(slices.Clone(above), f.Key)))
		}
	}
	return out
}

func agentEntry(e textdoc.Value, id string, at []any) Agent {
	a := Agent{
		ID: cmp.Or(e.Get("agent_id").Text(), id), Task: e.Get("task_description").Text(), Phase: e.Get("phase").Text(), Plan: e.Get("plan").Text(),
		Status: e.Get("status").Text(), Timestamp: e.Get("timestamp").Text(), ResumedBy: e.Get("resumed_by").Text(), At: at,
	}
	a.Began, _, _ = sources.ParseTime(a.Timestamp)
	a.Ended, _, _ = sources.ParseTime(e.Get("completion_timestamp").Text())
	if file, ok := strings.CutSuffix(path.Base(a.Plan), "-PLAN.md"); ok && file != "" { // some entries name the file of the plan
		a.Plan = file
	}
	a.Unit = UnitOf(a.Phase, a.Plan)
	return a
}

// UnitOf makes one id from a phase and a plan: "03-initial-placement" and "06" become 03-06. It returns the plan
// unchanged if the phase has no number, or if the plan already names its phase.
func UnitOf(phase, plan string) string {
	number := LeadingNumber(phase)
	if number == "" || plan == "" || strings.Contains(plan, "-") {
		return plan
	}
	return number + "-" + plan
}

// LeadingNumber returns the number at the start of a name, unchanged: 26.1 for "26.1-monitoring". It returns "" if the name starts with
// no number.
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

// Find looks up an agent by its id. If several entries have the same id, Find returns the last one.
func (a Agents) Find(id string) (Agent, bool) {
	for i := len(a.Entries) - 1; i >= 0; i-- {
		if a.Entries[i].ID == id && id != "" {
			return a.Entries[i], true
		}
	}
	return Agent{}, false
}

// Interrupted returns the latest agent that may have been interrupted (see Agent.Open).
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

// Active returns the latest time in the entries of the history.
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

// Marked describes the agent whose id is in the marker file.
type Marked struct {
	Agent
	// Known is true if the history has an entry for the agent. Stale is true if the marker is left over and must be ignored.
	Known, Stale bool
}

// Judge decides whether the marker file is left over from an agent that has ended. The function done() gets the id of a plan, and says why
// this plan is done. The argument "all" says why the whole work is done. Both texts are empty for open work.
func (a Agents) Judge(done func(unit string) string, all string) (m Marked, doubts []sources.Doubt) {
	if !a.Marked {
		return m, nil
	}
	if a.Marker == "" {
		m.Stale = true
		return m, []sources.Doubt{{Code: sources.DoubtStaleMarker, Severity: conflicts.Warning, Path: a.MarkerPath, Text: "the marker file is empty, so it names no agent"}}
	}
	m.Agent, m.Known = a.Find(a.Marker)
	why := done(m.Unit)
	switch {
	case why != "":
	case m.Known && m.HasEnded():
		why = "the history says that this agent has ended (" + m.Status + ")"
	case !m.Known && all != "":
		why = all
	}
	if m.Stale = why != ""; m.Stale {
		return m, []sources.Doubt{{Code: sources.DoubtStaleMarker, Severity: conflicts.Warning, Path: a.MarkerPath,
			Text: "the marker of agent " + a.Marker + " is left over: " + why}}
	}
	if !m.Known {
		m.Agent = Agent{ID: a.Marker}
		doubts = append(doubts, sources.Doubt{Code: sources.DoubtAgentUnknown, Severity: conflicts.Warning, Path: a.MarkerPath,
			Text: "agent " + a.Marker + " is marked as working, but its plan is not known: " + a.WhyUnknown()})
	}
	return m, doubts
}

// Live reports whether the marker names an agent and nothing shows that this agent has ended.
func (m Marked) Live() bool { return m.ID != "" && !m.Stale }

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
