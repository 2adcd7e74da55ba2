package sources

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/index"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// OnTip returns a view of a branch that is not checked out, as if its newest commit were checked out in the only worktree of the repository,
// without a change. Nothing is checked out: the files are read from git's objects.
func (v *View) OnTip(ctx context.Context, branch refs.Name, tip object.ID) (*View, error) {
	c, err := v.Repo.Objects.Commit(ctx, string(tip))
	if err != nil {
		return nil, err
	}
	own := *v
	own.sharedCache = &sharedCache{}
	own.Trees = []Tree{{
		Linked: gitstate.Linked{Place: v.Repo.Place, Branch: branch, Head: tip},
		Files:  Files{Top: v.Repo.WorkTree, tip: &committed{ctx: ctx, repo: v.Repo, when: c.Committer.When, dirs: map[string][]object.Entry{}, root: c.Tree}},
	}}
	h := own.historyOf(ctx, own.Trees[0])
	h.index = func() *index.List { return index.Unknown }
	return &own, nil
}

// Before returns a worktree as its newest commit has it. The bool is false if no tracked file below the folder was changed or removed since,
// or if git cannot read the commit.
func (v *View) Before(ctx context.Context, t Tree, dir string) (Tree, bool) {
	head := v.Head(ctx, t)
	if head == "" || t.tip != nil || !v.historyOf(ctx, t).index().Altered(t.WorkTree, dir) {
		return Tree{}, false
	}
	c, err := v.Repo.Objects.Commit(ctx, string(head))
	if err != nil {
		return Tree{}, false // an unreadable commit is reported elsewhere
	}
	t.Files = Files{Top: t.Top, tip: &committed{ctx: ctx, repo: v.Repo, when: c.Committer.When, dirs: map[string][]object.Entry{}, root: c.Tree}}
	return t, true
}

// committed reads files from the git tree of a commit. No file is younger than the commit.
type committed struct {
	ctx  context.Context // one view lives as long as one command
	repo *gitstate.Repo
	root object.ID
	when time.Time

	mu   sync.Mutex
	dirs map[string][]object.Entry
}

// list returns the entries of a folder. If there is no such folder, errors.Is finds fs.ErrNotExist in the error.
func (c *committed) list(dir string) ([]object.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.listLocked(path.Clean(dir))
}

func (c *committed) listLocked(dir string) ([]object.Entry, error) {
	if known, ok := c.dirs[dir]; ok {
		return known, nil
	}
	id := c.root
	if dir != "." {
		e, err := c.findLocked(dir)
		if err == nil && e.Mode != object.ModeDir {
			err = missing(dir)
		}
		if err != nil {
			return nil, err
		}
		id = e.ID
	}
	all, err := c.repo.Objects.Tree(c.ctx, string(id))
	if err == nil {
		c.dirs[dir] = all
	}
	return all, err
}

func (c *committed) find(file string) (object.Entry, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.findLocked(path.Clean(file))
}

func (c *committed) findLocked(file string) (object.Entry, error) {
	if file == "." {
		return object.Entry{Mode: object.ModeDir, ID: c.root}, nil
	}
	all, err := c.listLocked(path.Dir(file))
	if err != nil {
		return object.Entry{}, err
	}
	for _, e := range all {
		if e.Name == path.Base(file) {
			return e, nil
		}
	}
	return object.Entry{}, missing(file)
}

func missing(file string) error { return &fs.PathError{Op: "open", Path: file, Err: fs.ErrNotExist} }

// look looks at a path, as Files.look does.
func (c *committed) look(file string) (looked, error) {
	e, err := c.find(file)
	if err != nil {
		return looked{}, err
	}
	return c.looked(e)
}

func (c *committed) looked(e object.Entry) (is looked, err error) {
	is = looked{dir: e.Mode == object.ModeDir, modified: c.when}
	if !is.dir {
		err = c.repo.Objects.Sizes(c.ctx, []object.ID{e.ID}, func(_ object.ID, size int64) { is.size = size })
	}
	return is, err
}

// read returns the content of a regular file of at most MaxFile bytes.
func (c *committed) read(file string) ([]byte, error) {
	e, err := c.find(file)
	switch {
	case err != nil:
		return nil, err
	case e.Mode != object.ModeFile && e.Mode != object.ModeExecutable:
		return nil, &RefusedError{file, "is not a regular file"}
	}
	data, err := c.repo.Objects.BlobUpTo(c.ctx, e.ID, MaxFile)
	if large := new(object.TooLargeError); errors.As(err, &large) {
		err = &RefusedError{file, fmt.Sprintf("has %d bytes, but at most %d are read", large.Size, MaxFile)}
	}
	return data, err
}

// entries returns the entries of a folder as package os would. It returns no entries if the folder does not exist.
func (c *committed) entries(dir string) ([]fs.DirEntry, error) {
	all, err := c.list(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if len(all) > MaxEntries {
		return nil, &RefusedError{dir, fmt.Sprintf("has more than %d entries", MaxEntries)}
	}
	var out []fs.DirEntry
	for _, e := range all {
		out = append(out, fs.FileInfoToDirEntry(entryInfo{c, e}))
	}
	return naturally(out), err
}

// entryInfo is an entry of a git tree in the form in which package os describes files.
type entryInfo struct {
	of    *committed
	entry object.Entry
}

func (i entryInfo) Name() string       { return i.entry.Name }
func (i entryInfo) ModTime() time.Time { return i.of.when }
func (i entryInfo) IsDir() bool        { return i.entry.Mode == object.ModeDir }
func (i entryInfo) Sys() any           { return nil }

func (i entryInfo) Size() int64 {
	is, _ := i.of.looked(i.entry)
	return is.size
}

func (i entryInfo) Mode() fs.FileMode {
	switch i.entry.Mode {
	case object.ModeDir:
		return fs.ModeDir
	case object.ModeFile, object.ModeExecutable:
		return 0
	}
	return fs.ModeSymlink
}
