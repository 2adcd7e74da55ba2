// Package sharing prints what was sent to a remote and what came from it, and who has the lease of a run.
package sharing

import (
	"errors"
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/handler/sharing"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Preview prints what everybody who can read a remote will see of a run.
func Preview(s page.Page, p *sharing.Preview) {
	s.Tell("Everybody who can read %s will see of %s:", quote.Name(p.Remote), p.Run.ID)
	s.Row("record", fmt.Sprintf("%s: tasks, results, times, process ids", phrase.Count(p.Lines, "record", "records")))
	if len(p.Hosts) > 0 {
		s.Row("hosts", quote.Clean(strings.Join(p.Hosts, ", ")))
	}
	if p.Texts > 0 {
		s.Row("texts", phrase.Count(p.Texts, "question, answer or reason", "questions, answers and reasons"))
	}
	s.Row("commits", fmt.Sprintf("%s on its branch, and all earlier history", phrase.Count(p.Commits, "commit", "commits")))
	if p.Packed != nil {
		s.Row("unsaved", fmt.Sprintf("%s, %s", phrase.Count(p.Packed.Files, "file", "files"), phrase.Bytes(p.Packed.Bytes)))
		leftOut(s, p.Packed)
		s.Row("not sent", "earlier snapshots and the output of tasks")
		return
	}
	s.Row("not sent", "uncommitted work, snapshots and the output of tasks")
}

// Pushed prints what a push did.
func Pushed(s page.Page, p *sharing.Pushed) {
	x := p.Exchange
	name, id := quote.Name(x.Look.Remote), x.Look.Run
	what := "all records and commits"
	if x.Apart {
		what = "all records"
	}
	switch {
	case x.Sent == 0 && !x.BranchSent && (len(x.Came) == 0 || x.WipSent):
		s.Tell("%s already has %s of %s.", name, what, id)
	case x.Sent == 0 && !x.BranchSent:
		s.Tell("Nothing was sent: %s already has %s of %s.", name, what, id)
	case x.BranchSent:
		s.Tell("sent %s to %s: %s and its branch", id, name, phrase.Count(x.Sent, "record", "records"))
	default:
		s.Say("sent %s to %s: %s\n", id, name, phrase.Count(x.Sent, "record", "records"))
	}
	if x.WipSent {
		SentWip(s, p.Packed)
	}
	if x.Released && !isOver(x) {
		s.Tell("Anybody can continue the run now.")
	}
	came(s, x)
}

// isOver reports whether nobody can continue the run, for example because it is finished.
func isOver(x *exchange.Exchange) bool { return x.Journal != nil && x.Journal.Run.Closed() }

// Pulled prints what came from a remote.
func Pulled(s page.Page, name string, all []sharing.Pulled, more int) {
	if len(all) == 0 {
		s.Say("%s has no runs.\n", quote.Name(name))
	}
	for _, p := range all {
		if p.Err != nil {
			s.Tell("%s: nothing was taken from %s: %s", p.Run, quote.Name(name), Reason(p.Err))
			continue
		}
		x := p.Exchange
		switch {
		case !x.Known:
			s.Say("%s: new here, %s from %s\n", p.Run, phrase.Count(len(x.Came), "record", "records"), quote.Name(name))
		case len(x.Came) == 0:
			s.Say("%s: nothing new at %s\n", p.Run, quote.Name(name))
		default:
			s.Say("%s: %s from %s\n", p.Run, phrase.Count(len(x.Came), "new record", "new records"), quote.Name(name))
		}
		came(s, x)
		Brought(s, p.Run, p.Brought, true)
	}
	if more > 0 {
		s.Tell("Remote %s has %s; name a run to get it.", quote.Name(name), phrase.Count(more, "more run", "more runs"))
	}
}

// The function "came" prints what the lines and commits that came from a remote mean for this clone.
func came(s page.Page, x *exchange.Exchange) {
	id, name := x.Look.Run, x.Look.Remote
	if p := x.Parked; p != nil {
		Parked(s, id, p)
	}
	switch {
	case x.Apart:
		s.Tell("The run's branch here and the one at %s have diverged.", quote.Name(name))
		s.Hint("compare them with " + phrase.Double("git log --oneline --left-right %s", string(x.Tip.Short())+"..."+string(exchange.HeadRef(name, id))))
	case x.Ahead > 0:
		s.Tell("On the run's branch, %s has %s than this clone.", quote.Name(name), phrase.Count(x.Ahead, "more commit", "more commits"))
		s.Hint("see them with " + phrase.Double("git log %s", string(x.Tip.Short())+".."+string(exchange.HeadRef(name, id))))
	}
	if !x.Known && x.Journal != nil && !x.Journal.Run.Ours() && !isOver(x) {
		s.Hint("use " + phrase.Double("git resume %s --takeover", string(id)) + " to continue it here")
	}
}

// Parked prints which work of this clone is not part of the run, because somebody else took over the run before the work was sent.
func Parked(s page.Page, id checkpoint.RunID, p *exchange.Parked) {
	who := "somebody else"
	if p.By != "" {
		who = quote.Clean(p.By)
	}
	s.Tell("%s had taken over %s before your work arrived. It is kept, but is not part of the run:", who, id)
	for _, t := range p.Tasks() {
		s.Row("task", quote.Printable(string(t)))
	}
	if p.Ref != "" {
		s.Row("commits", string(p.Ref))
		s.Hint("use " + phrase.Double("git resume parked %s", string(id)) + " to see it, and how to take it")
	}
}

// Unshared prints that a run is no longer at a remote.
func Unshared(s page.Page, id checkpoint.RunID, name string) {
	s.Tell("%s is no longer at %s. The record here stays.", id, quote.Name(name))
	s.Hint("use " + phrase.Double("git resume push %s --to %s", string(id), name) + " to share it again")
}

// Reason returns in a few words why nothing was taken from a remote.
func Reason(err error) string {
	var doubt *exchange.DoubtError
	if errors.As(err, &doubt) {
		return quote.Clean(doubt.Why())
	}
	return quote.Clean(err.Error())
}

// Working prints that this machine works on a run from now on.
func Working(s page.Page, w *sharing.Shift) {
	s.Note("working on %s, shared at %s", w.Run, quote.Name(w.Remote))
	if w.Parked != nil {
		Parked(s.OnErr(), w.Run, w.Parked)
	}
	if w.Aside != (sharing.Aside{}) {
		s.Note("Somebody else worked on it meanwhile. What was done here without the lease is kept, but is not part of the run:")
	}
	if w.Aside.Commits != "" {
		s.Note("  commits  %s", w.Aside.Commits)
	}
	if w.Aside.Files != "" {
		s.Note("  files    %s", w.Aside.Files)
	}
}

// Over prints that a run has nothing left to do.
func Over(s page.Page, id checkpoint.RunID) {
	s.Tell("%s is finished, discarded or replaced: nothing is left to do.", id)
}

// TimeUp prints that the time limit of "git resume work" is reached and the run is not finished.
func TimeUp(s page.Page, id checkpoint.RunID) {
	s.Tell("The time limit is reached, and %s is not finished; start the same command again to continue.", id)
}

// TimeOver prints that the time limit of a run that is not shared is reached, and that the run is not finished.
func TimeOver(s page.Page) { s.Say("The time limit is reached, and the run is not finished.\n") }

// StaysLeased prints that this clone keeps the lease until the user gives it back.
func StaysLeased(s page.Page, w *sharing.Shift) {
	s.Note("\nThis clone has the lease of %s at %s until you give it back.", w.Run, quote.Name(w.Remote))
	s.OnErr().Hint("use " + phrase.Double("git resume push %s", string(w.Run)) + " to send what was done and give the lease back, so that others can continue the run")
}

// Taking prints what it means to take the lease from its holder.
func Taking(s page.Page, e *exchange.LeasedError) {
	who := "somebody else"
	if e.By != "" {
		who = quote.Clean(e.By)
	}
	since := ""
	if !e.Since.IsZero() {
		since = ", taken " + phrase.Ago(s.Now.Sub(e.Since))
	}
	s.Tell("Taking over %s means to take its lease from %s:", e.Run, who)
	s.Row("holder", fmt.Sprintf("%s (lease %d%s)", who, e.Lease, since))
	s.Row("so far", fmt.Sprintf("what the holder sent to %s stays part of the run", quote.Name(e.Remote)))
	s.Row("later", "what the former holder sends after the takeover is kept, but does not become part of the run")
}

// Offline prints what it means to continue a shared run without asking the remote.
func Offline(s page.Page, id checkpoint.RunID, seen *exchange.Seen) {
	name := "the remote"
	if seen != nil {
		name = quote.Name(seen.Remote)
	}
	s.Note("continuing %s without asking %s for the lease", id, name)
	if seen != nil && !seen.Free && !seen.Ours {
		who := "somebody else"
		if seen.By != "" {
			who = quote.Clean(seen.By)
		}
		s.Note("warning: %s had the lease of the run (number %d) %s, and may be working on the run", who, seen.Lease, phrase.Ago(s.Now.Sub(seen.At)))
	}
	s.Note("If somebody else continues the run meanwhile, what is done here is kept, but does not become part of the run.")
}
