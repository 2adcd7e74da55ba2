package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/conversation"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// asking is the test of one question of the program.
type asking struct {
	// kind is the name of the question in conversation.Questions. prepare is a shell script that brings the repository into
	// a state in which the question is asked.
	kind, prepare string
	// The field "command" is the command that asks the question, and "text" is a pattern for the question. The field "lead" contains the
	// answers to earlier questions of the same command.
	command, lead, text string
	// done is true if the command has finished its work before it asks. Then the answer "no" is not a failure.
	done bool
	// shows is a pattern for the output after the key d.
	shows string
	// later is true if the command changes something before it asks the question. Then the test does not compare with the
	// state before the command.
	later bool
	// keys are the possible keys, each with its expected result.
	keys []pressed
}

// pressed is a key, the input to type after it, and the expected result: the exit code, a pattern for the output, and a
// shell command that must succeed.
type pressed struct {
	key, then string
	code      int
	says      string
	check     string
}

const none = `there is no difference to show: `

var no = pressed{key: "n", code: 2, says: `nothing (else )?was changed`}

var leave = pressed{key: "q", code: 2, says: `nothing (else )?was changed`}

// allQuestions has an entry for each question of the program.
var allQuestions = []asking{
	{kind: "which work", prepare: "reported one two", command: "git resume", text: `Continue which\?`, shows: `^  . 1  a`, keys: []pressed{
		leave, {key: "1", then: "b", says: `^# Continue run two-`}, {key: "2", then: "b", says: `^# Continue run one-`}}},
	{kind: "continue a run", prepare: "killed", command: "git resume", text: `Continue with task 2\?`, shows: `^ one \| 1 \+`, keys: []pressed{
		{key: "p", code: 2, says: `^Pre-flight for job`}, no, {key: "y", says: `finished`}, {key: "r", then: "y", says: `Start again from task 1\?`, check: "git resume status --all | grep -c job- | grep 2"}}},
	{kind: "interrupted task", prepare: "killed 'echo half >> two'", command: "git resume", text: `Which\?`, shows: `^\+half`, keys: []pressed{
		{key: "p", code: 2, says: `^Pre-flight for job`}, leave,
		{key: "f", says: `finished`, check: `test "$(cat ../repo.worktrees/job-*/two)" = "$(printf 'half\nrest')"`},
		{key: "k", says: `finished`, check: `test "$(cat ../repo.worktrees/job-*/two)" = "$(printf 'half\nhalf\nrest')"`},
		{key: "m", says: `finished`, check: `test "$(cat ../repo.worktrees/job-*/two)" = half`}}},
	{kind: "take over a run", prepare: "fetched", command: "git resume job", text: `Take over run job-....\?`, shows: `^ one \| 1 \+`, keys: []pressed{no, {key: "y", then: "y", says: `took over job-`, check: "git resume status --all | grep -v elsewhere"}}},
	{kind: "take the lease of a run", prepare: "killed; leased", command: "git resume job --takeover", text: `Take the lease of run job-.... from .*\?`, shows: `^ one \| 1 \+`, later: true, keys: []pressed{
		no, {key: "y", then: "y", says: `Taking over job-.... means to take its lease from (.|\n)*finished`, check: "git resume status --all | grep -v elsewhere"}}},
	{kind: "proceed with a run", prepare: "killed", command: "git resume --preflight", text: `Continue after this report\?`, shows: `^ one \| 1 \+`, keys: []pressed{no, {key: "proceed", says: `finished`}}},
	{kind: "continue another system's work", prepare: "sdc 7200 interrupted", command: "git resume orchestrate:sdc-4.2 --preflight", text: `Continue after this report\?`, shows: `sdc-4.2`,
		keys: []pressed{no, {key: "proceed", says: `@dev dev-develop-story 4.2`}}},
	{kind: "proceed with an operation", prepare: "editing", command: "git resume --preflight", text: `Continue after this report\?`, shows: `^    t1`, keys: []pressed{no, {key: "proceed", check: "test ! -e .git/rebase-merge"}}},
	{kind: "answer a run's question", prepare: "asks", command: "git resume", text: `Answer\?`, shows: `. 1  where`, keys: []pressed{leave,
		{key: "1", then: "y", check: "answered staging"}, {key: "2", then: "y", check: "answered production"}, {key: "3", then: "on my machine,y", check: "answered 'on my machine'"},
		{key: "s", then: "y", check: "git resume status job where | grep skipped"}}},
	{kind: "answer a question of another system's work", prepare: "memory 10800", command: "git resume user-auth --choose answer", text: `Type your answer, or a key`, shows: `T001`, keys: []pressed{leave,
		{key: "w", then: "x", says: `Done: the answer`, check: "git status --porcelain -uall | grep events"}, {key: "key 7", says: `Done: the answer`, check: "grep -r 'key 7' .agent-memory"}}},
	{kind: "confirm a task", prepare: "confirms", command: "git resume start ../plan.yaml --new", text: `Publish it\?`, shows: `^ built \| 1 \+`, later: true, keys: []pressed{
		{key: "n", code: 2, says: `nothing else was changed`, check: "test ! -e ../published"}, {key: "y", says: `finished`, check: "test -e ../published"}}},
	{kind: "restart a run", prepare: "killed", command: "git resume job --restart", text: `Start again from task 1\? Earlier work is kept.`, shows: `^ one \| 1 \+`, keys: []pressed{no, {key: "y", check: "git resume status --all | grep -c job- | grep 2"}}},
	{kind: "reopen a run", prepare: "finished", command: "git resume job --from two", text: `Run job-.... is finished. Open it again from task 2, two\?`, shows: `^ one \| 1 \+`, keys: []pressed{no, {key: "y", says: `finished`}}},
	{kind: "started already", prepare: "half", command: "git resume start --name job --task a --task b", text: `Which\?`, shows: `^ a \| 1 \+`, keys: []pressed{leave,
		{key: "c", code: 2, says: `Continue with task 2`}, {key: "r", says: `^ a \| 1 \+`}, {key: "m", code: 2, says: `merge the work so far\?`}, {key: "f", then: "y", says: `Start again from task 1\?`, check: "git resume status --all | grep -c job- | grep 2"},
		{key: "b", check: "git worktree list | grep -c job- | grep 2"}}},
	{kind: "what to do with another system's work", prepare: "sdc 7200 interrupted", command: "git resume orchestrate:sdc-4.2", text: `Which\?`, shows: `sdc-4.2`, keys: []pressed{leave,
		{key: "2", code: 2, says: `start-fresh of sdc-4.2`}, {key: "3", code: 2, says: `Which one\?`}, {key: "4", code: 2, says: `clean-up of sdc-4.2`}, {key: "1", says: `@dev dev-develop-story 4.2`}}},
	{kind: "which part", prepare: "sdc 7200 interrupted", command: "git resume orchestrate:sdc-4.2 --choose restart", text: `Which one\?`, shows: none, keys: []pressed{leave,
		{key: "1", code: 2, says: `Do this\?`}, {key: "2", code: 2, says: `Do this\?`}, {key: "3", code: 2, says: `changes no file|Do this\?`}}},
	{kind: "change files of another system", prepare: "sdc 7200 interrupted", command: "git resume orchestrate:sdc-4.2 --choose restart --from validate", text: `Do this\?`, shows: `- phases_completed: \[Create, Validate\]`, keys: []pressed{no, {key: "y", says: `Done: 'restart`, check: "! grep Validate .aios/sdc-4.2-state.yaml"}}},
	{kind: "change files of another system although somebody may be working on them", prepare: "sdc 60 active", command: "git resume orchestrate:sdc-4.2 --choose start-fresh", text: `Do this\?`, shows: `\+ execution_id: sdc-4.2`, keys: []pressed{no, {key: "y", says: `Done: 'start-fresh`, check: "ls .aios/*archived*"}}},
	{kind: "continue another system's work although somebody may be working on it", prepare: "sdc 60 active", command: "git resume orchestrate:sdc-4.2", lead: "continue", text: `Continue anyway\?`, shows: `sdc-4.2`, keys: []pressed{no, {key: "y", says: `@dev dev-develop-story 4.2`}}},
	{kind: "continue another system's work despite warnings", prepare: "spec; plan completed completed completed completed; tree; for i in 1-2 2-1 2-2; do built $i; done; age; git merge -q --no-ff -m merge auto-claude/001-login",
		command: "git resume auto-claude:001-login --choose continue", text: `Continue despite the warnings\?`, shows: `chunk-1-1`, keys: []pressed{no, {key: "y", says: `--qa|Continue with|Work in`}}},
	{kind: "answer another system's question although somebody may be working on it", prepare: "memory 60", command: "git resume answer --run user-auth T002 'key 7'", text: `Answer it anyway\?`, shows: `key 7`, keys: []pressed{no, {key: "y", check: "grep -r 'key 7' .agent-memory"}}},
	{kind: "hide another system's work", prepare: "sdc 7200 interrupted", command: "git resume --discard orchestrate:sdc-4.2", text: `Hide orchestrate:sdc-4.2 in this clone\?`, shows: none, keys: []pressed{no, {key: "y", check: "! git resume status | grep sdc-4.2; test -e .aios/sdc-4.2-state.yaml"}}},
	{kind: "discard a run", prepare: "killed 'echo half >> two'; git -C ../repo.worktrees/job-* add two", command: "git resume discard job", text: `Discard\?`, shows: `^\+half`, keys: []pressed{no, {key: "y", says: `Discarded`, check: "test ! -e ../repo.worktrees/job-*/one"}}},
	{kind: "discard another system's work", prepare: "spec; plan completed in_progress pending pending; tree; age", command: "git resume discard auto-claude:001-login", text: `Discard\?`, shows: `^ src/1-1.py \| 1 \+`, keys: []pressed{no, {key: "y", says: `Discarded`, check: "test ! -e $W"}}},
	{kind: "discard a run that is in use", prepare: "killed; busy", command: "git resume discard job --yes", text: `Discard it although it is still in use\?`, shows: `^ one \| 1 \+`,
		keys: []pressed{no, {key: "y", says: `Discarded`}}},
	{kind: "discard merged runs", prepare: "worked x y; git resume merge x --yes; git resume merge y --yes", command: "git resume discard --merged", text: `Discard these 2 runs\?`, shows: `. 1  a`, keys: []pressed{no, {key: "y", says: `Discarded`, check: "git worktree list | wc -l | grep 1"}}},
	{kind: "merge unfinished work", prepare: "killed", command: "git resume merge job", text: `1 of 2 tasks done.*merge the work so far\?`, shows: `^ one \| 1 \+`, keys: []pressed{no, {key: "y", says: `merged`, check: "test -e one"}}},
	{kind: "merge work although somebody may be working on it", prepare: "spec; plan completed in_progress pending pending; tree; age; git resume auto-claude:001-login --yes", command: "git resume merge auto-claude:001-login", text: `Merge it anyway\?`, shows: `^ src/1-1.py \| 1 \+`,
		keys: []pressed{no, {key: "y", then: "y", says: `merged`, check: "test -e src/1-1.py"}}},
	{kind: "start a merge that stops at conflicts", prepare: "worked x; echo mine > x; git add x; git commit -q -m mine", command: "git resume merge x", text: `The merge will stop at a conflict in x;\s+start\s+it,\s+and\s+resolve\s+it\s+in\s+.*\?`, shows: `^ x \| 1 \+`,
		keys: []pressed{no, {key: "y", code: 12, says: `stopped at conflicts`, check: "test -e .git/MERGE_HEAD"}}},
	{kind: "remove what is merged", prepare: "worked x", command: "git resume merge x", text: `Everything is on main. Remove worktree and branch\?`, done: true, shows: none, later: true, keys: []pressed{
		{key: "n", says: `nothing else was changed`, check: "git worktree list | grep x-"}, {key: "y", check: "! git worktree list | grep x-"}}},
	{kind: "undo", prepare: "sdc 7200 interrupted; git resume orchestrate:sdc-4.2 --choose restart --from validate --yes", command: "git resume undo", text: `Undo this\?`, shows: `\+ phases_completed: \[Create, Validate\]`, keys: []pressed{no, {key: "y", check: "grep Validate .aios/sdc-4.2-state.yaml"}}},
	{kind: "redo", prepare: "sdc 7200 interrupted; git resume orchestrate:sdc-4.2 --choose restart --from validate --yes; git resume undo --yes", command: "git resume undo --redo", text: `Do this again\?`, shows: `- phases_completed: \[Create, Validate\]`,
		keys: []pressed{no, {key: "y", check: "! grep Validate .aios/sdc-4.2-state.yaml"}}},
	{kind: "restore a snapshot", prepare: "killed 'echo half >> two'; (cd ../repo.worktrees/job-* && git resume checkpoint && rm two)", command: "git resume restore job@1", text: `Restore job-....@1 in \.\./repo\.worktrees/job-....\?`, shows: `^\+half`,
		keys: []pressed{no, {key: "y", says: `restored job-`, check: "grep half ../repo.worktrees/job-*/two"}, {key: "c", says: `wrote the whole tree of job-....@1 to job-....@1: \d+ files`, check: "grep half job-*@1/two; test ! -e ../repo.worktrees/job-*/two"}}},
	{kind: "trust a run", prepare: "fetched; git resume job --takeover --yes || true", command: "git resume trust job", text: `Approve this\?`, shows: none, keys: []pressed{no, {key: "y", says: `approved the commands of run job-`}}},
	{kind: "purge", prepare: "killed", command: "git resume doctor --purge --force", text: `Remove all of this\? It cannot be undone.`, shows: none,
		keys: []pressed{no, {key: "y", says: `Removed. What may be left: trailers in commits`, check: "test ! -e .git/resume -a ! -e ../repo.worktrees"}}},
	{kind: "install for agents", prepare: "mkdir -p ../home", command: "env HOME=$PWD/../home git resume agents install claude --tasks", text: `Make these changes\?`, shows: none,
		keys: []pressed{no, {key: "y", says: `Installed.`, check: "grep -q agent-event ../home/.claude/settings.json; test -e ../home/.claude/skills/git-resume/SKILL.md"}}},
	{kind: "uninstall from agents", prepare: "env HOME=$PWD/../home git resume agents install claude -y", command: "env HOME=$PWD/../home git resume agents uninstall", text: `Remove this\?`, shows: none,
		keys: []pressed{no, {key: "y", says: `Removed.`, check: "test ! -e ../home/.claude"}}},
	{kind: "task lists of agents", prepare: "mkdir -p ../home", command: "env HOME=$PWD/../home git resume agents install claude", text: `Also switch on the built-in task list of claude\?`, shows: none,
		keys: []pressed{leave, {key: "s", then: "y", says: `Installed.`, check: "grep -q ENABLE_TODO ../home/.claude/settings.json"}, {key: "o", then: "y", says: `Installed.`, check: "! grep -q ENABLE_TODO ../home/.claude/settings.json"}}},
	{kind: "git operation", prepare: "editing", command: "git resume", text: `Continue\?`, shows: `^    t1`, keys: []pressed{no, {key: "y", check: "test ! -e .git/rebase-merge"},
		{key: "skip", then: "y", check: "test ! -e .git/rebase-merge"}, {key: "abort", then: "y", check: "test ! -e .git/rebase-merge; git log -1 --format=%s topic | grep t2"}, {key: "quit", then: "y", check: "test ! -e .git/rebase-merge"}}},
	{kind: "what to do with a git operation", prepare: "for n in 1 2 3 4 5 6 7; do git commit -q --allow-empty -m $n; done; git bisect start HEAD HEAD~7", command: "git resume", text: `Which\?`, shows: `^    [34]$`, keys: []pressed{no,
		{key: "good", check: "git bisect log | grep '^git bisect good'"}, {key: "bad", check: "git bisect log | grep '^git bisect bad'"}, {key: "skip", check: "git bisect log | grep '^git bisect skip'"}, {key: "abort", check: "test ! -e .git/BISECT_LOG"}}},
	{kind: "how to end a git operation", prepare: "merging", command: "git resume discard git:merge@.", text: `How do you want to end it\? Uncommitted changes are saved first.`, shows: `^\+theirs|theirs`, keys: []pressed{no,
		{key: "abort", check: "test ! -e .git/MERGE_HEAD; grep ours README"}, {key: "quit", check: "test ! -e .git/MERGE_HEAD; grep theirs README"}}},
}

