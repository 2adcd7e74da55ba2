package trash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// save notes how far it came. In the folder of the version before a record keeps its old form, which that program reads.
func (d *dropping) save() error {
	if !strings.HasSuffix(d.dir, record.KeptSuffix) {
		return d.rec.SaveAs(filepath.Join(d.dir, record.OldFile))
	}
	d.rec.Version = record.Version
	if err := d.rec.SaveAs(filepath.Join(d.dir, record.File)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(d.dir, record.OldFile)); err != nil && !place.Gone(err) { // moved here with its folder
		return fmt.Errorf("note the step: %w", err)
	}
	return nil
}

// Care says how careful a discard is.
type Care int

const (
	// Careful refuses a tree in the middle of a git operation.
	Careful Care = iota
	// Forced goes on; the operation's state is kept and comes back with Undo.
	Forced
)

// DiscardRequest asks for a run's worktree and branch to be dropped.
type DiscardRequest struct {
	Run string
	// Path is the worktree; empty if the run has none of its own, then no file is touched.
	Path string
	// Branch is deleted too (full ref name); empty leaves all branches alone.
	Branch refs.Name
	Care   Care
	// Keep are files and folders of the tree that are kept even where git ignores them.
	Keep []string
	// Shown is what a person saw before agreeing: of the ignored files only those go. Nil: those that are there now.
	Shown *Preview
	// Living is who still works there, as far as the caller knows; anything but empty refuses.
	Living string
	// Intent is called when all is reachable from the ref of what was discarded and before anything is moved,
	// Record when all is moved and before anything is deleted.
	// After a kill they may be called a second time.
	Intent func(context.Context, Discarded) error
	Record func(context.Context, Discarded) error
	Now    func() time.Time
}

// Discarded is what was dropped, and where it is.
type Discarded struct {
	Run    string
	Ref    refs.Name // everything is reachable from it
	Path   string
	Branch refs.Name
	Tip    object.ID
	// Snapshot holds what was uncommitted; empty if nothing was.
	Snapshot object.ID
	// Remains is where files are that were not deleted: nested repositories, what came or changed while the run was dropped,
	// or all if a gc was at work.
	Remains string
	// Rest are some of the files that came or changed meanwhile, RestCount all of them.
	Rest      []string
	RestCount int
	// Already: an earlier call had done it.
	Already bool
}

// BusyError says that another process drops or brings back the same run right now.
type BusyError struct{ Run string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("run '%s' is being dropped or brought back by another process", e.Run)
}

// dropping is one run on its way out, or back.
type dropping struct {
	repo *gitstate.Repo // asked from the common directory: the caller may stand in the tree that goes
	dir  string
	rec  record.Record
	has  bool
	req  DiscardRequest
	// before is where the refs were before something was added to what they name.
	before map[refs.Name]object.ID
}

// patience is how often a lock is asked for before its holder counts as one.
const patience = 10

// lockDir takes the lock of a folder with a record.
func lockDir(dir, run string) (*flock.Lock, error) {
	lock, err := flock.Try(dir + ".lock")
	for i := 1; i < patience && errors.Is(err, flock.ErrHeld); i++ {
		// A child that another part of the program just forked holds a copy until it runs its own program.
		time.Sleep(20 * time.Millisecond)
		lock, err = flock.Try(dir + ".lock")
	}
	if errors.Is(err, flock.ErrHeld) {
		return nil, &BusyError{run}
	}
	if err != nil {
		return nil, fmt.Errorf("open the trash: %w", err)
	}
	return lock, nil
}

// openDir takes the lock of a folder and reads how far earlier calls came.
func openDir(repo *gitstate.Repo, dir, run string) (*dropping, func(), error) {
	lock, err := lockDir(dir, run)
	if err != nil {
		return nil, nil, err
	}
	d := &dropping{dir: dir, repo: repo.At(locate.Place{GitDir: repo.CommonDir, CommonDir: repo.CommonDir})}
	unlock := func() {
		d.repo.Close()
		_ = lock.Release()
	}
	if d.rec, d.has, err = record.Load(d.dir); err != nil {
		unlock()
		return nil, nil, err
	}
	return d, unlock, nil
}

// openTrash opens a run's folder; what the version before left of it is brought into the form of today first.
func openTrash(ctx context.Context, repo *gitstate.Repo, run string) (*dropping, func(), error) {
	d, unlock, err := openDir(repo, record.Dir(repo, run), run)
	if err != nil {
		return nil, nil, err
	}
	if err := d.takeOver(ctx, run); err != nil {
		unlock()
		return nil, nil, err
	}
	return d, unlock, nil
}

