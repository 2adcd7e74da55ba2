//go:build linux

package handler_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/git-resume/git-resume/internal/gittest"
)

// TestModel runs random commands on a run, kills some of them at random moments, and disturbs the repository between them. After each
// step it compares the state that the program prints with a small model.
//
// Everyday tests try a few random sequences; the long proof tries as many as time allows. With "-rapid.seed" and the printed seed, a
// failing sequence can be repeated, except for the moment of a kill.
func TestModel(t *testing.T) {
	seed, checks, sides := flag.Lookup("rapid.seed"), flag.Lookup("rapid.checks"), 1
	_ = flag.Set("rapid.nofailfile", "true") // do not save failing sequences, because a repetition would not kill at the same moment
	if steps := flag.Lookup("rapid.steps"); steps.Value.String() == steps.DefValue {
		_ = steps.Value.Set("14")
	}
	m := newModel(t)
	if seed.Value.String() != seed.DefValue {
		rapid.Check(t, func(rt *rapid.T) { m.sequence(t, rt) })
		return
	}
	size := 3
	if gittest.Proving() {
		size, sides = 25, min(2, runtime.NumCPU())
	}
	_ = checks.Value.Set(strconv.Itoa(size))
	p := gittest.Prove(t, "G", "model sequences")
	t.Cleanup(func() { _ = checks.Value.Set(checks.DefValue); _ = seed.Value.Set(seed.DefValue) })
	for side := range sides {
		t.Run(fmt.Sprintf("side %d", side+1), func(t *testing.T) {
			t.Parallel()
			for m.more(p, size) {
				m.chunk(t, p, size)
			}
		})
	}
}

// model holds the data that all command sequences of the test share.
type model struct {
	dir      string
	template string
	// paces holds how long each command takes when it is not killed.
	paces sync.Map
	begun time.Time
	count atomic.Int64

	// mu protects the counting of trials.
	mu sync.Mutex
	// flags protects rapid's global flags from the moment we set them until rapid has read them.
	flags sync.Mutex
	seeds *rand.Rand
}

func newModel(t *testing.T) *model {
	return &model{dir: t.TempDir(), template: filepath.Dir(gittest.New(t).Dir), begun: time.Now()}
}

func (m *model) more(p *gittest.Proof, sample int) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return p.More(sample)
}

// chunk runs as many random sequences as "size" says. One seed determines all of them.
func (m *model) chunk(t *testing.T, p *gittest.Proof, size int) {
	m.flags.Lock()
	read := sync.OnceFunc(m.flags.Unlock)
	defer read()
	if m.seeds == nil {
		m.seeds = p.Rand(0)
	}
	seed := 1 + m.seeds.Uint64N(math.MaxInt64)
	_ = flag.Set("rapid.seed", strconv.FormatUint(seed, 10))
	rapid.Check(t, func(rt *rapid.T) {
		read() // unlocks m.flags: rapid.Check reads its flags before it calls the function for the first time
		m.sequence(t, rt)
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	p.Trial(size)
	t.Logf("%d sequences of seed %d; %d in %v", size, seed, m.count.Load(), time.Since(m.begun).Round(time.Second))
}

func (m *model) sequence(t *testing.T, rt *rapid.T) {
	dir := filepath.Join(m.dir, strconv.FormatInt(m.count.Add(1), 10))
	w := newStage(t, rt, m, dir)
	w.start(rt)
	rt.Repeat(w.actions())
	w.checkAll()
	if !rt.Failed() {
		_ = os.RemoveAll(dir)
	}
}

// state is everything that the model knows about the run.
type state struct {
	// phase is "none", "open", "finished" or "discarded".
	phase  string
	paused bool
	tasks  [4]string
}

// Tasks a and c have commands. Somebody else does task b and reports on it. Task q is a question.
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

// withTask returns the state after the state of one task has changed. If all tasks are closed then, the run is finished.
func (s state) withTask(i int, word string) state {
	s.tasks[i] = word
	if (word == "done" || word == "skipped") && s.complete() {
		s.phase, s.paused = "finished", false
	}
	if word == "active" {
		s.paused = false
	}
	return s
}

// continuedStates lists the states that the run passes through when it is continued, including the final state.
func (s state) continuedStates() []state {
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
		s = s.withTask(i, "active")
		path = append(path, s)
		s = s.withTask(i, "done")
		path = append(path, s)
	}
	s.phase = "finished"
	return append(path, s)
}

// change is something that a person did to the run, such as a pause. A person can undo it.
type change struct {
	// The function "back" returns the state after the change is undone. The function "again" returns the state after the change is redone.
	back, again func(state) state
	undone      bool
	// pause is true if the change is a pause, which ends when the run continues. overtaken is true if an undo of the change would have no
	// effect.
	pause, overtaken bool
}

// reports maps each kind of report to a function.
// The function returns the states before and after the report, or nil if the report is refused.
var reports = map[string]func(state, int) []state{
	"start": func(s state, i int) []state {
		if s.tasks[i] == "done" {
			return nil
		}
		return []state{s, s.withTask(i, "active")}
	},
	"done": func(s state, i int) []state { return []state{s, s.withTask(i, "done")} },
	"fail": func(s state, i int) []state {
		if s.tasks[i] == "done" {
			return nil
		}
		return []state{s, s.withTask(i, "failed")}
	},
	"skip": func(s state, i int) []state {
		if s.tasks[i] == "done" {
			return nil
		}
		return []state{s, s.withTask(i, "skipped")}
	},
	"reset": func(s state, i int) []state { return []state{s, s.withTask(i, "pending")} },
}

func sortedReports() []string {
	var out []string
	for name := range reports {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}
