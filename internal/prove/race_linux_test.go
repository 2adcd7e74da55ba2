package prove

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// crowd is how many processes compete in most races.
const crowd = 8

// sampleOfRaces is the number of rounds in everyday tests.
const sampleOfRaces = 6

// TestRaces_ofEightProcesses lets eight processes report, answer questions or continue a run at the same time, again and again, while git
// runs gc and other maintenance.
func TestRaces_ofEightProcesses(t *testing.T) {
	p := gittest.Prove(t, "D", "race rounds")
	race(t, p, p.Rand(1), sampleOfRaces, roundsEach, []racing{{"reports", newReporters}, {"children", newChildren}, {"answers", newAnswers}})
}

// racing is a kind of race. The function in the field "make" prepares a repository for it.
type racing struct {
	name string
	make func(testing.TB, *rand.Rand) arena
}

// race runs all kinds of races in turn, again and again, with several rounds in each repository.
func race(t *testing.T, p *gittest.Proof, chance *rand.Rand, sample, rounds int, kinds []racing) {
	for n, idle := 0, 0; p.More(sample) && idle < len(kinds); n++ {
		idle++
		m := kinds[n%len(kinds)]
		t.Run(fmt.Sprintf("%s_%d", m.name, n), func(t *testing.T) { // the function does not run if "-run" selects another race
			idle = 0
			a := m.make(t, chance)
			for i := 0; i < rounds && p.More(sample); i++ {
				if err := a.round(); err != nil {
					t.Fatalf("round %d: %v", i, err)
				}
				p.Trial(1)
			}
		})
	}
}

// roundsEach is how many rounds use the same repository. It is smaller in everyday tests, so that these use several repositories.
var roundsEach = map[bool]int{true: 30, false: 4}[gittest.Proving()]

// arena is a repository in which processes compete.
type arena interface {
	round() error
}

// racer is one of the processes that run at the same time.
type racer struct {
	args []string
	cmd  *exec.Cmd
	out  bytes.Buffer
	code int
}

func (r *racer) String() string {
	return fmt.Sprintf("%v: exit code %d\n%s", r.args, r.code, r.out.String())
}

// startRacer starts a process. When the process exits, startRacer sends its racer to the channel in the argument "ended".
func startRacer(repo *gittest.Repo, ended chan<- *racer, name string, args ...string) *racer {
	repo.T.Helper()
	r := &racer{args: args, cmd: exec.Command(name, args...)}
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr, r.cmd.WaitDelay = repo.Dir, repo.Env, &r.out, &r.out, time.Second
	if err := r.cmd.Start(); err != nil {
		repo.T.Fatal(err)
	}
	go func() {
		_ = r.cmd.Wait()
		r.code = r.cmd.ProcessState.ExitCode()
		ended <- r
	}()
	return r
}

func setResume(repo *gittest.Repo, ended chan<- *racer, args ...string) *racer {
	repo.T.Helper()
	return startRacer(repo, ended, filepath.Join(gittest.Binary(repo.T), "git-resume"), args...)
}

// tidy sometimes starts a git maintenance command in parallel with the race, and returns a function that waits for it.
// "gc --prune=now" runs before the race instead, because it could delete objects that a process is just writing.
func tidy(repo *gittest.Repo, chance *rand.Rand) (wait func()) {
	repo.T.Helper()
	ways := [][]string{{"gc", "-q"}, {"pack-refs", "--all", "--prune"}, {"worktree", "prune"}, {"repack", "-q", "-a", "-d"},
		{"prune", "--expire=2.weeks.ago"}}
	switch n := chance.IntN(3 * len(ways)); {
	case n < len(ways):
		ended := make(chan *racer, 1)
		startRacer(repo, ended, "git", ways[n]...) // the exit code does not matter, because git may fail while others write
		return func() { <-ended }
	case n < len(ways)+2:
		repo.Git("gc", "-q", "--prune=now")
	}
	return func() {}
}

// reporters is a race of eight processes that report on the same run, or each on its own run.
type reporters struct {
	*gittest.Repo
	chance *rand.Rand
	runs   []string
	acked  []acknowledged
	tried  int
}

// acknowledged is a task that a successful command reported as done. The field "round" is the number of the round in which it was
// reported.
type acknowledged struct {
	run, task string
	round     int
}

func newReporters(t testing.TB, chance *rand.Rand) arena {
	a := &reporters{Repo: gittest.New(t), chance: chance}
	for i := range 1 + chance.IntN(2)*(crowd-1) {
		out := a.MustResume("start", "--new", "--here", "--name", fmt.Sprintf("run%d", i), "--task", "first")
		_, out, _ = strings.Cut(out, "started ")
		id, _, _ := strings.Cut(out, ":")
		a.runs = append(a.runs, id)
	}
	return a
}

