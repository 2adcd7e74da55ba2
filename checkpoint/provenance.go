package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// ProvenanceGap is the reason why a run does not count as a run of this clone although its journal is here.
type ProvenanceGap string

// These are the reasons why a run is not ours. LackNothing means that the run is ours.
const (
	LackNothing ProvenanceGap = ""
	// LackRoot means that the run was neither started nor taken over here.
	LackRoot ProvenanceGap = "begun-elsewhere"
	// LackSignature means that this clone has its own file about the run, but the journal's line that starts the run is not signed. Older
	// versions did not sign lines.
	LackSignature ProvenanceGap = "unsigned"
	// LackKey means that this user's key cannot be used, so it is unknown whether the run is ours.
	LackKey ProvenanceGap = "key-unusable"
	// LackFile means that this clone has no valid files.RunFile for the run. The file may be missing or expired. It is also invalid if an
	// older version wrote it for a closed run, but the journal says that the run is open.
	LackFile ProvenanceGap = "not-open-here"
	// LackLines means that some lines that we wrote are missing.
	LackLines ProvenanceGap = "lines-missing"
	// LackJournal means that only commits show that the run existed.
	LackJournal ProvenanceGap = "no-journal"
)

// Ours reports whether the run counts as a run of this user in this clone. Otherwise Lack has the reason.
func (r *Run) Ours() bool { return r.Lack == LackNothing }

// ElsewhereError says that a person must take over the run before it can be changed.
type ElsewhereError struct {
	Run  RunID
	Lack ProvenanceGap
}

func (e *ElsewhereError) Error() string {
	switch e.Lack {
	case LackSignature:
		return fmt.Sprintf("the records of run '%s' are not signed, so nothing proves that this user made them in this clone", e.Run)
	case LackKey:
		return fmt.Sprintf("nothing proves that run '%s' is yours, because your key for signing records cannot be used", e.Run)
	case LackFile:
		return fmt.Sprintf("run '%s' is not recorded as open in this clone: it was closed here, came from another clone, or lost its file in .git/resume", e.Run)
	case LackLines:
		return fmt.Sprintf("records of run '%s' that were made in this clone are missing", e.Run)
	}
	return fmt.Sprintf("nothing proves that run '%s' was started in this clone by this user", e.Run)
}

// count adds one line to the run's counters, no matter who wrote the line. The argument "late" is true if the line records work under a
// lease that had already ended.
func (r *Run) count(l Line, late bool) {
	if l.Bad {
		r.Unreadable++
		return
	}
	seq, _ := l.Event.number()
	same, shared := r.Events > 0 && seq == r.Top, r.Share != nil || l.Event.Event == RunShared
	works := !late && (l.Event.Event.IsWork() || !shared)
	if same && works && r.topWorks {
		r.Diverged = r.Diverged || !r.Rooted || l.Ours && r.topOurs
	}
	r.topOurs, r.topWorks = l.Ours || same && r.topOurs, works || same && r.topWorks
	r.Top, r.TopAt = seq, l.Event.At
	r.Events++
	switch {
	case l.Ours && l.Event.Event == RunLeased:
		// A RunLeased line of ours is in neither Own nor Others. It is added to the journal only after the remote has accepted it. At that
		// time, Own may already have lines with higher numbers. To check that none of them is missing, OwnUpTo later computes the set again
		// from the journal. It must get the same set, so it leaves out such late lines, and so does Own.
	case l.Ours:
		r.Own.add(l, seq)
	default:
		r.Others.add(l, seq)
	}
}

// LineSet identifies a set of lines. It contains their count, the highest sequence number, and a checksum that does not
// depend on their order.
type LineSet struct {
	Lines int    `json:"lines,omitempty"`
	Seq   int64  `json:"seq,omitempty"`
	Sum   string `json:"sum,omitempty"`
}

// sumSize is the length of the checksum in bytes. It is long enough that two different sets of lines do not have the same checksum by
// accident.
const sumSize = 16

func (s *LineSet) add(l Line, seq int64) {
	sum := sha256.Sum256([]byte(l.Words()))
	have, _ := hex.DecodeString(s.Sum)
	if len(have) != sumSize {
		have = make([]byte, sumSize)
	}
	for i := range have {
		have[i] ^= sum[i]
	}
	s.Lines, s.Seq, s.Sum = s.Lines+1, max(s.Seq, seq), hex.EncodeToString(have)
}

