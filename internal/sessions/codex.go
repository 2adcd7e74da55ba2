package sessions

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

func codexRoot(w Where) string { return w.setting("CODEX_HOME", filepath.Join(w.Home, ".codex")) }

var (
	// cwdField matches the folder in the first line of a session. The line can be much longer than what is read of it.
	cwdField = regexp.MustCompile(`"cwd":\s*("(?:[^"\\]|\\.)*")`)
	// threadField matches the id of the session. The name of the file has it too, but some names end with the id of a turn.
	threadField = regexp.MustCompile(`"payload":\s*\{(?:"[a-z_]+":(?:true|false|null|"[^"]*"),)*?"id":\s*"([A-Za-z0-9-]+)"`)
)

// ofSubagent reports whether another session has started this one.
func ofSubagent(first []byte) bool {
	return slices.ContainsFunc([]string{`"thread_source":"subagent"`, `"source":{"subagent"`, `"source":{"sub_agent"`}, func(t string) bool {
		return bytes.Contains(first, []byte(t))
	})
}

func (r *reader) codex() error {
	held := r.codexLocks()
	var all []Session
	agents := map[string]Session{} // sub-agents that were cut, by what they worked for
	for _, file := range r.deepFiles(filepath.Join(r.root, "sessions"), 3) {
		name, isLines := strings.CutSuffix(file.name, ".jsonl")
		const idLength = 36
		if !isLines || !strings.HasPrefix(name, "rollout-") || len(name) < idLength || !r.fresh(file.info) {
			continue
		}
		first := head(file.path, headSize)
		var dir string
		if m := cwdField.FindSubmatch(first); m != nil {
			_ = json.Unmarshal(m[1], &dir)
		}
		if r.treeOf(dir) == "" {
			continue
		}
		thread := name[len(name)-idLength:]
		if m := threadField.FindSubmatch(first); m != nil {
			thread = string(m[1])
		}
		s, err := codexSession(file.path, thread, dir, file.info)
		if err != nil {
			continue
		}
		if ofSubagent(first) {
			if s.State == Cut {
				agents[s.turn] = s
			}
			continue
		}
		s.Script = s.State == Cut && bytes.Contains(first, []byte(`"source":"exec"`))
		if !listsLocks && s.State == Cut {
			s.Fate = proc.Unknown
		} else if s.Fate = proc.Dead; held[s.ID] != 0 {
			s.Fate, s.PID, s.Busy = proc.Alive, held[s.ID], s.State == Cut && !s.Ended
		}
		all = append(all, s)
	}
	for _, s := range newestOfEach(all) {
		if a, open := agents[s.turn]; open && s.turn != "" && (s.State == Finished || s.Soft) {
			s.Soft = false
			s.cut("a sub-agent was still at work")
			if pid := held[a.ID]; pid != 0 {
				s.Fate, s.PID, s.Busy = proc.Alive, pid, true
			}
		}
		r.add(s)
	}
	return nil
}

type foundFile struct {
	path, name string
	info       fs.FileInfo
}

// deepFiles lists the regular files in the folders at a depth below another one: 3 for year/month/day.
func (r *reader) deepFiles(dir string, depth int) (out []foundFile) {
	for _, e := range r.list(dir) {
		path := filepath.Join(dir, e.Name())
		if depth > 0 && e.IsDir() {
			out = append(out, r.deepFiles(path, depth-1)...)
		}
		if info, err := e.Info(); depth == 0 && err == nil && info.Mode().IsRegular() {
			out = append(out, foundFile{path, e.Name(), info})
		}
	}
	return out
}

// codexLine is a line of a session of Codex, as far as it is understood.
type codexLine struct {
	Type, Timestamp string
	Payload         struct {
		Type, CWD, Message, Name, Role string
		Content                        text
		CallID                         string `json:"call_id"`
		RootTurn                       string `json:"root_turn_id"`
		Arguments, Input               json.RawMessage
		LastMessage                    string `json:"last_agent_message"`
		Error                          *codexError
		RateLimits                     *struct{ Primary, Secondary *codexWindow } `json:"rate_limits"`
		Item                           struct {
			Type    string
			Content text
		}
		Info struct {
			Last struct {
				Tokens int `json:"total_tokens"`
			} `json:"last_token_usage"`
		}
		CodexErrorInfo json.RawMessage `json:"codex_error_info"`
	}
}

