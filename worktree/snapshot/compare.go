package snapshot

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/store"
)

// DiffTrees lists the files that differ between two trees, with mode and id in the second tree. The item of a deleted file has no id. An
// empty id stands for a tree without files.
func DiffTrees(ctx context.Context, repo *gitstate.Repo, from, to object.ID) ([]Item, error) {
	changed, err := compareTrees(ctx, repo, []treePair{{from, to}}, 0)
	if err != nil {
		return nil, fmt.Errorf("compare with snapshot: %w", err)
	}
	all := make([]Item, 0, len(changed[0]))
	for _, path := range sortedKeys(changed[0]) {
		e := changed[0][path]
		all = append(all, Item{path, e.Mode, e.ID})
	}
	return all, nil
}

// treePair is two trees to compare. An empty id stands for a tree without files.
type treePair struct{ from, to object.ID }

// compareTrees returns the files that differ in each pair of trees, as they are in the second tree. The entry of a deleted file has no
// id. It reads only folders that differ. To call git less often, it reads the folders of one level for all pairs at once. If more than
// "most" entries differ, it returns ErrUnusable. If "most" is 0, there is no limit.
func compareTrees(ctx context.Context, repo *gitstate.Repo, pairs []treePair, most int) ([]map[string]object.Entry, error) {
	c := comparing{repo: repo, trees: map[object.ID][]object.Entry{}, changed: make([]map[string]object.Entry, len(pairs)), most: most}
	for i, p := range pairs {
		c.changed[i] = map[string]object.Entry{}
		if p.from != p.to {
			c.queue = append(c.queue, folderPair{of: i, treePair: p})
		}
	}
	for len(c.queue) > 0 {
		if err := c.level(ctx); err != nil {
			return nil, err
		}
	}
	return c.changed, nil
}

// comparing finds the files that differ in several pairs of trees.
type comparing struct {
	repo  *gitstate.Repo
	trees map[object.ID][]object.Entry
	// changed has, for each pair, the files that differ, as they are in the second tree. The entry of a deleted file has no id.
	changed []map[string]object.Entry
	// queue has the folders that are still to be compared.
	queue []folderPair
	// most is how many entries may differ, or 0 if there is no limit. Above the limit, the comparison ends with ErrUnusable.
	most int
}

// folderPair is one folder in both trees of a pair.
type folderPair struct {
	of  int // the index of the pair of trees to which the folder belongs
	dir string
	treePair
}

// level compares all folders in the queue. Afterwards the queue contains those of their subfolders that differ.
func (c *comparing) level(ctx context.Context) error {
	var names []string
	for _, p := range c.queue {
		for _, id := range []object.ID{p.from, p.to} {
			if _, known := c.trees[id]; id != "" && !known {
				c.trees[id] = nil
				names = append(names, string(id))
			}
		}
	}
	err := c.repo.Objects.Each(ctx, names, store.Wanted{Kinds: []string{"tree"}}, func(i int, o object.Object) error {
		list, err := o.Entries()
		c.trees[object.ID(names[i])] = list
		return err
	})
	if err != nil {
		return err
	}
	pairs := c.queue
	c.queue = nil
	for _, p := range pairs {
		if c.compare(p); c.most > 0 && len(c.queue)+len(c.changed[p.of]) > c.most {
			return ErrUnusable
		}
	}
	return nil
}

// The method compare() stores which files differ in a folder, and adds the subfolders that differ to the queue.
func (c *comparing) compare(p folderPair) {
	was := map[string]object.Entry{}
	for _, e := range c.trees[p.from] {
		was[e.Name] = e
	}
	for _, e := range c.trees[p.to] {
		old, had := was[e.Name]
		delete(was, e.Name)
		if !had || old.ID != e.ID || old.Mode != e.Mode {
			c.note(p, e.Name, old, e)
		}
	}
	for name, old := range was {
		c.note(p, name, old, object.Entry{})
	}
}

// The method note() stores that an entry of a folder differs. An entry without an id does not exist.
func (c *comparing) note(p folderPair, name string, old, now object.Entry) {
	sub := folderPair{of: p.of, dir: p.dir + name + "/"}
	if old.Mode == object.ModeDir {
		sub.from = old.ID
	}
	if now.Mode == object.ModeDir {
		sub.to = now.ID
	}
	if sub.from != "" || sub.to != "" {
		c.queue = append(c.queue, sub)
	}
	switch {
	case now.ID != "" && now.Mode != object.ModeDir:
		c.changed[p.of][p.dir+name] = now
	case old.ID != "" && old.Mode != object.ModeDir: // the file is gone, or a folder has its name now
		c.changed[p.of][p.dir+name] = object.Entry{}
	}
}
