package execution

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"

	"github.com/git-resume/git-resume/internal/dotgit"
)

// Log keeps a limited part of the output of one attempt at a task: its beginning and its end, each up to half of the limit. The
// end says most about a failure. The memory use does not grow with the output.
type Log struct {
	Path string

	mu      sync.Mutex
	head    *os.File
	room    int64
	segment int64
	tail    *os.File
	written int64
	turn    int
	skipped int64
	away    bool
	err     error
}

// OpenLog creates a log file. The limit is in bytes; a limit below 4 KiB counts as 4 KiB.
func OpenLog(path string, limit int64) (*Log, error) {
	if err := dotgit.MkdirAll(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("store the output: %w", err)
	}
	f, err := createLog(path)
	if err != nil {
		return nil, fmt.Errorf("store the output: %w", err)
	}
	limit = max(limit, 4<<10)
	return &Log{Path: path, head: f, room: limit / 2, segment: limit / 4}, nil
}

// createLog creates a log file. It removes an existing file first, because that may be a link to one of the user's files.
func createLog(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return dotgit.Create(path)
}

// Write never returns an error, because a full disk must not stop the task that prints the output.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	if l.err != nil {
		return n, nil
	}
	if l.room > 0 {
		k := min(int64(len(p)), l.room)
		l.put(l.head, p[:k])
		l.room -= k
		p = p[k:]
	}
	for len(p) > 0 && l.err == nil {
		p = l.rotate(p)
	}
	return n, nil
}

// rotate writes to one of two alternating files. When that file is full, it switches to the other one and overwrites it. It returns the
// bytes that it has not written yet.
func (l *Log) rotate(p []byte) []byte {
	if l.tail == nil || l.written == l.segment {
		l.next()
		if l.err != nil {
			return nil
		}
	}
	k := min(int64(len(p)), l.segment-l.written)
	l.put(l.tail, p[:k])
	l.written += k
	return p[k:]
}

func (l *Log) next() {
	if l.tail != nil {
		_ = l.tail.Close()
	}
	l.turn++
	path := l.part(l.turn)
	if info, err := os.Stat(path); err == nil {
		l.skipped += info.Size()
	}
	l.tail, l.err = createLog(path)
	l.written = 0
}

func (l *Log) part(turn int) string { return fmt.Sprintf("%s.%d", l.Path, turn%2) }

func (l *Log) put(f *os.File, p []byte) {
	if _, err := f.Write(p); err != nil {
		l.err = err
	}
}

// Elsewhere writes into the log that the output goes to a terminal and is not kept.
func (l *Log) Elsewhere() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.away {
		return
	}
	l.away = true
	l.put(l.head, []byte("[output that went straight to the terminal is not kept here]\n"))
}

// Close joins the parts of the log. It notes in the file how many bytes were left out, and returns that number.
func (l *Log) Close() (skipped int64, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tail != nil {
		_ = l.tail.Close()
		if l.skipped > 0 {
			fmt.Fprintf(l.head, "\n[%d bytes of output were not kept here]\n", l.skipped)
		}
		l.tail = nil
		for _, turn := range []int{l.turn - 1, l.turn} {
			if turn > 0 && !l.join(l.part(turn)) {
				break // do not join the next part without this one, because the order of the output would be wrong
			}
		}
	}
	if l.err != nil {
		fmt.Fprintf(l.head, "\n[not all output could be kept: %v]\n", l.err)
	}
	return l.skipped, l.head.Close()
}

// join appends one of the later parts to the file that has the beginning of the log. If that fails, for example on a full disk, it returns
// false, and Read will read the part from its own file.
func (l *Log) join(part string) bool {
	f, err := os.Open(part)
	if err != nil {
		return errors.Is(err, os.ErrNotExist)
	}
	defer f.Close()
	end, err := l.head.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = io.Copy(l.head, f)
	}
	if err != nil {
		_ = l.head.Truncate(end)
		return false
	}
	_ = os.Remove(part)
	return true
}

// Read returns at most the given number of bytes from the end of a task's stored output.
// If the process that wrote the log was killed, the log may consist of several files. Read joins them in the right order.
func Read(path string, most int64) ([]byte, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	parts := []string{path + ".0", path + ".1"}
	a, errA := os.Stat(parts[0])
	b, errB := os.Stat(parts[1])
	// The end of the log is in two files, and the older file comes first. If both have the same time, the larger one is older, because it
	// is full.
	if errA == nil && errB == nil && (b.ModTime().Before(a.ModTime()) || b.ModTime().Equal(a.ModTime()) && b.Size() > a.Size()) {
		parts[0], parts[1] = parts[1], parts[0]
	}
	text := Tail(path, most)
	for _, p := range parts {
		text = append(text, Tail(p, most)...)
	}
	return text[max(0, int64(len(text))-most):], nil
}

// Tail returns at most the given number of bytes from the end of a file, or nil if the file cannot be opened.
func Tail(path string, most int64) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > most {
		_, _ = f.Seek(-most, io.SeekEnd)
	}
	text, _ := io.ReadAll(io.LimitReader(f, most))
	return text
}
