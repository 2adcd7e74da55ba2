package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// An act is one thing that people, shells, agents or git ask of the program. Its floor is the fewest processes that can know or do the
// same: the git commands of somebody who wants only that result, or an empty Go program where git has nothing to say.
type act struct {
	name  string
	scene func(*testing.T) *scene
	// ours and floor are commands, joined by "&&". The words in braces come from the scene, and {n} is the number of the round.
	ours, floor string
	rounds      int
	promised    float64 // the largest ratio that is promised, or 0
	stdin       string  // what both may read
	exit        [2]int  // the exit codes of ours and of the floor
}

// A scene is what an act is done in. In most scenes, ours and the floor have different worktrees.
type scene struct {
	ours, hand *gittest.Repo
	words      map[string]string
	each       func(round int) // prepares a round, and is not measured
}

const (
	few   = 20     // files in a small repository
	large = 10_000 // files in a large one
)

// realistic is a gitconfig as many people have it: git reads further files for it.
const realistic = `[user]
	name = A U Thor
	email = author@example.com
[init]
	defaultBranch = main
[advice]
	detachedHead = false
[alias]
	st = status -sb
[include]
	path = .gitconfig.more
[includeIf "gitdir:~/work/"]
	path = .gitconfig.work
`

const (
	prompted = `{"session_id":"s-1","cwd":"{dir}","hook_event_name":"UserPromptSubmit","prompt":"go"}`
	turned   = `{"session_id":"s-1","cwd":"{dir}",{event}}`
)

