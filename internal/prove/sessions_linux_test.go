package prove

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// Several sessions of several coding agents work in the folders of two runs, in any order. They report tasks, keep lists of other jobs,
// begin again in the same process, are killed, and are opened again. What git-resume continues must always be the session that reported
// the last task of the run, and no list may change a run.

// sampleOfSessions is the number of sequences in everyday tests.
const sampleOfSessions = 4

func TestSessions_theOneThatDidTheTasksIsContinued(t *testing.T) {
	t.Parallel()
	p := gittest.Prove(t, "G", "sequences of agents' sessions")
	for n := uint64(0); p.More(sampleOfSessions); n++ {
		t.Run(fmt.Sprint("sequence", n), func(t *testing.T) {
			newStage(t, p.Rand(n)).play()
		})
		p.Trial(1)
	}
}

// agentKinds are the agents that play, with the variable that names their session, and the names of their events for a prompt, a list and
// the end of a turn.
var agentKinds = []struct{ name, variable, prompt, list, end, mark string }{
	{"claude", "CLAUDE_CODE_SESSION_ID", "UserPromptSubmit", `"PostToolUse","tool_name":"TodoWrite","tool_input":{"todos":[%s]}`, "Stop", ""},
	{"codex", "CODEX_THREAD_ID", "UserPromptSubmit", `"PostToolUse","tool_name":"update_plan","tool_input":{"plan":[%s]}`, "Stop", `"turn_id":"t",`},
	{"gemini", "GEMINI_SESSION_ID", "BeforeAgent", `"AfterTool","tool_name":"write_todos","tool_input":{"todos":[%s]}`, "AfterAgent", ""},
}

// agentLoop is what an agent's process runs: the lines that it reads, one by one.
const agentLoop = `while read -r line; do eval "$line" </dev/null >>"$HOME/said" 2>&1; echo "$?"; done`

// player is the process of an agent. It has one session at a time.
type player struct {
	kind    int
	session string
	place   *workplace
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	alive   bool
}

// workplace is a folder and the run that works in it.
type workplace struct {
	dir, run string
	// did is the session that started the run or reported its last task, and by is its process. Both are empty at first.
	did string
	by  *player
	// active and done count the tasks that were reported.
	active bool
	done   int
}

// stage is one sequence. Its model is what the fields say.
type stage struct {
	*gittest.Repo
	chance  *rand.Rand
	places  []*workplace
	players []*player
	// opened is the process in which a session was open last. kinds is how many kinds of agents play.
	opened map[string]*player
	kinds  int
	story  []string
}

// tasksOf is how many tasks a run has. No sequence reports all of them.
const tasksOf = 20

func newStage(t *testing.T, chance *rand.Rand) *stage {
	t.Helper()
	s := &stage{Repo: gittest.New(t).WithBinary(), chance: chance, opened: map[string]*player{}, kinds: 1 + chance.IntN(len(agentKinds))}
	home := filepath.Join(s.Root(), "home")
	put(s.Repo, filepath.Join(home, "loop"), agentLoop)
	// The tool that continues a run says which session it got. It reports as this session, with a list, and then as one after a "/clear".
	put(s.Repo, filepath.Join(home, "tool"), `echo "$1 $2" >"$HOME/continued"
mark=
case $1 in '') exit 0 ;; codex) mark='"turn_id":"t",' ;; esac
for id in "$2" "$2-cleared"; do
	test "$1" != gemini || export GEMINI_SESSION_ID="$id"
	for event in '"UserPromptSubmit","prompt":"go on"' '"Stop"'; do
		printf '{"session_id":"%s","cwd":"%s",%s"hook_event_name":%s}' "$id" "$PWD" "$mark" "$event" | git-resume agent-event
	done
done
`)
	s.Git("config", "resume.handoff", `sh "$HOME/tool" {agent} {agent_id}`)
	tasks := ""
	for i := range tasksOf {
		tasks += fmt.Sprintf(" --task t%d", i)
	}
	put(s.Repo, filepath.Join(home, "start"), "git-resume start --here --name here"+tasks+"\n")
	put(s.Repo, filepath.Join(home, "apart"), "git-resume start --name apart"+tasks+"\n")
	s.add("start")
	if chance.IntN(3) > 0 {
		s.add("apart")
	}
	for range 2 + chance.IntN(3) {
		s.enter("")
	}
	return s
}

