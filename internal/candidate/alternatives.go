package candidate

import (
	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// The names of what can be done about a run of our own; those of other systems' work are in sources.
const (
	AltContinue = sources.Continue
	AltAnswer   = sources.Answer
	AltRestart  = "restart"
	AltSkip     = "skip"
	AltReview   = sources.ReviewIt
	AltMerge    = sources.MergeIt
	AltDiscard  = sources.Discard
)

// Alternatives are what can be done about a piece of work, the best one first.
func (s *Summary) Alternatives() []sources.Alternative {
	if s.Found != nil && s.Busy != "" {
		return lastResort(s.Found.Alternatives)
	}
	if s.Found != nil {
		return s.Found.Alternatives
	}
	var names []string
	r := &s.Run
	switch {
	case r.Discarded:
		return nil
	case s.State == checkpoint.Running:
		names = []string{AltReview}
	case r.Finished:
		names = []string{AltReview, AltMerge, AltRestart, AltDiscard}
	case r.Question() != nil:
		names = []string{AltAnswer, AltSkip, AltRestart, AltReview, AltDiscard}
	default:
		names = []string{AltContinue, AltRestart, AltSkip, AltReview, AltMerge, AltDiscard}
	}
	out := make([]sources.Alternative, 0, len(names))
	for _, n := range names {
		out = append(out, sources.Alternative{Name: n})
	}
	return out
}

// lastResort puts the ways to continue behind all others, and says why: somebody may be at work already.
func lastResort(all []sources.Alternative) []sources.Alternative {
	var first, last []sources.Alternative
	for _, a := range all {
		switch a.Name {
		case sources.Continue, sources.ResumeAgent, sources.Respawn:
			a.Text = "only if nobody works on it any more: " + a.Text
			last = append(last, a)
		default:
			first = append(first, a)
		}
	}
	return append(first, last...)
}
