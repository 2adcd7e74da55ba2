package commitlog

import (
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

// Tasks returns for each task the newest commit that came after a time and whose subject says that the task was carried out. If the
// argument "own" is false, the message must also contain one of the names of the work, because other work may use the same ids.
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
		for _, id := range tasksIn(c.Subject) {
			if id, ok := wanted[id]; ok && found[id] == "" {
				found[id] = c.ID
			}
		}
	}
	return found
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

// between returns the ids after the first one, up to the last one, or nothing if there are too many. It writes numbers with as many digits
// as the first one has.
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
