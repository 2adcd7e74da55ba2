package sessions

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

var update = flag.Bool("update", false, "write what the reader says into testdata/stores.txt")

// The stores were written at this time, in these folders, by programs of a machine with this id.
var (
	recorded = time.Date(2026, 11, 19, 8, 30, 0, 0, time.UTC)
	trees    = []string{"/home/dev/acme", "/home/dev/acme-feature"}
)

const (
	machine   = "00000000000000000000000000000001"
	namespace = "pid:[4026531836]"
)

// homes says where each agent keeps its files below a home folder.
var homes = map[string]string{
	"claude": ".claude", "codex": ".codex", "gemini": ".gemini", "qwen": ".qwen", "copilot": ".copilot", "opencode": ".local/share/opencode",
}

// at returns the places below a home folder, when the stores were written and none of their programs was left.
func at(home string, living ...proc.Process) Where {
	return Where{
		Home: home, Env: func(string) string { return "" }, Now: recorded, Machine: machine, Days: 30,
		Procs: proc.Table{
			Here: func() proc.Host { return proc.Host{Name: "ada", Boot: "b", NS: namespace} },
			Look: func(pid int) (proc.Process, bool) {
				for _, p := range living {
					if p.PID == pid {
						return p, true
					}
				}
				return proc.Process{}, false
			},
		},
	}
}

// store copies a recorded store into a new home folder.
func store(t testing.TB, agent, name string) (home string) {
	t.Helper()
	home = t.TempDir()
	to := filepath.Join(home, homes[agent])
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(filepath.Join("testdata", "stores", agent, name))); err != nil {
		t.Fatal(err)
	}
	age(t, home, recorded)
	return home
}

