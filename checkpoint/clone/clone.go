package clone

import (
	"encoding/json"
	"runtime"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// cloneFile is the content of the file with this clone's id. It also records the inode of the directory for which the id was made.
type cloneFile struct {
	ID    string `json:"id"`
	Inode string `json:"inode"`
}

func clonePath(r *gitstate.Repo) string { return r.CommonPath("resume", "clone") }

// ID returns the id of this clone, or "" if it has none yet. In a copied repository, the stored id does not count, because the copy is a
// clone of its own.
func ID(r *gitstate.Repo) string {
	var c cloneFile
	text, err := files.ReadSmall(clonePath(r))
	if err != nil || json.Unmarshal(text, &c) != nil {
		return ""
	}
	// The file has the device number before the inode, because older versions expect it. Ignore the device number, because a remount
	// changes it.
	if _, inode, ok := strings.Cut(c.Inode, ":"); ok && runtime.GOOS != "windows" {
		c.Inode = inode
	}
	if c.Inode != inodeOf(r.CommonDir) {
		return ""
	}
	return c.ID
}

// Ensure returns the id of this clone. If the clone has no id yet, Ensure stores the second argument as its id.
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
