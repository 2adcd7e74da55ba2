package specloop

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
)

var steps = []struct{ id, title string }{
	{"A1", "scaffold the feature"}, {"A2", "write the specification"}, {"A3", "validate the specification"},
	{"B1", "ask the pending questions"}, {"B2", "apply the answers"}, {"B3", "validate the specification again"}, {"C", "end the loop"},
}

func title(id string) string {
	for _, s := range steps {
		if s.id == id {
			return s.title
		}
	}
	return ""
}

// resumePoint says where the workflow continues, and why.
type resumePoint struct {
	*checked
	at, reason string
	state      sources.State
}

func findResumePoint(c *checked) *resumePoint {
	s := &resumePoint{checked: c}
	s.at, s.reason, s.state = s.point()
	return s
}

// point determines where the workflow continues, from the workflow's own index file.
func (l *resumePoint) point() (at, reason string, state sources.State) {
	x := l.x
	if x == nil {
		return l.withoutIndex()
	}
	switch {
	case len(x.says) > 1:
		return "", "its loop status is " + strings.Join(x.says, " and also "), sources.Unknown
	case x.blank, x.status == notStarted, x.status == "":
		return "A1", "the workflow has not started", sources.NotStarted
	case x.status == scaffolding && l.hasSpec():
		return "A2", "the scaffold is written, including " + l.specName(), sources.Interrupted
	case x.status == scaffolding && l.home.Has(l.specFile()):
		return "A1", "the scaffold is not complete, and " + l.specName() + " is empty; it is safe to scaffold again", sources.Interrupted
	case x.status == scaffolding:
		return "A1", "the scaffold is not complete; it is safe to scaffold again", sources.Interrupted
	case x.status == specWriting:
		return "A2", "the specification was being written; it is safe to write it again", sources.Interrupted
	case x.status == validating:
		return l.validation("the validation did not finish")
	case x.status == clarifying:
		return l.clarification()
	case x.status == completed:
		return "", "", sources.Complete
	case x.status == terminated && sources.FoldWord(x.loop["termination reason"]) == "success":
		return "", "", sources.Complete
	case x.status == terminated:
		return "", "", sources.Ended
	}
	return "", "'" + x.status + "' is not a known status", sources.Unknown
}

// withoutIndex returns the resume point if the index is missing or cannot be read.
func (l *resumePoint) withoutIndex() (string, string, sources.State) {
	switch {
	case l.damaged && l.hasSpec():
		return "", "the file index.md cannot be read, but spec.md exists", sources.Corrupt
	case l.damaged:
		return "", "the file index.md cannot be read, and spec.md is missing or empty", sources.Corrupt
	}
	return "A1", "the scaffold was interrupted before it wrote an index", sources.Interrupted
}

// validation returns the step of the workflow in which the specification is validated. This is step A3 in the first iteration and step B3
// in later ones. If spec.md is missing or empty, validation returns step A2, in which the workflow writes spec.md.
func (l *resumePoint) validation(why string) (string, string, sources.State) {
	switch {
	case !l.hasSpec():
		l.doubts.About(sources.DoubtMissing, conflicts.Warning, l.specFile(), "is missing or empty; it has to be written again")
		return "A2", l.specName() + " is missing or empty", sources.Interrupted
	case l.x.iteration == 0:
		l.doubts.About(sources.DoubtInvalidState, conflicts.Info, l.file("index.md"), "has the iteration %s, but the protocol counts from 1: this is treated as iteration 1", l.x.count)
		return "A3", why, sources.Interrupted
	case l.x.iteration <= 1:
		return "A3", why, sources.Interrupted
	}
	return "B3", why, sources.Interrupted
}

// clarification decides what comes next while the loop has the status "clarifying". A question that is still open comes first, so that the
// answers are applied together.
func (l *resumePoint) clarification() (string, string, sources.State) {
	pending, answered := l.pending, l.answered
	switch {
	case l.torn:
		return "B1", "the text of a question in index.md is missing", sources.Interrupted
	case len(pending) > 0:
		return "B1", sources.Count(len(pending), "question waits", "questions wait") + " for an answer", sources.Waiting
	case len(answered) > 0:
		return "B2", sources.Count(len(answered), "answer is", "answers are") + " not applied to the specification yet", sources.Interrupted
	case len(l.unasked()) > 0:
		return "B1", fmt.Sprintf("the gap %s in the specification is being clarified, but no open question asks about it", l.unasked()[0]), sources.Interrupted
	case l.open() != "":
		return "B1", fmt.Sprintf("the gap %s in the specification is open, but no question asks about it", l.open()), sources.Interrupted
	case l.neverAsked():
		return "B1", "questions should have been asked, but none is recorded", sources.Interrupted
	}
	return l.validation("no question is open")
}
