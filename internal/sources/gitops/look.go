// Package gitops finds unfinished operations of git, such as a rebase, a merge, a series of cherry-picks, or a lock file of a crashed
// process. For each operation it reports whether somebody is still working on it, and whether git's own command to continue would lose a
// commit. The package changes nothing itself.
package gitops

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/proc"
)

// Name is the name of this source.
const Name = "git"

// State is one unfinished operation in one worktree.
type State struct {
	ongoing.Ongoing
	Tree locate.Place
	// Life says whether a process is working on the operation. Alive means that there is one, and Dead that there is none. Unknown means
	// that git-resume could not list the running processes.
	Life proc.Fate
	// Workers lists the processes that are working on the operation. It stays empty for an unfinished worktree.
	Workers []proc.Process
	// Crash describes the repair that is needed if a process died in the middle of a step.
	Crash Crash
	// Subject is the subject line of the commit that the operation is working on.
	Subject string
	// OntoName is a branch at the commit onto which a rebase moves the commits. It is empty if no branch is at that commit.
	OntoName string
	// Whole means that git has finished the new worktree, and only its lock must still be removed.
	Whole bool
	// Found means that a bisect has found the first bad commit, and only its end is missing. Then Commit is this commit.
	Found bool
	// Stays means that git's own abort would leave HEAD where it is, because a commit was already made or HEAD was moved.
	Stays bool
	// Uncommitted lists the paths that git status reports. Only Examine sets it.
	Uncommitted []string
	// Untracked is the number of untracked paths in Uncommitted.
	Untracked int
	// Edited lists the tracked paths with changes of the user that git's own abort or skip would destroy. It leaves out what git's merge
	// wrote. Only Examine sets it.
	Edited []string
}

// ID returns the kind and the worktree of the operation, for example "rebase@." in the main worktree.
func (s *State) ID() string { return string(s.Op) + "@" + Where(s.Tree) }

// Where returns a short name for a worktree: "." for the main worktree, and the name of its folder below .git/worktrees for any other.
func Where(p locate.Place) string {
	if p.GitDir == p.CommonDir {
		return "."
	}
	return filepath.Base(p.GitDir)
}

// Look finds the unfinished operations in the given worktrees. It leaves out the locks of running git processes.
func Look(ctx context.Context, repo *gitstate.Repo, table proc.Table, trees []locate.Place) ([]State, error) {
	found, err := ongoing.InAll(ctx, repo, trees)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var out []State
	for _, p := range trees {
		for _, o := range found[p.GitDir] {
			s := State{Ongoing: o, Tree: p}
			at := repo.At(p)
			keep := s.examine(ctx, at, table)
			at.Close()
			if keep {
				out = append(out, s)
			}
		}
	}
	return out, nil
}

// examine adds more information to the operation, such as the running processes and the repair that it needs. It returns false if the
// operation must not be reported.
func (s *State) examine(ctx context.Context, at *gitstate.Repo, table proc.Table) bool {
	before := lockInfos(s.Files)
	workers, known := process.Workers(at.Place, at.Guard, table)
	switch {
	case len(workers) > 0:
		s.Life, s.Workers = proc.Alive, workers
	case known:
		s.Life = proc.Dead
	}
	if s.Op == ongoing.StaleLock {
		// Do not report a lock that disappeared, was replaced, belongs to a running process or was marked by git-resume.
		s.Files = leftOver(before, at.Guard.MarkedLocks())
		return s.Life != proc.Alive && len(s.Files) > 0
	}
	if s.Op == ongoing.Bisect {
		s.bisected(ctx, at)
	}
	if c, err := at.Objects.Commit(ctx, s.Commit); s.Commit != "" && err == nil {
		s.Commit, s.Subject = string(c.ID), c.Subject()
	}
	if s.Onto != "" {
		s.OntoName = branchAt(ctx, at, s.Onto)
	}
	if s.Life == proc.Alive {
		return true
	}
	s.Crash = diagnose(ctx, at, &s.Ongoing)
	s.Stays = s.staysOnAbort(ctx, at)
	return true
}

// staysOnAbort reports whether git's own abort would not move HEAD back. For a series of picks and for an am, git moves HEAD back only if
// HEAD is still where git left it.
func (s *State) staysOnAbort(ctx context.Context, at *gitstate.Repo) bool {
	switch {
	case s.Op == ongoing.Merge:
		return s.Crash.Repair == RepairFinish
	case s.Op == ongoing.Am, s.Dir == "sequencer":
		_, head, err := at.Refs.Head(ctx)
		return err == nil && head != "" && strings.TrimSpace(ongoing.Text(at.GitDir, s.Dir, "abort-safety")) != string(head)
	case s.Op == ongoing.CherryPick, s.Op == ongoing.Revert:
		return s.Crash.Repair == RepairSkip
	}
	return false
}

