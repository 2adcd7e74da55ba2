//go:build unix

package index

import (
	"golang.org/x/sys/unix"

	"github.com/git-resume/git-resume/gitstate/object"
)

// look returns what git would store about a file. It returns false if the path is not a regular file.
func look(path string) (seen, bool) {
	var s unix.Stat_t
	if err := unix.Lstat(path, &s); err != nil || s.Mode&unix.S_IFMT != unix.S_IFREG {
		return seen{}, false
	}
	mode := object.ModeFile
	if s.Mode&unix.S_IXUSR != 0 {
		mode = object.ModeExecutable
	}
	return seen{
		changed: stampOf(s.Ctim), modified: stampOf(s.Mtim),
		inode: uint32(s.Ino), mode: mode, uid: s.Uid, gid: s.Gid, size: uint32(s.Size),
	}, true
}

func stampOf(t unix.Timespec) stamp { return stamp{uint32(t.Sec), uint32(t.Nsec)} }
