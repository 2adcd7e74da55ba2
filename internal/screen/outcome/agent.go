package outcome

import (
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// agentEnded prints how the last turn of a coding agent ended.
func agentEnded(s page.Page, r *checkpoint.Run, h *resume.Handed) {
	agent := quote.Clean(h.Agent)
	switch t := h.Turn; {
	case t == nil && h.Silent:
		s.Note("%s ended, and reported nothing", agent)
		s.OnErr().Hint("check its hooks with " + phrase.Double("git resume agents check %s", h.Agent))
	case t == nil:
		s.Note("%s ended; its hooks did not report how its last turn ended", agent)
	case t.Cause == checkpoint.TurnDone:
		s.Note("%s ended its turn before all tasks were done", agent)
	case t.Cause == checkpoint.TurnQuota && t.Until != "":
		s.Note("%s reached a limit%s, until %s", agent, limitName(t), words.Until(t.Until))
		s.OnErr().Hint("wait until the limit ends, and then continue, with " + phrase.Double("git resume wait %s", r.ID))
	case t.Cause == checkpoint.TurnQuota:
		s.Note("%s reached a limit%s; it is not known when the limit ends", agent, limitName(t))
	default:
		s.Note("the last turn of %s was interrupted or failed", agent)
	}
}

func limitName(t *checkpoint.Turn) string {
	if t.Limit == "" {
		return ""
	}
	return " (" + quote.Clean(t.Limit) + ")"
}

// NotHanded prints why the session of a coding agent is not continued. It prints nothing if there is no reason.
func NotHanded(s page.Page, n *resume.NotHanded) {
	if n == nil {
		return
	}
	agent, other := quote.Clean(n.Agent), "its folder is not known, and this agent continues a session only in the session's own folder"
	if n.Dir != "" {
		other = "this agent continues a session only where the session was started, in " + quote.Clean(s.Near(n.Dir))
	}
	s.Note("note: %s", map[resume.NotHandedWhy]string{
		resume.NoSession:   "no session of a coding agent is known for this run, so none is continued",
		resume.NotTried:    "the session of " + agent + " is not continued: nobody has tested that with git-resume",
		resume.NotFound:    "the session of " + agent + " is not continued: the program was not found on PATH",
		resume.StillAlive:  "the session of " + agent + " is not continued: it is still alive",
		resume.StillLimit:  "the session of " + agent + " is not continued: its limit ends at " + phrase.Moment(n.Until, time.Local),
		resume.NoRecord:    "the session of " + agent + " is not continued: the file in which the agent stores it was not found",
		resume.OtherFolder: "the session of " + agent + " is not continued: " + other,
	}[n.Why])
}
