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

// The states of a worktree. An empty value means that the state is not known.
const (
	// Usable means that the worktree and its folder in .git/worktrees exist, and that their paths to each other are right.
	Usable Health = "usable"
	// Missing means that nothing was found at the path, and that the worktree was not found elsewhere.
	Missing Health = "missing"
	// Moved means that the worktree or the repository was moved, so that their paths to each other are wrong. Tree.Now is the present path,
	// and Repair corrects the paths.
	Moved Health = "moved"
	// Incomplete means that a file in .git/worktrees/<name> is missing or empty. Usually "git worktree add" was interrupted.
	Incomplete Health = "husk"
	// Plain means that the path is a directory but not a worktree. A git command in it would use the repository around it, if there is one.
	Plain Health = "plain directory"
	// Foreign means that the path belongs to another repository or to another worktree of this repository, or is not a directory.
	Foreign Health = "foreign"
	// MidOperation means usable, but in the middle of a merge, rebase or similar operation.
	MidOperation Health = "mid-operation"
	// OtherBranch means usable, but not on the expected branch.
	OtherBranch Health = "other branch"
)

// Tree describes one worktree. It can also describe a path at which a worktree is missing.
type Tree struct {
	Path string
	// Admin is the worktree's own git dir. It is empty if no worktree is registered.
	Admin string
	Main  bool
	Head  object.ID
	// Branch is a full ref name, or empty if HEAD is detached. During a rebase or bisect it is the branch to which HEAD will return.
	Branch     refs.Name
	Locked     bool
	LockReason string
	// Run is the run to which the worktree belongs, or empty if it belongs to none.
	Run    string
	Health Health
	// Now is the present path of a moved worktree.
	Now string
	// Taken means that another worktree is registered at the path.
	Taken bool
	// Of is the git dir of another repository whose worktree is at the path, for example because the repository was copied.
	Of        string
	Operation ongoing.Operation
	// Tool is the name of the other tool in whose folder the worktree is, or empty if there is none.
	Tool string
}

// LockPrefix is the start of the reason in our worktree locks, as in "git-resume RUN".
const LockPrefix = "git-resume "

// LockedBy returns the run that locked the worktree. If the second result is false, the worktree has no lock, or the lock is not from
// git-resume.
func (t Tree) LockedBy() (run string, ours bool) {
	run, ours = strings.CutPrefix(t.LockReason, LockPrefix)
	return run, ours && t.Locked
}

// MarkFile is a file in .git/worktrees/<name> that contains the name of the worktree's run. git ignores the file.
const MarkFile = "git-resume"

// RunOf returns the run of a worktree, from its lock or from the mark file in .git/worktrees. It returns "" if neither names a run. Both
// files are only written on this machine, so they are more reliable than a journal from another clone.
func RunOf(admin string) string {
	if run, ours := strings.CutPrefix(place.Content(filepath.Join(admin, "locked")), LockPrefix); ours {
		return strings.TrimSpace(run)
	}
	return place.FirstLine(filepath.Join(admin, MarkFile))
}

// Mark writes the name of the run into the mark file in the worktree's folder in .git/worktrees. It does nothing if another run has locked
// the worktree.
func Mark(admin, run string) error {
	by, locked := strings.CutPrefix(place.Content(filepath.Join(admin, "locked")), LockPrefix)
	if locked && strings.TrimSpace(by) != run || place.FirstLine(filepath.Join(admin, MarkFile)) == run {
		return nil
	}
	if err := place.Replace(filepath.Join(admin, MarkFile), []byte(run+"\n")); err != nil {
		return fmt.Errorf("record which run the worktree belongs to: %w", err)
	}
	return nil
}

// toolFolders are the folders in which other tools keep their worktrees, relative to the main worktree.
var toolFolders = []struct{ folder, tool string }{
	{".worktrees", "worktrees"},
	{".auto-claude/worktrees/tasks", "auto-claude"},
	{".claude/worktrees", "claude"},
}

