package candidate

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// union merges entries that describe the same piece of work under several names.
type union struct {
	*site.Site
	scan *scan
	all  []Summary
	mode journal.ListMode
}

func (u *union) add(f *sources.Found) {
	if i := u.sameAs(f); i >= 0 {
		u.addTo(&u.all[i], f)
		return
	}
	if u.mode == journal.OpenRuns && !f.State.Open() {
		return
	}
	u.all = append(u.all, emptySummary(f))
	last := &u.all[len(u.all)-1]
	u.scan.overlay(last, f)
	for _, call := range f.Calls {
		last.Also = append(last.Also, f.Source+":"+call)
	}
}

// sameAs returns the index of the entry for the same work, or -1. It prefers a run that is not discarded: work that was started again after a
// discard has a new run.
func (u *union) sameAs(f *sources.Found) int {
	discarded := -1
	for i := range u.all { // use the index, because an entry is so large that copying each would take most of the time
		switch s := &u.all[i]; {
		case !u.same(s, f):
		case !s.Run.Discarded:
			return i
		case discarded < 0:
			discarded = i
		}
	}
	return discarded
}

func (u *union) same(s *Summary, f *sources.Found) bool {
	switch {
	case s.Found == nil && !s.Run.Ours():
		return false // a run that was recorded in another clone cannot have adopted work in this one
	case f.Is(s.Run.Source, s.Run.SourceID):
		return true
	case s.Found != nil && s.Found.State.Open() != f.State.Open():
		return false // open work and closed work stay separate entries, even if one is a part of the other
	case s.Found != nil && s.Source() == f.Source && slices.Contains(f.Apart, s.Found.ID):
		return false
	case f.Source == GitSource && s.Source() == GitSource:
		return false // two git operations in one worktree, for example a bisect and a merge, are two entries
	case f.Source == GitSource && s.Found == nil && f.Worktree != "" && f.Worktree == s.Path && !s.Run.Closed():
		return true
	case s.Damaged != "" && s.Found == nil, s.Run.Closed() && s.Found == nil:
		return false
	case f.Branch != "" && f.Branch == s.Run.Branch && !s.Run.Here:
		return true
	case f.Worktree != "" && f.Worktree == s.Path && u.ownTree(f.Worktree):
		return true
	}
	return s.Found != nil && slices.ContainsFunc(f.Same, func(k string) bool { return slices.Contains(s.Found.Same, k) })
}

// ownTree reports whether a worktree is used for only one piece of work. It is false for the main worktree, which holds many pieces of
// work.
func (u *union) ownTree(path string) bool {
	main, ok := u.Repo.Main()
	return path != "" && (!ok || path != main.WorkTree)
}

// addTo adds what a source found to an existing entry. Adopted work is shown as the run that adopted it. A git operation replaces the
// entry, because nothing else can continue in that worktree before the operation has ended.
func (u *union) addTo(s *Summary, f *sources.Found) {
	switch {
	case f.Is(s.Run.Source, s.Run.SourceID):
		u.scan.overlay(s, f)
	case f.Source == GitSource && s.Source() != GitSource:
		known := s.Run.ID
		*s = u.scan.summaryOf(f)
		s.Also = append(s.Also, string(known))
	default:
		s.Also = append(s.Also, f.Key())
	}
}
