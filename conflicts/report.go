package conflicts

import (
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Severity grades what is reported; the zero value never blocks.
type Severity int

// The grades, mildest first.
const (
	Info Severity = iota
	Warning
	Blocking
)

// MarshalText writes the word, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s Severity) String() string {
	return [...]string{"info", "warning", "blocking"}[s]
}

// Report is what came of comparing two sides. Everything in it is sorted by path.
type Report struct {
	Engine Engine
	// Bases are all best common ancestors; Base is the first, which the lines and notes refer to.
	Bases              []object.ID
	Base, Ours, Theirs object.ID
	// Clean is git's word where git was asked. It is false wherever it could not be told.
	Clean     bool
	Conflicts []Conflict
	Notes     []Note
}

// Severity is the worst grade in the report.
func (r Report) Severity() Severity {
	worst := Info
	for _, c := range r.Conflicts {
		worst = max(worst, c.Severity())
	}
	for _, n := range r.Notes {
		worst = max(worst, n.Severity)
	}
	return worst
}

// Conflict is one path that cannot be merged.
type Conflict struct {
	Path string
	Kind clash.Kind
	Ours Side
	// Theirs is the other side, Base the common one; their Path is empty where the file is not there.
	Theirs Side
	Base   Side
	// Expected: the user said that conflicts in this path are nothing to stop for.
	Expected bool
	// Why is set where something could not be told.
	Why string
}

// Severity of a conflict is Blocking unless it was expected.
func (c Conflict) Severity() Severity {
	if c.Expected {
		return Warning
	}
	return Blocking
}

// Side is one side's part of a conflict.
type Side struct {
	Path    string
	Version object.Version
	Ranges  []Range
	Commits []Commit
	// Uncommitted: work that is in no commit takes part.
	Uncommitted bool
}

// Range is lines From to To, counted from 1, both included.
// Where a side has nothing, To is From-1: the lines of the other side would come before line From.
type Range struct{ From, To int }

// Commit is one that made an overlapping change.
type Commit struct {
	ID      object.ID
	Author  string
	Email   string
	When    time.Time
	Subject string
	Task    string
}

// Code names a class of notes for programs.
type Code string

// The classes of notes.
const (
	// SameFile: both sides changed the file, in places that do not touch.
	SameFile Code = "same-file"
	// InputChanged: the other side changed what a task declared as input.
	InputChanged Code = "input-changed"
	// ManifestChanged: the other side changed what the project depends on.
	ManifestChanged Code = "manifest-changed"
	// ExpectedConflict: a conflict in a path that the user expects conflicts in.
	ExpectedConflict Code = "expected-conflict"
	// BaseMoved: the other side went on, elsewhere.
	BaseMoved Code = "base-moved"
	// PlaceUnknown: the conflict is certain, its lines are not.
	PlaceUnknown Code = "place-unknown"
	// CommitsUnknown: who made the conflicting changes was not found out.
	CommitsUnknown Code = "commits-unknown"
	// DirectoryUnclear: git cannot tell where files of a renamed directory belong; no path is in conflict for it.
	DirectoryUnclear Code = "directory-unclear"
	// CannotTell: part of the question has no answer here; it is treated as a conflict.
	CannotTell Code = "cannot-tell"
)

// Note is a quieter finding.
type Note struct {
	Code     Code
	Severity Severity
	Path     string
	Text     string
}

func (r *Report) note(code Code, s Severity, path, text string) {
	r.Notes = append(r.Notes, Note{Code: code, Severity: s, Path: path, Text: text})
}

func (r *Report) sort() {
	slices.SortFunc(r.Conflicts, func(a, b Conflict) int { return strings.Compare(a.Path, b.Path) })
	slices.SortStableFunc(r.Notes, func(a, b Note) int {
		if a.Severity != b.Severity {
			return int(b.Severity - a.Severity)
		}
		if a.Code != b.Code {
			return strings.Compare(string(a.Code), string(b.Code))
		}
		return strings.Compare(a.Path, b.Path)
	})
}
