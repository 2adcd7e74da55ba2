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

// GcAtWork: a gc that began before our refs may still delete what they name.
func GcAtWork(repo *gitstate.Repo) bool {
	at, known := Collectors(repo)
	return !known || len(at) > 0
}

// Collectors are the processes here that delete objects, by when they began; known is false if some cannot be seen from here.
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

// isCollector knows the git commands that delete objects.
func isCollector(p proc.Process) bool {
	return len(p.Args) > 1 && strings.HasPrefix(filepath.Base(p.Args[0]), "git") &&
		slices.ContainsFunc(p.Args[1:], func(arg string) bool {
			return arg == "gc" || arg == "prune" || arg == "repack" || arg == "maintenance" || arg == "prune-packed"
		})
}

// AnyLives reports whether one of some processes is still there.
func AnyLives(at map[int]string) bool {
	var table proc.Table
	for pid, start := range at {
		if p, alive := table.Get(pid); alive && p.Start == start {
			return true
		}
	}
	return false
}

// Pack puts all that a series reaches into one pack, but for what the user's own refs reach.
// A gc that began before the ref was there still deletes what lies alone; it deletes no pack that came after it began.
func (s Series) Pack(ctx context.Context) error {
	at, err := s.repo.Refs.Ref(ctx, s.Ref)
	if err != nil || at == "" {
		return err
	}
	args := []string{"rev-list", "--objects", "--no-object-names", string(at)}
	if past.Partial(s.repo) {
		args = append(args, "--missing=allow-promisor") // what was never fetched is not ours to pack
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

// packedOf are those of some objects that do not lie alone in the repository; of the others it is plain that they are there.
func (s Series) packedOf(ids []object.ID) []object.ID {
	return slices.DeleteFunc(slices.Clone(ids), func(id object.ID) bool {
		_, err := os.Lstat(s.repo.CommonPath("objects", string(id[:2]), string(id[2:])))
		return err == nil
	})
}

// A gc removes packs that have no name yet as well: then the same is tried again.
const (
	packTries = 20
	packPause = 10 * time.Millisecond
)

// ErrVanished says that a gc removed what a series should keep.
var ErrVanished = errors.New("objects vanish as they are written: is a 'git gc --prune=now' at work?")

// Secure sees to it that what a series names now stays, whatever is at work beside us; before is what it named when the caller began,
// and relied are the objects that came with the newest entry.
// Where something is missing already, the newest entries are taken back, and must be written again.
func (s Series) Secure(ctx context.Context, before object.ID, relied []object.ID) error {
	for range packTries {
		danger := GcAtWork(s.repo) // asked before the look: one that ended by then can do no more
		gone, err := missing(ctx, s.repo, s.packedOf(relied))
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
