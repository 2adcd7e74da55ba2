package crew

import (
	"errors"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/execution"
	"github.com/git-resume/git-resume/internal/gittest"
)

const runBranch = "refs/heads/resume/job-abcd"

// opening returns a repository with the run's branch. HEAD is detached at the same commit.
func opening(t *testing.T) (*gittest.Repo, *gitstate.Repo) {
	t.Helper()
	r := gittest.New(t)
	r.Git("branch", "resume/job-abcd")
	r.Git("checkout", "-q", "--detach")
	dir := filepath.Join(r.Dir, ".git")
	repo := gitstate.Open(locate.Place{GitDir: dir, CommonDir: dir, WorkTree: r.Dir}, r.Env)
	t.Cleanup(func() { repo.Close() })
	return r, repo
}

// mover is a hook that git runs after each checkout. It puts a commit with a changed file on the run's branch, as often as the file "times"
// says.
const mover = `#!/bin/sh
n=$(cat "$HOME/times"); test "$n" -gt 0 || exit 0
echo $((n-1)) >"$HOME/times"
export GIT_INDEX_FILE="$HOME/index"
git read-tree ` + runBranch + `
git update-index --add --cacheinfo 100644,$(echo "$n" | git hash-object -w --stdin),outside
git update-ref ` + runBranch + ` $(git commit-tree -p ` + runBranch + ` -m outside $(git write-tree))
`

// A worktree must have the files of the newest commit of its branch. Otherwise it would look as if somebody had undone that commit.
func TestReturnToBranch_movedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the hook is a shell script")
	}
	for name, c := range map[string]struct {
		times string
		on    bool
	}{"once": {"1", true}, "all the time": {"99", false}} {
		t.Run(name, func(t *testing.T) {
			r, repo := opening(t)
			home := filepath.Join(filepath.Dir(r.Dir), "home")
			r.Write("../home/times", c.times)
			if err := gittest.WriteProgram(filepath.Join(r.Dir, ".git", "hooks", "post-checkout"), []byte(mover)); err != nil {
				t.Fatal(home, err)
			}
			run := &checkpoint.Run{ID: "job-abcd", Branch: runBranch}
			err := (&Pool{}).ReturnToBranch(t.Context(), repo, run)
			var moving *MovingError
			if c.on && err != nil || !c.on && !errors.As(err, &moving) {
				t.Fatal(err)
			}
			branch, _ := r.Try("git", "symbolic-ref", "-q", "HEAD")
			if (branch == runBranch+"\n") != c.on {
				t.Errorf("HEAD is %q", branch)
			}
			if got := r.Git("status", "--porcelain"); got != "" {
				t.Errorf("it looks changed: %s", got)
			}
		})
	}
}

func TestMovedInputs(t *testing.T) {
	r, repo := opening(t)
	from := object.ID(r.Git("rev-parse", "HEAD"))
	r.Write("lib/a.go", "a")
	r.Write("docs/b.md", "b")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "meanwhile")
	tip := object.ID(r.Git("rev-parse", "HEAD"))
	for _, c := range []struct {
		inputs []string
		from   object.ID
		want   []string
	}{
		{nil, from, nil},
		{[]string{"src/**"}, from, nil},
		{[]string{"lib/**"}, from, []string{"lib/a.go"}},
		{[]string{"lib/**"}, tip, nil},
		{[]string{"lib/**", "docs/*.md"}, from, []string{"docs/b.md", "lib/a.go"}},
	} {
		l := landing{hand: &hand{repo: repo}, job: execution.Job{Inputs: c.inputs}, from: c.from, tip: tip}
		got, err := l.movedInputs(t.Context())
		if slices.Sort(got); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, %v; want %v", c.inputs, got, err, c.want)
		}
	}
}