// Each question of the program must have one entry in allQuestions, and the program must behave as the entry says. An everyday test run
// asks only some of the questions.
func TestQuestions_eachIsAsked(t *testing.T) {
	t.Parallel()
	var listed []string
	for _, q := range allQuestions {
		listed = append(listed, q.kind)
	}
	for _, kind := range conversation.Questions() {
		if n := len(slices.DeleteFunc(slices.Clone(listed), func(l string) bool { return l != kind })); n != 1 || kind == "" {
			t.Errorf("the question %q has %d entries here, want 1", kind, n)
		}
	}
	for _, q := range allQuestions {
		if !slices.Contains(conversation.Questions(), q.kind) {
			t.Errorf("the program has no question %q", q.kind)
		}
		t.Run(q.kind, func(t *testing.T) {
			t.Parallel()
			q.try(t)
		})
	}
}

// The method "at" prepares the repository for a question. It returns a function that runs a shell command there.
func (q *asking) at(t *testing.T) func(line string) (string, int) {
	t.Helper()
	r := gittest.New(t).WithBinary()
	var libs []string
	for _, name := range []string{"testdata/demands/lib.sh", "testdata/questions/lib.sh"} {
		path, err := filepath.Abs(name)
		if err != nil {
			t.Fatal(err)
		}
		libs = append(libs, path)
	}
	shell := func(line string) (string, int) {
		t.Helper()
		return r.Try("sh", "-c", ". "+libs[0]+"; . "+libs[1]+"; exec </dev/null; export NO_COLOR=1; "+line)
	}
	if out, code := shell("set -e; " + q.prepare); code != 0 {
		t.Fatalf("%s: exit code %d\n%s", q.prepare, code, out)
	}
	return shell
}

