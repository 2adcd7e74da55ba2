package handler_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// disturbance is something that people do to a repository between two reports.
type disturbance struct {
	name string
	do   func(u *user)
	// onlyCommits is true if the disturbance deletes the refs with the run's journal. A closed run can then be found only through its
	// commits.
	onlyCommits bool
}

func expire(u *user) {
	u.Git("reflog", "expire", "--expire=now", "--all")
	u.Git("gc", "-q", "--prune=now")
}

// sequence runs an interactive rebase of everything after the first commit. The sed command in the argument "edit" changes the todo list.
func sequence(u *user, edit string) {
	env := u.Env
	u.Env = append(append([]string{}, env...), "GIT_SEQUENCE_EDITOR=sed -i -e '"+edit+"'")
	u.Git("rebase", "-q", "-i", "--autostash", strings.Fields(u.Git("rev-list", "--max-parents=0", "HEAD"))[0])
	u.Env = env
}

var disturbances = []disturbance{
	{name: "nothing", do: func(*user) {}},
	{name: "gc", do: expire},
	{name: "amend without an edit", do: func(u *user) { u.Git("commit", "-q", "--amend", "--no-edit", "--date=2031-01-01T00:00:00Z") }},
	{name: "amend with other words", do: func(u *user) { u.Git("commit", "-q", "--amend", "-m", "other words") }},
	{name: "amend and gc", do: func(u *user) { u.Git("commit", "-q", "--amend", "-m", "other words"); expire(u) }},
	{name: "rebase", do: func(u *user) {
		root := strings.Fields(u.Git("rev-list", "--max-parents=0", "HEAD"))[0]
		u.Git("branch", "-f", "side", u.Git("commit-tree", "-m", "side", "-p", root, root+"^{tree}"))
		u.Git("rebase", "-q", "--autostash", "side")
	}},
	{name: "rebase and gc", do: func(u *user) {
		root := strings.Fields(u.Git("rev-list", "--max-parents=0", "HEAD"))[0]
		u.Git("branch", "-f", "side", u.Git("commit-tree", "-m", "side", "-p", root, root+"^{tree}"))
		u.Git("rebase", "-q", "--autostash", "side")
		expire(u)
	}},
	{name: "squash of all", do: func(u *user) { sequence(u, "2,$s/^pick/squash/") }},
	{name: "fixup of all", do: func(u *user) { sequence(u, "2,$s/^pick/fixup/") }},
	{name: "merge --squash", do: func(u *user) {
		branch := u.Git("symbolic-ref", "--short", "HEAD")
		root := strings.Fields(u.Git("rev-list", "--max-parents=0", "HEAD"))[0]
		tip := u.head()
		if tip == root {
			return
		}
		u.Git("stash", "-q", "-u")
		u.Git("checkout", "-q", "-b", "squashed", root)
		u.Git("merge", "-q", "--squash", tip)
		u.Git("commit", "-q", "-m", "all in one")
		u.Git("branch", "-f", branch, "squashed")
		u.Git("checkout", "-q", branch)
		u.Git("branch", "-D", "-q", "squashed")
		u.Try("git", "stash", "pop", "-q")
	}},
	{name: "branch rename", do: func(u *user) { u.Git("branch", "-m", "trunk") }},
	{name: "move of the repository", do: func(u *user) {
		to := u.Dir + "-moved"
		if err := os.Rename(u.Dir, to); err != nil {
			u.T.Fatal(err)
		}
		u.Repo = u.In(to)
	}},
	{name: "files beside the refs lost", do: func(u *user) { removeAll(u, "resume") }},
	{name: "journal ref lost", do: func(u *user) { u.Git("update-ref", "-d", "refs/resume/journal/"+u.id) }},
	{name: "notes ref lost", do: func(u *user) { u.Git("update-ref", "-d", "refs/notes/resume/"+u.id) }},
	{name: "both refs lost", onlyCommits: true, do: func(u *user) {
		u.Git("update-ref", "-d", "refs/resume/journal/"+u.id)
		u.Git("update-ref", "-d", "refs/notes/resume/"+u.id)
	}},
	{name: "journal ref and files lost", do: func(u *user) {
		u.Git("update-ref", "-d", "refs/resume/journal/"+u.id)
		removeAll(u, "resume")
		expire(u)
	}},
	{name: "refs packed", do: func(u *user) { u.Git("pack-refs", "--all") }},
}

