package index

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"sort"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// intentToAdd is the flag of a file of which only the name was added.
const intentToAdd = 0x2000 << 16

// List is what the index of a worktree says about its files.
type List struct {
	file *file
	// at has the place of each entry in the file. The entries are sorted by name. It is nil if the index was not understood.
	at []int
	// names has the names of the entries if the index shortens them.
	names [][]byte
	// none means that there is no index.
	none bool
}

// Read reads the index of a worktree. Where it is not understood, the list is sure of nothing.
func Read(gitDir, commonDir string) *List {
	f, err := open(gitDir, commonDir)
	if err != nil {
		return &List{none: errors.Is(err, fs.ErrNotExist)}
	}
	l := &List{file: f}
	if !f.each(func(e *entry) bool {
		l.at = append(l.at, e.at)
		if e.version == 4 {
			l.names = append(l.names, bytes.Clone(e.name))
		}
		return true
	}) {
		return &List{}
	}
	return l
}

// MayHave returns false if a file is certainly not in the index.
func (l *List) MayHave(path string) bool {
	if l.file == nil {
		return !l.none
	}
	_, found := l.find(path)
	return found
}

// find searches for the entry of a file.
func (l *List) find(path string) (e entry, found bool) {
	name := []byte(path)
	i, found := sort.Find(len(l.at), func(i int) int { return bytes.Compare(name, l.name(i)) })
	if found {
		e = entry{version: l.file.version, idSize: l.file.idSize}
		e.read(l.file.data[l.at[i]:])
	}
	return e, found
}

// name returns the name of an entry.
func (l *List) name(i int) []byte {
	if l.names != nil {
		return l.names[i]
	}
	e := entry{version: l.file.version, idSize: l.file.idSize}
	e.read(l.file.data[l.at[i]:])
	return e.name
}

// Folders returns the folders with a name that have files in the index. It returns false if it is not sure.
func (l *List) Folders(name string) (dirs []string, sure bool) {
	if l.file == nil {
		return nil, l.none
	}
	inner, first := []byte("/"+name+"/"), []byte(name+"/")
	for i := range l.at {
		at, path := 0, l.name(i)
		if !bytes.HasPrefix(path, first) {
			if at = bytes.Index(path, inner) + 1; at == 0 {
				continue
			}
		}
		if dir := path[:at+len(name)]; !slices.Contains(dirs, string(dir)) {
			dirs = append(dirs, string(dir))
		}
	}
	return dirs, true
}

// Unchanged returns what the index has of a file, if the file below the folder top certainly has not changed since. It believes what git
// stored about the file when it last read it, as git itself does. It is sure of nothing if something is staged. The file may still differ
// from HEAD, for example after 'git reset --soft'.
func (l *List) Unchanged(top, path string) (object.Version, bool) {
	if l.file == nil || !l.file.isTree() {
		return object.Version{}, false
	}
	e, found := l.find(path)
	if !found || e.flags&(stages|assumeUnchanged|skipWorktree|intentToAdd) != 0 {
		return object.Version{}, false
	}
	now, ok := look(filepath.Join(top, filepath.FromSlash(path)))
	if !ok || now != e.seen() || !now.wasBefore(l.file.written) {
		return object.Version{}, false
	}
	return object.Version{Mode: now.mode, ID: object.ID(hex.EncodeToString(e.fixed[fileData:]))}, true
}

// isTree reports whether the entries are those of one tree. Whatever is added or removed makes git forget the tree until the next commit.
func (f *file) isTree() bool {
	count, known := bytes.CutPrefix(f.trees, []byte{0}) // the first tree has no name, because it is the one of the whole worktree
	return known && len(count) > 0 && count[0] != '-'   // -1 entries: it is not known
}

// seen returns what git stored about the file.
func (e *entry) seen() seen {
	field := func(i int) uint32 { return binary.BigEndian.Uint32(e.fixed[4*i:]) }
	return seen{
		changed: stamp{field(0), field(1)}, modified: stamp{field(2), field(3)},
		inode: field(5), mode: field(6), uid: field(7), gid: field(8), size: field(9),
	}
}

// seen is what git stores about a file to notice changes. The fields have the sizes that they have in the index. The device is left out,
// as in git, because it may get another number with every start of the computer.
type seen struct {
	changed, modified           stamp
	inode, mode, uid, gid, size uint32
}

// stamp is a point in time.
type stamp struct{ seconds, nanoseconds uint32 }

// wasBefore reports whether the file was modified before a time. A file that was modified while the index was written may have changed
// after git read it, without another stamp.
func (s seen) wasBefore(t time.Time) bool {
	return time.Unix(int64(s.modified.seconds), int64(s.modified.nanoseconds)).Before(t)
}
