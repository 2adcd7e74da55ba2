package worktree

import (
	"context"
	"slices"
	"time"

	"errors"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// ActedRequest asks for files of another system to be kept as they are before they are changed.
type ActedRequest struct {
	Run string
	// Files makes the tree of what is kept, and adds what it needs.
	Files func(*object.Pending) (map[string]object.Version, error)
	Now   time.Time
}

// KeepActed keeps files behind what was kept of the same run before, and gives the tree that holds them.
func KeepActed(ctx context.Context, repo *gitstate.Repo, req ActedRequest) (object.ID, error) {
	if err := checkRun(req.Run); err != nil {
		return "", err
	}
	_ = flattenActed(ctx, repo, req.Run) // what cannot be understood stays where it is
	e, err := seriesOf(repo, actedSeries, req.Run).add(ctx, func(p *object.Pending) (object.ID, []object.ID, error) {
		files, err := req.Files(p)
		if err != nil {
			return "", nil, err
		}
		files[factsFile] = object.Version{Mode: object.ModeFile, ID: p.Add("blob", actedFacts(label{run: req.Run, at: req.Now}))}
		return p.AddTree(files), nil, nil
	})
	return e.id, err
}

// Acted finds what was kept by the id that the journal has: its tree, or the commit if the version before kept it.
func Acted(ctx context.Context, repo *gitstate.Repo, run string, id object.ID) object.ID {
	if e, found, err := seriesOf(repo, actedSeries, run).find(ctx, id); err == nil && found {
		return e.id
	}
	return id
}

func actedFacts(l label) []byte { return []byte("version 2\n" + l.lines()) }

// addActed puts in what the version before kept as a commit's tree.
func addActed(p *object.Pending, files []object.Entry, l label) object.ID {
	files = append(slices.Clone(files), object.Entry{Name: factsFile, Mode: object.ModeFile, ID: p.Add("blob", actedFacts(l))})
	return p.Add("tree", object.TreeData(files))
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