func lockInfos(files []string) map[string]os.FileInfo {
	out := map[string]os.FileInfo{}
	for _, f := range files {
		if info, err := os.Lstat(f); err == nil {
			out[f] = info
		}
	}
	return out
}

// leftOver returns the lock files that did not change after "before" was filled. It leaves out the locks in "held", which git-resume has
// marked as its own.
func leftOver(before map[string]os.FileInfo, held map[string]bool) []string {
	var out []string
	for _, f := range slices.Sorted(maps.Keys(before)) {
		now, err := os.Lstat(f)
		if err == nil && !held[f] && os.SameFile(before[f], now) && before[f].ModTime().Equal(now.ModTime()) {
			out = append(out, f)
		}
	}
	return out
}

// branchAt returns the name of a local or remote-tracking branch that points at a commit, or an empty name if there is none.
func branchAt(ctx context.Context, at *gitstate.Repo, id object.ID) string {
	name, err := at.Line(ctx, "for-each-ref", "--count=1", "--points-at="+string(id), "--format=%(refname:short)", "refs/heads/", "refs/remotes/")
	if err != nil {
		return ""
	}
	return name
}

// Examine adds the uncommitted paths. This is slow, because git has to look at every file.
func (s *State) Examine(ctx context.Context, repo *gitstate.Repo) error {
	if s.Tree.WorkTree == "" {
		return nil
	}
	at := repo.At(s.Tree)
	defer at.Close()
	changes, err := at.Status(ctx)
	if err != nil {
		return err
	}
	s.Uncommitted, s.Untracked = nil, 0
	for _, c := range changes {
		s.Uncommitted = append(s.Uncommitted, c.Path)
		if c.Untracked() {
			s.Untracked++
		}
	}
	s.Edited = s.edited(changes, sinceMerge(ctx, at))
	return nil
}

// edited returns the paths of the changes that git's own abort or skip would destroy. The argument differs reports whether the user changed
// a path after git's merge wrote it.
func (s *State) edited(changes []gitstate.Change, differs func(path string) bool) []string {
	var out []string
	for _, c := range changes {
		// Aborting a rebase removes every change of a tracked file. Aborting any other operation keeps changes that are not staged, and
		// refuses to touch a file that has both staged and later changes.
		lost := s.Op == ongoing.Rebase && !c.Untracked() || c.Staged() && (c.Unmerged || c.Tree == '.')
		if lost && differs(c.Path) {
			out = append(out, c.Path)
		}
	}
	return out
}

// sinceMerge returns a function that reports whether a path differs from what git's last merge wrote into the worktree. If git did not
// record that, the function returns true for each path.
func sinceMerge(ctx context.Context, at *gitstate.Repo) func(path string) bool {
	out, err := at.Git(ctx, process.Call{Args: []string{"diff", "--name-only", "-z", "--no-renames", "--no-relative", "--ignore-submodules=none", "AUTO_MERGE", "--"}})
	if err != nil {
		return func(string) bool { return true }
	}
	paths := strings.Split(string(out), "\x00")
	return func(path string) bool { return slices.Contains(paths, path) }
}

// bisected sets the number of commits and of steps that are left in a bisect, or the first bad commit if git has found it. Git notes that
// commit in the last line of its log.
func (s *State) bisected(ctx context.Context, at *gitstate.Repo) {
	log := strings.TrimSpace(ongoing.Text(s.Tree.GitDir, "BISECT_LOG"))
	if said, ok := strings.CutPrefix(log[strings.LastIndex(log, "\n")+1:], "# first "); ok {
		_, id, _ := strings.Cut(said, "[")
		if id, _, _ = strings.Cut(id, "]"); object.IsID(id) {
			s.Found, s.Commit = true, id
			return
		}
	}
	marks, err := at.Refs.List(ctx, "refs/bisect/")
	if err != nil || len(marks) < 2 {
		return
	}
	args := []string{"rev-list", "--bisect-vars", "refs/bisect/" + s.term(0, "bad"), "--not"}
	for ref := range marks {
		if name := string(ref); strings.HasPrefix(name, "refs/bisect/"+s.term(1, "good")+"-") {
			args = append(args, name)
		}
	}
	out, err := at.Line(ctx, append(args, "--")...)
	if err != nil {
		return
	}
	for line := range strings.Lines(out) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		n, err := strconv.Atoi(value)
		switch {
		case err != nil:
		case key == "bisect_nr":
			s.Left = n
		case key == "bisect_steps":
			s.Of = n
		}
	}
}

// term returns the user's word for bad (0) or good (1), or the usual word if the user chose none.
func (s *State) term(i int, usual string) string {
	lines := strings.Split(ongoing.Text(s.Tree.GitDir, "BISECT_TERMS"), "\n")
	if i < len(lines) && lines[i] != "" {
		return lines[i]
	}
	return usual
}

// Terms returns the words with which the user answers a bisect.
func (s *State) Terms() (bad, good string) { return s.term(0, "bad"), s.term(1, "good") }
