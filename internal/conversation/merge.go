package conversation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/screen/undo"
	"github.com/git-resume/git-resume/internal/sources"
)

type merging struct{ *Talk }

// Merge merges a run. Without --yes, it then offers to remove the run's worktree and branch.
func Merge(t *Talk, q merge.Request) error {
	m, err := merging{t}.merge(q)
	if err != nil || t.Options.Yes { // with --yes, the worktree and the branch stay
		return err
	}
	return merging{t}.offerToDrop(m)
}

// merge merges a run. It asks first if the run is not finished, or if somebody may be working on it.
func (t merging) merge(q merge.Request) (m *merge.Merged, err error) {
	if t.Options.DryRun || t.Options.Print {
		return nil, exit.Meantf(quote.Command("git resume review %s", q.Run), "--dry-run and --print cannot show what this would change")
	}
	err = t.guarded(q, func(q merge.Request) error {
		t.sayLeftOut(q.Run)
		m, err = t.Engine.Merging.Merge(t.Context, q)
		return err
	})
	if err == nil {
		outcome.Merged(t.Person.Screen(), m)
		t.sayOpen(m)
	}
	return m, err
}

// sayOpen says after the merge of another system's unfinished work that the rest of it is open.
func (t merging) sayOpen(m *merge.Merged) {
	if m.Journal.Run.Source == "" {
		return
	}
	s, err := t.Engine.Find.Lookup(t.Context, candidate.RunKey(m.Journal.Run.ID))
	if err == nil && s.Found != nil && s.Found.State.Open() && s.Found.MergedInPart() {
		outcome.StillOpen(t.Person.Screen(), s.Called(), s.Found)
	}
}

// sayLeftOut says before the merge of a finished run which of its tasks failed or were left out.
func (t merging) sayLeftOut(run string) {
	id, err := t.Engine.Find.Resolve(t.Context, run)
	if err != nil {
		return // the merge itself reports what is wrong
	}
	if j, err := t.Engine.Find.Journal(t.Context, id); err == nil && j.Run.Finished {
		outcome.LeftOut(t.Person.Screen(), &j.Run)
	}
}

// onlyMergeable leaves work without a branch out of an error that lists several pieces of work, because it cannot be merged.
func onlyMergeable(err error) error {
	var several *candidate.AmbiguousError
	if !errors.As(err, &several) {
		return err
	}
	several.Runs = slices.DeleteFunc(several.Runs, func(s candidate.Summary) bool { return s.Found != nil && s.Found.Branch == "" })
	if len(several.Runs) == 0 {
		return &candidate.NoneError{}
	}
	return several
}

// guarded calls the function "do", which merges a run. If "do" refuses because the run is unfinished, may be in use or would have conflicts,
// guarded asks the user, and calls "do" again if the user agrees. With --yes, conflicts are still refused, because they stop every other work
// in the checkout.
func (t merging) guarded(q merge.Request, do func(merge.Request) error) (err error) {
	if q.Run, err = t.Engine.Find.Unnamed(t.Context, q.Run, t.Person.CanAnswer()); err != nil {
		return onlyMergeable(err)
	}
	q.Sure = t.Options.Force
	err = do(q)
	var working *adopt.AtWorkError
	if errors.As(err, &working) {
		if err := t.vouch(working, yesNo(askMergeAtWork, "Merge it anyway?", "merge it even if somebody may be working on it", differences(t).merged(q.Run))); err != nil {
			return err
		}
		q.Sure = true
		err = do(q)
	}
	var unfinished *merge.UnfinishedError
	if errors.As(err, &unfinished) {
		if err := t.confirm(yesNo(askMergeUnfinished, prompt.MergeUnfinished(unfinished), "merge the work so far", differences(t).merged(q.Run))); err != nil {
			return err
		}
		q.Unfinished, q.Conflicts = true, q.Conflicts || len(unfinished.Conflicts) > 0 && !t.Options.Yes // the question names the conflicts
		err = do(q)
	}
	var conflicting *merge.ConflictsError
	if errors.As(err, &conflicting) && !conflicting.Squash && t.Person.CanAnswer() && !t.Options.Yes {
		if err := t.confirm(yesNo(askMergeConflicts, prompt.MergeConflicts(conflicting), "start the merge, and stop at the conflicts", differences(t).merged(q.Run))); err != nil {
			return err
		}
		q.Conflicts = true
		err = do(q)
	}
	return err
}

// offerToDrop asks whether to remove the worktree and branch of a merged run. A no is not an error, because the merge is done.
func (t merging) offerToDrop(m *merge.Merged) error {
	if !t.Person.CanAnswer() {
		return nil
	}
	var drop func() error
	if m.Journal.Run.Source != "" {
		s, err := t.Engine.Find.Lookup(t.Context, candidate.RunKey(m.Journal.Run.ID))
		if err != nil {
			return err
		}
		pr := &adopt.Proposal{Summary: s, Request: sources.ActionRequest{Name: sources.Hide}}
		d, err := t.Engine.Dropping.DiscardableForeign(t.Context, pr)
		if err != nil || d == nil {
			return err
		}
		drop = func() error { return discarding(t).carryForeign(pr, discard.DiscardCarefully, undo.Removed) }
	} else {
		d, err := t.Engine.Dropping.Discardable(t.Context, m.Journal.Run.ID)
		if err != nil || d == nil {
			return err
		}
		drop = func() error { return discarding(t).drop(d, discard.DiscardCarefully, undo.Removed) }
	}
	t.changed = true
	text, none := fmt.Sprintf("Everything is on %s. Remove worktree and branch?", quote.Printable(m.Base)), "everything is on "+quote.Printable(m.Base)
	err := t.confirm(yesNo(askRemoveMerged, text, "remove them, as 'git resume discard' does", difference{none: none}))
	if no := exit.Code(0); errors.As(err, &no) {
		return nil
	}
	if err != nil {
		return err
	}
	return drop()
}
