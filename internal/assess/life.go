package assess

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/proc"
)

// runChecks examines a run itself: who is working on it, what its journal says, and whether its commits still exist.
type runChecks struct{ *assessor }

// checkWorkers finds out whether somebody is working on the run, and whether it is paused or old.
func (x runChecks) checkWorkers(context.Context) error {
	r, l := x.run(), x.a.Summary.Life
	x.a.Below = r.Ours() && (r.Driver != nil && !l.Held() && x.Procs.Descends(x.PID, r.Driver.PID, r.Driver.Start) ||
		l.Held() && x.Owner != "" && x.Owner == r.Nonce) // this program was started by the process that executes the run
	switch {
	case x.a.Below && l.Held():
	case l.Held():
		x.addHeldFinding(r.ID)
	case x.a.Below, l.Driver == proc.Alive && r.Resting():
	case l.Driver == proc.Alive && (x.a.Summary.State == checkpoint.Running || x.a.Summary.State == checkpoint.FailedRun && x.a.Silent <= candidate.IdleAfter):
		x.addFinding(candidate.AliveProcess, candidate.Blocking, candidate.Facts{PID: r.Driver.PID})
	case r.Ours() && (r.Driver != nil && l.Driver == proc.Unknown || r.Owner != nil && l.Owner == proc.Unknown):
		x.addFinding(candidate.UncheckedWorker, candidate.Blocking, candidate.Facts{}) // whatever is known about the other one
	case l.Driver == proc.Alive:
		x.addFinding(candidate.FindIdle.Case(), candidate.Warning, candidate.Facts{PID: r.Driver.PID, Span: x.a.Silent})
	case l.Owner == proc.Alive && r.Owner.PID != x.PID: // the process is alive although it holds no lock, perhaps because the lock file was lost
		x.addFinding(candidate.UncheckedNoLock, candidate.Blocking, candidate.Facts{PID: r.Owner.PID})
	}
	x.checkSessions()
	if r.Paused {
		x.addFinding(candidate.FindPaused.Case(), candidate.Warning, candidate.Facts{})
	}
	if x.a.Age == candidate.Stale {
		x.addFinding(candidate.FindStale.Case(), candidate.Warning, candidate.Facts{Span: x.a.Alone()})
	}
	return nil
}

// checkSessions looks at the sessions of coding agents: one that a limit stopped, and others that are or may be alive in the same worktree.
func (x runChecks) checkSessions() {
	r, s := x.run(), &x.a.Summary
	if s.Limited {
		x.addFinding(candidate.FindLimited.Case(), candidate.Warning, candidate.Facts{Text: s.Session.Agent, Other: s.Session.Turn.Limit, When: s.Session.Until})
	}
	if r.Closed() || !r.Ours() || r.Admin == "" {
		return
	}
	alive, unseen := drivers.Others(x.Site, r)
	for _, rec := range alive {
		x.addFinding(candidate.FindTwoAgents.Case(), candidate.Warning, candidate.Facts{Text: rec.Agent, Other: rec.Session, PID: rec.Actor.PID})
	}
	for _, rec := range unseen {
		x.addFinding(candidate.TwoAgentsUnseen, candidate.Warning, candidate.Facts{Text: rec.Agent, Other: rec.Session, Span: x.Now().Sub(rec.Last)})
	}
}

// checkLeft looks for processes that the run's worker started and that are still at work in the worktree although the worker is gone, for
// example a command of a killed agent. It runs after the uncommitted files are known.
func (x runChecks) checkLeft(context.Context) error {
	r, l := x.run(), x.a.Summary.Life
	by := r.Driver
	if by == nil {
		by = r.Agent // whoever continued the run has released its worker
	}
	if by == nil || l.Held() || l.Driver == proc.Alive || x.a.Below || r.Closed() || !r.Ours() || x.a.Tree.Path == "" {
		return nil
	}
	for _, p := range drivers.LeftBy(x.Site, by, x.a.Tree.Path) {
		command := ""
		if len(p.Args) > 0 {
			command = filepath.Base(p.Args[0])
		}
		age, _ := x.Procs.Age(p.PID) // if it is not known, it is not shown
		x.addFinding(candidate.FindLeft.Case(), candidate.Warning, candidate.Facts{PID: p.PID, Text: command, Span: age, Names: x.changedLast()})
	}
	return nil
}

// changedLast returns the uncommitted files that changed last, the newest first.
func (x runChecks) changedLast() (names []string) {
	const most = 3
	changed := map[string]time.Time{}
	for _, name := range x.a.Uncommitted {
		info, err := os.Lstat(filepath.Join(x.a.Tree.Path, filepath.FromSlash(name)))
		if err == nil && info.Mode().IsRegular() {
			names, changed[name] = append(names, name), info.ModTime()
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(changed[b].Compare(changed[a]), cmp.Compare(a, b)) })
	return names[:min(len(names), most)]
}

// addHeldFinding adds the finding that another process has locked the run.
func (x *assessor) addHeldFinding(id checkpoint.RunID) {
	busy := owner.Busy(x.Store, id)
	if busy == nil {
		x.addFinding(candidate.AliveExecuted, candidate.Blocking, candidate.Facts{})
		return
	}
	is := candidate.AliveHeld
	if busy.NoLocks != nil {
		is = candidate.UncheckedLocks
	}
	x.addFinding(is, candidate.Blocking, candidate.Facts{Text: busy.Error()})
}

// others looks for other open runs with the same name or the same branch. They probably do the same work.
func (x runChecks) others(ctx context.Context) error {
	open, _, err := x.judge.Find.OpenRuns(ctx)
	if err != nil {
		return err
	}
	for _, id := range open {
		if id == x.run().ID {
			continue
		}
		j, err := x.Store.Load(ctx, id)
		if err != nil {
			continue
		}
		if j.Run.Name == x.run().Name || (j.Run.Branch != "" && !j.Run.Here && j.Run.Branch == x.run().Branch) {
			x.addFinding(candidate.FindSameWork.Case(), candidate.Warning, candidate.Facts{Run: id})
		}
	}
	return nil
}

// journal checks whether the record is complete, who wrote it, and whether the branch has commits from elsewhere.
func (x runChecks) journal(ctx context.Context) error {
	r := x.run()
	x.provenance()
	x.lent()
	if err := x.commits(ctx); err != nil {
		return err
	}
	if r.Unreadable > 0 {
		x.addFinding(candidate.DamagedLines, candidate.Warning, candidate.Facts{Count: r.Unreadable})
	}
	if r.Diverged {
		x.addFinding(candidate.FindDiverged.Case(), candidate.Warning, candidate.Facts{})
	}
	if r.Rebuilt {
		x.addFinding(candidate.RebuiltCommits, candidate.Warning, candidate.Facts{})
	}
	for _, t := range r.Tasks {
		if t.Found && !r.Rebuilt {
			x.addFinding(candidate.FindLanded.Case(), candidate.Info, candidate.Facts{Task: t.ID, Commit: t.Commit})
		}
	}
	return nil
}
