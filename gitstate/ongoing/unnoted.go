package ongoing

import (
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// branchUnrecorded reports whether git has detached HEAD for a rebase with the apply backend, but has not yet recorded the branch.
func (x *reading) branchUnrecorded(dir string) bool {
	return x.files.has(dir+"/rebasing") && !x.files.has(dir+"/head-name") && x.branch() == ""
}

// rebasedFrom reads HEAD's reflog to find the branch of the last rebase, its target commit, and its original commit. The branch is
// empty if HEAD was detached. All three results are empty if they are not certain.
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
		// Read the original commit from ORIG_HEAD. It is not always HEAD's previous commit: "git rebase UPSTREAM BRANCH" first checks out
		// BRANCH.
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

// branchAt finds the branch of a rebase that started at the commit "orig". HEAD was at the commit "before" when the rebase started. The
// argument "moves" lists the entries of HEAD's reflog from before the rebase, newest first.
//
// If HEAD was at "orig", the last checkout in the reflog usually gives the answer: it went to a branch that still points to "orig", or it
// detached HEAD at "orig". In all other cases, the only branch that points to "orig" is the answer. For a detached HEAD, the result
// "branch" is empty and ok is true. ok is false if the branch is not certain.
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

// lastCheckout returns the branch or commit that HEAD was last switched to, or "" if the reflog does not show it.
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
