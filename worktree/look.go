package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
)

// Want says which worktree to look for.
type Want struct {
	// Run is the run to which the worktree must belong. If it is empty, any worktree at the path or on the branch matches.
	Run    string
	Path   string
	Branch refs.Name // full ref name
	// Own is true if the branch was made for the run. A worktree on such a branch belongs to the run, even if it is not marked. A worktree
	// that is marked with another run belongs to that run.
	Own bool
}

// Look finds the worktree that belongs to want.Run and determines its state. It prefers a worktree that is marked with the run, then an
// unmarked worktree on the run's own branch. If want.Run is empty, it looks for a worktree at want.Path, and then for one on want.Branch.
// If no worktree is registered, the field Admin of the result is empty, and the field Health describes what is at want.Path.
func Look(ctx context.Context, repo *gitstate.Repo, want Want, around ...string) (Tree, error) {
	trees, err := Find(ctx, repo, around...)
	if err != nil {
		return Tree{}, err
	}
	return lookAmong(trees, want), nil
}

func lookAmong(trees []Tree, want Want) Tree {
	t, ok := match(trees, want)
	if !ok {
		return unregisteredPath(trees, want)
	}
	switch {
	case t.Health != Usable:
	case t.Operation != ongoing.NoOperation:
		t.Health = MidOperation
	case want.Branch != "" && t.Branch != want.Branch:
		t.Health = OtherBranch
	}
	return t
}

func match(trees []Tree, want Want) (Tree, bool) {
	tests := []func(Tree) bool{
		func(t Tree) bool { return want.Run == "" && place.Same(t.Path, want.Path) },
		func(t Tree) bool { return want.Run != "" && t.Run == want.Run },
		func(t Tree) bool {
			return want.Branch != "" && t.Branch == want.Branch && (want.Run == "" || want.Own && t.Run == "")
		},
	}
	for _, test := range tests {
		for _, t := range trees {
			if t.Admin != "" && !t.Main && test(t) {
				return t, true
			}
		}
	}
	return Tree{}, false
}

// unregisteredPath describes a path at which the wanted worktree is not registered. Another worktree may be registered there.
func unregisteredPath(trees []Tree, want Want) Tree {
	for _, other := range trees {
		if other.Admin != "" && place.Same(other.Path, want.Path) {
			t := Tree{Path: want.Path, Health: Foreign, Taken: true}
			if other.Health == Missing {
				t.Health = Missing
			}
			return t
		}
	}
	return Unknown(want)
}

// Unknown describes a path at which no worktree is registered.
func Unknown(want Want) Tree {
	t := Tree{Path: want.Path, Health: Missing}
	info, err := os.Lstat(want.Path)
	switch {
	case want.Path == "" || place.Gone(err):
	case err != nil || !info.IsDir() || place.Present(filepath.Join(want.Path, ".git")):
		t.Health, t.Of = Foreign, owner(want.Path)
	default:
		t.Health = Plain
	}
	return t
}

// Repair corrects the paths between a moved worktree and its folder in .git/worktrees. It returns the repaired worktree. It returns an
// error if the worktree was not moved, or is still not usable.
func Repair(ctx context.Context, repo *gitstate.Repo, t Tree) (Tree, error) {
	if t.Health != Moved {
		return t, notMoved(t)
	}
	if err := repairCommondirs(repo); err != nil {
		return t, err
	}
	if err := reconnect(repo, t); err != nil {
		return t, fmt.Errorf("repair worktree: %w", err)
	}
	repaired := examine(ctx, repo, t.Admin, nil)
	if repaired.Health != Usable {
		return repaired, fmt.Errorf("worktree '%s' was moved, and its paths were corrected, but it is %s", repaired.Path, repaired.Health)
	}
	return repaired, nil
}

// notMoved returns the error for a worktree that Repair does not correct, because it was not moved.
func notMoved(t Tree) error {
	return fmt.Errorf("worktree '%s' was not moved; it is %s", t.Path, t.Health)
}

