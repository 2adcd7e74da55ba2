package builtin

import (
	"cmp"
	"github.com/git-resume/git-resume/conflicts/clash"
	"slices"
	"strings"
)

// walk is the order in which git visits the paths of one side when it looks for renames. If several of the files are identical, this order
// decides which of them git first takes for a renamed file. Directories that only this side changed come last, in the order of a hash
// table.
type walk struct {
	merger *merger
	// busy holds the directories in which the other side changed something.
	busy map[string]bool
	// watched contains the directories that one side removed and to which the other side added files. git visits them at
	// once and does not postpone them.
	watched [3]map[string]bool
	other   int
	buckets uint32
}

func (m *merger) walkOf(side int, watched [3]map[string]bool) *walk {
	w := &walk{merger: m, busy: map[string]bool{}, watched: watched, other: clash.Other(side), buckets: 64}
	for _, d := range m.Changed[clash.Other(side)] {
		for dir := dirOf(d.Path); dir != "" && !w.busy[dir]; dir = dirOf(dir) {
			w.busy[dir] = true
		}
	}
	late := map[string]bool{}
	for _, d := range m.Changed[side] {
		late[w.postponedDir(d.Path)] = true
	}
	delete(late, "")
	for uint32(len(late)) > w.buckets*4/5 {
		w.buckets *= 4
	}
	return w
}

// postponedDir returns the postponed directory that contains the path, or "" if the path is not postponed.
func (w *walk) postponedDir(path string) string {
	for i, c := range path {
		if c != '/' {
			continue
		}
		dir := path[:i]
		if w.watched[clash.InOurs][dir] || w.watched[clash.InTheirs][dir] {
			return ""
		}
		// A directory is not postponed if the other side changed something in it, or changed a file with the directory's
		// name.
		if e := w.merger.paths[dir]; !w.busy[dir] && (e == nil || e.at[w.other] == e.at[clash.InBase]) {
			return dir
		}
	}
	return ""
}

func (w *walk) sort(paths []string) {
	slices.SortFunc(paths, func(a, b string) int {
		x, y := w.postponedDir(a), w.postponedDir(b)
		switch {
		case x == y:
			return strings.Compare(a, b)
		case x == "":
			return -1
		case y == "":
			return 1
		}
		// git adds the directories to a hash table in the order of their names. Within one bucket, the directory that was added last comes
		// first.
		return cmp.Or(cmp.Compare(w.bucket(x), w.bucket(y)), strings.Compare(y, x))
	})
}

// bucket returns the bucket of a name in git's hash table (32-bit FNV-1).
func (w *walk) bucket(name string) uint32 {
	h := uint32(0x811c9dc5)
	for i := range len(name) {
		h = h*0x01000193 ^ uint32(name[i])
	}
	return h & (w.buckets - 1)
}
