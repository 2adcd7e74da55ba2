package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/store"
	"github.com/git-resume/git-resume/worktree/series"
)

// Label returns the name by which people and commands refer to a snapshot, such as "job-a7f3@2". It returns the id if the snapshot has no
// number.
func (s Snapshot) Label() string {
	if s.Number == 0 {
		return string(s.ID)
	}
	return Label(s.Run, s.Number)
}

// Label returns the name of a run's snapshot with this number.
func Label(run string, number int) string { return run + "@" + strconv.Itoa(number) }

// ParseLabel splits the name of a snapshot into its run and its number. The number is zero if the name has none; then the newest snapshot
// is meant.
func ParseLabel(name string) (run string, number int, err error) {
	run, digits, has := strings.Cut(name, "@")
	if !has {
		return run, 0, nil
	}
	number, err = strconv.Atoi(digits)
	if err != nil || number < 1 || strconv.Itoa(number) != digits {
		return "", 0, &LabelError{Name: name}
	}
	return run, number, nil
}

// LabelError reports a text after "@" that is not the number of a snapshot.
type LabelError struct{ Name string }

func (e *LabelError) Error() string {
	return fmt.Sprintf("'%s' is not the name of a snapshot: a number, 1 or larger, must follow the '@'", e.Name)
}

// Owners lists the runs and git operations that have snapshots, sorted by name. It also lists all discarded runs.
func Owners(ctx context.Context, repo *gitstate.Repo) ([]string, error) {
	found := map[string]bool{}
	for _, prefix := range []string{string(Ref("")), series.Root + series.Discarded + "/"} {
		runs, err := repo.Refs.Names(ctx, prefix)
		if err != nil {
			return nil, fmt.Errorf("list snapshots: %w", err)
		}
		for _, run := range runs {
			_, err := repo.Refs.Ref(ctx, refs.Name(prefix+run))
			var damaged *refs.BadError
			found[run] = found[run] || !errors.As(err, &damaged)
		}
	}
	maps.DeleteFunc(found, func(_ string, readable bool) bool { return !readable }) // leave out runs whose refs are damaged, as git does in its lists
	return sortedKeys(found), nil
}

// All returns the snapshots of a run or of a git operation, oldest first. Of a snapshot that cannot be read, it returns only the number,
// the run and the id. If there are none, it returns the snapshots that a discard of the run saved.
func All(ctx context.Context, repo *gitstate.Repo, run string) ([]Snapshot, error) {
	if err := series.CheckRun(run); err != nil {
		return nil, err
	}
	kept, err := series.Of(repo, series.Snapshots, run).Read(ctx)
	if err != nil {
		return nil, err
	}
	if len(kept.Entries) == 0 {
		if kept, err = discardedSnapshots(ctx, repo, run); err != nil {
			return nil, err
		}
	}
	return loadAll(ctx, repo, run, kept.Entries)
}

// loadAll reads the snapshots of the given entries. It asks git for all of them at once, because a run may have hundreds.
func loadAll(ctx context.Context, repo *gitstate.Repo, run string, entries []series.Entry) ([]Snapshot, error) {
	out := make([]Snapshot, len(entries))
	names := make([]string, len(entries))
	for i, e := range entries {
		out[i], names[i] = Snapshot{ID: e.ID}, string(e.ID)
	}
	var facts []string
	var of []int // for each name in "facts", the index of its snapshot in "out"
	_ = repo.Objects.Each(ctx, names, store.Wanted{Kinds: []string{"tree"}}, func(i int, o object.Object) error {
		if s, blob, err := parseTree(o); err == nil {
			out[i] = s
			facts, of = append(facts, string(blob)), append(of, i)
		}
		return nil
	})
	readable := make([]bool, len(out))
	_ = repo.Objects.Each(ctx, facts, store.Wanted{Kinds: []string{"blob"}, Limit: series.MaxFacts}, func(i int, o object.Object) error {
		if s, err := out[of[i]].withFacts(o.Data); err == nil {
			out[of[i]], readable[of[i]] = s, true
		}
		return nil
	})
	for i, e := range entries {
		if !readable[i] {
			out[i] = Snapshot{ID: e.ID}
		}
		out[i].Number, out[i].Run = e.Number, run
	}
	return out, ctx.Err()
}

// discardedSnapshots is for a run that was discarded, perhaps several times. It finds the newest discard that saved snapshots, and reads
// their list. The list is empty if there is no such discard.
func discardedSnapshots(ctx context.Context, repo *gitstate.Repo, run string) (series.Snapshot, error) {
	trash := series.Of(repo, series.Discarded, run)
	all, err := trash.Read(ctx)
	if err != nil {
		return series.Snapshot{}, err
	}
	for _, e := range slices.Backward(all.Entries) {
		parts, err := repo.Objects.Tree(ctx, string(e.ID))
		if errors.Is(err, object.ErrMissing) {
			continue
		}
		if err != nil {
			return series.Snapshot{}, err
		}
		i := slices.IndexFunc(parts, func(p object.Entry) bool { return p.Name == series.Snapshots && p.Mode == object.ModeDir })
		if i < 0 {
			continue
		}
		list, err := trash.ReadAt(ctx, parts[i].ID)
		if err != nil || len(list.Entries) > 0 {
			return list, err
		}
	}
	return series.Snapshot{}, nil
}

// NoneError reports that a run has no snapshot, or that the snapshot with this number does not exist or cannot be read.
type NoneError struct {
	Run    string
	Number int
	// Last is the number of the newest snapshot; zero if the run has none.
	Last int
}

func (e *NoneError) Error() string {
	switch {
	case e.Last == 0:
		return fmt.Sprintf("'%s' has no snapshots", e.Run)
	case e.Number > e.Last:
		return fmt.Sprintf("there is no snapshot '%s': the newest one is '%s'", Label(e.Run, e.Number), Label(e.Run, e.Last))
	}
	return fmt.Sprintf("snapshot '%s' cannot be read", Label(e.Run, e.Number))
}

// Numbered returns one of the snapshots of a run by its number. Zero means the newest one. It returns a *NoneError if there is no such
// snapshot, or if the snapshot cannot be read.
func Numbered(ctx context.Context, repo *gitstate.Repo, run string, number int) (Snapshot, error) {
	all, err := All(ctx, repo, run)
	if err != nil {
		return Snapshot{}, err
	}
	none := &NoneError{Run: run, Number: number}
	if len(all) > 0 {
		none.Last = all[len(all)-1].Number
	}
	if number == 0 {
		number = none.Last
	}
	none.Number = number
	i := slices.IndexFunc(all, func(s Snapshot) bool { return s.Number == number })
	if i < 0 || all[i].Tree == "" {
		return Snapshot{}, none
	}
	return all[i], nil
}
