package sessions

import (
	"bytes"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBackwards compares the lines that are read from the end with all lines of the file, for lines shorter and longer than what is read at once.
func TestBackwards(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	path := filepath.Join(t.TempDir(), "lines")
	for round := range 60 {
		var text strings.Builder
		for range random.IntN(40) {
			most := []int{3, 200, firstTail, 5 * firstTail}[random.IntN(4)]
			text.WriteString(strings.Repeat(string(rune('a'+random.IntN(26))), random.IntN(most)))
			text.WriteString([]string{"\n", "\r\n", "\n\n", "\x00\x00\n"}[random.IntN(4)])
		}
		text.WriteString([]string{"", "torn", "\x00\x00\x00"}[random.IntN(3)])
		if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for _, l := range strings.Split(text.String(), "\n") {
			if l = strings.Trim(l, "\x00 \r\t"); l != "" {
				want = append(want, l)
			}
		}
		slices.Reverse(want)
		if err := backwards(path, func(line []byte) bool { got = append(got, string(line)); return true }); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %d lines instead of %d", round, len(got), len(want))
		}
	}
}

// TestBackwards_most reads no more than the last 8 MB.
func TestBackwards_most(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "lines")
	text := "first\n" + strings.Repeat(strings.Repeat("x", 1023)+"\n", mostTail>>10)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	lines := 0
	if err := backwards(path, func([]byte) bool { lines++; return true }); err != nil || lines > mostTail>>10 || lines < mostTail>>10-1 {
		t.Errorf("%d lines, %v", lines, err)
	}
}

// FuzzSession gives any bytes to the readers of sessions with lines, as a file of each agent. They must come back, and what they say must be
// fit for a screen.
func FuzzSession(f *testing.F) {
	seeds, err := filepath.Glob("testdata/stores/*/*/*/*/*/*")
	if err != nil {
		f.Fatal(err)
	}
	deeper, err := filepath.Glob("testdata/stores/*/*/*/*/*")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range append(seeds, deeper...) {
		if text, err := os.ReadFile(path); err == nil && strings.HasSuffix(path, ".jsonl") {
			lines := bytes.Split(text, []byte("\n"))
			f.Add(bytes.Join(lines[max(0, len(lines)-8):], []byte("\n")))
		}
	}
	f.Add([]byte(`{"$set":{"messages":[{"type":"gemini","content":[{"text":"Done?"}]}]}}`))
	f.Add([]byte(`{"type":"user","cwd":"/home/dev/acme","message":{"content":[{"type":"tool_result"}]},"toolUseResult":{"status":"async_launched","agentId":"a"}}`))
	home := f.TempDir()
	slug := slugOf(trees[0])
	names := []string{
		".claude/projects/" + slug + "/one.jsonl", ".claude/sessions/1.json", ".qwen/projects/" + slug + "/chats/one.jsonl", ".qwen/sessions/1.json",
		".codex/sessions/2026/11/19/rollout-2026-11-19T07-59-42-01a1f2d1-90a5-7af0-8c4e-6c1057df80dd.jsonl",
		".gemini/tmp/acme/chats/session-one.jsonl", ".gemini/tmp/acme/chats/session-two.json", ".copilot/session-state/one/events.jsonl",
	}
	for _, name := range append([]string{".gemini/tmp/acme/.project_root", ".copilot/session-state/one/workspace.yaml"}, names...) {
		put(f, home, name, "cwd: "+trees[0])
	}
	put(f, home, ".gemini/tmp/acme/.project_root", trees[0])
	if err := os.MkdirAll(filepath.Join(home, ".claude/projects", slug, "one/subagents"), 0o700); err != nil {
		f.Fatal(err)
	}
	where := at(home)
	where.Days = 0
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, name := range names {
			if strings.HasPrefix(name, ".codex") {
				text = append([]byte(`{"type":"session_meta","payload":{"cwd":"`+trees[0]+`"}}`+"\n"), text...)
			}
			if err := os.WriteFile(filepath.Join(home, name), text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		found := Read(where, trees)
		for agent, what := range found.Looked {
			if what != "ok" {
				t.Errorf("%s: %s", agent, what)
			}
		}
		for _, s := range append(found.Sessions, Shown(found.Sessions, recorded, Ground{
			Uncommitted: func(string) bool { return true },
		})...) {
			if !id.MatchString(s.ID) || s.Tree != trees[0] && s.Tree != trees[1] {
				t.Errorf("session %q in %q", s.ID, s.Tree)
			}
			for _, shown := range []string{s.Title, s.Detail, s.First, s.Dir} {
				if shown != clean(shown) {
					t.Errorf("%q is not fit for a screen", shown)
				}
			}
			if s.Tool != oneLine(s.Tool, 40) {
				t.Errorf("tool %q is not fit for a screen", s.Tool)
			}
		}
	})
}

// clean removes what may not be on a screen.
func clean(text string) string {
	return strings.Map(func(c rune) rune {
		if c < ' ' || 0x7f <= c && c < 0xa0 || 0x202a <= c && c <= 0x202e || 0x2066 <= c && c <= 0x2069 {
			return -1
		}
		return c
	}, text)
}

// TestOneLine shows what becomes of texts that are made to mislead.
func TestOneLine(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                   "",
		"  two\n\tlines \r\n":                "two lines",
		"\x1b[31mred\x1b]0;title\x07":        "[31mred ]0;title",
		"\u009b31mred":                       "31mred",
		"user\u202egnp.exe":                  "usergnp.exe",
		"\u2066a\u2069b\u200b\u200f\ufeffc":  "abc",
		"line\u2028and\u2029paragraph\u0085": "line and paragraph",
		"bad \xff\xfe bytes":                 "bad bytes",
		strings.Repeat("ä", 11):              strings.Repeat("ä", 11),
		strings.Repeat("ä", 12):              strings.Repeat("ä", 12),
		strings.Repeat("ä", 13):              strings.Repeat("ä", 11) + "…",
	} {
		most := 1000
		if strings.HasPrefix(in, "ä") {
			most = 12
		}
		if got := oneLine(in, most); got != want {
			t.Errorf("%q becomes %q, want %q", in, got, want)
		}
	}
}

// TestQuestion shows which question of an agent's last words is the one that it asks.
func TestQuestion(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"":                                      "",
		"Done.":                                 "",
		"Shall I?":                              "Shall I?",
		"是吗？":                                   "是吗？",
		"It is done. Shall I **commit** it? **": "Shall I **commit** it?",
		"Which one would you like?\n\n1. a.yaml\n2. b.yaml\n\nLet me know!":                   "Which one would you like?",
		"Could you share the message?\n\nThat helps me to find the cause.":                    "Could you share the message?",
		"Is it the cache?\n\nI looked, and it is not.\n\nSo I changed the loop.\n\nIt works.": "",
		"See https://example.com/a?b=c for more.":                                             "",
		"I changed the query:\n\n```sql\nselect * from a where b = ?\n```\n\nAll tests pass.": "",
		"- Why was it slow? The loop.\n- Is it fast? Yes.":                                    "",
	} {
		if got := question(in); got != want {
			t.Errorf("%q asks %q, want %q", in, got, want)
		}
	}
}
