package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/worktree/series"
)

// The names in the git tree of a snapshot.
const (
	workTree = "work"
	headTree = "head"
	indexDir = "index"
)

// link appends the snapshot to the run's list of snapshots, if the request needs a new one.
func (t *snapshotJob) link(ctx context.Context) (Snapshot, error) {
	s := series.Of(t.repo, series.Snapshots, t.req.Run)
	nothing := len(t.found) == 0 && t.meta.indexTree == ""
	if t.req.When == IfNeeded && nothing {
		return t.result(series.Entry{}, false), nil
	}
	for i := 1; ; i++ {
		r, err := s.Read(ctx)
		if err != nil {
			return Snapshot{}, err
		}
		newest, err := t.newest(ctx, r)
		if err != nil {
			return Snapshot{}, err
		}
		once := t.req.When == IfNeeded || t.req.When == EvenClean && !nothing
		if once && newest.Tree == t.tree && newest.meta.sameWork(t.meta) {
			snap := t.result(r.Last(), false)
			snap.At, snap.Was = newest.At, newest.Was
			return snap, nil
		}
		snap, err := t.append(ctx, s, r, newest)
		if err == nil || i == series.Tries || !series.Lost(err) {
			return snap, err
		}
	}
}

// newest returns the last snapshot, or an empty one if there is none or it cannot be read.
func (t *snapshotJob) newest(ctx context.Context, r series.Snapshot) (Snapshot, error) {
	if r.Last().Number == 0 {
		return Snapshot{}, nil
	}
	snap, err := Load(ctx, t.repo, r.Last().ID)
	if err != nil && ctx.Err() == nil {
		return Snapshot{}, nil
	}
	return snap, err
}

// append writes the git tree of the snapshot, and a new top tree that lists it under the next number.
func (t *snapshotJob) append(ctx context.Context, s series.Series, r series.Snapshot, newest Snapshot) (Snapshot, error) {
	kept, on, err := t.commits(ctx, newest)
	if err != nil {
		return Snapshot{}, err
	}
	t.meta.Label = series.Label{Run: t.req.Run, At: t.req.Now()}
	t.meta.cause = strings.Join(strings.Fields(t.req.Cause), " ")
	id := addSnapshot(t.pending, t.meta, snapshotTrees{t.tree, t.headTree, t.index}, kept)
	root, number := r.With(t.pending, id)
	if err := t.flush(ctx); err != nil {
		return Snapshot{}, err
	}
	if err := s.Move(ctx, r.Root, root, on); err != nil {
		return Snapshot{}, err
	}
	return t.result(series.Entry{Number: number, ID: id}, true), nil
}

// snapshotTrees holds the git trees of a snapshot: its files, the files of HEAD, and the folder with the saved index.
type snapshotTrees struct{ work, head, index object.ID }

func addSnapshot(p *object.Pending, f metadata, t snapshotTrees, kept []object.Entry) object.ID {
	entries := slices.Clone(kept)
	for _, dir := range []struct {
		name string
		id   object.ID
	}{{workTree, t.work}, {headTree, t.head}, {indexDir, t.index}} {
		if dir.id != "" {
			entries = append(entries, object.Entry{Name: dir.name, Mode: object.ModeDir, ID: dir.id})
		}
	}
	entries = append(entries, object.Entry{Name: series.FactsFile, Mode: object.ModeFile, ID: p.Add("blob", []byte(f.encode()))})
	return p.Add("tree", object.TreeData(entries))
}

// The method commits() saves the commits of a detached HEAD that no ref reaches. Without this, git could delete them after HEAD moves.
// The result "lines" has the tree entries that keep these commits. If the newest snapshot has the same HEAD and such entries, they are
// used again.
func (t *snapshotJob) commits(ctx context.Context, newest Snapshot) (lines []object.Entry, on []object.ID, err error) {
	if t.look.Head == "" || t.look.Branch != "" {
		return nil, nil, nil // there are no commits, or a branch protects them
	}
	if newest.Head == t.look.Head && len(newest.commits) > 0 {
		return newest.commits, nil, nil
	}
	k, err := series.KeepFor(ctx, t.repo, t.req.Run, "", []object.ID{t.look.Head}, nil)
	return k.Add(t.pending), k.On, err
}

func (t *snapshotJob) result(e series.Entry, made bool) Snapshot {
	return Snapshot{
		ID: e.ID, Number: e.Number, Run: t.req.Run, Cause: t.req.Cause, At: t.req.Now(), Scope: t.req.Scope,
		Head: t.look.Head, Tree: t.tree, Index: t.meta.indexTree,
		Paths: t.paths, Deleted: t.deleted, Left: t.left, Made: made, meta: t.meta, headTree: t.headTree, index: t.index,
	}
}

var errNotSnapshot = errors.New("not a snapshot")

// Load reads a stored snapshot by its git tree.
func Load(ctx context.Context, repo *gitstate.Repo, id object.ID) (Snapshot, error) {
	if id == "" {
		return Snapshot{}, errNotSnapshot
	}
	o, err := repo.Objects.Object(ctx, string(id))
	if err != nil {
		return Snapshot{}, err
	}
	if o.Type != "tree" {
		return Snapshot{}, fmt.Errorf("read %s: %w", id, errNotSnapshot)
	}
	s, facts, err := parseTree(o)
	if err != nil {
		return Snapshot{}, err
	}
	text, err := repo.Objects.BlobUpTo(ctx, facts, series.MaxFacts)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %s: %w", o.ID, err)
	}
	return s.withFacts(text)
}

// parseTree reads the git tree of a snapshot. It returns the snapshot without its metadata, and the blob that contains the metadata.
func parseTree(o object.Object) (s Snapshot, facts object.ID, err error) {
	list, err := o.Entries()
	if err != nil {
		return Snapshot{}, "", err
	}
	s = Snapshot{ID: o.ID}
	for _, e := range list {
		switch e.Name {
		case workTree:
			s.Tree = e.ID
		case headTree:
			s.headTree = e.ID
		case indexDir:
			s.index = e.ID
		case series.FactsFile:
			facts = e.ID
		case series.CommitsDir, series.TreesDir:
			s.commits = append(s.commits, e)
		}
	}
	if s.Tree == "" || facts == "" {
		return Snapshot{}, "", fmt.Errorf("read %s: %w", o.ID, errNotSnapshot)
	}
	return s, facts, nil
}

// withFacts returns the snapshot with the metadata of its file "facts".
func (s Snapshot) withFacts(text []byte) (Snapshot, error) {
	f, err := decodeMetadata(string(text))
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %s: %w", s.ID, err)
	}
	s.meta = f
	s.Run, s.Cause, s.At, s.Was, s.Scope = f.Run, f.cause, f.At.UTC(), f.Was, f.scope
	s.Head, s.Index, s.Left = f.head, f.indexTree, f.left
	return s, nil
}

// Newest returns the last snapshot of a run. Its ID is empty if there is none.
func Newest(ctx context.Context, repo *gitstate.Repo, run string) (Snapshot, error) {
	r, err := series.Of(repo, series.Snapshots, run).Read(ctx)
	if err != nil || r.Last().Number == 0 {
		return Snapshot{}, err
	}
	snap, err := Load(ctx, repo, r.Last().ID)
	snap.Number = r.Last().Number
	return snap, err
}
