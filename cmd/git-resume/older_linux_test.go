package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// olderWork is a shell script for the previous version of the program. It leaves open runs of several kinds, a discarded run and a
// finished run.
const olderWork = `set -e
cat >plan.yaml <<'END'
name: planned
tasks:
  - id: one
    run: echo 1 >one.txt
  - id: two
    run: echo 2 >two.txt; if test -e hold; then touch ../../held; sleep 60; fi
  - id: three
    run: echo 3 >three.txt
END
echo hold >hold
git add -A && git commit -q -m plan
setsid git-resume start plan.yaml >/dev/null 2>&1 &
for i in $(seq 300); do test -e ../held && break; sleep 0.1; done
test -e ../held
run=$(ls .git/resume/open)
pid() { grep -o '"pid":[0-9]*' ".git/resume/$run.$1" | head -n 1 | cut -d: -f2; }
owner=$(pid lock) task=$(pid task.lock)
kill -9 $owner
kill -9 -$task
git-resume start --name mid --task a --task b
(cd ../repo.worktrees/mid-*; git-resume task start a; echo done >work; git-resume task done a; git-resume task start b; echo unsaved >unsaved)
git-resume start --name halted --task a
git-resume pause --run halted -m lunch
git-resume start --name asks --task a
(cd ../repo.worktrees/asks-*; git-resume task start a; git-resume task block a -m which --option red --option blue)
git-resume start --name gone --task a
(cd ../repo.worktrees/gone-*; git-resume task start a; echo precious >precious)
git-resume discard -y gone
git-resume start --name fin --task a
(cd ../repo.worktrees/fin-*; git-resume task start a; echo fin >fin; git-resume task done a)
git-resume start --here --name herely --task a
git-resume task start a --run herely
`

// lostNone fails the test if one of the lines is no longer in a journal.
func lostNone(r *gittest.Repo, before []string) {
	r.T.Helper()
	after := storedLines(r)
	for _, l := range before {
		if _, ok := slices.BinarySearch(after, l); !ok {
			r.T.Errorf("a line is lost: %s", l)
		}
	}
}

func olderRepo(t *testing.T) (r, old *gittest.Repo) {
	t.Helper()
	r = gittest.New(t)
	old = r.Older()
	if out, code := old.Try("sh", "-c", olderWork); code != 0 {
		t.Fatalf("the version before: exit code %d\n%s", code, out)
	}
	return r, old
}

func TestOlder_recordsAreTakenOverAndGoOn(t *testing.T) {
	t.Parallel()
	r, _ := olderRepo(t)
	before := storedLines(r)
	out := says(r, 0, nil, "status")
	for _, run := range []string{"planned-", "mid-", "halted-", "asks-", "herely-"} {
		if !strings.Contains(out, "elsewhere  "+run) {
			t.Errorf("%s is not shown as elsewhere:\n%s", run, out)
		}
	}
	// The finished run is listed too, because it is not merged.
	if strings.Count(out, "recorded without a signature") != 6 || !strings.Contains(out, "finished   fin-") {
		t.Errorf("status says\n%s", out)
	}
	says(r, 11, []string{"name one to see it, and take it over to change it", "'git resume trust --all-here'"}, "--auto")
	says(r, 11, nil, "trust", "--all-here")
	lostNone(r, before)
	// Take over one run by its name, and the others all at once.
	says(r, 0, nil, "halted", "--takeover", "--yes", "--print")
	says(r, 0, []string{"touch ../../held", "took over planned-", "took over mid-", "took over asks-", "took over herely-"}, "trust", "--all-here", "--yes")
	says(r, 0, []string{"there was nothing to take over"}, "trust", "--all-here", "--yes")
	lostNone(r, before)
	for _, ref := range strings.Fields(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal")) {
		if strings.Contains(ref, "/fin-") || strings.Contains(ref, "/gone-") {
			continue // closed runs keep their old form until "doctor --fix"
		}
		if parents := r.Git("log", "-1", "--format=%P", ref); parents != "" {
			t.Errorf("%s has the parents %s", ref, parents)
		}
		if notes := r.Git("rev-parse", strings.Replace(ref, "refs/resume/journal/", "refs/notes/resume/", 1)); notes != r.Git("rev-parse", ref) {
			t.Errorf("%s and its notes are two commits", ref)
		}
	}
	says(r, 0, []string{"waiting      asks-", "? which", "paused       halted-", "interrupted  planned-", "lunch"}, "status")
	says(r, 0, []string{"? which"}, "status", "asks")
	says(r, 0, nil, "answer", "--run", "asks", "a", "red")
	mid, err := filepath.Glob(filepath.Join(r.Root(), "repo.worktrees", "mid-*"))
	if err != nil || len(mid) != 1 {
		t.Fatal(mid, err)
	}
	if text, err := os.ReadFile(filepath.Join(mid[0], "unsaved")); err != nil || string(text) != "unsaved\n" {
		t.Errorf("uncommitted work: %q, %v", text, err)
	}
	says(r.In(mid[0]), 0, []string{"task 2 of 2, b, done"}, "task", "done", "b")
	planned, err := filepath.Glob(filepath.Join(r.Root(), "repo.worktrees", "planned-*"))
	if err != nil || len(planned) != 1 || os.Remove(filepath.Join(planned[0], "hold")) != nil {
		t.Fatal(planned, err)
	}
	out = says(r, 0, []string{"[2/3] two", "[3/3] three", "finished"}, "planned", "--yes", "--keep")
	if strings.Contains(out, "[1/3]") {
		t.Errorf("a finished task was done again:\n%s", out)
	}
	lostNone(r, before)
	// The user can restore a discarded run at a terminal, by its name.
	if out, code := r.Try("terminal", "y", "git-resume", "undo", "gone"); code != 0 {
		t.Errorf("undo: exit code %d\n%s", code, out)
	}
	gone, _ := filepath.Glob(filepath.Join(r.Root(), "repo.worktrees", "gone-*", "precious"))
	if len(gone) != 1 {
		t.Error("the discarded file is not back")
	}
	r.Fsck()
}

