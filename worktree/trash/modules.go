package trash

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// saveModules takes a snapshot of each submodule whose repository is in the worktree's git dir. Other repositories
// inside the worktree are recorded, so that they are not deleted.
func (d *discardJob) saveModules(ctx context.Context, snap snapshot.Snapshot) error {
	d.rec.Modules, d.rec.Nested = nil, nil
	return d.saveBelow(ctx, "", snap)
}

func (d *discardJob) saveBelow(ctx context.Context, prefix string, snap snapshot.Snapshot) error {
	for _, l := range snap.Left {
		if l.Kind != snapshot.Nested {
			continue
		}
		path := prefix + l.Path
		m, ok := d.moduleAt(path)
		if !ok {
			if place.Present(filepath.Join(string(d.rec.Trash), filepath.FromSlash(path), ".git")) {
				d.rec.Nested = append(d.rec.Nested, record.Exact(path))
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
	slices.SortFunc(d.rec.Modules, func(a, b record.Module) int { return strings.Compare(string(a.Path), string(b.Path)) })
	return nil
}

// moduleAt finds the repository of a submodule, if it is inside the moved git dir of the worktree.
func (d *discardJob) moduleAt(path string) (record.Module, bool) {
	dot := filepath.Join(string(d.rec.Trash), filepath.FromSlash(path), ".git")
	text, err := os.ReadFile(dot)
	to, ok := strings.CutPrefix(strings.TrimRight(string(text), "\r\n"), "gitdir: ")
	if err != nil || !ok {
		return record.Module{}, false
	}
	// The submodule's ".git" file still contains the path from before the move.
	was := place.AbsFrom(filepath.Join(string(d.rec.Path), filepath.FromSlash(path)), to)
	rel, err := filepath.Rel(d.repo.CommonPath("worktrees", string(d.rec.Admin)), was)
	if err != nil || !filepath.IsLocal(rel) || !place.Present(filepath.Join(d.kept(), rel, "HEAD")) {
		return record.Module{}, false
	}
	return record.Module{Path: record.Exact(path), GitDir: record.Exact(filepath.ToSlash(rel)), GitFile: record.Exact(text)}, true
}

func (d *discardJob) saveModule(ctx context.Context, m *record.Module) (snapshot.Snapshot, error) {
	at, err := d.openModule(*m, string(d.rec.Trash))
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	defer at.Close()
	snap, err := snapshot.Take(ctx, at, snapshot.Request{Run: d.rec.Run, Cause: "before it was discarded", Scope: snapshot.Whole, When: snapshot.Always, Now: d.req.Now})
	m.Whole = snap.ID
	return snap, err
}
