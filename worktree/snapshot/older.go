package snapshot

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/series"
)

const subjectPrefix = "snapshot of "

// loadCommit reads a snapshot that is stored as a commit. The previous version of the program and the method Portable write such commits.
func loadCommit(ctx context.Context, repo *gitstate.Repo, id object.ID) (Snapshot, error) {
	c, err := repo.Objects.Commit(ctx, string(id))
	if err != nil {
		return Snapshot{}, err
	}
	first, body, _ := strings.Cut(c.Message, "\n\n")
	name, ok := strings.CutPrefix(first, subjectPrefix)
	if !ok {
		return Snapshot{}, fmt.Errorf("read %s: %w", id, errNotSnapshot)
	}
	f, err := decodeMetadata(body)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	s := Snapshot{ID: c.ID, At: c.Committer.When.UTC(), Scope: f.scope, Head: f.head, Tree: c.Tree, Index: f.indexTree, Left: f.left}
	s.Run, s.Cause, _ = strings.Cut(name, ": ")
	if s.headTree, err = TreeOf(ctx, repo, f.head); err != nil {
		return Snapshot{}, err
	}
	if f.index != "" {
		if s.index, err = indexOf(ctx, repo, f); err != nil {
			return Snapshot{}, fmt.Errorf("read snapshot %s: %w", id, err)
		}
	}
	f.Label, f.cause = series.Label{Run: s.Run, At: s.At, Was: c.ID}, s.Cause
	s.meta = f
	return s, nil
}

// indexOf returns the git tree that contains the bytes of the index file. It is for snapshots of the previous version of the program.
// That version stored this tree in the last parent of the commit f.index.
func indexOf(ctx context.Context, repo *gitstate.Repo, f metadata) (object.ID, error) {
	staged, err := repo.Objects.Commit(ctx, string(f.index))
	if err != nil {
		return "", err
	}
	if len(staged.Parents) == 0 {
		return "", fmt.Errorf("read index: %w", errNotSnapshot)
	}
	return TreeOf(ctx, repo, staged.Parents[len(staged.Parents)-1])
}

// oldSnapshots returns a chain of snapshots that the previous version of the program made, oldest first. Snapshots from before a missing
// commit are left out.
func oldSnapshots(ctx context.Context, repo *gitstate.Repo, tip object.ID) ([]Snapshot, error) {
	var all []Snapshot
	for id := tip; id != ""; {
		s, err := loadCommit(ctx, repo, id)
		if errors.Is(err, object.ErrMissing) && len(all) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
		id = s.meta.previous
	}
	slices.Reverse(all)
	return all, nil
}

// FlattenSnapshots converts the snapshots of a run from the old format, a chain of commits, into entries of the run's series. Then it
// deletes the old ref.
func FlattenSnapshots(ctx context.Context, repo *gitstate.Repo, run string) error {
	tip, err := repo.Refs.Ref(ctx, series.WipRef(run))
	if err != nil || tip == "" {
		return err
	}
	if _, err := repo.Objects.Object(ctx, string(tip)); errors.Is(err, object.ErrMissing) {
		return series.DropRef(ctx, repo, series.WipRef(run)) // delete the ref: it points to a missing object, which would make every gc fail
	}
	if err := MoveSnapshots(ctx, repo, run, tip); err != nil {
		return fmt.Errorf("convert the snapshots of '%s' to the new format: %w", run, err)
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: series.WipRef(run), Old: tip})
}

// MoveSnapshots adds a chain of old snapshots to a run's series. It skips snapshots that are already in the series.
func MoveSnapshots(ctx context.Context, repo *gitstate.Repo, run string, tip object.ID) error {
	all, err := oldSnapshots(ctx, repo, tip)
	if err != nil {
		return err
	}
	var heads []object.ID
	for _, s := range all {
		if s.Head != "" {
			heads = append(heads, s.Head)
		}
	}
	k, err := series.KeepFor(ctx, repo, run, "", heads, nil)
	if err != nil {
		return err
	}
	return series.Of(repo, series.Snapshots, run).AddAll(ctx, k.On, func(p *object.Pending, known map[object.ID]series.Entry) ([]object.ID, error) {
		var ids []object.ID
		for _, s := range all {
			if _, there := known[s.ID]; there {
				continue
			}
			id, err := convert(ctx, repo, p, s, &k)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, nil
	})
}

// convert converts a snapshot of the previous version of the program, and adds the result to the pending objects.
func convert(ctx context.Context, repo *gitstate.Repo, p *object.Pending, s Snapshot, k *series.Commits) (object.ID, error) {
	t := snapshotTrees{work: s.Tree, head: s.headTree}
	if s.index != "" {
		list, err := repo.Objects.Tree(ctx, string(s.index))
		if err != nil {
			return "", err
		}
		for i := range list {
			if list[i].Name == "index" {
				list[i].Name = indexBytes
			}
		}
		list = append(list, object.Entry{Name: stagedTree, Mode: object.ModeDir, ID: s.meta.indexTree})
		t.index = p.Add("tree", object.TreeData(list))
	}
	f := s.meta
	f.index, f.previous = "", ""
	here := k.Behind(s.Head)
	return addSnapshot(p, f, t, here.Add(p)), nil
}
