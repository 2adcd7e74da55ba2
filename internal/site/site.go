package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
)

// Site is the place where one user works in one repository.
// Everything that varies from call to call of the program is passed in as a field.
type Site struct {
	Repo  *gitstate.Repo
	Store *journal.Store
	Now   func() time.Time
	Procs proc.Table
	// PID is this process. Owner, if set, is the nonce of the owner that started this process.
	PID   int
	Owner string
	// Agent and Session name the coding agent that called the program, if the agent says so.
	Agent, Session string
	// RunName is the run that the environment names; empty if it names none.
	RunName string
	// Dir is the caller's current folder: relative paths start there.
	Dir string
	// Random returns random bytes for new names.
	Random func() [4]byte
	// Patience is how long to wait for somebody who is working in a worktree; zero means the usual time.
	Patience time.Duration
}

// NotCheckedOutError says that the base is not checked out in any worktree, so that there is no worktree to merge in.
type NotCheckedOutError struct{ Base string }

func (e *NotCheckedOutError) Error() string {
	return fmt.Sprintf("branch '%s' is not checked out in any worktree", e.Base)
}

// BranchFolder returns the folder in which the branches of new runs are created.
func BranchFolder(c *settings.Config) string {
	if v, ok := c.Get("resume.branchprefix"); ok && strings.Trim(v, "/") != "" {
		return strings.Trim(v, "/")
	}
	return UsualFolders[0]
}

// UsualFolders are the folders for run branches, unless the user chose another: the second is used where the first is itself a branch.
var UsualFolders = []string{"resume", "git-resume"}

// BaseTree returns the worktree in which the run's base is checked out; without one, the error is a NotCheckedOutError.
func (e *Site) BaseTree(ctx context.Context, r *checkpoint.Run) (*gitstate.Repo, error) {
	trees, err := e.Repo.Worktrees(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if t.Branch != refs.Branch(r.Base.Name) {
			continue
		}
		place, err := locate.Find(t.Path, nil)
		if err != nil {
			return nil, err
		}
		return e.Repo.At(place), nil
	}
	return nil, &NotCheckedOutError{r.Base.Name}
}

// MoveLocks lists the lock files that git takes when it moves a branch together with the worktree in which it is checked out.
func MoveLocks(tree *gitstate.Repo, branch refs.Name) []string {
	var out []string
	for _, name := range []string{"index", "HEAD", "ORIG_HEAD", "AUTO_MERGE", "MERGE_HEAD"} {
		out = append(out, filepath.Join(tree.GitDir, name+".lock"))
	}
	return append(out, tree.Refs.BranchLocks(branch)...)
}

// BaseTip returns the commit at which the base branch is now; if the branch is gone, the base commit that the run recorded.
func (e *Site) BaseTip(ctx context.Context, r *checkpoint.Run) object.ID {
	if r.Base.Name == "" {
		return r.Base.Commit
	}
	if at, err := e.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name)); err == nil && at != "" {
		return at
	}
	return r.Base.Commit
}

// OperationPatience is how long another git-resume may work in this worktree before we report the worktree as busy.
// It is short because the user is waiting, and what was shown to the user may be outdated by then.
const OperationPatience = 10 * time.Second

// UpdateMessage returns the message of the commit that merges the base into a run; it distinguishes our own merges from others.
func UpdateMessage(r *checkpoint.Run) string {
	return fmt.Sprintf("Merge branch '%s' into %s\n\n%s: %s\n", r.Base.Name, ShortBranch(r.Branch), checkpoint.TrailerRun, r.ID)
}

func ShortBranch(ref refs.Name) string {
	if ref == "" {
		return "(detached HEAD)"
	}
	return refs.Short(ref)
}

// MustOwn refuses to act on a run that this user neither started nor took over in this clone.
func MustOwn(r *checkpoint.Run) error {
	if r.Ours() {
		return nil
	}
	return &checkpoint.ElsewhereError{Run: r.ID, Lack: r.Lack}
}

// Admin returns the name of the current worktree: "main", or the name of its folder below worktrees/.
// This name stays the same when the repository is moved.
func (e *Site) Admin() string { return AdminOf(e.Repo.Place) }

const MainAdmin = "main"

func AdminOf(p locate.Place) string {
	if p.GitDir == p.CommonDir {
		return MainAdmin
	}
	return filepath.Base(p.GitDir)
}

