package trash

import (
	"fmt"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/record"
)

// DiscardedError reports that the current worktree was discarded, or is being discarded.
type DiscardedError struct {
	Run string
	// Home is a folder in which git commands still work: the main worktree, or the git dir of a bare repository.
	Home string
}

func (e *DiscardedError) Error() string {
	return fmt.Sprintf("this command was started in the worktree of run '%s', which was discarded", e.Run)
}

// DiscardedFrom finds the discard that removed a worktree's git dir. It returns nil if the git dir still exists, or if no discard removed
// it.
func DiscardedFrom(gitDir string) *DiscardedError {
	if filepath.Base(filepath.Dir(gitDir)) != "worktrees" || place.Present(gitDir) {
		return nil
	}
	common := filepath.Dir(filepath.Dir(gitDir))
	repo := gitstate.Open(locate.Place{GitDir: common, CommonDir: common}, nil)
	defer repo.Close()
	for _, dir := range record.Dirs(repo) {
		rec, found, err := record.Load(dir)
		if err == nil && found && rec.Phase != record.Incomplete && string(rec.Admin) == filepath.Base(gitDir) {
			return &DiscardedError{Run: rec.Run, Home: worktree.MainDir(repo)}
		}
	}
	return nil
}

// DiscardedAt returns an error if dir is in the remains of a discarded worktree. Otherwise it returns nil.
func DiscardedAt(dir string) *DiscardedError {
	for {
		if gitDir, ok := place.LeadsTo(dir); ok {
			return DiscardedFrom(gitDir)
		}
		up := filepath.Dir(dir)
		if up == dir {
			return nil
		}
		dir = up
	}
}

// HalfDiscarded reports whether a discard of a run was started, but neither finished nor undone.
func HalfDiscarded(repo *gitstate.Repo, run string) bool {
	rec, found, err := record.Load(record.Dir(repo, run))
	return err == nil && found && rec.Run == run && (rec.Phase == record.Begun || rec.Phase == record.Sweeping)
}

// Unfinished lists the folders in the trash that contain incomplete worktrees of a run. The creation of these worktrees was interrupted.
// They are deleted after the same time as discarded runs.
func Unfinished(repo *gitstate.Repo, run string) []string {
	var out []string
	for _, dir := range record.Dirs(repo) {
		rec, found, err := record.Load(dir)
		if err == nil && found && rec.Phase == record.Incomplete && rec.Run == run && rec.Trash != "" && place.Present(string(rec.Trash)) {
			out = append(out, string(rec.Trash))
		}
	}
	return out
}
