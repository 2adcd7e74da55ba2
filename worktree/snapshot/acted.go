package snapshot

import (
	"context"
	"slices"
	"time"

	"errors"
	"fmt"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/series"
)

// ActedRequest asks to save another tool's files before git-resume changes them.
type ActedRequest struct {
	Run string
	// Files returns the files to save. It adds their content to the given object.Pending.
	Files func(*object.Pending) (map[string]object.Version, error)
	Now   time.Time
}

// KeepActed saves the files of the request as a new entry of the run's series. It returns the git tree of this entry.
func KeepActed(ctx context.Context, repo *gitstate.Repo, req ActedRequest) (object.ID, error) {
	if err := series.CheckRun(req.Run); err != nil {
		return "", err
	}
	_ = FlattenActed(ctx, repo, req.Run) // if old entries cannot be converted, they stay in the old format
	e, err := series.Of(repo, series.Acted, req.Run).Add(ctx, func(p *object.Pending) (object.ID, []object.ID, error) {
		files, err := req.Files(p)
		if err != nil {
			return "", nil, err
		}
		files[series.FactsFile] = object.Version{Mode: object.ModeFile, ID: p.Add("blob", actedFacts(series.Label{Run: req.Run, At: req.Now}))}
		return p.AddTree(files), nil, nil
	})
	return e.ID, err
}

// Acted returns the git tree with the saved files of a run. The argument is an id from the journal. It may be the id of a commit in
// which the previous version of the program saved the files. If that commit was converted, Acted returns the tree that replaces it.
// Otherwise it returns the given id.
func Acted(ctx context.Context, repo *gitstate.Repo, run string, id object.ID) object.ID {
	if e, found, err := series.Of(repo, series.Acted, run).Find(ctx, id); err == nil && found {
		return e.ID
	}
	return id
}

func actedFacts(l series.Label) []byte { return []byte("version 2\n" + l.Lines()) }

// addActed adds an entry to the pending objects. The entry contains files that the previous version of the program had saved in a commit.
func addActed(p *object.Pending, files []object.Entry, l series.Label) object.ID {
	files = append(slices.Clone(files), object.Entry{Name: series.FactsFile, Mode: object.ModeFile, ID: p.Add("blob", actedFacts(l))})
	return p.Add("tree", object.TreeData(files))
}

// FlattenActed converts what the previous version of git-resume saved before it changed the files of another tool. That version saved
// copies of these files as commits below a ref of their own. FlattenActed adds each of them as an entry to the run's series of such copies
// (series.Acted), and then deletes that ref.
func FlattenActed(ctx context.Context, repo *gitstate.Repo, run string) error {
	ref := series.TrashRef(series.ActedPart + run)
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
	err = series.Of(repo, series.Acted, run).AddAll(ctx, nil, func(p *object.Pending, known map[object.ID]series.Entry) ([]object.ID, error) {
		var ids []object.ID
		for _, c := range all {
			if _, there := known[c.ID]; there {
				continue
			}
			list, err := repo.Objects.Tree(ctx, string(c.Tree))
			if err != nil {
				return nil, err
			}
			ids = append(ids, addActed(p, list, series.Label{Run: run, At: c.Committer.When, Was: c.ID}))
		}
		return ids, nil
	})
	if err != nil {
		return fmt.Errorf("convert the saved files of '%s' to the new format: %w", run, err)
	}
	return repo.Refs.Update(ctx, refs.Update{Ref: ref, Old: tip})
}
