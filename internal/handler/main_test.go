package handler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// user is somebody who works on a run with the real program.
type user struct {
	*gittest.Repo
	id string
}

// start starts a run in the user's own worktree.
func start(t testing.TB, tasks ...string) *user {
	t.Helper()
	u := &user{Repo: gittest.New(t).WithBinary()}
	u.begin("work", tasks...)
	return u
}

func (u *user) begin(name string, tasks ...string) {
	u.T.Helper()
	args := []string{"start", "--here", "--name", name}
	for _, id := range tasks {
		args = append(args, "--task", id)
	}
	u.MustResume(args...)
	for _, r := range u.status() {
		if r.Name == name {
			u.id = r.Run
		}
	}
}

// seen is what "status --json" prints about one run.
type seen struct {
	Run     string `json:"run"`
	Name    string `json:"name"`
	Source  string `json:"source"`
	State   string `json:"state"`
	Events  int    `json:"events"`
	Rebuilt bool   `json:"rebuilt"`
	Branch  string `json:"branch"`
	Tasks   []struct {
		ID     string `json:"id"`
		State  string `json:"state"`
		Commit string `json:"commit"`
		Now    string `json:"commit_now"`
		Found  bool   `json:"found"`
	} `json:"tasks"`
	Driver *struct {
		PID   int   `json:"pid"`
		Alive *bool `json:"alive"`
	} `json:"driver"`
	Findings []struct {
		Code string `json:"code"`
	} `json:"findings"`
}

func (s seen) task(id string) string {
	for _, t := range s.Tasks {
		if t.ID == id {
			return t.State
		}
	}
	return ""
}

func (s seen) has(code string) bool {
	for _, f := range s.Findings {
		if f.Code == code {
			return true
		}
	}
	return false
}

func (u *user) status(args ...string) []seen {
	u.T.Helper()
	out, code := u.Resume(append([]string{"status", "--json", "--all"}, args...)...)
	var doc struct {
		Runs []seen `json:"runs"`
	}
	if err := json.Unmarshal([]byte(out), &doc); code != 0 || err != nil {
		u.T.Fatalf("status: exit code %d, %v\n%s", code, err, out)
	}
	return doc.Runs
}

// see returns what "status --json" prints about the user's run.
func (u *user) see() seen {
	u.T.Helper()
	return u.status(u.id)[0]
}

// lines returns the journal lines of the run in alphabetical order.
func (u *user) lines() []string {
	u.T.Helper()
	out := strings.Split(strings.TrimSpace(u.MustResume("log", "--raw", u.id)), "\n")
	slices.Sort(out)
	return out
}

// mustHold fails the test if the journal does not contain each of the earlier lines exactly once.
func (u *user) mustHold(earlier []string) {
	u.T.Helper()
	now := u.lines()
	for _, l := range earlier {
		if n := countOf(now, l); n != 1 {
			u.T.Errorf("%d times in the journal: %s", n, l)
		}
	}
}

func countOf(list []string, text string) int {
	n := 0
	for _, l := range list {
		if l == text {
			n++
		}
	}
	return n
}

// work changes a file and reports its task as done.
func (u *user) work(task string, args ...string) {
	u.T.Helper()
	u.Write(task+".txt", task+"\n")
	u.MustResume(append([]string{"task", "done", "--run", u.id, task, task + ".txt"}, args...)...)
}

func (u *user) head() string { return u.Git("rev-parse", "HEAD") }

// onBranch reports whether HEAD contains a commit.
func (u *user) onBranch(id string) bool {
	_, code := u.Try("git", "merge-base", "--is-ancestor", id, "HEAD")
	return code == 0
}

// checkCommits checks with git every commit that the program shows for a finished task.
func (u *user) checkCommits() {
	u.T.Helper()
	screen := u.MustResume("status", u.id)
	for _, t := range u.see().Tasks {
		row := ""
		for line := range strings.Lines(screen) {
			if slices.Contains(strings.Fields(line), t.ID) && row == "" {
				row = line
			}
		}
		if t.State != "done" || t.Commit == "" {
			continue
		}
		gone := strings.Contains(row, "no longer on the branch")
		switch {
		case row == "":
			u.T.Errorf("task %s is not shown:\n%s", t.ID, screen)
		case t.Now != "" && (!u.onBranch(t.Now) || !strings.Contains(row, "now "+t.Now[:7])):
			u.T.Errorf("task %s is said to be at %s: %s", t.ID, t.Now, row)
		case t.Now == "" && u.onBranch(t.Commit) == gone:
			u.T.Errorf("task %s, commit %s, on the branch %v: %s", t.ID, t.Commit, u.onBranch(t.Commit), row)
		}
	}
}

// script writes a program next to the repository and returns its path.
func (u *user) script(name, text string) string {
	u.T.Helper()
	path := filepath.Join(filepath.Dir(u.Dir), name)
	if err := gittest.WriteProgram(path, []byte(text)); err != nil {
		u.T.Fatal(err)
	}
	return path
}

// launch starts a program in the repository and does not wait for its end.
func (u *user) launch(name string, args ...string) *exec.Cmd {
	u.T.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = u.Dir, u.Env
	if err := cmd.Start(); err != nil {
		u.T.Fatal(err)
	}
	u.T.Cleanup(func() { _ = cmd.Process.Kill(); _, _ = cmd.Process.Wait() })
	return cmd
}

// await polls until a condition is true. It ends the test if that takes more than 30 seconds.
func await(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if so() {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}

// needs skips a test if a program is not installed.
func needs(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("%s is not installed", name)
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func say(format string, args ...any) string { return fmt.Sprintf(format, args...) }
