package sessions

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"time"
)

// beginnings reads how the sessions began that were cut, and the newer ones in the same folder: people try again in a new session. Sessions to
// show that have no title get their first prompt. The newest session is the first one. It does not matter which old sessions were repeated.
func beginnings(all []Session, now time.Time) {
	for i := range all {
		s := &all[i]
		mayBeRepeated := (s.State == Cut || s.State == Limit) && now.Sub(s.Last) <= longKept
		if mayBeRepeated || s.Title == "" && s.State != Finished && s.State != Empty {
			s.begin()
		}
		if !mayBeRepeated {
			continue
		}
		for j := range all[:i] {
			if o := &all[j]; s.First != "" && o.State != Empty && o.Tree == s.Tree {
				o.begin()
			}
		}
	}
}

// begin reads the first prompt of a session, and when that was. Of a session that was cut, it finds out whether the model
// ever answered.
func (s *Session) begin() {
	if s.path == "" {
		return
	}
	file, _, err := open(s.path)
	if s.path = ""; err != nil {
		return
	}
	defer file.Close()
	a := agents[slices.IndexFunc(agents, func(a agent) bool { return a.name == s.Agent })]
	rest := &io.LimitedReader{R: file, N: mostFile}
	lines := bufio.NewScanner(rest)
	lines.Buffer(make([]byte, firstTail), mostFile)
	unheard := s.State == Cut
	for (s.First == "" || unheard) && lines.Scan() {
		if s.Began.IsZero() {
			s.Began = timeIn(lines.Bytes())
		}
		if s.First == "" {
			s.First = oneLine(a.prompt(lines.Bytes()), 60)
		}
		isAnswer := func(mark string) bool { return bytes.Contains(lines.Bytes(), []byte(mark)) }
		unheard = unheard && (!slices.ContainsFunc(a.answer, isAnswer) || isAnswer(`"isApiErrorMessage":true`))
	}
	s.Unanswered = unheard && rest.N > 0 && lines.Err() == nil
	if s.Title == "" {
		s.Title = s.First
	}
}

// timeIn returns the first time in a line, or zero.
func timeIn(line []byte) (t time.Time) {
	for _, field := range []string{`"timestamp":"`, `"startTime":"`} {
		if at := bytes.Index(line, []byte(field)); at >= 0 {
			rest := line[at+len(field):]
			if t, err := time.Parse(time.RFC3339, string(rest[:max(0, bytes.IndexByte(rest, '"'))])); err == nil {
				return t
			}
		}
	}
	return t
}
