package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/worktree/place"
)

// Item is one path of a snapshot. An item without an id means that the path must not exist.
type Item struct {
	Path string
	Mode uint32
	ID   object.ID
}

// Items lists the files of a snapshot. If its scope is not Whole, it lists only the files that differ from HEAD.
func (s Snapshot) Items(ctx context.Context, repo *gitstate.Repo) ([]Item, error) {
	if s.Scope == Whole {
		return listTree(ctx, repo, s.Tree)
	}
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	base := h.ID("tree", nil)
	if s.headTree != "" {
		base = s.headTree
	}
	changed, err := DiffTrees(ctx, repo, base, s.Tree)
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

func listTree(ctx context.Context, repo *gitstate.Repo, tree object.ID) ([]Item, error) {
	out, err := repo.Git(ctx, process.Call{Args: []string{"ls-tree", "-r", "-z", string(tree)}})
	if err != nil {
		return nil, fmt.Errorf("list snapshot: %w", err)
	}
	var all []Item
	for rec := range strings.SplitSeq(string(out), "\x00") {
		head, path, ok := strings.Cut(rec, "\t")
		f := strings.Fields(head)
		if !ok || len(f) < 3 {
			continue
		}
		mode, err := strconv.ParseUint(f[0], 8, 32)
		if err != nil {
			return nil, fmt.Errorf("parse the output of git ls-tree: %q", rec)
		}
		all = append(all, Item{path, uint32(mode), object.ID(f[2])})
	}
	return all, nil
}

// DiffTrees lists the paths that differ between two trees, with their content in the second tree.
func DiffTrees(ctx context.Context, repo *gitstate.Repo, from, to object.ID) ([]Item, error) {
	out, err := repo.Git(ctx, process.Call{Args: []string{"diff-tree", "-r", "-z", "--no-renames", string(from), string(to)}})
	if err != nil {
		return nil, fmt.Errorf("compare with snapshot: %w", err)
	}
	var all []Item
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		f := strings.Fields(fields[i])
		if len(f) < 5 {
			return nil, fmt.Errorf("parse the output of git diff-tree: %q", fields[i])
		}
		it := Item{Path: fields[i+1]}
		if f[4] != "D" {
			mode, err := strconv.ParseUint(f[1], 8, 32)
			if err != nil {
				return nil, fmt.Errorf("parse the output of git diff-tree: %q", fields[i])
			}
			it.Mode, it.ID = uint32(mode), object.ID(f[3])
		}
		all = append(all, it)
	}
	return all, nil
}

// writer writes stored bytes to disk unchanged. It writes only below the folder in the field root, and never through a link.
type writer struct {
	repo *gitstate.Repo
	root string
	meta metadata
}

// Writer returns a writer that writes the files of the snapshot into the folder root.
func (s Snapshot) Writer(repo *gitstate.Repo, root string) writer { return writer{repo, root, s.meta} }

// PutAll makes the worktree match the items. It removes files first, because a directory may have to take a file's place.
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
		has, err := w.prepare(ctx, made, it)
		if err != nil {
			return fmt.Errorf("write '%s': %w", it.Path, err)
		}
		if !has {
			todo = append(todo, it)
		}
	}
	return w.putContents(ctx, todo)
}

// putContents writes the files and links that are not there yet. It asks git for all of them at once. If git cannot answer for one of
// them, for example because it is very large, the file is written on its own.
func (w writer) putContents(ctx context.Context, items []Item) error {
	names, done := make([]string, len(items)), make([]bool, len(items))
	for i, it := range items {
		names[i] = string(it.ID)
	}
	var failed error
	_ = w.repo.Objects.Each(ctx, names, store.Wanted{Kinds: []string{"blob"}, Limit: bigFile}, func(i int, o object.Object) error {
		if failed == nil {
			done[i] = true
			failed = w.named(items[i], w.put(items[i], func(f *os.File) error { _, err := f.Write(o.Data); return err }, o.Data))
		}
		return nil
	})
	for i, it := range items {
		if failed == nil && !done[i] {
			failed = w.named(it, w.putAlone(ctx, it))
		}
	}
	return failed
}

// named adds the path of an item to an error.
func (w writer) named(it Item, err error) error {
	if err != nil {
		return fmt.Errorf("write '%s': %w", it.Path, err)
	}
	return nil
}

func (w writer) full(path string) string { return filepath.Join(w.root, filepath.FromSlash(path)) }

