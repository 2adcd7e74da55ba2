package signal

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// truth is what a person found out about one piece of work in one state of a repository.
type truth struct {
	item      string // the name of the work without its system, or "*" for all other work in the same state of the repository
	condition string
	listed    string   // whether status must show the work on the day of the state's commit: "yes", "no", or "either" if a person could not tell
	next      []string // ids of acceptable next tasks, or parts of their titles; empty if nobody could tell
	evidence  string
}

// state is a repository at one commit.
type state struct {
	half, repository, commit, branch string
	head                             bool // true if the commit was the newest one when the repository was judged
	truths                           []truth
}

func (s state) String() string { return s.repository + " " + s.commit[:min(len(s.commit), 9)] }

// name returns the name of the clone's folder, because some systems name their work after the folder.
func (s state) name() string {
	_, name, _ := strings.Cut(s.repository, "+")
	return cmp.Or(name, s.repository)
}

var conditions = []string{"in-hand", "between", "waiting", "finished", "not-begun", "abandoned"}

const columns = "half\trepository\tcommit\twhere\tbranch\titem\tcondition\tlisted\tnext\tevidence"

// readTruth reads truth.tsv. Each line says what a person found out about one piece of work (see the type truth). Lines with the same
// values in the columns "half", "repository" and "commit" belong to one state. The type tally explains the halves.
func readTruth(file string) ([]state, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	head, rest, _ := strings.Cut(string(text), "\n")
	if head != columns {
		return nil, fmt.Errorf("%s:1: the columns are %q", file, head)
	}
	var states []state
	for i, line := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n") {
		s, t, err := readLine(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, i+2, err)
		}
		at := slices.IndexFunc(states, func(o state) bool { return o.half+o.String() == s.half+s.String() })
		if at < 0 {
			at, states = len(states), append(states, s)
		}
		states[at].truths = append(states[at].truths, t)
	}
	return states, nil
}

var commitID = regexp.MustCompile(`^[0-9a-f]{40}$`)

func readLine(line string) (state, truth, error) {
	f := strings.Split(line, "\t")
	if len(f) != strings.Count(columns, "\t")+1 {
		return state{}, truth{}, fmt.Errorf("%d fields", len(f))
	}
	s := state{half: f[0], repository: f[1], commit: f[2], head: f[3] == "head", branch: f[4]}
	t := truth{item: f[5], condition: f[6], listed: f[7], evidence: f[9]}
	if f[8] != "-" {
		t.next = strings.Split(f[8], ",")
	}
	return s, t, check(s, t, f[3])
}

func check(s state, t truth, where string) error {
	middle := slices.Contains(conditions[:3], t.condition)
	switch {
	case s.half != "a" && s.half != "b":
		return fmt.Errorf("half %q", s.half)
	case !commitID.MatchString(s.commit):
		return fmt.Errorf("commit %q", s.commit)
	case where != "head" && where != "past":
		return fmt.Errorf("where %q", where)
	case s.branch == "" || t.item == "":
		return fmt.Errorf("no branch or no item")
	case !slices.Contains(conditions, t.condition):
		return fmt.Errorf("condition %q", t.condition)
	case t.listed != "yes" && t.listed != "no" && t.listed != "either":
		return fmt.Errorf("listed %q", t.listed)
	case t.listed == "yes" && !middle:
		return fmt.Errorf("%s work cannot be listed", t.condition)
	case t.listed != "yes" && t.next != nil:
		return fmt.Errorf("a next task of work that is not listed")
	}
	return nil
}

// The method "of" returns the judgement about one row of status.
func (s state) of(r row) (truth, bool) {
	at := slices.IndexFunc(s.truths, func(t truth) bool { return t.item != "*" && r.isCalled(t.item) })
	if at < 0 {
		at = slices.IndexFunc(s.truths, func(t truth) bool { return t.item == "*" })
	}
	if at < 0 {
		return truth{}, false
	}
	return s.truths[at], true
}
