package series

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/past"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/worktree/place"
)

// GcAtWork reports whether a gc may be running. A gc that started before our refs existed may still delete the objects that they need.
func GcAtWork(repo *gitstate.Repo) bool {
	at, known := Collectors(repo)
	return !known || len(at) > 0
}

// Collectors returns the running processes that delete objects here, with their start times; known is false if some may be invisible.
func Collectors(repo *gitstate.Repo) (found map[int]string, known bool) {
	found = map[int]string{}
	line := place.FirstLine(repo.CommonPath("gc.pid"))
	pid, host, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(pid)
	var table proc.Table
	known = true
	if err == nil {
		p, alive := table.Get(n)
		known = host == table.Host().Name
		if alive {
			found[n] = p.Start
		}
	}
	dirs := []string{repo.CommonDir}
	if main, ok := repo.Main(); ok {
		dirs = append(dirs, main.WorkTree)
	}
	at, seen := table.In(dirs)
	for _, p := range at {
		if isCollector(p) {
			found[p.PID] = p.Start
		}
	}
	return found, known && seen
}

// isCollector reports whether a process is one of the git commands that delete objects.
func isCollector(p proc.Process) bool {
	return len(p.Args) > 1 && strings.HasPrefix(filepath.Base(p.Args[0]), "git") &&
		slices.ContainsFunc(p.Args[1:], func(arg string) bool {
			return arg == "gc" || arg == "prune" || arg == "repack" || arg == "maintenance" || arg == "prune-packed"
		})
}

// AnyLives reports whether one of the given processes is still running.
func AnyLives(at map[int]string) bool {
	var table proc.Table
	for pid, start := range at {
		if p, alive := table.Get(pid); alive && p.Start == start {
			return true
		}
	}
	return false
}

// Pack puts everything that a series reaches into one pack, except objects that the user's own refs reach. A gc that started before the
// ref existed may still delete loose objects, but no pack that is newer than its start.
func (s Series) Pack(ctx context.Context) error {
	at, err := s.repo.Refs.Ref(ctx, s.Ref)
	if err != nil || at == "" {
		return err
	}
	args := []string{"rev-list", "--objects", "--no-object-names", string(at)}
	if past.Partial(s.repo) {
		args = append(args, "--missing=allow-promisor") // we cannot pack objects that were never fetched
	}
	args = append(append(args, "--not", "--branches", "--tags", "--remotes"), s.Apart(ctx)...)
	list, err := s.repo.Git(ctx, process.Call{Args: args})
	if err != nil || len(list) == 0 {
		return err
	}
	_, err = s.repo.Git(ctx, process.Call{
		Args: []string{"pack-objects", "-q", s.repo.CommonPath("objects", "pack", "pack")}, Mode: process.Write, Stdin: bytes.NewReader(list),
	})
	return err
}

// packedOf returns the objects that are not loose files in the repository. Loose objects need no further check, because they exist.
func (s Series) packedOf(ids []object.ID) []object.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id object.ID) bool {
		_, err := os.Lstat(s.repo.CommonPath("objects", string(id[:2]), string(id[2:])))
		return err == nil
	})
}

// A gc also removes packs that have no final name yet. Secure then tries again.
const (
	packTries = 20
	packPause = 10 * time.Millisecond
)

// ErrVanished is the error if a gc removed objects that a series should keep.
var ErrVanished = errors.New("objects vanish as they are written: is a 'git gc --prune=now' running?")

// Secure makes sure that the objects of a series stay, whatever other processes do. The argument before is the tree that the series had
// when the caller started, and relied are the objects that came with the newest entry. If an object is already missing, Secure removes the
// newest entries and returns ErrVanished. The caller must write them again.
func (s Series) Secure(ctx context.Context, before object.ID, relied []object.ID) error {
	for range packTries {
		danger := GcAtWork(s.repo) // ask before checking, because a gc that has ended can do no more harm
		gone, err := missingObjects(ctx, s.repo, s.packedOf(relied))
		if err != nil {
			return err
		}
		if len(gone) > 0 {
			break
		}
		if !danger || s.Pack(ctx) == nil {
			return nil
		}
		time.Sleep(packPause)
	}
	if err := s.Shorten(ctx, before); err != nil {
		return err
	}
	return ErrVanished
}
