package prove

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// These tests kill processes at random moments: all processes of a command, only git-resume, or one random process. They also kill the
// recovery up to three times. The checks must still pass at the end.

// trialsOfRandomKills is the number of trials of one scenario. In everyday tests, each lane tries one scenario.
var trialsOfRandomKills = map[bool]int{true: 10, false: 2}[gittest.Proving()]

func TestRandomKills_andInsideTheRecovery(t *testing.T) {
	kinds := []*struct {
		size  int
		all   []scenario
		proof *gittest.Proof
		repo  func() *gittest.Repo
	}{
		{size: 300, all: slices.Concat(scenarios(), stories()), proof: gittest.Prove(t, "B", "kills on 300 files")},
		{size: 10_000, all: largeScenarios(), proof: gittest.Prove(t, "B", "kills on 10,000 files")},
	}
	for _, k := range kinds {
		k.repo = sync.OnceValue(func() *gittest.Repo { return makeTemplate(t, k.size) })
	}
	for lane := range 2 {
		t.Run(fmt.Sprint("lane", lane), func(t *testing.T) {
			t.Parallel()
			chance := kinds[0].proof.Rand(uint64(lane))
			for round := 0; round < 1 || gittest.Proving() && kinds[0].proof.More(0); round++ {
				// Use the large repository in every twentieth round, because a round there takes about as long as twenty rounds in the
				// small one.
				k := kinds[0]
				if round%20 == 19 {
					k = kinds[1]
				}
				s := k.all[chance.IntN(len(k.all))]
				t.Run(fmt.Sprintf("%s_%d", strings.ReplaceAll(s.name, " ", "_"), k.size), func(t *testing.T) {
					killAnywhere(t, k.proof, s, k.repo(), chance)
				})
			}
		})
	}
}

// killAnywhere runs up to ten trials of one scenario.
func killAnywhere(t *testing.T, p *gittest.Proof, s scenario, template *gittest.Repo, chance *rand.Rand) {
	t.Helper()
	g := s.ground(t, func(t testing.TB, _ ...string) *gittest.Repo { return copyRepo(t, template) })
	h := hunter{g: g, chance: chance}
	h.measure(t)
	for n := 0; n < trialsOfRandomKills && (!gittest.Proving() || p.More(0)) && !t.Failed(); n++ {
		p.Trial(h.trial(t))
	}
}

// largeScenarios returns the scenarios in which the size of a repository matters most.
func largeScenarios() []scenario {
	names := []string{"start with a worktree", "task done in its worktree", "checkpoint of files", "resume with a snapshot",
		"resume and update", "discard", "undo a discard", "merge"}
	return slices.DeleteFunc(slices.Concat(scenarios(), stories()), func(s scenario) bool { return !slices.Contains(names, s.name) })
}

// makeTemplate makes a repository with the given number of files. It is copied later.
func makeTemplate(t *testing.T, size int) *gittest.Repo {
	t.Helper()
	r := gittest.Empty(t)
	r.Write("README", "first\n")
	for i := range size {
		r.Write(fmt.Sprintf("dir%d/file%d", i%100, i), fmt.Sprintf("file %d\n", i))
	}
	r.Git("add", "-A")
	r.Git("-c", "gc.auto=0", "commit", "-q", "-m", "first")
	r.Git("gc", "-q")
	return r
}

// copyRepo makes another repository with the same content.
func copyRepo(t testing.TB, from *gittest.Repo) *gittest.Repo {
	t.Helper()
	root := t.TempDir()
	if out, err := exec.Command("cp", "-a", filepath.Dir(from.Dir)+"/.", root).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v\n%s", err, out)
	}
	r := &gittest.Repo{T: t, Dir: filepath.Join(root, "repo"), Env: gittest.Env(filepath.Join(root, "home"))}
	r.Try("git", "update-index", "-q", "--refresh")
	return r
}

// hunter kills random processes of the program in one repository.
type hunter struct {
	g      *ground
	chance *rand.Rand
	// duration is how long the undisturbed command takes.
	duration time.Duration
}

// measure runs the command without a kill, to know how long it takes.
func (h *hunter) measure(t *testing.T) {
	t.Helper()
	r := h.g.reset(t)
	begun := time.Now()
	out, code := r.Resume(h.g.s.args...)
	h.duration = time.Since(begun)
	if code != 0 {
		t.Fatalf("undisturbed: exit code %d\n%s", code, out)
	}
}

