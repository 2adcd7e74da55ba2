package plan

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/git-resume/git-resume/internal/textdoc"
)

// mode says how to treat unknown keys.
type mode int

const (
	strict   mode = iota // refuse an unknown key as a typing mistake
	tolerant             // skip an unknown key, because a later version of git-resume may have written it
)

// reader turns a tree of values into a plan. It checks keys and types, but not whether the values are consistent with each other.
type reader struct {
	faults *collector
	mode   mode
	places places
}

var planKeys = []string{"name", "base", "setup", "jobs", "tasks"}

func (r *reader) plan(root textdoc.Value) Plan {
	var p Plan
	if root.Kind() == textdoc.NullKind {
		r.faults.add(0, "the plan is empty", cureNoTasks)
		return p
	}
	if root.Kind() != textdoc.KeyedKind {
		r.faults.add(root.Line(), "the plan is "+kindWords[root.Kind()]+", not a mapping of keys to values", cureNoTasks)
		return p
	}
	r.keys("the plan", root, planKeys)
	r.places[place{whole, "", whole}] = root.Line()
	tasks := false
	for _, f := range root.Fields() {
		r.places[place{whole, f.Key, whole}] = f.Line
		switch f.Key {
		case "name":
			p.Name = strings.TrimSpace(r.text("", f))
		case "base":
			p.Base = strings.TrimSpace(r.text("", f))
		case "setup":
			p.Setup = r.text("", f)
		case "jobs":
			p.Jobs = r.count("", f)
		case "tasks":
			p.Tasks, tasks = r.tasks(f), true
		}
	}
	if !tasks {
		r.faults.add(root.Line(), "the plan has no tasks", cureNoTasks)
	}
	return p
}

// keys reports repeated keys and, in strict mode, unknown keys.
func (r *reader) keys(owner string, n textdoc.Value, known []string) {
	first := make(map[string]int, len(n.Fields()))
	for _, f := range n.Fields() {
		if line, again := first[f.Key]; again {
			r.faults.add(f.Line, fmt.Sprintf("%s has %s twice, here and in line %d", owner, quote(f.Key), line), "keep one of them")
			continue
		}
		first[f.Key] = f.Line
		if r.mode == tolerant || slices.Contains(known, f.Key) {
			continue
		}
		cure := "the keys are " + strings.Join(known, ", ")
		if guess := closest(f.Key, known); guess != "" {
			cure = "did you mean '" + guess + "'?"
		}
		r.faults.add(f.Line, owner+" has an unknown key "+quote(f.Key), cure)
	}
}

func (r *reader) tasks(f textdoc.Field) []Task {
	if f.Value.Kind() != textdoc.ListKind {
		r.wrong("", f.Line, "tasks", "a list", f.Value, "begin each task with '- id: …' below 'tasks:'")
		return nil
	}
	if len(f.Value.Items()) == 0 && r.mode == strict {
		r.faults.add(f.Line, "the plan has no tasks", cureNoTasks)
	}
	if n := len(f.Value.Items()); n > maxTasks {
		r.faults.add(f.Line, fmt.Sprintf("the plan has %d tasks, but at most %d are allowed", n, maxTasks), "split it into several plans")
		return nil
	}
	tasks := make([]Task, len(f.Value.Items()))
	for i, item := range f.Value.Items() {
		r.places[place{i, "", whole}] = item.Line()
		if item.Kind() != textdoc.KeyedKind {
			r.faults.add(item.Line(), fmt.Sprintf("task %d is %s, not a mapping of keys to values", i+1, kindWords[item.Kind()]), "write '- id: "+idLike(item.Raw())+"'")
			r.places[place{i, "id", whole}] = item.Line()
			continue
		}
		tasks[i] = r.task(i, item)
	}
	return tasks
}

var taskKeys = []string{
	"id", "title", "phase", "run", "verify", "on_interrupt", "on_conflict", "needs", "inputs", "outputs",
	"timeout", "retries", "once", "confirm", "ask", "options", "done", "optional",
}

func (r *reader) task(i int, n textdoc.Value) Task {
	owner := nameOf(i, n)
	r.keys(owner, n, taskKeys)
	var t Task
	for _, f := range n.Fields() {
		r.places[place{i, f.Key, whole}] = f.Line
		switch f.Key {
		case "id":
			t.ID = r.word(owner, f)
		case "title":
			t.Title = textdoc.OneLine(r.text(owner, f))
		case "phase":
			t.Phase = textdoc.OneLine(r.text(owner, f))
		case "run":
			t.Run = r.text(owner, f)
		case "verify":
			t.Verify = r.text(owner, f)
		case "on_interrupt":
			t.OnInterrupt = OnInterrupt(r.text(owner, f))
		case "on_conflict":
			t.OnConflict = OnConflict(r.text(owner, f))
		case "needs":
			t.Needs = r.list(owner, i, f, same)
		case "inputs":
			t.Inputs = r.list(owner, i, f, cleanPath)
		case "outputs":
			t.Outputs = r.list(owner, i, f, cleanPath)
		case "timeout":
			t.Timeout = r.duration(owner, f)
		case "retries":
			t.Retries = r.count(owner, f)
		case "once":
			t.Once = r.truth(owner, f)
		case "confirm":
			t.Confirm = paragraphs(r.text(owner, f))
		case "ask":
			t.Ask = paragraphs(r.text(owner, f))
		case "options":
			t.Options = r.list(owner, i, f, textdoc.OneLine)
		case "done":
			t.Done = r.truth(owner, f)
		case "optional":
			t.Optional = r.truth(owner, f)
		}
	}
	return t
}

