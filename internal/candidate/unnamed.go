package candidate

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
)

// onlyForeignWork returns the open work of other systems, if there is exactly one piece. If there is none, it returns the error in the
// argument "none". If there are several, it returns an error, because the user must name one. If the argument "asked" is false, the user
// cannot be asked to confirm the choice, so even one piece is an error.
func (e *Finder) onlyForeignWork(ctx context.Context, none error, asked bool) (Key, error) {
	all, err := Judging{Find: e}.Status(ctx, journal.OpenRuns)
	if err != nil {
		return "", err
	}
	return onlyOf(OfOthers(all), none, asked)
}

func onlyOf(others []Summary, none error, asked bool) (Key, error) {
	switch {
	case len(others) == 0:
		return "", none
	case len(others) > 1:
		return "", &AmbiguousError{Runs: others}
	case !asked:
		return "", &AmbiguousError{Runs: others, Others: true}
	}
	return others[0].Key(), nil
}

// Unnamed chooses work for a command that changes something, if the user named none. If a run is open, the result is "", and the caller
// uses Resolve. If no run is open, Unnamed chooses the only finished run that is not merged. If there is none, it chooses the only open
// work of another system.
func (e *Finder) Unnamed(ctx context.Context, run string, asked bool) (string, error) {
	if run != "" || e.RunName != "" {
		return run, nil
	}
	_, err := e.Resolve(ctx, "")
	if none := new(NoneError); !errors.As(err, &none) {
		return run, nil
	}
	if id, ferr := (Merges{Find: e}).Only(ctx); id != "" || ferr != nil {
		return string(id), ferr
	}
	id, err := e.onlyForeignWork(ctx, err, asked)
	return string(id), err
}

// UnnamedWhole chooses the work for a command that discards another system's work together with the run that adopted it, if the user named
// no work. Unlike Unnamed, it never chooses a finished run that is not merged, even in the worktree of that run.
func (e *Finder) UnnamedWhole(ctx context.Context, asked bool) (string, error) {
	if e.RunName != "" {
		return e.RunName, nil
	}
	all, err := Judging{Find: e}.Status(ctx, journal.OpenRuns)
	if err != nil {
		return "", err
	}
	others := OfOthers(all)
	own, err := e.Resolve(ctx, "")
	if none := new(NoneError); err != nil && !errors.As(err, &none) {
		return "", nil
	}
	finished, ferr := (Merges{Find: e}).Unmerged(ctx)
	if slices.ContainsFunc(finished, func(s Summary) bool { return s.Run.ID == own }) {
		return "", &NoneError{Finished: own}
	}
	if own != "" {
		others = slices.DeleteFunc(others, func(s Summary) bool { return s.Run.ID != own })
	}
	if len(others) > 1 && !asked {
		return "", &AmbiguousError{Runs: others, Others: true}
	}
	if own == "" && len(others) == 0 && ferr == nil && len(finished) > 0 {
		return "", &NoneError{Finished: finished[0].Run.ID} // a finished run that is not merged is discarded only if the user names it
	}
	id, err := onlyOf(others, nil, asked)
	return string(id), err
}
