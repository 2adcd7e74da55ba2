package prove

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// stories returns the longer scenarios, for example a run that executes commands, or an undone discard.
// After a kill, each scenario completes its command as a user would.
func stories() []scenario {
	return slices.Concat(executions(), removals(), merges(), foreign(), setUps(), decisions(), realMerges(), takeovers(), adoptions(), restores(), undoings(), placesScenes())
}

// side returns a folder next to the repository for files of the test.
func side(r *gittest.Repo) string { return filepath.Join(filepath.Dir(r.Dir), "home") }

func put(r *gittest.Repo, path, text string) {
	r.T.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.T.Fatal(err)
	}
}

func must(r *gittest.Repo, err error) {
	r.T.Helper()
	if err != nil {
		r.T.Fatal(err)
	}
}

// planText is a plan of three commands. The second kills its executor the first time that it runs.
const planText = `name: job
tasks:
  - id: a
    on_interrupt: retry
    run: echo "$GIT_RESUME_TASK $GIT_RESUME_ATTEMPT" >> "$HOME/ran" && echo a >> fa
  - id: b
    on_interrupt: retry
    run: echo "$GIT_RESUME_TASK $GIT_RESUME_ATTEMPT" >> "$HOME/ran"; test -e "$HOME/died" || { touch "$HOME/died"; kill -9 $PPID; exit 1; }; echo b >> fb
  - id: c
    on_interrupt: retry
    run: echo "$GIT_RESUME_TASK $GIT_RESUME_ATTEMPT" >> "$HOME/ran" && echo c >> fc
`

func planFile(r *gittest.Repo) string { return filepath.Join(side(r), "plan.yaml") }

// harmlessPlan writes a plan in which no command kills its executor. The plan is not started.
func harmlessPlan(r *gittest.Repo) *gittest.Repo {
	put(r, planFile(r), planText)
	put(r, filepath.Join(side(r), "died"), "")
	return r
}

// interrupted starts a run with three tasks, in which the second task kills git-resume.
func interrupted(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	put(r, planFile(r), planText)
	if out, code := r.Resume("start", planFile(r)); code != -1 {
		r.T.Fatalf("the owner was not killed: exit code %d\n%s", code, out)
	}
	return r
}

func staging(r *gittest.Repo) string {
	r.T.Helper()
	found, _ := filepath.Glob(filepath.Join(filepath.Dir(r.Dir), "repo.worktrees", job1+"-*"))
	if len(found) != 1 {
		r.T.Fatalf("worktrees: %v", found)
	}
	return found[0]
}

// runWithChanges makes an interrupted run with the user's changes of all kinds in its worktree.
func runWithChanges(r *gittest.Repo) *gittest.Repo {
	tree := staging(interrupted(r))
	makeChanges(r.In(tree))
	must(r, os.Remove(filepath.Join(tree, "fa"))) // the user deleted this file, and it must stay deleted
	return r
}

// makeChanges makes changes of all kinds in a worktree.
func makeChanges(r *gittest.Repo) {
	r.T.Helper()
	r.Write("README", "edited\r\nby hand\n")
	r.Write("dir/new file", "\x00\x01 untracked")
	r.Write("tool.sh", "#!/bin/sh\n")
	r.Write("staged", "staged, then")
	r.Git("add", "staged")
	r.Write("staged", "staged, then edited")
	r.Write("key", "for me alone")
	for _, err := range []error{os.Chmod(filepath.Join(r.Dir, "tool.sh"), 0o755), os.Chmod(filepath.Join(r.Dir, "key"), 0o600),
		os.Symlink("nowhere", filepath.Join(r.Dir, "link"))} {
		if err != nil {
			r.T.Fatal(err)
		}
	}
}

// repeatUntilDone repeats a command up to 50 times while its exit code is 1 or 13. Code 13 means that a process has outlived the kill and
// still works on the run. Code 1 means that a task failed because its command was killed.
func repeatUntilDone(args ...string) func(*gittest.Repo) (string, int) {
	return func(r *gittest.Repo) (out string, code int) {
		for range 50 {
			if out, code = r.Resume(args...); code != 13 && code != 1 {
				break
			}
			if code == 13 {
				time.Sleep(20 * time.Millisecond)
			}
		}
		return out, code
	}
}

