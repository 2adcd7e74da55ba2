package series

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/place"
)

// An entry saves commits that may soon be unreachable. The folder "commits" contains each commit as a blob with its raw bytes, so that "git
// log --all" does not show it. The folder "trees" contains the trees of the commits.
const (
	CommitsDir = "commits"
	TreesDir   = "trees"
)

// Commits holds commits that no ref of the user reaches.
type Commits struct {
	ids  []object.ID // each commit comes after its parents
	Raw  map[object.ID][]byte
	tree map[object.ID]object.ID
	// The field On lists commits that are needed too, but are not saved as raw bytes, for example because one of the user's branches
	// reaches them. We make our own ref to each of them, because the user may delete that branch.
	On []object.ID
}

// gather reads the commits that are reachable from the tips. It leaves out commits that are also reachable from a ref of the user or from a
// commit in the list "reached". Notes do not count as refs of the user, and neither does the branch "without", which is about to be
// deleted.
//
// If a gathered commit has a parent that is not gathered, the field On gets this parent. If there are more than maxKept commits, gather
// reads none of them, and On gets the tips.
func gather(ctx context.Context, repo *gitstate.Repo, tips []object.ID, without refs.Name, reached ...object.ID) (Commits, error) {
	k := Commits{Raw: map[object.ID][]byte{}, tree: map[object.ID]object.ID{}}
	if len(tips) == 0 {
		return k, nil
	}
	var in strings.Builder
	for _, id := range tips {
		fmt.Fprintln(&in, id)
	}
	for _, id := range reached {
		if id != "" {
			fmt.Fprintln(&in, "^"+string(id))
		}
	}
	args := []string{"rev-list", fmt.Sprint("--max-count=", maxKept+1), "--boundary", "--ignore-missing", "--stdin", "--not"}
	if without != "" {
		args = append(args, "--exclude="+place.GlobQuote(string(without)))
	}
	args = append(args, usersRefs...)
	out, err := repo.Git(ctx, process.Call{Args: args, Stdin: strings.NewReader(in.String()), Env: noReplace})
	if err != nil {
		return k, fmt.Errorf("look up commits: %w", err)
	}
	var ids []object.ID
	for line := range strings.FieldsSeq(string(out)) {
		if below, ok := strings.CutPrefix(line, "-"); ok {
			k.On = append(k.On, object.ID(below))
			continue
		}
		ids = append(ids, object.ID(line))
	}
	if len(ids) > maxKept {
		k.On = slices.Clone(tips)
		return k, nil
	}
	for _, id := range ids {
		if err := k.read(ctx, repo, id); err != nil {
			return k, err
		}
	}
	k.ids = parentsFirst(k.Raw)
	return k, nil
}

// maxKept limits how many commits are saved as raw bytes. If there are more, none of them is saved in this way. Instead, refs protect them,
// with the disadvantage that "git log --all" shows them.
const maxKept = 5000

// usersRefs selects all refs except our own and refs/notes. A notes ref does not protect work.
var usersRefs = []string{"--exclude=" + Root + "*", "--exclude=refs/notes/*", "--glob=refs/*"}

// KeepFor gathers the commits of a run that must be saved: those that are reachable from the tips, as gather describes. The list "needed"
// has commits that an undo or a restore needs even if a branch reaches them now. KeepFor adds those that were not gathered to Commits.On,
// so that a ref of ours protects them. The branch "without" is about to be deleted, so it protects nothing.
func KeepFor(ctx context.Context, repo *gitstate.Repo, run string, without refs.Name, tips, needed []object.ID) (Commits, error) {
	base, err := repo.Refs.Ref(ctx, baseRef(run))
	if err != nil {
		return Commits{}, err
	}
	k, err := gather(ctx, repo, tips, without, base)
	if err != nil {
		return k, err
	}
	for _, id := range needed {
		if k.Raw[id] == nil {
			k.On = append(k.On, id)
		}
	}
	k.On, err = topmost(ctx, repo, k.On)
	return k, err
}

