package worktree

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
)

// UndoRequest asks for a dropped run to be brought back.
type UndoRequest struct {
	Run string
	// Record is called when all is back. After a kill it may be called a second time.
	Record func(context.Context, Undone) error
	Now    func() time.Time
}

// Undone is what came back.
type Undone struct {
	Run    string
	Path   string
	Branch string
	Tip    object.ID
	// Rebuilt: the files had been deleted and were written again; ignored files are not among them.
	Rebuilt bool
	// Remains is where files are that came while all was brought back; empty if there are none.
	Remains string
}

// ErrNothingDiscarded says that there is nothing to bring back.
var ErrNothingDiscarded = errors.New("nothing was discarded under this name")

// Undo brings a dropped run back: branch, registration with index, HEAD and half-done operations, and every file
// that was tracked or untracked, byte for byte. Discard after it drops the run again.
// A killed Undo, or Discard, is no hindrance; the same call made again finishes it.
func Undo(ctx context.Context, repo *gitstate.Repo, req UndoRequest) (Undone, error) {
	if err := checkRun(req.Run); err != nil {
		return Undone{}, err
	}
	d, unlock, err := openTrash(ctx, repo, req.Run)
	if err != nil {
		return Undone{}, err
	}
	defer unlock()
	if d.has && d.rec.Phase == phaseBack {
		if err := d.settle(ctx); err != nil {
			return Undone{}, fmt.Errorf("undo: %w", err)
		}
		d.has = false
	}
	if !d.has || d.rec.Phase == phaseHusk {
		return Undone{}, fmt.Errorf("run '%s': %w", req.Run, ErrNothingDiscarded)
	}
	if err := d.checkWayBack(ctx); err != nil {
		return Undone{}, err
	}
	back := d.undone()
	if err := d.finishUndo(ctx, req); err != nil {
		return Undone{}, fmt.Errorf("undo: %w", err)
	}
	if trash := string(d.rec.Trash); trash != "" && present(trash) {
		back.Remains = trash
	}
	if back.Path != "" && present(back.Path) {
		err = dotgit.Durable(back.Path, repo.CommonDir)
	}
	return back, err
}

func (d *dropping) undone() Undone {
	return Undone{Run: d.rec.Run, Path: string(d.rec.Path), Branch: string(d.rec.Branch), Tip: d.rec.Tip, Rebuilt: d.rec.Swept}
}

// checkWayBack refuses when somebody else is now where the run was.
func (d *dropping) checkWayBack(ctx context.Context) error {
	path := string(d.rec.Path)
	if d.rec.Trash != "" && !d.neverLeft() { // a link may have come where its folder was
		if err := SafePlace(d.repo, path); err != nil {
			return err
		}
	}
	if d.rec.Trash != "" && present(path) && !d.isBack() && !d.neverLeft() {
		return &PathTakenError{path, unknown(Want{Path: path}).Health}
	}
	if d.rec.Branch == "" {
		return nil
	}
	tip, err := d.repo.Refs.Ref(ctx, string(d.rec.Branch))
	if err != nil {
		return err
	}
	if tip != "" && d.rec.Tip != "" && tip != d.rec.Tip && d.rec.Phase != phaseBegun {
		return &BranchTakenError{Branch: strings.TrimPrefix(string(d.rec.Branch), "refs/heads/"), At: tip}
	}
	return nil
}

// isBack: the tree is at its place again.
func (d *dropping) isBack() bool {
	return d.rec.Phase == phaseUndoing && sameText(filepath.Join(string(d.rec.Path), ".git"), string(d.rec.GitFile))
}

// neverLeft: the discard was cut off before it moved the tree.
func (d *dropping) neverLeft() bool {
	return d.rec.Phase != phaseGone && !present(string(d.rec.Trash)) && !d.rec.Swept
}

