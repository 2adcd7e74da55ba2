//go:build unix

package sessions

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkRead reads a home folder with 2,000 sessions of two agents, 900 MB in all. 450 of them belong to the repository, and 154 of these are
// younger than 30 days. It prints what that costs; "cpu" is the time of all threads.
func BenchmarkRead(b *testing.B) {
	home := b.TempDir()
	many(b, home)
	for _, c := range []struct {
		what string
		days int
		home string
		want int
	}{
		{"nothing", 30, b.TempDir(), 0},
		{"30days", 30, home, 154},
		{"14days", 14, home, 72},
		{"all", 0, home, 450},
	} {
		b.Run(c.what, func(b *testing.B) {
			w := at(c.home)
			w.Days = c.days
			if n := len(Read(w, trees).Sessions); n != c.want {
				b.Fatalf("%d sessions, want %d", n, c.want)
			}
			files, bytes, cpu := opened.Load(), bytesRead(), cpuTime(b)
			b.ResetTimer()
			for range b.N {
				Read(w, trees)
			}
			n := float64(b.N)
			b.ReportMetric(float64(opened.Load()-files)/n, "files/op")
			b.ReportMetric(float64(bytesRead()-bytes)/n/1e6, "MB/op")
			b.ReportMetric(float64((cpuTime(b)-cpu).Microseconds())/n/1000, "ms-cpu/op")
		})
	}
}

// many writes the 2,000 sessions. Their middle, which is not to be read, takes no room on the disk.
func many(b testing.TB, home string) {
	b.Helper()
	const size = 450 << 10
	words := strings.Repeat("All the words of a turn. ", 40)
	for i := range 1000 {
		old := recorded.Add(-time.Duration(i) * 133 * time.Minute) // a third of them is younger than 30 days
		dir := fmt.Sprintf("/home/dev/other%d", i%40)
		if i%40 < 9 {
			dir = trees[0]
		}
		stamp := old.Format(time.RFC3339)
		ends := [...]string{"tool", "text", "text", "text", "ask"} // most sessions have ended well
		end := ends[i/9%len(ends)]

		turn := func(block string) string {
			return fmt.Sprintf(`{"type":"assistant","cwd":%q,"timestamp":%q,"isSidechain":false,"message":{"role":"assistant","content":[%s],"usage":{"input_tokens":1000}}}`+"\n", dir, stamp, block)
		}
		text := func(said string) string { return turn(fmt.Sprintf(`{"type":"text","text":%q}`, said)) }
		last := map[string]string{"text": text("All is done."), "ask": text("Which one?"), "tool": turn(`{"type":"tool_use","name":"Bash","input":{"command":"make"}}`)}
		prompt := fmt.Sprintf(`{"type":"user","cwd":%q,"timestamp":%q,"message":{"content":"Fix fault %d, please"}}`+"\n", dir, stamp, i)
		turns := strings.Repeat(prompt+`{"type":"last-prompt","lastPrompt":"Fix it"}`+"\n"+strings.Repeat(text(words), 8), 5)
		sparse(b, filepath.Join(home, ".claude/projects", slugOf(dir), fmt.Sprintf("s%04d.jsonl", i)), size, old, prompt, turns+last[end])

		meta := fmt.Sprintf(`{"timestamp":%q,"type":"session_meta","payload":{"id":"01a1f2ce-6f1e-7b00-9e2b-%012d","cwd":%q,"source":"vscode","instructions":%q}}`+"\n", stamp, i, dir, strings.Repeat(words, 20))
		event := func(kind, more string) string {
			return fmt.Sprintf(`{"timestamp":%q,"type":"event_msg","payload":{"type":%q%s}}`+"\n", stamp, kind, more)
		}
		asked := event("user_message", fmt.Sprintf(`,"message":"Fix fault %d, please"`, i))
		began := event("task_started", "") + fmt.Sprintf(`{"timestamp":%q,"type":"turn_context","payload":{"cwd":%q}}`+"\n", stamp, dir) + asked + strings.Repeat(event("agent_message", fmt.Sprintf(`,"message":%q`, words)), 8)
		done := event("task_complete", `,"last_agent_message":"All is done."`)
		last = map[string]string{"text": done, "ask": event("task_complete", `,"last_agent_message":"Which one?"`), "tool": ""}
		sparse(b, filepath.Join(home, ".codex/sessions", old.Format("2006/01/02"), fmt.Sprintf("rollout-%s-01a1f2ce-6f1e-7b00-9e2b-%012d.jsonl", old.Format("2006-01-02T15-04-05"), i)),
			size, old, meta+asked, strings.Repeat(began+done, 4)+began+last[end])
	}
}

func sparse(b testing.TB, path string, size int64, when time.Time, head, tail string) {
	b.Helper()
	err := os.MkdirAll(filepath.Dir(path), 0o700)
	if err == nil {
		err = os.WriteFile(path, []byte(head), 0o600)
	}
	var file *os.File
	if err == nil {
		file, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err == nil {
		_, err = file.WriteAt([]byte("\n"+tail), size-int64(len(tail))-1)
		file.Close()
	}
	if err == nil {
		err = os.Chtimes(path, when, when)
	}
	if err != nil {
		b.Fatal(err)
	}
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// bytesRead returns how much this process has read so far, where the system tells.
func bytesRead() (n int64) {
	text, _ := os.ReadFile("/proc/self/io")
	_, _ = fmt.Sscanf(string(text), "rchar: %d", &n)
	return n
}
