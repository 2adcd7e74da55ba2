package checkpoint

import (
	"testing"
	"time"

	"github.com/git-resume/git-resume/internal/proc"
)

// Each row combines a journal and the living processes with the expected state.
func TestStateOf(t *testing.T) {
	const idle = 30 * time.Minute
	now := atWork.Add(24 * time.Hour)
	active := []Task{{ID: "a", State: Active, LastSeq: 2}}
	between := []Task{{ID: "a", State: Done, LastSeq: 3}, {ID: "b", State: Pending}}
	failed := []Task{{ID: "a", State: Failed, LastSeq: 3}}
	asked := []Task{{ID: "a", State: Blocked, Question: "which?", LastSeq: 3}}
	blocked := []Task{{ID: "a", State: Blocked, LastSeq: 3}}
	fresh := []Task{{ID: "a", State: Pending}, {ID: "b", State: Done}}
	driver := &Actor{PID: 1}
	silent := func(d time.Duration) time.Time { return now.Add(-d) }
	alive, dead, unknown := Life{Driver: proc.Alive}, Life{Driver: proc.Dead}, Life{Driver: proc.Unknown}
	for _, c := range []struct {
		name string
		run  Run
		life Life
		want State
	}{
		{"owner lock held", Run{Tasks: active, LastAt: silent(48 * time.Hour)}, Life{OwnerLock: true}, Running},
		{"task lock held, owner dead", Run{Tasks: active, Owner: driver}, Life{TaskLock: true, Owner: proc.Dead}, Running},
		{"lock held though paused", Run{Tasks: active, Paused: true}, Life{OwnerLock: true}, Running},
		{"lock held though finished", Run{Tasks: active, Finished: true}, Life{OwnerLock: true}, Running},
		{"driver alive, just reported", Run{Tasks: active, Driver: driver, LastAt: now}, alive, Running},
		{"driver alive between two tasks", Run{Tasks: between, Driver: driver, LastAt: silent(time.Minute)}, alive, Running},
		{"driver alive, silent for exactly the limit", Run{Tasks: active, Driver: driver, LastAt: silent(idle)}, alive, Running},
		{"driver alive, silent a moment longer", Run{Tasks: active, Driver: driver, LastAt: silent(idle + 1)}, alive, Idle},
		{"driver alive, silent, but files change", Run{Tasks: active, Driver: driver, LastAt: silent(5 * time.Hour)}, Life{Driver: proc.Alive, Active: silent(idle)}, Running},
		{"driver alive, files changed too long ago", Run{Tasks: active, Driver: driver, LastAt: silent(5 * time.Hour)}, Life{Driver: proc.Alive, Active: silent(idle + 1)}, Idle},
		{"driver alive, a task failed", Run{Tasks: failed, Driver: driver, LastAt: now}, alive, FailedRun},
		{"driver alive, clock set back", Run{Tasks: active, Driver: driver, LastAt: now.Add(time.Hour)}, alive, Running},
		{"owner alive without its lock", Run{Tasks: active, Driver: driver, Owner: driver, LastAt: now}, Life{Driver: proc.Dead, Owner: proc.Alive}, Running},
		{"cannot be checked from here", Run{Tasks: active, Driver: driver, LastAt: now}, unknown, Idle},
		{"nobody was recorded", Run{Tasks: active, LastAt: now}, Life{}, Idle},
		{"driver dead, owner cannot be checked", Run{Tasks: active, Driver: driver, Owner: driver}, Life{Driver: proc.Dead}, Idle},
		{"no task was ever started", Run{Tasks: fresh, Driver: driver, LastAt: now}, alive, Idle},
		{"no task was ever started, driver gone", Run{Tasks: fresh, Driver: driver, LastAt: now}, dead, Idle},
		{"no task at all", Run{Driver: driver}, dead, Idle},
		{"driver gone in a task", Run{Tasks: active, Driver: driver, LastAt: now}, dead, Interrupted},
		{"driver gone between two tasks", Run{Tasks: between, Driver: driver, LastAt: now}, dead, Interrupted},
		{"driver gone long ago", Run{Tasks: between, Driver: driver}, dead, Interrupted},
		{"owner gone, no driver", Run{Tasks: active, Owner: driver}, Life{Owner: proc.Dead}, Interrupted},
		{"blocked without a question, driver gone", Run{Tasks: blocked, Driver: driver}, dead, Interrupted},
		{"paused", Run{Tasks: active, Paused: true, Driver: driver}, dead, Paused},
		{"paused while the driver lives", Run{Tasks: active, Paused: true, Driver: driver, LastAt: now}, alive, Paused},
		{"paused with a question", Run{Tasks: asked, Paused: true}, dead, Paused},
		{"waiting", Run{Tasks: asked, Driver: driver}, dead, Waiting},
		{"waiting while the driver lives", Run{Tasks: asked, Driver: driver, LastAt: now}, alive, Waiting},
		{"the plan's question, not yet come to", Run{Tasks: []Task{{ID: "a", State: Pending}, {ID: "q", State: Pending, Asks: true, Question: "?"}}, Driver: driver}, dead, Idle},
		{"the plan's question, come to", Run{Tasks: []Task{{ID: "a", State: Done, LastSeq: 2}, {ID: "q", State: Pending, Asks: true, Question: "?"}}, Driver: driver}, dead, Waiting},
		{"failed", Run{Tasks: failed, Driver: driver}, dead, FailedRun},
		{"failed, another task active", Run{Tasks: append(failed, active[0]), Driver: driver}, dead, Interrupted},
		{"finished", Run{Tasks: between, Finished: true, Driver: driver}, alive, FinishedRun},
		{"discarded", Run{Tasks: active, Discarded: true, Driver: driver}, alive, Discarded},
		{"discarded and finished", Run{Finished: true, Discarded: true}, Life{OwnerLock: true}, Discarded},
	} {
		if got := StateOf(&c.run, c.life, now, idle); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestState_announcesWhatNeedsSomebody(t *testing.T) {
	want := map[State]bool{Interrupted: true, Waiting: true, FailedRun: true}
	for _, s := range []State{Running, Idle, Interrupted, Paused, Waiting, FailedRun, FinishedRun, Discarded} {
		if s.Announced() != want[s] {
			t.Errorf("%s: announced %v", s, s.Announced())
		}
	}
}

func TestActor_fate(t *testing.T) {
	host := proc.Host{Name: "h", Boot: "b", NS: "n"}
	alone := true
	table := proc.Table{
		Alone: func() bool { return alone },
		Here:  func() proc.Host { return host },
		Look:  func(pid int) (proc.Process, bool) { return proc.Process{PID: pid, Start: "100"}, pid == 7 },
	}
	here := Actor{Host: "h", Boot: "b", NS: "n", PID: 7, Start: "100", Clone: "c"}
	with := func(change func(*Actor)) *Actor { a := here; change(&a); return &a }
	for _, c := range []struct {
		name string
		a    *Actor
		want proc.Fate
	}{
		{"the very process", &here, proc.Alive},
		{"no process of that number", with(func(a *Actor) { a.PID = 8 }), proc.Dead},
		{"the number is used again", with(func(a *Actor) { a.Start = "99" }), proc.Dead},
		{"this machine was started anew", with(func(a *Actor) { a.Boot = "old" }), proc.Dead},
		{"another host", with(func(a *Actor) { a.Host = "other" }), proc.Unknown},
		{"another host that was started anew", with(func(a *Actor) { a.Host, a.Boot = "other", "old" }), proc.Unknown},
		{"another container", with(func(a *Actor) { a.NS = "m" }), proc.Unknown},
		{"another clone", with(func(a *Actor) { a.Clone = "d" }), proc.Unknown},
		{"no start time", with(func(a *Actor) { a.Start = "" }), proc.Unknown},
		{"no process", with(func(a *Actor) { a.PID = 0 }), proc.Unknown},
		{"no boot id", with(func(a *Actor) { a.Boot = "" }), proc.Unknown},
		{"nobody", nil, proc.Unknown},
	} {
		if got := c.a.Fate(table, "c"); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	alone = false
	if got := with(func(a *Actor) { a.Boot = "old" }).Fate(table, "c"); got != proc.Unknown {
		t.Errorf("another start of a machine that may not be this one: %s", got)
	}
}
