package agents

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 15, 17, 42, 0, 0, time.UTC)

// reports are payloads in the forms of the six agents, and what Read must find in them.
var reports = []struct {
	name, text, argument string
	want                 Report
}{
	{"claude starts", `{"session_id":"s1","cwd":"/w","hook_event_name":"SessionStart","source":"resume"}`, "", Report{Agent: "claude", What: SessionStarted}},
	{"claude compacts", `{"session_id":"s1","cwd":"/w","hook_event_name":"SessionStart","source":"compact"}`, "", Report{Agent: "claude", What: Compacted}},
	{"claude is asked", `{"session_id":"s1","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":"do it"}`, "", Report{Agent: "claude", What: Prompted}},
	{"claude stops", `{"session_id":"s1","cwd":"/w","hook_event_name":"Stop","background_tasks":[],"session_crons":[]}`, "", Report{Agent: "claude", What: Finished}},
	{"claude hits a limit", `{"session_id":"s1","cwd":"/w","hook_event_name":"StopFailure","error":"rate_limit","last_assistant_message":"You've hit your 5-hour limit · resets 7:41pm (UTC)"}`, "",
		Report{Agent: "claude", What: Failed, Stop: Stop{Cause: Quota, Until: time.Date(2026, 11, 15, 19, 41, 0, 0, time.UTC), Limit: "5-hour limit", Roughly: true}}},
	{"claude's server", `{"session_id":"s1","cwd":"/w","hook_event_name":"StopFailure","error":"overloaded"}`, "", Report{Agent: "claude", What: Failed, Stop: Stop{Cause: Overloaded}}},
	{"claude leaves", `{"session_id":"s1","cwd":"/w","hook_event_name":"SessionEnd","reason":"other"}`, "", Report{Agent: "claude", What: Left}},
	{"codex is interrupted", `{"session_id":"s1","turn_id":"t","cwd":"/w","hook_event_name":"Interrupt"}`, "", Report{Agent: "codex", What: Stopped, Stop: Stop{Cause: ByUser}}},
	{"gemini is asked", `{"session_id":"s1","cwd":"/w","hook_event_name":"BeforeAgent","prompt":"x"}`, "", Report{Agent: "gemini", What: Prompted}},
	{"gemini stops", `{"session_id":"s1","cwd":"/w","hook_event_name":"AfterAgent"}`, "", Report{Agent: "gemini", What: Finished}},
	{"copilot is asked", `{"sessionId":"s1","timestamp":1,"cwd":"/w","prompt":"x"}`, "userPromptSubmitted", Report{Agent: "copilot", What: Prompted}},
	{"copilot hits a limit", `{"sessionId":"s1","timestamp":1,"cwd":"/w","errorContext":"model_call","recoverable":true,"error":{"message":"{\"code\":\"user_weekly_rate_limited\",\"message\":\"You have exceeded your weekly rate limit. Please try again in 2 hours.\",\"type\":\"rate_limit\"}","name":"Error"}}`, "errorOccurred",
		Report{Agent: "copilot", What: Failed, Stop: Stop{Cause: Quota, Until: noon.Add(2 * time.Hour), Limit: "weekly limit", Roughly: true}}},
	{"copilot stops", `{"sessionId":"s1","timestamp":1,"cwd":"/w","transcriptPath":"/h/.copilot/session-state/s1/events.jsonl","stopReason":"end_turn"}`, "agentStop",
		Report{Agent: "copilot", What: Finished, Transcript: "/h/.copilot/session-state/s1/events.jsonl"}},
	{"opencode works", `{"agent":"opencode","hook_event_name":"session.status","cwd":"/w","pid":7,"properties":{"sessionID":"s1","status":{"type":"busy"}}}`, "", Report{Agent: "opencode", What: Prompted, PID: 7}},
	{"opencode waits", `{"agent":"opencode","hook_event_name":"session.status","cwd":"/w","properties":{"sessionID":"s1","status":{"type":"retry","attempt":1,"message":"Rate limit reached","next":1794771720000}}}`, "",
		Report{Agent: "opencode", What: Failed, Stop: Stop{Cause: Quota, Until: time.Date(2026, 11, 15, 19, 42, 0, 0, time.UTC), Limit: "usage limit"}}},
	{"opencode's error", `{"agent":"opencode","hook_event_name":"session.error","cwd":"/w","properties":{"sessionID":"s1","error":{"name":"APIError","data":{"message":"no","statusCode":503}}}}`, "",
		Report{Agent: "opencode", What: Failed, Stop: Stop{Cause: Overloaded}}},
	{"opencode's subagent", `{"agent":"opencode","hook_event_name":"session.created","cwd":"/w","properties":{"sessionID":"s1","info":{"parentID":"s0"}}}`, "", Report{Agent: "opencode", What: SessionStarted, Child: true}},
}

