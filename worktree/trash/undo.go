package trash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
)

// UndoRequest asks to restore a discarded run.
type UndoRequest struct {
	Run string
	// Record is called when everything is restored. After a kill, it is possibly called a second time.
	Record func(context.Context, Undone) error
	Now    func() time.Time
}

// Undone is the result of Undo.
type Undone struct {
	Run    string
	Path   string
	Branch refs.Name
	Tip    object.ID
	// Rebuilt means that the files had been deleted, and that Undo wrote them again. Ignored files that were deleted are then missing.
	Rebuilt bool
	// Remains is the folder with files that appeared during the undo, or empty if there are none.
	Remains string
}

// ErrNothingDiscarded is the error if there is nothing to restore.
var ErrNothingDiscarded = errors.New("nothing was discarded under this name")

// undoJob is a discarded run that is being restored.
type undoJob struct{ d *discardJob }

// Undo restores a discarded run byte for byte: the branch, HEAD, the index, unfinished git operations, and all tracked and untracked files.
// It also works after an interrupted Discard. If Undo is killed, calling it again completes the work.
func Undo(ctx context.Context, repo *gitstate.Repo, req UndoRequest) (Undone, error) {
	if err := series.CheckRun(req.Run); err != nil {
		return Undone{}, err
	}
	d, unlock, err := openDir(repo, record.Dir(repo, req.Run), req.Run)
	if err != nil {
		return Undone{}, err
	}
	defer unlock()
	u := undoJob{d}
	if d.has && d.rec.Phase == record.Back {
		if err := u.waitForGC(ctx); err != nil {
			return Undone{}, fmt.Errorf("undo: %w", err)
		}
		d.has = false
	}
	if !d.has || d.rec.Phase == record.Incomplete {
		return Undone{}, fmt.Errorf("run '%s': %w", req.Run, ErrNothingDiscarded)
	}
	if err := u.checkTarget(ctx); err != nil {
		return Undone{}, err
	}
	back := u.undone()
	if err := u.finishUndo(ctx, req); err != nil {
		return Undone{}, fmt.Errorf("undo: %w", err)
	}
	if trash := string(d.rec.Trash); trash != "" && place.Present(trash) {
		back.Remains = trash
	}
	if back.Path != "" && place.Present(back.Path) {
		err = dotgit.Durable(back.Path, repo.CommonDir)
	}
	return back, err
}

func (u undoJob) undone() Undone {
	return Undone{Run: u.d.rec.Run, Path: string(u.d.rec.Path), Branch: refs.Name(u.d.rec.Branch), Tip: u.d.rec.Tip, Rebuilt: u.d.rec.Swept}
}

// checkTarget returns an error if the path or the branch of the run is now used for something else.
func (u undoJob) checkTarget(ctx context.Context) error {
	path := string(u.d.rec.Path)
	if u.d.rec.Trash != "" && !u.treeNotMoved() { // a link may have replaced the parent folder since the discard
		if err := place.Safe(u.d.repo, path); err != nil {
			return err
		}
	}
	if u.d.rec.Trash != "" && place.Present(path) && !u.treeRestored() && !u.treeNotMoved() {
		return &worktree.PathTakenError{Path: path, Health: worktree.Unknown(worktree.Want{Path: path}).Health}
	}
	if u.d.rec.Branch == "" {
		return nil
	}
	tip, err := u.d.repo.Refs.Ref(ctx, refs.Name(u.d.rec.Branch))
	if err != nil {
		return err
	}
	if tip != "" && u.d.rec.Tip != "" && tip != u.d.rec.Tip && u.d.rec.Phase != record.Begun {
		return &worktree.BranchTakenError{Branch: refs.Short(refs.Name(u.d.rec.Branch)), At: tip}
	}
	return nil
}

// treeRestored reports whether the worktree is at its old path again.
func (u undoJob) treeRestored() bool {
	return u.d.rec.Phase == record.Undoing && sameText(filepath.Join(string(u.d.rec.Path), ".git"), string(u.d.rec.GitFile))
}

// treeNotMoved reports whether the discard was interrupted before it moved the worktree.
func (u undoJob) treeNotMoved() bool {
	return u.d.rec.Phase != record.Gone && !place.Present(string(u.d.rec.Trash)) && !u.d.rec.Swept
}

