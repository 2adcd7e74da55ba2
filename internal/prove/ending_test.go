package prove

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// newBranchRepo makes a repository with a branch of four commits that are not on main. main has one new commit.
func newBranchRepo(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.Git("checkout", "-q", "-b", "topic")
	for _, name := range []string{"t1", "t2", "t3", "t4"} {
		r.Write(name, name+"\n")
		r.Git("add", name)
		r.Git("commit", "-q", "-m", name)
	}
	r.Git("format-patch", "-q", "-o", "../patches", "main")
	r.Git("checkout", "-q", "main")
	r.Write("zero", "zero\n")
	r.Git("add", "zero")
	r.Git("commit", "-q", "-m", "zero")
	r.Git("checkout", "-q", "topic")
	return r
}

func killGit(t *testing.T, r *gittest.Repo, at traceJob, args ...string) outcome {
	t.Helper()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	at.Args, at.Dir, at.Env = append([]string{git}, args...), r.Dir, r.Env
	return trace(t, at)
}

// operationReported returns what the program reports about an unfinished operation of git. Both results are "" if it reports none.
func operationReported(t *testing.T, r *gittest.Repo) (stop, headline string) {
	t.Helper()
	var told struct {
		Runs []struct {
			Headline string
			Protocol struct{ Stop string }
		}
	}
	out, code := r.Resume("status", "--json")
	if err := json.Unmarshal([]byte(out), &told); code != 0 || err != nil || len(told.Runs) > 1 {
		t.Fatalf("status: exit code %d, %v\n%s", code, err, out)
	}
	if len(told.Runs) == 0 {
		return "", ""
	}
	return told.Runs[0].Protocol.Stop, told.Runs[0].Headline
}

// TestKill_rebaseAtItsEnd kills a rebase at system calls after it starts to move its branch. Git then removes its state files one by one,
// and the remaining files look like a rebase that has just started.
func TestKill_rebaseAtItsEnd(t *testing.T) {
	needTracer(t)
	step := 5
	if gittest.Proving() {
		step = 1
	}
	for n := 2; ; n += step {
		r := newBranchRepo(t)
		at := traceJob{N: n, All: true, After: call{"git rebase", "rename", "refs/heads/topic"}}
		if out := killGit(t, r, at, "rebase", "main"); !out.Fired {
			if n < 15 {
				t.Errorf("only %d calls", n)
			}
			return
		}
		left, _ := os.ReadDir(filepath.Join(r.Dir, ".git", "rebase-merge"))
		stop, headline := operationReported(t, r)
		if len(left) > 0 && !strings.Contains(headline, "is done, except for the cleanup") {
			t.Errorf("call %d, left %v: %s, %s", n, left, stop, headline)
		}
		if out, code := r.Resume("--yes"); code != 0 {
			t.Errorf("call %d, left %v: exit code %d\n%s", n, left, code, out)
		}
		if _, err := os.Lstat(filepath.Join(r.Dir, ".git", "rebase-merge")); err == nil {
			t.Errorf("call %d, left %v: the folder is still there", n, left)
		}
		if got := r.Git("log", "--format=%s", "main..topic"); got != "t4\nt3\nt2\nt1" || r.Git("symbolic-ref", "HEAD") != "refs/heads/topic" {
			t.Errorf("call %d: topic has %q, HEAD is %s", n, got, r.Git("rev-parse", "--symbolic-full-name", "HEAD"))
		}
		if got := r.Git("status", "--porcelain"); got != "" {
			t.Errorf("call %d: %s", n, got)
		}
	}
}

