package staging

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/snapshot"
)

// Stager creates the worktrees of runs and saves their uncommitted files.
type Stager struct {
	*site.Site
}

// BranchFor returns the name of a run's branch. If a branch is called exactly like the prefix, git cannot create branches below that name,
// and BranchFor tries a second prefix. It fails if branches have the names of both prefixes.
func (e *Stager) BranchFor(ctx context.Context, id checkpoint.RunID) (refs.Name, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return "", err
	}
	prefix := site.BranchFolder(c)
	for _, folder := range []string{prefix, site.UsualFolders[1]} {
		at, err := e.Repo.Refs.Ref(ctx, refs.Branch(folder))
		if err != nil {
			return "", err
		}
		if at == "" {
			return refs.Branch(folder + "/" + string(id)), nil
		}
	}
	return "", &journal.TakenError{Ref: refs.Branch(prefix), Why: "git-resume needs branches below this name, so the name itself must not be a branch"}
}

// Stage creates the run's worktree and then records in the journal that the worktree is ready. A new worktree without this record may be
// incomplete. If Stage is interrupted, it can be called again, even in another worktree, because the journal says which uncommitted work to
// copy into the new worktree.
func (e *Stager) Stage(ctx context.Context, st *Started) error {
	r := &st.Journal.Run
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	req := worktree.CreateRequest{
		Run: string(r.ID), Branch: refs.Short(r.Branch), At: cmp.Or(r.Head, r.Base.Commit),
		Own: e.OwnBranch(r), Dir: e.treesDir(c), Ready: r.Admin != "", CopyIgnored: c.All("resume.copyignored"), Now: e.Now,
	}
	if r.Admin != "" {
		req.At = ""
	}
	from := e.Repo
	if place, ok := e.worktreeToTakeFrom(r); ok {
		req.Bring = true
		if place.GitDir != e.Repo.GitDir {
			from = e.Repo.At(place)
			defer from.Close()
		}
	}
	made, err := worktree.Create(ctx, from, req)
	if err != nil {
		return fmt.Errorf("make the worktree of %s: %w", r.ID, err)
	}
	st.Tree, st.Path = &made, made.Tree.Path
	admin := filepath.Base(made.Tree.Admin)
	if r.Admin == admin && !made.Fresh {
		return nil
	}
	st.Journal, err = e.Store.Append(ctx, r.ID, journal.Batch{Decide: func(now *checkpoint.Run) ([]checkpoint.Event, error) {
		if now.Epoch != r.Epoch { // another process has taken over the run while this process was waiting
			return nil, &journal.FencedError{Epoch: now.Epoch, By: now.Owner}
		}
		return []checkpoint.Event{{
			Event: checkpoint.TreeReady, Worktree: made.Tree.Path, Admin: admin,
			Head: made.Tree.Head, BaseTip: r.Base.Commit,
		}}, nil
	}})
	return err
}

// worktreeToTakeFrom returns the worktree whose uncommitted work is copied into the run. It returns false if the run already has a
// worktree, if no work is to be copied, or if the run was started in another clone.
func (e *Stager) worktreeToTakeFrom(r *checkpoint.Run) (locate.Place, bool) {
	clone := clone.ID(e.Repo)
	admin, here := strings.CutPrefix(r.Take, clone+"/")
	if r.Admin != "" || clone == "" || !here {
		return locate.Place{}, false
	}
	return e.TreeNamed(admin, "")
}

// TreeFor describes the worktree that a run should have. Its path is in the folder that FolderFor returns. The path in the journal is
// only shown to people and not used here.
func (e *Stager) TreeFor(c *settings.Config, r *checkpoint.Run) worktree.Want {
	return worktree.Want{Run: string(r.ID), Path: filepath.Join(e.FolderFor(c), string(r.ID)), Branch: r.Branch, Own: e.OwnBranch(r)}
}

// MayStage returns an error if a symbolic link in the repository is part of the path for new worktrees. It is called before a run is
// started.
func (e *Stager) MayStage(ctx context.Context) error {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return err
	}
	var link *place.LinkError
	if err := place.Safe(e.Repo, filepath.Join(e.FolderFor(c), "run")); errors.As(err, &link) {
		return err
	}
	return nil
}

