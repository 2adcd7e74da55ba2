package trash

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
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// oldDiscard is a commit in which the previous version of the program saved a discarded run.
type oldDiscard struct {
	object.Commit
	notes     []string // each line contains the reason for saving an object, and the id of the object
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
		return oldDiscard{}, fmt.Errorf("commit %s does not contain a discarded run", id)
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

// cutLast splits a text at the last separator. Earlier separators may be part of a quoted text.
func cutLast(text, sep string) (before, after string, ok bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return text, "", false
	}
	return text[:i], text[i+len(sep):], true
}

// flattenDiscards handles a run that was discarded by the previous version of the program. It adds the saved data as entries to the run's
// series, and then deletes the old ref. After an interrupted discard, the branch still exists and will be deleted later. So its commits are
// saved too.
func flattenDiscards(ctx context.Context, repo *gitstate.Repo, run string, branch refs.Name) error {
	tip, err := repo.Refs.Ref(ctx, series.TrashRef(run))
	if err != nil || tip == "" {
		return err
	}
	if _, err := repo.Objects.Object(ctx, string(tip)); errors.Is(err, object.ErrMissing) {
		return series.DropRef(ctx, repo, series.TrashRef(run))
	}
	if err := moveDiscards(ctx, repo, run, branch, tip); err != nil {
		return fmt.Errorf("convert the files saved by a discard of '%s' to the new format: %w", run, err)
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: series.TrashRef(run), Old: tip})
}

func moveDiscards(ctx context.Context, repo *gitstate.Repo, run string, branch refs.Name, tip object.ID) error {
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
		if err := snapshot.MoveSnapshots(ctx, repo, run, d.snapshots); err != nil {
			return err
		}
	}
	k, err := series.KeepFor(ctx, repo, run, branch, tips, tips)
	if err != nil {
		return err
	}
	snapshots, err := series.Of(repo, series.Snapshots, run).Read(ctx)
	if err != nil {
		return err
	}
	return series.Of(repo, series.Discarded, run).AddAll(ctx, k.On, func(p *object.Pending, known map[object.ID]series.Entry) ([]object.ID, error) {
		var ids []object.ID
		for _, d := range all {
			if _, there := known[d.ID]; there {
				continue
			}
			id, err := d.convert(ctx, repo, p, run, snapshots.Root, &k)
			if err != nil {
				return nil, err
			}
			ids = append(ids, id)
		}
		return ids, nil
	})
}

// oldDiscards returns a chain of discards that the previous version of the program made, oldest first. Discards from before a missing
// commit are left out.
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

// convert converts the record of a discard that the previous version of the program made, and adds the result to the pending objects.
func (d oldDiscard) convert(ctx context.Context, repo *gitstate.Repo, p *object.Pending, run string, snapshots object.ID, k *series.Commits) (object.ID, error) {
	objects, err := repo.Objects.Tree(ctx, string(d.Tree))
	if err != nil {
		return "", err
	}
	l := series.Label{Run: run, At: d.Committer.When, Was: d.ID}
	return discardEntry{Label: l, notes: d.notes, snapshots: snapshots, objects: objects, commits: k.Behind(d.commits...)}.add(p), nil
}