type codexError struct {
	Message string
	Info    json.RawMessage `json:"codex_error_info"`
}

func (e *codexError) UnmarshalJSON(data []byte) error {
	type plain codexError
	if json.Unmarshal(data, (*plain)(e)) != nil {
		_ = json.Unmarshal(data, &e.Message)
	}
	return nil
}

type codexWindow struct {
	UsedPercent float64 `json:"used_percent"`
	ResetsAt    int64   `json:"resets_at"`
}

func codexSession(path, id, dir string, info fs.FileInfo) (Session, error) {
	s := Session{ID: id, Dir: dir, Last: info.ModTime(), Command: []string{"codex", "resume", id}, Unattended: []string{"codex", "exec", "resume", id, "Go on."}}
	s.path = path
	c := codexReading{Session: &s, answered: map[string]bool{}}
	err := records(&s, c.line, `"user_message"`, `"item_completed"`, `"turn_context"`, `"token_count"`, `"task_started"`, planTag)
	if s.State == "" && c.prompted && info.Size() <= mostTail {
		c.unmarked()
	}
	if s.State != Limit {
		s.Until = time.Time{}
	}
	s.long(info)
	return s, err
}

// planTag is in the words of the model above a plan that it proposes.
const planTag = "<proposed_plan>"

type codexReading struct {
	*Session
	// inTurn is true above the end of a turn, where a plan may stand that waits for approval. proposed is true if one is announced.
	inTurn, proposed bool
	answered         map[string]bool
	// moved is true if the folder of the last turn was seen, open if the newest tool was, and windows if the limits of the account were.
	moved, open, windows, dated bool
	// newest is the last entry of the conversation, and prompted is true above the newest prompt. They decide about what old versions wrote.
	newest   *codexLine
	prompted bool
}

// line takes one line, and returns false if no older one is needed.
func (c *codexReading) line(l *codexLine) bool {
	p := &l.Payload
	if l.Type == "turn_context" && p.CWD != "" && !c.moved {
		c.moved, c.Dir = true, p.CWD
	}
	switch {
	case c.Title == "" && l.prompt() != "":
		c.Title = l.prompt()
	case p.Type == "token_count":
		c.counted(l)
	}
	if !c.dated && (l.Type == "event_msg" || l.Type == "response_item") {
		c.dated = true
		c.at(l.Timestamp)
	}
	if c.turn == "" {
		c.turn = p.RootTurn
	}
	switch {
	case c.State == "":
		c.decide(l)
		c.talk(l)
		c.inTurn = c.State == Finished || c.Soft
	case p.Type == "task_started":
		c.inTurn = false
	case c.inTurn && p.Item.Type == "Plan":
		c.State, c.Soft, c.Detail, c.inTurn = Waits, false, "a plan to approve", false
	case p.Role == "assistant":
		c.proposed = c.proposed || strings.Contains(string(p.Content), planTag)
	}
	if c.inTurn && (c.proposed || c.Session.behind < firstTail/2) { // the plan stands close to the end of its turn
		return true
	}
	return c.State == "" || c.State != Finished && (c.untitled() || !c.moved || c.State == Limit && !c.windows)
}

// prompt returns what the user says. Codex has changed the form of that.
func (l *codexLine) prompt() string {
	p := &l.Payload
	switch {
	case p.Type == "user_message":
		return p.Message
	case p.Type == "item_completed" && strings.EqualFold(p.Item.Type, "usermessage") && !strings.HasPrefix(string(p.Item.Content), "<"):
		return string(p.Item.Content)
	}
	return ""
}

func codexPrompt(line []byte) string {
	var l codexLine
	if !bytes.Contains(line, []byte(`"event_msg"`)) || !decode(line, &l) {
		return ""
	}
	return l.prompt()
}

// counted takes the length of the conversation, and when the limits of the account end that are used up.
func (c *codexReading) counted(l *codexLine) {
	if c.Tokens == 0 {
		c.Tokens = l.Payload.Info.Last.Tokens
	}
	limits := l.Payload.RateLimits
	if limits == nil || c.windows || c.State == Finished {
		return
	}
	c.windows = true
	for _, w := range []*codexWindow{limits.Primary, limits.Secondary} {
		if w == nil || w.UsedPercent < 100 || w.ResetsAt <= 0 {
			continue
		}
		if at := time.Unix(w.ResetsAt, 0); c.Until.IsZero() || at.Before(c.Until) {
			c.Until = at
		}
	}
}

