package merge

import (
	"context"
	"errors"
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Merger merges the work of a run into its base.
type Merger struct {
	*site.Site
	Find     *candidate.Finder
	Adopt    *adopt.Adopter
	Judge    *assess.Judge
	Dropping *discard.Discarder
}

// Request asks to merge a run into its base.
type Request struct {
	Run string
	// Strip leaves the Resume trailers out of the commits that are merged.
	Strip bool
	// Unfinished is true if a person wants to merge what is done so far, although some tasks are not finished.
	Unfinished bool
	// Sure is true if a person said that nobody is working on the run, although it looks as if somebody is.
	Sure bool
	// Conflicts is true if a person wants to resolve the conflicts of the merge in the worktree of the base.
	Conflicts bool
	// Squash adds all changes of the run as a single commit.
	Squash bool
	// Message replaces the subject of the commit that the merge makes. If it has more lines, they precede the list of tasks. If it is
	// empty, the subject is made from the run's name.
	Message string
}

// UnfinishedError says that a run is not finished, and that the user did not ask to merge it anyway.
type UnfinishedError struct {
	Run   checkpoint.RunID
	State checkpoint.State
	// Done is the number of closed tasks, Skipped says how many of them were skipped, and Of is the number of all tasks. Unit is the word
	// for a task; other systems have words of their own.
	Done, Skipped, Of int
	Unit              string
	// Why says why another system's work is not finished. It is empty for our own runs. It is also empty if open tasks are the reason and
	// their number is known.
	Why string
	// Failed is the last failed task in the order of the plan; empty if none failed.
	Failed checkpoint.TaskID
	// Uncommitted lists files in the run's worktree that the merge would leave out.
	Uncommitted []string
	// Conflicts lists files in which the merge would have conflicts.
	Conflicts []string
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("run '%s' is not finished", e.Run)
}

// refuseUnfinished returns an error for an unfinished run. A run of ours without tasks counts as finished.
func (e *Merger) refuseUnfinished(ctx context.Context, id checkpoint.RunID) error {
	s, err := e.Find.Lookup(ctx, candidate.RunKey(id))
	if err != nil {
		return err
	}
	out := &UnfinishedError{Run: id, State: s.State, Of: len(s.Run.Tasks), Unit: "task"}
	if s.Found != nil {
		out.Unit = s.Found.Unit()
	}
	for _, t := range s.Run.Tasks {
		if t.State.Closed() {
			out.Done++
		}
		if t.State == checkpoint.Skipped {
			out.Skipped++
		}
		if t.State == checkpoint.Failed {
			out.Failed = t.ID
		}
	}
	if s.Found != nil {
		out.Why = unfinishedReason(s.Found, out.Of-out.Done)
	}
	over := s.Run.Closed() || s.State == checkpoint.FinishedRun
	if over || out.Why == "" && (out.Of == 0 || out.Done == out.Of && !s.Run.Paused) {
		return nil
	}
	out.Uncommitted, _ = e.uncommittedFiles(ctx, s.Path)
	out.Conflicts = e.conflictingFiles(ctx, id)
	return out
}

// unfinishedReason says why another system's work should not be merged yet. It returns "" if the work may be merged, or if the number of
// open tasks already explains why not.
func unfinishedReason(f *sources.Found, left int) string {
	switch {
	case !f.State.Open() || f.Point.Task == sources.MergeIt:
		return ""
	case f.Rebuilt:
		return f.Headline + ", and it is not known which tasks are still open"
	case left > 0:
		return ""
	}
	return f.Point.Reason
}

// conflictingFiles lists the files in which a merge would have conflicts. It returns nil after an error, because the merge itself will
// report that.
func (e *Merger) conflictingFiles(ctx context.Context, id checkpoint.RunID) []string {
	a, err := e.Judge.Assess(ctx, candidate.RunKey(id), assess.OnlyLook)
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range a.Findings {
		if f.Code == candidate.FindConflict && f.Severity == candidate.Blocking && !f.Note.Facts.Conflict.Ours.Uncommitted { // what is not committed is not merged
			out = append(out, f.Path)
		}
	}
	return out
}

// uncommittedFiles lists the uncommitted files in the linked worktree at path. For any other path it returns nil.
func (e *Merger) uncommittedFiles(ctx context.Context, path string) ([]string, error) {
	place, ok := e.Adopt.RegisteredAt(path)
	if !ok || place.GitDir == place.CommonDir {
		return nil, nil
	}
	return e.uncommittedAt(ctx, place)
}

func (e *Merger) uncommittedAt(ctx context.Context, place locate.Place) ([]string, error) {
	repo := e.Repo.At(place)
	defer repo.Close()
	return tasks.Uncommitted(ctx, repo)
}

// Merged describes what a merge did.
type Merged struct {
	Journal *journal.Journal
	Base    string
	Commit  object.ID
	// Already is true if the base already had the work of the run.
	Already bool
	// Squash is true if all changes of the run were added as a single commit.
	Squash bool
	// Finished is true if an earlier merge was killed just before its commit, so that only the commit had to be made.
	Finished bool
	Output   string
	// Tip is the last commit of the run that was merged. Since is how many commits the run has got after it, while git merged.
	Tip   object.ID
	Since int
	// Uncommitted lists files in the run's worktree that are not part of the merge. The field At is the path of that worktree.
	Uncommitted []string
	At          string
}

// StoppedError says that git refused to merge, or stopped before the merge was complete. Text is git's own output.
type StoppedError struct {
	Run  checkpoint.RunID
	Base string
	Path string
	Text string
	// Half is true if an ordinary merge with conflicts to resolve is in progress at Path.
	Half bool
	// Waits is true if the merge of this run is in progress at Path, has no conflicts, and can be committed only by the user. Either the
	// index differs from git's own result, or the user has now asked for a squash.
	Waits bool
	// Uncommitted is true if everything is merged at Path, but git did not make the commit.
	Uncommitted bool
	// Left lists paths that the failed merge has changed. It is empty if git changed nothing, or if everything was restored.
	Left []string
	// Unsure lists files that an earlier merge may have written before it was interrupted, but that have another content now.
	Unsure []string
}

func (e *StoppedError) Error() string {
	switch {
	case e.Half:
		return fmt.Sprintf("the merge into %s stopped at conflicts", e.Base)
	case e.Waits:
		return fmt.Sprintf("a merge of run '%s' into %s is in progress, and no conflict is left in it", e.Run, e.Base)
	case e.Uncommitted:
		return fmt.Sprintf("git merged into %s without conflicts, but did not make the commit", e.Base)
	case len(e.Left) > 0:
		return fmt.Sprintf("git stopped in the middle of the merge into %s", e.Base)
	}
	return fmt.Sprintf("git refused to merge into %s", e.Base)
}

// ConflictsError says that a merge would have conflicts, and that the user did not ask for them. Nothing was changed.
type ConflictsError struct {
	Run   checkpoint.RunID
	Base  string
	Files []string
	// Squash is true if the run would be added as a single commit.
	Squash bool
	// Path is the run's worktree; empty if it has none. At is the worktree in which the base is checked out.
	Path, At string
}

func (e *ConflictsError) Error() string {
	does := "merged"
	if e.Squash {
		does = "squashed"
	}
	return fmt.Sprintf("run '%s' cannot be %s into %s without conflicts", e.Run, does, e.Base)
}

// BaselessError says that no branch is recorded into which a run could be merged.
type BaselessError struct {
	Run    checkpoint.RunID
	Branch refs.Name
}

func (e *BaselessError) Error() string {
	return fmt.Sprintf("no base branch is recorded for run '%s'", e.Run)
}

// Merge merges a run's branch into its base, in the worktree where the base is checked out.
func (e *Merger) Merge(ctx context.Context, q Request) (*Merged, error) {
	j, err := e.admit(ctx, q)
	if err != nil {
		return nil, err
	}
	r, id := &j.Run, j.Run.ID
	tree, err := e.BaseTree(ctx, r)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	unlock, err := e.LockTree(site.AdminOf(tree.Place), site.OperationPatience)
	if err != nil {
		return nil, err
	}
	defer unlock()
	now, err := e.Store.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	if now.Run.Discarded && !r.Discarded { // somebody has discarded the run while we waited
		return nil, &candidate.ClosedError{ID: id, State: checkpoint.Discarded}
	}
	s, lookErr := e.Find.Lookup(ctx, candidate.RunKey(id))
	if lookErr != nil {
		return nil, lookErr
	}
	what := string(r.Branch)
	if q.Strip && !q.Squash {
		tip, err := e.rewriteWithoutTrailers(ctx, r)
		if err != nil {
			return nil, err
		}
		what = string(tip)
	}
	var m *Merged
	for range candidate.MaxLooks {
		a := &mergeAttempt{Site: e.Site, tree: tree, run: r, mover: site.MergeMover(tree, refs.Branch(r.Base.Name), id), request: q, tasks: s.Run.Tasks, path: s.Path}
		if m, err = a.merge(ctx, what); !errors.Is(err, candidate.ErrMoved) {
			break
		}
	}
	if err == nil {
		m.At = s.Path
		m.Uncommitted, _ = e.uncommittedFiles(ctx, s.Path)
	}
	return m, err
}

// admit returns the journal of the run that the user named. It refuses runs that cannot be merged, or that the user must confirm first.
func (e *Merger) admit(ctx context.Context, q Request) (*journal.Journal, error) {
	if err := e.mayMergeForeign(ctx, q); err != nil {
		return nil, err
	}
	id, err := e.ownID(ctx, q.Run)
	if err != nil {
		return nil, err
	}
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	r := &j.Run
	if !r.Here && r.Base.Name == "" && r.Branch != "" {
		return nil, &BaselessError{Run: id, Branch: r.Branch}
	}
	if r.Here || r.Base.Name == "" {
		return nil, &candidate.TextError{What: "run '" + string(id) + "'", Why: "has no branch of its own to merge"}
	}
	if err := e.Dropping.MayDrop(r); err != nil {
		return nil, err
	}
	if tip, err := e.Repo.Refs.Ref(ctx, r.Branch); r.Source != "" && err == nil && tip == "" { // the other system may have deleted its branch
		return nil, &candidate.TextError{What: "'" + candidate.ForeignKey(r) + "'", Why: "has no branch of its own to merge"}
	}
	if err := e.refuseIfBusy(ctx, id, q); err != nil {
		return nil, err
	}
	if !q.Unfinished {
		if err := e.refuseUnfinished(ctx, id); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// refuseIfBusy returns an error if somebody may be working on another system's work, unless q.Sure is set.
func (e *Merger) refuseIfBusy(ctx context.Context, id checkpoint.RunID, q Request) error {
	s, err := e.Find.Lookup(ctx, candidate.RunKey(id))
	if err != nil {
		return err
	}
	p := adopt.Proposal{Summary: s, Request: sources.ActionRequest{Name: sources.MergeIt}, Sure: q.Sure}
	return p.AtWork()
}

// mayMergeForeign checks whether another system's work can be merged. It runs before the work is adopted, so that a refusal writes nothing.
func (e *Merger) mayMergeForeign(ctx context.Context, q Request) error {
	var none *candidate.NoneError
	if _, err := e.resolveWithWork(ctx, q.Run); !errors.As(err, &none) {
		return nil // nothing to check: the name belongs to one of our own runs, or the caller gets the same error when it looks for the name
	}
	key, err := e.Find.Which(ctx, q.Run)
	if err != nil || key.Kind() == candidate.OwnRun {
		return err
	}
	s, err := e.Find.Lookup(ctx, key)
	if err != nil || s.Found == nil {
		return err
	}
	f := s.Found
	tip := object.ID("")
	if f.Branch != "" {
		if tip, err = e.Repo.Refs.Ref(ctx, f.Branch); err != nil {
			return err
		}
	}
	switch {
	case tip == "" || s.Run.Here:
		return &candidate.TextError{What: "'" + f.Key() + "'", Why: "has no branch of its own to merge"}
	case f.Base == "":
		return &BaselessError{Run: key.Run(), Branch: f.Branch}
	}
	if err := e.refuseIfBusy(ctx, key.Run(), q); err != nil {
		return err
	}
	if !q.Unfinished {
		if err := e.refuseUnfinished(ctx, key.Run()); err != nil {
			return err
		}
	}
	tree, err := e.BaseTree(ctx, &s.Run)
	if err == nil {
		tree.Close()
	}
	return err
}
