package packaging

import (
	"bytes"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// bashCompletion is the script through which an interactive bash loads completions.
const bashCompletion = "/usr/share/bash-completion/bash_completion"

func TestBash_answersTAB(t *testing.T) {
	for _, program := range []string{"bash", "script"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s", program)
		}
	}
	if !exists(bashCompletion) {
		t.Skip("bash-completion is not here; the other tests call the functions themselves")
	}
	m := newMachine(t)
	m.home = filepath.Join(filepath.Dir(m.home), "home") // bash-completion 2.11 does not look into a home with a blank in its path
	m.path = append(m.path, filepath.Join(m.home, ".local/bin"))
	m.mustInstall(t)
	r := unfinished(t)
	rc := filepath.Join(filepath.Dir(m.home), "rc")
	write(t, rc, "PS1='> ' HISTFILE=\nbind 'set page-completions off'; bind 'set completion-query-items 0'\n. "+bashCompletion+"\necho ready\n")
	s := newTyping(t, exec.Command("script", "-qec", "bash --rcfile '"+rc+"' -i", "/dev/null"), r.Dir, append(r.Env, "HOME="+m.home, "TERM=dumb"))
	s.wait("ready")
	for _, c := range []struct {
		keys string
		want []string
	}{
		{"git resu\t", []string{"git resume "}},
		{"git resume \t\t", []string{"answer", "hooks", "status", "task", "job-"}},
		{"git resume status --\t\t", []string{"--all", "--json", "--porcelain", "--watch"}},
		{"git resume status \t\t", []string{"job-", "old-"}},
		{"git resume jo\t", []string{"git resume job-"}},
		{"git resume task done \t\t", []string{"data", "schema"}},
		{"git -C . resume hooks un\t", []string{"hooks uninstall "}},
	} {
		s.press(c.keys)
		s.wait(c.want...)
		s.press("\x15") // clears the line
	}
}

// typing sends keys to a program in a terminal, like a person, and collects its output.
type typing struct {
	t     *testing.T
	stdin io.Writer
	mu    sync.Mutex
	said  bytes.Buffer
	from  int // the start, in the field "said", of the output since the last key press
}

func newTyping(t *testing.T, cmd *exec.Cmd, dir string, env []string) *typing {
	t.Helper()
	s := &typing{t: t}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, env, s, s
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if s.stdin = stdin; cmd.Start() != nil {
		t.Fatal("the terminal does not start")
	}
	t.Cleanup(func() { _ = stdin.Close(); _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return s
}

func (s *typing) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.Write(p)
}

func (s *typing) press(keys string) {
	s.t.Helper()
	s.mu.Lock()
	s.from = s.said.Len()
	s.mu.Unlock()
	if _, err := io.WriteString(s.stdin, keys); err != nil {
		s.t.Fatal(err)
	}
}

// wait waits until all of the words have been printed since the last key press. It fails the test after 20 seconds.
func (s *typing) wait(words ...string) {
	s.t.Helper()
	var now string
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		now = s.said.String()[s.from:]
		s.mu.Unlock()
		missing := false
		for _, w := range words {
			missing = missing || !strings.Contains(now, w)
		}
		if !missing {
			return
		}
	}
	s.t.Fatalf("%q were to be said, and what was is:\n%s", words, now)
}
