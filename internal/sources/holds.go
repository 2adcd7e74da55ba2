package sources

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// piece is the number of bytes that are read at a time when an index file is searched.
const piece = 32 << 10

// pieces keeps buffers for reuse, because the index files of all worktrees are read.
var pieces = sync.Pool{New: func() any { return new([piece]byte) }}

// whole lists the first bytes of index files in versions 2 and 3, which contain whole paths. Version 4 stores only the end of a path that
// begins like the path before it.
var whole = []string{"DIRC\x00\x00\x00\x02", "DIRC\x00\x00\x00\x03"}

// split is the start of the extension "link", which an index file has if its paths are in another file. The size of the extension follows
// in four bytes. The first of them is 0, because the extension is small.
const split = "link\x00"

// mayHold reports whether an index file may have a path with the given text. It returns false if the file certainly has no such path, or if
// the file cannot be read, because git then knows no paths either. It reads the file in pieces, because index files can be large and most
// do not contain the text.
func mayHold(path, text string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	room := pieces.Get().(*[piece]byte)
	defer pieces.Put(room)
	buf, kept := room[:], 0
	n, err := io.ReadAtLeast(file, buf, len(whole[0]))
	if err == nil && !slices.Contains(whole, string(buf[:len(whole[0])])) {
		return true
	}
	for ; ; n, err = file.Read(buf[kept:]) {
		if all := buf[:kept+n]; bytes.Contains(all, []byte(text)) || bytes.Contains(all, []byte(split)) && hasShared(path) {
			return true
		}
		if err != nil {
			return false
		}
		last := min(kept+n, max(len(text), len(split))-1) // keep the end of this piece, because the text may continue in the next piece
		kept = copy(buf, buf[kept+n-last:kept+n])
	}
}

// hasShared reports whether git may have put some paths of the index into a second file ("sharedindex.…"). Such an index has the extension
// "link". If there is no second file, the bytes "link" that were found in the index are only the end of a path.
func hasShared(index string) bool {
	files, err := os.ReadDir(filepath.Dir(index))
	return err != nil || slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), "sharedindex.") })
}
