//go:build linux

package handler_test

import (
	"bytes"
	"crypto/sha1"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-resume/git-resume/internal/gittest"
)

// stage is a real repository together with a model of its expected state.
type stage struct {
	*user
	rt   *rapid.T
	dir  string
	want state
	last *change
	// detached is true if the run's worktree has a detached HEAD. removed is true if the folder of the worktree was removed.
	detached, removed bool
	// written maps each file to the text that the user wrote into it. Texts that the user deleted are not included.
	written map[string]string
	count   int
	// sideFile is the file in which the plan's commands note that they started.
	sideFile string
	// main is the commit at the tip of the user's branch. transcript lists everything that was done and printed.
	main               string
	transcript         []string
	hadBranch, hadTree bool
	// asked is true if the run has reached its question. Then the question must be answered before any other task runs.
	asked bool
	// startCompleted is true if the run's worktree was created completely. unchecked is true if a command has run since the last complete
	// check.
	startCompleted, unchecked bool
	// unending is true if a process that the program started did not end in time.
	unending bool
	// ending is true in the last part of a sequence of commands. The test kills no command in this part.
	ending bool
	// seen is what the program last reported about the run.
	seen  seen
	model *model
	// others is true if the test has added journal lines in the name of somebody else. closed is true if one of these lines ends the run.
	// This clone ignores that line, but another clone believes it.
	others, closed bool
	// killedLast is true if a command was killed and no other command has completed since.
	killedLast bool
}

// sequenceTest adapts rapid.T to testing.TB. Its TempDir returns the same folder each time.
type sequenceTest struct {
	testing.TB
	rt  *rapid.T
	dir string
}

func (p sequenceTest) TempDir() string {
	if err := os.MkdirAll(p.dir, 0o755); err != nil {
		p.rt.Fatal(err)
	}
	return p.dir
}
func (p sequenceTest) Helper()                      {}
func (p sequenceTest) Fatal(args ...any)            { p.rt.Fatal(args...) }
func (p sequenceTest) Fatalf(f string, args ...any) { p.rt.Fatalf(f, args...) }
func (p sequenceTest) Error(args ...any)            { p.rt.Error(args...) }
func (p sequenceTest) Errorf(f string, args ...any) { p.rt.Errorf(f, args...) }
func (p sequenceTest) Log(args ...any)              { p.rt.Log(args...) }
func (p sequenceTest) Logf(f string, args ...any)   { p.rt.Logf(f, args...) }
func (p sequenceTest) Failed() bool                 { return p.rt.Failed() }

// newStage copies the repository that every sequence starts with.
func newStage(t *testing.T, rt *rapid.T, m *model, dir string) *stage {
	if err := os.CopyFS(dir, os.DirFS(m.template)); err != nil {
		rt.Fatal(err)
	}
	repo := (&gittest.Repo{T: sequenceTest{t, rt, dir}, Dir: filepath.Join(dir, "repo"), Env: gittest.Env(filepath.Join(dir, "home"))}).WithBinary()
	w := &stage{user: &user{Repo: repo}, rt: rt, dir: dir, want: state{phase: "none"}, written: map[string]string{}, sideFile: filepath.Join(dir, "side"), model: m}
	w.main = w.ref("refs/heads/main")
	w.Env = append(w.Env, "SIDE="+w.sideFile)
	command := `echo $GIT_RESUME_TASK >> "$SIDE"; echo x > "f$GIT_RESUME_TASK"; sleep 0.02; echo y >> "f$GIT_RESUME_TASK"`
	w.file("plan.yaml", fmt.Sprintf("name: job\ntasks:\n- {id: a, run: %q}\n- {id: b}\n- {id: q, ask: \"which?\", options: [x, y]}\n- {id: c, run: %q}\n", command, command))
	// Each report comes from a script that ends after the report, so the reporting process is dead between two commands.
	w.file("agent.sh", "exec 9>&3 3>&-\n\"$@\"\nexit $?\n")
	return w
}

func (w *stage) file(name, text string) {
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o644); err != nil {
		w.rt.Fatal(err)
	}
}

func (w *stage) path(name string) string { return filepath.Join(w.dir, name) }

