package gitstate

import "io/fs"

// ownerOf cannot be seen by a number here.
func ownerOf(fs.FileInfo) (user int, ok bool) { return 0, false }

func thisUser() int { return -1 }
