//go:build linux

package handler_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// This file is a model of a run whose tasks work at the same time. A test compares the real program with the model, which knows nothing of
// git. Between two observations by the test, the program takes several small steps, whose order may vary. So the model keeps the set of all
// states that are possible now, and each observation must fit one of them.

// maxCrew is the largest number of tasks in a plan that the test makes up.
const maxCrew = 5

type crewPlan []crewTask

type crewTask struct {
	needs []int
	// shared is true if the task writes the file "shared". No task lists this file among its outputs. If two such tasks work at the same
	// time, their results conflict.
	shared bool
	// pair is true if the task lists the file "pair" among its outputs. Of all tasks with this output, only one works at a time.
	pair bool
	// verify is true if the task has a verify command. onConflict is what its plan says about a conflict.
	verify     bool
	onConflict string
}

func randomCrew(chance *rand.Rand) crewPlan {
	p := crewPlan{}
	for i := range 3 + chance.IntN(maxCrew-2) {
		t := crewTask{verify: chance.IntN(4) == 0, onConflict: []string{"ask", "park", "rerun"}[chance.IntN(3)]}
		switch chance.IntN(5) {
		case 0, 1:
			t.shared = true
		case 2:
			t.pair = true
		}
		for n := range i {
			if chance.IntN(5) == 0 {
				t.needs = append(t.needs, n)
			}
		}
		p = append(p, t)
	}
	return p
}

func crewName(i int) string { return string(rune('a' + i)) }

func (p crewPlan) text() string {
	var b strings.Builder
	b.WriteString("name: job\ntasks:\n")
	for i, t := range p {
		id := crewName(i)
		var needs []string
		for _, n := range t.needs {
			needs = append(needs, crewName(n))
		}
		fmt.Fprintf(&b, "- id: %s\n  run: exec sh \"$SIDE/task.sh\" %v\n  needs: [%s]\n  on_conflict: %s\n", id, t.shared, strings.Join(needs, ", "), t.onConflict)
		switch {
		case t.pair:
			fmt.Fprintf(&b, "  outputs: [f%s, pair]\n", id)
		case !t.shared:
			fmt.Fprintf(&b, "  outputs: [f%s]\n", id)
		}
		if t.verify {
			fmt.Fprintf(&b, "  verify: test -f f%s\n", id)
		}
	}
	return b.String()
}

// The words for what can be observed about a task. The word "working" means that a process works on the task, "in place" that its result
// is committed in its worktree only, and "on branch" that its result is on the branch but not recorded.
const (
	wordPending     = "pending"
	wordWorking     = "working"
	wordInterrupted = "interrupted"
	wordInPlace     = "in place"
	wordOnBranch    = "on branch"
	wordDone        = "done"
	wordFailed      = "failed"
	wordBlocked     = "blocked"
)

// observation is everything about a run that can be observed.
type observation struct {
	// phase is "none", "open" or "finished".
	phase string
	// alive is true while git-resume works. code is its exit code afterwards, or -1 if it was killed.
	alive    bool
	code     int
	words    [maxCrew]string
	attempts [maxCrew]int
}

// These are the steps of a task in the current execution, in their order.
const (
	handNone     = iota
	handChosen   // a worktree is chosen for the task
	handPlaced   // the worktree is on the tip of the branch
	handRecorded // the start of the task is recorded
	handRunning  // the task's process runs
	handMade     // the task's result is committed in its worktree
	handAside    // the task's result does not fit the changes of other tasks, and was set aside
	handLanded   // the task's result is on the branch
)

// crewState is a state of the model: what can be observed, and what decides which steps can follow.
type crewState struct {
	observation
	jobs int
	// keepGoing is true if a failed task does not stop the others. recorded is true if the run was started so, which also counts whenever it is
	// continued.
	keepGoing, recorded bool
	// keep is true if interrupted tasks continue on top of their files, and not on a clean tree.
	keep bool
	// After its start, the program checks one task after the other for results of an earlier execution. settled counts the tasks that it
	// has checked. It is -1 before the program has looked at the branch.
	settled int
	// failed is true if a task failed since the program was started. refuses is true if the program will refuse to continue, because tasks
	// are still at work.
	failed, refuses bool
	// version counts the results on the branch that changed the shared file.
	version int
	hands   [maxCrew]crewHand
}

