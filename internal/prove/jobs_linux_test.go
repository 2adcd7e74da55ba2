package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// These tests execute random plans with up to eight tasks at a time, and kill git-resume up to five times while it works. Every task reads
// and writes only the files that it declares, so the result must be the same as with one task at a time and without a kill.

// sampleOfPlans is the number of random plans in an everyday run of TestJobs_randomPlans. The long proof tries as many as time allows.
const sampleOfPlans = 1

func TestJobs_randomPlans(t *testing.T) {
	proof := gittest.Prove(t, "B", "random plans with several jobs, killed at random")
	chance := proof.Rand(0)
	for n := 0; proof.More(sampleOfPlans); n++ {
		p := randomJobs(chance)
		want := jobResult{}
		for i, jobs := range []int{1, 2, 4, 8} {
			kills := chance.IntN(6)
			if i == 0 {
				kills = 0
			}
			t.Run(fmt.Sprintf("plan%d_jobs%d_kills%d", n, jobs, kills), func(t *testing.T) {
				got := executeJobs(t, p, jobs, kills, chance)
				if i == 0 {
					want = got
				} else if got.tree != want.tree || !slices.Equal(got.commits, want.commits) {
					t.Fatalf("with %d jobs: commits %v\n%s\nwith one: commits %v\n%s\n%s", jobs, got.commits, got.files, want.commits, want.files, p.text())
				}
			})
			if t.Failed() {
				return
			}
		}
		proof.Trial(1)
	}
}

type randomJob struct {
	id                     string
	needs, inputs, outputs []string
	millis                 int
	fails                  bool
}

type randomPlan []randomJob

// randomJobs makes a random plan. Some of its tasks share files, and some fail.
func randomJobs(chance *rand.Rand) randomPlan {
	file := func() string { return fmt.Sprintf("f%d.txt", chance.IntN(8)) }
	var p randomPlan
	for i := range 4 + chance.IntN(6) {
		j := randomJob{id: fmt.Sprintf("t%d", i), millis: chance.IntN(200), fails: chance.IntN(8) == 0}
		for range chance.IntN(3) {
			j.inputs = append(j.inputs, file())
		}
		for range 1 + chance.IntN(2) {
			j.outputs = append(j.outputs, file())
		}
		for k := range i {
			if chance.IntN(5) == 0 {
				j.needs = append(j.needs, fmt.Sprintf("t%d", k))
			}
		}
		p = append(p, j)
	}
	return p
}

// text returns the plan as YAML. Each task writes its id and a checksum of its inputs into each of its outputs.
func (p randomPlan) text() string {
	var b strings.Builder
	b.WriteString("name: job\ntasks:\n")
	for _, j := range p {
		run := fmt.Sprintf("sum=$(cat %s /dev/null 2>/dev/null | cksum); sleep 0.%03d", strings.Join(j.inputs, " "), j.millis)
		// A failing task ends before it writes its outputs. Otherwise, with one task at a time, the next task would commit them.
		if j.fails {
			run += "; exit 1"
		}
		for _, o := range j.outputs {
			run += fmt.Sprintf("; echo \"%s %s $sum\" >%s", j.id, o, o)
		}
		fmt.Fprintf(&b, "- id: %s\n  on_interrupt: retry\n  run: |\n    %s\n  needs: [%s]\n  inputs: [%s]\n  outputs: [%s]\n",
			j.id, run, strings.Join(j.needs, ", "), strings.Join(j.inputs, ", "), strings.Join(j.outputs, ", "))
	}
	return b.String()
}

// jobResult is the result of an execution: the tree of the run's branch, the sorted ids of the tasks that have a commit, and the content of
// all files.
type jobResult struct {
	tree    string
	commits []string
	files   string
}

