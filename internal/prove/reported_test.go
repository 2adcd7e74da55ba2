package prove

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// reported is the part of the output of "status --json" that the tests read.
type reported struct {
	Runs []struct {
		Run, State, Source, Detail string
		Also                       []string
		Tasks                      []struct{ ID, State, Commit, Answer string }
	}
}

func readReported(r *gittest.Repo) (reported, error) {
	r.T.Helper()
	var s reported
	out, code := r.Resume("status", "--all", "--json")
	if code != 0 {
		return s, fmt.Errorf("status: exit code %d\n%s", code, out)
	}
	return s, json.Unmarshal([]byte(out), &s)
}

// checkReport checks that the journals are in order (see checkOrder), that the program's report agrees with the facts that git shows, and
// that reporting changes nothing.
func checkReport(r *gittest.Repo, f facts) (s reported, err error) {
	r.T.Helper()
	if err := f.checkOrder(r); err != nil {
		return s, err
	}
	return s, readsOnly(r, len(f.commits), func() error {
		if s, err = readReported(r); err != nil {
			return err
		}
		return compare(s, f)
	})
}

// compare compares what the program reports about our runs with what git shows.
func compare(s reported, f facts) error {
	told := map[string]bool{}
	for _, run := range s.Runs {
		if told[run.Run] {
			return fmt.Errorf("status tells of %s twice", run.Run)
		}
		told[run.Run] = true
		for _, name := range run.Also {
			told[name] = true
		}
		if run.Source != "native" {
			continue
		}
		facts := f.runs[run.Run]
		if facts == nil {
			return fmt.Errorf("status tells of run %s, git shows none", run.Run)
		}
		if err := facts.checkState(run.State, run.Detail); err != nil {
			return fmt.Errorf("run %s: %w", run.Run, err)
		}
		shown := map[string]bool{}
		for _, t := range run.Tasks {
			shown[t.ID] = true
			if err := compareTask(t.ID, t.State, f.state(run.Run, t.ID)); err != nil {
				return err
			}
			if t.Answer != facts.answer[t.ID] {
				return fmt.Errorf("status says answer %q, the journal %q", t.Answer, facts.answer[t.ID])
			}
			if t.State == "done" && t.Commit != "" && !f.has(t.Commit) && !f.hasTaskCommit(run.Run, t.ID) {
				return fmt.Errorf("status names commit %s of task %s, which is not on the branch", t.Commit, t.ID)
			}
		}
		for task := range facts.tasks {
			if !shown[task] {
				return fmt.Errorf("status tells nothing of task %s", task)
			}
		}
	}
	for id, run := range f.runs {
		// The status may show an interrupted merge in the worktree instead of the run. Even then, it must name the run.
		if run.source == "" && !told[id] {
			return fmt.Errorf("status tells nothing of run %s", id)
		}
	}
	return nil
}

// checkState checks that the reported state of a run agrees with its journal and with the living processes on this machine.
func (f *runFacts) checkState(state, detail string) error {
	closed := state == "finished" || state == "discarded"
	switch {
	case state == "running" && f.closed == "finished" && f.owner.isAlive():
		return nil // the journal is already closed, but the owner still runs until it has cleaned up
	case closed && f.closed != state, !closed && f.closed != "":
		return fmt.Errorf("status says %s, the journal says closed: %q", state, f.closed)
	case (state == "paused") != f.paused && !closed:
		return fmt.Errorf("status says %s, the journal says paused: %v", state, f.paused)
	case state == "interrupted" && (f.driver.isAlive() || f.owner.isAlive()):
		return fmt.Errorf("status says interrupted, and process %d or %d lives", f.driver.PID, f.owner.PID)
	case state == "idle" && detail != "elsewhere" && f.begun && !f.driver.isAlive() && !f.owner.isAlive():
		return fmt.Errorf("status says idle, but work has begun, and neither process %d nor %d lives", f.driver.PID, f.owner.PID)
	case state == "running" && !f.driver.isAlive() && !f.owner.isAlive():
		return fmt.Errorf("status says running, and neither process %d nor %d lives", f.driver.PID, f.owner.PID)
	}
	return nil
}

// isAlive reports whether the process is alive. A later process with the same id has a different start time.
func (a actor) isAlive() bool { return a.PID != 0 && living(a.PID) == a }

// living returns the process with this id and its start time, or the zero actor if no such process is alive.
func living(pid int) actor {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return actor{}
	}
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) <= 19 || fields[0] == "Z" || fields[0] == "X" {
		return actor{}
	}
	return actor{pid, fields[19]}
}

func compareTask(id, said, shown string) error {
	// Status may say two things about an answered task. The task is done if the task itself is a question. It is pending again if a
	// worker asked while working on it.
	if shown == "answered" && (said == "done" || said == "pending") || said == shown {
		return nil
	}
	return fmt.Errorf("status says task %s is %s, git shows %s", id, said, shown)
}

// hasTaskCommit reports whether some commit completed this task of the run. A commit with the trailer Resume-State has only a part of a
// task.
func (f facts) hasTaskCommit(run, task string) bool {
	return slices.ContainsFunc(f.commits, func(c trailerCommit) bool { return c.run == run && c.task == task && c.state == "" })
}

func (f facts) has(commit string) bool {
	for _, c := range f.commits {
		if c.id == commit {
			return true
		}
	}
	return false
}
