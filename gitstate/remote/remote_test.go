package remote_test

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/gitstate/remote"
	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

const one, two = refs.Name("refs/resume/journal/a"), refs.Name("refs/resume/heads/a")

// shop is a repository with a remote. The field "at" is the folder of the remote's repository.
type shop struct {
	*gittest.Repo
	at     string
	server *remotetest.Server
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Repo: gittest.New(t)}
	s.at, s.server = remotetest.Origin(t, s.Git, s.Env)
	return s
}

func (s *shop) remote() remote.Remote { return remote.Of(s.repo().Program, "origin") }

func (s *shop) repo() *gitstate.Repo { return repotest.Open(s.T, s.Dir, s.Env) }

// tree makes a tree object that is different for each text.
func (s *shop) tree(text string) object.ID {
	s.T.Helper()
	s.Write("x", text)
	s.Git("add", "x")
	return object.ID(s.Git("write-tree"))
}

func (s *shop) there(ref refs.Name) string {
	s.T.Helper()
	out, _ := s.Try("git", "-C", s.at, "rev-parse", "-q", "--verify", string(ref))
	return strings.TrimSpace(out)
}

func (s *shop) swap(want remote.Outcome, moves ...remote.Move) remote.Answer {
	s.T.Helper()
	got, err := s.remote().Swap(s.T.Context(), moves...)
	if err != nil || got.Outcome != want {
		s.T.Fatalf("swap %v: %+v, %v; want %s", moves, got, err, want)
	}
	return got
}

func TestSwap_movesOnlyWhatIsAsItWasSeen(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a, b, c := s.tree("a"), s.tree("b"), s.tree("c")
	s.swap(remote.Moved, remote.Move{Ref: one, New: a})
	s.swap(remote.Stale, remote.Move{Ref: one, New: b}) // the ref exists already
	s.swap(remote.Moved, remote.Move{Ref: one, Old: a, New: b})
	s.swap(remote.Stale, remote.Move{Ref: one, Old: a, New: c})
	s.swap(remote.Moved, remote.Move{Ref: one, Old: a, New: b}) // a caller that lost the answer asks again and learns that the ref has moved
	s.swap(remote.Stale, remote.Move{Ref: one, Old: b, New: c}, remote.Move{Ref: two, Old: a, New: b})
	if s.there(one) != string(b) || s.there(two) != "" {
		t.Errorf("a stale swap moved %s to %s, and %s to %q", one, s.there(one), two, s.there(two))
	}
	s.swap(remote.Moved, remote.Move{Ref: one, Old: b, New: c}, remote.Move{Ref: two, New: b})
	s.swap(remote.Moved, remote.Move{Ref: one, Old: c}, remote.Move{Ref: two, Old: b})
	all, err := s.remote().List(t.Context())
	if err != nil || len(all) != 1 || all["refs/heads/main"] == "" {
		t.Errorf("the remote has %v, %v", all, err)
	}
}

func TestSwap_saysWhyTheServerRefuses(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.tree("a")
	hook := filepath.Join(s.at, "hooks", "update")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho only the release team may do this >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got := s.swap(remote.Refused, remote.Move{Ref: one, New: a}); !strings.Contains(got.Text, "only the release team may do this") {
		t.Errorf("%q", got.Text)
	}
	_ = os.Remove(hook)
	lock := filepath.Join(s.at, filepath.FromSlash(string(one))+".lock")
	if err := errors.Join(os.MkdirAll(filepath.Dir(lock), 0o755), os.WriteFile(lock, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	if got := s.swap(remote.Refused, remote.Move{Ref: one, New: a}); !strings.Contains(got.Text, ".lock") {
		t.Errorf("a lock that was left: %q", got.Text)
	}
	s.Git("-C", s.at, "config", "receive.advertiseAtomic", "false")
	if got := s.swap(remote.Refused, remote.Move{Ref: two, New: a}, remote.Move{Ref: "refs/resume/x", New: a}); !strings.Contains(got.Text, "atomic") {
		t.Errorf("%q", got.Text)
	}
	if s.there(one)+s.there(two) != "" {
		t.Error("a refused swap moved a ref")
	}
}

func TestSwap_guessesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.tree("a")
	s.server.Cut.Store(1)
	s.swap(remote.Unclear, remote.Move{Ref: one, New: a})
	if s.there(one) != string(a) {
		t.Error("the push did not arrive")
	}
	s.swap(remote.Moved, remote.Move{Ref: one, New: a}) // the same push again is answered with Moved, so the first push had arrived
	b := s.tree("b")
	s.server.Drop.Store(1)
	s.swap(remote.Stale, remote.Move{Ref: one, Old: a, New: b}) // git itself sent the push twice: the first one arrived, so the second one was stale
	s.swap(remote.Moved, remote.Move{Ref: one, Old: a, New: b})
	for _, code := range []int{403, 429, 503} {
		s.server.Refuse.Store(int32(code))
		if got := s.swap(remote.Unclear, remote.Move{Ref: two, New: a}); !strings.Contains(got.Text, fmt.Sprint(code)) {
			t.Errorf("%d: %q", code, got.Text)
		}
	}
	s.server.Close()
	if got := s.swap(remote.Unclear, remote.Move{Ref: two, New: a}); got.Text == "" {
		t.Error("no word about a server that is gone")
	}
}

// If a server accepts the connection and never answers, we give up after the deadline.
func TestRemote_hasADeadline(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	s.Git("remote", "set-url", "origin", "http://"+mute.Addr().String()+"/shop.git")
	r := s.remote()
	r.Deadline = 300 * time.Millisecond
	var late *remote.LateError
	if _, err := r.List(t.Context()); !errors.As(err, &late) {
		t.Errorf("list: %v", err)
	}
	if got, err := r.Swap(t.Context(), remote.Move{Ref: one, New: s.tree("a")}); err != nil || got.Outcome != remote.Unclear {
		t.Errorf("swap: %+v, %v", got, err)
	}
}

// Eight callers try to create the same ref, each with an object of its own. Exactly one may be told that it
// succeeded.
func TestSwap_hasOneWinner(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var ids []object.ID
	for i := range 8 {
		ids = append(ids, s.tree(fmt.Sprint("claim ", i)))
	}
	var group sync.WaitGroup
	won := make([]bool, len(ids))
	for i, id := range ids {
		r := s.remote()
		group.Go(func() {
			got, err := r.Swap(t.Context(), remote.Move{Ref: one, New: id})
			won[i] = got.Outcome == remote.Moved
			if err != nil || got.Outcome != remote.Moved && got.Outcome != remote.Stale {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
	group.Wait()
	n := 0
	for i, w := range won {
		if w {
			n++
			if s.there(one) != string(ids[i]) {
				t.Error("the winner's object is not there")
			}
		}
	}
	if n != 1 {
		t.Errorf("%d winners", n)
	}
}
