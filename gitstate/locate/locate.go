package locate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotRepository is the error for a directory that is not in a repository.
var ErrNotRepository = errors.New("not a git repository (or any of the parent directories)")

// ErrMoved is ErrNotRepository for a worktree whose file ".git" names a git dir that is not there, for example because the repository was
// moved.
var ErrMoved = fmt.Errorf("%w", ErrNotRepository)

// ErrNoDirectory says that the current directory was deleted.
var ErrNoDirectory = errors.New("the current directory no longer exists")

// Place holds the paths of a repository. The paths are absolute, and symbolic links in them are resolved where
// possible, as in git's output.
type Place struct {
	// GitDir belongs to one worktree; CommonDir is shared by all worktrees.
	GitDir    string
	CommonDir string
	// WorkTree is the top folder of the worktree. In a bare repository and inside the git dir, it is empty if neither a variable nor a
	// setting names a worktree.
	WorkTree string
	// Explicit is true if git might not find these paths by itself, so that we must pass them to git.
	Explicit bool
	// Extended is true if the repository uses an extension of git that not every version has, so that git may refuse it.
	Extended bool
	// Found is the folder in which the repository was found. It is empty if GIT_DIR named the repository.
	Found string
}

// Find finds the repository of dir as git would, but only by reading the file system.
func Find(dir string, env []string) (Place, error) {
	vars := Environ(env)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Place{}, fmt.Errorf("find the current directory: %w", err)
	}
	cwd := RealPath(abs)
	find := discover
	if _, ok := vars.Get("GIT_DIR"); ok {
		find = findNamed
	}
	p, err := find(cwd, vars)
	if err != nil {
		return Place{}, err
	}
	if c, ok := vars.Get("GIT_COMMON_DIR"); ok {
		p.CommonDir = AbsFrom(cwd, c)
	}
	chooseTree(&p, cwd, vars)
	p.GitDir, p.CommonDir = RealPath(p.GitDir), RealPath(p.CommonDir)
	if p.WorkTree != "" {
		p.WorkTree = RealPath(p.WorkTree)
	}
	return p, nil
}

// Main finds the main worktree of the repository from any of its worktrees. It returns false if there is no main worktree. It also returns
// false if the git dir does not record the path of the main worktree, as after "git init --separate-git-dir". If p itself is the main
// worktree, the path is known and the result is p.
func (p Place) Main() (main Place, ok bool) {
	if p.GitDir == p.CommonDir && p.WorkTree != "" {
		return p, true
	}
	s := readLayout(p.CommonDir, p.CommonDir)
	candidate := ""
	switch {
	case s.bare:
		return Place{}, false
	case s.workTree != "": // the git dir of a submodule records where its worktree is
		candidate = AbsFrom(p.CommonDir, s.workTree)
	case filepath.Base(p.CommonDir) == ".git":
		candidate = filepath.Dir(p.CommonDir)
	default:
		return Place{}, false
	}
	main, err := Find(candidate, nil)
	return main, err == nil && main.GitDir == p.CommonDir && main.WorkTree != ""
}

// CommonPath returns a path inside the directory that all worktrees share.
func (p Place) CommonPath(elem ...string) string {
	return filepath.Join(append([]string{p.CommonDir}, elem...)...)
}

// findNamed returns the repository that GIT_DIR names.
func findNamed(cwd string, vars Environ) (Place, error) {
	name, _ := vars.Get("GIT_DIR")
	dir := AbsFrom(cwd, name)
	if to, ok, err := readGitFile(dir); err != nil {
		return Place{}, err
	} else if ok {
		dir = to
	}
	if !isGitDir(dir) {
		return Place{}, fmt.Errorf("%w: '%s'", ErrNotRepository, name)
	}
	p := Place{GitDir: dir, CommonDir: commonOf(dir), WorkTree: cwd, Explicit: true}
	if implicit, ok := vars.Get("GIT_IMPLICIT_WORK_TREE"); ok && !IsTrue(implicit) {
		p.WorkTree = ""
	}
	return p, nil
}

