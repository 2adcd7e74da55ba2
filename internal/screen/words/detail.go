package words

import (
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// These are the details that programs read beside a state.
const (
	DetailElsewhere = "elsewhere"
	DetailContinued = "continued-elsewhere"
)

// Detail says more about a run's state if there is more to say, for example that the run is from elsewhere.
func Detail(m *candidate.Summary) string {
	r := &m.Run
	switch {
	case m.Found != nil || r.Rebuilt || m.Damaged != "":
		return ""
	case !r.Ours():
		return DetailElsewhere
	case len(r.Unheard()) > 0 && !r.Closed():
		return DetailContinued
	}
	return ""
}

// State is the state in words for people.
func State(m *candidate.Summary) string {
	if Detail(m) == DetailElsewhere && m.State == checkpoint.Idle {
		return DetailElsewhere
	}
	if m.Found != nil && m.Found.State == sources.Ended { // its own system closed the work; nobody here discarded it
		return "ended"
	}
	switch {
	case m.Found != nil && m.State == checkpoint.Running && m.Busy != "":
		return "may be running"
	case m.Found != nil && m.State == checkpoint.Idle && m.Found.State == sources.Unknown:
		return string(sources.Unknown)
	}
	return string(m.State)
}

// lackWords say why a run does not count as ours.
var lackWords = map[checkpoint.ProvenanceGap]string{
	checkpoint.LackRoot:      "started elsewhere",
	checkpoint.LackSignature: "recorded without a signature",
	checkpoint.LackKey:       "the key of this user cannot be used",
	checkpoint.LackFile:      "closed here before, or put back",
	checkpoint.LackLines:     "records made here are missing",
}

func Elsewhere(r *checkpoint.Run) string {
	text := lackWords[r.Lack]
	a := r.Driver
	if a == nil {
		a = r.Owner
	}
	if a != nil && a.Host != "" {
		text += " on " + quote.Clean(a.Host)
	}
	return text
}

// LowerFirst makes a sentence fit behind a colon.
func LowerFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}
