//go:build linux

package execution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
)

// tell is shell code at the beginning of a command. It records that the command was executed.
const tell = `. "$SIDE/tell.sh"; `

// plan writes a plan with these tasks, each in the form "id: command". More keys of a task follow after ";;".
func (w *world) plan(head string, tasks ...string) string {
	var b strings.Builder
	b.WriteString("name: job\n" + head + "tasks:\n")
	for _, t := range tasks {
		id, rest, _ := strings.Cut(t, ": ")
		command, keys, _ := strings.Cut(rest, ";;")
		fmt.Fprintf(&b, "  - id: %s\n    run: %q\n", id, strings.TrimSpace(command))
		for k := range strings.SplitSeq(keys, ";;") {
			if k = strings.TrimSpace(k); k != "" {
				b.WriteString("    " + k + "\n")
			}
		}
	}
	return w.file("plan.yaml", b.String())
}

// resume runs the program and expects an exit code.
func (w *world) resume(code int, args ...string) string {
	w.T.Helper()
	out, got := w.Resume(args...)
	if got != code {
		w.T.Fatalf("git resume %s: exit code %d, want %d\n%s", strings.Join(args, " "), got, code, out)
	}
	return out
}

// killHalfway starts a plan whose task waits when it is half done, and kills everything at that moment.
func (w *world) killHalfway(plan string) {
	w.T.Helper()
	r := w.startResume("start", plan)
	group, owner := w.atMark(r)
	kill(owner, syscall.SIGKILL)
	kill(-group, syscall.SIGKILL)
	r.wait()
	w.waitForGroup(group)
	w.file("go", "")
}

func (w *world) in(name string) string {
	w.T.Helper()
	text, err := os.ReadFile(filepath.Join(w.only().Worktree, name))
	if err != nil {
		w.T.Error(err)
	}
	return string(text)
}

// appendingVictim is a command whose output shows whether an earlier attempt left something.
const appendingVictim = tell + `echo x >> out.txt; echo $$ > "$SIDE/mark.tmp"; mv "$SIDE/mark.tmp" "$SIDE/mark"; until test -e "$SIDE/go"; do sleep 0.02; done; echo y >> out.txt`

func TestOnInterrupt_retryRunsFromACleanTree(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.killHalfway(w.plan("", "a: "+appendingVictim+";; on_interrupt: retry"))
	w.resume(0, "--yes")
	if got := w.in("out.txt"); got != "x\ny\n" {
		t.Errorf("out.txt is %q", got)
	}
	if got := w.Git("show", "refs/resume/snapshots/"+w.only().Run+":0001/work/out.txt"); got != "x" {
		t.Errorf("the snapshot has %q", got)
	}
	w.checkRecord()
}

func TestOnInterrupt_askIsTheDefault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.killHalfway(w.plan("", "a: "+appendingVictim))
	out := w.resume(11, "--yes")
	wantIn(t, out, "--retry", "--keep")
	if got := w.in("out.txt"); got != "x\n" {
		t.Errorf("out.txt is %q", got)
	}
	w.resume(0, "--yes", "--keep")
	if got := w.in("out.txt"); got != "x\nx\ny\n" {
		t.Errorf("out.txt is %q", got)
	}
	w.checkRecord()
}

