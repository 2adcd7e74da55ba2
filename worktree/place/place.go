package place

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// LinkError reports a link that a worktree must not be made through: a link inside the repository, or a link in place of the worktree
// itself. A link inside the repository may come from somebody else's commit, and may lead anywhere.
type LinkError struct {
	// Path is the path of the worktree, Link is the link on that path, and To is the link's target.
	Path, Link, To string
}

func (e *LinkError) Error() string {
	return fmt.Sprintf("'%s' is a link to '%s', and a worktree is not made through a link", e.Link, e.To)
}

// SwappedError reports that somebody replaced a folder while a worktree was made in it.
type SwappedError struct{ Path string }

func (e *SwappedError) Error() string {
	return fmt.Sprintf("'%s' was replaced while a worktree was being created there", e.Path)
}

// Safe returns an error if a link inside the repository is part of a worktree's path, or if the last part of the path is a link. Other
// links outside the repository are allowed, because the user made them, for example to use a larger disk.
func Safe(repo *gitstate.Repo, path string) error {
	w, err := followPath(repo, filepath.Dir(path))
	if err != nil {
		return Placed(err, path)
	}
	last := filepath.Join(w.full(), filepath.Base(path))
	if info, err := os.Lstat(last); err == nil && IsLink(info) {
		return NewLinkError(path, last)
	}
	return nil
}

// checkedPath is the path to a folder, split in two parts. The field "from" holds the first part, which contains no links. The field
// "parts" holds the remaining folders, which must not be links.
type checkedPath struct {
	from   string
	parts  []string
	inside bool
}

func (w checkedPath) full() string { return filepath.Join(append([]string{w.from}, w.parts...)...) }

// maxLinks limits how many links are followed. More links probably form a circle.
const maxLinks = 40

// followPath follows the links of a path. It returns an error for a link inside the repository. Folders of the path may be missing.
func followPath(repo *gitstate.Repo, path string) (checkedPath, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return checkedPath{}, err
	}
	own, todo := ownFolders(repo), pathParts(path)
	w, links, missing := pathFromRoot(path, own), 0, false
	for len(todo) > 0 {
		part := todo[0]
		todo = todo[1:]
		if part == ".." {
			w = w.up()
			continue
		}
		next := filepath.Join(w.full(), part)
		info, err := os.Lstat(next)
		switch {
		case missing || Gone(err):
			missing = true
			w.parts = append(w.parts, part)
		case err != nil:
			return checkedPath{}, err
		case IsLink(info) && w.inside:
			return checkedPath{}, NewLinkError(path, next)
		case IsLink(info):
			if links++; links > maxLinks {
				return checkedPath{}, &fs.PathError{Op: "follow", Path: next, Err: errors.New("too many links")}
			}
			to, err := os.Readlink(next)
			if err != nil {
				return checkedPath{}, err
			}
			if filepath.IsAbs(to) {
				w = pathFromRoot(to, own)
			}
			todo = append(pathParts(to), todo...)
		case !info.IsDir():
			return checkedPath{}, &fs.PathError{Op: "open", Path: next, Err: syscall.ENOTDIR}
		case w.inside:
			w.parts = append(w.parts, part)
		default:
			w.from = next
			w.inside = isAmong(own, info)
		}
	}
	return w, nil
}

// pathFromRoot returns a checkedPath that consists only of the root, such as "/".
func pathFromRoot(path string, own []fs.FileInfo) checkedPath {
	w := checkedPath{from: filepath.VolumeName(path) + string(filepath.Separator)}
	if info, err := os.Stat(w.from); err == nil {
		w.inside = isAmong(own, info)
	}
	return w
}

func (w checkedPath) up() checkedPath {
	if len(w.parts) > 0 {
		w.parts = w.parts[:len(w.parts)-1]
		return w
	}
	return checkedPath{from: filepath.Dir(w.from)}
}

// ownFolders returns the top folders of the repository's worktrees, and its git dir. Links below these folders may come from a commit, so
// they are not trusted.
func ownFolders(repo *gitstate.Repo) []fs.FileInfo {
	paths := []string{repo.CommonDir, repo.WorkTree}
	if main, ok := repo.Main(); ok {
		paths = append(paths, main.WorkTree)
	}
	dirs, _ := os.ReadDir(repo.CommonPath("worktrees")) // the folder is missing if no worktree is registered
	for _, d := range dirs {
		admin := repo.CommonPath("worktrees", d.Name())
		if dot := Content(filepath.Join(admin, "gitdir")); dot != "" {
			paths = append(paths, filepath.Dir(AbsFrom(admin, dot)))
		}
	}
	var out []fs.FileInfo
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && path != "" {
			out = append(out, info)
		}
	}
	return out
}

func isAmong(all []fs.FileInfo, info fs.FileInfo) bool {
	for _, other := range all {
		if os.SameFile(other, info) {
			return true
		}
	}
	return false
}