func TestOlder_programDamagesNoRecordOfToday(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	old := r.Older()
	r.Write("plan.yaml", "name: planned\ntasks:\n  - id: one\n    run: echo 1 >one.txt\n  - id: two\n    run: test -e go\n  - id: three\n    run: echo 3 >three.txt\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plan")
	says(r, 1, nil, "start", "plan.yaml")
	says(r.With(claudeSession), 0, nil, "start", "--here", "--name", "job", "--task", "a", "--task", "b")
	hooked(r, askedEvent)
	hooked(r, limitEvent)
	hooked(r, endedEvent)
	hooked(r, askedEvent)
	says(r, 0, nil, "start", "--name", "other", "--task", "a")
	r.Git("init", "-q", "--bare", "../server.git")
	r.Git("remote", "add", "origin", "../server.git")
	says(r, 0, nil, "push", "job", "--to", "origin")
	before := storedLines(r)
	if all := strings.Join(before, "\n"); !strings.Contains(all, `"event":"turn.ended"`) || !strings.Contains(all, `"event":"run.accepted"`) {
		t.Fatalf("nothing of an agent is recorded:\n%s", all)
	}
	for _, line := range []string{
		"status", "status --all", "log job", "task start a --run job", "task done a --run job", "doctor --fix", "planned --auto", "pause --run job", "discard -y other", "status",
	} {
		out, code := old.Try("sh", "-c", "git-resume "+line)
		if strings.Contains(out, "goroutine ") || code < 0 {
			t.Errorf("the version before, %s: exit code %d\n%s", line, code, out)
		}
	}
	lostNone(r, before)
	if n := len(storedLines(r)); n <= len(before) {
		t.Errorf("the version before has recorded nothing: %d lines, then %d", len(before), n)
	}
	before = storedLines(r)
	out := says(r, 0, []string{"job-", "planned-"}, "status", "--all")
	if regexp.MustCompile(`(?m)^paused +job-`).MatchString(out) || !regexp.MustCompile(`(?m) job-[a-z2-7]+ +0 of 2 done, at a `).MatchString(out) {
		t.Errorf("a line without a signature is obeyed:\n%s", out)
	}
	says(r, 11, nil, "job", "--auto")
	says(r, 0, []string{"task.done"}, "log", "job")
	lostNone(r, before)
	r.Fsck()
}

// The hook reads the base of a run from a file. The previous version of the program rewrites this file without the base. Even with such a
// file, the hook must print its message while the base is checked out, and must print nothing while another branch is checked out.
func TestOlder_programLeavesWhatTheHookReads(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	old := r.Older()
	r.Git("branch", "other")
	r.Write("../work.sh", "cd \"$(git resume start --name job --task a --task b)\" && git resume task start a\nkill -9 $$\n")
	if out, code := r.Try("sh", filepath.Join(r.Root(), "work.sh")); code == 0 {
		t.Fatalf("the worker was not killed: %s", out)
	}
	run := strings.TrimSpace(r.Git("for-each-ref", "--format=%(refname:lstrip=3)", "refs/heads/resume/"))
	open := ".git/resume/open/" + run
	if text := r.Read(open); !strings.Contains(text, `"base":"refs/heads/main"`) {
		t.Errorf("%s does not name the base: %s", open, text)
	}
	says(r, 0, nil, "hooks", "install")
	const speaks = "resume: job, based on this branch, stopped at task 1 of 2"
	checkout := func(r *gittest.Repo, branch string) string {
		t.Helper()
		out, code := r.Try("setsid", "--wait", "sh", "-c", "git checkout -q "+branch+"; exit $?")
		if code != 0 {
			t.Errorf("git checkout %s: exit code %d", branch, code)
		}
		return out
	}
	if out := checkout(r, "main"); !strings.HasPrefix(out, speaks) {
		t.Errorf("on the base: said %q", out)
	}
	if out := checkout(r, "other"); out != "" {
		t.Errorf("on another branch: said %q", out)
	}
	for _, line := range []string{"status", "status " + run, "log " + run, "task skip a"} {
		out, code := old.In(filepath.Join(r.Root(), "repo.worktrees", run)).Try("sh", "-c", "git-resume "+line)
		if strings.Contains(out, "goroutine ") || code != 0 {
			t.Errorf("the version before, %s: exit code %d\n%s", line, code, out)
		}
	}
	if text := r.Read(open); strings.Contains(text, `"base"`) {
		t.Fatalf("the version before did not write %s: %s", open, text)
	}
	// The installed hook is from this version. In the next two checkouts, the program on PATH is the previous version. In the last two, it
	// is this version.
	if out := checkout(old, "other"); out != "" {
		t.Errorf("the version before, on another branch: said %q", out)
	}
	_ = checkout(old, "main")
	if out := checkout(r, "other"); out != "" {
		t.Errorf("on another branch, after the version before recorded something: said %q", out)
	}
	if out := checkout(r, "main"); !strings.HasPrefix(out, speaks) {
		t.Errorf("on the base, after the version before recorded something: said %q", out)
	}
	r.Fsck()
}
