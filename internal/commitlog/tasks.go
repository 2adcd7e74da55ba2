package commitlog

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/textdoc"
)

var (
	// numberedTasks matches "task 3", "tasks 1-3" and "Task 2.1, 2.2", and captures the numbers.
	numberedTasks = textdoc.NewForm(`(?i)\btasks?[ :#]*([0-9]+(?:\.[0-9]+)*(?: ?(?:,|and|&|-|–|to|through) ?[0-9]+(?:\.[0-9]+)*)*)`)
	// namedTasks matches "T004" and "T001-T006", and captures the letters and the first and the last number.
	namedTasks = textdoc.NewForm(`(?i)\b([a-z]{1,3})([0-9]{2,4})(?: ?(?:-|–|to|through|\.\.) ?([a-z]{1,3})([0-9]{2,4}))?\b`)
	// unfinished matches words that say that a commit has only a part of a task.
	unfinished = textdoc.NewForm(`(?i)\b(?:wip|partial(?:ly)?|part|start(?:s|ed)?|begins?|began|incomplete|[0-9]+/[0-9]+)\b`)
	// planned matches words that say that a commit only writes plans.
	planned = textdoc.NewForm(`(?i)\b(?:plans?|specs?|specification|tasks?\.md|requirements|proposal|backlog|roadmap)\b`)
)

// Tasks returns for each task the newest commit whose subject says that the task was carried out. The commit must be newer than the time
// "after". If the argument "own" is false, the message must also contain one of the names of the work, because other work may use the
// same ids.
func (h History) Tasks(ids, names []string, after time.Time, own bool) map[string]object.ID {
	wanted := map[string]string{}
	for _, id := range ids {
		wanted[strings.ToLower(id)] = id
	}
	special := distinct(names)
	found := map[string]object.ID{}
	for i := range h.commits {
		c := &h.commits[i]
		if !c.When.After(after) || !own && !mentions(c.text, special) || unfinished.MatchString(c.Subject) || planned.MatchString(c.Subject) {
			continue
		}
		for _, id := range tasksOf(c.Subject, names) {
			if id, ok := wanted[id]; ok && found[id] == "" {
				found[id] = c.ID
			}
		}
	}
	return found
}

// numberedScope matches "feat(02):" and "fix(1-02):", and captures the number of the plan or the task that the commit is about.
var numberedScope = textdoc.NewForm(`^[A-Za-z]+\(([0-9]+(?:[.-][0-9]+)*)\)!?:`)

// tasksOf returns the ids of tasks in a subject, in lower case. In "feat(02): Task 1", the number 1 counts within plan 02. So it proves
// nothing for work with other names, except for a task 2.1.
func tasksOf(subject string, names []string) []string {
	m := numberedScope.FindStringSubmatch(subject)
	if m == nil {
		return tasksIn(subject)
	}
	scope := strings.TrimLeft(m[1], "0")
	if slices.ContainsFunc(names, func(n string) bool {
		rest, ok := strings.CutPrefix(strings.TrimLeft(n, "0"), scope)
		return ok && (rest == "" || strings.ContainsAny(rest[:1], "-_"))
	}) {
		return tasksIn(subject)
	}
	return slices.DeleteFunc(tasksIn(subject), func(id string) bool {
		bare := strings.Trim(id, ".0123456789") == ""
		return bare && !(strings.Contains(id, ".") && strings.HasPrefix(id+".", scope+"."))
	})
}

// tasksIn returns the ids of tasks in a subject, in lower case.
func tasksIn(subject string) (ids []string) {
	for _, m := range namedTasks.FindAllStringSubmatch(subject, -1) {
		ids = append(ids, strings.ToLower(m[1]+m[2]))
		if strings.EqualFold(m[1], m[3]) {
			ids = append(ids, between(strings.ToLower(m[1]), m[2], m[4])...)
		}
	}
	for _, m := range numberedTasks.FindAllStringSubmatch(subject, -1) {
		numbers := strings.FieldsFunc(m[1], func(r rune) bool { return r != '.' && (r < '0' || r > '9') })
		ids = append(ids, numbers...)
		if len(numbers) == 2 && !strings.ContainsAny(m[1], ",&a") {
			ids = append(ids, between("", numbers[0], numbers[1])...)
		}
	}
	return ids
}

