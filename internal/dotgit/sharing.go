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

// Own is the name of our folder inside a repository's common .git folder.
const Own = "resume"

// Sharing holds the permissions that core.sharedRepository requires. The zero value leaves all permissions to the user's umask.
type Sharing struct {
	// perm holds the permission bits of a file. If the field "exact" is true, a file gets exactly these read and write bits, and the umask
	// is ignored.
	perm  fs.FileMode
	exact bool
}

// SharingOf reads the core.sharedRepository setting of the repository to which the path belongs. For a path outside of our "resume" folder,
// the result is the zero value.
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
	text, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // if the settings cannot be read, nothing is shared
	return parseSharing(ParseSettings(string(text))["core.sharedrepository"])
}

// maxSettings limits how much of a settings file is read.
const maxSettings = 1 << 20

// ownFolder returns the "resume" folder of the repository if the path is this folder or is inside it. Otherwise the second result is false.
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

// parseSharing reads the value as git does. A value that git would refuse shares nothing.
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

// File returns the mode that core.sharedRepository requires for a new file.
// The argument is the mode that the file would get without sharing.
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

// Folder returns the mode that core.sharedRepository requires for a new folder. The argument is the mode that the folder would get without
// sharing. If the group may read or write the folder, the result contains the setgid bit, so that new files in the folder get its group.
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

// LinkError says that one of our folders is a symbolic link. We refuse such a link, because it could lead us out of the repository.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("'%s' is a link; it must be a folder of the repository itself", e.Path)
}

// Plain returns a *LinkError if the path, or one of our folders along it, is a symbolic link. It does not check paths outside of our
// "resume" folder.
func Plain(path string) error {
	own, ok := ownFolder(path)
	for at := path; ok && len(at) >= len(own); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{at}
		}
	}
	return nil
}

// MkdirAll makes a folder and its missing parents, with the modes that core.sharedRepository requires.
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
	return os.MkdirAll(dir, 0o777) // this returns an error if there is a file at this path
}

func (s Sharing) mkdir(dir string) error {
	err := os.Mkdir(dir, 0o777)
	if errors.Is(err, os.ErrExist) {
		return nil // another process has just created the folder
	}
	info, statErr := os.Lstat(dir)
	if err = errors.Join(err, statErr); err != nil {
		return err
	}
	return chmod(info.Mode(), s.Folder(info.Mode()), func(mode fs.FileMode) error { return os.Chmod(dir, mode) })
}

// chmod calls the function change if the current mode differs from the wanted one.
func chmod(is, want fs.FileMode, change func(fs.FileMode) error) error {
	const bits = fs.ModePerm | fs.ModeSetgid
	if is&bits == want&bits {
		return nil
	}
	return change(want & bits)
}

// Create creates a new file and opens it for reading and writing. The file gets the mode that core.sharedRepository requires.
func Create(path string) (*os.File, error) { return create(path, os.O_RDWR) }

// Append opens a file for writing at its end, or creates a missing file. It does not block on a named pipe, and except on Windows it
// follows no symbolic link.
func Append(path string) (*os.File, error) {
	const how = os.O_WRONLY | os.O_APPEND
	f, err := os.OpenFile(path, how|NoFollow|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		if f, err = create(path, how); errors.Is(err, os.ErrExist) { // another process has just created the file
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
