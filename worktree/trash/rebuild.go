package trash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// buildDir returns the folder in which a deleted worktree is rebuilt, before it is moved to its place in one step.
func (u undoJob) buildDir() string {
	return filepath.Join(filepath.Dir(string(u.d.rec.Path)), ".new-"+u.d.rec.Run)
}

// rebuild restores the files of a deleted worktree in a folder next to its final place. It also moves the files that the discard did not
// delete into that folder.
func (u undoJob) rebuild(ctx context.Context) error {
	if !u.d.rec.Swept || u.d.rec.Trash == "" || u.treeRestored() {
		return nil
	}
	root := u.buildDir()
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	if err := u.buildTree(ctx, u.d.repo, u.d.rec.Whole, root, string(u.d.rec.GitFile)); err != nil {
		return fmt.Errorf("restore the worktree: %w", err)
	}
	for _, m := range u.d.rec.Modules {
		if err := u.rebuildModule(ctx, m, root); err != nil {
			return fmt.Errorf("restore submodule '%s': %w", m.Path, err)
		}
	}
	if err := u.restBack(root); err != nil {
		return fmt.Errorf("the files that the discard had not deleted could not be moved back into the worktree: %w", err)
	}
	for _, path := range u.d.rec.Nested {
		rel := filepath.FromSlash(string(path))
		if err := snapshot.MakeParents(root, string(path)); err != nil {
			return err
		}
		if from := filepath.Join(string(u.d.rec.Trash), rel); place.Present(from) {
			_ = os.Remove(filepath.Join(root, rel)) // an empty directory may be in the place of the nested repository
			if err := place.Move(from, filepath.Join(root, rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

// restBack restores the files that the discard did not delete, because no snapshot contained them. They replace older files of the same
// name that were restored from the snapshot.
func (u undoJob) restBack(root string) error {
	trash := string(u.d.rec.Trash)
	if err := bringBack(asideOf(trash), trash); err != nil || !place.Present(trash) {
		return err
	}
	keep := u.d.nested()
	return filepath.WalkDir(trash, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(trash, path)
		switch {
		case place.Gone(err):
			return nil
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case keep[rel]:
			return place.SkipUnreadable(e)
		case e.IsDir() || filepath.Base(rel) == ".git":
			return nil
		}
		if err := snapshot.MakeParents(root, filepath.ToSlash(rel)); err != nil {
			return err
		}
		if err := os.Rename(path, filepath.Join(root, rel)); err != nil && !place.Gone(err) {
			return giveBack(path, filepath.Join(root, rel)) // a folder with this name exists, so the file gets a similar name
		}
		return nil
	})
}

func (u undoJob) rebuildModule(ctx context.Context, m record.Module, root string) error {
	if !place.Present(u.d.kept()) {
		return nil // the git dir is already restored, so an earlier call has done this
	}
	path := filepath.Join(root, filepath.FromSlash(string(m.Path)))
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	at, err := u.d.openModule(m, root)
	if err != nil {
		return err
	}
	defer at.Close()
	return u.buildTree(ctx, at, m.Whole, path, string(m.GitFile))
}

// buildTree writes a whole snapshot into a new directory.
func (u undoJob) buildTree(ctx context.Context, repo *gitstate.Repo, id object.ID, root, gitFile string) error {
	snap, err := u.d.loadKept(ctx, repo, id)
	if err != nil {
		return err
	}
	items, err := snap.Items(ctx, repo)
	if err != nil {
		return err
	}
	w := snap.Writer(repo, root)
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	if err := w.PutAll(ctx, items); err != nil {
		return err
	}
	if err := place.Replace(filepath.Join(root, ".git"), []byte(gitFile)); err != nil {
		return err
	}
	return w.PutDirs()
}