// noReplace makes git ignore "git replace". Like gc, we need the original commits.
var noReplace = []string{"GIT_NO_REPLACE_OBJECTS=1"}

func (k *Commits) read(ctx context.Context, repo *gitstate.Repo, id object.ID) error {
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	o, err := repo.Objects.Object(ctx, string(id))
	if err != nil {
		return err
	}
	data := o.Data
	if h.ID("commit", data) != id { // "git replace" has substituted another commit, so read the original
		if data, err = repo.Git(ctx, process.Call{Args: []string{"cat-file", "commit", string(id)}, Env: noReplace}); err != nil {
			return fmt.Errorf("read commit %s: %w", id, err)
		}
	}
	c, err := object.ParseCommit(object.Object{ID: id, Type: "commit", Data: data})
	if err != nil || h.ID("commit", data) != id {
		return fmt.Errorf("read commit %s: it is damaged", id)
	}
	k.Raw[id], k.tree[id] = bytes.Clone(data), c.Tree
	return nil
}

// parentsOf returns the parents of a saved commit. A damaged commit has none.
func parentsOf(id object.ID, data []byte) []object.ID {
	c, _ := object.ParseCommit(object.Object{ID: id, Type: "commit", Data: data})
	return c.Parents
}

// Behind returns the gathered commits that are one of the given tips, or an ancestor of one of them.
func (k *Commits) Behind(tips ...object.ID) Commits {
	want := map[object.ID]bool{}
	for _, tip := range tips {
		want[tip] = true
	}
	out := Commits{Raw: k.Raw, tree: k.tree}
	for _, id := range slices.Backward(k.ids) {
		if !want[id] {
			continue
		}
		out.ids = append(out.ids, id)
		for _, p := range parentsOf(id, k.Raw[id]) {
			want[p] = true
		}
	}
	slices.Reverse(out.ids)
	return out
}

// Add adds the saved commits and their trees to the pending objects, and returns the tree entries that contain them. If there are no
// commits, it returns nil.
func (k *Commits) Add(p *object.Pending) []object.Entry {
	if len(k.ids) == 0 {
		return nil
	}
	var commits, trees []object.Entry
	for _, id := range k.ids {
		commits = append(commits, object.Entry{Name: string(id), Mode: object.ModeFile, ID: p.Add("blob", k.Raw[id])})
		trees = append(trees, object.Entry{Name: string(id), Mode: object.ModeDir, ID: k.tree[id]})
	}
	return []object.Entry{
		{Name: CommitsDir, Mode: object.ModeDir, ID: p.Add("tree", object.TreeData(commits))},
		{Name: TreesDir, Mode: object.ModeDir, ID: p.Add("tree", object.TreeData(trees))},
	}
}

// maxOn limits how many commits are added to each call of "git merge-base --independent" in the function topmost(). Each call also gets the
// commits that the previous call returned.
const maxOn = 32

// topmost removes commits that are ancestors of others. Refs to the remaining commits protect the removed ones too.
func topmost(ctx context.Context, repo *gitstate.Repo, ids []object.ID) ([]object.ID, error) {
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) < 2 {
		return ids, nil
	}
	var top []object.ID
	for some := range slices.Chunk(ids, maxOn) {
		args := []string{"merge-base", "--independent"}
		for _, id := range slices.Concat(top, some) {
			args = append(args, string(id))
		}
		out, err := repo.Git(ctx, process.Call{Args: args, Env: noReplace})
		if err != nil {
			return nil, fmt.Errorf("compare commits: %w", err)
		}
		top = nil
		for id := range strings.FieldsSeq(string(out)) {
			top = append(top, object.ID(id))
		}
	}
	return top, nil
}

