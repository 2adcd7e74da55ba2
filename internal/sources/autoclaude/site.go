package autoclaude

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/worktree"
)

// findSite finds the branch and the worktree of a spec. It adds warnings about obstacles in that worktree.
func (l *projectFiles) findSite(r *reading) {
	for _, family := range families {
		ref := familyBranch(family, r.id)
		if tip, ok := l.git.tips[ref]; ok && r.branch == "" {
			r.branch, r.tip = ref, tip
		}
	}
	for i := range l.v.Trees {
		t := &l.v.Trees[i]
		held := refs.Name("")
		if t.Branch == "" {
			held = ongoing.HeldBranch(t.Linked.Place)
		}
		switch {
		case specOf(t.Branch) == r.id && (r.branch == "" || t.Branch == r.branch):
			r.branch, r.site.tree = t.Branch, t
		case held != "" && held == r.branch:
			r.site.tree = t
		}
	}
	if t := r.site.tree; t != nil {
		r.site.reportObstacles(*t)
	}
}

// reportObstacles warns about an unfinished git operation or a lock in a worktree.
func (s *site) reportObstacles(t sources.Tree) {
	if op := ongoing.OperationAt(t.Linked.Place); op != ongoing.NoOperation {
		s.doubts = append(s.doubts, doubt(sources.DoubtWorktree, conflicts.Info, fmt.Sprintf("%s is in progress in %s", op.Named(), path.Base(t.WorkTree))))
	}
	if t.Locked && !strings.HasPrefix(t.LockReason, "git-resume ") { // our own lock only keeps git from pruning the worktree
		text := "the worktree is locked"
		if t.LockReason != "" {
			text += ": " + firstLine(t.LockReason)
		}
		s.doubts = append(s.doubts, doubt(DoubtLocked, conflicts.Info, text))
	}
}

// places lists the possible paths of a spec's worktree in the different versions of Auto-Claude. They are relative to the project.
func places(id string) []string {
	return []string{".auto-claude/worktrees/tasks/" + id, ".worktrees/" + id, ".worktrees/auto-claude", ".worktrees/auto-build"}
}

// isShared reports whether a worktree's path is one that all specs use in turn.
func isShared(place string) bool {
	return place == ".worktrees/auto-claude" || place == ".worktrees/auto-build"
}

