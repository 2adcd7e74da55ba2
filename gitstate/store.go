package gitstate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
)

// StoreFile lets git store a large file as it is, without its bytes passing through our memory.
// Who has patience hears how far it is, and what a killed git leaves of it is swept by whoever writes next.
func (r *Repo) StoreFile(ctx context.Context, path string) (OID, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	g, err := r.writing()
	if err != nil {
		return "", err
	}
	s := &storing{repo: r, guard: g, file: f, path: path, over: make(chan struct{})}
	out, err := r.Git(ctx, Call{Args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, Mode: Write, Stdin: f, Started: s.watch})
	s.end(err == nil)
	id := string(bytes.TrimSpace(out))
	if err != nil || !IsOID(id) {
		return "", fmt.Errorf("store %q: %w", path, err)
	}
	return OID(id), nil
}

// storing follows a git that stores one file. They share the place in it, so that ours tells how far git has read.
type storing struct {
	repo  *Repo
	guard *guard
	file  *os.File
	path  string
	over  chan struct{}
	done  sync.WaitGroup
	// parts are the names that the mark has of what git writes, with what takes each back.
	parts map[string]func()
}

// storeTick is how often it is looked at, after a first look that is soon.
const storeTick = 200 * time.Millisecond

func (s *storing) watch(pid int) {
	s.parts = map[string]func(){}
	info, err := s.file.Stat()
	if err != nil {
		return
	}
	s.done.Go(func() {
		for wait := storeTick / 10; ; wait = storeTick {
			select {
			case <-s.over:
				return
			case <-time.After(wait):
			}
			s.noteParts(pid)
			if at, err := s.file.Seek(0, io.SeekCurrent); err == nil && s.repo.patience.Storing != nil {
				s.repo.patience.Storing(s.path, at, info.Size())
			}
		}
	})
}

// noteParts names what git has begun to write, while it is proven to be this git's: it has it open.
func (s *storing) noteParts(pid int) {
	for _, path := range proc.OpenFiles(pid) {
		rel, err := filepath.Rel(s.guard.root, path)
		if err != nil || s.parts[rel] != nil || !partName().MatchString(filepath.ToSlash(rel)) {
			continue
		}
		if forget, err := s.guard.notePart(rel); err == nil {
			s.parts[rel] = forget
		}
	}
}

// end stops following; the names of parts go where git has made whole objects of them.
func (s *storing) end(well bool) {
	close(s.over)
	s.done.Wait()
	for _, forget := range s.parts {
		if well {
			forget()
		}
	}
	if s.repo.patience.Stored != nil {
		s.repo.patience.Stored()
	}
}

// partLine begins the line of a mark that names what git writes of an object before it has its name.
const partLine = "part "

// partName is how git calls what it writes of objects and packs, by its own choice of six letters.
var partName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^objects/(?:(?:pack|[0-9a-f]{2})/)?tmp_(?:obj|pack|idx|rev)_\w{6}$`)
})

func (g *guard) notePart(rel string) (forget func(), err error) {
	line := []string{partLine + rel}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls = append(g.calls, line)
	if err := errors.Join(g.save(), g.sync()); err != nil {
		return nil, err
	}
	return func() { g.forget(line) }, nil
}

// sweepParts removes what a git of ours that was killed had written of objects. Its mark is free, so that nobody has it open.
func (r *Repo) sweepParts(mark string) error {
	for line := range strings.Lines(string(flock.Read(mark))) {
		name, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), partLine)
		if !ok || !partName().MatchString(name) || !isPlain(r.CommonDir, filepath.Dir(filepath.FromSlash(name))) {
			continue
		}
		path := r.CommonPath(filepath.FromSlash(name))
		if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}