// finishUndo goes the way back; each step knows from the disk whether it was done.
func (d *dropping) finishUndo(ctx context.Context, req UndoRequest) error {
	d.req.Now = req.Now
	if d.rec.Phase != phaseUndoing {
		if err := d.chooseAdmin(); err != nil {
			return err
		}
		d.rec.Phase = phaseUndoing
		if err := d.save(); err != nil {
			return err
		}
	}
	for _, step := range []func(context.Context) error{d.commitsBack, d.branchBack, d.rebuild, d.adminBack, d.treeBack} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	if req.Record != nil {
		if err := req.Record(ctx, d.undone()); err != nil {
			return err
		}
	}
	return d.settle(ctx)
}

// commitsBack makes commits again of what was kept of them, where a gc took them away.
func (d *dropping) commitsBack(ctx context.Context) error {
	r, err := seriesOf(d.repo, discardedSeries, d.rec.Run).read(ctx)
	if err != nil {
		return err
	}
	entries := slices.DeleteFunc(r.entries, func(e entry) bool { return e.number < d.rec.First })
	kept, err := keptIn(ctx, d.repo, entries)
	if err != nil {
		return fmt.Errorf("read kept commits: %w", err)
	}
	if err := writeBack(ctx, d.repo, kept); err != nil {
		return fmt.Errorf("bring the commits back: %w", err)
	}
	return nil
}

// How long an undo waits for a gc that was at work when all was back, and how often it looks.
const (
	gcLooks = 100
	gcPause = 50 * time.Millisecond
)

// settle ends an undo. A "gc --prune=now" that began before the branch was back knows nothing of its commits, and may still delete them:
// they are looked for again when it is over. Where that takes long, the next command does it.
func (d *dropping) settle(ctx context.Context) error {
	before, known := collectors(d.repo)
	for range gcLooks {
		over := !known || !anyLives(before)
		if err := d.commitsBack(ctx); err != nil {
			return err
		}
		if over {
			return d.clearTrash()
		}
		time.Sleep(gcPause)
	}
	d.rec.Phase = phaseBack
	return d.save()
}

// chooseAdmin finds a free name for the registration: another worktree may have taken the old one.
func (d *dropping) chooseAdmin() error {
	if d.rec.Admin == "" || !present(d.kept()) {
		return nil
	}
	old, name := string(d.rec.Admin), string(d.rec.Admin)
	for i := 1; present(d.repo.CommonPath("worktrees", name)); i++ {
		name = fmt.Sprintf("%s%d", old, i)
	}
	if name == old {
		return nil
	}
	rename := func(text exact) exact {
		return exact(strings.Replace(string(text), "worktrees/"+old, "worktrees/"+name, 1))
	}
	d.rec.Admin, d.rec.GitFile = exact(name), rename(d.rec.GitFile)
	for i := range d.rec.Modules {
		d.rec.Modules[i].GitFile = rename(d.rec.Modules[i].GitFile)
	}
	return nil
}

func (d *dropping) branchBack(ctx context.Context) error {
	if d.rec.Branch == "" || d.rec.Tip == "" {
		return nil
	}
	ref := string(d.rec.Branch)
	tip, err := d.repo.Refs.Ref(ctx, ref)
	if err != nil {
		return err
	}
	for i := 1; tip == ""; i++ {
		if err := complete(ctx, d.repo, d.rec.Tip); err != nil {
			return fmt.Errorf("bring the branch back: %w", err)
		}
		err := d.repo.Refs.Update(ctx, refs.Update{Ref: ref, New: d.rec.Tip})
		if err == nil {
			break
		}
		if i == tries || !vanished(err) {
			return fmt.Errorf("bring the branch back: %w", err)
		}
		if err := d.commitsBack(ctx); err != nil { // a gc took them away before the branch named them
			return err
		}
	}
	log, copied := d.reflogs()
	text, err := os.ReadFile(copied)
	if err != nil {
		return nil
	}
	if err := d.repo.Guard.Replace(log, text); err != nil {
		return fmt.Errorf("bring the branch's log back: %w", err)
	}
	return os.Remove(copied)
}