// finishUndo restores the run step by step. Each step checks on disk whether it is already done.
func (u undoJob) finishUndo(ctx context.Context, req UndoRequest) error {
	u.d.req.Now = req.Now
	if u.d.rec.Phase != record.Undoing {
		if err := u.chooseAdmin(); err != nil {
			return err
		}
		u.d.rec.Phase = record.Undoing
		if err := u.d.save(); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{u.commitsBack, u.branchBack, u.rebuild, u.adminBack, u.treeBack} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if req.Record != nil {
		if err := req.Record(ctx, u.undone()); err != nil {
			return err
		}
	}
	return u.waitForGC(ctx)
}

// commitsBack writes the saved commits again if a gc has deleted them.
func (u undoJob) commitsBack(ctx context.Context) error {
	r, err := series.Of(u.d.repo, series.Discarded, u.d.rec.Run).Read(ctx)
	if err != nil {
		return err
	}
	entries := slices.DeleteFunc(r.Entries, func(e series.Entry) bool { return e.Number < u.d.rec.First })
	kept, err := series.KeptIn(ctx, u.d.repo, entries)
	if err != nil {
		return fmt.Errorf("read saved commits: %w", err)
	}
	if err := series.WriteBack(ctx, u.d.repo, kept); err != nil {
		return fmt.Errorf("restore the commits: %w", err)
	}
	return nil
}

// How often an undo checks whether a running gc has ended, and how long it waits each time.
const (
	gcChecks = 100
	gcPause  = 50 * time.Millisecond
)

// waitForGC is the last step of an undo. A gc that started before the branch was restored may still delete the commits of the branch. So
// waitForGC waits for the gc and then checks the commits again. If the gc takes too long, the next command checks the commits.
func (u undoJob) waitForGC(ctx context.Context) error {
	before, known := series.Collectors(u.d.repo)
	for range gcChecks {
		over := !known || !series.AnyLives(before)
		if err := u.commitsBack(ctx); err != nil {
			return err
		}
		if over {
			return u.clearTrash()
		}
		time.Sleep(gcPause)
	}
	u.d.rec.Phase = record.Back
	return u.d.save()
}

// isRegistered reports whether a worktree is registered at dir, a folder in .git/worktrees. If the folder is empty, isRegistered first
// removes it, because a running gc may have created it again.
func isRegistered(dir string) bool {
	_ = os.Remove(filepath.Join(dir, "logs"))
	_ = os.Remove(dir) // os.Remove does not delete a folder that contains files
	return place.Present(dir)
}

// chooseAdmin finds a free name in .git/worktrees, because another worktree may have taken the old name.
func (u undoJob) chooseAdmin() error {
	if u.d.rec.Admin == "" || !place.Present(u.d.kept()) {
		return nil
	}
	old, name := string(u.d.rec.Admin), string(u.d.rec.Admin)
	for i := 1; isRegistered(u.d.repo.CommonPath("worktrees", name)); i++ {
		name = fmt.Sprintf("%s%d", old, i)
	}
	if name == old {
		return nil
	}
	rename := func(text record.Exact) record.Exact {
		return record.Exact(strings.Replace(string(text), "worktrees/"+old, "worktrees/"+name, 1))
	}
	u.d.rec.Admin, u.d.rec.GitFile = record.Exact(name), rename(u.d.rec.GitFile)
	for i := range u.d.rec.Modules {
		u.d.rec.Modules[i].GitFile = rename(u.d.rec.Modules[i].GitFile)
	}
	return nil
}

func (u undoJob) branchBack(ctx context.Context) error {
	if u.d.rec.Branch == "" || u.d.rec.Tip == "" {
		return nil
	}
	ref := refs.Name(u.d.rec.Branch)
	tip, err := u.d.repo.Refs.Ref(ctx, ref)
	if err != nil {
		return err
	}
	for i := 1; tip == ""; i++ {
		if err := series.Complete(ctx, u.d.repo, u.d.rec.Tip); err != nil {
			return fmt.Errorf("cannot restore the branch: %w", err)
		}
		err := u.d.repo.Refs.Update(ctx, refs.Update{Ref: ref, New: u.d.rec.Tip})
		if err == nil {
			break
		}
		if i == series.Tries || !series.Vanished(err) {
			return fmt.Errorf("cannot restore the branch: %w", err)
		}
		if err := u.commitsBack(ctx); err != nil { // a gc may have deleted the commits just before the branch was created, so write them again
			return err
		}
	}
	log, copied := u.d.reflogs()
	text, err := os.ReadFile(copied)
	if err != nil {
		return nil
	}
	if err := u.d.repo.Guard.Replace(log, text); err != nil {
		return fmt.Errorf("cannot restore the branch's reflog: %w", err)
	}
	return os.Remove(copied)
}

func (u undoJob) adminBack(context.Context) error {
	if u.d.rec.Admin == "" {
		return nil
	}
	to := u.d.repo.CommonPath("worktrees", string(u.d.rec.Admin))
	if place.Present(u.d.kept()) {
		if err := u.setLocksAside(); err != nil {
			return fmt.Errorf("cannot restore the worktree's registration: %w", err)
		}
		if err := place.Replace(filepath.Join(u.d.kept(), "commondir"), []byte(u.d.rec.CommonFile)); err != nil {
			return fmt.Errorf("cannot restore the worktree's registration: %w", err)
		}
		if err := place.Move(u.d.kept(), to); err != nil {
			return fmt.Errorf("cannot restore the worktree's registration: %w", err)
		}
	}
	return nil
}

// setLocksAside moves git's lock files out of the worktree's git dir, which the discard has moved. The process that made a lock knows only
// the path before the discard, so it cannot remove the lock. After the undo, the lock would block every commit.
func (u undoJob) setLocksAside() error {
	return filepath.WalkDir(u.d.kept(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".lock") {
			return err
		}
		return place.Move(path, u.d.repo.CommonPath("resume", "trash", "locks", e.Name()+"-"+place.Nonce()))
	})
}

