// Package longrun reads the state of long-run implementations: the .long-run folder beside a specification.
//
// It says which plan was interrupted and at which of its tasks, by each plan's own summary and checkpoint;
// the marker of an agent, the state file and its status word are hints. It works out what an option changes
// in that folder and never touches what the work has produced.
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

// New is the source.
func New() Source { return Source{} }

// Name is how settings and candidates call it.
func (Source) Name() string { return name }

// Find looks into the folders where the system puts its state, in every worktree.
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

// Claims knows the state by its folder, wherever that lies.
func (Source) Claims(dir string) (string, bool) {
	if path.Base(dir) != folder {
		return "", false
	}
	if dir == folder {
		return "", true
	}
	return path.Base(path.Dir(dir)), true
}

// places are the state folders of a worktree: at its top, beside specifications, where tracked files say so, and where a setting points.
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
			continue // a link that leads out is nobody's specification
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
