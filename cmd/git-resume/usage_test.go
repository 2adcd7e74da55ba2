package main

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// wrong is a command line that the program must refuse.
type wrong struct {
	args string
	// The field "says" is a part of the error message. The field "meant" is the command line that the error suggests.
	says, meant string
	// The field "code" is the exit code of the suggested command line, and "shows" is a part of its output.
	code  int
	shows string
	// The field "changes" is true if the suggested command line changes something. The test then uses a new repository.
	changes bool
}

// wrongUsages lists wrong command lines, with the error and the command that the error suggests. The repository has two open
// runs, "job" and "other", each with the tasks "a" and "b".
var wrongUsages = []wrong{
	// Commands.
	{"stauts", "'stauts' is neither a command nor a run", "git resume status", 0, "job-", false},
	{"statsu", "neither a command nor a run", "git resume status", 0, "job-", false},
	{"satus", "neither a command nor a run", "git resume status", 0, "job-", false},
	{"statuss job", "is not a command", "git resume status job", 0, "a", false},
	{"reveiw job", "is not a command", "git resume review job", 0, "job", false},
	{"lgo", "neither a command nor a run", "git resume log", 0, "job", false},
	{"discrad job -n", "is not a command", "git resume discard job -n", 0, "This discards run job", false},
	{"discrad -n job --keep", "is not a command", "git resume discard job", 11, "job", true},
	{"undoo", "neither a command nor a run", "git resume undo", 1, "nothing to undo", true},
	{"redo", "'redo' is neither a command nor a run", "git resume undo --redo", 1, "undo --list", true},
	{"reod job", "'reod' is not a command", "git resume undo --redo job", 1, "nothing can be redone", true},
	{"verison", "neither a command nor a run", "git resume version", 0, "git-resume version", false},
	{"puase job", "is not a command", "git resume pause job", 0, "", true},
	{"finsih job", "is not a command", "git resume finish job", 0, "", true},
	{"startt plan.yaml", "is not a command", "git resume start plan.yaml", 0, "from-plan", true},
	{"mrege job", "is not a command", "git resume merge job", 11, "", true},
	{"conficts main main", "is not a command", "git resume conflicts main main", 0, "", false},
	{"hoks status", "is not a command", "git resume hooks status", 0, "hook", false},
	{"hooks isntall", "'git resume hooks' has no command 'isntall'", "git resume hooks install", 0, "installed", true},
	{"hooks stauts", "has no command 'stauts'", "git resume hooks status", 0, "hook", false},
	{"task doen b", "'git resume task' has no command 'doen'", "git resume task done b", 0, "", true},
	{"task satrt b", "has no command 'satrt'", "git resume task start b", 0, "", true},
	{"task skpi b", "has no command 'skpi'", "git resume task skip b", 0, "", true},
	// Words that people know from git and other tools.
	{"abort", "'abort' is not a command or option, and nothing was changed", "git resume --discard", 11, "", true},
	{"abort job", "nothing was changed", "git resume --discard job", 11, "job", true},
	{"cancel job", "nothing was changed", "git resume --discard job", 11, "job", true},
	{"--abort", "'--abort' is not a command or option, and nothing was changed", "git resume --discard", 11, "", true},
	{"--abort job", "nothing was changed", "git resume --discard job", 11, "job", true},
	{"-n --abort job", "nothing was changed", "git resume --discard -n job", 0, "This discards run job", false},
	{"stop job", "nothing was changed", "git resume pause job", 0, "", true},
	{"quit job", "nothing was changed", "git resume pause job", 0, "", true},
	{"contine", "'contine' is neither a command nor a run", "git resume", 11, "job", true},
	{"contineu job", "is not a command", "git resume -- job", 0, "", true},
	{"lsit", "neither a command nor a run", "git resume status", 0, "job-", false},
	{"abrot job", "'abrot' is not a command or option, and nothing was changed", "git resume --discard job", 11, "job", true},
	{"skpi job", "is not a command", "git resume --skip job", 0, "", true},
	{"rerty job", "is not a command", "git resume --retry job", 0, "", true},
	{"skip job", "'skip' is not a command", "git resume --skip job", 0, "", true},
	{"retry job", "'retry' is not a command", "git resume --retry job", 0, "", true},
	{"restart job", "'restart' is not a command", "git resume --restart job", 11, "--yes", true},
	{"keep job", "is not a command", "git resume --keep job", 0, "", true},
	{"update job", "is not a command", "git resume --update job", 0, "", true},
	{"auto job", "is not a command", "git resume --auto job", 0, "task start a", true},
	{"preflight job", "is not a command", "git resume --preflight job", 11, "", true},
	{"print job", "is not a command", "git resume --print job", 0, "", true},
	{"info", "'info' is neither a command nor a run", "git resume status", 0, "job-", false},
	{"show job", "'show' is not a command", "git resume status job", 0, "a", false},
	{"init", "'init' is neither a command nor a run", "git resume hooks install", 0, "installed", true},
	{"clean", "'clean' is neither a command nor a run", "git resume discard --merged", 0, "", true},
	{"purge", "'purge' is neither a command nor a run", "git resume doctor --purge", 11, "answer with --yes", true},
	{"uninstall", "'uninstall' is neither a command nor a run", "git resume doctor --purge", 11, "answer with --yes", true},
	{"revert job", "'revert' is not a command", "git resume undo job", 1, "nothing to undo", true},
	{"remove job", "'remove' is not a command or option, and nothing was changed", "git resume --discard job", 11, "job", true},
	{"list --jsn", "unknown option '--jsn'", "git resume status --json", 0, "schema", false},
	// A task that was typed like a run.
	{"--skip a", "'a' is not a run; to name a task, write '--skip=TASK'", "git resume --skip=a", 11, "job", true},
	{"job --skip a", "'a' is not a run", "git resume job --skip=a", 0, "", true},
	{"job --mark-done a", "to name a task, write '--mark-done=TASK'", "git resume job --mark-done=a", 11, "", true},
	{"--retry a", "'a' is not a run, and '--retry' takes no value", "git resume --retry", 11, "job", true},
	{"job --retry a --yes", "'a' is not a run", "git resume job --retry --yes", 0, "", true},
	// Options.
	{"sttaus --al", "'sttaus' is not a command, and '--al' is not an option", "git resume status --all", 0, "job", false},
	{"stauts --all", "'stauts' is not a command, and '--all' is not an option", "git resume status --all", 0, "job", false},
	{"--retyr job", "unknown option '--retyr'", "git resume --retry job", 0, "", true},
	{"--dry-rn job", "unknown option '--dry-rn'", "git resume --dry-run job", 0, "", false},
	{"--prnit job", "unknown option '--prnit'", "git resume --print job", 0, "", false},
	{"status --al", "unknown option '--al'", "git resume status --all", 0, "job", false},
	{"status --jsn", "unknown option '--jsn'", "git resume status --json", 0, "schema", false},
	{"status --cehck", "unknown option '--cehck'", "git resume status --check", 0, "job", false},
	{"status --porcelian", "unknown option '--porcelian'", "git resume status --porcelain", 0, "v1", false},
	{"discard --mergd", "unknown option '--mergd'", "git resume discard --merged", 0, "", false},
	{"log --rwa", "unknown option '--rwa'", "git resume log --raw", 11, "", false},
	{"undo --lits", "unknown option '--lits'", "git resume undo --list", 0, "", false},
	// The rest of the line stays: without the name, the command could act on another run.
	{"discard job --dry-rn", "unknown option '--dry-rn'", "git resume discard job --dry-run", 0, "This discards run job", false},
	{"start --nme=x --tsk one", "unknown option '--nme=x'", "git resume start --name=x --task one", 0, "", true},
	{"run --nme x -- echo --al", "unknown option '--nme'", "git resume run --name x -- echo --al", 0, "", true},
	{"discrad job --dry-rn -- --al", "'discrad' is not a command", "git resume discard job --dry-run -- --al", 129, "", false},
	{"job --raw", "option '--raw' belongs to 'git resume log'", "git resume log job --raw", 0, "run.started", false},
	{"--json", "option '--json' belongs to 'git resume status'", "git resume status --json", 0, "schema", false},
	{"--all", "option '--all' belongs to 'git resume status'", "git resume status --all", 0, "job", false},
	{"--raw", "option '--raw' belongs to 'git resume log'", "git resume log --raw", 11, "", false},
	{"--merged", "--merged can only be used with --discard", "git resume --discard --merged", 0, "", true},
	{"--answer yes", "--answer can only be used with --choose answer", "git resume --choose answer --answer yes", 11, "", true},
	{"--choose skip --answer yes", "--answer can only be used with --choose answer", "git resume --choose answer --answer yes", 11, "", true},
}

