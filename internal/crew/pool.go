package crew

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// errInUse says why no other commit can be checked out in a task's worktree.
var errInUse = errors.New("the worktree of a task has an unfinished git operation, or files that no snapshot can save")

// Pool makes, opens, empties and removes places. A place is a linked worktree in which one task works while others run.
type Pool struct {
	*site.Site
	Staging *staging.Stager
}

// PoolOf returns a pool whose worktrees are made by the given stager.
func PoolOf(s *staging.Stager) *Pool { return &Pool{Site: s.Site, Staging: s} }

// readyEvent returns the event that records that the linked worktree of a place is complete.
func readyEvent(t worktree.Tree, n int) checkpoint.Event {
	return checkpoint.Event{Event: checkpoint.PlaceReady, Place: &checkpoint.Place{N: n, Admin: filepath.Base(t.Admin), Worktree: t.Path}}
}

// Open opens the run's place number n, which is a linked worktree. It returns false if the worktree does not exist or belongs to something
// else. The caller must close the opened worktree.
func (e *Pool) Open(r *checkpoint.Run, n int) (*gitstate.Repo, bool) {
	at, ok := e.placeOf(r, n)
	if !ok {
		return nil, false
	}
	return e.Repo.At(at), true
}

func (e *Pool) placeOf(r *checkpoint.Run, n int) (locate.Place, bool) {
	p := r.Places.At(n)
	if p == nil {
		return locate.Place{}, false
	}
	at, ok := e.TreeNamed(p.Admin, "")
	return at, ok && p.Admin != site.MainAdmin && worktree.RunOf(at.GitDir) == r.ID.Place(n)
}

// emptied is the result of putOn: the snapshot that it made. The field "bare" is true if the worktree certainly has only the files of the
// commit that was checked out, and no ignored files.
type emptied struct {
	snapshot.Snapshot
	bare bool
}

// putOn checks out a commit in a place, and removes other files except ignored ones. Before that, it saves uncommitted files and commits
// that would be lost. It returns errInUse if something cannot be saved, or if a git operation is in progress. The argument "rest" is a
// function that lets other tasks of the crew continue while git works in the place. The function "back", which rest returns, ends that.
func (e *Pool) putOn(ctx context.Context, at *gitstate.Repo, run checkpoint.RunID, to, landed object.ID, rest func() (back func())) (emptied, error) {
	if ongoing.OperationIn(at) != ongoing.NoOperation {
		return emptied{}, errInUse
	}
	back := rest()
	look, err := at.ReadState(ctx)
	back()
	if err != nil {
		return emptied{}, err
	}
	out := emptied{bare: len(look.Ignored) == 0 && !slices.ContainsFunc(look.Changes, gitstate.Change.Untracked)}
	if look.Head == to && look.Branch == "" && len(look.Changes) == 0 {
		return out, nil
	}
	if out.Snapshot, err = e.saveBefore(ctx, at, run, look, to, landed); err != nil {
		return out, err
	}
	defer rest()()
	return out, e.moveTo(ctx, at, look, to)
}

// moveTo checks out a commit in a place, and removes untracked files. Everything that would be lost was saved before.
func (e *Pool) moveTo(ctx context.Context, at *gitstate.Repo, look gitstate.WorktreeState, to object.ID) error {
	locks := site.MoveLocks(at, "HEAD")
	git := func(args ...string) error {
		if _, err := at.Git(ctx, process.Call{Args: args, Mode: process.Write, Locks: locks}); err != nil {
			return fmt.Errorf("put the worktree of a task on %s: %w", to.Short(), err)
		}
		return nil
	}
	if err := git("checkout", "-q", "-f", "--detach", string(to)); err != nil {
		return err
	}
	if err := stillIgnored(ctx, at, look); err != nil {
		return err
	}
	if slices.ContainsFunc(look.Changes, gitstate.Change.Untracked) {
		if err := git("clean", "-fdq"); err != nil {
			return err
		}
		if err := stillIgnored(ctx, at, look); err != nil { // an untracked .gitignore file was removed
			return err
		}
	}
	return e.settleFiles(ctx, at, look, to)
}

// stillIgnored returns errInUse if a file is untracked that was ignored before, because a .gitignore file was changed or removed since. No
// snapshot has this file, and it would get into the commit of the next task.
func stillIgnored(ctx context.Context, at *gitstate.Repo, before gitstate.WorktreeState) error {
	if len(before.Ignored) == 0 {
		return nil
	}
	now, err := at.Status(ctx)
	if err != nil {
		return err
	}
	for _, c := range now {
		if c.Untracked() && !slices.ContainsFunc(before.Changes, func(b gitstate.Change) bool { return b.Path == c.Path }) {
			return errInUse
		}
	}
	return nil
}

