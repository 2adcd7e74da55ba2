package store

import (
	"bytes"
	"compress/zlib"
	"context"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
)

const (
	// smallFile is the size of the largest loose object file that we read ourselves. smallObject is the size of the largest object that we
	// read from such a file, or write into one.
	smallFile   = 64 << 10
	smallObject = 1 << 20
	// headFile is how many bytes of a loose object file are read to learn the object's size. maxHeader is how long a header such as "blob
	// 123" may be.
	headFile  = 128
	maxHeader = 32
	// maxMisses is how many objects in a row may have no file. After that, git is asked for all other objects, because it has probably
	// packed them.
	maxMisses = 16
)

var kinds = []string{"blob", "tree", "commit", "tag"}

// Loose reads small objects from loose object files, where git keeps new objects until it packs them. It starts no process, and takes less
// time than the helper process. If it cannot read an object with certainty, the caller must ask git.
type Loose struct {
	dir  string
	hash object.Hasher
	buf  []byte
	z    io.ReadCloser
	// misses counts how many files in a row did not exist.
	misses int
}

// Loose returns a reader of loose objects. It returns nil, which reads nothing, if the user has replaced objects ("git replace"). It also
// returns nil if we cannot find this out without git, as with reftables.
func (r *Objects) Loose(ctx context.Context) *Loose {
	if r.refs.InTables() {
		return nil
	}
	hash, err := r.settings.Hasher(ctx)
	if err != nil {
		return nil
	}
	if replaced, err := r.refs.Replaced(ctx); err != nil || replaced {
		return nil
	}
	return &Loose{dir: filepath.Join(r.git.CommonDir, "objects"), hash: hash}
}

// Read reads an object with this id; ok is false if git has to be asked.
func (l *Loose) Read(id string, w Wanted) (o object.Object, ok bool) {
	h, ok := l.open(id, smallFile)
	if !ok || h.size > smallObject || w.fits(h) != nil {
		return o, false
	}
	data := make([]byte, h.size+1) // one more byte to see that the file contains nothing else
	n, err := io.ReadFull(l.z, data)
	if data = data[:n]; err != io.ErrUnexpectedEOF && err != io.EOF || int64(n) != h.size || l.hash.ID(h.kind, data) != h.id {
		return o, false
	}
	return object.Object{ID: h.id, Type: h.kind, Data: data}, true
}

// open reads the header of an object from at most limit bytes of its file. If ok is true, the object's bytes can be read from l.z. They are
// complete only if the file has at most limit bytes.
func (l *Loose) open(id string, limit int) (h header, ok bool) {
	if l == nil || l.misses == maxMisses || !object.IsID(id) {
		return h, false
	}
	if l.buf == nil {
		l.buf = make([]byte, smallFile)
	}
	n, err := locate.ReadInto(filepath.Join(l.dir, id[:2], id[2:]), l.buf[:limit])
	if err != nil {
		l.misses++
		return h, false
	}
	if l.misses = 0; !l.inflate(l.buf[:n]) {
		return h, false
	}
	text := make([]byte, 0, maxHeader)
	for len(text) < maxHeader {
		if _, err := io.ReadFull(l.z, text[len(text):len(text)+1]); err != nil {
			return h, false
		}
		text = text[:len(text)+1]
		if text[len(text)-1] == 0 {
			break
		}
	}
	kind, digits, _ := strings.Cut(strings.TrimSuffix(string(text), "\x00"), " ")
	size, err := strconv.ParseInt(digits, 10, 64)
	return header{object.ID(id), kind, size}, err == nil && size >= 0 && slices.Contains(kinds, kind)
}

// inflate starts to inflate the bytes of a file, and returns false if that fails. The inflater is used again for each file, because making
// one takes longer than inflating a small object.
func (l *Loose) inflate(file []byte) bool {
	var err error
	if l.z == nil {
		l.z, err = zlib.NewReader(bytes.NewReader(file))
	} else {
		err = l.z.(zlib.Resetter).Reset(bytes.NewReader(file), nil)
	}
	return err == nil
}
