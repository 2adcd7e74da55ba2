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

// Own is the folder below a repository's shared one that is ours.
const Own = "resume"

// Sharing is what core.sharedRepository asks for. The zero value leaves all to the user's mask.
type Sharing struct {
	// perm are the bits of a file; exact: no others, whatever the mask is.
	perm  fs.FileMode
	exact bool
}

// SharingOf finds what a path below a repository's folder of ours is shared with: what the settings say now, as git has it.
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
	text, _ := io.ReadAll(io.LimitReader(f, maxSettings)) // what cannot be read asks for nothing
	return parseSharing(ParseSettings(string(text))["core.sharedrepository"])
}

// maxSettings bounds what is read of a settings file.
const maxSettings = 1 << 20

// ownFolder is the folder of ours that a path is below, or is.
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

// parseSharing reads the value as git does; one that git would refuse asks for nothing.
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

// File is the mode of a file that has this one by the user's mask.
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

// Folder is the same for a folder; who shares it also shares what comes into it.
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

// LinkError says that a link lies where a folder of ours belongs: what came with a repository must not lead us elsewhere.
type LinkError struct{ Path string }

func (e *LinkError) Error() string {
	return fmt.Sprintf("'%s' is a link; it must be a folder of the repository itself", e.Path)
}

// Plain is a *LinkError if a folder of ours on the way to a path is a link.
func Plain(path string) error {
	own, ok := ownFolder(path)
	for at := path; ok && len(at) >= len(own); at = filepath.Dir(at) {
		if info, err := os.Lstat(at); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			return &LinkError{at}
		}
	}
	return nil
}

// MkdirAll makes a folder and those above it, in the way that the repository shares them.
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
	return os.MkdirAll(dir, 0o777) // a file in its place is an error
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

// chmod changes a mode where it is another one.
func chmod(is, want fs.FileMode, change func(fs.FileMode) error) error {
	const bits = fs.ModePerm | fs.ModeSetgid
	if is&bits == want&bits {
		return nil
	}
	return change(want & bits)
}

// Create opens a file for reading and writing that was not there, with the mode that the repository asks for.
func Create(path string) (*os.File, error) { return create(path, os.O_RDWR) }

// Append opens a file to write at its end, and makes it where there is none. It follows no link, and waits for nobody at a pipe.
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
