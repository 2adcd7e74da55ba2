package orchestrate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// claim holds the statements of a state file about one story.
type claim struct {
	// id is the story's id as written in the state file. The field "key" is the normalized form of the id, for comparisons.
	id, key string
	meaning sources.Meaning
	// raw is the status of the story according to the state file. Without a status, the field "place" gives the position of the workflow
	// instead, such as "phase 3".
	raw, place string
	// phase is the name of the phase that needs the story. If the field "over" is true, no remaining phase needs the story.
	phase string
	over  bool
	// path is the path of the story file, if the state file contains it.
	path string
	// unread means that the state file is broken, so its statements about the story are unknown.
	unread bool
	// acceptable lists other statuses that the story may have without contradicting the state file.
	acceptable []sources.Meaning
}

// setStatus sets the claim's status to the first of the given words that is a known status. The story file may still have the earlier
// status: this does not count as a contradiction. If no word is known, the status stays. The argument "place" is the workflow's position.
func (c *claim) setStatus(place string, words ...string) {
	c.place = place
	for _, word := range words {
		m, _ := statefile.MeaningOf(word)
		if word == "" || m == sources.MeansUnknown {
			continue
		}
		c.acceptable = append(c.acceptable, c.meaning)
		c.raw, c.meaning = word, m
		return
	}
}

// statusText compares the status in the state file with the status in the story file, as in "the state says 'Draft', the story says 'Done'".
func (c claim) statusText(story string) string {
	switch {
	case c.raw != "":
		return fmt.Sprintf("the state says '%s', the story says '%s'", statefile.Short(c.raw), story)
	case c.place != "":
		return fmt.Sprintf("the workflow is at %s, the story says '%s'", c.place, story)
	}
	return fmt.Sprintf("the state has no status for this story, the story says '%s'", story)
}

// interpret compares the status in the state file with the status in the story file. The result says what a difference means.
func interpret(c claim, story sources.Meaning) verdict {
	state := c.meaning
	switch {
	case c.unread:
		return verdict{text: "has a state that cannot be read"}
	case story == sources.MeansDone && (state == sources.MeansInProgress || state == sources.MeansUnknown && !c.over):
		return verdict{sources.DoubtAlreadyEnded, conflicts.Blocking, "was completed outside of this workflow"}
	case story == sources.MeansDone && state == sources.MeansReview:
		return verdict{sources.DoubtAlreadyEnded, conflicts.Blocking, "passed its review outside of this workflow"}
	case story == sources.MeansPending && (state == sources.MeansInProgress || state == sources.MeansReview):
		return verdict{"story-reset", conflicts.Blocking, "was reset, so the state file is out of date"}
	case story == sources.MeansReady && state == sources.MeansPending:
		return verdict{"story-validated", conflicts.Info, "was validated while the workflow was stopped"}
	case state == story || state == sources.MeansUnknown || story == sources.MeansUnknown, slices.Contains(c.acceptable, story):
		return verdict{text: "consistent"}
	case state == sources.MeansClosed:
		return verdict{text: "was skipped in this workflow"}
	}
	if c.raw == "" {
		return verdict{sources.DoubtDiscrepancy, conflicts.Warning, "has a status that does not fit the position of the workflow"}
	}
	return verdict{sources.DoubtDiscrepancy, conflicts.Warning, "has different statuses in the state file and in the story file"}
}

// verdict is the result of comparing the status in the state file with that in the story file.
type verdict struct {
	code     string
	severity conflicts.Severity
	text     string // it follows the name of the story
}

func orWorkflow(phase string) string { return cmp.Or(phase, "the workflow") }
