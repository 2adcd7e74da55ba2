package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
)

// Health is the state of a worktree.
type Health string

// The states of a worktree; the empty value means that nobody has checked yet.
const (
	// Usable: registered and present, and the tree and its registration point to each other.
	Usable Health = "usable"
	// Missing: no tree at the path, and none found elsewhere.
	Missing Health = "missing"
	// Moved: the tree or the repository was moved. Tree.Now says where the tree is, possibly the old path. Repair reconnects them.
	Moved Health = "moved"
	// Incomplete: an incomplete worktree, left by an interrupted "worktree add".
	Incomplete Health = "husk"
	// Plain: a directory without a registration. A git command inside it would act on the repository around it.
	Plain Health = "plain directory"
	// Foreign: the path belongs to another repository or another registration.
	Foreign Health = "foreign"
	// MidOperation: usable, but in the middle of a merge, rebase or similar operation.
	MidOperation Health = "mid-operation"
	// OtherBranch: usable, but not on the branch that was expected.
	OtherBranch Health = "other branch"
)

// Tree describes one worktree, or whatever is at the path where one is expected.
type Tree struct {
	Path string
	// Admin is the worktree's own git dir; empty if no worktree is registered.
	Admin string
	Main  bool
	Head  object.ID
	// Branch is a full ref name; during a rebase or bisect, the branch to which the tree will return. Empty if detached.
	Branch     refs.Name
	Locked     bool
	LockReason string
	// Run is the run that the registration names as its own; empty if it names none.
	Run    string
	Health Health
	// Now is the present path of a moved tree.
	Now string
	// Taken: the path is registered, but for another worktree than the wanted one.
	Taken bool
	// Of is the git dir of another repository that has its worktree at the path: this repository may be a copy of that one.
	Of        string
	Operation ongoing.Operation
	// Tool names the program whose folder contains the tree; empty for any other place.
	Tool string
}

// LockPrefix is the beginning of our lock reasons; the name of the run follows.
const LockPrefix = "git-resume "

// LockedBy returns the run that locked the tree; ours is false if nobody locked it, or somebody else did.
func (t Tree) LockedBy() (run string, ours bool) {
	run, ours = strings.CutPrefix(t.LockReason, LockPrefix)
	return run, ours && t.Locked
}

// markFile is a file in a registration that names the run of the worktree. Git keeps the file and ignores it.
const markFile = "git-resume"

// RunOf returns the run that a registration names: by its lock, otherwise by the mark, which stays when the lock is removed.
// Both are only ever written on this machine, so they can be trusted; a journal may have come from anywhere.
func RunOf(admin string) string {
	if run, ours := strings.CutPrefix(place.Content(filepath.Join(admin, "locked")), LockPrefix); ours {
		return strings.TrimSpace(run)
	}
	return place.FirstLine(filepath.Join(admin, markFile))
}

// Mark notes in a registration to which run the worktree belongs; it does nothing if another run holds the lock.
func Mark(admin, run string) error {
	by, locked := strings.CutPrefix(place.Content(filepath.Join(admin, "locked")), LockPrefix)
	if locked && strings.TrimSpace(by) != run || place.FirstLine(filepath.Join(admin, markFile)) == run {
		return nil
	}
	if err := place.Replace(filepath.Join(admin, markFile), []byte(run+"\n")); err != nil {
		return fmt.Errorf("note whose worktree it is: %w", err)
	}
	return nil
}

// toolFolders are the folders in which other tools keep their worktrees, relative to the main worktree.
var toolFolders = []struct{ folder, tool string }{
	{".worktrees", "worktrees"},
	{".auto-claude/worktrees/tasks", "auto-claude"},
	{".claude/worktrees", "claude"},
}