// executeJobs starts a plan, kills it several times, continues it until nothing is left to do, and checks the result.
func executeJobs(t *testing.T, p randomPlan, jobs, kills int, chance *rand.Rand) jobResult {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.Write("base.txt", "base\n")
	r.Git("add", "-A")
	r.Git("commit", "-qm", "base")
	plan := filepath.Join(t.TempDir(), "plan.yaml")
	if err := os.WriteFile(plan, []byte(p.text()), 0o600); err != nil {
		t.Fatal(err)
	}
	j := fmt.Sprint(jobs)
	args := []string{"start", plan, "-j", j, "--keep-going"}
	for k := 0; ; k++ {
		var wait time.Duration
		if k < kills {
			wait = time.Duration(20+chance.IntN(700)) * time.Millisecond
		}
		out, killed := runKilled(t, r, wait, args...)
		if !killed {
			break
		}
		if k > kills+20 {
			t.Fatalf("it never ends:\n%s", out)
		}
		r.T.Logf("killed after %v", wait)
		waitForOrphans(t, r)
		// If the run was recorded before the kill, continue it. Otherwise start the plan again.
		if strings.TrimSpace(r.Git("for-each-ref", "refs/resume/journal/")) != "" {
			args = []string{"--yes", "-j", j, "--keep-going"}
		}
	}
	return checkJobs(t, r, p)
}

// runKilled runs git-resume and kills it after the given time. If wait is 0, the program is not killed.
func runKilled(t *testing.T, r *gittest.Repo, wait time.Duration, args ...string) (out string, killed bool) {
	t.Helper()
	cmd := exec.Command(filepath.Join(gittest.Binary(t), "git-resume"), args...)
	cmd.Dir, cmd.Env = r.Dir, r.Env
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if wait > 0 {
		timer := time.AfterFunc(wait, func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	_ = cmd.Wait()
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return text.String(), true
	}
	t.Logf("%v:\n%s", args, text.String())
	return text.String(), false
}

// waitForOrphans waits until the commands of a killed git-resume have ended.
func waitForOrphans(t *testing.T, r *gittest.Repo) {
	t.Helper()
	for range 200 {
		text, _ := r.Resume("status", "--json")
		if !strings.Contains(text, `"running"`) {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Fatal("the commands of a killed git-resume never end")
}

// checkJobs checks the result of a plan. Each task that could be done must have one recorded result. If no task failed, only the main
// worktree and the run's own worktree may be left. The run's worktree must be clean and on the run's branch.
func checkJobs(t *testing.T, r *gittest.Repo, p randomPlan) jobResult {
	t.Helper()
	branch := strings.TrimSpace(r.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/resume/"))
	if strings.Contains(branch, "\n") || branch == "" {
		t.Fatalf("branches: %q", branch)
	}
	run := strings.TrimPrefix(branch, "resume/")
	got := jobResult{tree: r.Git("rev-parse", branch+"^{tree}"), files: r.Git("grep", "", branch)}
	for line := range strings.Lines(r.Git("log", "--format=%(trailers:key=Resume-Task,valueonly,separator=%x2C)", "main.."+branch)) {
		got.commits = append(got.commits, strings.TrimSpace(line))
	}
	slices.Sort(got.commits)
	if once := slices.Compact(slices.Clone(got.commits)); len(once) != len(got.commits) {
		t.Fatalf("a task has two commits: %v", got.commits)
	}
	raw, _ := r.Resume("log", run, "--raw")
	failed := map[string]bool{}
	for _, j := range p {
		failed[j.id] = j.fails || slices.ContainsFunc(j.needs, func(id string) bool { return failed[id] })
		done := strings.Count(raw, fmt.Sprintf(`"event":"task.done","task":%q`, j.id))
		if want := map[bool]int{true: 0, false: 1}[failed[j.id]]; done != want {
			t.Fatalf("task %s has %d results, want %d\n%s", j.id, done, want, p.text())
		}
	}
	trees := strings.Split(strings.TrimSpace(r.Git("worktree", "list", "--porcelain")), "\n\n")
	if all := !slices.ContainsFunc(p, func(j randomJob) bool { return failed[j.id] }); all && len(trees) != 2 {
		t.Fatalf("worktrees are left:\n%s", strings.Join(trees, "\n\n"))
	}
	home := filepath.Join(filepath.Dir(r.Dir), filepath.Base(r.Dir)+".worktrees", run)
	if got := r.In(home).Git("status", "--porcelain=v1", "-b"); strings.TrimSpace(got) != "## "+branch {
		t.Fatalf("the run's worktree: %q", got)
	}
	r.Fsck()
	return got
}
