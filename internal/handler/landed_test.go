package handler_test

import (
	"strings"
	"testing"
)

// commitUnrecorded makes a task's commit but does not record it, as if git-resume had been killed between the two.
func (u *user) commitUnrecorded(task string) string {
	u.T.Helper()
	u.Write(task+".txt", task+"\n")
	u.Git("add", "-A")
	u.Git("commit", "-q", "-m", say("%s\n\nResume-Run: %s\nResume-Task: %s", task, u.id, task))
	return u.head()
}

func TestLanded_isFoundWhateverComesNext(t *testing.T) {
	for _, c := range []struct {
		name string
		args []string
		code int
		want string
	}{
		{"nothing", nil, 0, "done"},
		{"its done repeated", []string{"task", "done", "a"}, 0, "done"},
		{"its start repeated", []string{"task", "start", "a"}, 1, "done"},
		{"its failure", []string{"task", "fail", "a"}, 1, "done"},
		{"its question", []string{"task", "block", "a", "--ask", "which?"}, 1, "done"},
		{"its reset", []string{"task", "reset", "a"}, 0, "pending"},
		{"the start of another", []string{"task", "start", "b"}, 0, "done"},
		{"the failure of another", []string{"task", "fail", "b"}, 0, "done"},
		{"a partial commit", []string{"checkpoint", "--commit", "more.txt"}, 0, "done"},
		{"a snapshot", []string{"checkpoint"}, 0, "done"},
		{"a pause", []string{"pause"}, 0, "done"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u := start(t, "a", "b")
			u.MustResume("task", "start", "a")
			at := u.commitUnrecorded("a")
			u.Write("more.txt", "more\n")
			if s := u.see(); s.task("a") != "done" || !s.has("task-landed") {
				t.Fatalf("not found: %v %v", s.Tasks, s.Findings)
			}
			if c.args != nil {
				if out, code := u.Resume(c.args...); code != c.code {
					t.Fatalf("exit code %d: %s", code, out)
				}
			}
			for range 2 { // check again after "task start b" has added an event to the journal
				s := u.see()
				if s.task("a") != c.want || c.want == "done" && s.Tasks[0].Commit != at {
					t.Errorf("task a: %+v", s.Tasks[0])
				}
				u.MustResume("task", "start", "b")
			}
			if n := strings.Count(u.Git("log", "--format=%b"), "Resume-Task: a"); n != 1 {
				t.Errorf("the work was committed %d times", n)
			}
		})
	}
}

func TestLanded_aResetIsNotUndoneByARebase(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.work("a")
	u.MustResume("task", "reset", "a")
	root := strings.Fields(u.Git("rev-list", "--max-parents=0", "HEAD"))[0]
	u.Git("branch", "side", u.Git("commit-tree", "-m", "side", "-p", root, root+"^{tree}"))
	u.Git("rebase", "-q", "side")
	if s := u.see(); s.task("a") != "pending" {
		t.Errorf("after a rebase the task that was reset is %s", s.task("a"))
	}
	u.Write("a.txt", "another way\n")
	u.MustResume("task", "done", "a", "a.txt")
	if s := u.see(); s.task("a") != "done" || s.Tasks[0].Commit != u.head() {
		t.Errorf("done again: %+v", s.Tasks[0])
	}
}

func TestDone_countsOnlyTheTasksOwnCommits(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(u *user)
		// own is true if the task's commit already exists. Then "task done" must not make a commit.
		own bool
	}{
		{"nothing was committed", func(u *user) {}, false},
		{"the driver committed", func(u *user) { u.Git("commit", "-q", "--allow-empty", "-m", "by hand") }, true},
		{"another task was done", func(u *user) { u.work("other", "--add") }, false},
		{"another run's task was done", func(u *user) {
			mine := u.id
			u.begin("beside")
			u.work("x", "--add")
			u.id = mine
		}, false},
		{"the driver committed, then another task was done", func(u *user) {
			u.Git("commit", "-q", "--allow-empty", "-m", "by hand")
			u.work("other", "--add")
		}, true},
		{"the last commit was amended", func(u *user) { u.Git("commit", "-q", "--amend", "-m", "other words") }, false},
		{"a partial commit was made", func(u *user) {
			u.Write("part.txt", "part\n")
			u.MustResume("checkpoint", "--commit", "--run", u.id, "part.txt")
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			u := start(t, "first", "a")
			u.work("first")
			u.MustResume("task", "start", "--run", u.id, "a")
			u.Write("a.txt", "a\n")
			c.do(u)
			u.Git("add", "a.txt")
			before := u.head()
			u.MustResume("task", "done", "--run", u.id, "a")
			made := u.head() != before
			if made == c.own {
				t.Errorf("a commit was made: %v", made)
			}
			if !c.own && u.Git("show", "HEAD:a.txt") != "a" {
				t.Error("the staged file is not in it")
			}
			for _, task := range u.see().Tasks {
				if task.ID == "a" && !strings.Contains(u.Git("log", "-1", "--format=%B", task.Commit), map[bool]string{true: "by hand", false: "Resume-Task: a"}[c.own]) {
					t.Errorf("the recorded commit is %s", u.Git("log", "-1", "--format=%B", task.Commit))
				}
			}
		})
	}
}

func TestDone_ofAPartialCommitAloneCountsIt(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "start", "a")
	u.Write("a.txt", "a\n")
	u.MustResume("checkpoint", "--commit", "a.txt")
	u.MustResume("task", "done", "a")
	if s := u.see(); s.task("a") != "done" || s.Tasks[0].Commit != u.head() {
		t.Errorf("%+v", s.Tasks[0])
	}
}

func TestLanded_makesUpNoTask(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "start", "a")
	u.Git("commit", "-q", "--allow-empty", "-m", say("Merge\n\nResume-Run: %s", u.id))
	for range 2 {
		if s := u.see(); len(s.Tasks) != 2 {
			t.Errorf("tasks: %+v", s.Tasks)
		}
		u.MustResume("--yes", u.id)
	}
	u.Git("update-ref", "-d", "refs/resume/journal/"+u.id)
	u.Git("update-ref", "-d", "refs/notes/resume/"+u.id)
	if out, _ := u.Resume("log", u.id); strings.Contains(out, "✓") {
		t.Errorf("rebuilt from trailers: %s", out)
	}
}

// After a takeover, git-resume does not look for earlier results on the branch again. So the takeover must record the results that are
// already there.
func TestLanded_isFoundByATakeover(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		u := start(t, "a", "b", "c")
		u.MustResume("task", "start", "a")
		if own { // the first clone takes its run back, after another clone took it over and reported something
			u.loseDriver()
			c := u.inClone(true)
			c.takeOver()
			c.MustResume("task", "fail", "a", "--cause", "quota")
			u.Git("fetch", "-q", c.Dir, fetchNotes)
		}
		at := u.commitUnrecorded("a")
		u.loseDriver()
		if !own {
			u = u.inClone(true)
		}
		u.takeOver()
		if s := u.see(); s.task("a") != "done" || s.Tasks[0].Commit != at {
			t.Errorf("own %v: %+v %v", own, s.Tasks[0], s.Findings)
		}
	}
}