// crewHand is what the model knows about one task, in addition to the word in crewState.words, which says what can be observed about the
// task, for example wordWorking. The field "at" is the step that the task has reached in the current execution, for example handPlaced.
type crewHand struct {
	at int
	// base is the version of the shared file with which the task began.
	base, reruns int
	tried        bool
	// verdict is how the process of the task will end: "ok" or "fail"; empty if that is not decided yet.
	verdict string
}

func (s crewState) closed(i int) bool { return s.words[i] == wordDone }

func (p crewPlan) complete(s crewState) bool {
	return !slices.ContainsFunc(s.words[:len(p)], func(word string) bool { return word != wordDone })
}

// next returns all states that can directly follow the state s. It returns none if nothing more happens by itself.
func (p crewPlan) next(s crewState) (out []crewState) {
	switch {
	case !s.alive:
		return nil
	case s.refuses:
		s.alive, s.code, s.refuses = false, 13, false
		return []crewState{s}
	case s.phase == "none":
		s.phase, s.recorded = "open", s.keepGoing
		for i := range p {
			s.words[i] = wordPending
		}
		return []crewState{s}
	case s.phase == "finished": // the end is recorded, and the program only has to say so
		s.alive, s.code = false, 0
		return []crewState{s}
	case s.settled < len(p):
		return p.settle(s)
	}
	working := 0
	for i := range p {
		if s.hands[i].at != handNone {
			working++
			out = append(out, p.advance(s, i)...)
		}
	}
	if i := p.ready(s); i >= 0 && working < s.jobs && !(s.failed && !s.keepGoing) {
		s := s
		s.hands[i].at, s.hands[i].tried, s.hands[i].reruns, s.hands[i].verdict = handChosen, true, 0, ""
		return append(out, s)
	}
	if working == 0 {
		out = append(out, p.conclude(s))
	}
	return out
}

// settle models what the program does, before it starts tasks, with the results that an earlier execution left. Each call models one step.
// In the first step, all tasks whose results are already on the branch become done. Each later step handles what one task left.
func (p crewPlan) settle(s crewState) []crewState {
	i := s.settled
	if i < 0 {
		found := s
		for i := range p {
			if s.words[i] == wordOnBranch {
				found.words[i] = wordDone
			}
		}
		if slices.Contains(s.words[:], wordBlocked) && p.ready(found) < 0 { // only questions are left: the program shows one and ends
			s.alive, s.code = false, 15
			return []crewState{s}
		}
		found.settled = 0
		return []crewState{found}
	}
	if s.words[i] == wordInPlace && s.hands[i].at == handNone {
		s.hands[i].at = handMade
	}
	if at := s.hands[i].at; at == handNone || at < handMade {
		s.hands[i].at = handNone
		s.settled++
		return []crewState{s}
	}
	failed := s.failed
	out := p.advance(s, i)
	for j := range out {
		out[j].failed = failed
		out[j].hands[i].tried = false
	}
	return out
}

// advance returns the states that can follow when one task takes its next step.
func (p crewPlan) advance(s crewState, i int) []crewState {
	h, word := &s.hands[i], &s.words[i]
	switch h.at {
	case handChosen:
		kept := s
		kept.hands[i].at = handPlaced
		h.base, h.at = s.version, handPlaced
		if s.keep && *word == wordInterrupted || *word == wordFailed && h.reruns == 0 {
			return []crewState{s, kept} // both are possible: if the task left files, its worktree stays on its old commit
		}
	case handPlaced:
		*word, h.at, h.verdict = wordWorking, handRecorded, ""
		s.attempts[i]++
	case handRecorded:
		h.at = handRunning
	case handRunning:
		switch h.verdict {
		case "":
			return nil
		case "ok":
			*word, h.at = wordInPlace, handMade
		default:
			*word, h.at, s.failed = wordFailed, handNone, true
		}
		h.verdict = ""
	case handMade:
		switch {
		case p[i].shared && h.base != s.version:
			*word, h.at = wordInterrupted, handAside
		case p[i].shared:
			s.version++
			fallthrough
		default:
			*word, h.at = wordOnBranch, handLanded
		}
	case handLanded:
		*word, h.at = wordDone, handNone
	case handAside:
		switch {
		case p[i].onConflict == "ask":
			*word, h.at, h.tried = wordBlocked, handNone, false
		case p[i].onConflict == "rerun" && h.reruns < 2:
			*word, h.at = wordFailed, handChosen
			h.reruns++
		default:
			*word, h.at, s.failed = wordFailed, handNone, true
		}
	}
	return []crewState{s}
}

