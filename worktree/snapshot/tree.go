package snapshot

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// editor changes single paths of a stored git tree. It reads and writes only the parent directories of these paths, so it is fast even in a
// large repository. It needs no temporary index.
type editor struct {
	repo *gitstate.Repo
	root *node
}

// node is one directory. Its entries are nil until the directory is read.
type node struct {
	id      object.ID
	entries map[string]object.Entry
	kids    map[string]*node
	dirty   bool
}

// Edit returns an editor for a stored git tree, or for an empty one if id is empty.
func Edit(repo *gitstate.Repo, id object.ID) *editor {
	return &editor{repo: repo, root: &node{id: id}}
}

func (e *editor) load(ctx context.Context, n *node) error {
	if n.entries != nil {
		return nil
	}
	n.entries, n.kids = map[string]object.Entry{}, map[string]*node{}
	if n.id == "" {
		return nil
	}
	list, err := e.repo.Objects.Tree(ctx, string(n.id))
	if err != nil {
		return fmt.Errorf("read tree: %w", err)
	}
	for _, entry := range list {
		n.entries[entry.Name] = entry
	}
	return nil
}

// child returns the subdirectory with the given name, or nil if there is none. If "grow" is true, it adds a missing subdirectory, which
// replaces any file of this name.
func (e *editor) child(ctx context.Context, n *node, name string, grow bool) (*node, error) {
	if err := e.load(ctx, n); err != nil {
		return nil, err
	}
	if k := n.kids[name]; k != nil {
		return k, nil
	}
	entry, ok := n.entries[name]
	if ok && entry.Mode == object.ModeDir {
		n.kids[name] = &node{id: entry.ID}
		return n.kids[name], nil
	}
	if !grow {
		return nil, nil
	}
	n.kids[name] = &node{entries: map[string]object.Entry{}, kids: map[string]*node{}, dirty: true}
	return n.kids[name], nil
}

// put sets a path to an object; mode is the mode of the tree entry.
func (e *editor) put(ctx context.Context, path string, mode uint32, id object.ID) error {
	dirs, name := Split(path)
	n := e.root
	for _, dir := range dirs {
		n.dirty = true
		k, err := e.child(ctx, n, dir, true)
		if err != nil {
			return err
		}
		n = k
	}
	if err := e.load(ctx, n); err != nil {
		return err
	}
	delete(n.kids, name)
	n.entries[name] = object.Entry{Name: name, Mode: mode, ID: id}
	n.dirty = true
	return nil
}

// remove removes a path, if it exists and is not a directory.
func (e *editor) remove(ctx context.Context, path string) error {
	dirs, name := Split(path)
	way := []*node{e.root}
	for _, dir := range dirs {
		k, err := e.child(ctx, way[len(way)-1], dir, false)
		if k == nil || err != nil {
			return err
		}
		way = append(way, k)
	}
	last := way[len(way)-1]
	if err := e.load(ctx, last); err != nil {
		return err
	}
	if entry, ok := last.entries[name]; !ok || entry.Mode == object.ModeDir {
		return nil
	}
	delete(last.entries, name)
	for _, n := range way {
		n.dirty = true
	}
	return nil
}

// Get finds the present entry of a path; ok is false if there is none.
func (e *editor) Get(ctx context.Context, path string) (entry object.Entry, ok bool, err error) {
	dirs, name := Split(path)
	n := e.root
	for _, dir := range dirs {
		if n, err = e.child(ctx, n, dir, false); n == nil || err != nil {
			return object.Entry{}, false, err
		}
	}
	if err := e.load(ctx, n); err != nil {
		return object.Entry{}, false, err
	}
	entry, ok = n.entries[name]
	return entry, ok, nil
}

// write adds the changed directories to the pending objects, and returns the id of the whole tree.
func (e *editor) write(p *object.Pending) object.ID {
	id, _ := e.root.write(p)
	return id
}

// write returns the id of the directory's tree. It returns false if the directory is empty, because git does not store empty directories.
func (n *node) write(p *object.Pending) (object.ID, bool) {
	if !n.dirty && n.id != "" {
		return n.id, true
	}
	for name, kid := range n.kids {
		id, some := kid.write(p)
		if !some {
			if n.entries[name].Mode == object.ModeDir {
				delete(n.entries, name)
			}
			continue
		}
		n.entries[name] = object.Entry{Name: name, Mode: object.ModeDir, ID: id}
	}
	list := make([]object.Entry, 0, len(n.entries))
	for _, entry := range n.entries {
		list = append(list, entry)
	}
	return p.Add("tree", object.TreeData(list)), len(list) > 0
}

// Split splits a path into its folders and its name.
func Split(path string) (dirs []string, name string) {
	parts := strings.Split(path, "/")
	return parts[:len(parts)-1], parts[len(parts)-1]
}

// TreeOf returns the tree of a commit, or an empty id if the id of the commit is empty.
func TreeOf(ctx context.Context, repo *gitstate.Repo, commit object.ID) (object.ID, error) {
	if commit == "" {
		return "", nil
	}
	c, err := repo.Objects.Commit(ctx, string(commit))
	if errors.Is(err, object.ErrMissing) {
		return "", fmt.Errorf("read commit %s: %w", commit, err)
	}
	return c.Tree, err
}
