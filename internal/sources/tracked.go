package sources

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/process"
)

// largestIndex is the size of the largest index that is searched for a name; with a larger one the user must name folders in a setting.
const largestIndex = 64 << 20

// Tracked lists the folders of this name that hold tracked files; it may leave out those that are known already.
// If there are no others, it only reads the index and starts no process.
func (v *View) Tracked(ctx context.Context, t Tree, name string, known []string) ([]string, error) {
	index := filepath.Join(t.GitDir, "index")
	info, err := os.Stat(index)
	if err != nil || info.Size() > largestIndex || info.Size() > piece && !holds(index, name) {
		return nil, nil
	}
	data, err := locate.ReadFile(index)
	if err != nil || !mentionsMore(data, name, known) {
		return nil, nil // git itself reports an index that cannot be read
	}
	out, err := v.Repo.At(t.Place).Git(ctx, process.Call{Args: []string{"ls-files", "-z", "--", ":(top,glob)**/" + name + "/**"}})
	if err != nil {
		return nil, fmt.Errorf("list tracked files below %s: %w", name, err)
	}
	var dirs []string
	for file := range strings.SplitSeq(string(out), "\x00") {
		before, _, ok := strings.Cut("/"+file, "/"+name+"/")
		dir := strings.TrimPrefix(before+"/"+name, "/")
		if ok && !slices.Contains(dirs, dir) {
			dirs = append(dirs, dir)
		}
	}
	return dirs, nil
}

// mentionsMore reports whether an index contains a folder of this name other than the known ones.
func mentionsMore(index []byte, name string, known []string) bool {
	for from := 0; ; from += len(name) {
		at := bytes.Index(index[from:], []byte(name))
		if at < 0 {
			return false
		}
		from += at
		end := from + len(name)
		if end >= len(index) || index[end] != '/' { // a file of that name, or the folder in the cached trees after the entries
			continue
		}
		isKnown := func(dir string) bool { return beginsPath(index, end-len(dir), dir) }
		if !slices.ContainsFunc(known, isKnown) {
			return true
		}
	}
}

// beginsPath reports whether an index entry starts at a position and lies in this folder. The byte before a path is the low byte
// of its length; for an index in another format the answer is false.
func beginsPath(index []byte, at int, dir string) bool {
	if at < 1 || !bytes.HasPrefix(index[at:], []byte(dir+"/")) {
		return false
	}
	length := bytes.IndexByte(index[at:], 0)
	return length > 0 && length < 0xfff && index[at-1] == byte(length)
}
