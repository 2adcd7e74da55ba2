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
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree"
)

// Site holds what differs between calls of the program, such as the repository and the current folder.
type Site struct {
	Repo  *gitstate.Repo
	Store *journal.Store
	Now   func() time.Time
	Procs proc.Table
	// PID is the id of this process. Owner is the random id of the run's owner that started this process, from the variable
	// GIT_RESUME_OWNER. It is "" if the variable is not set.
	PID   int
	Owner string
	// Agent and Session identify the coding agent that called the program, if the environment contains them.
	Agent, Session string
	// User is the login name of the user, or "" if the environment does not contain it.
	User string
	// Home is the user's home folder, and Getenv returns a variable of the environment. They say where agents keep their files.
	Home   string
	Getenv func(string) string
	// RunName is the run that the environment names, or "".
	RunName string
	// Dir is the caller's current folder. Relative paths start there.
	Dir string
	// Outputs are the files to which the program writes its output, if they are known.
	Outputs []*os.File
	// Random returns random bytes for new names.
	Random func() [4]byte
	// Patience is how long to wait for somebody else who uses a worktree. Zero means the default.
	Patience time.Duration
}

// NotCheckedOutError says that the base is not checked out in any worktree, so that nothing can be merged into it.
type NotCheckedOutError struct {
	Base string
	// NoBranch is true if the base cannot be checked out as a branch, because it is a tag or a branch of a remote, or was deleted. Then Run
	// is the branch of the run.
	NoBranch bool
	Run      refs.Name
}

func (e *NotCheckedOutError) Error() string {
	if e.NoBranch {
		return fmt.Sprintf("the base '%s' is not a branch of this repository", e.Base)
	}
	return fmt.Sprintf("branch '%s' is not checked out in any worktree", e.Base)
}

// BranchFolder returns the setting resume.branchPrefix without slashes at its ends. If the setting is empty, it returns "resume".
func BranchFolder(c *settings.Config) string {
	if v, ok := c.Get("resume.branchprefix"); ok && strings.Trim(v, "/") != "" {
		return strings.Trim(v, "/")
	}
	return UsualFolders[0]
}

// UsualFolders holds the default prefixes for branches of runs.
// The second is used if a branch named "resume" exists, because git then cannot create resume/x.
var UsualFolders = []string{"resume", "git-resume"}

// BaseTree returns the worktree in which the run's base is checked out. If there is none, the error is a NotCheckedOutError.
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
	at, err := e.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name))
	return nil, &NotCheckedOutError{Base: r.Base.Name, NoBranch: err == nil && at == "", Run: r.Branch}
}

// MoveLocks lists the lock files that git may take when it moves a branch and updates the worktree where the branch is
// checked out.
func MoveLocks(tree *gitstate.Repo, branch refs.Name) []string {
	var out []string
	for _, name := range []string{"index", "HEAD", "ORIG_HEAD", "AUTO_MERGE", "MERGE_HEAD"} {
		out = append(out, filepath.Join(tree.GitDir, name+".lock"))
	}
	return append(out, tree.Refs.BranchLocks(branch)...)
}

// BaseTip returns the current commit of the base branch. If the branch cannot be found, it returns the base commit that the run recorded.
func (e *Site) BaseTip(ctx context.Context, r *checkpoint.Run) object.ID {
	if r.Base.Name == "" {
		return r.Base.Commit
	}
	if at, err := e.Repo.Refs.Ref(ctx, refs.Branch(r.Base.Name)); err == nil && at != "" {
		return at
	}
	return r.Base.Commit
}

// OperationPatience is how long to wait for another git-resume in the same worktree. It is short, because a user is waiting.
const OperationPatience = 10 * time.Second

// UpdateMessage returns the commit message for merging the base into a run. Its trailer identifies the merge as one by git-resume.
func UpdateMessage(r *checkpoint.Run) string {
	return fmt.Sprintf("Merge branch '%s' into %s\n\n%s: %s\n", r.Base.Name, ShortBranch(r.Branch), checkpoint.TrailerRun, r.ID)
}

func ShortBranch(ref refs.Name) string {
	if ref == "" {
		return "(detached HEAD)"
	}
	return refs.Short(ref)
}

