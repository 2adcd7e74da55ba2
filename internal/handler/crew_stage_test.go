//go:build linux

package handler_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestModel_jobs executes random plans with several tasks at a time, disturbs and kills the program at random moments, and compares the
// real program with a model after each step.
//
// Everyday tests try a few random sequences; the long proof tries as many as time allows.
func TestModel_jobs(t *testing.T) {
	t.Parallel()
	p := gittest.Prove(t, "G", "model sequences of runs with jobs")
	for n := uint64(0); p.More(2); n++ {
		if !t.Run(fmt.Sprint("sequence", n), func(t *testing.T) { crewSequence(t, p.Rand(n)) }) {
			return
		}
		p.Trial(1)
	}
}

// crewSteps is the number of steps in a sequence, before the run is brought to its end.
var crewSteps = map[bool]int{true: 14, false: 8}[gittest.Proving()]

func crewSequence(t *testing.T, chance *rand.Rand) {
	w := newCrewStage(t, chance)
	defer w.killEverything()
	w.begin()
	for n := 0; n < crewSteps && w.now.phase != "finished"; n++ {
		w.step()
		w.invariants()
	}
	w.bringToEnd()
	t.Logf("kills left tasks as: %v", w.left)
}

// crewStage is a real repository with a run, and the states of the model that are possible now.
type crewStage struct {
	*user
	t      *testing.T
	chance *rand.Rand
	plan   crewPlan
	side   string
	states crewStates
	now    observation
	// cmd is the program, and ended is closed when it has ended. Both are nil if it was not started yet.
	cmd   *exec.Cmd
	ended chan struct{}
	// outside is the number of commits that somebody else has put on the branch. The keys of "written" are the contents of the files that
	// the user wrote, and the values are the paths of these files.
	outside int
	written map[string]string
	// left maps each state of a task to the number of tasks that had this state after a kill.
	left       map[string]int
	transcript []string
}

const crewTaskText = `t=$GIT_RESUME_TASK
echo "$t $GIT_RESUME_ATTEMPT $GIT_RESUME_SLOT" >>"$SIDE/ran"
echo half >f$t
echo $$ >"$SIDE/up.$$"; mv "$SIDE/up.$$" "$SIDE/up-$t"
read verdict <"$SIDE/gate-$t"
test "$verdict" = ok || exit 1
echo whole >f$t
if $1; then echo $t >shared; fi
`

func newCrewStage(t *testing.T, chance *rand.Rand) *crewStage {
	r := gittest.New(t).WithBinary()
	w := &crewStage{user: &user{Repo: r}, t: t, chance: chance, plan: randomCrew(chance), side: filepath.Join(filepath.Dir(r.Dir), "side"),
		states: crewStates{{observation: observation{phase: "none"}}: true}, written: map[string]string{}, left: map[string]int{}}
	w.Env = append(w.Env, "SIDE="+w.side)
	w.must(os.MkdirAll(w.side, 0o755))
	w.must(os.WriteFile(filepath.Join(w.side, "task.sh"), []byte(crewTaskText), 0o644))
	w.must(os.WriteFile(filepath.Join(w.side, "plan.yaml"), []byte(w.plan.text()), 0o644))
	for i := range w.plan {
		w.must(syscall.Mkfifo(filepath.Join(w.side, "gate-"+crewName(i)), 0o600))
	}
	w.now = observation{phase: "none"}
	return w
}

func (w *crewStage) must(err error) {
	w.t.Helper()
	if err != nil {
		w.fail("%v", err)
	}
}

func (w *crewStage) say(format string, args ...any) {
	w.transcript = append(w.transcript, fmt.Sprintf(format, args...))
}

