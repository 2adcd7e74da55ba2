package snapshot

import (
	"context"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/place"
)

// readWhole saves the tracked and untracked files as they are on disk, and not as git would store them. It leaves out files that a sparse
// checkout omits. An undo can then rebuild the worktree without using git's settings and filters.
func (t *snapshotJob) readWhole(ctx context.Context) error {
	tracked, err := t.repo.Index(ctx)
	if err != nil {
		return err
	}
	for _, e := range tracked {
		if _, seen := t.found[e.Name]; seen {
			continue // a path with a conflict has several entries in the index, but is read only once
		}
		w := pathRequest{path: e.Name, submodule: e.Mode == object.ModeSubmodule}
		if e.Mode != object.ModeSubmodule {
			w.have = e.ID
		}
		if err := t.readPath(ctx, w); err != nil {
			return err
		}
	}
	for _, c := range t.look.Changes {
		if !c.Untracked() {
			continue
		}
		if err := t.readPath(ctx, pathRequest{path: c.Path}); err != nil {
			return err
		}
	}
	all := Edit(t.repo, "")
	for path, now := range t.found {
		if now.id == "" {
			continue
		}
		t.paths = append(t.paths, path)
		if err := all.put(ctx, path, now.mode, now.id); err != nil {
			return err
		}
	}
	t.tree = all.write(t.pending)
	return t.readDirs()
}

// readDirs records the directories that files alone do not restore: empty directories, and directories with an unusual mode.
func (t *snapshotJob) readDirs() error {
	skip := map[string]bool{".git": true}
	for _, path := range t.look.Ignored {
		skip[strings.TrimSuffix(path, "/")] = true
	}
	for _, l := range t.left {
		skip[l.Path] = l.Kind == Nested || skip[l.Path]
	}
	filled := map[string]bool{}
	perms := map[string]uint32{}
	err := filepath.WalkDir(t.repo.WorkTree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return place.SkipUnreadable(d)
		}
		rel, err := filepath.Rel(t.repo.WorkTree, path)
		if err != nil || rel == "." {
			return err
		}
		rel = filepath.ToSlash(rel)
		filled[filepath.ToSlash(filepath.Dir(rel))] = true
		if !d.IsDir() {
			return nil
		}
		if skip[rel] {
			return fs.SkipDir
		}
		if info, err := d.Info(); err == nil {
			perms[rel] = permOf(info)
		}
		return nil
	})
	if err != nil {
		return err
	}
	usual := mostCommon(perms, 0o755)
	for path, perm := range perms {
		if !filled[path] || perm != usual && runtime.GOOS != "windows" {
			t.meta.dirs[path] = perm
		}
	}
	return nil
}

// noteModes records the most frequent modes of the files that were read, and every file that has another mode.
func (t *snapshotJob) noteModes() {
	plain, exec := map[string]uint32{}, map[string]uint32{}
	for path, f := range t.found {
		switch {
		case f.perm == 0:
		case f.mode == object.ModeExecutable:
			exec[path] = f.perm
		default:
			plain[path] = f.perm
		}
	}
	m := modePair{mostCommon(plain, usualModes.plain), mostCommon(exec, usualModes.exec)}
	t.meta.modes, t.meta.odd = m, map[string]uint32{}
	for path, f := range t.found {
		if f.perm != 0 && f.perm != m.modeFor(f.mode) {
			t.meta.odd[path] = f.perm
		}
	}
}

// modeFor returns the usual permissions of a file whose tree entry has the given mode.
func (m modePair) modeFor(mode uint32) uint32 {
	if mode == object.ModeExecutable {
		return m.exec
	}
	return m.plain
}

// mostCommon returns the most frequent value. If two values are equally frequent, it returns the lower one. If there are no values, it
// returns the second argument.
func mostCommon(perms map[string]uint32, unset uint32) uint32 {
	count := map[uint32]int{}
	for _, perm := range perms {
		count[perm]++
	}
	best := unset
	for perm, n := range count {
		if n > count[best] || n == count[best] && perm < best {
			best = perm
		}
	}
	return best
}
