package merge

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/worktree"
)

// Merger brings the work of a run to its base.
type Merger struct {
	*site.Site
	Find     *candidate.Finder
	Adopt    *adopt.Adopter
	Judge    *assess.Judge
	Dropping *discard.Dropper
}

// MergeRequest asks for a run to go into its base.
type MergeRequest struct {
	Run string
	// Strip leaves our trailers out of the base.
	Strip bool
	// Unfinished: a person said that what is there shall be merged, although more is to be done.
	Unfinished bool
	// Sure: a person said that nobody is at work on it, whatever it looks like.
	Sure bool
}

// UnfinishedError says that a run is not finished, and that nobody said to merge what is there.
type UnfinishedError struct {
	Run   checkpoint.RunID
	State checkpoint.State
	// Done of the Of tasks have a result; Unit is what the system that began the work calls one.
	Done, Of int
	Unit     string
	// Failed is the task that failed last; empty if none did.
	Failed checkpoint.TaskID
	// Uncommitted are files in the run's worktree that a merge leaves there.
	Uncommitted []string
	// Conflicts are files in which the merge will stop.
	Conflicts []string
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("run '%s' is not finished", e.Run)
}

// unfinished refuses to take a run for finished that is not. Where it has no tasks, only its end tells.
func (e *Merger) unfinished(ctx context.Context, id checkpoint.RunID) error {
	s, err := e.Find.Lookup(ctx, id)
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
		if t.State == checkpoint.Failed {
			out.Failed = t.ID
		}
	}
	over := s.Run.Closed() || s.State == checkpoint.FinishedRun
	if over || out.Of == 0 || out.Done == out.Of && !s.Run.Paused {
		return nil
	}
	out.Uncommitted, _ = e.uncommittedIn(ctx, s.Path)
	out.Conflicts = e.conflicting(ctx, id)
	return out
}

// conflicting are the files in which a merge will stop; what cannot be told now is told by the merge itself.
func (e *Merger) conflicting(ctx context.Context, id checkpoint.RunID) []string {
	a, err := e.Judge.Assess(ctx, id, assess.OnlyLook)
	if err != nil {
		return nil
	}
	var out []string
	for _, f := range a.Findings {
		if f.Code == candidate.FindConflict && f.Severity == candidate.Blocking {
			out = append(out, f.Path)
		}
	}
	return out
}

// uncommittedIn lists what is not committed in a run's own worktree; what cannot be asked is not told.
func (e *Merger) uncommittedIn(ctx context.Context, path string) ([]string, error) {
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

// Merged is what a merge did.
type Merged struct {
	Journal *journal.Journal
	Base    string
	Commit  object.ID
	// Already: the base had everything before.
	Already bool
	// Finished: git had been killed before the commit, and only that was made.
	Finished bool
	Output   string
	// Uncommitted are files in the run's worktree that are not part of the merge, At where that is.
	Uncommitted []string
	At          string
}

// MergeError says that git would not merge, or stopped half way; Text is git's own.
type MergeError struct {
	Run  checkpoint.RunID
	Base string
	Path string
	Text string
	// Half: an ordinary merge is under way at Path, to be resolved.
	Half bool
	// Waits: a merge of this run is under way at Path in which nothing is unresolved, and which somebody changed:
	// it is theirs to finish.
	Waits bool
	// Uncommitted: everything is merged at Path, and git did not make the commit.
	Uncommitted bool
	// Left are paths that are not as they were before; empty where git began nothing, or all of it was taken back.
	Left []string
}

func (e *MergeError) Error() string {
	switch {
	case e.Half:
		return fmt.Sprintf("the merge into %s stopped at conflicts", e.Base)
	case e.Waits:
		return fmt.Sprintf("a merge of run '%s' into %s is under way, and nothing in it is unresolved", e.Run, e.Base)
	case e.Uncommitted:
		return fmt.Sprintf("git merged into %s without conflicts, but did not make the commit", e.Base)
	case len(e.Left) > 0:
		return fmt.Sprintf("git stopped in the middle of the merge into %s", e.Base)
	}
	return fmt.Sprintf("git would not merge into %s", e.Base)
}

// BaselessError says that no branch is known into which a run goes back: it began at a commit, or its record is lost.
type BaselessError struct {
	Run    checkpoint.RunID
	Branch string
}

func (e *BaselessError) Error() string {
	return fmt.Sprintf("run '%s' has no base branch on record", e.Run)
}

// Merge takes a run's branch into its base, where the base is checked out, as "git merge" does.
func (e *Merger) Merge(ctx context.Context, q MergeRequest) (*Merged, error) {
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
	if tip, err := e.Repo.Refs.Ref(ctx, r.Branch); r.Source != "" && err == nil && tip == "" { // its own system may have removed it
		return nil, &candidate.TextError{What: "'" + candidate.ForeignKey(r) + "'", Why: "has no branch of its own to merge"}
	}
	if err := e.atWork(ctx, id, q); err != nil {
		return nil, err
	}
	if !q.Unfinished {
		if err := e.unfinished(ctx, id); err != nil {
			return nil, err
		}
	}
	tree, err := e.BaseTree(ctx, r)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	what := r.Branch
	if q.Strip {
		tip, err := e.stripped(ctx, r)
		if err != nil {
			return nil, err
		}
		what = string(tip)
	}
	m, err := e.merge(ctx, tree, r, what)
	if s, lookErr := e.Find.Lookup(ctx, id); err == nil && lookErr == nil {
		m.At = s.Path
		m.Uncommitted, _ = e.uncommittedIn(ctx, s.Path)
	}
	return m, err
}

// atWork refuses to merge what another system began while somebody may be at work on it.
func (e *Merger) atWork(ctx context.Context, id checkpoint.RunID, q MergeRequest) error {
	s, err := e.Find.Lookup(ctx, id)
	if err != nil {
		return err
	}
	p := adopt.Proposal{Summary: s, Wish: sources.Wish{Name: sources.MergeIt}, Sure: q.Sure}
	return p.AtWork()
}

// mayMergeForeign refuses to merge work of another system before it is adopted: a refusal writes nothing.
func (e *Merger) mayMergeForeign(ctx context.Context, q MergeRequest) error {
	var none *candidate.NoneError
	if _, err := e.kept(ctx, q.Run); !errors.As(err, &none) {
		return nil // whoever looks next says what is wrong
	}
	id, err := e.Find.Which(ctx, q.Run)
	if err != nil || !candidate.Foreign(id) {
		return err
	}
	s, err := e.Find.Lookup(ctx, id)
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
		return &BaselessError{Run: id, Branch: f.Branch}
	}
	if err := e.atWork(ctx, id, q); err != nil {
		return err
	}
	if !q.Unfinished {
		if err := e.unfinished(ctx, id); err != nil {
			return err
		}
	}
	tree, err := e.BaseTree(ctx, &s.Run)
	if err == nil {
		tree.Close()
	}
	return err
}

