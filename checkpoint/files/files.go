package files

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// Folder is the folder .git/resume, in which a clone stores the files of git-resume that are not in refs.
type Folder struct{ Repo *gitstate.Repo }

// RunFile is the content of a file that this clone keeps for each of its runs. If the run's refs are deleted, this file still names the
// journal.
type RunFile struct {
	V       int       `json:"v"`
	Journal object.ID `json:"journal,omitempty"`
	Branch  refs.Name `json:"branch,omitempty"`
	// Base is the base branch of the run, or empty if the run has none.
	Base refs.Name `json:"base,omitempty"`
	// Apart is true if the run has its own linked worktree.
	Apart bool      `json:"apart,omitempty"`
	Head  object.ID `json:"head,omitempty"`
	Wip   object.ID `json:"wip,omitempty"`
	// Own identifies the lines of the journal that this user wrote in this clone.
	Own checkpoint.LineSet `json:"own,omitzero"`
	// Notes is the newest commit that somebody else published in the run's notes ref, as far as we know.
	Notes object.ID `json:"notes,omitempty"`
	// Expired is true if the run was closed and its retention time has passed.
	Expired bool `json:"expired,omitempty"`
}

// OwnFile is the RunFile of a run. Open and Closed say in which folder the file was found.
type OwnFile struct {
	RunFile
	Open, Closed bool
	// Lost is true if the commit in the field Journal cannot be read.
	Lost bool
}

// The method OwnFile reads the RunFile of a run from the folder for open runs or from the folder for closed runs. If the run has no such
// file, the result is empty.
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

// ReadOpen returns the RunFile of a run that is open here, or an empty value.
func (d Folder) ReadOpen(id checkpoint.RunID) RunFile {
	if o := d.OwnFile(id); o.Open {
		return o.RunFile
	}
	return RunFile{}
}

// parseOpen parses a RunFile. It returns an empty value for a damaged file.
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

// Announce writes the RunFile of an open run to the disk before the journal ref exists. If the process that starts the run is killed, other
// commands still find the file and can clean up.
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

// WriteHint writes a file whose loss does no harm, so it does not wait for the disk.
func (d Folder) WriteHint(path string, v any) error {
	text, err := checkpoint.Marshal(v)
	if err != nil {
		return err
	}
	return ReplaceFile(path, append(text, '\n'))
}

// ReplaceFile replaces a file atomically but does not wait for the disk. It is for files whose loss does no harm.
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

// ReadSmall reads one of our files, without the white space around its content. It refuses more than 64 KiB, because our files are small.
func ReadSmall(path string) ([]byte, error) {
	text, err := gitstate.ReadUpTo(path, 1<<16)
	return bytes.TrimSpace(text), err
}

// Path returns the path of a file or folder below .git/resume.
func (d Folder) Path(elem ...string) string {
	return d.Repo.CommonPath(append([]string{"resume"}, elem...)...)
}

// Names lists the runs that have a file in the given subfolder, sorted by their ids.
func (d Folder) Names(dir string) ([]checkpoint.RunID, error) {
	f, err := os.Open(d.Path(dir))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	out := make([]checkpoint.RunID, 0, len(names))
	for _, name := range names {
		if id := checkpoint.RunID(name); id.Valid() {
			out = append(out, id)
		}
	}
	slices.Sort(out)
	return out, nil
}

// RemoveQuiet removes a file if it exists.
func RemoveQuiet(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// LogPath returns the path of the log file for one attempt of a task.
func (d Folder) LogPath(id checkpoint.RunID, task checkpoint.TaskID, attempt string) string {
	return d.Path("logs", string(id), string(task)+"-"+attempt+".log")
}

// InUse reports whether the folder open/ exists, which the first run in this clone creates.
func (d Folder) InUse() bool {
	info, err := os.Lstat(d.Path("open"))
	return err == nil && info.IsDir()
}

// OpenHere reports whether the run is open in this clone, no matter who started it.
func (d Folder) OpenHere(id checkpoint.RunID) bool { return d.OwnFile(id).Open }

// ClosedHere reports whether this clone has a file of the run among its closed runs.
func (d Folder) ClosedHere(id checkpoint.RunID) bool { return d.OwnFile(id).Closed }

// AppendLock returns the path of the lock that a process holds while it appends to a run.
func (d Folder) AppendLock(id checkpoint.RunID) string { return d.Path(string(id) + ".append") }
