package page

import (
	"bytes"
	"io"
	"strings"
)

// Palette maps names such as "done" to the escape sequence for the colour. An empty sequence means no colour.
type Palette map[string]string

// Slots maps the names in the settings color.resume.<slot> to their default colours.
var Slots = map[string]string{"done": "green", "active": "yellow", "waiting": "cyan", "warning": "yellow", "failed": "red"}

// painted maps words at the start of a line to the name of their colour.
var painted = map[string]string{
	"✓": "done", "+": "done", "ok": "done", "done": "done", "finished": "done",
	"→": "active", ">": "active", "running": "active", "interrupted": "active",
	"?": "waiting", "waiting": "waiting", "idle": "waiting", "paused": "waiting",
	"!": "warning", "warning": "warning", "warning:": "warning", "fix": "warning", "look": "warning",
	"x": "failed", "failed": "failed", "fail": "failed", "conflict": "failed", "blocked": "failed", "lost": "failed",
	"missing": "failed", "unreadable": "failed", "error:": "failed", "fatal:": "failed",
}

// Painter is a writer that colours the first word of a line, if the word is in the map "painted".
type Painter struct {
	Out     io.Writer
	Palette Palette
	// inLine is true if the last write ended in the middle of a line.
	inLine bool
}

// Write colours the first word of each new line, if the word has a colour. It returns the length of data, as io.Writer requires.
func (p *Painter) Write(data []byte) (int, error) {
	var out bytes.Buffer
	for rest := string(data); rest != ""; {
		line, more, ended := strings.Cut(rest, "\n")
		if p.inLine {
			out.WriteString(line)
		} else {
			p.paint(&out, line)
		}
		if ended {
			out.WriteByte('\n')
		}
		p.inLine, rest = !ended, more
	}
	if _, err := p.Out.Write(out.Bytes()); err != nil {
		return 0, err
	}
	return len(data), nil
}

func (p *Painter) paint(out *bytes.Buffer, line string) {
	text := strings.TrimLeft(line, " ")
	word, _, _ := strings.Cut(text, " ")
	colour := p.Palette[painted[word]]
	if colour == "" {
		out.WriteString(line)
		return
	}
	out.WriteString(line[:len(line)-len(text)] + colour + word + "\x1b[m" + text[len(word):])
}
