package agentevent

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/owner"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/drivers"
	"github.com/git-resume/git-resume/internal/flock"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
)

// Listener records reports of coding agents.
type Listener struct {
	*site.Site
	mu sync.Mutex
	// unrecorded puts the report that is being recorded into the inbox. It is nil if no report is being recorded.
	unrecorded func()
}

// KeepLate puts the report that is being recorded into the inbox, because the hook has no more time to wait. It does nothing if no report
// is being recorded. If the report is recorded after all, its copy in the inbox changes nothing.
func (l *Listener) KeepLate() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unrecorded != nil {
		l.unrecorded()
	}
}

// recording sets the function with which KeepLate puts the current report into the inbox. If keep is nil, no report is being recorded.
func (l *Listener) recording(keep func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unrecorded = keep
}

// Heard is the result of a report.
type Heard struct {
	// Run is the run that the report concerns, or nil.
	Run *checkpoint.Run
	// Ask is true if the agent must be told the state of the run, because its session has just started or was compacted. Path is where the
	// run works.
	Ask  bool
	Path string
	// Other is the run's recorded worker, if somebody else may be working on the run.
	Other *checkpoint.Actor
	// Kept is true if the report went into the inbox.
	Kept bool
}

// Hear records what a session reports about its turns, if the session works on a run in this worktree. A session works on a run if it
// started the run, reported one of its tasks, or was started by git-resume for it. The other sessions are only noted, so that a person
// can be told that they are open.
func (l *Listener) Hear(ctx context.Context, rep agents.Report) (Heard, error) {
	if ModeIn(ctx, l.Site) == Off || !l.Store.Folder().InUse() {
		return Heard{}, nil
	}
	reader := drivers.In(l.Site)
	rec, known := reader.Book.Get(rep.Agent, rep.Session)
	if rep.Child || rec.Child {
		if !known { // store that the session is a child of another session, because its later events do not say so
			return Heard{}, l.note(reader.Book, session.Record{Child: true}, rec, rep)
		}
		return Heard{}, nil
	}
	runs, err := l.concerned(ctx)
	if err != nil {
		return Heard{}, err
	}
	was, actor := rec, l.actor(rep)
	rec.Actor = actor
	if rec.Root = reader.Place.Root(rep.Agent); rep.Transcript != "" {
		rec.Transcript = rep.Transcript
	}
	l.complete(reader, rec, &rep)
	rec.Left = rep.What == agents.Left
	if err := l.note(reader.Book, rec, was, rep); err != nil || len(runs) == 0 {
		return Heard{}, err
	}
	for _, j := range runs {
		if drivers.WorksOn(&j.Run, actor) {
			return l.record(ctx, j, rep, actor)
		}
	}
	h := Heard{Run: &runs[0].Run, Path: l.Repo.WorkTree, Ask: asks(rep)}
	if !l.mayReport(h.Run, actor) {
		h.Other = h.Run.Driver
	}
	return h, nil
}

// asks reports whether the agent must be told the state of its run.
func asks(rep agents.Report) bool {
	return rep.What == agents.SessionStarted || rep.What == agents.Compacted
}

// note stores in the list of sessions that this session has reported just now.
func (l *Listener) note(book session.Book, rec, was session.Record, rep agents.Report) error {
	rec.Agent, rec.Session, rec.Dir, rec.Admin, rec.Last = rep.Agent, rep.Session, l.Repo.WorkTree, l.Admin(), l.Now().UTC().Truncate(time.Second)
	return book.Note(rec, was)
}

