// Package autoclaude reads the specs of Auto-Claude: its plans of every era, what it noted of attempts and commits,
// its status file, and the branches and worktrees in which it builds.
//
// The plan's items decide. The status words of a plan and the status file are hints, and a folder is a worktree only
// if git says so. The package changes nothing; Act describes edits of single words in the system's own files.
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

// New makes the source; it holds nothing.
func New() Source { return Source{} }

// Name is how people name the system.
func (Source) Name() string { return system }

// Claims knows a spec by its folder at the top; a copy in a worktree that was committed by mistake is none.
func (Source) Claims(folder string) (string, bool) {
	dir, id := path.Split(folder)
	return id, slices.Contains([]string{".auto-claude/specs/", "auto-claude/specs/", "auto-build/specs/"}, dir)
}

// Find reads every spec, the one that was worked on last first. A repository without any costs a few system calls.
func (s Source) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	if len(v.Trees) == 0 {
		return nil, nil // without a worktree there is nothing to read, and nowhere to go on
	}
	l, err := look(ctx, v)
	if err != nil || len(l.specs)+len(l.refused)+len(l.marks) == 0 {
		return nil, err
	}
	readings, broken := l.readAll(ctx)
	l.git.evidence(ctx, readings)
	found := append(l.refusals(), broken...)
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

// readers is how many specs are read at a time.
const readers = 4

// readAll reads the files of all specs. One at which this reader crashes is told as broken, and the others are read all the same.
func (l *looked) readAll(ctx context.Context) (out []*reading, broken []sources.Found) {
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

// broken is a spec at which this reader crashed. Several are read at a time: the file that was read last may be another's.
func (s *spec) broken(failed *sources.ReaderError) sources.Found {
	failed.Home, failed.File = "", ""
	if len(s.folders) > 0 {
		failed.Home, failed.File = s.folders[0].tree.WorkTree, s.folders[0].path
	}
	return sources.Unreadable(system, s.key(), failed)
}

// refusals are what could not be looked into, as pieces of work whose state nobody knows.
func (l *looked) refusals() []sources.Found {
	var out []sources.Found
	all := l.refused
	if len(l.specs) == 0 {
		all = append(all, l.marks...) // else the specs tell of them
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