// lookAround is for a spec without a worktree. It warns about obstacles to creating the worktree, for example another folder at the same
// path.
func (l *projectFiles) lookAround(ctx context.Context, r *reading) {
	if r.site.tree != nil {
		return
	}
	for _, reg := range l.git.gone {
		if r.branch != "" && reg.Branch == r.branch {
			l.reportMissing(ctx, r, reg)
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
		if filepath.Join(top.WorkTree, filepath.FromSlash(rel)) != r.site.moved {
			r.site.doubts = append(r.site.doubts, l.classifyFolder(ctx, rel, place, r))
		}
	}
	for _, family := range families {
		if _, ok := l.git.blocked[family]; ok && r.branch == "" && family == r.family() {
			r.site.doubts = append(r.site.doubts, doubt(DoubtBlockedName, conflicts.Blocking, fmt.Sprintf("a branch named '%s' exists, so a branch '%s/%s' cannot be created", family, family, r.id)))
		}
	}
}

// reportMissing reports a registered worktree whose folder somebody moved or deleted by hand.
func (l *projectFiles) reportMissing(ctx context.Context, r *reading, reg gitstate.Linked) {
	r.site.gone = reg.WorkTree
	trees, err := worktree.Find(ctx, l.v.Repo, filepath.Dir(reg.WorkTree))
	i := slices.IndexFunc(trees, func(t worktree.Tree) bool { return t.Admin == reg.GitDir && t.Health == worktree.Moved })
	if err == nil && i >= 0 {
		r.site.moved = trees[i].Now
		r.site.doubts = append(r.site.doubts, doubt(DoubtMoved, conflicts.Info,
			fmt.Sprintf("its worktree was moved from %s to %s, and git does not know that yet", l.relative(r, reg.WorkTree), l.relative(r, trees[i].Now))))
		return
	}
	r.site.doubts = append(r.site.doubts, doubt(DoubtWorktreeGone, conflicts.Warning,
		"the folder of its worktree "+l.relative(r, reg.WorkTree)+" no longer exists; its commits are on the branch, but uncommitted changes are not"))
}

// classifyFolder returns a warning about the folder that exists at the path of the spec's worktree.
func (l *projectFiles) classifyFolder(ctx context.Context, rel, place string, r *reading) sources.Doubt {
	d := sources.Doubt{Code: sources.DoubtWorktree, Severity: conflicts.Warning, Path: rel}
	full := filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(rel))
	t, registered := l.v.At(full)
	inTheWay := func(moveAway string) { // here the worktree of the spec would be made
		if rel == l.worktreePath(r) {
			d.Severity = conflicts.Blocking
			d.Text += "; move it away first with " + quote.Command(moveAway+" %s %s", rel, rel+".mine")
		}
	}
	switch {
	case !registered && l.v.Trees[0].Has(rel+"/.git"):
		d.Text = rel + " is not a worktree of this repository, although it has a file or folder '.git'"
		inTheWay("mv")
	case !registered:
		d.Text = rel + " is a plain folder, not a worktree: git commands in it would act on the repository around it"
		if len(namesIn(full, 1)) > 0 {
			inTheWay("mv")
		}
	case t.Branch == "":
		l.reportDetached(ctx, &d, rel, t, r)
		if d.Severity != conflicts.Blocking {
			inTheWay("git worktree move")
		}
	case isShared(place):
		d.Severity = conflicts.Info
		d.Text = rel + " belongs to '" + refs.Short(t.Branch) + "', not to this spec"
		if l.wouldBuildIn(r, place) {
			d.Severity = conflicts.Blocking
			d.Text += "; Auto-Claude's run.py would build this spec in that worktree, so " + l.howToFree(r, t, rel, specOf(t.Branch))
		}
	default:
		d.Text = rel + " is on '" + refs.Short(t.Branch) + "', not on this spec's branch"
		inTheWay("git worktree move")
	}
	return d
}

// howToFree says how the user can free the shared worktree. If the spec that uses it has commits that are not in the base, the user must
// merge or discard that spec. Otherwise removing the worktree is enough, because the commits are in the base, or there are none.
func (l *projectFiles) howToFree(r *reading, t sources.Tree, rel, id string) string {
	remove := quote.Command("git worktree remove %s", rel)
	if t.Locked {
		remove = quote.Command("git worktree unlock %s", rel) + " and " + remove
	}
	other := l.reported[r.project+id]
	if other == nil {
		return "first remove the worktree with " + remove
	}
	r.site.other = &otherSpec{id: id, remove: remove, merged: other.proof.asked && other.proof.ahead == 0}
	if r.site.other.merged {
		return "first remove the worktree with " + remove + " (all commits of " + id + " are in " + refs.Short(other.base) + "; its branch and its plan stay), or discard " + id
	}
	return "merge or discard " + id + " first"
}