// add starts a run, by a process that ends at once.
func (s *stage) add(script string) {
	s.T.Helper()
	out, code := s.Try("sh", filepath.Join(s.Root(), "home", script))
	if code != 0 {
		s.T.Fatalf("start: exit code %d\n%s", code, out)
	}
	w := &workplace{dir: s.Dir, run: "here"}
	if script == "apart" {
		found, _ := filepath.Glob(filepath.Join(s.Root(), "repo.worktrees", "apart-*"))
		w.dir, w.run = found[0], "apart"
	}
	s.places = append(s.places, w)
}

func (s *stage) note(format string, args ...any) {
	s.story = append(s.story, fmt.Sprintf(format, args...))
}

// enter starts an agent's process with a new session, or with an earlier one.
func (s *stage) enter(session string) {
	s.T.Helper()
	a := &player{kind: s.chance.IntN(s.kinds), session: session, place: s.places[s.chance.IntN(len(s.places))], alive: true}
	source := "resume"
	if was := s.opened[session]; was != nil {
		a.kind, a.place = was.kind, was.place
	} else {
		source, a.session = "startup", s.newSession()
	}
	a.cmd = exec.Command("sh", filepath.Join(s.Root(), "home", "loop"), agentKinds[a.kind].name)
	a.cmd.Dir, a.cmd.Env = a.place.dir, s.Env
	var err error
	a.in, err = a.cmd.StdinPipe()
	gittest.NoError(s.T, "pipe", err)
	out, err := a.cmd.StdoutPipe()
	gittest.NoError(s.T, "pipe", err)
	gittest.NoError(s.T, "start an agent", a.cmd.Start())
	s.T.Cleanup(a.kill)
	a.out = bufio.NewScanner(out)
	s.players = append(s.players, a)
	s.note("%s %s begins (%s) at %s, process %d", agentKinds[a.kind].name, a.session, source, a.place.run, a.cmd.Process.Pid)
	s.event(a, fmt.Sprintf(`"SessionStart","source":%q`, source))
}

func (s *stage) newSession() string { return fmt.Sprintf("s-%d", len(s.opened)+1) }

func (a *player) kill() {
	if a.alive {
		a.alive = false
		_ = a.cmd.Process.Kill()
		_ = a.cmd.Wait()
	}
}

// does lets an agent run a command, and returns its exit code.
func (s *stage) does(a *player, line string) string {
	s.T.Helper()
	if _, err := fmt.Fprintf(a.in, "export %s=%s; %s\n", agentKinds[a.kind].variable, a.session, line); err != nil || !a.out.Scan() {
		s.fail("the agent's process has ended: %v", err)
	}
	return a.out.Text()
}

// event lets an agent call our hook. The argument has the name of the event, and its fields.
func (s *stage) event(a *player, fields string) {
	s.T.Helper()
	s.opened[a.session] = a
	text := fmt.Sprintf(`{"session_id":%q,"cwd":%q,%s"hook_event_name":%s}`, a.session, a.place.dir, agentKinds[a.kind].mark, fields)
	if code := s.does(a, "printf '%s' '"+text+"' | git-resume agent-event"); code != "0" {
		s.fail("the hook ended with %s", code)
	}
}

func (s *stage) fail(format string, args ...any) {
	s.T.Helper()
	said, _ := os.ReadFile(filepath.Join(s.Root(), "home", "said"))
	s.T.Fatalf("%s\nafter:\n%s\nthe agents saw:\n%s", fmt.Sprintf(format, args...), strings.Join(s.story, "\n"), said)
}

// play plays a sequence, and then continues each run.
func (s *stage) play() {
	s.T.Helper()
	for range 6 + s.chance.IntN(10) {
		var living []*player
		for _, a := range s.players {
			if a.alive {
				living = append(living, a)
			}
		}
		if what := s.chance.IntN(12); what == 0 && len(s.players) < 6 || len(living) == 0 {
			s.enterAgain()
		} else {
			s.act(living[s.chance.IntN(len(living))], what)
		}
	}
	for _, a := range s.players {
		a.kill()
	}
	s.note("all agents are killed")
	for _, w := range s.places {
		s.resume(w)
		s.holds(w)
	}
}

// enterAgain opens a session again that is not open now, or begins a new one.
func (s *stage) enterAgain() {
	s.T.Helper()
	var closed []string
	for session, a := range s.opened {
		if !a.alive {
			closed = append(closed, session)
		}
	}
	slices.Sort(closed)
	if len(closed) == 0 || s.chance.IntN(4) == 0 {
		s.enter("")
		return
	}
	s.enter(closed[s.chance.IntN(len(closed))])
}

