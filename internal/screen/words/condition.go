package words

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/internal/commitlog"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// proofs turns each reason for a judgement into words.
var proofs = map[condition.Reason]func(condition.Proof) string{
	condition.BySystem: func(p condition.Proof) string { return p.Text },
	condition.ByTasks: func(p condition.Proof) string {
		return phrase.Count(p.Done, "task, done", "tasks, all done")
	},
	condition.ByMerge:    func(p condition.Proof) string { return "merged: " + named(p.Commit) },
	condition.ByNoTask:   func(condition.Proof) string { return "no task was started" },
	condition.ByActive:   func(condition.Proof) string { return "a task is in progress" },
	condition.ByChange:   func(p condition.Proof) string { return p.Text + " has uncommitted changes" },
	condition.ByTicks:    progressWords,
	condition.ByCommit:   func(p condition.Proof) string { return "named in " + named(p.Commit) },
	condition.ByQuestion: func(condition.Proof) string { return "it has a question" },
	condition.BySilence: func(p condition.Proof) string {
		return "no activity since " + p.Since.Local().Format("2006-01-02")
	},
	condition.ByLater: func(p condition.Proof) string { return "work went on elsewhere: " + named(p.Commit) },
	condition.ByState: func(p condition.Proof) string { return "its files say: " + p.Text },
}

func progressWords(p condition.Proof) string {
	return fmt.Sprintf("%d of %d tasks are done", p.Done, p.Done+p.Left)
}

func named(c *commitlog.Commit) string { return c.ID.Short() + " " + c.Subject }

// Proofs returns what proves the condition of other systems' work, the most important proof first.
func Proofs(j condition.Judgement) []string {
	out := []string{}
	for _, p := range j.Proofs {
		out = append(out, strings.TrimSpace(quote.Clean(proofs[p.Reason](p))))
	}
	return out
}
