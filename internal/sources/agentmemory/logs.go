package agentmemory

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

// These limits apply to the logs of one run.
const (
	maxLogs    = 5000
	maxWalked  = 50000
	maxBytes   = 64 << 20
	maxDepth   = 4 // one more folder than in the usual path events/<lane>/<actor>/<file>
	maxPerFile = 3 // the number of faults in one file that are reported one by one
)

// logs holds the events of a run from all actors and all worktrees, without duplicates.
type logs struct {
	*memory
	events []event
	// files lists the log files below the folder of the run, in natural order.
	files []string
	// newest maps each worktree to the time of its newest event.
	newest map[string]time.Time
	// unread is true if a log or a folder of logs was not read. lost is true if the content of a log is damaged.
	unread, lost bool
	// naive is true if an event has a time without a time zone. ahead is true if an event is in the future.
	naive, ahead  bool
	bytes, walked int
	ids           map[string]bool
}

func readLogs(m *memory) *logs {
	l := &logs{memory: m, newest: map[string]time.Time{}, ids: map[string]bool{}}
	lines := map[string]map[string]bool{}
	for _, t := range m.trees {
		for _, file := range l.list(t, "events", 1) {
			if lines[file] == nil {
				lines[file] = map[string]bool{}
				l.files = append(l.files, file)
			}
			l.read(t, file, lines[file])
		}
	}
	slices.SortFunc(l.files, sources.NaturalOrder)
	slices.SortStableFunc(l.events, func(a, b event) int { return a.at.Compare(b.at) })
	return l
}

// list returns the logs below a folder of one worktree.
func (l *logs) list(t sources.Tree, dir string, depth int) []string {
	entries, err := t.List(path.Join(l.dir, dir))
	if l.walked += 1 + len(entries); err == nil && l.walked > maxWalked {
		err = &sources.RefusedError{Path: dir, Why: fmt.Sprintf("was not read, because the folders with events contain more than %d files and folders", maxWalked)}
	}
	if err != nil {
		l.doubts.Refuse(path.Join(l.dir, dir), err)
		l.unread = true
		return nil
	}
	var out []string
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		switch {
		case e.IsDir() && depth < maxDepth:
			out = append(out, l.list(t, name, depth+1)...)
		case isLog(name) && len(l.files)+len(out) < maxLogs:
			out = append(out, name)
		case isLog(name):
			l.unread = true
			l.doubts.About(sources.DoubtRefused, conflicts.Warning, path.Join(l.dir, name), "was not read, because there are more than %d logs", maxLogs)
			return out
		}
	}
	return out
}

func isLog(name string) bool {
	return slices.Contains([]string{".jsonl", ".ndjson", ".yaml", ".yml", ".json"}, path.Ext(name))
}

// read adds the events of one log that are not known yet. The argument "seen" has the lines that were already read from this log, or from
// its copies in other worktrees.
func (l *logs) read(t sources.Tree, file string, seen map[string]bool) {
	full := path.Join(l.dir, file)
	data, err := t.Read(full)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if l.bytes += len(data); err == nil && l.bytes > maxBytes {
		err = &sources.RefusedError{Path: full, Why: fmt.Sprintf("was not read, because there would be more than %d bytes of events", maxBytes)}
	}
	if err != nil {
		l.doubts.Refuse(full, err)
		l.unread = true
		return
	}
	l.seen(t, full)
	if ext := path.Ext(file); ext == ".jsonl" || ext == ".ndjson" {
		events, lines, faults := parseLog(data)
		l.blame(full, faults)
		l.add(t, file, events, lines, seen)
		return
	}
	events, err := parseOwnFile(file, data)
	if err != nil {
		l.lost = true
		l.doubts.About(sources.DoubtDamaged, conflicts.Warning, full, "%s", err)
		return
	}
	l.add(t, file, events, nil, seen)
}

func (l *logs) blame(file string, faults []fault) {
	for i, f := range faults {
		l.lost = true
		if i == maxPerFile {
			l.doubts.About(sources.DoubtDamaged, conflicts.Warning, file, "has %d more lines that cannot be read", len(faults)-i)
			return
		}
		used := "and was left out"
		if f.rest {
			used = "but the complete event at its end was read"
		}
		l.doubts.About(sources.DoubtDamaged, conflicts.Warning, fmt.Sprintf("%s:%d", file, f.line), "%s, %s", f.why, used)
	}
}

// add adds new events and sets their times. Within one log, no event is earlier than the event before it, even if the clock went backwards.
func (l *logs) add(t sources.Tree, file string, events []event, lines []string, seen map[string]bool) {
	var last time.Time
	number, back := slices.Index(l.files, file), false // copies of a log in several worktrees get the same number
	for i, e := range events {
		l.naive = l.naive || e.naive
		e.log, e.where = number, file+":"+e.where
		e.actor = cmp.Or(e.actor, path.Base(path.Dir(file)))
		if e.at = e.said; e.at.IsZero() && last.IsZero() {
			e.at = stampOf(file)
		}
		l.ahead = l.ahead || e.at.After(l.view.Now)
		if e.at.Before(last) {
			back = back || !e.said.IsZero() && i > 0
			e.at = last
		}
		last = e.at
		if l.newest[t.WorkTree].Before(e.at) {
			l.newest[t.WorkTree] = e.at
		}
		line := fmt.Sprintf("%s %s %s", e.kind, e.task, e.said)
		if lines != nil {
			line = lines[i]
		}
		if seen[line] || e.id != "" && l.ids[e.id] {
			continue
		}
		seen[line], l.ids[e.id] = true, true
		l.events = append(l.events, e)
	}
	if back {
		l.doubts.About("clock-backwards", conflicts.Info, path.Join(l.dir, file), "has times that go backwards; its lines are used in the order in which they were written")
	}
}

// stampOf returns the time with which the name of a log or a run begins, or the zero time if it begins with none.
func stampOf(file string) time.Time {
	name := strings.TrimSuffix(path.Base(file), path.Ext(file))
	for _, form := range []string{"20060102-150405", "20060102-1504", "2006-01-02T15-04-05Z"} {
		if len(name) >= len(form) {
			if t, err := time.Parse(form, name[:len(form)]); err == nil {
				return t
			}
		}
	}
	return time.Time{}
}