// KeptIn returns the commits that are saved in the entries. It maps the id of each commit to the blob with its bytes.
func KeptIn(ctx context.Context, repo *gitstate.Repo, entries []Entry) (map[object.ID]object.ID, error) {
	out := map[object.ID]object.ID{}
	for _, e := range entries {
		all, err := parts(ctx, repo, e.ID)
		if err != nil {
			return nil, err
		}
		dir, ok := all[CommitsDir]
		if !ok {
			continue
		}
		list, err := repo.Objects.Tree(ctx, string(dir.ID))
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if object.IsID(c.Name) && c.Mode == object.ModeFile {
				out[object.ID(c.Name)] = c.ID
			}
		}
	}
	return out, nil
}

// DamagedCommitError reports that the saved bytes of a commit do not match its id.
type DamagedCommitError struct{ ID object.ID }

func (e *DamagedCommitError) Error() string {
	return fmt.Sprintf("the saved copy of commit %s is damaged", e.ID.Short())
}

// WriteBack writes saved commits to the repository again, parents first, with their old ids. It skips commits that already exist.
func WriteBack(ctx context.Context, repo *gitstate.Repo, kept map[object.ID]object.ID) error {
	gone, err := missingObjects(ctx, repo, sortedIDs(kept))
	if err != nil || len(gone) == 0 {
		return err
	}
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	raw := map[object.ID][]byte{}
	for _, id := range gone {
		data, err := repo.Objects.Blob(ctx, kept[id])
		if err != nil {
			return fmt.Errorf("read a saved commit: %w", err)
		}
		if h.ID("commit", data) != id {
			return &DamagedCommitError{id}
		}
		raw[id] = bytes.Clone(data)
	}
	p := object.NewPending(h)
	for _, id := range parentsFirst(raw) {
		p.Add("commit", raw[id])
	}
	return repo.Objects.Write(ctx, p)
}

func sortedIDs[V any](m map[object.ID]V) []object.ID {
	ids := make([]object.ID, 0, len(m))
	for id := range m {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// parentsFirst sorts commits so that every commit comes after its parents.
func parentsFirst(raw map[object.ID][]byte) []object.ID {
	var out []object.ID
	seen := map[object.ID]bool{}
	for _, tip := range sortedIDs(raw) {
		todo := []object.ID{tip}
		for len(todo) > 0 {
			id := todo[len(todo)-1]
			if _, ours := raw[id]; !ours || seen[id] {
				todo = todo[:len(todo)-1]
				continue
			}
			parents := parentsOf(id, raw[id])
			parents = slices.DeleteFunc(parents, func(p object.ID) bool { _, ours := raw[p]; return !ours || seen[p] })
			if len(parents) == 0 {
				seen[id] = true
				out = append(out, id)
				continue
			}
			todo = append(todo, parents...)
		}
	}
	return out
}

// missingObjects lists the ids whose objects are not in the repository.
func missingObjects(ctx context.Context, repo *gitstate.Repo, ids []object.ID) ([]object.ID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	var in strings.Builder
	for _, id := range ids {
		fmt.Fprintln(&in, id)
	}
	out, err := repo.Git(ctx, process.Call{Args: []string{"cat-file", "--batch-check"}, Stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, fmt.Errorf("look up objects: %w", err)
	}
	var gone []object.ID
	for line := range strings.Lines(string(out)) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(line), " missing"); ok {
			gone = append(gone, object.ID(id))
		}
	}
	return gone, nil
}

// errNoGround is the error if ancestors of a saved commit are missing in the repository.
var errNoGround = errors.New("some commits in its history no longer exist")

// Complete returns an error if an ancestor of tip is missing in the repository. It checks neither tip itself nor commits that a ref
// reaches.
func Complete(ctx context.Context, repo *gitstate.Repo, tip object.ID) error {
	_, err := repo.Git(ctx, process.Call{Args: []string{"rev-list", "--quiet", "--ignore-missing", string(tip), "--not", "--exclude=refs/notes/*", "--glob=refs/*"}})
	var git *process.Error
	if errors.As(err, &git) {
		return fmt.Errorf("%w: %s", errNoGround, git.Text)
	}
	return err
}

// baseRef returns the ref that protects the commit at which a run started.
func baseRef(run string) refs.Name { return refs.Name(Root + "base/" + run) }
