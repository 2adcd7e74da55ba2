package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/worktree/treetest"
)

// The tests in this file let an earlier version of the program leave work in a repository, and continue it there with the present one. The
// record is bound to the machine, the user and the repository, so a stored copy of it would prove nothing.

// recorded makes a repository in which the earlier version has run a shell script.
func recorded(t *testing.T, script string) (r, old *gittest.Repo) {
	t.Helper()
	r = gittest.New(t).WithBinary()
	old = r.Recorded()
	shell(old, script)
	documented(t, storedLines(r))
	forgetCaches(r)
	return r, old
}

// forgetCaches deletes the cached states of the runs in all clones. With them, nothing would show that an event is no longer understood.
func forgetCaches(r *gittest.Repo) {
	r.T.Helper()
	for _, git := range []string{".git", "../desktop/.git"} {
		gittest.NoError(r.T, "delete the cached states", os.RemoveAll(filepath.Join(r.Dir, git, "resume", "cache")))
	}
}

// documented fails the test if docs/FORMAT.md does not explain an event or a field of the lines.
func documented(t *testing.T, lines []string) {
	t.Helper()
	page, err := os.ReadFile("../../docs/FORMAT.md")
	gittest.NoError(t, "read the format", err)
	for _, line := range lines {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		if !regexp.MustCompile(`,"v":1,"mac":"[0-9a-f]{32}"}$`).MatchString(line) {
			t.Errorf("the line does not end with its version and signature: %s", line)
		}
		names := append(slices.Collect(maps.Keys(fields)), fmt.Sprint(fields["event"]))
		for _, name := range names {
			if !strings.Contains(string(page), "\n| `"+name+"` | ") {
				t.Errorf("docs/FORMAT.md does not explain %q: %s", name, line)
			}
		}
	}
}

// shell runs a shell script, which must succeed, and returns its output. The script is in a file, because then the shell that runs it counts
// as the worker, and is gone afterwards.
func shell(r *gittest.Repo, script string) string {
	r.T.Helper()
	file := filepath.Join(r.T.TempDir(), "work.sh")
	gittest.NoError(r.T, "write a script", os.WriteFile(file, []byte(recordedHelp+script), 0o600))
	out, code := r.Try("sh", "-e", file)
	if code != 0 {
		r.T.Fatalf("exit code %d\n%s", code, out)
	}
	return out
}

// recordedHelp are functions for the scripts: "tree" changes into the worktree of a run, "await" waits for a file.
const recordedHelp = `
tree() { cd "$(git rev-parse --path-format=absolute --git-common-dir)/../../repo.worktrees/$1"-*; }
await() { for i in $(seq 1200); do test -e "$1" && return; sleep 0.05; done; echo "$1 is missing"; false; }
`

// at returns the worktree of a run that has the given name.
func at(r *gittest.Repo, name string) *gittest.Repo {
	r.T.Helper()
	dirs, err := filepath.Glob(filepath.Join(r.Root(), "repo.worktrees", name+"-*"))
	if err != nil || len(dirs) != 1 {
		r.T.Fatalf("the worktree of %s: %q, %v", name, dirs, err)
	}
	return r.In(dirs[0])
}

// holds fails the test if a file does not have the given text. An empty text means that there is no such file.
func holds(r *gittest.Repo, name, want string) {
	r.T.Helper()
	text, err := os.ReadFile(filepath.Join(r.Dir, name))
	if string(text) != want || err != nil && want != "" {
		r.T.Errorf("%s has %q, want %q (%v)", name, text, want, err)
	}
}

// states fails the test if status does not show the runs as they are given: state, name and task.
func states(r *gittest.Repo, want ...string) {
	r.T.Helper()
	out := says(r, 0, nil, "status", "--all")
	for _, w := range want {
		f := strings.Fields(w)
		form := `(?m)^` + f[0] + ` +` + f[1] + `-[a-z2-7]{4} +` + strings.Join(f[2:], ` +`)
		if !regexp.MustCompile(form).MatchString(out) {
			r.T.Errorf("status does not say %q:\n%s", w, out)
		}
	}
	if rows := regexp.MustCompile(`(?m)^[a-z]+ +[a-z]+-[a-z2-7]{4} `).FindAllString(out, -1); len(rows) != len(want) {
		r.T.Errorf("status has %d rows, want %d:\n%s", len(rows), len(want), out)
	}
}

// healthy fails the test if "doctor" or git finds a fault in the records.
func healthy(r *gittest.Repo, words ...string) {
	r.T.Helper()
	out, _ := r.Try("git-resume", "doctor") // it also looks for manual pages, which are not installed here
	for _, w := range append(words, "all records are in the current format") {
		if !strings.Contains(out, w) {
			r.T.Errorf("doctor does not say %q:\n%s", w, out)
		}
	}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "ok ") && !strings.Contains(line, "missing at") {
			r.T.Errorf("doctor says %s", line)
		}
	}
	r.Fsck()
}

