package words

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// These details explain a state further, in JSON and porcelain output. The file docs/states.md describes each of them.
const (
	DetailElsewhere    = "elsewhere"
	DetailContinued    = "continued-elsewhere"
	DetailRebuilt      = "rebuilt"
	DetailMerged       = string(candidate.Merged)
	DetailNotMerged    = string(candidate.NotMerged)
	DetailSuperseded   = "superseded"
	DetailLimited      = "limited"
	DetailBetweenTasks = "between-tasks"
	DetailHandedOver   = "handed-over"
	DetailSign         = "sign"
	DetailUnknown      = "unknown"
	DetailNotStarted   = "not-started"
	DetailEnded        = "ended"
	DetailHidden       = "hidden"
	DetailGone         = "gone"
)

// Detail returns a word that explains the state further, for example "elsewhere" for a run of another clone. If several apply, it returns
// the most important one, and if none applies, "".
func Detail(m *candidate.Summary) string {
	r := &m.Run
	switch {
	case m.Damaged != "":
		return ""
	case m.Found != nil:
		return foreignDetail(m)
	case m.Vanished() && !r.Closed() && m.Hidden:
		return DetailHidden
	case m.Vanished() && !r.Closed():
		return DetailGone
	case r.Rebuilt:
		return DetailRebuilt
	case !r.Ours():
		return DetailElsewhere
	case r.Closed() && m.State != checkpoint.Running: // a run whose process is still running does not count as closed, because the process may just be closing it
		return closedDetail(m)
	case len(r.Unheard()) > 0:
		return DetailContinued
	}
	return openDetail(m)
}

// foreignDetail returns the word that explains the state of another system's work further, or "" if there is none.
func foreignDetail(m *candidate.Summary) string {
	switch {
	case m.Found.State == sources.Ended && m.State == checkpoint.Discarded:
		return DetailEnded
	case m.Handed && m.State == checkpoint.Running:
		return DetailHandedOver
	case m.Busy != "" && m.State == checkpoint.Running:
		return DetailSign
	case m.State == checkpoint.Idle:
		return map[sources.State]string{sources.Unknown: DetailUnknown, sources.NotStarted: DetailNotStarted}[m.Found.State]
	}
	return ""
}

func closedDetail(m *candidate.Summary) string {
	r := &m.Run
	switch {
	case m.Merge == candidate.Merged:
		return DetailMerged
	case r.Superseded != "":
		return DetailSuperseded
	case m.State == checkpoint.FinishedRun && m.Merge == candidate.NotMerged:
		return DetailNotMerged
	}
	return ""
}

// NotMerged says that a finished run is not merged into its base, or up to which commit it is.
func NotMerged(m *candidate.Summary) string {
	into := quote.Clean(m.Run.Base.Name)
	if m.SinceMerge == 0 {
		return "not merged into " + into
	}
	return fmt.Sprintf("merged into %s up to %s, %s not merged", into, m.Run.MergedTip.Short(), phrase.Count(m.SinceMerge, "later commit", "later commits"))
}

func openDetail(m *candidate.Summary) string {
	_, t := m.Run.Current()
	switch {
	case m.Limited && (m.State == checkpoint.Interrupted || m.State == checkpoint.Idle || m.State == checkpoint.Running):
		return DetailLimited
	case t == nil:
		return ""
	case m.State == checkpoint.FailedRun && t.Until != "":
		return DetailLimited
	case (m.State == checkpoint.Interrupted || m.State == checkpoint.Idle) && m.Run.Begun() && t.State == checkpoint.Pending:
		return DetailBetweenTasks
	}
	return ""
}

// LeftOpen says how many tasks of another system's work were open when it was discarded, and whether the others are merged. It returns ""
// if none was open.
func LeftOpen(m *candidate.Summary) string {
	if m.State != checkpoint.Discarded || m.Aside == nil || m.Aside.OpenTasks() == 0 || m.Merge == candidate.Merged && !m.Aside.MergedInPart() {
		return ""
	}
	unit := m.Aside.Unit()
	text := phrase.Count(m.Aside.OpenTasks(), "open "+unit, "open "+unit+"s")
	if m.Merge == candidate.Merged {
		text += "; what was built before is merged into " + quote.Clean(m.Run.Base.Name)
	}
	return text
}

// State returns the state in words for people.
func State(m *candidate.Summary) string {
	switch detail := Detail(m); {
	case LeftOpen(m) != "":
		return string(m.State) // not merged: only a part of it was
	case detail == DetailElsewhere && m.State == checkpoint.Idle, detail == DetailMerged:
		return detail
	case m.Found != nil && m.Found.State == sources.Ended: // the other system closed the work, so "discarded" would be wrong
		return DetailEnded
	case detail == DetailHandedOver: // we printed how to continue, and nothing shows that somebody has started
		return "handed over"
	case m.Found != nil && m.State == checkpoint.Running && m.Busy != "":
		return "may be running"
	case detail == DetailUnknown, detail == DetailLimited && m.State == checkpoint.Interrupted:
		return detail
	case Blocked(m):
		return string(sources.Blocked)
	}
	return string(m.State)
}

// Blocked reports whether another system's work is blocked and has no question that a person could answer. To call it waiting would be
// wrong, because no answer helps.
func Blocked(m *candidate.Summary) bool {
	return m.Found != nil && m.Found.State == sources.Blocked && m.State == checkpoint.Waiting && (len(m.Found.Questions) == 0 || m.Found.Questions[0].Block)
}

// lackWords explains why this clone does not trust a run as its own.
func lackWords() map[checkpoint.ProvenanceGap]string {
	return map[checkpoint.ProvenanceGap]string{
		checkpoint.LackRoot:      "started elsewhere",
		checkpoint.LackSignature: "recorded without a signature",
		checkpoint.LackKey:       "your key for signing records cannot be used",
		checkpoint.LackFile:      "not recorded as open in this clone",
		checkpoint.LackLines:     "some records made here are missing",
	}
}

func Elsewhere(r *checkpoint.Run) string {
	text := lackWords()[r.Lack]
	a := r.Driver
	if a == nil {
		a = r.Owner
	}
	if a != nil && a.Host != "" {
		text += map[bool]string{true: " on ", false: ", last by "}[r.Lack == checkpoint.LackRoot || r.Lack == checkpoint.LackSignature] + quote.Clean(a.Host)
	}
	return text
}

// LowerFirst changes the first letter of a sentence to lower case, for use after a colon.
func LowerFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToLower(text[:1]) + text[1:]
}
