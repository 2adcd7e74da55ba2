package resume

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
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/worktree"
)

// branchFor names the branch of a run. Where a branch is itself called like the folder, another folder is used.
func (e *Engine) branchFor(ctx context.Context, id checkpoint.RunID) (string, error) {
	c, err := e.Repo.Config(ctx)
	if err != nil {
		return "", err
	}
	prefix := "resume"
	if v, ok := c.Get("resume.branchprefix"); ok && strings.Trim(v, "/") != "" {
		prefix = strings.Trim(v, "/")
	}
	for _, folder := range []string{prefix, "git-resume"} {
		at, err := e.Repo.Ref(ctx, "refs/heads/"+folder)
		if err != nil {
			return "", err
		}
		if at == "" {
			return "refs/heads/" + folder + "/" + string(id), nil
		}
	}
	return "", &checkpoint.TakenError{Ref: "refs/heads/" + prefix, Why: "it is a branch, and runs need it as a folder"}
}

// stage makes the staging worktree and records that it is ready.
// A younger tree without that record is a husk, never anybody's work.
//
// What was to be taken along is so whenever the first one is made: whoever continues a start that was cut off
// may be in another worktree, and does not give its flags again.
func (e *Engine) stage(ctx context.Context, st *Started) error {
	r := &st.Journal.Run
	c, err := e.Repo.Config(ctx)
	if err != nil {
		return err
	}
	req := worktree.CreateRequest{
		Run: string(r.ID), Branch: strings.TrimPrefix(r.Branch, "refs/heads/"), At: cmp.Or(r.Head, r.Base.Commit),
		Dir: e.treesDir(c), Ready: r.Admin != "", CopyIgnored: c.All("resume.copyignored"), Now: e.Now,
	}
	if r.Admin != "" {
		req.At, req.Path = "", r.Worktree
	}
	if e.elsewhere(c, r) {
		req.Path = "" // what lies there is another clone's
	}
	from := e.Repo
	if place, ok := e.takesFrom(r); ok {
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
	if r.Admin != "" && !made.Fresh {
		return nil
	}
	st.Journal, err = e.Store.Append(ctx, r.ID, checkpoint.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{
			Event: checkpoint.TreeReady, Worktree: made.Tree.Path, Admin: filepath.Base(made.Tree.Admin),
			Head: made.Tree.Head, BaseTip: r.Base.Commit,
		}}, nil
	}})
	return err
}

// takesFrom is the worktree whose uncommitted work goes along. What was begun in another clone takes nothing from this one.
func (e *Engine) takesFrom(r *checkpoint.Run) (gitstate.Place, bool) {
	clone := checkpoint.CloneID(e.Repo)
	admin, here := strings.CutPrefix(r.Take, clone+"/")
	if r.Admin != "" || clone == "" || !here {
		return gitstate.Place{}, false
	}
	return e.treeNamed(admin, "")
}

// elsewhere: at the place on record lies the worktree of another clone, and ours would lie somewhere else.
func (e *Engine) elsewhere(c *gitstate.Config, r *checkpoint.Run) bool {
	if _, here := e.treeOf(r); here || r.Worktree == "" {
		return false
	}
	p, err := gitstate.Locate(r.Worktree, nil)
	if err != nil || p.CommonDir == e.Repo.CommonDir || p.GitDir == p.CommonDir || filepath.Base(p.WorkTree) != filepath.Base(r.Worktree) {
		return false
	}
	own := e.treesDir(c)
	if own == "" {
		own = worktree.DefaultDir(e.Repo)
	}
	return filepath.Clean(own) != filepath.Dir(r.Worktree)
}

// treesDir is where the user wants staging worktrees; relative to the main worktree, as in its config.
func (e *Engine) treesDir(c *gitstate.Config) string {
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

// Saved is a snapshot of what is uncommitted in a run's worktree.
type Saved struct {
	Journal  *checkpoint.Journal
	Snapshot worktree.Snapshot
}

// Save takes a snapshot of this worktree for a run and records it.
func (e *Engine) Save(ctx context.Context, run, cause string) (*Saved, error) {
	id, err := e.Resolve(ctx, run)
	if err != nil {
		return nil, err
	}
	d, err := e.person(ctx, id)
	if err != nil {
		return nil, err
	}
	if d.j.Run.Closed() {
		return nil, d.allowed(&d.j.Run)
	}
	if err := errors.Join(d.lookAgain(ctx), d.place(ctx)); err != nil {
		return nil, err
	}
	snap, err := e.snapshot(ctx, id, cause)
	if err != nil || snap.ID == "" || !snap.Made && e.recorded(ctx, id, snap.ID) {
		e.Store.Settle(ctx, id) // the one whose snapshot it is may have been cut off
		return &Saved{Journal: d.j, Snapshot: snap}, err
	}
	j, err := e.Store.Append(ctx, id, checkpoint.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		saved := checkpoint.Event{Event: checkpoint.Snapshot, Commit: snap.ID, Head: d.head, BaseTip: d.base, Text: cause}
		return append(foundEvents(r, d.landed, ""), saved), nil
	}})
	return &Saved{Journal: j, Snapshot: snap}, err
}

// recorded reports whether the journal names a snapshot: one whose maker was killed is there, and nobody was told of it.
// A journal that cannot be read counts as one that does: the append would say why.
func (e *Engine) recorded(ctx context.Context, id checkpoint.RunID, snap gitstate.OID) bool {
	lines, err := e.Store.Lines(ctx, id)
	return err != nil || slices.ContainsFunc(lines, func(l checkpoint.Line) bool { return l.Event.Commit == snap })
}

func (e *Engine) snapshot(ctx context.Context, id checkpoint.RunID, cause string) (worktree.Snapshot, error) {
	c, err := e.Repo.Config(ctx)
	if err != nil {
		return worktree.Snapshot{}, err
	}
	req := worktree.SnapshotRequest{Run: string(id), Cause: cause, Now: e.Now}
	if v, ok := c.Get("resume.maxfile"); ok {
		if req.MaxFile, err = size(v); err != nil {
			return worktree.Snapshot{}, fmt.Errorf("setting 'resume.maxFile' is '%s': %w", v, err)
		}
	}
	snap, err := worktree.Take(ctx, e.Repo, req)
	if err != nil {
		return snap, fmt.Errorf("save what is uncommitted: %w", err)
	}
	return snap, nil
}

// size reads a number of bytes as git's settings write it: 500, 10k, 5m, 1g.
func size(v string) (int64, error) {
	units := map[string]int64{"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}
	number := strings.TrimRight(strings.ToLower(v), "kmg")
	unit, ok := units[strings.ToLower(v)[len(number):]]
	if !ok {
		unit = 1
	}
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil || len(v)-len(number) > 1 || n < 0 || n > (1<<62)/unit {
		return 0, &TextError{"the size", "is not like 500k, 20m or 1g"}
	}
	return n * unit, nil
}
