package prove

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// place says how to find the path of a call: in an argument, or through a file descriptor.
type place struct {
	name string
	path int
	fd   int
	// flags is the index of the argument with the flags of an open call. An open call counts only if these flags allow writing.
	flags int
}

func byPath(name string, arg int) place { return place{name: name, path: arg, fd: -1, flags: -1} }
func byFD(name string) place            { return place{name: name, path: -1, fd: 0, flags: -1} }

// writers are the system calls at which the tracer can kill: those that may change files, and a few others, such as fsync and execve.
var writers = map[uint64]place{
	unix.SYS_WRITE: byFD("write"), unix.SYS_PWRITE64: byFD("pwrite64"), unix.SYS_WRITEV: byFD("writev"),
	unix.SYS_FTRUNCATE: byFD("ftruncate"), unix.SYS_FSYNC: byFD("fsync"), unix.SYS_FDATASYNC: byFD("fdatasync"),
	unix.SYS_FCHMOD: byFD("fchmod"), unix.SYS_FLOCK: byFD("flock"), unix.SYS_SYNC_FILE_RANGE: byFD("sync_file_range"),
	unix.SYS_TRUNCATE: byPath("truncate", 0), unix.SYS_RENAME: byPath("rename", 1), unix.SYS_RENAMEAT: byPath("renameat", 3),
	unix.SYS_RENAMEAT2: byPath("renameat2", 3), unix.SYS_LINK: byPath("link", 1), unix.SYS_LINKAT: byPath("linkat", 3),
	unix.SYS_SYMLINK: byPath("symlink", 1), unix.SYS_SYMLINKAT: byPath("symlinkat", 2),
	unix.SYS_UNLINK: byPath("unlink", 0), unix.SYS_UNLINKAT: byPath("unlinkat", 1), unix.SYS_RMDIR: byPath("rmdir", 0),
	unix.SYS_MKDIR: byPath("mkdir", 0), unix.SYS_MKDIRAT: byPath("mkdirat", 1), unix.SYS_CHMOD: byPath("chmod", 0),
	unix.SYS_FCHMODAT: byPath("fchmodat", 1), unix.SYS_UTIMENSAT: byPath("utimensat", 1), unix.SYS_EXECVE: byPath("execve", 0),
	unix.SYS_PWRITEV: byFD("pwritev"), unix.SYS_PWRITEV2: byFD("pwritev2"), unix.SYS_FALLOCATE: byFD("fallocate"), unix.SYS_SENDFILE: byFD("sendfile"),
	// These calls copy a file inside the kernel.
	unix.SYS_COPY_FILE_RANGE: {name: "copy_file_range", path: -1, fd: 2, flags: -1}, unix.SYS_SPLICE: {name: "splice", path: -1, fd: 2, flags: -1},
	unix.SYS_CREAT: byPath("creat", 0), unix.SYS_FCHMODAT2: byPath("fchmodat2", 1),
	unix.SYS_OPEN:   {name: "open", path: 0, fd: -1, flags: 1},
	unix.SYS_OPENAT: {name: "openat", path: 1, fd: -1, flags: 2},
}

// mayWrite has the flags with which an open call can change files.
const mayWrite = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// syscallInfo is what the kernel reports when a process stops at a call (struct ptrace_syscall_info).
type syscallInfo struct {
	Op   uint8
	_    [3]uint8
	Arch uint32
	IP   uint64
	SP   uint64
	NR   uint64
	Args [6]uint64
	_    [16]byte
}

const (
	getSyscallInfo = 0x420e
	atEntry        = 1
	atExit         = 2
	atFilter       = 3
)

// runTracer is the tracer. It reads its job from stdin and writes the outcome to stdout. It is a separate process, because it waits for any
// child process: inside the test binary it would also catch the children of other tests.
func runTracer() {
	var j traceJob
	if err := json.NewDecoder(os.Stdin).Decode(&j); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	t := &tracer{job: j, live: map[int]bool{}, refused: map[int]bool{}}
	go func() {
		time.Sleep(j.Limit)
		t.out.Hung = true
		t.finish()
	}()
	runtime.LockOSThread() // only one thread can control a traced process
	if err := t.run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	t.finish()
}

type tracer struct {
	job  traceJob
	out  outcome
	root int
	live map[int]bool
	// over is true after the kill or the pause. The tracer then ignores all further calls.
	over bool
	// failing is true after the first failure of a disk that keeps failing. All further calls that such a disk affects then fail.
	failing bool
	// refused has the threads whose current system call the kernel skips. When the call ends, the tracer makes it return the error number of
	// the fault that is to be tested (job.Fault).
	refused map[int]bool
	// filtered is true if the kernel stops a process only at calls that write. Otherwise the process stops before and after every call.
	filtered bool
	// begun is true as soon as the command itself runs. Before that, a helper runs that installs the seccomp filter and then starts the
	// command.
	begun bool
}

