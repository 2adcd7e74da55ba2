package status

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Unlisted is other systems' work that is not listed among the open work.
type Unlisted struct {
	Work []candidate.Summary
	// Left is open work on branches that are not checked out.
	Left []candidate.Left
	// Agents are the sessions of coding agents in this repository. They are all listed if All is true.
	Agents candidate.Sessions
	All    bool
	// Stale is the age from which work counts as old. Hidden is the number of pieces of work that the user has hidden.
	Stale  time.Duration
	Hidden int
}

// mostNamed is how many pieces of unlisted work are named. The rest is counted.
const mostNamed = 5

// unfinished returns the work that somebody could take up, the newest first: it was never started, or is old.
func (u Unlisted) unfinished() []candidate.Summary {
	out := slices.DeleteFunc(slices.Clone(u.Work), func(m candidate.Summary) bool { return m.Condition.Word == condition.Finished })
	slices.SortStableFunc(out, func(a, b candidate.Summary) int { return b.Run.LastAt.Compare(a.Run.LastAt) })
	return out
}

// Rest names work of other systems that is not listed because it was never started or is old, each with the command that takes it up. It
// counts what is left.
func Rest(s page.Page, rest Unlisted) {
	open := rest.unfinished()
	var rows [][]string
	row := func(why string, m *candidate.Summary, command string) {
		rows = append(rows, []string{"  " + why, quote.Clean(m.Called()), words.Position(m), s.When(m.Run.LastAt), command})
	}
	for i := range rest.Left {
		l, branch := &rest.Left[i], words.ShortBranch(rest.Left[i].On)
		row("on "+quote.Clean(branch), &l.Summary, quote.Command("git switch %s", branch))
	}
	named := min(len(open), max(0, mostNamed-len(rows)))
	for i := range open[:named] {
		row(restWord(&open[i]), &open[i], quote.Command("git resume %s", open[i].Called()))
	}
	rowsWithRemarks(s, rows)
	Sessions(s, rest.Agents, rest.All)
	counts := map[string]int{restHidden: rest.Hidden, restFinished: len(rest.Work) - len(open)}
	for i := range open[named:] {
		counts[restWord(&open[named+i])]++
	}
	var parts []string
	for _, w := range []string{restNotStarted, restOld, restFinished, restHidden} {
		if n := counts[w]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w))
		}
	}
	if len(parts) > 0 {
		s.Tell("Not listed: %s (git resume status --all)", strings.Join(parts, ", "))
	}
}

const (
	restFinished   = "finished"
	restNotStarted = "not started"
	restHidden     = "hidden"
	restOld        = "older"
)

// restWord says why a piece of unfinished work is not listed.
func restWord(m *candidate.Summary) string {
	if m.Condition.Word == condition.NotStarted {
		return restNotStarted
	}
	return restOld
}