// MustOwn returns an error if the run was neither started nor taken over by this user in this clone.
func MustOwn(r *checkpoint.Run) error {
	if r.Ours() {
		return nil
	}
	return &checkpoint.ElsewhereError{Run: r.ID, Lack: r.Lack}
}

// Admin returns the name of the current worktree: "main", or the name of its folder in .git/worktrees.
// The name does not change when the repository is moved.
func (e *Site) Admin() string { return AdminOf(e.Repo.Place) }

const MainAdmin = "main"

func AdminOf(p locate.Place) string {
	if p.GitDir == p.CommonDir {
		return MainAdmin
	}
	return filepath.Base(p.GitDir)
}

// TreeOf finds the worktree of a run in git's list of worktrees. The path in the journal is only a hint. The second result is false if the
// run has no such worktree.
func (e *Site) TreeOf(r *checkpoint.Run) (locate.Place, bool) {
	if r.Here {
		return e.TreeNamed(r.Admin, r.Worktree)
	}
	if r.Admin == "" {
		return locate.Place{}, false // the start was interrupted before the worktree was complete
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

// owns reports whether a linked worktree belongs to the run: by the run id that is stored with the worktree, or by its branch if no id is
// stored.
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

// OwnBranch reports whether the run's branch has a name that git-resume gives to branches of runs. The check is needed because a forged
// journal can contain any branch.
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

// PlaceHere returns the current worktree as a place of the run, or nil if it is none. A place is the linked worktree of one task.
func PlaceHere(e *Site, r *checkpoint.Run) *checkpoint.Place {
	for i := range r.Places {
		if p := &r.Places[i]; p.Admin == e.Admin() && p.Admin != MainAdmin && worktree.RunOf(e.Repo.GitDir) == r.ID.Place(p.N) {
			return p
		}
	}
	return nil
}

// TreeNamed finds a worktree by its name: "main", or the name of its folder in .git/worktrees. The argument "seen" is the last known path
// of the main worktree.
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

// mainTree finds the main worktree of the repository. If git does not know its path, mainTree tries the path in the argument "seen", and
// checks that it belongs to this repository.
func (e *Site) mainTree(seen string) (locate.Place, bool) {
	if p, ok := e.Repo.Main(); ok {
		return p, true
	}
	p, err := locate.Find(seen, nil)
	return p, seen != "" && err == nil && p.GitDir == e.Repo.CommonDir && p.WorkTree != ""
}

// Clone returns the name of this clone. If it has none yet, Clone creates one.
func (e *Site) Clone() (string, error) {
	c := e.Random()
	d := e.Random()
	id, err := clone.Ensure(e.Repo, fmt.Sprintf("%x%x", c, d))
	if err != nil {
		return "", fmt.Errorf("give this clone an id: %w", err)
	}
	return id, nil
}

// Driver describes the process that does the work. If pid is not 0, this is the process with this id, and it is an error if there is no
// such process. If pid is 0, it is the program that called git-resume. If no such program is found, the worker is the agent's session in
// which git-resume was called, and without a session the result is nil.
func (e *Site) Driver(pid int, clone string) (*checkpoint.Actor, error) {
	p, ok := e.Procs.Driver(e.PID)
	if pid > 0 {
		if p, ok = e.Procs.Get(pid); !ok {
			return nil, fmt.Errorf("there is no process %d", pid)
		}
	}
	if !ok && e.Session == "" {
		return nil, nil
	}
	if !ok || pid == 0 && e.Session != "" && session.IsDaemon(p) {
		p = proc.Process{Args: []string{e.Agent}} // this process serves many sessions and outlives them, so the session identifies the worker, and not the process
	}
	a := checkpoint.NewActor(e.Procs.Host(), p, clone)
	a.Agent, a.Session = e.Agent, e.Session
	return a, nil
}

// ErrUnborn says that the branch has no commit yet, so that no run can start from it.
var ErrUnborn = errors.New("the branch has no commit yet")

// ErrUnbornBare is ErrUnborn in a place without checked-out files, such as a bare repository. There, git has no files for a first commit.
var ErrUnbornBare = fmt.Errorf("%w, and this is not a work tree", ErrUnborn)

// ErrNoWorkTree says that the current folder is not in a work tree.
var ErrNoWorkTree = errors.New("this must be run in a work tree")
