package ongoing

import (
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// unnoted: a rebase by patches is under way, and git has not written down yet to which branch it goes back.
func (x *reading) unnoted(dir string) bool {
	return x.files.has(dir+"/rebasing") && !x.files.has(dir+"/head-name") && x.branch() == ""
}

// rebasedFrom finds out by HEAD's log, and by the branches, of which branch the rebase is that was begun last, and where it goes.
// The branch is empty if HEAD was detached; if nothing tells for sure, all of it is.
func (x *reading) rebasedFrom() (branch refs.Name, onto, orig object.ID) {
	out, err := x.repo.Git(x.ctx, process.Call{Args: []string{"log", "-g", "--format=%H %gs", "HEAD", "--"}})
	if err != nil {
		return "", "", ""
	}
	moves := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i, move := range moves {
		id, text, _ := strings.Cut(move, " ")
		if !isRebase(text) || !strings.Contains(text, " (start): ") || i+1 == len(moves) {
			continue
		}
		before, _, _ := strings.Cut(moves[i+1], " ")
		// Not where HEAD was, if a branch was named that is rebased.
		was, err := x.repo.Line(x.ctx, "rev-parse", "--verify", "-q", "ORIG_HEAD")
		orig = object.ID(was)
		branch, ok := x.branchAt(orig, object.ID(before), moves[i+1:])
		if err != nil || !ok {
			return "", "", ""
		}
		return branch, object.ID(id), orig
	}
	return "", "", ""
}

// branchAt is the branch at orig on which HEAD was, going by the moves of HEAD until then, the newest first.
func (x *reading) branchAt(orig, before object.ID, moves []string) (branch refs.Name, ok bool) {
	heads, err := x.repo.Refs.List(x.ctx, "refs/heads/")
	if err != nil || orig == "" {
		return "", false
	}
	if name := lastCheckout(moves); name != "" && orig == before {
		at, known := heads[refs.Branch(name)]
		switch {
		case known && at == orig:
			return refs.Branch(name), true
		case !known && strings.HasPrefix(string(orig), name):
			return "", true
		}
	}
	for name, at := range heads {
		if at != orig {
			continue
		}
		if branch != "" {
			return "", false
		}
		branch = name
	}
	return branch, branch != ""
}

// lastCheckout is what HEAD was moved to by name; empty if the log does not tell.
func lastCheckout(moves []string) string {
	for _, move := range moves {
		_, text, _ := strings.Cut(move, " ")
		for _, mark := range []string{"checkout: moving from ", "Branch: renamed refs/heads/", "returning to refs/heads/"} {
			if !strings.Contains(text, mark) {
				continue
			}
			return refs.Short(refs.Name(text[strings.LastIndex(text, " ")+1:]))
		}
	}
	return ""
}
