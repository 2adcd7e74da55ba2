package gitstate

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Scratch is the same repository with a store of objects of its own on top.
// What git writes through it goes there and is gone after Close;
// the repository's own objects are read, and none is added.
// Nothing is fetched through it either: objects that a partial clone lacks are missing here.
type Scratch struct {
	*Repo
	dir string
}

// Scratch opens a temporary store of objects; the caller ends it with Close.
func (r *Repo) Scratch() (*Scratch, error) {
	dir, err := os.MkdirTemp("", "git-resume-")
	if err != nil {
		return nil, fmt.Errorf("make a temporary store of objects: %w", err)
	}
	view := &Repo{Place: r.Place, env: r.env, extra: []string{
		"GIT_OBJECT_DIRECTORY=" + dir,
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=" + quoteAlternate(r.CommonPath("objects")),
		"GIT_NO_LAZY_FETCH=1",
		// git before 2.44 does not know the line above; without a protocol it cannot fetch.
		"GIT_ALLOW_PROTOCOL=none",
	}}
	r.mu.Lock()
	view.config = r.config
	r.mu.Unlock()
	return &Scratch{Repo: view, dir: dir}, nil
}

// quoteAlternate protects the one character that separates directories.
func quoteAlternate(path string) string {
	if !strings.ContainsAny(path, string(os.PathListSeparator)+"\"\n") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// Close ends the helper process and removes the store.
func (s *Scratch) Close() {
	s.Repo.Close()
	_ = os.RemoveAll(s.dir)
}

// MakeCommit makes a commit of a tree that exists only here.
// It has no author or date worth the name, so that the same question has the same id.
func (s *Scratch) MakeCommit(ctx context.Context, tree OID, parents ...OID) (OID, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "tree %s\n", tree)
	for _, p := range parents {
		fmt.Fprintf(&text, "parent %s\n", p)
	}
	text.WriteString("author git-resume <> 0 +0000\ncommitter git-resume <> 0 +0000\n\n")
	return s.put(ctx, "commit", []byte(text.String()))
}

// put writes one loose object; the store is ours alone, so that git need not be asked.
func (s *Scratch) put(ctx context.Context, kind string, data []byte) (OID, error) {
	h, err := s.Hasher(ctx)
	if err != nil {
		return "", err
	}
	id := h.ID(kind, data)
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	fmt.Fprintf(z, "%s %d\x00", kind, len(data))
	_, _ = z.Write(data) // a write to memory cannot fail
	_ = z.Close()
	path := filepath.Join(s.dir, string(id[:2]), string(id[2:]))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("write a temporary object: %w", err)
	}
	if err := os.WriteFile(path, packed.Bytes(), 0o400); err != nil {
		return "", fmt.Errorf("write a temporary object: %w", err)
	}
	return id, nil
}
