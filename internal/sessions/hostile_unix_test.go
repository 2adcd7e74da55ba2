//go:build unix

package sessions

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// These are the places of one session of each agent in the folder trees[0], and what makes it a session that was cut.
var (
	slug     = slugOf("/home/dev/acme")
	claudeAt = ".claude/projects/" + slug + "/one.jsonl"
	codexAt  = ".codex/sessions/2026/11/19/rollout-2026-11-19T07-59-42-01a1f2d1-90a5-7af0-8c4e-6c1057df80dd.jsonl"
	geminiAt = ".gemini/tmp/acme/chats/session-one.jsonl"
	qwenAt   = ".qwen/projects/" + slug + "/chats/one.jsonl"
	eventsAt = ".copilot/session-state/one/events.jsonl"
	storeAt  = ".local/share/opencode/opencode.db"
)

const (
	claudeText  = `{"type":"user","cwd":"/home/dev/acme","timestamp":"2026-11-19T08:00:00Z","message":{"content":"Fix it"}}` + "\n"
	codexText   = `{"type":"session_meta","payload":{"cwd":"/home/dev/acme"}}` + "\n" + `{"type":"event_msg","payload":{"type":"task_started"}}` + "\n"
	geminiText  = `{"sessionId":"one"}` + "\n" + `{"type":"user","content":"Fix it"}` + "\n"
	qwenText    = `{"type":"user","cwd":"/home/dev/acme","message":{"parts":[{"text":"Fix it"}]}}` + "\n"
	copilotText = `{"type":"user.message","data":{"content":"Fix it"}}` + "\n"
)

// allAgents writes a session of each agent that has lines.
func allAgents(t testing.TB, home string) {
	t.Helper()
	put(t, home, claudeAt, claudeText)
	put(t, home, codexAt, codexText)
	put(t, home, ".gemini/tmp/acme/.project_root", trees[0])
	put(t, home, geminiAt, geminiText)
	put(t, home, qwenAt, qwenText)
	put(t, home, filepath.Dir(eventsAt)+"/workspace.yaml", "cwd: /home/dev/acme\n")
	put(t, home, eventsAt, copilotText)
}

