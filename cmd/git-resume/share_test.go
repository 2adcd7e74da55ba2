package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/remote/remotetest"
	"github.com/git-resume/git-resume/internal/gittest"
)

const sharedPlan = "name: job\ntasks:\n  - id: one\n    run: echo 1 >one.txt\n  - id: two\n    run: test -e go\n  - id: three\n    run: echo 3 >three.txt\n"

// shop is a repository with a run that stopped at its second task. Its remote is served from the folder in the field "at".
type shop struct {
	*gittest.Repo
	at     string
	server *remotetest.Server
	run    string
}

func newShop(t *testing.T) *shop {
	t.Helper()
	s := &shop{Repo: gittest.New(t)}
	s.Write("plan.yaml", sharedPlan)
	s.Git("add", "-A")
	s.Git("commit", "-q", "-m", "plan")
	s.at, s.server = remotetest.Origin(t, s.Git, s.Env)
	says(s.Repo, 1, nil, "start", "plan.yaml")
	s.run = strings.TrimSpace(s.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/"))
	return s
}

// The method "another" returns a clone of the remote.
func (s *shop) another(name string) *gittest.Repo {
	s.T.Helper()
	dir := filepath.Join(filepath.Dir(s.Dir), name)
	s.Git("clone", "-q", "-b", "main", s.server.URL+"/shop.git", dir)
	return s.In(dir)
}

// The method "there" runs git in the remote.
func (s *shop) there(args ...string) string {
	s.T.Helper()
	return s.Git(append([]string{"-C", s.at}, args...)...)
}

func (s *shop) journal() string { return "refs/resume/journal/" + s.run }

// The method "lines" adds lines to the journal at the remote. Anybody who may push to the remote can do this.
func (s *shop) lines(lines ...string) {
	s.T.Helper()
	file := filepath.Join(s.T.TempDir(), "lines")
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		s.T.Fatal(err)
	}
	blob := s.there("hash-object", "-w", file)
	out, code := s.Try("sh", "-c", fmt.Sprintf(`cd %s && { git ls-tree %s; printf '100644 blob %s\t%s\n'; } | git mktree`, s.at, s.journal(), blob, strings.Repeat("ab", 20)))
	if code != 0 {
		s.T.Fatal(out)
	}
	s.there("update-ref", s.journal(), strings.TrimSpace(out))
}

func leaseLine(seq int, id, more string) string {
	return fmt.Sprintf(`{"seq":"%010d","id":"%s","at":"2030-01-02T03:04:05.000000Z","event":"run.leased",%s,"v":1}`, seq, id, more)
}

