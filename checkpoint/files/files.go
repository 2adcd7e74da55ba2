package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Folder is where a clone keeps files next to its refs: which runs are open or closed here, and what was asked and reported.
type Folder struct{ Repo *gitstate.Repo }

// RunFile is kept for every run that this clone wrote to, among the open or the closed ones.
// If the run's refs vanish, it is restored from this file; a run without the file is not ours.
type RunFile struct {
	V       int       `json:"v"`
	Journal object.ID `json:"journal,omitempty"`
	Branch  refs.Name `json:"branch,omitempty"`
	// Apart is true if the run works in a linked worktree that was made for it. The hook reads this without starting us.
	Apart bool      `json:"apart,omitempty"`
	Head  object.ID `json:"head,omitempty"`
	Wip   object.ID `json:"wip,omitempty"`
	// Own identifies our own lines in that journal.
	Own checkpoint.LineSet `json:"own,omitzero"`
	// Notes is the last published commit that came from somebody else.
	Notes object.ID `json:"notes,omitempty"`
	// Expired is true if the run was closed and its retention time is over.
	Expired bool `json:"expired,omitempty"`
}

// OwnFile is what this clone's files say about a run.
type OwnFile struct {
	RunFile
	Open, Closed bool
	// Lost is true if the journal that the file names cannot be read.
	Lost bool
}

// OwnFile reads the file of a run: the open one, otherwise the closed one.
func (d Folder) OwnFile(id checkpoint.RunID) OwnFile {
	text, err := ReadSmall(d.Path("open", string(id)))
	if err == nil {
		return OwnFile{RunFile: parseOpen(text), Open: true}
	}
	if text, err = ReadSmall(d.Path("closed", string(id))); err == nil {
		return OwnFile{RunFile: parseOpen(text), Closed: true}
	}
	return OwnFile{}
}

// ReadOpen returns the file of a run that is open here, otherwise an empty one.
func (d Folder) ReadOpen(id checkpoint.RunID) RunFile {
	if o := d.OwnFile(id); o.Open {
		return o.RunFile
	}
	return RunFile{}
}

// parseOpen reads the file of a run; it returns an empty value for a damaged file.
func parseOpen(text []byte) (o RunFile) {
	if json.Unmarshal(text, &o) != nil {
		return RunFile{}
	}
	if !object.IsID(string(o.Journal)) {
		o.Journal = ""
	}
	if !object.IsID(string(o.Notes)) {
		o.Notes = ""
	}
	return o
}

// Announce durably writes the open file before the journal ref exists,
// so that the run will be looked for whatever happens next.
func (d Folder) Announce(id checkpoint.RunID) error {
	text, err := json.Marshal(RunFile{V: 1})
	if err != nil {
		return err
	}
	if err := dotgit.WriteFile(d.Path("open", string(id)), append(text, '\n')); err != nil {
		return fmt.Errorf("open the run: %w", err)
	}
	return nil
}

// WriteHint writes a file that can be derived again.
func (d Folder) WriteHint(path string, v any) error {
	text, err := checkpoint.Marshal(v)
	if err != nil {
		return err
	}
	return ReplaceFile(path, append(text, '\n'))
}

// ReplaceFile replaces a file atomically but without waiting for the disk, for files that can be derived again.
func ReplaceFile(path string, data []byte) error {
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

// ReadSmall reads one of our files; it refuses large files, because ours are small.
func ReadSmall(path string) ([]byte, error) {
	text, err := gitstate.ReadUpTo(path, 1<<16)
	return bytes.TrimSpace(text), err
}

// Path returns the path of a file or folder in this folder.
func (d Folder) Path(elem ...string) string {
	return d.Repo.CommonPath(append([]string{"resume"}, elem...)...)
}

// Names lists the runs that have a file in a subfolder.
func (d Folder) Names(dir string) ([]checkpoint.RunID, error) {
	entries, err := os.ReadDir(d.Path(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	var out []checkpoint.RunID
	for _, e := range entries {
		if id := checkpoint.RunID(e.Name()); id.Valid() {
			out = append(out, id)
		}
	}
	return out, nil
}

// RemoveQuiet removes a file if it exists.
func RemoveQuiet(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// LogPath returns where the output of one attempt is kept.
func (d Folder) LogPath(id checkpoint.RunID, task checkpoint.TaskID, attempt string) string {
	return d.Path("logs", string(id), string(task)+"-"+attempt+".log")
}

// OpenHere reports whether this clone has a run among its open ones, no matter who started it.
func (d Folder) OpenHere(id checkpoint.RunID) bool { return d.OwnFile(id).Open }

// ClosedHere reports whether this clone has a file of the run among its closed ones.
func (d Folder) ClosedHere(id checkpoint.RunID) bool { return d.OwnFile(id).Closed }

// AppendLock returns the path of the lock that a process holds while it appends to a run.
func (d Folder) AppendLock(id checkpoint.RunID) string { return d.Path(string(id) + ".append") }
