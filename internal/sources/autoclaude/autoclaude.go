// Package autoclaude reads the specs of Auto-Claude: plans of several versions, recorded attempts and commits, the status file, branches
// and worktrees. The items of a plan show the progress of the work. Status words are mostly hints. The package changes no file itself:
// Act returns the changes, and its caller makes them.
package autoclaude

import (
	"cmp"
	"context"
	"path"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/git-resume/git-resume/internal/sources"
)

// Source finds the specs of Auto-Claude in a repository.
type Source struct{}

// New returns a Source.
func New() Source { return Source{} }

// Name returns the name of this source.
func (Source) Name() string { return system }

// Claims reports whether a path is the path of a spec's folder, and returns the spec's id. It accepts only the folders of specs at the
// top of the repository. At a deeper path there may be a copy of a spec, for example because the files of a worktree were committed by
// mistake.
func (Source) Claims(folder string) (string, bool) {
	dir, id := path.Split(folder)
	return id, slices.Contains([]string{".auto-claude/specs/", "auto-claude/specs/", "auto-build/specs/"}, dir)
}

// Find returns a report about each spec that isReportable accepts, the one with the latest activity first. It also reports specs and
// files that cannot be read.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	if len(v.Trees) == 0 {
		return nil, nil // without a worktree there are no files of Auto-Claude
	}
	l, err := search(ctx, v)
	if err != nil || len(l.specs)+len(l.refused)+len(l.marks) == 0 {
		return nil, err
	}
	readings, broken := l.readAll(ctx)
	l.git.evidence(ctx, readings)
	found := append(l.refusals(), broken...)
	l.dateAll(ctx, readings)
	l.reported = map[string]*reading{}
	for _, r := range readings {
		if isReportable(r) {
			l.reported[r.key()] = r
		}
	}
	for _, r := range readings {
		if f, ok := l.found(ctx, r); ok {
			found = append(found, f)
		}
	}
	slices.SortStableFunc(found, func(a, b sources.Found) int {
		return cmp.Or(b.Active.Compare(a.Active), sources.NaturalOrder(a.ID, b.ID))
	})
	return found, nil
}

// readers limits how many specs are read at the same time.
const readers = 4

// readAll reads the files of all specs. If reading a spec panics, the result "broken" contains that spec, and the other specs are still
// read.
func (l *projectFiles) readAll(ctx context.Context) (out []*reading, broken []sources.Found) {
	l.git.base = l.git.guessBase(ctx)
	specs := l.inOrder()
	out = make([]*reading, len(specs))
	crashed := make([]*sources.ReaderError, len(specs))
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(readers, len(specs)) {
		all.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(specs); i = next.Add(1) - 1 {
				crashed[i] = l.v.Guard(system, func() { out[i] = l.read(ctx, specs[i]) })
			}
		})
	}
	all.Wait()
	for i, failed := range crashed {
		if failed != nil {
			broken = append(broken, specs[i].broken(failed))
		}
	}
	return slices.DeleteFunc(out, func(r *reading) bool { return r == nil }), broken
}

// The method "broken" reports a spec whose reading panicked. It names the spec's folder, because the file that was read last may belong to
// another spec.
func (s *spec) broken(failed *sources.ReaderError) sources.Found {
	failed.Home, failed.File = "", ""
	if len(s.folders) > 0 {
		failed.Home, failed.File = s.folders[0].tree.WorkTree, s.folders[0].path
	}
	return sources.Unreadable(system, s.key(), failed)
}

// refusals returns one entry with state Corrupt for each folder that must not be read, such as a symbolic link. It also returns one for each
// unreadable status file, but only if there are no specs. Otherwise the reports about open specs have the warnings about these files.
func (l *projectFiles) refusals() []sources.Found {
	var out []sources.Found
	all := l.refused
	if len(l.specs) == 0 {
		all = append(all, l.marks...)
	}
	for _, d := range all {
		out = append(out, sources.Found{
			Source: system, ID: d.Path, Name: d.Path, Home: l.v.Trees[0].WorkTree, Root: path.Dir(d.Path), Files: []string{d.Path},
			State: sources.Corrupt, Headline: "the state in " + d.Path + " cannot be read", Doubts: []sources.Doubt{d},
			Point:        sources.Point{Task: "repair", Reason: "nothing can be read from " + d.Path},
			Alternatives: []sources.Alternative{{Name: sources.Hide, Text: "stop showing it in this repository"}},
		})
	}
	return out
}
