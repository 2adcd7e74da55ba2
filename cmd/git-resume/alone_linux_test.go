package main

import (
	"encoding/json"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// For a run that is not shared, the program must need as many git processes and refs as a program that never gets leases.
func TestSharing_costsALocalRunNothing(t *testing.T) {
	t.Parallel()
	with, without := playLocally(t, gittest.Binary(t)), playLocally(t, buildAlone(t))
	for what, pair := range map[string][2]map[string]int{"git processes": {with.calls, without.calls}, "refs": {with.refs, without.refs}} {
		for _, name := range slices.Sorted(maps.Keys(merged(pair[0], pair[1]))) {
			if pair[0][name] != pair[1][name] {
				t.Errorf("%s: %s: %d, and %d without sharing", what, name, pair[0][name], pair[1][name])
			}
		}
	}
	for _, name := range []string{"fetch", "push", "ls-remote", "remote", "send-pack", "fetch-pack"} {
		if n := with.calls[name]; n > 0 {
			t.Errorf("git %s was called %d times", name, n)
		}
	}
	if len(with.calls) < 3 || len(with.refs) < 3 {
		t.Errorf("nothing was counted: %v, %v", with.calls, with.refs)
	}
}

func merged(a, b map[string]int) map[string]int {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// buildAlone builds the program without the call that gets leases before a run continues.
func buildAlone(t *testing.T) string {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(here, "person.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	alone := string(text)
	for _, line := range []string{"\tremotework.Attach(t, p.getenv)\n", "\t\"github.com/git-resume/git-resume/internal/remotework\"\n"} {
		if strings.Count(alone, line) != 1 {
			t.Fatalf("person.go has no line %q", line)
		}
		alone = strings.Replace(alone, line, "", 1)
	}
	dir := t.TempDir()
	place := filepath.Join(dir, "person.go")
	list, err := json.Marshal(map[string]any{"Replace": map[string]string{file: place}})
	if err != nil {
		t.Fatal(err)
	}
	bin := filepath.Join(dir, "bin")
	for _, err := range []error{os.Mkdir(bin, 0o755), os.WriteFile(place, []byte(alone), 0o600), os.WriteFile(filepath.Join(dir, "overlay.json"), list, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := gittest.BuildInto(bin, filepath.Dir(filepath.Dir(here)), "-overlay", filepath.Join(dir, "overlay.json"), "-tags", "urfave_cli_no_docs"); err != nil {
		t.Fatal(err)
	}
	return bin
}

// counted holds the number of calls of each git command, and the number of refs of each kind.
type counted struct{ calls, refs map[string]int }

// playLocally uses the given program to do a whole run that is not shared, in a repository whose remote does not exist.
func playLocally(t *testing.T, bin string) counted {
	t.Helper()
	r := gittest.New(t)
	r.Write("plan.yaml", "name: job\ntasks:\n  - id: one\n    run: echo 1 >one.txt\n  - id: two\n    run: test -e ../../go && echo 2 >two.txt\n  - id: three\n    run: echo 3 >three.txt\n")
	r.Git("add", "-A")
	r.Git("commit", "-q", "-m", "plan")
	r.Git("remote", "add", "origin", "http://127.0.0.1:1/nowhere.git")
	r, calls := r.Counting()
	for _, step := range []struct {
		code int
		args []string
	}{{1, []string{"start", "plan.yaml"}}, {0, []string{"status"}}, {0, []string{"log", "job"}}, {0, []string{"job", "--retry", "--yes"}}, {0, []string{"status", "--all"}}, {0, []string{"review", "job"}}} {
		if step.code == 0 && step.args[0] == "job" {
			if err := os.WriteFile(filepath.Join(filepath.Dir(r.Dir), "go"), nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command(filepath.Join(bin, "git-resume"), step.args...)
		cmd.Dir, cmd.Env = r.Dir, r.Env
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != step.code {
			t.Fatalf("%v: exit code %d\n%s", step.args, cmd.ProcessState.ExitCode(), out)
		}
	}
	out := counted{map[string]int{}, map[string]int{}}
	for _, line := range calls() {
		words := strings.Fields(line)
		for len(words) > 2 && (words[0] == "-c" || words[0] == "-C") {
			words = words[2:]
		}
		if len(words) > 0 {
			out.calls[words[0]]++
		}
	}
	for _, ref := range strings.Fields(r.Git("for-each-ref", "--format=%(refname)")) {
		out.refs[filepath.Dir(ref)]++
	}
	return out
}
