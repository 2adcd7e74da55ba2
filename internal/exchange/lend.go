package exchange

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
)

// LentRef names a ref for a run that was lent: its commits were sent to a branch of a remote, so that somebody can work on it there. If
// that branch and the run's branch have diverged, the ref keeps the last commit of the remote's branch, so that people can compare the two.
// Otherwise the ref is not needed.
func LentRef(remote string, id checkpoint.RunID) refs.Name { return TrackingRef(remote, "lent", id) }

// BranchError says that a remote has no branch of the given name, or that the branch cannot be used. Text is empty if there is no such
// branch. Otherwise it says what is wrong with the branch.
type BranchError struct {
	Remote, Branch string
	Text           string
}

func (e *BranchError) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("remote '%s' has no branch '%s'", e.Remote, e.Branch)
	}
	return fmt.Sprintf("branch '%s' of remote '%s' cannot be used: %s", e.Branch, e.Remote, e.Text)
}

// BranchApartError says that a branch at a remote has commits that the run's branch lacks.
type BranchApartError struct {
	Run            checkpoint.RunID
	Remote, Branch string
	// The field "Here" is the last commit of the run's branch. The field "There" is the last commit of the branch at the remote.
	Here, There object.ID
	// Behind is true if the remote's branch has all commits of the run's branch.
	Behind bool
}

func (e *BranchApartError) Error() string {
	if e.Behind {
		return fmt.Sprintf("branch '%s' of remote '%s' has commits that run '%s' does not have", e.Branch, e.Remote, e.Run)
	}
	return fmt.Sprintf("branch '%s' of remote '%s' and run '%s' have diverged", e.Branch, e.Remote, e.Run)
}

// Lending is the exchange of a run's commits with one branch of a remote.
type Lending struct {
	Run            checkpoint.RunID
	Remote, Branch string
	In             *Exchanger
}

// missingRef is what git says if the server does not have a ref that was asked for by its full name.
const missingRef = "couldn't find remote ref"

// Fetch fetches the branch and returns its last commit, or "" if the remote has no such branch. The commits are kept in a separate ref
// until the function done is called.
func (l *Lending) Fetch(ctx context.Context) (tip object.ID, done func(), err error) {
	e := l.In
	quarantine{e}.clearDead(ctx)
	space := fmt.Sprintf("%s%d-%s/", incomingSpace, e.PID, e.Store.Nonce)
	done = func() { quarantine{e}.clear(context.WithoutCancel(ctx), space) }
	ref := refs.Name(space + "lent/" + string(l.Run))
	err = e.At(l.Remote).Fetch(ctx, fmt.Sprintf("+%s:%s", refs.Branch(l.Branch), ref))
	var git *process.Error
	switch {
	case err == nil:
	case errors.As(err, &git) && strings.Contains(git.Text, missingRef):
		return "", done, nil
	default:
		return "", done, e.unreachable(ctx, l.Remote, err)
	}
	if tip, err = e.Repo.Refs.Ref(ctx, ref); err != nil {
		return "", done, err
	}
	if c, err := e.Repo.Objects.Commit(ctx, string(tip)); err != nil || c.ID != tip {
		return "", done, &BranchError{l.Remote, l.Branch, "it does not point to a commit that can be read"}
	}
	return tip, done, nil
}

// Send moves the branch at the remote forward to a commit, and creates it if it is missing. It returns the commit at which the branch was
// before. If the branch has commits that the new commit does not contain, it returns *BranchApartError.
func (l *Lending) Send(ctx context.Context, tip object.ID) (was object.ID, err error) {
	for try := 1; ; try++ {
		var done func()
		was, done, err = l.Fetch(ctx)
		if err == nil && was != tip {
			err = l.mustFollow(ctx, was, tip)
		}
		done()
		if err != nil || was == tip {
			return was, err
		}
		again, err := l.sendOnce(ctx, was, tip)
		if !again || try == maxSends {
			return was, err
		}
	}
}

// sendOnce makes one push. The result "again" is true if somebody else has moved the branch meanwhile. If the push gets no answer, sendOnce
// does not repeat it, because the user's hook may have stopped it. Instead it fetches the branch to see whether the push arrived.
func (l *Lending) sendOnce(ctx context.Context, was, tip object.ID) (again bool, err error) {
	to := l.In.At(l.Remote)
	to.Hooks = true // run the user's hooks, as "git push" does: the hook of git-lfs, for example, sends the large files
	answer, err := to.Swap(ctx, remote.Move{Ref: refs.Branch(l.Branch), Old: was, New: tip})
	if err != nil || answer.Outcome == remote.Moved {
		return false, err
	}
	failed := &UnreachableError{Remote: l.Remote, Branch: l.Branch, Refused: answer.Outcome == remote.Refused, Text: answer.Text}
	if answer.Outcome == remote.Refused {
		return false, failed
	}
	now, done, err := l.Fetch(ctx)
	defer done()
	switch {
	case err != nil:
		return false, err
	case now == tip:
		return false, nil
	}
	return now != was, failed
}

// mustFollow returns a *BranchApartError if the commit "to" does not contain the commit "from". If the two have diverged, it also keeps
// "from" in a ref.
func (l *Lending) mustFollow(ctx context.Context, from, to object.ID) error {
	if from == "" {
		return nil
	}
	within, err := past.IsAncestor(ctx, l.In.Repo, from, to)
	if err != nil || within {
		return err
	}
	behind, err := past.IsAncestor(ctx, l.In.Repo, to, from)
	if err != nil {
		return err
	}
	if !behind {
		err = l.Keep(ctx, from)
	}
	return errors.Join(err, &BranchApartError{Run: l.Run, Remote: l.Remote, Branch: l.Branch, Here: to, There: from, Behind: behind})
}

// Keep keeps a commit of the remote's branch in a ref, so that people can compare it with the run. An empty tip removes the ref.
func (l *Lending) Keep(ctx context.Context, tip object.ID) error {
	ref := LentRef(l.Remote, l.Run)
	old, err := l.In.Repo.Refs.Ref(ctx, ref)
	if err != nil || old == tip {
		return err
	}
	return l.In.Repo.Refs.Update(ctx, refs.Update{Ref: ref, New: tip, Old: old, NoLog: true})
}
