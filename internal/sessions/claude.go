package sessions

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"

	"github.com/git-resume/git-resume/internal/proc"
)

func claudeRoot(w Where) string {
	return w.setting("CLAUDE_CONFIG_DIR", filepath.Join(w.Home, ".claude"))
}

// slugOf returns the name that Claude Code gives to the folder with the sessions of a working folder. Several folders can have the same name.
func slugOf(dir string) string {
	const longest = 200 // a longer name is cut, and a hash follows
	var out strings.Builder
	for _, u := range utf16.Encode([]rune(dir)) {
		if out.Len() == longest {
			break
		}
		if u < 0x80 && ('0' <= u && u <= '9' || 'A' <= u && u <= 'Z' || 'a' <= u && u <= 'z') {
			out.WriteByte(byte(u))
		} else {
			out.WriteByte('-')
		}
	}
	return out.String()
}

// slugged lists the folders below "projects" that may have sessions of the wanted folders, or of folders below them.
func (r *reader) slugged(same func(a, b string) bool) (out []string) {
	projects := filepath.Join(r.root, "projects")
	for _, e := range r.list(projects) {
		for _, t := range r.trees {
			slug := slugOf(t.real)
			if n := len(slug); e.IsDir() && len(e.Name()) >= n && same(e.Name()[:n], slug) && (len(e.Name()) == n || e.Name()[n] == '-') {
				out = append(out, filepath.Join(projects, e.Name()))
				break
			}
		}
	}
	return out
}

// registered is what a living program of Claude Code or Qwen Code says about itself.
type registered struct {
	PID             int
	ProcStart       text
	PidDomain       string // of Claude Code, "linux:<id of the machine>:pid:[4026531836]"
	PidNS           string // of Qwen Code, "pid:[4026531836]"
	SessionID       string
	Status          string
	WaitingFor      string
	StatusUpdatedAt float64
}

// registry reads the files that living programs keep, by session. A killed program leaves its file.
func (r *reader) registry() map[string][]registered {
	out := map[string][]registered{}
	for _, e := range r.list(filepath.Join(r.root, "sessions")) {
		name, isJSON := strings.CutSuffix(e.Name(), ".json")
		if !isJSON || strings.Trim(name, "0123456789") != "" {
			continue
		}
		var one registered
		if decode(whole(filepath.Join(r.root, "sessions", e.Name()), mostFile), &one) && one.SessionID != "" {
			out[one.SessionID] = append(out[one.SessionID], one)
		}
	}
	return out
}

// fate finds out whether the program of a registration still runs. It is unknown of a program in a container or on another machine.
func (r *reader) fate(one registered) proc.Fate {
	here, space := r.Procs.Host(), one.PidNS
	if domain, ns, ok := strings.Cut(one.PidDomain, ":pid:"); ok {
		space = "pid:" + ns
		if _, machine, _ := strings.Cut(domain, ":"); r.Machine != "" && machine != "" && machine != r.Machine {
			return proc.Unknown
		}
	}
	if strings.HasPrefix(space, "pid:") && here.NS != "" {
		if space != here.NS {
			return proc.Unknown
		}
	}
	_, start, qualified := strings.Cut(string(one.ProcStart), ":") // Qwen Code: "<start of the machine>:<start of the process>"
	if !qualified {
		start = string(one.ProcStart)
	}
	if runtime.GOOS == "linux" && start != "" {
		return r.Procs.FateOf(here, one.PID, start)
	}
	return r.named(one.PID, r.agent.name) // elsewhere, the agents write the start of a process in a form of their own
}

func (r *reader) claude() error {
	registry := r.registry()
	for _, dir := range r.slugged(func(a, b string) bool { return a == b }) {
		for _, e := range r.list(dir) {
			name, isLines := strings.CutSuffix(e.Name(), ".jsonl")
			info, err := e.Info()
			if !isLines || strings.HasPrefix(name, "agent-") || err != nil || !info.Mode().IsRegular() || info.Size() == 0 || !r.fresh(info) {
				continue
			}
			s, err := claudeSession(dir, name, info)
			if err != nil {
				continue // a single file that cannot be read hides no other
			}
			r.claudeLife(&s, registry[name])
			r.add(s)
		}
	}
	return nil
}

