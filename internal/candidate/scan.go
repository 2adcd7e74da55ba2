package candidate

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// scan caches what one search for all work finds in the repository and in the list of processes.
type scan struct {
	*site.Site
	view     *sources.View
	commands func() []proc.Process
	found    func() ([]sources.Found, error)
	// unwanted is the work that was found but that the setting resume.ignore excludes.
	unwanted []sources.Found
	// The field "read" caches the lines of each journal.
	read map[checkpoint.RunID][]checkpoint.Line
	// The field "runs" caches the processes of each program that works on other systems' work. The field "wrote" caches, for each run,
	// which content we wrote to which file.
	runs  map[string][]proc.Process
	wrote map[checkpoint.RunID]ownWrites
}

// Scan holds the result of a search for all work, so that several questions can share it.
type Scan struct {
	// scan is the result of the search. If it is nil, every question starts a new search.
	scan *scan
	// held is true if one scan answers all questions until Release.
	held bool
}

// Hold makes all calls until Release use the same scan, so that each file is read only once. Until Release the caller must not ask the user
// or write anything, because the scan does not see later changes.
func (l *Scan) Hold() { l.held = true }

// Release discards the scan, so that the next call starts a new one.
func (l *Scan) Release() { l.held, l.scan = false, nil }

// Registered returns the registered worktrees. If there is a scan, they come from it, because reading each registration opens five files.
func (l *Scan) Registered(r *gitstate.Repo) []gitstate.Linked {
	if l.scan != nil {
		return l.scan.view.Registered
	}
	return r.Linked()
}

// journalLines returns the lines of a run's journal, and reads them only once. It returns nothing if the journal cannot be read.
func (e *scan) journalLines(id checkpoint.RunID) []checkpoint.Line {
	l, known := e.read[id]
	if !known {
		l, _ = e.Store.Lines(context.Background(), id)
		e.read[id] = l
	}
	return l
}

// running returns the processes that have the given program in their command line. The result is cached, because many pieces of work have
// the same programs.
func (e *scan) running(program string) []proc.Process {
	found, known := e.runs[program]
	if !known {
		for _, p := range e.commands() {
			if sources.NamesProgram(p.Args, program) {
				found = append(found, p)
			}
		}
		e.runs[program] = found
	}
	return found
}

// allCommands lists the visible processes that have arguments, with only their ids and command lines.
func (e *scan) allCommands() []proc.Process {
	pids, _ := e.Procs.All() // if processes cannot be listed, assume that there are none
	var out []proc.Process
	for _, pid := range pids {
		if args := e.Procs.Args(pid); len(args) > 1 {
			out = append(out, proc.Process{PID: pid, Args: args})
		}
	}
	return out
}
