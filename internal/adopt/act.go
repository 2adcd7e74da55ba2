package adopt

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// ChangedError says that somebody edited a file after we had computed a change to it, or after the change that is to be undone.
type ChangedError struct {
	Path string
	// Kept names the old content of a file whose change cannot be undone, for example "1a2b3c:before/0". The user may need that content.
	// Kept is empty if no undo was attempted, or if the file did not exist before the change.
	Kept string
}

func (e *ChangedError) Error() string { return fmt.Sprintf("'%s' was changed in the meantime", e.Path) }

func (e *ChangedError) Unwrap() error { return candidate.ErrMoved }

// PresentError says that a file cannot be restored or moved because something already exists at its path. Nothing was replaced.
type PresentError struct{ Path string }

func (e *PresentError) Error() string { return fmt.Sprintf("'%s' already exists", e.Path) }

// Act saves the files that the changes touch, records the changes, and carries them out, in this order.
// A kill between two steps loses nothing: no file is changed before the record names the saved copy.
func (e *Adopter) Act(ctx context.Context, s *candidate.Summary, id checkpoint.RunID, w sources.ActionRequest, changes []sources.Change, record appender) (*journal.Journal, error) {
	for _, c := range changes {
		if err := e.checkChange(c); err != nil {
			return nil, err
		}
	}
	var saved object.ID
	if len(changes) > 0 {
		var err error
		if saved, err = e.saveDeed(ctx, id, changes); err != nil {
			return nil, fmt.Errorf("save the changes: %w", err)
		}
	}
	j, err := record(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{
			Event: checkpoint.RunActed, Name: w.Name, Task: checkpoint.TaskID(w.Task), Text: w.Text, Tree: saved, Silent: s.Silence(e.Now()),
		}}, nil
	})
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		if err := e.carryOut(c); err != nil {
			return j, err
		}
	}
	return j, nil
}

// appender records events, either as the owner of a run or on behalf of a person.
type appender func(context.Context, func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error)

// checkPlace refuses a change outside the worktrees of this repository, or in git's own files. The check is needed because the changes to
// undo are read from a journal, which anybody may have written.
func (e *Adopter) checkPlace(c sources.Change) error {
	if !slices.ContainsFunc(e.Repo.Linked(), func(l gitstate.Linked) bool { return l.WorkTree == c.Tree && !l.Missing }) {
		return fmt.Errorf("'%s' is not a worktree of this repository", c.Tree)
	}
	for _, p := range []string{c.Path, c.To} {
		if p != "" && !isInside(c.Tree, p) {
			return fmt.Errorf("'%s' is outside the worktree, or belongs to git", p)
		}
	}
	return nil
}

// isInside reports whether a path stays inside a worktree and outside git's own files, even if folders on the way are symbolic links.
func isInside(tree, p string) bool {
	isGit := func(name string) bool { return strings.EqualFold(name, ".git") }
	if !filepath.IsLocal(filepath.FromSlash(p)) || slices.ContainsFunc(strings.Split(path.Clean(p), "/"), isGit) {
		return false
	}
	root, err := filepath.EvalSymlinks(tree)
	if err != nil {
		return false
	}
	dir := filepath.Dir(filepath.Join(tree, filepath.FromSlash(p)))
	for {
		at, err := filepath.EvalSymlinks(dir)
		if err == nil {
			rel, err := filepath.Rel(root, at)
			return err == nil && filepath.IsLocal(rel) && !slices.ContainsFunc(strings.Split(filepath.ToSlash(rel), "/"), isGit)
		}
		if !errors.Is(err, fs.ErrNotExist) || dir == tree {
			return false
		}
		dir = filepath.Dir(dir)
	}
}

// checkChange refuses a change at a forbidden path. It also refuses a change to a file that was edited after the change was computed.
func (e *Adopter) checkChange(c sources.Change) error {
	if err := e.checkPlace(c); err != nil {
		return err
	}
	if c.Now == nil && !c.Gone {
		return nil
	}
	was, err := sources.Files{Top: c.Tree}.Read(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Was == nil:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil || c.Was == nil || !bytes.Equal(was, c.Was):
		return &ChangedError{Path: c.Path}
	}
	return nil
}

func (e *Adopter) carryOut(c sources.Change) error {
	full := filepath.Join(c.Tree, filepath.FromSlash(c.Path))
	if c.Gone {
		return errors.Join(os.Remove(full), dotgit.SyncDir(filepath.Dir(full)))
	}
	if c.Now != nil {
		if err := e.Repo.Guard.Replace(full, c.Now); err != nil {
			return err
		}
	}
	if c.To == "" {
		return nil
	}
	return moveTo(full, filepath.Join(c.Tree, filepath.FromSlash(c.To)))
}

