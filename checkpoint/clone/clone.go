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

// ID returns the name of this copy of the repository, or an empty string if nothing was ever written from it.
// The id is valid only in the directory in which it was made: a copied repository has another inode,
// and the copy cannot see what the original's processes do.
func ID(r *gitstate.Repo) string {
	var c cloneFile
	text, err := files.ReadSmall(clonePath(r))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return ""
	}
	// Older versions put the device number before the inode, but a remount changes the device number.
	if _, inode, ok := strings.Cut(c.Inode, ":"); ok && runtime.GOOS != "windows" {
		c.Inode = inode
	}
	if c.Inode != inodeOf(r.CommonDir) {
		return ""
	}
	return c.ID
}

// Ensure returns the name of this copy of the repository, and gives it the fresh one if it has none yet.
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