// TreeOf finds the worktree of a run as git has it registered now. The journal only suggests where to look first:
// ok is false if nothing is registered there, or if what is registered there does not belong to the run.
func (e *Site) TreeOf(r *checkpoint.Run) (locate.Place, bool) {
	if r.Here {
		return e.TreeNamed(r.Admin, r.Worktree)
	}
	if r.Admin == "" {
		return locate.Place{}, false // the worktree was never completed
	}
	for _, admin := range slices.Compact([]string{r.Admin, string(r.ID)}) {
		if admin == MainAdmin {
			continue
		}
		if p, ok := e.TreeNamed(admin, ""); ok && e.owns(p, r) {
			return p, true
		}
	}
	return locate.Place{}, false
}

// owns reports whether a worktree belongs to the run. Its registration says so, which only this machine writes. A worktree whose registration
// names no run (made by hand or by an earlier version) belongs to the run if the branch checked out there has the run's name.
func (e *Site) owns(p locate.Place, r *checkpoint.Run) bool {
	if p.GitDir == p.CommonDir {
		return false
	}
	if run := worktree.RunOf(p.GitDir); run != "" {
		return run == string(r.ID)
	}
	if !e.OwnBranch(r) {
		return false
	}
	at := e.Repo.At(p)
	defer at.Close()
	branch, _, err := at.Refs.Head(context.Background())
	if branch == "" {
		branch = ongoing.HeldBranch(p)
	}
	return err == nil && branch == r.Branch
}

// OwnBranch reports whether the run's branch is one that this program would have created for the run. A journal may name any branch.
func (e *Site) OwnBranch(r *checkpoint.Run) bool {
	folder, named := strings.CutSuffix(refs.Short(r.Branch), "/"+string(r.ID))
	switch {
	case !named:
		return false
	case slices.Contains(UsualFolders, folder):
		return true
	case !e.Repo.Settings.Mentions("branchprefix"):
		return false
	}
	c, err := e.Repo.Settings.Config(context.Background())
	return err == nil && folder == BranchFolder(c)
}

// WorksHere reports whether the current worktree belongs to the run.
func (e *Site) WorksHere(r *checkpoint.Run) bool {
	if r.Here || r.Admin == "" {
		return r.Admin == e.Admin()
	}
	return e.owns(e.Repo.Place, r)
}

// TreeNamed finds a worktree by its name in the repository. seen, its last known path, is used only for a main worktree not found otherwise.
func (e *Site) TreeNamed(admin, seen string) (locate.Place, bool) {
	if admin == e.Admin() {
		return e.Repo.Place, true
	}
	if admin == MainAdmin {
		return e.mainTree(seen)
	}
	dir := e.Repo.CommonPath("worktrees", admin)
	text, err := os.ReadFile(filepath.Join(dir, "gitdir"))
	if admin == "" || err != nil {
		return locate.Place{}, false
	}
	top := filepath.Dir(strings.TrimRight(string(text), "\n"))
	if !filepath.IsAbs(top) {
		top = filepath.Join(dir, top)
	}
	p, err := locate.Find(top, nil)
	return p, err == nil && p.GitDir == dir
}

// mainTree finds the main worktree from a linked one. If the repository does not say where the main worktree is,
// the path from the run's record is used, but only if what is there now leads back to this repository.
func (e *Site) mainTree(seen string) (locate.Place, bool) {
	if p, ok := e.Repo.Main(); ok {
		return p, true
	}
	p, err := locate.Find(seen, nil)
	return p, seen != "" && err == nil && p.GitDir == e.Repo.CommonDir && p.WorkTree != ""
}

// Clone returns the name of this copy of the repository, after naming it if it has no name yet.
func (e *Site) Clone() (string, error) {
	c := e.Random()
	d := e.Random()
	id, err := clone.Ensure(e.Repo, fmt.Sprintf("%x%x", c, d))
	if err != nil {
		return "", fmt.Errorf("name this clone: %w", err)
	}
	return id, nil
}

// Driver describes the process that reports: the one with the given pid, otherwise the one above us that really does the work.
// The result is nil if processes cannot be seen.
func (e *Site) Driver(pid int, clone string) (*checkpoint.Actor, error) {
	p, ok := e.Procs.Driver(e.PID)
	if pid > 0 {
		if p, ok = e.Procs.Get(pid); !ok {
			return nil, fmt.Errorf("there is no process %d", pid)
		}
	}
	if !ok {
		return nil, nil
	}
	a := checkpoint.NewActor(e.Procs.Host(), p, clone)
	a.Agent, a.Session = e.Agent, e.Session
	return a, nil
}

// ErrUnborn says that the branch has no commit yet, so that a run has nothing to start from.
var ErrUnborn = errors.New("the branch has no commit yet")

// ErrNoWorkTree says that the current folder is not in a work tree.
var ErrNoWorkTree = errors.New("this must be run in a work tree")
