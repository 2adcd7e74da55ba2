package prove

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestRaces_ofEightTasks lets eight tasks end at the same moment, while the test keeps adding commits to the run's branch with plain git.
func TestRaces_ofEightTasks(t *testing.T) {
	p := gittest.Prove(t, "D", "rounds of eight tasks that end at once")
	for n := 0; p.More(1); n++ {
		t.Run(fmt.Sprint("round", n), raceOfTasks)
		p.Trial(1)
	}
}

func raceOfTasks(t *testing.T) {
	r := gittest.New(t).WithBinary()
	plan := "name: job\njobs: 8\ntasks:\n"
	for i := range 8 {
		plan += fmt.Sprintf("- id: t%d\n  outputs: [f%d]\n  run: touch $HOME/up%d; while test ! -e $HOME/go; do sleep 0.01; done; echo %d >f%d\n", i, i, i, i, i)
	}
	put(r, planFile(r), plan)
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), "start", planFile(r))
	cmd.Dir, cmd.Env = r.Dir, r.Env
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	must(r, cmd.Start())
	waitForFiles(r, "up*", 8)
	branch := strings.TrimSpace(r.Git("for-each-ref", "--format=%(refname)", "refs/heads/resume/"))
	over := make(chan int)
	stop := make(chan struct{})
	go func() { over <- commitBeside(r, branch, stop) }()
	put(r, filepath.Join(side(r), "go"), "")
	err := cmd.Wait()
	close(stop)
	made := <-over
	if err != nil {
		t.Fatalf("%v\n%s", err, &text)
	}
	log := r.Git("log", "--format=%s", branch)
	for i := range 8 {
		if n := strings.Count("\n"+log+"\n", fmt.Sprintf("\nt%d\n", i)); n != 1 {
			t.Errorf("task t%d has %d commits", i, n)
		}
	}
	if n := strings.Count(log, "from outside"); n != made {
		t.Errorf("%d commits of somebody else are left of %d\n%s\n%s", n, made, log, &text)
	}
	t.Logf("%d commits of somebody else", made)
}

// commitBeside adds commits to a branch until the channel "stop" is closed. It returns how many it has added.
func commitBeside(r *gittest.Repo, branch string, stop chan struct{}) (n int) {
	for {
		select {
		case <-stop:
			return n
		default:
		}
		old, _ := r.Try("git", "rev-parse", branch)
		old = strings.TrimSpace(old)
		made, code := r.Try("git", "commit-tree", "-p", old, "-m", "from outside", old+"^{tree}")
		if code != 0 {
			continue
		}
		if _, code := r.Try("git", "update-ref", branch, strings.TrimSpace(made), old); code == 0 {
			n++
		}
		time.Sleep(300 * time.Millisecond) // leave enough time for a task to add its own commit, even on a slow machine
	}
}

// waitForFiles waits until at least n files in the folder next to the repository match the pattern.
func waitForFiles(r *gittest.Repo, pattern string, n int) {
	r.T.Helper()
	for range 1500 {
		if found, _ := filepath.Glob(filepath.Join(side(r), pattern)); len(found) >= n {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.T.Fatalf("fewer than %d files are there: %s", n, pattern)
}
