//go:build linux

package execution_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// maxMemory is how much memory an execution may use, in KB, whatever its commands print. It is 64 MB.
const maxMemory = 64 << 10

func (w *world) log(task string) []byte {
	w.T.Helper()
	found, _ := filepath.Glob(filepath.Join(w.Dir, ".git", "resume", "logs", w.only().Run, task+"-*.log"))
	if len(found) != 1 {
		w.T.Fatalf("logs: %v", found)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		w.T.Fatal(err)
	}
	return text
}

func TestHostile_outputIsCappedAndMemoryBounded(t *testing.T) {
	size := "64M"
	if gittest.Proving() {
		size = "1G"
	}
	for _, c := range []struct{ name, command string }{
		{"one endless line", "head -c " + size + " /dev/zero | tr '\\0' x"},
		{"binary", "head -c " + size + " /dev/urandom"},
		{"a million lines a second", "yes short | head -c " + size},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			w := newWorld(t)
			w.Git("config", "resume.logLimit", "1m")
			plan := w.plan("", "a: "+c.command)
			// Discard what the task prints, because this test checks only the log and the memory.
			script := w.file("quiet.sh", "exec git-resume start \"$1\" 2>/dev/null\n")
			r := w.start("/bin/sh", script, plan)
			if out, code := r.wait(); code != 0 {
				t.Fatalf("exit code %d\n%.1000s", code, out)
			}
			if kb := rusage(r.cmd.ProcessState); kb > maxMemory {
				t.Errorf("it took %d KB", kb)
			} else {
				t.Logf("%s of %s: %d KB at most", size, c.name, kb)
			}
			log := w.log("a")
			if len(log) > 1<<20+200 || !bytes.Contains(log, []byte("bytes of output were not kept here")) {
				t.Errorf("the log has %d bytes", len(log))
			}
		})
	}
}

func TestHostile_titleCannotSpeakToTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.file("plan.json", `{"name":"job","tasks":[{"id":"a","title":"red \u202e turn","run":"printf '\\033]0;owned\\007\\033[31m'; exit 3"}]}`)
	out, code := w.Resume("start", plan)
	if code == 0 {
		t.Errorf("exit code %d\n%q", code, out)
	}
	for _, args := range [][]string{{"status"}, {"status", "job"}, {"status", "job", "a"}, {"log", "job"}} {
		text, _ := w.Resume(args...)
		if regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]|\x{202e}`).MatchString(text) {
			t.Errorf("%v: %q", args, text)
		}
	}
}

func TestHostile_commandOfAMegabyte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	long := strings.Repeat("x", 1<<20)
	out, code := w.Resume("start", w.plan("", fmt.Sprintf("a: true %s", long)))
	// The system refuses an argument above 128 KB, so the command fails. The error message must be short and not repeat the argument.
	if code == 0 || len(out) > 4000 {
		t.Errorf("exit code %d, %d bytes of output\n%.1000s", code, len(out), out)
	}
	w.resume(0, "status", "--all")
}

// Control characters in a task's output must not reach the terminal.
func TestHostile_terminalStaysSane(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Git("config", "color.resume", "false") // without our own colours, any control character comes from the task
	plan := w.plan("", `a: printf '\033]0;owned\007\033[?1049h'; head -c 300000 /dev/urandom; sleep 1.3; printf '\033[31mred'; yes | head -100000; sleep 0.3`)
	for _, args := range [][]string{{"start", plan}, {"start", "-v", "--new", plan}} {
		shown, code := w.onTerminal(nil, append([]string{"git-resume"}, args...)...)
		if code != 0 {
			t.Errorf("exit code %d\n%.1000q", code, shown)
		}
		rest := regexp.MustCompile(`\r\x1b\[K|\r\n`).ReplaceAllString(shown, "")
		if bad := regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`).FindString(rest); bad != "" {
			t.Errorf("%v: %q reached the terminal", args[1:len(args)-1], bad)
		}
	}
}