// fail ends the sequence and prints everything that was done in it.
func (w *crewStage) fail(format string, args ...any) {
	w.t.Helper()
	raw := ""
	if w.id != "" {
		raw, _ = w.Resume("log", "--raw", w.id)
	}
	if out, err := os.ReadFile(filepath.Join(w.side, "output")); err == nil {
		w.say("output of the last command:\n%s", out)
	}
	w.t.Fatalf("%s\n%s\njournal:\n%s\n%s", fmt.Sprintf(format, args...), w.plan.text(), raw, strings.Join(w.transcript, "\n"))
}

// launchBeside starts the program and does not wait for its end.
func (w *crewStage) launchBeside(args ...string) {
	w.say("$ git-resume %s", strings.Join(args, " "))
	w.cmd = exec.Command(filepath.Join(gittest.Binary(w.t), "git-resume"), args...)
	file, err := os.Create(filepath.Join(w.side, "output"))
	w.must(err)
	defer file.Close()
	w.cmd.Dir, w.cmd.Env, w.cmd.Stdout, w.cmd.Stderr = w.Dir, w.Env, file, file
	w.must(w.cmd.Start())
	w.must(os.WriteFile(filepath.Join(w.side, "pid"), []byte(strconv.Itoa(w.cmd.Process.Pid)), 0o644))
	w.ended = make(chan struct{})
	go func(cmd *exec.Cmd, ended chan struct{}) { _ = cmd.Wait(); close(ended) }(w.cmd, w.ended)
}

func (w *crewStage) hasEnded() bool {
	if w.ended == nil {
		return true
	}
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// trust approves the commits that somebody else has put on the run's branch. Without that, the program does not run commands on them.
func (w *crewStage) trust() {
	if w.outside > 0 {
		w.MustResume("trust", "--yes", w.id)
	}
}

// begin starts the run, or continues it if it is recorded already.
func (w *crewStage) begin() {
	jobs, keepGoing, keep := 2+w.chance.IntN(2), w.chance.IntN(2) == 0, w.chance.IntN(3) == 0
	args := []string{"start", filepath.Join(w.side, "plan.yaml")}
	if w.now.phase != "none" {
		w.trust()
		args = []string{w.id, "--yes", "--retry"}
		if keep {
			args[2] = "--keep"
		}
		// The model expects that each task works in a worktree of its own. With -j 1, the first task would work in the run's worktree. So
		// choose -j 1 only after a task has started.
		if w.chance.IntN(4) == 0 && slices.Max(w.now.attempts[:]) > 0 {
			jobs = 1
		}
	}
	if keepGoing {
		args = append(args, "--keep-going")
	}
	w.launchBeside(append(args, "-j", strconv.Itoa(jobs))...)
	w.follow(w.states.each(w.plan.begun(jobs, keepGoing, keep)))
}

// follow lets the program work from one of the given states, until it waits or ends. Sometimes follow kills the program meanwhile.
func (w *crewStage) follow(from crewStates) {
	w.t.Helper()
	all, ends := w.plan.reach(from)
	if w.chance.IntN(3) == 0 {
		time.Sleep(time.Duration(w.chance.IntN(250)) * time.Millisecond)
		w.kill(all)
		return
	}
	w.await(ends)
}

// await waits until the run is in one of the given states. It ends the test if that takes more than 30 seconds.
func (w *crewStage) await(ends crewStates) {
	w.t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if !w.seems(ends) && time.Now().Before(end) {
			continue
		}
		seen := w.observe()
		if now := ends.like(seen); len(now) > 0 {
			w.states, w.now = now, seen
			w.say("=> %+v", seen)
			return
		}
		if time.Now().After(end) {
			w.fail("observed:\n%+v\nexpected one of:\n%s", seen, ends.observations())
		}
	}
}

// seems reports whether the processes that run now fit one of the states. It is a quick check before the complete one.
func (w *crewStage) seems(ends crewStates) bool {
	ended, working := w.hasEnded(), w.working()
	for s := range ends {
		alike := s.alive != ended
		for i := range w.plan {
			alike = alike && (s.words[i] == wordWorking) == (working[i] > 0)
		}
		if alike {
			return true
		}
	}
	return false
}

