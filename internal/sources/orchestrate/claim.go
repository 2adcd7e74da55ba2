package orchestrate

import (
	"cmp"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// claim is what a state file says about one story.
type claim struct {
	// id is the story's id as the state file writes it; key is the normalized form for comparisons.
	id, key string
	meaning sources.Meaning
	// raw is the status that the state file gives the story. If raw is empty, place says how far the workflow is.
	raw, place string
	// phase names the phase that needs the story. If over is true, no phase needs the story any more.
	phase string
	over  bool
	// path is set if the state names the story's file.
	path string
	// unread means that the state file is broken, so that its statement about the story is unknown.
	unread bool
	// acceptable lists further statuses of the story that do not contradict the state file.
	acceptable []sources.Meaning
}

// setStatus uses the first known status among words as the state file's status of the story. The status that follows from the phase
// stays acceptable. Without a known status, only the position of the workflow is reported.
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

// statusText returns the first half of a sentence that compares the two statuses; the story's own status completes it. It quotes the
// state file, or gives the position of the workflow if the state file has no status for the story.
func (c claim) statusText() string {
	switch {
	case c.raw != "":
		return "the state says '" + statefile.Short(c.raw) + "', the story"
	case c.place != "":
		return "the workflow is at " + c.place + ", the story says"
	}
	return "the state has no word for it, the story says"
}

// interpret compares the status in the state file with the status in the story file, and says what the difference means.
func interpret(c claim, story sources.Meaning) verdict {
	state := c.meaning
	switch {
	case c.unread:
		return verdict{text: "the state cannot be read"}
	case story == sources.MeansDone && (state == sources.MeansInProgress || state == sources.MeansUnknown && !c.over):
		return verdict{sources.DoubtAlreadyEnded, conflicts.Blocking, "it was completed outside of this workflow"}
	case story == sources.MeansDone && state == sources.MeansReview:
		return verdict{sources.DoubtAlreadyEnded, conflicts.Blocking, "its review was completed outside of this workflow"}
	case story == sources.MeansPending && (state == sources.MeansInProgress || state == sources.MeansReview):
		return verdict{"story-reset", conflicts.Blocking, "it was reset, so the state is stale"}
	case story == sources.MeansReady && state == sources.MeansPending:
		return verdict{"story-validated", conflicts.Info, "it was validated while the workflow was stopped"}
	case state == story || state == sources.MeansUnknown || story == sources.MeansUnknown, slices.Contains(c.acceptable, story):
		return verdict{text: "consistent"}
	case state == sources.MeansClosed:
		return verdict{text: "it was skipped in this workflow"}
	}
	return verdict{sources.DoubtDiscrepancy, conflicts.Warning, "the two do not agree"}
}

// verdict is the result of comparing the two statuses of one story.
type verdict struct {
	code     string
	severity conflicts.Severity
	text     string
}

func orWorkflow(phase string) string { return cmp.Or(phase, "the workflow") }
