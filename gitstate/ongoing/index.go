package ongoing

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
)

// indexLimit is the largest index that we read ourselves. For a larger index, asking git is faster.
const indexLimit = 64 << 20

// indexIsMerged reports whether the index certainly has no unmerged path. If it returns false, the caller must ask git. Many
// repositories have leftover files of old merges, and starting git every time because of them would be slow.
func indexIsMerged(r *gitstate.Repo) bool {
	path := filepath.Join(r.GitDir, "index")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true // without an index nothing is staged
	}
	if err != nil || !info.Mode().IsRegular() || info.Size() > indexLimit {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	idSize := 20
	if locate.ReadSettings(filepath.Join(r.CommonDir, "config"))["extensions.objectformat"] == "sha256" {
		idSize = 32
	}
	return allMerged(data, idSize)
}

// allMerged reads the entries of an index (see git's Documentation/gitformat-index) and checks only their merge stages.
func allMerged(data []byte, idSize int) bool {
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
		n := mergedEntry(data[at:end], version, idSize)
		if n == 0 {
			return false
		}
		at += n
	}
	return addsNoEntries(data[at:end])
}

// mergedEntry returns the length of an index entry, or 0 if the entry is unmerged or not understood.
func mergedEntry(data []byte, version uint32, idSize int) int {
	const stages, extended, longName = 0x3000, 0x4000, 0xfff
	flagsAt := 40 + idSize // the flags follow 40 bytes of file data and the object id
	if len(data) < flagsAt+2 {
		return 0
	}
	flags := binary.BigEndian.Uint16(data[flagsAt:])
	name := flagsAt + 2
	if flags&extended != 0 {
		name += 2
	}
	if flags&stages != 0 || flags&extended != 0 && version < 3 || name > len(data) {
		return 0
	}
	length := int(flags & longName)
	if version == 4 || length == longName { // the name is compressed, or its length does not fit into the flags
		if length = bytes.IndexByte(data[min(name+prefixSize(data[name:], version), len(data)):], 0); length < 0 {
			return 0
		}
	}
	if version == 4 {
		return name + prefixSize(data[name:], version) + length + 1
	}
	if n := (name + length + 8) &^ 7; n <= len(data) { // at least one NUL pads the entry to a multiple of eight bytes
		return n
	}
	return 0
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