// expect ends the test unless what is observed now is one of the states.
func (w *crewStage) expect(states crewStates) {
	w.t.Helper()
	seen := w.observe()
	now := states.like(seen)
	if len(now) == 0 {
		w.fail("observed:\n%+v\nexpected one of:\n%s", seen, states.observations())
	}
	w.states, w.now = now, seen
	w.say("=> %+v", seen)
}

// kill kills the program. In half of the cases it also kills the tasks. The argument "possible" has the states that the program may be in.
func (w *crewStage) kill(possible crewStates) {
	w.t.Helper()
	everything := w.chance.IntN(2) == 0
	was := w.hasEnded()
	_ = w.cmd.Process.Kill()
	<-w.ended
	w.say("killed, everything: %v, had ended: %v", everything, was)
	if everything {
		w.killEverything()
	}
	w.settle()
	if w.cmd.ProcessState.ExitCode() != -1 { // the program had ended before the kill
		possible = possible.each(func(s crewState) []crewState {
			if s.alive {
				return nil
			}
			return []crewState{s}
		})
	}
	w.expect(possible.each(w.plan.killed(everything)))
	for i := range w.plan {
		w.left[w.now.words[i]]++
	}
}

// settle waits until all processes in the repository have ended, except those of tasks that wait for the test.
func (w *crewStage) settle() {
	w.t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		waiting := w.working()
		busy := slices.DeleteFunc(w.processes(), func(pid int) bool { return slices.Contains(waiting[:], pid) })
		if len(busy) == 0 {
			return
		}
		if time.Now().After(end) {
			w.fail("processes %v never end", busy)
		}
	}
}

// processes returns the processes whose current folder is below the folder that contains the repository and its worktrees.
func (w *crewStage) processes() (out []int) {
	root := filepath.Dir(w.Dir)
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if dir, err := os.Readlink("/proc/" + e.Name() + "/cwd"); err == nil && strings.HasPrefix(dir, root+"/") {
			out = append(out, pid)
		}
	}
	return out
}

// working returns the id of each task's process while that process waits for the test. It is 0 for a task without such a process.
func (w *crewStage) working() (out [maxCrew]int) {
	for i := range w.plan {
		text, _ := os.ReadFile(filepath.Join(w.side, "up-"+crewName(i)))
		pid, _ := strconv.Atoi(strings.TrimSpace(string(text)))
		if line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); pid > 0 && bytes.Contains(line, []byte(w.side)) {
			out[i] = pid
		}
	}
	return out
}

