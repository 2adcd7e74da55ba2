//go:build unix

package handler_test

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

// killTrial is a rebase, or a series of picks or reverts, that is killed at a random moment.
type killTrial struct {
	n    int
	kind string
	list []string // edits to the todo list of a rebase
	slow string
}

func (k killTrial) String() string {
	return fmt.Sprintf("%s of %d %v, slow %s", k.kind, k.n, k.list, k.slow)
}

func randomKilling(rnd *rand.Rand) killTrial {
	k := killTrial{n: 4 + rnd.Intn(9), kind: []string{"rebase", "rebase", "rebase", "cherry-pick", "revert"}[rnd.Intn(5)],
		slow: []string{"driver", "prepare-commit-msg", "post-commit"}[rnd.Intn(3)]}
	for i := 2; i <= k.n && k.kind == "rebase"; i++ {
		switch word := []string{"", "", "", "reword", "edit", "squash", "fixup", "exec", "break"}[rnd.Intn(9)]; word {
		case "":
		case "exec":
			k.list = append(k.list, fmt.Sprintf("%d+ exec true", i))
		case "break":
			k.list = append(k.list, fmt.Sprintf("%d+ break", i))
		default:
			k.list = append(k.list, fmt.Sprintf("%d %s", i, word))
		}
	}
	return k
}

// stage creates the repository. It adds a slow merge driver or hook, so that there is time to kill git during the operation.
func (k killTrial) stage(r *gittest.Repo) {
	r.Topic(k.n)
	shift := func() {
		r.Write("file", "first\n"+r.Read("file"))
		r.Git("commit", "-q", "-a", "-m", "shift")
	}
	if k.kind == "revert" {
		shift()
	} else {
		r.Git("checkout", "-q", "main")
		shift()
	}
	r.Git("branch", "shifted")
	if k.kind == "rebase" {
		r.Git("checkout", "-q", "topic")
	}
	if k.slow == "driver" {
		r.Write(".git/info/attributes", "file merge=slow\n")
		r.Git("config", "merge.slow.driver", "sleep 0.03; git merge-file -q %A %O %B")
		return
	}
	r.Write(".git/hooks/"+k.slow, "#!/bin/sh\nsleep 0.03\n")
	if err := os.Chmod(filepath.Join(r.Dir, ".git", "hooks", k.slow), 0o755); err != nil {
		r.T.Fatal(err)
	}
}

func (k killTrial) command(r *gittest.Repo) *exec.Cmd {
	args := map[string][]string{
		"rebase": {"rebase", "-i", "main"}, "cherry-pick": {"cherry-pick", fmt.Sprintf("topic~%d..topic", k.n)},
		"revert": {"revert", "--no-edit", fmt.Sprintf("topic~%d..topic", k.n+1)},
	}[k.kind]
	if k.kind == "revert" {
		args[2] = fmt.Sprintf("shifted~%d..shifted~1", k.n+1)
	}
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = r.Dir, r.With(gittest.ListEditor(k.list...)).Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd
}

func (k killTrial) span() string {
	return map[string]string{"rebase": "main..topic", "cherry-pick": "shifted..main", "revert": "shifted..topic"}[k.kind]
}

