package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/internal/candidate"
)

// Reviewed describes what a run built, task by task.
type Reviewed struct {
	Summary candidate.Summary
	Tasks   []TaskReview
	// From is the commit with which the run is compared, as forkPoint returns it. Stat is git's summary of all changes since that commit.
	From object.ID
	Stat string
	Diff string
	// Uncommitted lists the uncommitted files of another system's work. They belong to the review, because some systems never commit.
	Uncommitted []string
	// Looked is true if the worktree exists, so that Uncommitted is known. OwnState is true if files of the other system's own state are
	// uncommitted there; they are left out of Uncommitted.
	Looked, OwnState bool
}

// TaskReview is what one task produced.
type TaskReview struct {
	Task    checkpoint.Task
	Commit  object.ID
	Subject string
	Stat    string
}

// Review describes what a run built, per task and compared with its base. If patch is true, it includes the whole diff.
func (e *Merger) Review(ctx context.Context, run string, patch bool) (*Reviewed, error) {
	s, err := e.findForReview(ctx, run)
	if err != nil {
		return nil, err
	}
	out := &Reviewed{Summary: s}
	for _, t := range s.Run.Tasks {
		rev := TaskReview{Task: t, Commit: t.Commit}
		if m, ok := s.Moved[t.ID]; ok {
			rev.Commit = m.Now
		}
		if rev.Commit != "" {
			e.reviewCommit(ctx, &rev)
		}
		out.Tasks = append(out.Tasks, rev)
	}
	if err := e.reviewUncommitted(ctx, out); err != nil {
		return nil, err
	}
	return out, e.reviewWhole(ctx, out, patch)
}

// reviewUncommitted adds the uncommitted files of another system's work.
func (e *Merger) reviewUncommitted(ctx context.Context, out *Reviewed) error {
	if out.Summary.Found == nil {
		return nil
	}
	place, ok := e.Adopt.RegisteredAt(out.Summary.Path)
	if !ok {
		return nil
	}
	paths, err := e.uncommittedAt(ctx, place)
	all := len(paths)
	out.Uncommitted = slices.DeleteFunc(paths, func(p string) bool { return isState(out.Summary.Found.Root, p) })
	out.Looked, out.OwnState = err == nil, len(out.Uncommitted) < all
	return err
}

// isState reports whether the file p belongs to the other system's own records, and so is not a result of the work. Such a file is inside
// the folder that the argument "root" names, and a part of its path begins with a dot.
func isState(root, p string) bool {
	return root != "" && strings.HasPrefix(p, root+"/") && strings.Contains("/"+p, "/.")
}

// findForReview finds the work to show. It does not adopt another system's work.
func (e *Merger) findForReview(ctx context.Context, run string) (candidate.Summary, error) {
	id, err := e.resolveWithWork(ctx, run)
	if err == nil {
		if s, err := e.Judge.Detail(ctx, id); err != nil || s.Run.Source == "" {
			return s, err
		}
		return e.Find.Lookup(ctx, candidate.RunKey(id))
	}
	var none *candidate.NoneError
	if !errors.As(err, &none) {
		return candidate.Summary{}, err
	}
	if run == "" && e.RunName == "" {
		only, err := (candidate.Merges{Find: e.Find}).Only(ctx)
		if err != nil {
			return candidate.Summary{}, err
		}
		if only != "" {
			return e.Judge.Detail(ctx, only)
		}
	}
	key, err := e.Find.Which(ctx, run)
	if err != nil {
		return candidate.Summary{}, err
	}
	return e.Find.Lookup(ctx, key)
}

// resolveWithWork finds the run that the user named. If the name fits several runs, it ignores those that were discarded or replaced by a
// newer run.
func (e *Merger) resolveWithWork(ctx context.Context, run string) (checkpoint.RunID, error) {
	id, err := e.Find.Resolve(ctx, run)
	var several *candidate.AmbiguousError
	if !errors.As(err, &several) {
		return id, err
	}
	have := slices.DeleteFunc(slices.Clone(several.Runs), func(s candidate.Summary) bool {
		return s.State == checkpoint.Discarded || s.Run.Superseded != ""
	})
	switch len(have) {
	case 0:
		return "", err
	case 1:
		return have[0].Run.ID, nil
	}
	several.Runs = have
	return "", several
}

// ownID returns the id of the run that the user named. If the name belongs to another system's work, ownID first adopts that work as a run.
func (e *Merger) ownID(ctx context.Context, run string) (checkpoint.RunID, error) {
	id, err := e.resolveWithWork(ctx, run)
	var none *candidate.NoneError
	if !errors.As(err, &none) {
		return id, err
	}
	key, err := e.Find.Which(ctx, run)
	if err != nil || key.Kind() == candidate.OwnRun {
		return key.Run(), err
	}
	s, err := e.Find.Lookup(ctx, key)
	if err != nil {
		return "", err
	}
	j, err := e.Adopt.Adopt(ctx, &s)
	if err != nil {
		return "", err
	}
	return j.Run.ID, nil
}

func (e *Merger) reviewCommit(ctx context.Context, rev *TaskReview) {
	c, err := e.Repo.Objects.Commit(ctx, string(rev.Commit))
	if err != nil {
		return
	}
	rev.Subject = c.Subject()
	if len(c.Parents) > 0 {
		rev.Stat, _ = e.Repo.Line(ctx, "diff-tree", "--no-ext-diff", "--shortstat", string(c.Parents[0]), string(c.ID))
	}
}

// forkPoint returns the newest commit that a run and its base have in common. A review shows what came after this commit on the run's
// branch, without the commits of the base that were merged into the run. If there are several such commits, or if the base has all commits
// of the run, forkPoint returns the commit at which the run started.
func (e *Merger) forkPoint(ctx context.Context, r *checkpoint.Run, tip object.ID) object.ID {
	bases, err := past.MergeBases(ctx, e.Repo, e.BaseTip(ctx, r), tip)
	if err != nil || len(bases) != 1 || bases[0] == tip {
		return r.Base.Commit
	}
	return bases[0]
}

func (e *Merger) reviewWhole(ctx context.Context, out *Reviewed, patch bool) error {
	tip, err := e.Store.History().BranchTip(ctx, &out.Summary.Run)
	if err != nil || tip == "" {
		return err
	}
	out.From = e.forkPoint(ctx, &out.Summary.Run, tip)
	span := string(out.From) + ".." + string(tip)
	if out.Stat, err = e.Repo.Line(ctx, "diff", "--no-ext-diff", "--stat=78", span); err != nil {
		return fmt.Errorf("compare with the base: %w", err)
	}
	if patch {
		// Do not run the diff programs from the repository's configuration. A textconv program may even make git write its cache to a ref.
		out.Diff, err = e.Repo.Line(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", span)
	}
	return err
}