// terminal returns a command line that runs the command at a terminal and types the keys.
func (q *asking) terminal(keys ...string) string {
	if q.lead != "" {
		keys = append([]string{q.lead}, keys...)
	}
	return "terminal '" + strings.Join(keys, ",") + "' " + q.command
}

// place is a prepared repository. Its field "before" is the state of the repository before any key was typed.
type place struct {
	shell  func(line string) (string, int)
	before string
	used   bool
}

func (q *asking) fresh(t *testing.T) *place {
	t.Helper()
	p := &place{shell: q.at(t)}
	p.before, _ = p.shell("state")
	return p
}

// The method "same" fails the test if the state of the repository has changed.
func (p *place) same(t *testing.T, after, out string) {
	t.Helper()
	if now, _ := p.shell("state"); now != p.before {
		t.Errorf("%s changed something:\n%s\nbefore:\n%s\nafter:\n%s", after, out, p.before, now)
	}
}

func (q *asking) try(t *testing.T) {
	p := q.fresh(t)
	out, code := p.shell(q.terminal("~", "?", "d"))
	want := exit.No
	if q.done {
		want = exit.Done
	}
	if code != want {
		t.Fatalf("at the end of the input: exit code %d, want %d\n%s", code, want, out)
	}
	q.complete(t, q.looked(t, out))
	p.used = q.later
	if !q.later {
		p.same(t, "looking", out)
		out, code := p.shell(strings.Replace(q.terminal("^C"), "git resume", "git-resume", 1)) // call git-resume directly, because Ctrl-C would end the process git
		if code != exit.Interrupted || !strings.Contains(out, "nothing was changed") {
			t.Errorf("Ctrl-C: exit code %d, want %d\n%s", code, exit.Interrupted, out)
		}
		p.same(t, "Ctrl-C", out)
	}
	for _, k := range q.keys {
		if p.used {
			p = q.fresh(t)
		}
		q.press(t, p, k)
	}
}

