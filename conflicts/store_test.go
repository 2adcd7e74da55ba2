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
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

// store writes the objects of generated scenarios into a repository, without starting a process for each object.
type store struct {
	t    testing.TB
	repo *gitstate.Repo
	hash object.Hasher
	// blobs maps the content of each written blob to its id.
	blobs map[string]object.ID
}

func newStore(t testing.TB) *store {
	t.Helper()
	r := gittest.Empty(t)
	return &store{t: t, repo: repotest.Open(t, r.Dir, r.Env), blobs: map[string]object.ID{}}
}

// deflaters are reused, because each one needs a megabyte of memory and there are thousands of objects.
var deflaters = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, 1) // the only possible error is an invalid level
	return z
}}

func (s *store) put(kind string, data []byte) object.ID {
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

func (s *store) blob(content string) object.ID {
	id, ok := s.blobs[content]
	if !ok {
		id = s.put("blob", []byte(content))
		s.blobs[content] = id
	}
	return id
}

func (s *store) tree(t tree) object.ID {
	subs := map[string]tree{}
	var entries []object.Entry
	for path, f := range t {
		if dir, rest, ok := strings.Cut(path, "/"); ok {
			if subs[dir] == nil {
				subs[dir] = tree{}
			}
			subs[dir][rest] = f
			continue
		}
		id := object.ID(f.content)
		if f.mode != module {
			id = s.blob(f.content)
		}
		entries = append(entries, object.Entry{Name: path, Mode: f.mode, ID: id})
	}
	for name, sub := range subs {
		entries = append(entries, object.Entry{Name: name, Mode: object.ModeDir, ID: s.tree(sub)})
	}
	return s.put("tree", object.TreeData(entries))
}

func (s *store) commit(t tree, note string, parents ...object.ID) object.ID {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", s.tree(t))
	for _, p := range parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author a <a@example.com> 1900000000 +0000\ncommitter a <a@example.com> 1900000000 +0000\n\n%s\n", note)
	return s.put("commit", []byte(b.String()))
}

// commits writes a scenario as three commits: the base and one commit for each side.
func (s *store) commits(sc scenario) (base, ours, theirs object.ID) {
	base = s.commit(sc.base, "base")
	return base, s.commit(sc.ours, "ours", base), s.commit(sc.theirs, "theirs", base)
}

// config changes a git setting of the repository.
func (s *store) config(key, value string) {
	s.t.Helper()
	if _, err := s.repo.Git(s.t.Context(), process.Call{Args: []string{"config", key, value}}); err != nil {
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