func (a *reporters) round() error {
	wait := tidy(a.Repo, a.chance)
	ended := make(chan *racer, crowd)
	for i := range crowd {
		task := fmt.Sprintf("t%d-%d", a.tried, i)
		args := []string{"task", "done", "--add", "--run", a.runs[i%len(a.runs)], task}
		if a.chance.IntN(2) == 0 { // about half of the reports make a commit
			a.Write(task, task+"\n")
			args = append(args, task)
		}
		setResume(a.Repo, ended, args...)
	}
	a.tried++
	var refused []string
	for range crowd {
		r := <-ended
		if r.code == 0 {
			a.acked = append(a.acked, acknowledged{r.args[4], r.args[5], a.tried})
		} else {
			refused = append(refused, r.String())
		}
	}
	wait()
	if len(refused) > 0 {
		return fmt.Errorf("%d reports were refused: %s", len(refused), refused[0])
	}
	return a.check()
}

// check checks that every successful report is recorded once, that the reports of earlier rounds come first in the journal, and that the
// file of each reported task is committed.
func (a *reporters) check() error {
	f := readFacts(a.Repo)
	round := map[string]int{}
	for _, r := range a.acked {
		if n := f.count(r.run, "task.done", r.task); n != 1 {
			return fmt.Errorf("%s is acknowledged and recorded %d times", r.task, n)
		}
		round[r.task] = r.round
	}
	if _, err := checkReport(a.Repo, f); err != nil {
		return err
	}
	for id, run := range f.runs {
		last := 0
		for _, l := range run.lines {
			if n := round[l.Task]; l.Event == "task.done" && n > 0 {
				if n < last {
					return fmt.Errorf("run %s has %s too late", id, l.Task)
				}
				last = n
			}
		}
	}
	if out := a.Git("status", "--porcelain", "-uno"); out != "" {
		return fmt.Errorf("git status: %s", out)
	}
	return a.files(f)
}

func (a *reporters) files(f facts) error {
	in := strings.Fields(a.Git("ls-tree", "-r", "--name-only", "HEAD"))
	made, _ := filepath.Glob(filepath.Join(a.Dir, "t*"))
	for _, path := range made {
		task := filepath.Base(path)
		if !slices.Contains(in, task) || f.commitsOf(task, "") != 1 {
			return fmt.Errorf("the file of %s is not committed, or not once", task)
		}
	}
	if left := litter(a.Repo); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	a.Fsck()
	return nil
}

// answers is a race of processes that answer questions of one run while another process reports.
// They all write to the journal at the same time, because answers do not wait for the worktree's lock.
type answers struct {
	*gittest.Repo
	chance *rand.Rand
	run    string
	asked  int
}

func newAnswers(t testing.TB, chance *rand.Rand) arena {
	a := &answers{Repo: gittest.New(t), chance: chance}
	plan := "name: job\ntasks:\n"
	for i := range crowd * roundsEach {
		plan += fmt.Sprintf("  - {id: q%d, ask: Which}\n", i)
	}
	put(a.Repo, planFile(a.Repo), plan+"  - {id: end}\n")
	a.MustResume("start", "--here", planFile(a.Repo))
	var err error
	if a.run, err = theRun(readFacts(a.Repo)); err != nil {
		t.Fatal(err)
	}
	return a
}

func (a *answers) round() error {
	wait := tidy(a.Repo, a.chance)
	ended := make(chan *racer, crowd)
	reporter := a.chance.IntN(crowd)
	for i := range crowd {
		task := fmt.Sprintf("q%d", a.asked)
		a.asked++
		if i == reporter {
			setResume(a.Repo, ended, "task", "skip", "--run", a.run, task)
			continue
		}
		setResume(a.Repo, ended, "answer", "--run", a.run, task, "answer to "+task)
	}
	var refused []string
	for range crowd {
		r := <-ended
		if r.code != 0 {
			refused = append(refused, r.String())
		}
	}
	wait()
	if len(refused) > 0 {
		return fmt.Errorf("%d were refused: %s", len(refused), refused[0])
	}
	return a.check()
}

// check checks that each question is answered or skipped once in the journal, and that no sequence number occurs twice.
func (a *answers) check() error {
	f := readFacts(a.Repo)
	for i := range a.asked {
		task := fmt.Sprintf("q%d", i)
		if n := f.count(a.run, "task.answered", task) + f.count(a.run, "task.skipped", task); n != 1 {
			return fmt.Errorf("what was said to %s is acknowledged and recorded %d times", task, n)
		}
	}
	if _, err := checkReport(a.Repo, f); err != nil {
		return err
	}
	if left := litter(a.Repo); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	a.Fsck()
	return nil
}

