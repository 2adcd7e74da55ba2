package proc

import (
	"fmt"
	"sync"
	"time"
)

// Patience says how long to wait for a process that does not answer. With the zero value, the caller waits silently and without a limit.
type Patience struct {
	// Notice is called in another goroutine when the duration in After has passed, and again each time the waiting time has doubled.
	After  time.Duration
	Notice func(pid int, waited time.Duration)
	// Limit, if it is set, is the longest time that the process may take.
	Limit time.Duration
}

// LimitError says that a process did not end or did not answer within its time limit.
type LimitError struct {
	Name  string
	Args  []string
	PID   int
	Limit time.Duration
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("process %d did not answer for %s and was stopped", e.PID, e.Limit)
}

// Watch starts the timers for a process. It calls the function "late" when the limit has passed. The returned function stops the timers.
func (p Patience) Watch(pid int, late func()) (stop func()) {
	var mu sync.Mutex
	var timers []*time.Timer
	over := false
	after := func(d time.Duration, do func()) {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			timers = append(timers, time.AfterFunc(d, do))
		}
	}
	var notice func(waited time.Duration)
	notice = func(waited time.Duration) {
		mu.Lock()
		ended := over
		mu.Unlock()
		if ended {
			return
		}
		p.Notice(pid, waited)
		after(waited, func() { notice(2 * waited) })
	}
	if p.Notice != nil && p.After > 0 {
		after(p.After, func() { notice(p.After) })
	}
	if p.Limit > 0 && late != nil {
		after(p.Limit, late)
	}
	return func() {
		mu.Lock()
		defer mu.Unlock()
		over = true
		for _, t := range timers {
			t.Stop()
		}
	}
}
