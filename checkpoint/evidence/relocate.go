package evidence

import (
	"context"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
)

// Moved describes where the commit of a finished task is after history was rewritten.
type Moved struct {
	// Now is the commit that contains the task's work today, or empty if no such commit was found.
	Now object.ID
	// By says how the commit was recognized: "trailer", "tree" or "patch".
	By string
}

// Relocate looks for finished tasks whose recorded commit is no longer on the run's branch, and for the commits that contain the work of
// these tasks now.
func (h *History) Relocate(ctx context.Context, r *checkpoint.Run) (map[checkpoint.TaskID]Moved, error) {
	out := map[checkpoint.TaskID]Moved{}
	tip, err := h.BranchTip(ctx, r)
	if err != nil || tip == "" {
		return out, err
	}
	lost := h.lostTasks(ctx, r, tip)
	if len(lost) == 0 {
		return out, nil
	}
	here, err := h.onBranch(ctx, r, tip)
	if err != nil {
		return nil, err
	}
	for _, t := range lost {
		m, err := h.findWork(ctx, r.ID, t, here)
		if err != nil {
			return nil, err
		}
		out[t.ID] = m
	}
	return out, nil
}

// lostTasks lists the finished tasks whose commit is not on the branch.
func (h *History) lostTasks(ctx context.Context, r *checkpoint.Run, tip object.ID) []checkpoint.Task {
	var asked []checkpoint.Task
	for _, t := range r.Tasks {
		if t.State == checkpoint.Done && t.Commit != "" && t.Commit != tip {
			asked = append(asked, t)
		}
	}
	outside, told := h.commitsOutside(ctx, asked, tip)
	var out []checkpoint.Task
	for _, t := range asked {
		// git walks history by date, so its list of commits outside the branch may be too long. But a commit that is not
		// in this list is certainly on the branch.
		if (!told || outside[t.Commit]) && !h.Contains(ctx, tip, t.Commit) {
			out = append(out, t)
		}
	}
	return out
}

// commitsOutside returns those commits of the tasks that are not on the branch, and those of their ancestors that are not on it. The bool
// is false if git failed, for example because a commit does not exist.
func (h *History) commitsOutside(ctx context.Context, tasks []checkpoint.Task, tip object.ID) (out map[object.ID]bool, told bool) {
	out = map[object.ID]bool{}
	if len(tasks) == 0 {
		return out, true
	}
	var in strings.Builder
	for _, t := range tasks {
		in.WriteString(string(t.Commit) + "\n")
	}
	in.WriteString("^" + string(tip) + "\n")
	list, err := h.Repo.Git(ctx, process.Call{Args: []string{"rev-list", "--stdin"}, Stdin: strings.NewReader(in.String())})
	for id := range strings.FieldsSeq(string(list)) {
		out[object.ID(id)] = true
	}
	return out, err == nil
}

// onBranch lists the newest commits of the branch, newest first. It stops at the base if that commit exists.
func (h *History) onBranch(ctx context.Context, r *checkpoint.Run, tip object.ID) ([]object.Commit, error) {
	revs := []string{string(tip)}
	if _, err := h.Repo.Objects.Commit(ctx, string(r.Base.Commit)); err == nil {
		revs = append(revs, "^"+string(r.Base.Commit))
	}
	return h.log(ctx, revs...)
}

func (h *History) findWork(ctx context.Context, id checkpoint.RunID, t checkpoint.Task, here []object.Commit) (Moved, error) {
	for _, c := range here {
		for _, e := range checkpoint.EvidenceOf(c, id) {
			if e.Task == t.ID && !e.Partial {
				return Moved{c.ID, "trailer"}, nil
			}
		}
	}
	for _, c := range here {
		if c.Tree == t.Tree {
			return Moved{c.ID, "tree"}, nil
		}
	}
	if t.Patch == "" {
		return Moved{}, nil
	}
	for _, c := range here {
		if len(c.Parents) != 1 {
			continue
		}
		patch, err := past.PatchID(ctx, h.Repo, string(c.Parents[0]), string(c.ID))
		if err != nil {
			return Moved{}, err
		}
		if patch == t.Patch {
			return Moved{c.ID, "patch"}, nil
		}
	}
	return Moved{}, nil
}
