package purge

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// record lists the worktrees and branches that a purge removes. It is written first, so that a second purge can finish a killed one.
type record struct {
	Trees    []moving
	Branches []Branch
}

// moving is a worktree that is removed. Its folder is first renamed to the path in Trash, so that a kill does not leave a worktree that
// lacks some of its files.
type moving struct{ Run, Admin, Path, Trash string }

func (r record) has(admin string) bool {
	return slices.ContainsFunc(r.Trees, func(m moving) bool { return m.Admin == admin })
}

func (e *Purger) recordPath() string { return e.Repo.CommonPath("resume", "purging") }

// readRecord returns the record of a killed purge. The result is empty if the record is missing or cannot be read. Entries that no purge
// would have written are left out.
func (e *Purger) readRecord() (r record) {
	text, err := files.ReadSmall(e.recordPath())
	if err != nil || json.Unmarshal(text, &r) != nil {
		return record{}
	}
	r.Trees = slices.DeleteFunc(r.Trees, func(m moving) bool {
		odd := !filepath.IsAbs(m.Trash) || !strings.HasPrefix(filepath.Base(m.Trash), trashPrefix) || filepath.Dir(m.Trash) != filepath.Dir(m.Path)
		return m.Admin == "" || filepath.Base(m.Admin) != m.Admin || m.Trash != "" && odd
	})
	r.Branches = slices.DeleteFunc(r.Branches, func(b Branch) bool { return !refs.IsName(b.Ref) || !strings.HasPrefix(string(b.Ref), "refs/heads/") })
	return r
}

func (e *Purger) writeRecord(r record) error {
	text, err := json.Marshal(r)
	if err != nil || len(r.Trees)+len(r.Branches) == 0 {
		return err
	}
	if err := dotgit.MkdirAll(e.Repo.CommonPath("resume")); err != nil {
		return err
	}
	return dotgit.WriteFile(e.recordPath(), append(text, '\n'))
}

const trashPrefix = place.TrashPrefix + "purge-"

// Purge removes what the plan names, and finishes what a killed purge has started. The folder .git/resume is removed last.
func (e *Purger) Purge(ctx context.Context, p *Plan) error {
	for _, id := range p.open {
		release, err := e.Staging.Hold(id) // nobody may start to work on a run while it is removed
		if err != nil {
			return err
		}
		defer release()
	}
	rec := e.readRecord()
	for _, t := range p.Trees {
		if !rec.has(t.Admin) {
			m := moving{Run: t.Run, Admin: t.Admin, Path: t.Path}
			if filepath.IsAbs(t.Path) {
				m.Trash = filepath.Join(filepath.Dir(t.Path), trashPrefix+place.Nonce())
			}
			rec.Trees = append(rec.Trees, m)
		}
	}
	rec.Branches = p.Branches
	if err := e.writeRecord(rec); err != nil {
		return err
	}
	for _, m := range rec.Trees {
		if err := e.removeTree(m); err != nil {
			return err
		}
	}
	for _, l := range e.Repo.Linked() {
		if err := snapshot.ForgetUnfinished(l.GitDir); err != nil {
			return err
		}
	}
	for _, admin := range p.marked {
		if err := unmark(admin); err != nil {
			return err
		}
	}
	if err := e.removeRefs(ctx, p); err != nil {
		return err
	}
	if p.OwnHook() {
		if _, err := hooks.Uninstall(ctx, e.Repo, hooks.Request{}); err != nil {
			return err
		}
	}
	if len(p.Hidden) > 0 {
		if err := e.Repo.Settings.Configure(ctx, "--local", "--unset-all", hideSetting); err != nil {
			return err
		}
	}
	_ = os.Remove(worktree.DefaultDir(e.Repo)) // a folder that is not empty stays, because Remove fails for it
	return e.removeFolder()
}

// removeTree removes one worktree and its registration. Each step can be repeated after a kill.
func (e *Purger) removeTree(m moving) error {
	admin := e.Repo.CommonPath("worktrees", m.Admin)
	registered := worktree.RunOf(admin) == m.Run
	if to, ok := place.LeadsTo(m.Path); registered && ok && m.Trash != "" && place.SameDir(to, admin) {
		if err := place.Move(m.Path, m.Trash); err != nil {
			return err
		}
	}
	if registered {
		away := e.Repo.CommonPath("resume", "purged")
		if err := dotgit.MkdirAll(away); err != nil {
			return err
		}
		if err := place.Move(admin, filepath.Join(away, m.Admin+"-"+place.Nonce())); err != nil {
			return err
		}
		_ = os.Remove(filepath.Dir(admin)) // like git, also remove the folder .git/worktrees if it is empty
	}
	if m.Trash == "" {
		return nil
	}
	return removeAll(m.Trash)
}

// removeAll removes a folder even if some folders in it are not writable. It follows no links.
func removeAll(dir string) error {
	if os.RemoveAll(dir) == nil {
		return nil
	}
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			_ = os.Chmod(path, 0o700) // ignore an error: the next attempt reports what still cannot be removed
		}
		return nil
	})
	return os.RemoveAll(dir)
}

// unmark removes our mark and our lock from the registration of a worktree that stays.
func unmark(admin string) error {
	if strings.HasPrefix(place.Content(filepath.Join(admin, "locked")), worktree.LockPrefix) {
		if err := files.RemoveQuiet(filepath.Join(admin, "locked")); err != nil {
			return err
		}
	}
	return files.RemoveQuiet(filepath.Join(admin, worktree.MarkFile))
}

// removeRefs deletes the branches of runs and the refs of git-resume. It stops with an error at a ref that somebody has moved since the
// plan was made.
func (e *Purger) removeRefs(ctx context.Context, p *Plan) error {
	var updates []refs.Update
	for _, b := range p.Branches {
		updates = append(updates, refs.Update{Ref: b.Ref, Old: b.Tip})
	}
	for ref, id := range p.Refs {
		updates = append(updates, refs.Update{Ref: ref, Old: id})
	}
	if len(updates) == 0 {
		return nil
	}
	if err := errors.Join(e.Repo.Refs.UpdateAll(ctx, updates...)...); err != nil {
		return err
	}
	for _, root := range []string{"refs", filepath.Join("logs", "refs")} {
		for _, below := range []string{"resume", filepath.Join("notes", "resume")} {
			removeEmpty(e.Repo.CommonPath(root, below))
		}
	}
	return nil
}

// removeEmpty removes a folder and its subfolders, except those that contain a file.
func removeEmpty(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, d := range entries {
		if d.IsDir() {
			removeEmpty(filepath.Join(dir, d.Name()))
		}
	}
	_ = os.Remove(dir) // fails if the folder is not empty
}

// removeFolder removes .git/resume. It first deletes the record of the purge, which is no longer needed: the worktrees and branches that
// the record names are gone.
func (e *Purger) removeFolder() error {
	dir := e.Repo.CommonPath("resume")
	if err := dotgit.Plain(dir); err != nil {
		return err
	}
	e.Repo.Guard.Close()
	if err := files.RemoveQuiet(e.recordPath()); err != nil {
		return err
	}
	return removeAll(dir)
}
