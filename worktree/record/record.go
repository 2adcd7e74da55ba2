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

// Phase says how far a discard or an undo has come. It records only what the files on disk do not show.
type Phase string

// The phases of a discard, and of its undo.
const (
	// Begun means that the work is saved under a ref. The worktree and the branch are being removed.
	Begun Phase = "begun"
	// Sweeping means that everything is saved and the journal says so. The files of the worktree are being deleted.
	Sweeping Phase = "sweeping"
	// Gone means that the discard is complete.
	Gone Phase = "gone"
	// Undoing means that the discard is being undone.
	Undoing Phase = "undoing"
	// Back means that everything is restored. Only a last check is missing: whether a gc has deleted commits.
	Back Phase = "back"
	// Incomplete means that an interrupted call of worktree.Create left the files, and that they are not from a discard.
	Incomplete Phase = "husk"
)

// Record describes a discarded worktree, so that the discard can be completed or undone.
type Record struct {
	Version int       `json:"v"`
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
	Phase   Phase     `json:"phase"`
	Path    Exact     `json:"path,omitempty"`
	Trash   Exact     `json:"trash,omitempty"` // the path to which the worktree was moved; empty if there was no worktree
	Admin   Exact     `json:"admin,omitempty"` // name of the worktree's folder in .git/worktrees; empty if there was none
	GitFile Exact     `json:"git_file,omitempty"`
	// CommonFile is the original content of the file "commondir" in the worktree's git dir.
	CommonFile Exact     `json:"common_file,omitempty"`
	Branch     Exact     `json:"branch,omitempty"`
	Tip        object.ID `json:"tip,omitempty"`
	// First is the number of the first entry that this discard added to refs/resume/discarded/<run>. Snapshot is the uncommitted work. Whole
	// is the snapshot from which an undo rebuilds all files.
	First    int       `json:"first,omitempty"`
	Snapshot object.ID `json:"snapshot,omitempty"`
	Whole    object.ID `json:"whole,omitempty"`
	// Modules lists the submodules whose repositories are in the worktree's git dir.
	Modules []Module `json:"modules,omitempty"`
	// Nested lists repositories inside the worktree that are saved nowhere, so they are not deleted.
	Nested []Exact `json:"nested,omitempty"`
	// Keep lists ignored files and folders that must be saved too.
	Keep []Exact `json:"keep,omitempty"`
	// Swept means that files of the moved worktree may already be deleted.
	Swept bool `json:"swept,omitempty"`
	// Torn means that the creation of the worktree was interrupted. Such a worktree is moved to the path in the field "Trash" like others,
	// but none of its files is deleted.
	Torn bool `json:"torn,omitempty"`
	// Unlocked means that the worktree was not locked before the discard. An undo then leaves it unlocked.
	Unlocked bool `json:"unlocked,omitempty"`
}

// Kept returns the paths in Keep as strings.
func (r *Record) Kept() []string {
	out := make([]string, 0, len(r.Keep))
	for _, keep := range r.Keep {
		out = append(out, string(keep))
	}
	return out
}

// Module is one submodule's checkout.
type Module struct {
	Path    Exact     `json:"path"`     // path of the checkout inside the worktree
	GitDir  Exact     `json:"git_dir"`  // path of the submodule's repository inside .git/worktrees/<name>
	GitFile Exact     `json:"git_file"` // content of the checkout's ".git" file
	Whole   object.ID `json:"whole"`    // a snapshot in the submodule's own repository
}

// Exact is a text that may contain invalid UTF-8, such as a file name. JSON alone would change such bytes.
type Exact string

// MarshalText writes a text quoted if it is not valid UTF-8 or begins with a quotation mark. It writes any other text unchanged.
func (e Exact) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(e)) && !strings.HasPrefix(string(e), `"`) {
		return []byte(e), nil
	}
	return []byte(strconv.QuoteToASCII(string(e))), nil
}

// UnmarshalText reverses MarshalText.
func (e *Exact) UnmarshalText(text []byte) error {
	if !strings.HasPrefix(string(text), `"`) {
		*e = Exact(text)
		return nil
	}
	plain, err := strconv.Unquote(string(text))
	*e = Exact(plain)
	return err
}

// File is the name of the record file in a folder whose name ends with KeptSuffix. In the folder of an incomplete worktree, the file has the
// name OldFile. Versions before 0.9.0 gave this name to the record of a discard, too.
const (
	File       = "record.json"
	OldFile    = "discard.json"
	KeptSuffix = ".kept"
)

// Version is the newest version of a record that this program can read.
const Version = 2

// Dir returns the folder for the record of a discarded run, and for the moved git dir of its worktree.
func Dir(repo *gitstate.Repo, run string) string { return TrashDir(repo, run+KeptSuffix) }

// TrashDir returns a folder in the trash by its name.
func TrashDir(repo *gitstate.Repo, run string) string { return repo.CommonPath("resume", "trash", run) }

// SaveAs writes the record so that it survives a power failure.
func (r Record) SaveAs(path string) error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := dotgit.WriteFile(path, append(text, '\n')); err != nil {
		return fmt.Errorf("record the step: %w", err)
	}
	return dotgit.SyncDir(filepath.Dir(filepath.Dir(path)))
}

// Load reads a record. The second result is false if there is no record.
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
			return Record{}, false, fmt.Errorf("'%s' was written by a newer git-resume (format version %d); use the newer one", path, r.Version)
		}
		return r, true, nil
	}
	return Record{}, false, nil
}

// Dirs lists the folders that contain a record. It leaves out discards of versions before 0.9.0, which must stay as they are.
func Dirs(repo *gitstate.Repo) []string {
	var out []string
	entries, _ := os.ReadDir(TrashDir(repo, "")) // without this folder, nothing was discarded yet
	for _, e := range entries {
		dir := TrashDir(repo, e.Name())
		if !e.IsDir() || !Has(dir) {
			continue
		}
		if rec, _, err := Load(dir); strings.HasSuffix(dir, KeptSuffix) || err != nil || rec.Phase == Incomplete {
			out = append(out, dir)
		}
	}
	return out
}

// NameOf returns the name of a record's folder without KeptSuffix. For a discarded run, this is the name of the run.
func NameOf(dir string) string { return strings.TrimSuffix(filepath.Base(dir), KeptSuffix) }

// Has reports whether a folder contains a record.
func Has(dir string) bool {
	return place.Present(filepath.Join(dir, File)) || place.Present(filepath.Join(dir, OldFile))
}
