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

// StoreFile lets git store a large file unchanged, without reading the file into our memory. It reports progress to
// Patience.Storing. If git is killed, the next writer can remove its partly written files.
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
	s := &storeProgress{git: r.git, guard: g, file: f, path: path, over: make(chan struct{})}
	out, err := r.git.Git(ctx, process.Call{Args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, Mode: process.Write, Stdin: f, Started: s.watch})
	s.end(err == nil)
	id := string(bytes.TrimSpace(out))
	if err == nil && !object.IsID(id) {
		err = fmt.Errorf("git hash-object printed %q instead of an id", id)
	}
	if err != nil {
		return "", fmt.Errorf("store %q: %w", path, err)
	}
	return object.ID(id), nil
}

// storeProgress watches a git process that stores one file. The process reads the file through a file descriptor of ours, so our read
// position shows its progress.
type storeProgress struct {
	git   *process.Program
	guard *guard.Mark
	file  *os.File
	path  string
	over  chan struct{}
	done  sync.WaitGroup
	// parts has the files that git has partly written, each with the function that removes its entry from our mark file.
	parts map[string]func()
}

// storeTick is the time between two checks of git's progress. Only the first check comes sooner.
const storeTick = 200 * time.Millisecond

func (s *storeProgress) watch(pid int) {
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

// noteParts lists in our mark file each object file that the git process pid has started to write. The mark file says what the next command
// must remove if this process is killed. A file belongs to the git process if that process has it open.
func (s *storeProgress) noteParts(pid int) {
	for _, path := range proc.OpenFiles(pid) {
		if s.parts[path] != nil {
			continue
		}
		if forget, err := s.guard.NotePart(path); err == nil && forget != nil {
			s.parts[path] = forget
		}
	}
}

// end stops watching git. If git succeeded, its partly written files have become complete objects, so their entries are removed from the
// mark file.
func (s *storeProgress) end(well bool) {
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
