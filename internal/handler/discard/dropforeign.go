package discard

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree/trash"
)

// PreviewForeign describes which branch and worktree a discard of another system's work would remove; nil if it has none of its own.
func (e *Discarder) PreviewForeign(ctx context.Context, p *adopt.Proposal, mode DiscardMode) (*Preview, error) {
	f := p.Summary.Found
	// Discarding work that was just handed over takes it back, so that is allowed; processes in the worktree are still looked for.
	handed := p.Summary.Busy == candidate.HandedOver(e.Now(), &p.Summary.Run, f)
	if p.Summary.Busy != "" && !handed && mode != DiscardForced {
		return nil, &adopt.AtWorkError{Key: f.Key(), Sign: p.Summary.Busy}
	}
	if f.Worktree == "" || f.Branch == "" {
		return nil, nil
	}
	d := &Preview{Run: p.Summary}
	var err error
	if d.Keep, err = e.Staging.KeepDiscarded(ctx); err != nil {
		return nil, err
	}
	id, err := e.Adopt.AdoptedID(ctx, f)
	if err != nil {
		return nil, err
	}
	r := p.Summary.Run
	r.ID, d.As = id, id
	req, err := e.Request(ctx, &r, mode)
	if err != nil {
		return nil, err
	}
	if p, ok := e.Adopt.RegisteredAt(f.Worktree); ok {
		req.Path, req.Branch = p.WorkTree, f.Branch
	}
	req.Keep = adopt.StateFiles(f)
	// Changes to files inside the worktree are not needed: the files disappear, and come back, together with the worktree.
	p.Changes = slices.DeleteFunc(p.Changes, func(c sources.Change) bool { return c.Tree == req.Path })
	d.Preview, err = trash.PreviewDiscard(ctx, e.Repo, req, string(e.BaseTip(ctx, &r)))
	return d, errors.Join(err, d.Preview.Refusal)
}

// DiscardForeign hides another system's work and discards the work's own worktree. That system's files in other worktrees stay.
// One undo brings both back.
func (e *Discarder) DiscardForeign(ctx context.Context, p *adopt.Proposal, mode DiscardMode) (*journal.Journal, *Discarded, error) {
	f := p.Summary.Found
	own := f.Worktree != "" && f.Branch != ""
	if own && mode != DiscardForced { // check before anything is moved
		if err := e.refuseIfUsed(p.Summary.Run.ID, f.Worktree, nil); err != nil {
			return nil, nil, err
		}
	}
	j, err := e.Adopt.Carry(ctx, p)
	if err != nil || !own {
		return j, nil, err
	}
	d, err := e.discard(ctx, j.Run.ID, discardOptions{mode: mode, keep: adopt.StateFiles(f)})
	return j, d, err
}

// DiscardableForeign describes another system's work that is over, with a clean worktree contained in its base; nil if any of this is not so.
func (e *Discarder) DiscardableForeign(ctx context.Context, p *adopt.Proposal) (*Preview, error) {
	if f := p.Summary.Found; f == nil || f.State.Open() {
		return nil, nil
	}
	d, err := e.PreviewForeign(ctx, p, DiscardCarefully)
	if err != nil || d == nil || len(e.processesIn(d.Preview.Tree.Path)) > 0 {
		return nil, nil //nolint:nilerr // what cannot be dropped now is not offered
	}
	return e.previewIfMerged(ctx, d)
}
