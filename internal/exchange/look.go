package exchange

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/checkpoint/notes"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/worktree"
)

// Exchanger talks to remotes of one repository.
type Exchanger struct {
	*site.Site
	// Terminal is true if git is allowed to ask the user for a password.
	Terminal bool
	// Deadline, if it is set, replaces the usual time limit for each exchange with the remote.
	Deadline time.Duration
	// Restore is true if a person wants to send again what the remote has lost.
	Restore bool
}

// Look is what a remote has of a run.
type Look struct {
	Run    checkpoint.RunID
	Remote string
	// Sum identifies the URL of the remote.
	Sum string
	// Journal is the tree of the journal, and Head is the last commit of the run's branch. Each of them is empty if the remote does not
	// have it.
	Journal, Head object.ID
	Contents      *notes.Contents
	Leases        []lease.Lease
	// Wip is a commit with uncommitted work that somebody sent with the run, or empty. It was not checked.
	Wip object.ID
}

// There reports whether the remote has a record of the run.
func (l *Look) There() bool { return l.Journal != "" }

// Lines returns the lines of the journal at the remote; nil if it was not read.
func (l *Look) Lines() []checkpoint.Line {
	if l.Contents == nil {
		return nil
	}
	return l.Contents.Lines
}

// These are the kinds of refs that a run has at a remote.
const (
	journalKind = "journal"
	headsKind   = "heads"
	wipKind     = "wip"
)

// there returns the name of one of a run's refs at the remote.
func there(kind string, id checkpoint.RunID) refs.Name {
	return refs.Name("refs/resume/" + kind + "/" + string(id))
}

// TrackingRef returns the ref that keeps what the remote had of a run when this clone last looked there or sent something.
func TrackingRef(remote, kind string, id checkpoint.RunID) refs.Name {
	return refs.Name("refs/resume/remotes/" + remote + "/" + kind + "/" + string(id))
}

// HeadRef returns the ref here that keeps the last known commit of the run's branch at a remote.
func HeadRef(remote string, id checkpoint.RunID) refs.Name { return TrackingRef(remote, headsKind, id) }

// incomingSpace is the prefix of the refs that keep what was fetched until it is checked.
const incomingSpace = "refs/resume/incoming/"

// At returns a remote of the repository, with the deadline and the terminal setting of this exchanger.
func (e *Exchanger) At(name string) remote.Remote {
	r := remote.Of(e.Repo.Program, name)
	r.Terminal, r.Deadline = e.Terminal, e.Deadline
	return r
}

// Look fetches what a remote has of a run, checks its journal and its branch, and remembers the result. Until the check is done, what was
// fetched is in separate refs below incomingSpace. If the check fails, nothing is remembered.
func (e *Exchanger) Look(ctx context.Context, id checkpoint.RunID, name string) (*Look, error) {
	sum, err := e.At(name).Sum(ctx)
	if err != nil {
		return nil, err
	}
	quarantine{e}.clearDead(ctx)
	for try := 1; ; try++ {
		l, err := e.lookOnce(ctx, &Look{Run: id, Remote: name, Sum: sum})
		var stale *refs.StaleError
		if !errors.As(err, &stale) || try == maxSends {
			return l, err
		}
	}
}

// lookOnce is one try of Look. It reads the tracking refs, which keep what this clone knows of the remote, before it fetches. If another
// process of this clone changes them meanwhile, lookOnce returns a *refs.StaleError and leaves them as they are, because the other process
// may have fetched something newer.
func (e *Exchanger) lookOnce(ctx context.Context, l *Look) (*Look, error) {
	before, err := knowing{e}.tracked(ctx, l.Run, l.Remote)
	if err != nil {
		return nil, err
	}
	space := fmt.Sprintf("%s%d-%s/", incomingSpace, e.PID, e.Store.Nonce)
	defer quarantine{e}.clear(context.WithoutCancel(ctx), space)
	var specs []string
	for _, kind := range []string{journalKind, headsKind, wipKind} {
		specs = append(specs, fmt.Sprintf("+%s*:%s%s/%s*", there(kind, l.Run), space, kind, l.Run))
	}
	err = e.At(l.Remote).Fetch(ctx, specs...)
	if err != nil && strings.Contains(err.Error(), "worktrees/") { // remove worktrees whose creation was killed, because git fails if there are any, and fetch again
		if n, _ := worktree.RetireHusks(ctx, e.Repo, e.Now); n > 0 {
			err = e.At(l.Remote).Fetch(ctx, specs...)
		}
	}
	if err != nil {
		return nil, e.unreachable(ctx, l.Remote, err)
	}
	return l, e.accept(ctx, l, space, before)
}

