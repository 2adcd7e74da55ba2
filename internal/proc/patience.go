package proc

import (
	"fmt"
	"sync"
	"time"
)

// Patience says what becomes of a process that does not answer. Its zero value waits without a word.
type Patience struct {
	// Notice is called from beside once After has passed, and then each time that it has taken twice as long.
	After  time.Duration
	Notice func(pid int, waited time.Duration)
	// Limit, where set, is how long it may take at all.
	Limit time.Duration
}

// LimitError says that a process did not end, or did not answer, in the time that it had.
type LimitError struct {
	Name  string
	Args  []string
	PID   int
	Limit time.Duration
}

func (e *LimitError) Error() string {
	return fmt.Sprintf("process %d did not answer for %s and was ended", e.PID, e.Limit)
}

// Watch has patience with a process until stop is called; late is called at the limit.
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
