package doctor

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
	"github.com/git-resume/git-resume/worktree/series"
)

// Space is the disk space that one category takes, for example all worktrees or all logs. Count is how many items the category has.
type Space struct {
	Count int
	Bytes int64
	// If Least is true, Bytes is less than the real size, because there were too many files. Unknown is true if this git cannot tell the
	// size.
	Least, Unknown bool
}

// Disk says how much disk space git-resume takes in a repository.
type Disk struct {
	// Worktrees are the worktrees of runs, and Snapshots are the saved uncommitted work. Logs are the outputs of tasks. Discarded is what
	// undo needs to restore discarded runs.
	Worktrees, Snapshots, Logs, Discarded Space
	// Merged is the space of the worktrees whose run is finished and whose commits are all in the base. The field Worktrees includes this
	// space.
	Merged Space
}

// Total returns the sum of all sizes.
func (d *Disk) Total() int64 {
	return d.Worktrees.Bytes + d.Snapshots.Bytes + d.Logs.Bytes + d.Discarded.Bytes
}

// maxCounted limits how many files are looked at to measure worktrees, logs and discarded runs.
const maxCounted = 200_000

// Disk measures the disk space that git-resume takes. It looks at up to maxCounted files, which takes too long for a plain status.
func (e *Checker) Disk(ctx context.Context) (*Disk, error) {
	out := &Disk{}
	left := maxCounted
	trees, err := worktree.Find(ctx, e.Repo)
	if err != nil {
		return nil, err
	}
	for _, t := range trees {
		if t.Admin == "" || t.Main || t.Run == "" || t.Path == "" || !place.Present(t.Path) {
			continue
		}
		size := Space{Count: 1}
		size.walk(t.Path, &left)
		out.Worktrees.add(size)
		if e.isMerged(ctx, t.Run) {
			out.Merged.add(size)
		}
	}
	out.Logs.walk(e.Repo.CommonPath("resume", "logs"), &left)
	out.Discarded.walk(e.Repo.CommonPath("resume", "trash"), &left)
	if out.Snapshots, err = e.stored(ctx, series.Root+"snapshots/", series.Root+"wip/"); err != nil {
		return nil, err
	}
	kept, err := e.stored(ctx, series.Root+series.Discarded+"/", series.Root+series.Acted+"/")
	out.Discarded.add(kept)
	return out, err
}

// isMerged reports whether a run is finished and its base has all of its commits.
func (e *Checker) isMerged(ctx context.Context, run string) bool {
	id := checkpoint.RunID(run)
	if !id.Valid() {
		return false
	}
	s, err := e.Find.Summary(ctx, id)
	return err == nil && s.State == checkpoint.FinishedRun && candidate.MergeStateOf(ctx, e.Site, &s.Run) == candidate.Merged
}

func (s *Space) add(o Space) {
	s.Count, s.Bytes = s.Count+o.Count, s.Bytes+o.Bytes
	s.Least, s.Unknown = s.Least || o.Least, s.Unknown || o.Unknown
}

// walk adds the sizes of the files below a folder, without following links. The argument "left" is how many more files may be looked at.
func (s *Space) walk(dir string, left *int) {
	_ = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // add nothing for a folder itself, or for what cannot be read
		}
		if *left--; *left < 0 {
			s.Least = true
			return filepath.SkipAll
		}
		if info, err := d.Info(); err == nil {
			s.Bytes += info.Size()
		}
		return nil
	})
}

// stored measures the objects that belong to the refs below the given prefixes. It leaves out objects that are also in the base commits
// of the snapshots or in the last commits of branches. It looks at no more than 100 branches.
func (e *Checker) stored(ctx context.Context, prefixes ...string) (Space, error) {
	all, err := e.Repo.Refs.List(ctx, prefixes...)
	if err != nil || len(all) == 0 {
		return Space{}, err
	}
	size := Space{Count: len(all)}
	if !e.Repo.AtLeast(ctx, "2.31") { // older versions do not know --disk-usage
		size.Unknown = true
		return size, nil
	}
	branches, err := e.Repo.Refs.List(ctx, "refs/heads/", series.Root+"base/")
	if err != nil {
		return Space{}, err
	}
	text, err := e.Repo.Git(ctx, process.Call{
		Args:  []string{"rev-list", "--disk-usage", "--objects", "--ignore-missing", "--stdin"},
		Stdin: strings.NewReader(e.storedQuery(ctx, all, branches)),
	})
	if err != nil {
		return Space{}, err
	}
	size.Bytes, err = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return size, err
}

// storedQuery returns the input of git rev-list. It names the trees to measure and, after "^", the trees whose objects are left out.
func (e *Checker) storedQuery(ctx context.Context, all, branches map[refs.Name]object.ID) string {
	var in strings.Builder
	for _, id := range all {
		fmt.Fprintln(&in, id)
		entries, err := series.Of(e.Repo, series.Snapshots, "").ReadAt(ctx, id)
		if err != nil {
			continue // the ref is not a tree of entries, as a snapshot that another clone sent
		}
		for _, x := range entries.Entries {
			fmt.Fprintf(&in, "^%s:head\n", x.ID)
		}
	}
	const most = 100
	tips := make([]string, 0, len(branches))
	for _, id := range branches {
		tips = append(tips, string(id))
	}
	slices.Sort(tips)
	tips = slices.Compact(tips)
	for _, id := range tips[:min(most, len(tips))] {
		fmt.Fprintf(&in, "^%s^{tree}\n", id)
	}
	return in.String()
}
