package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/gittest"
)

// cleaning runs the tests and then removes the programs that they built.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int { return gittest.Around(c.M.Run) }

func TestMain(m *testing.M) {
	testscript.Main(cleaning{m}, map[string]func(){"git-resume": main, "terminal": atTerminal})
}

// allScripts is the pattern of all scripts. The scripts call the program as a user does.
var allScripts = []string{"testdata/script/*.txtar"}

// TestScript runs the scripts. The flag -update rewrites the expected output.
func TestScript(t *testing.T) {
	// Use the built program, which starts faster than the test binary. If coverage is measured, use the test binary, because only it can
	// measure.
	program := ""
	if testing.CoverMode() == "" {
		program = gittest.Binary(t) + string(os.PathListSeparator)
	}
	files := matching(t, allScripts...)
	t.Cleanup(func() { wereRestored(t, len(files)) })
	deadline, _ := t.Deadline()
	testscript.RunT(&scriptLog{T: t}, testscript.Params{
		Deadline: deadline,
		Files:    files, UpdateScripts: *gittest.Update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			path := program + env.Getenv("PATH")
			log := env.T().(*scriptLog)
			log.work, log.path = env.WorkDir, path
			env.Values[logKey{}] = log
			env.Vars = append(env.Vars, gittest.Env(filepath.Join(env.WorkDir, "home"))...)
			env.Setenv("PATH", path)
			env.Setenv("NO_COLOR", "1") // no colours, except in the one script that tests them
			env.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir))
			for _, v := range env.Vars {
				name, _, _ := strings.Cut(v, "=")
				log.names = append(log.names, name)
			}
			if err := os.Mkdir(filepath.Join(env.WorkDir, "home"), 0o755); err != nil {
				return err
			}
			// Without this setting, git starts a maintenance process after each commit, which finds nothing to do.
			return os.WriteFile(filepath.Join(env.WorkDir, "home", ".gitconfig"), []byte("[maintenance]\n\tauto = false\n"), 0o644)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"repo": makeRepo, "exits": exits, "tidy": tidy, "listing": listing, "hints": hints, "clock": setClock,
		},
		Condition: gitVersion,
	})
}

// gitVersion implements the script condition "git:2.38": git has this version or a newer one.
func gitVersion(name string) (bool, error) {
	var major, minor int
	if _, err := fmt.Sscanf(name, "git:%d.%d", &major, &minor); err != nil {
		return false, fmt.Errorf("unknown condition %q", name)
	}
	return gittest.Git{}.AtLeast(major, minor), nil
}

// makeRepo implements the script command "repo DIR". It makes a repository with one commit on main, and changes into it.
func makeRepo(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: repo DIR")
	}
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o755))
	ts.Check(ts.Chdir(dir))
	ts.Defer(func() { lookAround(ts) })
	made, err := firstRepo()
	ts.Check(err)
	ts.Check(gittest.CopyTree(made, dir))
	ts.Check(ts.Exec("git", "update-index", "-q", "--refresh")) // the index still has the inodes of the original files
}

// firstRepo makes the repository that is copied for every script. Copying is faster than making it each time.
var firstRepo = sync.OnceValues(func() (string, error) {
	root, err := gittest.LastingDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "repo")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(dir, "file"), []byte("first\n"), 0o644); err != nil {
		return "", err
	}
	for _, args := range []string{"init -q -b main", "add file", "commit -q -m first"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir, cmd.Env = dir, gittest.Env(root)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w\n%s", args, err, out)
		}
	}
	return dir, nil
})

// setClock implements the script command "clock". It sets the clock of git-resume to a time, or moves it by a duration such
// as +48h. Without an argument the clock is correct again.
func setClock(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: clock [TIME|+DURATION|-DURATION]")
	}
	dir, err := gittest.ClockBinary()
	ts.Check(err)
	if path := ts.Getenv("PATH"); !strings.HasPrefix(path, dir) {
		ts.Setenv("PATH", dir+string(os.PathListSeparator)+path)
	}
	ts.Setenv(gittest.ClockEnv, strings.Join(args, ""))
}

// exits implements the script command "exits CODE COMMAND...". It checks that the command ends with exactly this exit code, and that the
// snapshots in its output can be restored. It also checks that the commands in its hints have real names instead of the placeholders RUN
// and NAME.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
	for _, stream := range []string{"stdout", "stderr"} {
		if hint := unnamed(ts.ReadFile(stream)); hint != "" {
			ts.Fatalf("%s suggests a command with a placeholder instead of a real name: %s", stream, hint)
		}
	}
	if !slices.Contains(args, "demo") { // the demo has removed its repository, so its snapshots cannot be restored
		restoreSaved(ts, ts.ReadFile("stdout")+"\n"+ts.ReadFile("stderr"))
	}
	if got != 0 {
		tryHints(ts, ts.ReadFile("stdout")+"\n"+ts.ReadFile("stderr"))
	}
}

