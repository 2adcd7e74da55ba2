package status

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Unlisted is other systems' work that is only counted.
type Unlisted struct {
	Work []candidate.Summary
	// Stale is the age from which work counts as old. Hidden is the number of pieces of work that the user has hidden.
	Stale  time.Duration
	Hidden int
}

// Rest prints in one line how much work of other systems is not listed, and why.
func Rest(s page.Page, rest Unlisted) {
	counts := map[string]int{restHidden: rest.Hidden}
	for i := range rest.Work {
		counts[restWord(&rest.Work[i], rest.Stale)]++
	}
	var parts []string
	for _, w := range []string{restFinished, restNotStarted, restOld(rest.Stale), restHidden} {
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
)

func restOld(stale time.Duration) string { return "older than " + phrase.Long(stale) }

// restWord says why a piece of work is not listed.
func restWord(m *candidate.Summary, stale time.Duration) string {
	switch m.Condition.Word {
	case condition.Finished:
		return restFinished
	case condition.NotStarted:
		return restNotStarted
	}
	return restOld(stale)
}
