package store

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/guard"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/proc"
)

// StoreFile lets git store a large file as it is, without its bytes passing through our memory.
// Who has patience hears how far it is, and what a killed git leaves of it is swept by whoever writes next.
func (r *Objects) StoreFile(ctx context.Context, path string) (object.ID, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	g, err := r.git.Guard.Writing()
	if err != nil {
		return "", err
	}
	s := &storing{git: r.git, guard: g, file: f, path: path, over: make(chan struct{})}
	out, err := r.git.Git(ctx, process.Call{Args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, Mode: process.Write, Stdin: f, Started: s.watch})
	s.end(err == nil)
	id := string(bytes.TrimSpace(out))
	if err != nil || !object.IsID(id) {
		return "", fmt.Errorf("store %q: %w", path, err)
	}
	return object.ID(id), nil
}

// storing follows a git that stores one file. They share the place in it, so that ours tells how far git has read.
type storing struct {
	git   *process.Program
	guard *guard.Mark
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
			if at, err := s.file.Seek(0, io.SeekCurrent); err == nil && s.git.Patience().Storing != nil {
				s.git.Patience().Storing(s.path, at, info.Size())
			}
		}
	})
}

// noteParts names what git has begun to write, while it is proven to be this git's: it has it open.
func (s *storing) noteParts(pid int) {
	for _, path := range proc.OpenFiles(pid) {
		if s.parts[path] != nil {
			continue
		}
		if forget, err := s.guard.NotePart(path); err == nil && forget != nil {
			s.parts[path] = forget
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
	if s.git.Patience().Stored != nil {
		s.git.Patience().Stored()
	}
}
