package assess

import (
	"context"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/tasks"
)

// ShelvedWork finds the commit in which an update from the base saved unfinished work. It returns nil if there is no such commit. The
// commit can be removed only if nothing follows it, or just one merge. Otherwise ShelvedWork returns a *ShelvedError.
func ShelvedWork(ctx context.Context, repo *gitstate.Repo, r *checkpoint.Run) (*Shelved, error) {
	if r.Updating == nil {
		return nil, nil
	}
	_, head, err := repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	var above []object.Commit
	for at := head; at != "" && at != r.Updating.Head && len(above) < tasks.MaxAbove; {
		c, err := repo.Objects.Commit(ctx, string(at))
		if err != nil {
			return nil, err
		}
		if isShelved(r, c) {
			return shelvedBelow(r, c, above)
		}
		if above = append(above, c); len(c.Parents) == 0 {
			break
		}
		at = c.Parents[0]
	}
	return nil, nil
}

func shelvedBelow(r *checkpoint.Run, c object.Commit, above []object.Commit) (*Shelved, error) {
	switch {
	case len(above) == 0:
		return &Shelved{Commit: c}, nil
	case len(above) == 1 && len(above[0].Parents) == 2:
		return &Shelved{c, &above[0]}, nil
	}
	e := &ShelvedError{Run: r.ID, Commit: c.ID}
	if t := gitstate.TrailerValues(c.Message, checkpoint.TrailerTask); len(t) > 0 {
		e.Task = checkpoint.TaskID(t[0])
	}
	return nil, e
}

// isShelved reports whether an update from the base made this commit to keep uncommitted work.
func isShelved(r *checkpoint.Run, c object.Commit) bool {
	return len(c.Parents) == 1 && strings.HasPrefix(c.Subject(), UnfinishedWork) && tasks.OfRun(r.ID, c) &&
		len(gitstate.TrailerValues(c.Message, checkpoint.TrailerState)) > 0
}

// Shelved is a commit that holds unfinished work, and the merge on top of it, if there is one.
type Shelved struct {
	Commit object.Commit
	Merge  *object.Commit
}

// ChangedPaths lists the files that differ between two commits.
func ChangedPaths(ctx context.Context, repo *gitstate.Repo, from, to object.ID) ([]string, error) {
	deltas, err := past.Changed(ctx, repo, from, to)
	paths := make([]string, 0, len(deltas))
	for _, d := range deltas {
		paths = append(paths, d.Path)
	}
	return paths, err
}

// EntriesOf lists the files of a git tree. It maps each path to its mode and id.
func EntriesOf(ctx context.Context, repo *gitstate.Repo, tree object.ID) (map[string]string, error) {
	out, err := repo.Git(ctx, process.Call{Args: []string{"ls-tree", "-r", "-z", "--full-tree", string(tree)}})
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", tree.Short(), err)
	}
	all := map[string]string{}
	for line := range strings.SplitSeq(string(out), "\x00") {
		about, path, ok := strings.Cut(line, "\t")
		if f := strings.Fields(about); ok && len(f) == 3 {
			all[path] = f[0] + " " + f[2]
		}
	}
	return all, nil
}

// ShelvedError says that a task's unfinished work cannot be removed from the run's branch, because other changes were committed together
// with it or after it.
type ShelvedError struct {
	Run    checkpoint.RunID
	Task   checkpoint.TaskID
	Commit object.ID
	// Paths lists the files that contain unfinished work and also changes from the merge of the base, which cannot be separated. If Paths
	// is empty, the unfinished work cannot be removed because other commits were made on top of it.
	Paths []string
}

func (e *ShelvedError) Error() string {
	if len(e.Paths) > 0 {
		return fmt.Sprintf("the unfinished work cannot be removed, because it cannot be separated from the merge of the base in these files: %s", strings.Join(e.Paths, ", "))
	}
	return fmt.Sprintf("the unfinished work in commit %s cannot be removed, because other commits are on top of it", e.Commit.Short())
}

// UnfinishedWork begins the subject of a commit that an update from the base makes. The commit holds the uncommitted work while git
// merges or rebases.
const UnfinishedWork = "unfinished work"
