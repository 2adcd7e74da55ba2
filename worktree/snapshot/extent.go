package snapshot

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/store"
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

// Measure returns the extent of each snapshot. It reads only the folders that differ from HEAD, and all snapshots together, level by level.
func Measure(ctx context.Context, repo *gitstate.Repo, all []Snapshot) ([]Extent, error) {
	m := measuring{repo: repo, trees: map[object.ID][]object.Entry{}, saved: make([]map[string]object.Entry, len(all))}
	for i, s := range all {
		m.saved[i] = map[string]object.Entry{}
		base := s.headTree
		if s.Scope == Whole {
			base = ""
		}
		if s.Tree != "" {
			m.queue = append(m.queue, folderPair{of: i, from: base, to: s.Tree})
		}
	}
	for len(m.queue) > 0 {
		if err := m.level(ctx); err != nil {
			return nil, err
		}
	}
	for i, s := range all {
		tree := Edit(repo, s.Tree)
		for _, path := range s.meta.raw {
			if e, ok, err := tree.Get(ctx, path); err == nil && ok {
				m.saved[i][path] = e
			}
		}
	}
	return m.extents(ctx)
}

// measuring finds the changed files of several snapshots.
type measuring struct {
	repo  *gitstate.Repo
	trees map[object.ID][]object.Entry
	// saved has the changed files of each snapshot. The entry of a deleted file has no id.
	saved []map[string]object.Entry
	// queue has the folders that are still to be compared.
	queue []folderPair
}

// folderPair is a folder in HEAD and in a snapshot. An empty id means that the folder does not exist there.
type folderPair struct {
	of       int // the index of the snapshot
	dir      string
	from, to object.ID
}

// level compares all folders in the queue. The queue then has the folders below them that differ.
func (m *measuring) level(ctx context.Context) error {
	var names []string
	for _, p := range m.queue {
		for _, id := range []object.ID{p.from, p.to} {
			if _, known := m.trees[id]; id != "" && !known {
				m.trees[id] = nil
				names = append(names, string(id))
			}
		}
	}
	err := m.repo.Objects.Each(ctx, names, store.Wanted{Kinds: []string{"tree"}}, func(i int, o object.Object) error {
		list, err := o.Entries()
		m.trees[object.ID(names[i])] = list
		return err
	})
	if err != nil {
		return fmt.Errorf("measure snapshots: %w", err)
	}
	pairs := m.queue
	m.queue = nil
	for _, p := range pairs {
		m.compare(p)
	}
	return nil
}

// compare notes the files that differ in a folder, and adds the subfolders that differ to the queue.
func (m *measuring) compare(p folderPair) {
	was := map[string]object.Entry{}
	for _, e := range m.trees[p.from] {
		was[e.Name] = e
	}
	for _, e := range m.trees[p.to] {
		old, had := was[e.Name]
		delete(was, e.Name)
		if !had || old.ID != e.ID || old.Mode != e.Mode {
			m.note(p, e.Name, old, e)
		}
	}
	for name, old := range was {
		m.note(p, name, old, object.Entry{})
	}
}

// note records that an entry of a folder differs. An entry without an id does not exist.
func (m *measuring) note(p folderPair, name string, old, now object.Entry) {
	sub := folderPair{of: p.of, dir: p.dir + name + "/"}
	if old.Mode == object.ModeDir {
		sub.from = old.ID
	}
	if now.Mode == object.ModeDir {
		sub.to = now.ID
	}
	if sub.from != "" || sub.to != "" {
		m.queue = append(m.queue, sub)
	}
	switch {
	case now.ID != "" && now.Mode != object.ModeDir:
		m.saved[p.of][p.dir+name] = now
	case old.ID != "" && old.Mode != object.ModeDir: // the file is gone, or a folder has its name now
		m.saved[p.of][p.dir+name] = object.Entry{}
	}
}

// extents adds up the files of each snapshot.
func (m *measuring) extents(ctx context.Context) ([]Extent, error) {
	sizes := map[object.ID]int64{}
	var ids []object.ID
	for _, files := range m.saved {
		for _, e := range files {
			if _, known := sizes[e.ID]; e.ID != "" && e.Mode != object.ModeSubmodule && !known {
				sizes[e.ID] = 0 // this remains the size of a missing object
				ids = append(ids, e.ID)
			}
		}
	}
	if err := m.repo.Objects.Sizes(ctx, ids, func(id object.ID, size int64) { sizes[id] = size }); err != nil {
		return nil, fmt.Errorf("measure snapshots: %w", err)
	}
	all := make([]Extent, len(m.saved))
	for i, files := range m.saved {
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
