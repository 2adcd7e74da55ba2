package candidate

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/gitstate/refs"
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
	LostBranch refs.Name
	// Also are other names under which the same work was found.
	Also []string
	// Busy says why work of another system counts as running; Handed: because we gave it to somebody.
	Busy   string
	Handed bool
}

// Headline is what was interrupted, in the words of the system that began it. While somebody may be at work it does not say that it was.
func (s *Summary) Headline() string {
	if s.Found.UnderWay != "" && s.State == checkpoint.Running {
		return s.Found.UnderWay
	}
	return s.Found.Headline
}

// Elsewhere: it was handed over at another task than the one that is next now.
func (s *Summary) Elsewhere() bool {
	return s.Handed && s.Run.HandedTask != "" && s.Found.Point.Task != string(s.Run.HandedTask)
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
func (s *Summary) Silence(now time.Time) int64 {
	if s.Run.LastAt.IsZero() {
		return 0
	}
	return max(int64(now.Sub(s.Run.LastAt).Seconds()), 0)
}

// OfOthers are the pieces of work that another system began; git's own operations are not among them.
func OfOthers(all []Summary) []Summary {
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool { return s.Found == nil || s.Found.Source == GitSource })
}

// ForeignKey names the work that a run was adopted from.
func ForeignKey(r *checkpoint.Run) string { return r.Source + ":" + r.SourceID }
