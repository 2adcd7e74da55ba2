package candidate

import (
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// Kind tells apart what can be continued.
type Kind int

// The three kinds: a run of our own, work that another system began, and one of git's own operations.
const (
	OwnRun Kind = iota
	OtherWork
	GitOperation
)

// Key names one thing that can be continued, as people type it: a run by its id, all else as "source:id".
// Work of another system that was adopted has both names.
type Key string

// RunKey is the key of a run of our own.
func RunKey(id checkpoint.RunID) Key { return Key(id) }

// FoundKey is the key under which another system's work, or git's operation, is found.
func FoundKey(f *sources.Found) Key { return Key(f.Key()) }

// Kind is the one place where the form of a name decides what it means.
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

// Run is the run of our own that it names.
func (k Key) Run() checkpoint.RunID { return checkpoint.RunID(k) }

// Key names what is summed up here.
func (s *Summary) Key() Key { return Key(s.Run.ID) }
