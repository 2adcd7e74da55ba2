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

// largestIndex is the size in bytes up to which Tracked searches the git index. In a larger repository, the user must list the folders in a
// setting.
const largestIndex = 64 << 20

// Tracked lists the folders with the given name that contain tracked files. It may omit the known folders. If the index contains no other
// such folder, Tracked starts no git process.
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

// mentionsMore reports whether the git index contains another folder with the given name, besides the known folders.
func mentionsMore(index []byte, name string, known []string) bool {
	for from := 0; ; from += len(name) {
		at := bytes.Index(index[from:], []byte(name))
		if at < 0 {
			return false
		}
		from += at
		end := from + len(name)
		if end >= len(index) || index[end] != '/' { // this is a file with the same name, or the folder's entry in the index's tree cache
			continue
		}
		isKnown := func(dir string) bool { return beginsPath(index, end-len(dir), dir) }
		if !slices.ContainsFunc(known, isKnown) {
			return true
		}
	}
}

// beginsPath reports whether a path below the folder dir starts at the given byte of the git index. In the usual index formats, the byte
// before a path is the low byte of its length. In other formats beginsPath returns false.
func beginsPath(index []byte, at int, dir string) bool {
	if at < 1 || !bytes.HasPrefix(index[at:], []byte(dir+"/")) {
		return false
	}
	length := bytes.IndexByte(index[at:], 0)
	return length > 0 && length < 0xfff && index[at-1] == byte(length)
}