// talk notes the newest entry of the conversation, and whether there was a prompt.
func (c *codexReading) talk(l *codexLine) {
	counts := l.prompt() != ""
	c.prompted = c.prompted || counts
	switch p := &l.Payload; p.Type {
	case "message":
		counts = p.Role == "assistant"
	case "agent_message", "reasoning", "agent_reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output":
		counts = true
	}
	if c.newest == nil && counts {
		c.newest = l
	}
}

// unmarked decides about a turn whose beginning has no mark: versions before 2026-03 marked no turn but one that was interrupted.
func (c *codexReading) unmarked() {
	tool, what := c.Tool, c.Detail
	c.Tool, c.Detail = "", ""
	switch p := &c.newest.Payload; {
	case p.Type == "agent_message":
		c.spoken(p.Message)
	case p.Type == "message":
		c.spoken(string(p.Content))
	case c.newest.prompt() != "":
		c.cut(notAnswered)
	case tool != "":
		c.inTool(tool, what)
	default:
		c.cut(whileWorking)
	}
}

func (c *codexReading) decide(l *codexLine) {
	p := &l.Payload
	if c.prompted && slices.Contains([]string{"task_complete", "turn_complete", "turn_completed", "turn_aborted"}, p.Type) {
		c.unmarked() // this is about the turn before
		return
	}
	switch p.Type {
	case "task_complete", "turn_complete", "turn_completed":
		switch {
		case p.Error != nil && bytes.Contains(p.Error.Info, []byte("usage_limit")):
			c.State, c.Detail = Limit, p.Error.Message
		case p.Error != nil:
			c.failed(p.Error.Message)
		default:
			c.spoken(p.LastMessage)
		}
	case "error":
		if !c.prompted && bytes.Contains(p.CodexErrorInfo, []byte("usage_limit")) {
			c.State, c.Detail = Limit, p.Message
		}
	case "turn_aborted":
		c.stopped()
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		c.answered[p.CallID] = true
	case "function_call", "custom_tool_call", "local_shell_call":
		if c.open {
			return
		}
		c.open = true
		if c.answered[p.CallID] {
			return
		}
		arguments := append(p.Arguments, p.Input...)
		var quoted string
		if json.Unmarshal(arguments, &quoted) == nil {
			arguments = []byte(quoted)
		}
		if p.Name == "request_user_input" {
			var form given
			decode(arguments, &form)
			c.State, c.Detail = Waits, form.asked()
			return
		}
		c.Tool, c.Detail = p.Name, commandIn(arguments)
	case "task_started", "turn_started":
		if c.Tool != "" {
			c.inTool(c.Tool, c.Detail)
		} else {
			c.cut(whileWorking)
		}
	}
}

// commandIn returns the command in the arguments of a tool, or the arguments themselves.
func commandIn(arguments []byte) string {
	var call struct {
		Command json.RawMessage
		Cmd     string
	}
	if json.Unmarshal(arguments, &call) != nil {
		return string(arguments)
	}
	var words []string
	var line string
	switch {
	case json.Unmarshal(call.Command, &words) == nil && len(words) > 0:
		return words[len(words)-1]
	case json.Unmarshal(call.Command, &line) == nil && line != "":
		return line
	}
	return firstOf(call.Cmd, string(arguments))
}

// codexLocks returns the sessions whose file is locked by a living program, with its process. The lock files themselves stay for ever.
func (r *reader) codexLocks() map[string]int {
	dir := filepath.Join(r.root, "thread-writer-locks")
	names := map[uint64]string{}
	for _, e := range r.list(dir) {
		name, isLock := strings.CutSuffix(e.Name(), ".lock")
		if info, err := e.Info(); isLock && err == nil {
			names[inode(info)] = name
		}
	}
	out := map[string]int{}
	if len(names) == 0 {
		return out
	}
	for _, l := range lockedFiles() {
		// files on other disks have the same numbers, so the process has to be the agent, as far as it can be seen
		if name := names[l.inode]; name != "" && (len(r.Procs.Args(l.pid)) == 0 || r.named(l.pid, "codex") == proc.Alive) {
			out[name] = l.pid
		}
	}
	return out
}
