package gitstate

import "os"

// syncDir does nothing: directories cannot be synced here.
func syncDir(*os.File) error { return nil }

func umask() os.FileMode { return 0 }
