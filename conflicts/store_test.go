package conflicts_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/gittest"
)

// store writes objects of generated scenes into a repository, without a process for each.
type store struct {
	t    testing.TB
	repo *gitstate.Repo
	hash gitstate.Hasher
	// blobs are those written already, by content.
	blobs map[string]gitstate.OID
}

func newStore(t testing.TB) *store {
	t.Helper()
	r := gittest.Empty(t)
	return &store{t: t, repo: open(t, r), blobs: map[string]gitstate.OID{}}
}

// open is the repository of a test as the package sees it.
func open(t testing.TB, r *gittest.Repo) *gitstate.Repo {
	t.Helper()
	place, err := gitstate.Locate(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(place, r.Env)
	t.Cleanup(repo.Close)
	return repo
}

// deflaters are used again: a new one needs a megabyte, and there are thousands of objects.
var deflaters = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, 1) // the level is sound
	return z
}}

func (s *store) put(kind string, data []byte) gitstate.OID {
	id := s.hash.ID(kind, data)
	path := s.repo.CommonPath("objects", string(id[:2]), string(id[2:]))
	if _, err := os.Lstat(path); err == nil {
		return id
	}
	var b bytes.Buffer
	z := deflaters.Get().(*zlib.Writer)
	defer deflaters.Put(z)
	z.Reset(&b)
	fmt.Fprintf(z, "%s %d\x00", kind, len(data))
	_, _ = z.Write(data)
	_ = z.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o444); err != nil {
		s.t.Fatal(err)
	}
	return id
}

func (s *store) blob(content string) gitstate.OID {
	id, ok := s.blobs[content]
	if !ok {
		id = s.put("blob", []byte(content))
		s.blobs[content] = id
	}
	return id
}

func (s *store) tree(t tree) gitstate.OID {
	subs := map[string]tree{}
	var entries []gitstate.Entry
	for path, f := range t {
		if dir, rest, ok := strings.Cut(path, "/"); ok {
			if subs[dir] == nil {
				subs[dir] = tree{}
			}
			subs[dir][rest] = f
			continue
		}
		id := gitstate.OID(f.content)
		if f.mode != module {
			id = s.blob(f.content)
		}
		entries = append(entries, gitstate.Entry{Name: path, Mode: f.mode, ID: id})
	}
	for name, sub := range subs {
		entries = append(entries, gitstate.Entry{Name: name, Mode: gitstate.ModeDir, ID: s.tree(sub)})
	}
	return s.put("tree", gitstate.TreeData(entries))
}

func (s *store) commit(t tree, note string, parents ...gitstate.OID) gitstate.OID {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", s.tree(t))
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author a <a@example.com> 1900000000 +0000\ncommitter a <a@example.com> 1900000000 +0000\n\n%s\n", note)
	return s.put("commit", []byte(b.String()))
}

// commits writes a scene: the base and one commit for each side.
func (s *store) commits(sc scene) (base, ours, theirs gitstate.OID) {
	base = s.commit(sc.base, "base")
	return base, s.commit(sc.ours, "ours", base), s.commit(sc.theirs, "theirs", base)
}

// config sets a variable of the repository.
func (s *store) config(key, value string) {
	s.t.Helper()
	if _, err := s.repo.Git(s.t.Context(), gitstate.Call{Args: []string{"config", key, value}}); err != nil {
		s.t.Fatal(err)
	}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
