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

// Health says what became of a worktree.
type Health string

// The states of a worktree; the empty one means that nobody looked.
const (
	// Usable: registered, there, and tree and registration lead to each other.
	Usable Health = "usable"
	// Missing: no tree at the path, and none found elsewhere.
	Missing Health = "missing"
	// Moved: the tree or the repository was moved; Tree.Now says where the tree is, which may be where it was. Repair mends it.
	Moved Health = "moved"
	// Husk: left by a "worktree add" that was cut off.
	Husk Health = "husk"
	// Plain: a directory without a registration. Git inside it would act on the repository around it.
	Plain Health = "plain directory"
	// Foreign: what is at the path belongs to another repository or another registration.
	Foreign Health = "foreign"
	// MidOperation: usable, but in the middle of a merge, rebase or the like.
	MidOperation Health = "mid-operation"
	// OtherBranch: usable, but not on the branch that was expected.
	OtherBranch Health = "other branch"
)

// Tree is one worktree, or what is at the place of one.
type Tree struct {
	Path string
	// Admin is the worktree's own git dir; empty if nothing is registered.
	Admin string
	Main  bool
	Head  object.ID
	// Branch is a full ref name; during a rebase or bisect the one that it will go back to. Empty if detached.
	Branch     refs.Name
	Locked     bool
	LockReason string
	// Run is the run whose worktree this is by its own registration; empty if that names none.
	Run    string
	Health Health
	// Now is where a moved tree is.
	Now string
	// Taken: the path is registered, but for something else than what was looked for.
	Taken bool
	// Of is the git dir of another repository whose worktree is at the path: this one may be a copy of that.
	Of        string
	Operation ongoing.Operation
	// Tool names the program whose folder the tree is in; empty for any other place.
	Tool string
}

// LockPrefix begins the reason of our locks; the run follows.
const LockPrefix = "git-resume "

// LockedBy is the run that locked the tree; ours is false if nobody did, or somebody else.
func (t Tree) LockedBy() (run string, ours bool) {
	run, ours = strings.CutPrefix(t.LockReason, LockPrefix)
	return run, ours && t.Locked
}

// markFile names, in a registration, the run whose worktree it is. git keeps it there and does not look at it.
const markFile = "git-resume"

// RunOf is the run that a registration names: by its lock, else by the mark that stays when the lock is taken off.
// Both are written on this machine only; a journal may have come from anywhere.
func RunOf(admin string) string {
	if run, ours := strings.CutPrefix(place.Content(filepath.Join(admin, "locked")), LockPrefix); ours {
		return strings.TrimSpace(run)
	}
	return place.FirstLine(filepath.Join(admin, markFile))
}

// Mark notes in a registration whose worktree it is; one that another run has locked stays that run's.
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

// toolFolders are where other tools keep their worktrees, seen from the main one.
var toolFolders = []struct{ folder, tool string }{
	{".worktrees", "worktrees"},
	{".auto-claude/worktrees/tasks", "auto-claude"},
	{".claude/worktrees", "claude"},
}

// Find lists the main worktree, the registered ones by path, and then directories in other tools' folders
// that look like worktrees and are not registered. It starts no process where refs are files, and writes nothing;
// it works where "git worktree list" gives up over a torn registration.
// A tree that was moved is looked for beside its old place and in the directories given.
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
	t.Branch, t.Head, _ = at.Refs.Head(ctx) // a HEAD that cannot be read is judged by the caller
	t.Operation = ongoing.OperationIn(at)
	if t.Branch != "" {
		return
	}
	t.Branch = ongoing.Held(place)
}

// examine judges one registration.
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
		t.Health = Husk
		return t
	}
	if dot == "" {
		t.Health = Husk
		// git cuts the file off before it writes a new place into it; the tree itself still leads here.
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
		t.Health = Husk // the checkout did not come to its end
	}
	return t
}

// compare tells whether the directory at path is this registration's tree.
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
		return Moved // the tree stayed and the repository went
	}
	return Foreign
}

// search looks for the tree of a registration beside its old place and around.
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

// owner is the git dir of the repository that has a worktree at the path; both must name each other.
func owner(path string) string {
	admin, ok := place.LeadsTo(path)
	if !ok || filepath.Base(filepath.Dir(admin)) != "worktrees" || !place.Same(filepath.Dir(place.AbsFrom(admin, place.Content(filepath.Join(admin, "gitdir")))), path) {
		return ""
	}
	return filepath.Dir(filepath.Dir(admin))
}

// unregistered lists directories in tools' folders that no registration names.
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
			if !e.IsDir() || among(known, path) {
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

// realFolder is a folder below another one that is there and is reached through no link: behind one lies nothing of the repository's.
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

func among(known []Tree, path string) bool {
	return slices.ContainsFunc(known, func(t Tree) bool { return place.Same(t.Path, path) || place.Same(t.Now, path) })
}

// Strays are directories with something in them that lie where our worktrees are and are none of those given.
func Strays(repo *gitstate.Repo, known []Tree) []string {
	var out []string
	folder := DefaultDir(repo)
	entries, _ := os.ReadDir(folder) // none: nothing lies there
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if !e.IsDir() || among(known, path) || strings.HasPrefix(e.Name(), place.TrashPrefix) {
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

// DefaultDir is where staging worktrees go unless the user says otherwise: beside the repository,
// out of sight of test runners, linters and "git clean" in the main tree.
func DefaultDir(repo *gitstate.Repo) string {
	home := repo.CommonDir
	if filepath.Base(home) == ".git" {
		home = filepath.Dir(home)
	}
	return filepath.Join(filepath.Dir(home), strings.TrimSuffix(filepath.Base(home), ".git")+".worktrees")
}

// insideDir is the last resort, kept out of "git status" by info/exclude.
const insideDir = ".git-resume-worktrees"

// MainDir is the main worktree, or the common directory of a bare repository.
func MainDir(repo *gitstate.Repo) string {
	if main, ok := repo.Main(); ok {
		return main.WorkTree
	}
	return repo.CommonDir
}

// OpenTree asks git about a tree whose directory and git dir are not where they would look for each other.
func OpenTree(repo *gitstate.Repo, admin, path string) (*gitstate.Repo, error) {
	place, err := locate.Find(path, []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + path})
	if err != nil {
		return nil, err
	}
	return repo.At(place), nil
}