// tree returns the run's worktree; empty if it does not exist.
func (w *stage) tree() string {
	found, _ := filepath.Glob(filepath.Join(w.dir, "repo.worktrees", "job-????"))
	if len(found) == 0 {
		return ""
	}
	return found[0]
}

// isReady reports whether the run's worktree was created completely.
func (w *stage) isReady() bool {
	w.startCompleted = w.startCompleted || strings.Contains(w.journal(), `"event":"worktree.ready"`)
	return w.startCompleted
}

// ref reads the commit of a ref from git's files; empty if the ref does not exist.
func (w *stage) ref(name string) string {
	if text, err := os.ReadFile(filepath.Join(w.Dir, ".git", name)); err == nil {
		return strings.TrimSpace(string(text))
	}
	packed, _ := os.ReadFile(filepath.Join(w.Dir, ".git", "packed-refs"))
	for line := range strings.Lines(string(packed)) {
		if id, found := strings.CutSuffix(strings.TrimSpace(line), " "+name); found {
			return id
		}
	}
	return ""
}

func (w *stage) actions() map[string]func(*rapid.T) {
	out := map[string]func(*rapid.T){
		"start": w.start, "continue": w.continueRun, "edit": w.edit, "commit on main": w.commitOnMain,
		"pause": w.pause, "answer": w.answer, "discard": w.discard, "undo": w.undo,
		"collect garbage": w.collect, "pack refs": func(*rapid.T) { w.Git("pack-refs", "--all", "--prune") },
		"detach": w.detach, "attach": w.attach, "remove the worktree": w.removeTree, "look": w.checkReadOnly,
		"line of others": w.addForeignLine, "clone": w.clone,
		"": w.invariants,
	}
	for _, verb := range sortedReports() {
		out["report "+verb] = func(rt *rapid.T) { w.report(rt, verb) }
	}
	return out
}

// call runs the program from a shell script, and sometimes kills it at a random moment. It returns the exit code, and whether the program
// was killed.
func (w *stage) call(rt *rapid.T, dir string, args ...string) (code int, killed bool) {
	after := time.Duration(-1)
	if !w.ending && rapid.IntRange(0, 2).Draw(rt, "kill") == 0 {
		after = time.Duration(rapid.IntRange(0, 1000).Draw(rt, "after")) * w.model.pace(args) / 1000
	}
	alone := rapid.Bool().Draw(rt, "alone")
	ended, cmd, out, begun := w.launchScript(dir, args)
	if after >= 0 {
		select {
		case <-ended:
		case <-time.After(after):
			killed = true
			killProgram(cmd.Process.Pid, alone)
		}
	}
	if <-ended; w.unending {
		w.fail("processes live on")
	}
	if code = cmd.ProcessState.ExitCode(); !killed {
		w.model.took(args, time.Since(begun))
	}
	w.killedLast = killed || w.killedLast && code != 0
	w.transcript = append(w.transcript, fmt.Sprintf("$ git-resume %s  => %d, killed %v\n%s", strings.Join(args, " "), code, killed, out.String()))
	return code, killed
}

// launchScript starts the program from a shell script. The returned channel is closed when all processes that the script started have
// ended. launchScript notices this because all of them inherit one pipe.
func (w *stage) launchScript(dir string, args []string) (ended chan struct{}, cmd *exec.Cmd, out *bytes.Buffer, at time.Time) {
	r, held, err := os.Pipe()
	if err != nil {
		w.rt.Fatal(err)
	}
	out = &bytes.Buffer{}
	cmd = exec.Command("/bin/sh", append([]string{w.path("agent.sh"), "git-resume"}, args...)...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = dir, w.Env, &syscall.SysProcAttr{Setpgid: true}
	cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = out, out, []*os.File{held}
	cmd.WaitDelay = 5 * time.Second // do not wait longer for the output, because a task that is still running keeps the pipe open
	at, w.unchecked = time.Now(), true
	if err := cmd.Start(); err != nil {
		w.rt.Fatal(err)
	}
	held.Close()
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		defer r.Close()
		_ = cmd.Wait()
		_ = r.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := r.Read(make([]byte, 1)); err != io.EOF {
			fmt.Fprintf(out, "processes live on: %v\n", err)
			w.unending = true
		}
	}()
	return ended, cmd, out, at
}

