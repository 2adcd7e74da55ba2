//go:build linux

package handler_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// crewSeen is what "status --json --check" prints about a run with jobs.
type crewSeen struct {
	Run   string
	State string
	Tasks []struct {
		ID, State string
		Attempts  int
	}
	Findings []struct{ Code, Text string }
}

// observe collects what can be seen from outside: the processes, the branch and the worktrees (with plain git), the record, and what the
// program says about the run.
func (w *crewStage) observe() observation {
	w.t.Helper()
	o := observation{phase: "none"}
	if o.alive = !w.hasEnded(); !o.alive && w.cmd != nil {
		o.code = w.cmd.ProcessState.ExitCode()
	}
	said, ok := w.said()
	if !ok {
		return o
	}
	w.id, o.phase = said.Run, "open"
	if said.State == "finished" {
		o.phase = "finished"
	}
	journal, commits, made, working := w.journalText(), w.commits(), w.madeInPlaces(), w.working()
	for i := range w.plan {
		id := crewName(i)
		word := ""
		for _, t := range said.Tasks {
			if t.ID == id {
				word, o.attempts[i] = t.State, t.Attempts
			}
		}
		recorded := strings.Count(journal, fmt.Sprintf(`"event":"task.done","task":%q`, id))
		switch {
		case recorded > 1 || commits[id] > 1:
			w.fail("task %s was recorded %d times as done, and has %d commits", id, recorded, commits[id])
		case recorded == 1 && word == wordDone:
		case word == wordDone || word == "active" && commits[id] == 1:
			word = wordOnBranch
		case word == "active" && working[i] > 0:
			word = wordWorking
		case word == "active" && made[id]:
			word = wordInPlace
		case word == "active":
			word = wordInterrupted
		}
		o.words[i] = word
	}
	return o
}

// said returns what the program says about the run; false if it does not know the run.
func (w *crewStage) said() (crewSeen, bool) {
	w.t.Helper()
	out, code := w.Resume("status", "--json", "--all", "--check")
	var doc struct{ Runs []crewSeen }
	if err := json.Unmarshal([]byte(out), &doc); code != 0 && code != 1 || err != nil {
		w.fail("status: exit code %d, %v\n%s", code, err, out)
	}
	doc.Runs = slices.DeleteFunc(doc.Runs, func(s crewSeen) bool { return !strings.HasPrefix(s.Run, "job-") })
	if len(doc.Runs) > 1 {
		w.fail("%d runs", len(doc.Runs))
	}
	if len(doc.Runs) == 0 {
		return crewSeen{}, false
	}
	return doc.Runs[0], true
}

// journalText returns the lines of the run's record, read with git.
func (w *crewStage) journalText() string {
	out, _ := w.Try("git", "grep", "-h", "seq", "refs/resume/journal/"+w.id)
	return out
}

// commits counts the commits of each task on the run's branch.
func (w *crewStage) commits() map[string]int {
	out := map[string]int{}
	text, code := w.Try("git", "log", "--format=%(trailers:key=Resume-Task,valueonly,separator=%x2C)", "main..resume/"+w.id)
	if code == 0 {
		for id := range strings.FieldsSeq(text) {
			out[id]++
		}
	}
	return out
}

// places returns the worktrees of tasks.
func (w *crewStage) places() []string {
	found, _ := filepath.Glob(filepath.Join(w.Dir+".worktrees", "job-????.*"))
	return slices.DeleteFunc(found, func(dir string) bool {
		_, err := os.Stat(filepath.Join(dir, ".git"))
		return err != nil
	})
}

// madeInPlaces returns the tasks whose commit is in a worktree of a task, but not on the run's branch.
func (w *crewStage) madeInPlaces() map[string]bool {
	out := map[string]bool{}
	for _, dir := range w.places() {
		text, code := w.In(dir).Try("git", "log", "-1", "--format=%(trailers:key=Resume-Task,valueonly,separator=%x2C)", "HEAD", "--not", "resume/"+w.id)
		if id := strings.TrimSpace(text); code == 0 && id != "" {
			out[id] = true
		}
	}
	return out
}

// invariants checks what must hold after every step.
func (w *crewStage) invariants() {
	w.t.Helper()
	if got := w.Git("status", "--porcelain", "-b"); strings.TrimSpace(got) != "## main" {
		w.fail("the user's own worktree: %s", got)
	}
	if w.id == "" || w.now.phase == "none" {
		return
	}
	// Each commit from outside must be on the branch. The branch may be missing only if no task has started: the start may have been killed
	// before it made the branch.
	if log, code := w.Try("git", "log", "--format=%s", "main..resume/"+w.id); strings.Count(log, "from outside") != w.outside || code != 0 && slices.Max(w.now.attempts[:]) > 0 {
		w.fail("of %d commits from outside these are left: %s", w.outside, log)
	}
	w.checkStarts()
	w.checkSlots()
	w.checkWritten()
	if !w.now.alive {
		w.checkFindings()
	}
	if n := len(w.places()); n > 6 || n > 0 && w.now.phase == "finished" && !w.now.alive {
		w.fail("%d worktrees of tasks", n)
	}
	if !w.now.alive && w.now.code != -1 && w.now.code != 13 {
		home := w.In(filepath.Join(w.Dir+".worktrees", w.id))
		if got := strings.TrimSpace(home.Git("status", "--porcelain", "-b")); got != "## resume/"+w.id {
			w.fail("the run's own worktree after the program has ended: %s", got)
		}
	}
}

