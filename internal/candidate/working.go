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

// systemProcess describes a running process of the other system that is doing this work, or returns "". The process may run outside of the
// work's worktree.
func (e *scan) systemProcess(f *sources.Found) string {
	if !hasDriver(*f) {
		return ""
	}
	main, _ := e.Repo.Main()
	places := slices.DeleteFunc([]string{main.WorkTree, f.Home, f.Worktree}, func(p string) bool { return p == "" })
	for _, d := range f.Drivers {
		for _, p := range e.running(d.Program) {
			if d.Runs(p.Args) && e.isAt(p, places) && !e.isOwnProcess(p) {
				return fmt.Sprintf("process %d is running the command of this work", p.PID)
			}
		}
	}
	return ""
}

func hasDriver(f sources.Found) bool { return len(f.Drivers) > 0 && f.State.Open() }

// isAt reports whether a process runs in or below one of these folders, or has one of them as an argument.
func (e *scan) isAt(p proc.Process, places []string) bool {
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

// recentlyChangedFile names an uncommitted file in the worktree of the work that changed in the last few minutes and after the given time,
// or returns "". This is a sign of work, because a system may build for a while without updating its state.
func (e *scan) recentlyChangedFile(r *checkpoint.Run, worktree string, after time.Time) string {
	v := e.view
	t, ok := v.At(worktree)
	if !ok {
		return ""
	}
	changes, err := v.Uncommitted(context.Background(), t)
	if err != nil {
		return "" // ignore the error; another check examines this worktree and reports it
	}
	back := sync.OnceValue(func() time.Time { return e.lastRestored(r) })
	for _, c := range changes {
		info, err := os.Lstat(filepath.Join(t.WorkTree, filepath.FromSlash(c.Path)))
		if err != nil || info.IsDir() {
			continue
		}
		if ago := e.Now().Sub(info.ModTime()); ago >= 0 && ago < Quiet && info.ModTime().After(back()) && info.ModTime().After(after) && !e.ownWrites(r).wrote(worktree, c.Path) {
			return fmt.Sprintf("%s in its worktree changed %s ago", c.Path, ago.Round(time.Second))
		}
	}
	return ""
}

// lastRestored returns when one of our undos last restored the worktree; zero if none did.
func (e *scan) lastRestored(r *checkpoint.Run) time.Time {
	var last time.Time
	if r.Events == 0 || RunKey(r.ID).Kind() != OwnRun {
		return last
	}
	for _, l := range e.journalLines(r.ID) {
		if l.Ours && l.Event.Event == checkpoint.RunRestored {
			last = l.Event.At.Add(time.Second) // round up, because the stored time has no fractions of a second
		}
	}
	return last
}

// signOfWorker says why somebody may be working on another system's work, or returns "". Files that we wrote ourselves are not a sign. The
// second result is true if only the time of a file is the sign.
func (e *scan) signOfWorker(r *checkpoint.Run, f *sources.Found) (sign string, byTime bool) {
	for _, pid := range f.PIDs {
		if p, ok := e.Procs.Get(pid); ok && !e.isOwnProcess(p) {
			return fmt.Sprintf("process %d, which is named in its state, is alive", pid), false
		}
	}
	main, _ := e.Repo.Main()
	if f.Worktree != "" && f.Worktree != main.WorkTree {
		at, _ := e.Procs.WithDirectoryIn([]string{f.Worktree})
		for _, p := range proc.WithoutPipeline(at) {
			if !e.isOwnProcess(p) && !proc.IsTerminalShell(p.Args) {
				return fmt.Sprintf("process %d is running in its worktree", p.PID), false
			}
		}
		if busy := e.recentlyChangedFile(r, f.Worktree, time.Time{}); busy != "" {
			return busy, true
		}
	} else if e.handedLately(r, f) { // people edit the main worktree for many reasons, but not so often where work was just handed over
		if busy := e.recentlyChangedFile(r, f.Home, r.HandedAt); busy != "" {
			return busy, true
		}
	}
	if f.Stopped { // a new state file only records that the work stopped, so it is no sign of work
		return "", false
	}
	home := sources.Files{Top: f.Home}
	for _, path := range slices.Concat(f.Files, f.Edits) {
		if !recent(e.Now().Sub(home.Changed(path))) {
			continue
		}
		switch ago := e.Now().Sub(e.written(f.Home, path)); {
		case !recent(ago) || e.ownWrites(r).wrote(f.Home, path):
		case ago < 0:
			return path + " changed just now; its modification time is in the future, so a clock is wrong", true
		default:
			return fmt.Sprintf("%s changed %s ago", path, ago.Round(time.Second)), true
		}
	}
	return "", false
}

// recent reports whether a change counts as a sign of somebody at work. A time a little in the future counts too, because another clock may
// be ahead of ours.
func recent(ago time.Duration) bool { return ago > -Quiet && ago < Quiet }

// written returns when a state file got its content. A checkout gives old content a new time, which is not a sign of work.
func (e *scan) written(home, path string) time.Time {
	v := e.view
	t, ok := v.At(home)
	if !ok {
		return sources.Files{Top: home}.Changed(path)
	}
	when, _ := v.Written(context.Background(), t, path)
	return when
}

// isOwnProcess reports whether a process is this process or one of its ancestors.
func (e *scan) isOwnProcess(p proc.Process) bool {
	return p.PID == e.PID || slices.ContainsFunc(e.Procs.Ancestors(e.PID), func(a proc.Process) bool { return a.PID == p.PID })
}

// Quiet is how long another system's state must stay unchanged before we assume that nobody is working on it.
const Quiet = 5 * time.Minute

// wroteAll reports whether every state file holds what we last wrote to it.
func (e *scan) wroteAll(r *checkpoint.Run, f *sources.Found) bool {
	if r.Events == 0 || len(f.Files) == 0 {
		return false
	}
	own := e.ownWrites(r)
	return !slices.ContainsFunc(f.Files, func(path string) bool { return !own.wrote(f.Home, path) })
}
