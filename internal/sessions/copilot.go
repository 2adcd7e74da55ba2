package sessions

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

func copilotRoot(w Where) string { return w.setting("COPILOT_HOME", filepath.Join(w.Home, ".copilot")) }

func (r *reader) copilot() error {
	for _, e := range r.list(filepath.Join(r.root, "session-state")) {
		dir := filepath.Join(r.root, "session-state", e.Name())
		info, err := os.Lstat(filepath.Join(dir, "events.jsonl"))
		if !e.IsDir() || err != nil || !info.Mode().IsRegular() || !r.fresh(info) {
			continue
		}
		fields := flatYAML(head(filepath.Join(dir, "workspace.yaml"), headSize))
		cwd := fields["cwd"]
		if cwd == "" {
			if m := cwdField.FindSubmatch(head(filepath.Join(dir, "events.jsonl"), 2*headSize)); m != nil {
				_ = json.Unmarshal(m[1], &cwd)
			}
		}
		if r.treeOf(cwd) == "" {
			continue
		}
		s, err := copilotSession(filepath.Join(dir, "events.jsonl"), e.Name(), cwd, info)
		if err != nil {
			continue
		}
		if fields["name"] != "" {
			s.Title = fields["name"]
		}
		s.Fate = proc.Dead
		for _, e := range r.list(dir) { // the lock of a killed program stays
			number, isLock := strings.CutPrefix(strings.TrimSuffix(e.Name(), ".lock"), "inuse.")
			if pid, err := strconv.Atoi(number); isLock && err == nil && r.named(pid, "copilot") == proc.Alive {
				s.Fate, s.PID, s.Busy = proc.Alive, pid, s.State == Cut && !s.Ended
			}
		}
		r.add(s)
	}
	return nil
}

// flatYAML returns the fields of a flat YAML file.
func flatYAML(data []byte) map[string]string {
	out := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if name, value, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, " ") {
			out[name] = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return out
}

// copilotLine is an event of a session of the Copilot CLI, as far as it is understood.
type copilotLine struct {
	Type, Timestamp, AgentID string
	Data                     struct {
		AgentID, Message, Question, ErrorType string
		Content                               text
		StatusCode                            int
		ToolCallID                            string
		ToolRequests                          []struct {
			ToolCallID, Name string
			Arguments        given
		}
	}
}

// prompt returns what the user says.
func (l *copilotLine) prompt() string {
	if l.Type != "user.message" || l.AgentID != "" || l.Data.AgentID != "" {
		return ""
	}
	return string(l.Data.Content)
}

func copilotPrompt(line []byte) string {
	var l copilotLine
	if !bytes.Contains(line, []byte(`"user.message"`)) || !decode(line, &l) {
		return ""
	}
	return l.prompt()
}

func copilotSession(path, id, dir string, info fs.FileInfo) (Session, error) {
	s := Session{ID: id, Dir: dir, Last: info.ModTime(), Command: []string{"copilot", "-C", dir, "--resume", id}, Unattended: []string{"copilot", "-C", dir, "--resume", id, "-p", "Go on."}}
	s.path = path
	c := copilotReading{Session: &s, done: map[string]bool{}}
	err := records(&s, func(l *copilotLine) bool {
		if l.AgentID != "" || l.Data.AgentID != "" { // of a sub-agent
			return true
		}
		if s.Title == "" {
			s.Title = l.prompt()
		}
		if s.State == "" {
			c.decide(l)
			if s.State != "" {
				s.at(l.Timestamp)
			}
		}
		return s.State == "" || s.State != Finished && s.untitled()
	})
	s.long(info)
	return s, err
}

type copilotReading struct {
	*Session
	// done has the tools that have ended.
	done map[string]bool
	// failed is the newest error. It says nothing about a turn that had ended before, which is so if ended is true.
	failed string
	ended  bool
}

func (c *copilotReading) decide(l *copilotLine) {
	s, d := c.Session, &l.Data
	switch l.Type {
	case "session.error":
		c.failed = firstOf(c.failed, d.Message, "unknown")
		const tooMany, pay = 429, 402
		if d.ErrorType == "rate_limit" || d.ErrorType == "quota" || d.StatusCode == tooMany || d.StatusCode == pay {
			s.State, s.Detail = Limit, d.Message
		}
	case "assistant.turn_end":
		c.ended = true
	case "abort":
		s.stopped()
	case "user_input.requested", "elicitation.requested", "exit_plan_mode.requested":
		s.State, s.Detail = Waits, firstOf(d.Question, d.Message, "a question")
	case "permission.requested":
		s.State, s.Detail = Waits, "a permission"
	case "assistant.message":
		c.said(l)
	case "tool.execution_complete":
		c.done[d.ToolCallID] = true
	case "assistant.turn_start":
		s.cut(whileWorking)
	case "user.message":
		s.cut(notAnswered)
	}
	if s.State == Cut && c.failed != "" {
		s.failed(c.failed)
	}
}

func (c *copilotReading) said(l *copilotLine) {
	s, n := c.Session, len(l.Data.ToolRequests)
	if n == 0 {
		s.spoken(string(l.Data.Content))
		if c.failed != "" && !c.ended {
			s.Soft = false
			s.cut("")
		}
		return
	}
	switch t := l.Data.ToolRequests[n-1]; {
	case c.done[t.ToolCallID]:
		s.cut(whileWorking)
	case t.Name == "ask_user" || t.Name == "exit_plan_mode":
		s.State, s.Detail = Waits, t.Arguments.asked()
	case t.Name == "task_complete":
		s.State = Finished
	default:
		s.inTool(t.Name, t.Arguments.Command)
	}
}
