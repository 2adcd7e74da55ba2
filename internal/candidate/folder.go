package candidate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/sources"
)

// byFolder finds another system's work by a path to its state: to the file or the folder with the state, or to the folder of the
// specification. The path may go to a copy in the current worktree.
func (e naming) byFolder(ctx context.Context, given string) (Key, error) {
	if !filepath.IsAbs(given) {
		given = filepath.Join(e.find.Dir, given)
	}
	at, err := filepath.EvalSymlinks(given)
	if err != nil {
		return "", nil // nothing is there, so the name is no path
	}
	found, err := e.foreignMatches(ctx)
	if err != nil {
		return "", err
	}
	hits := keep(found, func(m match) bool { return slices.Contains(e.find.foldersOf(m.found), at) })
	if len(hits) < 2 {
		return e.oneOf(ctx, given, hits)
	}
	// Several systems can read the same folder. If the list shows their work under one name, this name is meant.
	listed, err := e.find.Status(ctx, journal.AllRuns)
	if err != nil {
		return "", err
	}
	return e.oneOf(ctx, given, keep(hits, func(m match) bool {
		return !slices.ContainsFunc(listed, func(s Summary) bool { return s.Found != nil && slices.Contains(s.Also, m.found.Key()) })
	}))
}

// foldersOf returns the real paths of the state of another system's work and of its specification's folder.
func (e *Finder) foldersOf(f *sources.Found) (out []string) {
	within := []string{f.Root}
	for _, same := range f.Same {
		if spec, ok := strings.CutPrefix(same, "spec:"); ok {
			within = append(within, spec)
		}
	}
	for _, dir := range within {
		if dir == "" || filepath.IsAbs(dir) { // an operation of git has its folder outside of the worktree
			continue
		}
		for _, top := range []string{f.Home, e.Repo.WorkTree} {
			if at, err := filepath.EvalSymlinks(filepath.Join(top, filepath.FromSlash(dir))); err == nil {
				out = append(out, at)
			}
		}
	}
	return out
}

// AroundFirst returns the summaries with the work whose folder contains the current folder at the front. The folder at the top of a
// worktree contains all work, so it does not count.
func (e *Finder) AroundFirst(all []Summary) []Summary {
	here, err := filepath.EvalSymlinks(e.Dir)
	if err != nil {
		return all
	}
	top, _ := filepath.EvalSymlinks(e.Repo.WorkTree)
	around := func(s Summary) bool {
		return s.Found != nil && slices.ContainsFunc(e.foldersOf(s.Found), func(dir string) bool {
			return dir != top && strings.HasPrefix(here+string(filepath.Separator), dir+string(filepath.Separator))
		})
	}
	return append(keep(all, around), keep(all, func(s Summary) bool { return !around(s) })...)
}