var acts = []act{
	{name: "version", scene: open(0), ours: "git-resume version", floor: "git version", rounds: 40, promised: 3},

	{name: "agent-event outside of repositories", scene: outside, ours: "git-resume agent-event", stdin: prompted, floor: "empty", rounds: 40, promised: 2},
	{name: "agent-event, nothing to record, 30 open", scene: heard(30), ours: "git-resume agent-event", stdin: prompted, floor: "empty", rounds: 40, promised: 3},
	{name: "agent-event that records", scene: heard(0), ours: "git-resume agent-event", stdin: turned, floor: "git update-ref refs/floor {commit}"},

	{name: "status, 0 open", scene: open(0), ours: "git-resume status", floor: "git rev-parse HEAD", rounds: 40, promised: 3},
	{name: "status, 0 open, realistic gitconfig", scene: configured(open(0)), ours: "git-resume status", floor: "git rev-parse HEAD", rounds: 40},
	{name: "status through git, realistic gitconfig", scene: configured(open(0)), ours: "git resume status", floor: "git rev-parse HEAD"},
	{name: "status, 3 open", scene: open(3), ours: "git-resume status", floor: "git worktree list"},
	{name: "status, 3 open, realistic gitconfig", scene: configured(open(3)), ours: "git-resume status", floor: "git worktree list"},
	{name: "status, 30 open", scene: open(30), ours: "git-resume status", floor: "git worktree list"},
	{name: "status, 30 open, realistic gitconfig", scene: configured(open(30)), ours: "git-resume status", floor: "git worktree list"},
	{name: "status, 3 open, 200 finished", scene: finished(200, 3), ours: "git-resume status", floor: "git worktree list"},
	{name: "status, 50 worktrees", scene: worktrees, ours: "git-resume status", floor: "git worktree list"},
	{name: "status, 10k files", scene: one(large), ours: "git-resume status", floor: "git ls-files -u"},
	{name: "status --prompt, 0 open", scene: open(0), ours: "git-resume status --prompt", floor: "git rev-parse HEAD", rounds: 40},
	{name: "status --prompt, 30 open", scene: open(30), ours: "git-resume status --prompt", floor: "git worktree list"},
	{name: "status, 30 specs", scene: specs(30), ours: "git-resume status", floor: `git grep -c --untracked \[.\] -- specs`},
	{name: "status, 300 specs", scene: specs(300), ours: "git-resume status", floor: `git grep -c --untracked \[.\] -- specs`},
	{name: "status, 50 specs of all systems", scene: everySystem, ours: "git-resume status", floor: "git grep -c -i status -- specs docs web .auto-claude .agent-memory .long-run .planning .taskmaster"},
	{name: "git resume, 30 specs to choose from", scene: specs(30), ours: "git-resume", floor: `git grep -c --untracked \[.\] -- specs`, exit: [2]int{11, 0}},
	{name: "git resume -n RUN", scene: job(few), ours: "git-resume -n job",
		floor: "git -C {tree} status --porcelain && git rev-list --left-right --count main...{branch} && git show refs/notes/resume/{run}"},
	{name: "git resume -n RUN, 30 others", scene: beside(30, job(few)), ours: "git-resume -n job",
		floor: "git -C {tree} status --porcelain && git rev-list --left-right --count main...{branch} && git show refs/notes/resume/{run}"},

	{name: "checkout with the hook, 20 files, 0 open", scene: hooked(few, few/4, 0), ours: "git checkout -q -", floor: "git -c core.hooksPath=/dev/null checkout -q -", rounds: 40},
	{name: "checkout with the hook, 20 files, 3 open", scene: hooked(few, few/4, 3), ours: "git checkout -q -", floor: "git -c core.hooksPath=/dev/null checkout -q -", rounds: 40},
	{name: "checkout with the hook, 500 of 10k files", scene: hooked(large, 500, 0), ours: "git checkout -q -", floor: "git -c core.hooksPath=/dev/null checkout -q -", rounds: 12, promised: 1.25},

	{name: "start, 20 files", scene: fresh, ours: "git-resume start --name job --task a --task b", floor: "git worktree add -q -b by-hand ../hand"},
	{name: "start, 100 known runs", scene: finished(50, 50), ours: "git-resume start --name job{n} --task a --task b", floor: "git worktree add -q -b by-hand{n} ../hand{n}", rounds: 10},
	{name: "task start", scene: reporting, ours: "git-resume task start a --run job", floor: "git update-ref refs/floor {commit}"},
	{name: "task done, 5 of 20 files", scene: working(few, 5), ours: "git-resume task done t{n}", floor: "git add -A && git commit -q -m t{n}", promised: 4},
	{name: "task done, 5 of 10k files", scene: working(large, 5), ours: "git-resume task done t{n}", floor: "git add -A && git commit -q -m t{n}", rounds: 5, promised: 2.5},
	{name: "task done, 1,000 of 10k files", scene: working(large, 1000), ours: "git-resume task done t{n}", floor: "git add -A && git commit -q -m t{n}", rounds: 5},
	{name: "checkpoint, 5 of 20 files", scene: working(few, 5), ours: "git-resume checkpoint", floor: "git stash create"},
	{name: "checkpoint, 1,000 of 10k files", scene: working(large, 1000), ours: "git-resume checkpoint", floor: "git stash create", rounds: 5, promised: 1.3},

	{name: "discard, 5 of 20 files changed", scene: discarding(few, 5, false), ours: "git-resume discard -y --force job", floor: discardFloor, rounds: 12},
	{name: "discard, 10 of 10k files changed", scene: discarding(large, 10, false), ours: "git-resume discard -y --force job", floor: discardFloor, rounds: 5},
	{name: "discard beside 1,000 processes", scene: crowded(discarding(few, 5, false)), ours: "git-resume discard -y --force job", floor: discardFloor, rounds: 12},
	{name: "undo of a discard, 20 files", scene: discarding(few, 5, true), ours: "git-resume undo -y job", floor: "git worktree add -q -b by-hand {hand}", rounds: 12},
	{name: "undo of a discard, 10k files", scene: discarding(large, 10, true), ours: "git-resume undo -y job", floor: "git worktree add -q -b by-hand {hand}", rounds: 5},
	{name: "restore --to, 20 files", scene: restoring(few, 5), ours: "git-resume restore job@1 --to ../copy{n}", floor: "git --work-tree=../plain{n} restore --source=changed ."},
	{name: "restore, 1,000 of 10k files", scene: restoring(large, 1000), ours: "git-resume restore job@1 --into-worktree -y", floor: "git restore --source=changed .", rounds: 5, promised: 1.5},
	{name: "merge, 5 files", scene: merging, ours: "git-resume merge job", floor: "git merge -q --ff-only by-hand", rounds: 12},

	{name: "log, 20 tasks", scene: told, ours: "git-resume log job", floor: "git show refs/notes/resume/{run}"},
	{name: "review, 20 tasks", scene: told, ours: "git-resume review job", floor: "git diff --stat main...{branch}"},
	{name: "status RUN, 20 tasks", scene: told, ours: "git-resume status job", floor: "git show refs/notes/resume/{run}"},
	{name: "snapshots, 100", scene: saved(100), ours: "git-resume snapshots", floor: "git cat-file --batch", stdin: "{facts}", promised: 3},
	{name: "undo --list, 50 discarded", scene: discarded(50), ours: "git-resume undo --list", floor: "git for-each-ref refs/resume/discarded"},
	{name: "conflicts of one merge", scene: diverged, ours: "git-resume conflicts main topic", floor: "git merge-tree --write-tree main topic", exit: [2]int{1, 1}},
}