// verb returns the kind of a command without its arguments, for example "done" or "continue".
func verb(args []string) string {
	switch {
	case strings.HasPrefix(args[0], "job-"):
		return "continue"
	case args[0] == "task":
		return args[1]
	}
	return args[0]
}

// pace is the time span within which a command is killed at random. It is a little longer than the command needed recently.
func (m *model) pace(args []string) time.Duration {
	if took, ok := m.paces.Load(verb(args)); ok {
		return took.(time.Duration) * 6 / 5
	}
	return 120 * time.Millisecond
}

func (m *model) took(args []string, d time.Duration) {
	old, ok := m.paces.Swap(verb(args), d)
	if ok {
		m.paces.Store(verb(args), (3*old.(time.Duration)+d)/4)
	}
}

// killProgram kills only the program if alone is true. Otherwise it kills the whole process group: the script, the program and their git
// processes.
func killProgram(script int, alone bool) {
	if !alone {
		_ = syscall.Kill(-script, syscall.SIGKILL)
		return
	}
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", script, script))
	for _, field := range strings.Fields(string(text)) {
		if pid, err := strconv.Atoi(field); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// fail ends a sequence and prints everything that was done in it.
func (w *stage) fail(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if w.id != "" {
		raw, _ := w.Resume("log", "--raw", w.id)
		text += "\njournal:\n"
		for line := range strings.Lines(raw) {
			text += line[:min(len(line), 220)] + "\n"
		}
	}
	w.rt.Fatalf("%s\nmodel: %+v away %v gone %v\n%s", text, w.want, w.detached, w.removed, strings.Join(w.transcript, "\n"))
}

// observed returns the run's state as the program reports it.
func (w *stage) observed() state {
	// "git resume status" also lists lock files that a killed git left. Leave them out.
	all := slices.DeleteFunc(w.status(), func(s seen) bool { return s.Source != "native" })
	if len(all) == 0 {
		return state{phase: "none"}
	}
	if len(all) > 1 {
		w.fail("there are %d runs: %+v", len(all), all)
	}
	got := all[0]
	w.id, w.seen = got.Run, got
	out := state{phase: "open"}
	for i, id := range modelTasks {
		out.tasks[i] = got.task(id)
	}
	if w.asked = out.tasks[taskQ] == "blocked"; w.asked {
		out.tasks[taskQ] = "pending" // the run has reached the question, but nobody has answered it
	}
	begun := false
	for i, word := range out.tasks {
		begun = begun || i != taskQ && (word == "active" || word == "done" || word == "failed")
	}
	switch got.State {
	case "finished", "discarded":
		out.phase = got.State
	case "paused":
		out.paused = true
	case "interrupted", "idle", "waiting", "failed":
	default:
		w.fail("nobody is alive, but the run is %s", got.State)
	}
	if got.State == "idle" && begun && w.want.phase != "none" {
		w.fail("everybody is provably gone, but the run is idle")
	}
	return out
}

// compareStates compares what the program reports with the states that a command passes through.
// If the command was killed, any of these states is right. Otherwise only the last one is.
func (w *stage) compareStates(code int, killed bool, path []state, codes ...int) {
	got := w.observed()
	if killed {
		for _, s := range path {
			if s.phase == "finished" {
				s.phase = "open" // a killed command may have committed the last result without recording it
				path = append(path, s)
			}
		}
		if !slices.Contains(path, got) {
			w.fail("killed, and then %+v; possible were %+v", got, path)
		}
		w.want = got
		return
	}
	if len(codes) == 0 {
		codes = []int{0}
	}
	if !slices.Contains(codes, code) {
		w.fail("exit code %d, expected %v", code, codes)
	}
	if got != path[len(path)-1] {
		w.fail("it says %+v", got)
	}
	w.want = got
}

// skipUnless skips an action that makes no sense in the current state.
func (w *stage) skipUnless(rt *rapid.T, ok bool) {
	if !ok {
		rt.SkipNow()
	}
}

func (w *stage) start(rt *rapid.T) {
	w.skipUnless(rt, w.want.phase == "none")
	fresh := state{phase: "open", tasks: [4]string{"pending", "pending", "pending", "pending"}}
	path := append([]state{w.want}, fresh.continuedStates()...)
	code, killed := w.call(rt, w.Dir, "start", w.path("plan.yaml"))
	w.compareStates(code, killed, path)
}

// continueRun continues the run like a person who accepts warnings and lets interrupted tasks run again.
func (w *stage) continueRun(rt *rapid.T) {
	w.skipUnless(rt, w.want.phase != "none")
	dir := w.Dir
	if tree := w.tree(); tree != "" && !w.removed && w.isReady() && rapid.Bool().Draw(rt, "from its worktree") {
		dir = tree
	}
	how := []string{w.id, "--yes", rapid.SampledFrom([]string{"--retry", "--keep"}).Draw(rt, "doubt")}
	if rapid.IntRange(0, 3).Draw(rt, "update") == 0 {
		how = append(how, "--update")
	}
	held := w.userFileInIncomplete()
	code, killed := w.call(rt, dir, how...)
	before, asked := w.want, w.asked
	if w.others && !killed && code == 11 && before.open() {
		// The program warns about lines that others wrote, and the person continues anyway.
		w.compareStates(code, killed, []state{before}, 11)
		how = append(how, "--takeover")
		code, killed = w.call(rt, dir, how...)
	}
	if held && !killed && code == 1 && before.open() {
		// The incomplete worktree contains the only copy of a user's file.
		// So the program refuses to continue, and the user follows its printed advice.
		w.compareStates(code, killed, []state{before}, 1)
		w.moveUserFiles()
		code, killed = w.call(rt, w.Dir, how...)
	}
	switch {
	case !before.open():
		codes := []int{0}
		switch update := slices.Contains(how, "--update"); {
		case update && before.phase == "discarded":
			codes = []int{1} // nobody can update it, and the option must not be ignored without a word
		case update:
			codes = []int{0, 1} // only an error if the base has commits that the run lacks
		}
		w.compareStates(code, killed, []state{before}, codes...)
	case slices.Contains(how, "--retry") && before.onlyReported():
		w.compareStates(code, killed, []state{before}, 11)
	case w.detached:
		w.compareStates(code, killed, []state{before}, 12)
	case before.questionIsNext(), asked:
		w.compareStates(code, killed, []state{before}, 15)
	default:
		path := before.continuedStates()
		codes := []int{0}
		if last := path[len(path)-1]; last.open() && last.questionIsNext() && len(path) > 2 {
			codes = []int{15}
		}
		w.compareStates(code, killed, path, codes...)
		switch {
		case before.paused && !w.want.paused && w.want.phase == "open" || len(path) > 2:
			w.last = nil // the continued run has recorded newer changes, and "git resume undo" may reverse one of those
		case w.last != nil && w.last.pause && w.last.undone && killed:
			w.last = nil // the command was killed, so the run may or may not have continued
		case w.last != nil && w.last.pause && w.last.undone:
			w.last.overtaken = true
		}
		w.removed = w.removed && !(w.tree() != "")
	}
}

// userFileInIncomplete reports whether the worktree is incomplete and the user wrote a file there.
func (w *stage) userFileInIncomplete() bool {
	for name := range w.written {
		if _, err := os.Lstat(name); err == nil && filepath.Dir(name) == w.tree() && !w.isReady() {
			return true
		}
	}
	return false
}

// moveUserFiles follows the printed advice about the user's files in an incomplete worktree: it moves the whole folder away.
func (w *stage) moveUserFiles() {
	tree, told := w.tree(), w.transcript[len(w.transcript)-1]
	to := tree + ".mine"
	if !strings.Contains(told, "'mv "+tree+" "+to+"'") {
		w.fail("no hint says what to do with %s", tree)
	}
	if _, err := os.Lstat(to); err == nil { // mv moves a folder into one that exists
		to = filepath.Join(to, filepath.Base(tree))
	}
	if err := os.Rename(tree, to); err != nil {
		w.rt.Fatal(err)
	}
	for name, text := range maps.Clone(w.written) {
		if rel, inside := strings.CutPrefix(name, tree+"/"); inside {
			delete(w.written, name)
			w.written[filepath.Join(to, rel)] = text
		}
	}
	w.transcript = append(w.transcript, "moved "+tree+" away")
}

// onlyReported reports whether no interrupted task has a command, so that the program cannot run any again and must not ignore --retry.
func (s state) onlyReported() bool {
	return s.tasks[taskB] == "active" && s.tasks[taskA] != "active" && s.tasks[taskC] != "active"
}

// questionIsNext reports whether the question must be answered next. An active task comes before the question.
func (s state) questionIsNext() bool {
	for i := range s.tasks {
		if !s.closed(i) {
			return i == taskQ && !slices.Contains(s.tasks[:], "active") || s.tasks[i] == "blocked"
		}
	}
	return false
}

func (w *stage) report(rt *rapid.T, verb string) {
	w.skipUnless(rt, w.want.open() && !w.detached && !w.removed && w.tree() != "")
	i := rapid.IntRange(0, len(modelTasks)-1).Draw(rt, "task")
	w.skipUnless(rt, i != taskQ) // "task done" and the like are refused for a question, which needs an answer
	before := w.want
	path := reports[verb](before, i)
	code, killed := w.call(rt, w.tree(), "task", verb, "--run", w.id, modelTasks[i])
	if path == nil {
		w.compareStates(code, killed, []state{before}, 1)
		return
	}
	if !w.isReady() { // exit code 128 is possible too, because git may not recognize an incomplete worktree as a repository
		w.compareStates(code, killed, []state{before}, 1, 128)
		return
	}
	w.compareStates(code, killed, path)
	if w.want == before {
		w.last = nil // the report may have recorded an earlier commit as a result, and "git resume undo" would now take back this record
	}
	if w.want != before && (verb == "skip" || verb == "reset" || w.want.phase == "finished") {
		w.last = nil
	}
	if w.want.tasks[i] == path[len(path)-1].tasks[i] && w.want.tasks[i] != before.tasks[i] && !w.want.complete() {
		switch verb {
		case "skip", "reset":
			w.last = &change{
				back:  func(s state) state { s.tasks[i] = before.tasks[i]; return s },
				again: func(s state) state { s.tasks[i] = path[len(path)-1].tasks[i]; return s },
			}
		default:
			w.last = nil // this report cannot be undone, so undo would reverse an earlier change
		}
	}
}

func (w *stage) pause(rt *rapid.T) {
	w.skipUnless(rt, w.want.open())
	before := w.want
	after := before
	after.paused = true
	code, killed := w.call(rt, w.Dir, "pause", w.id)
	w.compareStates(code, killed, []state{before, after})
	if w.want != before {
		w.last = &change{back: func(s state) state { s.paused = false; return s }, again: func(s state) state { s.paused = true; return s }, pause: true}
	}
}

func (w *stage) answer(rt *rapid.T) {
	w.skipUnless(rt, w.want.open())
	before := w.want
	code, killed := w.call(rt, w.Dir, "answer", "--run", w.id, "q", "1")
	if before.closed(taskQ) { // the question was answered before, and this is the same answer
		w.compareStates(code, killed, []state{before})
		return
	}
	w.compareStates(code, killed, []state{before, before.withTask(taskQ, "done")})
	w.last = nil
	if w.want.open() && w.want != before {
		w.last = &change{
			back:  func(s state) state { s.tasks[taskQ] = before.tasks[taskQ]; return s },
			again: func(s state) state { s.tasks[taskQ] = "done"; return s },
		}
	}
}

func (w *stage) discard(rt *rapid.T) {
	w.skipUnless(rt, w.want.phase == "open" || w.want.phase == "finished")
	before := w.want
	after := before
	after.phase, after.paused = "discarded", false
	code, killed := w.call(rt, w.Dir, "discard", "-y", "--force", w.id)
	w.compareStates(code, killed, []state{before, after})
	if killed && w.want.phase != "discarded" {
		code = w.finish("discard", "-y", "--force", w.id) // the killed command may have done half of its work; repeating it does the rest
		w.compareStates(code, false, []state{after})
	}
	w.last = &change{
		back:  func(s state) state { s.phase, s.paused = before.phase, before.paused; return s },
		again: func(s state) state { s.phase, s.paused = "discarded", false; return s },
	}
}

// finish repeats a killed command, this time without killing it, and returns its exit code.
func (w *stage) finish(args ...string) int {
	ended, cmd, out, _ := w.launchScript(w.Dir, args)
	<-ended
	code := cmd.ProcessState.ExitCode()
	w.transcript = append(w.transcript, fmt.Sprintf("$ git-resume %s  => %d\n%s", strings.Join(args, " "), code, out))
	return code
}

func (w *stage) undo(rt *rapid.T) {
	w.skipUnless(rt, w.last != nil)
	before, turn, args := w.want, w.last.back, []string{"undo", "--yes", w.id}
	if w.last.undone {
		turn, args = w.last.again, []string{"undo", "--redo", "--yes", w.id}
	}
	if w.last.overtaken {
		code, killed := w.call(rt, w.Dir, args...)
		w.compareStates(code, killed, []state{before}, 1)
		return
	}
	after := turn(before)
	code, killed := w.call(rt, w.Dir, args...)
	w.compareStates(code, killed, []state{before, after})
	if killed && before.phase != after.phase && w.want == before {
		code = w.finish(args...) // the kill left a half restored worktree, and the repeated command completes it
		w.compareStates(code, false, []state{after})
	}
	if w.want == after && before != after {
		w.last.undone = !w.last.undone
	}
	if before == after {
		w.last = nil
	}
}

// edit writes a new unique text to a new file in the run's worktree.
func (w *stage) edit(rt *rapid.T) {
	w.skipUnless(rt, w.tree() != "" && !w.removed)
	w.count++
	name := filepath.Join(w.tree(), fmt.Sprintf("u%d", w.count))
	text := fmt.Sprintf("text %d of a user\n", w.count)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		rt.Fatal(err)
	}
	w.written[name] = text
	w.transcript = append(w.transcript, "edit "+name)
}

func (w *stage) commitOnMain(rt *rapid.T) {
	w.count++
	w.Write(fmt.Sprintf("m%d", w.count), "on main\n")
	w.Git("add", "-A")
	w.Git("commit", "-q", "-m", "on main")
	w.main = w.ref("refs/heads/main")
	w.transcript = append(w.transcript, "commit on main")
}

func (w *stage) collect(rt *rapid.T) {
	// A killed "git worktree add" can leave an incomplete worktree, whose HEAD names no branch. git gc fails until this worktree is
	// repaired or removed.
	out, code := w.Try("git", "gc", "-q", "--prune=now")
	// A killed git leaves its lock file, and only our own commands remove such a lock.
	locked := w.killedLast && strings.Contains(out, ".lock': File exists")
	if code != 0 && !locked && (w.want.phase == "none" || w.isReady()) {
		w.fail("git gc: exit code %d\n%s", code, out)
	}
	w.transcript = append(w.transcript, "gc")
}

func (w *stage) detach(rt *rapid.T) {
	w.skipUnless(rt, w.want.open() && !w.detached && !w.removed && w.tree() != "")
	w.skipUnless(rt, w.isReady())
	w.In(w.tree()).Git("checkout", "-q", "--detach")
	w.detached = true
	w.transcript = append(w.transcript, "detach")
}

func (w *stage) attach(rt *rapid.T) {
	w.skipUnless(rt, w.detached && w.tree() != "")
	w.In(w.tree()).Git("checkout", "-q", "resume/"+w.id)
	w.detached = false
	w.transcript = append(w.transcript, "attach")
}

// removeTree deletes the worktree's folder, like a user who deletes it by hand, including files that no snapshot holds.
func (w *stage) removeTree(rt *rapid.T) {
	w.skipUnless(rt, w.want.open() && !w.detached && !w.removed && w.tree() != "")
	saved := w.reachableObjects()
	for name, text := range w.written {
		if !saved[blobID(text)] {
			delete(w.written, name)
		}
	}
	if err := os.RemoveAll(w.tree()); err != nil {
		rt.Fatal(err)
	}
	w.removed = true
	w.transcript = append(w.transcript, "the worktree is removed by hand")
}

// addForeignLine adds a journal line in the name of somebody else. The program must report this line but must not obey it.
func (w *stage) addForeignLine(rt *rapid.T) {
	w.skipUnless(rt, w.want.open() && w.id != "" && w.ref("refs/notes/resume/"+w.id) != "")
	event := rapid.SampledFrom([]string{"task.done", "task.failed", "task.skipped", "task.reset", "task.started", "run.paused", "run.finished",
		"run.discarded", "run.claimed", "run.merged", "run.started"}).Draw(rt, "event")
	w.count++
	line := fmt.Sprintf(`{"seq":"%010d","id":"others.%d","at":"2026-01-01T00:00:00Z","event":%q,"task":%q,"v":1}`, 500+w.count, w.count, event,
		modelTasks[rapid.IntRange(0, len(modelTasks)-1).Draw(rt, "task")])
	out, code := w.Try("git", "notes", "--ref=resume/"+w.id, "append", "-m", line, w.main)
	w.transcript = append(w.transcript, fmt.Sprintf("line of others: %s => %d %s", line, code, out))
	if code != 0 { // skip this step: a killed git may have left its lock, so that git cannot write
		rt.SkipNow()
	}
	w.others, w.closed = true, w.closed || event == "run.finished" || event == "run.discarded"
	if got := w.observed(); got != w.want {
		w.fail("a line of others makes it %+v", got)
	}
}

// clone makes another clone and asks for the run's status there. The run must be shown as coming from another clone, and commands that
// would change it must fail.
func (w *stage) clone(rt *rapid.T) {
	w.skipUnless(rt, w.want.open() && w.id != "" && w.ref("refs/notes/resume/"+w.id) != "" && w.isReady() && !w.closed)
	before := w.digest()
	w.count++
	dir := w.path(fmt.Sprintf("clone%d", w.count))
	if out, code := w.Try("git", "clone", "-q", w.Dir, dir); code != 0 {
		w.fail("git clone: %s", out)
	}
	c := w.In(dir)
	c.Git("fetch", "-q", "origin", "+refs/notes/resume/*:refs/notes/resume/*")
	refs := c.Git("for-each-ref")
	for _, args := range [][]string{{"status"}, {w.id, "--auto"}, {"--auto"}, {"task", "start", "b", "--run", w.id}, {"discard", "-y", w.id}} {
		out, code := c.Resume(args...)
		if want := map[bool]int{true: 0, false: 11}[args[0] == "status"]; code != want || args[0] == "status" && !strings.Contains(out, "elsewhere") {
			w.fail("in a clone, %s: exit code %d\n%s", args, code, out)
		}
	}
	if now := c.Git("for-each-ref"); now != refs {
		w.fail("in a clone refs moved:\n%s\nwere\n%s", now, refs)
	}
	if w.digest() != before {
		w.fail("a clone changed its origin")
	}
	w.transcript = append(w.transcript, "a clone was looked at")
	_ = os.RemoveAll(dir)
	_ = os.RemoveAll(dir + ".worktrees")
}

// checkReadOnly runs a command that only reads, and checks that it writes nothing.
func (w *stage) checkReadOnly(rt *rapid.T) {
	w.skipUnless(rt, w.want.phase != "none")
	args := rapid.SampledFrom([][]string{{"status"}, {"status", "--check", w.id}, {"log", w.id}, {"log"}, {"review", w.id}, {w.id, "-n"}}).Draw(rt, "what")
	before := w.digest()
	out, code := w.Resume(args...)
	w.transcript = append(w.transcript, fmt.Sprintf("$ git-resume %s  => %d", strings.Join(args, " "), code))
	if code != 0 && code != 1 {
		w.fail("%s: exit code %d\n%s", args, code, out)
	}
	if after := w.digest(); after != before {
		w.fail("%s wrote", args)
	}
}

// digest hashes every byte of the repository and its worktrees.
func (w *stage) digest() string {
	h := sha1.New()
	for _, root := range []string{w.Dir, filepath.Join(w.dir, "repo.worktrees")} {
		_ = filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				text, _ := os.ReadFile(path)
				fmt.Fprintf(h, "%s %x\n", path, sha1.Sum(text))
			}
			return nil
		})
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