// The variable "helped" lists wrong command lines for which the program cannot guess what was meant. The error must suggest the right -h.
var helped = []wrong{
	{args: "--nothing", says: "unknown option '--nothing'", meant: "git resume -h"},
	{args: "--no", says: "unknown option '--no'", meant: "git resume -h"},
	{args: "job --raw --nothing", says: "unknown option '--raw'", meant: "git resume -h"},
	{args: "discrad job --nothing", says: "unknown option '--nothing'", meant: "git resume -h"},
	{args: "-x", says: "unknown option '-x'", meant: "git resume -h"},
	{args: "status -x", says: "unknown option '-x'", meant: "git resume status -h"},
	{args: "start", says: "start needs a plan file or --name", meant: "git resume start -h"},
	{args: "start plan.yaml -j 0", says: "--jobs is a number from 1 to", meant: "git resume start -h"},
	{args: "start plan.yaml -j many", says: "invalid value", meant: "git resume start -h"},
	{args: "start plan.yaml --for 5", says: "--for '5' is not a length of time; write it as 90m or 5h30m", meant: "git resume start -h"},
	{args: "start a b", says: "unexpected argument 'b'", meant: "git resume start -h"},
	{args: "start plan.yaml --task x", says: "--task can only be used with --name", meant: "git resume start -h"},
	{args: "start --name x --task a --here --take", says: "--take and --here cannot be used together", meant: "git resume start -h"},
	{args: "run", says: "an argument is missing", meant: "git resume run -h"},
	{args: "run --timeout soon -- true", says: "--timeout 'soon'", meant: "git resume run -h"},
	{args: "task", says: "an argument is missing", meant: "git resume task -h"},
	{args: "task done", says: "an argument is missing", meant: "git resume task done -h"},
	{args: "task run b", says: "an argument is missing", meant: "git resume task run -h"},
	{args: "task block b", says: "block needs --ask TEXT", meant: "git resume task block -h"},
	{args: "task done b -m", says: "option '-m' needs a value", meant: "git resume task done -h"},
	{args: "task done b --takeover", says: "--takeover needs --run", meant: "git resume task done -h"},
	{args: "answer a", says: "an argument is missing", meant: "git resume answer -h"},
	{args: "trust", says: "an argument is missing", meant: "git resume trust -h"},
	{args: "hooks", says: "an argument is missing", meant: "git resume hooks -h"},
	{args: "hooks install --local --global", says: "--local and --global cannot be used together", meant: "git resume hooks -h"},
	{args: "status --json --porcelain", says: "--json cannot be used together with --porcelain or -z", meant: "git resume status -h"},
	{args: "status --porcelain=v9", says: "only v1 is supported", meant: "git resume status -h"},
	{args: "status --json=maybe", says: "option '--json' takes no value", meant: "git resume status -h"},
	{args: "status a b c", says: "unexpected argument 'c'", meant: "git resume status -h"},
	{args: "log a b c", says: "unexpected argument 'c'", meant: "git resume log -h"},
	{args: "pause a b", says: "unexpected argument 'b'", meant: "git resume pause -h"},
	{args: "pause a --run b", says: "the run is given twice, with different names: 'a' and 'b'", meant: "git resume pause -h"},
	{args: "conflicts main", says: "an argument is missing", meant: "git resume conflicts -h"},
	{args: "demo now", says: "there is no demo 'now'", meant: "git resume demo -h"},
	{args: "version now", says: "unexpected argument 'now'", meant: "git resume version -h"},
	{args: "undo --list --redo", says: "--list and --redo cannot be used together", meant: "git resume undo -h"},
	{args: "checkpoint a", says: "paths can only be used with --commit", meant: "git resume checkpoint -h"},
	{args: "job other", says: "unexpected argument 'other'", meant: "git resume -h"},
	{args: "--from", says: "option '--from' needs a value", meant: "git resume -h"},
	{args: "--mode fast", says: "--mode is interactive, auto or preflight", meant: "git resume -h"},
	{args: "job --skip --retry", says: "--retry and --skip cannot be used together", meant: "git resume -h"},
	{args: "job --keep --mark-done", says: "--keep and --mark-done cannot be used together", meant: "git resume -h"},
	{args: "job --from b --restart", says: "--from and --restart cannot be used together", meant: "git resume -h"},
	{args: "--auto --mode preflight", says: "--auto and --mode preflight cannot be used together", meant: "git resume -h"},
	{args: "--auto --preflight", says: "--auto and --preflight cannot be used together", meant: "git resume -h"},
	{args: "job --takeover --mode auto", says: "--takeover and --auto cannot be used together", meant: "git resume -h"},
	{args: "job --takeover --auto", says: "--takeover and --auto cannot be used together", meant: "git resume -h"},
	{args: "--retry=a", says: "option '--retry' takes no value", meant: "git resume -h"},
}