// claudeLine is a line of a session of Claude Code, as far as it is understood.
type claudeLine struct {
	Type, Subtype, CWD, Timestamp, Content string
	UUID, ParentUUID, Slug                 string
	IsSidechain, IsMeta, IsCompactSummary  bool
	IsAPIErrorMessage                      bool `json:"isApiErrorMessage"`
	Error                                  json.RawMessage
	CustomTitle, AITitle, Summary          string
	LastPrompt                             string
	QuotaLimits                            struct {
		Status   string
		ResetsAt int64
	}
	CompactMetadata struct{ Trigger string }
	ToolUseResult   json.RawMessage
	Message         struct {
		ID         string
		StopReason string `json:"stop_reason"`
		Content    claudeContent
		Usage      struct {
			InputTokens  int `json:"input_tokens"`
			CacheRead    int `json:"cache_read_input_tokens"`
			CacheWritten int `json:"cache_creation_input_tokens"`
			OutputTokens int `json:"output_tokens"`
		}
	}
}

// claudeContent is the content of a message: a text, or blocks.
type claudeContent struct {
	text   text
	blocks []struct {
		Type, Name, Text string
		Input            given
	}
}

func (c *claudeContent) UnmarshalJSON(data []byte) error {
	if data[0] != '[' {
		return c.text.UnmarshalJSON(data)
	}
	_ = json.Unmarshal(data, &c.blocks)
	var said []string
	for _, b := range c.blocks {
		if b.Type == "text" {
			said = append(said, b.Text)
		}
	}
	c.text = text(strings.Join(said, "\n"))
	return nil
}

func (c *claudeContent) has(kind string) bool {
	for _, b := range c.blocks {
		if b.Type == kind {
			return true
		}
	}
	return false
}

// claudeNoise are the beginnings of user messages that no person has written.
var claudeNoise = []string{"<command-name>", "<command-message>", "<local-command", "<bash-", "<system-reminder>", "<task-notification>", "Caveat:"}

// command matches what is meant for the program, although it was sent to the model: a word to leave it, or a command that it does not know.
var command = regexp.MustCompile(`^(?:[/:]?(?:exit|quit|q)[;.]?|/[a-z-]+)$`)

func isNoise(text string) bool {
	if command.MatchString(strings.TrimSpace(text)) {
		return true
	}
	for _, n := range claudeNoise {
		if strings.HasPrefix(strings.TrimSpace(text), n) {
			return true
		}
	}
	return false
}

// claudePrompt returns what the user says in a line.
func claudePrompt(line []byte) string {
	var l claudeLine
	if !bytes.Contains(line, []byte(`"user"`)) || !decode(line, &l) || !l.isPrompt() {
		return ""
	}
	return string(l.Message.Content.text)
}

// formerLimit matches how a limit was told before it had a field of its own, with the time of its end.
var formerLimit = regexp.MustCompile(`limit reached\|(\d{10})\b`)

// resets matches how the end of a limit is told to people: "resets 6:50pm (Asia/Seoul)", "resets Nov 24, 8pm (UTC)".
var resets = regexp.MustCompile(`resets (?:([A-Z][a-z]{2} \d{1,2}),? )?(?:at )?(\d{1,2}(?::\d\d)?) ?([ap]m) \(([A-Za-z]+(?:/[A-Za-z_]+)*)\)`)

// saidUntil returns the end of a limit as a message tells it: the next time after the message when a clock, or a calendar, shows that. It is
// zero if the message has no such time.
func saidUntil(said, when string) (until time.Time) {
	m := resets.FindStringSubmatch(said)
	at, err := time.Parse(time.RFC3339, when)
	if m == nil || err != nil {
		return until
	}
	zone, err := time.LoadLocation(m[4])
	if err != nil {
		return until
	}
	if !strings.Contains(m[2], ":") {
		m[2] += ":00"
	}
	clock, err := time.Parse("3:04pm", m[2]+m[3])
	if err != nil {
		return until
	}
	day := at.In(zone)
	month, date, years, days := day.Month(), day.Day(), 0, 1
	if m[1] != "" {
		named, err := time.Parse("Jan 2", m[1])
		if err != nil {
			return until
		}
		month, date, years, days = named.Month(), named.Day(), 1, 0
	}
	until = time.Date(day.Year(), month, date, clock.Hour(), clock.Minute(), 0, 0, zone)
	if !until.After(at) {
		until = until.AddDate(years, 0, days)
	}
	return until
}

// taskID matches the name of a background agent in the notice that it has ended.
var taskID = regexp.MustCompile(`<task-id>([^<]+)`)

// claudeSession reads a session of Claude Code from its end. The state is the one of the newest decisive line.
func claudeSession(dir, name string, info fs.FileInfo) (Session, error) {
	s := Session{ID: name, Last: info.ModTime(), Command: []string{"claude", "--resume", name}, Unattended: []string{"claude", "-p", "--resume", name, "Go on."}}
	s.path = filepath.Join(dir, name+".jsonl")
	c := claudeReading{Session: &s, ended: map[string]bool{}}
	_, c.background = statDir(filepath.Join(dir, name, "subagents"))
	err := records(&s, c.line, `"user"`, `-title"`, `"summary"`, `"last-prompt"`, `"queue-operation"`)
	s.long(info)
	if (s.State == Finished || s.Soft) && len(c.launched) > 0 {
		s.Soft = false
		s.cut("a sub-agent was still at work: " + c.launched[0])
	}
	return s, err
}

