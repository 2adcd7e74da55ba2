package checkpoint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

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

// cacheFile is the fold of a journal at one tip. It is derived, signed, and may be lost at any time.
// Behind it in the same file may stand what was appended since: see cacheMore.
type cacheFile struct {
	V         int          `json:"v"`
	Tip       gitstate.OID `json:"tip"`
	Published gitstate.OID `json:"published"`
	Tree      gitstate.OID `json:"tree"`
	Tail      tail         `json:"tail"`
	Run       Run          `json:"run"`
}

// cacheMore is one append after a cached state: the tip before and after it, and its lines.
type cacheMore struct {
	From  gitstate.OID `json:"from"`
	Tip   gitstate.OID `json:"tip"`
	Tree  gitstate.OID `json:"tree"`
	Lines []string     `json:"lines"`
}

// cacheVersion changes whenever the fold does: an old program's state must not be believed.
const cacheVersion = 10

// cacheDomain says what is signed. A state that came with a copy of the repository is not believed:
// it would say of any line that it is ours.
const cacheDomain = "git-resume cache 1"

// readCache gives the cached state of a run, brought forward as far as the file tells, but not beyond a wanted tip.
func (s *Store) readCache(id RunID, want gitstate.OID) *cacheFile {
	if s.key() == nil {
		return nil
	}
	text, err := gitstate.ReadUpTo(s.path("cache", string(id)), maxCache)
	if err != nil {
		return nil
	}
	return s.parseCache(text, id, want)
}

// maxCache is far beyond the state of any run that can be told; what is larger is read from the journal.
const maxCache = 32 << 20

func (s *Store) parseCache(text []byte, id RunID, want gitstate.OID) *cacheFile {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	var c cacheFile
	if !s.unseal(id, first, &c) || c.V != cacheVersion || c.Run.ID != id {
		return nil
	}
	for c.Tip != want && len(rest) > 0 {
		var more cacheMore
		if first, rest, _ = bytes.Cut(rest, []byte("\n")); !s.unseal(id, first, &more) || more.From != c.Tip || c.Published != c.Tip {
			break
		}
		lines := make([]Line, 0, len(more.Lines))
		for _, text := range more.Lines {
			lines = append(lines, s.line(id, text))
		}
		if !c.Run.extend(lines, nil) {
			return nil
		}
		c.Tip, c.Published, c.Tree, c.Tail = more.Tip, more.Tip, more.Tree, tail{Canonical: c.Tail.Canonical, Base: c.Tail.Base}
	}
	return &c
}

// unseal reads one line of a cache: a signature, and what it is of.
func (s *Store) unseal(id RunID, line []byte, to any) bool {
	mac, body, ok := bytes.Cut(line, []byte(" "))
	return ok && s.Sealed(string(mac), cacheDomain, string(id), string(body)) && json.Unmarshal(body, to) == nil
}

func (s *Store) seal(id RunID, v any) ([]byte, error) {
	body, err := marshal(v)
	if err != nil {
		return nil, err
	}
	mac, err := s.Seal(cacheDomain, string(id), string(body))
	if err != nil || mac == "" {
		return nil, err
	}
	return append(append([]byte(mac+" "), body...), '\n'), nil
}

func (s *Store) writeCache(j *Journal) error {
	text, err := s.seal(j.Run.ID, cacheFile{cacheVersion, j.Tip, j.Published, j.Tree, j.tail, j.Run})
	if err != nil || text == nil {
		return err
	}
	return replaceFile(s.path("cache", string(j.Run.ID)), text)
}

// extendCache puts one append behind the cached state: cheap enough to do each time.
func (s *Store) extendCache(from gitstate.OID, j *Journal) error {
	text, err := s.seal(j.Run.ID, cacheMore{from, j.Tip, j.Tree, j.lines})
	if err != nil || text == nil {
		return err
	}
	// Without waiting: a pipe in its place has no reader.
	f, err := os.OpenFile(s.path("cache", string(j.Run.ID)), os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK|dotgit.NoFollow, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
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
