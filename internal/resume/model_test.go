//go:build linux

package resume_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestModel drives a run by commands in any order, some of them killed at any moment, beside a user who edits,
// checks out, collects garbage and removes things, and compares what the program says with a small model.
//
// A few sequences of the same seed run always. GIT_RESUME_PROVE=1 runs two thousand of a new seed,
// "-rapid.checks" another number; a failure is made shorter and names the seed that repeats it.
func TestModel(t *testing.T) {
	checks, seed := flag.Lookup("rapid.checks"), flag.Lookup("rapid.seed")
	if checks.Value.String() == checks.DefValue {
		n := "4"
		if prove() {
			n = "2000"
		}
		_ = checks.Value.Set(n)
	}
	if !prove() && seed.Value.String() == seed.DefValue {
		_ = seed.Value.Set("2030")
		defer func() { _ = seed.Value.Set(seed.DefValue) }()
	}
	_ = flag.Set("rapid.nofailfile", "true") // a kill is not repeated by its file
	steps := flag.Lookup("rapid.steps")
	if steps.Value.String() == steps.DefValue {
		_ = steps.Value.Set("14")
	}
	base, n, begun := t.TempDir(), 0, time.Now()
	rapid.Check(t, func(rt *rapid.T) {
		n++
		dir := filepath.Join(base, fmt.Sprint(n))
		w := newStage(t, rt, dir)
		w.start(rt)
		rt.Repeat(w.actions())
		w.end()
		if !rt.Failed() {
			_ = os.RemoveAll(dir)
		}
		if n%100 == 0 {
			t.Logf("%d sequences in %v", n, time.Since(begun).Round(time.Second))
		}
	})
	t.Logf("%d sequences in %v", n, time.Since(begun).Round(time.Second))
}

// state is all that the model knows of the run.
type state struct {
	// phase is none, open, finished or discarded.
	phase  string
	paused bool
	tasks  [4]string
}

// The tasks of the model's plan: two commands, one that is reported, one question.
var modelTasks = [4]string{"a", "b", "q", "c"}

const (
	taskA = iota
	taskB
	taskQ
	taskC
)

func (s state) closed(i int) bool { return s.tasks[i] == "done" || s.tasks[i] == "skipped" }

func (s state) complete() bool {
	for i := range s.tasks {
		if !s.closed(i) {
			return false
		}
	}
	return true
}

func (s state) open() bool { return s.phase == "open" }

// with is the same state but for one task. The last result ends the run by itself.
func (s state) with(i int, word string) state {
	s.tasks[i] = word
	if (word == "done" || word == "skipped") && s.complete() {
		s.phase, s.paused = "finished", false
	}
	if word == "active" {
		s.paused = false
	}
	return s
}

// continued are the states that the run goes through when it is continued, the last one included.
func (s state) continued() []state {
	path := []state{s}
	s.paused = false
	path = append(path, s)
	for i := range s.tasks {
		switch {
		case s.closed(i):
			continue
		case i == taskB, i == taskQ, s.tasks[i] == "blocked":
			return path
		}
		s = s.with(i, "active")
		path = append(path, s)
		s = s.with(i, "done")
		path = append(path, s)
	}
	s.phase = "finished"
	return append(path, s)
}

// change is what a person did to the run and can take back.
type change struct {
	// back gives the state without it, whatever was reported since.
	back, again func(state) state
	undone      bool
}

// reports are how a task's result is told, with what it makes of the task; none where it is refused.
var reports = map[string]func(state, int) []state{
	"start": func(s state, i int) []state {
		if s.tasks[i] == "done" {
			return nil
		}
		return []state{s, s.with(i, "active")}
	},
	"done": func(s state, i int) []state { return []state{s, s.with(i, "done")} },
	"fail": func(s state, i int) []state {
		if s.tasks[i] == "done" {
			return nil
		}
		return []state{s, s.with(i, "failed")}
	},
	"skip": func(s state, i int) []state {
		if s.tasks[i] == "done" {
			return nil
		}
		return []state{s, s.with(i, "skipped")}
	},
	"reset": func(s state, i int) []state { return []state{s, s.with(i, "pending")} },
}

func sortedReports() []string {
	var out []string
	for name := range reports {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
