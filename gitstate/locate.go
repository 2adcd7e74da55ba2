package gitstate

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrNotRepository says that no repository holds the directory.
var ErrNotRepository = errors.New("not a git repository (or any of the parent directories)")

// Place says where a repository lies. All paths are absolute.
type Place struct {
	// GitDir belongs to one worktree, CommonDir to all of them.
	GitDir    string
	CommonDir string
	// WorkTree is the top of the work tree; empty in a bare repository or below the git dir.
	WorkTree string
	// explicit: the user named the git dir (GIT_DIR), so git must be told it too.
	explicit bool
	// prefix is where the user stands.
	cwd string
}

// Locate finds the repository of dir as git would, from the file system alone.
func Locate(dir string, env []string) (Place, error) {
	vars := newEnviron(env)
	abs, err := filepath.Abs(dir)
	if err != nil {
		return Place{}, fmt.Errorf("find the current directory: %w", err)
	}
	if named, ok := vars.get("GIT_DIR"); ok {
		return locateNamed(abs, named, vars)
	}
	ceilings := ceilingsOf(vars)
	for at := abs; ; at = filepath.Dir(at) {
		if p, ok, err := placeAt(at); err != nil || ok {
			p.cwd = abs
			return p, err
		}
		up := filepath.Dir(at)
		if up == at || ceilings[up] {
			return Place{}, ErrNotRepository
		}
	}
}

func locateNamed(cwd, named string, vars environ) (Place, error) {
	dir := absFrom(cwd, named)
	if to, ok, err := readGitFile(dir); err != nil {
		return Place{}, err
	} else if ok {
		dir = to
	}
	if !isGitDir(dir) {
		return Place{}, fmt.Errorf("%w: '%s'", ErrNotRepository, named)
	}
	p := Place{GitDir: dir, CommonDir: commonOf(dir), WorkTree: cwd, explicit: true, cwd: cwd}
	if c, ok := vars.get("GIT_COMMON_DIR"); ok {
		p.CommonDir = absFrom(cwd, c)
	}
	if w, ok := vars.get("GIT_WORK_TREE"); ok {
		p.WorkTree = absFrom(cwd, w)
	}
	return p, nil
}

// placeAt looks for a repository in exactly this directory.
func placeAt(dir string) (Place, bool, error) {
	dot := filepath.Join(dir, ".git")
	if to, ok, err := readGitFile(dot); err != nil {
		return Place{}, false, err
	} else if ok {
		if !isGitDir(to) {
			return Place{}, false, fmt.Errorf("%w: %s", ErrNotRepository, to)
		}
		return Place{GitDir: to, CommonDir: commonOf(to), WorkTree: dir}, true, nil
	}
	if isGitDir(dot) {
		return Place{GitDir: dot, CommonDir: commonOf(dot), WorkTree: dir}, true, nil
	}
	if isGitDir(dir) {
		return Place{GitDir: dir, CommonDir: commonOf(dir)}, true, nil
	}
	return Place{}, false, nil
}

// readGitFile follows a ".git" that is a file ("gitdir: PATH").
func readGitFile(path string) (to string, ok bool, err error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", false, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", false, fmt.Errorf("read %s: %w", path, err)
	}
	rest, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", false, fmt.Errorf("%w: '%s' is no git file", ErrNotRepository, path)
	}
	return absFrom(filepath.Dir(path), strings.TrimRight(rest, "\r\n")), true, nil
}

// isGitDir tests what git tests: a HEAD, and objects and refs here or in the common directory.
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
	text, err := os.ReadFile(filepath.Join(gitDir, "commondir"))
	if err != nil {
		return gitDir
	}
	to := strings.TrimRight(string(text), "\r\n")
	if to == "" {
		// A kill in "worktree add" leaves the file empty; its content is always this.
		to = "../.."
	}
	return absFrom(gitDir, to)
}

func absFrom(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// ceilingsOf are the directories above which git does not look.
func ceilingsOf(vars environ) map[string]bool {
	list, ok := vars.get("GIT_CEILING_DIRECTORIES")
	if !ok {
		return nil
	}
	out := map[string]bool{}
	for _, dir := range filepath.SplitList(list) {
		if filepath.IsAbs(dir) {
			out[filepath.Clean(dir)] = true
		}
	}
	return out
}
