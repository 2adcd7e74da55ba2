package worktree

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/gitstate"
)

// phase says how far a discard or its undoing came, where the disk alone does not tell.
type phase string

const (
	// phaseBegun: everything is reachable from the trash ref; tree, registration and branch are on their way out.
	phaseBegun phase = "begun"
	// phaseSweeping: all is saved and recorded; what is left of the tree is no longer whole.
	phaseSweeping phase = "sweeping"
	// phaseGone: nothing is left to do.
	phaseGone phase = "gone"
	// phaseUndoing: on the way back.
	phaseUndoing phase = "undoing"
	// phaseHusk: the remains of a cut-off creation, not a discard.
	phaseHusk phase = "husk"
)

// record is kept beside a dropped registration: all that the next step, or the way back, must know.
type record struct {
	Version int       `json:"v"`
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
	Phase   phase     `json:"phase"`
	Path    exact     `json:"path,omitempty"`
	Trash   exact     `json:"trash,omitempty"` // where the tree was renamed to; empty if there was none
	Admin   exact     `json:"admin,omitempty"` // name of the registration; empty if there was none
	GitFile exact     `json:"git_file,omitempty"`
	// CommonFile is the registration's "commondir" as it was.
	CommonFile exact        `json:"common_file,omitempty"`
	Branch     exact        `json:"branch,omitempty"`
	Tip        gitstate.OID `json:"tip,omitempty"`
	// Snapshot is what was uncommitted, Whole the snapshot from which the tree is built again.
	Snapshot gitstate.OID `json:"snapshot,omitempty"`
	Whole    gitstate.OID `json:"whole,omitempty"`
	// Modules are the submodules whose repositories are in the registration.
	Modules []module `json:"modules,omitempty"`
	// Nested are repositories inside the tree that nothing else holds; they are not deleted.
	Nested []exact `json:"nested,omitempty"`
	// Keep are ignored files and folders that the snapshots hold all the same.
	Keep []exact `json:"keep,omitempty"`
	// Swept: files of the renamed tree may be gone.
	Swept bool `json:"swept,omitempty"`
	// Torn: the tree was never complete; it is moved and not deleted.
	Torn bool `json:"torn,omitempty"`
	// Unlocked: the lock on the registration was put there for the way.
	Unlocked bool `json:"unlocked,omitempty"`
}

func (r *record) kept() []string {
	out := make([]string, 0, len(r.Keep))
	for _, keep := range r.Keep {
		out = append(out, string(keep))
	}
	return out
}

// module is one submodule's checkout.
type module struct {
	Path    exact        `json:"path"`     // inside the tree
	GitDir  exact        `json:"git_dir"`  // inside the registration
	GitFile exact        `json:"git_file"` // its ".git"
	Whole   gitstate.OID `json:"whole"`    // a snapshot in its own repository
}

// exact is text that need not be UTF-8, as names of files are; JSON alone would damage it.
type exact string

// MarshalText writes readable text as it is, and anything else quoted.
func (e exact) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(e)) && !strings.HasPrefix(string(e), `"`) {
		return []byte(e), nil
	}
	return []byte(strconv.QuoteToASCII(string(e))), nil
}

// UnmarshalText is the way back.
func (e *exact) UnmarshalText(text []byte) error {
	if !strings.HasPrefix(string(text), `"`) {
		*e = exact(text)
		return nil
	}
	plain, err := strconv.Unquote(string(text))
	*e = exact(plain)
	return err
}

const recordFile = "discard.json"

func trashDir(repo *gitstate.Repo, run string) string { return repo.CommonPath("resume", "trash", run) }

func (r record) save(dir string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := gitstate.WriteFile(filepath.Join(dir, recordFile), append(text, '\n')); err != nil {
		return fmt.Errorf("note the step: %w", err)
	}
	return gitstate.SyncDir(filepath.Dir(dir))
}

// loadRecord reads a record; found is false if there is none.
func loadRecord(dir string) (r record, found bool, err error) {
	text, err := gitstate.ReadUpTo(filepath.Join(dir, recordFile), 64<<20)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, false, nil
	}
	if err != nil {
		return record{}, false, fmt.Errorf("read the trash: %w", err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return record{}, false, fmt.Errorf("read the trash: %s: %w", filepath.Join(dir, recordFile), err)
	}
	return r, true, nil
}