func TestUsage_wrongOnesLeadOn(t *testing.T) {
	t.Parallel()
	shared := twoRuns(t)
	for _, w := range append(wrongUsages, helped...) {
		if !w.changes {
			t.Run(strings.ReplaceAll(w.args, " ", "_"), func(t *testing.T) { w.try(t, shared.With()) })
			continue
		}
		t.Run(strings.ReplaceAll(w.args, " ", "_"), func(t *testing.T) {
			t.Parallel()
			w.try(t, twoRuns(t))
		})
	}
}

// A word that people know from other tools leads to the command that does what the word says, or to none. It never leads to a command that
// happens to be spelled like it.
func TestUsage_noWordLeadsToAnotherAct(t *testing.T) {
	t.Parallel()
	known := map[string]string{
		"clean": "discard --merged", "clear": "discard --merged", "delete": "--discard", "drop": "--discard", "info": "status", "init": "hooks install", "install": "hooks install", "kill": "pause",
		"purge": "doctor --purge", "quit": "pause", "redo": "undo --redo", "remove": "--discard", "revert": "undo", "show": "status",
		"skip": "--skip", "uninstall": "doctor --purge", "update": "--update",
	}
	words := strings.Fields(`add apply archive attach backup branch build cache checkout cherry clean clear clone close commit config copy
		create delete deploy describe detach disable down drop dump edit enable exec exit export fetch find fix format gc get goto grep head
		import info init inspect install join kill link load lock make mark mirror mount move mv name new next notes open pack patch
		prev prune publish purge quit read rebase record redo refresh register release reload remove rename repair replace
		report reset revert rewind rm rollback save search send set setup shell show sign skip sort split stage stash store
		submit sync tag tail test track uninstall unlock update upgrade verify view who worktree`)
	app := commands{&program{}}.app()
	for _, word := range words {
		var usage *exit.UsageError
		got := ""
		if err := meant(app, []string{word}, []string{word}, &candidate.NoneError{Given: word}); errors.As(err, &usage) {
			got = strings.TrimPrefix(usage.Meant, "git resume ")
		}
		if got != known[word] {
			t.Errorf("'%s' leads to '%s', want '%s'", word, got, known[word])
		}
	}
}

