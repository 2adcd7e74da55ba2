package autoclaude

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// reading holds everything that was read about one spec.
type reading struct {
	*spec
	// place is the folder that firstFolder returns for the spec. It is empty if the spec has neither a folder nor a plan at the top of
	// its project.
	place folder
	plan  *plan
	// live holds the copies of the plan that were found: first the readable ones, the best one first, and then the damaged ones.
	live []planCopy
	// version is the commit from which an older plan was read. It is nil if the plan was read from a worktree.
	version *sources.Version
	// missing means that none of the spec's folders has a plan, not even a damaged one.
	missing  bool
	history  history
	commits  commits
	mark     *placedMark
	paused   string // the path of the pause file, or empty if there is none
	pids     []int
	base     refs.Name
	branch   refs.Name
	tip      object.ID
	site     site
	proof    proof
	doubts   []sources.Doubt
	artefact map[string]bool // the planning steps whose output file exists
}

// planCopy is the copy of a plan file in one worktree.
type planCopy struct {
	folder
	data []byte
	plan *plan
	err  error
}

func (c planCopy) where() string {
	if c.tree.Main() {
		return "the main worktree"
	}
	return "the worktree " + path.Base(c.tree.WorkTree)
}

// proof holds the facts about one spec that were found in commits.
type proof struct {
	// byItem maps the ids of items to commits that name them or are recorded for them.
	byItem map[string]object.ID
	// onCurrent has at most one entry, and only for a spec without a branch. It maps an item to the last commit that changed the plan, if
	// the commit names that item.
	onCurrent map[string]object.ID
	// merged means that a commit of the spec is part of the base.
	merged bool
	// ahead is the number of commits on the branch that are not in the base.
	ahead int
	// changed holds all files that were changed by the commits counted in "ahead".
	changed map[string]bool
	start   object.ID
	last    past.Logged
	lost    int // the number of recorded commits that are neither on the branch nor in the base
	found   int // how many of the lost commits have a replacement: a commit on the branch that names the same item
	// asked means that commits were looked up. Otherwise the other fields say nothing.
	asked bool
}

// site describes the worktree in which a spec is built.
type site struct {
	tree *sources.Tree
	// gone is the path of a registered worktree whose folder is missing. If the folder was found at another path, the field "moved" has
	// that path.
	gone  string
	moved string
	// held is a worktree with a detached HEAD. The worktree contains work that is missing from the spec's branch.
	held string
	// other is another spec that currently uses the shared worktree in which this spec would be built. It is nil if there is none.
	other  *otherSpec
	doubts []sources.Doubt
}

// otherSpec is a spec that uses the shared worktree. The field "remove" has the commands that remove the worktree, and "merged" is true if
// the base has all its commits.
type otherSpec struct {
	id, remove string
	merged     bool
}

// DoubtBlockedName and the other codes below are warnings about branches, worktrees and commits of this source.
const (
	DoubtBlockedName  = "branch-name-blocked" // for example, a branch named auto-claude prevents branches named auto-claude/...
	DoubtLocked       = "worktree-locked"     // somebody locked the worktree
	DoubtWorktreeGone = "worktree-missing"    // the worktree is registered, but its folder is missing
	DoubtMoved        = "worktree-moved"      // the worktree is registered, but its folder is at another path
	DoubtCommitGone   = "commit-gone"         // a recorded commit is neither on the spec's branch nor in the base
	DoubtNoBranch     = "branch-missing"      // items are completed, but the spec has no branch
	DoubtMerged       = "merged-already"      // all commits of the spec's branch are already in the base
)

// mostRecords limits the recorded commits that are looked up for one spec. mostCommits limits the commits of one walk through the history.
const (
	mostRecords = 300
	mostCommits = 5000
)

func (l *projectFiles) planIn(f folder) planCopy {
	c := planCopy{folder: f}
	if c.data, c.err = f.read(planFile); c.err == nil {
		c.plan, c.err = parsePlan(c.data, l.v.Now)
	}
	return c
}

// hasRecords reports whether the spec's folder still has any of the planFiles: its plan, or a record of how the plan was carried out.
func hasRecords(r *reading) bool {
	return r.place.path != "" && slices.ContainsFunc(planFiles, r.place.has)
}

func (r *reading) hasMemory() bool { return r.place.path != "" && r.place.has("memory") }

// finishedAndClosed reports whether the plan is finished and closed, so that its commits need not be looked up.
func (r *reading) finishedAndClosed() bool {
	if r.plan == nil {
		return false
	}
	all, finished, _, _ := r.plan.count()
	return all > 0 && all == finished && r.plan.isClosed()
}

// lacksSpec reports whether the specification is missing, and the plan is missing or empty.
func (r *reading) lacksSpec() bool {
	return (r.plan == nil || len(r.plan.phases) == 0 && r.plan.signoff.word == "") && !r.artefact["spec"]
}

func (r *reading) isItem(id string) bool {
	if r.plan == nil {
		return false
	}
	_, ok := r.plan.find(id)
	return ok
}

// family returns the first part of the spec's branch name: auto-claude or auto-build.
func (r *reading) family() string {
	if _, ok := inFamily(r.branch, "auto-build"); ok || strings.HasPrefix(r.place.path, r.project+"auto-build/") {
		return "auto-build"
	}
	return "auto-claude"
}

// branchName returns the spec's branch, even if the branch does not exist yet.
func (r *reading) branchName() refs.Name {
	if r.branch != "" {
		return r.branch
	}
	return familyBranch(r.family(), r.id)
}

// resettable returns the items that are in progress or failed, and may be tried again without a person.
func (r *reading) resettable() (all []item) {
	if r.plan == nil {
		return nil
	}
	for it := range r.plan.all() {
		if r.history.mayReset(it) {
			all = append(all, it)
		}
	}
	return all
}

// lostInMain returns the spec's folder in the main worktree if only a linked worktree still has the plan. Auto-Claude would then plan all
// work again, because it looks for the plan only in the main worktree.
func (r *reading) lostInMain() (main folder, lost bool) {
	if r.plan == nil || r.version != nil || r.finishedAndClosed() || slices.ContainsFunc(r.live, func(c planCopy) bool { return c.tree.Main() }) {
		return folder{}, false
	}
	i := slices.IndexFunc(r.folders, func(f folder) bool { return f.tree.Main() && f.path == r.live[0].path })
	if i < 0 {
		return folder{}, false
	}
	return r.folders[i], true
}

// repairable reports whether a damaged or lost plan can be replaced by a readable version.
func (r *reading) repairable() bool {
	_, lost := r.lostInMain()
	return r.plan != nil && len(r.folders)+len(r.strays) > 0 && (lost || r.version != nil || slices.ContainsFunc(r.live, func(c planCopy) bool { return c.err != nil }))
}
