package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
)

// Create makes the worktree of a run, checks out the requested branch or commit in it, and locks it. If the run already has a suitable
// worktree, Create uses that one. If only its folder is missing, Create writes the files again. If Create is killed, the caller can call it
// again.
func Create(ctx context.Context, repo *gitstate.Repo, req CreateRequest) (Created, error) {
	if err := series.CheckRun(req.Run); err != nil {
		return Created{}, err
	}
	c := creation{repo: repo, req: req}
	defer c.close()
	if err := c.choosePath(); err != nil {
		return Created{}, fmt.Errorf("make worktree: %w", err)
	}
	if err := repairCommondirs(repo); err != nil {
		return Created{}, err
	}
	if err := c.make(ctx); err != nil {
		return Created{}, err
	}
	if err := Mark(c.out.Tree.Admin, req.Run); err != nil {
		return Created{}, err
	}
	if err := c.fill(ctx); err != nil {
		return c.out, fmt.Errorf("fill worktree: %w", err)
	}
	if c.out.Fresh || !c.req.Ready {
		// The journal will say that the worktree is complete, so its files must survive a power failure.
		if err := dotgit.Durable(c.out.Tree.Path, repo.CommonDir); err != nil {
			return c.out, fmt.Errorf("make worktree: %w", err)
		}
	}
	return c.out, nil
}

type creation struct {
	repo *gitstate.Repo
	req  CreateRequest
	path string
	out  Created
	// into is the open folder of the worktree, into which ignored files are copied. If the worktree already existed, the folder is
	// opened when the copying starts.
	into *os.Root
}

func (c *creation) close() {
	if c.into != nil {
		_ = c.into.Close()
		c.into = nil
	}
}

func (c *creation) choosePath() error {
	switch {
	case c.req.Path != "":
		c.path = filepath.Clean(c.req.Path)
	case c.req.Dir != "":
		c.path = filepath.Join(place.AbsFrom(MainDir(c.repo), c.req.Dir), c.req.Run)
	default:
		return c.chooseDefaultPath()
	}
	return place.Safe(c.repo, c.path)
}

// chooseDefaultPath chooses a folder next to the repository. If no folder can be made there, it chooses a folder inside the main worktree.
// A bare repository has no main worktree, so it returns an error there.
func (c *creation) chooseDefaultPath() error {
	dir := DefaultDir(c.repo)
	c.path = filepath.Join(dir, c.req.Run)
	if err := place.Safe(c.repo, c.path); errors.As(err, new(*place.LinkError)) {
		return err
	}
	err := writable(c.repo, dir)
	top := MainDir(c.repo)
	if err == nil || top == c.repo.CommonDir { // a bare repository has no main worktree in which the folder could be made
		return err
	}
	c.out.Inside = true
	c.path = filepath.Join(top, insideDir, c.req.Run)
	return errors.Join(place.Safe(c.repo, c.path), exclude(c.repo, "/"+insideDir+"/"))
}

// writable makes the folder dir if it is missing. Then it checks that a folder can be made in dir, by making and removing one. If the
// process is killed, the next call removes the folder that was left, because its name is always the same.
func writable(repo *gitstate.Repo, dir string) error {
	f, err := place.Open(repo, dir)
	if err != nil {
		return err
	}
	defer f.Close()
	const probe = ".probe"
	if err := f.Root.Mkdir(probe, 0o777); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	err = f.Root.Remove(probe)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		err = f.Root.Remove(probe) // try a second time, because the error may be temporary
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil // a missing folder is no error here, because another process may have removed it
}

// exclude adds a line to info/exclude, so that git ignores the path in this clone. It does nothing if the file already has this line.
func exclude(repo *gitstate.Repo, line string) error {
	path := repo.CommonPath("info", "exclude")
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for have := range strings.Lines(string(text)) {
		if strings.TrimRight(have, "\r\n") == line {
			return nil
		}
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text = append(text, '\n')
	}
	return repo.Guard.Replace(path, append(text, line+"\n"...))
}