// checkStarts checks that the start of each command that ran is recorded, and that no attempt ran twice.
func (w *crewStage) checkStarts() {
	w.t.Helper()
	text, _ := os.ReadFile(filepath.Join(w.side, "ran"))
	journal, ran := w.journalText(), map[string]bool{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		begun := slices.ContainsFunc(strings.Split(journal, "\n"), func(l string) bool {
			return strings.Contains(l, `"event":"task.started"`) && strings.Contains(l, fmt.Sprintf(`"task":%q`, f[0])) && strings.Contains(l, fmt.Sprintf(`"id":%q`, f[1]))
		})
		if !begun || ran[f[1]] {
			w.fail("%q ran; recorded before: %v, for the second time: %v", line, begun, ran[f[1]])
		}
		ran[f[1]] = true
	}
}

// checkSlots checks that the tasks at work have different slots and different worktrees.
func (w *crewStage) checkSlots() {
	w.t.Helper()
	text, _ := os.ReadFile(filepath.Join(w.side, "ran"))
	slot := map[string]string{}
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		slot[f[0]] = f[2]
	}
	taken := map[string]string{}
	for i, pid := range w.working() {
		if pid == 0 {
			continue
		}
		id := crewName(i)
		dir, _ := os.Readlink(fmt.Sprintf("/proc/%d/cwd", pid))
		for _, what := range []string{"slot " + slot[id], "worktree " + dir} {
			if taken[what] != "" {
				w.fail("tasks %s and %s have the same %s", taken[what], id, what)
			}
			taken[what] = id
		}
	}
}

// checkWritten checks that each text that the user wrote is still in its file, or can be reached from a ref, such as a branch or a
// snapshot.
func (w *crewStage) checkWritten() {
	w.t.Helper()
	var saved map[string]bool
	for text, path := range w.written {
		if got, err := os.ReadFile(path); err == nil && string(got) == text {
			continue
		}
		if saved == nil {
			saved = (&stage{user: w.user}).reachableObjects()
		}
		if !saved[blobID(text)] {
			w.fail("what the user wrote into %s is lost", path)
		}
	}
}

// crewCodes are the findings that say in which state a task was left when the program ended.
var crewCodes = []string{"still-running", "task-landed", "task-cut-off"}

// isAbout reports whether the text of a finding names the task. Not every text begins with the name.
func isAbout(text, id string) bool { return strings.Contains(text, fmt.Sprintf("task '%s' ", id)) }

// TestIsAbout_everySentence keeps the model in step with the sentences. Few random sequences reach some of the findings, so without this test
// a new wording could go unnoticed.
func TestIsAbout_everySentence(t *testing.T) {
	t.Parallel()
	for _, c := range []candidate.Case{candidate.AliveTask, candidate.FindLanded.Case(), candidate.LandedInPlace, candidate.FindPartly.Case()} {
		text := words.Sentence(candidate.Note{Case: c, Facts: candidate.Facts{Task: "d", Commit: object.ID(strings.Repeat("0", 40))}})
		if !isAbout(text, "d") || isAbout(text, "a") {
			t.Errorf("%s: the task is not found in %q", c, text)
		}
	}
}

// checkFindings checks that the program's findings say in which state each task was left.
func (w *crewStage) checkFindings() {
	w.t.Helper()
	said, _ := w.said()
	orphans := slices.Contains(w.now.words[:], wordWorking)
	if orphans != (said.State == "running") {
		w.fail("tasks are at work: %v, but the run is %s", orphans, said.State)
	}
	for i := range w.plan {
		told := ""
		for _, f := range said.Findings {
			if slices.Contains(crewCodes, f.Code) && isAbout(f.Text, crewName(i)) {
				told += f.Code + " "
			}
		}
		want := map[string][]string{
			wordWorking: {"still-running "}, wordInPlace: {"task-landed "}, wordOnBranch: {"task-landed "},
			wordInterrupted: {"task-cut-off ", ""}, // no finding if the task has not changed a file yet
			wordDone:        {"", "task-landed "},  // task-landed if the result was on the branch before it was recorded
		}[w.now.words[i]]
		if want == nil {
			want = []string{""}
		}
		if !slices.Contains(want, told) {
			w.fail("task %s is %s, and the program says %q: %+v", crewName(i), w.now.words[i], told, said.Findings)
		}
	}
}

// checkResult checks the files and commits of the finished run.
func (w *crewStage) checkResult() {
	w.t.Helper()
	commits := w.commits()
	for i := range w.plan {
		id := crewName(i)
		if got := w.Git("show", "resume/"+w.id+":f"+id); got != "whole" || commits[id] != 1 {
			w.fail("task %s left %q and %d commits", id, got, commits[id])
		}
	}
	w.Fsck()
}
