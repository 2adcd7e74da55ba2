package exchange_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/checkpoint/lease"
	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/exchange"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/site"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// clone is a clone with a shared run.
type clone struct {
	*gittest.Repo
	run checkpoint.RunID
	*exchange.Exchanger
}

// open opens the repository as a new process would.
func open(t *testing.T, r *gittest.Repo, run checkpoint.RunID) *clone {
	t.Helper()
	repo := repotest.Open(t, r.Dir, r.Env)
	store := &journal.Store{Repo: repo, Now: time.Now, Nonce: journal.NewNonce()}
	return &clone{r, run, &exchange.Exchanger{Site: &site.Site{Repo: repo, Store: store, Now: time.Now, PID: os.Getpid(), Dir: r.Dir, Random: func() (none [4]byte) { return none }}}}
}

// share makes a repository with a shared run, and takes its lease.
func share(t *testing.T) (*clone, *remotetest.Server) {
	t.Helper()
	r := gittest.New(t)
	_, server := remotetest.Origin(t, r.Git, r.Env)
	r.MustResume("start", "--name", "shop", "--task", "a")
	run := checkpoint.RunID(r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/"))
	r.MustResume("push", string(run), "--to", "origin")
	c := open(t, r, run)
	c.take(t, false)
	return c, server
}

func (c *clone) take(t *testing.T, person bool) {
	t.Helper()
	by := &checkpoint.Actor{Host: "test", PID: os.Getpid()}
	_, err := c.TakeLease(t.Context(), c.run, "origin", lease.Worker{Alone: true, Person: person}, by, func(*exchange.Exchange) error { return nil })
	gittest.NoError(t, "TakeLease", err)
}

// record records that somebody paused the run here.
func (c *clone) record(t *testing.T) {
	t.Helper()
	_, err := c.Store.Append(t.Context(), c.run, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunPaused}}, nil
	}})
	gittest.NoError(t, "Append", err)
}

// leases looks at the remote and returns its leases.
func (c *clone) leases(t *testing.T) []lease.Lease {
	t.Helper()
	look, err := c.Look(t.Context(), c.run, "origin")
	gittest.NoError(t, "Look", err)
	return look.Leases
}

// mustBeFree checks that nobody has the lease at the remote.
func (c *clone) mustBeFree(t *testing.T) {
	t.Helper()
	if held := lease.Held(c.leases(t)); held != nil {
		t.Errorf("lease %d is still held", held.Number)
	}
}

func TestGiveBack_isOnePush(t *testing.T) {
	t.Parallel()
	c, server := share(t)
	fetches, pushes := server.Fetches.Load(), server.Pushes.Load()
	_, err := c.GiveBack(t.Context(), c.run, "origin", "done", exchange.Wip{})
	gittest.NoError(t, "GiveBack", err)
	gittest.Equal(t, "fetches", server.Fetches.Load()-fetches, 0)
	gittest.Equal(t, "pushes", server.Pushes.Load()-pushes, 1)
	c.mustBeFree(t)
}

// The journal at the remote has a line that this clone's tracking ref does not show, as if a process was killed right after its push.
// GiveBack must fetch before it gives the lease back.
func TestGiveBack_ofStaleKnowledge(t *testing.T) {
	t.Parallel()
	c, server := share(t)
	tracking := string(exchange.TrackingRef("origin", "journal", c.run))
	before := c.Git("rev-parse", tracking)
	c.record(t)
	_, err := c.Send(t.Context(), exchange.SendRequest{Run: c.run, Remote: "origin"})
	gittest.NoError(t, "Send", err)
	c.Git("update-ref", tracking, before)
	fetches, pushes := server.Fetches.Load(), server.Pushes.Load()
	x, err := c.GiveBack(t.Context(), c.run, "origin", "done", exchange.Wip{})
	gittest.NoError(t, "GiveBack", err)
	if n := server.Fetches.Load() - fetches; n == 0 {
		t.Error("nobody looked")
	}
	gittest.Equal(t, "pushes that arrived", server.Pushes.Load()-pushes, 1)
	gittest.Equal(t, "lines that were new at the remote", x.Sent, 1)
	c.mustBeFree(t)
}

// Somebody else took the lease. GiveBack must notice that, and must not free the lease of the other clone.
func TestGiveBack_ofALostLease(t *testing.T) {
	t.Parallel()
	c, server := share(t)
	dir := filepath.Join(t.TempDir(), "other")
	c.Git("clone", "-q", "-b", "main", server.URL+"/shop.git", dir)
	other := open(t, c.In(dir), c.run)
	other.take(t, true)
	x, err := c.GiveBack(t.Context(), c.run, "origin", "done", exchange.Wip{})
	gittest.NoError(t, "GiveBack", err)
	if newest := lease.Newest(x.Look.Leases); newest.Number != 2 || newest.Ours {
		t.Errorf("the newest lease is %+v", newest)
	}
	if held := lease.Held(other.leases(t)); held == nil || !held.Ours || held.Number != 2 {
		t.Errorf("the other clone lost its lease: %+v", held)
	}
}

// The answer to the push gets lost. GiveBack looks at the remote, and does not push a second time.
func TestGiveBack_withoutAnAnswer(t *testing.T) {
	t.Parallel()
	c, server := share(t)
	server.Cut.Store(1)
	fetches, pushes := server.Fetches.Load(), server.Pushes.Load()
	_, err := c.GiveBack(t.Context(), c.run, "origin", "done", exchange.Wip{})
	gittest.NoError(t, "GiveBack", err)
	if n := server.Fetches.Load() - fetches; n == 0 {
		t.Error("nobody looked")
	}
	gittest.Equal(t, "pushes", server.Pushes.Load()-pushes, 1)
	c.mustBeFree(t)
}

// The remote cannot be reached. GiveBack fails, and the lease is still held at the remote. A later Send gives it back.
func TestGiveBack_whileTheServerIsDown(t *testing.T) {
	t.Parallel()
	c, server := share(t)
	server.Down.Store(true)
	_, err := c.GiveBack(t.Context(), c.run, "origin", "done", exchange.Wip{})
	var gone *exchange.UnreachableError
	if !errors.As(err, &gone) || gone.Run != c.run {
		t.Errorf("got %v", err)
	}
	server.Down.Store(false)
	if held := lease.Held(c.leases(t)); held == nil || !held.Ours {
		t.Errorf("the remote has %+v", held)
	}
	_, err = c.Send(t.Context(), exchange.SendRequest{Run: c.run, Remote: "origin"})
	gittest.NoError(t, "Send", err)
	c.mustBeFree(t)
}

// The URL of the remote has changed since the run was shared. GiveBack fails and sends nothing.
func TestGiveBack_toAnotherURL(t *testing.T) {
	t.Parallel()
	c, server := share(t)
	c.Git("remote", "set-url", "origin", server.URL+"/other.git")
	pushes := server.Pushes.Load()
	if _, err := c.GiveBack(t.Context(), c.run, "origin", "done", exchange.Wip{}); err == nil {
		t.Error("it was sent to another URL")
	}
	gittest.Equal(t, "pushes", server.Pushes.Load()-pushes, 0)
}
