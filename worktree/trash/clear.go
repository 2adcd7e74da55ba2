package trash

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// deletion deletes the files of a discarded worktree, one by one, after the worktree was moved to the trash. It deletes a file only if a
// snapshot or the record of the discard contains the same bytes, if it is an ignored file that has not changed since it was counted (see
// countedFile), or if it is a pipe or socket that a snapshot could not read. Every other file stays.
type deletion struct {
	root string
	// out is the folder to which each file is moved before it is compared. If a process writes to the old path meanwhile, it makes a new file,
	// which is not deleted.
	out  string
	hash object.Hasher
	// saved maps paths to the files in the snapshots. The field "texts" maps the paths of ".git" files to their contents.
	saved map[string]snapshot.Item
	texts map[string]string
	// counted lists the ignored files that the user has seen in a preview, or that existed when the discard started.
	counted marks
	// pipes has the paths that a snapshot could not read. Pipes and sockets among them can be deleted without a loss, because they have no
	// content.
	pipes map[string]bool
	keep  map[string]bool
}

// asideOf returns the folder into which files of a moved worktree are put while they are compared.
func asideOf(trash string) string { return trash + ".out" }

// newDeletion prepares a deletion. It finds out which files of the moved worktree are in the snapshots.
func (d *discardJob) newDeletion(ctx context.Context) (*deletion, error) {
	h, err := d.repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	trash := string(d.rec.Trash)
	c := &deletion{
		root: trash, out: asideOf(trash), hash: h, counted: readMarks(filepath.Join(d.dir, countedFile)),
		saved: map[string]snapshot.Item{}, texts: map[string]string{".git": string(d.rec.GitFile)}, pipes: map[string]bool{}, keep: d.nested(),
	}
	if err := c.add(ctx, d, d.repo, "", d.rec.Whole); err != nil {
		return nil, err
	}
	for _, m := range d.rec.Modules {
		prefix := string(m.Path) + "/"
		c.texts[prefix+".git"] = string(m.GitFile)
		at, err := d.openModule(m, trash)
		if err != nil {
			return nil, err
		}
		err = c.add(ctx, d, at, prefix, m.Whole)
		at.Close()
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (c *deletion) add(ctx context.Context, d *discardJob, repo *gitstate.Repo, prefix string, id object.ID) error {
	snap, err := d.loadKept(ctx, repo, id)
	if err != nil {
		return err
	}
	items, err := snap.Items(ctx, repo)
	if err != nil {
		return err
	}
	for _, it := range items {
		c.saved[prefix+it.Path] = it
	}
	for _, l := range snap.Left {
		if l.Kind == snapshot.Unreadable {
			c.pipes[prefix+l.Path] = true
		}
	}
	return nil
}

// run deletes all files that may be deleted. First it moves back files that a killed call had moved aside.
func (c *deletion) run() error {
	if err := bringBack(c.out, c.root); err != nil {
		return err
	}
	if err := c.clearFolder(""); err != nil {
		return err
	}
	return removeFolders(c.out)
}

// clearFolder deletes those files of a folder that may be deleted. If the folder is then empty, it removes the folder too. It skips nested
// repositories.
func (c *deletion) clearFolder(rel string) error {
	full := filepath.Join(c.root, rel)
	info, err := os.Lstat(full)
	if place.Gone(err) || c.keep[rel] {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o700 != 0o700 {
		if err := os.Chmod(full, 0o700); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(full)
	if err != nil {
		return err
	}
	for _, e := range entries {
		below := filepath.Join(rel, e.Name())
		if below == ".git" && len(entries) > 1 {
			continue // delete ".git" last, because commands in this folder need it to find out to which run the worktree belonged
		}
		if e.IsDir() {
			err = c.clearFolder(below)
		} else {
			err = c.deleteFile(below)
		}
		if err != nil {
			return err
		}
	}
	_ = os.Remove(filepath.Join(c.out, rel))
	if names, err := os.ReadDir(full); rel == "" && len(entries) > 1 && err == nil && len(names) == 1 && names[0].Name() == ".git" {
		return c.clearFolder(rel)
	}
	if err := os.Remove(full); err != nil && !place.Gone(err) && !isFilled(full) {
		return err
	}
	return nil
}

func isFilled(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) > 0
}

// deleteFile moves a file aside, and deletes it if isKept finds that nothing would be lost. Otherwise it moves the file back.
func (c *deletion) deleteFile(rel string) error {
	from, to := filepath.Join(c.root, rel), filepath.Join(c.out, rel)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	if err := os.Rename(from, to); place.Gone(err) {
		return nil // another process has removed the file
	} else if err != nil {
		return err
	}
	kept, err := c.isKept(filepath.ToSlash(rel), to)
	if err != nil {
		return err
	}
	if kept {
		return os.Remove(to)
	}
	return giveBack(to, from)
}

// isKept reports whether a file can be deleted without a loss. This is so if a snapshot or the record contains the same bytes, if the file
// is ignored and has not changed, or if it is a known pipe or socket. The argument "name" is the path in the worktree, and the file is now
// at the path "at".
func (c *deletion) isKept(name, at string) (bool, error) {
	info, err := os.Lstat(at)
	if err != nil {
		return false, err
	}
	if m, ok := c.counted[name]; ok && m == markOf(info) {
		return true, nil
	}
	if info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		return c.pipes[name], nil
	}
	if text, ok := c.texts[name]; ok && info.Mode().IsRegular() && info.Size() == int64(len(text)) {
		return sameText(at, text), nil
	}
	it, ok := c.saved[name]
	switch {
	case !ok:
		return false, nil
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(at)
		return err == nil && it.Mode == object.ModeLink && c.hash.ID("blob", []byte(filepath.ToSlash(to))) == it.ID, nil
	case !info.Mode().IsRegular() || it.Mode == object.ModeLink:
		return false, nil
	}
	return c.sameBytes(at, it.ID), nil
}

// sameBytes compares a file with a blob. A file that cannot be read counts as different.
func (c *deletion) sameBytes(at string, id object.ID) bool {
	f, err := os.Open(at)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	now, err := c.hash.IDOf("blob", info.Size(), f)
	return err == nil && now == id
}

// giveBack moves a file back to its old path. If another file has appeared there meanwhile, the file gets a similar name.
func giveBack(from, to string) error {
	for i := 0; ; i++ {
		at := to
		if i > 0 {
			at = to + ".kept" + strconv.Itoa(i)
		}
		err := os.MkdirAll(filepath.Dir(at), 0o700)
		if err == nil {
			err = os.Link(from, at) // a link fails if the name exists, but a rename would overwrite the file
		}
		switch {
		case err == nil:
			return os.Remove(from)
		case errors.Is(err, fs.ErrExist):
			continue
		case place.Present(at):
			return err
		}
		return os.Rename(from, at) // rename the file, because not every file system has hard links
	}
}

// bringBack moves all files of one folder back into another folder.
func bringBack(from, to string) error {
	if !place.Present(from) {
		return nil
	}
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		return giveBack(path, filepath.Join(to, rel))
	})
	return errors.Join(err, removeFolders(from))
}

// removeFolders removes a folder and its subfolders if they contain no files.
func removeFolders(root string) error {
	var all []string
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() {
			all = append(all, path)
		}
		return skipGone(err)
	})
	slices.Reverse(all)
	for _, dir := range all {
		if err := os.Remove(dir); err != nil && !place.Gone(err) && !isFilled(dir) {
			return err
		}
	}
	return err
}

func skipGone(err error) error {
	if place.Gone(err) {
		return nil
	}
	return err
}