// saveBefore saves what would be lost if the commit "to" were checked out in a task's worktree. It saves uncommitted files. It also saves
// the commits of HEAD, except if HEAD is in the history of "to" or is "landed", a result that is already on the branch. It returns errInUse
// if something cannot be saved.
func (e *Pool) saveBefore(ctx context.Context, at *gitstate.Repo, run checkpoint.RunID, look gitstate.WorktreeState, to, landed object.ID) (snapshot.Snapshot, error) {
	known := look.Head == landed
	if !known {
		var err error
		if known, err = past.IsAncestor(ctx, at, look.Head, to); err != nil {
			return snapshot.Snapshot{}, err
		}
	}
	if known && len(look.Changes) == 0 {
		return snapshot.Snapshot{}, nil
	}
	saved, err := e.Staging.Snapshot(ctx, at, run, "before the worktree of a task was emptied")
	if err == nil && !known && saved.ID == "" {
		saved, err = e.saveCommits(ctx, at, run, "before the worktree of a task was emptied")
	}
	if err == nil && tasks.HasUnsaved(saved.Left) {
		err = errInUse
	}
	return saved, err
}

// saveCommits makes a snapshot of a worktree even if nothing is uncommitted. The snapshot keeps the commits of a detached HEAD.
func (e *Pool) saveCommits(ctx context.Context, at *gitstate.Repo, run checkpoint.RunID, cause string) (snapshot.Snapshot, error) {
	return snapshot.Take(ctx, at, snapshot.Request{Run: string(run), Cause: cause, When: snapshot.EvenClean, Now: e.Now})
}

// saveResult saves the rejected result of a task in two snapshots. One keeps the commits. The other has all changes since the commit "from"
// as uncommitted changes, so that people can see and restore them. After that, HEAD of the task's worktree is at "from".
func (e *Pool) saveResult(ctx context.Context, at *gitstate.Repo, run checkpoint.RunID, from object.ID, cause string) (snapshot.Snapshot, error) {
	if snap, err := e.saveCommits(ctx, at, run, cause); err != nil {
		return snap, err
	}
	if _, err := at.Git(ctx, process.Call{Args: []string{"reset", "-q", "--soft", string(from)}, Mode: process.Write, Locks: site.MoveLocks(at, "HEAD")}); err != nil {
		return snapshot.Snapshot{}, fmt.Errorf("the result of the task could not be stored for later: %w", err)
	}
	return e.Staging.Snapshot(ctx, at, run, cause)
}

// settleFiles waits until the files that git has written are on the disk. Otherwise a power failure could leave empty files, which would
// look like work of the next task.
func (e *Pool) settleFiles(ctx context.Context, at *gitstate.Repo, was gitstate.WorktreeState, to object.ID) error {
	const many = 200
	changed, err := past.Changed(ctx, at, was.Head, to)
	if err != nil || len(changed)+len(was.Changes) > many {
		return dotgit.Durable(at.WorkTree)
	}
	var paths []string
	for _, d := range changed {
		paths = append(paths, d.Path)
	}
	for _, c := range was.Changes {
		paths = append(paths, c.Path)
	}
	dotgit.SyncFiles(at.WorkTree, paths)
	return nil
}

// LeaveBranch detaches the HEAD of the run's own worktree. Then the branch is checked out nowhere, and can be moved.
func (e *Pool) LeaveBranch(ctx context.Context, home *gitstate.Repo) error {
	if branch, _, err := home.Refs.Head(ctx); err != nil || branch == "" {
		return err
	}
	_, err := home.Git(ctx, process.Call{Args: []string{"checkout", "-q", "--detach"}, Mode: process.Write, Locks: site.MoveLocks(home, "HEAD")})
	if err != nil {
		return fmt.Errorf("leave the branch: %w", err)
	}
	return nil
}

// HomeError says that the run's own worktree cannot return to the run's branch, because files in it were changed while tasks ran elsewhere.
type HomeError struct {
	Run  checkpoint.RunID
	Path string
	// Branch is the run's branch, and Files are the files that differ from it.
	Branch refs.Name
	Files  []string
}

func (e *HomeError) Error() string {
	return fmt.Sprintf("files in the worktree of run '%s' were changed while its branch was not checked out there", e.Run)
}

