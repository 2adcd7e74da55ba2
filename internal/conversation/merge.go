package conversation

import (
	"errors"
	"fmt"

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

// merging has the methods that merge finished work.
type merging struct{ *Talk }

// Merge merges a run. After that, it offers to remove the run's worktree.
func Merge(t *Talk, run string, strip bool) error {
	m, err := merging{t}.merge(merge.Request{Run: run, Strip: strip})
	if err != nil || t.Options.Yes { // --yes answers the questions about the merge, but removes nothing
		return err
	}
	return merging{t}.offerToDrop(m)
}

// merge merges a run. It asks first if the run is not finished, or if somebody may be working on it.
func (t merging) merge(q merge.Request) (*merge.Merged, error) {
	var err error
	if q.Run, err = t.Engine.Find.Unnamed(t.Context, q.Run, t.Person.CanAnswer()); err != nil {
		return nil, err
	}
	q.Sure = t.Options.Force
	m, err := t.Engine.Merging.Merge(t.Context, q)
	var working *adopt.AtWorkError
	if errors.As(err, &working) {
		if err := t.vouch(working, yesNo(askMergeAtWork, "Merge it anyway?", "merge it, because nobody else is working on it", differences(t).merged(q.Run))); err != nil {
			return nil, err
		}
		q.Sure = true
		m, err = t.Engine.Merging.Merge(t.Context, q)
	}
	var unfinished *merge.UnfinishedError
	if errors.As(err, &unfinished) {
		if err := t.confirm(yesNo(askMergeUnfinished, prompt.MergeUnfinished(unfinished), "merge the work so far", differences(t).merged(q.Run))); err != nil {
			return nil, err
		}
		q.Unfinished = true
		m, err = t.Engine.Merging.Merge(t.Context, q)
	}
	if err == nil {
		outcome.Merged(t.Person.Screen(), m)
	}
	return m, err
}

// offerToDrop asks whether to remove the worktree of a merged run.
// If the user says no, the command still succeeds, because the merge is done.
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
	text, none := fmt.Sprintf("Everything is on %s. Remove its worktree and branch?", quote.Printable(m.Base)), "everything is on "+quote.Printable(m.Base)
	err := t.confirm(yesNo(askRemoveMerged, text, "remove them; undo brings them back", difference{none: none}))
	var no exit.Code
	if errors.As(err, &no) {
		return nil
	}
	if err != nil {
		return err
	}
	return drop()
}
