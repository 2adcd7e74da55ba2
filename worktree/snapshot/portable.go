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

// Portable writes a commit with some files of a snapshot, so that they can be sent to another clone. The caller gets these files from the
// method Items. The only parent of the commit is the HEAD of the snapshot, so that no earlier snapshot, no index and no other uncommitted
// file is sent with it.
func (s Snapshot) Portable(ctx context.Context, repo *gitstate.Repo, items []Item) (object.ID, error) {
	h, err := repo.Settings.Hasher(ctx)
	if err != nil {
		return "", err
	}
	p, tree := object.NewPending(h), Edit(repo, s.headTree)
	f := metadata{scope: Changed, head: s.Head, modes: usualModes, odd: map[string]uint32{}}
	for _, it := range items { // first the deletions, because a file may have replaced a directory
		if it.ID == "" {
			if err := tree.remove(ctx, it.Path); err != nil {
				return "", err
			}
		}
	}
	for _, it := range items {
		if it.ID == "" {
			continue
		}
		if err := tree.put(ctx, it.Path, it.Mode, it.ID); err != nil {
			return "", err
		}
		if mode, ok := s.meta.odd[it.Path]; ok {
			f.odd[it.Path] = mode & 0o777
		}
	}
	who := fmt.Sprintf("git-resume <git-resume@localhost> %d +0000", s.At.Unix())
	text := fmt.Sprintf("tree %s\nparent %s\nauthor %s\ncommitter %s\n\n%s%s: %s\n\n%s",
		tree.write(p), s.Head, who, who, subjectPrefix, s.Run, strings.Join(strings.Fields(s.Cause), " "), f.encode())
	id := p.Add("commit", []byte(text))
	return id, repo.Objects.Write(ctx, p)
}

const subjectPrefix = "snapshot of "

// maxReceived is how many files and folders a received snapshot may change. A tree of a few objects can stand for billions of files.
const maxReceived = 50_000

// ErrUnusable says that a snapshot from another clone cannot be used, because the method Portable would not write such a snapshot.
var ErrUnusable = errors.New("it is not a snapshot that can be used here")

// Receive takes a commit that Portable wrote in another clone, and adds it to the snapshots of a run. If the commit was added before, fresh
// is false. The sender is not trusted, so the commit is checked first. Nothing is written into a worktree.
func Receive(ctx context.Context, repo *gitstate.Repo, run string, id object.ID) (snap Snapshot, fresh bool, err error) {
	if err := series.CheckRun(run); err != nil {
		return Snapshot{}, false, err
	}
	s, err := readPortable(ctx, repo, id)
	if err != nil {
		return Snapshot{}, false, err
	}
	k, err := series.KeepFor(ctx, repo, run, "", []object.ID{s.Head}, nil)
	if err != nil {
		return Snapshot{}, false, err
	}
	f := metadata{scope: Changed, head: s.Head, modes: usualModes, odd: s.meta.odd, cause: s.Cause}
	f.Label = series.Label{Run: run, At: s.At, Was: id}
	list := series.Of(repo, series.Snapshots, run)
	err = list.AddAll(ctx, k.On, func(p *object.Pending, known map[object.ID]series.Entry) ([]object.ID, error) {
		_, there := known[id]
		if fresh = !there; there {
			return nil, nil
		}
		here := k.Behind(s.Head)
		return []object.ID{addSnapshot(p, f, snapshotTrees{work: s.Tree, head: s.headTree}, here.Add(p))}, nil
	})
	if err != nil {
		return Snapshot{}, false, err
	}
	entry, _, err := list.Find(ctx, id)
	if err != nil {
		return Snapshot{}, false, err
	}
	if snap, err = Load(ctx, repo, entry.ID); err == nil {
		snap.Number = entry.Number
	}
	return snap, fresh, err
}

// IsPortable reports whether Portable could have written the commit.
func IsPortable(ctx context.Context, repo *gitstate.Repo, id object.ID) bool {
	_, err := readPortable(ctx, repo, id)
	return err == nil
}

// readPortable reads a commit from another clone. It returns ErrUnusable if Portable would not
// write such a commit.
func readPortable(ctx context.Context, repo *gitstate.Repo, id object.ID) (Snapshot, error) {
	c, err := repo.Objects.Commit(ctx, string(id))
	if err != nil {
		return Snapshot{}, err
	}
	s, err := parseCommit(ctx, repo, c)
	if err != nil {
		return Snapshot{}, fmt.Errorf("%w: %w", ErrUnusable, err)
	}
	f := s.meta
	if len(c.Parents) != 1 || c.Parents[0] != s.Head || f.scope != Changed || f.indexTree != "" || len(f.dirs)+len(f.raw)+len(f.left) > 0 {
		return Snapshot{}, ErrUnusable
	}
	compared, err := compareTrees(ctx, repo, []treePair{{s.headTree, s.Tree}}, maxReceived)
	if err != nil {
		return Snapshot{}, err
	}
	changed := compared[0]
	for path, e := range changed {
		if !usablePath(path) || e.ID != "" && e.Mode == object.ModeSubmodule {
			return Snapshot{}, ErrUnusable
		}
	}
	for path, mode := range f.odd {
		if e := changed[path]; e.ID == "" || mode&^0o777 != 0 {
			return Snapshot{}, ErrUnusable
		}
	}
	return s, nil
}

// parseCommit reads a snapshot from a commit that Portable wrote.
func parseCommit(ctx context.Context, repo *gitstate.Repo, c object.Commit) (Snapshot, error) {
	first, body, _ := strings.Cut(c.Message, "\n\n")
	name, ok := strings.CutPrefix(first, subjectPrefix)
	if !ok {
		return Snapshot{}, fmt.Errorf("read %s: %w", c.ID, errNotSnapshot)
	}
	f, err := decodeMetadata(body)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %s: %w", c.ID, err)
	}
	s := Snapshot{ID: c.ID, At: c.Committer.When.UTC(), Head: f.head, Tree: c.Tree, meta: f}
	_, s.Cause, _ = strings.Cut(name, ": ")
	s.headTree, err = TreeOf(ctx, repo, f.head)
	return s, err
}

// usablePath reports whether a path of another clone can be written into a worktree. It refuses paths that may lead out
// of the worktree or into git's own folder.
func usablePath(path string) bool {
	if strings.ContainsAny(path, "\\\x00") {
		return false
	}
	return !slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool {
		plain := strings.ToLower(strings.TrimRight(part, ". "))
		plain, _, _ = strings.Cut(plain, ":")
		return plain == "" || plain == ".git" || strings.HasPrefix(plain, "git~") || strings.ContainsAny(part, "\u200c\u200d\u200e\u200f\ufeff")
	})
}
