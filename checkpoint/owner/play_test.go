package owner

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// play is the code of the second process in a test. "own DIR RUN NONCE" becomes the owner of a run; "task DIR RUN NONCE"
// also starts a child that holds the task lock. It prints "held" or the error, and waits until its input ends.
func play(part string, args []string) int {
	p, err := locate.Find(args[0], os.Environ())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	repo := gitstate.Open(p, os.Environ())
	defer repo.Close()
	s := &journal.Store{Repo: repo, Now: time.Now, Nonce: args[2]}
	var table proc.Table
	self, _ := table.Get(os.Getpid())
	id := checkpoint.RunID(args[1])
	if _, err := Take(context.Background(), s, id, checkpoint.NewActor(table.Host(), self, clone.ID(repo))); err != nil {
		fmt.Println(err)
		return 1
	}
	if part == "task" {
		child, err := leaveChild(s, id)
		if err != nil {
			fmt.Println(err)
			return 1
		}
		fmt.Println("child", child)
	}
	fmt.Println("held")
	_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
	return 0
}

// leaveChild starts a process that inherits the task lock.
func leaveChild(s *journal.Store, id checkpoint.RunID) (int, error) {
	lock, err := LockTask(s, id, 0)
	if err != nil {
		return 0, err
	}
	cmd := exec.Command("sleep", "1000")
	cmd.ExtraFiles = []*os.File{lock.File()}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	if err := lock.Name(&checkpoint.Actor{PID: cmd.Process.Pid, Command: "sleep 1000"}); err != nil {
		return 0, err
	}
	lock.LetGo()
	return cmd.Process.Pid, nil
}

func (j *work) play(name, nonce string) *gittest.Part { return j.Play(name, string(j.id), nonce) }

func waitFor(t testing.TB, what string, so func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !so(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited in vain: %s", what)
		}
	}
}
