package prove

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// journalOf makes a run from lines of the form "event task who more". The lines are numbered in order.
func journalOf(lines ...string) *runFacts {
	run := &runFacts{raw: map[string]bool{}}
	for i, text := range lines {
		f := strings.Fields(text + " - - -")
		l := line{Seq: fmt.Sprintf("%010d", i+1), ID: fmt.Sprintf("%s.%d", f[2], i+1), Event: f[0], raw: text}
		if f[1] != "-" {
			l.Task = f[1]
		}
		if l.Event == "run.claimed" {
			_, _ = fmt.Sscan(f[3], &l.Epoch)
		}
		run.lines, run.raw[text] = append(run.lines, l), true
	}
	run.fold()
	return run
}

// TestChecker_seesWhatIsWrong gives the checker wrong states, which it must report, and correct states, which it must accept.
func TestChecker_seesWhatIsWrong(t *testing.T) {
	t.Parallel()
	dead, self := actor{PID: 1 << 30, Start: "1"}, living(os.Getpid())
	with := func(f *runFacts, driver, owner actor) *runFacts {
		f.driver, f.owner = driver, owner
		return f
	}
	first := journalOf("run.started - a", "task.started x a")
	early := journalOf("run.started - a", "task.started x a")
	early.lines[1].raw = "another"
	told := func(state string, tasks ...string) reported {
		var s reported
		s.Runs = append(s.Runs, struct {
			Run, State, Source, Detail string
			Also                       []string
			Tasks                      []struct{ ID, State, Commit, Answer string }
		}{Run: "job", State: state, Source: "native"})
		for _, task := range tasks {
			id, state, _ := strings.Cut(task, " ")
			s.Runs[0].Tasks = append(s.Runs[0].Tasks, struct{ ID, State, Commit, Answer string }{ID: id, State: state})
		}
		return s
	}
	job := func(f *runFacts) facts { return facts{runs: map[string]*runFacts{"job": f}} }
	for _, c := range []struct {
		what string
		err  error
		says string
	}{
		{"one owner after the other", checkOwners(journalOf("run.claimed - a 1", "task.started x a", "run.claimed - b 2", "task.done x b")), ""},
		{"somebody else reports", checkOwners(journalOf("run.claimed - a 1", "task.done x c")), ""},
		{"an owner that was not fenced", checkOwners(journalOf("run.claimed - a 1", "run.claimed - b 2", "task.done x a")), "after the run was taken over"},
		{"two claims of one number", checkOwners(journalOf("run.claimed - a 1", "run.claimed - b 1")), "claim 1 follows claim 1"},
		{"done, then reset", checkRestarts(journalOf("task.done x a", "task.reset x a", "task.started x a")), ""},
		{"done, and begun again", checkRestarts(journalOf("task.done x a", "task.started x a")), "began again"},
		{"a line behind", journalOf("run.started - a", "task.started x a", "task.done x a").checkNumbers(first), ""},
		{"a line before", early.checkNumbers(first), "is before it"},
		{"interrupted", with(journalOf("task.started x a"), dead, dead).checkState("interrupted", ""), ""},
		{"interrupted, but it lives", with(journalOf("task.started x a"), dead, self).checkState("interrupted", ""), "lives"},
		{"running, but it is dead", with(journalOf("task.started x a"), dead, dead).checkState("running", ""), "neither"},
		{"idle, but it is dead", with(journalOf("task.started x a"), dead, dead).checkState("idle", ""), "neither"},
		{"idle, and it is elsewhere", with(journalOf("task.started x a"), dead, dead).checkState("idle", "elsewhere"), ""},
		{"idle, and nothing has begun", with(journalOf("run.started - a"), dead, dead).checkState("idle", ""), ""},
		{"running, and its owner tidies up", with(journalOf("run.finished - a"), dead, self).checkState("running", ""), ""},
		{"running, but it is finished", with(journalOf("run.finished - a"), dead, dead).checkState("running", ""), "closed"},
		{"finished, but it is open", journalOf("task.started x a").checkState("finished", ""), "closed"},
		{"all told", compare(told("failed", "x failed"), job(journalOf("task.failed x a"))), ""},
		{"a task is not told of", compare(told("failed"), job(journalOf("task.failed x a"))), "nothing of task x"},
		{"a task is told otherwise", compare(told("failed", "x done"), job(journalOf("task.failed x a"))), "git shows failed"},
		{"a run is not told of", compare(told("failed", "x failed"), facts{runs: map[string]*runFacts{"job": journalOf("task.failed x a"), "other": journalOf()}}), "nothing of run other"},
		{"a run that is not there", compare(told("failed"), facts{}), "git shows none"},
	} {
		if got := fmt.Sprint(c.err); c.says == "" && c.err != nil || c.err == nil && c.says != "" || !strings.Contains(got, c.says) {
			t.Errorf("%s: %s", c.what, got)
		}
	}
}