// press types one key and checks the result.
func (q *asking) press(t *testing.T, p *place, k pressed) {
	t.Helper()
	typed := []string{k.key}
	if k.then != "" {
		typed = append(typed, strings.Split(k.then, ",")...)
	}
	out, code := p.shell(q.terminal(typed...))
	if code != k.code || k.says != "" && !regexp.MustCompile("(?m)"+k.says).MatchString(out) {
		t.Errorf("%s: exit code %d, want %d and %q\n%s", k.key, code, k.code, k.says, out)
	}
	if k.check != "" {
		if said, code := p.shell(k.check); code != 0 {
			t.Errorf("%s: not so: %s\n%s%s", k.key, k.check, said, out)
		}
	}
	p.used = k.code != exit.No || q.later
	if !p.used {
		p.same(t, k.key, out)
	}
}

// The method "looked" checks the output after a wrong key, after ?, after d, and after the end of the input. It returns the keys that the
// question offers.
func (q *asking) looked(t *testing.T, out string) []string {
	t.Helper()
	asked := regexp.MustCompile(`(?m)(`+strings.ReplaceAll(q.text, " ", `\s+`)+`)\s+\[([^\]]*), \? for help\] (\(\d+\) )?$`).FindAllStringSubmatch(out, -1)
	if len(asked) != 4 {
		t.Fatalf("the question was asked %d times, want 4:\n%s", len(asked), out)
	}
	var keys []string
	for _, k := range strings.Split(asked[0][2], "/") {
		first, last, isRange := strings.Cut(k, "-")
		from, err := strconv.Atoi(first)
		to, _ := strconv.Atoi(last)
		if !isRange || err != nil {
			keys = append(keys, strings.ToLower(k))
			continue
		}
		for n := from; n <= to; n++ {
			keys = append(keys, fmt.Sprint(n))
		}
	}
	if !regexp.MustCompile(`(?m)^'~' is not one of the keys here: ` + strings.ToLower(strings.ReplaceAll(asked[0][2], "/", `,\s+`)) + `\s+\(\?\s+for\s+help\)$`).MatchString(out) {
		t.Errorf("a wrong key is not told:\n%s", out)
	}
	_, help, _ := strings.Cut(out, "'~' is not")
	help, after, _ := strings.Cut(help, "  show this help")
	lines := regexp.MustCompile(`(?m)^ {2,3}(\S+) +\S`).FindAllStringSubmatch(help+"  show this help", -1)
	var told []string
	for _, l := range lines {
		told = append(told, l[1])
	}
	if want := append(slices.Clone(keys), "?"); !slices.Equal(told, want) {
		t.Errorf("the help has lines for the keys %q, want %q:\n%s", told, want, out)
	}
	if !regexp.MustCompile("(?m)" + q.shows).MatchString(after) {
		t.Errorf("d does not show %q:\n%s", q.shows, out)
	}
	if !strings.Contains(out, "nothing was changed") && !strings.Contains(out, "nothing else was changed") {
		t.Errorf("nothing is said about what was changed:\n%s", out)
	}
	return keys
}

// The method "complete" checks that the test presses every key that the question offers. The key d is left out, because the method "looked"
// checks it.
func (q *asking) complete(t *testing.T, keys []string) {
	t.Helper()
	for _, k := range keys {
		if k != "d" && !slices.ContainsFunc(q.keys, func(p pressed) bool { return p.key == k }) {
			t.Errorf("the key %s is not tried", k)
		}
	}
}
