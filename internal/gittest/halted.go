package gittest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Halted is one way in which git leaves an operation unfinished. Git itself creates this state, in some cases because git is killed.
type Halted struct {
	Name string
	// Make creates the state in a repository that the method Topic has prepared.
	Make func(r *Repo)
	// Op and Stop are the words that git-resume uses for this state.
	Op, Stop string
}

// Topic gives the repository a branch "topic" with the commits t1 to tN. Each commit changes a line of "file" and adds a new file, such as
// "n1". Topic also adds a commit to "main" that does not conflict, and leaves "topic" checked out.
func (r *Repo) Topic(n int) {
	r.T.Helper()
	var lines []string
	for i := range 10 * (n + 1) {
		lines = append(lines, fmt.Sprintf("line %d", i))
	}
	put := func(i int, text string) {
		lines[i] = text
		r.Write("file", strings.Join(lines, "\n")+"\n")
	}
	put(0, "line 0")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "file")
	r.Git("checkout", "-q", "-b", "topic")
	for i := 1; i <= n; i++ {
		put(10*i, fmt.Sprintf("t%d", i))
		r.Write(fmt.Sprintf("n%d", i), fmt.Sprintf("new %d\n", i))
		r.Git("add", "-A")
		r.With(fmt.Sprintf("GIT_AUTHOR_NAME=Author %d", i), fmt.Sprintf("GIT_AUTHOR_DATE=2029-01-02T03:04:%02dZ", i)).
			Git("commit", "-q", "-m", fmt.Sprintf("t%d", i), "-m", fmt.Sprintf("The body of t%d.", i))
	}
	r.Git("checkout", "-q", "main")
	r.Write("main", "went on\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "main went on")
	r.Git("checkout", "-q", "topic")
}

// Clash adds a commit to main that conflicts with commit number i of the topic.
func (r *Repo) Clash(i int) {
	r.T.Helper()
	r.Git("checkout", "-q", "main")
	text := strings.Split(r.Read("file"), "\n")
	text[10*i] = fmt.Sprintf("main's own line %d", i)
	r.Write("file", strings.Join(text, "\n"))
	r.Git("commit", "-q", "-a", "-m", fmt.Sprintf("clash with t%d", i))
	r.Git("checkout", "-q", "topic")
}

// Sides makes two branches that start at earlier commits of "topic", merges each into "topic", and deletes them. The two merge commits have
// different authors. Every commit on these branches changes the file "file".
func (r *Repo) Sides() {
	r.T.Helper()
	r.Git("checkout", "-q", "topic")
	side := func(name, from, after string, lines ...int) {
		r.Git("checkout", "-q", "-b", name, from)
		for i, n := range lines {
			r.Write("file", strings.Replace(r.Read("file"), fmt.Sprintf("line %d\n", n), fmt.Sprintf("%s%d\n", after, i+1), 1))
			r.Write(fmt.Sprintf("%s%d", after, i+1), "new\n")
			r.Git("add", "-A")
			r.With("GIT_AUTHOR_NAME=Author of "+name).Git("commit", "-q", "-m", fmt.Sprintf("%s%d", after, i+1))
		}
		r.Git("checkout", "-q", "topic")
		r.With("GIT_AUTHOR_NAME=Merger of "+name, "GIT_AUTHOR_DATE=2029-02-03T04:05:06Z").
			Git("merge", "-q", "--no-ff", "-m", "merge "+name, "-m", "The body of it.", name)
		r.Git("branch", "-q", "-D", name)
	}
	side("one", "topic~2", "s", 3, 6)
	side("two", "topic~1", "u", 15)
}

// Shift adds a first line to "file" on main, so that picking a topic commit onto main has to merge. It leaves main checked out.
func (r *Repo) Shift() {
	r.T.Helper()
	r.Git("checkout", "-q", "main")
	r.Write("file", "first\n"+r.Read("file"))
	r.Git("commit", "-q", "-a", "-m", "shift")
}

// killer is a program that, at its n-th call, kills the git processes above it in the process tree. This is like a crash: all of them end
// at once and without a message.
const killer = `#!/bin/sh
echo x >>'COUNT'
if [ "$(wc -l <'COUNT')" -eq NTH ]; then
	p=$PPID all=
	while [ "$p" -gt 1 ]; do
		name=$(cat /proc/$p/comm 2>/dev/null || basename "$(ps -o comm= -p "$p")")
		up=$(sed 's/.*) . \([0-9]*\) .*/\1/' /proc/$p/stat 2>/dev/null || ps -o ppid= -p "$p")
		case $name in
		git | git-filter*) all="$p $all" ;; # the outermost first, or it would clean up
		*) if [ -n "$all" ]; then break; fi ;;
		esac
		p=$up
	done
	kill -9 $all
	sleep 0.05
fi
ELSE
`

