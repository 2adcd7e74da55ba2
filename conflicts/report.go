package conflicts

import (
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/gitstate/object"
)

// Severity says how serious a finding is. The zero value never stops the work.
type Severity int

// These are the severities, mildest first.
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

// Report is the result of comparing two sides. Its conflicts are sorted by path. Its notes are sorted by severity, the worst first, and
// then by code and path.
type Report struct {
	Engine Engine
	// Bases holds all best common ancestors of the two sides, or only the base that the query names. Base is the first of them. The notes
	// about changes refer to Base.
	Bases              []object.ID
	Base, Ours, Theirs object.ID
	// Clean is true if the merge certainly has no conflict.
	Clean     bool
	Conflicts []Conflict
	Notes     []Note
}

// Severity returns the worst severity in the report.
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
	// Theirs is the other side, and Base is the common ancestor. If the file does not exist in Ours, Theirs or Base, the Path there is
	// empty.
	Theirs Side
	Base   Side
	// Expected is true if the user said that conflicts in this path are not a reason to stop.
	Expected bool
	// Why explains the conflict, or says why some of its details, such as its lines, are unknown. It is often empty.
	Why string
}

// Severity returns Blocking, or Warning if the conflict was expected.
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
	// Uncommitted is true if the file has uncommitted changes.
	Uncommitted bool
}

// Range means the lines From to To, counted from 1, including both. If a side has no lines at that place, To is
// From-1. The other side's lines would then come before line From.
type Range struct{ From, To int }

// Commit is a commit that made one of the conflicting changes.
type Commit struct {
	ID      object.ID
	Author  string
	Email   string
	When    time.Time
	Subject string
	Task    string
}

// Code is the name of a kind of note. Other programs read this name, so it must stay the same.
type Code string

// These are the kinds of notes.
const (
	// SameFile means that both sides changed the file, but without a conflict.
	SameFile Code = "same-file"
	// InputChanged means that their side changed a file that is an input of a task.
	InputChanged Code = "input-changed"
	// ManifestChanged means that their side changed a file that lists the project's dependencies.
	ManifestChanged Code = "manifest-changed"
	// ExpectedConflict means that there is a conflict in a path where the user expects conflicts.
	ExpectedConflict Code = "expected-conflict"
	// BaseMoved means that their side changed further files, in addition to the files with a conflict or with a note SameFile.
	BaseMoved Code = "base-moved"
	// PlaceUnknown means that there is certainly a conflict, but its lines are unknown.
	PlaceUnknown Code = "place-unknown"
	// CommitsUnknown means that not all commits that made the conflicting changes were found.
	CommitsUnknown Code = "commits-unknown"
	// DirectoryUnclear means that it is unclear where files of a renamed directory belong. No single path is in
	// conflict.
	DirectoryUnclear Code = "directory-unclear"
	// CannotTell means that a part of the merge could not be decided. This is treated as a conflict.
	CannotTell Code = "cannot-tell"
)

// Note is a finding that is reported besides the conflicts.
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
