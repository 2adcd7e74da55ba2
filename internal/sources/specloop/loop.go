package specloop

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
)

type loop struct {
	*feature
	home sources.Tree
	data []byte
	x    *index // nil if no index can be read
	when time.Time
	from string
	// damaged means that the index file exists but cannot be read or parsed. The field "good" is the content of an older version that can
	// be used instead, or nil. The field "complete" is true if every open question has a text in that version.
	damaged  bool
	good     []byte
	complete bool
	// pending holds the questions that need an answer. The field "answered" holds the questions with an answer that the workflow has not
	// yet written into the specification.
	pending, answered []question
	spec              *bool // whether spec.md exists and is not empty; nil before the first check
	// torn says that a question that waits for an answer has no text, probably because the end of the index is missing.
	torn bool
	// cut says where the file breaks off, because a write of it was interrupted. It is empty if the file seems to be complete.
	cut string
}

// open returns the id of a critical or important gap in the specification that is pending and has no question. It returns an empty text if
// there is none.
func (l *loop) open() string {
	for _, g := range l.x.gaps {
		if g.must() && g.is("pending") && !slices.ContainsFunc(l.x.questions, func(q question) bool { return slices.Contains(q.gaps, g.id) }) {
			return g.id
		}
	}
	return ""
}

// neverAsked reports whether the index has no questions, and its history has no entry for the current iteration.
func (l *loop) neverAsked() bool {
	return len(l.x.questions) == 0 && !l.x.recorded()
}

// comparesGaps reports whether the workflow system's own check would compare the questions with the gaps before the next step. It does so
// before every step, as long as the index has questions.
func (l *loop) comparesGaps() bool {
	switch l.x.status {
	case clarifying:
		return len(l.pending)+len(l.answered) > 0
	case scaffolding, specWriting, validating:
		return len(l.x.questions) > 0
	}
	return false
}

// unasked returns the ids of gaps in the specification that have the status "clarifying", although no question is about them. While the
// loop is clarifying, only pending and answered questions count.
func (l *loop) unasked() []string {
	asked, questions := map[string]bool{}, l.x.questions
	if l.x.status == clarifying {
		questions = slices.Concat(l.pending, l.answered)
	}
	for _, q := range questions {
		for _, id := range q.gaps {
			asked[id] = true
		}
	}
	var out []string
	for _, g := range l.x.gaps {
		if g.is("clarifying") && !asked[g.id] {
			out = append(out, g.id)
		}
	}
	return out
}

// unapplied reports whether the answer to a question is not in the specification yet.
func (l *loop) unapplied(id string) bool {
	return slices.ContainsFunc(l.answered, func(q question) bool { return q.id == id })
}

// sort collects two lists: the questions that need an answer, and the questions whose answer the workflow has not yet applied.
func (l *loop) sort() {
	if l.x == nil {
		return
	}
	queued, waits := map[string]bool{}, map[string]bool{}
	for _, g := range l.x.gaps {
		queued[g.id], waits[g.id] = true, waits[g.id] || g.is("clarifying", "pending")
	}
	settled := map[string]bool{}
	for _, h := range l.x.history {
		settled[h.gap] = settled[h.gap] || slices.Contains([]string{"resolved", "applied", "closed", "deferred", "knowngap"}, sources.FoldWord(h.action))
	}
	isOpen := func(id string) bool { // while clarifying, an answer about a gap that is nowhere settled must not be lost
		return waits[id] || l.x.status == clarifying && !queued[id] && !settled[id]
	}
	for _, q := range l.x.questions {
		switch {
		case q.pending() && unset(q.text):
			l.torn = true
		case q.pending():
			l.pending = append(l.pending, q)
		case q.lost() && l.x.status != clarifying: // a loop that is no longer clarifying does not need the missing answer
		case q.lost() && (len(q.gaps) == 0 || slices.ContainsFunc(q.gaps, isOpen)):
			l.pending = append(l.pending, q)
		case q.answered() && (len(q.gaps) == 0 || slices.ContainsFunc(q.gaps, isOpen)):
			l.answered = append(l.answered, q)
		}
	}
}

// feature is one folder below specs/ while it is being read.
type feature struct {
	ctx   context.Context
	view  *sources.View
	id    string
	dir   string
	trees []sources.Tree

	doubts sources.Doubts
}

func (f *feature) file(name string) string { return path.Join(f.dir, ".workflow", name) }

// state reads one state file. It adds a warning if the file exists but cannot be read.
func (f *feature) state(t sources.Tree, full string) ([]byte, error) {
	data, err := t.Read(full)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.doubts = append(f.doubts, sources.DoubtOf(err, full))
	}
	return data, err
}
