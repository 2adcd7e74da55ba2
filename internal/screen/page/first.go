package page

import (
	"bytes"
	"io"
)

// FirstLines passes on as many lines as Most says, and counts the others in Over.
type FirstLines struct {
	To         io.Writer
	Most, Over int
	seen       int
}

func (f *FirstLines) Write(b []byte) (int, error) {
	whole := len(b)
	for len(b) > 0 {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line = b[:i+1]
		}
		b = b[len(line):]
		if f.seen < f.Most {
			_, _ = f.To.Write(line) // an error here only affects the display
		} else if line[len(line)-1] == '\n' {
			f.Over++
		}
		if line[len(line)-1] == '\n' {
			f.seen++
		}
	}
	return whole, nil
}
