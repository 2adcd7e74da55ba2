package proc

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// look reads one process from /proc.
func look(pid int) (Process, bool) {
	stat, err := readProcFile(pid, "stat", make([]byte, 0, 1024))
	if err != nil {
		return Process{}, false
	}
	p, ok := parseStat(pid, stat)
	if !ok {
		return Process{}, false
	}
	p.Args = arguments(pid)
	return p, true
}

// arguments reads the command line of a process. The command line of a zombie is empty.
func arguments(pid int) []string {
	line, _ := readProcFile(pid, "cmdline", make([]byte, 0, 1024))
	if line = bytes.TrimRight(line, "\x00"); len(line) == 0 {
		return nil
	}
	return strings.Split(string(line), "\x00")
}

// readProcFile reads a file of /proc with fewer system calls than os.ReadFile, which matters because listing all processes reads hundreds
// of files. The content is appended to the argument "text", so that callers can pass a buffer on their stack.
func readProcFile(pid int, name string, text []byte) ([]byte, error) {
	fd, err := retryInterrupted(func() (int, error) {
		return unix.Open("/proc/"+strconv.Itoa(pid)+"/"+name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	for {
		n, err := retryInterrupted(func() (int, error) { return unix.Read(fd, text[len(text):cap(text)]) })
		if err != nil {
			return nil, err
		}
		text = text[:len(text)+n]
		if len(text) < cap(text) { // the buffer is not full, so this was the whole content
			return text, nil
		}
		text = slices.Grow(text, cap(text))
	}
}

// retryInterrupted repeats a system call that was interrupted by a signal.
func retryInterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}

// parseStat reads the parent and the start time from a stat line. The name in parentheses may itself contain spaces
// and parentheses, so fields are counted from the last parenthesis. A zombie counts as gone, because it can no longer
// do anything.
func parseStat(pid int, stat []byte) (Process, bool) {
	end := bytes.LastIndexByte(stat, ')')
	if end < 0 {
		return Process{}, false
	}
	fields := strings.Fields(string(stat[end+1:]))
	const state, ppid, start = 0, 1, 19
	if len(fields) <= start || fields[state] == "Z" || fields[state] == "X" {
		return Process{}, false
	}
	parent, err := strconv.Atoi(fields[ppid])
	if err != nil {
		return Process{}, false
	}
	return Process{PID: pid, PPID: parent, Start: fields[start]}, true
}

// isHidden reports whether a process exists although /proc does not show it. On some machines, /proc shows users only their own processes.
func isHidden(pid int) bool {
	_, err := os.Stat(filepath.Join("/proc", strconv.Itoa(pid)))
	return errors.Is(err, os.ErrNotExist) && !errors.Is(unix.Kill(pid, 0), unix.ESRCH)
}

func here() Host {
	h := fixedHost()
	h.Name, _ = os.Hostname()
	return h
}

// fixedHost has the parts of Host that are read only once.
var fixedHost = sync.OnceValue(func() Host {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	ns, _ := os.Readlink("/proc/self/ns/pid")
	return Host{Boot: strings.TrimSpace(string(boot)), NS: ns}
})

// all lists the visible processes.
func all() ([]int, bool) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1) // os.ReadDir would be slower, because it makes an entry of each name and sorts them
	if err != nil {
		return nil, false
	}
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, len(pids) > 0
}

// surroundings reads a process's current directory and environment. ok is false if one of them cannot be read, for example because the
// process belongs to another user.
func surroundings(pid int) (dir string, env []string, ok bool) {
	at := filepath.Join("/proc", strconv.Itoa(pid))
	dir, errDir := os.Readlink(filepath.Join(at, "cwd"))
	block, errEnv := os.ReadFile(filepath.Join(at, "environ"))
	return dir, strings.Split(strings.TrimRight(string(block), "\x00"), "\x00"), errDir == nil && errEnv == nil
}

// age compares the start time of a process, which Linux counts from the start of the machine in hundredths of a second, with the time now.
func age(pid int) (time.Duration, bool) {
	p, ok := look(pid)
	ticks, err := strconv.ParseInt(p.Start, 10, 64)
	var now unix.Timespec
	if !ok || err != nil || unix.ClockGettime(unix.CLOCK_BOOTTIME, &now) != nil {
		return 0, false
	}
	return max(0, time.Duration(now.Nano())-time.Duration(ticks)*10*time.Millisecond), true
}

