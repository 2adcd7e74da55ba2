package checkpoint

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/plan"
)

// NoRunError says that a run does not exist.
type NoRunError struct{ ID RunID }

func (e *NoRunError) Error() string { return fmt.Sprintf("there is no run '%s'", e.ID) }

// JournalRef returns the private ref of a run's journal.
func JournalRef(id RunID) refs.Name { return refs.Name("refs/resume/journal/" + string(id)) }

// NotesRef returns the ref that publishes the journal, for "git notes" and "git log --notes".
func NotesRef(id RunID) refs.Name { return refs.Name("refs/notes/resume/" + string(id)) }

// BaseRef returns the ref that protects the base commit from garbage collection.
func BaseRef(id RunID) refs.Name { return refs.Name("refs/resume/base/" + string(id)) }

// BranchPrefix is the default prefix for the branches of runs.
const BranchPrefix = "refs/heads/resume/"

// Valid reports whether the id has the form that this program uses. Such an id is safe in refs, paths and messages.
func (id RunID) Valid() bool {
	s := string(id)
	cut := strings.LastIndexByte(s, '-')
	if len(s) > maxID || cut < 1 || len(s)-cut != suffixLen+1 {
		return false
	}
	for _, c := range s {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' && c != '.' && c != '_' {
			return false
		}
	}
	return s[0] != '-' && s[0] != '.' && !strings.Contains(s, "..") && filepath.IsLocal(s)
}

// Suffix returns the part of the id after its last "-". Users can type it instead of the whole id.
func (id RunID) Suffix() string { return string(id[strings.LastIndexByte(string(id), '-')+1:]) }

const (
	suffixLen = 4
	maxID     = 80
	alphabet  = "abcdefghijklmnopqrstuvwxyz234567"
)

// NewRunID makes an id from a name and four random characters. At least one of them is a letter, so that the suffix never
// looks like the number of a task.
func NewRunID(slug string, chance [suffixLen]byte) RunID {
	var tag [suffixLen]byte
	letter := false
	for i, b := range chance {
		tag[i] = alphabet[b&31]
		letter = letter || b&31 < 26
	}
	if !letter {
		tag[0] = alphabet[chance[0]&15]
	}
	return RunID(slug + "-" + string(tag[:]))
}

// RunIDFor makes the id for another system's work. The same name and key always give the same id.
func RunIDFor(name, key string) RunID {
	sum := sha256.Sum256([]byte(key))
	return NewRunID(plan.Slug(name), [suffixLen]byte(sum[:suffixLen]))
}

// RunID identifies a run in refs, in trailers and on the command line. It consists of a slug, "-" and four characters.
type RunID string

// TaskID identifies a task within its run.
type TaskID string
