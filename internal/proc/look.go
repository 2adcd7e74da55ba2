package proc

import (
	"os"
	"slices"
	"strings"
)

// Process is what can be seen of one process from outside.
// PID and Start together name it: a pid alone is used again.
type Process struct {
	PID   int
	PPID  int
	Start string
	Args  []string
}

// Host names where a process id means something.
// Boot changes with every start of the machine, NS with every container.
type Host struct {
	Name string
	Boot string
	NS   string
}

// Fate says what is known of a process that was recorded earlier.
type Fate int

const (
	// Unknown: it cannot be seen from here.
	Unknown Fate = iota
	// Alive: the very process is there.
	Alive
	// Dead: it is proven that the process is gone.
	Dead
)

func (f Fate) String() string {
	switch f {
	case Alive:
		return "alive"
	case Dead:
		return "gone"
	default:
		return "unknown"
	}
}

// Table looks at the processes of this machine.
// Its zero value is ready; the fields stand in for the machine in tests.
type Table struct {
	Look func(pid int) (Process, bool)
	Here func() Host
}

func (t Table) look(pid int) (Process, bool) {
	if t.Look != nil {
		return t.Look(pid)
	}
	return look(pid)
}

// Host says where we are; fields that cannot be known are empty.
func (t Table) Host() Host {
	if t.Here != nil {
		return t.Here()
	}
	return here()
}

// Get finds a process by its id; ok is false if none is there or it cannot be seen.
func (t Table) Get(pid int) (p Process, ok bool) { return t.look(pid) }

// All lists every process that can be seen; known is false where none can.
func (t Table) All() (pids []int, known bool) { return all() }

// Args is the command line of a process, without the rest of what Get tells: whoever looks at all of them reads half as much.
// It is empty if the process is gone or cannot be seen.
func (t Table) Args(pid int) []string {
	if t.Look != nil {
		p, _ := t.Look(pid)
		return p.Args
	}
	return arguments(pid)
}

// Surroundings are where a process stands and the environment that it was started with;
// ok is false if they cannot be seen, or the process is gone.
func (t Table) Surroundings(pid int) (dir string, env []string, ok bool) { return surroundings(pid) }

// Users are the numbers of the users as whom a process acts; ok is false if they cannot be seen.
func (t Table) Users(pid int) (ids []int, ok bool) { return users(pid) }

// FateOf tells whether a recorded process still lives.
// A boot that is over takes all its processes with it, whatever their namespace.
func (t Table) FateOf(h Host, pid int, start string) Fate {
	now := t.Host()
	if pid <= 0 || start == "" || h.Name != now.Name || h.Boot == "" || now.Boot == "" {
		return Unknown
	}
	if h.Boot != now.Boot {
		return Dead
	}
	if h.NS != now.NS {
		return Unknown
	}
	p, ok := t.look(pid)
	switch {
	case ok && p.Start == start:
		return Alive
	case !ok && t.Look == nil && isHidden(pid):
		return Unknown
	}
	return Dead
}

// Members lists the processes that are left of a group whose first process was recorded earlier;
// none if that was on another machine or before its last start, or where groups cannot be seen.
func (t Table) Members(h Host, group int, start string) []int {
	now := t.Host()
	if group <= 1 || start == "" || h.Boot == "" || h != now || !groupIsThere(group) {
		return nil
	}
	return members(group, start)
}

// maxAncestors bounds the walk upwards: a process table read while it changes may show a ring.
const maxAncestors = 128

// Ancestors lists pid's parents, nearest first, up to but without the first process.
func (t Table) Ancestors(pid int) []Process {
	var up []Process
	p, ok := t.look(pid)
	for ok && len(up) < maxAncestors && p.PPID > 1 {
		if p, ok = t.look(p.PPID); ok {
			up = append(up, p)
		}
	}
	return up
}

// Descends reports whether pid is the process ancestor or below it.
func (t Table) Descends(pid int, ancestor int, start string) bool {
	if p, ok := t.look(pid); ok && p.PID == ancestor && p.Start == start {
		return true
	}
	return slices.ContainsFunc(t.Ancestors(pid), func(p Process) bool {
		return p.PID == ancestor && p.Start == start
	})
}

// Driver finds who really works below pid: the nearest ancestor that is neither a carrier of one command
// (git, a shell with -c) nor a subshell, which still has its parent's command line.
// ok is false when the way up ends before one is found.
func (t Table) Driver(pid int) (p Process, ok bool) {
	up := t.Ancestors(pid)
	for i, a := range up {
		if len(a.Args) == 0 || isCarrier(a.Args) {
			continue
		}
		if i+1 < len(up) && slices.Equal(a.Args, up[i+1].Args) {
			continue
		}
		return a, true
	}
	return Process{}, false
}

// At lists the processes, other than ourselves and those we descend from, that stand in one of the directories
// or below; known is false where that cannot be seen.
func (t Table) At(dirs []string) (found []Process, known bool) {
	pids, ok := standing(dirs)
	return t.others(pids), ok
}

// In lists every process that stands in one of the directories or below, also those that we started.
func (t Table) In(dirs []string) (found []Process, known bool) {
	pids, ok := standing(dirs)
	for _, pid := range pids {
		if p, there := t.look(pid); there {
			found = append(found, p)
		}
	}
	return found, ok
}

// AtWork lists the processes, other than ourselves and those we descend from, that may change something in one of the directories:
// those that stand there, but for shells that wait for a command, and those that have a file open there to write to it.
func (t Table) AtWork(dirs []string) (found []Process, known bool) {
	pids, ok := standing(dirs)
	pids = slices.DeleteFunc(pids, func(pid int) bool {
		p, there := t.look(pid)
		return there && IsTerminalShell(p.Args) && isWaiting(pid)
	})
	pids = append(pids, writing(dirs)...)
	slices.Sort(pids)
	return t.others(slices.Compact(pids)), ok
}

// others looks at processes, other than ourselves, those we descend from, and those that we started.
func (t Table) others(pids []int) (found []Process) {
	self := os.Getpid()
	own := map[int]bool{self: true}
	for _, p := range t.Ancestors(self) {
		own[p.PID] = true
	}
	for _, pid := range pids {
		if p, ok := t.look(pid); ok && !own[pid] && !t.below(p, self) {
			found = append(found, p)
		}
	}
	return found
}

func (t Table) below(p Process, ancestor int) bool {
	return slices.ContainsFunc(t.Ancestors(p.PID), func(a Process) bool { return a.PID == ancestor })
}

// isBelow reports whether path is dir or lies in it.
func isBelow(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimRight(dir, "/")+"/")
}
