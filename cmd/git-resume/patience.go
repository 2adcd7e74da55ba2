package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/screen/outcome"
)

// slowGit is the time after which the program shows that it is still waiting for a git process.
const slowGit = 10 * time.Second

// slowReading is the time after which the program shows that it is still looking for work. turning is the time between two changes of the
// spinner beside that message.
const (
	slowReading = 300 * time.Millisecond
	turning     = 120 * time.Millisecond
)

// StartLooking is called when a search for work starts. If the search takes longer than the time that readingDelay returns, a message at
// the terminal says that the program is still searching.
func (p *program) StartLooking() {
	if !isTerminal(p.err) {
		return
	}
	stop, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		wait := time.NewTimer(p.readingDelay())
		defer wait.Stop()
		for turn := 0; ; turn++ {
			select {
			case <-stop:
				if turn > 0 {
					fmt.Fprint(p.err, outcome.ReadingDone)
				}
				return
			case <-wait.C:
				fmt.Fprint(p.err, outcome.Reading(turn))
				wait.Reset(turning)
			}
		}
	}()
	p.looked = func() {
		close(stop)
		<-gone
	}
}

// EndLooking removes the line that StartLooking shows.
func (p *program) EndLooking() {
	if p.looked != nil {
		p.looked()
		p.looked = nil
	}
}

// readingDelay returns how long the program looks for work before it says so. GIT_PROGRESS_DELAY sets another time in seconds, as it does
// for git's own progress.
func (p *program) readingDelay() time.Duration {
	if seconds, err := strconv.ParseUint(p.getenv("GIT_PROGRESS_DELAY"), 10, 16); err == nil {
		return time.Duration(seconds) * time.Second
	}
	return slowReading
}

// patience returns functions that report slow operations while the program waits for them. They must not use a lock that the waiting code
// may hold.
func (p *program) patience() process.Patience {
	var mu sync.Mutex
	shown := false
	out := process.Patience{After: slowGit, Limit: process.ReadLimit, Notice: func(w process.Waiting) {
		mu.Lock()
		defer mu.Unlock()
		fmt.Fprintln(p.err, outcome.Waiting(w))
	}}
	if !isTerminal(p.err) {
		return out
	}
	out.Storing = func(path string, done, of int64) {
		mu.Lock()
		defer mu.Unlock()
		shown = true
		fmt.Fprintf(p.err, "\r%s", outcome.Storing(filepath.Base(path), done, of))
	}
	out.Stored = func() {
		mu.Lock()
		defer mu.Unlock()
		if shown {
			fmt.Fprintln(p.err, ", done.")
		}
		shown = false
	}
	return out
}
