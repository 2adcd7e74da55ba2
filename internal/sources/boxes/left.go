package boxes

import (
	"strings"

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

// notNow are the words for something that is not done this time. In a title they may also be words of the task, as in "Deferred loading of
// images", so what follows them matters.
const (
	dropped = `skipped|out[ -]of[ -]scope|won['’]?t[ -](?:do|fix)|not done(?: this time| now)?|not this time`
	notNow  = `(?:deferred|postponed|` + dropped + `)`
)

var (
	// droppedTitle matches the title of a task if people noted in it that they will not do the task, or not this time, as in
	// "(skipped: no README)" and "Write tests — deferred to 0.3".
	droppedTitle = textdoc.NewFormWith("skipped|n/a|not applicable|obsolete|superseded|cancel|deferred|postponed|scope|won|not done|not this", `(?i)^[^\pL]*(?:skipped|n/a|not applicable|obsolete|superseded|cancell?ed)\b`+
		`|^[^\pL]*`+notNow+`[*_ ]*[:)\]–—-]|[(\[](?:`+dropped+`)\b|(?:[–—]|[ \t]-)[*_ ]*`+notNow+`[*_]*(?:[^\pL\pN]*$|[ ]*[:;,.(–—]|[ ](?:to|for|until|by|as|because|in|this|per|due)\b)`)
	// droppedHeading matches a heading above tasks that are not done this time, as in "Deferred" and "3. Out of scope (next release)".
	droppedHeading = textdoc.NewFormWith("skipped|deferred|postponed|scope|won|not done|not this", `(?i)(?:^[^\pL]*|[:–—-] *|[(\[])`+notNow+`(?: (?:items?|tasks?|steps?|work|for now|to\b.*|until\b.*))?(?:[^\pL]*$|[ ]*[(:–—-].*$)`)
	// archives matches a task that only moves a change, whose work is done, to the archive of its tool. The text after "and" may only be
	// about specs, because the archive command updates them.
	archives = textdoc.NewFormWith("archive", `(?i)^[^\pL]*(?:(?:after|once|post)\b[^:,)\]]{0,40}[:,)\]][^\pL]*)?(?:(?:run|use|execute)[^\pL]+)?`+
		`(?:(?:openspec|opsx)[ :-]archive\b.{0,100}|archive(?:[ ](?:[^.;,]{0,60}\b)?(?:change|proposal|openspec)\b.{0,100})?|move\b[^.;,]{0,60}\bto\b[^.;,]{0,40}\barchive\b)[^\pL]*$`)
)

// isWish reports whether a box, a box around it or the heading above them says that the task is optional or not done this time, or whether
// the box is only about archiving a change.
func isWish(all []textdoc.Box, b textdoc.Box) bool {
	if archives.MatchString(b.Title) {
		_, more, _ := strings.Cut(b.Title, " and ")
		return more == "" || strings.Contains(strings.ToLower(more), "spec")
	}
	for {
		if wish.MatchString(b.Title) || wish.MatchString(b.Phase) || droppedHeading.MatchString(b.Phase) {
			return true
		}
		if b.Above < 0 {
			return false
		}
		b = all[b.Above]
	}
}
