//go:build linux && amd64

package trash

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// The map "changes" has the system calls that change the disk. If the value is true, the call counts only if its file descriptor is a file
// on disk.
var changes = map[uint64]bool{
	unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_WRITEV: true, unix.SYS_FTRUNCATE: true,
	unix.SYS_FSYNC: true, unix.SYS_FDATASYNC: true, unix.SYS_FCHMOD: true,
	unix.SYS_OPENAT: false, unix.SYS_RENAME: false, unix.SYS_RENAMEAT: false, unix.SYS_RENAMEAT2: false,
	unix.SYS_LINK: false, unix.SYS_LINKAT: false, unix.SYS_UNLINK: false, unix.SYS_UNLINKAT: false,
	unix.SYS_MKDIR: false, unix.SYS_MKDIRAT: false, unix.SYS_RMDIR: false, unix.SYS_SYMLINK: false, unix.SYS_SYMLINKAT: false,
	unix.SYS_CHMOD: false, unix.SYS_FCHMODAT: false, unix.SYS_UTIMENSAT: false,
}

// tracer runs a program and all its child processes, and counts the system calls that change the disk. Just before the call with the number
// killAt, it kills all these processes at once.
type tracer struct {
	killAt int
	count  int
	inside map[int]bool // true for a process that is inside a system call
	main   int
	killed bool
}

// run runs a program until it ends or is killed. It returns the number of calls that change the disk, and whether the program was killed.
func (tr *tracer) run(t *testing.T, args, env []string) (count int, killed bool) {
	t.Helper()
	runtime.LockOSThread() // all ptrace requests must come from the same thread
	defer runtime.UnlockOSThread()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	out, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	p, err := os.StartProcess(args[0], args, &os.ProcAttr{Env: env, Files: []*os.File{null, out, out}, Sys: &syscall.SysProcAttr{Ptrace: true}})
	if err != nil {
		t.Skipf("cannot trace here: %v", err)
	}
	tr.main, tr.inside = p.Pid, map[int]bool{}
	code, err := tr.follow()
	if err != nil {
		t.Fatal(err)
	}
	_ = p.Release()
	if !tr.killed && code != 0 {
		text, _ := os.ReadFile(out.Name())
		t.Fatalf("helper ended with %d: %s", code, text)
	}
	return tr.count, tr.killed
}

func (tr *tracer) follow() (code int, err error) {
	const opts = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
		unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_EXITKILL
	live := map[int]bool{tr.main: true}
	started := false
	for len(live) > 0 {
		var ws unix.WaitStatus
		pid, err := unix.Wait4(-1, &ws, unix.WALL|unix.WNOTHREAD, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if errors.Is(err, unix.ECHILD) {
			return code, nil
		}
		if err != nil {
			return code, fmt.Errorf("wait: %w", err)
		}
		if ws.Exited() || ws.Signaled() {
			delete(live, pid)
			delete(tr.inside, pid)
			if pid == tr.main {
				code = ws.ExitStatus()
			}
			continue
		}
		live[pid] = true
		if !started {
			started = true
			if err := unix.PtraceSetOptions(pid, opts); err != nil {
				return code, fmt.Errorf("trace: %w", err)
			}
		}
		tr.step(pid, ws)
		if tr.killed {
			for other := range live {
				_ = unix.Kill(other, unix.SIGKILL)
			}
		}
	}
	return code, nil
}

// step examines one stop of a traced process, and lets the process continue.
func (tr *tracer) step(pid int, ws unix.WaitStatus) {
	sig := ws.StopSignal()
	switch {
	case sig == unix.SIGTRAP|0x80:
		sig = 0
		tr.inside[pid] = !tr.inside[pid]
		if tr.inside[pid] && tr.counts(pid) {
			tr.count++
			tr.killed = tr.killed || tr.count == tr.killAt
		}
	case sig == unix.SIGTRAP, sig == unix.SIGSTOP: // a ptrace event, or the first stop of a new process
		sig = 0
	}
	if !tr.killed {
		_ = unix.PtraceSyscall(pid, int(sig))
	}
}

// The method counts() reports whether the next system call of a process will change the disk.
func (tr *tracer) counts(pid int) bool {
	var regs unix.PtraceRegs
	if unix.PtraceGetRegs(pid, &regs) != nil {
		return false
	}
	byFile, known := changes[regs.Orig_rax]
	switch {
	case !known:
		return false
	case regs.Orig_rax == unix.SYS_OPENAT:
		return regs.Rdx&(unix.O_CREAT|unix.O_TRUNC) != 0
	case byFile:
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int(regs.Rdi)))
		return err == nil && strings.HasPrefix(to, "/") && !strings.HasPrefix(to, "/dev/")
	}
	return true
}

// points chooses where to kill: at every call if requested, otherwise at some calls, spread evenly.
func points(total, some int) []int {
	var all []int
	for i := 1; i <= total; i++ {
		all = append(all, i)
	}
	if os.Getenv("GIT_RESUME_PROVE") != "" || total <= some {
		return all
	}
	var out []int
	for i := range some {
		out = append(out, all[(2*i+1)*total/(2*some)])
	}
	return slices.Compact(out)
}
