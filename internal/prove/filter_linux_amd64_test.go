package prove

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// runFiltered installs a filter and replaces this process with the traced command. With the filter, the kernel stops the command's
// processes only at calls that write. Stopping them at every call would take several times as long.
// If the kernel has no filters, the command runs without one, and the tracer notices this.
func runFiltered(args []string) {
	runtime.LockOSThread() // the filter belongs to a single thread
	rules := filter()
	program := unix.SockFprog{Len: uint16(len(rules)), Filter: &rules[0]}
	if unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == nil { // without this setting, only root may install a filter
		_ = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
	}
	fmt.Fprintln(os.Stderr, syscall.Exec(args[0], args, os.Environ()))
	os.Exit(127)
}

// filter returns a seccomp program that stops a process at the calls in the map "writers".
func filter() []unix.SockFilter {
	const (
		number, system, arguments = 0, 4, 16 // offsets in the kernel's struct seccomp_data
		load                      = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal                     = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		hasAny                    = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
		answer                    = unix.BPF_RET | unix.BPF_K
	)
	stop := unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_TRACE}
	pass := unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW}
	rules := []unix.SockFilter{{Code: load, K: system}, {Code: equal, K: unix.AUDIT_ARCH_X86_64, Jt: 1}, pass, {Code: load, K: number}}
	for call, w := range writers {
		if w.flags < 0 {
			rules = append(rules, unix.SockFilter{Code: equal, K: uint32(call), Jf: 1}, stop)
			continue
		}
		rules = append(rules, unix.SockFilter{Code: equal, K: uint32(call), Jf: 4},
			unix.SockFilter{Code: load, K: uint32(arguments + 8*w.flags)}, unix.SockFilter{Code: hasAny, K: mayWrite, Jf: 1}, stop, pass)
	}
	return append(rules, pass)
}
