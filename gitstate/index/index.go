// Package index answers questions about git's index without starting git. It reads only the flags of the entries. Where it is not sure,
// the caller must ask git.
package index

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate/locate"
)

// limit is the largest index that we read ourselves. For a larger index, asking git is faster.
const limit = 64 << 20

// These flags of an entry are looked for. The flag for skip-worktree is in the second pair of bytes, which only some entries have.
const (
	stages          = 0x3000
	assumeUnchanged = 0x8000
	skipWorktree    = 0x4000 << 16
)

// Merged reports whether the index certainly has no unmerged path. Many repositories have leftover files of old merges, and starting git
// every time because of them would be slow.
func Merged(gitDir, commonDir string) bool { return without(gitDir, commonDir, stages) }

// NoneHidden reports whether git was certainly told of no file to ignore its changes (assume-unchanged or skip-worktree).
func NoneHidden(gitDir, commonDir string) bool {
	return without(gitDir, commonDir, assumeUnchanged|skipWorktree)
}

// without reports whether certainly no entry of the index has one of the flags.
func without(gitDir, commonDir string, flags uint32) bool {
	path := filepath.Join(gitDir, "index")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true // without an index nothing is staged
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > limit {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	idSize := 20
	if locate.ReadSettings(filepath.Join(commonDir, "config"))["extensions.objectformat"] == "sha256" {
		idSize = 32
	}
	return noneHas(data, idSize, flags)
}

// noneHas reads the entries of an index (see git's Documentation/gitformat-index) and checks only their flags.
func noneHas(data []byte, idSize int, unwanted uint32) bool {
	const header = 12
	end := len(data) - idSize // the last idSize bytes are a checksum
	if end < header || string(data[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return false
	}
	at := header
	for range count {
		n, flags := entry(data[at:end], version, idSize)
		if n == 0 || flags&unwanted != 0 {
			return false
		}
		at += n
	}
	return addsNoEntries(data[at:end])
}

// entry returns the length of an index entry and its flags. The length is 0 if the entry is not understood.
func entry(data []byte, version uint32, idSize int) (size int, all uint32) {
	const extended, longName = 0x4000, 0xfff
	flagsAt := 40 + idSize // the flags follow 40 bytes of file data and the object id
	if len(data) < flagsAt+2 {
		return 0, 0
	}
	flags := binary.BigEndian.Uint16(data[flagsAt:])
	name := flagsAt + 2
	all = uint32(flags)
	if flags&extended != 0 {
		if version < 3 || len(data) < name+2 {
			return 0, 0
		}
		all |= uint32(binary.BigEndian.Uint16(data[name:])) << 16
		name += 2
	}
	length := int(flags & longName)
	if version == 4 || length == longName { // the name is compressed, or its length does not fit into the flags
		if length = bytes.IndexByte(data[min(name+prefixSize(data[name:], version), len(data)):], 0); length < 0 {
			return 0, 0
		}
	}
	if version == 4 {
		return name + prefixSize(data[name:], version) + length + 1, all
	}
	if n := (name + length + 8) &^ 7; n <= len(data) { // at least one NUL pads the entry to a multiple of eight bytes
		return n, all
	}
	return 0, 0
}

// prefixSize returns the length of the number in front of a name in index version 4. This number says how many bytes of the previous
// name to remove. Other versions do not have it.
func prefixSize(data []byte, version uint32) int {
	if version != 4 {
		return 0
	}
	for i, b := range data {
		if b < 0x80 {
			return i + 1
		}
	}
	return len(data)
}

// addsNoEntries reports whether the extensions after the entries add no further entries. The name of an optional extension begins with a
// capital letter. Of the required ones, we know only that "sdir" (sparse folders) adds none.
func addsNoEntries(data []byte) bool {
	for len(data) >= 8 {
		size := int(binary.BigEndian.Uint32(data[4:]))
		if first := data[0]; (first < 'A' || first > 'Z') && string(data[:4]) != "sdir" {
			return false
		}
		if size > len(data)-8 {
			return false
		}
		data = data[8+size:]
	}
	return len(data) == 0
}
