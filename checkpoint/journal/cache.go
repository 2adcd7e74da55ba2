package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"syscall"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/dotgit"
)

// cache stores the state of runs in files, so that readers do not have to read whole journals.
type cache struct {
	repo   *gitstate.Repo
	keys   *clone.Keys
	folder files.Folder
}

// cacheFile is the cached state of a run at one commit of its journal. It is signed, and it can be recomputed if it is lost.
type cacheFile struct {
	V         int            `json:"v"`
	Tip       object.ID      `json:"tip"`
	Published object.ID      `json:"published"`
	Tree      object.ID      `json:"tree"`
	Tail      tail           `json:"tail"`
	Run       checkpoint.Run `json:"run"`
}

// cacheMore records one append after a cached state: the journal's commits before and after the append, and the appended lines.
type cacheMore struct {
	From  object.ID `json:"from"`
	Tip   object.ID `json:"tip"`
	Tree  object.ID `json:"tree"`
	Lines []string  `json:"lines"`
}

// cacheVersion must be increased when Fold changes, and after a bug that wrote wrong states to the cache. A cache file with another version
// is not used.
const cacheVersion = 23

// cacheDomain is signed together with every cache file, so that no other signature fits the file. The file is signed because a cache that
// was copied here with a repository could claim that any line is ours.
const cacheDomain = "git-resume cache 1"

// readCache returns the cached state of a run, or nil if there is none that can be used. The file may also contain appends that were made
// after this state. readCache applies them in order, but none that comes after the journal's commit "want".
func (s cache) readCache(id checkpoint.RunID, want object.ID) *cacheFile {
	if s.keys.Key() == nil {
		return nil
	}
	text, err := gitstate.ReadUpTo(s.folder.Path("cache", string(id)), maxCache)
	if err != nil {
		return nil
	}
	return s.parseCache(text, id, want)
}

// maxCache is far larger than the state of any real run. If a file is larger, the journal itself is read.
const maxCache = 32 << 20

func (s cache) parseCache(text []byte, id checkpoint.RunID, want object.ID) *cacheFile {
	first, rest, _ := bytes.Cut(text, []byte("\n"))
	head, tasks, some := bytes.Cut(s.unsealed(id, first), []byte{taskMark})
	c, ok := parseState(head)
	if !ok || c.V != cacheVersion || c.Run.ID != id {
		return nil
	}
	if some {
		if c.Run.Tasks, ok = parseTasks(string(tasks)); !ok {
			return nil
		}
	}
	for c.Tip != want && len(rest) > 0 {
		var more cacheMore
		if first, rest, _ = bytes.Cut(rest, []byte("\n")); json.Unmarshal(s.unsealed(id, first), &more) != nil || more.From != c.Tip || c.Published != c.Tip {
			break
		}
		lines := make([]checkpoint.Line, 0, len(more.Lines))
		for _, text := range more.Lines {
			lines = append(lines, s.keys.Line(id, text))
		}
		if !c.Run.Extend(lines, nil) {
			return nil
		}
		c.Tip, c.Published, c.Tree, c.Tail = more.Tip, more.Tip, more.Tree, tail{Canonical: c.Tail.Canonical, Base: c.Tail.Base}
	}
	return &c
}

// parseState reads a cached state, which is a row of cells, or JSON if a row cannot hold it. ok is false if the state cannot be read.
func parseState(text []byte) (c cacheFile, ok bool) {
	if !bytes.HasPrefix(text, []byte("{")) {
		return parseRow(text)
	}
	return c, json.Unmarshal(text, &c) == nil
}

// unsealed checks the signature of one line of a cache file. It returns the rest of the line, or nil if we did not sign the line.
func (s cache) unsealed(id checkpoint.RunID, line []byte) []byte {
	mac, body, ok := bytes.Cut(line, []byte(" "))
	if !ok || !s.keys.Sealed(string(mac), cacheDomain, string(id), string(body)) {
		return nil
	}
	return body
}

// seal encodes and signs one line of a cache file. In the line of a cached state, the tasks come after everything else.
func (s cache) seal(id checkpoint.RunID, v any) ([]byte, error) {
	var tasks []checkpoint.Task
	var body []byte
	c, is := v.(cacheFile)
	if is {
		tasks, c.Run.Tasks = c.Run.Tasks, nil
		v = c
		body, is = rowOf(c)
	}
	var err error
	if !is {
		body, err = checkpoint.Marshal(v)
	}
	if err == nil {
		body, err = appendTasks(body, tasks)
	}
	if err != nil {
		return nil, err
	}
	mac, err := s.keys.Seal(cacheDomain, string(id), string(body))
	if err != nil || mac == "" {
		return nil, err
	}
	return append(append([]byte(mac+" "), body...), '\n'), nil
}

func (s cache) writeCache(j *Journal) error {
	text, err := s.seal(j.Run.ID, cacheFile{cacheVersion, j.Tip, j.Published, j.Tree, j.tail, j.Run})
	if err != nil || text == nil {
		return err
	}
	return files.ReplaceFile(s.folder.Path("cache", string(j.Run.ID)), text)
}

// extendCache adds the lines of one append to the cache file. This is so cheap that it can be done at every append.
func (s cache) extendCache(from object.ID, j *Journal) error {
	text, err := s.seal(j.Run.ID, cacheMore{from, j.Tip, j.Tree, j.lines})
	if err != nil || text == nil {
		return err
	}
	// Do not block: somebody may have put a named pipe without a reader here.
	f, err := os.OpenFile(s.folder.Path("cache", string(j.Run.ID)), os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK|dotgit.NoFollow, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}