// TestRead_hostile reads stores that nobody's agent has left like this. Nothing may hang, crash, be read outside of the folders of the agents, or
// be changed. Each row names the sessions that are still seen.
func TestRead_hostile(t *testing.T) {
	t.Parallel()
	const all = "claude codex copilot gemini qwen"
	without := func(name string) string {
		return strings.Join(strings.Fields(strings.ReplaceAll(all, name, "")), " ")
	}
	fifo := func(t *testing.T, home, name string) {
		_ = os.Remove(filepath.Join(home, name))
		_ = os.MkdirAll(filepath.Dir(filepath.Join(home, name)), 0o700)
		if err := syscall.Mkfifo(filepath.Join(home, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// moved puts a file or folder of a store elsewhere, with a link in its place
	moved := func(t *testing.T, home, name string) {
		elsewhere := filepath.Join(t.TempDir(), "moved")
		if err := os.Rename(filepath.Join(home, name), elsewhere); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	grow := func(t *testing.T, home, name string, by int64) {
		path := filepath.Join(home, name)
		info, err := os.Stat(path)
		if err == nil {
			err = os.Truncate(path, info.Size()+by)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	deep := strings.Repeat(`{"message":[`, 50_000) + strings.Repeat("]}", 50_000) + "\n"
	nested := strings.Repeat(`{"$set":{"messages":[`, 3_000) + strings.Repeat("]}}", 3_000) + strings.Repeat(" ", 1<<20) + "\n"
	for _, c := range []struct {
		what string
		make func(t *testing.T, home string)
		want string
	}{
		{"as they should be", func(*testing.T, string) {}, all},
		{"ids with shell characters", func(t *testing.T, home string) {
			for _, name := range []string{"$(id)", "a;b", "-p", "--help", "a b", "a\nb", "..", "'", strings.Repeat("x", 81), "\u202ex", ""} {
				put(t, home, ".claude/projects/"+slug+"/"+name+".jsonl", claudeText)
				put(t, home, ".qwen/projects/"+slug+"/chats/"+name+".jsonl", qwenText)
				put(t, home, ".gemini/tmp/acme/chats/session-"+name+".jsonl", strings.Replace(geminiText, "one", name, 1))
				if name != "" && name != ".." {
					put(t, home, ".copilot/session-state/"+name+"/workspace.yaml", "cwd: /home/dev/acme\n")
					put(t, home, ".copilot/session-state/"+name+"/events.jsonl", copilotText)
				}
			}
			put(t, home, ".codex/sessions/2026/11/19/rollout-$(touch x)-----------------------------------------------------.jsonl", codexText)
		}, all},
		{"folders that lead out of the tree", func(t *testing.T, home string) {
			for i, dir := range []string{"/home/dev/acme/../other", "/home/dev/acme-feature/../../../etc", "home/dev/acme", "/home/dev/acme-b", "/home/dev/acme\u0000", "/home/dev/acme/a\u001bb"} {
				name := strings.Repeat("o", i+2)
				put(t, home, ".claude/projects/"+slug+"/"+name+".jsonl", strings.Replace(claudeText, trees[0], strings.NewReplacer("\x00", `\u0000`, "\x1b", `\u001b`).Replace(dir), 1))
				put(t, home, ".gemini/tmp/"+name+"/.project_root", dir)
				put(t, home, ".gemini/tmp/"+name+"/chats/session-one.jsonl", strings.Replace(geminiText, "one", name, 1))
			}
		}, all},
		{"pipes in place of sessions", func(t *testing.T, home string) {
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt, storeAt} {
				fifo(t, home, name)
			}
		}, ""},
		{"pipes in place of small files", func(t *testing.T, home string) {
			for _, name := range []string{".claude/sessions/1.json", ".qwen/sessions/1.json", ".gemini/tmp/other/.project_root", ".codex/thread-writer-locks/a.lock", filepath.Dir(eventsAt) + "/workspace.yaml"} {
				fifo(t, home, name)
			}
		}, without("copilot")},
		{"devices in place of sessions", func(t *testing.T, home string) {
			const zero = 1<<8 | 5
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt, storeAt} {
				path := filepath.Join(home, name)
				_ = os.Remove(path)
				_ = os.MkdirAll(filepath.Dir(path), 0o700)
				if syscall.Mknod(path, syscall.S_IFCHR|0o600, zero) != nil { // not every user may do that
					if err := os.Symlink("/dev/zero", path); err != nil {
						t.Fatal(err)
					}
				}
			}
		}, ""},
		{"folders in place of sessions", func(t *testing.T, home string) {
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt, storeAt} {
				_ = os.Remove(filepath.Join(home, name))
				put(t, home, name+"/"+filepath.Base(name), claudeText)
			}
		}, ""},
		{"links to sessions elsewhere", func(t *testing.T, home string) {
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt} {
				moved(t, home, name)
			}
		}, ""},
		{"links to small files elsewhere", func(t *testing.T, home string) {
			put(t, home, ".claude/sessions/1.json", `{"pid":1,"sessionId":"one","pidDomain":"linux:other:pid:[1]"}`)
			for _, name := range []string{".claude/sessions/1.json", ".gemini/tmp/acme/.project_root", filepath.Dir(eventsAt) + "/workspace.yaml"} {
				moved(t, home, name)
			}
		}, "claude codex qwen"},
		{"links to folders elsewhere", func(t *testing.T, home string) {
			for _, name := range []string{filepath.Dir(claudeAt), ".codex/sessions/2026/11", ".gemini/tmp/acme", ".qwen/projects", filepath.Dir(eventsAt)} {
				moved(t, home, name)
			}
		}, ""},
		{"links to the folders with all sessions", func(t *testing.T, home string) {
			for _, name := range []string{".claude/projects", ".codex/sessions", ".gemini/tmp", filepath.Dir(qwenAt), ".copilot/session-state"} {
				moved(t, home, name)
			}
		}, ""},
		{"a link to the folder of an agent, which its user has made", func(t *testing.T, home string) {
			for _, name := range []string{".claude", ".codex", ".gemini", ".qwen", ".copilot"} {
				moved(t, home, name)
			}
		}, all},
		{"a folder that is a link to itself", func(t *testing.T, home string) {
			if err := os.Symlink(".", filepath.Join(home, ".codex/sessions/2026/11/11")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("sessions", filepath.Join(home, ".codex/sessions/2027")); err != nil {
				t.Fatal(err)
			}
		}, all},
		{"files of another user", func(t *testing.T, home string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give files away")
			}
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt} {
				if err := os.Chown(filepath.Join(home, name), 12345, -1); err != nil {
					t.Fatal(err)
				}
			}
		}, ""},
		{"folders of another user", func(t *testing.T, home string) {
			if os.Getuid() != 0 {
				t.Skip("only root can give files away")
			}
			for _, name := range []string{".claude", ".codex", ".gemini", ".qwen", ".copilot"} {
				if err := os.Chown(filepath.Join(home, name), 12345, -1); err != nil {
					t.Fatal(err)
				}
			}
		}, ""},
		{"torn last lines", func(t *testing.T, home string) {
			put(t, home, claudeAt, claudeText+`{"type":"assistant","message":{"content":[{"type":"te`)
			put(t, home, codexAt, codexText+`{"type":"event_msg","payload":{"type":"task_comp`)
			put(t, home, geminiAt, geminiText+`{"type":"gemini","content":"Do`)
			put(t, home, qwenAt, qwenText+`{"type":"assistant"`)
			put(t, home, eventsAt, copilotText+`{`)
		}, all},
		{"zeros at the end, as after a power cut", func(t *testing.T, home string) {
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt} {
				grow(t, home, name, 50_000)
			}
		}, all},
		{"64 MB of zeros at the end", func(t *testing.T, home string) {
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt} {
				grow(t, home, name, 64<<20)
			}
		}, all},
		{"a line of 64 MB", func(t *testing.T, home string) {
			for _, name := range []string{claudeAt, codexAt, geminiAt, qwenAt, eventsAt} {
				text, err := os.ReadFile(filepath.Join(home, name))
				if err != nil {
					t.Fatal(err)
				}
				put(t, home, name, string(text)+`{"type":"user","message":{"content":"`)
				grow(t, home, name, 64<<20)
				file, err := os.OpenFile(filepath.Join(home, name), os.O_WRONLY|os.O_APPEND, 0)
				if err != nil {
					t.Fatal(err)
				}
				_, _ = file.WriteString(`"}}` + "\n")
				file.Close()
			}
		}, all},
		{"a nest of 100,000 values", func(t *testing.T, home string) {
			for name, text := range map[string]string{claudeAt: claudeText, codexAt: codexText, geminiAt: geminiText, qwenAt: qwenText, eventsAt: copilotText} {
				put(t, home, name, text+deep)
			}
			put(t, home, ".claude/sessions/1.json", deep)
		}, all},
		{"lists of messages in lists of messages", func(t *testing.T, home string) {
			put(t, home, geminiAt, geminiText+nested)
			put(t, home, ".gemini/tmp/acme/chats/session-old.json", `{"sessionId":"old","messages":[`+strings.TrimSpace(nested)+`]}`)
		}, all},
		{"values of other kinds", func(t *testing.T, home string) {
			odd := `{"type":7,"cwd":[],"message":"x","payload":[1],"data":null,"content":{"a":1},"toolCalls":{},"isMeta":"no"}` + "\n" + "[]\n7\nnull\n{}\n"
			for name, text := range map[string]string{claudeAt: claudeText, codexAt: codexText, geminiAt: geminiText, qwenAt: qwenText, eventsAt: copilotText} {
				put(t, home, name, text+odd)
			}
			put(t, home, ".claude/sessions/1.json", `{"pid":"x","sessionId":["one"]}`)
			put(t, home, ".claude/sessions/2.json", `[]`)
		}, all},
		{"times far away", func(t *testing.T, home string) {
			put(t, home, claudeAt, strings.Replace(claudeText, "2026", "9026", 1))
			put(t, home, qwenAt, qwenText)
		}, all},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			allAgents(t, home)
			c.make(t, home)
			seen := readSafely(t, home)
			var agents []string
			for _, s := range seen.Sessions {
				if s.State == Cut && s.Last.After(recorded) {
					t.Errorf("%s is of the future: %v", s.Agent, s.Last)
				}
				if s.State == Cut {
					agents = append(agents, s.Agent)
				}
			}
			if got := strings.Join(slices.Sorted(slices.Values(agents)), " "); got != c.want {
				t.Errorf("sessions of %q, want %q (%v)", got, c.want, seen)
			}
		})
	}
}