// takeOver brings refs of the version before into the form of today, and then its folder, in one step.
// What cannot be brought stays as it is, and is read as that.
func (d *dropping) takeOver(ctx context.Context, run string) error {
	from := record.TrashDir(d.repo, run)
	if d.has || !place.Present(filepath.Join(from, record.OldFile)) {
		_ = flattenDiscards(ctx, d.repo, run, "")
		return ctx.Err()
	}
	lock, err := lockDir(from, run)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	rec, found, err := record.Load(from)
	if err != nil || !found {
		return err
	}
	_ = errors.Join(snapshot.FlattenSnapshots(ctx, d.repo, run), flattenDiscards(ctx, d.repo, run, refs.Name(rec.Branch)))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := place.Move(from, d.dir); err != nil {
		return fmt.Errorf("open the trash: %w", err)
	}
	d.rec, d.has = rec, true
	return d.save()
}

// noteRefs remembers where the refs are before something is added.
func (d *dropping) noteRefs(ctx context.Context) error {
	d.before = map[refs.Name]object.ID{}
	for _, s := range d.series() {
		at, err := d.repo.Refs.Ref(ctx, s.Ref)
		if err != nil {
			return err
		}
		d.before[s.Ref] = at
	}
	return nil
}

func (d *dropping) result(already bool) Discarded {
	r := Discarded{
		Run: d.rec.Run, Ref: DiscardedRef(d.rec.Run), Path: string(d.rec.Path), Branch: refs.Name(d.rec.Branch), Tip: d.rec.Tip,
		Snapshot: d.rec.Snapshot, Already: already,
	}
	if d.rec.Trash != "" && place.Present(string(d.rec.Trash)) {
		r.Remains = string(d.rec.Trash)
		if d.rec.Phase == record.Gone && !d.rec.Torn {
			r.Rest, r.RestCount = d.rest()
		}
	}
	return r
}

// Preview is what a discard would drop.
type Preview struct {
	Tree      worktree.Tree
	Changed   []string
	Untracked []string
	// Ignored is not kept; its sizes are measured, and Data marks what looks like somebody's data.
	Ignored []snapshot.Left
	// Nested are repositories of their own; they are kept beside the tree's old place.
	Nested []string
	Branch refs.Name
	Tip    object.ID
	// Ahead are the branch's commits that the base does not have; -1 if that cannot be told.
	Ahead int
	// counted are the ignored files, one by one: only they go, and only as they were.
	counted marks
	// Refusal is why Discard would not do it as asked; nil if it would.
	Refusal error
}

// kept is where the registration lies while the run is dropped.
func (d *dropping) kept() string { return filepath.Join(d.dir, "admin") }

// reflogs are where a branch's log is and where its copy goes; git deletes the one with the branch.
func (d *dropping) reflogs() (log, copied string) {
	return d.repo.CommonPath("logs", filepath.FromSlash(string(d.rec.Branch))), filepath.Join(d.dir, "branch-log")
}

// series are those of the run that a discard adds to.
func (d *dropping) series() []series.Series {
	return []series.Series{series.Of(d.repo, series.Snapshots, d.rec.Run), series.Of(d.repo, series.Discarded, d.rec.Run)}
}

// nested are the repositories in the tree that nothing else holds.
func (d *dropping) nested() map[string]bool {
	keep := map[string]bool{}
	for _, path := range d.rec.Nested {
		keep[filepath.FromSlash(string(path))] = true
	}
	return keep
}

func sameText(path, text string) bool {
	have, err := os.ReadFile(path)
	return err == nil && string(have) == text
}

// loadKept reads a snapshot by the id that the record has: its tree, or the commit that it was when the version before dropped the run.
func (d *dropping) loadKept(ctx context.Context, repo *gitstate.Repo, id object.ID) (snapshot.Snapshot, error) {
	snap, err := snapshot.Load(ctx, repo, id)
	if err == nil {
		return snap, nil
	}
	e, found, _ := series.Of(repo, series.Snapshots, d.rec.Run).Find(ctx, id) // the first error says more
	if !found {
		return snapshot.Snapshot{}, err
	}
	return snapshot.Load(ctx, repo, e.ID)
}

// openModule asks git about a submodule while its superproject is not where it thinks.
func (d *dropping) openModule(m record.Module, tree string) (*gitstate.Repo, error) {
	gitDir := filepath.Join(d.kept(), filepath.FromSlash(string(m.GitDir)))
	work := filepath.Join(tree, filepath.FromSlash(string(m.Path)))
	place, err := locate.Find(d.repo.CommonDir, []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + work})
	if err != nil {
		return nil, err
	}
	return d.repo.At(place), nil
}

// rest names the files of a moved tree that were not deleted because nothing else holds them, a few of them at most, and counts all.
func (d *dropping) rest() (names []string, n int) {
	trash, keep := string(d.rec.Trash), d.nested()
	_ = filepath.WalkDir(trash, func(path string, e fs.DirEntry, err error) error {
		rel, relErr := filepath.Rel(trash, path)
		switch {
		case err != nil || relErr != nil:
			return place.SkipUnreadable(e)
		case keep[rel]:
			return place.SkipUnreadable(e)
		case e.IsDir() || rel == ".git":
			return nil
		}
		if n++; len(names) < snapshot.MaxLeft {
			names = append(names, filepath.ToSlash(rel))
		}
		return nil
	})
	return names, n
}