// Unmerged lists the finished runs whose base lacks something of theirs, newest first; it writes nothing.
func (e *Merger) Unmerged(ctx context.Context) ([]candidate.Summary, error) {
	all, err := e.Find.Summaries(ctx, journal.AllRuns)
	if err != nil {
		return nil, err
	}
	var out []candidate.Summary
	for _, s := range all {
		r := &s.Run
		if s.State != checkpoint.FinishedRun || r.Here || r.Base.Name == "" || r.Superseded != "" || r.Merged != "" {
			continue
		}
		tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
		if err != nil || tip == "" {
			continue
		}
		how, err := worktree.Contained(ctx, e.Repo, tip, e.BaseTip(ctx, r))
		if err == nil && how == worktree.NotContained {
			out = append(out, s)
		}
	}
	return out, nil
}

// stripped makes the run's commits anew without our trailers, on the same base, and gives the last one.
// Authors, dates and trees stay as they are.
func (e *Merger) stripped(ctx context.Context, r *checkpoint.Run) (object.ID, error) {
	list, err := e.Repo.Line(ctx, "rev-list", "--reverse", "--topo-order", r.Branch, "^refs/heads/"+r.Base.Name)
	if err != nil {
		return "", fmt.Errorf("list the run's commits: %w", err)
	}
	made := map[object.ID]object.ID{}
	tip, err := e.Repo.Refs.Ref(ctx, r.Branch)
	if err != nil {
		return "", err
	}
	for id := range strings.FieldsSeq(list) {
		c, err := e.Repo.Objects.Commit(ctx, id)
		if err != nil {
			return "", err
		}
		if made[c.ID], err = e.withoutTrailers(ctx, c, made); err != nil {
			return "", err
		}
	}
	if now, ok := made[tip]; ok {
		return now, nil
	}
	return tip, nil
}

