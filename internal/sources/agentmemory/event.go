package agentmemory

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// event is one event of a run. It comes from a line of a log, or from a JSON or YAML file.
type event struct {
	// kind is the event type in lower case with hyphens. raw is the event type as written.
	kind, raw string
	id, task  string
	actor     string
	// said is the time in the event. The field "at" is the time for sorting. Within one log, "at" never goes backwards.
	said, at time.Time
	naive    bool
	details  textdoc.Value
	// log is the number of the log file. The field "where" names the file and the line for people.
	log   int
	where string
}

// own reports whether git-resume wrote the event for a user. Such an event does not show that the system itself is active.
func (e *event) own() bool { return strings.HasPrefix(e.where, "events/"+ownActor+"/") }

// parseEvent reads an event from its fields. If the event has no type, ok is false.
func parseEvent(v textdoc.Value) (e event, ok bool) {
	e.raw = v.Get("event_type", "type", "event").Text()
	e.kind = foldKind(e.raw)
	e.id, e.task = v.Get("event_id", "id").Text(), v.Get("task_id", "taskId", "taskID", "task").Text()
	e.actor, e.details = v.Get("actor", "agent").Text(), v.Get("details", "data", "payload")
	if !e.details.IsObject() {
		e.details = v // in the flat format, the details are on the same level as the type
	}
	e.task = cmp.Or(e.task, e.details.Get("task_id", "taskId", "taskID").Text())
	e.said, e.naive = eventTime(v.Get("timestamp", "time", "ts", "at"))
	return e, e.kind != ""
}

// eventTime reads a time that is written as text, or as seconds or milliseconds since 1970.
func eventTime(v textdoc.Value) (at time.Time, naive bool) {
	if at, naive, ok := sources.ParseTime(v.Text()); ok {
		return at, naive
	}
	const year2001, year2286 = 1e9, 1e10
	number, ok := v.Int()
	switch n := int64(number); { // int64, because milliseconds do not fit into an int of 32 bits
	case ok && n > year2001 && n < year2286:
		return time.Unix(n, 0).UTC(), false
	case ok && n > year2001*1000 && n < year2286*1000:
		return time.UnixMilli(n).UTC(), false
	}
	return time.Time{}, false
}

// foldKind normalizes an event type, so that task_started and Task-Started become the same word.
func foldKind(raw string) string {
	return strings.NewReplacer("_", "-", " ", "-", ".", "-").Replace(strings.ToLower(raw))
}

// effects maps an event type to the state that it gives to its task.
var effects = map[string]checkpoint.TaskState{
	"task-started": checkpoint.Active, "task-claimed": checkpoint.Active, "task-implemented": checkpoint.Active,
	"task-in-progress": checkpoint.Active, "task-unblocked": checkpoint.Active, "task-resumed": checkpoint.Active,
	"task-completed": checkpoint.Done, "task-complete": checkpoint.Done, "task-done": checkpoint.Done, "task-verified": checkpoint.Done,
	"task-failed": checkpoint.Failed, "task-verification-failed": checkpoint.Failed,
	"task-blocked": checkpoint.Blocked,
	"task-created": checkpoint.Pending, "task-ready": checkpoint.Pending,
	"task-skipped": checkpoint.Skipped, "task-cancelled": checkpoint.Skipped, "task-canceled": checkpoint.Skipped,
}

// completes reports whether the system counts a task as complete after an event of this type.
func completes(raw string) bool { return effects[foldKind(raw)] == checkpoint.Done }

// effect returns the state that the event gives to its task. If the event sets no state or names no task, ok is false.
func (e *event) effect() (checkpoint.TaskState, bool) {
	s, ok := effects[e.kind]
	if s == checkpoint.Done && e.details.Get("skipped").True() {
		s = checkpoint.Skipped
	}
	return s, ok && e.task != ""
}