// trial kills a command and then up to three of its recoveries, and checks the result. It returns the number of kills.
func (h *hunter) trial(t *testing.T) (kills int) {
	t.Helper()
	r := h.g.reset(t)
	var out outcome
	struck := h.during(r, func() { out.Output, out.Exit = r.Resume(h.g.s.args...) })
	if struck == "" {
		return 0 // the command ended before the kill, so no kill happened
	}
	story := []string{struck}
	w := h.g.before
	w.collect = h.chance.IntN(9) == 0
	depth := h.chance.IntN(4)
	w.killRecovery = func(r *gittest.Repo) error {
		for range depth {
			if struck := h.during(r, func() { h.g.s.recover(r) }); struck != "" {
				story = append(story, struck)
			}
			if said, code := r.Try("git", "fsck", "--full", "--strict", "--no-dangling"); code != 0 && !halfMade(&fsckError{strings.TrimSpace(said)}) {
				return fmt.Errorf("between two kills: git fsck: %s", said)
			}
		}
		return nil
	}
	out.Calls = h.chance.IntN(100)
	if err := w.judge(h.g.s, r, out); err != nil {
		t.Errorf("%s, %v: %v\nexit code %d, output: %s", h.g.s.name, story, err, out.Exit, out.Output)
	}
	return len(story)
}

// The method "during" runs a function and kills processes at a random moment while it runs. It returns a description of the kill, or "" if
// there was none.
func (h *hunter) during(r *gittest.Repo, run func()) (struck string) {
	r.T.Helper()
	wait := time.Duration(h.chance.Int64N(int64(h.duration) * 11 / 10))
	how := h.chance.IntN(4)
	pick := h.chance.IntN(1 << 20)
	ended, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ended:
		case <-time.After(wait):
			struck = strike(home(r), how, pick)
		}
	}()
	run()
	close(ended)
	<-done
	// Wait for processes that outlive their killed parent, because they end by themselves a little later.
	for begun := time.Now(); len(programProcesses(home(r))) > 0; time.Sleep(2 * time.Millisecond) {
		if time.Since(begun) > time.Minute {
			r.T.Fatalf("these live on: %v", programProcesses(home(r)))
		}
	}
	return struck
}

func home(r *gittest.Repo) string {
	for _, v := range r.Env {
		if dir, ok := strings.CutPrefix(v, "HOME="); ok {
			return dir
		}
	}
	r.T.Fatal("the environment has no HOME")
	return ""
}

// tracedProcess is a process of the program, or one that the program started.
type tracedProcess struct {
	pid, parent int
	name        string
}

// programProcesses returns the living processes of git-resume, and the processes that they started, in the test with this home folder.
func programProcesses(home string) []tracedProcess {
	var all []tracedProcess
	for _, pid := range gittest.Processes(home) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		open, end := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')')
		if err != nil || open < 0 || end < open {
			continue
		}
		fields := strings.Fields(string(stat[end+1:]))
		q := tracedProcess{pid: pid, name: string(stat[open+1 : end])}
		q.parent, _ = strconv.Atoi(fields[1])
		if fields[0] != "Z" && fields[0] != "X" {
			all = append(all, q)
		}
	}
	self := os.Getpid()
	return slices.DeleteFunc(all, func(q tracedProcess) bool { return q.name != "git-resume" && q.parent == self })
}

// strike kills all processes, only git-resume, or one random process. It returns a description, or "" if there was no process.
func strike(home string, how, pick int) string {
	all := programProcesses(home)
	if len(all) == 0 {
		return ""
	}
	kill := func(q tracedProcess) { _ = syscall.Kill(q.pid, syscall.SIGKILL) }
	switch how {
	case 0, 1: // stop all processes first, so that none of them can start another
		seen := map[int]bool{}
		for fresh := true; fresh; all = programProcesses(home) {
			fresh = false
			for _, q := range all {
				fresh = fresh || !seen[q.pid]
				seen[q.pid] = true
				_ = syscall.Kill(q.pid, syscall.SIGSTOP)
			}
		}
		for pid := range seen {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		return "all"
	case 2:
		if i := slices.IndexFunc(all, func(q tracedProcess) bool { return q.name == "git-resume" }); i >= 0 {
			kill(all[i])
			return all[i].name
		}
	}
	q := all[pick%len(all)]
	kill(q)
	return q.name
}
