package conflicts

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
)

const (
	// maxProbes limits how many file versions are read for one report. Reading so many takes about 50 ms. Unlike a time limit, a
	// limit on their number gives the same answer every time.
	maxProbes = 400
	// maxTracedText limits the size of the files whose lines are followed back through history.
	maxTracedText = 2 << 20
)

// historyTime is the longest time that the search for commits may take. If it takes longer, conflicts are reported without some of
// their commits.
var historyTime = time.Second

var errEnough = errors.New("the history was not followed to the end")

// history finds out whether a commit is on both sides. Such a commit is not reported for a conflict.
type history struct {
	context.Context
	stop context.CancelFunc
	*past.Lineage
}

// lookBack starts to find out which commits only one side has. This runs while other code locates the conflicting lines.
func (a *asked) lookBack(ctx context.Context) history {
	ctx, stop := context.WithTimeout(ctx, historyTime)
	return history{ctx, stop, past.NewLineage(ctx, a.repo.Repo, a.bases, a.Ours, a.Theirs)}
}

func (h history) close() {
	h.stop()
	h.Lineage.Close()
}

// addCommits adds to each conflict the commits that caused it. The conflicts must be in the same order as v.Clashes. If the
// search fails, addCommits only adds a note to the report, because the conflict exists anyway.
func (a *asked) addCommits(h history, v clash.Verdict, out *Report) {
	f := &finder{repo: a.repo, left: maxProbes}
	for i := range out.Conflicts {
		c, names := &out.Conflicts[i], pathsOf(v.Clashes[i])
		var errs [2]error
		c.Ours.Commits, errs[0] = a.name(h, f, a.Ours, names, c.Base, c.Ours)
		c.Theirs.Commits, errs[1] = a.name(h, f, a.Theirs, names, c.Base, c.Theirs)
		if err := errors.Join(errs[:]...); err != nil {
			out.note(CommitsUnknown, Info, c.Path, whyUnknown(err))
		}
	}
}

// errSlow is the reason that is shown if the search for commits was stopped after historyTime.
var errSlow = errors.New("git took too long")

// errShared says that both sides contain the commits that wrote the lines. This happens if one side merged the other side, but kept lines
// that the other side had removed.
var errShared = errors.New("the commits that wrote these lines are on both sides, so they did not cause the conflict")

// name finds the commits that made one side's part of a conflict. It leaves out commits that the other side has too.
func (a *asked) name(h history, f *finder, tip object.ID, names []string, base, side Side) ([]Commit, error) {
	found, err := f.find(h, tip, names, base, side)
	if len(found) == 0 {
		return nil, err
	}
	var own []object.Commit
	for _, c := range found {
		shared, lineErr := h.Shared(c.ID)
		if lineErr != nil {
			return nil, lineErr
		}
		if !shared {
			own = append(own, c)
		}
	}
	if len(own) == 0 && err == nil {
		err = errShared
	}
	return a.commits(h, own), err
}

// markUncommitted marks the conflicts that involve uncommitted work.
func (a *asked) markUncommitted(ctx context.Context, v clash.Verdict, conflicts []Conflict) {
	loose := a.uncommitted(ctx)
	for i := range conflicts {
		conflicts[i].Ours.Uncommitted = slices.ContainsFunc(pathsOf(v.Clashes[i]), func(p string) bool { return loose[p] })
	}
}

// whyUnknown returns the reason why not all commits are named.
func whyUnknown(err error) string {
	why := err
	for _, known := range []error{errEnough, errShared} {
		if errors.Is(err, known) {
			why = known
		}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		why = errSlow
	}
	return "not all commits that caused the conflict could be found: " + why.Error()
}

// pathsOf returns all paths of the file in a clash.
func pathsOf(c clash.Clash) []string {
	var out []string
	for _, p := range append(c.Names[:], c.Path) {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (a *asked) commits(ctx context.Context, found []object.Commit) []Commit {
	var out []Commit
	for _, t := range found {
		c := Commit{ID: t.ID, Author: t.Author.Name, Email: t.Author.Email, When: t.Author.When.UTC(), Subject: t.Subject()}
		if !utf8.ValidString(c.Author + c.Subject) {
			c.Author, c.Subject = past.InUTF8(ctx, a.repo.Repo, t)
		}
		if a.Task != nil {
			c.Task = a.Task(t.ID)
		}
		out = append(out, c)
	}
	return out
}

// The method "uncommitted" lists the paths that have uncommitted changes. It returns nil if they cannot be found out.
func (a *asked) uncommitted(ctx context.Context) map[string]bool {
	if a.Uncommitted == "" {
		return nil
	}
	deltas, err := a.repo.Changed(ctx, a.Ours, a.ours)
	if err != nil {
		return nil
	}
	out := map[string]bool{}
	for _, d := range deltas {
		out[d.Path] = true
	}
	return out
}
