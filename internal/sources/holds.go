package sources

import (
	"bytes"
	"os"
	"sync"
)

// piece is the number of bytes that are read at a time when an index file is searched.
const piece = 32 << 10

// pieces keeps buffers for the next index file, because there is one in each worktree.
var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// holds reports whether a file contains a text. It reads the file in pieces, because git index files can be large and most do not contain
// the text.
func holds(path, text string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	room := pieces.Get().(*[piece]byte)
	defer pieces.Put(room)
	buf, kept := room[:], 0
	for {
		n, err := file.Read(buf[kept:])
		if bytes.Contains(buf[:kept+n], []byte(text)) {
			return true
		}
		if err != nil {
			return false
		}
		last := min(kept+n, len(text)-1) // keep the end of this piece, because the text may continue in the next piece
		kept = copy(buf, buf[kept+n-last:kept+n])
	}
}
