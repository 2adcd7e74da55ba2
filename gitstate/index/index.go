// Package index answers questions about git's index without starting git. Where it is not sure, the caller must ask git.
package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/gitstate/locate"
)

// limit is the size of the largest index that we read ourselves. For a larger index we ask git.
const limit = 64 << 20

// Flags of an entry. The flag for skip-worktree is in the second pair of bytes, which only some entries have.
const (
	stages          = 0x3000
	assumeUnchanged = 0x8000
	skipWorktree    = 0x4000 << 16
)

// Merged reports whether the index certainly has no unmerged path. If so, git need not be started to look for such paths. Starting git is
// slow.
func Merged(gitDir, commonDir string) bool { return without(gitDir, commonDir, stages) }

// NoneHidden reports whether certainly no file is marked as assume-unchanged or skip-worktree. git ignores changes of such files.
func NoneHidden(gitDir, commonDir string) bool {
	return without(gitDir, commonDir, assumeUnchanged|skipWorktree)
}

// The function "without" reports whether certainly no entry of the index has one of the flags. It returns false if it cannot read the
// index, and true if there is no index.
func without(gitDir, commonDir string, flags uint32) bool {
	f, err := open(gitDir, commonDir)
	if errors.Is(err, fs.ErrNotExist) {
		return true // without an index there are no entries
	}
	return err == nil && f.each(func(e *entry) bool { return e.flags&flags == 0 })
}

// file is the content of an index.
type file struct {
	data    []byte
	idSize  int
	version uint32
	// written is the modification time of the index.
	written time.Time
	// trees is the content of the extension "TREE", or nil if the index has none. It is set by the method "each".
	trees []byte
}

var errNotRead = errors.New("the index is too large, or not a regular file")

func open(gitDir, commonDir string) (*file, error) {
	path := filepath.Join(gitDir, "index")
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, errNotRead
	}
	data, err := locate.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &file{data: data, idSize: 20, written: info.ModTime()}
	if locate.ReadSettings(filepath.Join(commonDir, "config"))["extensions.objectformat"] == "sha256" {
		f.idSize = 32
	}
	return f, nil
}

// The method "each" calls a function for each entry of the index, in order (see git's Documentation/gitformat-index). It stops and returns
// false when the function returns false, or when it does not understand the index.
func (f *file) each(do func(*entry) bool) bool {
	const header = 12
	end := len(f.data) - f.idSize // the last idSize bytes are a checksum
	if end < header || string(f.data[:4]) != "DIRC" {
		return false
	}
	count, at := binary.BigEndian.Uint32(f.data[8:]), header
	if f.version = binary.BigEndian.Uint32(f.data[4:]); f.version < 2 || f.version > 4 {
		return false
	}
	e := &entry{version: f.version, idSize: f.idSize}
	for range count {
		n := e.read(f.data[at:end])
		if e.at = at; n == 0 || !do(e) {
			return false
		}
		at += n
	}
	return extensions(f.data[at:end], func(name string, content []byte) bool {
		if name == "TREE" {
			f.trees = content
		}
		return addsNoEntries(name)
	})
}

// entry is one entry of the index. The method "each" reuses one value for all entries.
type entry struct {
	version uint32
	idSize  int

	at    int // the position in the index file
	flags uint32
	name  []byte
	// The field "fixed" has what git last saw of the file, such as its times and size, and then the object id.
	fixed []byte
}

// fileData is the number of bytes about the file at the beginning of an entry. The object id follows, and then the flags.
const fileData = 40

// read reads an entry and returns its length, which is 0 if the entry is not understood.
func (e *entry) read(data []byte) int {
	const extended, longName = 0x4000, 0xfff
	flagsAt := fileData + e.idSize
	if len(data) < flagsAt+2 {
		return 0
	}
	flags, at := binary.BigEndian.Uint16(data[flagsAt:]), flagsAt+2
	e.fixed, e.flags = data[:flagsAt], uint32(flags)
	if flags&extended != 0 {
		if e.version < 3 || len(data) < at+2 {
			return 0
		}
		e.flags |= uint32(binary.BigEndian.Uint16(data[at:])) << 16
		at += 2
	}
	if e.version == 4 {
		return e.readShortened(data, at)
	}
	length := int(flags & longName)
	if length == longName { // the length does not fit into the flags
		if length = bytes.IndexByte(data[at:], 0); length < 0 {
			return 0
		}
	}
	size := (at + length + 8) &^ 7 // at least one NUL pads the entry to a multiple of eight bytes
	if size > len(data) {
		return 0
	}
	e.name = data[at : at+length]
	return size
}

// readShortened reads a name of index version 4 and returns the entry's length. The name is stored as the number of bytes to remove from
// the end of the previous name, and the bytes to append. The result is 0 if the name is not understood.
func (e *entry) readShortened(data []byte, at int) int {
	cut, n := offset(data[at:])
	if n == 0 || cut > len(e.name) {
		return 0
	}
	at += n
	length := bytes.IndexByte(data[at:], 0)
	if length < 0 {
		return 0
	}
	kept := len(e.name) - cut
	e.name = append(e.name[:kept], data[at:at+length]...) // e.name shares no memory with data, because the first name is appended to nil
	return at + length + 1
}

// offset reads a number in the form in which git writes offsets. The second result is its length in bytes, or 0 if the number does not
// end or is far too large.
func offset(data []byte) (value, n int) {
	const longest = 4
	for i, b := range data[:min(longest, len(data))] {
		value |= int(b & 0x7f)
		if b < 0x80 {
			return value, i + 1
		}
		value = (value + 1) << 7
	}
	return 0, 0
}

// extensions calls a function with the name and the content of each extension that follows the entries. It returns
// false if the function returns false, or if the extensions are not understood.
func extensions(data []byte, do func(name string, content []byte) bool) bool {
	const header = 8
	for len(data) >= header {
		size := uint64(binary.BigEndian.Uint32(data[4:]))
		if size > uint64(len(data)-header) || !do(string(data[:4]), data[header:header+size]) {
			return false
		}
		data = data[header+size:]
	}
	return len(data) == 0
}

// addsNoEntries reports whether an extension of the index certainly adds no entries. Optional extensions add none; their names begin with
// a capital letter. The only other extension that is known to add none is "sdir" (sparse folders).
func addsNoEntries(name string) bool { return name[0] >= 'A' && name[0] <= 'Z' || name == "sdir" }
