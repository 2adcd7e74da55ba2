package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Folder is where a clone keeps files beside its refs: which runs are open or closed here, and what was asked and told.
type Folder struct{ repo *gitstate.Repo }

// runFile is kept beside the refs for every run that this clone wrote to: among the open ones or the closed ones.
// A run whose refs vanished is put back from it, and one without it is not ours.
type runFile struct {
	V       int          `json:"v"`
	Journal gitstate.OID `json:"journal,omitempty"`
	Branch  string       `json:"branch,omitempty"`
	Head    gitstate.OID `json:"head,omitempty"`
	Wip     gitstate.OID `json:"wip,omitempty"`
	// Own are our own lines in that journal.
	Own LineSet `json:"own,omitzero"`
	// Notes is the published commit that last came from somebody else.
	Notes gitstate.OID `json:"notes,omitempty"`
	// Expired: the run was closed, and its time is over.
	Expired bool `json:"expired,omitempty"`
}

// ownFile is what this clone's files say of a run.
type ownFile struct {
	runFile
	open, closed bool
	// lost: the journal that it names cannot be read.
	lost bool
}

// ownFile reads the file of a run: the open one, else the closed one.
func (d Folder) ownFile(id RunID) ownFile {
	text, err := readSmall(d.path("open", string(id)))
	if err == nil {
		return ownFile{runFile: parseOpen(text), open: true}
	}
	if text, err = readSmall(d.path("closed", string(id))); err == nil {
		return ownFile{runFile: parseOpen(text), closed: true}
	}
	return ownFile{}
}

func (d Folder) readOpen(id RunID) runFile {
	if o := d.ownFile(id); o.open {
		return o.runFile
	}
	return runFile{}
}

// parseOpen: a file that is damaged or not there says nothing.
func parseOpen(text []byte) (o runFile) {
	if json.Unmarshal(text, &o) != nil {
		return runFile{}
	}
	if !gitstate.IsOID(string(o.Journal)) {
		o.Journal = ""
	}
	if !gitstate.IsOID(string(o.Notes)) {
		o.Notes = ""
	}
	return o
}

// announce makes the open file before the journal ref exists, durably:
// whatever happens next, the run will be looked for.
func (d Folder) announce(id RunID) error {
	text, err := json.Marshal(runFile{V: 1})
	if err != nil {
		return err
	}
	if err := dotgit.WriteFile(d.path("open", string(id)), append(text, '\n')); err != nil {
		return fmt.Errorf("open the run: %w", err)
	}
	return nil
}

func (d Folder) writeHint(path string, v any) error {
	text, err := marshal(v)
	if err != nil {
		return err
	}
	return replaceFile(path, append(text, '\n'))
}

// replaceFile replaces a file at once but without waiting for the disk: for what can be derived again.
func replaceFile(path string, data []byte) error {
	tmp := path + dotgit.TempMark()
	if err := dotgit.WriteNew(tmp, data); err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			return err
		}
		if err := dotgit.MkdirAll(filepath.Dir(path)); err != nil {
			return err
		}
		if err := dotgit.WriteNew(tmp, data); err != nil {
			return err
		}
	}
	if err := os.Rename(tmp, path); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	return nil
}

// readSmall reads a file of ours; larger ones are not ours.
func readSmall(path string) ([]byte, error) {
	text, err := gitstate.ReadUpTo(path, 1<<16)
	return bytes.TrimSpace(text), err
}

func (d Folder) path(elem ...string) string {
	return d.repo.CommonPath(append([]string{"resume"}, elem...)...)
}

func (d Folder) names(dir string) ([]RunID, error) {
	entries, err := os.ReadDir(d.path(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var out []RunID
	for _, e := range entries {
		if id := RunID(e.Name()); id.Valid() {
			out = append(out, id)
		}
	}
	return out, nil
}

func removeQuiet(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// LogPath is where the output of one attempt is kept.
func (d Folder) LogPath(id RunID, task TaskID, attempt string) string {
	return d.path("logs", string(id), string(task)+"-"+attempt+".log")
}

// OpenHere reports whether this clone has a run among its open ones, whoever began it.
func (d Folder) OpenHere(id RunID) bool { return d.ownFile(id).open }

// ClosedHere reports whether this clone has a file of the run among its closed ones.
func (d Folder) ClosedHere(id RunID) bool { return d.ownFile(id).closed }

func (d Folder) appendLock(id RunID) string { return d.path(string(id) + ".append") }
