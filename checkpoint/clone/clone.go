package clone

import (
	"encoding/json"
	"runtime"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// cloneFile says which copy of a repository this is.
type cloneFile struct {
	ID    string `json:"id"`
	Inode string `json:"inode"`
}

func clonePath(r *gitstate.Repo) string { return r.CommonPath("resume", "clone") }

// ID names this copy of the repository, or is empty if nothing was ever written from it.
// The id holds only for the directory in which it was made: a copied repository has another inode,
// and what the original's processes do cannot be seen from the copy.
func ID(r *gitstate.Repo) string {
	var c cloneFile
	text, err := files.ReadSmall(clonePath(r))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return ""
	}
	// Older versions put the number of the device before the inode, which changes at a remount.
	if _, inode, ok := strings.Cut(c.Inode, ":"); ok && runtime.GOOS != "windows" {
		c.Inode = inode
	}
	if c.Inode != inodeOf(r.CommonDir) {
		return ""
	}
	return c.ID
}

// Ensure gives this copy of the repository its name, if it has none yet.
func Ensure(r *gitstate.Repo, fresh string) (string, error) {
	if id := ID(r); id != "" {
		return id, nil
	}
	text, err := json.Marshal(cloneFile{ID: fresh, Inode: deviceOf(r.CommonDir) + inodeOf(r.CommonDir)})
	if err != nil {
		return "", err
	}
	if err := dotgit.WriteFile(clonePath(r), append(text, '\n')); err != nil {
		return "", err
	}
	return ID(r), nil
}