const discardFloor = "git -C {hand} stash create && git worktree remove --force {hand} && git branch -q -D by-hand"

// at makes a scene in which ours and the floor use the same folder.
func at(r *gittest.Repo) *scene {
	return &scene{ours: r, hand: r, words: map[string]string{"dir": r.Dir}, each: func(int) {}}
}

func open(n int) func(*testing.T) *scene { return finished(0, n) }
func one(files int) func(*testing.T) *scene {
	return func(t *testing.T) *scene { return at(manyFiles(t, files)) }
}
func outside(t *testing.T) *scene     { return at(gittest.New(t).In(t.TempDir())) }
func everySystem(t *testing.T) *scene { return at(fiftySpecs(t)) }
func finished(done, n int) func(*testing.T) *scene {
	return func(t *testing.T) *scene { return at(crowd(t, done, n)) }
}

func worktrees(t *testing.T) *scene {
	r := gittest.New(t)
	addTrees(r, 50)
	return at(r)
}

// configured gives the user of a scene a gitconfig that names other files, and a git-resume that git finds.
func configured(make func(*testing.T) *scene) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := make(t)
		s.ours.WithBinary()
		home := s.ours.In(filepath.Join(filepath.Dir(s.ours.Dir), "home"))
		home.Write(".gitconfig", realistic)
		home.Write(".gitconfig.more", "[pull]\n\trebase = true\n")
		home.Write(".gitconfig.work", "[user]\n\temail = work@example.com\n")
		return s
	}
}

// job makes a scene with a run of two tasks, and a worktree of the same files for the floor.
func job(files int) func(*testing.T) *scene {
	return func(t *testing.T) *scene { return jobIn(manyFiles(t, files)) }
}

func jobIn(r *gittest.Repo) *scene {
	s := at(r)
	resume(r, "start", "--name", "job", "--task", "a", "--task", "b")
	s.words["branch"] = r.Git("for-each-ref", "--format=%(refname:short)", "refs/heads/resume/job-*")
	s.words["run"] = strings.TrimPrefix(s.words["branch"], "resume/")
	s.words["tree"] = r.Git("for-each-ref", "--format=%(worktreepath)", "refs/heads/resume/job-*")
	s.words["hand"] = filepath.Join(filepath.Dir(r.Dir), "hand")
	return s
}

// trees lets ours work in the worktree of the job, and the floor in one made by hand.
func (s *scene) trees() *scene {
	s.ours.Git("worktree", "add", "-q", "-b", "by-hand", s.words["hand"])
	s.hand, s.ours = s.ours.In(s.words["hand"]), s.ours.In(s.words["tree"])
	return s
}

func beside(n int, make func(*testing.T) *scene) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := make(t)
		for i := range n {
			resume(s.ours, "start", "--name", fmt.Sprintf("other%d", i), "--task", "one")
		}
		return s
	}
}

// edit writes new text into some of the files of a worktree, and adds one. No text occurs twice, so that no side finds objects that the
// other one has just written.
func edit(r *gittest.Repo, files, changed, round int) {
	text := func(i int) string { return fmt.Sprintf("%s: change %d in round %d\n", r.Dir, i, round) }
	for i := range changed - 1 {
		r.Write(place(i*files/changed), text(i))
	}
	r.Write(fmt.Sprintf("new%d", round), text(changed))
}