// TestChecker_seesWhatIsLeft damages a repository with a second worktree in several ways. The checker must notice the damage, and must
// accept what is not damage.
func TestChecker_seesWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, says string
		harm       func(main, tree *gittest.Repo)
	}{
		{"nothing", "", func(_, _ *gittest.Repo) {}},
		{"a lock", "index.lock", func(_, tree *gittest.Repo) { put(tree, tree.Git("rev-parse", "--absolute-git-dir")+"/index.lock", "") }},
		{"a temporary index", "resume-index-1", func(main, _ *gittest.Repo) { main.Write(".git/resume-index-1", "") }},
		{"a ref without content", "broken ref", func(main, _ *gittest.Repo) { main.Write(".git/refs/resume/snapshots/x-abcd", "") }},
		{"a tree that git does not know", "husk", func(main, _ *gittest.Repo) { put(main, main.Dir+".worktrees/husk/file", "") }},
		{"notes about no tree", "worktrees/nothing", func(main, _ *gittest.Repo) { main.Write(".git/worktrees/nothing/HEAD", "x") }},
		{"a lost file", "neither there nor in any commit", func(_, tree *gittest.Repo) { must(tree, os.Remove(filepath.Join(tree.Dir, "mine"))) }},
		{"another mode", "", func(_, tree *gittest.Repo) { must(tree, os.Chmod(filepath.Join(tree.Dir, "README"), 0o600)) }}, // must not be reported, because git does not store this mode
		{"an index behind its HEAD", "HEAD is ahead of the index", func(_, tree *gittest.Repo) {
			tree.Write("README", "changed\n")
			tree.Git("commit", "-q", "-a", "-m", "changed")
			tree.Git("read-tree", "HEAD~1")
		}},
	} {
		t.Run(strings.ReplaceAll(c.what, " ", "_"), func(t *testing.T) {
			t.Parallel()
			main := gittest.New(t)
			tree := main.In(main.Dir + ".worktrees/side")
			main.Git("worktree", "add", "-q", "-b", "side", tree.Dir)
			tree.Write("mine", "mine\n")
			w := see(main)
			c.harm(main, tree)
			said := ""
			for _, err := range []error{w.checkWorktrees(main), tidied(main)} {
				if err != nil {
					said += err.Error()
				}
			}
			if c.says == "" && said != "" || !strings.Contains(said, c.says) {
				t.Errorf("the checker says: %s", said)
			}
		})
	}
}

func TestChecker_seesWhoWrites(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	for what, write := range map[string]func(){
		"":                func() {},
		".git/index":      func() { r.Write(".git/index", r.Read(".git/index")) },
		".git/logs/HEAD":  func() { r.Write(".git/logs/HEAD", r.Read(".git/logs/HEAD")+"x") },
		".git/refs/stash": func() { r.Write(".git/refs/stash", "x") },
		".git/config":     func() { r.Write(".git/config", r.Read(".git/config")+"\n") },
		"README":          func() { must(r, os.Chmod(filepath.Join(r.Dir, "README"), 0o600)) },
	} {
		err := readsOnly(r, 0, func() error { write(); return nil })
		if what == "" && err != nil || what != "" && (err == nil || !strings.Contains(err.Error(), what)) {
			t.Errorf("%s: %v", what, err)
		}
		_ = os.Remove(filepath.Join(r.Dir, ".git/refs/stash"))
	}
}
