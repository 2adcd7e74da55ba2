package autoclaude

import (
	"path"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/sources"
)

// reading is what was read of one spec.
type reading struct {
	*spec
	// place is where its state was read; zero if there is only a branch or a status file.
	place folder
	plan  *plan
	// live are the copies of the plan that lie in worktrees, the one that was taken first.
	live []planCopy
	// version is set if the plan comes from the history.
	version *sources.Version
	// missing: no copy of the plan lies anywhere, readable or not.
	missing  bool
	history  history
	commits  commits
	mark     *placedMark
	paused   string // the file that says so
	pids     []int
	base     refs.Name // a branch, by its full name
	branch   refs.Name
	tip      object.ID
	site     site
	proof    proof
	doubts   []sources.Doubt
	artefact map[string]bool // the planning files that are there
}

// planCopy is one plan file as it lies in a worktree.
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

// proof is what the repository has of one spec.
type proof struct {
	// byItem are the commits that name an item, on the spec's branch only: other specs number their items alike.
	byItem map[string]object.ID
	// merged: a recorded commit is part of the base.
	merged bool
	// ahead is how many commits the branch has beyond the base.
	ahead int
	// changed are the files that its commits changed.
	changed map[string]bool
	start   object.ID
	last    past.Logged
	lost    int // recorded commits that are not reachable any more
	found   int // of those, found again by their subjects
	// asked: git could be asked, so that what is not here is not there.
	asked bool
}

// site is where a spec is built: a worktree that git knows, on the spec's branch.
type site struct {
	tree *sources.Tree
	// gone is where git has a worktree registered whose folder is not there any more, moved where that folder lies now.
	gone  string
	moved string
	// held is a worktree on no branch that holds what the branch does not have.
	held   string
	doubts []sources.Doubt
}

// DoubtBlockedName and the others are the codes that only this system needs.
const (
	DoubtBlockedName  = "branch-name-blocked" // a branch stands where a folder of branches is needed
	DoubtLocked       = "worktree-locked"     // somebody locked it
	DoubtWorktreeGone = "worktree-missing"    // registered, and the folder is not there
	DoubtMoved        = "worktree-moved"      // registered, and the folder lies elsewhere
	DoubtCommitGone   = "commit-gone"         // a recorded commit is not in the repository
	DoubtNoBranch     = "branch-missing"      // items are completed, and no branch has what they built
	DoubtMerged       = "merged-already"      // the base has all of it
)

// Bounds of what is asked of git for one spec, and of one walk.
const (
	mostRecords = 300
	mostCommits = 5000
)

func (l *looked) planIn(f folder) planCopy {
	c := planCopy{folder: f}
	if c.data, c.err = f.read(planFile); c.err == nil {
		c.plan, c.err = parsePlan(c.data, l.v.Now)
	}
	return c
}

func (r *reading) hasMemory() bool { return r.place.path != "" && r.place.has("memory") }

// closed reports whether git can add nothing to what the plan says.
func (r *reading) closed() bool {
	if r.plan == nil {
		return false
	}
	all, finished, _, _ := r.plan.count()
	return all > 0 && all == finished && r.ended()
}

// ended reports whether somebody closed the spec: moved it to done, or made a pull request of it.
// A check that rejected it, or has still to look at repairs, speaks against that.
func (r *reading) ended() bool {
	switch sources.FoldWord(r.plan.status) {
	case "done", "prcreated", "archived", "merged":
		return r.plan.signoff.verdict == unchecked || r.plan.signoff.verdict == approved
	}
	return false
}

// specless: there is neither a plan nor the specification from which one is made.
func (r *reading) specless() bool {
	return (r.plan == nil || len(r.plan.phases) == 0 && r.plan.signoff.word == "") && !r.artefact["spec"]
}

func (r *reading) isItem(id string) bool {
	if r.plan == nil {
		return false
	}
	_, ok := r.plan.find(id)
	return ok
}

// family is the first part of the names that a spec's branch has.
func (r *reading) family() string {
	if _, ok := inFamily(r.branch, "auto-build"); ok || strings.HasPrefix(r.place.path, r.project+"auto-build/") {
		return "auto-build"
	}
	return "auto-claude"
}

// branchName is the spec's branch, there or still to be made.
func (r *reading) branchName() refs.Name {
	if r.branch != "" {
		return r.branch
	}
	return familyBranch(r.family(), r.id)
}

// resettable reports whether any item is in progress or failed, and may be tried again.
func (r *reading) resettable() bool {
	if r.plan == nil {
		return false
	}
	for it := range r.plan.all() {
		if r.mayReset(it) {
			return true
		}
	}
	return false
}

func (r *reading) mayReset(it item) bool {
	return (it.state == checkpoint.Active || it.state == checkpoint.Failed) && r.history.usedUp(it) == ""
}

// repairable reports whether a damaged or lost plan can be replaced by one that was read elsewhere.
func (r *reading) repairable() bool {
	return r.plan != nil && len(r.folders)+len(r.strays) > 0 && (r.version != nil || slices.ContainsFunc(r.live, func(c planCopy) bool { return c.err != nil }))
}
