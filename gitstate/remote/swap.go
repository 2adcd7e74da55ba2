package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/gitstate/refs"
)

// Move is a request to move one ref of the server. An empty Old means that the ref must not exist; an empty New removes the ref.
type Move struct {
	Ref      refs.Name
	Old, New object.ID
}

// Outcome says what became of a swap.
type Outcome string

const (
	// Moved means that every ref is now what the caller wants.
	Moved Outcome = "moved"
	// Stale means that a ref is not what the caller saw. If the network failed and git sent the push twice, the ref may be what the caller
	// wants: the caller must look.
	Stale Outcome = "stale"
	// Refused means that the server rejected the move for another reason, such as a hook or a lock file, and that nothing was moved.
	Refused Outcome = "refused"
	// Unclear means that the answer is missing. The refs may have moved or not: the caller must look.
	Unclear Outcome = "unclear"
)

// Answer is the result of a swap. Text says why a ref was not moved, or why that is unclear. It is empty if
// everything moved.
type Answer struct {
	Outcome Outcome
	Text    string
}

// Swap moves all the refs, or none. If it returns an error because git could not be run, nothing was moved. If it returns an error because
// the context ended, the refs may have moved.
//
// If two callers push the very same object, both are told that the ref moved. So an object that is pushed to claim something, such as a
// lease, must contain something random.
func (r Remote) Swap(ctx context.Context, moves ...Move) (Answer, error) {
	args := []string{"push", "--porcelain", "--no-follow-tags", "--no-signed", "--recurse-submodules=no", "--no-verify"}
	if len(moves) > 1 {
		args = append(args, "--atomic")
	}
	specs := make([]string, 0, len(moves))
	for _, m := range moves {
		args = append(args, fmt.Sprintf("--force-with-lease=%s:%s", m.Ref, m.Old))
		specs = append(specs, fmt.Sprintf("%s:%s", m.New, m.Ref))
	}
	out, err := r.run(ctx, append(append(args, "--", r.Name), specs...)...)
	var git *process.Error
	var late *LateError
	switch {
	case err == nil:
		return Answer{Outcome: Moved}, nil
	case errors.As(err, &late):
		return Answer{Unclear, late.Error()}, nil
	case errors.As(err, &git):
		return judge(string(out), git.Text), nil
	}
	return Answer{}, err
}

// lostRace has the texts with which git or a server says that a ref is not what the caller saw. The texts in "rejected" mean the same, but
// only if git prints them as the reason for a ref. In other lines they may mean something else.
var (
	lostRace = []string{"stale info", "but expected", "reference already exists", "incorrect old value provided"}
	rejected = []string{"fetch first", "non-fast-forward", "already exists"}
)

// judge reads what "git push --porcelain" printed before it failed. Lines that start with "!" say why a ref was not moved. The argument
// "complaint" has what git and the server printed as errors.
func judge(out, complaint string) Answer {
	refused := ""
	for line := range strings.Lines(out) {
		flag, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if flag != "!" {
			continue
		}
		_, summary, _ := strings.Cut(rest, "\t")
		why := reason(summary)
		switch {
		case strings.HasPrefix(summary, "[remote failure]"):
			return Answer{Unclear, withComplaint(why, complaint)}
		case (says(why, lostRace) || says(why, rejected)) && !lockLeft(why, complaint):
			return Answer{Stale, why}
		case refused == "" && !strings.HasPrefix(why, "atomic"): // skip "atomic push failed": another ref, with its own line, is the cause
			refused = withComplaint(why, complaint)
		}
	}
	switch {
	case says(complaint, lostRace):
		return Answer{Stale, complaint}
	case refused != "":
		return Answer{Refused, refused}
	case strings.Contains(complaint, "does not support --atomic"):
		return Answer{Refused, complaint} // git notices that the server does not support --atomic before it sends anything, so nothing was moved
	}
	return Answer{Unclear, complaint}
}

// lockLeft reports whether the server refused a move because of a lock file. Since git 2.51, servers give the reason "reference already
// exists" in this case too. The name of the lock file is then in the argument "complaint".
func lockLeft(why, complaint string) bool {
	return why == "reference already exists" && strings.Contains(complaint, ".lock'") && !says(complaint, lostRace)
}

// reason returns the text in the parentheses at the end of a porcelain line, or the whole line if there are none.
func reason(summary string) string {
	_, text, ok := strings.Cut(summary, "(")
	if !ok {
		return summary
	}
	return strings.TrimSuffix(text, ")")
}

// withComplaint adds what git printed as an error to a reason, because the reason alone often says little.
func withComplaint(why, complaint string) string {
	switch {
	case complaint == "":
		return why
	case strings.Contains(complaint, why):
		return complaint
	}
	return why + "\n" + complaint
}

func says(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}
