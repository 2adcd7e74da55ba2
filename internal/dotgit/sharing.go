package dotgit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Own is the name of our folder inside a repository's common folder.
const Own = "resume"

// Sharing is what core.sharedRepository asks for. The zero value leaves everything to the user's umask.
type Sharing struct {
	// perm holds the permission bits of a file; exact: a file gets only these bits, whatever the umask is.
	perm  fs.FileMode
	exact bool
}

// SharingOf finds what git's current settings say about sharing a path below our folder of a repository.
func SharingOf(path string) Sharing {
	at, ok := ownFolder(path)
	if !ok {
		return Sharing{}
	}
	f, err := os.Open(filepath.Join(filepath.Dir(at), "config"))
	if err != nil {
		return Sharing{}
	}
	defer f.Close()
	text, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // settings that cannot be read ask for nothing
	return parseSharing(ParseSettings(string(text))["core.sharedrepository"])
}

// maxSettings limits how much of a settings file is read.
const maxSettings = 1 << 20

// ownFolder finds our folder that contains a path, or that is the path.
func ownFolder(path string) (string, bool) {
	for at := path; ; at = filepath.Dir(at) {
		if filepath.Base(at) == Own {
			if _, err := os.Lstat(filepath.Join(filepath.Dir(at), "HEAD")); err == nil {
				return at, true
			}
		}
		if at == filepath.Dir(at) {
			return "", false
		}
	}
}

// parseSharing reads the value as git does; a value that git would refuse asks for nothing.
func parseSharing(value string) Sharing {
	switch strings.ToLower(value) {
	case "group", "true", "yes", "on", "1":
		return Sharing{perm: 0o660}
	case "all", "world", "everybody", "2":
		return Sharing{perm: 0o664}
	}
	n, err := strconv.ParseUint(value, 8, 16)
	if err != nil || n&0o600 != 0o600 {
		return Sharing{}
	}
	return Sharing{perm: fs.FileMode(n) & 0o666, exact: true}
}

// File returns the mode that a file must get if the user's umask alone would give it the given mode.
func (s Sharing) File(mode fs.FileMode) fs.FileMode {
	perm := s.perm
	switch {
	case perm == 0:
		return mode
	case mode&0o200 == 0:
		perm &^= 0o222
	}
	if mode&0o100 != 0 {
		perm |= (perm & 0o444) >> 2
	}
	if s.exact {
		mode &^= fs.ModePerm
	}
	return mode | perm
}

// Folder is File for a folder; in a shared folder, new files are shared too.
func (s Sharing) Folder(mode fs.FileMode) fs.FileMode {
	if s.perm == 0 {
		return mode
	}
	mode = s.File(mode)
	mode |= (mode & 0o444) >> 2
	if mode&0o060 != 0 {
		mode |= fs.ModeSetgid
	}
	return mode
}

// LinkError says that a symbolic link is in the place of a folder of ours: a repository's content must not lead us elsewhere.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("'%s' is a link; it must be a folder of the repository itself", e.Path)
}

// Plain returns a *LinkError if one of our folders on the way to a path is a symbolic link.
func Plain(path string) error {
	own, ok := ownFolder(path)
	for at := path; ok && len(at) >= len(own); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{at}
		}
	}
	return nil
}

// MkdirAll makes a folder and its missing parents, with the modes that the repository's sharing asks for.
func MkdirAll(dir string) error {
	if err := Plain(dir); err != nil {
		return err
	}
	if info, err := os.Stat(dir); err == nil && info.IsDir() {
		return nil
	}
	s := SharingOf(dir)
	var missing []string
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(at); !errors.Is(err, os.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		missing = append(missing, at)
	}
	for i := len(missing) - 1; i >= 0; i-- {
		if err := s.mkdir(missing[i]); err != nil {
			return err
		}
	}
	return os.MkdirAll(dir, 0o777) // returns an error if there is a file in its place
}

func (s Sharing) mkdir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, os.ErrExist) {
		return nil // somebody else was faster
	}
	info, statErr := os.Lstat(dir)
	if err = errors.Join(err, statErr); err != nil {
		return err
	}
	return chmod(info.Mode(), s.Folder(info.Mode()), func(mode fs.FileMode) error { return os.Chmod(dir, mode) })
}

// chmod changes a mode only if it differs.
func chmod(is, want fs.FileMode, change func(fs.FileMode) error) error {
	const bits = fs.ModePerm | fs.ModeSetgid
	if is&bits == want&bits {
		return nil
	}
	return change(want & bits)
}

// Create creates a new file and opens it for reading and writing, with the mode that the repository asks for.
func Create(path string) (*os.File, error) { return create(path, os.O_RDWR) }

// Append opens a file for writing at its end, and creates a missing one. It follows no symbolic link, and does not wait at a named pipe.
func Append(path string) (*os.File, error) {
	const how = os.O_WRONLY | os.O_APPEND
	f, err := os.OpenFile(path, how|NoFollow|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		if f, err = create(path, how); errors.Is(err, os.ErrExist) { // somebody else was faster
			f, err = os.OpenFile(path, how|NoFollow|syscall.O_NONBLOCK, 0)
		}
	}
	return f, err
}

func create(path string, how int) (*os.File, error) {
	f, err := os.OpenFile(path, how|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	s := SharingOf(path)
	if s.perm == 0 {
		return f, nil
	}
	info, err := f.Stat()
	if err == nil {
		err = chmod(info.Mode(), s.File(info.Mode()), f.Chmod)
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}
