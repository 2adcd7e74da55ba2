package resume

import (
	"context"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
)

// follows reports whether the branch in the run's worktree is the run's own under another name, and goes on with that.
// Two things prove it, and both are this clone's alone: git moves a worktree's HEAD along with a rename, and writes it into the branch's log.
func (x *assessor) follows(ctx context.Context, branch string) bool {
	r := x.run()
	if branch == "" || branch == "refs/heads/"+r.Base.Name || !r.Ours() {
		return false
	}
	if at, err := x.Repo.Refs.Ref(ctx, r.Branch); err != nil || at != "" {
		return false
	}
	steps, err := x.Repo.Refs.Log(ctx, branch)
	if err != nil {
		return false
	}
	for _, s := range steps {
		if s.Message == fmt.Sprintf("Branch: renamed %s to %s", r.Branch, branch) {
			x.find(FindBranchRenamed, Info, fmt.Sprintf("branch %s was renamed to %s; the run follows it", shortBranch(r.Branch), shortBranch(branch)))
			x.a.Mends = append([]Mend{MendFollow}, x.a.Mends...)
			r.Branch, x.a.Renamed = branch, branch
			return true
		}
	}
	return false
}

// follow records the name that the run's branch has now.
func (m *mover) follow(ctx context.Context) error {
	j, err := m.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunRenamed, Branch: m.a.Renamed}}, nil
	})
	if err == nil {
		m.out.Journal = j
	}
	return err
}