// age sets the times of all files below a folder.
func age(t testing.TB, dir string, when time.Time) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(path, when, when)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestRead_stores reads what real programs left behind after they had ended in many ways. The table says what is to be seen of each.
func TestRead_stores(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recorded folders are no folders of Windows")
	}
	t.Parallel()
	var out strings.Builder
	for _, agent := range []string{"claude", "codex", "gemini", "opencode", "qwen", "copilot"} {
		cases, err := os.ReadDir(filepath.Join("testdata", "stores", agent))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			home := store(t, agent, c.Name())
			before := listing(t, home)
			found := Read(at(home), trees)
			if after := listing(t, home); after != before {
				t.Errorf("%s %s: the store was changed:\n%s\nbefore:\n%s", agent, c.Name(), after, before)
			}
			if len(found.Looked) != 1 || found.Looked[agent] != "ok" {
				t.Errorf("%s %s: looked at %v", agent, c.Name(), found.Looked)
			}
			g := Ground{Uncommitted: func(string) bool { return true }}
			for _, s := range found.Sessions {
				shown := "-"
				for _, o := range Shown(found.Sessions, recorded, g) {
					if o.ID == s.ID {
						shown = string(o.State)
					}
				}
				out.WriteString(line(agent, c.Name(), shown, s))
			}
		}
	}
	const table = "testdata/stores.txt"
	if *update {
		if err := os.WriteFile(table, []byte(out.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(table)
	if err != nil {
		t.Fatal(err)
	}
	if got := out.String(); got != string(want) {
		t.Errorf("the stores are read in another way; -update writes this:\n%s", got)
	}
}

// TestRead_ends has a row for each end of a session that strangers' programs wrote and that is in none of the stores.
func TestRead_ends(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recorded folders are no folders of Windows")
	}
	t.Parallel()
	const (
		claudeFile  = ".claude/projects/-home-dev-acme/one.jsonl"
		codexFile   = ".codex/sessions/2026/11/19/rollout-2026-11-19T07-59-42-01a1f2d1-90a5-7af0-8c4e-6c1057df80dd.jsonl"
		copilotFile = ".copilot/session-state/one/events.jsonl"
		geminiFile  = ".gemini/tmp/acme/chats/session-2026-11-19T07-59-one.jsonl"
		qwenFile    = ".qwen/projects/-home-dev-acme/chats/one.jsonl"

		prompt  = `{"type":"user","cwd":"/home/dev/acme","message":{"content":"Fix it"}}`
		refusal = `{"type":"user","cwd":"/home/dev/acme","message":{"content":[{"type":"tool_result"}]},"toolUseResult":`
		caveat  = `{"type":"user","isMeta":true,"uuid":"c","cwd":"/home/dev/acme","message":{"content":"<local-command-caveat>What follows was made by a command.</local-command-caveat>"}}`
		echo    = `{"type":"user","uuid":"e","parentUuid":"c","cwd":"/home/dev/acme","message":{"content":"Unknown skill: usage"}}`
		notice  = `{"type":"user","uuid":"n","cwd":"/home/dev/acme","message":{"content":"<task-notification> <task-id>a</task-id>"}}`
		unmet   = `{"type":"assistant","uuid":"u","parentUuid":"n","isApiErrorMessage":true,"error":"rate_limit","message":{"content":"You have hit your limit"}}`
		asksIt  = `{"type":"assistant","message":{"id":"m","stop_reason":"tool_use","content":[{"type":"tool_use","name":"AskUserQuestion","input":{"questions":[{"question":"Which?"}]}}]}}`
		words   = `{"type":"assistant","message":{"id":"m","stop_reason":"tool_use","content":[{"type":"text","text":"I need to know:"}]}}`
		denial  = `{"type":"system","subtype":"api_error","error":{"status":429,"error":{"error":{"message":"Come back at nine."}}}}`

		meta   = `{"type":"session_meta","payload":{"cwd":"/home/dev/acme"}}`
		wish   = `{"type":"event_msg","payload":{"type":"user_message","message":"Fix it"}}`
		answer = `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Fixed."}]}}`
		call   = `{"type":"response_item","payload":{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"make\"]}","call_id":"c"}}`
		output = `{"type":"response_item","payload":{"type":"function_call_output","call_id":"c"}}`
		abort  = `{"type":"event_msg","payload":{"type":"turn_aborted"}}`
		count  = `{"type":"event_msg","payload":{"type":"token_count"}}`

		begun    = `{"type":"event_msg","payload":{"type":"task_started"}}`
		plan     = `{"type":"event_msg","payload":{"type":"item_completed","item":{"type":"Plan","text":"# Migrate"}}}`
		proposed = `{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"See: <proposed_plan># Migrate</proposed_plan>"}]}}`
		complete = `{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"See:"}}`

		chat     = `{"sessionId":"one","kind":"main"}`
		wished   = `{"id":"1","type":"user","content":"Fix it"}`
		stopped  = `{"id":"2","type":"gemini","content":"","toolCalls":[{"name":"run_shell_command","status":"cancelled"}]}`
		ran      = `{"id":"2","type":"gemini","content":"","toolCalls":[{"name":"run_shell_command","status":"success"}]}`
		response = `{"id":"3","type":"user","content":[{"functionResponse":{"response":{}}}]}`

		qprompt = `{"type":"user","cwd":"/home/dev/acme","message":{"parts":[{"text":"Fix it"}]}}`
		qcall   = `{"type":"assistant","usageMetadata":{"totalTokenCount":5},"message":{"parts":[{"functionCall":{"name":"shell"}}]}}`
		qresult = `{"type":"tool_result","message":{"parts":[]}}`
		qtorn   = `{"type":"assistant","message":{"parts":[{"text":"Now I am going to explain"}]}}`
		qsaid   = `{"type":"assistant","usageMetadata":{"totalTokenCount":9},"message":{"parts":[{"text":"Fixed."}]}}`

		start  = `{"type":"session.start","data":{"context":{"cwd":"/home/dev/acme"}}}`
		asked  = `{"type":"user.message","data":{"content":"Fix it"}}`
		said   = `{"type":"assistant.message","data":{"content":"Fixed."}}`
		ended  = `{"type":"assistant.turn_end","data":{}}`
		broken = `{"type":"session.error","data":{"errorType":"mcp","message":"No server."}}`
		failed = `{"type":"session.error","data":{"errorType":"query","message":"No answer."}}`
		closed = `{"type":"session.shutdown","data":{}}`
	)
	for _, c := range []struct {
		what, file string
		lines      []string
		state      State
		detail     string
	}{
		{"a refused tool", claudeFile, []string{prompt, refusal + `"User rejected tool use"}`}, Stopped, "you refused a tool"},
		{"a refused plan", claudeFile, []string{prompt, refusal + `"Error: The user doesn't want to proceed with this tool use. STOP what you are doing."}`}, Stopped, "you refused a tool"},
		{"an interrupted tool", claudeFile, []string{prompt, refusal + `"Error: [Request interrupted by user for tool use]"}`}, Stopped, "you refused a tool"},
		{"a tool refused for another wish", claudeFile, []string{prompt, refusal + `"Error: The user doesn't want to proceed with this tool use. The user said: use make"}`}, Cut, "while the model worked"},
		{"a tool whose output tells of a refusal", claudeFile, []string{prompt, refusal + `{"stdout":"User rejected tool use"}}`}, Cut, "while the model worked"},
		{"a limit while it tries again", claudeFile, []string{prompt, denial, denial}, Limit, "Come back at nine."},
		{"an error while it tries again", claudeFile, []string{prompt, `{"type":"system","subtype":"api_error","error":{"status":502}}`}, Cut, "the prompt was not answered"},
		{"a notice as the last prompt", claudeFile, []string{prompt, `{"type":"last-prompt","lastPrompt":"<task-notification> <task-id>a</task-id>"}`}, Cut, "the prompt was not answered"},
		{"a limit that was over", claudeFile, []string{prompt, denial, `{"type":"assistant","message":{"content":"Fixed."}}`}, Finished, "Fixed."},
		{"what a command of the program printed", claudeFile, []string{caveat, echo, `{"type":"last-prompt","lastPrompt":"Unknown skill: usage"}`}, Empty, ""},
		{"what a command of the program printed after a turn", claudeFile, []string{prompt, `{"type":"assistant","message":{"content":"Fixed."}}`, caveat, echo}, Finished, "Fixed."},
		{"a prompt behind another word of the program", claudeFile, []string{strings.Replace(caveat, "<local-command-caveat>", "Remember: ", 1), strings.Replace(echo, "Unknown skill: usage", "Fix it", 1)}, Cut, notAnswered},
		{"a limit that met a notice", claudeFile, []string{prompt, `{"type":"assistant","message":{"content":"Fixed."}}`, notice, unmet}, Finished, "Fixed."},
		{"a limit that met a prompt", claudeFile, []string{prompt, strings.Replace(notice, "<task-notification> <task-id>a</task-id>", "Fix that", 1), unmet}, Limit, "You have hit your limit"},
		{"a word to leave the program", claudeFile, []string{prompt, `{"type":"assistant","message":{"content":"Fixed."}}`, strings.Replace(prompt, "Fix it", "exit;", 1)}, Finished, "Fixed."},
		{"a command that the program does not know", claudeFile, []string{strings.Replace(prompt, "Fix it", "/status", 1)}, Empty, ""},
		{"a question before words", claudeFile, []string{prompt, asksIt, words}, Waits, "Which?"},
		{"words before a tool", claudeFile, []string{prompt, strings.Replace(words, `"id":"m"`, `"id":"n"`, 1)}, Cut, notAnswered},
		{"words after another message's question", claudeFile, []string{prompt, asksIt, strings.Replace(words, `"id":"m"`, `"id":"n"`, 1)}, Cut, "while the model worked"},
		{"an answer without marks", codexFile, []string{meta, wish, call, output, answer, count}, Finished, "Fixed."},
		{"an answer after an interrupted turn, without marks", codexFile, []string{meta, wish, abort, wish, answer, count}, Finished, "Fixed."},
		{"a prompt without marks", codexFile, []string{meta, wish, answer, wish, count}, Cut, "the prompt was not answered"},
		{"a tool without marks", codexFile, []string{meta, wish, answer, wish, call}, Cut, "in shell: make"},
		{"a tool that had ended, without marks", codexFile, []string{meta, wish, call, output}, Cut, "while the model worked"},
		{"an interrupted turn without marks", codexFile, []string{meta, wish, call, abort}, Stopped, "by you"},
		{"a proposed plan", codexFile, []string{meta, begun, wish, plan, proposed, complete}, Waits, "a plan to approve"},
		{"a plan behind many words", codexFile, []string{meta, begun, wish, plan, strings.Replace(proposed, "See", strings.Repeat("See it. ", 4000), 1), complete}, Waits, "a plan to approve"},
		{"a plan of an earlier turn", codexFile, []string{meta, begun, wish, plan, proposed, complete, begun, wish, complete}, Finished, "See:"},
		{"words about a plan", codexFile, []string{meta, begun, wish, proposed, complete}, Finished, "See:"},
		{"a tool that the user stopped", geminiFile, []string{chat, wished, stopped, response}, Stopped, "by you"},
		{"a tool that had ended", geminiFile, []string{chat, wished, ran, response}, Cut, "while the model worked"},
		{"an answer that the user stopped", qwenFile, []string{qprompt, qcall, qresult, qtorn}, Stopped, "by you"},
		{"a request that the user stopped", qwenFile, []string{qprompt, `{"type":"system","subtype":"ui_telemetry","systemPayload":{"uiEvent":{"event.name":"qwen-code.api_error","error_message":"Request was aborted.","error_type":"APIUserAbortError"}}}`}, Stopped, "by you"},
		{"an answer to the end", qwenFile, []string{qprompt, qcall, qresult, qsaid}, Finished, "Fixed."},
		{"an answer of a vendor that counts nothing", qwenFile, []string{qprompt, qtorn}, Finished, "Now I am going to explain"},
		{"nothing said", codexFile, []string{meta, `{"type":"response_item","payload":{"type":"message","role":"user","content":[]}}`}, Empty, ""},
		{"an error after the end of a turn", copilotFile, []string{start, asked, said, ended, broken, closed}, Finished, "Fixed."},
		{"an error in a turn", copilotFile, []string{start, asked, said, ended, asked, failed, closed}, Cut, "error: No answer."},
		{"an error behind words", copilotFile, []string{start, asked, said, failed, closed}, Cut, "error: No answer."},
		{"an error before anything was said", copilotFile, []string{start, broken, closed}, Empty, ""},
	} {
		home := t.TempDir()
		put(t, home, c.file, strings.Join(c.lines, "\n")+"\n")
		put(t, home, ".gemini/tmp/acme/.project_root", "/home/dev/acme")
		if s := only(t, Read(at(home), trees)); s.State != c.state || s.Detail != c.detail || s.Soft || s.State == Cut && s.Title != "Fix it" {
			t.Errorf("%s: %s %q of %q, want %s %q", c.what, s.State, s.Detail, s.Title, c.state, c.detail)
		}
	}
}

// TestRead_unanswered has a row for each way in which a session has no answer of a model, or has one.
func TestRead_unanswered(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recorded folders are no folders of Windows")
	}
	t.Parallel()
	const (
		claudeFile = ".claude/projects/-home-dev-acme/one.jsonl"
		codexFile  = ".codex/sessions/2026/11/19/rollout-2026-11-19T07-59-42-01a1f2d1-90a5-7af0-8c4e-6c1057df80dd.jsonl"
		prompt     = `{"type":"user","cwd":"/home/dev/acme","message":{"content":"Fix it"}}`
		refused    = `{"type":"assistant","isApiErrorMessage":true,"message":{"content":"401 Please run /login"}}`
		fixed      = `{"type":"assistant","message":{"content":"Fixed."}}`
		exec       = `{"type":"session_meta","payload":{"cwd":"/home/dev/acme","source":"exec"}}`
		wish       = `{"type":"event_msg","payload":{"type":"user_message","message":"Fix it"}}`
		begun      = `{"type":"event_msg","payload":{"type":"task_started"}}`
		thought    = `{"type":"response_item","payload":{"type":"reasoning"}}`
	)
	for _, c := range []struct {
		what, file         string
		lines              []string
		unanswered, script bool
	}{
		{"a prompt alone", claudeFile, []string{prompt}, true, false},
		{"a result of a tool alone", claudeFile, []string{`{"type":"user","cwd":"/home/dev/acme","message":{"content":[{"type":"tool_result"}]}}`}, true, false},
		{"only errors", claudeFile, []string{prompt, refused, prompt, refused}, true, false},
		{"an answer before", claudeFile, []string{prompt, fixed, prompt}, false, false},
		{"an answer before an error", claudeFile, []string{prompt, fixed, prompt, refused}, false, false},
		{"a script's prompt alone", codexFile, []string{exec, wish}, true, true},
		{"a script's prompt at which the model worked", codexFile, []string{exec, begun, wish, thought}, false, true},
	} {
		home := t.TempDir()
		put(t, home, c.file, strings.Join(c.lines, "\n")+"\n")
		if s := only(t, Read(at(home), trees)); s.State != Cut || s.Unanswered != c.unanswered || s.Script != c.script {
			t.Errorf("%s: %s %q, unanswered %t, of a script %t", c.what, s.State, s.Detail, s.Unanswered, s.Script)
		}
	}
}