// users reads the user ids that a process runs as: the real, effective, saved and file system user id.
func users(pid int) (ids []int, ok bool) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return nil, false
	}
	for line := range strings.Lines(string(text)) {
		rest, found := strings.CutPrefix(line, "Uid:")
		if !found {
			continue
		}
		for word := range strings.FieldsSeq(rest) {
			id, err := strconv.Atoi(word)
			if err != nil {
				return nil, false
			}
			ids = append(ids, id)
		}
		return ids, len(ids) > 0
	}
	return nil, false
}

// processesIn lists the processes whose current directory is in one of dirs. A process whose current directory cannot be read is missing,
// for example one of another user.
func processesIn(dirs []string) ([]int, bool) {
	every, ok := all()
	if !ok {
		return nil, false
	}
	real := realNames(dirs)
	var pids []int
	for _, pid := range every {
		cwd, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "cwd"))
		if err == nil && slices.ContainsFunc(real, func(d string) bool { return isBelow(cwd, d) }) {
			pids = append(pids, pid)
		}
	}
	return pids, true
}

// realNames returns the directories, and also their real paths, because the system may report either of the two names.
func realNames(dirs []string) []string {
	real := make([]string, 0, 2*len(dirs))
	for _, d := range dirs {
		real = append(real, d)
		if r, err := filepath.EvalSymlinks(d); err == nil && r != d {
			real = append(real, r)
		}
	}
	return real
}

// isWaiting reports whether a process is asleep and its input is a terminal.
func isWaiting(pid int) bool {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	stat, err := os.ReadFile(filepath.Join(dir, "stat"))
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if err != nil || len(fields) == 0 || fields[0] != "S" {
		return false
	}
	input, err := os.Readlink(filepath.Join(dir, "fd", "0"))
	return err == nil && (strings.HasPrefix(input, "/dev/pts/") || strings.HasPrefix(input, "/dev/tty") || input == "/dev/console")
}

// writing lists the processes that have a file in one of dirs open for writing. Processes whose open files cannot be read are missing,
// for example those of another user.
func writing(dirs []string) []int {
	every, _ := all()
	real := realNames(dirs)
	var pids []int
	for _, pid := range every {
		if writesBelow(filepath.Join("/proc", strconv.Itoa(pid)), real) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func writesBelow(process string, dirs []string) bool {
	fds, _ := os.ReadDir(filepath.Join(process, "fd"))
	return slices.ContainsFunc(fds, func(fd os.DirEntry) bool {
		to, err := os.Readlink(filepath.Join(process, "fd", fd.Name()))
		if err != nil || !slices.ContainsFunc(dirs, func(d string) bool { return isBelow(to, d) }) {
			return false
		}
		text, _ := os.ReadFile(filepath.Join(process, "fdinfo", fd.Name()))
		return canWrite(string(text))
	})
}

// canWrite reports whether a file was opened for writing, according to the text of its fdinfo file. The flags there are an octal number.
func canWrite(fdinfo string) bool {
	for line := range strings.Lines(fdinfo) {
		if digits, ok := strings.CutPrefix(line, "flags:"); ok {
			flags, err := strconv.ParseUint(strings.TrimSpace(digits), 8, 64)
			return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return false
}

// members lists the remaining processes of a group. The arguments are the id and the start time of its first process, which may have
// ended. The system reuses the id of a group only after all its processes have ended. So if another process has this id now, the result
// is nil.
func members(group int, start string) []int {
	if first, ok := look(group); ok && first.Start != start {
		return nil
	}
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	since, _ := strconv.ParseInt(start, 10, 64)
	var out []int
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", n.Name(), "stat"))
		if err != nil || groupOf(stat) != group {
			continue
		}
		if p, ok := parseStat(pid, stat); ok {
			if began, err := strconv.ParseInt(p.Start, 10, 64); err == nil && began >= since {
				out = append(out, pid)
			}
		}
	}
	return out
}

// groupOf returns the process group from a stat line, or 0.
func groupOf(stat []byte) int {
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 3 {
		return 0
	}
	n, _ := strconv.Atoi(fields[2])
	return n
}

// Holders lists the other processes that have a file open. It returns nil if the system does not show them.
func Holders(path string) []int {
	every, _ := all()
	var out []int
	for _, pid := range every {
		if pid == os.Getpid() {
			continue
		}
		dir := filepath.Join("/proc", strconv.Itoa(pid), "fd")
		fds, _ := os.ReadDir(dir)
		for _, fd := range fds {
			if to, err := os.Readlink(filepath.Join(dir, fd.Name())); err == nil && to == path {
				out = append(out, pid)
				break
			}
		}
	}
	return out
}
