package assess

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Judge finds out the state of work that could be continued.
type Judge struct {
	*site.Site
	Find    *candidate.Finder
	Tasks   *tasks.Tasks
	Staging *staging.Stager
	Adopt   *adopt.Adopter
}

// AssessMode says whether an assessment may write.
type AssessMode int

const (
	// OnlyLook writes nothing.
	OnlyLook AssessMode = iota
	// AndSave saves the uncommitted files in a snapshot.
	AndSave
)

// assessor collects the findings about one run.
type assessor struct {
	*site.Site
	judge *Judge
	a     *Assessment
	mode  AssessMode
	repo  *gitstate.Repo // the run's worktree; nil if there is none
	// filesKnown is true if the assessment lists the uncommitted files of the worktree.
	filesKnown bool
}

// age compares how long the run has been inactive with the user's setting.
func (x *assessor) age(ctx context.Context) (err error) {
	x.a.Stale, err = x.judge.Find.StaleAfter(ctx)
	x.a.Age = candidate.AgeOf(x.a.Silent, x.a.Alone())
	return err
}

func (x *assessor) addFinding(c candidate.Case, s candidate.Severity, facts candidate.Facts, more ...string) {
	x.a.Findings = append(x.a.Findings, candidate.Finding{Code: c.Code(), Severity: s, Note: candidate.Note{Case: c, Facts: facts}, More: more})
}

func (x *assessor) run() *checkpoint.Run { return &x.a.Summary.Run }

func (x *assessor) exists(ctx context.Context, id object.ID) bool {
	_, err := x.Repo.Objects.Commit(ctx, string(id))
	return err == nil
}

func (x *assessor) ancestor(ctx context.Context, old, tip object.ID) bool {
	within, err := past.IsAncestor(ctx, x.Repo, old, tip)
	return err == nil && within
}