// reportDetached describes a worktree with a detached HEAD. If commits or uncommitted files of the spec exist only there, the warning
// blocks the spec, because Auto-Claude would otherwise build this work a second time.
func (l *projectFiles) reportDetached(ctx context.Context, d *sources.Doubt, rel string, t sources.Tree, r *reading) {
	d.Text = rel + " is a worktree with a detached HEAD"
	repo := l.v.Repo.At(t.Place)
	defer repo.Close()
	_, head, err := repo.Refs.Head(ctx)
	if err != nil || head == "" {
		return
	}
	if r.tip == "" {
		base, err := l.v.Repo.Refs.Ref(ctx, r.base)
		if err != nil || base == "" || rel != l.worktreePath(r) {
			return
		}
		if own, err := past.Beyond(ctx, l.v.Repo, base, mostCommits, head); err == nil && len(own) == 0 { // it holds no commits of other work
			d.Severity = conflicts.Blocking
			d.Text += "; check out the branch there first: " + quote.Command("git -C %s checkout -b %s", rel, refs.Short(r.branchName()))
		}
		return
	}
	more, err := past.Beyond(ctx, l.v.Repo, r.tip, mostCommits, head)
	if err != nil {
		return
	}
	checkOut := quote.Command("git -C %s checkout %s", rel, refs.Short(r.branch))
	follows := head == r.tip
	var named []string
	for _, s := range more {
		follows = follows || slices.Contains(s.Parents, r.tip)
		if itemIn(s.Subject) != "" {
			named = append(named, short(s.ID)+" "+firstLine(s.Subject))
		}
	}
	if !follows || len(named) == 0 && head != r.tip { // nothing shows that the commits in the worktree belong to this spec
		return
	}
	changed, err := l.v.Uncommitted(ctx, t)
	if err != nil {
		return
	}
	if len(named)+len(changed) == 0 { // it is the spec's worktree, in which only the branch is not checked out
		d.Severity = conflicts.Blocking
		d.Text += " at the last commit of '" + refs.Short(r.branch) + "'; check out the branch there first: " + checkOut
		return
	}
	var holds []string
	if len(named) > 0 {
		holds = append(holds, sources.Count(len(named), "commit", "commits")+" that the branch does not have ("+sources.SomeOf(named)+")")
	}
	if len(changed) > 0 {
		holds = append(holds, sources.Count(len(changed), "uncommitted file", "uncommitted files")+" ("+firstLine(changed[0].Path)+")")
	}
	r.site.held = t.WorkTree
	d.Severity = conflicts.Blocking
	d.Text = rel + " is a worktree with a detached HEAD, with " + strings.Join(holds, " and ") + "; check out the branch there first: " +
		quote.Command("git -C %s checkout -B %s", rel, refs.Short(r.branch))
}

// wouldBuildIn reports whether Auto-Claude would build the spec in this shared worktree, even if another branch is checked out there.
func (l *projectFiles) wouldBuildIn(r *reading, place string) bool {
	era := l.era(r)
	return era == "a" && place == ".worktrees/auto-claude" || era == "a0" && place == ".worktrees/auto-build"
}

// These are the days on which Auto-Claude changed the paths of worktrees.
var (
	ownPlaces = time.Date(2025, 12, 13, 0, 0, 0, 0, time.UTC) // from this day on, each spec has a separate worktree
	inState   = time.Date(2026, 1, 3, 0, 0, 0, 0, time.UTC)   // from this day on, all worktrees are below .auto-claude
)

// era guesses which versions of Auto-Claude wrote the spec, and returns their code: a0 for the oldest, then a, b and c. Dates decide last,
// because an old version also makes plans on later days.
func (l *projectFiles) era(r *reading) string {
	began := r.began()
	switch {
	case r.family() == "auto-build":
		return "a0"
	case r.site.tree != nil && isShared(l.relative(r, r.site.tree.WorkTree)):
		return "a"
	case r.site.tree != nil && l.relative(r, r.site.tree.WorkTree) == ".worktrees/"+r.id:
		return "b"
	case len(l.v.Trees) > 0 && l.v.Trees[0].Has(r.project+".auto-claude/worktrees/tasks"):
		return "c"
	case l.sharesByCode(r):
		return "a"
	case r.plan != nil && r.plan.word == "chunk":
		if !began.Before(ownPlaces) && l.othersHaveOwnPlaces(r) {
			return "b"
		}
		return "a"
	case !began.IsZero() && began.Before(inState):
		return "b"
	case (r.plan == nil || len(r.plan.phases) == 0) && !r.has(metaFile) && !r.has(logsFile):
		return l.eraOfOthers() // a spec without a real plan does not show its version
	}
	return "c"
}

// sharesByCode reports whether the Auto-Claude that is checked in beside the specs builds all of them in one worktree.
func (l *projectFiles) sharesByCode(r *reading) bool {
	const code = "auto-claude/worktree.py"
	if len(l.v.Trees) == 0 || !l.v.Trees[0].Has(r.project+code) {
		return false
	}
	text, err := l.v.Trees[0].Read(r.project + code)
	return err == nil && strings.Contains(string(text), "STAGING_WORKTREE_NAME")
}