// heard makes a scene with a run in whose worktree an agent has reported, and other runs. The events that are recorded are new in each
// round.
func heard(others int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := beside(others, job(few))(t).trees()
		s.words["dir"] = s.ours.Dir
		report := s.command(t, act{ours: "git-resume agent-event", stdin: prompted}, true)
		report.time()
		s.alternate(func(round int) {
			s.words["event"] = []string{`"hook_event_name":"Stop"`, `"hook_event_name":"UserPromptSubmit","prompt":"go"`}[round%2]
		})
		return s
	}
}

// alternate gives the floor's update-ref a commit that differs from that of the round before.
func (s *scene) alternate(each func(round int)) {
	commits := [2]string{s.hand.Git("rev-parse", "HEAD"), s.hand.Git("commit-tree", "-m", "other", "HEAD^{tree}")}
	s.each = func(round int) {
		s.words["commit"] = commits[round%2]
		each(round)
	}
}

func reporting(t *testing.T) *scene {
	s := job(few)(t).trees()
	s.alternate(func(int) { resume(s.ours, "task", "reset", "a", "--run", "job") })
	resume(s.ours, "task", "start", "a")
	return s
}

// working makes a scene in which each round changes files in both worktrees. In the run, a task has just been started.
func working(files, changed int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := job(files)(t).trees()
		s.each = func(round int) {
			resume(s.ours, "task", "start", "--add", fmt.Sprintf("t%d", round))
			edit(s.ours, files, changed, round)
			edit(s.hand, files, changed, round)
		}
		return s
	}
}

// discarding makes a scene in which each round brings back the run and the worktree that the round before discarded, and changes files in
// them. If undone is set, they are then discarded again, so that the round can bring them back.
func discarding(files, changed int, undone bool) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := job(files)(t)
		tree, hand := s.ours.In(s.words["tree"]), s.ours.In(s.words["hand"])
		s.each = func(round int) {
			switch {
			case undone && round > 0:
				s.ours.Git("worktree", "remove", "--force", hand.Dir)
				s.ours.Git("branch", "-q", "-D", "by-hand")
			case round > 0:
				resume(s.ours, "undo", "-y", "job")
			}
			edit(tree, files, changed, round)
			if undone {
				resume(s.ours, "discard", "-y", "--force", "job")
				return
			}
			s.ours.Git("worktree", "add", "-q", "-b", "by-hand", hand.Dir)
			edit(hand, files, changed, round)
		}
		return s
	}
}

// crowded adds a thousand processes to the machine. They end when the test closes the pipe that they read, or is killed.
func crowded(make func(*testing.T) *scene) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		var all []*exec.Cmd
		t.Cleanup(func() {
			out.Close()
			for _, cmd := range all {
				_ = cmd.Wait()
			}
		})
		defer in.Close()
		for range 1000 {
			cmd := exec.Command("cat")
			cmd.Stdin = in
			if err := cmd.Start(); err != nil {
				t.Skipf("a thousand processes are too many here: %v", err)
			}
			all = append(all, cmd)
		}
		return make(t)
	}
}

// fresh makes a new repository for each round.
func fresh(t *testing.T) *scene {
	s := at(manyFiles(t, few))
	s.each = func(round int) {
		if round > 0 {
			*s.ours = *manyFiles(t, few)
		}
	}
	return s
}

// merging makes a run and a branch with the same changes, each in a repository of its own that is new in each round.
func merging(t *testing.T) *scene {
	s := &scene{ours: &gittest.Repo{}, hand: &gittest.Repo{}, words: map[string]string{}}
	s.each = func(round int) {
		*s.ours, *s.hand = *manyFiles(t, few), *manyFiles(t, few)
		tree := s.ours.In(jobIn(s.ours).words["tree"])
		edit(tree, few, 5, round)
		resume(tree, "task", "done", "a")
		resume(tree, "task", "skip", "b")
		s.hand.Git("checkout", "-q", "-b", "by-hand")
		edit(s.hand, few, 5, round)
		s.hand.Git("add", "-A")
		s.hand.Git("commit", "-q", "-m", "a")
		s.hand.Git("checkout", "-q", "main")
	}
	return s
}

