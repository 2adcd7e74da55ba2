package agents

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/agents/splice"
)

func environment(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

// payloads are hook inputs in the form that the real programs send, and the event that Recognize must find in them.
var payloads = []struct {
	name, text, argument string
	env                  []string
	want                 Event
}{
	{"claude", `{"session_id":"s1","transcript_path":"/home/u/.claude/projects/-w/s1.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"startup"}`, "", nil, Event{Agent: "claude", Name: "SessionStart", Session: "s1", Dir: "/w"}},
	{"claude in another folder", `{"session_id":"s1","transcript_path":"/etc/c/projects/-w/s1.jsonl","cwd":"/w","prompt_id":"p","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":false}`, "", nil, Event{Agent: "claude", Name: "Stop", Session: "s1", Dir: "/w"}},
	{"claude's subagent", `{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","agent_id":"a1","tool_name":"TodoWrite"}`, "", nil, Event{Agent: "claude", Name: "PostToolUse", Session: "s1", Dir: "/w", Sub: true}},
	{"claude inside gemini", `{"session_id":"s1","cwd":"/w","hook_event_name":"Stop"}`, "", []string{"GEMINI_SESSION_ID", "other", "QWEN_CODE_SESSION_ID", "other"}, Event{Agent: "claude", Name: "Stop", Session: "s1", Dir: "/w"}},
	{"cursor with claude's hooks", `{"conversation_id":"c1","generation_id":"g","session_id":"c1","cursor_version":"3.1","hook_event_name":"stop","workspace_roots":["/w"],"cwd":"/w","transcript_path":null,"status":"completed"}`, "", nil, Event{Agent: "cursor", Name: "stop", Session: "c1", Dir: "/w"}},
	{"codex", `{"session_id":"s2","turn_id":"t","transcript_path":"/x/rollout-2026.jsonl","cwd":"/w","hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"go"}`, "", nil, Event{Agent: "codex", Name: "UserPromptSubmit", Session: "s2", Dir: "/w"}},
	{"codex at the start", `{"session_id":"s2","transcript_path":"/x/sessions/2026/11/15/rollout-2026-11-15T17-49-41-s2.jsonl","cwd":"/w","hook_event_name":"SessionStart","source":"resume"}`, "", nil, Event{Agent: "codex", Name: "SessionStart", Session: "s2", Dir: "/w"}},
	{"codex's subagent", `{"session_id":"s2","turn_id":"t","agent_type":"worker","cwd":"/w","hook_event_name":"Stop"}`, "", nil, Event{Agent: "codex", Name: "Stop", Session: "s2", Dir: "/w", Sub: true}},
	{"gemini", `{"session_id":"s3","transcript_path":"/home/u/.gemini/tmp/w/chats/session-s3.jsonl","cwd":"/w","hook_event_name":"SessionStart","timestamp":"2026-11-15T17:53:47Z"}`, "", []string{"GEMINI_SESSION_ID", "s3"}, Event{Agent: "gemini", Name: "SessionStart", Session: "s3", Dir: "/w"}},
	{"gemini by its event", `{"session_id":"s3","cwd":"/w","hook_event_name":"AfterAgent"}`, "", nil, Event{Agent: "gemini", Name: "AfterAgent", Session: "s3", Dir: "/w"}},
	{"qwen", `{"session_id":"s4","transcript_path":"/q/projects/-w/chats/s4.jsonl","cwd":"/w","hook_event_name":"Stop","timestamp":"2026-11-15T18:08:04Z","permission_mode":"yolo"}`, "", []string{"QWEN_CODE_SESSION_ID", "s4"}, Event{Agent: "qwen", Name: "Stop", Session: "s4", Dir: "/w"}},
	{"copilot", `{"sessionId":"s5","timestamp":1794765942958,"cwd":"/w","source":"new","initialPrompt":"go"}`, "sessionStart", nil, Event{Agent: "copilot", Name: "sessionStart", Session: "s5", Dir: "/w"}},
	{"opencode", `{"agent":"opencode","hook_event_name":"todo.updated","cwd":"/w","pid":7,"properties":{"sessionID":"ses_1","todos":[]}}`, "", nil, Event{Agent: "opencode", Name: "todo.updated", Session: "ses_1", Dir: "/w"}},
	{"a number", `1`, "", nil, Event{}},
	{"nothing", ``, "", nil, Event{}},
	{"an empty object", `{}`, "Stop", nil, Event{}},
	{"another type", `{"session_id":1,"hook_event_name":"Stop"}`, "", nil, Event{}},
	{"too deep", strings.Repeat("[", 20000), "", nil, Event{}},
	{"too large", `{"session_id":"s1","hook_event_name":"Stop","x":"` + strings.Repeat("x", MaxPayload) + `"}`, "", nil, Event{}},
}

func TestRecognize(t *testing.T) {
	t.Parallel()
	for _, c := range payloads {
		got, ok := Recognize([]byte(c.text), c.argument, environment(c.env...))
		if ok != (c.want.Agent != "") || ok && got != c.want {
			t.Errorf("%s: %+v, %v; want %+v", c.name, got, ok, c.want)
		}
	}
}

func FuzzRecognize(f *testing.F) {
	for _, c := range payloads {
		if len(c.text) < 1000 {
			f.Add([]byte(c.text), c.argument)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, name string) {
		e, ok := Recognize(text, name, environment())
		if _, known := Lookup(e.Agent); ok && (!known || e.Session == "" || e.Name == "") {
			t.Errorf("%q was recognized as %+v", text, e)
		}
	})
}

func TestPieces(t *testing.T) {
	t.Parallel()
	for _, place := range []Place{{Home: "/home/u"}, {Home: "/home/u", Project: "/w"}} {
		for _, a := range All {
			for _, p := range a.Pieces(place, a.Tried, true) {
				if !filepath.IsAbs(p.Path) {
					t.Errorf("%s: %s is not absolute", a.Name, p.Path)
				}
				if filepath.Ext(p.Path) == ".json" && !p.Shared() {
					if !json.Valid(p.Own) || !strings.HasSuffix(string(p.Own), "}\n") {
						t.Errorf("%s: %s is not JSON:\n%s", a.Name, p.Path, p.Own)
					}
				}
				for _, e := range p.Entries {
					var v any
					if err := json.Unmarshal([]byte(e.Value), &v); err != nil || e.Append && !IsOurs(v) {
						t.Errorf("%s: %s: %v", a.Name, e.Value, err)
					}
				}
				if p.Shared() && p.Setting == nil {
					if _, _, err := splice.AddJSON(nil, p.Format, p.Entries); err != nil {
						t.Errorf("%s: %v", a.Name, err)
					}
				}
			}
		}
	}
}

func TestEvents_ofOlderVersions(t *testing.T) {
	t.Parallel()
	claude, _ := Lookup("claude")
	codex, _ := Lookup("codex")
	for _, c := range []struct {
		agent   Agent
		version string
		event   string
		want    bool
	}{
		{claude, "2.1.325", "StopFailure", true}, {claude, "2.1.77", "StopFailure", false}, {claude, "", "StopFailure", false}, {claude, "", "Stop", true},
		{codex, "0.166.0", "Interrupt", true}, {codex, "0.165.9", "Interrupt", false}, {codex, "1.0.0", "Interrupt", true},
	} {
		if got := strings.Contains(" "+strings.Join(c.agent.Events(c.version), " ")+" ", " "+c.event+" "); got != c.want {
			t.Errorf("%s %s: %s is %v", c.agent.Name, c.version, c.event, got)
		}
	}
}

func TestSkill(t *testing.T) {
	t.Parallel()
	text := string(skill)
	if n := strings.Count(text, "\n"); n >= 60 {
		t.Errorf("the skill has %d lines", n)
	}
	head := regexp.MustCompile(`^---\nname: git-resume\ndescription: (.+)\n---\n`).FindStringSubmatch(text)
	if head == nil || len(head[1]) > 1024 {
		t.Errorf("the front matter is not right:\n%.300s", text)
	}
}

func TestIsOurs(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		`{"hooks":[{"type":"command","command":"` + Command + `"}]}`:          true,
		`{"matcher":"x","hooks":[{"command":"` + Command + `","timeout":9}]}`: true,
		`{"hooks":[{"command":"` + Command + `"},{"command":"theirs"}]}`:      false,
		`{"hooks":[]}`:                         false,
		`{"command":"` + Command + `"}`:        true,
		`{"command":"git-resume agent-event"}`: false,
		`"` + Command + `"`:                    false,
	} {
		var v any
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		if IsOurs(v) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
}
