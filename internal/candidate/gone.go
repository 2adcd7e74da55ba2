package candidate

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
)

// whyGone finds out why the state of adopted work is not seen: it is only hidden, or the worktree that holds it was deleted.
func (e *Finder) whyGone(ctx context.Context, s *Summary) {
	if !s.Vanished() || s.Run.Closed() {
		return
	}
	if e.Repo.Settings.Mentions("resume") {
		if c, err := e.Repo.Settings.Config(ctx); err == nil {
			s.Hidden = slices.Contains(c.All("resume.ignore"), ForeignKey(&s.Run))
		}
	}
	if _, err := os.Lstat(s.Run.Worktree); s.Run.Worktree != "" && errors.Is(err, fs.ErrNotExist) {
		s.Lost = true
		if s.LostBranch = e.LostBranch(s.Run.Worktree); s.LostBranch == "" {
			s.LostBranch = s.Run.Branch
		}
		if tip, err := e.Repo.Refs.Ref(ctx, s.LostBranch); s.LostBranch != "" && (err != nil || tip == "") {
			s.LostBranch = ""
		}
	}
}

// LostBranch is the branch of a worktree that was deleted, as git still has it on record; empty where it has none.
func (e *Finder) LostBranch(path string) string {
	for _, l := range e.Repo.Linked() {
		if l.Missing && l.WorkTree == path {
			return l.Branch
		}
	}
	return ""
}
