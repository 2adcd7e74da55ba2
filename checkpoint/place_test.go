package checkpoint

import (
	"strings"
	"testing"
)

func TestFold_places(t *testing.T) {
	event := func(k Kind, task TaskID, p Place) Event {
		return Event{Event: k, Task: task, Attempt: "n.1", Place: &p}
	}
	lines := []Line{
		line(1, "n.1", Event{Event: RunStarted, Name: "job", Head: oid("1"), Worktree: "/home", Admin: "job"}),
		line(2, "n.2", event(PlaceReady, "", Place{N: 2, Admin: "job.2", Worktree: "/two"})),
		line(3, "n.3", event(PlaceReady, "", Place{N: 1, Admin: "job.1", Worktree: "/one"})),
		line(4, "n.4", event(TaskStarted, "a", Place{N: 2, From: oid("1")})),
	}
	r := Fold("job", lines, nil)
	if len(r.Places) != 2 || r.Places[0].N != 1 || r.Places.At(2).Task != "a" || r.Places.At(2).Worktree != "/two" || r.Places.At(3) != nil {
		t.Fatalf("%+v", r.Places)
	}
	if task := r.Task("a"); task.Place != 2 || task.FromHead != oid("1") || task.State != Active {
		t.Fatalf("%+v", task)
	}
	if r.Worktree != "/home" || r.Admin != "job" || r.Head != oid("1") {
		t.Fatalf("a line about a place moved the run: %s %s %s", r.Worktree, r.Admin, r.Head)
	}
	reported := append(lines[:4:4], line(5, "n.5", event(Checkpoint, "a", Place{N: 2, Commit: oid("2"), Done: true})))
	if got := Fold("job", reported, nil); !got.Task("a").Reported || got.Task("a").State != Active || got.Head != oid("1") {
		t.Fatalf("a result that its worker reported: %+v", got.Task("a"))
	}
	for what, p := range map[string]Place{"a checkpoint": {N: 2, Commit: oid("2")}, "another place": {N: 1, Done: true}} {
		if got := Fold("job", append(lines[:4:4], line(5, "n.5", event(Checkpoint, "a", p))), nil); got.Task("a").Reported {
			t.Fatalf("%s counts as a result", what)
		}
	}
	failed := append(reported, line(6, "n.6", event(TaskFailed, "a", Place{N: 2})))
	if got := Fold("job", failed, nil); got.Task("a").Reported {
		t.Fatalf("the result was not taken, but is still reported")
	}
	before := r.Copy()
	done := event(TaskDone, "a", Place{N: 2, From: oid("1"), Commit: oid("2")})
	done.Commit, done.Head = oid("3"), oid("3")
	lines = append(lines, line(5, "n.5", done), line(6, "n.6", event(placeGone, "", Place{N: 1})))
	r = Fold("job", lines, nil)
	if task := r.Task("a"); task.State != Done || task.Commit != oid("3") || r.Head != oid("3") || r.Places.At(2).Commit != oid("2") || r.Places.At(1) != nil {
		t.Fatalf("%+v %+v", task, r.Places)
	}
	if !before.Extend(lines[4:], nil) || before.Places.At(1) != nil || before.Places.At(2).Commit != oid("2") {
		t.Fatalf("extended: %+v", before.Places)
	}
	again := Fold("job", append(lines, line(7, "n.7", Event{Event: TaskStarted, Task: "a", Attempt: "n.7", Head: oid("3")})), nil)
	if again.Task("a").Place != 2 { // the task is done, so the later start does not change its place
		t.Fatalf("%+v", again.Task("a"))
	}
}

func TestDecode_refusesDangerousPlaces(t *testing.T) {
	for name, p := range map[string]string{
		"no number":    `{"admin":"job.1"}`,
		"zero":         `{"n":0}`,
		"too high":     `{"n":1000}`,
		"a path":       `{"n":1,"admin":"../../x"}`,
		"a folder":     `{"n":1,"admin":".."}`,
		"an option":    `{"n":1,"from":"--upload-pack"}`,
		"another ref":  `{"n":1,"commit":"main"}`,
		"a zero byte":  `{"n":1,"worktree":"a\u0000b"}`,
		"another type": `{"n":"1"}`,
	} {
		text := `{"seq":"0000000001","id":"a.1","at":"2026-11-14T10:40:00Z","event":"place.ready","place":` + p + `,"v":1}`
		if _, err := Decode([]byte(text)); err == nil {
			t.Errorf("%s: %s was accepted", name, p)
		}
	}
	good := `{"seq":"0000000001","id":"a.1","at":"2026-11-14T10:40:00Z","event":"place.ready","place":{"n":1,"admin":"job-ab2c.1","from":"` + strings.Repeat("a", 40) + `"},"v":1}`
	if _, err := Decode([]byte(good)); err != nil {
		t.Error(err)
	}
}

// isAdmin must accept only the name of a folder directly in .git/worktrees. Otherwise a journal line from another clone could name
// .git/worktrees itself or a folder outside it.
func TestIsAdmin(t *testing.T) {
	for name, want := range map[string]bool{"job-a1b2": true, "job.2": true, ".hidden": true, ".": false, "..": false, "a/b": false, `a\b`: false, "": false, "/": false} {
		if isAdmin(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}