func TestOnInterrupt_verifyDecides(t *testing.T) {
	t.Parallel()
	check := `verify: 'test -e "$SIDE/landed"';; on_interrupt: verify`
	t.Run("done", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.killHalfway(w.plan("", "a: "+appendingVictim+";; "+check))
		w.file("landed", "")
		w.resume(0, "--yes")
		if n := w.ran()["a"]; n != 1 {
			t.Errorf("it ran %d times", n)
		}
		if got := w.Git("show", "resume/"+w.only().Run+":out.txt"); got != "x" {
			t.Errorf("committed is %q", got)
		}
		w.checkRecord()
	})
	t.Run("not done", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		w.killHalfway(w.plan("", "a: "+appendingVictim+";; "+check))
		w.resume(0, "--yes")
		if got := w.in("out.txt"); got != "x\ny\n" || w.ran()["a"] != 2 {
			t.Errorf("out.txt is %q after %d runs", got, w.ran()["a"])
		}
		w.checkRecord()
	})
	t.Run("nothing to be seen here", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t)
		outside := strings.ReplaceAll(appendingVictim, "out.txt", `"$SIDE/out"`)
		w.killHalfway(w.plan("", "a: "+outside+";; "+check))
		w.file("landed", "")
		w.resume(0, "--yes")
		if n := w.ran()["a"]; n != 1 {
			t.Errorf("it ran %d times", n)
		}
		w.checkRecord()
	})
}

func TestAmbiguous_nothingFoundRunsAgainWithAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.killHalfway(w.plan("", "a: "+strings.ReplaceAll(appendingVictim, "out.txt", `"$SIDE/out"`)))
	w.resume(0, "--yes")
	w.checkRecord()
	for _, e := range w.events() {
		if e.Event == checkpoint.TaskStarted && e.Text != "" {
			wantIn(t, e.Text, "no change made by it was found")
			return
		}
	}
	t.Error("no reason is recorded")
}

func TestAmbiguous_ignoredOutputIsFound(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(".gitignore", "dist/\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "ignore")
	w.killHalfway(w.plan("", "a: mkdir -p dist; "+strings.ReplaceAll(appendingVictim, "out.txt", "dist/out")+";; outputs: [dist/out]"))
	wantIn(t, w.resume(11, "--yes"), "dist/out")
}

func TestSetup_runsOnceAndIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	setup := fmt.Sprintf("setup: %q\n", `echo s >> "$SIDE/setup"; test -e "$SIDE/ok" || exit 4`)
	plan := w.plan(setup, "a: "+tell+"echo a > a.txt; test -e \"$SIDE/ok2\"")
	wantIn(t, w.resume(1, "start", plan), "setup failed with exit code 4", stopLine)
	if len(w.ran()) != 0 {
		t.Error("a task ran without its set-up")
	}
	w.file("ok", "")
	w.resume(1, "--yes", "job")
	w.file("ok2", "")
	w.resume(0, "--yes", "job")
	if text, _ := os.ReadFile(filepath.Join(w.side, "setup")); string(text) != "s\ns\n" {
		t.Errorf("set up %q", text)
	}
	w.checkRecord()
}

func TestSetup_killedWithinIsToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.killHalfway(w.plan(fmt.Sprintf("setup: %q\n", strings.ReplaceAll(victim, "\n", ";")), "a: "+tell+"echo a > a.txt"))
	if s := w.only(); s.State != "interrupted" {
		t.Errorf("state %s", s.State)
	}
	w.resume(0, "--yes")
	var kinds []string
	for _, e := range w.events() {
		if strings.HasPrefix(string(e.Event), "setup.") {
			kinds = append(kinds, string(e.Event)+" "+e.Text)
		}
	}
	if got := strings.Join(kinds, ", "); got != "setup.started , setup.started it was interrupted, setup.done " {
		t.Error(got)
	}
}