func TestRead_saysWhatAnEventMeans(t *testing.T) {
	t.Parallel()
	for _, c := range reports {
		c.want.Session, c.want.Dir, c.want.At = "s1", "/w", noon
		got, ok := Read([]byte(c.text), c.argument, environment(), noon)
		if !ok || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v\n %+v, want\n %+v", c.name, ok, got, c.want)
		}
	}
}

func TestRead_ignoresWhatMeansNothing(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"session_id":"s1","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_input":{"todos":[]}}`,
		`{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"x"}}`,
		`{"session_id":"s1","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"a","status":"completed"}]}}`,
		`{"agent":"opencode","hook_event_name":"todo.updated","cwd":"/w","properties":{"sessionID":"s1","todos":[{"content":"a","status":"in_progress"}]}}`,
		`{"session_id":"s1","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":""}`,
		`{"session_id":"s1","cwd":"/w","hook_event_name":"Stop","background_tasks":[{"id":"1"}]}`,
		`{"session_id":"../../etc","cwd":"/w","hook_event_name":"Stop"}`,
		`{"session_id":"-x","cwd":"/w","hook_event_name":"Stop"}`,
		`{"session_id":"` + strings.Repeat("s", 200) + `","cwd":"/w","hook_event_name":"Stop"}`,
		`{"agent":"opencode","hook_event_name":"session.status","cwd":"/w","properties":{"sessionID":"s1","status":{"type":"retry","next":1794764530000}}}`,
		`{"agent":"opencode","hook_event_name":"session.status","cwd":"/w","properties":{"sessionID":"s1","status":{"type":"retry","next":9e300}}}`,
	} {
		if r, ok := Read([]byte(text), "", environment(), noon); ok {
			t.Errorf("%s means %+v", text, r)
		}
	}
}

