package page

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/quote"
)

// Plain passes output on to a terminal without anything that could control it: escapes, bells and other control characters.
type Plain struct {
	W io.Writer

	mu sync.Mutex
	// part is the beginning of a character whose other bytes have not arrived yet.
	part []byte
}

// Write never fails, because a task writes here and must not be stopped when the terminal is gone.
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