func TestValidity_byContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("in.txt", "1\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "in")
	plan := w.plan("",
		"a: "+tell+"cat in.txt > out.txt;; inputs: [in.txt];; outputs: ['out*']",
		"b: "+tell+"echo more >> out.txt;; outputs: [out.txt]",
		"c: "+tell+"test -e \"$SIDE/ok\"",
	)
	w.resume(1, "start", plan)
	tree := w.In(w.only().Worktree)
	wantIn(t, w.resume(0, "status", "job", "a"), "valid     yes") // task b changed a file that task a had written; this is valid, because both belong to the same run
	now := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(tree.Dir, "in.txt"), now, now); err != nil {
		t.Fatal(err)
	}
	wantIn(t, w.resume(0, "status", "job", "a"), "valid     yes")
	tree.Write("in.txt", "2\n")
	wantIn(t, w.resume(0, "status", "job", "a"), "valid     no: its inputs changed: in.txt")
	wantIn(t, w.resume(0, "status", "job", "b"), "valid     yes")
	tree.Git("commit", "-q", "-am", "by hand")
	wantIn(t, w.resume(0, "status", "job", "a"), "valid     no: its inputs changed: in.txt")
	w.file("ok", "")
	w.resume(0, "--yes", "job")
	if n := w.ran(); n["a"] != 2 || n["b"] != 1 {
		t.Errorf("ran %v", n)
	}
	var why string
	for _, e := range w.events() {
		if e.Event == checkpoint.TaskReset {
			why = string(e.Task) + " " + e.Cause + " " + e.Text
		}
	}
	if why != "a inputs its inputs changed: in.txt" {
		t.Errorf("recorded: %q", why)
	}
	w.checkRecord()
}

func TestValidity_inputChangedMeanwhileIsNotCertain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("in.txt", "1\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "in")
	out := w.resume(1, "start", w.plan("", "a: "+tell+"cat in.txt > out.txt; echo 2 > in.txt;; inputs: [in.txt];; outputs: [out.txt]"))
	wantIn(t, out, "not certain", "changed meanwhile: in.txt", stopLine)
	if s := w.only(); s.Task.State != "failed" {
		t.Errorf("task is %s", s.Task.State)
	}
}

func TestKeepGoing_doesWhatDependsOnNoFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	plan := w.plan("", "a: "+tell+"exit 3", "b: "+tell+"true;; needs: [a]", "c: "+tell+"echo c > c.txt")
	w.resume(1, "start", "--keep-going", plan)
	if n := w.ran(); n["b"] != 0 || n["c"] != 1 {
		t.Errorf("ran %v", n)
	}
}

func TestRetries_areRecordedAndBackOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	begun := time.Now()
	w.resume(0, "start", w.plan("", "a: "+tell+`test -e "$SIDE/second" || { touch "$SIDE/second"; exit 3; };; retries: 1`))
	if took := time.Since(begun); took < time.Second || w.ran()["a"] != 2 {
		t.Errorf("%v, ran %v", took, w.ran())
	}
	w.checkRecord()
}

func TestTimeout_endsTheWholeGroup(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.resume(1, "start", w.plan("", `a: (trap "" TERM; sleep 60) & echo $! > "$SIDE/child"; sleep 60;; timeout: 300ms`))
	w.waitForProcess("child")
}

// waitForProcess waits until a process has ended. Its id is in a file next to the repository.
func (w *world) waitForProcess(file string) {
	w.T.Helper()
	text, _ := os.ReadFile(filepath.Join(w.side, file))
	var pid int
	if _, err := fmt.Sscan(string(text), &pid); err != nil {
		w.T.Fatalf("%s holds no process: %q", file, text)
	}
	until(w.T, file+" ends", func() bool { return syscall.Kill(pid, 0) != nil || isZombie(pid) })
}

