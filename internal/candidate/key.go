package candidate

import (
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// Kind says what sort of work a key names.
type Kind int

// The three kinds: a run of our own, work that another system started, and one of git's own operations.
const (
	OwnRun Kind = iota
	OtherWork
	GitOperation
)

// Key identifies one piece of work, in the form that users type: the id of a run, or "source:id" for other work.
// If a run adopted another system's work, both forms are valid.
type Key string

// RunKey returns the key of a run of our own.
func RunKey(id checkpoint.RunID) Key { return Key(id) }

// FoundKey returns the key under which another system's work, or git's operation, was found.
func FoundKey(f *sources.Found) Key { return Key(f.Key()) }

// Kind derives the kind of work from the form of the key. No other code may do this.
func (k Key) Kind() Kind {
	source, _, other := strings.Cut(string(k), ":")
	switch {
	case !other:
		return OwnRun
	case source == GitSource:
		return GitOperation
	}
	return OtherWork
}

// Run returns the key as a run id. This is only meaningful for an OwnRun.
func (k Key) Run() checkpoint.RunID { return checkpoint.RunID(k) }

// Key returns the key of the summarized work.
func (s *Summary) Key() Key { return Key(s.Run.ID) }
