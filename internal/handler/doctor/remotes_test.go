package doctor

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m) }

// shop is a repository with a remote. The field "at" is the folder of the remote repository, which the field "server" offers over HTTP.
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

// try checks the remote. The result is nil if the remote does not answer.
func (s *shop) try() *Check {
	s.T.Helper()
	got, err := tryRemote(s.T.Context(), repotest.Open(s.T, s.Dir, s.Env), "origin", 20*time.Second)
	if err != nil {
		s.T.Fatal(err)
	}
	return got
}

// there lists the refs at the remote.
func (s *shop) there() string {
	s.T.Helper()
	return s.Git("-C", s.at, "for-each-ref", "--format=%(refname)")
}

// hook installs an "update" hook in the remote, which can refuse pushes.
func (s *shop) hook(script string) {
	s.T.Helper()
	if err := os.WriteFile(filepath.Join(s.at, "hooks", "update"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		s.T.Fatal(err)
	}
}

func TestTryRemote_leavesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	before := s.Git("count-objects", "-v") + s.Git("for-each-ref")
	if c := s.try(); c == nil || !c.Well || c.Text != "origin can keep the record of runs" {
		t.Errorf("%+v", c)
	}
	if after := s.Git("count-objects", "-v") + s.Git("for-each-ref"); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	if got := s.there(); got != "refs/heads/main" {
		t.Errorf("at the remote are: %s", got)
	}
}

func TestTryRemote_tellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	const zeros = `case $2 in *[!0]*) old=1;; *) old=;; esac; case $3 in *[!0]*) new=1;; *) new=;; esac`
	for _, c := range []struct {
		name string
		set  func(*shop)
		want string
		left bool
	}{
		{"no refs of ours", func(s *shop) { s.Git("-C", s.at, "config", "transfer.hideRefs", "refs/resume") }, "origin cannot keep the record of runs, because a ref below refs/resume cannot be created: deny updating a hidden ref", false},
		{"no replacement", func(s *shop) {
			s.hook(zeros + `; test -z "$old" || test -z "$new" || { echo no changes >&2; exit 1; }`)
		}, "origin cannot keep the record of runs, because a push cannot replace a ref below refs/resume: remote: no changes", false},
		{"no removal", func(s *shop) { s.hook(zeros + `; test -n "$new" || { echo nothing is removed here >&2; exit 1; }`) }, "origin does not let anybody remove a ref below refs/resume: remote: nothing is removed here", true},
		{"no permission", func(s *shop) { s.server.Refuse.Store(403) }, "origin cannot keep the record of runs, because a ref below refs/resume cannot be created: ", false},
		{"nobody", func(s *shop) { s.server.Close() }, "", false},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			c.set(s)
			got := s.try()
			switch {
			case got == nil && c.want == "":
			case got == nil || got.Well || c.want == "" || !strings.HasPrefix(got.Text, c.want):
				t.Errorf("%+v", got)
			case c.left != strings.HasPrefix(got.Help, "git push origin :refs/resume/check/"), c.left != (s.there() != "refs/heads/main"):
				t.Errorf("%+v; at the remote are: %s", got, s.there())
			}
		})
	}
}

// The check pushes a ref as a trial. The push succeeds, but the remote's answer is lost. The check still removes the ref from the remote.
func TestTryRemote_removesWhatALostAnswerLeft(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.server.Cut.Store(1)
	if c := s.try(); c != nil {
		t.Errorf("%+v", c)
	}
	if got := s.there(); got != "refs/heads/main" {
		t.Errorf("at the remote are: %s", got)
	}
}

// A server accepts the connection and never answers. The check gives up after the deadline.
func TestTryRemote_doesNotWaitForever(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	s.Git("remote", "set-url", "origin", "http://"+mute.Addr().String()+"/shop.git")
	if c, err := tryRemote(t.Context(), repotest.Open(t, s.Dir, s.Env), "origin", 300*time.Millisecond); err != nil || c != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

// Ctrl-C ends the check after the server has moved a ref, but before it has answered. This happens at the first push, which creates the
// ref, or at the second push, which replaces it. The check must still remove the ref.
func TestTryRemote_removesWhatCtrlCLeft(t *testing.T) {
	t.Parallel()
	for n, name := range []string{"created", "replaced"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			dir := t.TempDir()
			script := fmt.Sprintf("#!/bin/sh\ncd %s && echo >>pushes && test $(wc -l <pushes) = %d && touch reached && sleep 1\nexit 0\n", dir, n+1)
			if err := os.WriteFile(filepath.Join(s.at, "hooks", "post-receive"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithCancel(t.Context())
			go func() {
				for ctx.Err() == nil {
					if _, err := os.Stat(filepath.Join(dir, "reached")); err == nil {
						stop()
					}
					time.Sleep(10 * time.Millisecond)
				}
			}()
			_, err := tryRemote(ctx, repotest.Open(t, s.Dir, s.Env), "origin", 20*time.Second)
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			if got := s.there(); got != "refs/heads/main" {
				t.Errorf("at the remote are: %s", got)
			}
		})
	}
}
