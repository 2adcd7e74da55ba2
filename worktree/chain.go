package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// The version before kept snapshots, what a discard kept and the files of other systems as commits, each with the one before as a parent.
// They are read as they are. Whoever adds to them brings them into a series first, in their order;
// the old ref goes only when the new one is on the disk.

func wipRef(run string) string   { return seriesRoot + "wip/" + run }
func trashRef(run string) string { return seriesRoot + "trash/" + run }

// actedPart is below the trash of the version before, where no run's name can be.
const actedPart = "acted/"

const subjectPrefix = "snapshot of "

// loadCommit reads a snapshot of the version before.
func loadCommit(ctx context.Context, repo *gitstate.Repo, id object.ID) (Snapshot, error) {
	c, err := repo.Objects.Commit(ctx, string(id))
	if err != nil {
		return Snapshot{}, err
	}
	first, body, _ := strings.Cut(c.Message, "\n\n")
	name, ok := strings.CutPrefix(first, subjectPrefix)
	if !ok {
		return Snapshot{}, fmt.Errorf("read %s: %w", id, ErrNotSnapshot)
	}
	f, err := decodeFacts(body)
	if err != nil {
		return Snapshot{}, fmt.Errorf("read snapshot %s: %w", id, err)
	}
	s := Snapshot{ID: c.ID, At: c.Committer.When.UTC(), Scope: f.scope, Head: f.head, Tree: c.Tree, Index: f.indexTree, Left: f.left}
	s.Run, s.Cause, _ = strings.Cut(name, ": ")
	if s.headTree, err = treeOf(ctx, repo, f.head); err != nil {
		return Snapshot{}, err
	}
	if f.index != "" {
		if s.index, err = indexOf(ctx, repo, f); err != nil {
			return Snapshot{}, fmt.Errorf("read snapshot %s: %w", id, err)
		}
	}
	f.label, f.cause = label{run: s.Run, at: s.At, was: c.ID}, s.Cause
	s.facts = f
	return s, nil
}

// indexOf is the tree with the index's own bytes: it hung on the last parent of the commit of what was staged.
func indexOf(ctx context.Context, repo *gitstate.Repo, f facts) (object.ID, error) {
	staged, err := repo.Objects.Commit(ctx, string(f.index))
	if err != nil {
		return "", err
	}
	if len(staged.Parents) == 0 {
		return "", fmt.Errorf("read index: %w", ErrNotSnapshot)
	}
	return treeOf(ctx, repo, staged.Parents[len(staged.Parents)-1])
}

// oldSnapshots are the snapshots behind a commit, the oldest first, until one is no more here.
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
		id = s.facts.previous
	}
	slices.Reverse(all)
	return all, nil
}

// flattenSnapshots brings a run's chain of snapshots into its series.
func flattenSnapshots(ctx context.Context, repo *gitstate.Repo, run string) error {
	tip, err := repo.Refs.Ref(ctx, wipRef(run))
	if err != nil || tip == "" {
		return err
	}
	if _, err := repo.Objects.Object(ctx, string(tip)); errors.Is(err, object.ErrMissing) {
		return dropRef(ctx, repo, wipRef(run)) // a ref to nothing, which would make every gc fail
	}
	if err := moveSnapshots(ctx, repo, run, tip); err != nil {
		return fmt.Errorf("bring the snapshots of '%s' into their new form: %w", run, err)
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: wipRef(run), Old: tip})
}