// TestRead_subAgent has a session of Codex whose turn has ended, and a sub-agent that the turn had started.
func TestRead_subAgent(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the recorded folders are no folders of Windows")
	}
	t.Parallel()
	const (
		folder = ".codex/sessions/2026/11/19/rollout-2026-11-19T07-59-42-01a1f2d1-90a5-7af0-8c4e-"
		parent = `{"type":"session_meta","payload":{"cwd":"/home/dev/acme"}}` + "\n" +
			`{"type":"event_msg","payload":{"type":"task_started","root_turn_id":"a"}}` + "\n" +
			`{"type":"event_msg","payload":{"type":"task_complete","root_turn_id":"a","last_agent_message":"2 files."}}` + "\n"
		child = `{"type":"session_meta","payload":{"cwd":"/home/dev/acme","thread_source":"subagent"}}` + "\n" +
			`{"type":"event_msg","payload":{"type":"task_started"}}` + "\n" +
			`{"type":"turn_context","payload":{"root_turn_id":"a"}}` + "\n" +
			`{"type":"response_item","payload":{"type":"function_call","name":"exec_command","arguments":"{}","call_id":"c"}}` + "\n"
		ended = `{"type":"event_msg","payload":{"type":"task_complete","root_turn_id":"a","last_agent_message":"2"}}` + "\n"
	)
	for _, c := range []struct {
		what, parent, child string
		state               State
	}{
		{"still at work", parent, child, Cut},
		{"has ended", parent, child + ended, Finished},
		{"of an earlier prompt", strings.ReplaceAll(parent, `"a"`, `"b"`), child, Finished},
		{"of an unknown prompt", strings.ReplaceAll(parent, `"a"`, `""`), strings.ReplaceAll(child, `"a"`, `""`), Finished},
	} {
		home := t.TempDir()
		put(t, home, folder+"6c1057df80dd.jsonl", c.parent)
		put(t, home, folder+"6c1057df80de.jsonl", c.child)
		if s := only(t, Read(at(home), trees)); s.State != c.state {
			t.Errorf("a sub-agent that %s: %s %q", c.what, s.State, s.Detail)
		}
	}
}

