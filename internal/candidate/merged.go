package candidate

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
)

// MergeStateOf finds out whether a closed run is merged. It is merged if its base has all its changes, even if a rebase or a squash made
// new commits of them. A recorded merge alone is not enough, because the branch may have got commits since, and the base may have lost the
// merge. The result is "" if the run is open, was replaced or has nothing to merge, or if the answer is not known.
func MergeStateOf(ctx context.Context, e *site.Site, r *checkpoint.Run) MergeState {
	if !r.Closed() || r.Merged == "" && (!r.HasOwnBranch() || r.Superseded != "") {
		return ""
	}
	tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil {
		return ""
	}
	base := e.BaseTip(ctx, r)
	switch {
	case (tip == "" || r.Discarded) && r.Merged != "":
		return Merged // there is no branch that could have more commits than the merge
	case tip == "" || r.Discarded: // the run was discarded or its branch is gone, so take the last commit from the journal
		return mergedBefore(ctx, e, r, base)
	case tip == r.Base.Commit && r.Merged == "":
		return "" // the run has no commits of its own
	}
	switch within, err := InBase(ctx, e, r, tip); {
	case err != nil:
		return ""
	case within:
		return Merged
	}
	return NotMerged
}

// InBase reports whether the base of a run has all changes of the commit "tip", even if a rebase or a squash made new commits of them.
func InBase(ctx context.Context, e *site.Site, r *checkpoint.Run, tip object.ID) (bool, error) {
	base := e.BaseTip(ctx, r)
	switch {
	case isRecorded(ctx, e, r, tip, base):
		return true, nil
	case base == r.Base.Commit && tip == r.Head && tip != base:
		return false, nil // neither the base nor the branch has moved, so there is no need to ask git
	}
	how, err := worktree.Contained(ctx, e.Repo, tip, base)
	return how != worktree.NotContained, err
}

// isRecorded reports whether a merge of the commit "tip" is recorded, and the base still has that merge. Such a merge counts even if git now
// finds conflicts, because later commits on the base may have changed the same lines.
func isRecorded(ctx context.Context, e *site.Site, r *checkpoint.Run, tip, base object.ID) bool {
	if r.Merged == "" || tip != r.MergedTip && (r.MergedTip != "" || tip != r.Head) {
		return false
	}
	within, err := past.IsAncestor(ctx, e.Repo, r.Merged, base)
	return err == nil && within
}

// AddMerge finds out whether a closed run is merged and, if commits came after a merge, how many.
func (s *Summary) AddMerge(ctx context.Context, e *site.Site) {
	r := &s.Run
	if s.Merge = MergeStateOf(ctx, e, r); s.Merge != NotMerged || r.MergedTip == "" || !isRecorded(ctx, e, r, r.MergedTip, e.BaseTip(ctx, r)) {
		return
	}
	if count, err := e.Repo.Line(ctx, "rev-list", "--count", string(r.MergedTip)+".."+string(r.Branch), "--"); err == nil {
		_, _ = fmt.Sscan(count, &s.SinceMerge)
	}
}

// mergedBefore is MergeStateOf for a run that was discarded, or whose branch is gone. The result is Merged if the base has the run's last
// commit, and otherwise empty.
func mergedBefore(ctx context.Context, e *site.Site, r *checkpoint.Run, base object.ID) MergeState {
	if r.Head == "" || r.Head == r.Base.Commit {
		return ""
	}
	if within, err := past.IsAncestor(ctx, e.Repo, r.Head, base); err == nil && within {
		return Merged
	}
	return ""
}

// Merges finds work and says for each closed run whether it is merged.
type Merges struct {
	Find *Finder
	// ForPrograms is passed on to Judging. Judging then finds more evidence, because programs are shown all evidence.
	ForPrograms bool
}

// Unmerged lists the finished runs whose base lacks some of their changes, most recently active first. It writes nothing.
func (e Merges) Unmerged(ctx context.Context) ([]Summary, error) {
	ids, err := e.Find.Store.Folder().Unmerged(ctx)
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, id := range ids {
		s, err := e.Find.Summary(ctx, id)
		if err != nil || s.State != checkpoint.FinishedRun {
			continue // skip damaged runs, which "git resume doctor" reports, and reopened runs, which are listed with the open runs
		}
		if s.AddMerge(ctx, e.Find.Site); s.Merge == NotMerged {
			out = append(out, s)
		}
	}
	byActivity(out)
	return out, nil
}

// Only returns the only finished run that is not merged. The result is empty if there is no such run. If there are several, the error is an
// *AmbiguousError.
func (e Merges) Only(ctx context.Context) (checkpoint.RunID, error) {
	all, err := e.Unmerged(ctx)
	switch {
	case err != nil || len(all) == 0:
		return "", err
	case len(all) > 1:
		return "", &AmbiguousError{Runs: all}
	}
	return all[0].Run.ID, nil
}

// Open finds open work, and finished runs that are not merged. People see only the work whose field Listed is true.
func (e Merges) Open(ctx context.Context) ([]Summary, error) {
	open, err := Judging(e).Status(ctx, journal.OpenRuns)
	if err != nil {
		return nil, err
	}
	unmerged, err := e.Unmerged(ctx)
	for i := range unmerged {
		unmerged[i].Listed = true
	}
	all := append(open, unmerged...)
	byActivity(all)
	return all, err
}

// All lists all work. For closed runs, it also finds out whether they are merged.
func (e Merges) All(ctx context.Context) ([]Summary, error) {
	all, err := Judging(e).Status(ctx, journal.AllRuns)
	for i := range all {
		all[i].AddMerge(ctx, e.Find.Site)
		all[i].Listed = all[i].Listed || all[i].Merge == NotMerged
	}
	return all, err
}

// NoteMerged looks at a few finished runs and records which of them are merged into their base. The record stays true after the commits
// are deleted.
func NoteMerged(ctx context.Context, e *site.Site) error {
	ids, err := e.Store.Folder().Unmerged(ctx)
	if err != nil {
		return err
	}
	var errs error
	looks := 0
	for _, id := range ids {
		j, err := e.Store.Load(ctx, id)
		if err != nil || !j.Run.Ours() {
			continue
		}
		found := FoundMerged(ctx, e, &j.Run)
		if len(found) > 0 {
			_, err = e.Store.Append(ctx, id, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
				if !r.MayLackMerge() {
					return nil, nil
				}
				return found, nil
			}})
			errs = errors.Join(errs, err)
		}
		if looks++; looks == noteAtOnce {
			break
		}
	}
	return errs
}

// FoundMerged returns the event that records that a run is merged into its base. It returns nothing for a run that is not merged, or that
// needs no such record.
func FoundMerged(ctx context.Context, e *site.Site, r *checkpoint.Run) []checkpoint.Event {
	if !r.MayLackMerge() || MergeStateOf(ctx, e, r) != Merged {
		return nil
	}
	tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil || r.Merged != "" && tip == r.MergedTip {
		return nil
	}
	return []checkpoint.Event{{Event: checkpoint.RunMerged, Found: true, Commit: e.BaseTip(ctx, r), Merged: tip}}
}

// noteAtOnce limits how many runs NoteMerged examines in one command, because each run needs several calls of git.
const noteAtOnce = 3