func (t *tracer) finish() {
	_ = json.NewEncoder(os.Stdout).Encode(t.out)
	os.Exit(0)
}

func (t *tracer) run() error {
	if err := t.start(); err != nil {
		return err
	}
	for {
		var ws syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &ws, syscall.WALL, nil)
		switch {
		case err == syscall.EINTR:
		case err == syscall.ECHILD:
			return nil
		case err != nil:
			return err
		case ws.Exited() || ws.Signaled():
			delete(t.live, tid)
			if tid == t.root {
				t.out.Exit = ws.ExitStatus() // ExitStatus is -1 if a signal killed the command
			}
		case ws.Stopped():
			t.stopped(tid, ws)
		}
	}
}

func (t *tracer) start() error {
	out, err := os.Create(t.job.Output)
	if err != nil {
		return err
	}
	defer out.Close()
	null, err := os.Open(os.DevNull)
	if err != nil {
		return err
	}
	defer null.Close()
	program, args := t.job.Args[0], t.job.Args
	// A command that will be paused continues to run after the tracer has ended. A filter would make its calls fail then. So such a command
	// starts at once, without the helper that installs the filter.
	t.begun = t.job.Pause
	if !t.begun {
		program, args = "/proc/self/exe", append([]string{os.Args[0], filterWord}, t.job.Args...)
	}
	p, err := os.StartProcess(program, args, &os.ProcAttr{
		Dir: t.job.Dir, Env: t.job.Env, Files: []*os.File{null, out, out}, Sys: &syscall.SysProcAttr{Ptrace: true},
	})
	if err != nil {
		return err
	}
	t.root = p.Pid
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(t.root, &ws, syscall.WALL, nil); err != nil {
		return err
	}
	t.live[t.root] = true
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACEFORK | unix.PTRACE_O_TRACEVFORK |
		unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXEC | unix.PTRACE_O_TRACESECCOMP | unix.PTRACE_O_EXITKILL
	if err := syscall.PtraceSetOptions(t.root, options); err != nil {
		return err
	}
	return t.goOn(t.root, 0)
}

// goOn lets a thread run until the tracer has to look at it again.
func (t *tracer) goOn(tid, sig int) error {
	if t.over || t.filtered || !t.begun {
		return syscall.PtraceCont(tid, sig)
	}
	return syscall.PtraceSyscall(tid, sig)
}

// stopped handles one stop of a thread. Then it lets the thread continue, unless the thread was killed.
func (t *tracer) stopped(tid int, ws syscall.WaitStatus) {
	first := !t.live[tid]
	t.live[tid] = true
	sig := ws.StopSignal()
	pass := 0
	switch {
	case t.over && t.job.All:
		_ = syscall.Kill(tid, syscall.SIGKILL)
		return
	case !t.begun && ws.TrapCause() == unix.PTRACE_EVENT_SECCOMP: // a seccomp event before the command starts shows that the filter works
		t.filtered = true
	case !t.begun && ws.TrapCause() == unix.PTRACE_EVENT_EXEC:
		t.begun, t.live = true, map[int]bool{tid: true}
	case sig == syscall.SIGTRAP|0x80, ws.TrapCause() == unix.PTRACE_EVENT_SECCOMP:
		if !t.over && t.call(tid) {
			return
		}
	case sig == syscall.SIGTRAP: // this signal comes from tracing and must not reach the process
	case sig == syscall.SIGSTOP && first: // each new traced thread first stops with SIGSTOP
	default:
		pass = int(sig)
	}
	if t.over && t.job.Pause { // detach while the process is stopped, because otherwise it would continue
		_, _, _ = syscall.Syscall6(syscall.SYS_PTRACE, unix.PTRACE_DETACH, uintptr(tid), 0, uintptr(pass), 0, 0)
		return
	}
	_ = t.goOn(tid, pass) // an error only means that the thread has ended
}

