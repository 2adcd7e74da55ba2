package ongoing

import (
	"os"
	"slices"
	"strings"
)

// lockDirs are folders below a git dir in which git may leave locks.
var lockDirs = []string{"rebase-merge", "rebase-apply", sequencer, "reftable"}

// ownLocks lists git's lock files that are directly in the git dir of this worktree or in one of its lockDirs.
func (x *reading) ownLocks() []string {
	var out []string
	for name := range x.files.names {
		if strings.HasSuffix(name, ".lock") {
			out = append(out, x.files.path(name))
		}
	}
	for _, dir := range lockDirs {
		if !x.files.names[dir] {
			continue
		}
		entries, _ := os.ReadDir(x.files.path(dir))
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".lock") {
				out = append(out, x.files.path(dir, e.Name()))
			}
		}
	}
	out = slices.DeleteFunc(out, func(path string) bool { return !x.repo.Guard.IsGitLock(path) })
	slices.Sort(out)
	return out
}

// lockOperation returns an Ongoing for lock files that do not belong to any operation in progress.
func (x *reading) lockOperation(files []string) Ongoing {
	o := Ongoing{Op: StaleLock, Stop: StopLeft, Files: files, Branch: x.branch()}
	for _, f := range files {
		if info, err := os.Lstat(f); err == nil && info.ModTime().After(o.Since) {
			o.Since = info.ModTime()
		}
	}
	return o
}