// restoring makes a snapshot and a branch "changed" with the same files, which each round can bring back.
func restoring(files, changed int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := job(files)(t).trees()
		edit(s.ours, files, changed, 0)
		resume(s.ours, "checkpoint")
		edit(s.hand, files, changed, 0)
		s.hand.Git("add", "-A")
		s.hand.Git("commit", "-q", "-m", "changed")
		s.hand.Git("branch", "changed")
		s.hand.Git("reset", "-q", "--hard", "main")
		s.each = func(round int) {
			for _, r := range []*gittest.Repo{s.ours, s.hand} {
				r.Git("reset", "-q", "--hard")
				r.Git("clean", "-q", "-f", "-d")
			}
			if err := os.Mkdir(filepath.Join(filepath.Dir(s.hand.Dir), fmt.Sprintf("plain%d", round)), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		return s
	}
}

// told makes a run with twenty tasks that are done.
func told(t *testing.T) *scene {
	s := job(few)(t)
	tree := s.ours.In(s.words["tree"])
	for i := range 20 {
		resume(tree, "task", "start", "--add", fmt.Sprintf("t%d", i))
		edit(tree, few, 5, i)
		resume(tree, "task", "done", fmt.Sprintf("t%d", i))
	}
	return s
}

func saved(n int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		s := job(few)(t)
		s.ours = s.ours.In(s.words["tree"])
		for i := range n {
			s.ours.Write(place(0), fmt.Sprintf("state %d\n", i))
			resume(s.ours, "checkpoint")
			s.words["facts"] += fmt.Sprintf("refs/resume/snapshots/%s:%04d/facts\n", s.words["run"], i+1)
		}
		return s
	}
}

func discarded(n int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		r := manyFiles(t, few)
		for i := range n {
			name := fmt.Sprintf("gone%d", i)
			resume(r, "start", "--name", name, "--task", "one")
			resume(r, "discard", "-y", name)
		}
		return at(r)
	}
}

// hooked makes a scene with the hook installed, in which "git checkout -" changes some of the files.
func hooked(files, differ, runs int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		r := manyFiles(t, files).WithBinary()
		r.Git("checkout", "-q", "-b", "topic")
		for i := range differ {
			r.Write(place(i*files/differ), fmt.Sprintf("other %d\n", i))
		}
		r.Git("commit", "-q", "-a", "-m", "topic")
		r.Git("checkout", "-q", "main")
		s := beside(runs, func(*testing.T) *scene { return at(r) })(t)
		resume(r, "hooks", "install")
		return s
	}
}

// specs makes a repository with lists of tasks that each have an open box. All are two days old. One box was ticked in a commit, one is not
// committed, and one list is not tracked.
func specs(n int) func(*testing.T) *scene {
	return func(t *testing.T) *scene {
		r := manyFiles(t, few)
		list := func(i int, box string) {
			r.Write(fmt.Sprintf("specs/%03d-list/tasks.md", i), "# Tasks\n- [x] T001 one\n- ["+box+"] T002 two\n- [ ] T003 three\n")
		}
		for i := range n - 1 {
			list(i, " ")
		}
		r.Git("add", "-A")
		r.Git("commit", "-q", "-m", "specs")
		list(0, "x")
		r.Git("commit", "-q", "-a", "-m", "T002")
		list(1, "x")
		list(n-1, " ")
		age(t, r)
		return at(r)
	}
}

// diverged makes two branches of 75 commits each, whose changes meet in eight files.
func diverged(t *testing.T) *scene {
	if !(gittest.Git{}).AtLeast(2, 38) {
		t.Skip("this git has no merge-tree --write-tree")
	}
	const files, commits, both = 200, 75, 8
	r := gittest.Empty(t)
	text := func(i int, line string) string {
		return strings.Repeat(fmt.Sprintf("line of %d\n", i), 20) + line + "\n"
	}
	for i := range files {
		r.Write(place(i), text(i, "last"))
	}
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "files")
	r.Git("branch", "topic")
	for side, branch := range []string{"main", "topic"} {
		r.Git("checkout", "-q", branch)
		for i := range commits {
			file := i
			if i >= both {
				file += side * commits
			}
			r.Write(place(file), text(file, branch))
			r.Git("commit", "-q", "-a", "-m", fmt.Sprintf("%s %d", branch, i))
		}
	}
	return at(r)
}
