package autoclaude

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/sources"
)

// site is where a spec is built: a worktree that git knows, on the spec's branch.
type site struct {
	tree *sources.Tree
	// gone is a registration whose folder is not there any more.
	gone   bool
	doubts []sources.Doubt
}

// DoubtBlockedName and the others are the codes that only this system needs.
const (
	DoubtBlockedName  = "branch-name-blocked" // a branch stands where a folder of branches is needed
	DoubtLocked       = "worktree-locked"     // somebody locked it
	DoubtWorktreeGone = "worktree-missing"    // registered, and the folder is not there
	DoubtCommitGone   = "commit-gone"         // a recorded commit is not in the repository
)

// findSite finds branch and worktree, and says what is wrong with folders that look like the worktree.
func (l *looked) findSite(r *reading) {
	for _, family := range families {
		ref := heads + family + "/" + r.id
		if tip, ok := l.git.tips[ref]; ok && r.branch == "" {
			r.branch, r.tip = ref, tip
		}
	}
	for i := range l.v.Trees {
		t := &l.v.Trees[i]
		held := ""
		if t.Branch == "" {
			held = t.Held()
		}
		switch {
		case specOf(t.Branch) == r.id && (r.branch == "" || t.Branch == r.branch):
			r.branch, r.site.tree = t.Branch, t
		case held != "" && held == r.branch:
			r.site.tree = t
		}
	}
	if t := r.site.tree; t != nil {
		r.site.state(*t)
	}
}

// state tells what stands in the way of going on in a worktree.
func (s *site) state(t sources.Tree) {
	if op := t.Operation(); op != gitstate.NoOperation {
		s.doubts = append(s.doubts, doubt(sources.DoubtWorktree, conflicts.Info, fmt.Sprintf("a %s is under way in %s", op, path.Base(t.WorkTree))))
	}
	if t.Locked && !strings.HasPrefix(t.LockReason, "git-resume ") { // our own locks only keep it from being pruned
		text := "the worktree is locked"
		if t.LockReason != "" {
			text += ": " + line(t.LockReason)
		}
		s.doubts = append(s.doubts, doubt(DoubtLocked, conflicts.Info, text))
	}
}

// places are where the eras put a worktree for a spec, below its project.
func places(id string) []string {
	return []string{".auto-claude/worktrees/tasks/" + id, ".worktrees/" + id, ".worktrees/auto-claude", ".worktrees/auto-build"}
}

// shared reports whether a place serves all specs in turn.
func shared(place string) bool {
	return place == ".worktrees/auto-claude" || place == ".worktrees/auto-build"
}

// lookAround adds what is told only of open work: folders that are no worktree, or not this spec's.
func (l *looked) lookAround(r *reading) {
	if r.site.tree != nil {
		return
	}
	for _, reg := range l.git.gone {
		if r.branch != "" && reg.Branch == r.branch {
			r.site.gone = true
			r.site.doubts = append(r.site.doubts, doubt(DoubtWorktreeGone, conflicts.Warning, "its worktree "+path.Base(filepath.ToSlash(reg.WorkTree))+" is registered, but the folder is not there; the branch has the commits"))
		}
	}
	if len(l.v.Trees) == 0 {
		return
	}
	top := l.v.Trees[0]
	for _, place := range places(r.id) {
		rel := r.project + place
		if !top.Has(rel) {
			continue
		}
		if d, bad := l.judge(rel, place, r); bad {
			r.site.doubts = append(r.site.doubts, d)
		}
	}
	for _, family := range families {
		if _, ok := l.git.blocked[family]; ok && r.branch == "" && family == r.family() {
			r.site.doubts = append(r.site.doubts, doubt(DoubtBlockedName, conflicts.Blocking, fmt.Sprintf("a branch named '%s' exists, so that no branch '%s/%s' can be made", family, family, r.id)))
		}
	}
}

