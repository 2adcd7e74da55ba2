package ongoing

import (
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// branchUnrecorded reports whether a rebase by patches is in progress and git has not yet recorded the branch to which it returns.
func (x *reading) branchUnrecorded(dir string) bool {
	return x.files.has(dir+"/rebasing") && !x.files.has(dir+"/head-name") && x.branch() == ""
}

// rebasedFrom finds, from HEAD's reflog and the branches, which branch the last started rebase moves, and onto which commit.
// The branch is empty if HEAD was detached; all three results are empty if this is not certain.
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
		// This differs from where HEAD was if the rebase was started with the name of another branch.
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

// branchAt finds the branch at orig on which HEAD was, from HEAD's moves until then, newest first.
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

// lastCheckout is the name to which HEAD was last moved; empty if the reflog does not say.
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