func blobID(text string) string {
	return fmt.Sprintf("%x", sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(text), text)))
}

// reachableObjects returns the objects that are reachable from any ref.
func (w *stage) reachableObjects() map[string]bool {
	out := map[string]bool{}
	refs := strings.Fields(w.Git("for-each-ref", "--format=%(objectname)"))
	for line := range strings.Lines(w.Git(append([]string{"rev-list", "--objects"}, refs...)...)) {
		id, _, _ := strings.Cut(strings.TrimSpace(line), " ")
		out[id] = true
	}
	return out
}

// invariants checks the conditions that must hold after every step.
func (w *stage) invariants(*rapid.T) {
	var missing []string
	for name, text := range w.written {
		if got, err := os.ReadFile(name); err != nil || string(got) != text {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 {
		saved := w.reachableObjects()
		for _, name := range missing {
			if !saved[blobID(w.written[name])] && !w.wasSetAside(name) {
				w.fail("what the user wrote into %s is lost", name)
			}
		}
	}
	if !w.unchecked {
		return // no command ran since the last check
	}
	w.unchecked = false
	if got := w.ref("refs/heads/main"); got != w.main {
		w.fail("main moved to %s", got)
	}
	if got := w.Git("status", "--porcelain"); got != "" {
		w.fail("the user's own worktree was touched:\n%s", got)
	}
	w.nothingRemoved()
}

// wasSetAside reports whether a file was moved aside unchanged, together with its incomplete worktree.
func (w *stage) wasSetAside(name string) bool {
	found, _ := filepath.Glob(filepath.Join(w.dir, "repo.worktrees", ".*", filepath.Base(name)))
	for _, f := range found {
		if text, _ := os.ReadFile(f); string(text) == w.written[name] {
			return true
		}
	}
	return false
}

// nothingRemoved checks that an existing branch and worktree disappear only if the user discards the run or deletes them by hand. An
// incomplete worktree is allowed to disappear, because it is created again.
func (w *stage) nothingRemoved() {
	branch, tree := w.ref("refs/heads/resume/"+w.id) != "", w.tree() != ""
	if w.want.phase != "open" && w.want.phase != "finished" {
		w.hadBranch, w.hadTree = false, false
		return
	}
	if w.hadBranch && !branch || w.hadTree && !tree && !w.removed {
		w.fail("branch there: %v, worktree there: %v", branch, tree)
	}
	w.hadBranch, w.hadTree = branch, tree && w.isReady()
}

// checkAll continues the run without kills. Then it checks the commits of finished tasks, the records of executed commands, and the
// output of git fsck.
func (w *stage) checkAll() {
	if got := w.observed(); got != w.want {
		w.fail("at the end it says %+v", got)
	}
	w.ending = true // from now on no command is killed, so the next command can repair what the earlier kills left behind
	if w.want.phase == "none" {
		w.start(w.rt)
	}
	w.continueRun(w.rt)
	w.checkTaskCommits()
	w.checkCommandRecords()
	w.Fsck()
}

// checkTaskCommits checks that the branch contains the commit of each done task that has a commit.
func (w *stage) checkTaskCommits() {
	if w.want.phase == "discarded" || w.want.phase == "none" {
		return
	}
	reached := w.Git("rev-list", "refs/heads/resume/"+w.id)
	for _, t := range w.seen.Tasks {
		if t.State == "done" && t.Commit != "" && !strings.Contains(reached, t.Commit) {
			w.fail("task %s is done as %s, which is not on the branch", t.ID, t.Commit)
		}
	}
}

// checkCommandRecords checks that each command that ran has a record of its start.
func (w *stage) checkCommandRecords() {
	text, _ := os.ReadFile(w.sideFile)
	journal := w.journal()
	for _, id := range []string{"a", "c"} {
		ran := strings.Count("\n"+string(text), "\n"+id+"\n")
		if n := strings.Count(journal, `"event":"task.started","task":"`+id+`"`); ran > n {
			w.fail("the command of task %s ran %d times and was started %d times", id, ran, n)
		}
	}
}

func (w *stage) journal() string {
	out, _ := w.Resume("log", "--raw", w.id)
	return out
}
