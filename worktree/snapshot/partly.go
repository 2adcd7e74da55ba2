package snapshot

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
)

// PathError reports that a snapshot has no file at or below this path.
type PathError struct{ Snapshot, Path string }

func (e *PathError) Error() string {
	return fmt.Sprintf("snapshot '%s' has no file '%s'", e.Snapshot, e.Path)
}

// selection is a part of a snapshot: the files below some paths, or all files.
type selection struct {
	// stored has the files whose bytes are in the snapshot. An item without an id is a file that had been deleted.
	stored []Item
	// unchanged has the files that were the same as in HEAD when the snapshot was taken. git must write them, because its filters may
	// change their bytes.
	unchanged []Item
}

// selectFiles returns the files of a snapshot that are below the given paths. Without paths, it returns all files. It returns a
// *PathError if there is no file below one of the paths.
func (s Snapshot) selectFiles(ctx context.Context, repo *gitstate.Repo, paths []string) (selection, error) {
	changed, err := s.Items(ctx, repo)
	if err != nil {
		return selection{}, err
	}
	all, err := DiffTrees(ctx, repo, "", s.Tree)
	if err != nil {
		return selection{}, err
	}
	found := map[string]bool{}
	wanted := func(file string) bool {
		hit := len(paths) == 0
		for _, p := range paths { // test every path, because a file can be below several of them
			if isAt(file, p) {
				found[p], hit = true, true
			}
		}
		return hit
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

// TargetError reports that a snapshot cannot be written into a new folder, because something already exists at its path.
type TargetError struct{ Path string }

func (e *TargetError) Error() string { return fmt.Sprintf("'%s' already exists", e.Path) }

// WriteTo writes the files of a snapshot into a new folder, and returns how many there are. Without paths, it writes all files, also those
// that were the same as in HEAD. The folder appears only when it is complete.
func WriteTo(ctx context.Context, repo *gitstate.Repo, s Snapshot, dir string, paths []string) (int, error) {
	part, err := s.selectFiles(ctx, repo, paths)
	if err != nil {
		return 0, err
	}
	if place.Present(dir) {
		return 0, &TargetError{dir}
	}
	half, done, err := repo.Guard.TempBeside(dir)
	if err != nil {
		return 0, err
	}
	defer done()
	stored := slices.DeleteFunc(part.stored, func(it Item) bool { return it.ID == "" })
	w := s.Writer(repo, half)
	if err := w.fill(ctx, selection{stored, part.unchanged}); err != nil {
		return 0, err
	}
	if len(paths) == 0 {
		if err := w.PutDirs(); err != nil {
			return 0, err
		}
	}
	if err := dotgit.Durable(half); err != nil {
		return 0, err
	}
	if err := os.Rename(half, dir); err != nil {
		if place.Present(dir) {
			return 0, &TargetError{dir} // somebody else has made the folder meanwhile
		}
		return 0, err
	}
	return len(part.unchanged) + len(stored), dotgit.SyncDir(filepath.Dir(dir))
}

// fill writes the files of a selection. The attribute files come first, because they decide what git's filters do with the others.
func (w writer) fill(ctx context.Context, part selection) error {
	if err := w.PutAll(ctx, attributesIn(part.stored)); err != nil {
		return err
	}
	if err := checkOut(ctx, w.repo, part.unchanged, w.root); err != nil {
		return err
	}
	return w.PutAll(ctx, part.stored)
}

// restorePaths restores the selected files as they were in the snapshot. It also removes uncommitted files below the paths of the request
// if the snapshot does not have them. The index stays as it is.
func (r *restoreJob) restorePaths(ctx context.Context, now Snapshot) ([]string, error) {
	has, changed := map[string]bool{}, map[string]bool{}
	var names []string
	for _, it := range slices.Concat(r.part.stored, r.part.unchanged) {
		has[it.Path] = true
		names = append(names, it.Path)
	}
	w := r.writer()
	for _, path := range now.Paths {
		changed[path] = true
		if !has[path] && slices.ContainsFunc(r.req.Paths, func(p string) bool { return isAt(path, p) }) {
			names = append(names, path)
			if err := w.remove(path); err != nil {
				return nil, err
			}
		}
	}
	plain := slices.DeleteFunc(slices.Clone(r.part.unchanged), func(it Item) bool {
		return it.Mode == object.ModeSubmodule || r.head == r.snap.Head && !changed[it.Path]
	})
	if err := r.clearFolders(now); err != nil {
		return nil, err
	}
	slices.Sort(names)
	return slices.Compact(names), w.fill(ctx, selection{r.part.stored, plain})
}

// isAt reports whether a file is at a path or below it. The path "." stands for the whole worktree.
func isAt(file, path string) bool { return path == "." || within(file, path) }