func (c *creation) make(ctx context.Context) error {
	if !c.req.Ready && place.Present(c.path) {
		// A git process of a killed program may still be making this worktree. Such a worktree can look complete, but the git process may
		// delete it again.
		if err := c.notBeingMade(c.path); err != nil {
			return err
		}
	}
	if err := c.retireIncomplete(ctx); err != nil {
		return err
	}
	ref := c.ref()
	if err := c.nameLock(); err != nil {
		return err
	}
	trees, err := Find(ctx, c.repo, filepath.Dir(c.path))
	if err != nil {
		return err
	}
	t := lookAmong(trees, Want{Run: c.req.Run, Path: c.path, Branch: ref, Own: c.req.Own})
	switch registered := t.Admin != ""; {
	case registered && (t.Health == Usable || t.Health == MidOperation) && c.suits(t):
		c.out.Tree = t
		return c.lock()
	case registered && t.Health == Missing && c.suits(t):
		return c.rebuildFiles(ctx, t)
	case registered:
		taken := pathTaken(t.Path, t)
		if t.Health != Missing && RunOf(t.Admin) == c.req.Run {
			taken.Own = c.req.Run
		}
		return taken
	}
	for _, other := range trees {
		switch {
		case other.Admin == "":
		case place.Same(other.Path, c.path) && other.Health == Missing && other.Branch == ref && c.req.Path != "":
			return c.rebuildFiles(ctx, other) // the missing worktree is registered at exactly the requested path, so only its files must be written
		case place.Same(other.Path, c.path):
			return pathTaken(c.path, other)
		case ref != "" && other.Branch == ref && other.Health != Incomplete:
			return &BranchTakenError{Branch: c.req.Branch, Worktree: other.Path}
		}
	}
	if t.Health == Foreign || t.Health == Plain && !place.IsEmpty(c.path) {
		return pathTaken(c.path, t)
	}
	return c.add(ctx, ref)
}

// ref returns the branch to check out, or an empty name if the request asks for a detached HEAD.
func (c *creation) ref() refs.Name {
	if c.req.Detach {
		return ""
	}
	return refs.Branch(c.req.Branch)
}

// The method suits() reports whether an existing worktree can be used as it is. With Detach, the branch of the worktree does not matter.
func (c *creation) suits(t Tree) bool { return c.req.Detach || t.Branch == c.ref() }

// add runs "git worktree add" in the open parent folder of the new worktree. So on Linux, git follows no link on the way to this folder.
// Elsewhere, added() notices afterwards if a link led git to another folder.
func (c *creation) add(ctx context.Context, ref refs.Name) error {
	var at object.ID
	var err error
	if ref != "" {
		if at, err = c.repo.Refs.Ref(ctx, ref); err != nil {
			return err
		}
	}
	if at != "" || c.req.Detach { // a git process of a killed program may have made the branch, and may be making the worktree now
		if err := c.notBeingMade(c.path); err != nil {
			return err
		}
	}
	name := filepath.Base(c.path)
	args := []string{"worktree", "add", "--lock", "--reason", LockPrefix + c.req.Run}
	switch {
	case c.req.Detach:
		args = append(args, "--detach", "./"+name, string(c.req.At))
	case at == "" && c.req.At == "":
		return fmt.Errorf("make worktree: %w: branch '%s'", object.ErrMissing, c.req.Branch)
	case at == "":
		args = append(args, "--no-track", "-b", c.req.Branch, "./"+name, string(c.req.At))
	case c.req.At != "" && at != c.req.At:
		return &BranchTakenError{Branch: c.req.Branch, At: at}
	default:
		args = append(args, "./"+name, c.req.Branch)
	}
	f, err := place.Open(c.repo, filepath.Dir(c.path))
	if err != nil {
		return fmt.Errorf("make worktree: %w", place.Placed(err, c.path))
	}
	defer f.Close()
	if info, err := f.Root.Lstat(name); err == nil && place.IsLink(info) {
		return fmt.Errorf("make worktree: %w", place.NewLinkError(c.path, filepath.Join(f.Path, name)))
	}
	// List the lock files that a killed git may leave even if the worktree is complete. The check for an incomplete worktree would not find
	// them.
	locks := []string{c.repo.CommonPath("config.lock"), c.repo.CommonPath("packed-refs.lock"), c.repo.CommonPath("packed-refs.new")}
	if ref != "" {
		locks = append(locks, c.repo.CommonPath(filepath.FromSlash(string(ref)))+".lock")
	}
	for _, file := range []string{"HEAD", "ORIG_HEAD", "index", "config.worktree"} {
		locks = append(locks, c.repo.CommonPath("worktrees", name, file+".lock"))
	}
	call := process.Call{
		Args: args, Mode: process.Write, Locks: locks, Dir: f.WorkDir(), Env: []string{"GIT_DIR=" + c.repo.GitDir, "GIT_WORK_TREE=."},
	}
	_, err = c.repo.Git(ctx, call)
	var git *process.Error
	if errors.As(err, &git) && git.Code == 129 { // git before 2.33 does not know --reason
		call.Args = slices.Concat(args[:3], args[5:])
		if _, err = c.repo.Git(ctx, call); err == nil {
			err = c.nameLock()
		}
	}
	if err != nil {
		return fmt.Errorf("make worktree: %w", err)
	}
	return c.added(ctx, f, name, ref)
}