// ReturnToBranch checks out the run's branch in its own worktree again. It returns a *HomeError if changed files in this worktree are in
// the way. It returns a *MovingError if others move the branch again and again.
func (e *Pool) ReturnToBranch(ctx context.Context, home *gitstate.Repo, r *checkpoint.Run) error {
	for range mostReturns {
		branch, head, err := home.Refs.Head(ctx)
		if err != nil || branch == r.Branch {
			return err
		}
		tip, err := home.Refs.Ref(ctx, r.Branch)
		if err != nil || tip == "" {
			return err
		}
		if err := e.putHomeOn(ctx, home, r, tip); err != nil {
			return err
		}
		if on, err := e.attach(ctx, home, r.Branch, tip); on || err != nil {
			return errors.Join(err, e.settleFiles(ctx, home, gitstate.WorktreeState{Head: head}, tip))
		}
	}
	return &MovingError{Run: r.ID, Branch: r.Branch, Times: mostReturns}
}

// putHomeOn checks out a commit in the run's own worktree. It replaces files that an interrupted checkout of this commit left. If other
// changed files are in the way, it returns a *HomeError.
func (e *Pool) putHomeOn(ctx context.Context, home *gitstate.Repo, r *checkpoint.Run, tip object.ID) error {
	checkout := func(how ...string) error {
		args := append([]string{"checkout", "-q", "--detach"}, how...)
		_, err := home.Git(ctx, process.Call{Args: append(args, string(tip), "--"), Mode: process.Write, Locks: site.MoveLocks(home, "HEAD")})
		return err
	}
	first := checkout()
	if first == nil {
		return nil
	}
	files, err := e.strangeFiles(ctx, home, r.ID, tip)
	if err != nil {
		return errors.Join(first, err)
	}
	if len(files) > 0 {
		return &HomeError{Run: r.ID, Path: home.WorkTree, Branch: r.Branch, Files: files}
	}
	if err := checkout("-f"); err != nil {
		return fmt.Errorf("the worktree could not return to its branch: %w", err)
	}
	return nil
}

// attach puts HEAD of the run's own worktree on the branch. If the branch is no longer at the commit "tip", attach detaches HEAD again
// and returns false. Without that, the worktree would look as if somebody had undone the newer commits.
func (e *Pool) attach(ctx context.Context, home *gitstate.Repo, branch refs.Name, tip object.ID) (on bool, err error) {
	head := func(args ...string) error {
		_, err := home.Git(ctx, process.Call{Args: args, Mode: process.Write, Locks: site.MoveLocks(home, "HEAD")})
		return err
	}
	if err := head("symbolic-ref", "-m", "checkout: moving to "+refs.Short(branch), "HEAD", string(branch)); err != nil {
		return false, fmt.Errorf("the worktree could not return to its branch: %w", err)
	}
	now, err := home.Refs.Ref(ctx, branch)
	if err != nil || now == tip {
		return err == nil, err
	}
	return false, head("update-ref", "--no-deref", "-m", "checkout: the branch has moved", "HEAD", string(tip))
}

// strangeFiles lists changed files that an interrupted checkout of the commit "to" cannot have left. It saves everything in a snapshot
// first.
func (e *Pool) strangeFiles(ctx context.Context, home *gitstate.Repo, run checkpoint.RunID, to object.ID) ([]string, error) {
	if _, err := e.Staging.Snapshot(ctx, home, run, "the worktree before the run's branch was checked out again"); err != nil {
		return nil, err
	}
	changes, err := home.Status(ctx)
	if err != nil {
		return nil, err
	}
	var strange []string
	for _, c := range changes {
		if c.Tree == 'D' {
			continue
		}
		err := filepath.WalkDir(filepath.Join(home.WorkTree, filepath.FromSlash(c.Path)), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			name, err := filepath.Rel(home.WorkTree, path)
			if err == nil && !e.leftByCheckout(ctx, home, filepath.ToSlash(name), to) {
				strange = append(strange, filepath.ToSlash(name))
			}
			return err
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return strange, nil
}

// leftByCheckout reports whether an interrupted checkout of the commit can have left the file in this state. That is true if the file is
// missing, or has the content of the commit's file, or only the beginning of that content.
func (e *Pool) leftByCheckout(ctx context.Context, home *gitstate.Repo, name string, to object.ID) bool {
	path := filepath.Join(home.WorkTree, filepath.FromSlash(name))
	info, err := os.Lstat(path)
	if err != nil {
		return true // the file has been removed meanwhile
	}
	want, err := home.Git(ctx, process.Call{Args: []string{"cat-file", "--filters", "--path=" + name, string(to) + ":" + name}})
	if err != nil {
		return false // the commit does not have the file
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		link, err := os.Readlink(path)
		return err == nil && filepath.ToSlash(link) == string(want)
	}
	have, err := os.ReadFile(path)
	return err == nil && bytes.HasPrefix(want, have)
}
