//go:build unix

package journal

import (
	"errors"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/flock"
)

func TestAppend_namesWhoStandsInTheWay(t *testing.T) {
	j := newJournal(t, "t")
	cmd := exec.Command("flock", "-o", j.s.Folder().AppendLock(j.id), "sleep", "20")
	if err := cmd.Start(); err != nil {
		t.Skip("no flock program here")
	}
	defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	for end := time.Now().Add(10 * time.Second); !flock.Held(j.s.Folder().AppendLock(j.id)); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody took the lock")
		}
	}
	if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	j.s.Patience = 100 * time.Millisecond
	_, err := j.s.Append(t.Context(), j.id, Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunPaused}}, nil
	}})
	var stuck *flock.StuckError
	if !errors.As(err, &stuck) || runtime.GOOS == "linux" && stuck.PID != cmd.Process.Pid {
		t.Errorf("%v, and process %d holds the lock", err, cmd.Process.Pid)
	}
	j.s.Patience = 0
	time.AfterFunc(50*time.Millisecond, func() { _ = cmd.Process.Kill() })
	if got := j.add(checkpoint.Event{Event: checkpoint.RunPaused}); !got.Run.Paused {
		t.Error("the append behind it is lost")
	}
}