// FolderFor returns the folder for new worktrees: the configured folder, or otherwise a folder next to the repository.
func (e *Stager) FolderFor(c *settings.Config) string {
	if dir := e.treesDir(c); dir != "" {
		return dir
	}
	return worktree.DefaultDir(e.Repo)
}

// Registered finds the worktree of a run in .git/worktrees, even if its folder is missing. If the run has no worktree, the field Admin of
// the result is empty.
func (e *Stager) Registered(ctx context.Context, r *checkpoint.Run) (worktree.Tree, error) {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil {
		return worktree.Tree{}, err
	}
	var around []string
	if dir := e.treesDir(c); dir != "" {
		around = append(around, dir)
	}
	return worktree.Look(ctx, e.Repo, e.TreeFor(c, r), around...)
}

// treesDir returns the configured folder for the worktrees of runs, or an empty text if none is configured. A relative path starts at the
// main worktree, or in a bare repository at the folder that contains it.
func (e *Stager) treesDir(c *settings.Config) string {
	dir, ok := c.Get("resume.worktreedir")
	if !ok || dir == "" {
		return ""
	}
	if filepath.IsAbs(dir) {
		return dir
	}
	if main, ok := e.Repo.Main(); ok {
		return filepath.Join(main.WorkTree, dir)
	}
	return filepath.Join(filepath.Dir(e.Repo.CommonDir), dir)
}

// Saved is a snapshot of the uncommitted work in a run's worktree.
type Saved struct {
	Journal  *journal.Journal
	Snapshot snapshot.Snapshot
	// Text is the text of the person who asked for the snapshot. It is recorded if there is a snapshot. Known is true if it was recorded
	// with this snapshot before.
	Text  string
	Known bool
}

// Recorded reports whether the journal mentions a snapshot, and if a text is given, whether it mentions the snapshot with this text. It
// does not if the process was killed just after it took the snapshot. If the journal cannot be read, Recorded returns true, and the next
// write to the journal reports the error.
func (e *Stager) Recorded(ctx context.Context, id checkpoint.RunID, snap snapshot.Snapshot, text string) bool {
	lines, err := e.Store.Lines(ctx, id)
	return err != nil || slices.ContainsFunc(lines, func(l checkpoint.Line) bool {
		names := l.Event.Tree == snap.ID || snap.Was != "" && l.Event.Commit == snap.Was
		return l.Ours && names && (text == "" || l.Event.Text == text)
	})
}

// Snapshot saves the uncommitted work in a worktree.
func (e *Stager) Snapshot(ctx context.Context, tree *gitstate.Repo, id checkpoint.RunID, cause string) (snapshot.Snapshot, error) {
	return e.take(ctx, tree, id, cause, snapshot.IfNeeded)
}

// SnapshotOfAll works like Snapshot, but also makes a snapshot if there are only files that no snapshot can hold. The snapshot lists them.
func (e *Stager) SnapshotOfAll(ctx context.Context, tree *gitstate.Repo, id checkpoint.RunID, cause string) (snapshot.Snapshot, error) {
	snap, err := e.Snapshot(ctx, tree, id, cause)
	ignored := func(o snapshot.Omission) bool { return o.Kind == snapshot.Ignored }
	if err != nil || snap.ID != "" || len(slices.DeleteFunc(slices.Clone(snap.Left), ignored)) == 0 {
		return snap, err
	}
	return e.take(ctx, tree, id, cause, snapshot.EvenClean)
}

func (e *Stager) take(ctx context.Context, tree *gitstate.Repo, id checkpoint.RunID, cause string, when snapshot.When) (snapshot.Snapshot, error) {
	req := snapshot.Request{Run: string(id), Cause: cause, When: when, Now: e.Now}
	var err error
	if req.MaxFile, err = largestSaved(ctx, tree); err != nil {
		return snapshot.Snapshot{}, err
	}
	snap, err := snapshot.Take(ctx, tree, req)
	if err != nil {
		return snap, fmt.Errorf("save uncommitted changes: %w", err)
	}
	return snap, nil
}

