package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// saveModules saves the checkouts of submodules, each in its own repository, which lies in the registration;
// any other repository inside the tree is marked as one that must not be deleted.
func (d *dropping) saveModules(ctx context.Context, snap Snapshot) error {
	d.rec.Modules, d.rec.Nested = nil, nil
	return d.saveBelow(ctx, "", snap)
}

func (d *dropping) saveBelow(ctx context.Context, prefix string, snap Snapshot) error {
	for _, l := range snap.Left {
		if l.Kind != Nested {
			continue
		}
		path := prefix + l.Path
		m, ok := d.moduleAt(path)
		if !ok {
			if present(filepath.Join(string(d.rec.Trash), filepath.FromSlash(path), ".git")) {
				d.rec.Nested = append(d.rec.Nested, exact(path))
			}
			continue
		}
		inner, err := d.saveModule(ctx, &m)
		if err != nil {
			return fmt.Errorf("save submodule '%s': %w", path, err)
		}
		d.rec.Modules = append(d.rec.Modules, m)
		if err := d.saveBelow(ctx, path+"/", inner); err != nil {
			return err
		}
	}
	slices.SortFunc(d.rec.Modules, func(a, b module) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return nil
}

// moduleAt finds the repository of a submodule's checkout, if it lies in the registration that was moved.
func (d *dropping) moduleAt(path string) (module, bool) {
	dot := filepath.Join(string(d.rec.Trash), filepath.FromSlash(path), ".git")
	text, err := os.ReadFile(dot)
	to, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return module{}, false
	}
	// The file still speaks of the places where tree and registration were.
	was := absFrom(filepath.Join(string(d.rec.Path), filepath.FromSlash(path)), to)
	rel, err := filepath.Rel(d.repo.CommonPath("worktrees", string(d.rec.Admin)), was)
	if err != nil || !filepath.IsLocal(rel) || !present(filepath.Join(d.kept(), rel, "HEAD")) {
		return module{}, false
	}
	return module{Path: exact(path), GitDir: exact(filepath.ToSlash(rel)), GitFile: exact(text)}, true
}

func (d *dropping) saveModule(ctx context.Context, m *module) (Snapshot, error) {
	at, err := d.openModule(*m, string(d.rec.Trash))
	if err != nil {
		return Snapshot{}, err
	}
	defer at.Close()
	snap, err := Take(ctx, at, SnapshotRequest{Run: d.rec.Run, Cause: "as it was discarded", Scope: Whole, When: Always, Now: d.req.Now})
	m.Whole = snap.ID
	return snap, err
}
