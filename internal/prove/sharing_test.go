package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// lentTo is the branch at the server to which these scenarios send the commits of a run, so that somebody can work on it there.
const lentTo = "agent/fix"

// sharings are scenarios that lend a run to a branch at a server, or take the run back.
func sharings() []scenario {
	nothing := func(facts) error { return nil }
	return []scenario{
		{name: "lend a run", prepare: served, args: []string{"push", job1, "--branch", lentTo, "--to", "origin"}, after: nothing, again: lendAgain,
			kept: func(r *gittest.Repo, _ witness) error {
				if got, want := r.Git("-C", server(r), "rev-parse", lentTo), r.Git("rev-parse", "HEAD"); got != want {
					return fmt.Errorf("the server has %s, want %s", got, want)
				}
				if out := r.MustResume("status"); !strings.Contains(out, "lent as branch "+lentTo) {
					return fmt.Errorf("the run is not lent: %s", out)
				}
				return nil
			}},
		{name: "take a run back", prepare: lentRun, args: []string{"pull", job1, "--branch", lentTo}, after: nothing, mayChange: isReadme,
			kept: func(r *gittest.Repo, _ witness) error {
				if got, want := r.Git("rev-parse", "HEAD"), r.Git("-C", server(r), "rev-parse", lentTo); got != want {
					return fmt.Errorf("the branch ends with %s, want %s", got, want)
				}
				if out := r.MustResume("status"); strings.Contains(out, "lent as branch") {
					return fmt.Errorf("the run is still lent: %s", out)
				}
				return onceOnBranch(r, "b")
			}},
	}
}

// lendAgain repeats the command that lends the run. Before that it removes the lock file that a killed git may have left at the server, as
// an administrator of the server would do.
func lendAgain(r *gittest.Repo) (string, int) {
	lock := filepath.Join(server(r), "refs", "heads", lentTo+".lock")
	if err := os.Remove(lock); err != nil && !os.IsNotExist(err) {
		r.T.Fatal(err)
	}
	return repeatUntilDone("push", job1, "--branch", lentTo, "--to", "origin")(r)
}

// server returns the folder of the remote.
func server(r *gittest.Repo) string { return filepath.Join(filepath.Dir(r.Dir), "server.git") }

// served starts a run in a repository with a remote.
func served(r *gittest.Repo) *gittest.Repo {
	r.Git("init", "-q", "--bare", server(r))
	r.Git("remote", "add", "origin", "../server.git")
	return started(r)
}

// finishing returns a commit message which says that the commit finishes a task. The trailers in the message name the task and the newest run.
func finishing(r *gittest.Repo, task string) string {
	return "by somebody else\n\nResume-Run: " + newest(readFacts(r)) + "\nResume-Task: " + task
}

// elsewhere makes a commit on top of the commit "parent". The new commit finishes a task, changes README and adds a file. It is on no
// branch.
func elsewhere(r *gittest.Repo, parent, task string) string {
	old := r.Git("rev-parse", parent+":README")
	blob, _ := r.Try("sh", "-c", "echo written by somebody else | git hash-object -w --stdin")
	blob = strings.TrimSpace(blob)
	tree, code := r.Try("sh", "-c", fmt.Sprintf(`{ git ls-tree %s | sed s/%s/%s/; printf '100644 blob %s\tby-%s\n'; } | git mktree`, parent, old, blob, blob, task))
	if code != 0 {
		r.T.Fatal(tree)
	}
	return r.Git("commit-tree", "-p", parent, "-m", finishing(r, task), strings.TrimSpace(tree))
}

// lentRun is a run that was lent, and whose borrower has finished a task.
func lentRun(r *gittest.Repo) *gittest.Repo {
	served(r).MustResume("push", job1, "--branch", lentTo, "--to", "origin")
	r.Git("push", "-q", "origin", elsewhere(r, "HEAD", "b")+":refs/heads/"+lentTo)
	return r
}

func isReadme(path string) bool { return filepath.Base(path) == "README" }

// onceOnBranch returns an error unless exactly one commit of the branch names the task, and the worktree has the files of that commit.
func onceOnBranch(r *gittest.Repo, task string) error {
	if _, code := r.Try("git", "diff", "--quiet", "HEAD", "--", "README", "by-"+task); code != 0 {
		return fmt.Errorf("the files of task %s are not in the worktree", task)
	}
	if n := strings.Count(r.Git("log", "--format=%B", "HEAD"), "Resume-Task: "+task+"\n"); n != 1 {
		return fmt.Errorf("%d commits name task %s", n, task)
	}
	return nil
}
