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

// intentToAdd is the flag of a file that was added with "git add -N", which adds only its name.
const intentToAdd = 0x2000 << 16

// List is what the index of a worktree says about its files.
type List struct {
	file *file
	// The slice "at" has the position of each entry in the index file. The entries are sorted by name.
	at []int
	// The slice "names" has the full names of the entries, if the index stores shortened names.
	names [][]byte
	// none is true if there is no index.
	none bool
}

// Unknown is an index that was not read. Its methods answer that they are not sure.
var Unknown = &List{}

// Read reads the index of a worktree. If it does not understand the index, the methods of the returned List answer that they are not sure.
func Read(gitDir, commonDir string) *List {
	f, err := open(gitDir, commonDir)
	if err != nil {
		return &List{none: errors.Is(err, fs.ErrNotExist)}
	}
	if len(f.data) == 0 {
		return &List{none: true} // for example after a power cut
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

// Empty reports whether the index certainly has no entries, most often because there is none.
func (l *List) Empty() bool { return l.none || l.file != nil && len(l.at) == 0 }

// MayHave returns false if a file is certainly not in the index, and true otherwise.
func (l *List) MayHave(path string) bool {
	if l.file == nil {
		return !l.none
	}
	_, found := l.find(path)
	return found
}

func (l *List) find(path string) (e entry, found bool) {
	name := []byte(path)
	i, found := sort.Find(len(l.at), func(i int) int { return bytes.Compare(name, l.name(i)) })
	if found {
		e = entry{version: l.file.version, idSize: l.file.idSize}
		e.read(l.file.data[l.at[i]:])
	}
	return e, found
}

func (l *List) name(i int) []byte {
	if l.names != nil {
		return l.names[i]
	}
	e := entry{version: l.file.version, idSize: l.file.idSize}
	e.read(l.file.data[l.at[i]:])
	return e.name
}

// Folders returns the paths of all folders with the given name that have files in the index. It leaves out a folder that is inside
// another folder of that name. The bool is false if the index was not understood.
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

// Unchanged returns the version of a file in the index. The bool is true only if the file in the worktree has certainly not changed since
// git last read it. Like git, Unchanged compares the stored size, times and so on. The argument "top" is the top folder of the worktree.
// An unchanged file may differ from HEAD, for example after 'git reset --soft'.
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

// Altered reports whether a file below a folder may have been changed or removed since git last read it. It looks only at files of the index.
func (l *List) Altered(top, dir string) bool {
	if l.file == nil {
		return !l.none
	}
	below := []byte(dir + "/")
	first := sort.Search(len(l.at), func(i int) bool { return bytes.Compare(l.name(i), below) >= 0 })
	for i := first; i < len(l.at) && bytes.HasPrefix(l.name(i), below); i++ {
		if _, same := l.Unchanged(top, string(l.name(i))); !same {
			return true
		}
	}
	return false
}

// isTree reports whether the entries are exactly those of a tree whose id git has stored in the index. git removes this id when anything
// is staged, and stores an id again later, for example at the next commit.
func (f *file) isTree() bool {
	count, known := bytes.CutPrefix(f.trees, []byte{0}) // the first tree is that of the whole worktree, so its name is empty
	return known && len(count) > 0 && count[0] != '-'   // the count -1 means that git has removed the id
}

// seen returns what git stored about the file.
func (e *entry) seen() seen {
	field := func(i int) uint32 { return binary.BigEndian.Uint32(e.fixed[4*i:]) }
	return seen{
		changed: stamp{field(0), field(1)}, modified: stamp{field(2), field(3)},
		inode: field(5), mode: field(6), uid: field(7), gid: field(8), size: field(9),
	}
}

// seen is what git stores about a file to notice changes. The fields have the sizes that they have in the index. As in git, the device is
// left out, because its number may change when the computer starts.
type seen struct {
	changed, modified           stamp
	inode, mode, uid, gid, size uint32
}

type stamp struct{ seconds, nanoseconds uint32 }

// wasBefore reports whether the file was modified before the time at which the index was written. If both times are equal, a later change
// of the file can have the same stamp and would not be noticed.
func (s seen) wasBefore(t time.Time) bool {
	return time.Unix(int64(s.modified.seconds), int64(s.modified.nanoseconds)).Before(t)
}