// call examines a system call of a thread. If this is the call that the job names, the tracer kills or stops processes, or makes the call
// fail. The result is true if the thread was killed.
func (t *tracer) call(tid int) bool {
	var info syscallInfo
	_, _, errno := syscall.Syscall6(syscall.SYS_PTRACE, getSyscallInfo, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno == 0 && info.Op == atExit && t.refused[tid] {
		delete(t.refused, tid)
		answer(tid, -int64(errnos[t.job.Fault]))
	}
	if errno != 0 || info.Op != atEntry && info.Op != atFilter {
		return false
	}
	w, ok := writers[info.NR]
	if !ok || (w.flags >= 0 && info.Args[w.flags]&mayWrite == 0) {
		return false
	}
	c := call{Name: w.name, Process: processName(tid), Path: callPath(tid, w, info)}
	if strings.HasPrefix(c.Path, "anon_inode:") {
		return false // an eventfd, which the Go runtime writes to in order to wake a thread
	}
	if t.job.Fault != sound && !t.canFail(c, info) || t.job.Pause && !strings.HasPrefix(c.Process, "git") {
		return false
	}
	t.out.Calls++
	if t.job.Record {
		t.out.Trace = append(t.out.Trace, c)
	}
	if t.failing {
		t.refuse(tid)
		return false
	}
	if !t.job.wants(t.out.Calls, c) {
		return false
	}
	t.out.Fired, t.out.At = true, c
	if t.job.Fault != sound {
		t.refuse(tid)
		// If the field Lasting is false, only this call fails and all later calls work.
		t.failing, t.job.N, t.job.Match = t.job.Lasting, 0, call{}
		return false
	}
	t.over = true
	if t.job.Pause {
		_ = syscall.Kill(t.root, syscall.SIGSTOP)
		t.out.PID = t.root
		_ = json.NewEncoder(os.Stdout).Encode(t.out)
		return false
	}
	if !t.job.All {
		_ = syscall.Kill(threadGroup(tid), syscall.SIGKILL)
		return true
	}
	for id := range t.live {
		_ = syscall.Kill(id, syscall.SIGKILL)
	}
	return true
}

// errnos maps each fault to the error that the kernel returns.
var errnos = map[fault]syscall.Errno{
	noSpace: syscall.ENOSPC, failing: syscall.EIO, readOnly: syscall.EROFS, noAccess: syscall.EACCES,
}

// canFail reports whether the fault is possible for this call. For example, a full disk does not prevent the removal of a file.
func (t *tracer) canFail(c call, info syscallInfo) bool {
	w := writers[info.NR]
	device := strings.HasPrefix(c.Path, "/dev/") && !strings.HasPrefix(c.Path, "/dev/shm/") // /dev/shm contains ordinary files, although it is below /dev
	if device || c.Path == t.job.Output || w.fd >= 0 && !strings.HasPrefix(c.Path, "/") {
		return false
	}
	switch c.Name {
	case "execve", "flock", "sync_file_range":
		return false
	case "write", "pwrite64", "writev", "pwritev", "pwritev2", "ftruncate", "fallocate", "sendfile", "copy_file_range", "splice":
		return t.job.Fault != noAccess // the permissions of a file are only checked when it is opened
	case "fsync", "fdatasync":
		return t.job.Fault == failing || t.job.Fault == noSpace
	case "unlink", "unlinkat", "rmdir", "chmod", "fchmod", "fchmodat", "fchmodat2", "utimensat", "truncate":
		return t.job.Fault != noSpace
	case "open", "openat":
		return t.job.Fault != noSpace || info.Args[w.flags]&unix.O_CREAT != 0
	}
	return true
}

// refuse makes the kernel skip the call. The call then fails with the error number that errnos has for t.job.Fault.
func (t *tracer) refuse(tid int) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	regs.Orig_rax = ^uint64(0)
	if t.filtered { // with a seccomp filter the thread does not stop again after the call, so set the result now
		regs.Rax = uint64(-int64(errnos[t.job.Fault]))
	}
	if syscall.PtraceSetRegs(tid, &regs) == nil && !t.filtered {
		t.refused[tid] = true
	}
}

func answer(tid int, value int64) {
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) == nil {
		regs.Rax = uint64(value)
		_ = syscall.PtraceSetRegs(tid, &regs)
	}
}

func callPath(tid int, w place, info syscallInfo) string {
	if w.fd >= 0 {
		to, _ := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", tid, info.Args[w.fd]))
		return to
	}
	buf := make([]byte, 4096)
	n := 0
	for n < len(buf) && !strings.ContainsRune(string(buf[:n]), 0) {
		m, err := syscall.PtracePeekData(tid, uintptr(info.Args[w.path])+uintptr(n), buf[n:n+8])
		n += m
		if err != nil || m == 0 {
			break
		}
	}
	path, _, _ := strings.Cut(string(buf[:n]), "\x00")
	return path
}

// processName returns a program and its first argument after any "-c" options, for example "git update-ref".
func processName(tid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", tid))
	args := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
	name := filepath.Base(args[0])
	for i := 1; i < len(args); i++ {
		if args[i] == "-c" {
			i++
			continue
		}
		return name + " " + args[i]
	}
	return name
}

func threadGroup(tid int) int {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	for line := range strings.Lines(string(text)) {
		var id int
		if _, err := fmt.Sscanf(line, "Tgid: %d", &id); err == nil {
			return id
		}
	}
	return tid
}

const canTrace = true
