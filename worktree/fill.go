package worktree

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// fill copies the requested files into the new worktree. It also lists the files that are not copied.
func (c *creation) fill(ctx context.Context) error {
	from := c.repo
	if from.WorkTree == "" || place.Same(from.WorkTree, c.out.Tree.Path) {
		return nil
	}
	if c.req.Ready && !c.out.Fresh {
		return nil // copy nothing: the worktree was complete before, and somebody may have changed its files since
	}
	look, err := from.ReadState(ctx)
	if err != nil {
		return err
	}
	if c.req.Bring {
		err = c.bring(ctx)
	} else {
		for _, ch := range look.Changes {
			c.out.Missing = append(c.out.Missing, ch.Path)
		}
	}
	if err != nil {
		return err
	}
	if c.into == nil {
		if c.into, err = os.OpenRoot(c.out.Tree.Path); err != nil {
			return err
		}
	}
	for _, ignored := range look.Ignored {
		if inside, ok := strings.CutPrefix(ignored, insideDir); ok && inside == "/" {
			continue
		}
		copied, err := c.copyIgnored(ignored)
		if err != nil {
			return fmt.Errorf("copy ignored '%s': %w", ignored, err)
		}
		if !copied {
			c.out.MissingIgnored = append(c.out.MissingIgnored, ignored)
		}
	}
	return nil
}

// bring takes a snapshot of the uncommitted work in the current worktree and restores it in the new worktree.
func (c *creation) bring(ctx context.Context) error {
	snap, err := snapshot.Take(ctx, c.repo, snapshot.Request{Run: c.req.Run, Cause: "taken along", Now: c.req.Now})
	if err != nil || snap.ID == "" {
		return err
	}
	there := c.repo.At(locate.Place{GitDir: c.out.Tree.Admin, CommonDir: c.repo.CommonDir, WorkTree: c.out.Tree.Path})
	defer there.Close()
	done, err := snapshot.Restore(ctx, there, snapshot.RestoreRequest{Snapshot: snap.ID, Way: snapshot.Onto, Run: c.req.Run, Now: c.req.Now})
	c.out.Brought, c.out.Differs = done.Paths, done.Differs
	return err
}

// copyIgnored copies an ignored file if a pattern matches it. If the name is a directory, it copies all files in it that match, or the
// whole directory if a pattern matches the directory. The result "all" is true if a pattern matches the name and everything was copied.
func (c *creation) copyIgnored(name string) (all bool, err error) {
	dir, isDir := strings.CutSuffix(name, "/")
	if !isDir {
		if !c.matches(name) {
			return false, nil
		}
		return c.copyFile(name)
	}
	whole := c.matches(dir)
	if !whole && !c.matchesBelow(dir) {
		return false, nil
	}
	all = whole
	root := filepath.Join(c.repo.WorkTree, filepath.FromSlash(dir))
	err = filepath.WalkDir(root, func(full string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(c.repo.WorkTree, full)
		if err != nil {
			return err
		}
		if rel = filepath.ToSlash(rel); whole || c.matches(rel) {
			var copied bool
			copied, err = c.copyFile(rel)
			all = all && copied
		}
		return err
	})
	return all, err
}

// matches reports whether one of the requested patterns matches a path. A pattern with a slash in its middle must match the whole path. Any
// other pattern must match the last part of the path.
func (c *creation) matches(name string) bool {
	for _, pattern := range c.req.CopyIgnored {
		pattern = strings.Trim(pattern, "/")
		subject := name
		if !strings.Contains(pattern, "/") {
			subject = path.Base(name)
		}
		if ok, err := path.Match(pattern, subject); err == nil && ok {
			return true
		}
	}
	return false
}

// matchesBelow reports whether a pattern could match something below a directory. Only patterns with more parts than the directory's path
// are considered.
func (c *creation) matchesBelow(dir string) bool {
	for _, pattern := range c.req.CopyIgnored {
		parts := strings.Split(strings.Trim(pattern, "/"), "/")
		depth := strings.Count(dir, "/") + 1
		if len(parts) <= depth {
			continue
		}
		if ok, err := path.Match(strings.Join(parts[:depth], "/"), dir); err == nil && ok {
			return true
		}
	}
	return false
}

// copyFile copies one file or link. It copies nothing and returns true if the new worktree already has the file, or if the original is of
// another kind, such as a socket. It copies nothing and returns false if a parent folder in the new worktree is a link or a file: a link
// could lead out of the worktree.
func (c *creation) copyFile(name string) (copied bool, err error) {
	from := filepath.Join(c.repo.WorkTree, filepath.FromSlash(name))
	info, err := os.Lstat(from)
	if err != nil {
		return false, err
	}
	if ok, err := makeParents(c.into, name); err != nil || !ok {
		return false, err
	}
	to := filepath.FromSlash(name)
	if _, err := c.into.Lstat(to); !place.Gone(err) || !info.Mode().IsRegular() && info.Mode()&fs.ModeSymlink == 0 {
		return true, nil
	}
	c.out.Copied = append(c.out.Copied, name)
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return false, err
		}
		return true, c.into.Symlink(target, to)
	}
	part := to + ".git-resume-part"
	if err := copyBytes(from, c.into, part, info.Mode().Perm()); err != nil {
		return false, err
	}
	return true, c.into.Rename(part, to)
}

// makeParents makes the parent folders of a path. It returns false if a parent already exists as a link or a file.
func makeParents(into *os.Root, name string) (ok bool, err error) {
	dirs, _ := snapshot.Split(name)
	at := ""
	for _, dir := range dirs {
		at = filepath.Join(at, dir)
		info, err := into.Lstat(at)
		switch {
		case place.Gone(err):
			if err := into.Mkdir(at, 0o777); err != nil {
				return false, err
			}
		case err != nil:
			return false, err
		case !info.IsDir() || place.IsLink(info):
			return false, nil
		}
	}
	return true, nil
}

func copyBytes(from string, into *os.Root, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := into.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	if err := out.Chmod(mode); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