// othersHaveOwnPlaces reports whether another spec has a worktree of its own, and none has the shared one.
func (l *projectFiles) othersHaveOwnPlaces(r *reading) bool {
	own := false
	for _, t := range l.v.Trees {
		at := l.relative(r, t.WorkTree)
		if id := specOf(t.Branch); id != "" && isShared(at) {
			return false
		} else if id != "" && at == ".worktrees/"+id {
			own = true
		}
	}
	return own
}

func (s *spec) has(name string) bool {
	return slices.ContainsFunc(s.folders, func(f folder) bool { return f.has(name) })
}

// eraOfOthers guesses the version of Auto-Claude from all specs in the repository. It returns "c" if any of them shows signs of the
// newest versions, and otherwise "a".
func (l *projectFiles) eraOfOthers() string {
	era := "a"
	for _, s := range l.specs {
		if s.has(metaFile) || s.has(logsFile) || slices.ContainsFunc(s.folders, l.listsSubtasks) {
			era = "c"
		}
	}
	return era
}

// listsSubtasks reports whether the plan in a folder uses the word "subtask", as newer versions do.
func (l *projectFiles) listsSubtasks(f folder) bool {
	if !f.has(planFile) {
		return false
	}
	c := l.planIn(f)
	return c.err == nil && c.plan.word == "subtask"
}

// began returns the time at which the plan was created, otherwise the time of its last update, otherwise the zero time.
func (r *reading) began() time.Time {
	if r.plan == nil {
		return time.Time{}
	}
	if !r.plan.created.at.IsZero() {
		return r.plan.created.at
	}
	return r.plan.updated.at
}

// relative returns the path of a folder relative to the spec's project, with forward slashes. It returns the given path if there is no
// relative one.
func (l *projectFiles) relative(r *reading, dir string) string {
	rel, err := filepath.Rel(filepath.Join(l.v.Trees[0].WorkTree, filepath.FromSlash(r.project)), dir)
	if err != nil {
		return dir
	}
	return filepath.ToSlash(rel)
}

// worktreePath returns the path at which the spec's worktree was or would be created, relative to the first worktree, which is usually
// the main one.
func (l *projectFiles) worktreePath(r *reading) string {
	if at, err := filepath.Rel(l.v.Trees[0].WorkTree, r.site.gone); err == nil && r.site.gone != "" && filepath.IsLocal(at) {
		return filepath.ToSlash(at)
	}
	switch l.era(r) {
	case "a0":
		return r.project + ".worktrees/auto-build"
	case "a":
		return r.project + ".worktrees/auto-claude"
	case "b":
		return r.project + ".worktrees/" + r.id
	}
	return r.project + ".auto-claude/worktrees/tasks/" + r.id
}

// baseOf returns the branch into which the spec will be merged. This is the recorded branch if it exists, and otherwise the guess of
// guessBase.
func (g *git) baseOf(ctx context.Context, r *reading, own []folder) refs.Name {
	for _, f := range own {
		if !f.has(metaFile) {
			continue
		}
		data, err := f.read(metaFile)
		if err != nil {
			continue
		}
		v, err := textdoc.ParseJSON(data)
		if err != nil {
			r.doubts = append(r.doubts, sources.DoubtOf(err, f.file(metaFile)))
			continue
		}
		if name := v.Get("baseBranch", "base_branch").Text(); name != "" {
			if ref := refs.BranchOf(name); g.exists(ctx, ref) {
				return ref
			}
		}
	}
	return g.base
}

func (g *git) guessBase(ctx context.Context) refs.Name {
	for _, name := range []string{"main", "master"} {
		if ref := refs.Branch(name); g.exists(ctx, ref) {
			return ref
		}
	}
	for _, t := range g.v.Trees {
		if t.Main() && specOf(t.Branch) == "" {
			return t.Branch
		}
	}
	return ""
}
