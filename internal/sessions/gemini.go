package sessions

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func geminiRoot(w Where) string {
	return filepath.Join(w.setting("GEMINI_CLI_HOME", w.Home), ".gemini")
}

func (r *reader) gemini() error {
	hashed := map[string]string{} // older versions named the folder of a project after the hash of its path
	for _, t := range r.trees {
		sum := sha256.Sum256([]byte(t.real))
		hashed[hex.EncodeToString(sum[:])] = t.real
	}
	var all []Session
	for _, e := range r.list(filepath.Join(r.root, "tmp")) {
		if !e.IsDir() {
			continue
		}
		dir := filepath.Join(r.root, "tmp", e.Name())
		root := strings.TrimSpace(string(head(filepath.Join(dir, ".project_root"), headSize)))
		if root == "" {
			root = hashed[e.Name()]
		}
		if r.treeOf(root) == "" {
			continue
		}
		for _, e := range r.list(filepath.Join(dir, "chats")) {
			info, err := e.Info()
			if err != nil || !info.Mode().IsRegular() || !strings.HasPrefix(e.Name(), "session-") || !r.fresh(info) {
				continue
			}
			if s, ok := geminiSession(filepath.Join(dir, "chats", e.Name()), root, info); ok {
				all = append(all, s)
			}
		}
	}
	r.addLiving(newestOfEach(all), "gemini", "gemini.js")
	return nil
}

// newestOfEach keeps one session of each id: the newest that is not empty, because a resumed session leaves an empty twin.
func newestOfEach(all []Session) []Session {
	slices.SortStableFunc(all, func(a, b Session) int {
		if empty := (a.State == ""); empty != (b.State == "") {
			return map[bool]int{true: 1, false: -1}[empty]
		}
		return b.Last.Compare(a.Last)
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(s Session) bool {
		twin := seen[s.ID]
		seen[s.ID] = true
		return twin
	})
}

// geminiLine is a message of a session of the Gemini CLI, or a change of the list of messages.
type geminiLine struct {
	geminiMessage
	Set      struct{ Messages []geminiMessage } `json:"$set"`
	RewindTo string                             `json:"$rewindTo"`
}

type geminiMessage struct {
	ID, Type, Timestamp string
	Content             geminiContent
	ToolCalls           []struct {
		Name, Status string
		Args         given
	}
}

// geminiContent is what was said. A message of the user can also be the result of a tool.
type geminiContent struct {
	text
	answers bool
}

// UnmarshalJSON never fails, as that of a text.
func (c *geminiContent) UnmarshalJSON(data []byte) error {
	c.answers = bytes.Contains(data, []byte(`"functionResponse"`))
	return c.text.UnmarshalJSON(data)
}

// prompt returns what the user says. Programs add messages about the surroundings in the name of the user.
func (m *geminiMessage) prompt() string {
	said := string(m.Content.text)
	if m.Type != "user" || m.Content.answers || m.isContext() {
		return ""
	}
	return said
}

func (m *geminiMessage) isContext() bool {
	return strings.HasPrefix(string(m.Content.text), "<session_context") || strings.HasPrefix(string(m.Content.text), "This is the Gemini CLI")
}

func geminiPrompt(line []byte) string {
	var l geminiLine
	if !bytes.Contains(line, []byte(`"user"`)) || !decode(line, &l) {
		return ""
	}
	return l.prompt()
}

var (
	geminiID    = regexp.MustCompile(`"sessionId":\s*"([^"]+)"`)
	geminiChild = regexp.MustCompile(`"kind":\s*"subagent"`)
)

func geminiSession(path, dir string, info fs.FileInfo) (Session, bool) {
	first := head(path, headSize)
	m := geminiID.FindSubmatch(first)
	if m == nil || geminiChild.Match(first) {
		return Session{}, false
	}
	id := string(m[1])
	s := Session{ID: id, Dir: dir, Last: info.ModTime(), Command: []string{"gemini", "--resume", id}, Unattended: []string{"gemini", "--resume", id, "-p", "Go on."}}
	g := geminiReading{Session: &s}
	if strings.HasSuffix(path, ".json") { // before, a session was one object
		var doc struct{ Messages []geminiMessage }
		if !decode(whole(path, mostTail), &doc) {
			return s, false
		}
		g.messages(doc.Messages)
		for i := range doc.Messages {
			if s.First == "" {
				s.First = oneLine(doc.Messages[i].prompt(), 60)
			}
		}
		return s, true
	}
	s.path = path
	err := records(&s, g.line, `"user"`, `"$`)
	if s.State == "" && g.answered {
		s.cut(whileWorking)
	}
	s.long(info)
	return s, err == nil
}

type geminiReading struct {
	*Session
	// back is the message to which the user went back. What came after it does not count.
	back string
	// answered is true if the newest message is the answer of a tool. Whether the user stopped that tool stands in the message before it.
	answered bool
}

func (g *geminiReading) messages(all []geminiMessage) bool {
	for i := range slices.Backward(all) {
		if !g.message(&all[i]) {
			return false
		}
	}
	return true
}

func (g *geminiReading) line(l *geminiLine) bool {
	switch {
	case len(l.Set.Messages) > 0:
		return g.messages(l.Set.Messages)
	case l.RewindTo != "" && g.back == "":
		g.back = l.RewindTo
		return true
	}
	return g.message(&l.geminiMessage)
}

// message takes one message, and returns false if no older one is needed.
func (g *geminiReading) message(m *geminiMessage) bool {
	if g.back != "" {
		if m.ID == g.back {
			g.back = ""
		}
		return true
	}
	if g.Title == "" {
		g.Title = m.prompt()
	}
	if g.State == "" && !m.isContext() {
		if g.decide(m, string(m.Content.text)); g.State != "" {
			g.at(m.Timestamp)
		}
	}
	return g.State == "" || g.State != Finished && g.untitled()
}

func (g *geminiReading) decide(l *geminiMessage, said string) {
	n := len(l.ToolCalls)
	if g.answered && l.Type != "info" && (n == 0 || l.ToolCalls[n-1].Status != "cancelled") {
		g.cut(whileWorking)
		return
	}
	switch l.Type {
	case "gemini":
		switch {
		case n > 0 && l.ToolCalls[n-1].Status == "cancelled":
			g.stopped()
		case n > 0 && l.ToolCalls[n-1].Name == "ask_user" && l.ToolCalls[n-1].Status != "success":
			g.State, g.Detail = Waits, l.ToolCalls[n-1].Args.asked()
		case n > 0: // a call is written when it has ended
			g.inTool(l.ToolCalls[n-1].Name, l.ToolCalls[n-1].Args.Command)
			g.Tool, g.Detail = "", "after"+strings.TrimPrefix(g.Detail, "in")
		case strings.TrimSpace(said) != "":
			g.spoken(said)
		default:
			g.cut("in a tool")
		}
	case "user":
		if g.answered = l.Content.answers; !g.answered {
			g.cut(notAnswered)
		}
	case "info":
		if strings.Contains(strings.ToLower(said), "cancel") {
			g.stopped()
		}
	case "error":
		g.failed(said)
		if limited.MatchString(said) {
			g.State, g.Detail = Limit, said
		}
	}
}
