package ongoing

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

type files struct {
	dir string
	// The map "names" contains the files and folders in the git dir. The map "refs" contains the pseudo refs that are stored in a
	// reftable instead of a file.
	names map[string]bool
	refs  map[string]object.ID
}

func (f *files) has(file string) bool {
	top, rest, deep := strings.Cut(file, "/")
	if id := f.refs[top]; id != "" {
		return true
	}
	if !f.names[top] {
		return false
	}
	if !deep {
		return true
	}
	_, err := os.Lstat(f.path(top, rest))
	return err == nil
}

func (f *files) path(elem ...string) string {
	return filepath.Join(append([]string{f.dir}, elem...)...)
}

// maxFile limits how much of one state file is read. The todo list of a rebase of 100,000 commits is smaller.
const maxFile = 8 << 20

// ReadFile reads one of the files in which git stores the state of an operation. A repository from an archive can have anything there, so
// anything but a regular file of a plausible size is an error.
func ReadFile(path string) ([]byte, error) { return gitstate.ReadUpTo(path, maxFile) }

// Text returns the content of such a file, or "" if ReadFile cannot read it.
func Text(elem ...string) string {
	data, _ := ReadFile(filepath.Join(elem...))
	return string(data)
}

func (f *files) text(elem ...string) string { return Text(f.path(elem...)) }

func (f *files) line(elem ...string) string {
	first, _, _ := strings.Cut(f.text(elem...), "\n")
	return strings.TrimRight(first, "\r")
}

func (f *files) number(elem ...string) int {
	n, _ := strconv.Atoi(f.line(elem...))
	return max(n, 0)
}

func (f *files) id(elem ...string) object.ID {
	if id := f.line(elem...); object.IsID(id) {
		return object.ID(id)
	}
	return ""
}

// ref returns the commit of a pseudo ref, which is either a file or an entry in a reftable.
func (f *files) ref(name string) object.ID {
	if id := f.refs[name]; id != "" {
		return id
	}
	return f.id(name)
}

// lastChange returns when the named files, or the files in the named folders, last changed.
func (f *files) lastChange(names ...string) time.Time {
	var last time.Time
	note := func(info fs.FileInfo, err error) {
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	for _, name := range names {
		path := f.path(name)
		note(os.Lstat(path))
		entries, _ := os.ReadDir(path) // entries is empty if path is a file
		for _, e := range entries {
			note(e.Info())
		}
	}
	return last
}

func (f *files) entries(dir string) []os.DirEntry {
	entries, _ := os.ReadDir(f.path(dir)) // a folder that cannot be read counts as empty
	return entries
}

func (f *files) isEmpty(dir string) bool { return f.names[dir] && len(f.entries(dir)) == 0 }

func (f *files) hasAny(dir string, names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return f.has(dir + "/" + name) })
}

func (f *files) hasAll(dir string, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool { return !f.has(dir + "/" + name) })
}
