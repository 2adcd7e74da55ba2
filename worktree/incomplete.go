package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/series"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// UnfinishedError reports a worktree whose creation was interrupted, but which contains files that may be somebody's work.
type UnfinishedError struct {
	Path  string
	Files []string
}

func (e *UnfinishedError) Error() string {
	if e.Files[0] == e.Path { // it is not known which files git wrote
		return fmt.Sprintf("worktree '%s' is incomplete, but contains files", e.Path)
	}
	return fmt.Sprintf("worktree '%s' is incomplete, but contains '%s'", e.Path, e.Files[0])
}

// retireIncomplete looks for files that an interrupted call of Create left for this run, and moves them to the trash. It returns an error
// if the incomplete worktree contains a file that git did not write.
func (c *creation) retireIncomplete(ctx context.Context) error {
	if c.req.Ready {
		return nil
	}
	trees, err := Find(ctx, c.repo)
	if err != nil {
		return err
	}
	for _, t := range trees {
		if t.Health != Incomplete && !t.isIncompleteAway() || !c.belongsToRun(t) {
			continue
		}
		if err := errors.Join(c.notBeingMade(t.Path), c.checkIncomplete(ctx, t)); err != nil {
			return err
		}
		if c.out.Husk, err = retire(c.repo, c.req, t); err != nil {
			return fmt.Errorf("move an incomplete worktree aside: %w", err)
		}
	}
	return c.retireStray(ctx)
}

// isIncompleteAway reports whether somebody moved an incomplete worktree to another path. The advice for an UnfinishedError says so. The files
// stay at that path, and only what git knows about the worktree is in the way of a new one.
func (t Tree) isIncompleteAway() bool {
	return t.Health == Moved && t.Locked && !place.Present(t.Path) && !place.Present(filepath.Join(t.Admin, "index"))
}

func (c *creation) notBeingMade(path string) error { return NotBeingMade(c.req.Run, path) }

// NotBeingMade returns an error while a git process is still making the worktree. Such a process may survive the program that started it,
// and could delete a new worktree at the same path.
func NotBeingMade(run, path string) error {
	if path == "" {
		return nil
	}
	if at := process.Makers(proc.Table{}, path); len(at) > 0 {
		return &LivingError{Run: run, Who: fmt.Sprintf("git (process %d) is creating its worktree", at[0].PID)}
	}
	return nil
}

// belongsToRun reports whether an incomplete worktree is registered at the run's path or locked by the run. If its path is unknown, the
// name of its folder in .git/worktrees decides.
func (c *creation) belongsToRun(t Tree) bool {
	run, ours := t.LockedBy()
	return place.Same(t.Path, c.path) || ours && run == c.req.Run ||
		t.Path == "" && filepath.Base(t.Admin) == filepath.Base(c.path)
}

