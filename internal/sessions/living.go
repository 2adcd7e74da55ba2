package sessions

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/proc"
)

// addLiving adds sessions of an agent that keeps no lock. A program of this agent in the folder of a session is taken for the newest session
// there. Where the folders of programs cannot be seen, a session that was written a moment ago may still be running.
func (r *reader) addLiving(all []Session, names ...string) {
	slices.SortStableFunc(all, func(a, b Session) int { return b.Last.Compare(a.Last) })
	known := map[int]bool{}
	for _, s := range all {
		known[s.PID] = true
	}
	if slices.ContainsFunc(all, func(s Session) bool { return s.State != Finished && s.State != Empty }) {
		programs, visible := r.programs(names)
		for i := range all {
			s := &all[i]
			if s.Fate == proc.Alive {
				continue
			}
			if s.Fate = proc.Dead; !visible {
				s.Fate = proc.Unknown
			}
			dir := realPath(s.Dir)
			pids := slices.DeleteFunc(programs[dir], func(pid int) bool { return known[pid] })
			if len(pids) > 0 { // also of a finished session, so that its idle program is not taken for the one of an older session
				s.Fate, s.PID, s.Busy = proc.Alive, pids[0], s.State == Cut && !s.Ended
				known[s.PID] = true
			}
		}
	}
	for _, s := range all {
		r.add(s)
	}
}

// programs returns the processes with one of these names, by the folder in which they work. Not every system shows these folders.
func (r *reader) programs(names []string) (out map[string][]int, visible bool) {
	out = map[string][]int{}
	pids, visible := r.Procs.All()
	for _, pid := range pids {
		if !calls(r.Procs.Args(pid), func(a string) bool { return slices.Contains(names, filepath.Base(a)) }) {
			continue
		}
		if dir, _, ok := r.Procs.Surroundings(pid); ok {
			out[dir] = append(out[dir], pid)
		}
	}
	return out, visible
}

// named finds out whether a process still runs, if only its number is known. Numbers are used again, so the command line has to name the agent.
func (r *reader) named(pid int, agent string) proc.Fate {
	if pid > 0 && calls(r.Procs.Args(pid), func(a string) bool { return strings.Contains(a, agent) }) {
		return proc.Alive
	}
	return proc.Dead
}

// calls reports whether a command line calls a program. It may be a script: node /usr/lib/gemini/gemini.js.
func calls(args []string, isProgram func(arg string) bool) bool {
	const first = 3
	return slices.ContainsFunc(args[:min(len(args), first)], isProgram)
}
