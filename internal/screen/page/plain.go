package page

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"

	"github.com/git-resume/git-resume/internal/quote"
)

// Plain passes output on to a terminal without what could speak to it: escapes, bells, other control characters.
type Plain struct {
	W io.Writer

	mu sync.Mutex
	// part is the beginning of a character whose rest has not come yet.
	part []byte
}

// Write never fails: whoever writes is a task, and the terminal may be gone.
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