func (w *crewStage) killEverything() {
	for range 200 {
		all := w.processes()
		for _, pid := range all {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if len(all) == 0 {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// release tells the process of a task to end with the given verdict. It waits until the process reads the message.
func (w *crewStage) release(i int, verdict string) {
	w.t.Helper()
	gate := filepath.Join(w.side, "gate-"+crewName(i))
	pid := w.working()[i]
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		f, err := os.OpenFile(gate, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			_, err = f.WriteString(verdict + "\n")
			w.must(errors.Join(err, f.Close()))
			break
		}
		if time.Now().After(end) {
			w.fail("task %s (process %d) does not wait: %v", crewName(i), pid, err)
		}
	}
	w.say("task %s ends: %s", crewName(i), verdict)
}

// step does one random thing that is possible now.
func (w *crewStage) step() {
	w.t.Helper()
	working := w.indices(wordWorking)
	actions := []func(){w.collect, w.look, w.edit}
	add := func(possible bool, weight int, action func()) {
		for range weight {
			if possible {
				actions = append(actions, action)
			}
		}
	}
	add(w.now.alive && len(working) > 0, 8, w.endTasks)
	add(w.now.alive, 2, func() { w.kill(w.states) })
	add(w.now.alive && len(working) > 0, 1, w.interrupt)
	add(w.now.alive, 2, w.commitOutside)
	add(!w.now.alive, 6, w.begin)
	add(!w.now.alive && len(working) > 0, 6, w.endOrphan)
	add(!w.now.alive && len(w.indices(wordBlocked)) > 0, 5, w.answer)
	actions[w.chance.IntN(len(actions))]()
}

func (w *crewStage) indices(word string) (out []int) {
	for i := range w.plan {
		if w.now.words[i] == word {
			out = append(out, i)
		}
	}
	return out
}

// endTasks lets one or more tasks end at the same time. Sometimes a git hook kills the program meanwhile (see killAt).
func (w *crewStage) endTasks() {
	working := w.indices(wordWorking)
	w.chance.Shuffle(len(working), func(i, j int) { working[i], working[j] = working[j], working[i] })
	at := []string{"", "HEAD", "refs/heads/resume/*"}[w.chance.IntN(3)]
	if at != "" {
		w.killAt(at)
	}
	from := w.states
	for _, i := range working[:1+w.chance.IntN(len(working))] {
		verdict := "ok"
		if w.chance.IntN(6) == 0 {
			verdict = "fail"
		}
		w.release(i, verdict)
		from = from.each(func(s crewState) []crewState { s.hands[i].verdict = verdict; return []crewState{s} })
	}
	if at == "" {
		w.follow(from)
		return
	}
	w.followKilled(from)
}

// killAt makes git kill the program as soon as git has moved a certain ref: HEAD of a task's worktree, or the run's branch.
func (w *crewStage) killAt(pattern string) {
	w.must(os.WriteFile(filepath.Join(w.side, "armed"), nil, 0o644))
	w.must(gittest.WriteProgram(w.killHook(), fmt.Appendf(nil, crewKillText, pattern)))
	w.say("git will kill the program when %s has moved", pattern)
}

func (w *crewStage) killHook() string {
	return filepath.Join(w.Dir, ".git", "hooks", "reference-transaction")
}

const crewKillText = `#!/bin/sh
test "$1" = committed || exit 0
while read old new ref; do
	case $ref in %s) mv "$SIDE/armed" "$SIDE/fired" 2>/dev/null && kill -9 $(cat "$SIDE/pid");; esac
done
exit 0
`

// followKilled lets the program work from one of the given states until it waits, ends or is killed. A git hook kills it (see killAt).
func (w *crewStage) followKilled(from crewStates) {
	w.t.Helper()
	all, ends := w.plan.reach(from)
	for end := time.Now().Add(30 * time.Second); !w.hasEnded(); time.Sleep(5 * time.Millisecond) {
		waits := w.seems(ends) && len(ends.like(w.observe())) > 0
		if !waits && time.Now().Before(end) {
			continue
		}
		w.must(os.Remove(w.killHook()))
		if os.Remove(filepath.Join(w.side, "armed")) == nil { // from now on git cannot kill the program
			w.await(ends)
			return
		}
		<-w.ended
	}
	_ = os.Remove(w.killHook())
	_ = os.Remove(filepath.Join(w.side, "armed"))
	w.kill(all)
}

// endOrphan ends a task whose git-resume was killed. Nobody sees how it ends.
func (w *crewStage) endOrphan() {
	working := w.indices(wordWorking)
	i := working[w.chance.IntN(len(working))]
	switch w.chance.IntN(3) {
	case 0:
		w.say("task %s is killed", crewName(i))
		_ = syscall.Kill(w.working()[i], syscall.SIGKILL)
	case 1:
		w.release(i, "fail")
	case 2:
		w.release(i, "ok")
	}
	w.await(w.states.each(func(s crewState) []crewState { s.words[i] = wordInterrupted; return []crewState{s} }))
	w.settle()
}

func (w *crewStage) interrupt() {
	w.say("Ctrl-C")
	w.must(w.cmd.Process.Signal(os.Interrupt))
	w.await(w.states.each(w.plan.stopped))
}

// answer answers the question that the program asks about a result that was not merged.
func (w *crewStage) answer() {
	blocked := w.indices(wordBlocked)
	i := blocked[w.chance.IntN(len(blocked))]
	out, code := w.Resume("answer", "--run", w.id, crewName(i), "run it again")
	if w.say("$ git-resume answer %s => %d", crewName(i), code); code != 0 {
		w.fail("answer: exit code %d\n%s", code, out)
	}
	w.expect(w.states.each(func(s crewState) []crewState { s.words[i] = wordPending; return []crewState{s} }))
}

// commitOutside puts a commit of somebody else on the run's branch while the program works.
func (w *crewStage) commitOutside() {
	branch := "refs/heads/resume/" + w.id
	old := w.Git("rev-parse", branch)
	made := w.Git("commit-tree", "-p", old, "-m", "from outside", old+"^{tree}")
	w.Git("update-ref", branch, made, old)
	w.outside++
	w.say("a commit from outside")
	w.expect(w.states)
}

// edit writes a file of the user into the worktree of a task.
func (w *crewStage) edit() {
	places := w.places()
	if len(places) == 0 {
		return
	}
	path := filepath.Join(places[w.chance.IntN(len(places))], fmt.Sprintf("u%d", len(w.written)))
	text := fmt.Sprintf("text %d of a user\n", len(w.written))
	w.must(os.WriteFile(path, []byte(text), 0o644))
	w.written[text] = path
	w.say("edit %s", path)
	w.expect(w.states)
}

func (w *crewStage) collect() {
	if w.now.alive {
		return
	}
	out, code := w.Try("git", "gc", "-q", "--prune=now")
	w.say("git gc => %d %s", code, out)
	w.expect(w.states)
}

// look runs a random command that only reads, and checks that it changes no file.
func (w *crewStage) look() {
	if w.now.alive || w.now.phase == "none" || len(w.indices(wordWorking)) > 0 {
		return
	}
	args := [][]string{{"status"}, {"status", "--check", w.id}, {"log", w.id}, {"review", w.id}, {w.id, "-n"}}[w.chance.IntN(5)]
	s := stage{user: w.user, dir: filepath.Dir(w.Dir)}
	before := s.digest()
	out, code := w.Resume(args...)
	w.say("$ git-resume %s => %d", strings.Join(args, " "), code)
	if code != 0 && code != 1 {
		w.fail("%s: exit code %d\n%s", args, code, out)
	}
	if s.digest() != before {
		w.fail("%s wrote", args)
	}
}

// bringToEnd continues the run without kills until it is finished, and checks the result.
func (w *crewStage) bringToEnd() {
	w.t.Helper()
	for range 40 {
		switch working := w.indices(wordWorking); {
		case w.now.phase == "finished" && !w.now.alive:
			w.invariants()
			w.checkResult()
			return
		case w.now.alive:
			from := w.states
			for _, i := range working {
				w.release(i, "ok")
				from = from.each(func(s crewState) []crewState { s.hands[i].verdict = "ok"; return []crewState{s} })
			}
			_, ends := w.plan.reach(from)
			w.await(ends)
		case len(working) > 0:
			w.endOrphan()
		case len(w.indices(wordBlocked)) > 0:
			w.answer()
		case w.now.phase == "none":
			w.launchBeside("start", filepath.Join(w.side, "plan.yaml"), "-j", "3", "--keep-going")
			_, ends := w.plan.reach(w.states.each(w.plan.begun(3, true, false)))
			w.await(ends)
		default:
			w.trust()
			w.launchBeside(w.id, "--yes", "--retry", "-j", "3", "--keep-going")
			_, ends := w.plan.reach(w.states.each(w.plan.begun(3, true, false)))
			w.await(ends)
		}
	}
	w.fail("the run never ends")
}
