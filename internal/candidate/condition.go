package candidate

import (
	"context"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/sources"
)

// These limits keep the question about recent commits short.
const (
	historyBefore = 30 * 24 * time.Hour // work may have been merged a while before its files were last changed
	historyMost   = 4000
)

// Judging finds work, and decides from evidence how far other systems' work is and what people should see.
type Judging struct{ Find *Finder }

// Status is like Finder.Status, but asks git for evidence about other systems' work.
func (e Judging) Status(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	all, err := e.Find.Status(ctx, mode)
	if err != nil {
		return nil, err
	}
	return all, e.judge(ctx, all, mode == journal.AllRuns)
}

// Judge gives one piece of other systems' work its condition.
func (e Judging) Judge(ctx context.Context, s *Summary) error {
	one := []Summary{*s}
	err := e.judge(ctx, one, true)
	*s = one[0]
	return err
}

func (e Judging) judge(ctx context.Context, works []Summary, all bool) error {
	if !slices.ContainsFunc(works, func(s Summary) bool { return s.Found != nil && s.Found.Source != GitSource }) {
		return nil
	}
	stale, err := e.Find.StaleAfter(ctx)
	if err == nil {
		e.Find.currentScan(ctx).judge(ctx, works, stale, all)
	}
	return err
}

// judge gives each piece of other systems' work its condition, and decides what people should see. With the argument all, it also judges
// old work thoroughly, for which nobody would see a difference otherwise.
func (e *scan) judge(ctx context.Context, works []Summary, stale time.Duration, all bool) {
	type question struct {
		work  *Summary
		facts *condition.Facts
	}
	var open []question
	for i := range works {
		s := &works[i]
		if s.Found == nil || s.Found.Source == GitSource {
			continue
		}
		f := factsOf(s, e.Now(), stale)
		if s.Found.State.Open() && (all || f.Fresh()) {
			open = append(open, question{s, f})
			continue
		}
		s.judged(f)
	}
	if len(open) == 0 {
		return
	}
	asked := make([]*Summary, len(open))
	for i, q := range open {
		asked[i] = q.work
	}
	h := e.history(ctx, asked)
	for _, q := range open {
		f := q.facts
		f.Merged, f.Named, f.Later = h.About(namesOf(q.work.Found), f.LastActive.Add(-historyBefore))
		f.Changed = e.changedFile(ctx, q.work.Found)
		q.work.judged(f)
	}
}

// judged stores the judgement. Work of other systems is listed if it can be continued and is not old. Work that somebody is doing now, or
// that the user has taken over, is listed in any case.
func (s *Summary) judged(f *condition.Facts) {
	s.Condition = condition.Judge(f)
	engaged := s.State == checkpoint.Running || s.Life.Held() || s.Handed || s.Run.Events > 0 && s.Run.Ours() && !s.Run.Closed()
	s.Listed = s.Condition.Word.Open() && f.Fresh() || engaged && s.Condition.Word != condition.Finished
}

// Split separates the work that people should see from the rest.
func Split(all []Summary) (listed, rest []Summary) {
	for _, s := range all {
		if s.Listed {
			listed = append(listed, s)
		} else {
			rest = append(rest, s)
		}
	}
	return listed, rest
}

// factsOf collects what the files of the work say.
func factsOf(s *Summary, now time.Time, stale time.Duration) *condition.Facts {
	w := s.Found
	f := &condition.Facts{State: w.State, Said: w.Over, LastActive: s.Run.LastAt, Now: now, Stale: stale,
		Asked: slices.ContainsFunc(w.Questions, func(q sources.Question) bool { return !q.Block })}
	for _, t := range w.Tasks {
		switch {
		case t.Aside:
		case t.State == checkpoint.Done || t.State == checkpoint.Skipped:
			f.Done++
		case t.State == checkpoint.Active:
			f.Active++
		case !t.Optional:
			f.Left++
		}
	}
	return f
}

// namesOf returns the names by which commits may know the work.
func namesOf(f *sources.Found) []string {
	names := append([]string{f.Slug(), f.ID}, f.Names...)
	if f.Branch != "" {
		names = append(names, refs.Short(f.Branch))
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(n string) bool { return n == "" })
}

// history asks git once for the newest commits on all branches that may tell something about the work.
func (e *scan) history(ctx context.Context, works []*Summary) condition.History {
	since := e.Now()
	names := []refs.Name{"HEAD", "refs/heads/main", "refs/heads/master", "refs/remotes/origin/HEAD"}
	for _, s := range works {
		if at := s.Run.LastAt; !at.IsZero() && at.Before(since) {
			since = at
		}
		if s.Found.Branch != "" {
			names = append(names, s.Found.Branch)
		}
		if s.Found.Base != "" {
			names = append(names, refs.BranchOf(s.Found.Base))
		}
	}
	slices.Sort(names)
	var tips []object.ID
	for _, n := range slices.Compact(names) {
		if id, err := e.Repo.Refs.Ref(ctx, n); err == nil && id != "" && !slices.Contains(tips, id) {
			tips = append(tips, id)
		}
	}
	commits, err := past.Messages(ctx, e.Repo, tips, since.Add(-historyBefore), historyMost)
	if err != nil {
		return condition.History{} // the work is judged by its files alone
	}
	return condition.NewHistory(commits)
}

// changedFile returns a file of the work that has uncommitted changes, or "".
func (e *scan) changedFile(ctx context.Context, f *sources.Found) string {
	for _, top := range []string{f.Worktree, f.Home} {
		t, ok := e.view.At(top)
		if !ok {
			continue
		}
		changes, err := e.view.Uncommitted(ctx, t)
		if err != nil {
			continue // another check examines this worktree and reports the error
		}
		for _, c := range changes {
			if f.Holds(c.Path) {
				return c.Path
			}
		}
	}
	return ""
}
