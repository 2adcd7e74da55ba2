package proc

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// look asks Windows about one process.
func look(pid int) (Process, bool) {
	h, err := open(pid)
	if err != nil {
		return Process{}, false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	began, ok := beganAt(h)
	if !ok {
		return Process{}, false
	}
	p := Process{PID: pid, Start: strconv.FormatInt(began, 10), Args: commandLine(h)}
	var basic windows.PROCESS_BASIC_INFORMATION
	if err := windows.NtQueryInformationProcess(h, windows.ProcessBasicInformation, unsafe.Pointer(&basic), uint32(unsafe.Sizeof(basic)), nil); err == nil {
		p.PPID = int(basic.InheritedFromUniqueProcessId)
	}
	// Windows keeps the id of the parent after the parent has ended. A process that began later only has the same id.
	if parent, ok := beginning(p.PPID); ok && parent > began {
		p.PPID = 0
	}
	return p, true
}

// open opens a process for questions about it. It also fails for a process that Windows does not show us, for example a service.
func open(pid int) (windows.Handle, error) {
	return windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
}

// beganAt returns when a process began, in nanoseconds. ok is false if it has ended: Windows keeps its record as long as somebody has it open.
func beganAt(h windows.Handle) (began int64, ok bool) {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(h, &created, &exited, &kernel, &user); err != nil {
		return 0, false
	}
	state, err := windows.WaitForSingleObject(h, 0)
	return created.Nanoseconds(), err == nil && state == uint32(windows.WAIT_TIMEOUT)
}

// beginning returns when the process with an id began. ok is false if there is none, or if Windows does not show it to us.
func beginning(pid int) (began int64, ok bool) {
	h, err := open(pid)
	if err != nil {
		return 0, false
	}
	defer func() { _ = windows.CloseHandle(h) }()
	return beganAt(h)
}

// arguments returns the command line of a process. It is empty if Windows does not show it to us.
func arguments(pid int) []string {
	h, err := open(pid)
	if err != nil {
		return nil
	}
	defer func() { _ = windows.CloseHandle(h) }()
	return commandLine(h)
}

// commandLine returns the command line of a process, or only its program if Windows does not tell the rest.
func commandLine(h windows.Handle) []string {
	const longest = 1 << 16 // a command line has at most 32,767 characters of two bytes
	buf := make([]byte, longest+int(unsafe.Sizeof(windows.NTUnicodeString{})))
	if err := windows.NtQueryInformationProcess(h, windows.ProcessCommandLineInformation, unsafe.Pointer(&buf[0]), uint32(len(buf)), nil); err == nil {
		if args, err := windows.DecomposeCommandLine((*windows.NTUnicodeString)(unsafe.Pointer(&buf[0])).String()); err == nil && len(args) > 0 {
			return args
		}
	}
	name := make([]uint16, windows.MAX_LONG_PATH)
	size := uint32(len(name))
	if err := windows.QueryFullProcessImageName(h, 0, &name[0], &size); err != nil {
		return nil
	}
	return []string{filepath.Base(windows.UTF16ToString(name[:size]))}
}

// isHidden reports whether a process exists although Windows does not show it to us.
func isHidden(pid int) bool {
	h, err := open(pid)
	if err == nil {
		_ = windows.CloseHandle(h)
	}
	return err != nil && !errors.Is(err, windows.ERROR_INVALID_PARAMETER) // this error means that no process has the id
}

// here needs no id of the last restart: the time at which a process began is absolute on Windows, so that after a restart no process has both
// the id and the beginning of a recorded one. The ids that Windows has for a restart change with the clock, or are missing on servers.
func here() Host {
	h := Host{Boot: anyBoot, NS: "host"}
	h.Name, _ = os.Hostname()
	return h
}

// all lists the processes.
func all() ([]int, bool) {
	parents, ok := parentsOfAll()
	var pids []int
	for pid := range parents {
		pids = append(pids, pid)
	}
	return pids, ok
}

// parentsOfAll maps the id of each process to the id of its parent, which may have ended.
func parentsOfAll() (map[int]int, bool) {
	snap, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, false
	}
	defer func() { _ = windows.CloseHandle(snap) }()
	out := map[int]int{}
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(snap, &entry); err == nil; err = windows.Process32Next(snap, &entry) {
		out[int(entry.ProcessID)] = int(entry.ParentProcessID)
	}
	return out, len(out) > 0
}

// members lists a process and its descendants, because Windows has no process groups. The process itself may have ended. Then another one may
// have its id now, and the children of that one are left out. A descendant whose parent has ended is found only if this parent is the first
// process.
func members(group int, start string) []int {
	since, err := strconv.ParseInt(start, 10, 64)
	if err != nil {
		return nil
	}
	var out []int
	until := int64(math.MaxInt64) // from this time on, children of the id are those of another process
	if began, ok := beginning(group); ok && began != since {
		until = began
	} else if ok {
		out = append(out, group)
	}
	parents, _ := parentsOfAll()
	type known struct {
		pid   int
		began int64
	}
	for next := []known{{group, since}}; len(next) > 0; next = next[1:] {
		for pid, parent := range parents {
			began, ok := beginning(pid)
			if parent != next[0].pid || !ok || began < next[0].began || parent == group && began >= until {
				continue
			}
			out, next = append(out, pid), append(next, known{pid, began})
		}
	}
	return out
}

// The functions surroundings(), processesIn() and users() always fail on this system. They are implemented only for Linux.
func surroundings(int) (string, []string, bool) { return "", nil, false }
func processesIn([]string) ([]int, bool)        { return nil, false }
func users(int) ([]int, bool)                   { return nil, false }
func age(int) (time.Duration, bool)             { return 0, false }

// isWaiting and writing find nothing on this system. They are implemented only for Linux.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// Holders always returns nil on this system. It is implemented only for Linux.
func Holders(string) []int { return nil }