// The method added() checks that git made the worktree at the intended path. If git made it at another path, added() moves it to the
// trash and returns an error.
func (c *creation) added(ctx context.Context, f *place.Folder, name string, ref refs.Name) error {
	t, err := Look(ctx, c.repo, Want{Run: c.req.Run, Branch: ref})
	if err != nil {
		return err
	}
	if err := c.openMade(f, name, t.Path); err != nil {
		if t.Admin != "" {
			_, again := retireIn(f, name, c.repo, c.req, t)
			err = errors.Join(err, again)
		}
		return err
	}
	if t.Health != Usable {
		return NotRegistered(t)
	}
	c.out.Tree, c.out.Fresh = t, true
	// The journal will say that this worktree is ready. So the branch, the files in .git/worktrees and the folder must survive a power
	// failure.
	err = errors.Join(dotgit.SyncDir(filepath.Dir(t.Admin)), dotgit.SyncDir(f.Path))
	if ref != "" {
		err = errors.Join(err, c.repo.Refs.Sync(ref))
	}
	return err
}

// rebuildFiles writes the files of a registered worktree whose folder has disappeared. It keeps the folder in .git/worktrees, which
// contains the index and perhaps the state of a rebase. It writes the files into a temporary folder and then renames this folder, so that
// an incomplete worktree never has the final name.
func (c *creation) rebuildFiles(ctx context.Context, t Tree) error {
	if err := c.rebuild(ctx, t); err != nil {
		return fmt.Errorf("recreate the worktree: %w", err)
	}
	t.Health = Usable
	c.out.Tree, c.out.Fresh = t, true
	return c.lock()
}

// lock locks a worktree that has no lock, and notes this in c.out.Tree so that the caller can unlock it later. It does not change an
// existing lock.
func (c *creation) lock() error {
	t := &c.out.Tree
	if t.Locked {
		return nil
	}
	if err := lock(*t, c.req.Run); err != nil {
		return err
	}
	t.Locked, t.LockReason = true, LockPrefix+c.req.Run
	return nil
}

func (c *creation) rebuild(ctx context.Context, t Tree) error {
	if err := place.Safe(c.repo, t.Path); err != nil {
		return err
	}
	f, err := place.Open(c.repo, filepath.Dir(t.Path))
	if err != nil {
		return place.Placed(err, t.Path)
	}
	defer f.Close()
	name, half := filepath.Base(t.Path), ".new-"+c.req.Run
	if err := c.checkOut(ctx, f, half, t); err != nil {
		return err
	}
	if _, err := f.Root.Lstat(name); !place.Gone(err) {
		return errors.Join(&PathTakenError{Path: t.Path, Health: Plain}, err)
	}
	if err := f.Root.Rename(half, name); err != nil {
		return err
	}
	if err := c.openMade(f, name, t.Path); err != nil {
		return errors.Join(err, f.Root.Rename(name, half))
	}
	return dotgit.SyncDir(f.Path)
}

// openMade opens a new worktree, and checks that it is at the intended path.
func (c *creation) openMade(f *place.Folder, name, path string) (err error) {
	if c.into, err = f.Root.OpenRoot(name); err == nil && f.Holds(c.repo, name, path) {
		return nil
	}
	c.close()
	return errors.Join(&place.SwappedError{Path: filepath.Join(f.Path, name)}, err)
}

// checkOut writes the files of a registered worktree into a temporary folder, and then its ".git" file.
func (c *creation) checkOut(ctx context.Context, f *place.Folder, name string, t Tree) error {
	build, err := f.Enter(name)
	if err != nil {
		return err
	}
	defer build.Close()
	if build.Dir, err = build.Root.Open("."); err != nil {
		return err
	}
	at, err := OpenTree(c.repo, t.Admin, build.Path)
	if err != nil {
		return err
	}
	defer at.Close()
	git := func(locks []string, args ...string) error {
		_, err := at.Git(ctx, process.Call{Args: args, Mode: process.Write, Locks: locks, Dir: build.WorkDir(), Env: []string{"GIT_WORK_TREE=."}})
		return err
	}
	if !place.Present(filepath.Join(t.Admin, "index")) { // the index is missing, perhaps because git was killed, so create it first
		if err := git([]string{filepath.Join(t.Admin, "index.lock")}, "read-tree", "HEAD"); err != nil {
			return err
		}
	}
	// git cannot write a path that has a conflict. It reports an error and writes all other files.
	err = git(nil, "checkout-index", "-q", "-f", "-a")
	if err != nil && !(errors.As(err, new(*process.Error)) && t.Operation != ongoing.NoOperation) {
		return err
	}
	return build.Replace(".git", []byte("gitdir: "+t.Admin+"\n"))
}
