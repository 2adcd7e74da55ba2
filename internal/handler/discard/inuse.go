package discard

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/proc"
)

// InUse returns an error if processes are running in the worktree that is to be discarded. It returns nil if there are none.
func (d *Preview) InUse() error {
	if len(d.Living) == 0 {
		return nil
	}
	return &InUseError{Run: d.Run.Run.ID, Path: d.Preview.Tree.Path, By: d.Living}
}

// InUseError says that processes are working in a worktree that was to be discarded.
type InUseError struct {
	Run  checkpoint.RunID
	Path string
	By   []proc.Process
}

func (e *InUseError) Error() string {
	if n := len(e.By); n > 1 {
		return fmt.Sprintf("%d processes are using the worktree of run '%s'", n, e.Run)
	}
	return fmt.Sprintf("process %d is using the worktree of run '%s'", e.By[0].PID, e.Run)
}

// processesIn lists the processes that may write into a worktree. It returns none if the system does not let us see processes. If only git
// processes are running there, it first waits up to gitExitWait for them to end.
func (e *Discarder) processesIn(path string) []proc.Process {
	if path == "" {
		return nil
	}
	if _, err := os.Lstat(path); err != nil {
		return nil
	}
	at, _ := e.Procs.AtWork([]string{path})
	const looks = 40
	for try := 0; try < looks && len(at) > 0 && onlyGit(at); try++ {
		time.Sleep(gitExitWait / looks)
		at, _ = e.Procs.AtWork([]string{path})
	}
	return at
}

// gitExitWait is how long we wait for a git process to end by itself. If a command was killed, its git process ends soon after it.
const gitExitWait = 2 * time.Second

func onlyGit(all []proc.Process) bool {
	return !slices.ContainsFunc(all, func(p proc.Process) bool { return len(p.Args) == 0 || filepath.Base(p.Args[0]) != "git" })
}

// refuseIfUsed returns an error if processes are working in a worktree. It ignores the known processes and their descendants.
func (e *Discarder) refuseIfUsed(id checkpoint.RunID, path string, known []proc.Process) error {
	at := slices.DeleteFunc(e.processesIn(path), func(p proc.Process) bool {
		return slices.ContainsFunc(known, func(k proc.Process) bool { return e.Procs.Descends(p.PID, k.PID, k.Start) })
	})
	if len(at) > 0 {
		return &InUseError{Run: id, Path: path, By: at}
	}
	return nil
}
