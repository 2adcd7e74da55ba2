package conflicts

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/gitstate"
)

const (
	// maxProbes bounds how many versions of files are looked at in one report, so that the same question
	// always has the same answer; it is some 50 ms.
	maxProbes = 400
	// historyTime bounds the same where every version takes long; the conflicts are certain without.
	historyTime = time.Second
	// maxTracedText bounds the files that are followed.
	maxTracedText = 2 << 20
)

// errEnough says that the history was not followed to the end.
var errEnough = errors.New("the history was not followed to the end")

// addCommits names who is behind each conflict; the conflicts are in the order of the clashes.
// Not to find them is no error: the conflicts stand without.
func (a *asked) addCommits(ctx context.Context, v verdict, out *Report) {
	loose := a.uncommitted(ctx)
	limited, stop := context.WithTimeout(ctx, historyTime)
	defer stop()
	f := &finder{repo: a.repo, left: maxProbes}
	for i := range out.Conflicts {
		c, names := &out.Conflicts[i], pathsOf(v.clashes[i])
		c.Ours.Uncommitted = slices.ContainsFunc(names, func(p string) bool { return loose[p] })
		if a.Detail != Whose {
			continue
		}
		ours, err := f.find(limited, a.Ours, names, c.Base, c.Ours)
		theirs, err2 := f.find(limited, a.Theirs, names, c.Base, c.Theirs)
		c.Ours.Commits, c.Theirs.Commits = a.commits(ctx, ours), a.commits(ctx, theirs)
		if err = errors.Join(err, err2); err != nil && ctx.Err() == nil {
			out.note(CommitsUnknown, Info, c.Path, whyUnknown(err))
		}
	}
}

func whyUnknown(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "git took too long"
	case errors.Is(err, errEnough):
		return errEnough.Error()
	}
	return err.Error()
}

// pathsOf are all names that the file of a clash has.
func pathsOf(c clash) []string {
	var out []string
	for _, p := range append(c.names[:], c.path) {
		if p != "" && !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

func (a *asked) commits(ctx context.Context, found []gitstate.Commit) []Commit {
	var out []Commit
	for _, t := range found {
		c := Commit{ID: t.ID, Author: t.Author.Name, Email: t.Author.Email, When: t.Author.When.UTC(), Subject: t.Subject()}
		if !utf8.ValidString(c.Author + c.Subject) {
			c.Author, c.Subject = a.repo.InUTF8(ctx, t)
		}
		if a.Task != nil {
			c.Task = a.Task(t.ID)
		}
		out = append(out, c)
	}
	return out
}

// uncommitted lists the paths whose last state is in no commit.
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
