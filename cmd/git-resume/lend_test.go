package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// agentBranch is the only branch that the agent in these tests may push.
const agentBranch = "agent/fix"

// onlyBranches makes the server refuse every ref that is not a branch below agent/.
func (s *shop) onlyBranches() {
	s.T.Helper()
	const hook = "#!/bin/sh\ncase $1 in refs/heads/agent/*) exit 0;; esac\necho only agent/ may be pushed >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(s.at, "hooks", "update"), []byte(hook), 0o755); err != nil {
		s.T.Fatal(err)
	}
}

// cloud makes a clone for an agent to which the run was lent.
func (s *shop) cloud() *gittest.Repo {
	s.T.Helper()
	dir := filepath.Join(filepath.Dir(s.Dir), "cloud")
	s.Git("clone", "-q", "-b", agentBranch, s.server.URL+"/shop.git", dir)
	return s.In(dir)
}

// trailers returns the trailers with which a commit message names a task of the run.
func (s *shop) trailers(task string) string { return "Resume-Run: " + s.run + "\nResume-Task: " + task }

// branch returns the last commit of the run's branch.
func (s *shop) branch() string {
	s.T.Helper()
	return s.Git("rev-parse", "refs/heads/resume/"+s.run)
}

func TestLend_hostileBranches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		make func(s *shop, cloud *gittest.Repo)
		code int
		says string
		// comes is true if the run's branch gets the commits.
		comes bool
	}{
		{"no commit", func(s *shop, _ *gittest.Repo) {
			blob := s.there("hash-object", "-w", "HEAD")
			if err := os.WriteFile(filepath.Join(s.at, "refs", "heads", agentBranch), []byte(blob+"\n"), 0o600); err != nil {
				s.T.Fatal(err)
			}
		}, 129, "does not point to a commit that can be read", false},
		{"unrelated", func(s *shop, cloud *gittest.Repo) {
			cloud.Git("checkout", "-q", "--orphan", "new")
			cloud.Git("commit", "-q", "-m", "new\n\n"+s.trailers("two"))
			cloud.Git("push", "-q", "-f", "origin", "HEAD:"+agentBranch)
		}, 11, "have diverged", false},
		{"gone back", func(s *shop, cloud *gittest.Repo) {
			cloud.Git("push", "-q", "-f", "origin", "origin/main:"+agentBranch)
		}, 0, "nothing new on branch", false},
		{"files of git", func(s *shop, cloud *gittest.Repo) {
			blob := s.there("hash-object", "-w", "HEAD")
			tree, code := s.Try("sh", "-c", "printf '100644 blob "+blob+"\tconfig\n' | git -C "+s.at+" mktree")
			if code != 0 {
				s.T.Fatal(tree)
			}
			evil, code := s.Try("sh", "-c", "printf '040000 tree "+strings.TrimSpace(tree)+"\t.GIT\n' | git -C "+s.at+" mktree")
			if code != 0 {
				s.T.Fatal(evil)
			}
			commit := s.there("commit-tree", strings.TrimSpace(evil), "-p", agentBranch, "-m", "evil\n\n"+s.trailers("two"))
			s.there("update-ref", "refs/heads/"+agentBranch, commit)
		}, 16, "", false},
		{"names that are none", func(s *shop, cloud *gittest.Repo) {
			cloud.Git("commit", "-q", "--allow-empty", "-m", "red \x1b[31m\n\n"+s.trailers("../../x\x1b[0m")+"\nResume-Task: -rf")
			cloud.Git("commit", "-q", "--allow-empty", "-m", "other run\n\nResume-Run: other-abcd\nResume-Task: two")
			cloud.Git("push", "-q", "origin", "HEAD:"+agentBranch)
		}, 0, "2 commits are on the run's branch now, but finish no task", true},
		{"a merge with other files", func(s *shop, cloud *gittest.Repo) {
			s.Git("commit", "-q", "--allow-empty", "-m", "more on main")
			s.Git("push", "-q", s.at, "HEAD:refs/heads/agent/main")
			s.there("update-ref", "refs/heads/main", "refs/heads/agent/main")
			cloud.Git("fetch", "-q")
			cloud.Write("three.txt", "evil\n")
			cloud.Git("add", "-A")
			commit := cloud.Git("commit-tree", cloud.Git("write-tree"), "-p", "HEAD", "-p", "origin/main", "-m", "Merge branch 'main'\n\n"+s.trailers("two"))
			cloud.Git("push", "-q", "origin", commit+":refs/heads/"+agentBranch)
		}, 0, "(task two)", true},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.onlyBranches()
			says(s.Repo, 0, []string{"lent " + s.run}, "push", s.run, "--branch", agentBranch, "--to", "origin")
			c.make(s, s.cloud())
			before := s.branch()
			out := says(s.Repo, c.code, []string{c.says}, "pull", s.run, "--branch", agentBranch)
			if strings.ContainsRune(out, '\x1b') {
				t.Errorf("an escape sequence is printed: %q", out)
			}
			if now := s.branch(); (now != before) != c.comes {
				t.Errorf("the branch was %s and is %s", before, now)
			}
			if left := s.Git("for-each-ref", "refs/resume/incoming"); left != "" {
				t.Errorf("left: %s", left)
			}
			s.Write("go", "")
			if c.comes {
				says(s.Repo, 11, []string{"may come from elsewhere"}, "--auto", s.run)
				says(s.Repo, 11, []string{"may come from elsewhere"}, s.run, "--yes")
			}
			says(s.Repo, 0, nil, "status", s.run)
			s.Fsck()
		})
	}
}