func (e *Merger) withoutTrailers(ctx context.Context, c object.Commit, made map[object.ID]object.ID) (object.ID, error) {
	args := []string{"-c", "i18n.commitEncoding=UTF-8", "commit-tree", string(c.Tree)}
	for _, p := range c.Parents {
		if now, ok := made[p]; ok {
			p = now
		}
		args = append(args, "-p", string(p))
	}
	date := func(s object.Signature) string { return fmt.Sprintf("@%d %s", s.When.Unix(), s.When.Format("-0700")) }
	out, err := e.Repo.Git(ctx, process.Call{
		Args: args, Mode: process.Write, Stdin: strings.NewReader(stripTrailers(c.Message)),
		Env: []string{
			"GIT_AUTHOR_NAME=" + c.Author.Name, "GIT_AUTHOR_EMAIL=" + c.Author.Email, "GIT_AUTHOR_DATE=" + date(c.Author),
			"GIT_COMMITTER_NAME=" + c.Committer.Name, "GIT_COMMITTER_EMAIL=" + c.Committer.Email, "GIT_COMMITTER_DATE=" + date(c.Committer),
		},
	})
	if err != nil {
		return "", fmt.Errorf("write a commit without trailers: %w", err)
	}
	return object.ID(strings.TrimSpace(string(out))), nil
}

// stripTrailers drops our own trailer lines and nothing else.
func stripTrailers(message string) string {
	var out []string
	for line := range strings.SplitSeq(strings.TrimRight(message, "\n"), "\n") {
		key, _, _ := strings.Cut(line, ":")
		if key != checkpoint.TrailerRun && key != checkpoint.TrailerTask && key != checkpoint.TrailerState {
			out = append(out, line)
		}
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n") + "\n"
}

// Reviewed is what a run built, task by task.
type Reviewed struct {
	Summary candidate.Summary
	Tasks   []TaskReview
	// From is where the run left its base; Stat is git's own summary of the whole since then.
	From object.ID
	Stat string
	Diff string
	// Uncommitted is what lies beside another system's work, which may never have made a commit.
	Uncommitted []string
}

// TaskReview is what one task left.
type TaskReview struct {
	Task    checkpoint.Task
	Commit  object.ID
	Subject string
	Stat    string
}

// Review shows what a run built, per task and against its base; with patch, the whole difference.
func (e *Merger) Review(ctx context.Context, run string, patch bool) (*Reviewed, error) {
	s, err := e.reviewed(ctx, run)
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

// reviewUncommitted adds what another system's work left uncommitted where it stands.
func (e *Merger) reviewUncommitted(ctx context.Context, out *Reviewed) error {
	if out.Summary.Found == nil {
		return nil
	}
	place, ok := e.Adopt.RegisteredAt(out.Summary.Path)
	if !ok {
		return nil
	}
	paths, err := e.uncommittedAt(ctx, place)
	out.Uncommitted = slices.DeleteFunc(paths, func(p string) bool { return isState(out.Summary.Found.Root, p) })
	return err
}

// isState tells a file of the system's own state, which lies in a hidden folder, from what the work makes.
func isState(root, p string) bool {
	return root != "" && strings.HasPrefix(p, root+"/") && strings.Contains("/"+p, "/.")
}

// reviewed finds what shall be shown; work of other systems is shown without being adopted.
func (e *Merger) reviewed(ctx context.Context, run string) (candidate.Summary, error) {
	id, err := e.kept(ctx, run)
	if err == nil {
		if s, err := e.Judge.Detail(ctx, id); err != nil || s.Run.Source == "" {
			return s, err
		}
		return e.Find.Lookup(ctx, id)
	}
	var none *candidate.NoneError
	if !errors.As(err, &none) {
		return candidate.Summary{}, err
	}
	if id, err = e.Find.Which(ctx, run); err != nil {
		return candidate.Summary{}, err
	}
	return e.Find.Lookup(ctx, id)
}

// kept is Resolve for who wants what a run built: of several that a name could mean, those count that still have it.
func (e *Merger) kept(ctx context.Context, run string) (checkpoint.RunID, error) {
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

// ownID is the run that is meant; work of another system gets a journal first.
func (e *Merger) ownID(ctx context.Context, run string) (checkpoint.RunID, error) {
	id, err := e.kept(ctx, run)
	var none *candidate.NoneError
	if !errors.As(err, &none) {
		return id, err
	}
	if id, err = e.Find.Which(ctx, run); err != nil || !candidate.Foreign(id) {
		return id, err
	}
	s, err := e.Find.Lookup(ctx, id)
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

// parted is where a run left its base: what came from the base since, by an update, is not the run's work.
func (e *Merger) parted(ctx context.Context, r *checkpoint.Run, tip object.ID) object.ID {
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
	out.From = e.parted(ctx, &out.Summary.Run, tip)
	span := string(out.From) + ".." + string(tip)
	if out.Stat, err = e.Repo.Line(ctx, "diff", "--no-ext-diff", "--stat=78", span); err != nil {
		return fmt.Errorf("compare with the base: %w", err)
	}
	if patch {
		// No program of a repository's settings: such a conversion may even write, to a cache of its own in the refs.
		out.Diff, err = e.Repo.Line(ctx, "diff", "--no-ext-diff", "--no-textconv", "--no-color", span)
	}
	return err
}
