package candidate

import (
	"context"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/files"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// Notice is work that the user should know about after checking out a branch.
type Notice struct {
	Summary
	Where Where
}

// Where says how the work relates to the current checkout.
type Where int

// OnBranch means that the run's branch is checked out. InWorktree means that this is the run's worktree. Elsewhere means that none of the
// other values fits.
const (
	Elsewhere Where = iota
	OnBranch
	InWorktree
	// OnBase means that the checked-out branch is the base of the work, and the work is in another worktree.
	OnBase
)

// Noticed lists the work on the checked-out branch or in this worktree that the user should know about. The setting resume.notice can
// make it list all work or none.
func (e *Finder) Noticed(ctx context.Context) ([]Notice, error) {
	return NewAnnouncer(e).noticed(ctx, func(_ *Summary, where Where) bool { return where == OnBase })
}

// Announcer decides what the hook announces after a checkout, and remembers what it announced.
type Announcer struct {
	find   *Finder
	folder files.Folder
	// session identifies the terminal session of this process; empty if the session's first process has ended or is not visible.
	session string
}

// NewAnnouncer makes an Announcer for the session of this process.
func NewAnnouncer(find *Finder) Announcer {
	a := Announcer{find: find, folder: find.Store.Folder()}
	if p, ok := find.Procs.Session(); ok {
		a.session = files.ToldSession(p.PID, p.Start)
	}
	return a
}

// List returns the work that the hook announces. It leaves out two kinds of work if it was already announced in this session: runs that are
// relevant only because their base is checked out here, and other systems' work whose state has not changed since. It also leaves out a run
// on its base while there can be no news about it (see silentWhile), and stores how long that is. During that time, the hook does not start
// git-resume because of this run.
func (a Announcer) List(ctx context.Context) ([]Notice, error) {
	quiet := func() bool {
		scope, err := setting(ctx, a.find.Repo.Settings, noticeSetting)
		return err == nil && scope != "all"
	}
	if !a.folder.IsQuiet() || !quiet() {
		a.folder.KeepQuiet(quiet)
	}
	return a.noticed(ctx, func(s *Summary, where Where) bool {
		if where != OnBase && s.Found == nil {
			return false
		}
		if word := silentWhile(s); word != "" && s.Found == nil {
			a.folder.Tell(s.Run.ID, word)
			return true
		}
		return a.session != "" && a.folder.Told(toldAs(s), a.session)
	})
}

// toldAs is the name under which it is remembered that some work was announced.
func toldAs(s *Summary) checkpoint.RunID {
	if s.Found == nil {
		return s.Run.ID
	}
	return files.ToldOther(string(s.Key()), string(s.State), s.Found.Point.Task, s.Found.Status)
}

// Remember records what was announced once in this session, and forgets sessions that have ended.
func (a Announcer) Remember(runs []Notice) {
	for i := range runs {
		if n := &runs[i]; a.session != "" && (n.Where == OnBase || n.Found != nil) {
			a.folder.Tell(toldAs(&n.Summary), a.session)
		}
	}
	a.folder.SweepTold(func(pid int, start string) bool {
		p, ok := a.find.Procs.Get(pid)
		return ok && p.Start == start
	})
}

// silentWhile says until when a run has no news: until its next journal entry, or until a given process ends. It returns "" if there may be
// news at any time.
func silentWhile(s *Summary) string {
	r := &s.Run
	switch {
	case s.State.Announced():
		return ""
	case r.Ours() && (r.Paused || !r.Begun() && !s.Life.Held()):
		return files.ToldNothing
	case s.Life.Driver == proc.Alive && r.Driver != nil:
		return files.ToldWorker(r.Driver.PID, r.Driver.Start)
	case s.Life.OwnerLock && s.Life.Owner == proc.Alive && r.Owner != nil:
		return files.ToldWorker(r.Owner.PID, r.Owner.Start)
	}
	return ""
}

const noticeSetting = "resume.notice"

// noticed lists the work on the checked-out branch or in this worktree. After that it lists the work that has this branch as its base. It
// leaves out work for which the function skip returns true. The setting resume.notice can make it list all work or none.
func (a Announcer) noticed(ctx context.Context, skip func(*Summary, Where) bool) ([]Notice, error) {
	e := a.find
	if op := ongoing.OperationIn(e.Repo); op == ongoing.Rebase || op == ongoing.Bisect {
		return nil, nil // during a rebase or bisect it is git that checks out commits, so the user is not told
	}
	scope, err := setting(ctx, e.Repo.Settings, noticeSetting)
	if err != nil || scope == "false" || scope == "no" || scope == "off" || scope == "0" {
		return nil, err
	}
	open, err := e.Status(ctx, journal.OpenRuns)
	if err != nil || len(open) == 0 {
		return nil, err
	}
	branch, _, err := e.Repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	var works []Summary
	for _, s := range open {
		where := whereIs(e.Site, &s, branch)
		if scope != "all" && (where == Elsewhere || skip(&s, where)) || !s.State.Announced() {
			continue
		}
		works = append(works, s)
	}
	if err := (Judging{Find: e}).judge(ctx, works, forPeople); err != nil { // git is asked once, and only about work that would be announced
		return nil, err
	}
	var out, based []Notice
	for i := range works {
		n := Notice{works[i], whereIs(e.Site, &works[i], branch)}
		switch {
		case !n.Listed:
		case n.Where == OnBase:
			based = append(based, n)
		default:
			out = append(out, n)
		}
	}
	return append(out, based...), nil
}

// whereIs says how work relates to the current checkout. It compares the branch before the worktree, because people think in branches.
func whereIs(e *site.Site, s *Summary, branch refs.Name) Where {
	switch {
	case s.Run.Branch != "" && s.Run.Branch == branch:
		return OnBranch
	case e.WorksHere(&s.Run), s.Found != nil && s.Path == e.Repo.WorkTree:
		return InWorktree
	case branch != "" && s.Run.BaseBranch() == branch:
		return OnBase
	}
	return Elsewhere
}
