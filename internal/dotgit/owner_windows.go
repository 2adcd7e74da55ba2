package dotgit

import (
	"io/fs"
	"os"
)

// OwnerOf returns false, because file owners have no numeric ids on Windows.
func OwnerOf(fs.FileInfo) (user int, ok bool) { return 0, false }

// keepOwner does nothing, because a new file on Windows gets the permissions of its folder.
func keepOwner(*os.File, fs.FileInfo) bool { return true }

func ThisUser() int { return -1 }
