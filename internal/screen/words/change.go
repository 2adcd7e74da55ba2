package words

import (
	"cmp"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// UndoWords describes the kinds of changes other than a discard, for example "the merge".
func UndoWords() map[checkpoint.Kind]string {
	return map[checkpoint.Kind]string{
		checkpoint.RunFinished: "the finish", checkpoint.RunPaused: "the pause", checkpoint.RunSuperseded: "the restart",
		checkpoint.TaskAdded: "the addition", checkpoint.TaskSkipped: "the skip", checkpoint.TaskAnswered: "the answer", checkpoint.TaskReset: "the reset",
		checkpoint.RunPlanned: "the switch to the changed plan", checkpoint.RunMerged: "the merge", checkpoint.RunResumed: "the end of the pause",
		checkpoint.RunActed: "the change", checkpoint.Snapshot: "the restore",
	}
}

// Change describes a change for people, for example "the merge".
func Change(e *checkpoint.Event) string {
	what := UndoWords()[e.Event]
	switch e.Event {
	case checkpoint.RunDiscarded:
		what = "the discard"
	case checkpoint.RunResumed:
		if e.Cause == checkpoint.HandedOver {
			what = "the hand-over"
		}
	case checkpoint.RunActed:
		what = "'" + quote.Clean(sources.ShownName(e.Name)) + "'"
	}
	if e.Task != "" && e.Event != checkpoint.RunResumed {
		of := " of task '"
		if e.Event == checkpoint.RunActed && e.Name == sources.Answer {
			what, of = "the answer", " to '"
		}
		what += of + quote.Clean(string(e.Task)) + "'"
	}
	return what
}

// maxSession is how wide the id of an agent's session is shown.
const maxSession = 9

// Caller says who asked for a change, for example "ann on laptop" or "claude (session 1f3a9c2e…)". It is empty if that is not known.
func Caller(c *checkpoint.Caller) string {
	if c == nil {
		return ""
	}
	who := quote.Clean(c.User)
	if c.Agent != "" {
		who = quote.Clean(c.Agent)
	}
	if session := quote.Clean(c.Session); session != "" {
		who += " (session " + phrase.Shorten(session, maxSession) + ")"
	}
	who = strings.TrimSpace(who)
	if host := quote.Clean(c.Host); host != "" {
		who = cmp.Or(who, "somebody") + " on " + host
	}
	return who
}
