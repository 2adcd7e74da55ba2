package plan

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/textdoc"
)

const (
	maxName     = 200
	maxID       = 64
	maxBase     = 250
	maxRetries  = 1000
	maxQuestion = 4000
	maxOption   = 200
)

// Check finds faults in a plan that was not read from a file. It returns nil, or an error of type Faults without line numbers.
func (p Plan) Check() error {
	faults := &collector{}
	check(p, nil, faults)
	return faults.err()
}

// checker checks the values in a plan and whether they are consistent with each other.
type checker struct {
	plan   Plan
	places places
	faults *collector
}

func check(p Plan, at places, faults *collector) {
	c := checker{p, at, faults}
	c.name()
	c.base()
	c.command(whole, "setup", p.Setup)
	c.jobs()
	if n := len(p.Tasks); n > maxTasks {
		c.fault(place{whole, "tasks", whole}, fmt.Sprintf("the plan has %d tasks, but at most %d are allowed", n, maxTasks), "split it into several plans")
		return
	}
	for i, t := range p.Tasks {
		c.task(i, t)
	}
	c.graph()
}

func (c *checker) fault(at place, what, cure string) {
	c.faults.add(c.places.line(at), what, cure)
}

func (c *checker) name() {
	at, name := place{whole, "name", whole}, c.plan.Name
	switch {
	case name == "":
		c.fault(at, "the plan has no name", "give it one")
	case utf8.RuneCountInString(name) > maxName:
		c.fault(at, fmt.Sprintf("the name of the plan is longer than %d characters", maxName), "shorten it; details can go into the titles of tasks")
	case strings.ContainsFunc(name, textdoc.Hidden):
		c.fault(at, "the name "+quote(name)+" has a control character", "write it on one line, in visible characters")
	}
}