func TestLend_lostAnswers(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.onlyBranches()
	s.server.Refuse.Store(503)
	says(s.Repo, 16, []string{"was not sent to remote 'origin'", "503"}, "push", s.run, "--branch", agentBranch, "--to", "origin")
	says(s.Repo, 16, nil, "push", s.run, "--to", "origin")
	s.server.Refuse.Store(0)
	if out := says(s.Repo, 0, nil, "status"); strings.Contains(out, "lent") {
		t.Errorf("a refused loan is recorded: %s", out)
	}
	s.server.Cut.Store(1)
	says(s.Repo, 0, []string{"lent " + s.run}, "push", s.run, "--branch", agentBranch, "--to", "origin")
	if got := s.there("rev-parse", agentBranch); got != s.branch() {
		t.Errorf("the server has %s", got)
	}
	s.server.Down.Store(true)
	says(s.Repo, 16, []string{"cannot be reached"}, "pull", s.run, "--branch", agentBranch)
	s.server.Down.Store(false)
	says(s.Repo, 0, []string{"lent as branch agent/fix"}, "status")
	says(s.Repo, 0, []string{"nothing new"}, "pull", s.run, "--branch", agentBranch)
}

func TestLend_sharedRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	s := newShop(t)
	says(s.Repo, 0, nil, "push", s.run, "--to", "origin")
	says(s.Repo, 0, []string{"lent " + s.run, "keeps the lease of " + s.run + " at origin while the run is lent"}, "push", s.run, "--branch", agentBranch)
	other := s.another("other")
	says(other, 13, []string{"has the lease of run"}, "work", s.run, "--remote", "origin", "--plan", "plan.yaml")
	says(s.Repo, 0, nil, "push", s.run) // this push sends the record, but does not give the lease back
	says(other, 13, nil, "work", s.run, "--remote", "origin", "--plan", "plan.yaml")

	cloud := s.cloud()
	cloud.Write("two.txt", "2\n")
	cloud.Git("add", "-A")
	cloud.Git("commit", "-q", "-m", "two\n\n"+s.trailers("two"))
	cloud.Git("push", "-q", "origin", "HEAD")
	s.Git("remote", "add", "second", s.at)
	s.Git("remote", "set-url", "second", s.at+".git")
	says(s.Repo, 11, []string{"is shared at remote 'origin', not at 'second'"}, "pull", s.run, "--branch", agentBranch, "--from", "second")
	says(s.Repo, 0, []string{"1 commit from branch agent/fix at origin", "has the lease"}, "pull", s.run, "--branch", agentBranch)
	says(s.Repo, 0, []string{"Anybody can continue the run now."}, "push", s.run)
	says(other, 0, nil, "work", s.run, "--remote", "origin", "--plan", "plan.yaml")
	if got := s.there("log", "--format=%s", "refs/resume/heads/"+s.run); strings.Count(got, "two") != 1 {
		t.Errorf("task two was done again: %s", got)
	}
}

func TestShare_firstPushThatFailed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.onlyBranches()
	says(s.Repo, 16, []string{"only agent/ may be pushed", "--branch BRANCH"}, "push", s.run, "--to", "origin")
	says(s.Repo, 1, []string{"failed with exit code 1"}, s.run, "--yes", "--retry")
	if err := os.Remove(filepath.Join(s.at, "hooks", "update")); err != nil {
		t.Fatal(err)
	}
	s.server.Refuse.Store(503)
	says(s.Repo, 16, nil, "push", s.run, "--to", "origin")
	s.server.Refuse.Store(0)
	says(s.Repo, 1, []string{"failed with exit code 1"}, s.run, "--yes", "--retry")
	if got := s.there("for-each-ref", "--format=%(refname)", "refs/resume"); !strings.Contains(got, s.journal()) {
		t.Errorf("the remote has %s", got)
	}
}
