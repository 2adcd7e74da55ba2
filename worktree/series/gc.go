package series

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
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

// GcAtWork reports whether a gc may be running. A gc that started before our refs existed may still delete their
// objects.
func GcAtWork(repo *gitstate.Repo) bool {
	at, known := Collectors(repo)
	return !known || len(at) > 0
}

// GcUnseen reports whether a gc may be running that we cannot see: not all processes are visible, and there is no file gc.pid. A prune or
// repack that was started by hand writes no gc.pid. If GcUnseen is true, the caller must put its objects into a new pack before it deletes
// other copies of them.
func GcUnseen(repo *gitstate.Repo) bool {
	at, known := Collectors(repo)
	return !known && len(at) == 0 && !place.Present(repo.CommonPath("gc.pid"))
}

// Collectors returns the running processes that delete objects in this repository, with their start times. The second result is false if
// Collectors cannot see all processes, or if gc.pid names another host.
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

// Pack puts the objects of a series into one pack. A gc that is already running may delete loose objects, but not a new pack. Pack leaves
// out two kinds of objects: those that branches, tags or remote-tracking branches reach, and the trees of commits that our own refs
// protect.
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
	if runtime.GOOS == "windows" {
		return s.packApart(ctx, list)
	}
	_, err = s.packInto(ctx, s.repo.CommonPath("objects", "pack"), list)
	return err
}

// packInto lets git write one pack with the given objects to a folder, and returns the pack's name without an ending.
func (s Series) packInto(ctx context.Context, dir string, list []byte) (string, error) {
	out, err := s.repo.Git(ctx, process.Call{
		Args: []string{"pack-objects", "-q", filepath.Join(dir, "pack")}, Mode: process.Write, Stdin: bytes.NewReader(list),
	})
	return "pack-" + strings.TrimSpace(string(out)), err
}

// packApart writes the pack to a temporary folder, and then moves it to the other packs, unless they already contain this pack. Git itself
// would replace a pack of the same name. On Windows that fails while a process has the old pack open. If this program is killed, a gc
// removes the temporary folder, because its name begins with "tmp_objdir-".
func (s Series) packApart(ctx context.Context, list []byte) error {
	dir, err := os.MkdirTemp(s.repo.CommonPath("objects"), "tmp_objdir-resume-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	name, err := s.packInto(ctx, dir, list)
	if err != nil {
		return err
	}
	packs := s.repo.CommonPath("objects", "pack")
	if _, err := os.Stat(filepath.Join(packs, name+".idx")); err == nil {
		return nil
	}
	if err := os.MkdirAll(packs, 0o777); err != nil {
		return err
	}
	for _, ending := range []string{".rev", ".pack", ".idx"} { // git finds a pack by its .idx file, so this file must be moved last
		if err := os.Rename(filepath.Join(dir, name+ending), filepath.Join(packs, name+ending)); err != nil && !(ending == ".rev" && os.IsNotExist(err)) {
			return err
		}
	}
	return nil
}

// packedOf returns the objects that are not loose files. A loose object certainly exists, so only the others must be checked.
func (s Series) packedOf(ids []object.ID) []object.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id object.ID) bool {
		_, err := os.Lstat(s.repo.CommonPath("objects", string(id[:2]), string(id[2:])))
		return err == nil
	})
}

// packTries is how often Secure tries to make a pack, and packPause is the time between two tries. A try can fail, because a gc may delete
// a pack before it gets its final name.
const (
	packTries = 20
	packPause = 10 * time.Millisecond
)

// ErrVanished is the error if a gc has deleted objects that must be saved.
var ErrVanished = errors.New("new objects disappear right after they are written: is 'git gc --prune=now' running?")

// Secure makes sure that a running gc cannot delete the objects of a series. If objects are already missing, or no pack can be made, it
// removes incomplete newest entries and returns ErrVanished. Then the caller must write these entries again. The id "before" is the top
// tree of the series when the caller started. The list "relied" has the objects of the newest entry.
func (s Series) Secure(ctx context.Context, before object.ID, relied []object.ID) error {
	for range packTries {
		danger := GcAtWork(s.repo) // look for a gc before the objects are checked: if the gc ends in between, the check finds which objects it deleted
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