// Find lists the main worktree, the registered ones sorted by the name of their registration, and then directories
// in other tools' folders that look like worktrees but are not registered. It writes nothing, and starts no process
// if refs are stored as files. It works where "git worktree list" gives up because of a damaged registration.
// It searches for a moved tree beside its old place and in the given directories.
func Find(ctx context.Context, repo *gitstate.Repo, around ...string) ([]Tree, error) {
	trees := []Tree{}
	around = append(around, DefaultDir(repo)) // the repository may have been moved with all its worktrees
	main := mainTree(ctx, repo)
	if main.Path != "" {
		trees = append(trees, main)
		for _, f := range toolFolders {
			if folder, ok := realFolder(main.Path, f.folder); ok {
				around = append(around, folder)
			}
		}
	}
	dirs, err := os.ReadDir(repo.CommonPath("worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	for _, d := range dirs {
		if d.IsDir() {
			trees = append(trees, examine(ctx, repo, repo.CommonPath("worktrees", d.Name()), around))
		}
	}
	trees = append(trees, unregistered(main.Path, trees)...)
	for i := range trees {
		trees[i].Tool = toolOf(main.Path, trees[i].Path)
	}
	return trees, nil
}

func mainTree(ctx context.Context, repo *gitstate.Repo) Tree {
	t := Tree{Admin: repo.CommonDir, Main: true, Health: Usable}
	if main, ok := repo.Main(); ok {
		t.Path = main.WorkTree
	}
	t.readState(ctx, repo)
	return t
}

// readState fills in HEAD, branch and operation from the tree's own git dir.
func (t *Tree) readState(ctx context.Context, repo *gitstate.Repo) {
	place := locate.Place{GitDir: t.Admin, CommonDir: repo.CommonDir, WorkTree: t.Path}
	at := repo.At(place)
	defer at.Close()
	t.Branch, t.Head, _ = at.Refs.Head(ctx) // the caller judges a HEAD that cannot be read
	t.Operation = ongoing.OperationIn(at)
	if t.Branch != "" {
		return
	}
	t.Branch = ongoing.HeldBranch(place)
}

// examine reads one registration and determines the state of its tree.
func examine(ctx context.Context, repo *gitstate.Repo, admin string, around []string) Tree {
	t := Tree{Admin: admin, Run: RunOf(admin)}
	if reason, err := os.ReadFile(filepath.Join(admin, "locked")); err == nil {
		t.Locked, t.LockReason = true, strings.TrimSpace(string(reason))
	}
	dot := place.Content(filepath.Join(admin, "gitdir"))
	if dot != "" {
		t.Path = filepath.Dir(place.AbsFrom(admin, dot))
	}
	t.readState(ctx, repo)
	if place.FirstLine(filepath.Join(admin, "commondir")) == "" || series.Unset(place.FirstLine(filepath.Join(admin, "HEAD"))) {
		t.Health = Incomplete
		return t
	}
	if dot == "" {
		t.Health = Incomplete
		// Git empties the file before it writes a new path into it; the tree itself still points here.
		if now := t.search(append(slices.Clip(around), DefaultDir(repo))); now != "" {
			t.Health, t.Now = Moved, now
		}
		return t
	}
	t.Health = t.compare(t.Path)
	if t.Health == Moved {
		t.Now = t.Path
	}
	if t.Health == Missing || t.Health == Plain || t.Health == Foreign {
		if now := t.search(around); now != "" {
			t.Health, t.Now = Moved, now
		}
	}
	if t.Health == Foreign {
		t.Of = owner(t.Path)
	}
	if t.Health == Usable && t.Locked && !place.Present(filepath.Join(admin, "index")) {
		t.Health = Incomplete // the checkout was not completed
	}
	return t
}

// compare reports whether the directory at path is the tree of this registration.
func (t Tree) compare(path string) Health {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		if err == nil {
			return Foreign
		}
		return Missing
	}
	to, ok := place.LeadsTo(path)
	switch {
	case !ok && place.Present(filepath.Join(path, ".git")):
		return Foreign
	case !ok:
		return Plain
	case place.SameDir(to, t.Admin):
		return Usable
	case !place.Present(to) && filepath.Base(to) == filepath.Base(t.Admin) && filepath.Base(filepath.Dir(to)) == "worktrees":
		return Moved // the tree stayed where it was and the repository was moved
	}
	return Foreign
}

