package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// tried maps each form of a suggested command to the first script in which a stopped command suggests it. There the suggestion is executed.
var tried = sync.OnceValue(func() map[string]string {
	out := map[string]string{}
	names, _ := filepath.Glob("testdata/pictures/*.txt")
	for _, file := range names {
		text, _ := os.ReadFile(file)
		stopped := false
		for line := range strings.Lines(string(text)) {
			if command, is := strings.CutPrefix(line, "> "); is {
				stopped = stops.MatchString(command)
			}
			if !stopped || notSuggested.MatchString(line) {
				continue
			}
			for _, s := range suggestions(line) {
				if out[shape(s)] == "" && !strings.HasSuffix(s, " -h") {
					out[shape(s)] = strings.TrimSuffix(filepath.Base(file), ".txt")
				}
			}
		}
	}
	return out
})

// stops matches the calls of a script that end with a code other than 0.
var stops = regexp.MustCompile(`^(\[\S+\] )?exits [1-9]`)

// tryHints executes what a command of a script has suggested. The suggestion must be accepted, and must not stop for the reason for which it
// was given. Afterwards all files are as before.
func tryHints(ts *testscript.TestScript, said string) {
	log := ts.Value(logKey{}).(*scriptLog)
	if runtime.GOOS != "linux" || testing.CoverMode() != "" {
		return
	}
	for line := range strings.Lines(said) {
		if notSuggested.MatchString(line) {
			continue
		}
		for _, s := range suggestions(line) {
			if strings.HasSuffix(s, " -h") || mentioned(s) || tried()[shape(s)] != ts.Name() || slices.Contains(log.hints, shape(s)) {
				continue
			}
			log.hints = append(log.hints, shape(s))
			out, code := aside(ts, log, s)
			if strings.Contains(out, " -h' for ") || code == 127 || refusal(out) != "" && refusal(out) == refusal(said) && !slices.Contains(looksOnly, shape(s)) {
				ts.Logf("%s", out)
				ts.Fatalf("the hint %q does not help: exit code %d", s, code)
			}
		}
	}
}

// looksOnly lists suggested commands that show more about a stop, and stop again.
var looksOnly = []string{"--preflight", "--print"}

// refusal returns the error line of an output.
func refusal(said string) string { return regexp.MustCompile(`(?m)^error: .*$`).FindString(said) }

// aside executes a command with the environment of a script, in its current folder, and takes back what it has changed. Folders of git stay
// the same folders, because the key of a clone is bound to them.
func aside(ts *testscript.TestScript, log *scriptLog, command string) (string, int) {
	keep := log.work + ".keep"
	sh := func(script string) {
		out, err := exec.Command("sh", "-c", script, "sh", log.work, keep).CombinedOutput()
		if err != nil {
			ts.Fatalf("%s: %v\n%s", script, err, out)
		}
	}
	sh(`cp -a "$1" "$2"`)
	defer os.RemoveAll(keep)
	// What waits, for a terminal or for other work, has understood; it is ended like a person would.
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", "exec "+command)
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, 5*time.Second
	cmd.Dir = ts.MkAbs(".")
	for _, name := range log.names {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, _ := cmd.CombinedOutput()
	sh(`cd "$1" && find . -mindepth 1 ! -type d -delete && find . -mindepth 1 -depth -type d -empty ! -name '.git' ! -name '*.git' -delete && cp -a "$2/." .`)
	return string(out), cmd.ProcessState.ExitCode()
}

// TestHints_areTried checks that the forms of suggestions are found.
func TestHints_areTried(t *testing.T) {
	t.Parallel()
	if len(tried()) == 0 {
		t.Error("no stopped command suggests anything")
	}
}
