package process

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/proc"
)

// AtWork reports whether a git process that may hold a lock is running in this repository, in any of its worktrees. It also returns true
// if we cannot list the processes. Our own parent processes count: git holds its locks while it waits for a hook that runs us.
func AtWork(at locate.Place, g *guard.Dir) bool {
	var table proc.Table
	pids, known := table.All()
	if !known {
		return true
	}
	return slices.ContainsFunc(pids, func(pid int) bool {
		p, ok := table.Get(pid)
		return ok && mayLock(table, p) && worksHere(at, g, table, p)
	})
}

// worksHere reports whether a git process is working in this repository. A living process whose folder we cannot see
// counts as working here, except a stranger's (see isStranger).
func worksHere(at locate.Place, g *guard.Dir, table proc.Table, p proc.Process) bool {
	dir, env, ok := surroundings(table, p.PID)
	if !ok {
		_, there := table.Get(p.PID)
		return there && !isStranger(at, g, table, p.PID) // unknown folder: a living process counts as working here, except a stranger's
	}
	if named := namedGitDir(p.Args); named != "" {
		env = append(env, "GIT_DIR="+named)
	}
	place, err := locate.Find(dir, env)
	return err == nil && place.CommonDir == at.CommonDir
}

// mayLock reports whether a process is a git process that may hold a lock. It is false for a few commands that take no lock, such as
// "cat-file", and for "git resume" itself. It is also false for a command in markedCommands if git-resume runs it. Such a command is safe,
// because git-resume lists its locks in a mark file, or because it takes none.
func mayLock(table proc.Table, p proc.Process) bool {
	if len(p.Args) == 0 || !isGit(p.Args[0]) {
		return false
	}
	command := subcommand(p.Args)
	switch command {
	case "resume", "cat-file", "diff-tree", "fsmonitor--daemon":
		return false
	}
	if !slices.Contains(markedCommands, command) {
		return true
	}
	parent, ok := table.Get(p.PPID)
	return !ok || len(parent.Args) == 0 || programName(parent.Args[0]) != "git-resume"
}

// markedCommands are git commands that are safe if git-resume runs them: they take no lock, or git-resume first lists their locks in a
// mark file.
var markedCommands = []string{"update-ref", "update-index", "write-tree", "commit-tree", "unpack-objects", "index-pack", "hash-object",
	"status", "config", "for-each-ref", "rev-parse"}

func isGit(argv0 string) bool {
	name := programName(argv0)
	return name == "git" || strings.HasPrefix(name, "git-") && name != "git-resume"
}

func programName(argv0 string) string {
	return strings.TrimSuffix(filepath.Base(argv0), ".exe")
}

// subcommand returns the git command in the arguments, such as "commit", or "" if there is none.
func subcommand(args []string) string {
	if name, ok := strings.CutPrefix(programName(args[0]), "git-"); ok {
		return name
	}
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case takesValue(arg):
			i++
		case !strings.HasPrefix(arg, "-"):
			return arg
		}
	}
	return ""
}

func takesValue(option string) bool {
	return slices.Contains([]string{"-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path", "--super-prefix", "--config-env"}, option)
}

