package checkpoint

import (
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/plan"
)

// NoRunError says that there is no such run.
type NoRunError struct{ ID RunID }

func (e *NoRunError) Error() string { return fmt.Sprintf("there is no run '%s'", e.ID) }

// JournalRef returns the private ref of a run's journal, the only ref through which the journal changes.
func JournalRef(id RunID) refs.Name { return refs.Name("refs/resume/journal/" + string(id)) }

// NotesRef returns the ref under which the journal is published for git notes and git log --notes.
func NotesRef(id RunID) refs.Name { return refs.Name("refs/notes/resume/" + string(id)) }

// BaseRef returns the ref that keeps the base commit from being garbage-collected.
func BaseRef(id RunID) refs.Name { return refs.Name("refs/resume/base/" + string(id)) }

// BranchPrefix is where the branches of runs are by default.
const BranchPrefix = "refs/heads/resume/"

// Valid reports whether the id has the form that this program gives ids, which is safe in refs, paths and messages.
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

// Suffix returns the last four characters of the id, which are enough to name a run.
func (id RunID) Suffix() string { return string(id[strings.LastIndexByte(string(id), '-')+1:]) }

const (
	suffixLen = 4
	maxID     = 80
	alphabet  = "abcdefghijklmnopqrstuvwxyz234567"
)

// NewRunID makes an id from a name and four random bytes; at least one of its four characters is a letter,
// so that the suffix can never be mistaken for a task's number.
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

// RunIDFor makes the id for work that has a name in another system: the same name and key always give the same id.
func RunIDFor(name, key string) RunID {
	sum := sha256.Sum256([]byte(key))
	return NewRunID(plan.Slug(name), [suffixLen]byte(sum[:suffixLen]))
}

// RunID names a run in refs, trailers and on the command line: a slug, "-" and four characters.
type RunID string

// TaskID names a task within its run.
type TaskID string