// TestSaidUntil has what vendors say about the end of a limit.
func TestSaidUntil(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"You've hit your limit · resets 8pm (Asia/Taipei)":  "11-19T12:00",
		"5-hour limit reached ∙ resets 6:50pm (Asia/Seoul)": "11-19T09:50",
		"You've hit your limit · resets at 9am (UTC)":       "11-20T09:00",
		"limit reached, resets 12:50am (UTC)":               "11-20T00:50",
		"Weekly limit reached ∙ resets Nov 24 at 8pm (UTC)": "11-24T20:00",
		"Weekly limit reached ∙ resets Jan 2, 8pm (UTC)":    "01-02T20:00",
		"Weekly limit reached ∙ resets Nop 24, 8pm (UTC)":   "",
		"resets 8pm (../../etc/passwd)":                     "",
		"resets 8pm (Asia/Nowhere)":                         "",
		"resets 99pm (UTC)":                                 "",
		"You've hit your limit":                             "",
	} {
		got := ""
		if at := saidUntil(said, "2026-11-19T09:30:00Z"); !at.IsZero() {
			got = at.UTC().Format("01-02T15:04")
		}
		if got != want {
			t.Errorf("%q ends at %q, want %q", said, got, want)
		}
	}
}

// line describes a session: how it ended, as what it would be shown if files in its folder were uncommitted, its tool, the end of its limit,
// what became of its program, what it was doing or asks, and how it is continued. A state with "?" is a guess from a question in prose.
func line(agent, name, shown string, s Session) string {
	state := string(s.State)
	if s.Soft {
		state += "?"
	}
	until := "-"
	if !s.Until.IsZero() {
		until = s.Until.UTC().Format("01-02T15:04")
	}
	tool := s.Tool
	if tool == "" {
		tool = "-"
	}
	return fmt.Sprintf("%-9s%-22s%-10s%-9s%-18s%-13s%-8s %q in %s: %s\n", agent, name, state, shown, tool, until, s.Fate, s.Detail, s.Dir, strings.Join(s.Command, " "))
}

// listing describes all files below a folder, with their sizes and times.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&out, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// put writes a file of a store.
func put(t testing.TB, home, name, text string) string {
	t.Helper()
	path := filepath.Join(home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	age(t, path, recorded)
	return path
}

// only returns the one session of a result.
func only(t *testing.T, found Result) Session {
	t.Helper()
	if len(found.Sessions) != 1 {
		t.Fatalf("%d sessions instead of one: %v, %v", len(found.Sessions), found.Sessions, found.Looked)
	}
	return found.Sessions[0]
}
