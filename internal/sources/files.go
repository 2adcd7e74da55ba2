package sources

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// These limits bound what a source reads: a state file is small, so a large one is a mistake or an attack.
const (
	MaxFile    = 8 << 20
	MaxEntries = 10000
)

// Files reads below one folder and never leaves that folder, neither through ".." nor through a link.
type Files struct {
	Top string
	// names, if set, are the names directly below the top; see Listed.
	names *nameList
	// trail, if set, remembers which path was read last.
	trail *trail
}

// nameList holds the names directly below a folder; they are read at the first question.
type nameList struct {
	all    func() map[string]bool
	folder func() *folder
	// missing holds paths that were asked for and do not exist.
	missing sync.Map
}

// Listed returns the same folder, but reads the names at its top only once, at the first question: readers ask each worktree
// for some dozen files, and most worktrees have none of them. A missing path is looked up only once, too.
// Files that are created afterwards are not seen.
func (f Files) Listed() Files {
	if runtime.GOOS == "linux" { // on other systems a name may match in another case or spelling
		f.names = &nameList{all: sync.OnceValue(f.list), folder: folderOnce(f.Top)}
	}
	return f
}

// list returns nil if the folder cannot be read, or has so many entries that single lookups are cheaper.
func (f Files) list() map[string]bool {
	d, err := os.Open(f.Top)
	if err != nil {
		return nil
	}
	defer d.Close()
	const most = 1000
	all, err := d.Readdirnames(most)
	if err != nil && !errors.Is(err, io.EOF) || len(all) == most {
		return nil
	}
	names := make(map[string]bool, len(all))
	for _, n := range all {
		names[n] = true
	}
	return names
}

// absent reports whether the names at the top, or an earlier lookup, show that a path does not exist.
func (f Files) absent(path string) bool {
	if f.names == nil {
		return false
	}
	first, _, _ := strings.Cut(path, "/")
	names := f.names.all()
	if names != nil && first != "" && first != "." && first != ".." && !names[first] {
		return true
	}
	for dir := path; dir != "." && dir != "/" && dir != ""; dir = pathpkg.Dir(dir) {
		if _, gone := f.names.missing.Load(dir); gone {
			return true
		}
	}
	return false
}

// lose remembers that a path does not exist.
func (f Files) lose(path string) {
	if f.names != nil {
		f.names.missing.Store(pathpkg.Clean(path), true)
	}
}

// RefusedError says why a file was not read although it exists.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return fmt.Sprintf("%s %s", e.Path, e.Why) }

// Has reports whether a path exists; it costs one system call at most.
func (f Files) Has(path string) bool {
	if f.absent(path) {
		return false
	}
	_, err := os.Lstat(filepath.Join(f.Top, filepath.FromSlash(path)))
	if errors.Is(err, fs.ErrNotExist) {
		f.lose(path)
	}
	return err == nil
}

// Size returns the size of a file in bytes without reading the file; -1 if the file does not exist.
func (f Files) Size(path string) int64 {
	info, err := os.Lstat(filepath.Join(f.Top, filepath.FromSlash(path)))
	if err != nil {
		return -1
	}
	return info.Size()
}

// Read returns the content of a regular file of at most MaxFile bytes. The error is fs.ErrNotExist for a missing file,
// and otherwise a RefusedError or the system's own error with the path.
func (f Files) Read(path string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return nil, &RefusedError{path, "leads out of its worktree or cannot be followed"}
	}
	if f.absent(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	f.trail.note(f.Top, path)
	if data, done, err := f.quick(path); done {
		return data, err
	}
	file, info, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	_, err = data.ReadFrom(io.LimitReader(file, MaxFile+1))
	if err == nil && data.Len() > MaxFile {
		return nil, &RefusedError{path, "grew while it was read"}
	}
	return data.Bytes(), err
}

// open opens a regular file that is small enough to read. It must not wait for a writer, as opening a pipe would.
func (f Files) open(path string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(f.Top)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.FromSlash(path), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	case errors.Is(err, fs.ErrPermission):
		return nil, nil, err
	case err != nil:
		return nil, nil, &RefusedError{path, "leads out of its worktree or cannot be followed"}
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = &RefusedError{path, "is not a regular file"}
	case info.Size() > MaxFile:
		err = &RefusedError{path, fmt.Sprintf("has %d bytes, and at most %d are read", info.Size(), MaxFile)}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// List returns the entries of a folder in natural order; none if the folder does not exist.
func (f Files) List(dir string) ([]fs.DirEntry, error) {
	if f.absent(dir) {
		return nil, nil
	}
	f.trail.note(f.Top, dir)
	d, err := f.openDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, &RefusedError{dir, "leads out of its worktree or cannot be read"}
	}
	defer d.Close()
	entries, err := d.ReadDir(MaxEntries + 1)
	if len(entries) > MaxEntries {
		return nil, &RefusedError{dir, fmt.Sprintf("has more than %d entries", MaxEntries)}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return NaturalOrder(a.Name(), b.Name()) })
	return entries, nil
}

func (f Files) openDirByRoot(dir string) (*os.File, error) {
	root, err := os.OpenRoot(f.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(dir))
}

// Changed returns when a file was last written; zero if the file does not exist.
func (f Files) Changed(path string) time.Time {
	info, err := os.Lstat(filepath.Join(f.Top, filepath.FromSlash(path)))
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// NaturalOrder compares texts so that numbers in them count as numbers: 9 before 10, 110.1 after 110.
func NaturalOrder(a, b string) int {
	for a != "" && b != "" {
		x, y := digits(a), digits(b)
		if x == 0 || y == 0 {
			if a[0] != b[0] {
				return int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
			continue
		}
		m, n := bare(a[:x]), bare(b[:y])
		if len(m) != len(n) {
			return len(m) - len(n)
		}
		if m != n {
			if m < n {
				return -1
			}
			return 1
		}
		a, b = a[x:], b[y:]
	}
	return len(a) - len(b)
}

func digits(s string) int {
	n := 0
	for n < len(s) && '0' <= s[n] && s[n] <= '9' {
		n++
	}
	return n
}

// bare removes leading zeros from a number.
func bare(s string) string {
	for len(s) > 1 && s[0] == '0' {
		s = s[1:]
	}
	return s
}