// Unsaved returns the uncommitted work in a worktree as a snapshot that is not saved. The argument "view" is the worktree as seen through a
// temporary store, which gets the objects.
func (e *Stager) Unsaved(ctx context.Context, view *gitstate.Repo, id checkpoint.RunID) (snapshot.Snapshot, error) {
	most, err := largestSaved(ctx, view)
	if err != nil {
		return snapshot.Snapshot{}, err
	}
	return snapshot.Present(ctx, view, snapshot.Request{Run: string(id), MaxFile: most, Now: e.Now})
}

// largestSaved returns the size of the largest file that a snapshot holds, or 0 if there is no limit.
func largestSaved(ctx context.Context, tree *gitstate.Repo) (int64, error) {
	c, err := tree.Settings.Config(ctx)
	if err != nil {
		return 0, err
	}
	return SizeSetting(c, "resume.maxfile", "resume.maxFile", 0)
}

// Size parses a number of bytes in the form of git's settings, such as 500, 10k, 5m or 1g.
func Size(v string) (int64, error) {
	units := map[string]int64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
	number := strings.TrimRight(strings.ToLower(v), "kmg")
	unit, ok := units[strings.ToLower(v)[len(number):]]
	if !ok {
		unit = 1
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || len(v)-len(number) > 1 || n < 0 || n > (1<<62)/unit {
		return 0, &candidate.TextError{What: "the size", Why: "must be a number such as 500k, 20m or 1g"}
	}
	return n * unit, nil
}

// Release unlocks the worktree of a closed run, so that git's own commands can move or remove it. It ignores errors.
func (e *Stager) Release(ctx context.Context, j *journal.Journal) {
	r := &j.Run
	if r.Here || !r.Closed() {
		return
	}
	t, err := e.Registered(ctx, r)
	if err == nil {
		_ = worktree.Unlock(t, string(r.ID)) // nothing is lost if the lock remains: git then refuses to move or remove the worktree
	}
}

// Started is the run that a start command returns. Again is true if the run had already been started before this command.
type Started struct {
	Journal *journal.Journal
	Again   bool
	Path    string
	// Done is true if an earlier process finished the run, but was killed before it could show this to the user.
	Done bool
	// Commands are the commands that the run would execute.
	Commands []string
	// Tree is the worktree of the run. It is nil if the run works in the user's own worktree.
	Tree *worktree.Created
	// Held is the lock that keeps other processes away from the run, or nil if no lock is needed. The caller must release it.
	Held *owner.HeldRun
}

// Hold locks a run for this process, and returns a function that releases the lock. It is for callers that change a run but execute no
// tasks.
func (e *Stager) Hold(id checkpoint.RunID) (release func(), err error) {
	held, err := e.KeepOthersOff(id)
	if err != nil {
		return nil, err
	}
	return held.Release, nil
}

// KeepOthersOff locks a run for this process. It returns an error if another process holds the lock.
func (e *Stager) KeepOthersOff(id checkpoint.RunID) (*owner.HeldRun, error) {
	self, _ := e.Procs.Get(e.PID)
	actor := checkpoint.NewActor(e.Procs.Host(), self, clone.ID(e.Repo))
	actor.Agent, actor.Session = e.Agent, e.Session
	return owner.Hold(e.Store, id, actor)
}

// LogLimit returns how many bytes of a command's output are kept.
func LogLimit(c *settings.Config) (int64, error) {
	return SizeSetting(c, "resume.loglimit", "resume.logLimit", 16<<20)
}

// SizeSetting returns a setting that is a number of bytes, or the usual value if it is not set. The text "name" is the key as shown in
// error messages.
func SizeSetting(c *settings.Config, key, name string, usual int64) (int64, error) {
	v, ok := c.Get(key)
	if !ok {
		return usual, nil
	}
	size, err := Size(v)
	if err != nil {
		return 0, fmt.Errorf("setting '%s' is '%s': %w", name, v, err)
	}
	return size, nil
}