// concerned lists our open runs that work in this worktree. If the worktree was made for a run, only that run is listed. Otherwise the
// run for which git-resume started the agent comes first, and then the most recently active run.
func (l *Listener) concerned(ctx context.Context) ([]*journal.Journal, error) {
	if id := checkpoint.RunID(worktree.RunOf(l.Repo.GitDir)); id.Valid() && l.Store.Folder().OpenHere(id) {
		j, err := l.Store.Load(ctx, id)
		if err != nil || !l.WorksHere(&j.Run) || !j.Run.Ours() || j.Run.Closed() {
			return nil, err
		}
		return []*journal.Journal{j}, nil
	}
	open, err := l.Store.Folder().Names("open")
	if err != nil {
		return nil, err
	}
	apart, err := l.Store.Folder().Names("apart")
	if err != nil {
		return nil, err
	}
	var out []*journal.Journal
	for _, id := range open {
		if _, found := slices.BinarySearch(apart, id); found {
			continue
		}
		if j, err := l.Store.Load(ctx, id); err == nil && j.Run.Here && l.WorksHere(&j.Run) && j.Run.Ours() && !j.Run.Closed() {
			out = append(out, j)
		}
	}
	other := func(j *journal.Journal) int { // 0 for the run for which git-resume started the agent, so that this run comes first
		if string(j.Run.ID) == l.RunName {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(out, func(a, b *journal.Journal) int {
		return cmp.Or(other(a)-other(b), b.Run.LastAt.Compare(a.Run.LastAt))
	})
	return out, nil
}

// actor describes the agent's process, or only its session if the process is not known or serves many sessions. It also says which call of
// git-resume started the agent. It returns nil if this clone has no id.
func (l *Listener) actor(rep agents.Report) *checkpoint.Actor {
	id, err := l.Clone()
	if err != nil {
		return nil
	}
	p, ok := l.Procs.Driver(l.PID)
	if named, there := l.Procs.Get(rep.PID); rep.PID > 1 && there && l.Procs.Descends(l.PID, named.PID, named.Start) {
		p, ok = named, true
	}
	if !ok || session.IsDaemon(p) {
		p = proc.Process{Args: []string{rep.Agent}}
	}
	a := checkpoint.NewActor(l.Procs.Host(), p, id)
	a.Agent, a.Session, a.Shell, a.Nonce = rep.Agent, rep.Session, false, l.Owner
	return a
}

// complete adds to a report why a turn stopped. It reads that from the agent's own files.
func (l *Listener) complete(reader session.Reader, rec session.Record, rep *agents.Report) {
	rec.Agent, rec.Session = rep.Agent, rep.Session
	if rep.What == agents.Failed && rep.Stop.Cause == agents.Quota && (rep.Stop.Until.IsZero() || rep.Stop.Roughly) || rep.What == agents.Left {
		if s := reader.StopOf(rec); s.Cause != "" && (rep.What == agents.Left || !s.Until.IsZero()) {
			rep.Stop = s
		}
	}
}

// record appends what the report of a run's session says to the journal of the run, unless somebody else works on the run now. If the
// journal stays locked, the report goes into the inbox.
func (l *Listener) record(ctx context.Context, j *journal.Journal, rep agents.Report, actor *checkpoint.Actor) (Heard, error) {
	h := Heard{Run: &j.Run, Path: l.Repo.WorkTree, Ask: asks(rep)}
	if !l.mayReport(&j.Run, actor) {
		h.Other = j.Run.Driver
		return h, nil
	}
	if len(drivers.Events(&j.Run, rep, l.driving(&j.Run, actor))) == 0 {
		return h, nil
	}
	keep := func() error {
		return drivers.InboxOf(l.Site).Put(j.Run.ID, session.Letter{Report: rep, Actor: actor}, l.Store.Nonce)
	}
	l.recording(func() { _ = keep() }) // the error is ignored, because there is nobody to show it to
	done, err := l.Store.Append(ctx, j.Run.ID, journal.Batch{Decide: func(r *checkpoint.Run) ([]checkpoint.Event, error) {
		if r.Closed() || !drivers.WorksOn(r, actor) || !l.mayReport(r, actor) {
			return nil, nil
		}
		return drivers.Events(r, rep, l.driving(r, actor)), nil
	}})
	l.recording(nil)
	var stuck *flock.StuckError
	if errors.As(err, &stuck) {
		h.Kept = true
		return h, keep()
	}
	if err == nil {
		h.Run = &done.Run
	}
	return h, err
}

// driving returns the actor, or nil if it works below the process that is recorded as the worker of the run, and that is not a session. This
// process, for example a script, outlives the session, so it remains the worker.
func (l *Listener) driving(r *checkpoint.Run, actor *checkpoint.Actor) *checkpoint.Actor {
	if d := r.Driver; d != nil && d.Session == "" && !d.Shell && d.PID > 0 && !d.Same(actor) && l.Procs.Descends(l.PID, d.PID, d.Start) {
		return nil
	}
	return actor
}

// mayReport reports whether the agent may report on the run. It may if nobody else works on the run, or if the process that works on the
// run started the agent. If this cannot be checked, the result is false.
func (l *Listener) mayReport(r *checkpoint.Run, actor *checkpoint.Actor) bool {
	if l.Owner != "" && l.Owner == r.Nonce {
		return true
	}
	if owner.Busy(l.Store, r.ID) != nil {
		return false
	}
	d := r.Driver
	if d == nil || d.Same(actor) || session.SameSession(d, actor) || r.Resting() {
		return true
	}
	switch drivers.DriverFate(l.Site, r) {
	case proc.Alive:
		return d.PID > 0 && l.Procs.Descends(l.PID, d.PID, d.Start)
	case proc.Dead:
		return true
	}
	return false
}
