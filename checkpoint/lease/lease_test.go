package lease

import (
	"cmp"
	"slices"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
)

func TestMay_saysWhoMayTakeALease(t *testing.T) {
	t.Parallel()
	held := func(seat, incarnation string, ours bool) []Lease {
		return []Lease{{Number: 1, Released: "done"}, {Number: 2, Seat: seat, Incarnation: incarnation, Ours: ours}}
	}
	for _, c := range []struct {
		name string
		all  []Lease
		w    Worker
		want Cause
	}{
		{"nobody ever had it", nil, Worker{}, Free},
		{"it was given back", held("", "", false)[:1], Worker{}, Free},
		{"somebody else has it", held("", "", false), Worker{Alone: true}, ""},
		{"a dead process of this clone has it", held("", "", true), Worker{Alone: true}, Dead},
		{"a living process of this clone has it", held("", "", true), Worker{}, ""},
		{"the same seat, later", held("s", "9", false), Worker{Seat: "s", Incarnation: "10"}, Seat},
		{"the same seat, earlier", held("s", "10", false), Worker{Seat: "s", Incarnation: "9"}, ""},
		{"the same seat, the same number", held("s", "10", false), Worker{Seat: "s", Incarnation: "10"}, Seat},
		{"the same seat, no numbers", held("s", "b", false), Worker{Seat: "s", Incarnation: "a"}, Seat},
		{"the same seat, a number that is too long", held("s", "9999999999999999999", false), Worker{Seat: "s", Incarnation: "1"}, Seat},
		{"another seat", held("s", "1", false), Worker{Seat: "t", Incarnation: "2"}, ""},
		{"no seat at all", held("", "", false), Worker{Seat: "", Incarnation: "2"}, ""},
		{"a person", held("s", "1", false), Worker{Person: true}, Person},
	} {
		if got, ok := May(c.all, c.w); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func TestTaking_closesTheLeaseBefore(t *testing.T) {
	t.Parallel()
	line := func(seq int64, e checkpoint.Event) checkpoint.Line {
		e.Seq, e.ID, e.V = checkpoint.SeqText(seq), "x."+checkpoint.SeqText(seq), checkpoint.Version
		text, err := e.Encode()
		if err != nil {
			t.Fatal(err)
		}
		return checkpoint.ParseLine(string(text[:len(text)-1]))
	}
	lines := []checkpoint.Line{
		line(1, checkpoint.Event{Event: checkpoint.TaskStarted, Task: "a"}),
		line(2, checkpoint.Event{Event: checkpoint.RunLeased, Lease: 1, Last: 1}),
		line(3, checkpoint.Event{Event: checkpoint.TaskDone, Task: "a", Lease: 1}),
		line(4, checkpoint.Event{Event: checkpoint.RunPaused}),
	}
	if e := Taking(lines, Worker{Seat: "s", Incarnation: "2"}, Free, nil); e.Lease != 2 || e.Last != 3 || e.Seat != "s" || e.Cause != "free" {
		t.Errorf("%+v", e)
	}
	if e := Taking(nil, Worker{}, Free, nil); e.Lease != 1 || e.Last != 0 {
		t.Errorf("%+v", e)
	}
	late := append(lines, line(5, Taking(lines, Worker{}, Person, nil)), line(6, checkpoint.Event{Event: checkpoint.TaskDone, Task: "b", Lease: 1}))
	if got := After(late, true, Sent{Last: late[5].Event.ID, Lease: late[1].Event.ID}); got != Fenced {
		t.Errorf("a result that is there, but came too late: %s", got)
	}
	if got := After(late, true, Sent{Last: "p.1"}); got != Unite {
		t.Errorf("what a person decided: %s", got)
	}
}

func TestAll_leasesCannotBeForged(t *testing.T) {
	t.Parallel()
	line := func(seq int64, id string, e checkpoint.Event) checkpoint.Line {
		e.Seq, e.ID, e.V, e.Event = checkpoint.SeqText(seq), id, checkpoint.Version, cmp.Or(e.Event, checkpoint.RunLeased)
		return checkpoint.Line{Text: id, Event: e}
	}
	lines := []checkpoint.Line{
		line(1, "n.1", checkpoint.Event{Lease: 1}), line(2, "x.1", checkpoint.Event{Lease: 1, Last: 1}), line(3, "x.2", checkpoint.Event{Lease: 2147483647}),
		line(4, "x.3", checkpoint.Event{Lease: 3}), line(5, "x.4", checkpoint.Event{Event: checkpoint.RunReleased, Lease: 7}),
	}
	if got := All(lines); len(got) != 1 || got[0].Line != "n.1" || !got[0].Twice || Held(got) == nil {
		t.Errorf("%+v", got)
	}
	for _, n := range []string{"9007199254740992", "-1", "1.5", `"1"`} {
		if l := checkpoint.ParseLine(`{"seq":"0000000001","id":"x.1","at":"2030-01-02T03:04:05Z","event":"run.leased","lease":` + n + `,"v":1}`); !l.Bad {
			t.Errorf("the number %s is taken", n)
		}
	}
	lines = append(lines, line(6, "n.2", checkpoint.Event{Event: checkpoint.RunReleased, Lease: 1, Cause: "time"}))
	slices.Reverse(lines)
	if got := All(lines); len(got) != 1 || got[0].Line != "n.1" || got[0].Released != "time" || Held(got) != nil {
		t.Errorf("in another order: %+v", got)
	}
}
