package agentsetup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/git-resume/git-resume/internal/agents/splice"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// record lists what was written, so that exactly that can be taken out again.
type record struct {
	V     int          `json:"v"`
	Files []fileRecord `json:"files"`
	// Dirs are the folders that were made. An uninstallation removes those that are empty.
	Dirs []string `json:"dirs,omitempty"`
}

// fileRecord is what the record says about one file.
type fileRecord struct {
	Path string `json:"path"`
	// Agents are the agents that use the file. Project is the worktree for which it was written, or empty.
	Agents  []string `json:"agents"`
	Project string   `json:"project,omitempty"`
	// Made is true if the file did not exist before the installation. Before and After are the hashes of its content without and with our
	// text.
	Made   bool   `json:"made,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after"`
	// Edits are the texts that were inserted into a shared file, and Keys are the settings among them with their values.
	Edits []splice.Edit     `json:"edits,omitempty"`
	Keys  map[string]string `json:"keys,omitempty"`
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// load reads the record. A missing record is empty. A record of a newer version is an error, because it may say more than we understand.
func (s *Setup) load() (record, error) {
	r := record{V: 1}
	text, err := os.ReadFile(s.recordPath())
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("read %s: %w", s.recordPath(), err)
	}
	if r.V != 1 {
		return r, fmt.Errorf("%s has the version number %d, which this git-resume does not understand", s.recordPath(), r.V)
	}
	return r, nil
}

// save writes the record. An empty record is deleted.
func (s *Setup) save(r record) error {
	if len(r.Files) == 0 && len(r.Dirs) == 0 {
		err := os.Remove(s.recordPath())
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	return dotgit.WritePrivate(s.recordPath(), append(text, '\n'))
}

func (r *record) find(path string) *fileRecord {
	i := slices.IndexFunc(r.Files, func(f fileRecord) bool { return f.Path == path })
	if i < 0 {
		return nil
	}
	return &r.Files[i]
}

// put adds an entry about a file, or replaces the existing one. If both entries have the same hash in the field After, the existing one
// stays: it is older, and describes the file as it was before any installation.
func (r *record) put(f fileRecord) {
	if old := r.find(f.Path); old != nil {
		if old.After != f.After {
			*old = f
		}
		return
	}
	r.Files = append(r.Files, f)
}

func (r *record) drop(path string) {
	r.Files = slices.DeleteFunc(r.Files, func(f fileRecord) bool { return f.Path == path })
}

// missingDirs returns the folders that have to be made for a file, the outermost first.
func missingDirs(path string) (dirs []string) {
	for dir := filepath.Dir(path); ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil || dir == filepath.Dir(dir) {
			slices.Reverse(dirs)
			return dirs
		}
		dirs = append(dirs, dir)
	}
}
