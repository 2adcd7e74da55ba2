package conversation

import (
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/screen/advice"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/undo"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/trash"
)

type discarding struct{ *Talk }

// hide makes a piece of work invisible in this clone; "git resume undo" shows it again.
func (t discarding) hide(s *candidate.Summary) error {
	if err := t.confirm(yesNo(askHide, fmt.Sprintf("Hide %s in this clone?", s.Found.Key()), "stop showing it here; it can be shown again", difference{none: "hiding it changes no file of the work"})); err != nil {
		return err
	}
	j, err := t.Engine.Adopt.Carry(t.Context, &adopt.Proposal{Summary: *s, Request: sources.ActionRequest{Name: sources.Hide}})
	if err != nil {
		return err
	}
	others.Hidden(t.Person.Screen(), s.Found, j)
	return nil
}

// discardForeign hides another system's work, and removes its worktree if it has one with a branch. Files in other worktrees stay.
func (t discarding) discardForeign(key candidate.Key) error {
	s, err := t.Engine.Find.Lookup(t.Context, key)
	if err != nil {
		return err
	}
	if s.Found == nil {
		return &candidate.NoneError{Given: string(key)}
	}
	return t.dropForeign(&adopt.Proposal{Summary: s, Request: sources.ActionRequest{Name: sources.Hide}})
}

func (t discarding) dropForeign(pr *adopt.Proposal) error {
	mode := discard.DiscardCarefully
	if t.Options.Force {
		mode = discard.DiscardForced
	}
	d, err := t.Engine.Dropping.PreviewForeign(t.Context, pr, mode)
	if err != nil {
		return err
	}
	s := t.Person.Screen()
	if d != nil {
		undo.Preview(s, d)
	} else {
		others.Hiding(s, pr.Summary.Found)
	}
	if t.Options.DryRun || t.Options.Print {
		return nil
	}
	if d != nil && d.Preview.HoldsData() && !t.Options.Force {
		return dataError(d)
	}
	if d == nil {
		return t.hide(&pr.Summary)
	}
	if err := t.confirm(yesNo(askDiscardForeign, "Discard?", "hide it and discard its worktree, as shown above", differences(t).dropped(*d))); err != nil {
		return err
	}
	return t.carryForeign(pr, mode, undo.Discarded)
}

// carryForeign discards work whose preview was already shown, and reports the result with the function say.
func (t discarding) carryForeign(pr *adopt.Proposal, mode discard.DiscardMode, say func(page.Page, *discard.Discarded)) error {
	_, dropped, err := t.Engine.Dropping.DiscardForeign(t.Context, pr, mode)
	if err == nil && dropped != nil {
		say(t.Person.Screen(), dropped)
	}
	return err
}

// Discard discards the named or the only run. If a git operation is named, Discard ends it. For other systems' work, see discardForeign.
func Discard(t *Talk, run string) error { return discarding{t}.discardRun(run) }

func (t discarding) discardRun(run string) error {
	if run == "" {
		var err error
		if run, err = t.Engine.Find.UnnamedWhole(t.Context, t.Person.CanAnswer() || t.Options.DryRun); err != nil {
			return err
		}
	}
	if run != "" {
		key, err := t.Engine.Find.Which(t.Context, run)
		if err != nil {
			return err
		}
		if key.Kind() == candidate.GitOperation {
			return operations(t).discardOperation(key)
		}
		s, err := t.Engine.Find.Lookup(t.Context, key)
		if err == nil && s.Found != nil { // the other system's work must be hidden too, even if a run has adopted it
			return t.discardForeign(key)
		}
		if err == nil && s.Run.Here && !s.Run.Closed() {
			hidden, err := t.Engine.Adopt.Hidden(t.Context, &s.Run)
			if err != nil {
				return err
			}
			if hidden { // the work was already hidden by an earlier discard
				others.StillHidden(t.Person.Screen(), &s.Run)
				return nil
			}
		}
		run = string(key)
	}
	mode := discard.DiscardCarefully
	if t.Options.Force {
		mode = discard.DiscardForced
	}
	d, err := t.Engine.Dropping.Preview(t.Context, run, mode)
	if d == nil || err != nil && !t.Options.DryRun && !t.Options.Print {
		return err
	}
	undo.Preview(t.Person.Screen(), d)
	if t.Options.DryRun || t.Options.Print {
		return err
	}
	if d.Run.Run.Discarded { // an earlier discard of this run may have been killed before it had removed everything
		return t.drop(d, mode, undo.Discarded)
	}
	if d.Preview.HoldsData() && !t.Options.Force {
		return dataError(d)
	}
	if err := t.confirmInUse(d); err != nil {
		return err
	}
	if err := t.confirm(yesNo(askDiscard, "Discard?", "discard it, as shown above", differences(t).dropped(*d))); err != nil {
		return err
	}
	return t.drop(d, mode, undo.Discarded)
}

// confirmInUse asks about processes in the worktree. It asks even with --yes, because the user who gave --yes did not know about them.
func (t discarding) confirmInUse(d *discard.Preview) error {
	if d.InUse() == nil || t.Options.Force {
		return nil
	}
	if !t.Person.CanAnswer() {
		return d.InUse()
	}
	t.Person.Screen().Note("%s", advice.Living(d.Living))
	return t.allow(yesNo(askDiscardInUse, "Discard it although it is still in use?", "discard it; files written after its snapshot stay on disk", differences(t).dropped(*d)))
}

func dataError(d *discard.Preview) error {
	e := &discard.DataError{Run: d.Run.Run.ID}
	for _, l := range d.Preview.Ignored {
		if l.Data {
			e.Files = append(e.Files, l.Path)
		}
	}
	return e
}

func (t discarding) drop(d *discard.Preview, mode discard.DiscardMode, say func(page.Page, *discard.Discarded)) error {
	dropped, err := t.Engine.Dropping.DiscardShown(t.Context, d, mode)
	if err != nil {
		return err
	}
	say(t.Person.Screen(), dropped)
	undo.Unfinished(t.Person.Screen(), trash.Unfinished(t.Engine.Repo, string(d.Run.Run.ID)))
	return nil
}

// DiscardMerged asks, and discards the runs that are finished, clean and merged, and those whose discard was interrupted.
func DiscardMerged(t *Talk) error { return discarding{t}.discardMerged() }

func (t discarding) discardMerged() error {
	all, unseen := t.Engine.Dropping.Merged(t.Context)
	if len(all) == 0 && unseen != nil {
		return unseen
	}
	if len(all) == 0 {
		fmt.Fprintln(t.Person.Screen().Out, "There is no run to discard: a run must be finished and merged, and its worktree\nmust have no uncommitted changes and no ignored files that look like data.")
		return nil
	}
	for i := range all {
		undo.Preview(t.Person.Screen(), &all[i])
	}
	if t.Options.DryRun || t.Options.Print {
		return unseen
	}
	text := fmt.Sprintf("Discard these %d runs?", len(all))
	if err := t.confirm(yesNo(askDiscardMerged, text, "discard them, as shown above", differences(t).dropped(all...))); err != nil {
		return err
	}
	var free []*discard.Preview
	var inUse error
	for i := range all { // ask about each run that is in use before discarding any run
		err := t.confirmInUse(&all[i])
		switch {
		case t.ended:
			return err
		case err != nil:
			inUse = errors.Join(inUse, err) // the other runs are discarded anyway
		default:
			free = append(free, &all[i])
		}
	}
	for _, d := range free {
		if err := t.drop(d, discard.DiscardCarefully, undo.Discarded); err != nil {
			return err
		}
	}
	return errors.Join(inUse, unseen)
}