// base reports a base that cannot be the name of a branch, above all one that git would read as an option. The check is not complete: git
// refuses more names.
func (c *checker) base() {
	b := c.plan.Base
	if b == "" {
		return
	}
	odd := func(r rune) bool {
		return textdoc.Hidden(r) || unicode.IsSpace(r) || strings.ContainsRune(`~^:?*[\`, r)
	}
	if strings.HasPrefix(b, "-") || strings.Contains(b, "..") || strings.Contains(b, "@{") ||
		strings.ContainsFunc(b, odd) || len(b) > maxBase {
		c.fault(place{whole, "base", whole}, "the base "+quote(b)+" is not a valid name", "name a branch, a tag or a full commit id")
	}
}

func (c *checker) task(i int, t Task) {
	owner := taskName(i, t)
	c.id(i, t)
	c.command(i, "run", t.Run)
	c.command(i, "verify", t.Verify)
	c.interrupt(i, t, owner)
	c.conflict(i, t, owner)
	c.limits(i, t, owner)
	c.care(i, t, owner)
	c.question(i, t, owner)
	for k, p := range t.Inputs {
		c.path(place{i, "inputs", k}, owner, p)
	}
	for k, p := range t.Outputs {
		c.path(place{i, "outputs", k}, owner, p)
	}
}

func taskName(i int, t Task) string {
	if t.ID == "" {
		return fmt.Sprintf("task %d", i+1)
	}
	return "task " + quote(t.ID)
}

func (c *checker) id(i int, t Task) {
	at := place{i, "id", whole}
	if t.ID == "" {
		// The id is missing or invalid. If its line is known, it is invalid, and the reader has already reported that.
		if _, told := c.places[at]; !told {
			c.fault(at, fmt.Sprintf("task %d has no id", i+1), "add 'id: "+idLike(t.Title)+"'")
		}
		return
	}
	if why := idFault(t.ID); why != "" {
		c.fault(at, "the task id "+quote(t.ID)+" "+why, "use up to 64 letters, digits, '.', '_' and '-', for example '"+idLike(t.ID)+"'")
	}
}

// idFault returns the reason why an id cannot be used, or "". Ids are used in file names, commit trailers and arguments.
func idFault(id string) string {
	switch {
	case utf8.RuneCountInString(id) > maxID:
		return fmt.Sprintf("is longer than %d characters", maxID)
	case strings.HasPrefix(id, "-"), strings.HasPrefix(id, "."):
		return "begins with " + quote(id[:1])
	}
	for _, r := range id {
		if r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("._-", r) {
			continue
		}
		return "has " + quote(string(r)) + " in it"
	}
	return ""
}

// IsTaskID reports whether a text can be the id of a task. It also accepts ids that begin with a dot: plans must not
// contain such ids, but older records may.
func IsTaskID(id string) bool {
	return id != "" && len(id) <= maxID && idFault(strings.TrimLeft(id, ".")) == ""
}

func (c *checker) command(i int, key, command string) {
	at, owner := place{i, key, whole}, ""
	if i != whole {
		owner = taskName(i, c.plan.Tasks[i])
	}
	bad := func(r rune) bool { return textdoc.Hidden(r) && r != '\n' && r != '\t' }
	switch {
	case len(command) > maxCommand:
		c.fault(at, quote(key)+of(owner)+" is longer than "+size(maxCommand), "move it into a script, and run that")
	case strings.ContainsFunc(command, bad):
		r, _ := utf8.DecodeRuneInString(command[strings.IndexFunc(command, bad):])
		c.fault(at, fmt.Sprintf("%s%s has the control character %U", quote(key), of(owner), r), "remove it; every character of a command must be visible")
	}
}

func (c *checker) interrupt(i int, t Task, owner string) {
	at := place{i, "on_interrupt", whole}
	switch t.OnInterrupt {
	case "", Retry, Ask:
	case Verify:
		if t.Verify == "" {
			c.fault(at, owner+" has 'on_interrupt: verify' but no 'verify'", "add the command that checks whether it is done: 'verify: …'")
		}
	default:
		c.fault(at, "'on_interrupt' of "+owner+" is "+quote(string(t.OnInterrupt)), "write retry, verify or ask")
	}
}

// conflict checks the key 'on_conflict'. A task with 'once' must not have the value 'rerun', because it must not run twice.
func (c *checker) conflict(i int, t Task, owner string) {
	at := place{i, "on_conflict", whole}
	switch t.OnConflict {
	case "", AskPerson, Park:
	case Rerun:
		if t.Once {
			c.fault(at, owner+" has both 'once' and 'on_conflict: rerun'", "write 'on_conflict: ask' or 'on_conflict: park', or remove 'once'")
		}
	default:
		c.fault(at, "'on_conflict' of "+owner+" is "+quote(string(t.OnConflict)), "write ask, rerun or park")
	}
}

// jobs checks the number of tasks that may run at the same time.
func (c *checker) jobs() {
	if n := c.plan.Jobs; n < 0 || n > MaxJobs {
		c.fault(place{whole, "jobs", whole}, fmt.Sprintf("'jobs' is %d", n), fmt.Sprintf("write a number from 1 to %d", MaxJobs))
	}
}

func (c *checker) limits(i int, t Task, owner string) {
	if t.Timeout != "" {
		d, err := time.ParseDuration(string(t.Timeout))
		at := place{i, "timeout", whole}
		if err != nil {
			c.fault(at, "'timeout' of "+owner+" is "+quote(string(t.Timeout))+", which is not a duration", "write a number with a unit, for example 90s, 10m or 2h")
		} else if d <= 0 {
			c.fault(at, "'timeout' of "+owner+" is "+quote(string(t.Timeout))+", which leaves no time", "write more than 0s, or remove it")
		}
	}
	if t.Retries < 0 || t.Retries > maxRetries {
		c.fault(place{i, "retries", whole}, fmt.Sprintf("'retries' of %s is %d", owner, t.Retries), "write a number from 0 to 1000")
	}
}

// care checks the keys 'once' and 'confirm'. A task with 'once' must not run again without asking, and a task with 'confirm' must not run
// at all without asking.
func (c *checker) care(i int, t Task, owner string) {
	if t.Run == "" && t.Once {
		c.fault(place{i, "once", whole}, owner+" has 'once' but no 'run'", "add its command: 'run: …'")
	}
	if t.Run == "" && t.Confirm != "" {
		c.fault(place{i, "confirm", whole}, owner+" has 'confirm' but no 'run'", "add its command: 'run: …', or ask with 'ask: …'")
	}
	if utf8.RuneCountInString(t.Confirm) > maxQuestion {
		c.fault(place{i, "confirm", whole}, fmt.Sprintf("'confirm' of %s is longer than %d characters", owner, maxQuestion), "shorten the question, and refer to a file for details")
	}
	switch {
	case t.Once && t.Retries > 0:
		c.fault(place{i, "retries", whole}, owner+" has both 'once' and 'retries'", "remove one of them")
	case t.Once && t.OnInterrupt == Retry:
		c.fault(place{i, "on_interrupt", whole}, owner+" has both 'once' and 'on_interrupt: retry'", "write verify or ask, or remove 'once'")
	}
}

func (c *checker) question(i int, t Task, owner string) {
	at := place{i, "ask", whole}
	if t.Ask != "" && t.Run != "" {
		c.fault(at, owner+" has both 'run' and 'ask'", "split it into two tasks, one of which needs the other")
	}
	if utf8.RuneCountInString(t.Ask) > maxQuestion {
		c.fault(at, fmt.Sprintf("'ask' of %s is longer than %d characters", owner, maxQuestion), "shorten the question, and refer to a file for details")
	}
	if len(t.Options) > 0 && t.Ask == "" {
		c.fault(place{i, "options", whole}, owner+" has 'options' but no 'ask'", "add the question: 'ask: …'")
	}
	seen := make(map[string]bool, len(t.Options))
	for k, o := range t.Options {
		switch at := (place{i, "options", k}); {
		case seen[o] && o != "":
			c.fault(at, owner+" offers the answer "+quote(o)+" twice", "remove one")
		case utf8.RuneCountInString(o) > maxOption:
			c.fault(at, fmt.Sprintf("an answer in 'options' of %s is longer than %d characters", owner, maxOption), "shorten it; details can go into the question")
		}
		seen[o] = true
	}
}

// idLike suggests an id for a task. It uses the words of s, or "my-task" if s has no usable words.
func idLike(s string) string {
	if id := words(s); id != "" {
		return id
	}
	return "my-task"
}

// size formats a number of bytes as mebibytes. All limits are whole mebibytes.
func size(n int) string {
	return fmt.Sprintf("%d MiB", n>>20)
}
