package anywhere

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/gittest"
)

// The functions in this file check what the server accepted and what the clones recorded. They use plain git and no code of the program, so
// that a fault of the program cannot hide itself.

// line is a line of a journal.
type line struct {
	Seq, ID, Event, Task, Commit string
	Lease                        int
	Last                         int64
	Actor                        *struct{ Clone, Nonce string }
	text                         string
}

func (l *line) number() int64 {
	n, _ := strconv.ParseInt(l.Seq, 10, 64)
	return n
}

// by returns the part of the line's id that stands for the process which wrote the line.
func (l *line) by() string {
	by, _, _ := strings.Cut(l.ID, ".")
	return by
}

// isWork reports whether a line records work on a task. Such a line counts only if its writer held the lease.
func (l *line) isWork() bool {
	return slices.Contains([]string{"task.added", "task.started", "task.done", "task.failed", "task.blocked", "task.reset"}, l.Event)
}

// journal maps the ids of journal lines to the lines.
type journal map[string]*line

// leases returns the lines that took a lease, sorted by the number of the lease.
func (j journal) leases() []*line {
	var out []*line
	for _, l := range j {
		if l.Event == "run.leased" {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, func(a, b *line) int { return a.Lease - b.Lease })
	return out
}

// late reports whether a line records work that came too late: somebody else had already taken the next lease.
func (j journal) late(l *line, leases []*line) bool {
	return l.isWork() && l.Lease < len(leases) && l.number() > leases[l.Lease].Last
}

type reader struct {
	repo  *gittest.Repo
	known map[string][]*line
}

// journal reads the journal that is stored in a git tree.
func (r *reader) journal(tree string) (journal, error) {
	out := journal{}
	for row := range strings.Lines(r.repo.Git("ls-tree", "-r", tree)) {
		fields := strings.Fields(row)
		id, name := fields[2], strings.ReplaceAll(fields[3], "/", "")
		if id == name { // skip documents, such as the plan: the path of a document in this tree is its own id
			continue
		}
		if _, ok := r.known[id]; !ok {
			lines, err := parse(r.repo.Git("cat-file", "blob", id))
			if err != nil {
				return nil, err
			}
			r.known[id] = lines
		}
		for _, l := range r.known[id] {
			if old := out[l.ID]; old != nil {
				return nil, fmt.Errorf("line %s is there twice:\n%s\n%s", l.ID, old.text, l.text)
			}
			out[l.ID] = l
		}
	}
	return out, nil
}

func parse(text string) ([]*line, error) {
	var out []*line
	for row := range strings.Lines(text) {
		if !strings.HasPrefix(row, "{\"") {
			continue
		}
		l := &line{text: strings.TrimSpace(row)}
		if err := json.Unmarshal([]byte(row), l); err != nil {
			return nil, fmt.Errorf("%w: %s", err, row)
		}
		out = append(out, l)
	}
	return out, nil
}

// move is a change of a ref that the server accepted, from the commit "old" to the commit "new".
type move struct{ old, new string }

// moves reads the reflog of a ref at the server.
func (s *shop) moves(ref string) []move {
	s.Helper()
	text, err := os.ReadFile(filepath.Join(s.server, "logs", filepath.FromSlash(ref)))
	if err != nil {
		s.Fatal(err)
	}
	var out []move
	for row := range bytes.Lines(text) {
		fields := strings.Fields(string(row))
		out = append(out, move{fields[0], fields[1]})
	}
	return out
}

// check checks the changes of the journal that the server accepted, and compares the result with the records of the clones.
func check(s *shop) {
	s.Helper()
	at := s.clones[0].In(s.server)
	last, err := s.walk(at)
	if err != nil {
		s.Error(err)
		return
	}
	for _, look := range []func(journal) error{s.everyAcknowledgedLine, s.oneCommitForEachTask, s.nothingIsLost} {
		if err := look(last); err != nil {
			s.Error(err)
		}
	}
	for _, r := range append([]*gittest.Repo{at}, s.clones...) {
		if out, code := r.Try("git", "fsck", "--full", "--strict", "--no-dangling"); code != 0 {
			s.Errorf("git fsck in %s: %s", r.Dir, out)
		}
	}
	s.tally.Leases += len(last.leases())
}

// walk checks every change of the journal at the server, from the first to the last. It returns the last journal.
func (s *shop) walk(at *gittest.Repo) (journal, error) {
	read := &reader{at, map[string][]*line{}}
	before, tip := journal{}, strings.Repeat("0", 40)
	clones := map[string]string{} // the clone that each process belongs to
	all := s.moves("refs/resume/journal/" + s.run)
	s.tally.Pushes += len(all)
	for n, m := range all {
		if m.old != tip {
			return nil, fmt.Errorf("move %d is from %s, but the journal was at %s", n, m.old, tip)
		}
		now, err := read.journal(m.new)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", n, err)
		}
		for _, l := range now {
			if l.Actor != nil && l.Actor.Clone != "" {
				clones[l.by()] = l.Actor.Clone
			}
		}
		if err := step(before, now, clones); err != nil {
			return nil, fmt.Errorf("move %d: %w", n, err)
		}
		before, tip = now, m.new
	}
	if now := at.Git("rev-parse", "refs/resume/journal/"+s.run); now != tip {
		return nil, fmt.Errorf("the journal is at %s, its log ends at %s", now, tip)
	}
	return before, nil
}

