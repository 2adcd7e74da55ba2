package candidate

import (
	"context"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// These limits say on which other branches work is searched: those that were checked out here lately.
const (
	visitedWithin = 14 * 24 * time.Hour
	mostVisited   = 10
)

// Left is other systems' work whose state is only on a branch that was checked out here and is not any more.
type Left struct {
	Summary
	On refs.Name
}

// LeftOnBranches finds open work on the branches that were checked out in this worktree within the last two weeks, and that are checked out
// nowhere now. A branch whose commits all are in HEAD has nothing that is not here. The argument "known" is the work that was found already.
func (e *Finder) LeftOnBranches(ctx context.Context, known []Summary) (out []Left, err error) {
	here := e.currentScan(ctx)
	_, head, err := e.Repo.Refs.Head(ctx)
	if err != nil || head == "" || len(e.Sources) == 0 {
		return nil, err
	}
	stale, err := e.StaleAfter(ctx)
	if err != nil {
		return nil, err
	}
	looked := 0
	for _, branch := range e.Repo.Refs.Visited(ctx, e.Now().Add(-visitedWithin)) {
		tip, err := e.Repo.Refs.Ref(ctx, branch)
		if _, out := here.view.OnBranch(branch); err != nil || tip == "" || tip == head || out {
			continue
		}
		if looked++; looked > mostVisited {
			break
		}
		if within, err := past.IsAncestor(ctx, e.Repo, tip, head); err != nil || within {
			continue
		}
		view, err := here.view.OnTip(ctx, branch, tip)
		if err != nil {
			continue // for example because a partial clone lacks the commit
		}
		there := *here
		there.view = view
		found, err := there.ask(ctx, slices.DeleteFunc(slices.Clone(e.Sources), notInCommits))
		if err != nil {
			return nil, err
		}
		var works []Summary
		for i := range found {
			isKnown := func(s Summary) bool { return s.Found != nil && s.Found.Key() == found[i].Key() }
			if !slices.ContainsFunc(known, isKnown) && !slices.ContainsFunc(out, func(l Left) bool { return isKnown(l.Summary) }) {
				works = append(works, there.summaryOf(&found[i]))
			}
		}
		there.judge(ctx, works, stale, forPeople)
		for i := range works {
			if works[i].Condition.Word.Open() && works[i].Listed {
				out = append(out, Left{works[i], branch})
			}
		}
	}
	return out, nil
}

// notInCommits reports whether a source reads nothing that can be on a branch: the files of git itself, or a folder that is always ignored.
func notInCommits(s sources.Source) bool { return s.Name() == GitSource || s.Name() == "auto-claude" }
