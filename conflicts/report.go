package conflicts

import (
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Severity grades a finding; the zero value never blocks.
type Severity int

// The grades, mildest first.
const (
	Info Severity = iota
	Warning
	Blocking
)

// MarshalText returns the severity as a word, for JSON.
func (s Severity) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

func (s Severity) String() string {
	return [...]string{"info", "warning", "blocking"}[s]
}

// Report is the result of comparing two sides. Everything in it is sorted by path.
type Report struct {
	Engine Engine
	// Bases are all best common ancestors; Base is the first of them, which the lines and notes refer to.
	Bases              []object.ID
	Base, Ours, Theirs object.ID
	// Clean is git's answer if git was asked. It is false whenever the answer is not known.
	Clean     bool
	Conflicts []Conflict
	Notes     []Note
}

// Severity returns the worst grade in the report.
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
	// Theirs is the other side and Base the common ancestor; their Path is empty if they do not have the file.
	Theirs Side
	Base   Side
	// Expected is true if the user said that conflicts in this path are no reason to stop.
	Expected bool
	// Why is set if something could not be determined.
	Why string
}

// Severity returns Blocking unless the conflict was expected.
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
	// Uncommitted is true if uncommitted work is part of the conflict.
	Uncommitted bool
}

// Range is the lines From to To, counted from 1, both included.
// If a side has no lines there, To is From-1: the other side's lines would come before line From.
type Range struct{ From, To int }

// Commit is a commit that made an overlapping change.
type Commit struct {
	ID      object.ID
	Author  string
	Email   string
	When    time.Time
	Subject string
	Task    string
}

// Code names a class of notes, for programs.
type Code string

// The classes of notes.
const (
	// SameFile: both sides changed the file, in places that do not touch each other.
	SameFile Code = "same-file"
	// InputChanged: the other side changed a file that a task declared as input.
	InputChanged Code = "input-changed"
	// ManifestChanged: the other side changed the project's dependencies.
	ManifestChanged Code = "manifest-changed"
	// ExpectedConflict: a conflict in a path in which the user expects conflicts.
	ExpectedConflict Code = "expected-conflict"
	// BaseMoved: the other side continued, but changed other files.
	BaseMoved Code = "base-moved"
	// PlaceUnknown: the conflict is certain, but its lines are not.
	PlaceUnknown Code = "place-unknown"
	// CommitsUnknown: the commits that made the conflicting changes were not found.
	CommitsUnknown Code = "commits-unknown"
	// DirectoryUnclear: git does not know where files of a renamed directory belong, and no path is in conflict because of that.
	DirectoryUnclear Code = "directory-unclear"
	// CannotTell: part of the question cannot be answered here; it is treated as a conflict.
	CannotTell Code = "cannot-tell"
)

// Note is a finding other than a conflict.
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