func (d *dropping) adminBack(context.Context) error {
	if d.rec.Admin == "" {
		return nil
	}
	to := d.repo.CommonPath("worktrees", string(d.rec.Admin))
	if present(d.kept()) {
		if err := d.setLocksAside(); err != nil {
			return fmt.Errorf("bring the registration back: %w", err)
		}
		if err := replaceFile(filepath.Join(d.kept(), "commondir"), []byte(d.rec.CommonFile)); err != nil {
			return fmt.Errorf("bring the registration back: %w", err)
		}
		if err := moveDir(d.kept(), to); err != nil {
			return fmt.Errorf("bring the registration back: %w", err)
		}
	}
	return nil
}

// setLocksAside takes git's lock files out of the registration.
// Whoever held one when it was moved knows it by its old name and can no longer release it;
// brought back, it would block every commit.
func (d *dropping) setLocksAside() error {
	return filepath.WalkDir(d.kept(), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".lock") {
			return err
		}
		return moveDir(path, d.repo.CommonPath("resume", "trash", "locks", e.Name()+"-"+newNonce()))
	})
}

func (d *dropping) treeBack(context.Context) error {
	if d.rec.Trash == "" {
		return nil
	}
	from := string(d.rec.Trash)
	if d.rec.Swept {
		from = d.building()
	}
	if present(from) && !d.isBack() {
		if err := moveDir(from, string(d.rec.Path)); err != nil {
			return fmt.Errorf("bring the worktree back: %w", err)
		}
	}
	if err := d.pointBack(); err != nil {
		return fmt.Errorf("bring the worktree back: %w", err)
	}
	if !d.rec.Unlocked {
		return nil
	}
	err := os.Remove(d.repo.CommonPath("worktrees", string(d.rec.Admin), "locked"))
	if gone(err) {
		return nil
	}
	return err
}

// pointBack makes the ".git" files of tree and submodules name the registration, which may have a new name.
func (d *dropping) pointBack() error {
	dots := map[string]exact{filepath.Join(string(d.rec.Path), ".git"): d.rec.GitFile}
	for _, m := range d.rec.Modules {
		dots[filepath.Join(string(d.rec.Path), filepath.FromSlash(string(m.Path)), ".git")] = m.GitFile
	}
	for path, text := range dots {
		if text == "" || sameText(path, string(text)) {
			continue
		}
		if err := replaceFile(path, []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// clearRest removes what is left of the moved tree after all was brought back: empty folders and the files that led to the registration.
func (d *dropping) clearRest() error {
	trash := string(d.rec.Trash)
	dots := map[string]exact{".git": d.rec.GitFile}
	for _, m := range d.rec.Modules {
		dots[filepath.Join(filepath.FromSlash(string(m.Path)), ".git")] = m.GitFile
	}
	for rel := range dots {
		if info, err := os.Lstat(filepath.Join(trash, rel)); err == nil && info.Mode().IsRegular() {
			if err := os.Remove(filepath.Join(trash, rel)); err != nil && !gone(err) {
				return err
			}
		}
	}
	if !present(trash) {
		return nil
	}
	return removeFolders(trash)
}

// clearTrash removes what is left of the discard; its ref stays until it expires.
func (d *dropping) clearTrash() error {
	if d.rec.Swept && d.rec.Trash != "" {
		if err := d.clearRest(); err != nil {
			return err
		}
	}
	for _, name := range []string{recordFile, oldRecordFile} {
		if err := os.Remove(filepath.Join(d.dir, name)); err != nil && !gone(err) {
			return err
		}
	}
	if err := os.RemoveAll(d.dir); err != nil { // only copies, and half-written ones
		return err
	}
	return dotgit.SyncDir(filepath.Dir(d.dir))
}
