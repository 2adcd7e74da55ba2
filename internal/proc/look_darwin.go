package proc

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// look asks the kernel for one process.
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

// arguments reads the argument vector; it is empty for other users' processes.
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

// isHidden is always false: either every process can be seen here, or none.
func isHidden(int) bool { return false }

func here() Host {
	h := Host{NS: "host"}
	h.Name, _ = os.Hostname()
	if tv, err := unix.SysctlTimeval("kern.boottime"); err == nil {
		h.Boot = fmt.Sprintf("%d", tv.Sec)
	}
	return h
}

// The system does not show us all or surroundings here.
func all() ([]int, bool)                        { return nil, false }
func surroundings(int) (string, []string, bool) { return "", nil, false }

// users cannot be found out here.
func users(int) ([]int, bool) { return nil, false }

// processesIn cannot be found out here.
func processesIn([]string) ([]int, bool) { return nil, false }

// isWaiting and writing cannot be found out here.
func isWaiting(int) bool     { return false }
func writing([]string) []int { return nil }

// members returns the group's id as its only process: the caller has already checked that the group exists.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	return []int{group}
}

// Holders cannot be found out here.
func Holders(string) []int { return nil }
