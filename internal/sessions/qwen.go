package sessions

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

func qwenRoot(w Where) string { return w.setting("QWEN_HOME", filepath.Join(w.Home, ".qwen")) }

func (r *reader) qwen() error {
	registry := r.registry()
	var all []Session
	for _, dir := range r.slugged(strings.EqualFold) {
		for _, e := range r.list(filepath.Join(dir, "chats")) {
			name, isLines := strings.CutSuffix(e.Name(), ".jsonl")
			info, err := e.Info()
			if !isLines || err != nil || !info.Mode().IsRegular() || !r.fresh(info) {
				continue
			}
			s, err := qwenSession(filepath.Join(dir, "chats", e.Name()), name, info)
			if err != nil {
				continue
			}
			for _, one := range registry[name] {
				if r.fate(one) == proc.Alive {
					s.Fate, s.PID, s.Busy = proc.Alive, one.PID, s.State == Cut && !s.Ended
				}
			}
			all = append(all, s)
		}
	}
	r.addLiving(all, "qwen", "cli-entry.js", "qwen.js")
	return nil
}

// qwenLine is a line of a session of Qwen Code, as far as it is understood.
type qwenLine struct {
	Type, Subtype, CWD, Timestamp string
	IsSidechain                   bool
	UsageMetadata                 json.RawMessage
	Message                       struct {
		Parts []struct {
			Text         string
			Thought      bool
			FunctionCall *struct {
				Name string
				Args given
			}
		}
	}
	SystemPayload struct {
		CustomTitle string
		UIEvent     struct {
			Name    string `json:"event.name"`
			Message string `json:"error_message"`
			Error   string
			Type    string `json:"error_type"`
		}
	}
	ToolCallResult struct{ Status string }
}

func (l *qwenLine) said() (said string) {
	for _, p := range l.Message.Parts {
		if !p.Thought {
			said += p.Text
		}
	}
	return said
}

// prompt returns what the user says.
func (l *qwenLine) prompt() string {
	if said := l.said(); l.Type == "user" && !l.IsSidechain && !strings.HasPrefix(said, "<") {
		return said
	}
	return ""
}

func qwenPrompt(line []byte) string {
	var l qwenLine
	if !bytes.Contains(line, []byte(`"user"`)) || !decode(line, &l) {
		return ""
	}
	return l.prompt()
}

func qwenSession(path, id string, info fs.FileInfo) (Session, error) {
	s := Session{ID: id, Last: info.ModTime(), Command: []string{"qwen", "--resume", id}, Unattended: []string{"qwen", "--resume", id, "-p", "Go on."}}
	s.path = path
	fault, userAbort := "", false
	torn := false // the newest words are without the count of their tokens, which is written at the end of an answer
	err := records(&s, func(l *qwenLine) bool {
		if torn && l.Type == "assistant" && l.UsageMetadata != nil {
			s.stopped()
			torn = false
		}
		s.Dir = firstOf(s.Dir, l.CWD)
		if s.Title == "" {
			s.Title = firstOf(l.SystemPayload.CustomTitle, l.prompt())
		}
		if e := l.SystemPayload.UIEvent; s.State == "" && e.Name == "qwen-code.api_error" {
			userAbort = fault == "" && e.Type == "APIUserAbortError"
			fault = firstOf(fault, e.Message, e.Error, e.Type)
		}
		if s.State == "" && !l.IsSidechain {
			s.qwen(l, l.said())
			if s.State != "" {
				s.at(l.Timestamp)
			}
			torn = l.Type == "assistant" && (s.State == Finished || s.Soft) && l.UsageMetadata == nil
		}
		return s.State == "" || s.Dir == "" || torn && s.behind < mostTitle || s.State != Finished && s.untitled()
	}, `"usageMetadata"`)
	s.long(info)
	switch {
	case s.State != Cut:
	case userAbort:
		s.stopped()
	case limited.MatchString(fault):
		s.State, s.Detail = Limit, fault
	}
	return s, err
}

func (s *Session) qwen(l *qwenLine, said string) {
	switch l.Type {
	case "assistant":
		for _, p := range l.Message.Parts {
			if c := p.FunctionCall; c != nil {
				if s.inTool(c.Name, c.Args.Command); c.Name == "ask_user_question" || c.Name == "exit_plan_mode" {
					s.State, s.Detail = Waits, c.Args.asked()
				}
			}
		}
		switch {
		case s.State != "":
		case strings.TrimSpace(said) != "":
			s.spoken(said)
		default:
			s.cut(whileWorking)
		}
	case "tool_result":
		s.cut(whileWorking)
		if l.ToolCallResult.Status == "cancelled" {
			s.stopped()
		}
	case "user":
		if strings.TrimSpace(said) != "" {
			s.cut(notAnswered)
		}
	}
}
