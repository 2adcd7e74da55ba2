package trash

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
)

// gcAtWork: a gc that began before our refs may still delete what they name.
func gcAtWork(repo *gitstate.Repo) bool {
	at, known := collectors(repo)
	return !known || len(at) > 0
}

// collectors are the processes here that delete objects, by when they began; known is false if some cannot be seen from here.
func collectors(repo *gitstate.Repo) (found map[int]string, known bool) {
	found = map[int]string{}
	line := place.FirstLine(repo.CommonPath("gc.pid"))
	pid, host, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(pid)
	var table proc.Table
	known = true
	if err == nil {
		p, alive := table.Get(n)
		known = host == table.Host().Name
		if alive {
			found[n] = p.Start
		}
	}
	at, seen := table.At([]string{repo.CommonDir, worktree.MainDir(repo)})
	for _, p := range at {
		if isCollector(p) {
			found[p.PID] = p.Start
		}
	}
	return found, known && seen
}

// isCollector knows the git commands that delete objects.
func isCollector(p proc.Process) bool {
	return len(p.Args) > 1 && strings.HasPrefix(filepath.Base(p.Args[0]), "git") &&
		slices.ContainsFunc(p.Args[1:], func(arg string) bool {
			return arg == "gc" || arg == "prune" || arg == "repack" || arg == "maintenance" || arg == "prune-packed"
		})
}

// anyLives reports whether one of some processes is still there.
func anyLives(at map[int]string) bool {
	var table proc.Table
	for pid, start := range at {
		if p, alive := table.Get(pid); alive && p.Start == start {
			return true
		}
	}
	return false
}