func copyRepo(t *testing.T, r *gittest.Repo, name string) *gittest.Repo {
	t.Helper()
	to := filepath.Join(r.Root(), name)
	if out, err := exec.Command("cp", "-a", r.Dir, to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
	return r.In(to)
}

// plainGit continues like a user who only knows git: it removes locks, and uses --continue as long as that helps.
func plainGit(r *gittest.Repo, kind string) (ended bool) {
	for _, lock := range []string{"index.lock", "HEAD.lock"} {
		_ = os.Remove(filepath.Join(r.Dir, ".git", lock)) // ignore an error: perhaps this lock does not exist
	}
	for range 40 {
		if ongoing.OperationIn(engineAt(r.T, r).Repo) == "" {
			return true
		}
		if _, code := r.Try("git", kind, "--continue"); code != 0 {
			return false
		}
	}
	return false
}

// TestOperate_randomKills kills rebases and series of picks and reverts at random moments.
// "git resume" must produce the same result as an uninterrupted operation.
// For comparison, the test counts how often plain git gets stuck or loses a commit.
func TestOperate_randomKills(t *testing.T) {
	want := 3
	if gittest.Proving() {
		want = 200
	}
	rnd := rand.New(rand.NewSource(20300102))
	kills, lost, stuck, wrong, refused := 0, 0, 0, 0, 0
	for tries := 0; kills < want && tries < 20*want; tries++ {
		k := randomKilling(rnd)
		r := gittest.Git{}.Fresh(t, "repo")
		k.stage(r)
		good := copyRepo(t, r, "undisturbed")
		began := time.Now()
		_ = k.command(good).Run() // ignore the error, because the operation may stop at an edit or a break
		took := time.Since(began)
		if _, err := continueAll(quietTest{t}, good); err != nil {
			t.Fatalf("%s, undisturbed: %v", k, err)
		}
		cmd := k.command(r)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rnd.Int63n(int64(took))))
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		if err := cmd.Wait(); err == nil {
			continue // the operation ended before the kill
		}
		found, err := waitForSurvivors(t.Context(), engineAt(t, r))
		if err != nil {
			t.Fatal(err)
		}
		if len(found) == 0 || cmd.ProcessState.ExitCode() > 0 || found[0].Op == ongoing.StaleLock ||
			found[0].Stop == ongoing.StopTorn || found[0].Stop == ongoing.StopList {
			continue // not counted as a kill: nothing had started, the edited todo list was not saved, or git had stopped by itself
		}
		kills++
		other := copyRepo(t, r, "plain")
		if plainGit(other, k.kind) {
			if countMissing(describeCommits(good, k.span()), describeCommits(other, k.span())) > 0 {
				lost++
			}
		} else {
			stuck++
		}
		if found[0].Crash.Repair == gitops.RepairDoubt {
			refused++
			k.byHand(t, r, found[0])
		}
		if _, err := continueAll(quietTest{t}, r); err != nil {
			wrong++
			t.Errorf("%s: %v", k, err)
		} else if a, b := describeCommits(good, k.span()), describeCommits(r, k.span()); a != b {
			wrong++
			t.Errorf("%s:\n%s\nwant:\n%s", k, b, a)
		}
	}
	t.Logf("%d kills. git alone: %d ended with a commit missing and success, %d did not go on. git resume: %d wrong, %d in doubt and ended by hand",
		kills, lost, stuck, wrong, refused)
	if kills < want {
		t.Errorf("only %d of %d kills hit", kills, want)
	}
}

// byHand adds to the todo list the line that was lost in the kill, as the printed advice asks the user to do. The program cannot do this,
// because only the user knows how the list was edited. If no line was lost, byHand does nothing.
func (k killTrial) byHand(t *testing.T, r *gittest.Repo, s gitops.State) {
	t.Helper()
	if !s.Crash.Unlisted && s.Crash.Command.Commit != "" {
		return
	}
	line := k.lines(r, s)[len(s.Done)]
	r.With("GIT_SEQUENCE_EDITOR=sed -i.bak '1i "+line+"'").Git("rebase", "--edit-todo")
}

// lines returns the todo list with the user's edits.
func (k killTrial) lines(r *gittest.Repo, s gitops.State) []string {
	r.T.Helper()
	list := r.Git("log", "--reverse", "--format=pick %H %s", string(s.Onto)+".."+string(s.Orig))
	r.Write("../list", list+"\n")
	editor := strings.TrimPrefix(gittest.ListEditor(k.list...), "GIT_SEQUENCE_EDITOR=")
	if out, code := r.Try("sh", "-c", editor+" ../list"); code != 0 {
		r.T.Fatalf("%s: %s", editor, out)
	}
	return strings.Split(strings.TrimSpace(r.Read("../list")), "\n")
}

// countMissing counts the commits of one history that have no equal in another history.
func countMissing(want, got string) int {
	n := 0
	for _, c := range strings.Split(want, "\n---\n") {
		if !strings.Contains(got, c) {
			n++
		}
	}
	return n
}

// quietTest is a test without log output.
type quietTest struct{ testing.TB }

func (quietTest) Logf(string, ...any) {}
