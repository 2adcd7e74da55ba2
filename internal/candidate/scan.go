package candidate

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// scan is what one look over all work learns about the repository and about this machine's processes.
type scan struct {
	*site.Site
	view     *sources.View
	commands func() []proc.Process
	found    func() ([]sources.Found, error)
	// read are the journals that were read, and wrote what they say that we wrote.
	read  map[checkpoint.RunID][]checkpoint.Line
	wrote map[checkpoint.RunID]ownWrites
}

// Look is the look for all work that is under way, if one is.
type Look struct {
	// scan is what it learned; nil: each question is asked anew.
	scan *scan
	// holding: what was learned answers all questions until Release.
	holding bool
}

// Hold lets one look at other systems' work answer all questions until Release: who only looks opens each of their files once.
// Nobody may be asked, and nothing be written, before Release: what others do meanwhile is not seen.
func (l *Look) Hold() { l.holding = true }

// Release lets the next question be answered by a new look.
func (l *Look) Release() { l.holding, l.scan = false, nil }

// registered are the worktrees of a repository as the look saw them, else as they are now: each costs five files.
func (l *Look) registered(r *gitstate.Repo) []gitstate.Linked {
	if l.scan != nil {
		return l.scan.view.Registered
	}
	return r.Linked()
}

// lines is the journal of a run, which is read once. Where it cannot be read it proves nothing: every change counts as somebody's.
func (e *scan) lines(id checkpoint.RunID) []checkpoint.Line {
	l, known := e.read[id]
	if !known {
		l, _ = e.Store.Lines(context.Background(), id)
		e.read[id] = l
	}
	return l
}

// allCommands are the processes that can be seen, with their numbers and command lines alone.
func (e *scan) allCommands() []proc.Process {
	pids, _ := e.Procs.All() // where none can be seen there are none
	var out []proc.Process
	for _, pid := range pids {
		if args := e.Procs.Args(pid); len(args) > 1 {
			out = append(out, proc.Process{PID: pid, Args: args})
		}
	}
	return out
}
