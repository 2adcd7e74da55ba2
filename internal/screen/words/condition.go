package words

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// proofs turns each reason for a judgement into words. The argument "unit" is the system's word for a task.
func proofs() map[condition.Reason]func(p condition.Proof, unit string) string {
	return map[condition.Reason]func(p condition.Proof, unit string) string{
		condition.BySystem: func(p condition.Proof, _ string) string { return p.Text },
		condition.ByTasks: func(p condition.Proof, unit string) string {
			return phrase.Count(p.Done, unit+", done", unit+"s, all done")
		},
		condition.ByMerge:    mergeWords,
		condition.ByNoTask:   func(_ condition.Proof, unit string) string { return "no " + unit + " was started" },
		condition.ByActive:   func(_ condition.Proof, unit string) string { return "a " + unit + " was started and is not finished" },
		condition.ByChange:   func(p condition.Proof, _ string) string { return p.Text + " has uncommitted changes" },
		condition.ByTicks:    progressWords,
		condition.ByCommit:   func(p condition.Proof, _ string) string { return "named in " + named(p.Commit) },
		condition.ByBranch:   func(p condition.Proof, _ string) string { return "on its branch: " + named(p.Commit) },
		condition.ByQuestion: func(condition.Proof, string) string { return "a question is not answered yet" },
		condition.BySilence: func(p condition.Proof, _ string) string {
			return "no activity since " + p.Since.Local().Format("2006-01-02")
		},
		condition.ByUnmade: func(p condition.Proof, _ string) string { return p.Text + " does not exist" },
		condition.ByLater:  func(p condition.Proof, _ string) string { return "work continued elsewhere: " + named(p.Commit) },
		condition.ByState:  func(p condition.Proof, _ string) string { return "its files say: " + p.Text },
		condition.ByOdds:   func(condition.Proof, string) string { return "its files contradict each other" },
	}
}

func progressWords(p condition.Proof, unit string) string {
	return fmt.Sprintf("%d of %d %ss are done", p.Done, p.Done+p.Left, unit)
}

// pullRequest matches the number of a pull request in the subject of its merge or of its squashed commit.
var pullRequest = textdoc.NewFormWith("#", `\(#([0-9]+)\)$|^Merge pull request #([0-9]+) `)

// mergeWords says by which merge the work is over, and how many of its boxes are ticked if some are not.
func mergeWords(p condition.Proof, _ string) string {
	text := "merged: " + named(p.Commit)
	if m := pullRequest.FindStringSubmatch(p.Commit.Subject); m != nil {
		text = fmt.Sprintf("merged as #%s in %s", m[1]+m[2], p.Commit.ID.Short())
	}
	if p.Left > 0 {
		text += fmt.Sprintf(" (%d of %d ticked)", p.Done, p.Done+p.Left)
	}
	return text
}

func named(c *commitlog.Commit) string { return c.ID.Short() + " " + c.Subject }

// Proofs returns the reasons why another system's work is judged to be in its condition, for example "in progress". The most important
// reason comes first.
func Proofs(m *candidate.Summary) []string {
	out, unit := []string{}, "task"
	if m.Found != nil {
		unit = m.Found.Unit()
	}
	for _, p := range m.Condition.Proofs {
		text := proofs()[p.Reason](p, unit)
		if m.Found != nil && m.Found.Unlisted && p.Reason == condition.ByTicks {
			text = fmt.Sprintf("%d of ? %ss are done", p.Done, unit)
		}
		if m.Found != nil && p.Reason == condition.ByQuestion && len(m.Found.Questions) > 1 {
			text = fmt.Sprintf("%d questions are not answered yet", len(m.Found.Questions))
		}
		out = append(out, strings.TrimSpace(quote.Clean(text)))
	}
	return out
}

// conditions returns the words that people see for each condition.
func conditions() map[condition.Word]string {
	return map[condition.Word]string{
		condition.InHand: "in progress", condition.Between: "between tasks", condition.Waiting: "waiting for somebody",
		condition.Finished: "finished", condition.NotStarted: "not started", condition.Abandoned: "abandoned",
	}
}

// Evidence returns the condition of another system's work and what proves it. If the files of the system contradict the condition, the
// text says so. For work that was not judged, it returns "".
func Evidence(m *candidate.Summary) string {
	word := conditions()[m.Condition.Word]
	if word == "" || m.Found == nil {
		return ""
	}
	if m.Condition.Word == condition.InHand && m.State != checkpoint.Running {
		word = "was in progress"
	}
	text := word + ": " + strings.Join(Proofs(m), "; ")
	if Contradicted(m) {
		text += fmt.Sprintf(" (but its own system would call it %s)", m.Found.State)
	}
	return text
}

// Contradicted reports whether the condition that git-resume derived from the evidence contradicts the state in the other system's files.
func Contradicted(m *candidate.Summary) bool {
	if m.Found == nil {
		return false
	}
	state := m.Found.State
	switch m.Condition.Word {
	case condition.Finished:
		return state.Open()
	case condition.NotStarted:
		return state != sources.NotStarted && state != sources.Unknown
	case condition.InHand, condition.Between:
		return state == sources.NotStarted || !state.Open()
	}
	return false
}
