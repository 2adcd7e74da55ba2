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

// Rest counts other systems' work that is not listed, in one line.
func Rest(s page.Page, rest []candidate.Summary, stale time.Duration) {
	if len(rest) == 0 {
		return
	}
	counts := map[string]int{}
	for i := range rest {
		counts[restWord(&rest[i], stale)]++
	}
	var parts []string
	for _, w := range []string{restFinished, restNotStarted, restOld(stale)} {
		if n := counts[w]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, w))
		}
	}
	s.Say("Not listed: %s (git resume status --all)\n", strings.Join(parts, ", "))
}

const (
	restFinished   = "finished"
	restNotStarted = "not started"
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