// readSafely reads a home folder, and fails the test if that takes too long or changes anything.
func readSafely(t *testing.T, home string) (found Result) {
	t.Helper()
	before := listing(t, home)
	done := make(chan Result, 1)
	go func() { done <- Read(at(home), trees) }()
	select {
	case found = <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("the reader hangs")
	}
	if after := listing(t, home); after != before {
		t.Errorf("the store was changed:\n%s\nbefore:\n%s", after, before)
	}
	return found
}

// TestRead_texts gives texts that are made to mislead to each agent. What is shown of them is one plain line.
func TestRead_texts(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	allAgents(t, home)
	const evil = `\u001b]0;owned\u0007\u202eFix\u2066 it\r\n\u009b31m\u0000 now`
	for name, text := range map[string]string{claudeAt: claudeText, geminiAt: geminiText, qwenAt: qwenText, eventsAt: copilotText} {
		put(t, home, name, strings.Replace(text, "Fix it", evil, 1))
	}
	put(t, home, codexAt, codexText+`{"type":"event_msg","payload":{"type":"user_message","message":"`+evil+`"}}`+"\n")
	found := readSafely(t, home)
	for _, s := range found.Sessions {
		if s.Title != "]0;owned Fix it 31m now" || s.First != s.Title {
			t.Errorf("%s: title %q, first prompt %q", s.Agent, s.Title, s.First)
		}
	}
	if len(found.Sessions) != 5 {
		t.Error(found)
	}
}

