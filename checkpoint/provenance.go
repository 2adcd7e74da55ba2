package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
)

// Lack says why a run does not count as one of this clone, although its journal is here.
type Lack string

// The reasons; the zero value is a run of ours. Whoever reads a journal sets it.
const (
	LackNothing Lack = ""
	// LackRoot: it was neither started nor taken over here.
	LackRoot Lack = "begun-elsewhere"
	// LackSignature: its first line has no signature, as older versions of this program wrote it, and a file of it is here.
	LackSignature Lack = "unsigned"
	// LackKey: this user's key cannot be used, so that nobody knows whether it is ours.
	LackKey Lack = "key-unusable"
	// LackFile: this clone has no file of it among its open runs: it was closed, has expired, or was put back.
	LackFile Lack = "not-open-here"
	// LackLines: lines that we wrote are missing.
	LackLines Lack = "lines-missing"
	// LackJournal: only commits tell of it.
	LackJournal Lack = "no-journal"
)

// Ours reports whether this user began or took over the run in this clone, and all that we recorded of it is there.
// Everything else is from elsewhere: it is shown, and nothing is done about it before a person takes it over.
func (r *Run) Ours() bool { return r.Lack == LackNothing }

// ElsewhereError says that a run must be taken over by a person before anything is done about it.
type ElsewhereError struct {
	Run  RunID
	Lack Lack
}

func (e *ElsewhereError) Error() string {
	return fmt.Sprintf("run '%s' was not started in this clone by this user", e.Run)
}

// LineSet stands for a set of lines: how many, the highest number, and a sum that does not depend on their order.
type LineSet struct {
	Lines int    `json:"lines,omitempty"`
	Seq   int64  `json:"seq,omitempty"`
	Sum   string `json:"sum,omitempty"`
}

// sumSize is enough that nobody finds two sets with one sum.
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

// OwnUpTo is the set of our own lines up to a number.
func OwnUpTo(lines []Line, seq int64) LineSet {
	var out LineSet
	for _, l := range Sorted(lines) {
		if n, _ := l.Event.number(); !l.Bad && l.Ours && n <= seq {
			out.add(l, n)
		}
	}
	return out
}

// Heard is what lines of others say about a run of ours. It can make us more careful, never less.
type Heard struct {
	// Last is when the last of them says it was written, By who wrote it, where that is said.
	Last time.Time `json:"last,omitzero"`
	By   *Actor    `json:"by,omitempty"`
	// Words are what may matter, the newest of each kind for each task.
	Words []Word `json:"words,omitempty"`
}

// Word is one thing that others say.
type Word struct {
	Event   Kind      `json:"event"`
	Task    TaskID    `json:"task,omitempty"`
	Text    string    `json:"text,omitempty"`
	Options []string  `json:"options,omitempty"`
	Commit  object.ID `json:"commit,omitempty"`
	Cause   string    `json:"cause,omitempty"`
	At      time.Time `json:"at"`
}

// maxWords bounds what is kept of others' words; a run with more tasks shows the newest.
const maxWords = 200

// listen collects what others say about a run of ours.
func (r *Run) listen(sorted []Line) {
	if !r.Rooted {
		return
	}
	var h Heard
	for _, l := range sorted {
		if l.Bad || l.Ours {
			continue
		}
		h.Last = l.Event.At
		if l.Event.Actor != nil {
			h.By = l.Event.Actor
		}
		h.word(r, l.Event)
	}
	if r.Others.Lines > 0 {
		h.Words = h.Words[max(0, len(h.Words)-maxWords):]
		r.Heard = &h
	}
}

// weighty are the events of others that a person should know of before the run goes on.
var weighty = []Kind{
	RunClaimed, RunDriven, RunTaken, RunResumed, RunPaused, RunFinished, RunDiscarded, RunSuperseded, RunMerged, RunPlanned,
	TaskStarted, TaskDone, TaskFailed, TaskBlocked, TaskAnswered, TaskSkipped,
}

func (h *Heard) word(r *Run, e Event) {
	if e.V > Version || !slices.Contains(weighty, e.Event) || e.Task != "" && r.Task(e.Task) == nil {
		return
	}
	h.Words = slices.DeleteFunc(h.Words, func(w Word) bool { return w.Event == e.Event && w.Task == e.Task })
	h.Words = append(h.Words, Word{e.Event, e.Task, e.Text, e.Options, e.Commit, e.Cause, e.At})
}

// Unheard are the words of others that nobody here has gone on with yet, without those that our own record has settled.
func (r *Run) Unheard() []Word {
	if r.Heard == nil || r.HeardSum() == r.Agreed {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.Heard.Words), func(w Word) bool {
		t := r.Task(w.Task)
		return t != nil && t.State.Closed()
	})
}

// HeardSum is what a line says that was written with all words of others known.
// The sum of a set can be met by adding lines to it, its number of lines cannot.
func (r *Run) HeardSum() string {
	if r.Others.Lines == 0 {
		return ""
	}
	return fmt.Sprintf("%d-%s", r.Others.Lines, r.Others.Sum)
}

// Numbers that are far beyond those of our own lines count for nothing: they would use up what ten digits can hold.
const (
	maxSeq  = 9_000_000_000
	maxJump = 1_000_000
)

// goOn finds the number behind which the next line goes on: the highest of ours, and of others' within reach of it.
func (r *Run) goOn(sorted []Line) {
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