// heirPlan has a task that ends at once, and a task that waits until it is killed.
const heirPlan = `name: job
tasks:
  - id: a
    run: echo a > a.txt
  - id: b
    run: echo "$PPID $$" >> "$SIDE/ran"; until test -e "$SIDE/never"; do sleep 0.05; done
`

// children is a race of processes that all try to continue a run whose owner is dead.
type children struct {
	*gittest.Repo
	chance *rand.Rand
	side   string
	id     string
	tree   *gittest.Repo
	begun  int
	rounds int
	// userFiles maps each file that the user wrote into the worktree to the id of its blob.
	userFiles map[string]string
}

func newChildren(t testing.TB, chance *rand.Rand) arena {
	a := &children{Repo: gittest.New(t), chance: chance, side: t.TempDir(), userFiles: map[string]string{}}
	a.Env = append(a.Env, "SIDE="+a.side)
	plan := filepath.Join(a.side, "plan.yaml")
	if err := os.WriteFile(plan, []byte(heirPlan), 0o644); err != nil {
		t.Fatal(err)
	}
	ended := make(chan *racer, 1)
	setResume(a.Repo, ended, "start", plan)
	if err := a.waitForStart(ended); err != nil {
		t.Fatal(err)
	}
	a.killOwner()
	<-ended
	id, err := theRun(readFacts(a.Repo))
	if err != nil {
		t.Fatal(err)
	}
	a.id, a.tree = id, a.In(filepath.Join(filepath.Dir(a.Dir), "repo.worktrees", id))
	return a
}

// owners returns a pair of process ids for each time the task ran: the owner of the run, and the process group of the task.
func (a *children) owners() (all [][2]int) {
	text, _ := os.ReadFile(filepath.Join(a.side, "ran"))
	for l := range strings.Lines(string(text)) {
		var o [2]int
		if _, err := fmt.Sscan(l, &o[0], &o[1]); err == nil {
			all = append(all, o)
		}
	}
	return all
}

// waitForStart waits until one of the processes has started the task.
func (a *children) waitForStart(ended chan *racer) error {
	for end := time.Now().Add(60 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if len(a.owners()) > a.begun {
			a.begun++
			return nil
		}
		select {
		case r := <-ended:
			return fmt.Errorf("it ended before its task began: %s", r)
		default:
		}
	}
	return errors.New("the task never begins")
}

// killOwner kills the newest owner and its task, and waits until both have ended.
func (a *children) killOwner() {
	a.T.Helper()
	all := a.owners()
	o := all[len(all)-1]
	_ = syscall.Kill(o[0], syscall.SIGKILL)
	_ = syscall.Kill(-o[1], syscall.SIGKILL)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		if hasEnded(o[0]) && groupGone(o[1]) {
			return
		}
		if time.Now().After(end) {
			a.T.Fatalf("processes %v do not die", o)
		}
	}
}

// groupGone reports whether a process group has no living process. Zombies do not count as living.
func groupGone(group int) bool {
	all, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range all {
		text, _ := os.ReadFile(path)
		_, rest, _ := strings.Cut(string(text), ") ")
		var state string
		var parent, of int
		if _, err := fmt.Sscan(rest, &state, &parent, &of); err == nil && of == group && state != "Z" {
			return false
		}
	}
	return true
}

// hasEnded reports whether a process has ended or is a zombie.
func hasEnded(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return err != nil || strings.HasPrefix(rest, "Z")
}

func (a *children) round() error {
	a.rounds++
	name := fmt.Sprintf("mine-%d", a.rounds)
	a.tree.Write(name, name+"\n")
	a.userFiles[name] = a.Git("hash-object", filepath.Join(a.tree.Dir, name))
	how := []string{"--keep", "--retry"}[a.chance.IntN(2)]
	resume := []string{a.id, "--yes", how}
	switch a.chance.IntN(6) {
	case 0:
		return a.race("takeover", [][]string{{a.id, "--takeover", "--yes", how}})
	case 1, 2:
		return a.race("discard", [][]string{resume, {"--discard", "-y", a.id}})
	case 3, 4:
		return a.race("", [][]string{resume, {"--yes", how}, {"--auto", how}})
	}
	return a.race("", [][]string{resume})
}

