//go:build linux

package execution_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// nightly returns the script that README shows, and the ids of its tasks.
func nightly(t testing.TB) (text string, ids []string) {
	t.Helper()
	readme, err := os.ReadFile("../../docs/uses.md")
	gittest.NoError(t, "read README", err)
	_, after, _ := strings.Cut(string(readme), "```bash\n")
	text, _, ok := strings.Cut(after, "```\n")
	for _, found := range regexp.MustCompile(`task run .*--add (\S+) --`).FindAllStringSubmatch(text, -1) {
		ids = append(ids, found[1])
	}
	if !ok || len(ids) < 2 {
		t.Fatalf("README shows no script of tasks:\n%s", text)
	}
	return text, ids
}

// startNightly starts the script of README in a user's worktree. Its tasks run a shell that leaves half of a file, and changes a file of the
// user, before it does what the script says. A task that is named in the file "stop" waits there, and after "done TASK" when it is done.
func (w *world) startNightly() *running {
	text, _ := nightly(w.T)
	w.file("sh", `#!/bin/sh
. "$SIDE/tell.sh"
pause() { if test "$(cat "$SIDE/stop" 2>/dev/null)" = "$1"; then echo $$ > "$SIDE/mark.tmp"; mv "$SIDE/mark.tmp" "$SIDE/mark"; sleep 60; fi; }
test ! -e half.txt || { echo "not a clean tree"; exit 1; }
echo half > half.txt; echo "$GIT_RESUME_TASK" >> notes.txt; echo "$GIT_RESUME_TASK" > "half-$GIT_RESUME_TASK.txt"
pause "$GIT_RESUME_TASK"
rm half.txt "half-$GIT_RESUME_TASK.txt"
/bin/sh "$@" || exit
pause "done $GIT_RESUME_TASK"
`)
	file := w.file("nightly.sh", text)
	path := slices.IndexFunc(w.Env, func(v string) bool { return strings.HasPrefix(v, "PATH=") })
	return w.start("/usr/bin/env", strings.Replace(w.Env[path], "PATH=", "PATH="+w.side+":", 1), "/bin/sh", file)
}

// setUser makes a commit, and leaves uncommitted changes of the user: a changed file that the tasks change too, and a new one.
func (w *world) setUser() {
	w.Write("notes.txt", "first\n")
	w.Git("add", "-A")
	w.Git("commit", "-qm", "notes")
	w.Write("notes.txt", "first\nmine\n")
	w.Write("mine.txt", "mine\n")
	w.Git("add", "mine.txt")
}

// checkNightly checks that each task of the script is done once, and that nothing of the user is lost, committed or unstaged.
func (w *world) checkNightly(out string, ids []string) {
	w.T.Helper()
	if s := w.only(); s.State != "finished" || len(s.Tasks) != len(ids) {
		w.T.Errorf("state %s, tasks %v\n%s", s.State, s.Tasks, out)
	}
	var made []string
	for line := range strings.Lines(w.Git("log", "--reverse", "--format=%(trailers:key=Resume-Task,valueonly,separator=%x2C)")) {
		if id := strings.TrimSpace(line); id != "" {
			made = append(made, id)
		}
	}
	if !slices.Equal(made, ids) {
		w.T.Errorf("the commits are of tasks %v, want %v\n%s", made, ids, out)
	}
	if got, want := w.Git("show", "HEAD:build.txt")+w.Git("show", "HEAD:test.txt"), "builtpassed"; got != want {
		w.T.Errorf("the results are %q, want %q", got, want)
	}
	if got := w.Git("status", "--short"); got != "A  mine.txt\n M notes.txt" {
		w.T.Errorf("what is not committed:\n%s\n%s", got, out)
	}
	if text, _ := os.ReadFile(filepath.Join(w.Dir, "notes.txt")); string(text) != "first\nmine\n"+strings.Join(ids, "\n")+"\n" {
		w.T.Errorf("the user's notes: %q\n%s", text, out)
	}
	w.checkRecord()
	w.Fsck()
}

// TestReadme_scriptKilledInEveryTask kills the script of README in every task, by each signal, and starts it again with the same line. It
// must continue with that task from a clean tree, without a question, and what the task had left must be in a snapshot.
func TestReadme_scriptKilledInEveryTask(t *testing.T) {
	_, ids := nightly(t)
	for _, id := range ids {
		for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
			for _, point := range []string{id, "done " + id} {
				t.Run(fmt.Sprintf("%s_%v", strings.ReplaceAll(point, " ", "_"), sig), func(t *testing.T) {
					t.Parallel()
					killNightlyAt(t, id, point, sig, ids)
				})
			}
		}
	}
}

func killNightlyAt(t *testing.T, id, point string, sig syscall.Signal, ids []string) {
	w := newWorld(t)
	w.setUser()
	w.file("stop", point)
	r := w.startNightly()
	until(t, point, func() bool { return w.has("mark") })
	groups := w.groups()
	for _, pid := range w.executors(r.cmd.Process.Pid) {
		kill(pid, sig)
	}
	if sig == syscall.SIGKILL {
		for _, g := range groups {
			kill(-g, sig)
		}
	}
	first, code := r.wait()
	for _, g := range groups {
		w.waitForGroup(g)
	}
	if code == 0 {
		t.Fatalf("the script was not stopped\n%s", first)
	}
	until(t, "the first script ends", func() bool { return w.only().State != "running" })
	w.file("stop", "")
	out, code := w.startNightly().wait()
	if code != 0 {
		t.Fatalf("started again: exit code %d\n%s", code, out)
	}
	if got := w.ran(); got["build"]+got["test"] != len(ids)+1 {
		t.Errorf("tasks ran %v, want one of them twice\n%s", got, out)
	}
	w.checkNightly(out, ids)
	left := "half-" + id + ".txt"
	if strings.HasPrefix(point, "done") {
		left = map[string]string{"build": "build.txt", "test": "test.txt"}[id]
	}
	if !w.saved(left) {
		t.Errorf("no snapshot has %s\n%s%s", left, first, out)
	}
}

// saved reports whether a snapshot of the only run has a file.
func (w *world) saved(name string) bool {
	for line := range strings.Lines(w.MustResume("snapshots", w.only().Run)) {
		label, _, _ := strings.Cut(line, " ")
		if out, code := w.Resume("diff", label); code == 0 && strings.Contains(out, name) {
			return true
		}
	}
	return false
}