func (p crewPlan) needsClosed(s crewState, i int) bool {
	return !slices.ContainsFunc(p[i].needs, func(n int) bool { return !s.closed(n) })
}

// ready returns the first task that can start, or -1.
func (p crewPlan) ready(s crewState) int {
	var coming [maxCrew]bool
	pair := false // whether an earlier task that lists the file "pair" as an output is running or may still run
	for i, t := range p {
		if s.closed(i) {
			continue
		}
		working := s.hands[i].at != handNone
		coming[i] = working || !s.hands[i].tried && !slices.ContainsFunc(t.needs, func(n int) bool { return !coming[n] && !s.closed(n) })
		if !coming[i] {
			continue
		}
		if !working && s.words[i] != wordBlocked && p.needsClosed(s, i) && !(t.pair && pair) {
			return i
		}
		pair = pair || t.pair
	}
	return -1
}

// conclude returns the state that follows when no task is at work and none can start. The program records that the run is finished before it
// ends, so it may be killed in between.
func (p crewPlan) conclude(s crewState) crewState {
	switch {
	case p.complete(s):
		s.phase = "finished"
	case s.failed:
		s.alive, s.code = false, 1
	default:
		s.alive, s.code = false, 15
	}
	return s
}

// reach returns the given states and all states that can follow from them. The result "ends" has only those after which nothing happens by
// itself.
func (p crewPlan) reach(from crewStates) (all, ends crewStates) {
	all, ends = crewStates{}, crewStates{}
	queue := make([]crewState, 0, len(from))
	for s := range from {
		queue = append(queue, s)
		all[s] = true
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		following := p.next(s)
		if len(following) == 0 {
			ends[s] = true
		}
		for _, f := range following {
			if !all[f] {
				all[f] = true
				queue = append(queue, f)
			}
		}
	}
	return all, ends
}

// crewStates is a set of states that are possible.
type crewStates map[crewState]bool

// each calls a function with each state, and returns all states that the function returned.
func (c crewStates) each(change func(crewState) []crewState) crewStates {
	out := crewStates{}
	for s := range c {
		for _, n := range change(s) {
			out[n] = true
		}
	}
	return out
}

// like returns the states that fit what was observed.
func (c crewStates) like(seen observation) crewStates {
	return c.each(func(s crewState) []crewState {
		if s.observation != seen {
			return nil
		}
		return []crewState{s}
	})
}

// observations lists what can be observed in the states, for a message.
func (c crewStates) observations() string {
	seen := map[observation]bool{}
	for s := range c {
		seen[s.observation] = true
	}
	var out []string
	for o := range seen {
		out = append(out, fmt.Sprintf("%+v", o))
	}
	slices.Sort(out)
	return strings.Join(out, "\n")
}

// killed returns a function that turns a state into the state after a kill of the program. If the argument "everything" is true, the
// processes of the tasks are killed too.
func (p crewPlan) killed(everything bool) func(crewState) []crewState {
	return func(s crewState) []crewState {
		if s.alive {
			s.alive, s.code = false, -1
		}
		for i := range p {
			h := &s.hands[i]
			if s.words[i] == wordWorking && (everything || h.at == handRecorded || h.verdict != "") {
				s.words[i] = wordInterrupted
			}
			h.at, h.tried, h.verdict, h.reruns = handNone, false, "", 0
		}
		s.failed, s.refuses = false, false
		return []crewState{s}
	}
}

// begun returns a function that models the start of a program that continues the run. If processes of tasks still work, the program will
// refuse to continue.
func (p crewPlan) begun(jobs int, keepGoing, keep bool) func(crewState) []crewState {
	return func(s crewState) []crewState {
		s.refuses = slices.Contains(s.words[:], wordWorking)
		s.alive, s.code, s.jobs, s.keepGoing, s.keep, s.settled, s.failed = true, 0, jobs, keepGoing || s.recorded, keep, -1, false
		for i := range s.hands {
			s.hands[i].tried, s.hands[i].at, s.hands[i].reruns = false, handNone, 0
		}
		return []crewState{s}
	}
}

// stopped returns the state after Ctrl-C: each task at work is interrupted.
func (p crewPlan) stopped(s crewState) []crewState {
	s = p.killed(true)(s)[0]
	s.code = 130
	return []crewState{s}
}
