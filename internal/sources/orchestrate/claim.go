package orchestrate

import (
	"cmp"
	"slices"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// claim is what a state says about a story.
type claim struct {
	// id is as written, key as compared.
	id, key string
	meaning sources.Meaning
	// raw is the word that the state has for the story; empty: it has none, and place is where the workflow stands.
	raw, place string
	// phase names what needs the story; over: nothing does any more.
	phase string
	over  bool
	// path is set where the state names the file.
	path string
	// unread: what the state says of the story cannot be read.
	unread bool
	// fine are other statuses of the story that fit as well.
	fine []sources.Meaning
}

// says takes the first word that the state itself has for the story; what the phase implies fits as well.
// Without a word only the place of the workflow can be told.
func (c *claim) says(place string, words ...string) {
	c.place = place
	for _, word := range words {
		m, _ := statefile.MeaningOf(word)
		if word == "" || m == sources.MeansUnknown {
			continue
		}
		c.fine = append(c.fine, c.meaning)
		c.raw, c.meaning = word, m
		return
	}
}

// said leads to what the story says from what the state says of it, or else from where that stands: a word that is not in it is not put into its mouth.
func (c claim) said() string {
	switch {
	case c.raw != "":
		return "the state says '" + statefile.Short(c.raw) + "', the story"
	case c.place != "":
		return "the workflow is at " + c.place + ", the story says"
	}
	return "the state has no word for it, the story says"
}

// interpret says what it means that state and story say these things.
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
		return verdict{"story-validated", conflicts.Info, "it was validated while the workflow stood still"}
	case state == story || state == sources.MeansUnknown || story == sources.MeansUnknown, slices.Contains(c.fine, story):
		return verdict{text: "consistent"}
	case state == sources.MeansClosed:
		return verdict{text: "it was left out of this workflow"}
	}
	return verdict{sources.DoubtDiscrepancy, conflicts.Warning, "the two do not agree"}
}

// reading of two statuses of one story.
type verdict struct {
	code     string
	severity conflicts.Severity
	text     string
}

func orWork(phase string) string { return cmp.Or(phase, "the workflow") }