func TestUsage_severalRunsRepeatTheCommand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typed, again string }{
		{"pause", "git resume pause RUN"}, {"finish", "git resume finish RUN"}, {"review", "git resume review RUN"},
		{"merge --yes", "git resume merge --yes RUN"}, {"--discard --yes", "git resume --discard --yes RUN"}, {"discard -n", "git resume discard -n RUN"},
		{"task start a", "git resume task start --run=RUN a"}, {"task run a -m x -- true", "git resume task run --run=RUN a -m x -- true"},
		{"checkpoint", "git resume checkpoint --run=RUN"}, {"log --raw", "git resume log --raw RUN"}, {"--print", "git resume --print RUN"}, {"--retry", "git resume --retry RUN"},
	} {
		t.Run(strings.ReplaceAll(c.typed, " ", "_"), func(t *testing.T) {
			t.Parallel()
			r := twoRuns(t)
			out, code := r.Resume(strings.Fields(c.typed)...)
			named := regexp.MustCompile(`(?m)^hint: name one, as in '(git resume[^']*)'`).FindStringSubmatch(out)
			if code != 11 || named == nil {
				t.Fatalf("exit code %d:\n%s", code, out)
			}
			if got := regexp.MustCompile(`(job|other)-\w{4}`).ReplaceAllString(named[1], "RUN"); got != c.again {
				t.Errorf("the hint is %q, want %q", got, c.again)
			}
			// A task can be reported only in the run's own worktree. For such a command, the hint to go there is accepted too.
			if out, code := r.Try("sh", "-c", named[1]+" </dev/null"); code != 0 && !strings.Contains(out, "works in another worktree\nhint: go to the run's worktree with 'cd ") {
				t.Errorf("%s: exit code %d\n%s", named[1], code, out)
			}
		})
	}
}