// statesWork leaves a run in each state.
const statesWork = `
cat >plan.yaml <<'END'
name: planned
tasks:
  - id: one
    run: echo 1 >one.txt
  - id: two
    run: echo half >two.txt; if ! test -e "$HOME/go"; then touch "$HOME/held"; sleep 600; fi; echo 2 >two.txt
  - id: three
    run: echo 3 >three.txt
END
cat >living.yaml <<'END'
name: living
tasks:
  - id: one
    run: touch "$HOME/begun"; while ! test -e "$HOME/go"; do sleep 0.1; done; echo 1 >living.txt
  - id: two
    run: echo 2 >>living.txt
END
cat >jobs.yaml <<'END'
name: jobs
tasks:
  - id: a
    run: echo a >>a.txt
    outputs: [a.txt]
  - id: b
    run: echo half >b.txt; test -e "$HOME/go" && echo b >b.txt
    outputs: [b.txt]
  - id: c
    run: echo c >>c.txt
    outputs: [c.txt]
  - id: d
    needs: [a, b, c]
    run: cat a.txt b.txt c.txt >d.txt
    outputs: [d.txt]
END
git add -A && git commit -q -m plans
setsid git-resume start living.yaml >/dev/null 2>&1 </dev/null &
setsid git-resume start plan.yaml >/dev/null 2>&1 </dev/null &
await "$HOME/begun"; await "$HOME/held"
run=$(ls .git/resume/open | grep planned)
pid() { grep -o '"pid":[0-9]*' ".git/resume/$run.$1" | head -n 1 | cut -d: -f2; }
owner=$(pid lock) task=$(pid task.lock)
kill -9 $owner; kill -9 -$task
git-resume start jobs.yaml -j 2 --keep-going && exit 1
git-resume start --name idle --task a
git-resume start --name between --task a --task b
(tree between; git-resume task start a; echo between >between.txt; git-resume task done a)
git-resume start --name inside --task a --task b
(tree inside; git-resume task start a; echo 1 >inside.txt; git-resume task done a; git-resume task start b; echo unsaved >unsaved)
git-resume start --name halted --task a
git-resume pause --run halted -m lunch
git-resume start --name asks --task a
(tree asks; git-resume task start a; git-resume task block a -m which --option red --option blue)
git-resume start --name broken --task a
(tree broken; git-resume task start a; git-resume task fail a -m 'out of luck')
git-resume start --name fin --task a
(tree fin; git-resume task start a; echo fin >fin.txt; git-resume task done a)
git-resume start --name into --task a
(tree into; git-resume task start a; echo into >into.txt; git-resume task done a)
git-resume merge into
git-resume start --name gone --task a
(tree gone; git-resume task start a; echo precious >precious)
git-resume discard -y gone
git-resume start --here --name herely --task a --task b
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

func TestRecorded_runsOfEveryStateAreContinued(t *testing.T) {
	t.Parallel()
	r, old := recorded(t, statesWork)
	before := storedLines(r)
	states(r, "running living 0 of 2 done, at one", "interrupted planned 1 of 3 done, at two", "failed jobs 2 of 4 done, 1 failed, at b", "idle idle 0 of 1 done, at a", "interrupted between 1 of 2 done, at b",
		"interrupted inside 1 of 2 done, at b", "paused halted 0 of 1 done, at a .*lunch", `waiting asks 0 of 1 done, at a .*\? which`, "failed broken 0 of 1 done, 1 failed, at a .*out of luck",
		"finished fin 1 of 1 done .*not merged into main", "merged into 1 of 1 done .*into main", "discarded gone 0 of 1 done, at a", "interrupted herely 0 of 2 done, at a")
	lostNone(r, before)

	main := r.Git("rev-parse", "main")

	// A living worker is left alone, and work that was stopped, or waits for an answer, is not continued without a person.
	says(r, 13, []string{"living-"}, "living", "--yes")
	says(r, 11, []string{"a task was interrupted", "git resume planned-"}, "planned", "--auto")
	says(r, 11, []string{"it was stopped on purpose"}, "halted", "--auto")
	says(r, 15, []string{"? which", "red", "blue"}, "asks", "--auto")
	r.Write("../home/go", "")
	says(r, 0, []string{"living-", "finished: 2 tasks"}, "wait", "living")
	holds(at(r, "living"), "living.txt", "1\n2\n")

	// A command that was killed is executed again, on a clean tree, and what it left is in the snapshot that is named.
	out := says(r, 0, []string{"[2/3] two", "[3/3] three", "finished: 3 tasks"}, "planned", "--retry", "--yes")
	if strings.Contains(out, "[1/3]") {
		t.Errorf("a finished task was done again:\n%s", out)
	}
	saved := regexp.MustCompile(`planned-[a-z2-7]{4}@1`).FindString(out)
	gittest.Equal(t, "the saved file", r.Git("show", "refs/resume/snapshots/"+strings.TrimSuffix(saved, "@1")+":0001/work/two.txt"), "half")
	holds(at(r, "planned"), "two.txt", "2\n")
	out = says(r, 0, []string{"[2/4] b", "[4/4] d", "finished: 4 tasks"}, "jobs", "--retry", "--yes", "-j", "2")
	if strings.Contains(out, "[1/4]") || strings.Contains(out, "[3/4]") {
		t.Errorf("a finished task was done again:\n%s", out)
	}
	holds(at(r, "jobs"), "d.txt", "a\nb\nc\n")

	// Whoever continues by hand gets the brief, and reports the rest.
	brief := func(name, report string, words []string, args ...string) {
		t.Helper()
		says(r, 0, append(words, "# Continue run "+name), append([]string{name, "--yes", "--print"}, args...)...)
		says(at(r, name), 0, []string{"finished"}, "task", "done", report)
	}
	brief("idle", "a", []string{"Next: task 1 of 1, a"})
	brief("between", "b", []string{"Next: task 2 of 2, b", "1. a"})
	brief("inside", "b", []string{"It was started but not finished", "unsaved"}, "--keep")
	gittest.Equal(t, "the file that was uncommitted", at(r, "inside").Git("show", "HEAD:unsaved"), "unsaved")
	brief("halted", "a", []string{"lunch"})
	says(r, 0, nil, "answer", "--run", "asks", "a", "red")
	brief("asks", "a", []string{"which", "answer: red"})
	brief("broken", "a", []string{"out of luck"}, "--retry")
	says(r, 0, []string{"task 1 of 2, a, done"}, "task", "done", "a", "--run", "herely")
	states(r, "finished living 2 of 2 done", "finished planned 3 of 3 done", "finished jobs 4 of 4 done", "finished idle 1 of 1 done", "finished between 2 of 2 done", "finished inside 2 of 2 done",
		"finished halted 1 of 1 done", "finished asks 1 of 1 done", "finished broken 1 of 1 done", "finished fin 1 of 1 done", "merged into 1 of 1 done", "discarded gone 0 of 1 done, at a", "running herely 1 of 2 done, at b")

	// What a person did with the earlier version is undone and redone.
	says(r, 0, []string{"undid the merge"}, "undo", "into", "--yes")
	gittest.Equal(t, "main before the merge", r.Git("rev-parse", "main"), r.Git("rev-parse", main+"^"))
	says(r, 0, nil, "undo", "--redo", "into", "--yes")
	gittest.Equal(t, "main after the merge", r.Git("rev-parse", "main"), main)
	says(r, 0, []string{"undid the discard of gone"}, "undo", "gone", "--yes")
	holds(at(r, "gone"), "precious", "precious\n")
	says(r, 0, []string{"the pause", "halted-"}, "undo", "--list")

	// The rest of the way: merged, and discarded.
	says(r, 0, []string{"merged"}, "merge", "fin")
	gittest.Equal(t, "the merged file", r.Git("show", "main:fin.txt"), "fin")
	says(r, 0, []string{"Discarded"}, "discard", "-y", "fin")
	says(r, 0, []string{"Discarded"}, "discard", "-y", "broken")
	says(r, 0, []string{"undid the discard of broken"}, "undo", "broken", "--yes")
	lostNone(r, before)
	healthy(r, "13 readable", "13 in all")

	// The earlier version can still read the repository.
	if out, code := old.Try("git-resume", "status", "--all"); code != 0 || !regexp.MustCompile(`(?m)^finished +planned-[a-z2-7]{4} +3/3`).MatchString(out) {
		t.Errorf("the earlier version: exit code %d\n%s", code, out)
	}
}

// formsWork merges two runs, each with an option that the present version does not have.
const formsWork = `
for name in apart:no-ff forward:ff-only; do
	form=${name#*:}; name=${name%:*}
	git-resume start --name $name --task a
	(tree $name; git-resume task start a; echo $name >$name.txt; git-resume task done a)
	git-resume merge $name --$form
done
`

func TestRecorded_mergesWithOtherOptionsAreUndone(t *testing.T) {
	t.Parallel()
	r, _ := recorded(t, formsWork)
	before := storedLines(r)
	states(r, "merged apart 1 of 1 done .*into main", "merged forward 1 of 1 done .*into main")
	says(r, 0, []string{"run.merged", "  no-ff\n"}, "log", "apart")
	says(r, 0, []string{"run.merged", "  ff-only\n"}, "log", "forward")
	main := r.Git("rev-parse", "main")
	for _, name := range []string{"forward", "apart"} {
		says(r, 0, []string{"is already in main"}, "merge", name)
		says(r, 0, []string{"undid the merge"}, "undo", name, "--yes")
		holds(r, name+".txt", "")
	}
	for _, name := range []string{"apart", "forward"} {
		says(r, 0, []string{"redid the merge"}, "undo", "--redo", name, "--yes")
		holds(r, name+".txt", name+"\n")
	}
	gittest.Equal(t, "main after the merges", r.Git("rev-parse", "main"), main)
	lostNone(r, before)
	healthy(r)
}

// snapshotsWork leaves three snapshots, a restore, and a discarded run. It stores copies of the files in the home folder.
const snapshotsWork = `
odd() {
	printf 'a\r\nb' >'odd
name'; printf '\0\1' >binary; chmod 600 binary; printf '#!/bin/sh\n' >run.sh; chmod 755 run.sh
	ln -s ../nowhere link; mkdir dir; echo d >dir/file; rm README; echo staged >staged; git add staged; echo changed >staged
}
begin() {
	git-resume start --name $1 --task a --task b; tree $1
	printf 'ignored/\n' >.gitignore; mkdir one two; echo 1 >one/file; echo 2 >two/file; git add -A; git commit -q -m ignore; mkdir ignored; echo kept >ignored/data
}
(begin saved
echo one >>README; git-resume checkpoint -m 'first note'; cp -a . "$HOME/1"
odd; git-resume checkpoint -m 'second note'; cp -a . "$HOME/2"
git reset -q --hard; git clean -q -d -f; echo three >three; git-resume checkpoint -m 'third note'; cp -a . "$HOME/3"
git-resume restore saved@1 --yes; cp -a . "$HOME/4")
(begin gone
echo of-commit >file; git add -A; git commit -q -m 'a commit'
odd; mkdir -m 700 private; echo p >private/p; mkdir empty; git-resume checkpoint -m kept; cp -a . "$HOME/5"
git ls-files -s >"$HOME/index"; git log --format='%H %s' >"$HOME/log"; git status --porcelain=v2 >"$HOME/status")
git-resume discard -y --force gone
`

func TestRecorded_snapshotsAndDiscardsComeBack(t *testing.T) {
	t.Parallel()
	r, old := recorded(t, snapshotsWork)
	before := storedLines(r)
	home := r.In(filepath.Join(r.Root(), "home"))
	same := func(dir, copied string) {
		t.Helper()
		treetest.RequireSame(t, treetest.Dump(t, filepath.Join(home.Dir, copied), "ignored"), treetest.Dump(t, dir, "ignored"))
	}
	tree := at(r, "saved").Dir
	says(r, 0, []string{"saved-", "first note", "second note", "third note"}, "snapshots", "saved")
	same(tree, "4")
	// A gc deletes what no ref reaches.
	r.Git("reflog", "expire", "--expire=now", "--all")
	r.Git("gc", "-q", "--prune=now")
	says(r, 0, []string{"undid the restore"}, "undo", "saved", "--yes")
	same(tree, "3")
	says(r, 0, nil, "undo", "--redo", "saved", "--yes")
	for _, n := range []string{"2", "1", "3", "2"} {
		says(r, 0, []string{"restored saved-"}, "restore", "saved@"+n, "--yes")
		same(tree, n)
	}
	holds(r.In(tree), "ignored/data", "kept\n")
	// The earlier version can read a snapshot with two texts.
	says(r.In(tree), 0, []string{"saved-"}, "checkpoint", "-m", "a text")
	says(r.In(tree), 0, []string{"; the text was recorded with it"}, "checkpoint", "-m", "another text")
	for _, text := range []string{"a text", "another text"} {
		if out, code := old.Try("git-resume", "log", "saved"); code != 0 || !strings.Contains(out, text) {
			t.Errorf("the earlier version, log: exit code %d\n%s", code, out)
		}
	}
	saved := filepath.Join(home.Dir, "saved")
	says(r, 0, nil, "restore", "saved@2", "--to", saved)
	for _, name := range []string{"binary", "odd\nname", "run.sh", "dir/file", "staged"} {
		holds(r.In(saved), name, r.In(filepath.Join(home.Dir, "2")).Read(name))
	}

	says(r, 0, []string{"undid the discard of gone"}, "undo", "gone", "--yes")
	gone := at(r, "gone")
	same(gone.Dir, "5")
	for name, command := range map[string]string{"index": "ls-files -s", "log": "log --format=%H%x20%s", "status": "status --porcelain=v2"} {
		gittest.Equal(t, name+" of the discarded run", gone.Git(strings.Fields(command)...)+"\n", home.Read(name))
	}
	says(r, 0, []string{"kept", "before it was discarded"}, "snapshots", "gone")
	says(gone, 0, nil, "task", "start", "a")
	says(gone, 0, []string{"task 1 of 2, a, done"}, "task", "done", "a")
	lostNone(r, before)
	healthy(r)
}

// killAt are lines for a wrapper around git. They kill the program that calls git before or after its n-th call with a given word.
const killAt = `case " $* " in *" WORD "*)
	echo >>"$HOME/calls"
	if [ "$(wc -l <"$HOME/calls")" -eq NTH ]; then
		test WHEN = before || PATH=${PATH#*:} git "$@"
		kill -9 $PPID
		exit 1
	fi ;;
esac`

const (
	// halfWork leaves a run with a finished task, a snapshot and uncommitted work.
	halfWork = `
git-resume start --name job --task a --task b; tree job
git-resume task start a; echo a >a.txt; git-resume task done a
git-resume task start b; echo one >b.txt; git-resume checkpoint -m note; echo two >b.txt
`
	// wholeWork leaves a finished run, and a later commit on main.
	wholeWork = `
git-resume start --name job --task a
(tree job; git-resume task start a; echo a >a.txt; git-resume task done a)
echo m >m.txt; git add m.txt; git commit -q -m 'main went on'
`
)

func TestRecorded_halfDoneActsAreFinished(t *testing.T) {
	t.Parallel()
	const ref = "--create-reflog" // with this option the journal is written
	for _, c := range []struct {
		name, work string
		// The command is killed when it calls git for the nth time with the word.
		command, when, word string
		nth                 int
		then                func(*testing.T, *gittest.Repo)
	}{
		{"start, without its worktree", "", "start --name job --task a", "after", ref, 1, startIsFinished},
		{"start, not recorded as ready", "", "start --name job --task a", "after", "worktree", 1, startIsFinished},
		{"task done, without its commit", halfWork, "task done b", "before", "update-ref", 1, func(t *testing.T, r *gittest.Repo) {
			states(r, "interrupted job 1 of 2 done, at b")
			says(at(r, "job"), 0, []string{"task 2 of 2, b, done as "}, "task", "done", "b")
			taskIsDone(t, r)
		}},
		{"task done, not recorded", halfWork, "task done b", "after", "update-ref", 1, func(t *testing.T, r *gittest.Repo) {
			says(r, 0, []string{"the end of task 'b' was not recorded, but its commit"}, "status")
			says(at(r, "job"), 0, []string{"task 2 of 2, b, done with "}, "task", "done", "b")
			taskIsDone(t, r)
		}},
		{"restore, not recorded", halfWork, "restore job@1 --yes", "before", ref, 1, restoreIsFinished},
		{"restore, without its files", halfWork, "restore job@1 --yes", "after", ref, 1, restoreIsFinished},
		{"undo of a restore, without its files", halfWork + "git-resume restore job@1 --yes\n", "undo --yes", "after", ref, 1, func(t *testing.T, r *gittest.Repo) {
			says(r, 0, []string{"the undo of a restore was interrupted"}, "status")
			says(r, 0, nil, "undo", "job", "--yes")
			holds(at(r, "job"), "b.txt", "two\n")
			says(r, 0, nil, "undo", "--redo", "job", "--yes")
			holds(at(r, "job"), "b.txt", "one\n")
		}},
		{"discard, with its worktree", halfWork, "discard -y job", "after", "update-ref", 1, discardIsFinished},
		{"discard, not recorded", halfWork, "discard -y job", "before", ref, 1, discardIsFinished},
		{"discard, not recorded and not wanted any more", halfWork, "discard -y job", "before", ref, 1, func(t *testing.T, r *gittest.Repo) {
			says(r, 0, []string{"recreate the worktree", "Next: task 2 of 2, b"}, "job", "--yes")
			says(r, 0, []string{"restored job-"}, "restore", "job@2", "--yes")
			holds(at(r, "job"), "b.txt", "two\n")
			says(at(r, "job"), 0, nil, "task", "done", "b")
			taskIsDone(t, r)
		}},
		{"discard, recorded", halfWork, "discard -y job", "after", ref, 1, func(t *testing.T, r *gittest.Repo) {
			states(r, "discarded job 1 of 2 done, at b")
			discardIsUndone(t, r)
		}},
		{"undo of a discard, without its worktree", halfWork + "git-resume discard -y job\n", "undo --yes", "after", "update-ref", 1, func(t *testing.T, r *gittest.Repo) {
			states(r, "discarded job 1 of 2 done, at b")
			discardIsUndone(t, r)
		}},
		{"undo of a discard, recorded", halfWork + "git-resume discard -y job\n", "undo --yes", "after", ref, 1, func(t *testing.T, r *gittest.Repo) {
			states(r, "interrupted job 1 of 2 done, at b")
			holds(at(r, "job"), "b.txt", "two\n")
			says(r, 0, nil, "undo", "--redo", "job", "--yes")
			discardIsUndone(t, r)
		}},
		{"merge, not begun", wholeWork, "merge job", "before", "merge", 1, func(t *testing.T, r *gittest.Repo) {
			states(r, "finished job 1 of 1 done .*not merged")
			says(r, 0, []string{"merged job"}, "merge", "job")
			mergeIsUndone(t, r)
		}},
		{"merge, not recorded", wholeWork, "merge job", "after", "merge", 1, func(t *testing.T, r *gittest.Repo) {
			states(r, "merged job 1 of 1 done .*into main")
			mergeIsUndone(t, r)
		}},
	} {
		t.Run(strings.NewReplacer(" ", "_", ",", "").Replace(c.name), func(t *testing.T) {
			t.Parallel()
			r, old := recorded(t, c.work)
			before := storedLines(r)
			if strings.HasPrefix(c.command, "task") {
				old = at(old, "job")
			}
			wrapper := strings.NewReplacer("WORD", c.word, "NTH", fmt.Sprint(c.nth), "WHEN", c.when).Replace(killAt)
			if out, code := old.Fronted(wrapper).Try("git-resume", strings.Fields(c.command)...); code != -1 {
				t.Fatalf("%s was not killed: exit code %d\n%s", c.command, code, out)
			}
			forgetCaches(r)
			c.then(t, r)
			lostNone(r, before)
			healthy(r)
		})
	}
}

func startIsFinished(t *testing.T, r *gittest.Repo) {
	t.Helper()
	says(r, 0, []string{"its start was interrupted before its worktree was ready"}, "job", "--yes")
	tree := at(r, "job")
	holds(tree, "README", "first\n")
	gittest.Equal(t, "the changes in the new worktree", tree.Git("status", "--porcelain"), "")
	says(tree, 0, nil, "task", "start", "a")
	says(tree, 0, []string{"finished"}, "task", "done", "a")
}

// taskIsDone checks that the task's work is in one commit.
func taskIsDone(t *testing.T, r *gittest.Repo) {
	t.Helper()
	gittest.Equal(t, "the commits", at(r, "job").Git("log", "--format=%s"), "b\na\nfirst")
	gittest.Equal(t, "the file", at(r, "job").Git("show", "HEAD:b.txt"), "two")
	states(r, "finished job 2 of 2 done")
}

func restoreIsFinished(t *testing.T, r *gittest.Repo) {
	t.Helper()
	says(r, 0, []string{"the restore of job-", "was interrupted"}, "status")
	says(r, 0, []string{"restored job-"}, "restore", "job@1", "--yes")
	holds(at(r, "job"), "b.txt", "one\n")
	says(r, 0, []string{"undid the restore"}, "undo", "job", "--yes")
	holds(at(r, "job"), "b.txt", "two\n")
	states(r, "interrupted job 1 of 2 done, at b")
}

func discardIsFinished(t *testing.T, r *gittest.Repo) {
	t.Helper()
	says(r, 0, nil, "status", "--all")
	says(r, 0, []string{"Discarded"}, "discard", "-y", "job")
	states(r, "discarded job 1 of 2 done, at b")
	discardIsUndone(t, r)
}

func discardIsUndone(t *testing.T, r *gittest.Repo) {
	t.Helper()
	says(r, 0, []string{"undid the discard of job"}, "undo", "job", "--yes")
	holds(at(r, "job"), "b.txt", "two\n")
	gittest.Equal(t, "the snapshot", r.Git("show", "refs/resume/snapshots/"+filepath.Base(at(r, "job").Dir)+":0001/work/b.txt"), "one")
	says(at(r, "job"), 0, []string{"task 2 of 2, b, done"}, "task", "done", "b")
	taskIsDone(t, r)
}

func mergeIsUndone(t *testing.T, r *gittest.Repo) {
	t.Helper()
	says(r, 0, []string{"is already in main"}, "merge", "job")
	states(r, "merged job 1 of 1 done .*into main")
	gittest.Equal(t, "the commits on main", r.Git("log", "--first-parent", "--format=%s"), "Merge run 'job' ("+filepath.Base(at(r, "job").Dir)+")\nmain went on\nfirst")
	says(r, 0, []string{"undid the merge"}, "undo", "job", "--yes")
	gittest.Equal(t, "main", r.Git("log", "-1", "--format=%s"), "main went on")
	states(r, "finished job 1 of 1 done .*not merged")
}

// sharedWork leaves runs that are shared through a server: one that nobody works on, one whose worker was killed while it had the lease, one
// that was taken over in a second clone, one that is lent to a branch, where its first task was done, and one that is lent and keeps its
// lease meanwhile.
const sharedWork = `
plan() { printf 'name: %s\ntasks:\n  - id: one\n    run: echo 1 >%s.txt\n  - id: two\n    run: %s\n  - id: three\n    run: echo 3 >>%s.txt\n' $1 $1 "$2" $1 >$1.yaml; }
plan free 'test -e "$HOME/go" && echo 2 >>free.txt'
plan held 'test -e "$HOME/go" || { test ! -e "$HOME/once" || kill -9 $PPID; touch "$HOME/once"; exit 1; }; echo 2 >>held.txt'
plan moved 'test -e "$HOME/go" && echo 2 >>moved.txt'
plan kept 'test -e "$HOME/go" && echo 2 >>kept.txt'
git add -A; git commit -q -m plans
git init -q --bare -b main ../server.git
git remote add origin "$PWD/../server.git"
git push -q origin main
for name in free held moved kept; do git-resume start $name.yaml && exit 1; git-resume push $name --to origin; done
git-resume work held --remote origin --plan held.yaml && exit 1
git clone -q ../server.git ../desktop
(cd ../desktop; git-resume pull; git-resume moved --takeover --yes || git-resume trust moved --yes; git-resume moved --yes --retry && exit 1; git-resume push moved)
git-resume push kept --branch agent/kept
git-resume start --name lent --task one --task two
run=$(basename ../repo.worktrees/lent-*)
git-resume push lent --branch agent/lent --to origin
git clone -q -b agent/lent ../server.git ../cloud
(cd ../cloud; echo 1 >lent.txt; git add -A; printf 'one\n\nResume-Run: %s\nResume-Task: one\n' $run | git commit -q -F -; git push -q origin HEAD)
`

func TestRecorded_sharedRunsAreContinued(t *testing.T) {
	t.Parallel()
	r, _ := recorded(t, sharedWork)
	desktop := r.In(filepath.Join(r.Root(), "desktop"))
	before, there := storedLines(r), storedLines(desktop)
	says(r, 0, []string{"lent as branch agent/lent", "lent as branch agent/kept", "--takeover", "shared at origin; this clone has its lease (number 1)", "shared at origin; nobody has its lease"}, "status")
	states(r, "failed free 1 of 3 done, 1 failed, at two", "interrupted held 1 of 3 done, at two .*killed", "failed moved 1 of 3 done, 1 failed, at two", "idle lent 0 of 2 done, at one", "failed kept 1 of 3 done, 1 failed, at two")
	states(desktop, "elsewhere free 1 of 3 done, 1 failed, at two", "elsewhere held 1 of 3 done, 1 failed, at two", "elsewhere kept 1 of 3 done, 1 failed, at two", "failed moved 1 of 3 done, 1 failed, at two")
	r.Write("../home/go", "")

	// The lease of a worker that was killed belongs to its clone.
	says(desktop, 13, []string{"has the lease of run 'held-", "(lease 1)"}, "work", "held", "--remote", "origin", "--plan", "held.yaml")
	onlyTheRest := func(out string) {
		t.Helper()
		if strings.Contains(out, "[1/3]") {
			t.Errorf("a finished task was done again:\n%s", out)
		}
	}
	onlyTheRest(says(r, 0, []string{"[2/3] two", "finished: 3 tasks"}, "work", "held", "--remote", "origin", "--plan", "held.yaml"))

	// In the second clone, what was taken over and approved there continues; the rest is only shown before a person takes it over.
	onlyTheRest(says(desktop, 0, []string{"[2/3] two", "finished: 3 tasks"}, "moved", "--yes", "--retry"))
	says(desktop, 11, []string{"it was started in another clone or by another user", "3 commands of the run were not approved in this clone"}, "free", "--yes", "--retry")
	says(desktop, 11, []string{"took over free-"}, "free", "--takeover", "--yes")
	says(desktop, 0, nil, "trust", "free", "--yes")
	onlyTheRest(says(desktop, 0, []string{"[2/3] two", "finished: 3 tasks"}, "free", "--yes", "--retry"))
	says(r, 0, []string{"moved-", "free-"}, "pull")
	server := r.In(filepath.Join(r.Root(), "server.git"))
	for _, name := range []string{"free", "held", "moved"} {
		ref := server.Git("for-each-ref", "--format=%(refname)", "refs/resume/heads/"+name+"-*")
		gittest.Equal(t, name+" at the server", server.Git("log", "--format=%s", "main.."+ref), "three\ntwo\none")
		gittest.Equal(t, name+"'s file at the server", server.Git("show", ref+":"+name+".txt"), "1\n2\n3")
	}
	says(r, 11, []string{"another"}, "free", "--auto")

	// A lent run is not continued before a person takes it over, also after its commits were pulled.
	says(r, 11, []string{"it was lent as branch 'agent/lent'", "git resume lent-", "--takeover"}, "lent", "--auto")
	at(r, "lent").Git("pull", "-q", "--ff-only", "origin", "agent/lent")
	says(r, 11, []string{"--takeover"}, "lent", "--auto")
	says(r, 0, []string{"one", "Next: task 2 of 2, two"}, "lent", "--takeover")
	if out := says(r, 0, nil, "status"); strings.Contains(out, "lent as branch agent/lent") {
		t.Errorf("it is still lent:\n%s", out)
	}
	says(at(r, "lent"), 0, []string{"finished"}, "task", "done", "two")
	holds(at(r, "lent"), "lent.txt", "1\n")

	// While a shared run is lent, this clone keeps its lease.
	says(desktop, 13, []string{"has the lease of run 'kept-"}, "work", "kept", "--remote", "origin", "--plan", "kept.yaml")
	says(r, 0, nil, "push", "kept")
	says(desktop, 13, nil, "work", "kept", "--remote", "origin", "--plan", "kept.yaml")
	says(r, 11, []string{"git resume kept-", "--takeover"}, "kept", "--auto")
	onlyTheRest(says(r, 0, []string{"[2/3] two", "finished: 3 tasks"}, "kept", "--takeover", "--retry"))
	says(desktop, 0, []string{"nothing is left to do"}, "work", "kept", "--remote", "origin", "--plan", "kept.yaml")
	lostNone(r, before)
	lostNone(desktop, there)
	healthy(r)
	healthy(desktop)
}

// hooksWork installs the hook of git and the hooks of an agent, and lets the agent work in a run until it is killed. One run of the
// repository is interrupted.
const hooksWork = `
git branch other
git-resume hooks install
git-resume agents install --project -y claude
git add -A; git commit -q -m 'settings of the agent'
git-resume start --name job --task a --task b
(tree job; git-resume task start a)
git-resume start --here --name agents --task 'schema: Add schema'
cat >"$HOME/agent.sh" <<'END'
ev() { printf '{"session_id":"s-1","cwd":"%s",%s}' "$PWD" "$1" | git-resume agent-event; }
ev '"hook_event_name":"SessionStart","source":"startup"'
ev '"hook_event_name":"UserPromptSubmit","prompt":"do it"'
ev '"hook_event_name":"PostToolUse","tool_name":"TodoWrite","tool_input":{"todos":[{"content":"add schema","status":"completed"},{"content":"update signup","status":"in_progress"}]}'
END
sh "$HOME/agent.sh"
`

func TestRecorded_hooksStillWork(t *testing.T) {
	t.Parallel()
	r, _ := recorded(t, hooksWork)
	before := storedLines(r)
	states(r, "interrupted job 0 of 2 done, at a", "interrupted agents 1 of 2 done, at update-signup")
	says(r, 0, []string{"hook  installed at"}, "hooks", "status")
	said, code := r.Try("setsid", "--wait", "sh", "-e", "-c", "git checkout -q other; git checkout -q main")
	if code != 0 || !strings.HasPrefix(said, "resume: agents stopped at task 2 of 2 on main") || !strings.Contains(said, "\nresume: agents stopped at task 2 of 2 on this branch, just now, and 1 more") {
		t.Errorf("git checkout: exit code %d\n%s", code, said)
	}

	// Another session begins, and then the one that did the tasks is opened again. The agent's settings call the present program.
	var settings struct {
		Hooks map[string][]struct{ Hooks []struct{ Command string } }
	}
	gittest.NoError(t, "read the agent's settings", json.Unmarshal([]byte(r.Read(".claude/settings.json")), &settings))
	var script strings.Builder
	for _, e := range []struct{ hook, fields string }{
		{"SessionStart", `"source":"resume"`},
		{"UserPromptSubmit", `"prompt":"go on"`},
		{"PostToolUse", `"tool_name":"TodoWrite","tool_input":{"todos":[{"content":"add schema","status":"completed"},{"content":"update signup","status":"completed"}]}`},
		{"Stop", `"stop_hook_active":false`},
	} {
		hooks := settings.Hooks[e.hook]
		if len(hooks) != 1 || len(hooks[0].Hooks) != 1 {
			t.Fatalf("the settings have no hook %s", e.hook)
		}
		fmt.Fprintf(&script, "printf '{\"session_id\":\"'$1'\",\"cwd\":\"%%s\",\"hook_event_name\":\"%s\",%s}' \"$PWD\" | sh -c '%s'\n", e.hook, e.fields, hooks[0].Hooks[0].Command)
	}
	for _, session := range []string{"s-2", "s-1"} {
		if said := shell(r, "set -- "+session+"\n"+script.String()); !strings.Contains(said, "git resume: run agents-") || !strings.Contains(said, "update-signup") {
			t.Errorf("the agent is told %s", said)
		}
		states(r, "interrupted job 0 of 2 done, at a", "interrupted agents 1 of 2 done, at update-signup")
		if said := r.MustResume("log", "agents"); strings.Count(said, "turn.ended") != map[string]int{"s-1": 1}[session] {
			t.Errorf("after session %s the log says:\n%s", session, said)
		}
	}
	says(r.With("CLAUDE_CODE_SESSION_ID=s-1"), 0, nil, "task", "done", "update-signup", "--run", "agents")
	states(r, "interrupted job 0 of 2 done, at a", "finished agents 2 of 2 done")
	says(r, 0, nil, "agents", "uninstall", "--project", "-y")
	gittest.Equal(t, "what is left of the settings", r.Git("status", "--porcelain"), " D .claude/settings.json\n D .claude/skills/git-resume/SKILL.md")
	says(r, 0, nil, "hooks", "uninstall")
	if _, err := os.Stat(filepath.Join(r.Dir, ".git/hooks/post-checkout")); err == nil {
		t.Error("the hook is still there")
	}
	lostNone(r, before)
	healthy(r)
}

// adoptedWork leaves three specs of Auto-Claude: in one the interrupted chunk was reset, one was discarded, and one was handed over.
const adoptedWork = `
printf '.auto-claude/\n.worktrees/\n' >>.git/info/exclude
spec() {
	mkdir -p .auto-claude/specs/$1
	echo '# Users log in' >.auto-claude/specs/$1/spec.md
	cat >.auto-claude/specs/$1/implementation_plan.json <<PLAN
{"phases": [{"phase": 1, "chunks": [
  {"id": "chunk-1", "status": "completed"},
  {"id": "chunk-2", "status": "$2"}
]}]}
PLAN
	git worktree add -q -b auto-claude/$1 .worktrees/$1
	mkdir -p .worktrees/$1/.auto-claude/specs; cp -R .auto-claude/specs/$1 .worktrees/$1/.auto-claude/specs/
	(cd .worktrees/$1; git commit -q --allow-empty -m 'auto-claude: chunk-1 - x'; echo 'not committed' >z)
}
spec 005-user-auth in_progress; spec 006-mails pending; spec 007-search pending
find .auto-claude/specs .worktrees -type f -exec touch -d '1 hour ago' {} +
cp -a .auto-claude "$HOME/before"
git-resume 005-user-auth --choose reset --yes
git-resume --discard 006-mails -y --force
git-resume 007-search --yes
`

func TestRecorded_workOfAnotherSystemIsContinued(t *testing.T) {
	t.Parallel()
	r, _ := recorded(t, adoptedWork)
	before := storedLines(r)
	plan := func(spec string) string { return ".auto-claude/specs/" + spec + "/implementation_plan.json" }
	holdsPlan := func(spec string) {
		t.Helper()
		want := r.Read("../home/before/specs/" + spec + "/implementation_plan.json")
		holds(r, plan(spec), want)
		holds(r, ".worktrees/"+spec+"/"+plan(spec), want)
	}
	out := says(r, 0, nil, "status", "--all")
	for _, form := range []string{"interrupted +auto-claude:005-user-auth +1 of 2 done, at ", "discarded +auto-claude:006-mails ", "handed over +auto-claude:007-search .*steps to continue were printed"} {
		if !regexp.MustCompile("(?m)^" + form).MatchString(out) {
			t.Errorf("status does not say %q:\n%s", form, out)
		}
	}
	says(r, 0, []string{"the hand-over", "the discard", "'reset'"}, "undo", "--list")

	says(r, 0, []string{"undid 'reset'"}, "undo", "--yes", "005-user-auth")
	holdsPlan("005-user-auth")
	says(r, 0, []string{"# Continue work of auto-claude", "chunk-2"}, "005-user-auth", "--yes")
	says(r, 0, []string{"undid the discard"}, "undo", "--yes", "006-mails")
	holdsPlan("006-mails")
	holds(r, ".worktrees/006-mails/z", "not committed\n")
	gittest.Equal(t, "the branch of the discarded spec", r.Git("log", "--format=%s", "main..auto-claude/006-mails"), "auto-claude: chunk-1 - x")
	says(r, 13, []string{"steps to continue were printed"}, "007-search", "--yes")
	says(r, 0, nil, "undo", "--yes", "007-search")
	says(r, 0, []string{"# Continue work of auto-claude"}, "007-search", "--yes")
	holdsPlan("007-search")
	lostNone(r, before)
	healthy(r)
}
