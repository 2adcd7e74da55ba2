package start

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/internal/tasks"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// Starter starts runs.
type Starter struct {
	*site.Site
	Find    *candidate.Finder
	Tasks   *tasks.Tasks
	Staging *staging.Stager
}

// Request describes a run to start, by a plan file, by a name and tasks, or by a command.
type Request struct {
	PlanFile string
	Name     string
	Tasks    []string
	Base     string
	// New is true if a run is started even if another run with the same name is open.
	New bool
	// The field Here is true if the run uses the current worktree and branch. It gets no worktree of its own.
	Here bool
	// Command is the command of a run with a single task.
	Command string
	// Unnamed is true if the name was derived from the command, so that other commands can lead to the same name.
	Unnamed bool
	// Timeout is how long the command may run; zero means no limit.
	Timeout time.Duration
	// Auto is true if the command should continue open work with the same name, if that is possible.
	Auto bool
	// Mode says how much to ask when the run is continued; empty means that the setting decides.
	Mode assess.Mode
	// Jobs and KeepGoing say how the tasks are executed, now and when the run is continued. Jobs is 0 if the user gave no number.
	Jobs      int
	KeepGoing bool
	// Take copies the uncommitted work of this worktree into the new worktree of the run.
	Take bool
	// Owner is the id of the process that will report. If it is 0, git-resume finds this process among its ancestors.
	Owner int
	// Hold keeps a run locked whose tasks have commands, so that nobody else can claim the run before the caller executes these commands.
	Hold bool
}

// NoBaseError says that the base does not name a commit.
type NoBaseError struct{ Name string }

func (e *NoBaseError) Error() string {
	return fmt.Sprintf("'%s' is not a branch or commit here", e.Name)
}

// maxPlanFile limits how much of a plan file is read. The parser reports larger plans as an error.
const maxPlanFile = 5 << 20