// IsLink reports whether a file is a symbolic link, or a similar link on Windows.
func IsLink(info fs.FileInfo) bool {
	return info.Mode()&fs.ModeSymlink != 0 || runtime.GOOS == "windows" && info.Mode()&fs.ModeIrregular != 0
}

// NewLinkError makes a LinkError with the target of the link.
func NewLinkError(path, link string) error {
	to, _ := os.Readlink(link) // report the link even if its target cannot be read
	return &LinkError{Path: path, Link: link, To: to}
}

// Placed converts a LinkError about a folder into a LinkError about the worktree at path. It
// returns other errors unchanged.
func Placed(err error, path string) error {
	var link *LinkError
	if errors.As(err, &link) {
		return &LinkError{Path: path, Link: link.Link, To: link.To}
	}
	return err
}

// pathParts splits a path into its parts, without the root, empty parts and ".".
func pathParts(path string) []string {
	var out []string
	for part := range strings.SplitSeq(filepath.ToSlash(path[len(filepath.VolumeName(path)):]), "/") {
		if part != "" && part != "." {
			out = append(out, part)
		}
	}
	return out
}

// Folder is a folder that stays open while a worktree is made in it. Files that are written through Root end up in the open folder, even if
// somebody renames it or puts a link in its place.
type Folder struct {
	Path string
	Root *os.Root
	Dir  *os.File
}

// Open opens the folder at a path, and makes the missing parts of the path. It returns an error if a link inside the repository is part of
// the path.
func Open(repo *gitstate.Repo, path string) (*Folder, error) {
	w, err := followPath(repo, path)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(w.from)
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: w.from, Root: root}
	for _, part := range w.parts {
		next, err := f.Enter(part)
		_ = f.Root.Close()
		if err != nil {
			return nil, err
		}
		f = next
	}
	if f.Dir, err = f.Root.Open("."); err != nil {
		_ = f.Root.Close()
		return nil, err
	}
	return f, nil
}

// Enter opens a subfolder, and makes it if it is missing. It returns an error if the subfolder is a link, or if a link replaces it while
// Enter opens it.
func (f *Folder) Enter(name string) (*Folder, error) {
	path := filepath.Join(f.Path, name)
	info, err := f.Root.Lstat(name)
	if Gone(err) {
		if err := f.Root.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		info, err = f.Root.Lstat(name)
	}
	switch {
	case err != nil:
		return nil, err
	case IsLink(info):
		return nil, NewLinkError(path, path)
	case !info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := f.Root.OpenRoot(name)
	if err != nil {
		if info, again := f.Root.Lstat(name); again == nil && IsLink(info) {
			err = NewLinkError(path, path)
		}
		return nil, err
	}
	now, err := root.Stat(".")
	if err != nil || !os.SameFile(info, now) {
		_ = root.Close()
		return nil, errors.Join(&SwappedError{path}, err)
	}
	return &Folder{Path: path, Root: root}, nil
}

func (f *Folder) Close() {
	_ = f.Root.Close()
	if f.Dir != nil {
		_ = f.Dir.Close()
	}
}

// WorkDir returns the working directory for a child process. On Linux with /proc it is the open folder itself, even if the folder was
// renamed. Otherwise it is the folder's path, and the caller must check the result with Holds.
func (f *Folder) WorkDir() string {
	if runtime.GOOS != "linux" || f.Dir == nil {
		return f.Path
	}
	name := fmt.Sprintf("/proc/self/fd/%d", f.Dir.Fd())
	here, errA := f.Dir.Stat()
	there, errB := os.Stat(name) // fails on a system without /proc
	if errA != nil || errB != nil || !os.SameFile(here, there) {
		return f.Path
	}
	return name
}

// Holds reports whether the path leads to the subfolder "name" of this folder. It returns false if the path has a link that Safe does not
// allow: inside the repository, or as its last part.
func (f *Folder) Holds(repo *gitstate.Repo, name, path string) bool {
	full := filepath.Join(f.Path, name)
	if path != full && (runtime.GOOS == "linux" || path == "") { // outside of Linux, two different texts can be the same path
		return false
	}
	here, err := f.Root.Lstat(name)
	if err != nil || !here.IsDir() {
		return false
	}
	for _, path := range []string{path, full} {
		if there, err := os.Lstat(path); err != nil || !os.SameFile(here, there) || Safe(repo, path) != nil {
			return false
		}
	}
	return true
}

// Replace writes a small file and moves it into place in the folder in one step. The temporary name is always the same, so a second try
// after a kill leaves no extra file.
func (f *Folder) Replace(name string, data []byte) error {
	half := name + ".git-resume"
	file, err := f.Root.OpenFile(half, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := f.Root.Rename(half, name); err != nil {
		return err
	}
	return dotgit.SyncDir(f.Path)
}
