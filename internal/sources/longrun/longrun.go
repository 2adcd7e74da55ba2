// Package longrun reads the state of long-run implementations from the .long-run folder next to a specification.
//
// The summary and the checkpoint of each plan show which plan was interrupted, and at which task. STATE.md and the marker file of an agent
// are only hints. The package also computes how an action changes the state folder, and never changes the results of the work.
package longrun

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds the runs of long-run in a repository.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name of the source in settings and in the output.
func (Source) Name() string { return name }

// Find looks for state folders in every worktree.
func (Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	var all []sources.Found
	for _, t := range v.Trees {
		dirs, err := places(ctx, v, t)
		if err != nil {
			return nil, err
		}
		for _, dir := range dirs {
			if r := read(ctx, v, t, dir); !r.empty() {
				all = append(all, describe(r))
			}
		}
	}
	sources.NameByFolder(all, func(f *sources.Found) string {
		if dir := path.Dir(f.Root); dir != "." {
			return dir
		}
		return v.Name()
	})
	return sources.MergeCopies(all), nil
}

// Claims reports whether a folder is named .long-run, at any path. The returned id is the name of its parent folder, or "" at the top.
func (Source) Claims(dir string) (string, bool) {
	if path.Base(dir) != folder {
		return "", false
	}
	if dir == folder {
		return "", true
	}
	return path.Base(path.Dir(dir)), true
}

// specFolders are the folders that contain specifications. The first one is that of long-run itself; other systems share the second one.
var specFolders = []string{"agent-os/specs", "specs"}

// places lists the state folders of a worktree: at the top, next to specifications, anywhere among the tracked files, and at the paths
// that the user configured.
func places(ctx context.Context, v *sources.View, t sources.Tree) ([]string, error) {
	var dirs []string
	add := func(dir string) {
		if dir = path.Clean(dir); !slices.Contains(dirs, dir) && t.Has(dir) {
			dirs = append(dirs, dir)
		}
	}
	add(folder)
	for _, parent := range specFolders {
		if !t.Has(parent) {
			continue
		}
		entries, err := t.List(parent)
		if err != nil {
			continue // the folder cannot be read, or a link leads out of the worktree
		}
		for _, e := range entries {
			add(parent + "/" + e.Name() + "/" + folder)
		}
	}
	tracked, err := v.Tracked(ctx, t, folder)
	for _, dir := range tracked {
		add(dir)
	}
	if v.Setting != nil {
		for _, dir := range v.Setting("resume." + name + ".path") {
			dir = strings.TrimSuffix(strings.ReplaceAll(dir, `\`, "/"), "/")
			if path.Base(dir) != folder {
				dir += "/" + folder
			}
			if path.IsAbs(dir) || strings.HasPrefix(path.Clean(dir), "..") {
				continue
			}
			add(dir)
		}
	}
	return dirs, err
}
