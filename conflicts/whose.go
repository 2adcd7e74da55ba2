package conflicts

import (
	"context"
	"slices"
	"sync"

	"github.com/git-resume/git-resume/gitstate"
)

// maxBlamed bounds how many files are looked at line by line;
// of further ones all commits are named that changed the file.
const maxBlamed = 20

// addCommits names the commits behind each conflict, one side beside the other.
// Not to find one is no error: the conflict stands without it.
func (a *asked) addCommits(ctx context.Context, conflicts []Conflict) {
	if len(conflicts) == 0 {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		a.addSide(ctx, conflicts, a.Ours, func(c *Conflict) *Side { return &c.Ours })
	})
	both.Go(func() {
		a.addSide(ctx, conflicts, a.Theirs, func(c *Conflict) *Side { return &c.Theirs })
	})
	both.Wait()
	if a.Uncommitted != "" {
		a.markUncommitted(ctx, conflicts)
	}
}

func (a *asked) addSide(ctx context.Context, conflicts []Conflict, tip gitstate.OID, of func(*Conflict) *Side) {
	var paths []string
	for i := range conflicts {
		paths = append(paths, pathsOf(&conflicts[i], of)...)
	}
	slices.Sort(paths)
	base := a.bases[0]
	touches, err := a.repo.Touching(ctx, base, tip, slices.Compact(paths))
	if err != nil {
		return
	}
	for i := range conflicts {
		side := of(&conflicts[i])
		mine := pathsOf(&conflicts[i], of)
		var made []gitstate.Touch
		for _, t := range touches {
			if slices.ContainsFunc(t.Paths, func(p string) bool { return slices.Contains(mine, p) }) {
				made = append(made, t)
			}
		}
		if len(made) > 1 && i < maxBlamed {
			made = a.blamed(ctx, base, tip, *side, made)
		}
		for _, t := range made {
			side.Commits = append(side.Commits, a.commit(t))
		}
	}
}

// pathsOf are the names under which a side may have changed the file.
func pathsOf(c *Conflict, of func(*Conflict) *Side) []string {
	var out []string
	for _, p := range []string{of(c).Path, c.Base.Path, c.Path} {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// blamed keeps the commits that wrote the lines in question.
// Where lines are missing on this side, or nothing is known of the lines, all stay.
func (a *asked) blamed(ctx context.Context, base, tip gitstate.OID, s Side, made []gitstate.Touch) []gitstate.Touch {
	var ranges [][2]int
	for _, r := range s.Ranges {
		if r.To < r.From {
			return made
		}
		ranges = append(ranges, [2]int{r.From, r.To})
	}
	if len(ranges) == 0 || a.Uncommitted != "" && tip == a.Ours {
		return made
	}
	wrote, err := a.repo.Blame(ctx, base, tip, s.Path, ranges)
	if err != nil {
		return made
	}
	kept := slices.DeleteFunc(slices.Clone(made), func(t gitstate.Touch) bool { return !wrote[t.ID] })
	if len(kept) == 0 {
		return made
	}
	return kept
}

func (a *asked) commit(t gitstate.Touch) Commit {
	c := Commit{ID: t.ID, Author: t.Author.Name, Email: t.Author.Email, When: t.Author.When, Subject: t.Subject}
	if a.Task != nil {
		c.Task = a.Task(t.ID)
	}
	return c
}

// markUncommitted marks conflicts whose file differs from the last commit.
func (a *asked) markUncommitted(ctx context.Context, conflicts []Conflict) {
	deltas, err := a.repo.Diff(ctx, a.Ours, a.ours, gitstate.DiffOptions{})
	if err != nil {
		return
	}
	for i := range conflicts {
		c := &conflicts[i]
		mine := pathsOf(c, func(c *Conflict) *Side { return &c.Ours })
		c.Ours.Uncommitted = slices.ContainsFunc(deltas, func(d gitstate.Delta) bool { return slices.Contains(mine, d.Path) })
	}
}