// reconnect makes a worktree and its folder in .git/worktrees point to each other again. It does not use "git worktree repair", because
// that command empties a file before it writes the new content. If git were killed in between, a later "git worktree prune" would delete
// the folder.
func reconnect(repo *gitstate.Repo, t Tree) error {
	now, err := filepath.EvalSymlinks(t.Now)
	if err != nil {
		return err
	}
	dot := filepath.Join(now, ".git")
	there, back := dot, t.Admin
	if to, ok := strings.CutPrefix(place.Content(dot), "gitdir: "); ok && !filepath.IsAbs(to) { // use relative paths if the worktree's .git file contained one
		there, err = filepath.Rel(t.Admin, dot)
		if err == nil {
			back, err = filepath.Rel(now, t.Admin)
		}
		if err != nil {
			return err
		}
	}
	if to, ok := place.LeadsTo(now); !ok || !place.SameDir(to, t.Admin) {
		if err := repo.Guard.Replace(dot, []byte("gitdir: "+filepath.ToSlash(back)+"\n")); err != nil {
			return err
		}
	}
	return repo.Guard.Replace(filepath.Join(t.Admin, "gitdir"), []byte(filepath.ToSlash(there)+"\n"))
}

// repairCommondirs repairs "commondir" files that a killed "git worktree add" left empty. Such a file makes "git
// worktree", gc and fsck fail.
func repairCommondirs(repo *gitstate.Repo) error {
	dirs, err := os.ReadDir(repo.CommonPath("worktrees"))
	if err != nil {
		return nil
	}
	for _, d := range dirs {
		path := repo.CommonPath("worktrees", d.Name(), "commondir")
		info, err := os.Stat(path)
		if err != nil || info.Size() > 0 {
			continue
		}
		if err := place.Replace(path, []byte("../..\n")); err != nil {
			return fmt.Errorf("repair the registration of '%s': %w", d.Name(), err)
		}
	}
	return nil
}

// LockedError reports that somebody else locked a worktree.
type LockedError struct{ Path, Reason string }

func (e *LockedError) Error() string {
	return fmt.Sprintf("worktree '%s' is locked: %s", e.Path, e.Reason)
}

// lock locks a worktree for a run, so that "git worktree remove" and "prune" do not remove it. It returns a *LockedError if somebody else
// has locked the worktree.
func lock(t Tree, run string) error {
	if of, ours := t.LockedBy(); t.Locked {
		if ours && of == run {
			return nil
		}
		return &LockedError{t.Path, t.LockReason}
	}
	if t.Main || t.Admin == "" {
		return NotRegistered(t)
	}
	if err := place.Replace(filepath.Join(t.Admin, "locked"), []byte(LockPrefix+run+"\n")); err != nil {
		return fmt.Errorf("lock worktree: %w", err)
	}
	return nil
}

// Unlock removes a run's lock. It does nothing if the run has not locked the worktree.
func Unlock(t Tree, run string) error {
	if of, ours := t.LockedBy(); !ours || of != run {
		return nil
	}
	err := os.Remove(filepath.Join(t.Admin, "locked"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("unlock worktree: %w", err)
	}
	return dotgit.SyncDir(t.Admin)
}

// NotRegisteredError reports a path that is not a linked worktree of the repository, or a worktree in an unsuitable state.
type NotRegisteredError struct {
	Path   string
	Health Health
	// Now is the present path of the worktree, if it was moved.
	Now string
	// Of is the git dir of another repository, if the worktree belongs to that one. Otherwise it is empty.
	Of string
}

// NotRegistered returns the error for a worktree that is not registered, or is in an unsuitable state.
func NotRegistered(t Tree) error {
	return &NotRegisteredError{Path: t.Path, Health: t.Health, Now: t.Now, Of: t.Of}
}

func (e *NotRegisteredError) Error() string {
	return fmt.Sprintf("the worktree '%s' is in the wrong state: %s", e.Path, e.Health)
}

// LivingError reports that a person or process is still working in the worktree of a run, or still creating it.
type LivingError struct{ Run, Who string }

func (e *LivingError) Error() string {
	return fmt.Sprintf("somebody is still working on run '%s': %s", e.Run, e.Who)
}