// prepare makes the parent directories of an item and reports whether the item is already there. It refuses a path that leads outside.
func (w writer) prepare(ctx context.Context, made parents, it Item) (has bool, err error) {
	if !filepath.IsLocal(filepath.FromSlash(it.Path)) {
		return false, fmt.Errorf("path points outside the tree")
	}
	if slices.ContainsFunc(strings.Split(it.Path, "/"), func(part string) bool { return strings.EqualFold(part, ".git") }) {
		return false, fmt.Errorf("path points into git's own folder") // our own snapshots never contain such a path
	}
	if err := made.make(it.Path); err != nil {
		return false, err
	}
	full := w.full(it.Path)
	info, err := os.Lstat(full)
	switch {
	case err != nil:
		return false, nil
	case isStoredLink(it):
		to, err := os.Readlink(full)
		if err != nil {
			return false, nil
		}
		h, err := w.repo.Settings.Hasher(ctx)
		return err == nil && h.ID("blob", []byte(filepath.ToSlash(to))) == it.ID, err
	case info.Mode().IsRegular() && w.hasBytes(full, info.Size(), it.ID):
		return true, chmod(full, w.permOf(it))
	}
	return false, nil
}

// isStoredLink reports whether an item is written as a link. Windows has files with the link's target instead.
func isStoredLink(it Item) bool { return it.Mode == object.ModeLink && runtime.GOOS != "windows" }

// permOf returns the permissions that a file had.
func (w writer) permOf(it Item) uint32 {
	if perm, ok := w.meta.odd[it.Path]; ok {
		return perm
	}
	return w.meta.modes.modeFor(it.Mode)
}

// put writes one file or link in the place of whatever exists there. The function fill writes the content of a file; data is the target of
// a link.
func (w writer) put(it Item, fill func(*os.File) error, data []byte) error {
	full := w.full(it.Path)
	if err := makeRoom(full); err != nil {
		return err
	}
	if isStoredLink(it) {
		return os.Symlink(string(data), full)
	}
	f, err := os.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(fill(f), f.Close(), chmod(full, w.permOf(it)))
}

// putAlone writes an item that could not be read together with the others. If the blob is too large for our memory, git writes it directly
// to the disk.
func (w writer) putAlone(ctx context.Context, it Item) error {
	data, err := w.repo.Objects.Blob(ctx, it.ID)
	if errors.Is(err, object.ErrMissing) || err != nil && isStoredLink(it) {
		return err
	}
	return w.put(it, func(f *os.File) error {
		if err == nil {
			_, err := f.Write(data)
			return err
		}
		_, err := w.repo.Git(ctx, process.Call{Args: []string{"cat-file", "blob", string(it.ID)}, Stdout: f})
		return err
	}, data)
}

// hasBytes reports whether a file already has the content of the blob with the given id. Then the file is not written again, so that its
// modification time stays.
func (w writer) hasBytes(full string, size int64, id object.ID) bool {
	if size > bigFile {
		return false
	}
	data, err := os.ReadFile(full)
	if err != nil {
		return false
	}
	h, err := w.repo.Settings.Hasher(context.Background()) // uses the cached setting, so it starts no git process
	return err == nil && h.ID("blob", data) == id
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

// makeRoom removes whatever exists at the path of a new file. It fails if this is a directory that is not empty.
func makeRoom(full string) error {
	err := os.Remove(full)
	if place.Gone(err) {
		return nil
	}
	return err
}

// remove deletes a file, and its parent directories if they are then empty.
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

// PutDirs makes the directories that contain no files. It sets modes last, because a directory may be read-only.
func (w writer) PutDirs() error {
	paths := sortedKeys(w.meta.dirs)
	for _, path := range paths {
		if err := MakeParents(w.root, path+"/x"); err != nil {
			return err
		}
	}
	for i := len(paths) - 1; i >= 0; i-- {
		if err := chmod(w.full(paths[i]), w.meta.dirs[paths[i]]); err != nil {
			return err
		}
	}
	return nil
}

func chmod(full string, perm uint32) error {
	if runtime.GOOS == "windows" || perm == 0 {
		return nil
	}
	mode := fs.FileMode(perm & 0o777)
	for bit, value := range map[fs.FileMode]uint32{fs.ModeSetuid: 0o4000, fs.ModeSetgid: 0o2000, fs.ModeSticky: 0o1000} {
		if perm&value != 0 {
			mode |= bit
		}
	}
	return os.Chmod(full, mode)
}
