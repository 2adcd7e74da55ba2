package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// building is where a deleted tree is written before it moves to its place in one step.
func (d *dropping) building() string {
	return filepath.Join(filepath.Dir(string(d.rec.Path)), ".new-"+d.rec.Run)
}

// rebuild writes a deleted tree again, beside its place.
func (d *dropping) rebuild(ctx context.Context) error {
	if !d.rec.Swept || d.rec.Trash == "" || d.isBack() {
		return nil
	}
	root := d.building()
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	if err := d.buildTree(ctx, d.repo, d.rec.Whole, root, string(d.rec.GitFile)); err != nil {
		return fmt.Errorf("write the worktree again: %w", err)
	}
	for _, m := range d.rec.Modules {
		if err := d.rebuildModule(ctx, m, root); err != nil {
			return fmt.Errorf("write submodule '%s' again: %w", m.Path, err)
		}
	}
	if err := d.restBack(root); err != nil {
		return fmt.Errorf("bring back what was not deleted: %w", err)
	}
	for _, path := range d.rec.Nested {
		rel := filepath.FromSlash(string(path))
		if err := (writer{root: root}).makeParents(string(path)); err != nil {
			return err
		}
		if from := filepath.Join(string(d.rec.Trash), rel); present(from) {
			_ = os.Remove(filepath.Join(root, rel)) // an empty directory may stand in for it
			if err := moveDir(from, filepath.Join(root, rel)); err != nil {
				return err
			}
		}
	}
	return nil
}

// restBack takes along the files that were not deleted because nothing else holds them.
// They are younger than what the snapshot has under the same names, and that stays in the snapshot.
func (d *dropping) restBack(root string) error {
	trash := string(d.rec.Trash)
	if err := bringBack(asideOf(trash), trash); err != nil || !present(trash) {
		return err
	}
	keep := d.nested()
	return filepath.WalkDir(trash, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(trash, path)
		switch {
		case gone(err):
			return nil
		case err != nil || relErr != nil:
			return errors.Join(err, relErr)
		case keep[rel]:
			return skipUnreadable(e)
		case e.IsDir() || filepath.Base(rel) == ".git":
			return nil
		}
		if err := (writer{root: root}).makeParents(filepath.ToSlash(rel)); err != nil {
			return err
		}
		if err := os.Rename(path, filepath.Join(root, rel)); err != nil && !gone(err) {
			return giveBack(path, filepath.Join(root, rel)) // a folder has its name now
		}
		return nil
	})
}

func (d *dropping) rebuildModule(ctx context.Context, m module, root string) error {
	if !present(d.kept()) {
		return nil // the registration is back, so this was done before
	}
	path := filepath.Join(root, filepath.FromSlash(string(m.Path)))
	if err := os.MkdirAll(path, 0o777); err != nil {
		return err
	}
	at, err := d.openModule(m, root)
	if err != nil {
		return err
	}
	defer at.Close()
	return d.buildTree(ctx, at, m.Whole, path, string(m.GitFile))
}

// buildTree writes a whole snapshot into a directory of our own.
func (d *dropping) buildTree(ctx context.Context, repo *gitstate.Repo, id object.ID, root, gitFile string) error {
	snap, err := d.loadKept(ctx, repo, id)
	if err != nil {
		return err
	}
	items, err := snap.items(ctx, repo)
	if err != nil {
		return err
	}
	w := writer{repo, root, snap.facts}
	if err := os.MkdirAll(root, 0o777); err != nil {
		return err
	}
	if err := w.putAll(ctx, items); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(root, ".git"), []byte(gitFile)); err != nil {
		return err
	}
	return w.putDirs()
}
