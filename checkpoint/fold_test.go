package checkpoint

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/plan"
	"pgregory.net/rapid"
)

// someLines generates a journal as if several clones had written it. It uses few tasks and attempts, so that many events are about the
// same task.
func someLines(t *rapid.T) []Line {
	kinds := []Kind{RunStarted, RunClaimed, RunDriven, RunPaused, RunResumed, RunStopped, RunFinished, RunDiscarded, RunRestored,
		TaskAdded, TaskStarted, TaskDone, TaskDone, TaskFailed, TaskBlocked, TaskAnswered, TaskSkipped, TaskReset, Checkpoint, Snapshot, "task.sung", "mood.changed"}
	n := rapid.IntRange(0, 30).Draw(t, "lines")
	var out []Line
	for i := range n {
		if rapid.IntRange(0, 15).Draw(t, "damage") == 0 {
			out = append(out, ParseLine(rapid.StringMatching("[a-z{}\":]{1,20}").Draw(t, "damaged line")))
			continue
		}
		seq := rapid.Int64Range(1, 25).Draw(t, "seq")
		out = append(out, line(seq, fmt.Sprintf("%s.%d", rapid.SampledFrom([]string{"a", "b"}).Draw(t, "who"), i), Event{
			Event: rapid.SampledFrom(kinds).Draw(t, "kind"), Task: rapid.SampledFrom([]TaskID{"", "t1", "t2", "t3"}).Draw(t, "task"),
			Attempt: rapid.SampledFrom([]string{"", "a.5", "b.5", "b.6"}).Draw(t, "attempt"),
			Head:    rapid.SampledFrom([]object.ID{"", "h1", "h2"}).Draw(t, "head"), Text: rapid.SampledFrom([]string{"", "why"}).Draw(t, "text"),
			Epoch: rapid.IntRange(0, 3).Draw(t, "epoch"), Actor: &Actor{Nonce: rapid.SampledFrom([]string{"n1", "n2"}).Draw(t, "nonce")},
		}))
	}
	return out
}

func TestFold_dependsOnTheSetAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := someLines(t)
		want := Fold(testRun, lines, nil)
		mixed := rapid.Permutation(append(lines, rapid.SliceOf(rapid.SampledFrom(append(lines, line(1, "z.1", Event{Event: "none"}))[:max(len(lines), 1)])).Draw(t, "again")...)).Draw(t, "order")
		if len(lines) == 0 {
			mixed = nil
		}
		if got := Fold(testRun, mixed, nil); !same(got, want) {
			t.Fatalf("in order %s\nmixed    %s", asJSON(want), asJSON(got))
		}
	})
}

func TestFold_isWhatAnAppendKeepsUp(t *testing.T) {
	kept := 0
	rapid.Check(t, func(t *rapid.T) {
		lines := someLines(t)
		own := rapid.Bool().Draw(t, "ours")
		for i := range lines {
			lines[i].Ours = own && !lines[i].Bad && rapid.IntRange(0, 9).Draw(t, "stranger") > 0
		}
		r := Fold(testRun, lines, nil)
		var more []Line
		for i, l := range someLines(t) {
			if l.Bad {
				continue
			}
			next := line(r.Top+int64(i)+1, fmt.Sprintf("c.%d", i), l.Event)
			next.Ours = r.Rooted != (rapid.IntRange(0, 19).Draw(t, "odd one") == 0)
			more = append(more, next)
		}
		if !r.Extend(more, nil) {
			return // Extend refused, so a reader would call Fold
		}
		kept += len(more)
		if want := Fold(testRun, append(lines, more...), nil); !same(r, want) {
			t.Fatalf("at once %s\nin steps %s", asJSON(want), asJSON(r))
		}
	})
	if kept == 0 {
		t.Error("nothing was ever kept up")
	}
}

func TestFold_doneStandsUntilAResetNamesIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := someLines(t)
		r := Fold(testRun, lines, nil)
		for _, id := range []TaskID{"t1", "t2", "t3"} {
			stands := false
			var attempt string
			for _, l := range Sorted(lines) {
				e := l.Event
				switch {
				case l.Bad || e.Task != id:
				case e.Event == TaskDone:
					stands, attempt = true, e.Attempt
				case e.Event == TaskReset && e.Attempt == attempt:
					stands = false
				}
			}
			task := r.Task(id)
			if got := task != nil && task.State == Done; got != stands {
				t.Fatalf("task %s: done %v, but its last result stands: %v", id, got, stands)
			}
			if stands && task.Attempt != attempt {
				t.Fatalf("task %s: result of attempt %q, want %q", id, task.Attempt, attempt)
			}
		}
	})
}

func TestFold_taskStates(t *testing.T) {
	one := 1
	for _, c := range []struct {
		name   string
		events []Event
		want   TaskState
	}{
		{"added", []Event{{Event: TaskAdded}}, Pending},
		{"started", []Event{{Event: TaskStarted, Attempt: "a"}}, Active},
		{"done", []Event{{Event: TaskStarted, Attempt: "a"}, {Event: TaskDone, Attempt: "a"}}, Done},
		{"done without a start", []Event{{Event: TaskDone}}, Done},
		{"failed", []Event{{Event: TaskStarted, Attempt: "a"}, {Event: TaskFailed, Attempt: "a", ExitCode: &one}}, Failed},
		{"failed, then started again", []Event{{Event: TaskFailed, Attempt: "a"}, {Event: TaskStarted, Attempt: "b"}}, Active},
		{"blocked", []Event{{Event: TaskBlocked, Text: "which?"}}, Blocked},
		{"blocked and answered", []Event{{Event: TaskBlocked, Text: "which?"}, {Event: TaskAnswered, Text: "that"}}, Pending},
		{"skipped", []Event{{Event: TaskSkipped}}, Skipped},
		{"skipped, then started", []Event{{Event: TaskSkipped}, {Event: TaskStarted, Attempt: "a"}}, Active},
		{"done, then a start of another attempt", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskStarted, Attempt: "b"}}, Done},
		{"done, then a failure of another attempt", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskFailed, Attempt: "b"}}, Done},
		{"done, then a failure told of the same attempt elsewhere", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskFailed, Attempt: "a"}}, Done},
		{"done without a start, then a failure without one", []Event{{Event: TaskDone}, {Event: TaskFailed}}, Done},
		{"done, then skipped elsewhere", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskSkipped, Attempt: "b"}}, Done},
		{"done and reset", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskReset, Attempt: "a"}}, Pending},
		{"done, and a reset that names another attempt", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskReset, Attempt: "b"}}, Done},
		{"reset, then done again", []Event{{Event: TaskDone, Attempt: "a"}, {Event: TaskReset, Attempt: "a"}, {Event: TaskDone, Attempt: "b"}}, Done},
		{"failed and reset", []Event{{Event: TaskFailed, Attempt: "a"}, {Event: TaskReset, Attempt: "x"}}, Pending},
		{"an unknown event", []Event{{Event: TaskStarted, Attempt: "a"}, {Event: "task.sung"}}, Active},
	} {
		var lines []Line
		for i, e := range c.events {
			e.Task = "t"
			lines = append(lines, line(int64(i+1), fmt.Sprintf("a.%d", i+1), e))
		}
		r := Fold(testRun, lines, nil)
		if got := r.Task("t").State; got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// A task that is completed and reset again and again, with the same result, must not make the state of its run larger each time.
func TestFold_keepsEachResetResultOnce(t *testing.T) {
	var lines []Line
	for i, digit := range []string{"1", "1", "2", "1"} {
		attempt, tree := fmt.Sprintf("a%d", i), strings.Repeat(digit, 40)
		for k, e := range []Event{
			{Event: TaskDone, Task: "t", Attempt: attempt, Commit: object.ID(tree), Tree: object.ID(tree), Patch: "f" + tree[1:]},
			{Event: TaskReset, Task: "t", Attempt: attempt},
		} {
			lines = append(lines, line(int64(2*i+k+1), fmt.Sprintf("a.%d", 2*i+k+1), e))
		}
	}
	r := Fold(testRun, lines, nil)
	ones, twos := strings.Repeat("1", 40), strings.Repeat("2", 40)
	if got := r.Task("t"); !slices.Equal(got.Undone, []string{ones, "f" + ones[1:], twos, "f" + twos[1:]}) || got.State != Pending {
		t.Errorf("the task is %s and was reset from %q", got.State, got.Undone)
	}
}

func TestFold_ownerIsTheHighestEpoch(t *testing.T) {
	claim := func(seq int64, id string, epoch int, nonce string) Line {
		return line(seq, id, Event{Event: RunClaimed, Epoch: epoch, Actor: &Actor{Nonce: nonce}})
	}
	for _, c := range []struct {
		name  string
		lines []Line
		epoch int
		nonce string
	}{
		{"one claim", []Line{claim(1, "a.1", 1, "n1")}, 1, "n1"},
		{"a takeover", []Line{claim(1, "a.1", 1, "n1"), claim(2, "b.1", 2, "n2")}, 2, "n2"},
		{"an old owner's claim with a later number", []Line{claim(1, "b.1", 2, "n2"), claim(2, "a.1", 1, "n1")}, 2, "n2"},
		{"two equal claims: the later line", []Line{claim(5, "a.1", 3, "n1"), claim(5, "b.1", 3, "n2")}, 3, "n2"},
		{"a claim without an actor has no nonce", []Line{claim(1, "a.1", 1, "n1"), line(2, "b.1", Event{Event: RunClaimed, Epoch: 2})}, 2, ""},
	} {
		r := Fold(testRun, c.lines, nil)
		if r.Epoch != c.epoch || r.Nonce != c.nonce {
			t.Errorf("%s: epoch %d of %q, want %d of %q", c.name, r.Epoch, r.Nonce, c.epoch, c.nonce)
		}
	}
}

func TestFold_showsDivergence(t *testing.T) {
	a1, b1 := line(1, "a.1", Event{Event: RunStarted}), line(1, "b.1", Event{Event: RunPaused})
	a2 := line(2, "a.2", Event{Event: RunPaused})
	for _, c := range []struct {
		name  string
		lines []Line
		want  bool
	}{
		{"one place", []Line{a1, a2}, false},
		{"the same line twice", []Line{a1, a1, a2}, false},
		{"the same line, once with a carriage return", []Line{a1, ParseLine(a1.Text + "\r")}, false},
		{"equal numbers, different ids", []Line{a1, a2, b1}, true},
		{"unreadable lines have no number", []Line{a1, ParseLine("x"), ParseLine("y")}, false},
	} {
		if got := Fold(testRun, c.lines, nil); got.Diverged != c.want {
			t.Errorf("%s: diverged %v", c.name, got.Diverged)
		}
	}
}

func TestFold_countsWhatItCannotUse(t *testing.T) {
	newer := Event{Seq: SeqText(4), ID: "a.4", At: atWork, Event: TaskDone, Task: "t", V: Version + 1}
	text, err := newer.Encode()
	if err != nil {
		t.Fatal(err)
	}
	r := Fold(testRun, []Line{
		line(1, "a.1", Event{Event: RunStarted, Name: "n"}), line(2, "a.2", Event{Event: "mood.changed"}), line(3, "a.3", Event{Event: "task.sung", Task: "t"}),
		ParseLine(string(text)), ParseLine("torn {"), ParseLine("torn {"), ParseLine("other"),
	}, nil)
	if r.Unreadable != 2 || r.Unknown != 3 || r.Events != 4 || r.Seq != 4 {
		t.Errorf("unreadable %d, unknown %d, events %d, seq %d", r.Unreadable, r.Unknown, r.Events, r.Seq)
	}
	if task := r.Task("t"); task != nil && task.State == Done {
		t.Error("a line of a newer version was taken for one of ours")
	}
}

func TestFold_readsThePlan(t *testing.T) {
	doc := plan.Plan{Name: "n", Tasks: []plan.Task{{ID: "a", Title: "first"}, {ID: "b", Done: true}, {ID: "q", Ask: "which?", Options: []string{"x", "y"}}}}.Canonical()
	lines := []Line{line(1, "a.1", Event{Event: RunStarted, Name: "n", Plan: object.ID(strings.Repeat("ab", 20))}), line(2, "a.2", Event{Event: TaskStarted, Task: "new", Attempt: "a.2"})}
	r := Fold(testRun, lines, Docs{object.ID(strings.Repeat("ab", 20)): doc})
	if r.Planned != 3 || len(r.Tasks) != 4 || r.Tasks[0].Title != "first" || r.Tasks[1].State != Done || !r.Tasks[2].Asks || r.Tasks[3].ID != "new" {
		t.Errorf("%s", asJSON(r.Tasks))
	}
	if bare := Fold(testRun, lines, nil); bare.Planned != 0 || len(bare.Tasks) != 1 || bare.AllClosed() {
		t.Errorf("a plan that is not there: %s", asJSON(bare.Tasks))
	}
}

func TestFold_pauseEndsWithTheNextStart(t *testing.T) {
	lines := []Line{line(1, "a.1", Event{Event: RunStarted}), line(2, "a.2", Event{Event: RunPaused, Text: "lunch"})}
	if r := Fold(testRun, lines, nil); !r.Paused || r.Cause != "lunch" {
		t.Errorf("paused: %v %q", r.Paused, r.Cause)
	}
	lines = append(lines, line(3, "a.3", Event{Event: TaskStarted, Task: "t", Attempt: "a.3"}))
	if r := Fold(testRun, lines, nil); r.Paused || r.Cause != "" {
		t.Errorf("started again: %v %q", r.Paused, r.Cause)
	}
}

func TestFold_countsStops(t *testing.T) {
	started := Event{Event: TaskStarted, Task: "t1", Attempt: "a.1"}
	for name, c := range map[string]struct {
		events []Event
		want   int
	}{
		"killed, and gone on":         {[]Event{started, {Event: RunResumed}}, 1},
		"stopped by Ctrl-C":           {[]Event{started, {Event: RunStopped, Cause: "interrupt"}}, 1},
		"stopped, and gone on":        {[]Event{started, {Event: RunStopped, Cause: "interrupt"}, {Event: RunResumed}}, 1},
		"once, and gone on twice":     {[]Event{started, {Event: RunResumed}, {Event: RunDriven}, {Event: RunClaimed}, {Event: Snapshot}, {Event: RunResumed}}, 1},
		"twice, once without a word":  {[]Event{started, {Event: RunStopped, Cause: "interrupt"}, {Event: RunResumed}, started, {Event: RunResumed}}, 2},
		"twice, without a task":       {[]Event{started, {Event: RunResumed}, {Event: RunDriven, Actor: &Actor{PID: 7}}, {Event: RunResumed}}, 2},
		"paused, and gone on":         {[]Event{started, {Event: RunPaused}, {Event: RunResumed}}, 0},
		"taken up before it began":    {[]Event{{Event: RunResumed}}, 0},
		"never stopped, and finished": {[]Event{started, {Event: TaskDone, Task: "t1"}, {Event: RunFinished}}, 0},
	} {
		lines := []Line{line(1, "a.1", Event{Event: RunStarted, Name: "job"}), line(2, "a.2", Event{Event: TaskAdded, Task: "t1"})}
		for i, e := range c.events {
			lines = append(lines, line(int64(3+i), fmt.Sprintf("a.%d", 3+i), e))
		}
		if got := Fold(testRun, lines, nil).Stops; got != c.want {
			t.Errorf("%s: %d stops, want %d", name, got, c.want)
		}
	}
}