// checkExecuted checks the finished run. The file of each task must be committed, and the task recorded as done once. Each execution of a
// command must have its own recorded start.
func checkExecuted(r *gittest.Repo, _ witness) error {
	f := readFacts(r)
	id := newest(f)
	if id == "" {
		return fmt.Errorf("there is no run")
	}
	for _, task := range []string{"a", "b", "c"} {
		if got, code := r.Try("git", "show", "resume/"+id+":f"+task); code != 0 || got != task+"\n" {
			return fmt.Errorf("task %s left %q", task, got)
		}
		if n := f.count(id, "task.done", task); n != 1 {
			return fmt.Errorf("task %s is recorded %d times as done", task, n)
		}
	}
	begun, ran := map[string]bool{}, map[string]bool{}
	for _, run := range f.runs {
		for _, l := range run.lines {
			if l.Event == "task.started" {
				begun[l.Task+" "+l.ID] = true
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(side(r), "ran"))
	if err != nil {
		return err
	}
	for l := range strings.Lines(string(text)) {
		l = strings.TrimSpace(l)
		if !begun[l] || ran[l] {
			return fmt.Errorf("%q ran, recorded before: %v, for the second time: %v", l, begun[l], ran[l])
		}
		ran[l] = true
	}
	return nil
}

// newest returns the id of the run that was started last, or "" if there is no run.
func newest(f facts) (id string) {
	for name, run := range f.runs {
		if id == "" || len(run.lines) > 0 && run.lines[0].At > f.runs[id].lines[0].At {
			id = name
		}
	}
	return id
}

func finished(f facts) error {
	if id := newest(f); id == "" || f.runs[id].closed != "finished" {
		return fmt.Errorf("the run is not finished")
	}
	return nil
}

// snapshotHolds checks that one of the run's snapshots contains the files of its worktree exactly as they were before the kill.
func snapshotHolds(r *gittest.Repo, w witness) error {
	want := w.trees[staging(r)]
	return anySnapshot(r, want)
}

func anySnapshot(r *gittest.Repo, want map[string]string) error {
	r.T.Helper()
	trees := snapshots(r)
	if len(trees) == 0 {
		return fmt.Errorf("there is no snapshot")
	}
	flat := map[string]string{}
	for path, text := range want {
		flat[path] = asGitStores(text)
	}
	var first error
	for _, tree := range trees {
		err := same(flat, stored(r, tree))
		if err == nil {
			return nil
		}
		if first == nil {
			first = fmt.Errorf("no snapshot has the files as they were; of %s: %w", tree, err)
		}
	}
	return first
}

// snapshots returns the git trees of all snapshots, and checks that each has a file "facts" with a version.
func snapshots(r *gittest.Repo) (trees []string) {
	r.T.Helper()
	for ref := range strings.FieldsSeq(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/snapshots/")) {
		for number := range strings.FieldsSeq(r.Git("ls-tree", "--name-only", ref)) {
			name := ref + ":" + number
			if facts := r.Git("cat-file", "blob", name+"/facts"); !strings.HasPrefix(facts, "version ") {
				r.T.Errorf("%s says of itself %q", name, facts)
			}
			trees = append(trees, name+"/work")
		}
	}
	return trees
}

// stored reads the files of a git tree. Its result has the same format as the result of the function "files".
func stored(r *gittest.Repo, tree string) map[string]string {
	r.T.Helper()
	out := map[string]string{}
	for entry := range strings.SplitSeq(strings.TrimRight(r.Git("ls-tree", "-r", "-z", tree), "\x00"), "\x00") {
		head, path, ok := strings.Cut(entry, "\t")
		if !ok {
			continue
		}
		f := strings.Fields(head)
		kind := map[string]string{"100644": "file ", "100755": "exec ", "120000": "link "}[f[0]]
		text, code := r.Try("git", "cat-file", "blob", f[2])
		if code != 0 {
			r.T.Fatalf("%s: %s", path, text)
		}
		out[path] = kind + text
	}
	return out
}

func same(want, got map[string]string) error {
	for _, path := range slices.Sorted(maps.Keys(want)) {
		if got[path] != want[path] {
			return fmt.Errorf("file %s is %q, was %q", path, got[path], want[path])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[path]; !ok {
			return fmt.Errorf("file %s was not there", path)
		}
	}
	return nil
}

func both(checks ...func(*gittest.Repo, witness) error) func(*gittest.Repo, witness) error {
	return func(r *gittest.Repo, w witness) error {
		for _, check := range checks {
			if err := check(r, w); err != nil {
				return err
			}
		}
		return nil
	}
}

func executions() []scenario {
	onward := repeatUntilDone("--yes", "--retry", job1)
	return []scenario{
		{name: "start executes", prepare: harmlessPlan, args: []string{"start", "--auto", "../home/plan.yaml"}, after: finished, kept: checkExecuted,
			again: func(r *gittest.Repo) (string, int) {
				// If the killed command has created the run, continue the run. Otherwise repeat the command.
				if len(readFacts(r).runs) == 0 {
					return r.Resume("start", "--auto", "../home/plan.yaml")
				}
				return onward(r)
			}},
		{name: "resume", prepare: interrupted, args: []string{"--yes", job1}, after: finished, kept: checkExecuted, again: onward},
		{name: "resume with a snapshot", prepare: runWithChanges, args: []string{"--yes", "--retry", job1}, after: finished,
			kept: both(snapshotHolds, checkExecuted), again: onward},
		{name: "resume and update", prepare: func(r *gittest.Repo) *gittest.Repo {
			interrupted(r).Write("on main", "moved\n")
			r.Git("rm", "-q", "README") // a removed file can cause a conflict, so git-resume asks git whether the merge is clean
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "main moves")
			return r
		}, args: []string{"--yes", "--update", job1}, after: finished, kept: checkExecuted, again: onward},
		{name: "resume and restart", prepare: interrupted, args: []string{"--yes", "--restart", job1}, after: finished, kept: checkExecuted,
			again: func(r *gittest.Repo) (string, int) {
				f := readFacts(r)
				if len(f.runs) == 1 {
					return repeatUntilDone("--yes", "--restart", job1)(r)
				}
				return repeatUntilDone("--yes", "--retry", newest(f))(r)
			}},
		{name: "resume by takeover", prepare: func(r *gittest.Repo) *gittest.Repo {
			active(r)
			if err := os.Remove(filepath.Join(r.Dir, ".git", "resume", "clone")); err != nil {
				r.T.Fatal(err)
			}
			return r
		}, args: []string{"--yes", "--takeover", job1}, after: oneOrMore("run.resumed", "a")},
		{name: "run", prepare: func(r *gittest.Repo) *gittest.Repo { return r },
			args: []string{"run", "--name", job1, "--staging", "--", "sh", "-c", "echo made > made"}, after: finished,
			again: func(r *gittest.Repo) (string, int) {
				if len(readFacts(r).runs) == 0 {
					return r.Resume("run", "--name", job1, "--staging", "--", "sh", "-c", "echo made > made")
				}
				return onward(r)
			}},
		{name: "task run", prepare: func(r *gittest.Repo) *gittest.Repo {
			return started(r)
		}, args: []string{"task", "run", "a", "--retry", "--", "sh", "-c", "echo made > made"}, after: exactlyOne("task.done", "a"), again: repeatUntilDone("task", "run", "a", "--retry", "--", "sh", "-c", "echo made > made")},
		{name: "checkpoint of files", prepare: func(r *gittest.Repo) *gittest.Repo {
			makeChanges(active(r))
			return r
		}, args: []string{"checkpoint"}, after: exactlyOne("snapshot.taken", ""),
			kept: func(r *gittest.Repo, w witness) error { return anySnapshot(r, w.files) }},
	}
}

// stateOf returns the state of the first run according to "status --json", or "" if there is no run.
func stateOf(r *gittest.Repo) string {
	r.T.Helper()
	s, err := readReported(r)
	if err != nil || len(s.Runs) == 0 {
		return ""
	}
	return s.Runs[0].State
}

func removals() []scenario {
	discarded := exactlyOne("run.discarded", "")
	gone := func(r *gittest.Repo, w witness) error {
		for tree := range w.trees {
			if tree != r.Dir {
				if _, err := os.Lstat(tree); err == nil {
					return fmt.Errorf("worktree %s is still there", tree)
				}
			}
		}
		if out, code := r.Resume("undo", "--yes", job1); code != 0 {
			return fmt.Errorf("undo: exit code %d\n%s", code, out)
		}
		return checkFilesBack(r, w)
	}
	return []scenario{
		{name: "discard", prepare: runWithChanges, args: []string{"discard", "-y", job1}, after: discarded, kept: gone},
		{name: "discard by force", prepare: func(r *gittest.Repo) *gittest.Repo {
			runWithChanges(r)
			tree := r.In(staging(r))
			tree.Git("stash", "-q")
			tree.Git("stash", "pop", "-q", "--index")
			return r
		}, args: []string{"discard", "-y", "--force", job1}, after: discarded, kept: gone},
		{name: "undo a discard", prepare: func(r *gittest.Repo) *gittest.Repo {
			// Save a copy of the files, because the last check compares them.
			runWithChanges(r)
			put(r, filepath.Join(side(r), "tree"), staging(r))
			dumpTo(r, staging(r))
			r.MustResume("discard", "-y", job1)
			return r
		}, args: []string{"undo", "--yes", job1}, after: func(f facts) error { return nil },
			done: func(r *gittest.Repo) bool { return stateOf(r) != "discarded" }, removed: "fa",
			kept: func(r *gittest.Repo, w witness) error {
				text, err := os.ReadFile(filepath.Join(side(r), "tree"))
				if err != nil {
					return err
				}
				return same(files(r.In(filepath.Join(side(r), "kept"))), files(r.In(string(text))))
			}},
		{name: "undo a reset", prepare: func(r *gittest.Repo) *gittest.Repo {
			r.In(staging(interrupted(r))).MustResume("task", "reset", "a")
			return r
		}, args: []string{"undo", "--yes", job1}, after: func(f facts) error { return nil },
			done: func(r *gittest.Repo) bool {
				f := readFacts(r)
				return f.state(newest(f), "a") != "pending"
			},
			kept: func(r *gittest.Repo, _ witness) error {
				if f := readFacts(r); f.state(newest(f), "a") != "done" {
					return fmt.Errorf("task a is %s", f.state(newest(f), "a"))
				}
				return nil
			}},
	}
}

// checkFilesBack checks that every worktree has its old files again.
func checkFilesBack(r *gittest.Repo, w witness) error {
	for tree, want := range w.trees {
		if err := same(want, files(r.In(tree))); err != nil {
			return fmt.Errorf("worktree %s: %w", tree, err)
		}
	}
	return nil
}

// dumpTo copies a worktree's files to a folder next to the repository.
func dumpTo(r *gittest.Repo, tree string) {
	r.T.Helper()
	if out, code := r.Try("cp", "-a", tree, filepath.Join(side(r), "kept")); code != 0 {
		r.T.Fatal(out)
	}
}

func merges() []scenario {
	ready := func(r *gittest.Repo) *gittest.Repo {
		harmlessPlan(r).MustResume("start", "--auto", planFile(r))
		r.Write("README", "edited in the main tree\n")
		r.Write("untracked", "in the main tree\n")
		return r
	}
	apart := func(r *gittest.Repo) *gittest.Repo {
		ready(r).Git("config", "merge.ff", "false")
		return r
	}
	merged := exactlyOne("run.merged", "")
	there := func(r *gittest.Repo, _ witness) error {
		for _, task := range []string{"a", "b", "c"} {
			if got, code := r.Try("git", "show", "main:f"+task); code != 0 || got != task+"\n" {
				return fmt.Errorf("main has %q of task %s", got, task)
			}
			if got, err := os.ReadFile(filepath.Join(r.Dir, "f"+task)); err != nil || string(got) != task+"\n" {
				return fmt.Errorf("the tree has %q of task %s", got, task)
			}
		}
		return nil
	}
	away := func(r *gittest.Repo, _ witness) error {
		if out, code := r.Try("git", "show", "main:fa"); code == 0 {
			return fmt.Errorf("main still has %q", out)
		}
		return nil
	}
	return []scenario{
		{name: "merge", prepare: ready, args: []string{"merge", job1}, after: merged, always: onMain, kept: there},
		{name: "merge without trailers", prepare: ready, args: []string{"merge", "--strip", job1}, after: merged, kept: there},
		{name: "merge by squash", prepare: ready, args: []string{"merge", "--squash", job1}, after: merged, always: onMain, kept: there},
		{name: "merge without fast-forward", prepare: apart, args: []string{"merge", job1}, after: merged, always: onMain, kept: there},
		undoMerge("undo a squash", ready, away, "--squash"),
		undoMerge("undo a merge", ready, away),
		undoMerge("undo a merge without fast-forward", apart, away),
	}
}

// undoMerge returns a scenario in which a merge is undone. The argument "form" has the options of the merge.
func undoMerge(name string, ready func(*gittest.Repo) *gittest.Repo, away func(*gittest.Repo, witness) error, form ...string) scenario {
	return scenario{name: name, prepare: func(r *gittest.Repo) *gittest.Repo {
		ready(r).MustResume(append([]string{"merge", job1}, form...)...)
		return r
	}, args: []string{"undo", "--yes", job1}, after: func(facts) error { return nil }, kept: away,
		mayChange: func(path string) bool { return path == "fa" || path == "fb" || path == "fc" },
		done: func(r *gittest.Repo) bool {
			_, code := r.Try("git", "show", "main:fa")
			return code != 0
		}}
}

// onMain checks that main contains every commit that is recorded as a merge. A kill can come at any moment, so this holds only if the
// program moves main before it records the merge.
func onMain(r *gittest.Repo, f facts) error {
	for id, run := range f.runs {
		for _, l := range run.lines {
			if l.Event != "run.merged" {
				continue
			}
			if _, code := r.Try("git", "merge-base", "--is-ancestor", l.Commit, "main"); code != 0 {
				return fmt.Errorf("%s is recorded as merged in %s, which is not on main", id, l.Commit)
			}
		}
	}
	return nil
}

// longRun creates state files of the long-run system, for a project that is waiting for an answer.
func longRun(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	const dir = "agent-os/specs/photo-album/"
	for name, text := range map[string]string{
		"tasks.md":                          "- [ ] 1. database\n",
		".long-run/STATE.md":                "# Long-Run Implementation State\n\n## Current Position\nPlan: 1 of 3\nStatus: Stopped\nLast activity: 2026-01-15T10:30:00Z\n",
		".long-run/plans/01-PLAN.md":        "---\nplan: \"01\"\ntask_group: database\n---\n",
		".long-run/plans/02-PLAN.md":        "---\nplan: \"02\"\ntask_group: api\ndepends_on: [\"01\"]\n---\n",
		".long-run/summaries/01-SUMMARY.md": "---\nplan: \"01\"\nstatus: completed\n---\n",
		".long-run/clarifications.md": "# Clarifications Log\n\n## Task Group 2: api\n**Asked:** 2026-01-15T10:30:00Z\n" +
			"**Question:** Which paging does the API have?\n**Status:** pending\n**Response:**\n",
	} {
		r.Write(dir+name, text)
		old := time.Date(2026, 1, 15, 10, 30, 0, 0, time.UTC)
		if err := os.Chtimes(filepath.Join(r.Dir, dir+name), old, old); err != nil {
			r.T.Fatal(err)
		}
	}
	return r
}

// isHidden reports whether "status --json" no longer lists the work of the long-run system. The output for people would not show whether
// the work is hidden, because it leaves out old work anyway.
func isHidden(r *gittest.Repo) bool {
	out, code := r.Resume("status", "--json")
	return code == 0 && !strings.Contains(out, "photo-album")
}

// putAside reports whether the state file of the long-run system was moved away.
func putAside(r *gittest.Repo) bool {
	_, err := os.Stat(filepath.Join(r.Dir, "agent-os/specs/photo-album/.long-run/STATE.md"))
	return err != nil
}

const clarifications = "agent-os/specs/photo-album/.long-run/clarifications.md"

func foreign() []scenario {
	in := func(path string) bool { return strings.HasPrefix(path, "agent-os/") }
	answer := []string{"answer", "--run", "photo-album", "2", "by cursor"}
	fresh := []string{"photo-album", "--choose", "start-fresh", "--yes"}
	return []scenario{
		{name: "answer of another system", prepare: longRun, args: answer, mayChange: in, after: func(facts) error { return nil },
			done: func(r *gittest.Repo) bool { return strings.Contains(r.Read(clarifications), "**Response:** by cursor") },
			kept: func(r *gittest.Repo, _ witness) error {
				if text := r.Read(clarifications); strings.Count(text, "by cursor") != 1 || !strings.Contains(text, "**Status:** answered") {
					return fmt.Errorf("the answer is not there:\n%s", text)
				}
				return nil
			}},
		{name: "another system's state put aside", prepare: longRun, args: fresh, mayChange: in, after: func(facts) error { return nil },
			done: putAside,
			kept: func(r *gittest.Repo, w witness) error {
				found, _ := filepath.Glob(filepath.Join(r.Dir, "agent-os/specs/photo-album/.long-run-archive-*/STATE.md"))
				if len(found) != 1 {
					return fmt.Errorf("archives: %v", found)
				}
				if out, code := r.Resume("undo", "--yes", "photo-album"); code != 0 {
					return fmt.Errorf("undo: exit code %d\n%s", code, out)
				}
				return checkFilesBack(r, w)
			}},
		{name: "a rebase that was killed", prepare: killedRebase, args: []string{"--yes"}, mayChange: rewritten,
			after: func(facts) error { return nil },
			again: func(r *gittest.Repo) (string, int) {
				for range 4 {
					out, code := r.Resume("--yes")
					if strings.Contains(out, "mark them as resolved using git add") {
						r.Git("checkout", "-q", "--", "file") // git was killed while writing this file and now takes the incomplete content for a user's change
					}
					if _, err := os.Stat(filepath.Join(r.Dir, ".git", "rebase-merge")); err != nil {
						return out, 0
					}
					if code != 0 && code != 1 {
						return out, code
					}
				}
				return "the rebase does not end", 1
			},
			kept: func(r *gittest.Repo, _ witness) error {
				if got := r.Git("log", "--format=%s", "main..topic"); got != "t4\nt3\nt2\nt1" {
					return fmt.Errorf("the branch has %q", got)
				}
				return nil
			}},
		{name: "hooks install", prepare: addHook, args: []string{"hooks", "install"}, after: func(facts) error { return nil },
			kept: func(r *gittest.Repo, _ witness) error {
				if out, code := r.Resume("hooks", "status"); code != 0 {
					return fmt.Errorf("hooks status: exit code %d\n%s", code, out)
				}
				return ownHook(r)
			}},
	}
}

// ownHook checks that the user's post-checkout hook runs exactly once.
func ownHook(r *gittest.Repo) error {
	r.T.Helper()
	if err := os.RemoveAll(filepath.Join(side(r), "mine")); err != nil {
		return err
	}
	r.Git("checkout", "-q", "-b", "other")
	if text, err := os.ReadFile(filepath.Join(side(r), "mine")); err != nil || string(text) != "mine\n" {
		return fmt.Errorf("the user's own hook said %q: %v", text, err)
	}
	return nil
}

// addHook adds a hook of the user.
func addHook(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	r.Write(".git/hooks/post-checkout", "#!/bin/sh\necho mine >> \"$HOME/mine\"\n")
	must(r, os.Chmod(filepath.Join(r.Dir, ".git/hooks/post-checkout"), 0o755))
	return r
}

// rebaseAgain continues the run. If a killed rebase is still in progress in its worktree, it first continues or quits the rebase.
func rebaseAgain(r *gittest.Repo) (out string, code int) {
	for range 4 {
		if out, code = repeatUntilDone("--yes", "--retry", job1)(r); code != 12 || !strings.Contains(out, "git resume git:rebase@") {
			return out, code
		}
		of := "git:rebase@" + filepath.Base(staging(r))
		if out, code = r.Resume(of, "--yes"); code == 11 && strings.Contains(out, "  quit  ") { // the rebase was killed so early that git cannot continue it
			out, code = r.Resume(of, "--yes", "--choose", "quit")
		}
		if code != 0 {
			return out, code
		}
	}
	return out, code
}

// setUps returns the scenarios that belong to no other group, for example "hooks uninstall" and a start with many options.
func setUps() []scenario {
	nothing := func(facts) error { return nil }
	onward := repeatUntilDone("--yes", "--retry", job1)
	full := []string{"start", "--take", "--auto", "../home/plan.yaml"}
	return []scenario{
		{name: "start with everything", prepare: func(r *gittest.Repo) *gittest.Repo {
			r.Write(".gitignore", ".env\n")
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "ignore")
			r.Git("config", "resume.copyIgnored", ".env")
			r.Write(".env", "secret\n")
			must(r, os.Chmod(filepath.Join(r.Dir, ".env"), 0o600))
			makeChanges(r)
			put(r, planFile(r), "name: job\nsetup: echo set-up >> \"$HOME/ran\"\ntasks:\n  - id: a\n")
			return r
		}, args: full, after: exactlyOne("worktree.ready", ""), kept: func(r *gittest.Repo, w witness) error {
			return same(w.files, files(r.In(staging(r))))
		}},
		{name: "resume and rebase", prepare: func(r *gittest.Repo) *gittest.Repo {
			interrupted(r).Write("on main", "moved\n")
			r.Git("rm", "-q", "README") // a removed file can cause a conflict, so git-resume asks git whether the merge is clean
			r.Git("add", "-A")
			r.Git("commit", "-q", "-m", "main moves")
			r.Git("config", "resume.update", "rebase")
			return r
		}, args: []string{"--yes", "--update", job1}, after: finished, kept: checkExecuted, again: rebaseAgain},
		{name: "resume by another plan", prepare: func(r *gittest.Repo) *gittest.Repo {
			interrupted(r)
			put(r, planFile(r)+"2.yaml", planText+"  - id: d\n    run: echo d > fd\n")
			return r
		}, args: []string{"--yes", "--retry", "--plan", "../home/plan.yaml2.yaml", job1}, after: all(finished, exactlyOne("task.done", "d")), kept: checkExecuted,
			done:  func(r *gittest.Repo) bool { return finished(readFacts(r)) == nil },
			again: repeatUntilDone("--yes", "--retry", "--plan", "../home/plan.yaml2.yaml", job1)},
		{name: "trust", prepare: func(r *gittest.Repo) *gittest.Repo {
			must(r, os.Remove(filepath.Join(interrupted(r).Dir, ".git", "resume", "trusted")))
			return r
		}, args: []string{"trust", "--yes", job1}, after: nothing, kept: func(r *gittest.Repo, w witness) error {
			if out, code := onward(r); code != 0 {
				return fmt.Errorf("exit code %d\n%s", code, out)
			}
			return checkExecuted(r, w)
		}},
		{name: "another system's work dropped", prepare: longRun, args: []string{"discard", "-y", "photo-album"}, after: nothing, done: isHidden,
			kept: func(r *gittest.Repo, w witness) error {
				if err := checkFilesBack(r, w); err != nil {
					return err
				}
				if out, code := r.Resume("undo", "--yes", "photo-album"); code != 0 || isHidden(r) {
					return fmt.Errorf("undo: exit code %d\n%s", code, out)
				}
				return checkFilesBack(r, w)
			}},
		{name: "hooks uninstall", prepare: func(r *gittest.Repo) *gittest.Repo {
			addHook(r).MustResume("hooks", "install")
			return r
		}, args: []string{"hooks", "uninstall"}, after: nothing, kept: func(r *gittest.Repo, _ witness) error {
			if text := r.Read(".git/hooks/post-checkout"); strings.Contains(text, "resume") {
				return fmt.Errorf("the hook is still %q", text)
			}
			return ownHook(r)
		}},
	}
}

// rewritten reports whether a rebase can rewrite this file. A kill can then leave the file incomplete, but its content is committed.
func rewritten(path string) bool {
	return path == "file" || path == "README" || strings.HasPrefix(path, "dir")
}

// killedRebase makes a rebase that was killed while it applied the second of four commits. A plain "git rebase --continue" would lose that
// commit.
func killedRebase(r *gittest.Repo) *gittest.Repo {
	r.T.Helper()
	put(r, filepath.Join(side(r), "make.sh"), `
seq 1 60 > file
git add file
git commit -q -m sixty
git checkout -q -b topic
for i in 1 2 3 4; do
	sed -i "$((i * 12))s/.*/t$i/" file
	git commit -q -a -m t$i
done
git checkout -q main
sed -i '1i 0' file
git commit -q -a -m zero
git checkout -q topic
cat > "$HOME/crash" <<'CRASH'
echo x >> "$HOME/count"
if [ "$(wc -l < "$HOME/count")" -eq 2 ]; then
	kill -9 $(ps -o ppid= -p $PPID) $PPID
	exit 1
fi
git merge-file -q "$1" "$2" "$3"
CRASH
mkdir -p .git/info
echo 'file merge=crash' > .git/info/attributes
git config merge.crash.driver 'sh "$HOME/crash" %A %O %B'
git rebase -q main
git config --unset merge.crash.driver
rm -f .merge_file_*
echo mine > untracked
test -d .git/rebase-merge
`)
	if out, code := r.Try("sh", filepath.Join(side(r), "make.sh")); code != 0 {
		r.T.Fatalf("%s", out)
	}
	return r
}