// nameOf returns the name for a task in error messages. It works before the task has been parsed.
func nameOf(i int, n textdoc.Value) string {
	for _, f := range n.Fields() {
		if f.Key == "id" && f.Value.Raw() != "" {
			return "task " + quote(f.Value.Raw())
		}
	}
	return fmt.Sprintf("task %d", i+1)
}

// text returns a value that must be text. If the value is empty or not text, this method reports a fault and returns "".
func (r *reader) text(owner string, f textdoc.Field) string {
	v := f.Value
	switch {
	case v.Kind() == textdoc.NullKind || v.Kind() == textdoc.TextKind && paragraphs(v.Raw()) == "":
		r.faults.add(f.Line, quote(f.Key)+of(owner)+" has no value", "give it one, or remove the key")
	case v.Kind() == textdoc.TextKind:
		return v.Raw()
	case v.Kind() == textdoc.NumberKind || v.Kind() == textdoc.TruthKind:
		r.wrong(owner, f.Line, f.Key, "text", v, fmt.Sprintf("put it in quotes: \"%s\"", escape(textdoc.Shorten(v.Raw(), 60))))
	default:
		r.wrong(owner, f.Line, f.Key, "text", v, "write one value after the colon")
	}
	return ""
}

// word returns a value that may be written with or without quotes, such as an id: 1 and "1" are the same.
func (r *reader) word(owner string, f textdoc.Field) string {
	if f.Value.Kind() == textdoc.NumberKind || f.Value.Kind() == textdoc.TruthKind {
		return f.Value.Raw()
	}
	return strings.TrimSpace(r.text(owner, f))
}

// list returns a list of words, or nil for an empty list. If the value is not a list or is too long, this method reports a fault and
// returns nil.
func (r *reader) list(owner string, task int, f textdoc.Field, clean func(string) string) []string {
	if f.Value.Kind() != textdoc.ListKind {
		cure := "write a list after the colon"
		if v := f.Value.Raw(); v != "" {
			cure = fmt.Sprintf("put it in brackets: [%s]", escape(textdoc.Shorten(v, 60)))
		}
		r.wrong(owner, f.Line, f.Key, "a list", f.Value, cure)
		return nil
	}
	if n := len(f.Value.Items()); n > maxItems {
		r.faults.add(f.Line, fmt.Sprintf("%s%s has %d entries, but at most %d are allowed", quote(f.Key), of(owner), n, maxItems), "shorten it; a pattern such as 'db/**' names many files")
		return nil
	}
	var words []string
	for i, item := range f.Value.Items() {
		if item.Line() != f.Line {
			r.places[place{task, f.Key, i}] = item.Line()
		}
		word := r.entry(i+1, owner, f.Key, item)
		if word != "" {
			word = clean(word)
		}
		words = append(words, word)
	}
	return words
}

// entry returns one entry of a list, which may be written with or without quotes. If the entry is empty or not text, this method reports a
// fault and returns "".
func (r *reader) entry(n int, owner, key string, v textdoc.Value) string {
	what := fmt.Sprintf("entry %d of %s%s", n, quote(key), of(owner))
	switch kind := v.Kind(); {
	case kind == textdoc.NullKind || kind == textdoc.TextKind && paragraphs(v.Raw()) == "":
		r.faults.add(v.Line(), what+" is empty", "remove this entry")
	case kind == textdoc.ListKind || kind == textdoc.KeyedKind:
		r.faults.add(v.Line(), what+" must be text, not "+kindWords[kind], "write one value, and put it in quotes if it has ': ' in it")
	case kind == textdoc.TextKind:
		return strings.TrimSpace(v.Raw())
	default:
		return v.Raw()
	}
	return ""
}

func (r *reader) duration(owner string, f textdoc.Field) Duration {
	if f.Value.Kind() == textdoc.NumberKind {
		r.wrong(owner, f.Line, f.Key, "a duration", f.Value, "write the unit, for example 90s, 10m or 2h")
		return ""
	}
	return Duration(strings.TrimSpace(r.text(owner, f)))
}

func (r *reader) count(owner string, f textdoc.Field) int {
	n, err := strconv.Atoi(f.Value.Raw())
	if f.Value.Kind() != textdoc.NumberKind || err != nil {
		cure := "write a number from 0 to 1000"
		if f.Key == "jobs" {
			cure = fmt.Sprintf("write a number from 1 to %d", MaxJobs)
		}
		r.wrong(owner, f.Line, f.Key, "a whole number", f.Value, cure)
		return 0
	}
	return n
}

func (r *reader) truth(owner string, f textdoc.Field) bool {
	if f.Value.Kind() != textdoc.TruthKind {
		r.wrong(owner, f.Line, f.Key, "true or false", f.Value, "write true or false, without quotes")
		return false
	}
	return strings.EqualFold(f.Value.Raw(), "true")
}

func (r *reader) wrong(owner string, line int, key, want string, got textdoc.Value, cure string) {
	what := quote(key) + of(owner)
	switch got.Kind() {
	case textdoc.NullKind:
		what += " has no value"
	case textdoc.TextKind:
		what += " must be " + want + ", not the text " + quote(got.Raw())
	case textdoc.NumberKind, textdoc.TruthKind:
		what += " must be " + want + ", not " + quote(got.Raw())
	default:
		what += " must be " + want + ", not " + kindWords[got.Kind()]
	}
	r.faults.add(line, what, cure)
}

func of(owner string) string {
	if owner == "" {
		return ""
	}
	return " of " + owner
}

func same(s string) string { return s }

// cleanPath normalizes a path: it removes "./" and double or trailing slashes. It does not change a path that has a fault, so that the
// path will be refused later.
func cleanPath(s string) string {
	if s == "" || pathFault(s) != "" {
		return s
	}
	return path.Clean(s)
}
