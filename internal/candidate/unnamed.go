package candidate

import (
	"context"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
)

// onlyForeignWork returns the only open piece of another system's work; it returns the error none if there is no such work.
// Unless the user can be asked to confirm the choice (asked), the work must be named.
func (e *Finder) onlyForeignWork(ctx context.Context, none error, asked bool) (Key, error) {
	all, err := e.Status(ctx, journal.OpenRuns)
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
		return "", &UnnamedError{Runs: others}
	}
	return others[0].Key(), nil
}

// Unnamed completes the run argument of a command that changes something. If no run of our own can be meant, it chooses another
// system's only open work, provided that the user can be asked; otherwise it returns an error. A named run stays as it is.
func (e *Finder) Unnamed(ctx context.Context, run string, asked bool) (string, error) {
	if run != "" || e.RunName != "" {
		return run, nil
	}
	_, err := e.Resolve(ctx, "")
	if none := new(NoneError); !errors.As(err, &none) {
		return run, nil
	}
	id, err := e.onlyForeignWork(ctx, err, asked)
	return string(id), err
}

// UnnamedWhole is Unnamed for a command that discards the work, and with it the run that adopted it.
func (e *Finder) UnnamedWhole(ctx context.Context, asked bool) (string, error) {
	all, err := e.Status(ctx, journal.OpenRuns)
	if err != nil {
		return "", err
	}
	others := OfOthers(all)
	own, err := e.Resolve(ctx, "")
	if none := new(NoneError); err != nil && !errors.As(err, &none) {
		return "", nil
	}
	if own != "" {
		others = slices.DeleteFunc(others, func(s Summary) bool { return s.Run.ID != own })
	}
	if len(others) > 1 && !asked {
		return "", &UnnamedError{Runs: others}
	}
	id, err := onlyOf(others, nil, asked)
	return string(id), err
}
