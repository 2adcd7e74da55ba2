package proc

import (
	"iter"
	"os"
	"slices"
	"strings"
	"time"
)

// Process describes a process as other processes can see it.
// PID and Start together identify the process, because the system reuses pids.
type Process struct {
	PID   int
	PPID  int
	Start string
	Args  []string
}

// Host identifies the machine and the container in which a process id is valid. Boot changes each time the machine starts, and NS usually
// differs between containers.
type Host struct {
	Name string
	Boot string
	NS   string
}

// Fate says what happened to a process that was recorded earlier.
type Fate int

const (
	// Unknown means that the process cannot be seen from here.
	Unknown Fate = iota
	// Alive means that the same process is still running.
	Alive
	// Dead means that the process has certainly ended.
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

// Table examines the processes of this machine. Its zero value is ready to use.
type Table struct {
	// Look and Here replace the real processes and the real host in tests.
	Look func(pid int) (Process, bool)
	Here func() Host
	// Alone reports whether only this machine can have recorded the processes that are asked about, so that a restart since has ended them.
	// If it is nil, this is not known: a clone of this machine's image has the same name and the same ids, but another restart.
	Alone func() bool
}

func (t Table) look(pid int) (Process, bool) {
	if t.Look != nil {
		return t.Look(pid)
	}
	return look(pid)
}

// Host returns the current host. Fields that the system does not show are empty.
func (t Table) Host() Host {
	if t.Here != nil {
		return t.Here()
	}
	return here()
}

// Get finds a process by its id. ok is false if the process does not exist or cannot be seen.
func (t Table) Get(pid int) (p Process, ok bool) { return t.look(pid) }

// Session returns the process that leads our session. At a terminal that is usually the terminal's shell. ok is false if
// the process is gone or cannot be seen.
func (t Table) Session() (p Process, ok bool) {
	leader := sessionLeader()
	if leader <= 0 {
		return Process{}, false
	}
	return t.look(leader)
}

// All lists the visible processes. The result "known" is false if that is not possible on this system.
func (t Table) All() (pids []int, known bool) { return all() }

// Args returns only the command line of a process, so that on Linux it reads fewer files than Get. The result is empty if the process is
// gone or cannot be seen.
func (t Table) Args(pid int) []string {
	if t.Look != nil {
		p, _ := t.Look(pid)
		return p.Args
	}
	return arguments(pid)
}

// Surroundings returns the current directory of a process and its initial environment. ok is false if they cannot be read, for example
// because the process is gone.
func (t Table) Surroundings(pid int) (dir string, env []string, ok bool) { return surroundings(pid) }

// Age says how long a process has been running. ok is false if the system does not show that.
func (t Table) Age(pid int) (d time.Duration, ok bool) { return age(pid) }

// Users returns the ids of the users that a process runs as. ok is false if they cannot be read.
func (t Table) Users(pid int) (ids []int, ok bool) { return users(pid) }

// FateOf finds out whether a recorded process is still alive. It returns Unknown if that cannot be seen from here. If the machine was
// restarted after the process was recorded, the process is dead, even if it ran in another container. But this is certain only if no other
// machine has recorded it, see Alone.
func (t Table) FateOf(h Host, pid int, start string) Fate {
	now := t.Host()
	if pid <= 0 || start == "" || h.Name != now.Name || h.Boot == "" || now.Boot == "" {
		return Unknown
	}
	if h.Boot != now.Boot {
		return t.ended()
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
	case now.Boot == anyBoot:
		return t.ended()
	}
	return Dead
}

// ended returns Dead for a process that is not on this machine now, if no other machine can have recorded it, and otherwise Unknown.
func (t Table) ended() Fate {
	if t.Alone != nil && t.Alone() {
		return Dead
	}
	return Unknown
}

// anyBoot stands for each start of a machine, where the system does not tell them apart. Then a process of another machine with the same name
// is not known from one that has ended.
const anyBoot = "any"

// Members lists the remaining processes of a group whose first process was recorded earlier. It returns nil if no process is left, or
// if the record is from another machine, another container or before the last restart. On macOS, the result is only the group's id. On
// Windows, which has no groups, it has the process and its descendants.
func (t Table) Members(h Host, group int, start string) []int {
	now := t.Host()
	if group <= 1 || start == "" || h.Boot == "" || h != now || !groupIsThere(group) {
		return nil
	}
	return members(group, start)
}

// maxAncestors limits the walk from a process to its ancestors. A process table that changes while we read it may contain a cycle.
const maxAncestors = 128

// Ancestors lists the ancestors of pid, nearest first, without process 1. It lists at most maxAncestors.
func (t Table) Ancestors(pid int) []Process { return slices.Collect(t.ancestors(pid)) }

// ancestors yields the ancestors of pid one by one, so that a caller who stops early does not look at the others.
func (t Table) ancestors(pid int) iter.Seq[Process] {
	return func(yield func(Process) bool) {
		p, ok := t.look(pid)
		for n := 0; ok && n < maxAncestors && p.PPID > 1; n++ {
			if p, ok = t.look(p.PPID); ok && !yield(p) {
				return
			}
		}
	}
}

// Descends reports whether pid is the given ancestor process or one of its descendants.
func (t Table) Descends(pid int, ancestor int, start string) bool {
	if p, ok := t.look(pid); ok && p.PID == ancestor && p.Start == start {
		return true
	}
	for p := range t.ancestors(pid) {
		if p.PID == ancestor && p.Start == start {
			return true
		}
	}
	return false
}

// Driver finds the ancestor of pid that really does the work. It skips processes that only run one command for another
// process, such as git, sudo, timeout or a shell with -c. It also skips subshells, which have the same command line as their parent. ok is
// false if no ancestor remains.
func (t Table) Driver(pid int) (p Process, ok bool) {
	var worker Process
	for a := range t.ancestors(pid) {
		if worker.PID != 0 && !slices.Equal(worker.Args, a.Args) {
			return worker, true
		}
		worker = Process{}
		if len(a.Args) > 0 && !isCarrier(a.Args) {
			worker = a
		}
	}
	return worker, worker.PID != 0
}

// WithDirectoryIn lists the processes whose current directory is in one of the directories. It leaves out our own process, its ancestors
// and its descendants. The result "known" is false if current directories cannot be read on this system.
func (t Table) WithDirectoryIn(dirs []string) (found []Process, known bool) {
	pids, ok := processesIn(dirs)
	return t.withoutOwn(pids), ok
}

// The method In returns the processes whose current directory is in one of the directories, including our own process and processes that
// we started.
func (t Table) In(dirs []string) (found []Process, known bool) {
	pids, ok := processesIn(dirs)
	for _, pid := range pids {
		if p, there := t.look(pid); there {
			found = append(found, p)
		}
	}
	return found, ok
}

// AtWork lists the processes that may change files in the directories.
// These are processes that have a file there open for writing, or that have their current directory there.
// It leaves out shells that are waiting for input, and our own process with its ancestors and descendants.
func (t Table) AtWork(dirs []string) (found []Process, known bool) {
	pids, ok := processesIn(dirs)
	pids = slices.DeleteFunc(pids, func(pid int) bool {
		p, there := t.look(pid)
		return there && IsTerminalShell(p.Args) && isWaiting(pid)
	})
	pids = append(pids, writing(dirs)...)
	slices.Sort(pids)
	return t.withoutOwn(slices.Compact(pids)), ok
}

// withoutOwn removes our own process, its ancestors and its descendants from a list.
func (t Table) withoutOwn(pids []int) (found []Process) {
	self := os.Getpid()
	own := map[int]bool{self: true}
	for _, p := range t.Ancestors(self) {
		own[p.PID] = true
	}
	for _, pid := range pids {
		if p, ok := t.look(pid); ok && !own[pid] && !t.isDescendant(p, self) {
			found = append(found, p)
		}
	}
	return found
}

func (t Table) isDescendant(p Process, ancestor int) bool {
	return slices.ContainsFunc(t.Ancestors(p.PID), func(a Process) bool { return a.PID == ancestor })
}

// isBelow reports whether path is dir or is inside dir.
func isBelow(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimRight(dir, "/")+"/")
}