// Killer writes a script next to the folder of the repository, and returns its path. When the script is called for the nth time, it kills
// git. At every other call it runs the given shell code.
func (r *Repo) Killer(name string, nth int, instead string) string {
	r.T.Helper()
	path := filepath.Join(r.Root(), "killer-"+name)
	text := strings.NewReplacer("COUNT", path+".count", "NTH", fmt.Sprint(nth), "ELSE", instead).Replace(killer)
	if err := WriteProgram(path, []byte(text)); err != nil {
		r.T.Fatal(err)
	}
	_ = os.Remove(path + ".count") // an error means that there was no earlier count
	return path
}

// KillIn makes git die at the n-th call of the hook that the argument "point" names. There are two special names: with "driver", git dies
// in a merge driver, and with "smudge" while it writes a file to the worktree. The returned function switches this off.
func (r *Repo) KillIn(point string, nth int) (safe func()) {
	r.T.Helper()
	attributes := filepath.Join(r.Git("rev-parse", "--path-format=absolute", "--git-common-dir"), "info", "attributes")
	rule := func(text string) {
		if err := os.MkdirAll(filepath.Dir(attributes), 0o755); err != nil {
			r.T.Fatal(err)
		}
		if err := os.WriteFile(attributes, []byte(text), 0o644); err != nil {
			r.T.Fatal(err)
		}
	}
	switch point {
	case "driver":
		path := r.Killer(point, nth, `exec git merge-file -q "$1" "$2" "$3"`)
		rule("file merge=trap\n")
		r.Git("config", "merge.trap.driver", path+" %A %O %B")
		return func() { rule(""); r.Git("config", "--unset", "merge.trap.driver") }
	case "smudge":
		path := r.Killer(point, nth, "exec cat")
		rule("* filter=trap\n")
		r.Git("config", "filter.trap.smudge", path)
		return func() { rule(""); r.Git("config", "--unset", "filter.trap.smudge") }
	}
	hook := filepath.Join(r.Git("rev-parse", "--path-format=absolute", "--git-path", "hooks"), point)
	text, err := os.ReadFile(r.Killer(point, nth, "exit 0"))
	if err != nil {
		r.T.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(hook), 0o755); err != nil {
		r.T.Fatal(err)
	}
	if err := WriteProgram(hook, text); err != nil {
		r.T.Fatal(err)
	}
	return func() { _ = os.Remove(hook) }
}

