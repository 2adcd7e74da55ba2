package drivers

import (
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/clone"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/mirror"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
)

// In returns the reader of coding agents' sessions.
func In(e *site.Site) session.Reader {
	return session.Reader{
		Place: agents.Place{Home: e.Home, Getenv: e.Getenv}, Procs: e.Procs, Now: e.Now,
		Book: session.Book{Folder: e.Store.Folder(), Keys: e.Store.Keys()},
	}
}

// InboxOf returns the inbox, in which reports of agents wait until they are recorded.
func InboxOf(e *site.Site) session.Inbox {
	return session.Inbox{Folder: e.Store.Folder(), Keys: e.Store.Keys()}
}

// WorksOn reports whether a run belongs to an agent's session: the session was the last one to start the run or to report a task of it, or
// git-resume started the session for this run. Other sessions, also those in the same folder or the same process, only work beside the run.
func WorksOn(r *checkpoint.Run, actor *checkpoint.Actor) bool {
	switch {
	case actor == nil:
		return false
	case session.SameSession(r.Agent, actor):
		return true
	}
	// Of all sessions that a tool from the settings begins, for example after a "/clear", only the first was started for the run.
	return actor.Nonce != "" && actor.Nonce == r.Nonce && (r.Agent == nil || r.Agent.Nonce != actor.Nonce)
}

// DriverFate says whether the process or the agent's session that reports on a run is alive.
func DriverFate(e *site.Site, r *checkpoint.Run) proc.Fate {
	process := r.Driver.Fate(e.Procs, clone.ID(e.Repo))
	if r.Driver == nil || r.Driver.Session == "" {
		return process
	}
	return Corrected(r, In(e).Of(r), process)
}

// Corrected returns whether the process or session that reports on a run is alive. It uses what is known about the agent's session: the
// session can be alive although its recorded process is gone, and the process of Codex can outlive its session.
func Corrected(r *checkpoint.Run, k *session.Known, process proc.Fate) proc.Fate {
	d := r.Driver
	switch {
	case k == nil || d == nil || d.Session != k.ID || d.Agent != k.Agent:
		return process
	case k.Fate == proc.Alive, k.Agent == "codex" && k.Fate == proc.Dead, process == proc.Unknown:
		return k.Fate
	}
	return process
}

// Others returns the living sessions that work in the worktree of a run. It leaves out the session that works on the run, and the session
// in which this program was called. The sessions in "unseen" reported from a container a short time ago, and cannot be checked from here.
func Others(e *site.Site, r *checkpoint.Run) (alive, unseen []session.Record) {
	reader := In(e)
	for _, rec := range openSessions(e, reader) {
		own := r.Driver != nil && (r.Driver.Same(rec.Actor) || session.SameSession(r.Driver, rec.Actor)) || e.Session != "" && rec.Session == e.Session
		if rec.Admin != r.Admin || own {
			continue
		}
		switch reader.Fate(rec) {
		case proc.Alive:
			alive = append(alive, rec)
		case proc.Unknown:
			if rec.Actor.NS != e.Procs.Host().NS && e.Now().Sub(rec.Last) < unseenAge {
				unseen = append(unseen, rec)
			}
		}
	}
	return alive, unseen
}

// unseenAge is how long a session in a container counts as open after its last report, because nobody can see here whether it has ended.
const unseenAge = 30 * time.Minute

// LeftBy returns the processes that a worker started and that are still at work in a folder, after the worker itself is gone. They are in the
// worker's process group, or have its session in their environment. There are none if the worker was not a process of this machine.
func LeftBy(e *site.Site, worker *checkpoint.Actor, dir string) []proc.Process {
	at, known := e.Procs.AtWork([]string{dir})
	if !known || len(at) == 0 || worker.Clone != "" && worker.Clone != clone.ID(e.Repo) {
		return nil
	}
	group := e.Procs.Members(proc.Host{Name: worker.Host, Boot: worker.Boot, NS: worker.NS}, worker.PID, worker.Start)
	return slices.DeleteFunc(at, func(p proc.Process) bool {
		if slices.Contains(group, p.PID) {
			return false
		}
		_, env, ok := e.Procs.Surroundings(p.PID)
		return !ok || worker.Session == "" || !slices.ContainsFunc(agents.Variables, func(v agents.Variable) bool {
			return v.Agent == worker.Agent && slices.Contains(env, v.Name+"="+worker.Session)
		})
	})
}

// Alive returns the living sessions of coding agents that work in this repository. The session that reported last comes first.
func Alive(e *site.Site) (out []session.Record) {
	reader := In(e)
	for _, rec := range openSessions(e, reader) {
		if reader.Fate(rec) == proc.Alive {
			out = append(out, rec)
		}
	}
	return out
}

// openSessions returns the sessions that may still be open. It leaves out subagents, sessions without a known process, and sessions that
// were silent for longer than sessionAge.
func openSessions(e *site.Site, reader session.Reader) []session.Record {
	return slices.DeleteFunc(reader.Book.All(), func(rec session.Record) bool {
		return rec.Left || rec.Child || rec.Actor == nil || e.Now().Sub(rec.Last) > sessionAge
	})
}

// sessionAge is how long after its last report a session is still believed to work in a worktree.
const sessionAge = 24 * time.Hour

// Connect sets two functions of the journal's store. One returns who called the program. The other returns the events that agents
// reported to the inbox, so that the store can record them.
func Connect(e *site.Site) {
	e.Store.Caller = func() *checkpoint.Caller {
		return &checkpoint.Caller{User: e.User, Host: e.Procs.Host().Name, Agent: e.Agent, Session: e.Session}
	}
	e.Store.Pending = func(r *checkpoint.Run) ([]checkpoint.Event, func()) { return Pending(e, r) }
}

// Pending returns the events of a run that agents reported while somebody else was recording, and a function that forgets the
// reports. The function is nil if there are no reports.
func Pending(e *site.Site, r *checkpoint.Run) (events []checkpoint.Event, forget func()) {
	inbox := InboxOf(e)
	letters, names := inbox.Letters(r.ID)
	if len(names) == 0 {
		return nil, nil
	}
	now := r.Copy()
	for _, l := range letters {
		if d := now.Driver; !WorksOn(&now, l.Actor) || d != nil && !session.SameSession(d, l.Actor) && !d.Same(l.Actor) && DriverFate(e, &now) != proc.Dead {
			continue // skip the report, because somebody else works on the run now
		}
		more := Events(&now, l.Report, l.Actor)
		events, now = append(events, more...), now.Preview(more)
	}
	return events, func() { inbox.Remove(names) }
}

// Events returns the events to record after a report of the session that works on a run: how its turn began or ended and, if it is new, the
// process of the session. There may be none.
func Events(r *checkpoint.Run, rep agents.Report, actor *checkpoint.Actor) []checkpoint.Event {
	events := mirror.Events(r, rep)
	if actor == nil || r.Driver.Same(actor) && session.SameSession(r.Driver, actor) && r.Driver.Nonce == actor.Nonce {
		return events
	}
	if len(events) == 0 && rep.What != agents.Prompted { // after a prompt, the session works in another process, although its last turn seems to be open
		return nil
	}
	return append([]checkpoint.Event{{Event: checkpoint.RunDriven, Actor: actor}}, events...)
}