func isZombie(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func TestCommand_leavesHonestResults(t *testing.T) {
	for _, c := range []struct{ name, command, says, cause string }{
		{"another branch", "git checkout -q -b elsewhere", "another branch", "branch"},
		{"half a rebase", "echo 1 > x; git add x; git commit -q -m x; GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~1", "git operation", "operation"},
	} {
		t.Run(strings.ReplaceAll(c.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			wantIn(t, w.resume(1, "start", w.plan("", "a: "+c.command)), c.says, stopLine)
			events := w.events()
			if last := events[len(events)-1]; last.Cause != c.cause {
				t.Errorf("recorded: %+v", last)
			}
		})
	}
}

func TestCommand_leftInTheBackgroundIsNamed(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.resume(0, "start", w.plan("", `a: setsid sh -c 'echo $$ > "$SIDE/left"; exec sleep 20' >/dev/null 2>&1 & until test -s "$SIDE/left"; do sleep 0.02; done`, "b: "+tell+"true"))
	text, _ := os.ReadFile(filepath.Join(w.side, "left"))
	pid := strings.TrimSpace(string(text))
	wantIn(t, out, "left these processes running: "+pid)
	if s := w.only(); s.State != "finished" {
		t.Errorf("state %s", s.State)
	}
	var n int
	_, _ = fmt.Sscan(pid, &n)
	kill(n, syscall.SIGKILL)
}

func TestCommand_commitsOfItsOwnCount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.resume(0, "start", w.plan("",
		"a: echo 1 > one; git add one; git commit -q -m 'mine, all mine'",
		"b: echo 2 > two; git add two; git commit -q -m 'half of it'; echo 3 > three"))
	branch := "resume/" + w.only().Run
	if got := w.Git("log", "--format=%s", "main.."+branch); got != "b\nhalf of it\nmine, all mine" {
		t.Error(got)
	}
	if got := w.Git("log", "-1", "--format=%b", branch+"~2"); got != "" {
		t.Errorf("the command's own commit says %q", got)
	}
	if s := w.only(); s.Tasks[0].Commit != w.Git("rev-parse", branch+"~2") {
		t.Errorf("recorded %s", s.Tasks[0].Commit)
	}
}

func TestHere_aSingleCommandIsNotCommitted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("mine", "edited\n")
	w.resume(0, "run", "--name", "job", "--", "sh", "-c", "echo x > x; git add x; git commit -q -m x; echo y > y")
	if got := w.Git("status", "--porcelain"); got != "?? mine\n?? y" {
		t.Errorf("the tree: %q", got)
	}
	if s := w.only(); s.State != "finished" || s.Tasks[0].Commit != w.Git("rev-parse", "HEAD") {
		t.Errorf("%+v", s)
	}
}

func TestApproval_byHash(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.resume(1, "start", w.plan("", "a: "+tell+"exit 3"))
	id := w.only().Run
	clone := filepath.Join(filepath.Dir(w.Dir), "clone")
	w.Git("clone", "-q", w.Dir, clone)
	other := &world{Repo: w.In(clone), side: w.side}
	other.Git("fetch", "-q", "origin", "refs/notes/resume/*:refs/notes/resume/*", "refs/resume/journal/*:refs/resume/journal/*", "refs/heads/resume/*:refs/heads/resume/*")
	if err := os.Rename(w.Dir+".worktrees", w.Dir+".gone"); err != nil { // another machine would not have the worktree
		t.Fatal(err)
	}
	out, code := other.Resume("--yes", id)
	if code == 0 || w.ran()["a"] != 1 {
		t.Errorf("exit code %d, ran %v\n%s", code, w.ran(), out)
	}
	wantIn(t, out, "it was started in another clone or by another user", "not approved in this clone")
	wantIn(t, other.resume(11, "trust", id, "--yes"), "git resume "+id+" --takeover") // refused, because the run does not belong to this clone yet
	wantIn(t, other.resume(11, id, "--takeover", "--yes"), "took over "+id, "not approved in this clone")
	shown := other.resume(0, "trust", id, "--dry-run")
	wantIn(t, shown, "exit 3", "hash ")
	wantIn(t, other.resume(11, "trust", id), "--yes") // refused, because there is no terminal to ask at
	wantIn(t, other.resume(11, "trust", id, "--expect", strings.Repeat("0", 32)), "nothing was approved")
	_, hash, _ := strings.Cut(shown, "hash ")
	wantIn(t, other.resume(0, "trust", id, "--expect", strings.TrimSpace(hash)), "approved the commands of run "+id)
	wantIn(t, other.resume(0, "trust", id), "approved before")
}

