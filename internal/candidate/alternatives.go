package candidate

import (
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/sources"
)

// The names of what can be done about a run of our own; the names for other systems' work are in sources.
const (
	AltContinue = sources.Continue
	AltAnswer   = sources.Answer
	AltRestart  = "restart"
	AltSkip     = "skip"
	AltReview   = sources.ReviewIt
	AltMerge    = sources.MergeIt
	AltDiscard  = sources.Discard
)

// Alternatives lists what can be done about a piece of work, the best choice first.
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

// sortForBusy sorts the alternatives that leave the work unchanged first, the ways to continue behind the other ones,
// and those that put the work aside last. It adds a warning to all that write, because somebody may be working already.
func sortForBusy(all []sources.Alternative) []sources.Alternative {
	var first, writing, on, last []sources.Alternative
	for _, a := range all {
		if !Disturbs(a.Name) {
			first = append(first, a)
			continue
		}
		a.Text = "only if nobody is working on it any more: " + a.Text
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

// Disturbs reports whether an alternative would disturb somebody who is working: all do, except reviewing and hiding the work.
func Disturbs(name string) bool { return name != AltReview && name != sources.Hide }
