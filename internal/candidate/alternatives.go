package candidate

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// The names of the actions for our own runs. The actions for other systems' work are named in the package sources.
const (
	AltContinue = sources.Continue
	AltAnswer   = sources.Answer
	AltRestart  = "restart"
	AltSkip     = "skip"
	AltReview   = sources.ReviewIt
	AltMerge    = sources.MergeIt
	AltDiscard  = sources.Discard
)

// Alternatives lists the possible actions on a piece of work, the best one first. A discarded run has none.
func (s *Summary) Alternatives() []sources.Alternative {
	if s.Found != nil && s.Busy != "" {
		return sortForBusy(s.Found.Alternatives)
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

// sortForBusy sorts the actions for work that somebody may be doing already. Actions that disturb nobody come first, and the others get a
// warning.
func sortForBusy(all []sources.Alternative) []sources.Alternative {
	var first, writing, on, last []sources.Alternative
	for _, a := range all {
		if !Disturbs(a.Name) {
			first = append(first, a)
			continue
		}
		a.Text = "only if nobody is working on it now: " + a.Text
		switch {
		case slices.Contains([]string{sources.StartFresh, sources.Reset, sources.Discard}, a.Name):
			last = append(last, a)
		case sources.Proceeds(a.Name):
			on = append(on, a)
		default:
			writing = append(writing, a)
		}
	}
	return slices.Concat(first, writing, on, last)
}

// Disturbs reports whether an action would disturb somebody who is working. All actions would, except looking at the work and hiding it.
func Disturbs(name string) bool { return name != AltReview && name != sources.Hide }
