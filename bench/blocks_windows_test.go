package bench

import "os"

// blocks returns the space that a file takes on disk, in bytes, assuming clusters of 4 KB.
func blocks(info os.FileInfo) int64 { return (info.Size() + 4095) &^ 4095 }
