package anywhere

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// recipe returns the line from docs/anywhere.md that starts a worker, changed to name the run of this test.
func (s *shop) recipe(heading string) string {
	s.Helper()
	text, err := os.ReadFile("../../../docs/anywhere.md")
	if err != nil {
		s.Fatal(err)
	}
	_, part, ok := strings.Cut(string(text), "\n## "+heading+"\n")
	if !ok {
		s.Fatalf("docs/anywhere.md has no recipe for %s", heading)
	}
	part, _, _ = strings.Cut(part, "\n## ")
	line := regexp.MustCompile(`(?m)^.*git resume work migrate.*$`).FindString(part)
	if line == "" {
		s.Fatalf("the recipe for %s starts no worker", heading)
	}
	return strings.ReplaceAll(line, "work migrate ", "work "+s.run+" ")
}

// TestRecipes_areExecuted runs the commands of four recipes with the environment variables of their schedulers. The first start of each
// command is killed during a task, and the second start must finish the run.
func TestRecipes_areExecuted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		heading string
		cut     string // the first part of the line, which the scheduler itself reads and does not pass to the shell
		env     []string
		again   []string // variables that are different at the second start
		seat    string
	}{
		{"GitHub Actions", "- run: ", []string{"GITHUB_ACTIONS=true", "GITHUB_REPOSITORY=team/shop", "GITHUB_WORKFLOW=nightly", "GITHUB_JOB=go-on", "GITHUB_RUN_ID=41", "GITHUB_RUN_ATTEMPT=1"}, []string{"GITHUB_RUN_ID=42"}, "github:team/shop:nightly:go-on"},
		{"GitLab CI", "- ", []string{"GITLAB_CI=true", "CI_PROJECT_PATH=team/shop", "CI_JOB_NAME=go-on", "CI_JOB_ID=7"}, []string{"CI_JOB_ID=8"}, "gitlab:team/shop:go-on"},
		{"Slurm", "", []string{"SLURM_JOB_ID=17", "SLURM_CLUSTER_NAME=lab"}, []string{"SLURM_RESTART_COUNT=1"}, "slurm:lab:17"},
		{"cron", "7 * * * * ", nil, nil, ""},
	} {
		t.Run(strings.ReplaceAll(c.heading, " ", "_"), func(t *testing.T) {
			t.Parallel()
			s := openWith(t, commands{"t1": "test -e ../../../once || { touch ../../../once; kill -9 $PPID; sleep 0.2; }"})
			script := strings.TrimPrefix(strings.TrimSpace(s.recipe(c.heading)), c.cut)
			start := func(in *gittest.Repo, env ...string) (string, int) {
				in = in.With(env...).WithBinary()
				return in.Try("sh", "-e", "-c", "cd '"+in.Dir+"' && "+script)
			}
			first, second := s.clones[0], s.clones[1]
			if c.seat == "" { // cron starts the second worker on the same machine and in the same clone
				first = second
			}
			start(first, append(c.env, "HOME="+filepath.Dir(first.Dir))...)
			if s.has("run.finished", "") {
				t.Fatal("the first start was not killed")
			}
			s.until(func() bool { return len(gittest.Processes(filepath.Dir(first.Dir))) == 0 })
			out, code := start(second, append(append(c.env, c.again...), "HOME="+filepath.Dir(second.Dir))...)
			if code != 0 {
				t.Errorf("%s: exit code %d\n%s", script, code, out)
			}
			for _, l := range s.lines().leases() {
				if !strings.Contains(l.text, `"seat":"`+c.seat+`"`) && c.seat != "" {
					t.Errorf("the seat is not %s: %s", c.seat, l.text)
				}
			}
			s.finish()
			check(s)
		})
	}
}

// TestRecipes_parallel starts two workers at the same time with GNU parallel.
func TestRecipes_parallel(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("parallel"); err != nil {
		t.Skip("GNU parallel is not installed")
	}
	s := openWith(t, nil)
	in := s.clones[0].WithBinary()
	script := regexp.MustCompile(`'.*'`).FindString(s.recipe("GNU parallel over ssh"))
	script = strings.ReplaceAll(strings.Trim(script, "'"), "cd shop", "cd {}/shop")
	out, code := in.Try("parallel", script, ":::", filepath.Dir(s.clones[0].Dir), filepath.Dir(s.clones[1].Dir))
	if code != 0 && code != 1 {
		t.Errorf("exit code %d\n%s", code, out)
	}
	s.finish()
	check(s)
}
