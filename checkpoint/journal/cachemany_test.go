package journal

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/gittest"
	"pgregory.net/rapid"
)

// The process that executes a run appends lines, and agents append lines from processes of their own. After each step, the cache file must
// give the same state as the journal itself, no matter which process wrote the file last.
func TestCache_isRightWhileSeveralProcessesAppend(t *testing.T) {
	t.Parallel()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue && !gittest.Proving() {
		if err := checks.Value.Set("12"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(r *rapid.T) {
		j := newJournal(t, "t", "u", "v")
		now := atWork
		executor, agent := *j, *j
		executor.s = storeAt(t, j.Dir, j.Env, "nonce2")
		executor.s.Now, executor.s.Executing = func() time.Time { return now }, j.id
		agent.s = storeAt(t, j.Dir, j.Env, "nonce3")
		n := 0
		event := func() checkpoint.Event {
			n++
			kind := rapid.SampledFrom([]checkpoint.Kind{checkpoint.TaskStarted, checkpoint.TaskBlocked, checkpoint.TaskDone, checkpoint.TaskFailed}).Draw(r, "kind")
			return checkpoint.Event{Event: kind, Task: rapid.SampledFrom([]checkpoint.TaskID{"t", "u", "v"}).Draw(r, "task"), Attempt: fmt.Sprintf("a.%d", n)}
		}
		step := map[string]func(){
			"the executor appends": func() { executor.add(event()) },
			"the executor flushes": func() { executor.s.Flush() },
			"time passes":          func() { now = now.Add(cacheEvery / 3) },
			"an agent appends":     func() { agent.add(event()) },
			"an agent is killed before it writes the cache": func() {
				was := readFile(t, j.cachePath())
				agent.add(event())
				if err := os.WriteFile(j.cachePath(), was, 0o644); err != nil {
					t.Fatal(err)
				}
			},
		}
		r.Repeat(map[string]func(*rapid.T){
			"step": func(r *rapid.T) {
				step[rapid.SampledFrom([]string{
					"the executor appends", "the executor flushes", "time passes", "an agent appends", "an agent is killed before it writes the cache",
				}).Draw(r, "what happens")]()
			},
			"": func(r *rapid.T) {
				cached := readFile(t, j.cachePath())
				got := j.load().Run
				j.dropCache()
				want := j.load().Run
				if !same(got, want) {
					r.Fatalf("with the cache:\n%s\nwithout it:\n%s\nthe cache:\n%s", asJSON(got), asJSON(want), bytes.ReplaceAll(cached, []byte("\x1f"), []byte("|")))
				}
				if err := os.WriteFile(j.cachePath(), cached, 0o644); err != nil {
					r.Fatal(err)
				}
			},
		})
	})
}

// Earlier versions had this fault: an agent added a line to the journal. Then the executor wrote an older state, without this line, to the
// cache file. The next line of the executor was added to the cache file as if it directly followed this older state. So other processes
// that read the cache did not see the agent's line, and a task that had asked a question was executed again.
func TestCache_keepsTheLineOfAnAgentAfterAFlush(t *testing.T) {
	j := newJournal(t, "ask", "other")
	executor := *j
	executor.s = storeAt(t, j.Dir, j.Env, "nonce2")
	executor.s.Executing = j.id
	executor.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "ask", Attempt: "a.1"})
	executor.add(checkpoint.Event{Event: checkpoint.TaskStarted, Task: "other", Attempt: "a.2"})
	j.add(checkpoint.Event{Event: checkpoint.TaskBlocked, Task: "ask", Text: "Which colour?"})
	executor.s.Flush()
	executor.add(checkpoint.Event{Event: checkpoint.TaskDone, Task: "other", Attempt: "a.2"})
	if got := j.load().Run.Task("ask").State; got != checkpoint.Blocked {
		t.Errorf("the task that asked is %s", got)
	}
}