// longestRange limits how many tasks one range in a subject can name, because anybody can write anything into a subject.
const longestRange = 200

// between returns the ids of a range except the first one, such as T002 and T003 for "T001-T003". It returns nothing if the range is too
// long. Numbers get at least as many digits as the first one has.
func between(letters, first, last string) (ids []string) {
	a, err := strconv.Atoi(first)
	b, err2 := strconv.Atoi(last)
	if err != nil || err2 != nil || b-a > longestRange {
		return nil
	}
	for n := a + 1; n <= b; n++ {
		text := strconv.Itoa(n)
		ids = append(ids, letters+strings.Repeat("0", max(0, len(first)-len(text)))+text)
	}
	return ids
}

// NamedBy returns the ids of the tasks that the subject of one commit names, in lower case. It returns nothing if the subject is about
// plans or documents, or about a part of a task. It also returns nothing for a merge, and for a commit that h does not have. The argument
// "names" has the names of the work: a number within another plan does not count.
func (h History) NamedBy(id object.ID, names ...string) []string {
	i, ok := h.at[id]
	if !ok || !h.commits[i].carriesOut() {
		return nil
	}
	return tasksOf(h.commits[i].Subject, names)
}

// carriesOut reports whether the subject of a commit can say that something was carried out as a whole. It is false for a merge, and for a
// subject about plans, documents or unfinished work.
func (c *described) carriesOut() bool { return c.isWork() && !unfinished.MatchString(c.Subject) }

// isWork reports whether the subject of a commit can say that at least a part of something was carried out. It is false for a merge, and
// for a subject about plans or documents.
func (c *described) isWork() bool {
	return len(c.parents) < 2 && !writing.MatchString(c.Subject) && !planned.MatchString(c.Subject)
}

var (
	// numberedParts matches "Phase 4", "phases 1-3", "US5" and "User Story 2", and captures the kind and the numbers.
	numberedParts = textdoc.NewForm(`(?i)\b(phases?|us|user stor(?:y|ies)) ?-?#?([0-9]{1,2})(?: ?(?:-|–|~|to|and|&) ?([0-9]{1,2}))?\b`)
	// completed matches words that say that something was carried out as a whole.
	completed = textdoc.NewForm(`(?i)\b(?:complete[sd]?|completing|implement(?:s|ed)?|finish(?:es|ed)?|done)\b|完成|实现|実装|구현|완료`)
	// side matches words for a part of a program, such as "frontend", and for work that is no task of a phase, such as "review".
	side = textdoc.NewForm(`(?i)\b(?:back-?end|front-?end|mobile|tests?|fix(?:es)?|bugs?|reviews?|polish|prepare)\b`)
)

// Parts returns the newest commits which say that a phase or a user story was carried out, by keys such as "phase 4" and "story 2". A
// commit must be newer than the time "after"; only the commit with the id "with" may be older. Its subject must not name single tasks, and
// must not match the pattern "side", which means that it is about something other than the whole phase. If the argument "own" is false, the
// message must also contain one of the names of the work.
func (h History) Parts(names []string, after time.Time, with object.ID, own bool) map[string]object.ID {
	special, found := distinct(names), map[string]object.ID{}
	for i := range h.commits {
		c := &h.commits[i]
		if !c.When.After(after) && c.ID != with || !own && !mentions(c.text, special) || !c.carriesOut() || !completed.MatchString(c.Subject) {
			continue
		}
		if side.MatchString(c.Subject) || len(tasksIn(numberedParts.ReplaceAllString(c.Subject, ""))) > 0 {
			continue
		}
		matches := numberedParts.FindAllStringSubmatch(c.Subject, -1)
		isPhase := func(m []string) bool { return strings.EqualFold(m[1][:1], "p") }
		phases := slices.ContainsFunc(matches, isPhase)
		for _, m := range matches {
			kind := "story "
			if isPhase(m) {
				kind = "phase "
			} else if phases {
				continue // the subject names a phase too, and only the phase counts, because the number of a story can mean different things
			}
			for _, n := range append([]string{strings.TrimLeft(m[2], "0")}, between("", strings.TrimLeft(m[2], "0"), m[3])...) {
				if found[kind+n] == "" {
					found[kind+n] = c.ID
				}
			}
		}
	}
	return found
}
