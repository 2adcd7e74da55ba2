package handler_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// reporterCount is the number of processes that report at the same time.
const reporterCount = 8

func perProcess() int {
	if gittest.Proving() {
		return 25
	}
	return 3
}

// reportTogether lets eight processes report tasks at the same time. Each task commits one file. The result says for each task whether its
// report succeeded.
func (u *user) reportTogether(run func(process int) string) map[string]bool {
	u.T.Helper()
	var mu sync.Mutex
	acknowledged := map[string]bool{}
	refused := 0
	var all sync.WaitGroup
	for p := range reporterCount {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := range perProcess() {
				task := say("p%d-%d", p, n)
				u.Write(task, task+"\n")
				out, code := u.Resume("task", "done", "--add", "--run", run(p), task, task)
				mu.Lock()
				if acknowledged[task] = code == 0; code != 0 {
					refused++
					u.T.Logf("%s refused: %s", task, out)
				}
				mu.Unlock()
			}
		}()
	}
	all.Wait()
	if refused*50 > reporterCount*perProcess() {
		u.T.Errorf("%d of %d reports were refused", refused, reporterCount*perProcess())
	}
	return acknowledged
}

// checkKept checks that each acknowledged task has exactly one result, that the result's commit is reachable from HEAD, and that HEAD
// contains the task's file.
func (u *user) checkKept(acknowledged map[string]bool, runs ...string) {
	u.T.Helper()
	results := map[string][]string{}
	for _, id := range runs {
		for _, line := range strings.Split(u.MustResume("log", "--raw", id), "\n") {
			if strings.Contains(line, `"event":"task.done"`) {
				task, commit := field(line, "task"), field(line, "commit")
				results[task] = append(results[task], commit)
			}
		}
	}
	reachable := map[string]bool{}
	for _, id := range strings.Fields(u.Git("rev-list", "HEAD")) {
		reachable[id] = true
	}
	inTree := map[string]bool{}
	for _, name := range strings.Fields(u.Git("ls-tree", "-r", "--name-only", "HEAD")) {
		inTree[name] = true
	}
	for task, acked := range acknowledged {
		got := results[task]
		if !acked {
			continue
		}
		if len(got) != 1 || !reachable[got[0]] || !inTree[task] {
			u.T.Errorf("%s: %d results %v, reachable %v, file there %v", task, len(got), got, len(got) > 0 && reachable[got[0]], inTree[task])
		}
	}
	u.Fsck()
}

// field extracts one text field from a journal line.
func field(line, name string) string {
	_, rest, _ := strings.Cut(line, `"`+name+`":"`)
	value, _, _ := strings.Cut(rest, `"`)
	return value
}

func TestMany_processesOnOneRun(t *testing.T) {
	t.Parallel()
	u := start(t)
	acked := u.reportTogether(func(int) string { return u.id })
	u.checkKept(acked, u.id)
	if s := u.see(); len(s.Tasks) != reporterCount*perProcess() || s.has("journal-diverged") {
		t.Errorf("%d tasks, findings %v", len(s.Tasks), s.Findings)
	}
}

func TestMany_processesOnEightRuns(t *testing.T) {
	t.Parallel()
	u := &user{Repo: start(t).Repo}
	var runs []string
	for p := range reporterCount {
		u.begin(say("run%d", p))
		runs = append(runs, u.id)
	}
	u.checkKept(u.reportTogether(func(p int) string { return runs[p] }), runs...)
}

func TestMany_startsAtOnce(t *testing.T) {
	t.Parallel()
	u := &user{Repo: start(t).Repo}
	var all sync.WaitGroup
	for p := range reporterCount {
		all.Add(1)
		go func() {
			defer all.Done()
			if out, code := u.Resume("start", "--here", "--name", say("run%d", p), "--task", "a"); code != 0 {
				t.Errorf("exit code %d: %s", code, out)
			}
		}()
	}
	all.Wait()
	runs := u.status()
	if len(runs) != reporterCount+1 {
		t.Errorf("%d runs", len(runs))
	}
	for _, r := range runs {
		for _, ref := range []string{"refs/resume/journal/", "refs/resume/base/", "refs/notes/resume/"} {
			if _, code := u.Try("git", "rev-parse", "-q", "--verify", ref+r.Run); code != 0 {
				t.Errorf("%s%s is missing", ref, r.Run)
			}
		}
		if !exists(u.Dir + "/.git/resume/open/" + r.Run) {
			t.Errorf("%s has no open file", r.Run)
		}
	}
}
