package sources

import (
	"bytes"
	"os"
)

// piece is how much of an index is kept in memory while it is searched.
const piece = 32 << 10

// holds reports whether a file contains a text, with only one piece in memory at a time: most indexes do not, and some are large.
func holds(path, text string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	buf, kept := make([]byte, piece), 0
	for {
		n, err := file.Read(buf[kept:])
		if bytes.Contains(buf[:kept+n], []byte(text)) {
			return true
		}
		if err != nil {
			return false
		}
		last := min(kept+n, len(text)-1) // the text may start in this piece and end in the next
		kept = copy(buf, buf[kept+n-last:kept+n])
	}
}
