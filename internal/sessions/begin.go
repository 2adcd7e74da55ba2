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
	file, info, err := open(s.path)
	if s.path = ""; err != nil {
		return
	}
	defer file.Close()
	a := agents[slices.IndexFunc(agents, func(a agent) bool { return a.name == s.Agent })]
	rest := &io.LimitedReader{R: file, N: mostFile}
	lines := bufio.NewScanner(rest)
	lines.Buffer(make([]byte, firstTail), mostFile)
	unheard := s.State == Cut && s.Tool == "" // who calls a tool has answered
	if unheard {
		tail := make([]byte, min(info.Size(), firstTail)) // most answers are close to the end; then the rest need not be searched
		n, _ := file.ReadAt(tail, info.Size()-int64(len(tail)))
		pieces := bytes.Split(tail[:n], []byte("\n"))
		unheard = !slices.ContainsFunc(pieces[1:], a.isAnswer) // the first line may not be whole
	}
	for (s.First == "" || unheard) && lines.Scan() {
		if s.Began.IsZero() {
			s.Began = timeIn(lines.Bytes())
		}
		if s.First == "" {
			s.First = oneLine(a.prompt(lines.Bytes()), 60)
		}
		unheard = unheard && !a.isAnswer(lines.Bytes())
	}
	s.Unanswered = unheard && rest.N > 0 && lines.Err() == nil
	if s.Title == "" {
		s.Title = s.First
	}
}

// isAnswer reports whether a line has words or acts of the model.
func (a *agent) isAnswer(line []byte) bool {
	has := func(mark string) bool { return bytes.Contains(line, []byte(mark)) }
	return slices.ContainsFunc(a.answer, has) && !has(`"isApiErrorMessage":true`)
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
