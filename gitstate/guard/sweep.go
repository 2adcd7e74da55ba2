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

// besideName matches the names that tempBeside chooses for temporary files and folders.
var besideName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^\..*\.tmp\d+-[0-9a-f]+$`) })

// SweepTemp removes our temporary files and folders below .git/resume that are older than "before" and whose process has ended. It keeps
// newer ones, because a process that we cannot see, for example in a container, may still use them. It skips the folders "logs" and
// "trash".
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
				return fs.SkipDir // skip the folders named after branches, because a branch name can look like a temporary file
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
