package snapshot

import (
	"context"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/worktree/place"
)

// IsKept reports whether a path is in the list "keep", or below a folder in that list.
func IsKept(path string, keep []string) bool {
	return slices.ContainsFunc(keep, func(k string) bool { return within(path, k) })
}

// within reports whether path is dir or below it. Both use slashes and do not end with a slash.
func within(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, dir+"/"))
}

// takeKept saves the ignored files that are listed in the request. Other ignored files are not saved.
func (t *snapshotJob) takeKept(ctx context.Context) error {
	list := t.req.Keep
	if t.req.AlsoKeep != nil {
		list = slices.Concat(list, t.req.AlsoKeep(t.look.Ignored))
	}
	if len(list) == 0 {
		return nil
	}
	var left []string
	for _, ignored := range t.look.Ignored {
		name := strings.TrimSuffix(ignored, "/")
		if IsKept(name, list) {
			if err := t.takeAll(ctx, name); err != nil {
				return err
			}
			continue
		}
		left = append(left, ignored)
		for _, keep := range list {
			if !within(keep, name) {
				continue
			}
			if err := t.takeAll(ctx, keep); err != nil {
				return err
			}
		}
	}
	t.look.Ignored = left
	return nil
}

// takeAll saves a file, or all files below a folder except those in a folder named .git.
func (t *snapshotJob) takeAll(ctx context.Context, name string) error {
	root := t.repo.WorkTree
	return filepath.WalkDir(filepath.Join(root, filepath.FromSlash(name)), func(path string, d fs.DirEntry, err error) error {
		if place.Gone(err) {
			return nil
		}
		rel, relErr := filepath.Rel(root, path)
		switch {
		case relErr != nil:
			return relErr
		case err != nil:
			t.leave(Unreadable, filepath.ToSlash(rel), 0)
			return place.SkipUnreadable(d)
		case d.IsDir() && d.Name() == ".git":
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return t.readPath(ctx, pathRequest{path: filepath.ToSlash(rel)})
	})
}
