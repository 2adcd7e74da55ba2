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
	// maxProbes limits how many versions of files one report reads; a number, unlike a time, gives the same question
	// always the same answer. It takes about 50 ms.
	maxProbes = 400
	// historyTime limits the same search if every version takes long; the conflicts are certain without its result.
	historyTime = time.Second
	// maxTracedText limits the size of the files that are traced.
	maxTracedText = 2 << 20
)

// errEnough says that the history was not followed to the end.
var errEnough = errors.New("the history was not followed to the end")

// history is what is needed to name commits: it knows which commits the sides share.
type history struct {
	context.Context
	stop context.CancelFunc
	*past.Lineage
}

// lookBack starts to find out which commits only one side has and which are shared, in parallel with the search for lines.
func (a *asked) lookBack(ctx context.Context) history {
	ctx, stop := context.WithTimeout(ctx, historyTime)
	return history{ctx, stop, past.NewLineage(ctx, a.repo.Repo, a.bases, a.Ours, a.Theirs)}
}

func (h history) close() {
	h.stop()
	h.Lineage.Close()
}

// addCommits names the commits of each conflict; the conflicts must be in the order of the clashes.
// Not finding them is not an error, because the conflicts are certain without them.
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

// errSlow says that git took too long and was not waited for.
var errSlow = errors.New("git took too long")

// errShared says that the lines are older than what the sides have in common; a merge kept them.
var errShared = errors.New("both sides have the commits that wrote the lines")

// name finds the commits of one side, without those that the other side has too.
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

// markUncommitted sets for each conflict whether uncommitted work is part of it.
func (a *asked) markUncommitted(ctx context.Context, v clash.Verdict, conflicts []Conflict) {
	loose := a.uncommitted(ctx)
	for i := range conflicts {
		conflicts[i].Ours.Uncommitted = slices.ContainsFunc(pathsOf(v.Clashes[i]), func(p string) bool { return loose[p] })
	}
}

// whyUnknown says why not all commits are named.
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
	return "not all commits behind it are named: " + why.Error()
}

// pathsOf returns all names of the file of a clash.
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

// uncommitted lists the paths whose current state is not committed.
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
