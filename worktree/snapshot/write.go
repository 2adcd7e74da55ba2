package snapshot

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
)

// Item is one path of a snapshot. An item without an id means that the path must not exist.
type Item struct {
	Path string
	Mode uint32
	ID   object.ID
}

// Items lists the files of a snapshot. If its scope is not Whole, it lists only the files that differed from a checkout of HEAD.
func (s Snapshot) Items(ctx context.Context, repo *gitstate.Repo) ([]Item, error) {
	if s.Scope == Whole {
		return DiffTrees(ctx, repo, "", s.Tree)
	}
	changed, err := DiffTrees(ctx, repo, s.headTree, s.Tree)
	if err != nil {
		return nil, err
	}
	tree := Edit(repo, s.Tree)
	for _, path := range s.meta.raw {
		e, ok, err := tree.Get(ctx, path)
		if err != nil {
			return nil, err
		}
		if ok {
			changed = append(changed, Item{path, e.Mode, e.ID})
		}
	}
	return changed, nil
}

// writer writes stored bytes to disk unchanged. It writes only below the folder in the field root, and never through a link.
type writer struct {
	repo *gitstate.Repo
	root string
	meta metadata
	// linksAsFiles is true if a link is written as a file that contains its target.
	linksAsFiles bool
}

// Writer returns a writer that writes the files of the snapshot into the folder root.
func (s Snapshot) Writer(repo *gitstate.Repo, root string) writer {
	return writer{repo: repo, root: root, meta: s.meta}
}

// PutAll makes the files below w.root match the items, except submodules. It removes files first, because a directory may have to take a
// file's place.
func (w writer) PutAll(ctx context.Context, items []Item) error {
	for _, it := range items {
		if it.ID == "" {
			if err := w.remove(it.Path); err != nil {
				return err
			}
		}
	}
	made := parents{root: w.root, known: map[string]bool{}}
	var todo []Item
	for _, it := range items {
		if it.ID == "" || it.Mode == object.ModeSubmodule {
			continue
		}
		if err := w.named(it, made.room(it.Path)); err != nil {
			return err
		}
		todo = append(todo, it)
	}
	var err error
	if w.linksAsFiles, err = w.writesLinksAsFiles(ctx, todo); err != nil {
		return err
	}
	return w.putContents(ctx, todo)
}

// The method named() adds the path of an item to an error.
func (w writer) named(it Item, err error) error {
	if err != nil {
		return fmt.Errorf("write '%s': %w", it.Path, err)
	}
	return nil
}

func (w writer) full(path string) string { return filepath.Join(w.root, filepath.FromSlash(path)) }

// isStoredLink reports whether an item is written as a link.
func (w writer) isStoredLink(it Item) bool { return it.Mode == object.ModeLink && !w.linksAsFiles }

// writesLinksAsFiles reports whether a link is written as a file that contains its target, as git does it on Windows and where
// core.symlinks is false. The settings are read only if one of the items is a link.
func (w writer) writesLinksAsFiles(ctx context.Context, items []Item) (bool, error) {
	if runtime.GOOS == "windows" || !slices.ContainsFunc(items, func(it Item) bool { return it.Mode == object.ModeLink }) {
		return runtime.GOOS == "windows", nil
	}
	c, err := w.repo.Settings.Config(ctx)
	if err != nil {
		return false, err
	}
	return !c.Bool("core.symlinks", true), nil
}

// permOf returns the permissions that a file had.
func (w writer) permOf(it Item) uint32 {
	if perm, ok := w.meta.odd[it.Path]; ok {
		return perm
	}
	return w.meta.modes.modeFor(it.Mode)
}

// MakeParents makes the parent directories of a path. It removes files and links that are in their place.
func MakeParents(root, path string) error {
	return parents{root: root, known: map[string]bool{}}.make(path)
}

// parents makes parent directories below the folder root. It remembers which ones it has seen, because many files have the same parents.
type parents struct {
	root  string
	known map[string]bool
}

// The method room() makes the parent directories of an item. It refuses a path that leads outside, or into git's own folder.
func (p parents) room(path string) error {
	if !filepath.IsLocal(filepath.FromSlash(path)) {
		return fmt.Errorf("path points outside the tree")
	}
	if slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) {
		return fmt.Errorf("path points into git's own folder") // our own snapshots never contain such a path
	}
	return p.make(path)
}

func (p parents) make(path string) error {
	slash := strings.LastIndexByte(path, '/')
	if slash < 0 || p.known[path[:slash]] {
		return nil
	}
	dir := path[:slash]
	if err := p.make(dir); err != nil {
		return err
	}
	at := filepath.Join(p.root, filepath.FromSlash(dir))
	info, err := os.Lstat(at)
	if err == nil && !info.IsDir() {
		if err = os.Remove(at); err != nil {
			return err
		}
	}
	if err != nil || !info.IsDir() {
		if err := os.Mkdir(at, 0o777); err != nil {
			return err
		}
	}
	p.known[dir] = true
	return nil
}

// remove deletes a file, and its parent directories if they are then empty. It does nothing if the path is a directory, or if a parent is a
// link or missing.
func (w writer) remove(path string) error {
	dirs, _ := Split(path)
	at := w.root
	for _, dir := range dirs { // stop at a link, so that no file outside the folder w.root is removed
		at = filepath.Join(at, dir)
		if info, err := os.Lstat(at); err != nil || !info.IsDir() {
			return nil
		}
	}
	full := w.full(path)
	info, err := os.Lstat(full)
	if err == nil && info.IsDir() {
		return nil
	}
	// If the file is already gone, an interrupted call may have left its empty directories, so continue.
	if err := os.Remove(full); err != nil && !place.Gone(err) {
		return err
	}
	for range dirs {
		if os.Remove(at) != nil {
			break
		}
		at = filepath.Dir(at)
	}
	return nil
}

// PutDirs makes the directories that the snapshot recorded because they were empty or had unusual modes. It sets modes last, because a
// directory may be read-only.
func (w writer) PutDirs() error {
	paths := sortedKeys(w.meta.dirs)
	for _, path := range paths {
		if err := MakeParents(w.root, path+"/x"); err != nil {
			return err
		}
	}
	for i := len(paths) - 1; i >= 0; i-- {
		full := w.full(paths[i])
		info, err := os.Lstat(full)
		if err != nil {
			return err
		}
		if err := chmod(full, info, w.meta.dirs[paths[i]]); err != nil {
			return err
		}
	}
	return nil
}

// chmod gives a file or directory the permissions perm, if it has others now. It does nothing on Windows, or if perm is zero.
func chmod(full string, now fs.FileInfo, perm uint32) error {
	if runtime.GOOS == "windows" || perm == 0 || now.Mode()&^fs.ModeType == fileMode(perm) {
		return nil
	}
	return os.Chmod(full, fileMode(perm))
}

// fileMode returns the permissions in the form of Go's package fs.
func fileMode(perm uint32) fs.FileMode {
	mode := fs.FileMode(perm & 0o777)
	if perm&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if perm&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	if perm&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
