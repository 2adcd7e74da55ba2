package sharing_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/gitstate/repotest"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler/sharing"
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

func (s *shop) check() *sharing.Report {
	s.T.Helper()
	got, err := sharing.Checker{Repo: repotest.Open(s.T, s.Dir, s.Env), Deadline: 20 * time.Second, Now: time.Now}.Check(s.T.Context(), "origin")
	if err != nil {
		s.T.Fatal(err)
	}
	return got
}

// hook installs an "update" hook in the remote, which can refuse pushes.
func (s *shop) hook(script string) {
	s.T.Helper()
	if err := os.WriteFile(filepath.Join(s.at, "hooks", "update"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		s.T.Fatal(err)
	}
}

func failed(r *sharing.Report) (out []sharing.Property) {
	for _, t := range r.Trials {
		if !t.Holds {
			out = append(out, t.Property)
		}
	}
	return out
}

func TestCheck_leavesNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	before := s.Git("count-objects", "-v") + s.Git("for-each-ref")
	if r := s.check(); !r.Fit() || len(r.Trials) != 7 || r.Refs != 1 {
		t.Errorf("%+v", r)
	}
	if after := s.Git("count-objects", "-v") + s.Git("for-each-ref"); after != before {
		t.Errorf("was\n%s\nis\n%s", before, after)
	}
	if got := s.Git("-C", s.at, "for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("at the remote are: %s", got)
	}
}

func TestCheck_tellsWhatIsMissing(t *testing.T) {
	t.Parallel()
	const zeros = `case $2 in *[!0]*) old=1;; *) old=;; esac; case $3 in *[!0]*) new=1;; *) new=;; esac`
	for _, c := range []struct {
		name string
		set  func(*shop)
		want []sharing.Property
		left int
		text string
	}{
		{"no refs of ours", func(s *shop) { s.Git("-C", s.at, "config", "transfer.hideRefs", "refs/resume") }, []sharing.Property{sharing.Create}, 0, "hidden ref"},
		{"no replacement", func(s *shop) {
			s.hook(zeros + `; test -z "$old" || test -z "$new" || { echo no changes >&2; exit 1; }`)
		}, []sharing.Property{sharing.Replace}, 0, "no changes"},
		{"no removal", func(s *shop) { s.hook(zeros + `; test -n "$new" || { echo nothing is removed here >&2; exit 1; }`) }, []sharing.Property{sharing.Remove}, 3, "nothing is removed here"},
		{"no refs together", func(s *shop) { s.Git("-C", s.at, "config", "receive.advertiseAtomic", "false") }, []sharing.Property{sharing.Atomic}, 0, "--atomic"},
		{"no permission", func(s *shop) { s.server.Refuse.Store(403) }, []sharing.Property{sharing.Create}, 0, "403"},
		{"nobody", func(s *shop) { s.server.Close() }, []sharing.Property{sharing.Reach}, 0, ""},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			c.set(s)
			r := s.check()
			if got := failed(r); !slices.Equal(got, c.want) || r.Fit() || len(r.Left) != c.left {
				t.Fatalf("failed: %v, left %v", got, r.Left)
			}
			at := slices.IndexFunc(r.Trials, func(x sharing.Trial) bool { return !x.Holds })
			if text := r.Trials[at].Text; !strings.Contains(text, c.text) || text == "" {
				t.Errorf("told %q", text)
			}
		})
	}
}

// The check of a remote pushes a ref as a trial. The push succeeds, but the remote's answer is lost. The check still removes the ref from
// the remote.
func TestCheck_removesWhatALostAnswerLeft(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.server.Cut.Store(1)
	r := s.check()
	if got := failed(r); !slices.Equal(got, []sharing.Property{sharing.Create}) || len(r.Left) > 0 {
		t.Errorf("failed: %v, left %v", got, r.Left)
	}
	if got := s.Git("-C", s.at, "for-each-ref", "--format=%(refname)"); got != "refs/heads/main" {
		t.Errorf("at the remote are: %s", got)
	}
}

// A server accepts the connection and never answers. The check gives up after the deadline.
func TestCheck_doesNotWaitForever(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	mute, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mute.Close() })
	s.Git("remote", "set-url", "origin", "http://"+mute.Addr().String()+"/shop.git")
	r, err := sharing.Checker{Repo: repotest.Open(t, s.Dir, s.Env), Deadline: 300 * time.Millisecond, Now: time.Now}.Check(t.Context(), "origin")
	if err != nil || !slices.Equal(failed(r), []sharing.Property{sharing.Reach}) || !strings.Contains(r.Trials[0].Text, "no answer within") {
		t.Errorf("%+v, %v", r, err)
	}
}

// Ctrl-C ends the check after the server has moved a ref, but before it has answered. This happens at the first push, which creates the
// ref, or at the second push, which replaces it. The check must still remove the ref.
func TestCheck_removesWhatCtrlCLeft(t *testing.T) {
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
			_, err := sharing.Checker{Repo: repotest.Open(t, s.Dir, s.Env), Deadline: 20 * time.Second, Now: time.Now}.Check(ctx, "origin")
			if !errors.Is(err, context.Canceled) {
				t.Errorf("the error is %v", err)
			}
			if got := s.Git("-C", s.at, "for-each-ref", "--format=%(refname)", "refs/resume"); got != "" {
				t.Errorf("at the remote are: %s", got)
			}
		})
	}
}
