package snapshot

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
)

const (
	// bigFile is a size in bytes. A larger file is read or written by git itself, because it may be too large for our memory.
	bigFile = 16 << 20
	// flushAt is how many bytes are collected before they are passed to git.
	flushAt = 64 << 20
)

// capture reads files as they are on disk and stores their bytes in git.
type capture struct {
	repo    *gitstate.Repo
	hash    object.Hasher
	pending *object.Pending
	held    int64 // the number of bytes in "pending"
	maxFile int64
	// written lists the objects that flush() has written to git.
	written []object.ID

	found map[string]foundPath
	left  []Omission
	real  map[string]bool // true if the directory and all its parents are real directories, not links
}

// foundPath is the state of one path on disk. The id is empty if there is no file or link at the path.
type foundPath struct {
	id   object.ID
	mode uint32 // mode of the tree entry
	perm uint32 // permission bits of the file; zero for links, for repositories and on Windows
}

func newCapture(repo *gitstate.Repo, h object.Hasher, maxFile int64) *capture {
	return &capture{repo: repo, hash: h, pending: object.NewPending(h), maxFile: maxFile, found: map[string]foundPath{}, real: map[string]bool{"": true}}
}

// pathRequest is one path to read. The field "mode" is the file's mode according to git, or empty if it is not known. The field "have" is
// the id of a blob that already exists, so that the same content need not be written again.
type pathRequest struct {
	path      string
	mode      string
	submodule bool
	have      object.ID
}

// readPath reads one path. It records its content, or why the content is not saved.
func (c *capture) readPath(ctx context.Context, w pathRequest) error {
	path, nested := strings.CutSuffix(w.path, "/")
	if path == "" {
		return nil
	}
	full := filepath.Join(c.repo.WorkTree, filepath.FromSlash(path))
	info, err := os.Lstat(full)
	switch {
	case place.Gone(err), !c.hasRealParents(path):
		c.found[path] = foundPath{}
		return nil
	case err != nil:
		c.leave(Unreadable, path, 0)
		return nil
	case info.IsDir() && (nested || w.submodule):
		return c.takeNested(ctx, path, full)
	case info.IsDir():
		c.found[path] = foundPath{} // a directory has replaced the file, and the files in this directory are read separately
		return nil
	case info.Mode()&fs.ModeSymlink != 0:
		return c.takeLink(path, full, w.have)
	case !info.Mode().IsRegular():
		c.leave(Unreadable, path, 0)
		return nil
	}
	return c.takeFile(ctx, w, path, full, info)
}

// hasRealParents reports whether all parent directories of a path are real directories. A file below a link is not the file that git tracks
// at this path.
func (c *capture) hasRealParents(path string) bool {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 {
		return true
	}
	dir := path[:slash]
	ok, seen := c.real[dir]
	if !seen {
		info, err := os.Lstat(filepath.Join(c.repo.WorkTree, filepath.FromSlash(dir)))
		ok = err == nil && info.IsDir() && c.hasRealParents(dir)
		c.real[dir] = ok
	}
	return ok
}

func (c *capture) leave(kind LeftKind, path string, size int64) {
	c.left = append(c.left, Omission{Kind: kind, Path: path, Size: size, Files: 1})
}

func (c *capture) takeLink(path, full string, have object.ID) error {
	to, err := os.Readlink(full)
	if err != nil {
		c.leave(Unreadable, path, 0)
		return nil
	}
	c.found[path] = foundPath{id: c.add([]byte(filepath.ToSlash(to)), have), mode: object.ModeLink}
	return nil
}

func (c *capture) takeFile(ctx context.Context, w pathRequest, path, full string, info fs.FileInfo) error {
	if c.maxFile > 0 && info.Size() > c.maxFile {
		c.leave(Large, path, info.Size())
		return nil
	}
	f := foundPath{mode: entryMode(w.mode, info), perm: permOf(info)}
	if info.Size() > bigFile {
		id, err := c.repo.Objects.StoreFile(ctx, full)
		if err != nil {
			c.leave(Unreadable, path, info.Size())
			return nil
		}
		f.id = id
		c.found[path] = f
		return nil
	}
	data, err := os.ReadFile(full)
	if place.Gone(err) {
		c.found[path] = foundPath{}
		return nil
	}
	if err != nil {
		c.leave(Unreadable, path, info.Size())
		return nil
	}
	f.id = c.add(data, w.have)
	c.found[path] = f
	if c.held < flushAt {
		return nil
	}
	return c.flush(ctx)
}

// add collects a blob that must be written to git. If the content has the id "have", the blob already exists and is not collected.
func (c *capture) add(data []byte, have object.ID) object.ID {
	if have != "" && c.hash.ID("blob", data) == have {
		return have
	}
	c.held += int64(len(data))
	return c.pending.Add("blob", data)
}

func (c *capture) flush(ctx context.Context) error {
	err := c.repo.Objects.Write(ctx, c.pending)
	for _, o := range c.pending.Objects {
		c.written = append(c.written, o.ID)
	}
	c.pending, c.held = object.NewPending(c.hash), 0
	return err
}

// relied returns the objects that the snapshot needs. A gc could delete them, because there may be no ref to them yet.
func (c *capture) relied() []object.ID {
	out := slices.Clone(c.written)
	for _, f := range c.found {
		if f.id != "" && f.mode != object.ModeSubmodule {
			out = append(out, f.id)
		}
	}
	return out
}

// takeNested records the commit of a repository inside the worktree, but does not save its content.
func (c *capture) takeNested(ctx context.Context, path, full string) error {
	c.leave(Nested, path, 0)
	place, err := locate.Find(full, nil)
	if err != nil || place.WorkTree != full {
		return nil // the repository cannot be read, so only its path is recorded in the list of omissions
	}
	_, head, err := c.repo.At(place).Refs.Head(ctx)
	if err != nil || head == "" || len(head) != len(c.hash.Zero()) {
		return nil
	}
	c.found[path] = foundPath{id: head, mode: object.ModeSubmodule}
	return nil
}

// entryMode returns the mode of a file. It prefers the mode that git reports, because git considers core.fileMode and core.symlinks. If
// git reports no usable mode, the file's permissions decide.
func entryMode(git string, info fs.FileInfo) uint32 {
	if m, err := strconv.ParseUint(git, 8, 32); err == nil {
		switch uint32(m) {
		case object.ModeFile, object.ModeExecutable, object.ModeLink:
			return uint32(m)
		}
	}
	if runtime.GOOS != "windows" && info.Mode()&0o100 != 0 {
		return object.ModeExecutable
	}
	return object.ModeFile
}

// permOf returns the Unix permission bits of a file. On Windows they are zero.
func permOf(info fs.FileInfo) uint32 {
	if runtime.GOOS == "windows" {
		return 0
	}
	perm := uint32(info.Mode().Perm())
	for bit, value := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if info.Mode()&bit != 0 {
			perm |= value
		}
	}
	return perm
}