// Dies runs git with these arguments, and expects git to be killed before it ends.
func (r *Repo) Dies(args ...string) {
	r.T.Helper()
	if out, code := r.Try("git", args...); code != -1 {
		r.T.Fatalf("git %s was to be killed: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
}

// Stops runs git with these arguments, and expects git to stop by itself with a failure.
func (r *Repo) Stops(args ...string) {
	r.T.Helper()
	if out, code := r.Try("git", args...); code <= 0 {
		r.T.Fatalf("git %s was to stop: exit code %d\n%s", strings.Join(args, " "), code, out)
	}
}

// ListEditor returns the environment variable for an editor that changes the todo list of a rebase. "1 edit" turns the first pick into an
// edit, and "1+ break" adds a line after the first.
func ListEditor(edits ...string) string {
	var script []string
	for _, e := range edits {
		at, what, _ := strings.Cut(e, " ")
		if n, ok := strings.CutSuffix(at, "+"); ok {
			script = append(script, fmt.Sprintf("%sa %s", n, what))
			continue
		}
		script = append(script, fmt.Sprintf("%ss/^pick/%s/", at, what))
	}
	if len(script) == 0 {
		return "GIT_SEQUENCE_EDITOR=true"
	}
	return "GIT_SEQUENCE_EDITOR=sed -i.bak '" + strings.Join(script, "\n") + "'"
}

// RebaseList runs an interactive rebase onto main with an edited todo list, and returns its exit code.
func (r *Repo) RebaseList(edits ...string) int {
	r.T.Helper()
	_, code := r.With(ListEditor(edits...)).Try("git", "rebase", "-i", "main")
	return code
}

// HaltedStates returns the states that tests try. In each of them, git has left an operation unfinished.
func HaltedStates() []Halted {
	all := append(haltedMerges(), haltedRebases()...)
	all = append(all, haltedPicks()...)
	return append(all, haltedOthers()...)
}

func haltedMerges() []Halted {
	return []Halted{
		{"merge", func(r *Repo) { r.Clash(2); r.Stops("merge", "-q", "main") }, "merge", "conflict"},
		{"merge, resolved", func(r *Repo) {
			r.Clash(2)
			r.Stops("merge", "-q", "main")
			r.Git("checkout", "--theirs", "file")
			r.Git("add", "file")
		}, "merge", "ready"},
		{"merge with autostash", func(r *Repo) {
			r.Clash(2)
			r.Write("n1", "not committed\n")
			r.Stops("merge", "-q", "--autostash", "main")
		}, "merge", "conflict"},
		{"squash merge", func(r *Repo) { r.Clash(2); r.Stops("merge", "-q", "--squash", "main") }, "squash-merge", "conflict"},
		{"stash pop", func(r *Repo) {
			r.Write("n1", "put aside\n")
			r.Git("stash", "push", "-q")
			r.Write("n1", "since then\n")
			r.Git("commit", "-q", "-a", "-m", "since then")
			r.Stops("stash", "pop", "-q")
		}, "stash-pop", "conflict"},
		{"pick without a commit, beside a stash", func(r *Repo) {
			r.Clash(2)
			r.Write("n1", "put aside\n")
			r.Git("stash", "push", "-q")
			r.Git("checkout", "-q", "main")
			r.Stops("cherry-pick", "--no-commit", "topic~2")
		}, "files-merge", "conflict"},
		{"notes merge", func(r *Repo) {
			r.Git("notes", "add", "-m", "ours", "HEAD")
			r.Git("notes", "--ref=theirs", "add", "-m", "theirs", "HEAD")
			r.Stops("notes", "merge", "-q", "theirs")
		}, "notes-merge", "conflict"},
	}
}

func haltedRebases() []Halted {
	return []Halted{
		{"rebase", func(r *Repo) { r.Clash(2); r.Stops("rebase", "-q", "main") }, "rebase", "conflict"},
		{"rebase of a detached head", func(r *Repo) {
			r.Clash(2)
			r.Git("checkout", "-q", "--detach")
			r.Stops("rebase", "-q", "main")
		}, "rebase", "conflict"},
		{"rebase with autostash", func(r *Repo) {
			r.Clash(2)
			r.Write("n1", "not committed\n")
			r.Stops("rebase", "-q", "--autostash", "main")
		}, "rebase", "conflict"},
		{"rebase, resolved", func(r *Repo) {
			r.Clash(2)
			r.Stops("rebase", "-q", "main")
			r.Git("checkout", "--theirs", "file")
			r.Git("add", "file")
		}, "rebase", "ready"},
		{"rebase by patches", func(r *Repo) { r.Clash(2); r.Stops("rebase", "-q", "--apply", "main") }, "rebase", "conflict"},
		{"rebase by patches, behind the last one", func(r *Repo) {
			safe := r.KillIn("post-rewrite", 1)
			r.Dies("rebase", "-q", "--apply", "main")
			safe()
		}, "rebase", "midway"},
		{"rebase at an edit", func(r *Repo) { r.RebaseList("2 edit") }, "rebase", "edit"},
		{"rebase at a refused reword", func(r *Repo) {
			r.With(ListEditor("2 reword"), "GIT_EDITOR=false").Stops("rebase", "-i", "main")
		}, "rebase", "reword"},
		{"rebase at an exec", func(r *Repo) { r.Stops("rebase", "-q", "-x", "test ! -e n2", "main") }, "rebase", "exec"},
		{"rebase at a break", func(r *Repo) { r.RebaseList("2+ break") }, "rebase", "break"},
		{"rebase that just starts", func(r *Repo) {
			safe := r.KillIn("post-checkout", 1)
			r.Dies("rebase", "-q", "main")
			safe()
		}, "rebase", "starting"},
		{"rebase that never began", func(r *Repo) {
			safe := r.KillIn("smudge", 1)
			r.Dies("rebase", "-q", "main")
			safe()
		}, "rebase", "starting"},
		{"rebase killed in the editor of its list", func(r *Repo) {
			r.With("GIT_SEQUENCE_EDITOR="+r.Killer("list", 1, "exit 0")).Dies("rebase", "-i", "main")
		}, "rebase", "list"},
		{"rebase with a torn start", func(r *Repo) {
			r.Write("n1", "not committed\n")
			safe := r.KillIn("smudge", 1)
			r.Try("git", "rebase", "-q", "--autostash", "main") // Try instead of Dies, which expects that git itself is killed: here the kill may end only a child process of git
			safe()
		}, "rebase", "torn"},
		{"rebase killed in a pick", func(r *Repo) {
			r.Shift()
			r.Git("checkout", "-q", "topic")
			safe := r.KillIn("driver", 2)
			r.Dies("rebase", "-q", "main")
			safe()
		}, "rebase", "midway"},
	}
}

func haltedPicks() []Halted {
	atMain := func(r *Repo) { r.Clash(2); r.Git("checkout", "-q", "main") }
	return []Halted{
		{"pick", func(r *Repo) { atMain(r); r.Stops("cherry-pick", "topic~2") }, "cherry-pick", "conflict"},
		{"picks", func(r *Repo) { atMain(r); r.Stops("cherry-pick", "topic~4..topic") }, "cherry-pick", "conflict"},
		{"picks, one committed by hand", func(r *Repo) {
			atMain(r)
			r.Stops("cherry-pick", "topic~4..topic")
			r.Git("checkout", "--theirs", "file")
			r.Git("commit", "-q", "-a", "-m", "t2 by hand")
		}, "cherry-pick", "midway"},
		{"picks killed in a pick", func(r *Repo) {
			r.Shift()
			safe := r.KillIn("driver", 2)
			r.Dies("cherry-pick", "topic~4..topic")
			safe()
		}, "cherry-pick", "midway"},
		{"revert", func(r *Repo) { addConflict(r); r.Stops("revert", "--no-edit", "HEAD~3") }, "revert", "conflict"},
		{"reverts", func(r *Repo) { addConflict(r); r.Stops("revert", "--no-edit", "HEAD~3", "HEAD~4") }, "revert", "conflict"},
		{"reverts, one committed by hand", func(r *Repo) {
			addConflict(r)
			r.Stops("revert", "--no-edit", "HEAD~3", "HEAD~4")
			r.Git("checkout", "--ours", "file")
			r.Git("commit", "-q", "-a", "-m", "reverted by hand")
		}, "revert", "midway"},
		{"am", func(r *Repo) {
			r.Git("format-patch", "-q", "-4", "-o", "../patches")
			atMain(r)
			r.Stops(append([]string{"am", "-q", "-3"}, r.patches()...)...)
		}, "am", "conflict"},
		{"am of a patch that does not apply", func(r *Repo) {
			r.Git("format-patch", "-q", "-4", "-o", "../patches")
			atMain(r)
			r.Stops(append([]string{"am", "-q"}, r.patches()...)...)
		}, "am", "patch"},
		{"am of an empty patch", func(r *Repo) {
			r.Git("commit", "-q", "--allow-empty", "-m", "empty")
			r.Git("format-patch", "-q", "--always", "-2", "-o", "../patches")
			r.Git("checkout", "-q", "main")
			r.Stops(append([]string{"am", "-q"}, r.patches()...)...)
		}, "am", "empty patch"},
	}
}

// addConflict changes the line that the commit t2 changed, so that git cannot revert t2 without a conflict.
func addConflict(r *Repo) {
	r.Write("file", strings.Replace(r.Read("file"), "t2", "t2, changed again", 1))
	r.Git("commit", "-q", "-a", "-m", "again")
}

func (r *Repo) patches() []string {
	found, err := filepath.Glob(filepath.Join(r.Root(), "patches", "*.patch"))
	if err != nil || len(found) == 0 {
		r.T.Fatal("no patches", err)
	}
	return found
}

func haltedOthers() []Halted {
	return []Halted{
		{"bisect", func(r *Repo) { r.Git("bisect", "start", "HEAD", "HEAD~4") }, "bisect", "question"},
		{"lock of a killed commit", func(r *Repo) {
			r.Write("n1", "changed\n")
			safe := r.KillIn("pre-commit", 1)
			r.Dies("commit", "-q", "-a", "-m", "never made")
			safe()
		}, "stale-lock", "left"},
		{"lock of a killed merge", func(r *Repo) {
			r.Shift()
			safe := r.KillIn("driver", 1)
			r.Dies("merge", "-q", "topic")
			safe()
		}, "stale-lock", "left"},
		{"filter-branch", func(r *Repo) {
			path := r.Killer("filter", 2, "exec cat")
			r.With("FILTER_BRANCH_SQUELCH_WARNING=1").Try("git", "filter-branch", "-f", "--msg-filter", path, "HEAD~3..HEAD")
		}, "filter-branch", "left"},
	}
}

// EachGit runs a test with the usual git and, if the caller of the tests named a newer git, also with that one. If one of the two supports
// reftables, it also runs the test with reftables. For that it prefers the newer git.
func EachGit(t *testing.T, test func(*testing.T, Maker)) {
	t.Run("git", func(t *testing.T) { test(t, Maker{}) })
	newer, ok := Newer()
	if newer.Bin != "" {
		t.Run("newer git", func(t *testing.T) { test(t, Maker{git: newer}) })
	}
	if ok {
		t.Run("tables", func(t *testing.T) { test(t, Maker{git: newer, init: []string{"--ref-format=reftable"}}) })
	}
}
