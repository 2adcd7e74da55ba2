package prove

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/git-resume/git-resume/internal/gittest"
)

// These tests try every point of chosen scenarios once, and then end. A point is a system call, together with the choice to kill one
// process or all processes there.

// everyPoint tries the points that no earlier proof has recorded, as many as time allows. The first half tries each call once, and kills
// there either one process or all processes. The second half makes the other choice at each call.
func everyPoint(t *testing.T, all []scenario) {
	t.Helper()
	var every []*everywhere
	for _, s := range all {
		e := &everywhere{s: s, p: gittest.Prove(t, "A", "kills at a system call"), tried: map[traceKey]bool{}}
		e.total = s.ground(t, gittest.New).length(t)
		for _, mode := range []bool{false, true} {
			for n := range e.p.Times(series(s.name, mode)) {
				e.tried[traceKey{n, mode}] = true
				e.total = max(e.total, n-1) // n can be one more than the number of calls, because one number beyond the last call is tried too
			}
		}
		every = append(every, e)
	}
	for half := range 2 {
		for _, e := range every {
			t.Run(fmt.Sprintf("%s half %d", strings.ReplaceAll(e.s.name, " ", "_"), half), func(t *testing.T) {
				e.half = half
				for lane := range 2 {
					t.Run(fmt.Sprint("lane", lane), e.lane)
				}
			})
		}
	}
	for _, e := range every {
		t.Logf("%s: %d points tried now, %d in the ledger and now, of %d; %d failed", e.s.name, e.now, len(e.tried), 2*(e.total+1), e.failed)
	}
}

// chosenScenarios returns the scenarios whose name contains one of the words.
func chosenScenarios(all []scenario, words []string) []scenario {
	return slices.DeleteFunc(all, func(s scenario) bool {
		return !slices.ContainsFunc(words, func(word string) bool { return strings.Contains(s.name, word) })
	})
}

// everywhere records at which points of a scenario a kill was tried. A point is a system call of the command and the kind of kill: of one
// process, or of all processes. Two tests that run in parallel share it.
type everywhere struct {
	s scenario
	p *gittest.Proof

	lock  sync.Mutex
	tried map[traceKey]bool
	// total is the largest number of system calls that an execution has made so far. The number varies between executions.
	total, now, failed int
	// half is 0 in the first half of the trials and 1 in the second. In the first half, each call is tried once, with a kill of one
	// process or of all processes. In the second half, each call is tried with the other kind of kill.
	half int
}

type traceKey struct {
	n   int
	all bool
}

// next returns a point at which no kill was tried yet. In the first half of the trials (e.half is 0), it also skips a system call at which
// the other kind of kill was tried. ok is false if no such point or no time is left.
func (e *everywhere) next() (at traceJob, ok bool) {
	e.lock.Lock()
	defer e.lock.Unlock()
	if !gittest.TimeLeft() {
		return at, false
	}
	for _, offset := range apart {
		for n := 1 + offset; n <= e.total+1; n += len(apart) {
			odd := n/len(apart)%2 == 1
			first, second := traceKey{n, odd}, traceKey{n, !odd}
			for _, k := range []traceKey{first, second} {
				if !e.tried[k] && (e.half == 1 || !e.tried[first] && !e.tried[second]) {
					e.tried[k] = true
					return traceJob{N: n, All: k.all}, true
				}
			}
		}
	}
	return at, false
}

// lane kills the command at one point after the other, until no point or no time is left. After each 20 kills (turns) it prepares a new
// repository.
func (e *everywhere) lane(t *testing.T) {
	t.Parallel()
	for over := false; !over; {
		t.Run("part", func(t *testing.T) {
			g := e.s.ground(t, gittest.New)
			for range turns {
				at, ok := e.next()
				if !ok {
					over = true
					return
				}
				before := t.Failed()
				out := g.cut(t, at)
				e.count(at, out, t.Failed() && !before)
			}
		})
	}
}

func (e *everywhere) count(at traceJob, out outcome, failed bool) {
	e.lock.Lock()
	defer e.lock.Unlock()
	e.now++
	if failed { // a failed point is not in the ledger, so the next proof tries it again
		e.failed++
		return
	}
	e.p.At(series(e.s.name, at.All), at.N)
	e.total = max(e.total, out.Calls)
	if out.Fired {
		e.p.Trial(1)
	}
}
