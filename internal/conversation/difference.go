package conversation

import (
	"bytes"
	"cmp"
	"io"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/undo"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

type differences struct{ *Talk }

// shownLines limits the length of a difference that is shown at a question. A longer one would push the earlier output off the screen.
const shownLines = 200

// firstLines passes the first lines on and counts the others.
type firstLines struct {
	to         io.Writer
	seen, over int
}

func (f *firstLines) Write(b []byte) (int, error) {
	whole := len(b)
	for len(b) > 0 {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line = b[:i+1]
		}
		b = b[len(line):]
		if f.seen < shownLines {
			_, _ = f.to.Write(line) // an error here only affects the display
		} else if line[len(line)-1] == '\n' {
			f.over++
		}
		if line[len(line)-1] == '\n' {
			f.seen++
		}
	}
	return whole, nil
}

func (f *firstLines) rest(t differences) {
	if f.over > 0 {
		t.Person.Screen().Note("… and %d more lines", f.over)
	}
}

// short shows the first lines of a screen on stderr.
func (t differences) short(show func(page.Page)) {
	side := t.Person.Screen().OnErr()
	first := &firstLines{to: side.Out}
	side.Out = first
	show(side)
	first.rest(t)
}

// showGit shows the output of git diff or git show. It runs no external diff program that the repository's settings name.
func (t differences) showGit(at *gitstate.Repo, command string, args ...string) {
	first := &firstLines{to: t.tamed()}
	call := []string{"--no-pager", command, "--no-ext-diff", "--no-textconv", "--no-color", "--stat", "-p"}
	_, _ = at.Git(t.Context, process.Call{Args: append(call, args...), Stdout: first, Stderr: t.tamed()}) // an error here only affects the display
	first.rest(t)
}

func (t differences) showUncommitted(path string) {
	if place, ok := t.Engine.Adopt.RegisteredAt(path); ok {
		at := t.Engine.Repo.At(place)
		defer at.Close()
		t.showGit(at, "diff", "HEAD", "--")
	}
}

// built returns a difference that shows the tasks of a piece of work and the changes in its commits.
func (t differences) built(m *candidate.Summary) difference {
	return difference{what: "the changes that the work has made so far", show: func() { t.showBuilt(m) }}
}

// showBuilt shows the review of a piece of work, including changed lines. If the work cannot be reviewed, it shows only the tasks.
func (t differences) showBuilt(m *candidate.Summary) {
	v, err := t.Engine.Merging.Review(t.Context, string(m.Key()), true)
	if err != nil {
		status.Run(t.Person.Screen().OnErr(), *m)
		return
	}
	t.short(func(s page.Page) { history.Review(s, v) })
}

// merged returns a difference that shows the changes that a merge would add to the base.
func (t differences) merged(run string) difference {
	return difference{what: "the changes that would be merged", show: func() {
		key, err := t.Engine.Find.Which(t.Context, run)
		if err != nil {
			return
		}
		if s, err := t.Engine.Find.Lookup(t.Context, key); err == nil {
			t.showBuilt(&s)
		}
	}}
}

// left returns a difference that shows the uncommitted changes of an interrupted task or, if no snapshot has any, what was built so far.
func (t differences) left(a *assess.Assessment) difference {
	if a.Snapshot.Tree == "" || a.Snapshot.Head == "" || len(a.Snapshot.Paths) == 0 {
		return t.built(&a.Summary)
	}
	return difference{what: "uncommitted changes, as saved in the snapshot", show: func() {
		t.showGit(t.Engine.Repo, "diff", string(a.Snapshot.Head), string(a.Snapshot.Tree), "--")
	}}
}

// dropped returns a difference that shows the commits and uncommitted changes that a discard would remove.
func (t differences) dropped(all ...discard.Preview) difference {
	return difference{what: "all changes of the work, and uncommitted changes", show: func() {
		for i := range all {
			t.showBuilt(&all[i].Run)
			if len(all[i].Preview.Changed) > 0 {
				t.showUncommitted(all[i].Preview.Tree.Path)
			}
		}
	}}
}

// proposed returns a difference that shows how an action would change the files of another system.
func (t differences) proposed(pr *adopt.Proposal) difference {
	if len(pr.Changes) == 0 {
		return difference{none: "no file is changed"}
	}
	return difference{what: "the lines that are changed", show: func() { t.short(func(s page.Page) { others.Difference(s, pr) }) }}
}

// undone returns a difference that shows what an undo would change: commits on a branch, files of another system, or restored work.
func (t differences) undone(u *discard.Undoing) difference {
	switch {
	case u.Base != "":
		return difference{what: "how " + quote.Printable(u.Base) + " changes", show: func() {
			t.showGit(t.Engine.Repo, "diff", string(u.From), string(u.To), "--")
		}}
	case len(u.Files) > 0:
		return difference{what: "the lines that are changed", show: func() { t.short(func(s page.Page) { undo.Difference(s, u) }) }}
	case u.FilesBack != nil && u.WentOn.IsZero(): // after later work, the files would differ in more than the undo changes
		return difference{what: "the lines that are changed", show: func() {
			if now, err := t.Engine.Undoing.FilesNow(t.Context, u); err == nil {
				t.showGit(t.Engine.Repo, "diff", string(now), string(u.FilesBack.Snapshot.Tree), "--")
			}
		}}
	case u.Path != "":
		return difference{what: "the changes that come back", show: func() { t.showBuilt(&candidate.Summary{Run: u.Run}) }}
	}
	return difference{none: "what changes is listed above"}
}

// operation returns a difference that shows the commit at which a git operation stopped, and the uncommitted changes.
func (t differences) operation(o *gitops.State) difference {
	key, changed := cmp.Or(string(o.Crash.Lost.ID), o.Commit), len(o.Uncommitted) > o.Untracked
	what := "the commit at which git stopped, and uncommitted changes"
	switch {
	case key == "" && !changed:
		return difference{none: "no tracked file is changed, and this operation did not stop at a commit"}
	case key == "":
		what = "uncommitted changes"
	}
	return difference{what: what, show: func() {
		at := t.Engine.Repo.At(o.Tree)
		defer at.Close()
		if key != "" {
			t.showGit(at, "show", key)
		}
		if changed {
			t.showGit(at, "diff", "HEAD", "--")
		}
	}}
}
