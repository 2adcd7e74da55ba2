package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
)

// PathError reports that a snapshot has no file with this path.
type PathError struct{ Snapshot, Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("snapshot '%s' has no file '%s'", e.Snapshot, e.Path)
}

// selection is a part of a snapshot: the files below some paths, or all files.
type selection struct {
	// stored has the files whose bytes are in the snapshot. An item without an id is a file that had been deleted.
	stored []Item
	// unchanged has the files that were the same as in HEAD. Git writes them, because its filters may change the bytes.
	unchanged []Item
}

// selectFiles returns the files of a snapshot that are below the given paths. Without paths, it returns all files.
func (s Snapshot) selectFiles(ctx context.Context, repo *gitstate.Repo, paths []string) (selection, error) {
	changed, err := s.Items(ctx, repo)
	if err != nil {
		return selection{}, err
	}
	all, err := listTree(ctx, repo, s.Tree)
	if err != nil {
		return selection{}, err
	}
	found := map[string]bool{}
	wanted := func(file string) bool {
		if len(paths) == 0 {
			return true
		}
		i := slices.IndexFunc(paths, func(p string) bool { return p == "." || within(file, p) })
		if i >= 0 {
			found[paths[i]] = true
		}
		return i >= 0
	}
	var out selection
	stored := map[string]bool{}
	for _, it := range changed {
		if wanted(it.Path) {
			stored[it.Path] = true
			out.stored = append(out.stored, it)
		}
	}
	for _, it := range all {
		if wanted(it.Path) && !stored[it.Path] {
			out.unchanged = append(out.unchanged, it)
		}
	}
	for _, p := range paths {
		if !found[p] {
			return selection{}, &PathError{s.Label(), p}
		}
	}
	return out, nil
}

// Has returns a *PathError if the snapshot has no file below one of the paths.
func (s Snapshot) Has(ctx context.Context, repo *gitstate.Repo, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.selectFiles(ctx, repo, paths)
	return err
}

// TargetError reports that a snapshot cannot be written into a folder, because something is there already.
type TargetError struct{ Path string }

func (e *TargetError) Error() string { return fmt.Sprintf("'%s' already exists", e.Path) }

// WriteTo writes the files of a snapshot into a new folder, and returns how many there are. Without paths, it writes all files, also those that
// were the same as in HEAD. If it fails, the folder has only a part of the files; calling it again needs another folder.
func WriteTo(ctx context.Context, repo *gitstate.Repo, s Snapshot, dir string, paths []string) (int, error) {
	part, err := s.selectFiles(ctx, repo, paths)
	if err != nil {
		return 0, err
	}
	if err := os.Mkdir(dir, 0o777); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return 0, &TargetError{dir}
		}
		return 0, err
	}
	if err := writeUnchanged(ctx, repo, part.unchanged, dir); err != nil {
		return 0, err
	}
	w := writer{repo, dir, s.meta}
	stored := slices.DeleteFunc(part.stored, func(it Item) bool { return it.ID == "" })
	if err := w.PutAll(ctx, stored); err != nil {
		return 0, err
	}
	if len(paths) == 0 {
		err = w.PutDirs()
	}
	return len(part.unchanged) + len(stored), err
}

// writeUnchanged lets git write files below a folder, through its filters.
func writeUnchanged(ctx context.Context, repo *gitstate.Repo, items []Item, dir string) error {
	if len(items) == 0 {
		return nil
	}
	tmp, done, err := repo.Guard.TempDir()
	if err != nil {
		return err
	}
	defer done()
	var entries strings.Builder
	for _, it := range items {
		fmt.Fprintf(&entries, "%o %s\t%s\x00", it.Mode, it.ID, it.Path)
	}
	env := []string{"GIT_INDEX_FILE=" + filepath.Join(tmp, "index")}
	_, err = repo.Git(ctx, process.Call{Args: []string{"update-index", "-z", "--index-info"}, Mode: process.Write, Env: env, Stdin: strings.NewReader(entries.String())})
	if err != nil {
		return fmt.Errorf("prepare a checkout: %w", err)
	}
	_, err = repo.Git(ctx, process.Call{Args: []string{"checkout-index", "-q", "-f", "-a", "--prefix=" + filepath.ToSlash(dir) + "/"}, Mode: process.Write, Env: env})
	if err != nil {
		return fmt.Errorf("check out files: %w", err)
	}
	return nil
}

// restorePaths makes the files below some paths as they were in the snapshot. A file that the snapshot does not have is removed;
// the snapshot of the present work contains it. The index stays as it is.
func (r restoreJob) restorePaths(ctx context.Context, before Snapshot, paths []string) ([]string, error) {
	part, err := r.snap.selectFiles(ctx, r.repo, paths)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	var names []string
	for _, it := range slices.Concat(part.stored, part.unchanged) {
		has[it.Path] = true
		names = append(names, it.Path)
	}
	w := writer{r.repo, r.repo.WorkTree, r.snap.meta}
	for _, path := range before.Paths {
		if !has[path] && slices.ContainsFunc(paths, func(p string) bool { return p == "." || within(path, p) }) {
			names = append(names, path)
			if err := w.remove(path); err != nil {
				return nil, err
			}
		}
	}
	var plain []string
	for _, it := range part.unchanged {
		if slices.Contains(before.Paths, it.Path) || r.head != r.snap.Head {
			plain = append(plain, it.Path)
		}
	}
	if err := r.writePlain(ctx, part.unchanged, plain); err != nil {
		return nil, err
	}
	slices.Sort(names)
	return slices.Compact(names), w.PutAll(ctx, part.stored)
}

// writePlain lets git write the files with these paths into the worktree. Parts of a path that are links are removed first, so that nothing
// outside is written.
func (r restoreJob) writePlain(ctx context.Context, items []Item, paths []string) error {
	wanted := map[string]bool{}
	for _, p := range paths {
		wanted[p] = true
	}
	items = slices.DeleteFunc(slices.Clone(items), func(it Item) bool { return !wanted[it.Path] || it.Mode == object.ModeSubmodule })
	for _, it := range items {
		if err := MakeParents(r.repo.WorkTree, it.Path); err != nil {
			return err
		}
	}
	return writeUnchanged(ctx, r.repo, items, r.repo.WorkTree)
}