// TestRead_repeated begins a session of one agent with the prompt of another one that was cut before. Only if it ends well, the older one is
// not worth a line any more.
func TestRead_repeated(t *testing.T) {
	t.Parallel()
	const asked = `{"type":"event_msg","timestamp":"2026-11-19T08:20:00Z","payload":{"type":"user_message","message":"Fix the login form"}}` + "\n"
	const ended = `{"type":"event_msg","timestamp":"2026-11-19T08:21:00Z","payload":{"type":"task_complete","last_agent_message":"Done."}}` + "\n"
	for newer, want := range map[string]string{
		codexText + asked + ended: "",
		codexText + strings.Replace(asked, "the login form", "another thing", 1) + ended: "claude",
		codexText + asked: "codex claude",
	} {
		home := t.TempDir()
		put(t, home, claudeAt, strings.Replace(claudeText, "Fix it", "Fix the login form", 1))
		put(t, home, codexAt, newer)
		var got []string
		for _, s := range Shown(readSafely(t, home).Sessions, recorded, Ground{}) {
			got = append(got, s.Agent)
			if s.Agent == "claude" && !s.Began.Equal(time.Date(2026, 11, 19, 8, 0, 0, 0, time.UTC)) {
				t.Errorf("it began at %v", s.Began)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("shown are %q, want %q", got, want)
		}
	}
}

// TestRead_growing reads files that a program writes at the same time.
func TestRead_growing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	allAgents(t, home)
	stop, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		file, err := os.OpenFile(filepath.Join(home, claudeAt), os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			return
		}
		defer file.Close()
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = file.WriteString(strings.Repeat(claudeText, 1000))
			}
			if info, err := file.Stat(); err == nil && info.Size() > 16<<20 {
				_ = file.Truncate(int64(len(claudeText)))
			}
		}
	}()
	for range 200 {
		if found := Read(at(home), trees); len(found.Sessions) != 5 {
			t.Errorf("%d sessions: %v", len(found.Sessions), found.Looked)
			break
		}
	}
	close(stop)
	<-stopped
}

// TestRead_nothing looks at no file if no agent was ever used, and at nothing of a user whose rights another one has taken.
func TestRead_nothing(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if found := Read(at(home), trees); len(found.Looked) != 0 || len(found.Sessions) != 0 {
		t.Error(found)
	}
	allAgents(t, home)
	w := at(home)
	w.Env = func(name string) string { return map[string]string{"SUDO_USER": "ada"}[name] }
	if found := Read(w, trees); len(found.Looked) != 0 || len(found.Sessions) != 0 {
		t.Error(found)
	}
	w = at(home)
	w.Now = recorded.Add(31 * 24 * time.Hour)
	if found := Read(w, trees); len(found.Looked) != 5 || len(found.Sessions) != 0 {
		t.Errorf("old sessions: %v", found)
	}
}

// TestRead_places moves the folder of each agent to where its variable says.
func TestRead_places(t *testing.T) {
	t.Parallel()
	home, other := t.TempDir(), t.TempDir()
	allAgents(t, other)
	places := map[string]string{
		"CLAUDE_CONFIG_DIR": other + "/.claude", "CODEX_HOME": other + "/.codex", "GEMINI_CLI_HOME": other, "QWEN_HOME": other + "/.qwen",
		"COPILOT_HOME": other + "/.copilot", "XDG_DATA_HOME": store(t, "opencode", "worktree") + "/.local/share",
	}
	w := at(home)
	w.Env = func(name string) string { return places[name] }
	if found := Read(w, trees); len(found.Sessions) != 6 || len(found.Looked) != 6 {
		t.Error(found)
	}
	w.Env = func(name string) string { return strings.TrimPrefix(places[name], "/") }
	if found := Read(w, trees); len(found.Looked) != 0 {
		t.Errorf("relative folders: %v", found)
	}
}
