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

// These limits restrict what a source reads. Real state files are small, so a large one is a mistake or an attack.
const (
	MaxFile    = 8 << 20
	MaxEntries = 10000
)

// Files reads files below one folder. Its methods Read and List never leave that folder, neither through ".." nor through a symbolic
// link.
type Files struct {
	Top string
	// names caches the names of the entries directly below Top. It is nil if Listed was not called, and on all systems except Linux.
	names *nameList
	// tip, if it is set, has the files of a commit. Then nothing is read from the disk.
	tip *committed
	// trail records the path that was read last, for error messages about crashes. It may be nil.
	trail *trail
}

// nameList caches which entries exist directly below a folder. The folder is read when an entry is looked up for the first time.
type nameList struct {
	all    func() topList
	folder func() *folder
	// missing holds paths that were looked up and do not exist.
	missing sync.Map
}

// Listed returns a copy of f that remembers which names exist directly below Top. This saves time, because sources look for several
// dozen files in each worktree, and most of them do not exist. The copy may not notice files that are created later. On systems other
// than Linux, it remembers nothing.
func (f Files) Listed() Files {
	// Other operating systems may find a file under a name with different case or Unicode form, so a list of names does
	// not prove that a file is missing.
	if runtime.GOOS == "linux" {
		f.names = &nameList{all: sync.OnceValue(f.list), folder: folderOnce(f.Top)}
	}
	return f
}

// topList holds the entries directly below Top, in natural order, and their names. Both are nil if they are not known.
type topList struct {
	entries []fs.DirEntry
	names   map[string]bool
}

// list reads the entries directly below Top. They stay unknown if there are too many, or if the folder cannot be read.
func (f Files) list() topList {
	d, err := os.Open(f.Top)
	if err != nil {
		return topList{}
	}
	defer d.Close()
	const most = 1000
	all, err := d.ReadDir(most)
	if err != nil && !errors.Is(err, io.EOF) || len(all) == most {
		return topList{}
	}
	names := make(map[string]bool, len(all))
	for _, e := range all {
		names[e.Name()] = true
	}
	return topList{naturally(all), names}
}

// absent reports whether a path is already known not to exist, from the cached names or from an earlier lookup.
func (f Files) absent(path string) bool {
	if f.names == nil {
		return false
	}
	first, _, _ := strings.Cut(path, "/")
	names := f.names.all().names
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

// lose records that a path does not exist.
func (f Files) lose(path string) {
	if f.names != nil {
		f.names.missing.Store(pathpkg.Clean(path), true)
	}
}

// RefusedError says why a file or a folder was not read.
type RefusedError struct{ Path, Why string }

func (e *RefusedError) Error() string { return fmt.Sprintf("%s %s", e.Path, e.Why) }

// Has reports whether a path exists and can be looked at.
func (f Files) Has(path string) bool {
	if f.absent(path) {
		return false
	}
	_, err := f.stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.lose(path)
	}
	return err == nil
}

// stat looks at a path on the disk, or in the commit.
func (f Files) stat(path string) (looked, error) {
	if f.tip != nil {
		return f.tip.look(path)
	}
	return f.look(path)
}

func (f Files) isDir(path string) bool {
	is, err := f.stat(path)
	return err == nil && is.dir
}

// Size returns the size of a file in bytes without reading the file, or -1 if the file does not exist or cannot be looked at.
func (f Files) Size(path string) int64 {
	is, err := f.stat(path)
	if err != nil {
		return -1
	}
	return is.size
}

// IsBelow reports whether a path with forward slashes is relative and does not leave its folder through "..". It follows no links.
func IsBelow(path string) bool { return filepath.IsLocal(filepath.FromSlash(path)) }

// Read returns the content of a regular file of at most MaxFile bytes. If the file is missing, errors.Is finds
// fs.ErrNotExist in the error.
func (f Files) Read(path string) ([]byte, error) {
	if !IsBelow(path) {
		return nil, &RefusedError{path, "points outside its worktree or cannot be followed"}
	}
	if f.absent(path) {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	f.trail.note(f.Top, path)
	if f.tip != nil {
		return f.tip.read(path)
	}
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
		return nil, &RefusedError{path, "became too large while it was read"}
	}
	return data.Bytes(), err
}

// open opens a regular file that is small enough to read. It opens without blocking, because opening a pipe would otherwise wait for a
// writer.
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
		return nil, nil, &RefusedError{path, "points outside its worktree or cannot be followed"}
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = &RefusedError{path, "is not a regular file"}
	case info.Size() > MaxFile:
		err = &RefusedError{path, fmt.Sprintf("has %d bytes, but at most %d are read", info.Size(), MaxFile)}
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

// List returns the entries of a folder in natural order. It returns no entries if the folder does not exist.
func (f Files) List(dir string) ([]fs.DirEntry, error) {
	if f.absent(dir) {
		return nil, nil
	}
	f.trail.note(f.Top, dir)
	if f.tip != nil {
		return f.tip.entries(dir)
	}
	if f.names != nil && dir == "." {
		if top := f.names.all(); top.names != nil {
			return slices.Clone(top.entries), nil
		}
	}
	d, err := f.openDir(dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, &RefusedError{dir, "points outside its worktree or cannot be read"}
	}
	defer d.Close()
	entries, err := d.ReadDir(MaxEntries + 1)
	if len(entries) > MaxEntries {
		return nil, &RefusedError{dir, fmt.Sprintf("has more than %d entries", MaxEntries)}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return naturally(entries), nil
}

// naturally sorts the entries of a folder in natural order.
func naturally(entries []fs.DirEntry) []fs.DirEntry {
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return NaturalOrder(a.Name(), b.Name()) })
	return entries
}

func (f Files) openDirByRoot(dir string) (*os.File, error) {
	root, err := os.OpenRoot(f.Top)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return root.Open(filepath.FromSlash(dir))
}

// Changed returns the modification time of a file, or the zero time if the file cannot be looked at.
func (f Files) Changed(path string) time.Time {
	is, err := f.stat(path)
	if err != nil {
		return time.Time{}
	}
	return is.modified
}

// looked is what the operating system says about a path.
type looked struct {
	dir      bool
	size     int64
	modified time.Time
}

// lookByName is the portable way to look at a path. It does not follow a link at its end.
func (f Files) lookByName(path string) (looked, error) {
	info, err := os.Lstat(filepath.Join(f.Top, filepath.FromSlash(path)))
	if err != nil {
		return looked{}, err
	}
	return looked{info.IsDir(), info.Size(), info.ModTime()}, nil
}

// NaturalOrder compares two texts and treats the digits in them as numbers: 9 comes before 10, and 110.1 after 110.
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
		m, n := strings.TrimLeft(a[:x], "0"), strings.TrimLeft(b[:y], "0")
		if len(m) != len(n) {
			return len(m) - len(n)
		}
		if c := strings.Compare(m, n); c != 0 {
			return c
		}
		a, b = a[x:], b[y:]
	}
	return len(a) - len(b)
}

func digits(s string) int { return len(s) - len(strings.TrimLeft(s, "0123456789")) }
