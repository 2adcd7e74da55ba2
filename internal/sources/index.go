package sources

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/gitstate/locate"
)

// indexFile is the index of a worktree. It is unclear if it does not have the full path of every file, or is too large to be searched.
type indexFile struct {
	data    []byte
	unclear bool
}

// largestSearched is the size in bytes up to which an index is searched for each file.
const largestSearched = 4 << 20

func readIndex(gitDir string) *indexFile {
	path := filepath.Join(gitDir, "index")
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &indexFile{}
	}
	if err != nil || info.Size() > largestSearched {
		return &indexFile{unclear: true}
	}
	data, err := locate.ReadFile(path)
	const version = 7 // the place of the version number's last byte
	// Version 4 shortens paths, and an index with the extension "link" has only a part of them.
	unclear := err != nil || len(data) <= version || data[version] > 3 || bytes.Contains(data, []byte("link\x00"))
	return &indexFile{data, unclear}
}

// mayHave returns false if the index certainly does not have a file.
func (x *indexFile) mayHave(file string) bool {
	return x.unclear || bytes.Contains(x.data, []byte(file+"\x00"))
}

// only leaves out the files that are certainly not in the index.
func (x *indexFile) only(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !x.mayHave(f) })
}
