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

// reading is everything that was read of one spec.
type reading struct {
	*spec
	// place is the folder from which its state was read; zero if there is only a branch or a status file.
	place folder
	plan  *plan
	// planFiles holds the copies of the plan that lie in worktrees; the first is the one that was chosen.
	live []planCopy
	// version is set if the plan comes from the history.
	version *sources.Version
	// missing means that there is no copy of the plan anywhere, neither readable nor damaged.
	missing  bool
	history  history
	commits  commits
	mark     *placedMark
	paused   string // the file that marks the pause
	pids     []int
	base     refs.Name // a branch, by its full name
	branch   refs.Name
	tip      object.ID
	site     site
	proof    proof
	doubts   []sources.Doubt
	artefact map[string]bool // the planning files that exist
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

// proof is what the repository shows about one spec.
type proof struct {
	// byItem maps items to commits that name them, on the spec's branch only, because other specs number their items alike.
	byItem map[string]object.ID
	// merged means that a recorded commit is part of the base.
	merged bool
	// ahead is how many commits of the branch are not in the base.
	ahead int
	// changed are the files that its commits changed.
	changed map[string]bool
	start   object.ID
	last    past.Logged
	lost    int // recorded commits that can no longer be reached
	found   int // how many of the lost ones were found again by their subjects
	// asked means that git could be asked, so anything not listed here does not exist.
	asked bool
}

// site is where a spec is built: a worktree that git knows, with the spec's branch checked out.
type site struct {
	tree *sources.Tree
	// gone is the path of a registered worktree whose folder no longer exists there; moved is where that folder is now.
	gone  string
	moved string
	// reportHeld is a worktree without a branch that holds work which the spec's branch does not have.
	held string
	// other is the spec that has the one worktree in which this one would be built.
	other  string
	doubts []sources.Doubt
}

// DoubtBlockedName and the other codes below are used by this system only.
const (
	DoubtBlockedName  = "branch-name-blocked" // a branch has the name that is needed as a folder of branches
	DoubtLocked       = "worktree-locked"     // somebody locked the worktree
	DoubtWorktreeGone = "worktree-missing"    // registered, but the folder does not exist
	DoubtMoved        = "worktree-moved"      // registered, but the folder is somewhere else
	DoubtCommitGone   = "commit-gone"         // a recorded commit is not in the repository
	DoubtNoBranch     = "branch-missing"      // items are completed, but no branch has their result
	DoubtMerged       = "merged-already"      // all of its commits are in the base
)

// Limits of what git is asked for one spec, and of one walk.
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

// hasRecords reports whether a plan that is gone left records behind.
func hasRecords(r *reading) bool {
	return r.place.path != "" && slices.ContainsFunc(planFiles, r.place.has)
}

func (r *reading) hasMemory() bool { return r.place.path != "" && r.place.has("memory") }

// finishedAndClosed reports whether the plan is finished and closed, so that git cannot add anything to what it says.
func (r *reading) finishedAndClosed() bool {
	if r.plan == nil {
		return false
	}
	all, finished, _, _ := r.plan.count()
	return all > 0 && all == finished && r.plan.isClosed()
}

// lacksSpec reports whether there is neither a plan nor the specification from which a plan is made.
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

// family returns the prefix that the names of the spec's branch have.
func (r *reading) family() string {
	if _, ok := inFamily(r.branch, "auto-build"); ok || strings.HasPrefix(r.place.path, r.project+"auto-build/") {
		return "auto-build"
	}
	return "auto-claude"
}

// branchName returns the spec's branch, whether it exists or has yet to be created.
func (r *reading) branchName() refs.Name {
	if r.branch != "" {
		return r.branch
	}
	return familyBranch(r.family(), r.id)
}

// resettable reports whether any item is in progress or failed and may be tried again.
func (r *reading) resettable() bool {
	if r.plan == nil {
		return false
	}
	for it := range r.plan.all() {
		if r.history.mayReset(it) {
			return true
		}
	}
	return false
}

// repairable reports whether a damaged or lost plan can be replaced by a version that was read elsewhere.
func (r *reading) repairable() bool {
	return r.plan != nil && len(r.folders)+len(r.strays) > 0 && (r.version != nil || slices.ContainsFunc(r.live, func(c planCopy) bool { return c.err != nil }))
}