// lookAgain calls Look after a push. The network may be disturbed, so it tries several times.
func (e *Exchanger) lookAgain(ctx context.Context, id checkpoint.RunID, name string) (*Look, error) {
	for try := 1; ; try++ {
		l, err := e.Look(ctx, id, name)
		var gone *UnreachableError
		if !errors.As(err, &gone) || try == maxSends || !e.wait(ctx, try) {
			return l, err
		}
	}
}

// unreachable turns an error of git, or a missed deadline, into an *UnreachableError, which names the remote. If ctx has ended, it returns
// the error of ctx. Other errors stay as they are.
func (e *Exchanger) unreachable(ctx context.Context, name string, err error) error {
	var git *process.Error
	var late *remote.LateError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &git):
		return &UnreachableError{Remote: name, Text: git.Text}
	case errors.As(err, &late):
		return &UnreachableError{Remote: name, Text: late.Error()}
	}
	return err
}

// accept checks what was fetched, and remembers it as what the remote has.
func (e *Exchanger) accept(ctx context.Context, l *Look, space string, before tracked) error {
	var names []refs.Name
	for _, kind := range []string{journalKind, headsKind, wipKind} {
		names = append(names, refs.Name(space+kind+"/"+string(l.Run)))
	}
	at, err := e.Repo.Refs.All(ctx, names...)
	if err != nil {
		return err
	}
	record, head := at[0], at[1]
	l.Wip = at[2]
	if record != "" {
		if l.Contents, l.Journal, err = (checker{e}).read(ctx, l, record); err != nil {
			return err
		}
	}
	if head != "" {
		if c, err := e.Repo.Objects.Commit(ctx, string(head)); err != nil || c.ID != head {
			return &DoubtError{Run: l.Run, Remote: l.Remote, Doubt: Unreadable, Text: "the branch of the run does not point to a commit that can be read"}
		}
		l.Head = head
	}
	l.Leases = lease.All(l.Lines())
	if err := (checker{e}).check(ctx, l, before.journal); err != nil {
		return err
	}
	return e.track(ctx, l, before)
}

// tracked has the tracking refs of a run: what the remote had when this clone last looked there or sent something.
type tracked struct{ journal, head, wip object.ID }

// track remembers what the remote has: the objects in tracking refs, and a summary for people in a file.
func (e *Exchanger) track(ctx context.Context, l *Look, was tracked) error {
	var moves []refs.Update
	for _, m := range []struct {
		kind     string
		now, old object.ID
	}{{journalKind, l.Journal, was.journal}, {headsKind, l.Head, was.head}, {wipKind, l.Wip, was.wip}} {
		if m.now != m.old {
			moves = append(moves, refs.Update{Ref: TrackingRef(l.Remote, m.kind, l.Run), New: m.now, Old: m.old, NoLog: true})
		}
	}
	if len(moves) > 0 {
		if err := errors.Join(e.Repo.Refs.UpdateAll(ctx, moves...)...); err != nil {
			return err // this can happen if another process looked at the remote at the same time
		}
	}
	return e.remember(l)
}

// missing counts the lines of the first list that are not in the second list.
func missing(lines, among []checkpoint.Line) int { return len(notes.Minus(lines, among)) }

// quarantine manages the refs that keep what was fetched until it is checked.
type quarantine struct{ in *Exchanger }

// clear removes the refs whose names begin with the argument "space". It ignores errors.
func (q quarantine) clear(ctx context.Context, space string) {
	names, err := q.in.Repo.Refs.Names(ctx, space) // listing names starts no process, but listing names with ids would
	if err != nil || len(names) == 0 {
		return
	}
	all := make([]refs.Name, len(names))
	for i, name := range names {
		all[i] = refs.Name(space + name)
	}
	at, err := q.in.Repo.Refs.All(ctx, all...)
	if err != nil {
		return
	}
	var moves []refs.Update
	for i, name := range all {
		if at[i] != "" {
			moves = append(moves, refs.Update{Ref: name, Old: at[i], NoLog: true})
		}
	}
	if len(moves) > 0 {
		_ = q.in.Repo.Refs.UpdateAll(ctx, moves...) // ignore errors: the next call of Look removes what is left
	}
}

// clearDead removes the refs below incomingSpace that killed processes have left behind.
func (q quarantine) clearDead(ctx context.Context) {
	names, err := q.in.Repo.Refs.Names(ctx, incomingSpace)
	if err != nil {
		return
	}
	for _, rest := range names {
		pid, _, _ := strings.Cut(rest, "-")
		dir, _, _ := strings.Cut(rest, "/")
		if n, err := strconv.Atoi(pid); err == nil && n != q.in.PID {
			if _, alive := q.in.Procs.Get(n); !alive {
				q.clear(ctx, incomingSpace+dir+"/")
			}
		}
	}
}