type claudeReading struct {
	*Session
	// ended has the agents in the background that have ended, and launched those that have not.
	ended      map[string]bool
	launched   []string
	background bool
	// summarised is true above the summary of a compacted conversation, and dated if the newest time was seen.
	summarised, dated bool
	// denied is why the vendor refuses the request that is being tried again.
	denied string
	// asked is true above the newest prompt.
	asked bool
	// below is the line that decided, until the line before it is known. If that is the program's word that a command of its own follows, a
	// prompt is what such a command printed. If it is the notice that something in the background has ended, an error concerns only that.
	below *claudeLine
	// called is the message that calls a tool, although its newest line has words.
	called string
}

// line takes one line, and returns false if no older one is needed.
func (c *claudeReading) line(l *claudeLine) bool {
	if b := c.below; b != nil && (l.Type == "user" || l.Type == "assistant") {
		said := string(l.Message.Content.text)
		if c.below = nil; b.Type == "user" && l.UUID == b.ParentUUID && l.IsMeta && isNoise(said) || b.Type == "assistant" && strings.HasPrefix(said, "<task-notification>") {
			c.State, c.Detail, c.Until, c.Ended, c.Denied = "", "", time.Time{}, false, false
			if c.Title == string(b.Message.Content.text) {
				c.Title = ""
			}
		}
	}
	if c.Dir == "" {
		c.Dir = l.CWD
	}
	if !c.dated && l.Timestamp != "" {
		c.dated = true
		c.at(l.Timestamp)
	}
	if c.plan == "" {
		c.plan = l.Slug
	}
	c.name(l)
	c.behind(l)
	if c.State == "" && !l.IsSidechain {
		c.decide(l)
	}
	switch {
	case c.State == "" || c.Dir == "" || c.below != nil:
		return true
	case c.background && (c.State == Finished || c.Soft) && !c.asked:
		c.asked = l.isPrompt() // read on to the prompt, because an agent in the background may not have ended
		return !c.asked || c.State != Finished && c.untitled()
	case c.State == Finished:
		return false
	}
	return c.untitled()
}

// isPrompt reports whether a person has written this.
func (l *claudeLine) isPrompt() bool {
	said := string(l.Message.Content.text)
	return l.Type == "user" && !l.IsMeta && !l.IsSidechain && !l.Message.Content.has("tool_result") && strings.TrimSpace(said) != "" && !isNoise(said) && !strings.HasPrefix(said, "[Request interrupted")
}

// name takes the title of the session, or else its last prompt.
func (c *claudeReading) name(l *claudeLine) {
	for _, t := range []string{l.CustomTitle, l.AITitle, l.Summary, l.LastPrompt} {
		if c.Title == "" && !isNoise(t) {
			c.Title = t
		}
	}
	if c.Title == "" && l.isPrompt() && !l.IsCompactSummary {
		c.Title = string(l.Message.Content.text)
	}
}

// behind notes which agents in the background were started and have ended.
func (c *claudeReading) behind(l *claudeLine) {
	if !c.background {
		return
	}
	for _, notice := range []string{l.Content, string(l.Message.Content.text)} {
		if !strings.Contains(notice, "<task-notification>") {
			continue
		}
		for _, m := range taskID.FindAllStringSubmatch(notice, -1) {
			c.ended[m[1]] = true
		}
	}
	var launched struct{ Status, AgentID, Description string }
	if len(l.ToolUseResult) > 0 && l.ToolUseResult[0] == '{' && json.Unmarshal(l.ToolUseResult, &launched) == nil &&
		launched.Status == "async_launched" && launched.AgentID != "" && !c.ended[launched.AgentID] {
		c.launched = append(c.launched, launched.Description)
	}
}

