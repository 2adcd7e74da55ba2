package proc

import (
	"os"
	"slices"
	"strings"
)

// Process is what can be seen of a process from outside.
// PID and Start together identify it, because the system uses a pid again.
type Process struct {
	PID   int
	PPID  int
	Start string
	Args  []string
}

// Host identifies the place where a process id is valid.
// Boot changes with every start of the machine, NS with every container.
type Host struct {
	Name string
	Boot string
	NS   string
}

// Fate says what is known about a process that was recorded earlier.
type Fate int

const (
	// Unknown: the process cannot be seen from here.
	Unknown Fate = iota
	// Alive: the very same process is still there.
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

// Table examines the processes of this machine.
// Its zero value is ready to use; tests set the fields to replace the machine.
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

// Host returns where we are; fields that cannot be found out are empty.
func (t Table) Host() Host {
	if t.Here != nil {
		return t.Here()
	}
	return here()
}

// Get finds a process by its id; ok is false if there is none or it cannot be seen.
func (t Table) Get(pid int) (p Process, ok bool) { return t.look(pid) }

// All lists every visible process; known is false where processes cannot be listed.
func (t Table) All() (pids []int, known bool) { return all() }

// Args returns only the command line of a process, so that a look at all processes reads half as much as with Get.
// It is empty if the process is gone or cannot be seen.
func (t Table) Args(pid int) []string {
	if t.Look != nil {
		p, _ := t.Look(pid)
		return p.Args
	}
	return arguments(pid)
}

// Surroundings returns the current directory of a process and the environment that it was started with;
// ok is false if they cannot be seen, or the process is gone.
func (t Table) Surroundings(pid int) (dir string, env []string, ok bool) { return surroundings(pid) }

// Users returns the ids of the users as whom a process acts; ok is false if they cannot be seen.
func (t Table) Users(pid int) (ids []int, ok bool) { return users(pid) }

// FateOf finds out whether a recorded process is still alive.
// A restart of the machine ends all its processes, in every namespace.
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

// Members lists the remaining processes of a group whose first process was recorded earlier.
// It returns none if that was on another machine or before its last start, or where groups cannot be seen.
func (t Table) Members(h Host, group int, start string) []int {
	now := t.Host()
	if group <= 1 || start == "" || h.Boot == "" || h != now || !groupIsThere(group) {
		return nil
	}
	return members(group, start)
}

// maxAncestors limits the walk upwards: a process table that changes while we read it may show a cycle.
const maxAncestors = 128

// Ancestors lists the ancestors of pid, nearest first, without the first process of the system.
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

// Descends reports whether pid is the given ancestor process or descends from it.
func (t Table) Descends(pid int, ancestor int, start string) bool {
	if p, ok := t.look(pid); ok && p.PID == ancestor && p.Start == start {
		return true
	}
	return slices.ContainsFunc(t.Ancestors(pid), func(p Process) bool {
		return p.PID == ancestor && p.Start == start
	})
}

// Driver finds the process that really does the work above pid: the nearest ancestor that is neither a carrier of one command
// (git, or a shell with -c) nor a subshell, which still has its parent's command line.
// ok is false if there is no such ancestor.
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

// WithDirectoryIn lists the processes whose current directory is one of the directories or below one, except our own process, its ancestors
// and its descendants; known is false where that cannot be seen.
func (t Table) WithDirectoryIn(dirs []string) (found []Process, known bool) {
	pids, ok := processesIn(dirs)
	return t.others(pids), ok
}

// In lists every process whose current directory is one of the directories or below one, including processes that we started.
func (t Table) In(dirs []string) (found []Process, known bool) {
	pids, ok := processesIn(dirs)
	for _, pid := range pids {
		if p, there := t.look(pid); there {
			found = append(found, p)
		}
	}
	return found, ok
}

// AtWork lists the processes that may change something in one of the directories, except our own process, its ancestors and descendants:
// processes whose current directory is there, except shells that wait for a command, and processes with a file open there for writing.
func (t Table) AtWork(dirs []string) (found []Process, known bool) {
	pids, ok := processesIn(dirs)
	pids = slices.DeleteFunc(pids, func(pid int) bool {
		p, there := t.look(pid)
		return there && IsTerminalShell(p.Args) && isWaiting(pid)
	})
	pids = append(pids, writing(dirs)...)
	slices.Sort(pids)
	return t.others(slices.Compact(pids)), ok
}

// others leaves out our own process, its ancestors, and the processes that we started.
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

// isBelow reports whether path is dir or inside of it.
func isBelow(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimRight(dir, "/")+"/")
}