// checkIncomplete returns an error if the worktree contains a file that git did not write, or that somebody has changed.
func (c *creation) checkIncomplete(ctx context.Context, t Tree) error {
	if t.Path == "" || !place.Present(t.Path) {
		return nil
	}
	start := c.req.At
	if c.req.Detach && t.Head != "" && !series.Unset(string(t.Head)) {
		start = t.Head // an earlier call may have created the worktree at another commit than this request names
	}
	if start == "" {
		at, err := c.repo.Refs.Ref(ctx, refs.Branch(c.req.Branch))
		if err != nil {
			return err
		}
		start = at
	}
	tree, err := snapshot.TreeOf(ctx, c.repo, start)
	if err != nil {
		return err
	}
	known := snapshot.Edit(c.repo, tree)
	var odd []string
	err = filepath.WalkDir(t.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(t.Path, path)
		if err != nil || rel == ".git" {
			return err
		}
		rel = filepath.ToSlash(rel)
		e, ok, err := known.Get(ctx, rel)
		if err != nil {
			return err
		}
		if !ok || c.isEdited(ctx, path, e) {
			odd = append(odd, rel)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("check an incomplete worktree: %w", err)
	}
	if len(odd) > 0 {
		return &UnfinishedError{t.Path, odd}
	}
	return nil
}

// isEdited reports whether somebody changed a file in an incomplete worktree. An interrupted git leaves the whole committed content or the
// beginning of it. If the content cannot be compared, isEdited returns false.
func (c *creation) isEdited(ctx context.Context, path string, e object.Entry) bool {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || e.Mode == object.ModeLink {
		return false
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return false
	}
	blob, err := c.repo.Git(ctx, process.Call{Args: []string{"cat-file", "--filters", "--path=" + e.Name, string(e.ID)}})
	if err != nil {
		return false
	}
	return len(data) > len(blob) || string(blob[:len(data)]) != string(data)
}

// retire moves an incomplete worktree to the trash and returns the new path. It also writes a record, so that Expire deletes the files
// later.
func retire(repo *gitstate.Repo, req CreateRequest, t Tree) (string, error) {
	if t.Path == "" || !place.Present(t.Path) {
		return retireIn(nil, "", repo, req, t)
	}
	f, err := place.Open(repo, filepath.Dir(t.Path))
	if err != nil {
		return "", place.Placed(err, t.Path)
	}
	defer f.Close()
	return retireIn(f, filepath.Base(t.Path), repo, req, t)
}

// retireIn moves an incomplete worktree to the trash, as retire does. The worktree is the subfolder "name" of the open folder f. If f is
// nil, the worktree has no folder of its own any more, but only one in .git/worktrees, which retireIn moves.
func retireIn(f *place.Folder, name string, repo *gitstate.Repo, req CreateRequest, t Tree) (string, error) {
	run, nonce := req.Run, place.Nonce()
	rec := record.Record{Version: 1, Run: run, At: req.Now().UTC(), Path: record.Exact(t.Path), Phase: record.Incomplete, Swept: true}
	dir := repo.CommonPath("resume", "trash", "husk-"+run+"-"+nonce)
	if t.Path != "" {
		rec.Trash = record.Exact(filepath.Join(filepath.Dir(t.Path), place.TrashPrefix+run+"-"+nonce))
	}
	if err := rec.SaveAs(filepath.Join(dir, record.OldFile)); err != nil {
		return "", err
	}
	if f != nil {
		if err := f.Root.Rename(name, place.TrashPrefix+run+"-"+nonce); err != nil {
			return "", err
		}
		if err := dotgit.SyncDir(f.Path); err != nil {
			return "", err
		}
	}
	if t.Admin != "" {
		if err := place.Move(t.Admin, filepath.Join(dir, "admin")); err != nil {
			return "", err
		}
	}
	if f == nil {
		return dir, nil
	}
	return string(rec.Trash), nil
}

// RetireHusks moves worktrees of runs into the trash if their creation was interrupted and they have no files. It returns how many it
// moved. The HEAD of such a worktree may be invalid, and git then refuses to fetch.
func RetireHusks(ctx context.Context, repo *gitstate.Repo, now func() time.Time) (n int, err error) {
	trees, err := Find(ctx, repo)
	if err != nil {
		return 0, err
	}
	for _, t := range trees {
		run, ours := t.LockedBy()
		if t.Health != Incomplete || !ours || NotBeingMade(run, t.Path) != nil {
			continue
		}
		if entries, err := os.ReadDir(t.Path); err == nil && (len(entries) > 1 || len(entries) == 1 && entries[0].Name() != ".git") {
			continue
		}
		if _, err := retire(repo, CreateRequest{Run: run, Now: now}, t); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}

// retireStray moves to the trash a directory that an interrupted "git worktree add" left without a folder in .git/worktrees, for example
// after a power failure. It leaves a directory with other files alone.
func (c *creation) retireStray(ctx context.Context) error {
	entries, err := os.ReadDir(c.path)
	if err != nil || len(entries) == 0 || !hasNoRepository(c.path) {
		return nil
	}
	if err := c.notBeingMade(c.path); err != nil {
		return err
	}
	t := Tree{Path: c.path}
	var unfinished *UnfinishedError
	if err := c.checkIncomplete(ctx, t); errors.As(err, &unfinished) {
		return nil // some of these files are not from git, so leave them all here; the method make() then reports that the path is taken
	} else if err != nil {
		return err
	}
	c.out.Husk, err = retire(c.repo, c.req, t)
	return err
}

// hasNoRepository reports whether the directory has no ".git" that points to a repository.
func hasNoRepository(path string) bool {
	if to, ok := place.LeadsTo(path); ok {
		return !place.Present(to)
	}
	info, err := os.Lstat(filepath.Join(path, ".git"))
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// Shelve moves a worktree into the trash if its "git worktree add" was interrupted, and returns the new path. It refuses a complete
// worktree, and a worktree with files that git did not write, because they may contain work.
func Shelve(ctx context.Context, repo *gitstate.Repo, admin string, now func() time.Time) (string, error) {
	t := examine(ctx, repo, admin, nil)
	if t.Health != Incomplete {
		return "", NotRegistered(t)
	}
	c := &creation{repo: repo, req: CreateRequest{Run: "git." + filepath.Base(admin), At: t.Head, Now: now}}
	if t.Head != "" {
		if err := c.checkIncomplete(ctx, t); err != nil {
			return "", err
		}
	} else if t.Path != "" && !hasNoFiles(t.Path) {
		return "", &UnfinishedError{t.Path, []string{t.Path}}
	}
	return retire(repo, c.req, t)
}

// hasNoFiles reports whether the directory is empty, contains only the ".git" file, or does not exist. A directory that cannot be read
// counts as empty.
func hasNoFiles(path string) bool {
	entries, err := os.ReadDir(path)
	return err != nil || len(entries) == 0 || len(entries) == 1 && entries[0].Name() == ".git"
}