// judge says what a folder is that lies where a worktree should.
func (l *looked) judge(rel, place string, r *reading) (sources.Doubt, bool) {
	d := sources.Doubt{Code: sources.DoubtWorktree, Severity: conflicts.Warning, Path: rel}
	t, registered := l.v.At(filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(rel)))
	switch {
	case !registered:
		d.Text = rel + " is a plain folder and no worktree: git commands in it would act on the repository around it"
	case t.Branch == "":
		d.Text = rel + " is a worktree on no branch"
	case shared(place):
		d.Severity = conflicts.Info
		d.Text = rel + " belongs to '" + strings.TrimPrefix(t.Branch, heads) + "', and not to this spec"
	default:
		d.Text = rel + " stands on '" + strings.TrimPrefix(t.Branch, heads) + "', and not on this spec's branch"
	}
	return d, true
}

// family is the first part of the names that a spec's branch has.
func (r *reading) family() string {
	if strings.HasPrefix(r.branch, heads+"auto-build/") || strings.HasPrefix(r.place.path, r.project+"auto-build/") {
		return "auto-build"
	}
	return "auto-claude"
}

// branchName is the spec's branch, there or still to be made.
func (r *reading) branchName() string {
	if r.branch != "" {
		return r.branch
	}
	return heads + r.family() + "/" + r.id
}

// The days on which the system changed where it keeps worktrees.
var (
	ownPlaces = time.Date(2025, 12, 13, 0, 0, 0, 0, time.UTC) // one worktree for each spec
	inState   = time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)   // and all of them below the state folder
)

// era names the versions whose habits a spec shows: a0, a, b or c.
func (l *looked) era(r *reading) string {
	began := l.began(r)
	chunks := r.plan != nil && r.plan.word == "chunk"
	switch {
	case r.family() == "auto-build":
		return "a0"
	case r.site.tree != nil && shared(l.below(r, r.site.tree.WorkTree)):
		return "a"
	case len(l.v.Trees) > 0 && l.v.Trees[0].Has(r.project+".auto-claude/worktrees/tasks"):
		return "c"
	case chunks && (began.IsZero() || began.Before(ownPlaces)):
		return "a"
	case chunks || !began.IsZero() && began.Before(inState):
		return "b"
	}
	return "c"
}

// began is the earliest time that the plan or its history tells.
func (l *looked) began(r *reading) time.Time {
	if r.plan == nil {
		return time.Time{}
	}
	if !r.plan.created.IsZero() {
		return r.plan.created.Time
	}
	return r.plan.updated.Time
}

// below is a folder as seen from the project, with slashes.
func (l *looked) below(r *reading, dir string) string {
	rel, err := filepath.Rel(filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(r.project)), dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// wants is where the system would put the worktree, seen from the main one.
func (l *looked) wants(r *reading) string {
	switch l.era(r) {
	case "a0":
		return r.project + ".worktrees/auto-build"
	case "a":
		if _, taken := l.v.At(filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(r.project+".worktrees/auto-claude"))); !taken || r.site.tree != nil {
			return r.project + ".worktrees/auto-claude"
		}
		fallthrough // it serves another spec, and must not be taken away from it
	case "b":
		return r.project + ".worktrees/" + r.id
	}
	return r.project + ".auto-claude/worktrees/tasks/" + r.id
}

// baseOf is the branch into which the spec goes: as it was noted at the start, else as the system guesses it.
func (l *looked) baseOf(ctx context.Context, r *reading, own []folder) string {
	for _, f := range own {
		if !f.has(metaFile) {
			continue
		}
		data, err := f.read(metaFile)
		if err != nil {
			continue
		}
		v, err := sources.ParseJSON(data)
		if err != nil {
			r.doubts = append(r.doubts, sources.DoubtOf(err, f.file(metaFile)))
			continue
		}
		if name := v.Get("baseBranch", "base_branch").Text(); name != "" {
			if ref := heads + strings.TrimPrefix(name, heads); l.there(ctx, ref) {
				return ref
			}
		}
	}
	return l.git.base
}

func (l *looked) guessBase(ctx context.Context) string {
	for _, name := range []string{"main", "master"} {
		if l.there(ctx, heads+name) {
			return heads + name
		}
	}
	for _, t := range l.v.Trees {
		if t.Main() && specOf(t.Branch) == "" {
			return t.Branch
		}
	}
	return ""
}

func (l *looked) there(ctx context.Context, ref string) bool {
	id, err := l.v.Repo.Ref(ctx, ref)
	var bad *gitstate.BadRefError
	return err == nil && id != "" && !errors.As(err, &bad)
}
