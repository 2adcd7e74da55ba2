package worktree

import (
	"context"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
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