// families lists prefixes of further known event types, besides the types in the variable "effects".
var families = []string{
	"phase-", "run-", "artifact-", "escalation", "cleanup-", "pr-", "ready-for-human-review", "consolidation-", "stm-",
	"checkpoint-", "session-", "execution-error", "dependency-", "bootstrap-", "development-", "unified-", "verification-",
	"approval-", "awaiting-approval", "waiting-", "prd-", "plan-", "constitution-", "adr-", "debt-", "memory-", "learning-", "promotion-", "task-graph-",
}

func (e *event) known() bool {
	_, ok := effects[e.kind]
	return ok || slices.ContainsFunc(families, func(f string) bool { return strings.HasPrefix(e.kind, f) })
}

// fault is a line of a log that could not be read as an event.
type fault struct {
	line int // 0 means the whole file
	why  string
	// rest is true if the line ends with a complete event, which was read.
	rest bool
}

// parseLog reads a log with one JSON object per line. It returns a fault for each line that is not an event. If such a line ends with a
// complete event, it keeps that event. If no event is found, it reads the whole file as one JSON value.
func parseLog(data []byte) (events []event, lines []string, faults []fault) {
	all := strings.Split(textdoc.Text(data), "\n")
	for i, line := range all {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		v, err := textdoc.ParseJSON([]byte(line))
		e, ok := parseEvent(v)
		if err != nil {
			why := "is a conflict marker of an unfinished merge"
			if !mergeMark(line) {
				text := strings.Replace(err.Error(), " at line 1", "", 1) // remove the line number, because each line is parsed separately
				why = "is not an event (" + strings.TrimPrefix(text, "is ") + ")"
			}
			if i == len(all)-1 { // the last line has no newline, so the write was interrupted
				why = "is incomplete"
			}
			e, line, ok = glued(line)
			faults = append(faults, fault{i + 1, why, ok})
		} else if !ok {
			faults = append(faults, fault{i + 1, "does not name the type of its event", false})
		}
		if ok {
			e.where = fmt.Sprint(i + 1)
			events, lines = append(events, e), append(lines, line)
		}
	}
	if len(events) == 0 {
		if whole, err := parseOwnFile("x.json", data); err == nil { // the file may be a single JSON object over several lines
			return whole, nil, nil
		}
	}
	return events, lines, faults
}

// mergeMark reports whether a line is a conflict marker of git.
func mergeMark(line string) bool {
	return strings.HasPrefix(line, "<<<<<<< ") || line == "=======" || strings.HasPrefix(line, ">>>>>>> ") || strings.HasPrefix(line, "||||||| ")
}

// glued finds a complete event at the end of a damaged line. Such a line results when a write is interrupted and the next event is appended
// to the same line.
func glued(line string) (event, string, bool) {
	const tries = 20
	for n, from := 0, 1; n < tries && from < len(line); n++ {
		at := strings.Index(line[from:], `{"`)
		if at < 0 {
			break
		}
		from += at
		if v, err := textdoc.ParseJSON([]byte(line[from:])); err == nil {
			e, ok := parseEvent(v)
			return e, line[from:], ok
		}
		from++
	}
	return event{}, "", false
}

// parseOwnFile reads a file that contains one event or a list of events.
func parseOwnFile(name string, data []byte) (events []event, err error) {
	parse := yamldoc.Parse
	if strings.HasSuffix(name, ".json") {
		parse = textdoc.ParseJSON
	}
	v, err := parse(data)
	if err != nil {
		return nil, err
	}
	items := []textdoc.Value{v}
	if v.IsList() {
		items = v.Items()
	} else if list := v.Get("events"); list.IsList() {
		items = list.Items()
	}
	for _, item := range items {
		if e, ok := parseEvent(item); ok {
			e.where = fmt.Sprint(len(events) + 1)
			events = append(events, e)
		}
	}
	if len(events) == 0 {
		return nil, &textdoc.DamageError{Why: "holds no event"}
	}
	return events, nil
}
