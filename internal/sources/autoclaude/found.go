package autoclaude

import (
	"context"
	"path"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// found returns the report about a spec; ok is false if nothing of the spec is left.
func (l *projectFiles) found(ctx context.Context, r *reading) (f sources.Found, ok bool) {
	if !isReportable(r) {
		return f, false
	}
	f = sources.Found{Source: system, ID: r.key(), Name: r.id, Base: refs.Short(r.base), PIDs: r.pids, Branched: true}
	f.Home, f.Root = l.v.Trees[0].WorkTree, path.Clean(r.project)
	if r.place.path != "" {
		f.Home, f.Root = r.place.tree.WorkTree, r.place.path
	}
	f.Drivers = []sources.Driver{{Program: "run.py", Option: "--spec", Name: r.id}, {Program: "spec_runner.py", Option: "--continue", Name: r.id}}
	t := reporter{l, r, &f}
	switch {
	case r.plan != nil && r.version != nil && r.missing && len(r.folders) == 0:
		t.onBranch(ctx)
	case r.plan != nil:
		t.planned(ctx)
	case !r.missing:
		t.corrupt()
	case len(r.folders) > 0:
		t.unplanned(ctx)
	case r.mark != nil:
		t.markOnly()
	default:
		t.branchOnly()
	}
	t.finish(ctx)
	return f, true
}

// isReportable reports whether anything of the spec is left, such as a folder, a plan or commits that are not in the base.
func isReportable(r *reading) bool {
	return r.plan != nil || !r.missing || len(r.folders) > 0 || r.mark != nil || r.proof.ahead > 0
}

// finish adds to a report what reports of every kind contain: branch and worktree, times, warnings, and the actions to choose from.
func (t reporter) finish(ctx context.Context) {
	t.f.Files = t.r.files(t.f.Root)
	t.f.Start, t.f.Last = t.r.proof.start, t.r.proof.last.ID
	t.checkMarks()
	if t.f.State.Open() {
		t.l.lookAround(ctx, t.r)
		t.f.Branch = t.r.branchName()
		t.f.Doubts = append(t.f.Doubts, t.l.marks...)
		switch {
		case t.r.site.held != "":
			t.f.Worktree = t.r.site.held
		case t.r.site.tree == nil:
			t.f.Wants = t.l.worktreePath(t.r)
		}
	}
	if t.r.branch != "" {
		t.f.Branch = t.r.branch
	}
	if t.r.site.tree != nil {
		t.f.Worktree = t.r.site.tree.WorkTree
	}
	t.f.Doubts = append(t.f.Doubts, t.r.doubts...)
	t.f.Doubts = append(t.f.Doubts, t.r.site.doubts...)
	t.activity(ctx)
	t.f.Stays = t.leftAfterDiscard()
	t.f.Command = t.command()
	t.f.CommandIn = filepath.Join(t.l.v.Trees[0].WorkTree, filepath.FromSlash(t.r.project)) // run.py looks for the specs and the worktrees there
	t.f.Alternatives = t.alternatives()
	t.f.Protocol = t.protocol()
}

// files returns the paths of the spec's state files that exist.
func (r *reading) files(root string) []string {
	var out []string
	if r.place.path != "" {
		for _, name := range []string{planFile, historyFile, commitsFile, "spec.md", "requirements.json", reviewFile, metaFile, logsFile, workersFile, pauseFile, inputFile, requestFile, givenUpFile} {
			if r.place.has(name) {
				out = append(out, path.Join(root, name))
			}
		}
	}
	if r.mark != nil && (r.place.path == "" || r.mark.tree.WorkTree == r.place.tree.WorkTree) {
		out = append(out, r.mark.path)
	}
	return out
}
