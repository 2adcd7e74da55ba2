package candidate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
)

// Summary is one run as status shows it.
type Summary struct {
	Run   checkpoint.Run
	State checkpoint.State
	Life  checkpoint.Life
	// Path is where the worktree lies now; empty if it is not there.
	Path string
	// Ending is how an interrupted run came to its stop, where nobody lived to record it.
	Ending Ending
	// Foreign: the published notes hold lines from elsewhere that are not united yet.
	Foreign bool
	// Checked is what an assessment found, where one was asked for.
	Checked *Picture
	// Damaged says why the journal could not be read, so that nothing is known of the run.
	Damaged string
	// Rebuilt says why the journal could not be read, where commits told of the run all the same.
	Rebuilt string
	// Moved are finished tasks whose commit is no longer on the branch, by task.
	Moved map[checkpoint.TaskID]evidence.Moved
	// Invalid are finished tasks that must run again, by task, with the one component that differs.
	Invalid map[checkpoint.TaskID]Invalid
	// Next is the command of the next task, where one was looked for.
	Next string
	// Found is what another system's own state says, for work that it began.
	Found *sources.Found
	// Hidden: it was adopted from another system, and is only kept from being shown in this clone.
	Hidden bool
	// Lost: the worktree that held its state was deleted; LostBranch is the branch of that, if it is still there.
	Lost       bool
	LostBranch string
	// Also are other names under which the same work was found.
	Also []string
	// Busy says why work of another system counts as running.
	Busy string
}

// Ending is what can be told of a stop that was not recorded.
type Ending string

// The endings; the zero value says nothing.
const (
	// Restarted: whoever worked on it did so before this machine was started.
	Restarted Ending = "restarted"
	// Killed: a task was begun, and whoever executed it is gone without a word.
	Killed Ending = "killed"
)

// ending tells how a run stopped of which no record says it.
func (e *Finder) ending(s *Summary) Ending {
	r := &s.Run
	if s.State != checkpoint.Interrupted || r.Cause != "" {
		return ""
	}
	by := r.Driver
	if by == nil {
		by = r.Owner
	}
	here := e.Procs.Host()
	if by != nil && by.Host == here.Name && by.Boot != "" && here.Boot != "" && by.Boot != here.Boot {
		return Restarted
	}
	for _, t := range r.Tasks {
		if t.State == checkpoint.Active && t.Command != "" && r.Owner != nil {
			return Killed
		}
	}
	return ""
}

// IdleAfter is how long a living driver may be silent before its run counts as idle.
const IdleAfter = 30 * time.Minute

func (e *Finder) Summaries(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	ids, err := e.Store.List(ctx, mode)
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, id := range ids {
		s, err := e.Summary(ctx, id)
		var none *checkpoint.NoRunError
		if errors.As(err, &none) {
			continue // an open file without a run: its start was cut off before the run existed
		}
		if err != nil {
			s = Summary{Run: checkpoint.Run{ID: id}, State: checkpoint.Idle, Damaged: err.Error()}
		}
		if mode == journal.OpenRuns && s.Run.Closed() {
			continue
		}
		out = append(out, s)
	}
	byActivity(out)
	return out, nil
}

// byActivity puts what was last worked on first.
func byActivity(all []Summary) {
	slices.SortStableFunc(all, func(a, b Summary) int {
		return cmp.Or(b.Run.LastAt.Compare(a.Run.LastAt), cmp.Compare(a.Run.ID, b.Run.ID))
	})
}

// Summary looks at one run: its record, who lives, and how it stands.
func (e *Finder) Summary(ctx context.Context, id checkpoint.RunID) (Summary, error) {
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Run: j.Run, Foreign: j.Foreign}
	if j.Damage != nil {
		s.Rebuilt = j.Damage.Error()
	}
	place, ok := e.TreeOf(&s.Run)
	if ok {
		s.Path = place.WorkTree
	}
	idle, err := e.idle(ctx, &s.Run)
	if err != nil {
		return Summary{}, err
	}
	s.Life = owner.Look(e.Store, &s.Run, e.Procs, time.Time{})
	if s.Life.Driver == proc.Alive && e.Now().Sub(s.Run.LastAt) > idle && ok {
		s.Life.Active = e.lastSign(ctx, place)
	}
	s.State = checkpoint.StateOf(&s.Run, s.Life, e.Now(), idle)
	s.Ending = e.ending(&s)
	return s, nil
}

// idle reads the setting only for runs that a living driver could have left silent.
func (e *Finder) idle(ctx context.Context, r *checkpoint.Run) (time.Duration, error) {
	if r.Closed() || e.Now().Sub(r.LastAt) < time.Second {
		return IdleAfter, nil
	}
	if r.Driver == nil || r.Driver.Fate(e.Procs, clone.ID(e.Repo)) != proc.Alive {
		return IdleAfter, nil
	}
	return e.duration(ctx, "resume.idle", IdleAfter)
}

// lastSign is when the worktree last showed work: git's own files, or a file that was changed and not committed.
func (e *Finder) lastSign(ctx context.Context, p locate.Place) time.Time {
	var last time.Time
	note := func(path string) {
		if info, err := os.Lstat(path); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	for _, name := range []string{"index", "HEAD", filepath.Join("logs", "HEAD")} {
		note(filepath.Join(p.GitDir, name))
	}
	tree := e.Repo.At(p)
	defer tree.Close()
	changes, err := tree.Status(ctx)
	if err != nil {
		return last
	}
	for _, c := range changes {
		note(filepath.Join(p.WorkTree, filepath.FromSlash(c.Path)))
	}
	return last
}

// Invalid is why a finished task is no longer what it was: the one component that differs.
type Invalid struct {
	// Component is "command", "inputs" or "outputs".
	Component string
	Paths     []string
}

func (i Invalid) String() string {
	switch {
	case i.Component == "command":
		return "its command changed"
	case len(i.Paths) == 0:
		return "some of its " + i.Component + " changed"
	}
	const most = 5
	names := i.Paths[:min(most, len(i.Paths))]
	text := fmt.Sprintf("its %s changed: %s", i.Component, strings.Join(names, ", "))
	if more := len(i.Paths) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Native is the source of our own runs.
const Native = "native"

// GitSource names git's own operations among the sources.
const GitSource = "git"

// Source names the system that began the work.
func (s *Summary) Source() string {
	switch {
	case s.Found != nil:
		return s.Found.Source
	case s.Run.Source != "":
		return s.Run.Source
	}
	return Native
}

// Called is the name under which people know a piece of work: that of its own system, whatever our record of it is called.
func (s *Summary) Called() string {
	switch {
	case s.Found != nil:
		return s.Found.Key()
	case s.Run.Source != "" && s.Run.SourceID != "":
		return s.Run.Source + ":" + s.Run.SourceID
	}
	return string(s.Run.ID)
}

// Vanished: it was adopted from another system, whose state is not here any more.
func (s *Summary) Vanished() bool { return s.Run.Source != "" && s.Found == nil && !s.Life.Held() }

// Silence is for how many seconds nobody had worked on a piece of work.
func (e *Finder) Silence(s *Summary) int64 {
	if s.Run.LastAt.IsZero() {
		return 0
	}
	return max(int64(e.Now().Sub(s.Run.LastAt).Seconds()), 0)
}

// OfOthers are the pieces of work that another system began; git's own operations are not among them.
func OfOthers(all []Summary) []Summary {
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool { return s.Found == nil || s.Found.Source == GitSource })
}
