package snapshot

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Trees returns the git tree of the commit that was checked out, and the git tree with the saved files. The first one is the empty tree if
// there was no commit.
func (s Snapshot) Trees(ctx context.Context, repo *gitstate.Repo) (head, work object.ID, err error) {
	if s.headTree != "" {
		return s.headTree, s.Tree, nil
	}
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return "", "", err
	}
	return h.ID("tree", nil), s.Tree, nil
}

// Extent is the number of files that a snapshot saved, and their size in bytes. Deleted is how many files had been deleted.
type Extent struct {
	Files, Deleted int
	Bytes          int64
}

// Measure counts the saved and the deleted files of each snapshot, and the bytes of the saved ones. It reads only folders that differ from
// HEAD, or all folders if the scope is Whole. It reads the folders of one level for all snapshots at once.
func Measure(ctx context.Context, repo *gitstate.Repo, all []Snapshot) ([]Extent, error) {
	pairs := make([]treePair, len(all))
	for i, s := range all {
		if s.Tree == "" {
			continue // nothing was saved, or the snapshot cannot be read
		}
		pairs[i].to = s.Tree
		if s.Scope != Whole {
			pairs[i].from = s.headTree
		}
	}
	saved, err := compareTrees(ctx, repo, pairs, 0)
	if err != nil {
		return nil, fmt.Errorf("measure snapshots: %w", err)
	}
	for i, s := range all {
		tree := Edit(repo, s.Tree)
		for _, path := range s.meta.raw {
			if e, ok, err := tree.Get(ctx, path); err == nil && ok {
				saved[i][path] = e
			}
		}
	}
	return extents(ctx, repo, saved)
}

// extents adds up the files of each snapshot.
func extents(ctx context.Context, repo *gitstate.Repo, saved []map[string]object.Entry) ([]Extent, error) {
	sizes := map[object.ID]int64{}
	var ids []object.ID
	for _, files := range saved {
		for _, e := range files {
			if _, known := sizes[e.ID]; e.ID != "" && e.Mode != object.ModeSubmodule && !known {
				sizes[e.ID] = 0 // an object that is missing keeps the size 0
				ids = append(ids, e.ID)
			}
		}
	}
	if err := repo.Objects.Sizes(ctx, ids, func(id object.ID, size int64) { sizes[id] = size }); err != nil {
		return nil, fmt.Errorf("measure snapshots: %w", err)
	}
	all := make([]Extent, len(saved))
	for i, files := range saved {
		for _, e := range files {
			if e.ID == "" {
				all[i].Deleted++
				continue
			}
			all[i].Files++
			all[i].Bytes += sizes[e.ID]
		}
	}
	return all, nil
}