// unstable lists patterns for texts that differ from one test run to the next, such as ids and times, with their replacements.
var unstable = []struct {
	form *regexp.Regexp
	with string
}{
	{regexp.MustCompile("\x1b\\[[0-9;]*m"), ""}, // remove colours
	{regexp.MustCompile(`\b([a-z]+)-[a-z2-7]{4}\b(["\s')]|$|\.|,|:|@)`), "$1-xxxx$2"},
	{regexp.MustCompile(`(\w) \([a-z2-7]{4}\)`), "$1 (xxxx)"},
	{regexp.MustCompile(`(  where +)(this folder|\S+)`), "${1}PATH"}, // replace the path, because long paths are shortened
	{regexp.MustCompile(`(--run|under) [a-z2-7]{4}\b`), "$1 xxxx"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?Z?`), "TIME"},
	{regexp.MustCompile(`\b[0-9a-f]{40}\b`), "OID"},
	{regexp.MustCompile(`\b[0-9a-f]{7}\b`), "oid"},
	{regexp.MustCompile(`\d+ seconds?`), "N seconds"},
	{regexp.MustCompile(`since (yesterday )?\d\d:\d\d`), "since TIME"},
	{regexp.MustCompile(`(Pre-flight for .*\)) +\d+ \w+ \d{4} \d\d:\d\d`), "$1  TIME"},
	{regexp.MustCompile(`("pid":)\d+`), "${1}1"},
	{regexp.MustCompile(`("(?:host|command)":)"[^"]*"`), `$1""`},
	{regexp.MustCompile(`(just now|ago|by)  +[\w.-]+ \d+\b`), "$1  PROCESS"},
	{regexp.MustCompile(`process \d+`), "process N"},
	{regexp.MustCompile(`by [\w.-]+ \d+ on \S+`), "by PROCESS"},
	{regexp.MustCompile(`"id":"[0-9a-f]+\.(\d+)"`), `"id":"NONCE.$1"`},
}

// tidy implements the script command "tidy stdout FILE". It writes the last output to a file, and replaces everything that matches a
// pattern in the variable "unstable".
func tidy(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: tidy stdout|stderr FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), ts.Getenv("WORK"), "WORK")
	for _, u := range unstable {
		text = u.form.ReplaceAllString(text, u.with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o644))
}

// The function "listing" implements the script command "listing FILE". It lists every ref and every file of git-resume, to show that
// nothing is left half-written.
func listing(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: listing FILE")
	}
	dir := ts.MkAbs(".git")
	if _, err := os.Stat(dir); err != nil {
		dir = ts.MkAbs(".")
	}
	var out []string
	for _, sub := range []string{"refs", "resume", "packed-refs", "worktrees", "index.lock"} {
		_ = filepath.WalkDir(filepath.Join(dir, sub), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				text, _ := os.ReadFile(path)
				out = append(out, strings.TrimPrefix(path, dir)+" "+strings.TrimSpace(string(text)))
			}
			return nil
		})
	}
	sort.Strings(out)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.Join(out, "\n")+"\n"), 0o644))
}

var hinted = regexp.MustCompile(`['"](git [^'"]+)['"]`)

// The function "hints" implements the script command "hints stdout|stderr". It executes every command that the last output suggests. Only
// a command that ends with -h may be a usage error.
func hints(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: hints stdout|stderr")
	}
	found := hinted.FindAllStringSubmatch(ts.ReadFile(args[0]), -1)
	if len(found) == 0 && !neg {
		ts.Fatalf("no command is named")
	}
	for _, f := range found {
		words := strings.Fields(f[1])
		for i, w := range words {
			switch w {
			case "PLAN":
				words[i] = "no-such-plan.yaml"
			case "ID":
				words[i] = "some-id"
			case "PATH...":
				words[i] = "file"
			}
		}
		err := ts.Exec(words[0], words[1:]...)
		var ended *exec.ExitError
		if errors.As(err, &ended) && ended.ExitCode() == exit.Usage {
			if words[len(words)-1] != "-h" {
				ts.Fatalf("%s: usage error", f[1])
			}
			continue
		}
		if err != nil && ended == nil {
			ts.Check(err)
		}
	}
}