// endings are the last lines of transcripts, and what LastEnding must find in them.
var endings = []struct {
	name, agent, text string
	want              Ending
	ok                bool
}{
	{"claude's limit", "claude", `{"type":"user","message":{"content":"do it"}}
{"type":"assistant","timestamp":"2026-11-15T17:42:24.495Z","message":{"stop_reason":"stop_sequence","content":[{"type":"text","text":"You've hit your limit"}]},"apiError":"usage_limit_reached","quotaLimits":{"status":"rejected","resetsAt":1794771669,"rateLimitType":"five_hour"},"error":"rate_limit","isApiErrorMessage":true}
{"type":"last-prompt","lastPrompt":"do it"}
{"type":"cost-state","totalCostUSD":0.1}
`, Ending{Stop: Stop{Cause: Quota, Until: time.Unix(1794771669, 0).UTC(), Limit: "5-hour limit"}, At: time.Date(2026, 11, 15, 17, 42, 24, 495e6, time.UTC)}, true},
	{"claude is at work", "claude", `{"type":"assistant","error":"rate_limit","isApiErrorMessage":true}
{"type":"user","message":{"content":[{"type":"tool_result"}]}}`, Ending{}, false},
	{"claude was interrupted", "claude", `{"type":"user","message":{"content":[{"type":"text","text":"[Request interrupted by user]"}]}}`, Ending{Stop: Stop{Cause: ByUser}}, true},
	{"claude finished", "claude", `{"type":"assistant","message":{"stop_reason":"end_turn"}}`, Ending{Finished: true}, true},
	{"claude's subagent", "claude", `{"type":"assistant","isSidechain":true,"error":"rate_limit"}`, Ending{}, false},
	{"a limit that never ends", "claude", `{"type":"assistant","error":"rate_limit","quotaLimits":{"resetsAt":99999999999,"rateLimitType":"seven_day"}}`, Ending{Stop: Stop{Cause: Quota, Limit: "weekly limit"}}, true},
	{"codex's limit", "codex", `half a line"}
{"timestamp":"2026-11-15T17:50:40.060Z","type":"event_msg","payload":{"type":"token_count","rate_limits":{"primary":{"used_percent":100.0,"window_minutes":300,"resets_at":1794772233},"secondary":{"used_percent":40.0,"window_minutes":10080,"resets_at":1794858633}}}}
{"timestamp":"2026-11-15T17:50:40.063Z","type":"event_msg","payload":{"type":"task_complete","error":{"message":"You've hit your usage limit. Try again at 7:50 PM.","codex_error_info":"usage_limit_exceeded"}}}
`, Ending{Stop: Stop{Cause: Quota, Until: time.Unix(1794772233, 0).UTC(), Limit: "5-hour limit"}, At: time.Date(2026, 11, 15, 17, 50, 40, 63e6, time.UTC)}, true},
	{"codex was interrupted", "codex", `{"type":"event_msg","payload":{"type":"turn_aborted","reason":"interrupted"}}`, Ending{Stop: Stop{Cause: ByUser}}, true},
	{"codex finished", "codex", `{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"x","error":null}}`, Ending{Finished: true}, true},
	{"codex is at work", "codex", `{"type":"event_msg","payload":{"type":"turn_aborted"}}
{"type":"event_msg","payload":{"type":"task_started"}}`, Ending{}, false},
	{"copilot's limit", "copilot", `{"type":"session.error","timestamp":"2026-11-15T17:42:00Z","data":{"errorType":"rate_limit","message":"weekly limit, try again in 2 hours","statusCode":429}}`,
		Ending{Stop: Stop{Cause: Quota, Until: noon.Add(2 * time.Hour), Limit: "weekly limit", Roughly: true}, At: noon}, true},
	{"gemini says nothing", "gemini", `{"type":"error","error":"rate_limit"}`, Ending{}, false},
}

func TestLastEnding(t *testing.T) {
	t.Parallel()
	for _, c := range endings {
		if got, ok := LastEnding(c.agent, []byte(c.text), noon); ok != c.ok || ok && got != c.want {
			t.Errorf("%s: %v\n %+v, want\n %+v", c.name, ok, got, c.want)
		}
	}
}

// FuzzRead checks that no payload makes Read panic, and that its result has no unsafe session ids.
func FuzzRead(f *testing.F) {
	for _, c := range reports {
		f.Add(c.text, c.argument)
	}
	f.Fuzz(func(t *testing.T, text, name string) {
		r, ok := Read([]byte(text), name, environment(), noon)
		if !ok {
			return
		}
		if !IsSession(r.Session) || !r.Stop.Until.IsZero() && r.Stop.Until.Sub(noon) > longestLimit {
			t.Errorf("%+v", r)
		}
		if _, err := json.Marshal(r); err != nil {
			t.Error(err)
		}
	})
}

// FuzzLastEnding checks that no transcript makes LastEnding panic, and that LastEnding returns no cause of a stop for a finished turn.
func FuzzLastEnding(f *testing.F) {
	for _, c := range endings {
		f.Add(c.agent, c.text)
	}
	f.Fuzz(func(t *testing.T, agent, text string) {
		e, ok := LastEnding(agent, []byte(text), noon)
		if ok && (!e.Stop.Until.IsZero() && !Believable(e.Stop.Until, noon.AddDate(1, 0, 0)) && !Believable(e.Stop.Until, noon) || e.Finished && e.Stop.Cause != "") {
			t.Errorf("%+v", e)
		}
	})
}