func removeAll(u *user, name string) {
	if err := os.RemoveAll(filepath.Join(u.Dir, ".git", name)); err != nil {
		u.T.Fatal(err)
	}
}

// steps are actions that report on tasks. Some change a file first.
var steps = []func(u *user){
	func(u *user) { u.MustResume("task", "start", "--run", u.id, "a") },
	func(u *user) { u.work("a") },
	func(u *user) { u.MustResume("task", "start", "--run", u.id, "b") },
	func(u *user) { // stages a file, and reports the task as done without naming a path
		u.Write("b.txt", "b\n")
		u.Git("add", "b.txt")
		u.MustResume("task", "done", "--run", u.id, "b")
	},
	func(u *user) { u.MustResume("task", "start", "--run", u.id, "c") },
	func(u *user) { u.work("c") },
}

func TestHistory_rewrittenBetweenAnyTwoSteps(t *testing.T) {
	for i, m := range disturbances {
		for gap := range len(steps) + 1 {
			// Everyday tests try each disturbance before only one step. The long proof tries each one
			// before every step and at the end.
			if !gittest.Proving() && gap != 3+i%4 {
				continue
			}
			t.Run(say("%s before step %d", m.name, gap+1), func(t *testing.T) {
				t.Parallel()
				u := start(t, "a", "b", "c")
				for i, step := range steps {
					if i == gap {
						u.disturb(m)
					}
					step(u)
				}
				if gap == len(steps) && m.onlyCommits {
					m.do(u)
					u.checkRebuilt()
					return
				}
				if gap == len(steps) {
					u.disturb(m)
				}
				s := u.see()
				if s.State != "finished" || s.Rebuilt || s.has("journal-diverged") || s.has("journal-damaged") {
					t.Errorf("state %s, rebuilt %v, findings %v", s.State, s.Rebuilt, s.Findings)
				}
				for _, task := range []string{"a", "b", "c"} {
					if s.task(task) != "done" {
						t.Errorf("task %s is %s", task, s.task(task))
					}
					if got := u.Git("show", "HEAD:"+task+".txt"); got != task {
						t.Errorf("%s.txt is %q", task, got)
					}
				}
				if own := len(distinct(s)); own != 3 {
					t.Errorf("three tasks, %d commits: %v", own, s.Tasks)
				}
				u.checkCommits()
				u.Fsck()
			})
		}
	}
}

// checkRebuilt checks that a run without a journal is shown from its commits, and is marked as rebuilt.
func (u *user) checkRebuilt() {
	u.T.Helper()
	s := u.see()
	if !s.Rebuilt || !s.has("journal-rebuilt") || len(distinct(s)) != 3 || s.task("c") != "done" {
		u.T.Errorf("rebuilt %v, findings %v, tasks %v", s.Rebuilt, s.Findings, s.Tasks)
	}
	if screen := u.MustResume("status", u.id); !strings.Contains(screen, "rebuilt from the trailers of its commits") {
		u.T.Errorf("not marked:\n%s", screen)
	}
	u.checkCommits()
}

func distinct(s seen) map[string]bool {
	out := map[string]bool{}
	for _, t := range s.Tasks {
		out[t.Commit] = true
	}
	return out
}

// disturb applies a disturbance. Then it checks that no journal line was lost, and that no task has another state. If the disturbance
// deletes our files, it checks that a takeover is needed, and takes the run over. Otherwise it checks that the run's state is the same.
func (u *user) disturb(m disturbance) {
	u.T.Helper()
	before, was := u.lines(), u.see()
	m.do(u)
	u.mustHold(before)
	now := u.see()
	if now.State != was.State && !strings.Contains(m.name, "files") {
		u.T.Errorf("the state was %s and is %s", was.State, now.State)
	}
	for _, t := range was.Tasks {
		if now.task(t.ID) != t.State {
			u.T.Errorf("task %s was %s and is %s", t.ID, t.State, now.task(t.ID))
		}
	}
	u.checkCommits()
	if strings.Contains(m.name, "files") { // without the deleted files, nothing proves that the run is ours, so it must be taken over
		if out, code := u.Resume("task", "start", "--run", u.id, "c"); code != 11 || !strings.Contains(out, "git resume "+u.id+" --takeover") {
			u.T.Errorf("a run of which nothing proves that it is ours was worked on: %d\n%s", code, out)
		}
		u.MustResume(u.id, "--takeover")
		u.mustHold(before)
	}
}
