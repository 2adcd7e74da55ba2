package sources

import (
	"context"
	"fmt"
	"path"
	"runtime"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/conflicts"
)

// ReaderError means that a reader crashed, usually because of a file that it read. This is a bug in git-resume, but the results of the
// other readers are still shown.
type ReaderError struct {
	Source string
	// File is the last state file or folder that was read before the crash, and Home is its worktree. Both are empty if nothing was read.
	Home, File string
	// Value is the value passed to panic. The field "At" is the line of source code that panicked.
	Value any
	At    string
}

func (e *ReaderError) Error() string {
	where := ""
	if e.File != "" {
		where = " while reading " + e.File
	}
	return fmt.Sprintf("the reader for %s crashed%s: %v (%s); this is a bug in git-resume", e.Source, where, e.Value, e.At)
}

// Unreadable describes work whose state cannot be read because of the given error.
func Unreadable(source, id string, err error) Found {
	f := Found{
		Source: source, ID: id, State: Corrupt, Headline: "its state cannot be read",
		Doubts:       []Doubt{{Code: DoubtDamaged, Severity: conflicts.Blocking, Text: err.Error()}},
		Point:        Point{Task: "repair", Reason: "nothing about the work can be read"},
		Alternatives: []Alternative{{Name: Hide, Text: "stop showing it in this repository"}},
	}
	if e, ok := err.(*ReaderError); ok && e.File != "" {
		f.Home, f.Root, f.Files = e.Home, path.Dir(e.File), []string{e.File}
		f.Doubts[0].Path = e.File
	}
	return f
}

// unreadableID is the ID of the entry that reports a failed search.
const unreadableID = "unreadable"

// Ask lets a source search for work. If the source fails or crashes, the result contains an unreadable piece of work with the error.
func (v *View) Ask(ctx context.Context, s Source) (found []Found) {
	own := v.watched()
	var err error
	if failed := own.Guard(s.Name(), func() { found, err = s.Find(ctx, own) }); failed != nil {
		return []Found{Unreadable(s.Name(), unreadableID, failed)}
	}
	if err != nil {
		found = append(found, Unreadable(s.Name(), unreadableID, err))
	}
	return found
}

// AskChanges lets a source compute the changes for a request. A crash in the source is returned as an error.
func (v *View) AskChanges(ctx context.Context, a Actor, f *Found, w ActionRequest) (changes []Change, err error) {
	own := v.watched()
	if failed := own.Guard(a.Name(), func() { changes, err = a.Act(ctx, own, f, w) }); failed != nil {
		return nil, failed
	}
	return changes, err
}

// Guard calls a function of a source and returns a panic in that function as an error. A source that starts goroutines must call Guard in
// each goroutine, because an unrecovered panic in a goroutine ends the program.
func (v *View) Guard(source string, part func()) (failed *ReaderError) {
	defer func() {
		if value := recover(); value != nil {
			failed = &ReaderError{Source: source, Value: value, At: panicked()}
			failed.Home, failed.File = v.trail.last()
		}
	}()
	part()
	return nil
}

// panicked returns the file and line of the code that caused the current panic, or "unknown place".
func panicked() string {
	var pcs [64]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	begun := false
	for {
		f, more := frames.Next()
		if begun && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", path.Base(f.File), f.Line)
		}
		begun = begun || f.Function == "runtime.gopanic"
		if !more {
			return "unknown place"
		}
	}
}

// watched returns a copy of the view for one source. The copy remembers the path that the source read last.
func (v *View) watched() *View {
	own := *v
	own.trail = &trail{}
	own.Trees = make([]Tree, len(v.Trees))
	for i, t := range v.Trees {
		t.trail = own.trail
		own.Trees[i] = t
	}
	return &own
}

// trail remembers the last path that was read or listed.
type trail struct {
	mu        sync.Mutex
	top, path string
}

func (t *trail) note(top, path string) {
	if t == nil {
		return
	}
	t.mu.Lock()
	t.top, t.path = top, path
	t.mu.Unlock()
}

func (t *trail) last() (top, path string) {
	if t == nil {
		return "", ""
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.top, t.path
}
