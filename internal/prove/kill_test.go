package prove

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// scene is a command and the repository in which it is killed.
type scene struct {
	name string
	// prepare makes everything up to the command; it gives the tree in which the command runs.
	prepare func(*gittest.Repo) *gittest.Repo
	args    []string
	// after says what must be there once the command was acknowledged.
	after func(facts) error
}

const job1 = "job"

func started(r *gittest.Repo) *gittest.Repo {
	r.MustResume("start", "--here", "--name", job1, "--task", "a", "--task", "b")
	return r
}

func active(r *gittest.Repo) *gittest.Repo {
	started(r).MustResume("task", "start", "a")
	r.Write("README", "changed\n")
	r.Write("new", "new\n")
	r.Write("other", "not of this task\n")
	return r
}

func scenes() []scene {
	return []scene{
		{"start", func(r *gittest.Repo) *gittest.Repo { return r },
			[]string{"start", "--here", "--name", job1, "--task", "a", "--task", "b"}, one("run.started", "")},
		{"start plan", func(r *gittest.Repo) *gittest.Repo {
			r.Write("plan.yaml", "name: job\ntasks:\n  - id: a\n  - id: b\n")
			return r
		}, []string{"start", "--here", "plan.yaml"}, one("run.started", "")},
		{"start beside another", func(r *gittest.Repo) *gittest.Repo {
			r.MustResume("start", "--here", "--name", "first", "--task", "x")
			return r
		}, []string{"start", "--here", "--name", job1, "--task", "a", "--task", "b"}, one("run.started", "")},
		{"task start", started, []string{"task", "start", "a"}, atLeastOne("task.started", "a")},
		{"task done named", active, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done named beside staged", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("add", "other")
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done staged", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("add", "README", "new")
			return r
		}, []string{"task", "done", "a"}, committed("a")},
		{"task done in a linked worktree", func(r *gittest.Repo) *gittest.Repo {
			tree := filepath.Join(filepath.Dir(r.Dir), "linked")
			r.Git("worktree", "add", "-q", "-b", "side", tree)
			return active(r.In(tree))
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done with packed refs", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("pack-refs", "--all", "--prune")
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done detached", func(r *gittest.Repo) *gittest.Repo {
			r.Git("checkout", "-q", "--detach")
			return active(r)
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done with hooks", func(r *gittest.Repo) *gittest.Repo {
			active(r)
			for _, hook := range []string{"pre-commit", "commit-msg", "post-commit"} {
				r.Write(".git/hooks/"+hook, "#!/bin/sh\nexit 0\n")
				if err := os.Chmod(filepath.Join(r.Dir, ".git/hooks", hook), 0o755); err != nil {
					r.T.Fatal(err)
				}
			}
			return r
		}, []string{"task", "done", "a", "README", "new"}, committed("a")},
		{"task done ends the run", func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("task", "skip", "b")
			return r
		}, []string{"task", "done", "a", "README", "new"}, all(committed("a"), one("run.finished", ""))},
		{"task fail", active, []string{"task", "fail", "a", "-m", "no"}, atLeastOne("task.failed", "a")},
		{"checkpoint", func(r *gittest.Repo) *gittest.Repo {
			active(r).Git("add", "README", "new")
			return r
		}, []string{"checkpoint", "--commit"}, partly("a")},
		{"pause", active, []string{"pause"}, one("run.paused", "")},
		{"answer", func(r *gittest.Repo) *gittest.Repo {
			active(r).MustResume("task", "block", "a", "--ask", "which?", "--option", "red", "--option", "blue")
			return r
		}, []string{"answer", "a", "2"}, atLeastOne("task.answered", "a")},
		{"start with a worktree", func(r *gittest.Repo) *gittest.Repo { return r },
			[]string{"start", "--name", job1, "--task", "a", "--task", "b"}, all(one("run.started", ""), one("worktree.ready", ""))},
		{"task done in its worktree", func(r *gittest.Repo) *gittest.Repo {
			out := r.MustResume("start", "--name", job1, "--task", "a", "--task", "b")
			for l := range strings.Lines(out) {
				if path := strings.TrimSpace(l); filepath.IsAbs(path) {
					r = r.In(path)
				}
			}
			r.MustResume("task", "start", "a")
			r.Write("README", "changed\n")
			r.Write("new", "new\n")
			return r
		}, []string{"task", "done", "a"}, committed("a")},
		{"finish", active, []string{"finish"}, one("run.finished", "")},
	}
}

func TestKill_everyWriteOfEveryCommand(t *testing.T) {
	needTracer(t)
	for i, s := range scenes() {
		t.Run(strings.ReplaceAll(s.name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			if !whole() {
				s.killSome(t, i)
				return
			}
			total := length(t, s)
			t.Logf("%s: %d calls that write, %d kills", s.name, total, s.killEverywhere(t, total))
		})
	}
}

// length runs the command once undisturbed.
func length(t *testing.T, s scene) int {
	t.Helper()
	r := s.prepare(gittest.New(t))
	out := trace(t, resumeJob(r, s.args...))
	if out.Exit != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", out.Exit, out.Output)
	}
	if err := s.after(look(r)); err != nil {
		t.Fatalf("undisturbed: %v", err)
	}
	return out.Calls
}

