package snapshot

import (
	"context"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
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
	e, err := series.Of(repo, series.Acted, req.Run).Add(ctx, func(p *object.Pending) (object.ID, []object.ID, error) {
		files, err := req.Files(p)
		if err != nil {
			return "", nil, err
		}
		files[series.FactsFile] = object.Version{Mode: object.ModeFile, ID: p.Add("blob", []byte("version 2\n"+series.Label{Run: req.Run, At: req.Now}.Lines()))}
		return p.AddTree(files), nil, nil
	})
	return e.ID, err
}

// Acted returns the git tree with the saved files of a run. The argument is an id from the journal. It may be the id of a commit
// for which the run's series has an entry. Then Acted returns that entry. Otherwise it returns the given id.
func Acted(ctx context.Context, repo *gitstate.Repo, run string, id object.ID) object.ID {
	if e, found, err := series.Of(repo, series.Acted, run).Find(ctx, id); err == nil && found {
		return e.ID
	}
	return id
}