func TestShare_aHostileRemoteIsNotBelieved(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		do   func(*shop)
		code int
		want string
	}{
		"rolled back": {func(s *shop) {
			old := s.there("rev-parse", s.journal())
			says(s.Repo, 0, nil, "pause", s.run)
			says(s.Repo, 0, nil, "push", s.run)
			s.there("update-ref", s.journal(), old)
		}, 11, "a record that the remote had before is missing"},
		"removed": {func(s *shop) { s.there("update-ref", "-d", s.journal()) }, 11, "records that the remote had before are missing"},
		"another run under this name": {func(s *shop) {
			says(s.Repo, 0, nil, "start", "--here", "--name", "other", "--task", "a")
			says(s.Repo, 0, nil, "push", "other", "--to", "origin")
			s.there("update-ref", s.journal(), strings.Fields(s.there("for-each-ref", "--format=%(objectname)", "refs/resume/journal/other-*"))[0])
			s.Git("update-ref", "-d", "refs/resume/remotes/origin/journal/"+s.run)
		}, 11, "the remote has another run under this name"},
		"two leases with one number": {func(s *shop) {
			s.lines(leaseLine(50, "x.1", `"lease":1,"last":40`), leaseLine(51, "y.1", `"lease":1,"last":40`))
		}, 11, "the leases at the remote contradict each other or an earlier state of the remote"},
		"a lease that takes back results": {func(s *shop) { s.lines(leaseLine(50, "x.1", `"lease":1`)) }, 11, "the leases at the remote contradict each other or an earlier state of the remote"},
		"a lease far ahead":               {func(s *shop) { s.lines(leaseLine(50, "x.1", `"lease":2147483647`)) }, 0, "1 new record"},
		"a lease of 2^53":                 {func(s *shop) { s.lines(leaseLine(50, "x.1", `"lease":9007199254740992`)) }, 0, "1 new record"},
		"a blob for a journal":            {func(s *shop) { s.there("update-ref", s.journal(), s.there("hash-object", "-w", "config")) }, 11, "it is not the record of a run"},
		"a tree for a branch": {func(s *shop) {
			s.there("update-ref", "refs/resume/heads/"+s.run, s.there("rev-parse", "main^{tree}"))
		}, 11, "the branch of the run does not point to a commit that can be read"},
		"a giant note": {func(s *shop) { s.lines(strings.Repeat(strings.Repeat("x", 99)+"\n", 100_000)) }, 11, "cannot be read"},
		"runs beside it": {func(s *shop) {
			s.there("update-ref", s.journal()+"x/y", "main")
			s.there("update-ref", s.journal()+"-evil", "main")
		}, 0, "nothing new"},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			says(s.Repo, 0, []string{"sent " + s.run + " to origin: 9 records and its branch"}, "push", s.run, "--to", "origin")
			c.do(s)
			tasks := says(s.Repo, 0, nil, "status", s.run, "--porcelain")
			before := s.Git("for-each-ref")
			says(s.Repo, c.code, []string{c.want}, "pull", s.run)
			if c.code != 0 {
				if after := s.Git("for-each-ref"); after != before {
					t.Errorf("was\n%s\nis\n%s", before, after)
				}
			}
			if left := s.Git("for-each-ref", "refs/resume/incoming"); left != "" {
				t.Errorf("left: %s", left)
			}
			if now := says(s.Repo, 0, nil, "status", s.run, "--porcelain"); now != tasks {
				t.Errorf("the state was\n%s\nand is\n%s", tasks, now)
			}
			s.Fsck()
		})
	}
}

func TestShare_restoresWhatARemoteLost(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	says(s.Repo, 0, nil, "push", s.run, "--to", "origin")
	old := s.there("rev-parse", s.journal())
	says(s.Repo, 0, nil, "pause", s.run)
	says(s.Repo, 0, nil, "push", s.run)
	whole := s.there("rev-parse", s.journal())
	s.there("update-ref", s.journal(), old)
	says(s.Repo, 11, []string{"git resume push " + s.run + " --restore"}, "push", s.run)
	says(s.Repo, 0, nil, "push", s.run, "--restore")
	if now := s.there("rev-parse", s.journal()); now != whole {
		t.Errorf("the remote has %s, want %s", now, whole)
	}
}

func TestShare_lostAnswers(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.server.Cut.Store(1)
	says(s.Repo, 0, []string{"sent " + s.run}, "push", s.run, "--to", "origin")
	says(s.Repo, 0, nil, "pause", s.run)
	s.server.Drop.Store(1)
	says(s.Repo, 0, nil, "push", s.run)
	says(s.Repo, 0, []string{"origin already has all records"}, "push", s.run)
	s.server.Refuse.Store(503)
	says(s.Repo, 0, nil, "undo", "-y", s.run)
	says(s.Repo, 16, []string{"503", "everything is recorded here", "git resume push " + s.run}, "push", s.run)
	s.server.Refuse.Store(0)
	says(s.Repo, 0, []string{"1 record"}, "push", s.run)
	s.there("config", "receive.advertiseAtomic", "false")
	says(s.Repo, 0, nil, "finish", s.run)
	says(s.Repo, 0, nil, "push", s.run)
	if got, want := s.there("rev-parse", s.journal()), s.Git("rev-parse", "refs/resume/journal/"+s.run+"^{tree}"); got != want {
		t.Errorf("the remote has %s, and here is %s", got, want)
	}
	s.server.Close()
	says(s.Repo, 16, []string{"remote 'origin' cannot be reached"}, "pull", s.run)
}

