package candidate

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/sources"
)

// driven says which process is the system's own command for this work: it may stand in the project while it builds in a worktree.
func (e *Finder) driven(f *sources.Found) string {
	if len(f.Drivers) == 0 || !f.State.Open() {
		return ""
	}
	main, _ := e.Repo.Main()
	places := slices.DeleteFunc([]string{main.WorkTree, f.Home, f.Worktree}, func(p string) bool { return p == "" })
	for _, p := range e.looking(context.Background()).commands() {
		if slices.ContainsFunc(f.Drivers, func(d sources.Driver) bool { return d.Runs(p.Args) }) && e.isAt(p, places) && !e.mine(p) {
			return fmt.Sprintf("process %d, its own command, works on it", p.PID)
		}
	}
	return ""
}

// scan is what one look over all work learns about the repository and about this machine's processes.
type scan struct {
	view     *sources.View
	commands func() []proc.Process
}

func (e *Finder) newScan(ctx context.Context) *scan {
	return &scan{view: e.View(ctx), commands: sync.OnceValue(e.allCommands)}
}

// looking is the scan that is under way, or a new one for a single question.
func (e *Finder) looking(ctx context.Context) *scan {
	if e.scan != nil {
		return e.scan
	}
	return e.newScan(ctx)
}

// allCommands are the processes that can be seen, with their numbers and command lines alone.
func (e *Finder) allCommands() []proc.Process {
	pids, _ := e.Procs.All() // where none can be seen there are none
	var out []proc.Process
	for _, pid := range pids {
		if args := e.Procs.Args(pid); len(args) > 1 {
			out = append(out, proc.Process{PID: pid, Args: args})
		}
	}
	return out
}

// isAt reports whether a process stands in one of the places, or was started with the name of one.
func (e *Finder) isAt(p proc.Process, places []string) bool {
	dir, _, seen := e.Procs.Surroundings(p.PID)
	return slices.ContainsFunc(places, func(place string) bool {
		names := []string{place}
		if real, err := filepath.EvalSymlinks(place); err == nil {
			names = append(names, real)
		}
		return slices.ContainsFunc(names, func(name string) bool {
			below, err := filepath.Rel(name, dir)
			return seen && err == nil && filepath.IsLocal(below) ||
				slices.ContainsFunc(p.Args, func(arg string) bool { return arg == name || strings.HasSuffix(arg, "="+name) })
		})
	})
}

// changing names a file of the work's own worktree that somebody changed in the last minutes and that is not committed:
// while a system builds something its state may stand still. What an undo of ours brought back is nobody's work.
func (e *Finder) changing(r *checkpoint.Run, f *sources.Found) string {
	v := e.looking(context.Background()).view
	t, ok := v.At(f.Worktree)
	if !ok {
		return ""
	}
	changes, err := v.Uncommitted(context.Background(), t)
	if err != nil {
		return "" // what cannot be compared is told by those who look at the worktree itself
	}
	back := sync.OnceValue(func() time.Time { return e.restored(r) })
	for _, c := range changes {
		info, err := os.Lstat(filepath.Join(t.WorkTree, filepath.FromSlash(c.Path)))
		if err != nil || info.IsDir() {
			continue
		}
		if ago := e.Now().Sub(info.ModTime()); ago >= 0 && ago < Quiet && info.ModTime().After(back()) {
			return fmt.Sprintf("%s in its worktree changed %s ago", c.Path, ago.Round(time.Second))
		}
	}
	return ""
}

// restored is when an undo of ours brought the worktree back; zero if none did.
func (e *Finder) restored(r *checkpoint.Run) time.Time {
	var last time.Time
	if r.Events == 0 || Foreign(r.ID) {
		return last
	}
	lines, err := e.Store.Lines(context.Background(), r.ID)
	if err != nil {
		return last // without a record every change counts as somebody's
	}
	for _, l := range lines {
		if l.Ours && l.Event.Event == checkpoint.RunRestored {
			last = l.Event.At.Add(time.Second) // events are timed by the second
		}
	}
	return last
}
