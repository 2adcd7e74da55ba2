// Package longrun reads the state of long-run implementations: the .long-run folder beside a specification.
//
// It finds which plan was interrupted, and at which task, from each plan's own summary and checkpoint.
// The marker of an agent, STATE.md and its status word count only as hints. The package works out what
// an option changes in that folder, and never touches what the work has produced.
package longrun

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds long-run implementations.
type Source struct{}

// New returns the source.
func New() Source { return Source{} }

// Name returns the name by which settings and candidates refer to this source.
func (Source) Name() string { return name }

// Find looks in every worktree for the folders in which the system keeps its state.
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

// Claims recognizes a state folder by its name, wherever it lies, and returns the name of the folder that contains it.
func (Source) Claims(dir string) (string, bool) {
	if path.Base(dir) != folder {
		return "", false
	}
	if dir == folder {
		return "", true
	}
	return path.Base(path.Dir(dir)), true
}

// places lists the state folders of a worktree: at the top, beside specifications, among tracked files, and where a setting points.
func places(ctx context.Context, v *sources.View, t sources.Tree) ([]string, error) {
	var dirs []string
	add := func(dir string) {
		if dir = path.Clean(dir); !slices.Contains(dirs, dir) && t.Has(dir) {
			dirs = append(dirs, dir)
		}
	}
	add(folder)
	for _, parent := range []string{"agent-os/specs", "specs"} {
		if !t.Has(parent) {
			continue
		}
		entries, err := t.List(parent)
		if err != nil {
			continue // a link that leads out of the worktree does not hold specifications of this repository
		}
		for _, e := range entries {
			add(parent + "/" + e.Name() + "/" + folder)
		}
	}
	tracked, err := v.Tracked(ctx, t, folder, dirs)
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