// TestKill_rebaseAtItsBeginning finishes a rebase, and kills a second rebase at system calls before it moves HEAD. The second rebase must
// not look finished because of what the first one left.
func TestKill_rebaseAtItsBeginning(t *testing.T) {
	needTracer(t)
	step := 6
	if gittest.Proving() {
		step = 1
	}
	r := newBranchRepo(t)
	r.Git("rebase", "-q", "main")
	r.Git("branch", "other", "HEAD~4")
	at := r.Git("rev-parse", "HEAD")
	seen := 0
	for n := 1; ; n += step {
		killGit(t, r, traceJob{N: n, All: true}, "rebase", "--onto", "other~1", "other")
		if _, attached := r.Try("git", "symbolic-ref", "-q", "HEAD"); attached != 0 || r.Git("rev-parse", "HEAD") != at {
			break
		}
		if left, _ := os.ReadDir(filepath.Join(r.Dir, ".git", "rebase-merge")); len(left) > 0 {
			seen++
			if stop, headline := operationReported(t, r); stop == "clearing" || strings.Contains(headline, "is done") {
				t.Errorf("call %d, left %v: %s, %s", n, left, stop, headline)
			}
		}
		for _, name := range []string{"rebase-merge", "index.lock", "HEAD.lock"} {
			if err := os.RemoveAll(filepath.Join(r.Dir, ".git", name)); err != nil {
				t.Fatal(err)
			}
		}
		r.Git("reset", "-q", "--hard")
	}
	if seen == 0 {
		t.Error("no kill left anything")
	}
}

// TestKill_whileNotesAreRemoved kills am and cherry-pick while git removes their state files.
func TestKill_whileNotesAreRemoved(t *testing.T) {
	needTracer(t)
	for _, c := range []struct {
		name, on     string
		args         []string
		dir, file    string
		says, choice string
		subjects     string
	}{
		{"am", "main", []string{"am", "-3", "../patches/0001-t1.patch", "../patches/0002-t2.patch"}, "rebase-apply", "last",
			"am on main is done, except for the cleanup", "", "t2 t1 zero"},
		{"am whose count is gone", "main", []string{"am", "-3", "../patches/0001-t1.patch", "../patches/0002-t2.patch"}, "rebase-apply", "threeway",
			"am on main was interrupted while git removed its state files", "quit", "t2 t1 zero"},
		{"picks", "main", []string{"cherry-pick", "topic~3", "topic~2"}, "sequencer", "head",
			"cherry-pick on main was interrupted while git removed its state files", "quit", "t2 t1 zero"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := newBranchRepo(t)
			r.Git("checkout", "-q", c.on)
			before := r.Git("rev-parse", "HEAD")
			file := filepath.Join(r.Dir, ".git", c.dir, c.file)
			if out := killGit(t, r, traceJob{Match: call{"git", "unlink", "/" + c.dir + "/" + c.file}}, c.args...); !out.Fired {
				t.Skipf("this git never removes %s alone", file)
			}
			// Git removes the state files in an order that depends on the file system.
			// Remove the other files here, so that the state is the same everywhere.
			switch c.file {
			case "threeway":
				remove(t, r, "rebase-apply/next", "rebase-apply/last", "rebase-apply/applying")
			case "head":
				remove(t, r, "sequencer/todo")
			}
			if _, headline := operationReported(t, r); headline != c.says {
				t.Errorf("told: %s", headline)
			}
			out, code := r.Resume("--yes")
			if c.choice != "" {
				if code != 11 {
					t.Errorf("undecided: exit code %d\n%s", code, out)
				}
				out, code = r.Resume("--yes", "--choose", c.choice)
			}
			if _, err := os.Lstat(filepath.Dir(file)); code != 0 || err == nil {
				t.Errorf("exit code %d, the folder is there: %v\n%s", code, err == nil, out)
			}
			if got := strings.ReplaceAll(r.Git("log", "--format=%s", before+"~1.."), "\n", " "); got != c.subjects {
				t.Errorf("HEAD has %q", got)
			}
		})
	}
}

func remove(t *testing.T, r *gittest.Repo, names ...string) {
	t.Helper()
	for _, name := range names {
		_ = os.Remove(filepath.Join(r.Dir, ".git", name)) // the file may already be missing
	}
}
