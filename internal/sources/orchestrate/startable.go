package orchestrate

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/orchestrate/statefile"
)

// lifted are the conflicts that are over when a person who has seen them begins again with the story as it is.
var lifted = []string{sources.DoubtAlreadyEnded, "story-reset", sources.DoubtScope, "needs-added", sources.DoubtNewTasks, sources.DoubtOtherWork}

// startable reports whether to begin again with a phase leaves nothing in the way.
func (w *work) startable(phase string) bool {
	for _, d := range w.Doubts {
		if d.Severity == conflicts.Blocking && !slices.Contains(lifted, d.Code) {
			return false
		}
	}
	for _, n := range w.Needs {
		story := strings.HasPrefix(n.Path, statefile.StoriesDir) // which only the first phase makes
		if n.Missing && n.Critical && story && phase != "create" {
			return false
		}
	}
	for _, c := range w.claims {
		s := w.storyOf(c)
		if s == nil || c.raw != "" { // the state's own word for the story becomes the story's
			continue
		}
		if interpret(claim{meaning: phaseMeaning(phase)}, s.Meaning).severity == conflicts.Blocking {
			return false
		}
	}
	return true
}