// Find lists the main worktree, the registered worktrees, and unregistered directories in the folders of other tools. It works even if a
// damaged folder in .git/worktrees makes "git worktree list" fail. It searches for moved worktrees next to their old paths, in the default
// folder, in the folders of other tools, and in the given directories.
func Find(ctx context.Context, repo *gitstate.Repo, around ...string) ([]Tree, error) {
	trees := []Tree{}
	around = append(around, DefaultDir(repo)) // worktrees that were moved together with the repository are usually in this folder
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

// readState fills in HEAD, branch and operation from the worktree's git dir.
func (t *Tree) readState(ctx context.Context, repo *gitstate.Repo) {
	place := locate.Place{GitDir: t.Admin, CommonDir: repo.CommonDir, WorkTree: t.Path}
	at := repo.At(place)
	defer at.Close()
	t.Branch, t.Head, _ = at.Refs.Head(ctx) // if HEAD cannot be read, the field Head stays empty
	t.Operation = ongoing.OperationIn(at)
	if t.Branch != "" {
		return
	}
	t.Branch = ongoing.HeldBranch(place)
}

// examine reads one folder in .git/worktrees and determines the state of its worktree.
func examine(ctx context.Context, repo *gitstate.Repo, admin string, around []string) Tree {
	t := Tree{Admin: admin, Run: RunOf(admin)}
	if reason, err := os.ReadFile(filepath.Join(admin, "locked")); err == nil {
		t.Locked, t.LockReason = true, strings.TrimSpace(string(reason))
	}
	dot := strings.Trim(place.Content(filepath.Join(admin, "gitdir")), "\x00") // remove NUL bytes, which a power failure may leave
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
		// git empties the file "gitdir" before it writes a new path into it. If git was killed in between, only the worktree's ".git" file shows
		// where the worktree is.
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
		t.Health = Incomplete // the index is missing, so the checkout was probably interrupted
	}
	return t
}

// compare checks whether the directory at the given path is the worktree that t describes. It returns the state of the worktree.
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
		return Moved // the repository was moved, but the worktree was not
	}
	return Foreign
}

// search looks for a moved worktree next to its old path and in the given directories. It returns "" if it finds none.
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

// owner returns the git dir of the repository that has a registered worktree at the path, or an empty text if there is none.
func owner(path string) string {
	admin, ok := place.LeadsTo(path)
	if !ok || filepath.Base(filepath.Dir(admin)) != "worktrees" || !place.Same(filepath.Dir(place.AbsFrom(admin, place.Content(filepath.Join(admin, "gitdir")))), path) {
		return ""
	}
	return filepath.Dir(filepath.Dir(admin))
}

// unregistered lists directories in other tools' folders that are not registered worktrees.
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

// realFolder returns an existing folder below the folder top. It does not follow links, because they may lead out of the repository.
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

// Strays looks into the default folder for worktrees, and returns the directories there that are not worktrees. It leaves out empty
// directories, and directories that were moved to the trash.
func Strays(repo *gitstate.Repo, known []Tree) []string {
	var out []string
	folder := DefaultDir(repo)
	entries, _ := os.ReadDir(folder) // on an error, no directory is listed
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

// DefaultDir returns the default folder for the worktrees of runs. It is next to the repository, so that test runners, linters and "git
// clean" do not find it. For a submodule it is next to the outermost repository, in whose git dir the submodule is.
func DefaultDir(repo *gitstate.Repo) string {
	home := outermost(repo.Place).CommonDir
	if filepath.Base(home) == ".git" {
		home = filepath.Dir(home)
	}
	return filepath.Join(filepath.Dir(home), strings.TrimSuffix(filepath.Base(home), ".git")+".worktrees")
}

// outermost returns the repository that contains the git dir of a submodule, or p itself if it is none.
func outermost(p locate.Place) locate.Place {
	for filepath.Base(p.CommonDir) != ".git" {
		main, ok := p.Main()
		if !ok {
			break
		}
		above, err := locate.Find(filepath.Dir(main.WorkTree), nil)
		if err != nil || !strings.HasPrefix(p.CommonDir, above.CommonDir+string(filepath.Separator)) {
			break
		}
		p = above
	}
	return p
}

// insideDir is a folder inside the repository. It is used if no folder can be made next to the repository. An entry in info/exclude hides
// the folder from "git status".
const insideDir = ".git-resume-worktrees"

// MainDir returns the path of the main worktree, or the git dir if there is no main worktree.
func MainDir(repo *gitstate.Repo) string {
	if main, ok := repo.Main(); ok {
		return main.WorkTree
	}
	return repo.CommonDir
}

// OpenTree opens a worktree with the given git dir, even if their paths to each other are wrong.
func OpenTree(repo *gitstate.Repo, admin, path string) (*gitstate.Repo, error) {
	place, err := locate.Find(path, []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + path})
	if err != nil {
		return nil, err
	}
	return repo.At(place), nil
}
