package guard

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"time"
)

var tempName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\.tmp(\d+)(-\d+)?$`) })

// besideName matches the name of a temporary file that is in the same folder as the file that it will replace.
var besideName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^\..*\.tmp\d+-[0-9a-f]+$`) })

// SweepTemp removes our temporary files and folders that are older than the given time and whose process has ended. The age
// protects a process that we cannot see, in a container or on another machine: it uses its files only for moments.
func (r *Dir) SweepTemp(gone func(pid int) bool, before time.Time) {
	root := r.path("resume")
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // do not remove anything that cannot be read
		}
		if d.IsDir() && (path == filepath.Join(root, "logs") || path == filepath.Join(root, "trash")) {
			return fs.SkipDir
		}
		m := tempName().FindStringSubmatch(d.Name())
		if m == nil {
			if d.IsDir() && filepath.Dir(path) == filepath.Join(root, "apart") {
				return fs.SkipDir // the folders below are named after branches, and a branch may be called anything
			}
			return nil
		}
		info, err := d.Info()
		pid, _ := strconv.Atoi(m[1])
		if err != nil || pid <= 0 || !info.ModTime().Before(before) || !gone(pid) {
			return nil
		}
		_ = os.RemoveAll(path)
		if d.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
}