// OwnUpTo returns the set of our own lines up to a sequence number. Unreadable lines and RunLeased lines are left out.
func OwnUpTo(lines []Line, seq int64) LineSet {
	var out LineSet
	for _, l := range Sorted(lines) {
		if n, _ := l.Event.number(); !l.Bad && l.Ours && n <= seq && l.Event.Event != RunLeased {
			out.add(l, n)
		}
	}
	return out
}

// ForeignLines summarizes what other people's lines say about our run.
type ForeignLines struct {
	// Last is the time of the last line that others wrote. By is the last process that one of their lines names, or nil.
	Last time.Time `json:"last,omitzero"`
	By   *Actor    `json:"by,omitempty"`
	// Words has the newest important statement of each kind, for each task and for the whole run.
	Words []Word `json:"words,omitempty"`
}

// Word is one statement that others wrote about our run.
type Word struct {
	Event   Kind      `json:"event"`
	Task    TaskID    `json:"task,omitempty"`
	Text    string    `json:"text,omitempty"`
	Options []string  `json:"options,omitempty"`
	Commit  object.ID `json:"commit,omitempty"`
	Cause   string    `json:"cause,omitempty"`
	At      time.Time `json:"at"`
}

// maxWords limits how many statements of other people are kept. Only the newest ones are kept.
const maxWords = 200

// collectForeign collects other people's statements about our run. If the run is not ours, it does nothing.
func (r *Run) collectForeign(sorted []Line) {
	if !r.Rooted {
		return
	}
	var h ForeignLines
	for _, l := range sorted {
		if l.Bad || l.Ours {
			continue
		}
		h.Last = l.Event.At
		if l.Event.Actor != nil {
			h.By = l.Event.Actor
		}
		h.addLine(r, l.Event)
	}
	if r.Others.Lines > 0 {
		h.Words = h.Words[max(0, len(h.Words)-maxWords):]
		r.Foreign = &h
	}
}

// importantKinds lists the events that a person should see before continuing the run, if others recorded them.
var importantKinds = []Kind{
	RunClaimed, RunDriven, RunTaken, RunResumed, RunPaused, RunFinished, RunDiscarded, RunSuperseded, RunMerged, RunPlanned,
	TaskStarted, TaskDone, TaskFailed, TaskBlocked, TaskAnswered, TaskSkipped,
}

func (h *ForeignLines) addLine(r *Run, e Event) {
	if e.V > Version || !slices.Contains(importantKinds, e.Event) || e.Task != "" && r.Task(e.Task) == nil {
		return
	}
	h.Words = slices.DeleteFunc(h.Words, func(w Word) bool { return w.Event == e.Event && w.Task == e.Task })
	h.Words = append(h.Words, Word{e.Event, e.Task, e.Text, e.Options, e.Commit, e.Cause, e.At})
}

// Unheard returns what others wrote about the run, or nothing if a person has seen all of it. If any line of theirs is new, the result also
// has the statements that the person has seen before. It leaves out statements about tasks that are closed in our own record.
func (r *Run) Unheard() []Word {
	if r.Foreign == nil || r.HeardSum() == r.Agreed {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Foreign.Words), func(w Word) bool {
		t := r.Task(w.Task)
		return t != nil && t.State.Closed()
	})
}

// HeardSum identifies the lines that others have written so far. It is empty if there are none. It contains the number of lines too,
// because an attacker could find a longer list of lines with the same checksum.
func (r *Run) HeardSum() string {
	if r.Others.Lines == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%s", r.Others.Lines, r.Others.Sum)
}

// When the number of the next line is chosen, some lines are ignored: those with a number above maxSeq, and those more than maxJump above
// our own highest number.
const (
	maxSeq  = 9_000_000_000
	maxJump = 1_000_000
)

// findNextNumber sets the run's field Seq to the highest number of any line in its journal. It ignores numbers that are too high to be
// plausible. The next line that we write gets the number Seq+1.
func (r *Run) findNextNumber(sorted []Line) {
	last := r.Own.Seq
	for _, l := range sorted {
		seq, _ := l.Event.number()
		from := r.Own.Seq
		if !r.Rooted {
			from = last
		}
		if !l.Bad && seq > last && seq <= maxSeq && seq-from <= maxJump {
			last = seq
		}
	}
	r.Seq = last
}
