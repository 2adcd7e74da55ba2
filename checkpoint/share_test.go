package checkpoint

import "testing"

// sharedLines returns the lines of a run that was worked on under two leases. The last result under the first lease came too late.
func sharedLines(key *Key) []string {
	return []string{
		signed(key, testRun, 1, "n1.1", Event{Event: RunStarted, Name: "work", Base: &Base{"main", oid("1")}}),
		signed(key, testRun, 2, "n1.2", Event{Event: RunShared, Remote: "aa"}),
		signed(key, testRun, 3, "n1.3", Event{Event: RunLeased, Lease: 1}),
		signed(key, testRun, 4, "n1.4", Event{Event: TaskDone, Task: "one", Lease: 1, Commit: oid("a")}),
		signed(key, testRun, 5, "n1.5", Event{Event: TaskDone, Task: "two", Lease: 1, Commit: oid("b")}),
		signed(strangers["another key"], testRun, 5, "x.1", Event{Event: RunLeased, Lease: 2, Last: 4}),
		signed(strangers["another key"], testRun, 6, "x.2", Event{Event: TaskStarted, Task: "two", Lease: 2, Attempt: "x.2"}),
	}
}

func statesOf(r Run) map[TaskID]TaskState {
	out := map[TaskID]TaskState{}
	for _, t := range r.Tasks {
		out[t.ID] = t.State
	}
	return out
}

// Our results stay valid when somebody else takes the lease. Only a RunParked line of our own makes them invalid. This clone writes that
// line when it sees the other lease at the remote.
func TestShare_onlyWeParkOurWork(t *testing.T) {
	lines := sharedLines(testKey)
	r := Fold(testRun, read(testRun, lines...), nil)
	if got := statesOf(r); got["one"] != Done || got["two"] != Done || r.Share.Lease != 1 || r.Share.Line != "n1.3" || r.Diverged {
		t.Errorf("%v, %s", got, asJSON(r.Share))
	}
	parked := append(lines, signed(testKey, testRun, 7, "n1.6", Event{Event: RunParked, Lease: 1, Last: 4}))
	r = Fold(testRun, read(testRun, parked...), nil)
	if got := statesOf(r); got["one"] != Done || got["two"] != "" {
		t.Errorf("after parking: %v", got)
	}
	// Work that is recorded later under the lost lease does not count either. Fold, which reads all lines, and Extend, which reads only the
	// new line, must agree.
	later := signed(testKey, testRun, 8, "n1.7", Event{Event: TaskDone, Task: "one", Lease: 1, Commit: oid("c")})
	whole := Fold(testRun, read(testRun, append(parked, later)...), nil)
	if !r.Extend(read(testRun, later), nil) || !same(r, whole) || whole.Task("one").Commit != oid("a") {
		t.Errorf("extended\n%s\nfolded\n%s", asJSON(r), asJSON(whole))
	}
	// Under a new lease of our own, work counts again.
	again := append(parked, later, signed(testKey, testRun, 9, "n1.8", Event{Event: RunLeased, Lease: 3, Last: 6}),
		signed(testKey, testRun, 10, "n1.9", Event{Event: TaskDone, Task: "three", Lease: 3, Commit: oid("c")}))
	if r := Fold(testRun, read(testRun, again...), nil); statesOf(r)["three"] != Done || r.Share.Lease != 3 || r.Share.Released {
		t.Errorf("%s", asJSON(r))
	}
}

func TestShare_elsewhereTheLeasesDecide(t *testing.T) {
	r := Fold(testRun, read(testRun, sharedLines(strangers["another clone"])...), nil)
	if got := statesOf(r); got["one"] != Done || got["two"] != Active || r.Share.Lease != 2 || r.Diverged {
		t.Errorf("%v, %s, diverged %v", got, asJSON(r.Share), r.Diverged)
	}
}
