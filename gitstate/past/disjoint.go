package past

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
)

// errGit says that git must merge the trees.
var errGit = errors.New("only git can merge these trees")

// disjointMerge merges trees without git, if no file was removed and no file was changed in two different ways. Then no file can have been
// renamed, and git too would take each changed file from the side that changed it. Everything else is left to git.
type disjointMerge struct {
	ctx context.Context
	r   *gitstate.Repo
	// made collects the merged trees.
	made *object.Pending
}

// mergeDisjoint merges two trees without git, and stores the result. ok is false if only git can merge them, for example because a file was
// removed, or if the result cannot be stored.
func mergeDisjoint(ctx context.Context, r *gitstate.Repo, base, ours, theirs object.ID) (tree object.ID, ok bool) {
	h, err := r.Settings.Hasher(ctx)
	if err != nil {
		return "", false
	}
	m := disjointMerge{ctx, r, object.NewPending(h)}
	if tree, err = m.merge(base, ours, theirs); err != nil {
		return "", false
	}
	return tree, r.Objects.Write(ctx, m.made) == nil
}

// read returns the entries of a tree by name. An empty id is an empty tree.
func (m disjointMerge) read(id object.ID) (map[string]object.Version, error) {
	out := map[string]object.Version{}
	if id == "" {
		return out, nil
	}
	entries, err := m.r.Objects.Tree(m.ctx, string(id))
	for _, e := range entries {
		out[e.Name] = object.Version{Mode: e.Mode, ID: e.ID}
	}
	if len(out) != len(entries) {
		return nil, errGit // the tree is damaged: a name occurs twice in it
	}
	return out, err
}

// merge merges three trees. The base may be empty.
func (m disjointMerge) merge(base, ours, theirs object.ID) (object.ID, error) {
	b, err := m.read(base)
	if err != nil {
		return "", err
	}
	o, err := m.read(ours)
	if err != nil {
		return "", err
	}
	t, err := m.read(theirs)
	if err != nil {
		return "", err
	}
	names := maps.Clone(b)
	maps.Copy(names, o)
	maps.Copy(names, t)
	var out []object.Entry
	for name := range names {
		v, err := m.one(b[name], o[name], t[name])
		if err != nil {
			return "", err
		}
		out = append(out, object.Entry{Name: name, Mode: v.Mode, ID: v.ID})
	}
	return m.made.Add("tree", object.TreeData(out)), nil
}

// The method "one" merges the three versions of one tree entry. It returns errGit if git has to merge them.
func (m disjointMerge) one(base, ours, theirs object.Version) (object.Version, error) {
	switch {
	case ours == base:
		return theirs, m.onlyAdds(base, theirs)
	case theirs == base || theirs == ours:
		return ours, m.onlyAdds(base, ours)
	case isDir(ours) && isDir(theirs) && (isDir(base) || base == object.Version{}):
		id, err := m.merge(base.ID, ours.ID, theirs.ID)
		return object.Version{Mode: object.ModeDir, ID: id}, err
	}
	return object.Version{}, errGit
}

func isDir(v object.Version) bool { return v.Mode == object.ModeDir }

// onlyAdds returns errGit if an entry of the base, or anything below it, was removed or is of another kind now.
func (m disjointMerge) onlyAdds(base, now object.Version) error {
	if base == now || (base == object.Version{}) {
		return nil
	}
	if isDir(base) != isDir(now) || (now == object.Version{}) {
		return errGit
	}
	if !isDir(base) {
		return sameKind(base, now)
	}
	was, err := m.read(base.ID)
	if err != nil {
		return err
	}
	is, err := m.read(now.ID)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if err := m.onlyAdds(was[name], is[name]); err != nil {
			return err
		}
	}
	return nil
}

// sameKind returns errGit if a file became a link or a submodule, or the other way round.
func sameKind(a, b object.Version) error {
	const kind = 0o170000
	if a.Mode&kind != b.Mode&kind {
		return errGit
	}
	return nil
}