func TestShare_clonesAgree(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	says(s.Repo, 0, nil, "push", s.run, "--to", "origin")
	other := s.another("other")
	says(other, 0, []string{s.run + ": new here, 9 records from origin"}, "pull")
	says(other, 0, []string{"elsewhere  " + s.run, "shared at origin"}, "status")
	says(other, 11, []string{"took over " + s.run}, s.run, "--takeover", "--yes")
	says(other, 0, nil, "trust", s.run, "--yes")
	tree := filepath.Join(filepath.Dir(s.Dir), "other.worktrees", s.run)
	says(other, 1, nil, s.run, "--yes")
	if err := os.WriteFile(filepath.Join(tree, "go"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	says(other, 0, []string{"[3/3] three"}, s.run, "--yes", "--keep")
	says(other, 0, []string{"already has all records"}, "push", s.run) // each result was sent as soon as its task was done
	says(s.Repo, 0, []string{"On the run's branch, origin has 2 more commits than this clone"}, "pull", s.run)
	for range 3 {
		says(s.Repo, 0, nil, "push", s.run)
		says(other, 0, nil, "pull", s.run)
	}
	want := s.there("rev-parse", s.journal())
	for _, r := range []*gittest.Repo{s.Repo, other} {
		if got := r.Git("rev-parse", "refs/resume/journal/"+s.run+"^{tree}"); got != want {
			t.Errorf("%s has %s, the remote %s", r.Dir, got, want)
		}
	}
	says(other, 0, []string{"is no longer at origin"}, "unshare", s.run)
	if left := s.there("for-each-ref", "refs/resume"); left != "" {
		t.Errorf("at the remote is %s", left)
	}
	says(other, 129, []string{"is not shared"}, "unshare", s.run)
}

func TestShare_aRunThatIsNotSharedCostsNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r, calls := s.Repo.Counting()
	for _, line := range []string{"status", "status --all", "log " + s.run, s.run + " --auto", "pause " + s.run, "discard -y " + s.run, "undo -y", "doctor"} {
		r.Try("sh", "-c", "git-resume "+line)
	}
	for _, c := range calls() {
		for _, word := range []string{"fetch", "push", "ls-remote", "remote", "refs/resume/remotes", "refs/resume/incoming", "refs/resume/parked"} {
			if strings.Contains(" "+c+" ", " "+word) {
				t.Errorf("git %s", c)
			}
		}
	}
	if len(calls()) == 0 {
		t.Error("no call was counted")
	}
	if refs := s.Git("for-each-ref", "refs/resume/remotes", "refs/resume/incoming", "refs/resume/parked"); refs != "" {
		t.Errorf("refs: %s", refs)
	}
	if _, err := os.Stat(filepath.Join(s.Dir, ".git", "resume", "seen")); err == nil {
		t.Error("there is a file about a remote")
	}
}

func TestShare_firstPushThatFailed(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	hook := filepath.Join(s.at, "hooks", "update")
	if err := os.WriteFile(hook, []byte("#!/bin/sh\necho nothing may be pushed >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	says(s.Repo, 16, []string{"nothing may be pushed"}, "push", s.run, "--to", "origin")
	says(s.Repo, 1, []string{"failed with exit code 1"}, s.run, "--yes", "--retry")
	if err := os.Remove(hook); err != nil {
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

// Commits that a person pulls into the run's worktree with git may be anybody's. Their trailers count, but a person has to agree before a
// command of the run uses their files.
func TestShare_commitsThatGitPulled(t *testing.T) {
	t.Parallel()
	for name, commit := range map[string]func(s *shop, agent *gittest.Repo, trailers string){
		"a task": func(s *shop, agent *gittest.Repo, trailers string) {
			agent.Git("commit", "-q", "--allow-empty", "-m", "two\n\n"+trailers+"two")
		},
		"names that are none": func(s *shop, agent *gittest.Repo, trailers string) {
			agent.Git("commit", "-q", "--allow-empty", "-m", "red \x1b[31m\n\n"+trailers+"../../x\x1b[0m\nResume-Task: -rf")
			agent.Git("commit", "-q", "--allow-empty", "-m", "other run\n\nResume-Run: other-abcd\nResume-Task: two")
		},
		"a merge with other files": func(s *shop, agent *gittest.Repo, trailers string) {
			s.Git("commit", "-q", "--allow-empty", "-m", "more on main")
			s.Git("push", "-q", s.at, "HEAD:refs/heads/main")
			agent.Git("fetch", "-q")
			agent.Write("three.txt", "evil\n")
			agent.Git("add", "-A")
			agent.Git("reset", "-q", "--hard", agent.Git("commit-tree", agent.Git("write-tree"), "-p", "HEAD", "-p", "origin/main", "-m", "Merge branch 'main'\n\n"+trailers+"two"))
		},
	} {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := newShop(t)
			s.Git("push", "-q", s.at, "refs/heads/resume/"+s.run+":refs/heads/agent/fix")
			agent := s.another("agent")
			agent.Git("switch", "-q", "agent/fix")
			commit(s, agent, "Resume-Run: "+s.run+"\nResume-Task: ")
			agent.Git("push", "-q", "origin", "HEAD:agent/fix")
			tree := s.In(filepath.Join(filepath.Dir(s.Dir), filepath.Base(s.Dir)+".worktrees", s.run))
			tree.Git("pull", "-q", "--ff-only", s.at, "agent/fix")
			for _, args := range [][]string{{"--auto", s.run}, {s.run, "--yes"}} {
				if out := says(s.Repo, 11, []string{"may come from elsewhere"}, args...); strings.ContainsRune(out, '\x1b') {
					t.Errorf("an escape sequence is printed: %q", out)
				}
			}
			done := "2 of 3 done"
			if name == "names that are none" {
				done = "1 of 3 done"
			}
			says(s.Repo, 0, []string{done}, "status")

			// What comes after an approval was not approved with it.
			says(s.Repo, 0, nil, "trust", s.run, "--yes")
			tree.Git("merge", "-q", "--ff-only", tree.Git("commit-tree", "-p", "HEAD", "-m", "later", "HEAD^{tree}"))
			says(s.Repo, 11, []string{"may come from elsewhere"}, s.run, "--yes")
			says(s.Repo, 0, nil, "trust", s.run, "--yes")
			tree.Write("go", "")
			says(s.Repo, 0, []string{"[3/3] three"}, s.run, "--yes", "--keep")
			s.Fsck()
		})
	}
}

func TestShare_doctorChecksTheRemote(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	doctor := func(want string, args ...string) {
		t.Helper()
		out, _ := s.Try("git-resume", append([]string{"doctor"}, args...)...) // it also looks for manual pages, which are not installed here
		got := ""
		for line := range strings.Lines(out) {
			if strings.Contains(line, " remote ") {
				got += line
			}
		}
		if !strings.HasPrefix(got, want) || want == "" && got != "" || strings.Count(got, "\n") > 1 {
			t.Errorf("doctor %v says %q, want %q", args, got, want)
		}
	}
	doctor("")
	says(s.Repo, 0, nil, "push", s.run, "--to", "origin")
	doctor("ok    remote       origin can keep the record of runs\n")
	doctor("", "--fix")
	s.there("config", "transfer.hideRefs", "refs/resume/check")
	doctor("look  remote       origin cannot keep the record of runs, because a ref below refs/resume cannot be created: deny updating a hidden ref\n")
	s.server.Close()
	doctor("")
}