// ReadPlanFile reads a plan file of the user. It also returns the text of the file.
func ReadPlanFile(file string) (plan.Plan, []byte, error) {
	f, err := os.Open(file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return plan.Plan{}, nil, fmt.Errorf("there is no file '%s'", file)
	case err != nil:
		return plan.Plan{}, nil, fmt.Errorf("read the plan: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxPlanFile))
	if err != nil {
		return plan.Plan{}, nil, fmt.Errorf("read the plan: %w", err)
	}
	p, err := plan.Parse(file, data, yamldoc.Plain)
	return p, data, err
}

// Start starts a run, in a new worktree or in the current one. If an open run for the same work can be continued, Start returns that run
// instead.
func (e *Starter) Start(ctx context.Context, q Request) (*staging.Started, error) {
	p, source, err := e.plan(q)
	if err != nil {
		return nil, err
	}
	if e.Repo.WorkTree == "" && q.Here {
		return nil, site.ErrNoWorkTree
	}
	branch, head, err := e.Repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	switch {
	case head == "" && e.Repo.WorkTree == "":
		return nil, site.ErrUnbornBare
	case head == "":
		return nil, site.ErrUnborn
	}
	base, err := e.base(ctx, q.Base, p.Base, branch, head)
	if err != nil {
		return nil, err
	}
	if err := e.Store.Room(ctx); err != nil {
		return nil, err
	}
	if err := errors.Join(e.Store.Sweep(ctx), e.Store.Remember(ctx)); err != nil {
		return nil, err
	}
	e.Staging.Tidy(ctx)
	actor, err := e.startingProcess(q.Owner)
	if err != nil {
		return nil, err
	}
	if len(tasks.CommandsOf(p)) > 0 {
		actor = nil // git-resume itself will execute the commands, so no other process reports
	}
	ev := checkpoint.Event{
		Event: checkpoint.RunStarted, Name: p.Name, PlanFile: source.file, PlanHash: source.hash, Text: string(q.Mode), Jobs: q.Jobs, KeepGoing: q.KeepGoing,
		Base: &base, Head: base.Commit, BaseTip: base.Commit, Actor: actor,
	}
	if q.Here {
		ev.Here, ev.Branch, ev.Worktree, ev.Admin, ev.Head = true, branch, e.Repo.WorkTree, e.Admin(), head
	} else if err := e.Staging.MayStage(ctx); err != nil {
		return nil, err
	} else if q.Take {
		clone, err := e.Clone()
		if err != nil {
			return nil, err
		}
		ev.Take = clone + "/" + e.Admin()
	}
	st, err := e.Begin(ctx, q, ev, p)
	if err != nil {
		return nil, err
	}
	if st.Done {
		return st, nil
	}
	return st, e.Equip(ctx, st, p, q)
}

// Equip creates the worktree of a new run, unless the run uses the current worktree. The run stays locked until its worktree is complete,
// because other processes would otherwise think that its start was interrupted. With q.Hold, a run with commands stays locked after that
// too.
func (e *Starter) Equip(ctx context.Context, st *staging.Started, p plan.Plan, q Request) error {
	var err error
	if st.Commands = tasks.CommandsOf(p); !q.Here && !e.equipped(st) {
		err = e.Staging.Stage(ctx, st)
	}
	if err != nil || !q.Hold || len(st.Commands) == 0 {
		st.Held.Release()
		st.Held = nil
	}
	return err
}

// equipped reports whether a run that was open already has its worktree, and work in it has started. Then nothing is made here, because the run
// is continued as "git resume RUN" continues it. That also repairs the worktree, for example if its HEAD is detached because the run was
// killed while several tasks worked at the same time.
func (e *Starter) equipped(st *staging.Started) bool {
	r := &st.Journal.Run
	if !st.Again || r.Admin == "" || !r.Begun() && len(r.Places) == 0 {
		return false
	}
	place, there := e.TreeOf(r)
	st.Path = place.WorkTree
	return there
}

// startPatience is how long we wait for another process that is starting a run.
const startPatience = time.Minute

// lockStarts lets only one process at a time search for open work and create a run.
// Otherwise two processes could create two runs for the same work.
func (e *Starter) lockStarts() (func(), error) {
	patience := startPatience
	if e.Patience > 0 {
		patience = e.Patience
	}
	lock, err := flock.WaitFor(e.Repo.CommonPath("resume", "starting.lock"), patience)
	if err != nil {
		return nil, fmt.Errorf("only one 'git resume start' can run at a time: %w", err)
	}
	return func() { _ = lock.Release() }, nil
}

// startingProcess returns the process that starts a run. It returns nil for a shell at a terminal; in that case the first process that
// reports a task becomes the run's worker.
func (e *Starter) startingProcess(owner int) (*checkpoint.Actor, error) {
	clone, err := e.Clone()
	if err != nil {
		return nil, err
	}
	actor, err := e.Driver(owner, clone)
	if err != nil || (actor != nil && actor.Shell && owner == 0) {
		return nil, err
	}
	return actor, nil
}

// Begin creates a run. If q.New is false and findOpenWork finds a run that can be continued, it returns that run instead.
func (e *Starter) Begin(ctx context.Context, q Request, ev checkpoint.Event, p plan.Plan) (*staging.Started, error) {
	if !q.New {
		unlock, err := e.lockStarts()
		if err != nil {
			return nil, err
		}
		defer unlock()
		if st, err := e.findOpenWork(ctx, q, ev, p); err != nil || st != nil {
			return st, err
		}
	}
	h, err := e.Repo.Settings.Hasher(ctx)
	if err != nil {
		return nil, err
	}
	id := checkpoint.NewRunID(plan.Slug(p.Name), e.Random())
	if !q.Here {
		if ev.Branch, err = e.Staging.BranchFor(ctx, id); err != nil {
			return nil, err
		}
	}
	// A user who types "start PLAN" can read the plan, so its commands are approved for this run.
	// Approve them before the run exists: otherwise a kill could leave a run that cannot continue.
	if err := e.Tasks.WriteApproval(id, tasks.CommandsOf(p), ""); err != nil {
		return nil, err
	}
	doc := p.Canonical()
	ev.Plan = h.ID("blob", doc)
	held, err := e.Staging.KeepOthersOff(id)
	if err != nil {
		return nil, err
	}
	j, err := e.Store.Create(ctx, id, []checkpoint.Event{ev}, [][]byte{doc})
	if err != nil {
		held.Abandon()
		return nil, err
	}
	return &staging.Started{Journal: j, Path: e.Repo.WorkTree, Held: held}, nil
}

// planSource says where a plan came from, so that later changes of the file can be noticed.
type planSource struct {
	file string
	hash object.ID
}

func (e *Starter) plan(q Request) (plan.Plan, planSource, error) {
	if q.Command != "" {
		t := plan.Task{ID: "run", Title: q.Command, Run: q.Command}
		if q.Timeout > 0 {
			t.Timeout = plan.Duration(q.Timeout.String())
		}
		p := plan.Plan{Name: q.Name, Tasks: []plan.Task{t}}
		return p, planSource{}, p.Check()
	}
	if q.PlanFile == "" {
		p, err := plan.FromFlags(q.Name, q.Tasks)
		return p, planSource{}, err
	}
	p, data, err := ReadPlanFile(q.PlanFile)
	if err != nil {
		return plan.Plan{}, planSource{}, err
	}
	if q.Name != "" {
		p.Name = q.Name
	}
	return p, planSource{e.Shorten(q.PlanFile), object.Hasher{}.ID("blob", data)}, nil
}

// Shorten makes a path relative if it is inside the worktree, so that the record means the same in every clone.
func (e *Starter) Shorten(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil || e.Repo.WorkTree == "" {
		return path
	}
	rel, err := filepath.Rel(e.Repo.WorkTree, abs)
	if err != nil || !filepath.IsLocal(rel) {
		return abs
	}
	return filepath.ToSlash(rel)
}

// base finds the branch or commit that the run is based on. It uses the flag, the plan, the setting or the checked-out branch, in this
// order.
func (e *Starter) base(ctx context.Context, flag, planned string, branch refs.Name, head object.ID) (checkpoint.Base, error) {
	name := flag
	if name == "" {
		name = planned
	}
	if name == "" {
		c, err := e.Repo.Settings.Config(ctx)
		if err != nil {
			return checkpoint.Base{}, err
		}
		name, _ = c.Get("resume.base")
	}
	if name == "" {
		return checkpoint.Base{Name: refs.Short(branch), Commit: head}, nil
	}
	at, err := e.Repo.Refs.Ref(ctx, refs.Branch(name))
	if err == nil && at != "" {
		return checkpoint.Base{Name: name, Commit: at}, nil
	}
	c, err := e.Repo.Objects.Commit(ctx, name)
	if strings.HasPrefix(name, "-") || err != nil {
		return checkpoint.Base{}, &NoBaseError{name}
	}
	if object.IsID(name) {
		name = ""
	}
	return checkpoint.Base{Name: name, Commit: c.ID}, nil
}