func (c *claudeReading) decide(l *claudeLine) {
	m := &l.Message
	switch {
	case l.Type == "assistant":
		c.assistant(l)
		u := m.Usage
		c.Tokens = u.InputTokens + u.CacheRead + u.CacheWritten + u.OutputTokens
	case l.Type == "system" && l.Subtype == "api_error":
		c.denied = firstOf(c.denied, l.denied())
	case l.Type == "system" && l.Subtype == "compact_boundary" && c.summarised:
		c.State, c.Detail = Finished, "compacted"
		if l.CompactMetadata.Trigger == "auto" {
			c.cut("after a compaction")
		}
	case l.Type != "user" || l.IsMeta:
		return
	case m.Content.has("tool_result"):
		c.cut(whileWorking)
		if l.refused() {
			c.State, c.Detail = Stopped, "you refused a tool"
		}
	case strings.HasPrefix(string(m.Content.text), "[Request interrupted"):
		c.stopped()
	case l.IsCompactSummary:
		c.summarised = true
		return
	case l.isPrompt():
		c.cut(notAnswered)
		c.below = l
	}
	if c.State == Cut && c.denied != "" {
		c.State, c.Detail = Limit, c.denied
	}
	if c.State != "" {
		c.at(l.Timestamp)
	}
}

// denied returns why the vendor refuses more requests, or "". The program is going to try again.
func (l *claudeLine) denied() string {
	var e struct {
		Status int
		Error  struct{ Error struct{ Message string } }
	}
	const tooMany = 429
	if !decode(l.Error, &e) || e.Status != tooMany {
		return ""
	}
	return firstOf(e.Error.Error.Message, "too many requests")
}

// refused reports whether the user did not let a tool begin, and said nothing else to the agent.
func (l *claudeLine) refused() bool {
	var said string
	if json.Unmarshal(l.ToolUseResult, &said) != nil {
		return false
	}
	said = strings.TrimPrefix(said, "Error: ")
	return said == "User rejected tool use" || strings.HasPrefix(said, "[Request interrupted") ||
		strings.HasPrefix(said, "The user doesn't want to ") && strings.Contains(said, "STOP what you are doing")
}

func (c *claudeReading) assistant(l *claudeLine) {
	said := string(l.Message.Content.text)
	tool := -1
	for i, b := range l.Message.Content.blocks {
		if b.Type == "tool_use" {
			tool = i
		}
	}
	former := formerLimit.FindStringSubmatch(said)
	if l.IsAPIErrorMessage {
		c.below, c.Denied = l, strings.Contains(string(l.Error), "authentication_failed")
	}
	switch {
	case tool < 0 && !l.IsAPIErrorMessage && l.Message.StopReason == "tool_use" && (c.called == "" || c.called == l.Message.ID):
		c.called = l.Message.ID // each part of a message has a line, and the call of a tool can stand before words
	case c.called != "" && c.called != l.Message.ID:
		c.cut(whileWorking)
	case l.IsAPIErrorMessage && former != nil:
		c.State, c.Detail = Limit, "usage limit reached"
		if at, err := strconv.ParseInt(former[1], 10, 64); err == nil {
			c.Until = time.Unix(at, 0)
		}
	case l.IsAPIErrorMessage && (strings.Contains(string(l.Error), "rate_limit") || l.QuotaLimits.Status == "rejected" || limited.MatchString(said)):
		c.State, c.Detail = Limit, said
		if c.Until = saidUntil(said, l.Timestamp); l.QuotaLimits.ResetsAt > 0 {
			c.Until = time.Unix(l.QuotaLimits.ResetsAt, 0)
		}
	case l.IsAPIErrorMessage:
		c.failed(said)
	case tool >= 0:
		b := l.Message.Content.blocks[tool]
		switch {
		case b.Name == "AskUserQuestion":
			c.State, c.Detail = Waits, b.Input.asked()
		case b.Name == "ExitPlanMode":
			c.State, c.Detail = Waits, "a plan to approve"
		default:
			c.inTool(b.Name, firstOf(b.Input.Command, b.Input.FilePath, b.Input.Description))
		}
	case strings.TrimSpace(said) == "" && l.Message.Content.has("thinking"):
		c.cut(whileWorking)
	default:
		c.spoken(said)
	}
}

// claudeLife finds out whether the program of a session still runs, and what it does.
func (r *reader) claudeLife(s *Session, all []registered) {
	s.Fate = proc.Dead
	for _, one := range all {
		switch r.fate(one) {
		case proc.Alive:
			s.Fate, s.PID = proc.Alive, one.PID
			s.Busy = one.Status == "busy" || one.Status == "shell" || one.Status == ""
			if one.Status == "waiting" && s.State != Limit {
				s.State, s.Soft, s.Detail = Waits, false, firstOf(s.Detail, one.WaitingFor)
			}
			return
		case proc.Unknown:
			s.Fate = proc.Unknown
		case proc.Dead: // a killed program leaves its last word about itself, which can be newer than the last entry
			working := one.Status == "busy" || one.Status == "waiting"
			if working && (s.State == Finished || s.Soft) && one.StatusUpdatedAt > float64(s.Last.UnixMilli()) {
				s.Soft = false
				s.cut(whileWorking)
			}
		}
	}
}
