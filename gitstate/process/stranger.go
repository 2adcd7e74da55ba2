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

// nobody is the user id that the kernel shows for a user it cannot name here, and that network file systems give to root's files.
const nobody = 65534

// isStranger reports that a process has nothing to do with this repository, although we cannot see where it works:
// it belongs to another user who owns no file in the git dir. A user who works in a repository leaves files of his own
// there from the first step on. Without this check, any other user's git on the machine would make every operation look alive.
func isStranger(p locate.Place, g *guard.Dir, table proc.Table, pid int) bool {
	users, ok := table.Users(pid)
	if !ok || slices.Contains(users, dotgit.ThisUser()) || slices.Contains(users, nobody) {
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
		return !ok || owner == nobody || slices.Contains(users, owner)
	})
}

// traces lists the files that a git which works here writes sooner or later: the files of each worktree and of its operation,
// and the locks of refs.
func traces(p locate.Place, g *guard.Dir) []string {
	out := append(g.RefLocks(), p.CommonDir, p.CommonPath("refs"), p.CommonPath("logs"), p.CommonPath("reftable"))
	dirs := []string{p.CommonDir, p.CommonPath("worktrees"), p.CommonPath("reftable")}
	admins, _ := os.ReadDir(p.CommonPath("worktrees")) // an error means that there is no linked worktree
	for _, a := range admins {
		dirs = append(dirs, p.CommonPath("worktrees", a.Name()))
	}
	for _, dir := range dirs {
		for _, below := range []string{"", "rebase-merge", "rebase-apply", "sequencer"} {
			at := filepath.Join(dir, below)
			entries, _ := os.ReadDir(at) // most of these folders do not exist
			for _, e := range entries {
				out = append(out, filepath.Join(at, e.Name()))
			}
		}
	}
	return out
}
