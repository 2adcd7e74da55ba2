package sharing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// Property is something that is tried at a remote, to find out whether runs can be shared through it.
type Property string

const (
	Reach   Property = "reach"
	Create  Property = "create"
	Replace Property = "replace"
	Lease   Property = "lease"
	Atomic  Property = "atomic"
	Shallow Property = "shallow"
	Remove  Property = "remove"
)

// Trial is the result for one property. If the remote does not have the property, Text is what git or the server said.
type Trial struct {
	Property Property
	Holds    bool
	// Untried is true if the property could not be tried. Text then says why.
	Untried bool
	Text    string
}

// Report says what a remote can do.
type Report struct {
	Remote string
	// Refs is how many refs the remote shows, and Took is how long the remote took to answer.
	Refs   int
	Took   time.Duration
	Trials []Trial
	// Left lists the refs of this check that could not be removed.
	Left []refs.Name
}

// Fit reports whether runs can be shared through the remote: the property Create holds, and no property that was tried failed.
func (r *Report) Fit() bool {
	created := slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Property == Create && t.Holds })
	return created && !slices.ContainsFunc(r.Trials, func(t Trial) bool { return !t.Holds && !t.Untried })
}

// Keeps reports whether the remote can store the record of a run and protect it from a concurrent push. The other properties are needed only
// in some cases: refs that cannot move together are moved one after another.
func (r *Report) Keeps() bool {
	return slices.ContainsFunc(r.Trials, func(t Trial) bool { return t.Property == Lease && t.Holds })
}

// NoRemoteError says that no remote could be chosen: there is none, none has the given name, or the user named none and there is no usual
// one among several.
type NoRemoteError struct {
	Given string
	Known []string
}

func (e *NoRemoteError) Error() string {
	switch {
	case len(e.Known) == 0:
		return "this repository has no remote"
	case e.Given == "":
		return "there are several remotes, and none was named"
	}
	return fmt.Sprintf("there is no remote '%s'", e.Given)
}

// Checker tests whether the remotes of one repository can be used to share runs.
type Checker struct {
	Repo *gitstate.Repo
	// Terminal is true if git may ask the user for a password.
	Terminal bool
	// Deadline, if it is set, replaces the usual time limit for each exchange with the remote.
	Deadline time.Duration
	Now      func() time.Time
}

// Name returns the remote that the user means. Without a name, this is the one that remote.Usual chooses. It returns *NoRemoteError if
// there is no such remote.
func (c Checker) Name(ctx context.Context, given string) (string, error) {
	known, err := remote.Names(ctx, c.Repo.Program)
	if err != nil {
		return "", err
	}
	name := given
	if given == "" {
		name = remote.Usual(known)
	}
	if !slices.Contains(known, name) {
		return "", &NoRemoteError{given, known}
	}
	return name, nil
}
