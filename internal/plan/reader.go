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

// reader turns a tree of nodes into a plan. It checks keys and types, but not whether the values are consistent with each other.
type reader struct {
	faults *collector
	mode   mode
	places places
}

var planKeys = []string{"name", "base", "setup", "tasks"}

func (r *reader) plan(root node) Plan {
	var p Plan
	if root.kind == noKind {
		r.faults.add(0, "the plan is empty", cureNoTasks)
		return p
	}
	if root.kind != tableKind {
		r.faults.add(root.line, "the plan is "+string(root.kind)+", not a group of keys", cureNoTasks)
		return p
	}
	r.keys("the plan", root, planKeys)
	r.places[place{whole, "", whole}] = root.line
	tasks := false
	for _, f := range root.fields {
		r.places[place{whole, f.key, whole}] = f.line
		switch f.key {
		case "name":
			p.Name = strings.TrimSpace(r.text("", f))
		case "base":
			p.Base = strings.TrimSpace(r.text("", f))
		case "setup":
			p.Setup = r.text("", f)
		case "tasks":
			p.Tasks, tasks = r.tasks(f), true
		}
	}
	if !tasks {
		r.faults.add(root.line, "the plan has no tasks", cureNoTasks)
	}
	return p
}

// keys reports keys that are unknown or repeated.
func (r *reader) keys(owner string, n node, known []string) {
	first := make(map[string]int, len(n.fields))
	for _, f := range n.fields {
		if line, again := first[f.key]; again {
			r.faults.add(f.line, fmt.Sprintf("%s has %s twice, here and in line %d", owner, quote(f.key), line), "keep one of them")
			continue
		}
		first[f.key] = f.line
		if r.mode == tolerant || slices.Contains(known, f.key) {
			continue
		}
		cure := "the keys are " + strings.Join(known, ", ")
		if guess := closest(f.key, known); guess != "" {
			cure = "did you mean '" + guess + "'?"
		}
		r.faults.add(f.line, owner+" has an unknown key "+quote(f.key), cure)
	}
}

func (r *reader) tasks(f field) []Task {
	if f.value.kind != listKind {
		r.wrong("", f.line, "tasks", "a list", f.value, "begin each task with '- id: …' below 'tasks:'")
		return nil
	}
	if len(f.value.items) == 0 && r.mode == strict {
		r.faults.add(f.line, "the plan has no tasks", cureNoTasks)
	}
	if n := len(f.value.items); n > maxTasks {
		r.faults.add(f.line, fmt.Sprintf("the plan has %d tasks, but at most %d are allowed", n, maxTasks), "split it into several plans")
		return nil
	}
	tasks := make([]Task, len(f.value.items))
	for i, item := range f.value.items {
		r.places[place{i, "", whole}] = item.line
		if item.kind != tableKind {
			r.faults.add(item.line, fmt.Sprintf("task %d is %s, not a group of keys", i+1, item.kind), "write '- id: "+idLike(item.text)+"'")
			r.places[place{i, "id", whole}] = item.line
			continue
		}
		tasks[i] = r.task(i, item)
	}
	return tasks
}

var taskKeys = []string{
	"id", "title", "phase", "run", "verify", "on_interrupt", "needs", "inputs", "outputs",
	"timeout", "retries", "once", "confirm", "ask", "options", "done", "optional",
}

func (r *reader) task(i int, n node) Task {
	owner := nameOf(i, n)
	r.keys(owner, n, taskKeys)
	var t Task
	for _, f := range n.fields {
		r.places[place{i, f.key, whole}] = f.line
		switch f.key {
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
func nameOf(i int, n node) string {
	for _, f := range n.fields {
		if f.key == "id" && f.value.text != "" {
			return "task " + quote(f.value.text)
		}
	}
	return fmt.Sprintf("task %d", i+1)
}

// text returns a value that must be text.
func (r *reader) text(owner string, f field) string {
	v := f.value
	switch {
	case v.kind == noKind || v.kind == textKind && paragraphs(v.text) == "":
		r.faults.add(f.line, quote(f.key)+of(owner)+" has no value", "give it one, or remove the key")
	case v.kind == textKind:
		return v.text
	case v.kind == numberKind || v.kind == truthKind:
		r.wrong(owner, f.line, f.key, "text", v, fmt.Sprintf("put it in quotes: \"%s\"", escape(textdoc.Shorten(v.text, 60))))
	default:
		r.wrong(owner, f.line, f.key, "text", v, "write one value after the colon")
	}
	return ""
}

// word returns a value, such as an id, for which 1 and "1" mean the same.
func (r *reader) word(owner string, f field) string {
	if f.value.kind == numberKind || f.value.kind == truthKind {
		return f.value.text
	}
	return strings.TrimSpace(r.text(owner, f))
}

// list returns a list of words, or nil for an empty list.
func (r *reader) list(owner string, task int, f field, clean func(string) string) []string {
	if f.value.kind != listKind {
		cure := "write a list after the colon"
		if v := f.value.text; v != "" {
			cure = fmt.Sprintf("put it in brackets: [%s]", escape(textdoc.Shorten(v, 60)))
		}
		r.wrong(owner, f.line, f.key, "a list", f.value, cure)
		return nil
	}
	if n := len(f.value.items); n > maxItems {
		r.faults.add(f.line, fmt.Sprintf("%s%s has %d entries, but at most %d are allowed", quote(f.key), of(owner), n, maxItems), "shorten it; a pattern such as 'db/**' names many files")
		return nil
	}
	var words []string
	for i, item := range f.value.items {
		if item.line != f.line {
			r.places[place{task, f.key, i}] = item.line
		}
		word := r.word(owner, field{f.key, item.line, item})
		if word != "" {
			word = clean(word)
		}
		words = append(words, word)
	}
	return words
}

func (r *reader) duration(owner string, f field) Duration {
	if f.value.kind == numberKind {
		r.wrong(owner, f.line, f.key, "a duration", f.value, "write the unit, for example 90s, 10m or 2h")
		return ""
	}
	return Duration(strings.TrimSpace(r.text(owner, f)))
}

func (r *reader) count(owner string, f field) int {
	n, err := strconv.Atoi(f.value.text)
	if f.value.kind != numberKind || err != nil {
		r.wrong(owner, f.line, f.key, "a whole number", f.value, "write a number from 0 to 1000")
		return 0
	}
	return n
}

func (r *reader) truth(owner string, f field) bool {
	if f.value.kind != truthKind {
		r.wrong(owner, f.line, f.key, "true or false", f.value, "write true or false, without quotes")
		return false
	}
	return strings.EqualFold(f.value.text, "true")
}

// wrong reports a value of the wrong type.
func (r *reader) wrong(owner string, line int, key, want string, got node, cure string) {
	what := quote(key) + of(owner)
	switch got.kind {
	case noKind:
		what += " has no value"
	case textKind:
		what += " must be " + want + ", not the text " + quote(got.text)
	case numberKind, truthKind:
		what += " must be " + want + ", not " + quote(got.text)
	default:
		what += " must be " + want + ", not " + string(got.kind)
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

// cleanPath normalizes a path: it removes "./" and double or trailing slashes. It does not change a path that leads
// out of the worktree, so that the path will be refused later.
func cleanPath(s string) string {
	if s == "" || pathFault(s) != "" {
		return s
	}
	return path.Clean(s)
}
