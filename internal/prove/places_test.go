package prove

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/proc"
)

// besideText is a plan whose first two tasks run at the same time, each in a worktree of its own. Both begin at the same commit, so the
// commit of one of them must be copied onto the result of the other.
const besideText = `name: job
tasks:
  - id: a
    run: echo "$GIT_RESUME_TASK $GIT_RESUME_ATTEMPT" >> "$HOME/ran"; echo a > fa
    on_interrupt: retry
    outputs: [fa]
  - id: b
    run: echo "$GIT_RESUME_TASK $GIT_RESUME_ATTEMPT" >> "$HOME/ran"; echo b > fb; test -e "$HOME/died" || { touch "$HOME/died"; kill -9 $PPID; }
    on_interrupt: retry
    verify: test -f fb
    outputs: [fb]
  - id: c
    run: echo "$GIT_RESUME_TASK $GIT_RESUME_ATTEMPT" >> "$HOME/ran"; echo c > fc
    on_interrupt: retry
    needs: [a, b]
    outputs: [fc]
`

func besidePlan(r *gittest.Repo) *gittest.Repo {
	put(r, planFile(r), besideText)
	return r
}

func harmlessBeside(r *gittest.Repo) *gittest.Repo {
	put(besidePlan(r), filepath.Join(side(r), "died"), "")
	return r
}

// interruptedBeside starts a run that executes two tasks at the same time. One of the tasks, which works in its own worktree, kills
// git-resume.
func interruptedBeside(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	if out, code := besidePlan(r).Resume("start", planFile(r), "-j", "2"); code != -1 {
		r.T.Fatalf("the owner was not killed: exit code %d\n%s", code, out)
	}
	awaitQuiet(r.T, filepath.Dir(r.Dir))
	return r
}

// awaitQuiet waits until no process works below a folder. The git processes of a killed git-resume live on for a moment: if the
// repository were copied meanwhile, they would write into the copy.
func awaitQuiet(t testing.TB, dir string) {
	t.Helper()
	for range 500 {
		found, known := proc.Table{}.In([]string{dir})
		if !known || len(found) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("processes of the preparation never end")
}

// inPlace returns the worktree of the task that was interrupted.
func inPlace(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(r.Dir), "repo.worktrees", job1+"-*.*", "fb"))
	if len(found) != 1 {
		r.T.Fatalf("places: %v", found)
	}
	return r.In(filepath.Dir(found[0]))
}

// placesScenes returns scenarios in which several tasks of a run work at the same time, each in a worktree of its own.
func placesScenes() []scenario {
	onward := repeatUntilDone("--yes", "--retry", "-j", "2", job1)
	return []scenario{
		{name: "start with jobs", prepare: harmlessBeside, args: []string{"start", "--auto", "../home/plan.yaml", "-j", "2"}, after: finished, kept: checkBeside,
			again: func(r *gittest.Repo) (string, int) {
				if len(readFacts(r).runs) == 0 {
					return r.Resume("start", "--auto", "../home/plan.yaml", "-j", "2")
				}
				return onward(r)
			}},
		{name: "resume with jobs", prepare: interruptedBeside, args: []string{"--yes", "-j", "2", job1}, after: finished, kept: checkBeside, again: onward},
		{name: "task done in a place", prepare: func(r *gittest.Repo) *gittest.Repo { return inPlace(interruptedBeside(r)) },
			args: []string{"task", "done", "b"}, after: reportedInPlace,
			kept: func(place *gittest.Repo, _ witness) error {
				got, _ := place.Try("git", "log", "-1", "--format=%(trailers:key=Resume-Task,valueonly)", "--name-only")
				if strings.Join(strings.Fields(got), " ") != "b fb" {
					return fmt.Errorf("the commit in the place: %q", got)
				}
				return nil
			}},
	}
}

// reportedInPlace checks what is recorded after the worker reported task b as done, in the worktree of this task (its place). The report
// must be recorded once. The task must not be recorded as done yet, because its result is not on the run's branch.
func reportedInPlace(f facts) error {
	id, err := theRun(f)
	if err != nil {
		return err
	}
	if n := f.count(id, "checkpoint", "b"); n != 1 {
		return fmt.Errorf("the report is recorded %d times", n)
	}
	if n := f.count(id, "task.done", "b"); n != 0 {
		return fmt.Errorf("a task is done before its result is on the branch")
	}
	return nil
}

// checkBeside checks a finished run whose tasks ran at the same time. It calls checkExecuted, and checks that each task has one commit.
// Besides the main worktree, only the run's own worktree may be left, on the run's branch.
func checkBeside(r *gittest.Repo, w witness) error {
	if err := checkExecuted(r, w); err != nil {
		return err
	}
	id := newest(readFacts(r))
	text, _ := r.Try("git", "log", "--format=%(trailers:key=Resume-Task,valueonly,separator=%x2C)", "main..resume/"+id)
	for _, task := range []string{"a", "b", "c"} {
		if n := strings.Count(text, task+"\n"); n != 1 {
			return fmt.Errorf("task %s has %d commits:\n%s", task, n, text)
		}
	}
	trees, _ := r.Try("git", "worktree", "list", "--porcelain")
	if n := strings.Count(trees, "worktree "); n != 2 || !strings.Contains(trees, "branch refs/heads/resume/"+id) {
		return fmt.Errorf("worktrees:\n%s", trees)
	}
	return nil
}
