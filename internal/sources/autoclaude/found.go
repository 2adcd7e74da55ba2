package autoclaude

import (
	"context"
	"path"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// found says what was read of a spec; ok is false where nothing is left of it to speak of.
func (l *looked) found(ctx context.Context, r *reading) (f sources.Found, ok bool) {
	f = sources.Found{Source: Source{}.Name(), ID: r.key(), Name: r.id, Base: strings.TrimPrefix(r.base, heads), PIDs: r.pids}
	f.Home, f.Root = l.v.Trees[0].WorkTree, path.Clean(r.project)
	if r.place.path != "" {
		f.Home, f.Root = r.place.tree.WorkTree, r.place.path
	}
	f.Drivers = []sources.Driver{{Program: "run.py", Option: "--spec", Name: r.id}, {Program: "spec_runner.py", Option: "--continue", Name: r.id}}
	switch {
	case r.plan != nil && r.version != nil && r.missing && len(r.folders) == 0:
		l.onBranch(ctx, r, &f)
	case r.plan != nil:
		l.planned(ctx, r, &f)
	case !r.missing || r.hasMemory():
		l.corrupt(r, &f)
	case len(r.folders) > 0:
		l.unplanned(r, &f)
	case r.mark != nil:
		r.markOnly(&f, l.v.Now)
	case r.proof.ahead > 0:
		r.branchOnly(&f)
	default:
		return f, false
	}
	l.finish(ctx, r, &f)
	return f, true
}

// finish fills in what all kinds have: the site, the times, the marks, the ways on.
func (l *looked) finish(ctx context.Context, r *reading, f *sources.Found) {
	f.Files = r.files(f.Root)
	f.Start, f.Last = r.proof.start, r.proof.last.ID
	l.alive(r, f)
	if f.State.Open() {
		l.lookAround(ctx, r)
		f.Branch = r.branchName()
		f.Doubts = append(f.Doubts, l.marks...)
		switch {
		case r.site.held != "":
			f.Worktree = r.site.held
		case r.site.tree == nil:
			f.Wants = l.wants(r)
		}
	}
	if r.branch != "" {
		f.Branch = r.branch
	}
	if r.site.tree != nil {
		f.Worktree = r.site.tree.WorkTree
	}
	f.Doubts = append(f.Doubts, r.doubts...)
	f.Doubts = append(f.Doubts, r.site.doubts...)
	l.activity(r, f)
	f.Command = l.command(r, f)
	f.Alternatives = l.alternatives(r, f)
	f.Protocol = l.protocol(r, f)
}

// files are the state files that are there.
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