func (u undoJob) treeBack(context.Context) error {
	if u.d.rec.Trash == "" {
		return nil
	}
	from := string(u.d.rec.Trash)
	if u.d.rec.Swept {
		from = u.buildDir()
	}
	if place.Present(from) && !u.treeRestored() {
		if err := place.Move(from, string(u.d.rec.Path)); err != nil {
			return fmt.Errorf("restore the worktree: %w", err)
		}
	}
	if err := u.pointBack(); err != nil {
		return fmt.Errorf("restore the worktree: %w", err)
	}
	if !u.d.rec.Unlocked {
		return nil
	}
	err := os.Remove(u.d.repo.CommonPath("worktrees", string(u.d.rec.Admin), "locked"))
	if place.Gone(err) {
		return nil
	}
	return err
}

// pointBack writes the path of the restored git dir into the ".git" files of the worktree and its submodules. The git dir may have a new
// name.
func (u undoJob) pointBack() error {
	dots := map[string]record.Exact{filepath.Join(string(u.d.rec.Path), ".git"): u.d.rec.GitFile}
	for _, m := range u.d.rec.Modules {
		dots[filepath.Join(string(u.d.rec.Path), filepath.FromSlash(string(m.Path)), ".git")] = m.GitFile
	}
	for path, text := range dots {
		if text == "" || sameText(path, string(text)) {
			continue
		}
		if err := place.Replace(path, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// clearRest removes what is left of the moved worktree after an undo: empty folders and the ".git" files.
func (u undoJob) clearRest() error {
	trash := string(u.d.rec.Trash)
	dots := map[string]record.Exact{".git": u.d.rec.GitFile}
	for _, m := range u.d.rec.Modules {
		dots[filepath.Join(filepath.FromSlash(string(m.Path)), ".git")] = m.GitFile
	}
	for rel := range dots {
		if info, err := os.Lstat(filepath.Join(trash, rel)); err == nil && info.Mode().IsRegular() {
			if err := os.Remove(filepath.Join(trash, rel)); err != nil && !place.Gone(err) {
				return err
			}
		}
	}
	if !place.Present(trash) {
		return nil
	}
	return removeFolders(trash)
}

// clearTrash removes the record and the folder of the discard. The ref stays until it expires.
func (u undoJob) clearTrash() error {
	if u.d.rec.Swept && u.d.rec.Trash != "" {
		if err := u.clearRest(); err != nil {
			return err
		}
	}
	for _, name := range []string{record.File, record.OldFile} {
		if err := os.Remove(filepath.Join(u.d.dir, name)); err != nil && !place.Gone(err) {
			return err
		}
	}
	if err := os.RemoveAll(u.d.dir); err != nil { // only copies and temporary files are left in the folder
		return err
	}
	return dotgit.SyncDir(filepath.Dir(u.d.dir))
}
