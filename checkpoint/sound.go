package checkpoint

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/plan"
)

// These limit the length of texts and the size of numbers in a line. Anybody may have written a line, so its values are checked.
const (
	maxWord  = 200
	maxEpoch = math.MaxInt32
	maxPID   = math.MaxInt32
	maxLast  = 9_999_999_999 // numbers of lines have ten digits
)

// sound refuses an event with values that would be dangerous where they are used: options for git, paths, other refs, or impossible
// numbers. Anybody may have written the event.
func (e Event) sound() error {
	for _, check := range []func() error{e.soundIDs, e.soundRefs, e.soundNames, e.soundNumbers} {
		if err := check(); err != nil {
			return err
		}
	}
	return errors.Join(e.Actor.sound(), e.By.sound(), e.Place.sound())
}

func (e Event) soundIDs() error {
	ids := []object.ID{e.Commit, e.Tree, e.Head, e.BaseTip, e.Plan, e.PlanHash, e.Saved, e.Merged}
	if e.Base != nil {
		ids = append(ids, e.Base.Commit)
	}
	for _, id := range ids {
		if id != "" && !object.IsID(string(id)) {
			return fmt.Errorf("%q is not an object id", id)
		}
	}
	return nil
}

func (e Event) soundRefs() error {
	if e.Base != nil && e.Base.Name != "" {
		if n := e.Base.Name; strings.HasPrefix(n, "-") || len(n) > maxWord || strings.ContainsFunc(n, control) {
			return fmt.Errorf("%q is not the name of a branch", n)
		}
	}
	if e.Branch != "" && (!e.Branch.IsBranch() || !refs.IsName(e.Branch)) {
		return fmt.Errorf("%q is not the name of a branch", e.Branch)
	}
	if e.Admin != "" && !isAdmin(e.Admin) {
		return fmt.Errorf("%q is not the name of a worktree", e.Admin)
	}
	return nil
}

func (e Event) soundNames() error {
	if e.Task != "" && !plan.IsTaskID(string(e.Task)) {
		// An event about one of our tasks must have a valid task id. In other events, the field Task can contain another system's name for
		// a task.
		task := strings.HasPrefix(string(e.Event), "task.") || e.Event == Checkpoint
		if task || len(e.Task) > maxWord || strings.ContainsFunc(string(e.Task), control) {
			return fmt.Errorf("%q is not a task id", e.Task)
		}
	}
	for _, id := range []string{e.ID, e.Attempt, e.Undoes} {
		if len(id) > maxWord || strings.ContainsFunc(id, notInID) {
			return fmt.Errorf("%q is not an event id", id)
		}
	}
	for _, word := range []string{string(e.Event), e.Patch, e.Command, e.Cause, e.Verdict, e.Heard, e.DiffersSum, e.Source, e.Take, e.Remote, e.Seat, e.Incarnation} {
		if len(word) > maxWord || strings.ContainsFunc(word, control) {
			return fmt.Errorf("%q is too long or has a control character", word)
		}
	}
	if utf8.RuneCountInString(e.Name) > maxWord || strings.ContainsFunc(e.Name, control) {
		return fmt.Errorf("%q is not a valid name", e.Name)
	}
	if strings.ContainsFunc(e.SourceID, control) || strings.ContainsRune(e.Worktree, 0) || strings.ContainsRune(e.PlanFile, 0) {
		return fmt.Errorf("the source id, the worktree or the plan file has a control character")
	}
	return nil
}

func (e Event) soundNumbers() error {
	for _, n := range [...]struct {
		field       string
		value, most int64
	}{
		{"epoch", int64(e.Epoch), maxEpoch}, {"silent_seconds", e.Silent, math.MaxInt64}, {"lease", int64(e.Lease), maxEpoch}, {"last", e.Last, maxLast}, {"jobs", int64(e.Jobs), plan.MaxJobs},
	} {
		if n.value < 0 || n.value > n.most {
			return fmt.Errorf("the field %s is %d, but the program accepts only numbers from 0 to %d", n.field, n.value, n.most)
		}
	}
	if e.ExitCode != nil && (*e.ExitCode < math.MinInt32 || *e.ExitCode > math.MaxInt32) {
		return fmt.Errorf("the exit code %d has more than 32 bits", *e.ExitCode)
	}
	for _, pid := range e.Left {
		if pid <= 0 || pid > maxPID {
			return fmt.Errorf("%d is not a process id", pid)
		}
	}
	if e.Until != "" {
		if _, err := time.Parse(time.RFC3339, e.Until); err != nil {
			return fmt.Errorf("%q is not a time", e.Until)
		}
	}
	return nil
}

func (a *Actor) sound() error {
	if a == nil {
		return nil
	}
	if a.PID < 0 || a.PID > maxPID {
		return fmt.Errorf("%d is not a process id", a.PID)
	}
	return soundWords(a.Host, a.Boot, a.NS, a.Start, a.Agent, a.Session, a.Nonce, a.Clone)
}

func (c *Caller) sound() error {
	if c == nil {
		return nil
	}
	return soundWords(c.User, c.Host, c.Agent, c.Session)
}

func soundWords(all ...string) error {
	for _, word := range all {
		if len(word) > maxWord || strings.ContainsFunc(word, control) {
			return fmt.Errorf("%q is too long or has a control character", word)
		}
	}
	return nil
}

// control reports whether a character is not allowed in a name: a control character, or a sign of invalid UTF-8.
func control(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r == utf8.RuneError
}

func notInID(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("._~-", r):
		return false
	}
	return true
}
