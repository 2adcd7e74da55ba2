package candidate

import (
	"cmp"
	"context"
	"errors"
	"github.com/git-resume/git-resume/internal/exchange"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

func (e *Finder) Summaries(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	ids, err := e.Store.List(ctx, mode)
	if err != nil {
		return nil, err
	}
	var out []Summary
	for _, id := range ids {
		s, err := e.Summary(ctx, id)
		var none *checkpoint.NoRunError
		if errors.As(err, &none) {
			continue // the start was interrupted before it created the run, and left only a file in our folder
		}
		if err != nil {
			s = Summary{Run: checkpoint.Run{ID: id}, State: checkpoint.Idle, Damaged: err.Error()}
		}
		if mode == journal.OpenRuns && s.Run.Closed() {
			continue
		}
		out = append(out, s)
	}
	byActivity(out)
	return out, nil
}

// byActivity sorts the most recently active work first.
func byActivity(all []Summary) {
	order := make([]*Summary, len(all)) // sort pointers, because a summary is large and moving it many times would be slow
	for i := range all {
		order[i] = &all[i]
	}
	compare := func(a, b *Summary) int {
		return cmp.Or(b.Run.LastAt.Compare(a.Run.LastAt), cmp.Compare(a.Run.ID, b.Run.ID))
	}
	if slices.IsSortedFunc(order, compare) {
		return
	}
	slices.SortStableFunc(order, compare)
	sorted := make([]Summary, len(all))
	for i, s := range order {
		sorted[i] = *s
	}
	copy(all, sorted)
}

// Summary describes one run: its record, which of its processes are alive, and its state.
func (e *Finder) Summary(ctx context.Context, id checkpoint.RunID) (Summary, error) {
	j, err := e.Store.Find(ctx, id)
	if err != nil {
		return Summary{}, err
	}
	s := Summary{Run: j.Run, Foreign: j.Foreign}
	if j.Damage != nil {
		s.Rebuilt = j.Damage.Error()
	}
	if events, _ := drivers.Pending(e.Site, &s.Run); len(events) > 0 {
		s.Run = s.Run.Preview(events)
	}
	if s.Run.Share.Bound() {
		s.Seen = exchange.ReadSeen(e.Store.Folder(), id)
	}
	place, ok := e.TreeOf(&s.Run)
	if ok {
		s.Path = place.WorkTree
	}
	idle, err := idleAfter(ctx, e.Site, &s.Run)
	if err != nil {
		return Summary{}, err
	}
	s.Life = owner.FindLife(e.Store, &s.Run, e.Procs, time.Time{})
	s.Session = drivers.In(e.Site).Of(&s.Run)
	s.Life.Driver = drivers.Corrected(&s.Run, s.Session, s.Life.Driver)
	s.Limited = s.Session.Limited(e.Now().Add(-AfterLimit))
	if s.Life.Driver == proc.Alive && e.Now().Sub(s.Run.LastAt) > idle && ok {
		s.Life.Active = lastSign(ctx, e.Repo, place)
	}
	s.State = checkpoint.StateOf(&s.Run, s.Life, e.Now(), idle)
	s.Ending, s.Listed = endingOf(&s, e.Procs.Host()), !s.Run.Closed()
	return s, nil
}

// idleAfter returns how long the process that reports about a run can be silent before the run counts as idle. It reads the setting only if
// that process is alive. Otherwise the value does not matter, and idleAfter returns the default.
func idleAfter(ctx context.Context, e *site.Site, r *checkpoint.Run) (time.Duration, error) {
	if r.Closed() || e.Now().Sub(r.LastAt) < time.Second {
		return IdleAfter, nil
	}
	if r.Driver == nil || r.Driver.Fate(e.Procs, clone.ID(e.Repo)) != proc.Alive {
		return IdleAfter, nil
	}
	return duration(ctx, e.Repo.Settings, "resume.idle", IdleAfter)
}

// AfterLimit is how long after the end of a limit the run still counts as limited, because clocks differ.
const AfterLimit = time.Minute

// IdleAfter is the default of the setting resume.idle. It is how long a living process may report nothing about its run before the run
// counts as idle.
const IdleAfter = 30 * time.Minute

// lastSign returns when somebody last worked in the worktree, according to the times of git's files and of uncommitted files.
func lastSign(ctx context.Context, repo *gitstate.Repo, p locate.Place) time.Time {
	var last time.Time
	note := func(path string) {
		if info, err := os.Lstat(path); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	for _, name := range []string{"index", "HEAD", filepath.Join("logs", "HEAD")} {
		note(filepath.Join(p.GitDir, name))
	}
	tree := repo.At(p)
	defer tree.Close()
	changes, err := tree.Status(ctx)
	if err != nil {
		return last
	}
	for _, c := range changes {
		note(filepath.Join(p.WorkTree, filepath.FromSlash(c.Path)))
	}
	return last
}

// endingOf guesses how an interrupted run stopped if no process recorded it. It returns "" if nothing shows this.
func endingOf(s *Summary, here proc.Host) Ending {
	r := &s.Run
	if s.State != checkpoint.Interrupted || r.Cause != "" {
		return ""
	}
	by := r.Driver
	if by == nil {
		by = r.Owner
	}
	if by != nil && by.Host == here.Name && by.Boot != "" && here.Boot != "" && by.Boot != here.Boot {
		return Restarted
	}
	for _, t := range r.Tasks {
		if t.State == checkpoint.Active && t.Command != "" && r.Owner != nil {
			return Killed
		}
	}
	return ""
}
