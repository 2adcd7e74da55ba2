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
		i := whichPath(file, paths)
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

// restorePaths makes the selected files as they were in the snapshot. A file below the paths that the snapshot does not have is removed;
// the snapshot of the present work contains it. The index stays as it is.
func (r restoreJob) restorePaths(ctx context.Context, before Snapshot, paths []string, part selection) ([]string, error) {
	has, changed := map[string]bool{}, map[string]bool{}
	var names []string
	for _, it := range slices.Concat(part.stored, part.unchanged) {
		has[it.Path] = true
		names = append(names, it.Path)
	}
	w := writer{r.repo, r.repo.WorkTree, r.snap.meta}
	for _, path := range before.Paths {
		changed[path] = true
		if !has[path] && whichPath(path, paths) >= 0 {
			names = append(names, path)
			if err := w.remove(path); err != nil {
				return nil, err
			}
		}
	}
	plain := slices.DeleteFunc(slices.Clone(part.unchanged), func(it Item) bool {
		return it.Mode == object.ModeSubmodule || r.head == r.snap.Head && !changed[it.Path]
	})
	for _, it := range plain { // a link in the place of a folder is removed, so that git writes nothing outside
		if err := MakeParents(r.repo.WorkTree, it.Path); err != nil {
			return nil, err
		}
	}
	if err := writeUnchanged(ctx, r.repo, plain, r.repo.WorkTree); err != nil {
		return nil, err
	}
	slices.Sort(names)
	return slices.Compact(names), w.PutAll(ctx, part.stored)
}

// whichPath returns the index of the first path that is the file or contains it, or -1.
func whichPath(file string, paths []string) int {
	return slices.IndexFunc(paths, func(p string) bool { return p == "." || within(file, p) })
}
