// Package machine writes output for programs: JSON, the porcelain format and raw journal lines.
package machine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sessions"
)

// Schema is the version of the JSON output. It changes only if a key is removed or gets a different meaning.
const Schema = 1

type jsonStatus struct {
	Schema int       `json:"schema"`
	Runs   []jsonRun `json:"runs"`
	// Work is unfinished work that is neither a run nor another system's: the sessions of coding agents. Looked says of each agent whose
	// files are on this machine whether they were read; it is empty if nobody looked.
	Work   []jsonWork        `json:"work"`
	Looked map[string]string `json:"looked"`
}

// jsonWork is one piece of unfinished work of whatever kind.
type jsonWork struct {
	Kind string `json:"kind"`
	// Agent and ID say which session it is.
	Agent string `json:"agent"`
	ID    string `json:"id"`
	Name  string `json:"name,omitempty"`
	State string `json:"state"`
	Why   string `json:"why,omitempty"`
	// Alive says whether its program still runs; it is null if that is not known.
	Alive    *bool  `json:"alive"`
	PID      int    `json:"pid,omitempty"`
	Where    string `json:"where"`
	Until    string `json:"until,omitempty"`
	Since    string `json:"since"`
	Question string `json:"question,omitempty"`
	Tokens   int    `json:"tokens,omitempty"`
	// Testimony is true because only the agent's own files say all this. Continue is the command that continues it, in the folder Cwd. It is
	// empty if it cannot be continued now.
	Testimony bool     `json:"testimony"`
	Continue  []string `json:"continue"`
	Cwd       string   `json:"cwd"`
}

// sessionStates gives the states of agents' sessions the names that they have for all work.
var sessionStates = map[sessions.State]string{
	sessions.Waits: "waiting", sessions.Cut: "interrupted", sessions.Limit: "limit", sessions.Stopped: "stopped", sessions.Running: "running",
}

func workJSON(s *sessions.Session, quiet bool) jsonWork {
	w := jsonWork{
		Kind: "session", Agent: s.Agent, ID: s.ID, State: sessionStates[s.State], PID: s.PID, Where: s.Tree, Since: stamp(s.Last), Until: stamp(s.Until),
		Tokens: s.Tokens, Testimony: true, Continue: []string{}, Cwd: s.Dir,
	}
	if s.Fate != proc.Unknown {
		alive := s.Fate == proc.Alive
		w.Alive = &alive
	}
	if s.CanContinue() {
		w.Continue = s.Command
	}
	switch {
	case quiet:
	case s.State == sessions.Waits:
		w.Name, w.Question = s.Title, s.Detail
	default:
		w.Name, w.Why = s.Title, s.Detail
	}
	return w
}

type jsonRun struct {
	Run          string       `json:"run"`
	Name         string       `json:"name"`
	Source       string       `json:"source"`
	State        string       `json:"state"`
	Cause        string       `json:"cause"`
	LastActivity string       `json:"last_activity"`
	Age          string       `json:"age"`
	Task         *jsonAt      `json:"task"`
	Tasks        []jsonTask   `json:"tasks"`
	Worktree     string       `json:"worktree"`
	Branch       string       `json:"branch"`
	Base         jsonBase     `json:"base"`
	Interruption object.ID    `json:"interruption_commit"`
	Owner        *jsonActor   `json:"owner"`
	Driver       *jsonActor   `json:"driver"`
	Uncommitted  []string     `json:"uncommitted"`
	Verdict      *string      `json:"verdict"`
	Findings     []jsonFind   `json:"findings"`
	Question     *jsonAsk     `json:"question"`
	Next         *jsonNext    `json:"next"`
	Alternatives []string     `json:"alternatives"`
	Options      []jsonChoice `json:"options"`
	Headline     string       `json:"headline,omitempty"`
	Also         []string     `json:"also"`
	Protocol     any          `json:"protocol"`
	Events       int          `json:"events"`
	Rebuilt      bool         `json:"rebuilt"`
	ResumeWith   string       `json:"resume_command"`
	Detail       string       `json:"detail"`
	Limit        *jsonLimit   `json:"limit,omitempty"`
	Condition    string       `json:"condition"`
	Evidence     []string     `json:"evidence"`
	Listed       bool         `json:"listed"`
}

type jsonLimit struct {
	Agent string `json:"agent"`
	Name  string `json:"name,omitempty"`
	Until string `json:"until"`
}

