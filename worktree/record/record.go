package record

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/dotgit"
	"github.com/git-resume/git-resume/worktree/place"
)

// Phase says how far a discard or its undoing came, where the disk alone does not tell.
type Phase string

// The phases.
const (
	// Begun: everything is reachable from the ref of what was discarded; tree, registration and branch are on their way out.
	Begun Phase = "begun"
	// Sweeping: all is saved and recorded; what is left of the tree is no longer whole.
	Sweeping Phase = "sweeping"
	// Gone: nothing is left to do.
	Gone Phase = "gone"
	// Undoing: on the way back.
	Undoing Phase = "undoing"
	// Back: all is back; whether a gc took commits away meanwhile must be looked at once more.
	Back Phase = "back"
	// Husk: the remains of a cut-off creation, not a discard.
	Husk Phase = "husk"
)

// Record is kept beside a dropped registration: all that the next step, or the way back, must know.
type Record struct {
	Version int       `json:"v"`
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
	Phase   Phase     `json:"phase"`
	Path    Exact     `json:"path,omitempty"`
	Trash   Exact     `json:"trash,omitempty"` // where the tree was renamed to; empty if there was none
	Admin   Exact     `json:"admin,omitempty"` // name of the registration; empty if there was none
	GitFile Exact     `json:"git_file,omitempty"`
	// CommonFile is the registration's "commondir" as it was.
	CommonFile Exact     `json:"common_file,omitempty"`
	Branch     Exact     `json:"branch,omitempty"`
	Tip        object.ID `json:"tip,omitempty"`
	// Snapshot is what was uncommitted, Whole the snapshot from which the tree is built again.
	// First is the number from which on the entries of what was discarded are those of this discard.
	First    int       `json:"first,omitempty"`
	Snapshot object.ID `json:"snapshot,omitempty"`
	Whole    object.ID `json:"whole,omitempty"`
	// Modules are the submodules whose repositories are in the registration.
	Modules []Module `json:"modules,omitempty"`
	// Nested are repositories inside the tree that nothing else holds; they are not deleted.
	Nested []Exact `json:"nested,omitempty"`
	// Keep are ignored files and folders that the snapshots hold all the same.
	Keep []Exact `json:"keep,omitempty"`
	// Swept: files of the renamed tree may be gone.
	Swept bool `json:"swept,omitempty"`
	// Torn: the tree was never complete; it is moved and not deleted.
	Torn bool `json:"torn,omitempty"`
	// Unlocked: the lock on the registration was put there for the way.
	Unlocked bool `json:"unlocked,omitempty"`
}

// Kept are the ignored files and folders that are kept all the same.
func (r *Record) Kept() []string {
	out := make([]string, 0, len(r.Keep))
	for _, keep := range r.Keep {
		out = append(out, string(keep))
	}
	return out
}

// Module is one submodule's checkout.
type Module struct {
	Path    Exact     `json:"path"`     // inside the tree
	GitDir  Exact     `json:"git_dir"`  // inside the registration
	GitFile Exact     `json:"git_file"` // its ".git"
	Whole   object.ID `json:"whole"`    // a snapshot in its own repository
}

// Exact is text that need not be UTF-8, as names of files are; JSON alone would damage it.
type Exact string

// MarshalText writes readable text as it is, and anything else quoted.
func (e Exact) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(e)) && !strings.HasPrefix(string(e), `"`) {
		return []byte(e), nil
	}
	return []byte(strconv.QuoteToASCII(string(e))), nil
}

// UnmarshalText is the way back.
func (e *Exact) UnmarshalText(text []byte) error {
	if !strings.HasPrefix(string(text), `"`) {
		*e = Exact(text)
		return nil
	}
	plain, err := strconv.Unquote(string(text))
	*e = Exact(plain)
	return err
}

// File is where a record is; oldRecordFile where the version before has it, and where that of a cut-off creation still is.
// The one is not called as the other, nor does it lie in the same folder:
// the version before believes any record that it finds, and would take away what it does not understand of it.
// The folder is in the trash all the same: elsewhere that version deletes what has the name of a temporary file.
const (
	File       = "record.json"
	OldFile    = "discard.json"
	KeptSuffix = ".kept"
)

// Version is what this program writes and reads.
const Version = 2

// Dir is where the registration of a dropped run lies, with the record of how far it came.
func Dir(repo *gitstate.Repo, run string) string { return TrashDir(repo, run+KeptSuffix) }

// TrashDir is where the version before has them, and where cut-off creations are put aside.
func TrashDir(repo *gitstate.Repo, run string) string { return repo.CommonPath("resume", "trash", run) }

// SaveAs writes the record durably.
func (r Record) SaveAs(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := dotgit.WriteFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("note the step: %w", err)
	}
	return dotgit.SyncDir(filepath.Dir(filepath.Dir(path)))
}

// newerRecordError says that a later version of the program wrote a record.
type newerRecordError struct {
	Path    string
	Version int
}

func (e *newerRecordError) Error() string {
	return fmt.Sprintf("'%s' was written by a newer git-resume (version %d of its form)", e.Path, e.Version)
}

// Load reads a record; found is false if there is none.
func Load(dir string) (r Record, found bool, err error) {
	for _, name := range []string{File, OldFile} {
		path := filepath.Join(dir, name)
		text, err := gitstate.ReadUpTo(path, 64<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Record{}, false, fmt.Errorf("read the trash: %w", err)
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return Record{}, false, fmt.Errorf("read the trash: %s: %w", path, err)
		}
		if r.Version > Version {
			return Record{}, false, &newerRecordError{path, r.Version}
		}
		return r, true, nil
	}
	return Record{}, false, nil
}

// Dirs are the folders that hold a record, of this program's and of the version before.
func Dirs(repo *gitstate.Repo) []string {
	var out []string
	entries, _ := os.ReadDir(TrashDir(repo, "")) // none: nothing was ever discarded
	for _, e := range entries {
		if dir := TrashDir(repo, e.Name()); e.IsDir() && Has(dir) {
			out = append(out, dir)
		}
	}
	return out
}

// NameOf is the name under which a folder with a record was made.
func NameOf(dir string) string { return strings.TrimSuffix(filepath.Base(dir), KeptSuffix) }

// Has reports whether a folder holds a record.
func Has(dir string) bool {
	return place.Present(filepath.Join(dir, File)) || place.Present(filepath.Join(dir, OldFile))
}
