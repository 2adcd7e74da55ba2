package dotgit

import "os"

// SyncOpen does nothing, because Windows cannot sync directories.
func SyncOpen(*os.File) error { return nil }

func Umask() os.FileMode { return 0 }
