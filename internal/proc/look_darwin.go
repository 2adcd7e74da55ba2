package proc

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// look asks the kernel about one process.
func look(pid int) (Process, bool) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Proc.P_pid) != pid || k.Proc.P_stat == 5 /* zombie */ {
		return Process{}, false
	}
	start := k.Proc.P_starttime
	return Process{
		PID: pid, PPID: int(k.Eproc.Ppid),
		Start: fmt.Sprintf("%d.%06d", start.Sec, start.Usec),
		Args:  arguments(pid),
	}, true
}

// arguments reads the command line of a process. It is empty for other users' processes.
func arguments(pid int) []string {
	raw, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(raw) < 4 {
		return nil
	}
	argc := int(raw[0]) | int(raw[1])<<8 | int(raw[2])<<16
	rest := raw[4:]
	if end := bytes.IndexByte(rest, 0); end >= 0 {
		rest = bytes.TrimLeft(rest[end:], "\x00")
	}
	parts := strings.Split(string(rest), "\x00")
	return parts[:min(argc, len(parts))]
}

// isHidden is always false, because sysctl also shows the processes of other users.
func isHidden(int) bool { return false }

func here() Host {
	h := Host{NS: "host"}
	h.Name, _ = os.Hostname()
	if tv, err := unix.SysctlTimeval("kern.boottime"); err == nil {
		h.Boot = fmt.Sprintf("%d", tv.Sec)
	}
	return h
}

// The functions all() and surroundings() always fail on this system. They are implemented only for Linux.
func all() ([]int, bool)                        { return nil, false }
func surroundings(int) (string, []string, bool) { return "", nil, false }

// age always fails on this system. It is implemented only for Linux.
func age(int) (time.Duration, bool) { return 0, false }

// users always fails on this system. It is implemented only for Linux.
func users(int) ([]int, bool) { return nil, false }

// processesIn always fails on this system. It is implemented only for Linux.
func processesIn([]string) ([]int, bool) { return nil, false }

// isWaiting and writing find nothing on this system. They are implemented only for Linux.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// members returns only the group's id, because listing a group is implemented only for Linux. It returns nil if another process has this id
// now. The caller has already checked that the group exists.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	return []int{group}
}

// Holders always returns nil on this system. It is implemented only for Linux.
func Holders(string) []int { return nil }
