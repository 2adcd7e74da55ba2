package orchestrate

import (
	"cmp"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// addClaim is what a state says about a story.
type claim struct {
	// id is the story's id as written; key is the form used for comparing.
	id, key string
	meaning sources.Meaning
	// raw is the status that the state gives the story; if raw is empty, place says where the workflow is instead.
	raw, place string
	// phase names the phase that needs the story; over means that nothing needs it any more.
	phase string
	over  bool
	// path is set if the state names the story's file.
	path string
	// reportUnreadable means that what the state says about the story cannot be read.
	unread bool
	// acceptable lists other statuses of the story that fit as well.
	acceptable []sources.Meaning
}

// setStatus takes the first status that the state itself gives the story; the status that the phase implies stays acceptable.
// If the state gives none, only the position of the workflow is reported.
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

// statusText begins the sentence about what the story says, with the state's own word or otherwise its position; it never invents a word.
func (c claim) statusText() string {
	switch {
	case c.raw != "":
		return "the state says '" + statefile.Short(c.raw) + "', the story"
	case c.place != "":
		return "the workflow is at " + c.place + ", the story says"
	}
	return "the state has no word for it, the story says"
}

// interpret says what the statuses in the state and in the story mean together.
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

// verdict is the interpretation of two statuses of one story.
type verdict struct {
	code     string
	severity conflicts.Severity
	text     string
}

func orWorkflow(phase string) string { return cmp.Or(phase, "the workflow") }