type jsonNext struct {
	Task    string `json:"task"`
	Title   string `json:"title,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Command string `json:"command,omitempty"`
}

type jsonChoice struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

type jsonAt struct {
	N     int    `json:"n"`
	Of    int    `json:"of"`
	ID    string `json:"id"`
	Title string `json:"title"`
	State string `json:"state"`
}

type jsonTask struct {
	ID       string    `json:"id"`
	Title    string    `json:"title,omitempty"`
	State    string    `json:"state"`
	Commit   object.ID `json:"commit,omitempty"`
	Now      object.ID `json:"commit_now,omitempty"`
	Found    bool      `json:"found,omitempty"`
	Attempts int       `json:"attempts,omitempty"`
	Cause    string    `json:"cause,omitempty"`
	ExitCode *int      `json:"exit_code,omitempty"`
	Until    string    `json:"until,omitempty"`
	Question string    `json:"question,omitempty"`
	Options  []string  `json:"options,omitempty"`
	Answer   string    `json:"answer,omitempty"`
}

type jsonBase struct {
	Name   string    `json:"name"`
	Commit object.ID `json:"commit"`
}

type jsonActor struct {
	PID     int    `json:"pid"`
	Host    string `json:"host"`
	Command string `json:"command,omitempty"`
	Agent   string `json:"agent,omitempty"`
	Session string `json:"session,omitempty"`
	// Alive says whether the process is alive. It is null if this machine cannot know that.
	Alive *bool `json:"alive"`
}

type jsonFind struct {
	Code     string `json:"code"`
	Severity string `json:"severity"`
	Text     string `json:"text"`
}

type jsonAsk struct {
	Task    string   `json:"task"`
	Text    string   `json:"text"`
	Options []string `json:"options"`
}

// JSON writes runs as versioned JSON. The argument "stale" is the age from which work counts as old.
func JSON(out io.Writer, runs []candidate.Summary, found candidate.Sessions, now time.Time, stale time.Duration) error {
	doc := jsonStatus{Schema: Schema, Runs: []jsonRun{}, Work: []jsonWork{}, Looked: map[string]string{}}
	maps.Copy(doc.Looked, found.Looked)
	for i := range found.List {
		doc.Work = append(doc.Work, workJSON(&found.List[i], found.Quiet))
	}
	for i := range runs {
		doc.Runs = append(doc.Runs, runJSON(&runs[i], now, stale))
	}
	return Document(out, doc)
}

// Document writes a value as one line of JSON. It writes invisible and control characters as escapes, even if JSON allows them unescaped.
func Document(out io.Writer, doc any) error {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range text.String() {
		switch high, low := utf16.EncodeRune(r); {
		case r == '\n' || !quote.Hidden(r): // write the character unchanged. All other hidden characters are inside strings, where JSON allows escapes
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func runJSON(m *candidate.Summary, now time.Time, stale time.Duration) jsonRun {
	r := &m.Run
	j := jsonRun{
		Run: string(r.ID), Name: r.Name, Source: m.Source(), State: string(m.State), Cause: r.Cause,
		LastActivity: stamp(r.LastAt), Age: string(candidate.AgeOf(now.Sub(r.LastAt), candidate.Alone(stale))), Tasks: []jsonTask{},
		Worktree: m.Path, Branch: refs.Short(r.Branch),
		Base: jsonBase{r.Base.Name, r.Base.Commit}, Interruption: r.Head,
		Owner: actorJSON(r.Owner, m.Life.Owner), Driver: actorJSON(r.Driver, m.Life.Driver),
		Findings: recordFindings(m), Uncommitted: []string{}, Events: r.Events, Rebuilt: r.Rebuilt,
		ResumeWith: quote.Command("git resume %s", r.ID), Also: append([]string{}, m.Also...), Protocol: map[string]any{},
		Alternatives: []string{}, Options: []jsonChoice{}, Detail: words.Detail(m),
		Condition: string(m.Condition.Word), Evidence: words.Proofs(m), Listed: m.Listed,
	}
	if m.Limited {
		j.Limit = &jsonLimit{m.Session.Agent, m.Session.Turn.Limit, m.Session.Until.UTC().Format(time.RFC3339)}
	}
	for _, a := range m.Alternatives() {
		j.Alternatives = append(j.Alternatives, a.Name)
		if a.Text != "" {
			j.Options = append(j.Options, jsonChoice{a.Name, a.Text})
		}
	}
	foreignJSON(&j, m)
	if m.Damaged != "" {
		j.State = "unreadable"
	}
	if n, t := r.Current(); t != nil {
		j.Task = &jsonAt{n, len(r.Tasks), string(t.ID), t.Title, string(t.State)}
	}
	for _, t := range r.Tasks {
		j.Tasks = append(j.Tasks, taskJSON(t, m.Moved[t.ID].Now))
	}
	if a := m.Checked; a != nil {
		verdict := string(a.Verdict)
		j.Verdict, j.Findings = &verdict, []jsonFind{}
		j.Uncommitted = append(j.Uncommitted, a.Uncommitted...)
		for _, f := range a.Findings {
			j.Findings = append(j.Findings, jsonFind{string(f.Code), f.Severity.String(), strings.TrimSpace(f.Path + " " + words.Text(f))})
		}
	}
	if q := r.Question(); q != nil {
		j.Question = &jsonAsk{string(q.ID), q.Question, append([]string{}, q.Options...)}
	}
	return j
}

// foreignJSON adds the fields about another system's work. For our own runs it adds only the next task.
func foreignJSON(j *jsonRun, m *candidate.Summary) {
	f := m.Found
	if f == nil {
		if _, t := m.Run.Current(); t != nil && !m.Run.Closed() {
			j.Next = &jsonNext{Task: string(t.ID), Title: t.Title, Command: m.Next}
		}
		return
	}
	j.Headline = m.Headline()
	if f.Protocol != nil {
		j.Protocol = f.Protocol
	}
	if f.Point.Task != "" {
		j.Next = &jsonNext{Task: f.Point.Task, Title: f.Point.Title, Reason: f.Point.Reason, Command: f.Command}
	}
	for _, d := range f.Doubts {
		text := d.Text
		if d.Whole() == m.Damaged {
			continue // this problem is already in the list, as the one that blocks the work
		}
		if !strings.HasPrefix(text, d.Path) {
			text = d.Path + " " + text
		}
		j.Findings = append(j.Findings, jsonFind{d.Code, d.Severity.String(), text})
	}
	if len(f.Questions) > 0 { // the screens ask the first question too, even if a later one is about a blocked task
		q := f.Questions[0]
		j.Question = &jsonAsk{q.Task, q.Text, append([]string{}, q.Options...)}
	}
}

func taskJSON(t checkpoint.Task, moved object.ID) jsonTask {
	return jsonTask{
		ID: string(t.ID), Title: t.Title, State: string(t.State), Commit: t.Commit, Now: moved, Found: t.Found,
		Attempts: t.Attempts, Cause: t.Cause, ExitCode: t.ExitCode, Until: t.Until,
		Question: t.Question, Options: t.Options, Answer: t.Answer,
	}
}

func actorJSON(a *checkpoint.Actor, f proc.Fate) *jsonActor {
	if a == nil {
		return nil
	}
	j := &jsonActor{PID: a.PID, Host: a.Host, Command: a.Command, Agent: a.Agent, Session: a.Session}
	if f != proc.Unknown {
		alive := f == proc.Alive
		j.Alive = &alive
	}
	return j
}

// recordFindings returns the findings about a run's record, for example unreadable lines.
func recordFindings(m *candidate.Summary) []jsonFind {
	out := []jsonFind{}
	add := func(on bool, code, severity, text string) {
		if on {
			out = append(out, jsonFind{code, severity, text})
		}
	}
	add(m.Damaged != "", "journal-damaged", "blocking", m.Damaged)
	add(m.Rebuilt != "", "journal-damaged", "blocking", m.Rebuilt)
	add(m.Run.Unreadable > 0, "journal-damaged", "warning", phrase.Count(m.Run.Unreadable, "line cannot be read", "lines cannot be read"))
	add(m.Run.Diverged, "journal-diverged", "blocking", "two clones worked on the run independently of each other")
	add(m.Run.Lack == checkpoint.LackLines, "lines-missing", "blocking", "records that were made in this clone are missing")
	add(words.Detail(m) == words.DetailElsewhere, "elsewhere", "blocking", "nothing proves that the run is yours; take it over to continue it")
	add(words.Detail(m) == words.DetailContinued, "reported-elsewhere", "warning", "another clone or user recorded something about the run")
	add(m.Run.Rebuilt, "journal-rebuilt", "warning", "its state was rebuilt from the trailers of its commits")
	for _, t := range m.Run.Tasks {
		add(t.Found && !m.Run.Rebuilt, "task-landed", "info", "the end of task "+string(t.ID)+" was not recorded, but its commit was found")
	}
	return out
}

// stamp formats a time for JSON, in UTC. It returns "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
