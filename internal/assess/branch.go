package assess

import (
	"context"

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
		return nil // the user finished an update from the base that we had started, which explains the new commits
	}
	switch {
	case tip == "" && r.Admin == "" && !r.Rebuilt: // the start of the run was interrupted before the branch existed
	case tip == "" && r.Head != "" && x.exists(ctx, r.Head):
		x.addFinding(candidate.BranchDeletedKept, candidate.Warning, candidate.Facts{Branch: site.ShortBranch(r.Branch), Commit: r.Head})
		x.a.Repairs = append([]Repair{RepairBranch}, x.a.Repairs...)
	case tip == "":
		x.examineLost(ctx)
	case r.Head != "" && tip != r.Head && !x.ancestor(ctx, r.Head, tip):
		x.addFinding(candidate.FindBranchRewrote.Case(), candidate.Warning, candidate.Facts{Branch: site.ShortBranch(r.Branch)})
	case r.Head != "" && tip != r.Head && !r.Here:
		x.addFinding(candidate.FindBranchForeign.Case(), candidate.Info, candidate.Facts{Branch: site.ShortBranch(r.Branch)})
	}
	return nil
}

// examineLost finds out what is left of a run whose branch and last commit are missing, and adds a finding about it.
func (x runChecks) examineLost(ctx context.Context) {
	r := x.run()
	var details []candidate.Note
	x.a.Survivor, x.a.Redo = r.Base.Commit, 1
	for i, t := range r.Tasks {
		if t.State == checkpoint.Skipped || t.State == checkpoint.Done && t.Commit == "" {
			continue
		}
		if t.State != checkpoint.Done || !x.exists(ctx, t.Commit) {
			x.a.Redo = i + 1
			if t.State == checkpoint.Done {
				details = append(details, candidate.Note{Case: candidate.LostTask, Facts: candidate.Facts{Count: i + 1, Task: t.ID, Commit: t.Commit}})
			}
			break
		}
		x.a.Survivor, x.a.Redo = t.Commit, i+2
	}
	if !x.exists(ctx, x.a.Survivor) {
		x.a.Survivor, x.a.Redo = "", 0
	} else if x.a.Redo > 1 {
		kept := candidate.Note{Case: candidate.LostUpTo, Facts: candidate.Facts{Count: x.a.Redo - 1, Commit: x.a.Survivor}}
		details = append([]candidate.Note{kept}, details...)
	}
	x.a.Findings = append(x.a.Findings, candidate.Finding{
		Code: candidate.FindBranchLost, Severity: candidate.Blocking, Details: details,
		Note: candidate.Note{Case: candidate.FindBranchLost.Case(), Facts: candidate.Facts{Branch: site.ShortBranch(r.Branch), Commit: r.Head}},
	})
}