// twoRuns makes a repository with a plan and two runs, "job" and "other". No process is working on the runs.
func twoRuns(t *testing.T) *gittest.Repo {
	t.Helper()
	r := gittest.New(t).WithBinary()
	r.Write("plan.yaml", "name: from-plan\ntasks:\n  - id: a\n  - id: b\n")
	for _, name := range []string{"job", "other"} {
		if out, code := r.Try("sh", "-c", "git resume start --name "+name+" --task a --task b --owner $$"); code != 0 {
			t.Fatal(out)
		}
	}
	return r
}

func (w wrong) try(t *testing.T, r *gittest.Repo) {
	if strings.HasPrefix(w.args, "task ") { // tasks must be reported in the run's own worktree
		r = r.In(regexp.MustCompile(`(?m)^worktree (.*/job-\w{4})$`).FindStringSubmatch(r.Git("worktree", "list", "--porcelain"))[1])
	}
	before := r.Git("for-each-ref")
	out, code := r.Resume(strings.Fields(w.args)...)
	if code != 129 || !strings.Contains(out, w.says) {
		t.Fatalf("exit code %d, want 129 and %q:\n%s", code, w.says, out)
	}
	if after := r.Git("for-each-ref"); after != before {
		t.Errorf("it changed something:\n%s\nwas:\n%s", after, before)
	}
	named := regexp.MustCompile(`(?m)^hint: .*?'(git resume[^']*)'`).FindStringSubmatch(out)
	if named == nil || named[1] != w.meant {
		t.Fatalf("want a hint at %q:\n%s", w.meant, out)
	}
	if strings.HasSuffix(w.meant, "-h") {
		w.code, w.shows = 129, "usage: git resume"
	}
	out, code = r.Try("sh", "-c", w.meant+" </dev/null")
	if code != w.code || !strings.Contains(out, w.shows) {
		t.Errorf("%s: exit code %d, want %d and %q:\n%s", w.meant, code, w.code, w.shows, out)
	}
}
