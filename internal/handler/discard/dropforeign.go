package discard

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/trash"
)

// hasPlace reports whether another system's work has a branch of its own that can be discarded, with or without a worktree. A branch without
// a worktree counts only if the reader of the system offers to discard it, because other readers name the user's own branch.
func hasPlace(f *sources.Found) bool {
	return f.Branch != "" && (f.Worktree != "" || f.Wants != "" && f.Offers(sources.Discard))
}

// missingTree returns the path of a registered worktree that has the branch, but whose folder is missing. It returns "" if there is none.
func (e *Discarder) missingTree(ctx context.Context, branch refs.Name) (string, error) {
	trees, err := worktree.Find(ctx, e.Repo)
	for _, t := range trees {
		if t.Branch == branch && t.Health == worktree.Missing {
			return t.Path, err
		}
	}
	return "", err
}

// PreviewForeign describes the branch and the worktree that are removed if another system's work is discarded. It returns nil if the work
// has no branch of its own.
func (e *Discarder) PreviewForeign(ctx context.Context, p *adopt.Proposal, mode DiscardMode) (*Preview, error) {
	f := p.Summary.Found
	// If the only sign of a worker is that we handed the work over, do not refuse, because a discard takes the work back.
	// Processes in the worktree are still checked.
	handed := p.Summary.Busy == candidate.HandedOver(e.Now(), &p.Summary.Run, f)
	if p.Summary.Busy != "" && !handed && mode != DiscardForced {
		return nil, &adopt.AtWorkError{Key: f.Key(), Sign: p.Summary.Busy}
	}
	if !hasPlace(f) {
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
	} else if f.Worktree == "" {
		req.Branch = f.Branch
		if req.Path, err = e.missingTree(ctx, f.Branch); err != nil {
			return nil, err
		}
	}
	req.Keep = adopt.StateFiles(f)
	// Leave out changes to files inside the worktree: these files are removed and restored together with the worktree.
	p.Changes = slices.DeleteFunc(p.Changes, func(c sources.Change) bool { return c.Tree == req.Path })
	d.Preview, err = trash.PreviewDiscard(ctx, e.Repo, req, string(e.BaseTip(ctx, &r)))
	return d, errors.Join(err, d.Preview.Refusal)
}

// DiscardForeign hides another system's work. If the work has a branch of its own, it discards the branch and its worktree too.
func (e *Discarder) DiscardForeign(ctx context.Context, p *adopt.Proposal, mode DiscardMode) (*journal.Journal, *Discarded, error) {
	f := p.Summary.Found
	own := hasPlace(f)
	way := discardOptions{mode: mode, keep: adopt.StateFiles(f)}
	if own && f.Worktree == "" {
		at, err := e.missingTree(ctx, f.Branch)
		if err != nil {
			return nil, nil, err
		}
		way.path, way.branch = at, f.Branch
	}
	if f.Worktree != "" && own && mode != DiscardForced { // refuse if a process is using the worktree, before any file is moved
		if err := e.refuseIfUsed(p.Summary.Run.ID, f.Worktree, nil); err != nil {
			return nil, nil, err
		}
	}
	j, err := e.Adopt.Carry(ctx, p)
	if err != nil || !own {
		return j, nil, err
	}
	d, err := e.discard(ctx, j.Run.ID, way)
	return j, d, err
}

// DiscardableForeign describes another system's finished work whose worktree is clean and not in use, and whose commits the base
// contains. It returns nil for any other work.
func (e *Discarder) DiscardableForeign(ctx context.Context, p *adopt.Proposal) (*Preview, error) {
	if f := p.Summary.Found; f == nil || f.State.Open() {
		return nil, nil
	}
	d, err := e.PreviewForeign(ctx, p, DiscardCarefully)
	if err != nil || d == nil || len(e.processesIn(d.Preview.Tree.Path)) > 0 {
		return nil, nil //nolint:nilerr // work that cannot be discarded now is not offered
	}
	return e.previewIfMerged(ctx, d)
}
