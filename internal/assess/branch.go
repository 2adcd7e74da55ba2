package assess

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/tasks"
)

// branch finds out what happened to the run's own commits.
func (x runChecks) branch(ctx context.Context) error {
	r := x.run()
	tip, err := x.Store.History().BranchTip(ctx, r)
	if err != nil {
		return err
	}
	x.a.Seen.Branch = tip
	if x.repo != nil && tasks.Updated(ctx, x.repo, r, tip) != "" {
		return nil // the user finished an update that we had started, which explains the new commits
	}
	switch {
	case tip == "" && r.Admin == "" && !r.Rebuilt: // the start of the run was interrupted before the branch existed
	case tip == "" && r.Head != "" && x.exists(ctx, r.Head):
		x.addFinding(candidate.FindBranchDeleted, candidate.Warning, fmt.Sprintf("branch %s was deleted; its last commit %s is still here", site.ShortBranch(r.Branch), r.Head.Short()))
		x.a.Repairs = append([]Repair{RepairBranch}, x.a.Repairs...)
	case tip == "":
		x.examineLost(ctx)
	case r.Head != "" && tip != r.Head && !x.ancestor(ctx, r.Head, tip):
		x.addFinding(candidate.FindBranchRewrote, candidate.Warning, fmt.Sprintf("branch %s was rewritten since the last record", site.ShortBranch(r.Branch)))
	case r.Head != "" && tip != r.Head && !r.Here:
		x.addFinding(candidate.FindBranchForeign, candidate.Info, fmt.Sprintf("branch %s has commits that the run did not record", site.ShortBranch(r.Branch)))
	}
	return nil
}

// examineLost finds out what is left of a run if its branch and its last commit are missing.
func (x runChecks) examineLost(ctx context.Context) {
	r := x.run()
	text := fmt.Sprintf("branch %s was deleted, and its last commit", site.ShortBranch(r.Branch))
	if r.Head != "" {
		text += " " + r.Head.Short()
	}
	more := []string{}
	x.a.Survivor, x.a.Redo = r.Base.Commit, 1
	for i, t := range r.Tasks {
		if t.State == checkpoint.Skipped || t.State == checkpoint.Done && t.Commit == "" {
			continue
		}
		if t.State != checkpoint.Done || !x.exists(ctx, t.Commit) {
			x.a.Redo = i + 1
			if t.State == checkpoint.Done {
				more = append(more, fmt.Sprintf("task %d, %s, was committed as %s, which is not in this repository", i+1, t.ID, t.Commit.Short()))
			}
			break
		}
		x.a.Survivor, x.a.Redo = t.Commit, i+2
	}
	if !x.exists(ctx, x.a.Survivor) {
		x.a.Survivor, x.a.Redo = "", 0
	} else if x.a.Redo > 1 {
		more = append([]string{fmt.Sprintf("its results up to task %d are still here, as %s", x.a.Redo-1, x.a.Survivor.Short())}, more...)
	}
	x.addFinding(candidate.FindBranchLost, candidate.Blocking, text+" is not here", more...)
}