// namedGitDir returns the value of --git-dir, or "" if it was not given.
func namedGitDir(args []string) string {
	for i, arg := range args {
		if v, ok := strings.CutPrefix(arg, "--git-dir="); ok {
			return v
		}
		if arg == "--git-dir" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return ""
}

// Workers lists the processes that work on an operation in this worktree: git itself, and scripts that git started, such as hooks. If
// git-resume was called by a hook, the list also contains this hook and the git that waits for it.
//
// The result "known" is false if the list may be incomplete, because the processes cannot be listed, or because we cannot see in which
// folder one of the git processes works. In the second case, a git process of another user who has never worked in this repository does not
// count: it is assumed to work elsewhere.
func Workers(at locate.Place, g *guard.Dir, table proc.Table) (found []proc.Process, known bool) {
	pids, known := table.All()
	if !known {
		return nil, false
	}
	for _, pid := range pids {
		p, ok := table.Get(pid)
		if !ok || len(p.Args) == 0 {
			continue
		}
		git := isGit(p.Args[0]) && !slices.Contains(bystanders, subcommand(p.Args))
		if !git && !proc.IsScript(p.Args) {
			continue
		}
		dir, env, ok := surroundings(table, pid)
		if !ok {
			_, there := table.Get(pid)
			known = known && (!there || !git || isStranger(at, g, table, pid))
			continue
		}
		if !git && !startedByGit(env) {
			continue
		}
		if named := namedGitDir(p.Args); git && named != "" {
			env = append(env, "GIT_DIR="+named)
		}
		if place, err := locate.Find(dir, env); err == nil && place.GitDir == at.GitDir {
			found = append(found, p)
		}
	}
	return found, known
}

// Makers lists the git processes that seem to be making a worktree at a path. A program that was killed may leave such a git running.
func Makers(table proc.Table, path string) []proc.Process {
	pids, _ := table.All() // if no process can be seen, Makers finds none
	var found []proc.Process
	for _, pid := range pids {
		p, ok := table.Get(pid)
		if !ok || len(p.Args) == 0 || !isGit(p.Args[0]) {
			continue
		}
		dir, env, ok := surroundings(table, pid)
		if !ok {
			continue
		}
		var named []string
		if subcommand(p.Args) == "worktree" && slices.Contains(p.Args, "add") {
			named = p.Args[1:]
		}
		for _, v := range env { // "git worktree add" starts another git to check out the files, and passes the path to it in GIT_WORK_TREE
			if at, ok := strings.CutPrefix(v, "GIT_WORK_TREE="); ok {
				named = append(named, at)
			}
		}
		if slices.ContainsFunc(named, func(name string) bool { return samePlace(dir, name, path) }) {
			found = append(found, p)
		}
	}
	return found
}

// samePlace reports whether a name relative to dir and a path mean the same file or folder. The file or folder need not exist, but its
// parent folder must.
func samePlace(dir, name, path string) bool {
	if !filepath.IsAbs(name) {
		name = filepath.Join(dir, name)
	}
	if filepath.Base(name) != filepath.Base(path) {
		return false
	}
	a, errA := filepath.EvalSymlinks(filepath.Dir(name))
	b, errB := filepath.EvalSymlinks(filepath.Dir(path))
	return errA == nil && errB == nil && a == b
}

// surroundings returns the folder and the environment of a process. It tries several times, because a process that is just ending shows
// nothing for a moment.
func surroundings(table proc.Table, pid int) (dir string, env []string, ok bool) {
	for range 5 {
		if dir, env, ok = table.Surroundings(pid); ok {
			return dir, env, true
		}
		if _, there := table.Get(pid); !there {
			return "", nil, false
		}
		time.Sleep(2 * time.Millisecond)
	}
	return "", nil, false
}

// bystanders are git commands that never carry out an operation such as a rebase. Most of them only show something, or keep a window or a
// server open.
var bystanders = []string{"resume", "cat-file", "fsmonitor--daemon", "log", "diff", "show", "status", "grep", "blame", "shortlog", "ls-files",
	"ls-tree", "rev-parse", "rev-list", "for-each-ref", "diff-files", "diff-index", "diff-tree", "describe", "name-rev", "config", "var",
	"help", "gui", "citool", "daemon", "credential-cache--daemon", "web--browse", "whatchanged", "reflog", "symbolic-ref", "merge-tree", "merge-base", "range-diff"}

// startedByGit reports whether git started a process in the middle of an operation. It looks for environment variables that git sets for
// such processes.
func startedByGit(env []string) bool {
	return slices.ContainsFunc(env, func(v string) bool {
		return strings.HasPrefix(v, "GIT_REFLOG_ACTION=") || strings.HasPrefix(v, "GIT_INDEX_FILE=") || strings.HasPrefix(v, "GIT_CHERRY_PICK_HELP=")
	})
}
