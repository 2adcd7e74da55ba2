package main

import (
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/screen/outcome"
)

// slowGit is the time after which the program shows that it is still waiting for a git process.
const slowGit = 10 * time.Second

// patience reports slow operations while the program waits for them. It must not use a lock that the waiting code may hold.
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
