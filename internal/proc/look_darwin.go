package proc

import (
	"bytes"
	"fmt"
	"os"
	"strings"

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

// isHidden is always false, because this system shows either all processes or none.
func isHidden(int) bool { return false }

func here() Host {
	h := Host{NS: "host"}
	h.Name, _ = os.Hostname()
	if tv, err := unix.SysctlTimeval("kern.boottime"); err == nil {
		h.Boot = fmt.Sprintf("%d", tv.Sec)
	}
	return h
}

// This system does not list its processes or show their directories and environments.
func all() ([]int, bool)                        { return nil, false }
func surroundings(int) (string, []string, bool) { return "", nil, false }

// users always fails, because this system does not show the users of a process.
func users(int) ([]int, bool) { return nil, false }

// processesIn always fails, because this system does not show current directories.
func processesIn([]string) ([]int, bool) { return nil, false }

// This system does not show whether a process is waiting or which files it is writing.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// members returns only the group's id, because this system cannot list a group. The caller has already checked that the group exists.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	return []int{group}
}

// Holders always returns nil, because this system does not show which processes have a file open.
func Holders(string) []int { return nil }