// search looks for the tree of a registration beside its old place and in the given directories.
func (t Tree) search(around []string) string {
	if t.Path != "" {
		around = append([]string{filepath.Dir(t.Path)}, around...)
	}
	for _, dir := range around {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if !e.IsDir() || path == t.Path || strings.HasPrefix(e.Name(), place.TrashPrefix) {
				continue
			}
			to, ok := place.LeadsTo(path)
			if !ok {
				continue
			}
			if place.SameDir(to, t.Admin) || e.Name() == filepath.Base(t.Path) && t.compare(path) == Moved {
				return path
			}
		}
	}
	return ""
}

// owner returns the git dir of the repository that has a worktree at the path, if both point to each other.
func owner(path string) string {
	admin, ok := place.LeadsTo(path)
	if !ok || filepath.Base(filepath.Dir(admin)) != "worktrees" || !place.Same(filepath.Dir(place.AbsFrom(admin, place.Content(filepath.Join(admin, "gitdir")))), path) {
		return ""
	}
	return filepath.Dir(filepath.Dir(admin))
}

// unregistered lists the directories in other tools' folders that no registration names.
func unregistered(main string, known []Tree) []Tree {
	var out []Tree
	if main == "" {
		return nil
	}
	for _, f := range toolFolders {
		folder, ok := realFolder(main, f.folder)
		if !ok {
			continue
		}
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			path := filepath.Join(folder, e.Name())
			if !e.IsDir() || isKnown(known, path) {
				continue
			}
			t := Tree{Path: path, Health: Plain}
			if place.Present(filepath.Join(path, ".git")) {
				t.Health = Foreign
			}
			out = append(out, t)
		}
	}
	return out
}

// realFolder returns an existing folder below top that no link leads to: what is behind a link is not part of the repository.
func realFolder(top, path string) (folder string, ok bool) {
	folder = top
	for part := range strings.SplitSeq(path, "/") {
		folder = filepath.Join(folder, part)
		if info, err := os.Lstat(folder); err != nil || !info.IsDir() || place.IsLink(info) {
			return "", false
		}
	}
	return folder, true
}

func isKnown(known []Tree, path string) bool {
	return slices.ContainsFunc(known, func(t Tree) bool { return place.Same(t.Path, path) || place.Same(t.Now, path) })
}

// Strays returns the non-empty directories in the folder of our worktrees that are not among the known trees.
func Strays(repo *gitstate.Repo, known []Tree) []string {
	var out []string
	folder := DefaultDir(repo)
	entries, _ := os.ReadDir(folder) // on an error nothing is listed
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !e.IsDir() || isKnown(known, path) || strings.HasPrefix(e.Name(), place.TrashPrefix) {
			continue
		}
		if inside, err := os.ReadDir(path); err != nil || len(inside) > 0 {
			out = append(out, path)
		}
	}
	return out
}

func toolOf(main, path string) string {
	rel, err := filepath.Rel(main, path)
	if main == "" || err != nil {
		return ""
	}
	for _, f := range toolFolders {
		if filepath.ToSlash(filepath.Dir(rel)) == f.folder {
			return f.tool
		}
	}
	return ""
}

// DefaultDir is the folder for staging worktrees unless the user chooses another: beside the repository,
// where test runners, linters and "git clean" in the main tree do not see them.
func DefaultDir(repo *gitstate.Repo) string {
	home := repo.CommonDir
	if filepath.Base(home) == ".git" {
		home = filepath.Dir(home)
	}
	return filepath.Join(filepath.Dir(home), strings.TrimSuffix(filepath.Base(home), ".git")+".worktrees")
}

// insideDir is the last resort, a folder inside the repository that info/exclude hides from "git status".
const insideDir = ".git-resume-worktrees"

// MainDir returns the path of the main worktree, or the common directory of a bare repository.
func MainDir(repo *gitstate.Repo) string {
	if main, ok := repo.Main(); ok {
		return main.WorkTree
	}
	return repo.CommonDir
}

// OpenTree opens a tree as a repository although its directory and its git dir do not point to each other.
func OpenTree(repo *gitstate.Repo, admin, path string) (*gitstate.Repo, error) {
	place, err := locate.Find(path, []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + path})
	if err != nil {
		return nil, err
	}
	return repo.At(place), nil
}