func TestApproval_changedCommandNeedsItAnew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.resume(1, "start", w.plan("", "a: "+tell+"exit 3"))
	trusted := filepath.Join(w.Dir, ".git", "resume", "trusted")
	if err := os.WriteFile(trusted, nil, 0o644); err != nil { // remove the approval, as if the command had changed since
		t.Fatal(err)
	}
	out := w.resume(11, "--yes", "job")
	wantIn(t, out, "git resume trust")
	if n := w.ran()["a"]; n != 1 {
		t.Errorf("it ran %d times", n)
	}
	w.resume(0, "trust", "--yes", "job")
	w.resume(1, "--yes", "job")
	if n := w.ran()["a"]; n != 2 {
		t.Errorf("it ran %d times", n)
	}
}

func TestWorktree_isUnlockedWhenFinished(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.resume(0, "start", w.plan("", "a: echo a > a.txt"))
	if got := w.Git("worktree", "list", "--porcelain"); strings.Contains(got, "\nlocked") {
		t.Error(got)
	}
}

func TestTaskRun_twoAtOnceLeaveNoIntentBehind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.resume(0, "start", "--here", "--name", "job", "--task", "a", "--task", "b")
	r := w.startResume("task", "run", "a", "--", "sh", "-c", victim)
	w.atMark(r)
	out, code := w.Resume("task", "run", "b", "--", "true")
	if code != 13 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	w.file("go", "")
	if out, code := r.wait(); code != 0 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	if s := w.only(); s.Tasks[0].State != "done" || s.Tasks[1].State != "pending" {
		t.Errorf("%+v", s.Tasks)
	}
}

func TestFenced_ownersTaskIsEnded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := w.startResume("start", w.plan("", "a: "+strings.ReplaceAll(victim, "\n", ";")))
	group, _ := w.atMark(r)
	id := checkpoint.RunID(w.only().Run)
	e := w.engine()
	_, err := e.Store.Append(t.Context(), id, journal.Batch{Decide: func(run *checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunClaimed, Epoch: run.Epoch + 1, Actor: &checkpoint.Actor{Host: "elsewhere", Nonce: "other"}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	out, code := r.wait()
	if code != 13 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	w.waitForGroup(group)
	events := w.events()
	if last := events[len(events)-1]; last.Event != checkpoint.RunClaimed {
		t.Errorf("a fenced owner recorded %+v", last)
	}
}

func TestInterrupt_endsASlowHook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(".git/hooks/pre-commit", "#!/bin/sh\ntest -e \"$SIDE/go\" && exit 0\necho $$ > \"$SIDE/tmp\"; mv \"$SIDE/tmp\" \"$SIDE/hooked\"\nexec sleep 30\n")
	if err := os.Chmod(filepath.Join(w.Dir, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := w.startResume("start", w.plan("", "a: "+tell+"echo a > a.txt"))
	until(t, "the hook runs", func() bool { return w.has("hooked") })
	kill(r.cmd.Process.Pid, syscall.SIGINT)
	begun := time.Now()
	out, code := r.wait()
	if code != 130 || time.Since(begun) > 20*time.Second {
		t.Errorf("exit code %d after %v\n%s", code, time.Since(begun), out)
	}
	wantIn(t, out, "stopped by Ctrl-C", stopLine)
	w.waitForProcess("hooked")
	if s := w.only(); s.State != "interrupted" || s.Task.State != "active" {
		t.Errorf("%+v", s)
	}
	w.file("go", "")
	w.resume(0, "--yes", "--keep")
	w.checkRecord()
}

func TestHook_refusalFailsTheTask(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(".git/hooks/pre-commit", "#!/bin/sh\necho not like this >&2\nexit 1\n")
	if err := os.Chmod(filepath.Join(w.Dir, ".git/hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	out := w.resume(1, "start", w.plan("", "a: "+tell+"echo a > a.txt"))
	wantIn(t, out, "a hook refused its commit", "not like this", stopLine)
	if got := w.Git("show", "refs/resume/snapshots/"+w.only().Run+":0001/work/a.txt"); got != "a" {
		t.Errorf("the snapshot has %q", got)
	}
	w.resume(0, "--yes", "--no-verify", "job")
}
