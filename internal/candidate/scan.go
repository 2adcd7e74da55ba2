package candidate

import (
	"context"
	"sync"

	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
)

// scan is what one look over all work learns about the repository and about this machine's processes.
type scan struct {
	view     *sources.View
	commands func() []proc.Process
}

func (e *Finder) newScan(ctx context.Context) *scan {
	return &scan{view: e.View(ctx), commands: sync.OnceValue(e.allCommands)}
}

// looking is the scan that is under way, or a new one for a single question.
func (e *Finder) looking(ctx context.Context) *scan {
	if e.scan != nil {
		return e.scan
	}
	return e.newScan(ctx)
}

// allCommands are the processes that can be seen, with their numbers and command lines alone.
func (e *Finder) allCommands() []proc.Process {
	pids, _ := e.Procs.All() // where none can be seen there are none
	var out []proc.Process
	for _, pid := range pids {
		if args := e.Procs.Args(pid); len(args) > 1 {
			out = append(out, proc.Process{PID: pid, Args: args})
		}
	}
	return out
}
