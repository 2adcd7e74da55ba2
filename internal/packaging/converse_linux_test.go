package packaging

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// calm is how long the output must pause before we answer a question. patience is the time limit for all commands of a document.
const (
	calm     = 40 * time.Millisecond
	patience = 5 * time.Minute
)

// converse runs the commands of a document in a terminal.
// It answers each question with the next input line from the document, and returns all output.
func (s *stage) converse(t *testing.T, file string, all []step) string {
	t.Helper()
	keys, tty, err := gittest.OpenTerminal()
	if err != nil {
		t.Skip(err)
	}
	defer keys.Close()
	cmd := exec.Command("sh", file)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = s.Dir, s.Env, tty, tty, tty
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = tty.Close()
	shown := make(chan string)
	go show(keys, shown)
	late := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	screen := ""
	for more := true; more; {
		var text string
		select {
		case text, more = <-shown:
			screen += text
		case <-time.After(calm):
			if asks(screen) {
				answer(t, keys, screen, all)
				screen += <-shown // the terminal echoes what is typed
			}
		}
	}
	_ = cmd.Wait()
	if !late.Stop() {
		t.Fatalf("it takes longer than %s:\n%s", patience, screen)
	}
	for i, one := range all {
		if len(one.keys) > 0 {
			t.Errorf("command %d, %s, did not ask for %q", i+1, one.command, one.keys)
		}
	}
	return strings.ReplaceAll(screen, "\r\n", "\n")
}

func show(keys *os.File, shown chan<- string) {
	defer close(shown)
	buffer := make([]byte, 4096)
	for {
		n, err := keys.Read(buffer)
		if err != nil {
			return // the terminal was closed
		}
		shown <- string(buffer[:n])
	}
}

// asks reports whether the screen ends like a question.
func asks(screen string) bool {
	return strings.HasSuffix(screen, "] ") || strings.HasSuffix(screen, ": ") || strings.HasSuffix(screen, ") ")
}

// answer types the next input line from the document for the running command. If the document has no more lines, the test fails and
// answer types Ctrl-D.
func answer(t *testing.T, keys *os.File, screen string, all []step) {
	t.Helper()
	typed := "\x04" // Ctrl-D ends the input
	if now := strings.Count(screen, mark); now < len(all) && len(all[now].keys) > 0 {
		typed, all[now].keys = all[now].keys[0]+"\n", all[now].keys[1:]
	} else {
		t.Errorf("the document has no answer to this question:\n%s", screen[strings.LastIndex(screen, mark)+1:])
	}
	if _, err := keys.WriteString(typed); err != nil {
		t.Fatal(err)
	}
}
