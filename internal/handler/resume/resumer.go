package resume

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/reporting"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
)

// Resumer continues runs.
type Resumer struct {
	*site.Site
	Find      *candidate.Finder
	Tasks     *tasks.Tasks
	Staging   *staging.Stager
	Adopt     *adopt.Adopter
	Judge     *assess.Judge
	Starting  *start.Starter
	Reporting *reporting.Reporter
	Dropping  *discard.Dropper
	Executing *Executer
	Taking    *Taker
}

// Choice is how a run shall go on.
type Choice struct {
	Decision assess.Decision
	Mode     assess.Mode
	// From makes a task and all behind it open again; Skip leaves the current one out.
	From string
	Skip bool
	// SkipTask is the task that Skip means, as it was shown or named.
	SkipTask checkpoint.TaskID
	// Foreign is what shall be done about work of another system; empty: it is continued.
	Foreign sources.Wish
	// Update takes the base into the run first.
	Update  bool
	Execute ExecuteRequest
	HandOff HandOff
}

// Advanced is where a run came to when it was continued.
type Advanced struct {
	// Executed is set if tasks were run, Brief if the run is handed back to whoever drives it.
	Executed *Executed
	Journal  *journal.Journal
	Path     string
	Mended   []assess.Mend
	// Cleared: what was uncommitted is in the snapshot only. Updated is the commit by which the base was taken in.
	Cleared bool
	Updated object.ID
	// Unadded are repositories without a commit that the commit of unfinished work had to leave out.
	Unadded []string
	// Handed is set if a tool of the user's took the run over, and ended.
	Handed *Handed
}

// moving is one run or work of another system that is continued by its owner.
type moving struct {
	*site.Site
	resumer *Resumer
	a       *assess.Assessment
	c       Choice
	owner   *owner.Owner
	// updated is the worktree after the base was taken in.
	updated checkpoint.Left
	head    object.ID
	out     Advanced
	// acted: files of another system were changed by it.
	acted bool
}

// workTree is the repository as seen from the run's worktree, which must be there; the caller closes it.
func (m *moving) workTree() (*gitstate.Repo, error) {
	r := &m.out.Journal.Run
	place, ok := m.TreeOf(r)
	if !ok {
		return nil, &TreeError{Run: r.ID, Path: r.Worktree}
	}
	return m.Repo.At(place), nil
}

// sameUncommitted takes one more snapshot and holds it to the one that was shown.
func (m *moving) sameUncommitted(ctx context.Context, place locate.Place, id checkpoint.RunID) error {
	tree := m.Repo.At(place)
	defer tree.Close()
	snap, err := m.resumer.Staging.Snapshot(ctx, tree, id, "before going on")
	if err == nil && snap.Tree != m.a.Seen.Uncommitted {
		return candidate.ErrMoved
	}
	return err
}

// note records events, and goes on from what the journal says then.
func (m *moving) note(ctx context.Context, events ...checkpoint.Event) error {
	return m.noted(m.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return events, nil }))
}

func (m *moving) noted(j *journal.Journal, err error) error {
	if err == nil {
		m.out.Journal = j
	}
	return err
}
