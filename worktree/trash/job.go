package trash

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// save writes the record with the present phase.
func (d *discardJob) save() error {
	d.rec.Version = record.Version
	return d.rec.SaveAs(filepath.Join(d.dir, record.File))
}

// Care says whether Discard accepts a worktree in the middle of a git operation.
type Care int

const (
	// Careful refuses a worktree in the middle of a git operation.
	Careful Care = iota
	// Forced discards a worktree even in the middle of a git operation. Undo restores the state of the operation.
	Forced
)

// DiscardRequest asks to discard a run's worktree and branch.
type DiscardRequest struct {
	Run string
	// Path is the path of the worktree. If it is empty, the run has no separate worktree, and Discard changes no files.
	Path string
	// Branch is the full name of the branch to delete. If it is empty, no branch is deleted.
	Branch refs.Name
	Care   Care
	// Keep lists files and folders of the worktree that are saved even if git ignores them.
	Keep []string
	// Shown is the preview that the user has seen. An ignored file that is not in the preview is not deleted. If Shown is nil, every
	// ignored file that exists when Discard starts may be deleted.
	Shown *Preview
	// Living describes who is still working in the worktree. If it is not empty, Discard returns an error.
	Living string
	// Intent is called when everything is saved, before anything is moved. Record is called when the worktree is moved and the branch
	// deleted, before any file is deleted. After a kill, both are possibly called a second time.
	Intent func(context.Context, Discarded) error
	Record func(context.Context, Discarded) error
	Now    func() time.Time
}

// Discarded is the result of Discard: what was discarded, and where it is now.
type Discarded struct {
	Run    string
	Ref    refs.Name // the ref from which everything can be restored
	Path   string
	Branch refs.Name
	Tip    object.ID
	// Snapshot contains the uncommitted work. It is empty if there was none.
	Snapshot object.ID
	// Remains is the folder with files that were not deleted, such as nested repositories and files that changed during the discard. While
	// a gc is running, Discard deletes no files, so the folder has them all. Remains is empty if there is no such folder.
	Remains string
	// Rest lists files in the folder Remains that are outside nested repositories, at most snapshot.MaxLeft. RestCount is the number of all
	// such files.
	Rest      []string
	RestCount int
	// Already means that an earlier call had completed the discard.
	Already bool
}

// BusyError reports that another process is discarding or restoring the same run right now.
type BusyError struct{ Run string }

func (e *BusyError) Error() string {
	return fmt.Sprintf("run '%s' is being discarded or restored by another process", e.Run)
}

// discardJob is one run that is being discarded or restored.
type discardJob struct {
	repo *gitstate.Repo // opened at the common directory, because the current worktree may be the one that is removed
	dir  string
	rec  record.Record
	has  bool
	req  DiscardRequest
	// before maps each ref to the id that it had before this discard changed it.
	before map[refs.Name]object.ID
}

// lockTries is how often lockDir tries to get a lock before it reports that somebody holds it.
const lockTries = 10

func lockDir(dir, run string) (*flock.Lock, error) {
	lock, err := flock.Try(dir + ".lock")
	for i := 1; i < lockTries && errors.Is(err, flock.ErrHeld); i++ {
		// A child process that we have just started may still hold the lock, until it executes its own program. So wait and try again.
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

// openDir locks a folder of the trash, and reads its record.
func openDir(repo *gitstate.Repo, dir, run string) (*discardJob, func(), error) {
	lock, err := lockDir(dir, run)
	if err != nil {
		return nil, nil, err
	}
	d := &discardJob{dir: dir, repo: repo.At(locate.Place{GitDir: repo.CommonDir, CommonDir: repo.CommonDir})}
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

// noteRefs remembers which ids the refs had before a discard adds entries to them.
func (d *discardJob) noteRefs(ctx context.Context) error {
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

func (d *discardJob) result(already bool) Discarded {
	r := Discarded{
		Run: d.rec.Run, Ref: DiscardedRef(d.rec.Run), Path: string(d.rec.Path), Branch: refs.Name(d.rec.Branch), Tip: d.rec.Tip,
		Snapshot: d.rec.Snapshot, Already: already,
	}
	if d.rec.Trash != "" && place.Present(string(d.rec.Trash)) {
		r.Remains = string(d.rec.Trash)
		if d.rec.Phase == record.Gone && !d.rec.Torn {
			r.Rest, r.RestCount = d.remainingFiles()
		}
	}
	return r
}

// Preview lists what a discard would remove.
type Preview struct {
	Tree      worktree.Tree
	Changed   []string
	Untracked []string
	// Ignored lists ignored files, which Discard deletes without a copy. The field Data of an item is true if the file looks like data that
	// cannot be created again.
	Ignored []snapshot.Omission
	// Nested lists repositories inside the worktree. Discard does not delete them, but moves them together with the worktree.
	Nested []string
	Branch refs.Name
	Tip    object.ID
	// Ahead is the number of commits on the branch that are not in the base. It is -1 if that cannot be determined.
	Ahead int
	// counted lists the ignored files that were counted for this preview. These are the only ignored files that Discard may delete without
	// a copy, and only if they have not changed since.
	counted marks
	// Refusal is the error that Discard would return for the request, or nil.
	Refusal error
}

// kept returns the folder to which the worktree's git dir (.git/worktrees/<name>) is moved.
func (d *discardJob) kept() string { return filepath.Join(d.dir, "admin") }

// reflogs returns the path of the branch's reflog and the path of our copy. The copy is needed, because git deletes the reflog together
// with the branch.
func (d *discardJob) reflogs() (log, copied string) {
	return d.repo.CommonPath("logs", filepath.FromSlash(string(d.rec.Branch))), filepath.Join(d.dir, "branch-log")
}

// series returns the two series that keep the discarded files and commits of this run.
func (d *discardJob) series() []series.Series {
	return []series.Series{series.Of(d.repo, series.Snapshots, d.rec.Run), series.Of(d.repo, series.Discarded, d.rec.Run)}
}

// nested returns the repositories inside the worktree that are saved nowhere and must not be deleted.
func (d *discardJob) nested() map[string]bool {
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

// loadKept reads a snapshot by its id in the record. The id may be a commit for which the run's series has an entry.
func (d *discardJob) loadKept(ctx context.Context, repo *gitstate.Repo, id object.ID) (snapshot.Snapshot, error) {
	snap, err := snapshot.Load(ctx, repo, id)
	if err == nil {
		return snap, nil
	}
	e, found, _ := series.Of(repo, series.Snapshots, d.rec.Run).Find(ctx, id) // if nothing is found, the error of Load is returned
	if !found {
		return snapshot.Snapshot{}, err
	}
	return snapshot.Load(ctx, repo, e.ID)
}

// openModule opens a submodule's repository after the worktree was moved.
func (d *discardJob) openModule(m record.Module, tree string) (*gitstate.Repo, error) {
	gitDir := filepath.Join(d.kept(), filepath.FromSlash(string(m.GitDir)))
	work := filepath.Join(tree, filepath.FromSlash(string(m.Path)))
	place, err := locate.Find(d.repo.CommonDir, []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + work})
	if err != nil {
		return nil, err
	}
	return d.repo.At(place), nil
}

// remainingFiles lists the files that still exist in a moved worktree, without nested repositories and the file ".git". It lists at most
// snapshot.MaxLeft of them. The second result is the number of all these files.
func (d *discardJob) remainingFiles() (names []string, n int) {
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
