package candidate

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// union brings together what is one piece of work under several names.
type union struct {
	*site.Site
	scan *scan
	all  []Summary
	mode journal.ListMode
}

func (u *union) take(f *sources.Found) {
	if i := u.sameAs(f); i >= 0 {
		u.join(&u.all[i], f)
		return
	}
	if u.mode == journal.OpenRuns && !f.State.Open() {
		return
	}
	u.all = append(u.all, u.scan.summaryOf(f))
}

// sameAs finds the same work among what is known already: adopted from there, on the same branch,
// in the same worktree of its own, or with a key in common.
func (u *union) sameAs(f *sources.Found) int {
	return slices.IndexFunc(u.all, func(s Summary) bool {
		switch {
		case s.Found == nil && !s.Run.Ours():
			return false // what came from elsewhere cannot claim work that is here
		case s.Run.Source == f.Source && s.Run.SourceID == f.ID && f.ID != "":
			return true
		case s.Found != nil && s.Found.State.Open() != f.State.Open():
			return false // a story left open under a loop that is over is work of its own
		case f.Source == GitSource && s.Source() == GitSource:
			return false // two operations in one worktree, such as a bisect and a merge, are two things to end
		case f.Source == GitSource && s.Found == nil && f.Worktree != "" && f.Worktree == s.Path && !s.Run.Closed():
			return true
		case s.Damaged != "" && s.Found == nil, s.Run.Closed() && s.Found == nil:
			return false
		case f.Branch != "" && f.Branch == s.Run.Branch && !s.Run.Here:
			return true
		case u.ownTree(f.Worktree) && f.Worktree == s.Path:
			return true
		}
		return s.Found != nil && slices.ContainsFunc(f.Same, func(k string) bool { return slices.Contains(s.Found.Same, k) })
	})
}

// ownTree tells a worktree that is there for one piece of work from the main one, which holds many.
func (u *union) ownTree(path string) bool {
	main, ok := u.Repo.Main()
	return path != "" && (!ok || path != main.WorkTree)
}

// join adds what a source says to work that is known already. An operation of git's own leads:
// nothing else can go on in that worktree before it has ended. What a run adopted is the run itself.
func (u *union) join(s *Summary, f *sources.Found) {
	switch {
	case s.Run.Source == f.Source && s.Run.SourceID == f.ID:
		u.scan.overlay(s, f)
	case f.Source == GitSource && s.Source() != GitSource:
		known := s.Run.ID
		*s = u.scan.summaryOf(f)
		s.Also = append(s.Also, string(known))
	default:
		s.Also = append(s.Also, f.Key())
	}
}