// moveSnapshots adds the snapshots behind a commit to a run's series, but for those that are in it.
func moveSnapshots(ctx context.Context, repo *gitstate.Repo, run string, tip object.ID) error {
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
	k, err := keepFor(ctx, repo, run, "", heads, nil)
	if err != nil {
		return err
	}
	return seriesOf(repo, snapshotSeries, run).addAll(ctx, k.on, func(p *object.Pending, known map[object.ID]entry) ([]object.ID, error) {
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

// convert puts in a snapshot of the version before in its new form.
func convert(ctx context.Context, repo *gitstate.Repo, p *object.Pending, s Snapshot, k *keptCommits) (object.ID, error) {
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
		list = append(list, object.Entry{Name: stagedTree, Mode: object.ModeDir, ID: s.facts.indexTree})
		t.index = p.Add("tree", object.TreeData(list))
	}
	f := s.facts
	f.index, f.previous = "", ""
	here := k.behind(s.Head)
	return addSnapshot(p, f, t, here.add(p)), nil
}

// addAll appends several entries at once. Build is told which commits are in the series already, so that nothing comes twice after a kill.
func (s series) addAll(ctx context.Context, on []object.ID, build func(*object.Pending, map[object.ID]entry) ([]object.ID, error)) error {
	h, err := s.repo.Settings.Hasher(ctx)
	if err != nil {
		return err
	}
	for i := 1; ; i++ {
		r, err := s.read(ctx)
		if err != nil {
			return err
		}
		known, err := s.origins(ctx, r)
		if err != nil {
			return err
		}
		p := object.NewPending(h)
		ids, err := build(p, known)
		if err != nil || len(ids) == 0 {
			return err
		}
		root, _ := r.with(p, ids...)
		if err := s.repo.Objects.Write(ctx, p); err != nil {
			return err
		}
		err = s.move(ctx, r.root, root, on)
		if err == nil || i == tries || !lost(err) && !vanished(err) {
			return err
		}
	}
}

// oldDiscard is one commit of what the version before kept of a dropped run.
type oldDiscard struct {
	object.Commit
	notes     []string // lines of its message: why an object is kept, and which
	snapshots object.ID
	previous  object.ID
	commits   []object.ID
}

const discardPrefix = "discard of "

func loadOldDiscard(ctx context.Context, repo *gitstate.Repo, id object.ID) (oldDiscard, error) {
	c, err := repo.Objects.Commit(ctx, string(id))
	if err != nil {
		return oldDiscard{}, err
	}
	first, body, _ := strings.Cut(c.Message, "\n\n")
	if !strings.HasPrefix(first, discardPrefix) {
		return oldDiscard{}, fmt.Errorf("read %s: it is not what a discard kept", id)
	}
	d := oldDiscard{Commit: c}
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		why, name, _ := cutLast(line, " ")
		switch why {
		case "version", "":
			continue
		case "snapshots":
			d.snapshots = object.ID(name)
		case "previous":
			d.previous = object.ID(name)
			continue
		}
		d.notes = append(d.notes, line)
	}
	for _, p := range c.Parents {
		if p != d.snapshots && p != d.previous {
			d.commits = append(d.commits, p)
		}
	}
	return d, nil
}

// cutLast cuts at the last separator; what is quoted before it may hold others.
func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// flattenDiscards brings what the version before kept of a dropped run into its series.
// A discard that was cut off has a branch still to delete: what only that reaches is kept too.
func flattenDiscards(ctx context.Context, repo *gitstate.Repo, run, branch string) error {
	tip, err := repo.Refs.Ref(ctx, trashRef(run))
	if err != nil || tip == "" {
		return err
	}
	if _, err := repo.Objects.Object(ctx, string(tip)); errors.Is(err, object.ErrMissing) {
		return dropRef(ctx, repo, trashRef(run))
	}
	if err := moveDiscards(ctx, repo, run, branch, tip); err != nil {
		return fmt.Errorf("bring what a discard of '%s' kept into its new form: %w", run, err)
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: trashRef(run), Old: tip})
}

