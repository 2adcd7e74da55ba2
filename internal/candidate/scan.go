package candidate

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// scan holds what one search for all work learns about the repository and about the processes on this machine.
type scan struct {
	*site.Site
	view     *sources.View
	commands func() []proc.Process
	found    func() ([]sources.Found, error)
	// unwanted is what was found as well, but the setting resume.ignore excludes.
	unwanted []sources.Found
	// read caches the journals, and wrote what they say that we wrote.
	read  map[checkpoint.RunID][]checkpoint.Line
	wrote map[checkpoint.RunID]ownWrites
}

// Scan is the current search for all work, if there is one.
type Scan struct {
	// scan is what the search has learned; if nil, every question starts a new scan.
	scan *scan
	// held: one scan answers all questions until Release.
	held bool
}

// Hold lets one scan of other systems' work answer all questions until Release, so that a command that only reads opens each file once.
// Until Release the caller must not ask the user or write anything, because the scan does not see what others do meanwhile.
func (l *Scan) Hold() { l.held = true }

// Release discards the scan, so that the next question starts a new one.
func (l *Scan) Release() { l.held, l.scan = false, nil }

// registered returns the worktrees as the scan saw them, or as they are now if there is no scan: reading one costs five files.
func (l *Scan) registered(r *gitstate.Repo) []gitstate.Linked {
	if l.scan != nil {
		return l.scan.view.Registered
	}
	return r.Linked()
}

// lines returns the journal of a run, read once. An unreadable journal proves nothing, so every change then counts as somebody else's.
func (e *scan) lines(id checkpoint.RunID) []checkpoint.Line {
	l, known := e.read[id]
	if !known {
		l, _ = e.Store.Lines(context.Background(), id)
		e.read[id] = l
	}
	return l
}

// allCommands lists the visible processes, with only their ids and command lines.
func (e *scan) allCommands() []proc.Process {
	pids, _ := e.Procs.All() // if the processes cannot be listed, treat it as none
	var out []proc.Process
	for _, pid := range pids {
		if args := e.Procs.Args(pid); len(args) > 1 {
			out = append(out, proc.Process{PID: pid, Args: args})
		}
	}
	return out
}