// moveTo renames a file or folder. It refuses to replace anything.
func moveTo(from, to string) error {
	if _, err := os.Lstat(to); !errors.Is(err, fs.ErrNotExist) {
		return &PresentError{to}
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return errors.Join(dotgit.SyncDir(filepath.Dir(from)), dotgit.SyncDir(filepath.Dir(to)))
}

// saveDeed stores the list of changes, and the files as they are now and as they will be after the changes.
func (e *Adopter) saveDeed(ctx context.Context, id checkpoint.RunID, changes []sources.Change) (object.ID, error) {
	return snapshot.KeepActed(ctx, e.Repo, snapshot.ActedRequest{Run: string(id), Now: e.Now(), Files: func(p *object.Pending) (map[string]object.Version, error) {
		files := map[string]object.Version{}
		d := candidate.StoredChanges{V: 1}
		for i, c := range changes {
			d.Changes = append(d.Changes, candidate.Edited{
				Tree: c.Tree, Path: c.Path, To: c.To, Made: c.Now != nil && c.Was == nil, Written: c.Now != nil, Gone: c.Gone, Mode: modeOf(c),
			})
			if err := keepBefore(p, files, i, c); err != nil {
				return nil, err
			}
			if c.Now != nil {
				files[fmt.Sprintf("after/%d", i)] = object.Version{Mode: object.ModeFile, ID: p.Add("blob", c.Now)}
			}
		}
		text, err := json.MarshalIndent(d, "", " ")
		if err != nil {
			return nil, err
		}
		files[candidate.DeedFile] = object.Version{Mode: object.ModeFile, ID: p.Add("blob", append(text, '\n'))}
		return files, nil
	}})
}

// modeOf returns the octal mode of a file that a change removes. The result is empty for other changes, and if the file is missing.
func modeOf(c sources.Change) string {
	info, err := os.Lstat(filepath.Join(c.Tree, filepath.FromSlash(c.Path)))
	if !c.Gone || err != nil {
		return ""
	}
	return strconv.FormatUint(uint64(info.Mode().Perm()), 8)
}

// A folder that is moved is first saved, so that the move can be undone. A folder above these limits is refused.
const (
	maxKeptFiles = 5000
	maxKeptBytes = 256 << 20
)

// keepBefore saves what a change touches: the old content of a file, or the files and symbolic links in a folder that is moved. It refuses
// a folder that is too large.
func keepBefore(p *object.Pending, files map[string]object.Version, n int, c sources.Change) error {
	if c.Was != nil {
		files[fmt.Sprintf("before/%d", n)] = object.Version{Mode: object.ModeFile, ID: p.Add("blob", c.Was)}
		return nil
	}
	if c.To == "" {
		return nil // the change creates the file, so there is nothing to keep
	}
	root := filepath.Join(c.Tree, filepath.FromSlash(c.Path))
	count, total := 0, int64(0)
	return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		count, total = count+1, total+info.Size()
		if count > maxKeptFiles || total > maxKeptBytes {
			return fmt.Errorf("'%s' has too many files, or too large ones, to be kept for undo", c.Path)
		}
		v := object.Version{Mode: object.ModeFile}
		var data []byte
		if info.Mode().IsRegular() {
			data, err = os.ReadFile(at)
		} else if d.Type()&fs.ModeSymlink != 0 {
			var to string
			to, err = os.Readlink(at)
			v.Mode, data = object.ModeLink, []byte(to)
		} else {
			return nil // a socket or a pipe has no contents
		}
		rel, relErr := filepath.Rel(root, at)
		v.ID = p.Add("blob", data)
		files[path.Join(fmt.Sprintf("before/%d", n), filepath.ToSlash(rel))] = v
		return errors.Join(err, relErr)
	})
}

// reverse undoes changes, the last one first. If somebody has edited a file after these changes, reverse returns an error before it changes
// anything.
func (e *Adopter) reverse(changes []sources.Change, kept object.ID) error {
	for i, c := range changes {
		if err := e.checkPlace(c); err != nil {
			return err
		}
		err := reversible(c)
		var changed *ChangedError
		if errors.As(err, &changed) && c.Was != nil {
			changed.Kept = fmt.Sprintf("%s:before/%d", kept, i)
		}
		if err != nil {
			return err
		}
	}
	for _, c := range slices.Backward(changes) {
		if err := e.reverseOne(c); err != nil {
			return err
		}
	}
	return nil
}