// step checks one change of the journal. No line may be lost or changed, and new work may count only if its writer held the lease.
func step(before, now journal, clones map[string]string) error {
	for id, l := range before {
		switch got := now[id]; {
		case got == nil:
			return fmt.Errorf("a line that was accepted is gone: %s", l.text)
		case got.text != l.text:
			return fmt.Errorf("a line that was accepted has changed:\n%s\n%s", l.text, got.text)
		}
	}
	held, leases := before.leases(), now.leases()
	for i, l := range leases {
		if l.Lease != i+1 {
			return fmt.Errorf("two have the lease with one number, or one is left out: %s", l.text)
		}
	}
	if len(leases) > len(held)+1 {
		return fmt.Errorf("two leases were taken at once: %s", leases[len(leases)-1].text)
	}
	for id, l := range before { // a line that counted before must still count, and a line that came too late must still not count
		if before.late(l, held) != now.late(now[id], leases) {
			return fmt.Errorf("a line that had been accepted before the lease was taken does not count any more, or the other way round: %s", l.text)
		}
	}
	for id, l := range now {
		if before[id] != nil || !l.isWork() || now.late(l, leases) {
			continue
		}
		if l.Lease < len(held) {
			return fmt.Errorf("work of a lease that was lost counts: %s", l.text)
		}
		if l.Lease == 0 {
			continue // the line was written before the run was shared
		}
		if holder := leases[l.Lease-1]; clones[holder.by()] != clones[l.by()] {
			return fmt.Errorf("somebody else has the lease: %s", l.text)
		}
	}
	return nil
}

// everyAcknowledgedLine checks that the server still has every line that a clone saw there, and that every clone has all lines of the
// server.
func (s *shop) everyAcknowledgedLine(last journal) error {
	for _, c := range s.clones {
		read := &reader{c, map[string][]*line{}}
		here, err := read.journal("refs/resume/journal/" + s.run + "^{tree}")
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		seen, err := read.journal("refs/resume/remotes/origin/journal/" + s.run)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Dir, err)
		}
		for id := range seen {
			if last[id] == nil {
				return fmt.Errorf("%s: a line that was acknowledged is not at the server: %s", c.Dir, seen[id].text)
			}
		}
		for id := range last {
			if here[id] == nil {
				return fmt.Errorf("%s: a line of the server is not here: %s", c.Dir, last[id].text)
			}
		}
	}
	return nil
}

// oneCommitForEachTask checks that each task is done and has one commit on the branch at the server. The file all.txt must be the same as
// after an execution without failures.
func (s *shop) oneCommitForEachTask(last journal) error {
	at := s.clones[0].In(s.server)
	head := "refs/resume/heads/" + s.run
	var got []string
	commits := map[string]string{}
	for row := range strings.Lines(at.Git("log", "--reverse", "--format=%H %(trailers:key=Resume-Task,valueonly,separator=%x2C)", "main.."+head)) {
		id, task, _ := strings.Cut(strings.TrimSpace(row), " ")
		got, commits[id] = append(got, task), task
	}
	if !slices.Equal(got, s.plan) {
		return fmt.Errorf("the commits are of %v, want %v", got, s.plan)
	}
	want := strings.Join(s.plan, "\n")
	if all := at.Git("cat-file", "blob", head+":all.txt"); all != want {
		return fmt.Errorf("the file has %q, want %q", all, want)
	}
	leases := last.leases()
	done := map[string]map[string]bool{}
	for _, l := range last {
		if l.Event == "task.done" && !last.late(l, leases) {
			if done[l.Task] == nil {
				done[l.Task] = map[string]bool{}
			}
			done[l.Task][l.Commit] = true
		}
	}
	for _, task := range s.plan {
		if len(done[task]) != 1 {
			return fmt.Errorf("task %s is recorded with the commits %v, want one", task, slices.Collect(maps.Keys(done[task])))
		}
		for id := range done[task] {
			if commits[id] != task {
				return fmt.Errorf("task %s is recorded as done in %s, which is not on the branch", task, id)
			}
		}
	}
	return nil
}

// nothingIsLost checks in each clone that every commit in the reflog of the run's branch can be reached from a ref. It also checks that
// work that came too late is recorded as parked.
func (s *shop) nothingIsLost(last journal) error {
	for _, c := range s.clones {
		log := filepath.Join(c.Dir, ".git", "logs", "refs", "heads", "resume", s.run)
		text, err := os.ReadFile(log)
		if err != nil {
			continue // this clone never had the run's branch
		}
		for row := range bytes.Lines(text) {
			id := strings.Fields(string(row))[1]
			if _, err := hex.DecodeString(id); err != nil || strings.Trim(id, "0") == "" {
				continue
			}
			if refs := c.Git("for-each-ref", "--contains", id); refs == "" {
				return fmt.Errorf("%s: no ref keeps commit %s", c.Dir, id)
			}
		}
	}
	return s.lateIsParked(last)
}

// lateIsParked checks each clone for work that was done after somebody else had taken the lease. If the server does not have this work, the
// clone must have recorded it as parked.
func (s *shop) lateIsParked(last journal) error {
	leases := last.leases()
	for _, c := range s.clones {
		here, err := (&reader{c, map[string][]*line{}}).journal("refs/resume/journal/" + s.run + "^{tree}")
		if err != nil {
			return err
		}
		parked := map[int]bool{}
		for _, l := range here {
			if l.Event == "run.parked" {
				parked[l.Lease] = true
			}
		}
		own := map[string]bool{}
		for _, l := range here {
			if l.Actor != nil && l.Actor.Clone != "" && last[l.ID] == nil {
				own[l.by()] = true
			}
		}
		for _, l := range here {
			if own[l.by()] && here.late(l, leases) && !parked[l.Lease] {
				return fmt.Errorf("%s: nobody was told that this does not count: %s", c.Dir, l.text)
			}
		}
		s.tally.Parked += len(parked)
	}
	return nil
}
