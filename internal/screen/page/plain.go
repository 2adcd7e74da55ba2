package page

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/quote"
)

// Plain is a writer that removes escapes, bells and other control characters.
type Plain struct {
	W io.Writer

	mu sync.Mutex
	// part holds the first bytes of a UTF-8 character, or of a sequence that sets a colour, which the last write left incomplete.
	part []byte
}

// Write never returns an error. A task writes to it, and must not fail when the terminal is closed.
func (p *Plain) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := append(p.part, b...)
	whole := len(text)
	for i := 1; i <= min(utf8.UTFMax-1, len(text)); i++ {
		if c := text[len(text)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(text[len(text)-i:]) {
				whole = len(text) - i
			}
			break
		}
	}
	if i := bytes.LastIndexByte(text[:whole], '\x1b'); i >= 0 && quote.BeginsColour(string(text[i:whole])) {
		whole = i
	}
	p.part = append([]byte(nil), text[whole:]...)
	var out bytes.Buffer
	for i, line := range bytes.Split(text[:whole], []byte("\n")) {
		if i > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(quote.Clean(string(line)))
	}
	_, _ = p.W.Write(out.Bytes())
	return len(b), nil
}
