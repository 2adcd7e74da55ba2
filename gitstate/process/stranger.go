package process

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/proc"
)

// nobodyUID is the user id that the kernel shows for a user that is unknown here. Network file systems give it to root's files.
const nobodyUID = 65534

// isStranger reports whether a process belongs to another user who has never worked in this repository: the user owns none of the files
// that git writes there. It is used if we cannot see in which folder a git process works. The git process of a stranger is assumed to work
// in another repository.
func isStranger(p locate.Place, g *guard.Dir, table proc.Table, pid int) bool {
	users, ok := table.Users(pid)
	if !ok || slices.Contains(users, dotgit.ThisUser()) || slices.Contains(users, nobodyUID) {
		return false
	}
	return !slices.ContainsFunc(traces(p, g), func(path string) bool {
		info, err := os.Lstat(path)
		if os.IsNotExist(err) {
			return false
		}
		if err != nil {
			return true
		}
		owner, ok := dotgit.OwnerOf(info)
		return !ok || owner == nobodyUID || slices.Contains(users, owner)
	})
}

// traces lists files in the git dir that git writes while it works: the files of each worktree and of its operation, and the locks of
// refs.
func traces(p locate.Place, g *guard.Dir) []string {
	out := append(g.RefLocks(), p.CommonDir, p.CommonPath("refs"), p.CommonPath("logs"), p.CommonPath("reftable"))
	dirs := []string{p.CommonDir, p.CommonPath("worktrees"), p.CommonPath("reftable")}
	admins, _ := os.ReadDir(p.CommonPath("worktrees")) // the folder is missing if there is no linked worktree
	for _, a := range admins {
		dirs = append(dirs, p.CommonPath("worktrees", a.Name()))
	}
	for _, dir := range dirs {
		for _, below := range []string{"", "rebase-merge", "rebase-apply", "sequencer"} {
			at := filepath.Join(dir, below)
			entries, _ := os.ReadDir(at) // most of these folders do not exist, because most worktrees have no operation in progress
			for _, e := range entries {
				out = append(out, filepath.Join(at, e.Name()))
			}
		}
	}
	return out
}
