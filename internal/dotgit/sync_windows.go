package dotgit

import "os"

// SyncOpen does nothing: directories cannot be synced here.
func SyncOpen(*os.File) error { return nil }

func Umask() os.FileMode { return 0 }