// act lets a living agent do something, or kills it.
func (s *stage) act(a *player, what int) {
	s.T.Helper()
	kind := agentKinds[a.kind]
	switch what {
	case 1, 2:
		s.note("%s gets a prompt", a.session)
		s.event(a, fmt.Sprintf(`%q,"prompt":"another job"`, kind.prompt))
		if a.place.did == a.session {
			a.place.by = a // the run belongs to this session, so its process is known now
		}
	case 3, 4:
		s.note("%s has a list", a.session)
		item := func(title, state string) string {
			return fmt.Sprintf(`{"content":%q,"step":%q,"description":%q,"status":%q}`, title, title, title, state)
		}
		s.event(a, fmt.Sprintf(kind.list, item("other work", "in_progress")+","+item("t0", "completed")+","+item("t19", "completed")))
	case 5:
		s.note("%s ends its turn", a.session)
		s.event(a, fmt.Sprintf("%q", kind.end))
		if a.place.did == a.session {
			a.place.by = a
		}
	case 6:
		was := a.session
		a.session = s.newSession()
		s.note("%s is cleared and becomes %s", was, a.session)
		s.event(a, `"SessionStart","source":"clear"`)
	case 7:
		s.note("%s is killed", a.session)
		a.kill()
	case 8:
		s.resume(a.place)
	default:
		s.report(a)
	}
}

// held reports whether a living process works on the run of an agent's folder, so that the agent may not.
func (s *stage) held(a *player) bool {
	w := a.place
	other := s.opened[w.did]
	return w.did != "" && w.did != a.session && w.by != a && other != a && (w.by != nil && w.by.alive || other.alive)
}

// report lets an agent start the next task of the run in its folder, or report it as done.
func (s *stage) report(a *player) {
	s.T.Helper()
	w := a.place
	if w.done > tasksOf-3 {
		return
	}
	task := fmt.Sprintf("t%d", w.done)
	line := "git-resume task start " + task
	if w.active {
		file := w.run + "." + task // both runs have the same tasks, but no file in common
		line = "echo " + a.session + " >" + file + " && git-resume task done " + task + " " + file
	}
	held := s.held(a)
	code := s.does(a, line)
	s.note("%s: %s: %s", a.session, line, code)
	if want := map[bool]string{true: "13", false: "0"}[held]; code != want {
		s.fail("the report ended with %s, not with %s", code, want)
	}
	if held {
		return
	}
	if w.active {
		w.done++
	}
	w.active, w.did, w.by = !w.active, a.session, a
}

// resume continues a run, and checks which session that would be.
func (s *stage) resume(w *workplace) {
	s.T.Helper()
	other := s.opened[w.did]
	held := w.by != nil && w.by.alive || other != nil && other.alive
	_ = os.Remove(filepath.Join(s.Root(), "home", "continued"))
	out, code := s.Resume(w.run, "--yes")
	s.note("git resume %s: %d", w.run, code)
	got, _ := os.ReadFile(filepath.Join(s.Root(), "home", "continued")) // the tool was not started if it is missing
	_, session, _ := strings.Cut(strings.TrimSpace(string(got)), " ")
	switch {
	case held && code != 13:
		s.fail("a living session works on the run, but the exit code is %d\n%s", code, out)
	case held:
	case code != 0 || session != w.did:
		s.fail("session %q is continued, not %q; exit code %d\n%s", session, w.did, code, out)
	default:
		w.by = nil
		if w.did != "" {
			s.opened[w.did] = &player{kind: other.kind, place: w} // the process of the tool, which has ended
		}
	}
}

// holds checks that a run has the tasks that it was started with, and that those are done that were reported.
func (s *stage) holds(w *workplace) {
	s.T.Helper()
	var all struct {
		Runs []struct {
			Tasks []struct{ ID, State string }
		}
	}
	out := s.MustResume("status", w.run, "--json")
	if err := json.Unmarshal([]byte(out), &all); err != nil || len(all.Runs) != 1 || len(all.Runs[0].Tasks) != tasksOf {
		s.fail("the run has other tasks than it was started with: %v\n%s", err, out)
	}
	for i, task := range all.Runs[0].Tasks {
		if (task.State == "done") != (i < w.done) {
			s.fail("task %s is %s after %d reports\n%s", task.ID, task.State, w.done, out)
		}
	}
}