// killEverywhere goes through the calls until no kill happens any more, in both modes.
func (s scene) killEverywhere(t *testing.T, total int) (kills int) {
	t.Helper()
	for _, all := range []bool{false, true} {
		// Threads make the number of calls vary a little from run to run.
		for n := 1; s.kill(t, job{N: n, All: all}) || n <= total; n += stride() {
			kills++
		}
	}
	return kills
}

// whole: every point is tried, not a sample.
func whole() bool { return os.Getenv("GIT_RESUME_PROVE") != "" }

// stride is the number in GIT_RESUME_PROVE: 1 tries every call, 5 every fifth.
func stride() int {
	n, err := strconv.Atoi(os.Getenv("GIT_RESUME_PROVE"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

// shortest is a number of calls that every scene makes; a sample stays below it.
const shortest = 75

// killSome tries two points, others for every scene; the known windows lie beside them.
func (s scene) killSome(t *testing.T, scene int) {
	t.Helper()
	s.kill(t, job{N: 1 + 7*scene%shortest, All: scene%2 == 0})
	s.kill(t, job{N: 1 + (7*scene+37)%shortest, All: scene%2 == 1})
}

// kill makes a fresh repository, kills the command in it, and checks everything.
func (s scene) kill(t *testing.T, at job) (fired bool) {
	t.Helper()
	t.Run(at.name(), func(t *testing.T) {
		r := s.prepare(gittest.New(t))
		before := witness{facts: look(r), files: files(r), tracked: tracked(r)}
		j := resumeJob(r, s.args...)
		j.N, j.Match, j.After, j.All = at.N, at.Match, at.After, at.All
		out := trace(t, j)
		fired = out.Fired
		if err := before.judge(s, r, out); err != nil {
			t.Errorf("cut off at %s (call %d, all: %v), exit code %d\n%v\noutput: %s", out.At, out.Calls, at.All, out.Exit, err, out.Output)
		}
	})
	return fired
}

func (j job) name() string {
	switch {
	case j.Match != call{}:
		return strings.NewReplacer("/", "_", " ", "_").Replace(j.Match.String())
	case j.All:
		return fmt.Sprintf("all_at_%d", j.N)
	}
	return fmt.Sprintf("one_at_%d", j.N)
}

// witness is how things were before the kill.
type witness struct {
	facts   facts
	files   map[string]string
	tracked map[string]string
}

// judge checks what a kill left, then repeats the command and checks again.
func (w witness) judge(s scene, r *gittest.Repo, out outcome) error {
	now := look(r)
	if out.Exit == 0 {
		if err := s.after(now); err != nil {
			return fmt.Errorf("acknowledged, but %w", err)
		}
	}
	if err := w.sound(r, now); err != nil && !halfMade(err) {
		return fmt.Errorf("after the kill: %w", err)
	}
	said, code := r.Resume(s.args...)
	if code != 0 {
		return fmt.Errorf("repeated: exit code %d\n%s", code, said)
	}
	again := look(r)
	if err := w.sound(r, again); err != nil {
		return fmt.Errorf("after the repeat: %w", err)
	}
	if err := s.after(again); err != nil {
		return fmt.Errorf("after the repeat: %w", err)
	}
	if err := onlyItsOwn(r, again); err != nil {
		return fmt.Errorf("after the repeat: %w", err)
	}
	if left := locks(r); len(left) > 0 {
		return fmt.Errorf("locks are left: %v", left)
	}
	if said, code := r.Try("git", "commit", "-q", "--allow-empty", "--only", "-m", "by hand"); code != 0 {
		return fmt.Errorf("git cannot commit: %s", said)
	}
	return nil
}

// sound is what must hold at every moment.
func (w witness) sound(r *gittest.Repo, now facts) error {
	s, err := tell(r)
	if err != nil {
		return err
	}
	if err := compare(s, now); err != nil {
		return err
	}
	for id, run := range w.facts.runs {
		for _, l := range run.lines {
			if now.runs[id] == nil || !now.runs[id].raw[l.raw] {
				return fmt.Errorf("an acknowledged event is missing: %s", l.raw)
			}
		}
	}
	have := files(r)
	for path, text := range w.files {
		if have[path] != text {
			return fmt.Errorf("file %s is not as the user left it", path)
		}
	}
	if back := reverted(r, w.tracked); len(back) > 0 {
		return fmt.Errorf("HEAD is ahead of the index in %v", back)
	}
	if out, code := r.Try("git", "fsck", "--full", "--strict", "--no-dangling"); code != 0 || strings.TrimSpace(out) != "" {
		return &fsckError{strings.TrimSpace(out)}
	}
	return nil
}

type fsckError struct{ text string }

func (e *fsckError) Error() string { return "git fsck: " + e.text }

// halfMade: git itself, killed while it makes a worktree, leaves one whose HEAD leads nowhere,
// and complains of it until the repeated start has put it away.
func halfMade(err error) bool {
	var fsck *fsckError
	if !errors.As(err, &fsck) {
		return false
	}
	for l := range strings.Lines(fsck.text) {
		if !strings.HasPrefix(l, "error: worktrees/"+job1+"-") {
			return false
		}
	}
	return true
}