// reversible returns an error if a change cannot be undone. A change that has been undone already is not an error.
func reversible(c sources.Change) error {
	files := sources.Files{Top: c.Tree}
	at := c.Path
	if c.To != "" && files.Has(c.To) {
		if at = c.To; files.Has(c.Path) {
			return &PresentError{filepath.Join(c.Tree, filepath.FromSlash(c.Path))}
		}
	}
	if c.Now == nil && !c.Gone {
		return nil
	}
	now, err := files.Read(at)
	if err == nil && !bytes.Equal(now, c.Now) && (c.Was == nil || !bytes.Equal(now, c.Was)) {
		return &ChangedError{Path: at}
	}
	return nil // the method reverseOne handles a file that is missing or cannot be read
}

func (e *Adopter) reverseOne(c sources.Change) error {
	full := filepath.Join(c.Tree, filepath.FromSlash(c.Path))
	if c.To != "" {
		to := filepath.Join(c.Tree, filepath.FromSlash(c.To))
		if _, err := os.Lstat(to); err == nil {
			if err := moveTo(to, full); err != nil {
				return err
			}
			if dir := filepath.Dir(to); dir != filepath.Dir(full) {
				_ = os.Remove(dir) // remove the folder that contained the moved file, if it is empty now
			}
		} else if _, err := os.Lstat(full); err != nil {
			return &ChangedError{Path: c.To}
		}
	}
	if c.Now == nil && !c.Gone {
		return nil
	}
	now, err := sources.Files{Top: c.Tree}.Read(c.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Gone:
		return e.putBack(full, c) // also makes the file's folder again, if the folder is missing
	case errors.Is(err, fs.ErrNotExist) && c.Was == nil, err == nil && c.Was != nil && bytes.Equal(now, c.Was):
		return nil // the file is already as it was before the change
	case err != nil:
		return err
	case !bytes.Equal(now, c.Now):
		return &ChangedError{Path: c.Path}
	case c.Was == nil:
		return errors.Join(os.Remove(full), dotgit.SyncDir(filepath.Dir(full)))
	}
	return e.Repo.Guard.Replace(full, c.Was)
}

// putBack writes a file that a change removed. Records of older versions have no mode, so the file then gets the usual mode.
func (e *Adopter) putBack(full string, c sources.Change) error {
	if c.Mode == 0 {
		return e.Repo.Guard.Replace(full, c.Was)
	}
	return e.Repo.Guard.PutBack(full, c.Was, c.Mode)
}

// redo repeats changes that were undone. It skips changes that an earlier redo made before it was killed.
func (e *Adopter) redo(changes []sources.Change) error {
	for _, c := range changes {
		if isDone(c) {
			continue
		}
		if err := e.checkChange(c); err != nil {
			return err
		}
		if err := e.carryOut(c); err != nil {
			return err
		}
	}
	return nil
}

// FlipDeed reverses what the event "what" did to files or to hidden work. If that event is an undo, the undone change is made again.
func (e *Adopter) FlipDeed(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) error {
	acted, back := what, true
	if what.Event == checkpoint.Undone {
		first, flips, err := e.FirstOf(ctx, id, what)
		if err != nil {
			return err
		}
		acted, back = first, flips%2 == 0
	}
	if acted.Event != checkpoint.RunActed {
		return nil
	}
	if acted.Name == sources.Hide {
		return e.flipHide(ctx, id, back)
	}
	if !candidate.WroteFiles(acted) {
		return nil
	}
	kept := candidate.DeedOf(ctx, e.Repo, id, acted)
	changes, err := candidate.LoadDeed(ctx, e.Repo, kept)
	if err != nil {
		return err
	}
	if back {
		return e.reverse(changes, kept)
	}
	return e.redo(changes)
}

// isDone reports whether a change has already been made.
func isDone(c sources.Change) bool {
	files := sources.Files{Top: c.Tree}
	if c.To != "" {
		return !files.Has(c.Path) && files.Has(c.To)
	}
	now, err := files.Read(c.Path)
	if c.Gone {
		return errors.Is(err, fs.ErrNotExist)
	}
	return err == nil && bytes.Equal(now, c.Now)
}

// FirstOf finds the original change behind an undo, or behind a chain of undos. It also returns how many undos are in that chain.
func (e *Adopter) FirstOf(ctx context.Context, id checkpoint.RunID, what checkpoint.Event) (checkpoint.Event, int, error) {
	lines, err := e.Store.Lines(ctx, id)
	if err != nil {
		return what, 0, err
	}
	what, flips := candidate.Origin(lines, what)
	return what, flips, nil
}
