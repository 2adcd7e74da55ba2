// Package purge removes git-resume from a repository: its refs, notes and files, the worktrees and branches that it made for runs, the
// hook, and the setting that hides other systems' work.
package purge

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
)

// Purger removes git-resume from a repository.
type Purger struct {
	*site.Site
	Find     *candidate.Finder
	Staging  *staging.Stager
	Dropping *discard.Discarder
}

// Plan says what a purge removes.
type Plan struct {
	Runs []checkpoint.RunID
	// Refs are the refs of git-resume. Discarded counts the discarded runs that undo could still restore.
	Refs      map[refs.Name]object.ID
	Discarded int
	Trees     []Tree
	Branches  []Branch
	// Hook is the hook of this repository. Hidden are the values of the setting that hides other systems' work.
	Hook   hooks.State
	Hidden []string
	// Folder is the folder .git/resume; empty if it does not exist.
	Folder string
	// Half is true if a killed purge left its record.
	Half bool
	// marked lists the registrations of worktrees that are kept. Purge removes only the mark and the lock that git-resume added.
	marked []string
	open   []checkpoint.RunID
}

// Tree is the worktree of a run.
type Tree struct {
	Run, Admin, Path string
	// Unsaved are the files with uncommitted changes, and Ignored counts the entries that git ignores. If they are not known, Fault says
	// why.
	Unsaved []string
	Ignored int
	Fault   error
}

// Branch is the branch of a run. The field Only is the number of its commits that no branch, tag or remote branch will have after the
// purge.
type Branch struct {
	Ref  refs.Name
	Tip  object.ID
	Only int
}

// UnsavedError says that a purge would delete work that is nowhere else.
type UnsavedError struct{}

func (e *UnsavedError) Error() string {
	return "commits or files that may exist nowhere else would be deleted"
}

// InsideError says that the command was called in a worktree that the purge would remove.
type InsideError struct{ Path, Main string }

func (e *InsideError) Error() string {
	return fmt.Sprintf("you are in '%s', which would be removed", e.Path)
}

// InUseError says that processes are working in a worktree that the purge would remove.
type InUseError struct {
	Path string
	By   []proc.Process
}

func (e *InUseError) Error() string {
	return fmt.Sprintf("process %d is using '%s', which would be removed", e.By[0].PID, e.Path)
}

// Empty reports whether there is nothing to remove.
func (p *Plan) Empty() bool {
	return len(p.Runs)+len(p.Refs)+len(p.Trees)+len(p.Branches)+len(p.Hidden)+len(p.marked) == 0 && !p.OwnHook() && p.Folder == ""
}

// OwnHook reports whether the hook is installed in this repository, and not for all repositories of the user.
func (p *Plan) OwnHook() bool { return p.Hook.Installed() && !p.Hook.Global }

// Unsaved returns an error if the purge would delete work that exists nowhere else: commits, changed files or untracked files. It also
// returns an error if the files of a worktree could not be checked.
func (p *Plan) Unsaved() error {
	for _, t := range p.Trees {
		if len(t.Unsaved) > 0 || t.Fault != nil {
			return &UnsavedError{}
		}
	}
	for _, b := range p.Branches {
		if b.Only > 0 {
			return &UnsavedError{}
		}
	}
	return nil
}

// Plan finds what a purge removes. It returns an error if the purge must not be done, for example because a process is working on a run.
func (e *Purger) Plan(ctx context.Context) (*Plan, error) {
	p := &Plan{}
	var err error
	if p.Refs, err = e.Repo.Refs.List(ctx, series.Root, "refs/notes/resume/"); err != nil {
		return nil, err
	}
	kept, err := e.Repo.Refs.Names(ctx, series.Root+series.Discarded+"/")
	if err != nil {
		return nil, err
	}
	p.Discarded = len(kept)
	if p.Runs, err = e.Store.List(ctx, journal.AllRuns); err != nil {
		return nil, err
	}
	if _, err := os.Lstat(e.Repo.CommonPath("resume")); !errors.Is(err, fs.ErrNotExist) {
		p.Folder = e.Repo.CommonPath("resume")
	}
	if p.Hook, err = hooks.Inspect(ctx, e.Repo); err != nil {
		return nil, err
	}
	p.Hidden = e.hidden(ctx)
	rec := e.readRecord()
	p.Half = len(rec.Trees)+len(rec.Branches) > 0
	if err := e.addRuns(ctx, p, rec); err != nil {
		return nil, err
	}
	return p, e.countOnly(ctx, p)
}

// hidden lists the values of the setting with which this clone hides other systems' work.
func (e *Purger) hidden(ctx context.Context) []string {
	text, err := e.Repo.Line(ctx, "config", "--local", "--get-all", hideSetting)
	if err != nil || text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}

