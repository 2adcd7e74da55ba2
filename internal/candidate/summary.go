package candidate

import (
	"fmt"
	"github.com/git-resume/git-resume/internal/exchange"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/evidence"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/sources"
)

// Summary describes one run, or one piece of other work, as "git resume status" shows it.
type Summary struct {
	Run   checkpoint.Run
	State checkpoint.State
	Life  checkpoint.Life
	// Seen is what was last seen of a shared run at its remote; nil if it is not shared or nothing is known.
	Seen *exchange.Seen
	// Session is what is known about the coding agent's session that works on the run; nil if there is none.
	Session *session.Known
	// Limited is true if a limit stopped the agent's session, and has not ended yet.
	Limited bool
	// Path is the current path of the worktree; empty if there is no worktree.
	Path string
	// Ending says how an interrupted run stopped, if no process was left to record it.
	Ending Ending
	// Foreign is true if the published journal, or the one that this clone wrote last, has lines that the current journal lacks.
	Foreign bool
	// Checked is the result of an assessment, if one was asked for.
	Checked *Picture
	// Damaged says why the journal, or the state of the other system, could not be read.
	Damaged string
	// Rebuilt says why the journal could not be read. It is set only if the run could be rebuilt from its commits instead.
	Rebuilt string
	// Moved contains the finished tasks whose commit is no longer on the branch.
	Moved map[checkpoint.TaskID]evidence.Moved
	// Invalid contains the finished tasks that must run again, and says which part of each task has changed.
	Invalid map[checkpoint.TaskID]Invalid
	// Next is the command of the next task, if the caller asked for it.
	Next string
	// Found is the state of the work according to the other system that started it; nil if there is no such state.
	Found *sources.Found
	// Aside is set if the user has hidden or discarded the work here. It is the work's state in the other system; nil if nothing is known.
	Aside *sources.Found
	// Hidden is true if the setting resume.ignore hides this work of another system here.
	Hidden bool
	// Lost is true if the worktree with the work's state was deleted. LostBranch is the branch of that worktree, if it still exists.
	Lost       bool
	LostBranch refs.Name
	// Merge says whether a closed run is merged into its base. It is empty if the caller did not ask for that.
	// SinceMerge is how many commits the branch of such a run has got after the last merge, if the base still has that merge.
	Merge      MergeState
	SinceMerge int
	// Output is the last line that the active task printed. It is empty if the caller did not ask for that.
	Output string
	// Condition says how far other systems' work is, and what proves it. It is empty for our own runs and git operations.
	Condition condition.Judgement
	// Listed is true if people should see the work without asking for everything.
	Listed bool
	// The field Also lists other names under which the same work was found.
	Also []string
	// Fresh is true if the last thing that happened to another system's work is that the user set it back to its start.
	Fresh bool
	// HandedBefore is true if we handed another system's work to somebody within a day, and nothing shows whether somebody works on it.
	HandedBefore bool
	// Busy says why another system's work counts as running. Handed is true if the reason is that we handed the work to somebody.
	Busy   string
	Handed bool
}

// Headline describes the work in the words of the other system. While the work is running, it uses the text UnderWay, if there is one.
func (s *Summary) Headline() string {
	if s.Found.UnderWay != "" && s.State == checkpoint.Running {
		return s.Found.UnderWay
	}
	return s.Found.Headline
}

// Elsewhere reports whether we handed the work to somebody for a task that is not the next one.
func (s *Summary) Elsewhere() bool {
	return s.Handed && s.Run.HandedTask != "" && s.Found.Point.Task != string(s.Run.HandedTask)
}

// Ending says what is known about a stop that nobody recorded.
type Ending string

// These are all endings. The empty value means that nothing is known.
const (
	// Restarted means that the worker ran before this machine was last started.
	Restarted Ending = "restarted"
	// Killed means that a task was started, and that the process that executed it ended without recording anything.
	Killed Ending = "killed"
)

// Invalid says why a finished task is no longer valid. It names the first part of the task that has changed.
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
		return "an input or output of some task of the plan changed"
	}
	const most = 5
	names := i.Paths[:min(most, len(i.Paths))]
	text := fmt.Sprintf("its %s changed: %s", i.Component, strings.Join(names, ", "))
	if more := len(i.Paths) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// MergeState says whether a closed run is merged into its base. It is empty if the run has nothing to merge, or if the answer is not
// known.
type MergeState string

// Merged means that the base has all changes of the run, and NotMerged that it lacks some of them.
const (
	Merged    MergeState = "merged"
	NotMerged MergeState = "not-merged"
)

// Native is the source of our own runs.
const Native = "native"

// GitSource is the source of git's own operations.
const GitSource = "git"

// Source names the system that started the work.
func (s *Summary) Source() string {
	switch {
	case s.Found != nil:
		return s.Found.Source
	case s.Run.Source != "":
		return s.Run.Source
	}
	return Native
}

// Called returns the name under which people know the work. This is the name in the other system, even if our record has another name.
func (s *Summary) Called() string {
	switch {
	case s.Found != nil:
		return s.Found.Key()
	case s.Aside != nil && s.Run.Source != "":
		return s.Aside.Key()
	case s.Run.Source != "" && s.Run.SourceID != "":
		return s.Run.Source + ":" + s.Run.SourceID
	}
	return string(s.Run.ID)
}

// Vanished reports whether the run was adopted from another system whose state was not found. It is false while a process of the run holds
// a lock.
func (s *Summary) Vanished() bool { return s.Run.Source != "" && s.Found == nil && !s.Life.Held() }

// Silence returns how many seconds ago somebody last worked on the run, or 0 if that is not known.
func (s *Summary) Silence(now time.Time) int64 {
	if s.Run.LastAt.IsZero() {
		return 0
	}
	return max(int64(now.Sub(s.Run.LastAt).Seconds()), 0)
}

// OfOthers returns the listed work that other systems started, without git's own operations.
func OfOthers(all []Summary) []Summary {
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool { return s.Found == nil || s.Found.Source == GitSource || !s.Listed })
}

// ForeignKey returns the key of the work that a run adopted.
func ForeignKey(r *checkpoint.Run) string { return r.Source + ":" + r.SourceID }
