package discard

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/sources"
)

// HandOver reports whether the change only handed work over to somebody. Undoing it changes no file.
func (u *Undoing) HandOver() bool { return isHandOver(u.What) }

// Undoing is a change that can be undone, as shown before anything is done.
type Undoing struct {
	Run checkpoint.Run
	// Lines are the journal lines of the change, newest first. What is the change itself.
	Lines []checkpoint.Event
	What  checkpoint.Event
	// Redo is true if an undo is to be reversed. What is then the change that is made again.
	Redo bool
	// Base is the branch that would move from From to To; empty if no branch would move.
	Base     string
	From, To object.ID
	// Path is where a worktree would be restored.
	Path string
	// Files lists the files of another system that would change.
	Files []FileBack
	// Unmakes is the worktree that the change created and that the undo would remove; nil if there is none.
	Unmakes *RemovedWorktree
	// Unsure is true if nothing proves that the change was made in this clone. A person must confirm the undo at a terminal.
	Unsure bool
	// Overtaken is true if undoing the change would no longer have any effect.
	Overtaken bool
	// Committed lists committed files that the undo would remove. WentOn is when the other system continued the work after the change.
	Committed []string
	WentOn    time.Time
}

// Weighty reports whether others may rely on the change, so that a person has to confirm the undo.
func (u *Undoing) Weighty() bool { return len(u.Committed) > 0 || !u.WentOn.IsZero() }

// Hands reports whether the change created a worktree and handed the work over in it, without changing any file of the other system.
func (u *Undoing) Hands() bool {
	return u.What.Event == checkpoint.RunActed && u.What.Name != sources.Hide && !candidate.WroteFiles(u.What)
}

// FileBack is what an undo does to one file of another system. Does is remove, restore, change back or move.
