package conversation

import (
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

// shownLines is how many lines of a difference are shown if the user asks for it at a question. After more lines, the user would have to
// scroll back far to what was shown before.
const shownLines = 200

// atMost calls show with a writer that passes only the first lines on to "to". Then it says how many more there are.
func (t differences) atMost(to io.Writer, show func(io.Writer)) {
	first := &page.FirstLines{To: to, Most: shownLines}
	show(first)
	if first.Over > 0 {
		t.Person.Screen().Note("… and %d more lines", first.Over)
	}
}

// short shows the first lines of a screen on stderr.
func (t differences) short(show func(page.Page)) {
	side := t.Person.Screen().OnErr()
	t.atMost(side.Out, func(first io.Writer) {
		side.Out = first
		show(side)
	})
}

// showGit shows the output of git diff or git show. It runs no external diff program that the repository's settings name.
func (t differences) showGit(at *gitstate.Repo, command string, args ...string) {
	call := []string{"--no-pager", command, "--no-ext-diff", "--no-textconv", "--no-color", "--stat", "-p"}
	t.atMost(t.tamed(), func(first io.Writer) {
		_, _ = at.Git(t.Context, process.Call{Args: append(call, args...), Stdout: first, Stderr: t.tamed()}) // an error here only affects the display
	})
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

// left returns a difference with the uncommitted changes of an interrupted task, or with what was built so far if no snapshot has any.
func (t differences) left(a *assess.Assessment) difference {
	if !hasSaved(a) {
		return t.built(&a.Summary)
	}
	return difference{what: "uncommitted changes, as saved in the snapshot", show: func() { t.showSaved(a) }}
}

// soFar returns a difference that shows what was built so far, and the uncommitted changes that the snapshot has, including new files.
func (t differences) soFar(a *assess.Assessment) difference {
	d := t.built(&a.Summary)
	if hasSaved(a) {
		d.show = func() {
			t.showBuilt(&a.Summary)
			t.Person.Screen().Note("\nnot committed, saved as %s:", quote.Clean(a.Snapshot.Label()))
			t.showSaved(a)
		}
	}
	return d
}

func hasSaved(a *assess.Assessment) bool {
	return a.Snapshot.Tree != "" && a.Snapshot.Head != "" && len(a.Snapshot.Paths) > 0
}

func (t differences) showSaved(a *assess.Assessment) {
	t.showGit(t.Engine.Repo, "diff", string(a.Snapshot.Head), string(a.Snapshot.Tree), "--")
}

// dropped returns a difference that shows the commits, and the uncommitted changes to tracked files, that a discard would remove.
func (t differences) dropped(all ...discard.Preview) difference {
	return difference{what: "the commits of the work, and changes to tracked files", show: func() {
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
	return difference{what: "the lines that change", show: func() { t.short(func(s page.Page) { others.Difference(s, pr) }) }}
}

// undone returns a difference that shows what an undo would change: commits on a branch, files of another system, or restored work.
func (t differences) undone(u *discard.Undoing) difference {
	switch {
	case u.Base != "":
		return difference{what: "how " + quote.Printable(u.Base) + " changes", show: func() {
			t.showGit(t.Engine.Repo, "diff", string(u.From), string(u.To), "--")
		}}
	case len(u.Files) > 0:
		return difference{what: "the lines that change", show: func() { t.short(func(s page.Page) { undo.Difference(s, u) }) }}
	case u.FilesBack != nil && u.WentOn.IsZero(): // only if nobody worked later: otherwise the difference would show that work too
		return difference{what: "the lines that change", show: func() {
			if now, err := t.Engine.Undoing.FilesNow(t.Context, u); err == nil {
				t.showGit(t.Engine.Repo, "diff", string(now), string(u.FilesBack.Snapshot.Tree), "--")
			}
		}}
	case u.Path != "":
		return difference{what: "the changes of the run that the undo restores", show: func() { t.showBuilt(&candidate.Summary{Run: u.Run}) }}
	}
	return difference{none: "the changes are listed above"}
}

// operation returns a difference that shows the commit at which a git operation stopped, and the uncommitted changes.
func (t differences) operation(o *gitops.State) difference {
	key, changed := cmp.Or(string(o.Crash.Lost.ID), o.Commit), len(o.Uncommitted) > o.Untracked
	if key == "" && !changed {
		return difference{none: "no tracked file is changed, and this operation did not stop at a commit"}
	}
	what := map[bool]string{true: "the commit at which git stopped", false: "uncommitted changes"}[key != ""]
	if key != "" && changed {
		what += ", and uncommitted changes"
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
