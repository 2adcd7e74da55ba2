package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// stateRow is a row of docs/states.md. It says how the program treats a run in one state.
type stateRow struct {
	listed, hook bool
	exit, auto   int
}

var stopsWith = regexp.MustCompile(`^stops with (\d+)`)

// documentedStates parses docs/states.md into a map. Each key of the map is a state and its detail.
func documentedStates(t *testing.T) map[string]stateRow {
	t.Helper()
	text, err := os.ReadFile("../../docs/states.md")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]stateRow{}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.Trim(line, "|\n"), "|")
		if len(f) != 7 || !strings.HasPrefix(line, "| `") {
			continue
		}
		for i := range f {
			f[i] = strings.Trim(f[i], " `")
		}
		r := stateRow{listed: f[3] == "yes", hook: f[4] == "yes"}
		if r.exit, err = strconv.Atoi(f[5]); err != nil {
			t.Fatal(line)
		}
		if m := stopsWith.FindStringSubmatch(f[6]); m != nil {
			r.auto, _ = strconv.Atoi(m[1])
		}
		out[strings.TrimSpace(f[0]+" "+f[1])] = r
	}
	return out
}

const (
	startJob  = "cd $(git resume start --name job --task a --task b) && git resume task start a\n"
	finishJob = "cd $(git resume start --name job --task a) && echo x > new && git resume task done a new && git resume finish\ncd $top\n"
)

// madeStates contains a shell script for each state of a run. The script brings a real repository into that state.
var madeStates = map[string]string{
	"idle":                      "git resume start --name job --task a --task b",
	"running":                   startJob + "touch ../ready; exec sleep 60",
	"idle elsewhere":            startJob + "rm -r $top/.git/resume",
	"idle rebuilt":              startJob + "echo x > x; git resume task done a x; cd $top; git for-each-ref --format='delete %(refname)' refs/resume refs/notes | git update-ref --stdin; rm -r .git/resume",
	"interrupted":               startJob,
	"interrupted between-tasks": startJob + "git resume task done a",
	"paused":                    startJob + "git resume pause",
	"waiting":                   startJob + "git resume task block a --ask 'Which?'",
	"failed":                    startJob + "git resume task fail a --exit-code 3",
	"failed limited":            startJob + "git resume task fail a --cause quota --until 2h",
	"unreadable":                startJob + "cd $top; b=$(echo x | git hash-object -w --stdin); for r in $(git for-each-ref --format='%(refname)' refs/resume/journal refs/notes); do git update-ref $r $b; done",
	"finished":                  "git resume start --name job --task a && git resume finish job",
	"finished not-merged":       finishJob,
	"finished merged":           finishJob + "git resume merge job",
	"discarded":                 finishJob + "git resume discard job --yes",
	"discarded merged":          finishJob + "git resume merge job && git resume discard job --yes",
}

func TestStates_followTheTable(t *testing.T) {
	t.Parallel()
	table := documentedStates(t)
	names := slices.Sorted(maps.Keys(madeStates))
	for _, state := range []string{"idle", "interrupted", "paused", "waiting", "failed"} {
		names = append(names, state+" continued-elsewhere")
	}
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, ok := table[name]
			if !ok {
				t.Fatal("the table does not have it")
			}
			r := gittest.New(t).WithBinary()
			r.Git("config", "resume.notice", "all")
			state, detail, _ := strings.Cut(name, " ")
			if detail == "continued-elsewhere" {
				makeState(t, r, madeStates[state])
				run := filepath.Base(r.Git("for-each-ref", "--format=%(refname)", "refs/resume/journal"))
				r.ForgeAfter(90, run, `"event":"task.failed","task":"b","cause":"exit"`)
			} else {
				makeState(t, r, madeStates[name])
			}
			all, _ := statesIn(r, "--all")
			if !slices.Equal(all, []string{name}) {
				t.Fatalf("the state is %q", all)
			}
			shown, listed := statesIn(r)
			if len(shown) != listed {
				t.Errorf("%d of %d runs are listed for people", listed, len(shown))
			}
			got := stateRow{listed: listed == 1}
			_, got.exit = r.Resume("status", "--exit-code")
			said, _ := r.Resume("status", "--prompt")
			got.hook = said != ""
			_, got.auto = r.Resume("--auto")
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("listed, hook, exit code and --auto: %v, the table says %v", got, want)
			}
		})
	}
}

// makeState starts a script in its own process, and waits until it ends or creates the file "ready". If the script is still running at the
// end of the test, it is killed.
func makeState(t *testing.T, r *gittest.Repo, script string) {
	t.Helper()
	r.Write("../make.sh", "top=$PWD\n"+script+"\n")
	cmd := exec.Command("sh", "../make.sh")
	cmd.Dir, cmd.Env = r.Dir, r.Env
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	for {
		select {
		case err := <-ended:
			if err != nil {
				t.Fatal(err)
			}
			return
		case <-time.After(20 * time.Millisecond):
			if ready, _ := filepath.Glob(filepath.Join(filepath.Dir(r.Dir), "*", "ready")); len(ready) > 0 {
				return
			}
		}
	}
}

// statesIn runs "status --porcelain". It returns the state and detail of each run, and how many of the runs are listed for people.
func statesIn(r *gittest.Repo, flags ...string) (out []string, listed int) {
	text, _ := r.Resume(append([]string{"status", "--porcelain"}, flags...)...)
	for line := range strings.Lines(text) {
		if f := strings.Split(strings.TrimSuffix(line, "\n"), "\t"); f[0] == "run" {
			out = append(out, strings.TrimSpace(f[2]+" "+f[12]))
			if f[14] == "true" {
				listed++
			}
		}
	}
	return out, listed
}