func moveDiscards(ctx context.Context, repo *gitstate.Repo, run, branch string, tip object.ID) error {
	all, err := oldDiscards(ctx, repo, tip)
	if err != nil {
		return err
	}
	var tips []object.ID
	for _, d := range all {
		tips = append(tips, d.commits...)
		if d.snapshots == "" {
			continue
		}
		if err := moveSnapshots(ctx, repo, run, d.snapshots); err != nil {
			return err
		}
	}
	k, err := keepFor(ctx, repo, run, branch, tips, tips)
	if err != nil {
		return err
	}
	snapshots, err := seriesOf(repo, snapshotSeries, run).read(ctx)
	if err != nil {
		return err
	}
	return seriesOf(repo, discardedSeries, run).addAll(ctx, k.on, func(p *object.Pending, known map[object.ID]entry) ([]object.ID, error) {
		var ids []object.ID
		for _, d := range all {
			if _, there := known[d.ID]; there {
				continue
			}
			id, err := d.convert(ctx, repo, p, run, snapshots.root, &k)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, nil
	})
}

// oldDiscards are all that was kept behind a commit, the oldest first.
func oldDiscards(ctx context.Context, repo *gitstate.Repo, tip object.ID) ([]oldDiscard, error) {
	var all []oldDiscard
	for id := tip; id != ""; {
		d, err := loadOldDiscard(ctx, repo, id)
		if errors.Is(err, object.ErrMissing) && len(all) > 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, d)
		id = d.previous
	}
	slices.Reverse(all)
	return all, nil
}

// convert puts in what a discard kept in its new form.
func (d oldDiscard) convert(ctx context.Context, repo *gitstate.Repo, p *object.Pending, run string, snapshots object.ID, k *keptCommits) (object.ID, error) {
	objects, err := repo.Objects.Tree(ctx, string(d.Tree))
	if err != nil {
		return "", err
	}
	l := label{run: run, at: d.Committer.When, was: d.ID}
	return discardEntry{label: l, notes: d.notes, snapshots: snapshots, objects: objects, commits: k.behind(d.commits...)}.add(p), nil
}

// flattenActed brings the kept files of another system into the series of the run.
func flattenActed(ctx context.Context, repo *gitstate.Repo, run string) error {
	ref := trashRef(actedPart + run)
	tip, err := repo.Refs.Ref(ctx, ref)
	if err != nil || tip == "" {
		return err
	}
	var all []object.Commit
	for id := tip; id != ""; {
		c, err := repo.Objects.Commit(ctx, string(id))
		if errors.Is(err, object.ErrMissing) && len(all) > 0 {
			break
		}
		if err != nil {
			return err
		}
		all = append(all, c)
		if id = ""; len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	slices.Reverse(all)
	err = seriesOf(repo, actedSeries, run).addAll(ctx, nil, func(p *object.Pending, known map[object.ID]entry) ([]object.ID, error) {
		var ids []object.ID
		for _, c := range all {
			if _, there := known[c.ID]; there {
				continue
			}
			list, err := repo.Objects.Tree(ctx, string(c.Tree))
			if err != nil {
				return nil, err
			}
			ids = append(ids, addActed(p, list, label{run: run, at: c.Committer.When, was: c.ID}))
		}
		return ids, nil
	})
	if err != nil {
		return fmt.Errorf("bring the kept files of '%s' into their new form: %w", run, err)
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: ref, Old: tip})
}

// Flatten brings all that the version before kept of a run into the form of today. It may be killed and called again.
func Flatten(ctx context.Context, repo *gitstate.Repo, run string) error {
	if err := checkRun(run); err != nil {
		return err
	}
	if present(filepath.Join(trashDir(repo, run), oldRecordFile)) {
		_, unlock, err := openTrash(ctx, repo, run)
		if err != nil {
			return err
		}
		defer unlock()
	}
	// Opened or not, whatever could not be brought over is told of.
	return errors.Join(flattenSnapshots(ctx, repo, run), flattenDiscards(ctx, repo, run, ""), flattenActed(ctx, repo, run))
}

// Chained lists the runs, and the operations of git's own, of which records of the version before are here.
func Chained(ctx context.Context, repo *gitstate.Repo) ([]string, error) {
	wip, err := repo.Refs.Names(ctx, wipRef(""))
	if err != nil {
		return nil, err
	}
	trash, err := repo.Refs.Names(ctx, trashRef(""))
	if err != nil {
		return nil, err
	}
	for i, name := range trash {
		trash[i] = strings.TrimPrefix(name, actedPart)
	}
	all := slices.DeleteFunc(slices.Concat(wip, trash), func(name string) bool { return checkRun(name) != nil })
	slices.Sort(all)
	return slices.Compact(all), nil
}