const hideSetting = "resume.ignore"

// addRuns adds the worktrees and branches that git-resume made for runs, and those that a killed purge had not removed yet.
func (e *Purger) addRuns(ctx context.Context, p *Plan, rec record) error {
	trees, err := worktree.Find(ctx, e.Repo)
	if err != nil {
		return err
	}
	known := map[string]candidate.Summary{}
	for _, id := range p.Runs {
		s, err := e.Find.Summary(ctx, id)
		if err != nil {
			continue // the branch of a damaged run is not known; the run's refs and files are removed like all others
		}
		known[string(id)] = s
		if err := e.idle(&s.Run); err != nil {
			return err
		}
		if !s.Run.Closed() {
			p.open = append(p.open, id)
		}
		if s.Run.Source == "" && !s.Run.Here && e.OwnBranch(&s.Run) {
			if err := e.addBranch(ctx, p, s.Run.Branch); err != nil {
				return err
			}
		}
	}
	for _, b := range rec.Branches {
		if err := e.addBranch(ctx, p, b.Ref); err != nil {
			return err
		}
	}
	for _, t := range trees {
		if t.Main || t.Admin == "" || t.Run == "" {
			continue
		}
		s, ok := known[t.Run]
		_, locked := t.LockedBy()
		if ok && (s.Run.Source != "" || s.Run.Here) || !ok && !locked && !rec.has(filepath.Base(t.Admin)) {
			p.marked = append(p.marked, t.Admin)
			continue
		}
		tree, err := e.examine(ctx, t, ok)
		if err != nil {
			return err
		}
		p.Trees = append(p.Trees, tree)
	}
	return nil
}

// idle returns an error if a process is working on a run.
func (e *Purger) idle(r *checkpoint.Run) error {
	if held := owner.Busy(e.Store, r.ID); held != nil {
		return held
	}
	err := e.Dropping.MayDrop(r)
	var elsewhere *checkpoint.ElsewhereError
	if errors.As(err, &elsewhere) { // a run from elsewhere has no process here
		return nil
	}
	return err
}

// examine finds out what would be lost with a worktree. It returns an error if the command was called in it, or if a process is working in
// it.
func (e *Purger) examine(ctx context.Context, t worktree.Tree, known bool) (Tree, error) {
	out := Tree{Run: t.Run, Admin: filepath.Base(t.Admin), Path: t.Path}
	if t.Path == "" || !place.Present(t.Path) {
		return out, nil
	}
	if place.SameDir(t.Path, e.Repo.WorkTree) {
		return out, &InsideError{Path: t.Path, Main: worktree.MainDir(e.Repo)}
	}
	if at, _ := e.Procs.AtWork([]string{t.Path}); len(at) > 0 {
		return out, &InUseError{Path: t.Path, By: at}
	}
	if !known {
		out.Fault = fmt.Errorf("there is no record of run '%s'", t.Run)
		return out, nil
	}
	d, err := e.Dropping.Preview(ctx, t.Run, discard.DiscardForced)
	if d == nil || err != nil {
		out.Fault = err
		return out, nil
	}
	out.Unsaved = append(append(out.Unsaved, d.Preview.Changed...), d.Preview.Untracked...)
	out.Unsaved = append(out.Unsaved, d.Preview.Nested...)
	out.Ignored = len(d.Preview.Ignored)
	return out, nil
}

func (e *Purger) addBranch(ctx context.Context, p *Plan, ref refs.Name) error {
	for _, b := range p.Branches {
		if b.Ref == ref {
			return nil
		}
	}
	tip, err := e.Repo.Refs.Ref(ctx, ref)
	if err == nil && tip != "" {
		p.Branches = append(p.Branches, Branch{Ref: ref, Tip: tip})
	}
	return err
}

func (e *Purger) countOnly(ctx context.Context, p *Plan) error {
	if len(p.Branches) == 0 {
		return nil
	}
	others, err := e.Repo.Refs.List(ctx, "refs/heads/", "refs/tags/", "refs/remotes/")
	if err != nil {
		return err
	}
	for _, b := range p.Branches {
		delete(others, b.Ref)
	}
	var without strings.Builder
	for _, id := range others {
		fmt.Fprintf(&without, "^%s\n", id)
	}
	for i := range p.Branches {
		text, err := e.Repo.Git(ctx, process.Call{
			Args: []string{"rev-list", "--count", "--stdin"}, Stdin: strings.NewReader(string(p.Branches[i].Tip) + "\n" + without.String()),
		})
		if err != nil {
			return err
		}
		if p.Branches[i].Only, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil {
			return err
		}
	}
	return nil
}
