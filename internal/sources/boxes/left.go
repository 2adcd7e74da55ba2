package boxes

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

func left(t sources.Task) bool { return t.State != checkpoint.Done && t.State != checkpoint.Skipped }

// unticked reports whether a box still has to be ticked. Optional tasks do not count, and neither do the boxes of a checklist for the
// whole work.
func unticked(t sources.Task) bool { return left(t) && !t.Optional && !t.Aside }

// due reports whether the task must still be done: its box is not ticked, and no commit is known that carried it out.
func due(t sources.Task) bool { return unticked(t) && t.Commit == "" }

// wish matches the usual words for something that need not be done, in a task or in the heading above it.
var wish = textdoc.NewFormWith("if |nice|stretch|optional|future|deferred|postponed|可选", `(?i)\bif (?:possible|time (?:permits|allows))\b|\bnice[- ]to[- ]have\b|\bstretch goals?\b|^(?:[^\pL]*|.*[(:–—-] *)optional\b[^\pL]*|\bfuture (?:work|enhancements?|improvements?)\b|^[^\pL]+(?:future|deferred|postponed)[)\]_*:]|[(\[](?:future|deferred|postponed)\b|^[^\pL]*可选|[(（\[【:：] *可选|可选 *[)）\]】]`)

// droppedTitle matches the title of a task if people noted in it that they will not do the task, as in "(skipped: no README)".
var droppedTitle = textdoc.NewFormWith("skipped|n/a|not applicable|obsolete|superseded|cancel", `(?i)^[^\pL]*(?:skipped|n/a|not applicable|obsolete|superseded|cancell?ed)\b`)

// isWish reports whether a box, a box around it or the heading above them says that the task is optional.
func isWish(all []textdoc.Box, b textdoc.Box) bool {
	for {
		if wish.MatchString(b.Title) || wish.MatchString(b.Phase) {
			return true
		}
		if b.Above < 0 {
			return false
		}
		b = all[b.Above]
	}
}
