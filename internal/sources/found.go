// Package sources reads the state of workflow systems: what each one left on disk, as one common value.
//
// A source only reads; it says what it found and how far that can be trusted, and never what to do.
// Pointers and status words are hints, per-task evidence decides, and disagreement is told.
package sources

import (
	"context"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
)

// Found is one piece of interrupted, open or finished work as a source sees it.
type Found struct {
	// Source names the system, ID the work within it; Name is how a person calls it.
	Source string
	ID     string
	Name   string
	// Root is the directory of its state, below the worktree.
	Root  string
	Tasks []Task
	// Status is the word as written; State what it means, by the evidence.
	Status string
	State  State
	Cause  string
	// Active is when it last showed a sign, and From what that was taken from.
	Active time.Time
	From   string
	// Worktree and Branch are where it works; Start is the commit from which it began.
	Worktree string
	Branch   string
	Base     string
	Start    gitstate.OID
	Point    Point
	Question *Question
	// Alternatives are the names of what can be done, continue first.
	Alternatives []string
	Needs        []File
	Doubts       []string
	// Protocol carries the system's own field names.
	Protocol map[string]any
	// Command is the system's own way to continue.
	Command string
}

// State is how a found piece of work stands.
type State string

// The states a source may tell.
const (
	NotStarted  State = "not started"
	Interrupted State = "interrupted"
	Running     State = "running"
	Paused      State = "paused"
	Waiting     State = "waiting"
	Blocked     State = "blocked"
	Complete    State = "complete"
	Ended       State = "ended"
	Corrupt     State = "corrupt"
	Unknown     State = "unknown"
)

// Task is one unit of the work.
type Task struct {
	ID, Title string
	State     checkpoint.TaskState
	Raw       string
	Needs     []string
	Files     []string
	Commit    gitstate.OID
	Attempts  int
	Evidence  string
}

// Point is where to go on, and why there.
type Point struct{ Task, Reason string }

// Question is what the work waits for.
type Question struct {
	Task    string
	Text    string
	Options []string
}

// File is something the work depends on.
type File struct {
	Path     string
	Missing  bool
	Critical bool
}

// Source finds the work of one system in one worktree.
type Source interface {
	Name() string
	Find(ctx context.Context, tree gitstate.Place) ([]Found, error)
}
