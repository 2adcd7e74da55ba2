package agentmemory

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	maxDepth   = 16 // the usual path is events/<lane>/<actor>/<file>
	maxPerFile = 3  // the number of faults in one file that are reported one by one
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
	// gap is true if a whole log cannot be read, or lacks events that HEAD has. What its actor did last is then not known.
	gap bool
	// naive is true if an event has a time without a time zone. ahead is true if an event is in the future.
	naive, ahead  bool
	bytes, walked int
	ids           map[string]bool
}

func readLogs(m *memory) *logs {
	l := &logs{memory: m, newest: map[string]time.Time{}, ids: map[string]bool{}}
	lines := map[string]map[string]bool{} // the lines of each log
	for _, t := range m.trees {
		for _, file := range l.list(t, "events", 1) {
			if lines[file] == nil {
				lines[file] = map[string]bool{}
				l.files = append(l.files, file)
			}
			l.read(t, file, lines[file])
		}
	}
	for _, t := range m.trees {
		l.recall(t, lines)
	}
	slices.SortFunc(l.files, sources.NaturalOrder)
	slices.SortStableFunc(l.events, func(a, b event) int { return a.at.Compare(b.at) })
	return l
}

// recall adds the events that HEAD has and the logs of a worktree have lost: a log only grows, so it was damaged, emptied or deleted. An
// event that another log has was moved there, and is not lost. Our own logs are left out, because undo removes them.
func (l *logs) recall(t sources.Tree, lines map[string]map[string]bool) {
	head, altered := l.view.Before(l.ctx, t, path.Join(l.dir, "events"))
	if !altered {
		return
	}
	known := map[string]bool{}
	for _, of := range lines {
		maps.Copy(known, of)
	}
	doubts, unread, now := l.doubts, l.unread, l.events
	l.events = nil // the events of HEAD are put before the others, because they are older
	var short []string
	for _, file := range l.list(head, "events", 1) {
		data, err := head.Read(path.Join(l.dir, file))
		if l.bytes += len(data); err != nil || l.bytes > maxBytes || strings.HasPrefix(file, "events/"+ownActor+"/") {
			continue
		}
		if !slices.Contains(l.files, file) {
			l.files = append(l.files, file)
		}
		before := len(l.events)
		events, texts, _ := parseFile(file, data)
		if l.add(t, file, events, texts, known); len(l.events) > before {
			short = append(short, fmt.Sprintf("%s lacks %s", path.Join(l.dir, file), sources.Count(len(l.events)-before, "event", "events")))
		}
	}
	l.events, l.doubts, l.unread = append(l.events, now...), doubts, unread // what is wrong with the files of a commit is wrong with its logs too
	for _, s := range short {
		l.gap = true
		full, what, _ := strings.Cut(s, " ")
		l.doubts.About(sources.DoubtFallback, conflicts.Warning, full, "%s that commit %s has, and that count; what was recorded after it may be lost", what, l.view.Head(l.ctx, t).Short())
	}
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
		case e.IsDir():
			l.unread = true
			l.doubts.About(sources.DoubtRefused, conflicts.Warning, path.Join(l.dir, name), "was not read, because it is more than %d folders deep", maxDepth)
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
	events, lines, faults := parseFile(file, data)
	l.gap = l.gap || len(events) == 0 && len(faults) > 0
	l.blame(full, faults)
	l.add(t, file, events, lines, seen)
}

// parseFile reads a log, or a file that contains one event or a list of events. A fault of such a file has no line.
func parseFile(file string, data []byte) (events []event, lines []string, faults []fault) {
	if ext := path.Ext(file); ext == ".jsonl" || ext == ".ndjson" {
		return parseLog(data)
	}
	events, err := parseOwnFile(file, data)
	if err != nil {
		faults = []fault{{why: err.Error()}}
	}
	return events, nil, faults
}

func (l *logs) blame(file string, faults []fault) {
	for i, f := range faults {
		l.lost = true
		if i == maxPerFile {
			l.doubts.About(sources.DoubtDamaged, conflicts.Warning, file, "has %d more lines that cannot be read", len(faults)-i)
			return
		}
		if f.line == 0 {
			l.doubts.About(sources.DoubtDamaged, conflicts.Warning, file, "%s", f.why)
			continue
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
