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
func (s *Store) ownFile(id RunID) ownFile {
	text, err := readSmall(s.path("open", string(id)))
	if err == nil {
		return ownFile{runFile: parseOpen(text), open: true}
	}
	if text, err = readSmall(s.path("closed", string(id))); err == nil {
		return ownFile{runFile: parseOpen(text), closed: true}
	}
	return ownFile{}
}

func (s *Store) readOpen(id RunID) runFile {
	if o := s.ownFile(id); o.open {
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

func (s *Store) fileOf(j *Journal) runFile {
	return runFile{V: 1, Journal: j.Tip, Branch: j.Run.Branch, Head: j.Run.Head, Wip: s.readOpen(j.Run.ID).Wip, Own: j.Run.Own, Notes: j.theirs}
}

// announce makes the open file before the journal ref exists, durably:
// whatever happens next, the run will be looked for.
func (s *Store) announce(id RunID) error {
	text, err := json.Marshal(runFile{V: 1})
	if err != nil {
		return err
	}
	if err := dotgit.WriteFile(s.path("open", string(id)), append(text, '\n')); err != nil {
		return fmt.Errorf("open the run: %w", err)
	}
	return nil
}

func (s *Store) writeHint(path string, v any) error {
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

func (s *Store) path(elem ...string) string {
	return s.Repo.CommonPath(append([]string{"resume"}, elem...)...)
}

func (s *Store) names(dir string) ([]RunID, error) {
	entries, err := os.ReadDir(s.path(dir))
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
func (s *Store) LogPath(id RunID, task TaskID, attempt string) string {
	return s.path("logs", string(id), string(task)+"-"+attempt+".log")
}

// OpenHere reports whether this clone has a run among its open ones, whoever began it.
func (s *Store) OpenHere(id RunID) bool { return s.ownFile(id).open }

// ClosedHere reports whether this clone has a file of the run among its closed ones.
func (s *Store) ClosedHere(id RunID) bool { return s.ownFile(id).closed }

func (s *Store) appendLock(id RunID) string { return s.path(string(id) + ".append") }