// discover searches for a repository from the current directory upwards. It returns ErrNotRepository if it finds none.
func discover(cwd string, vars Environ) (Place, error) {
	ceilings := ceilingsOf(vars)
	for at := cwd; ; at = filepath.Dir(at) {
		if p, ok, err := placeAt(at); err != nil || ok {
			return p, err
		}
		up := filepath.Dir(at)
		if up == at || ceilings[up] {
			return Place{}, ErrNotRepository
		}
	}
}

// chooseTree changes or removes the worktree of p, if GIT_WORK_TREE or the repository's settings (core.bare, core.worktree)
// require it.
func chooseTree(p *Place, cwd string, vars Environ) {
	s := readLayout(p.GitDir, p.CommonDir)
	p.Extended = s.extended
	if w, ok := vars.Get("GIT_WORK_TREE"); ok {
		p.WorkTree, p.Explicit = AbsFrom(cwd, w), true
		return
	}
	if s.bare {
		p.WorkTree = ""
		return
	}
	if s.workTree != "" {
		p.WorkTree, p.Explicit = AbsFrom(p.GitDir, s.workTree), true
	}
}

// placeAt looks for a repository in this directory only, not in its parents.
func placeAt(dir string) (Place, bool, error) {
	dot := filepath.Join(dir, ".git")
	if to, ok, err := readGitFile(dot); err != nil {
		return Place{}, false, err
	} else if ok {
		if !isGitDir(to) {
			return Place{}, false, fmt.Errorf("%w: %s", ErrMoved, to)
		}
		return Place{GitDir: to, CommonDir: commonOf(to), WorkTree: dir, Found: dir}, true, nil
	}
	if isGitDir(dot) {
		return Place{GitDir: dot, CommonDir: commonOf(dot), WorkTree: dir, Found: dir}, true, nil
	}
	if isGitDir(dir) {
		return Place{GitDir: dir, CommonDir: commonOf(dir), Found: dir}, true, nil
	}
	return Place{}, false, nil
}

// readGitFile reads a ".git" that is a file ("gitdir: PATH") and returns the path in it. If ".git" is missing or is not a regular file, ok
// is false and there is no error.
func readGitFile(path string) (to string, ok bool, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false, nil
	}
	text, err := ReadFile(path)
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", path, err)
	}
	rest, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", false, fmt.Errorf("%w: '%s' does not begin with 'gitdir: '", ErrNotRepository, path)
	}
	return AbsFrom(filepath.Dir(path), strings.TrimRight(rest, "\r\n")), true, nil
}

// isGitDir reports whether a folder looks like a git dir: it has a HEAD, and its common directory contains objects and refs.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	common := commonOf(dir)
	for _, sub := range []string{"objects", "refs"} {
		info, err := os.Stat(filepath.Join(common, sub))
		if err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func commonOf(gitDir string) string {
	text, err := ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	to := strings.TrimRight(string(text), "\r\n")
	if to == "" {
		// The file "commondir" is empty if "git worktree add" was killed. git would have written "../..", so use that.
		to = "../.."
	}
	// If gitDir is a symbolic link, ".." is relative to the target of the link.
	return AbsFrom(RealPath(gitDir), to)
}

// AbsFrom returns a path in absolute form. A relative path is taken as relative to the folder dir.
func AbsFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// RealPath resolves all symbolic links. If that fails, it returns the path unchanged.
func RealPath(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// ceilingsOf returns the directories in GIT_CEILING_DIRECTORIES, at which git stops searching for a repository. As in
// git, an empty entry means that symbolic links are not resolved in the entries after it.
func ceilingsOf(vars Environ) map[string]bool {
	list, ok := vars.Get("GIT_CEILING_DIRECTORIES")
	if !ok {
		return nil
	}
	out := map[string]bool{}
	follow := true
	for _, dir := range filepath.SplitList(list) {
		switch {
		case dir == "":
			follow = false
		case filepath.IsAbs(dir) && follow:
			out[RealPath(dir)] = true
		case filepath.IsAbs(dir):
			out[filepath.Clean(dir)] = true
		}
	}
	return out
}
