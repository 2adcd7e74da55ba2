package anywhere

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestRemote_namedByTheUser shares a run through the repository that GIT_RESUME_TEST_REMOTE names. One clone begins the run, and another
// clone finishes it. The test pushes a new branch to that repository, and removes everything again. It passes SSH_AUTH_SOCK and
// GIT_SSH_COMMAND on to git.
func TestRemote_namedByTheUser(t *testing.T) {
	url := os.Getenv("GIT_RESUME_TEST_REMOTE")
	if url == "" {
		t.Skip("GIT_RESUME_TEST_REMOTE names no repository to which this test may push")
	}
	s := &shop{T: t, root: t.TempDir(), chance: rand.New(rand.NewPCG(1, 2))}
	s.server = filepath.Join(s.root, "unused", "x")
	branch := "git-resume-trial-" + filepath.Base(s.root) + strings.ReplaceAll(filepath.Base(filepath.Dir(s.root)), "_", "-")
	open := func(name string) *gittest.Repo {
		r := s.machine(name, nil)
		for _, v := range []string{"SSH_AUTH_SOCK", "GIT_SSH_COMMAND"} {
			if text := os.Getenv(v); text != "" {
				r.Env = append(r.Env, v+"="+text)
			}
		}
		r.Git("init", "-q", "-b", branch, ".")
		r.Git("remote", "add", "origin", url)
		return r
	}
	first := open("m0")
	first.Write("plan.yaml", s.makePlan(3))
	first.Git("add", "-A")
	first.Git("commit", "-q", "-m", "plan")
	first.Git("push", "-q", "origin", branch)
	defer first.Git("push", "-q", "origin", "--delete", branch)
	t.Log(first.MustResume("remote", "check", "origin"))
	if out, code := first.Resume("start", "plan.yaml"); code != 1 {
		t.Fatalf("start: exit code %d\n%s", code, out)
	}
	s.run = first.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/")
	first.MustResume("push", s.run, "--to", "origin")
	if err := os.WriteFile(filepath.Join(s.root, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	second := open("m1")
	second.Git("fetch", "-q", "origin", branch)
	second.Git("reset", "-q", "--hard", "FETCH_HEAD")
	s.work(second, 0)
	if out := s.work(first, 0); !strings.Contains(out, "nothing is left to do") {
		t.Errorf("%s", out)
	}
	first.MustResume("pull", s.run)
	first.MustResume("unshare", s.run)
	if left := first.Git("ls-remote", "origin", "refs/resume/*/"+s.run); left != "" {
		t.Errorf("the server still has %s", left)
	}
}