// race starts eight processes that try to get the run with the given commands. At most one of them may continue the run, and none may
// continue it if it is discarded.
func (a *children) race(what string, commands [][]string) error {
	a.T.Helper()
	var old *[2]int
	if what == "takeover" {
		var err error
		if old, err = a.stopOwner(); err != nil {
			return err
		}
	}
	wait := tidy(a.Repo, a.chance)
	ended := make(chan *racer, crowd)
	for i := range crowd {
		setResume(a.Repo, ended, commands[i%len(commands)]...)
	}
	losers, won, err := a.waitForLosers(ended)
	wait()
	if err != nil {
		return err
	}
	if old != nil {
		if err := a.wakeOwner(*old); err != nil {
			return err
		}
	}
	if err := a.judge(what, losers, won); err != nil {
		return err
	}
	if won {
		a.killOwner()
		<-ended
	}
	return a.check()
}

// waitForLosers waits until all processes have ended, or all except one whose task has started.
func (a *children) waitForLosers(ended chan *racer) (all []*racer, won bool, err error) {
	limit := time.After(90 * time.Second)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for len(all) < crowd {
		select {
		case r := <-ended:
			all = append(all, r)
		case <-poll.C:
			if len(all) == crowd-1 && len(a.owners()) > a.begun {
				a.begun++
				return all, true, nil
			}
		case <-limit:
			return all, false, fmt.Errorf("only %d of %d gave up; owners: %v", len(all), crowd, a.owners()[a.begun:])
		}
	}
	return all, false, nil
}

// judge checks the exit codes and messages of the processes that did not get the run.
func (a *children) judge(what string, losers []*racer, won bool) error {
	if n := len(a.owners()); n != a.begun {
		return fmt.Errorf("%d tasks were begun, not %d", n, a.begun)
	}
	discarded := false
	for _, r := range losers {
		switch {
		case r.args[0] == "--discard" && r.code == 0:
			discarded = true
		case r.code == 13:
		case what == "discard" && r.code == 0 && strings.Contains(r.out.String(), "is discarded"):
		default:
			return fmt.Errorf("a loser said: %s", r)
		}
	}
	switch {
	case won && discarded:
		return errors.New("the run was continued and discarded")
	case !won && !discarded:
		return fmt.Errorf("nobody got the run: %v", losers)
	case discarded:
		if _, err := os.Stat(a.tree.Dir); err == nil {
			return errors.New("the run is discarded, its worktree is there")
		}
		if out, code := a.Resume("undo", "--yes", a.id); code != 0 {
			return fmt.Errorf("undo: exit code %d\n%s", code, out)
		}
	}
	return nil
}

// stopOwner starts an owner, stops it with SIGSTOP and removes its lock files.
func (a *children) stopOwner() (*[2]int, error) {
	ended := make(chan *racer, 1)
	setResume(a.Repo, ended, a.id, "--yes", "--keep")
	if err := a.waitForStart(ended); err != nil {
		return nil, err
	}
	all := a.owners()
	o := all[len(all)-1]
	_ = syscall.Kill(o[0], syscall.SIGSTOP)
	for _, lock := range []string{".lock", ".task.lock", ".append"} {
		if err := os.Remove(filepath.Join(a.Dir, ".git/resume", a.id+lock)); err != nil {
			return nil, err
		}
	}
	return &o, nil
}

// wakeOwner lets the old owner continue. The old owner must end its task and itself.
func (a *children) wakeOwner(o [2]int) error {
	_ = syscall.Kill(o[0], syscall.SIGCONT)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if hasEnded(o[0]) && groupGone(o[1]) {
			return nil
		}
	}
	return fmt.Errorf("the old owner %v goes on beside the new one", o)
}

// check checks that no file of the user is lost, that the journal is in order, and that the run is interrupted.
func (a *children) check() error {
	reach := a.Git("rev-list", "--objects", "--all")
	for name, blob := range a.userFiles {
		text, err := os.ReadFile(filepath.Join(a.tree.Dir, name))
		if (err != nil || string(text) != name+"\n") && !strings.Contains(reach, blob) {
			return fmt.Errorf("file %s is gone", name)
		}
	}
	f := readFacts(a.Repo)
	if err := a.checkCommands(f.runs[a.id]); err != nil {
		return err
	}
	s, err := checkReport(a.Repo, f)
	if err != nil {
		return err
	}
	for _, run := range s.Runs {
		if run.State != "interrupted" {
			return fmt.Errorf("the owner is dead, the run is called %s", run.State)
		}
	}
	if left := litter(a.Repo); len(left) > 0 {
		return fmt.Errorf("these are left: %v", left)
	}
	a.Fsck()
	return nil
}

// checkCommands checks that the journal has at least as many starts of task b as the test has seen.
func (a *children) checkCommands(run *runFacts) error {
	started := 0
	for _, l := range run.lines {
		if l.Event == "task.started" && l.Task == "b" {
			started++
		}
	}
	if started < a.begun {
		return fmt.Errorf("the task was run %d times and begun %d times", a.begun, started)
	}
	return nil
}
