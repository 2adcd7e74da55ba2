package page

import (
	"bytes"
	"io"
	"strings"
)

// Palette is the escape sequence of each slot; an empty one paints nothing.
type Palette map[string]string

// The slots, as in the settings color.resume.<slot>, with the colours that they have by themselves.
var Slots = map[string]string{"done": "green", "active": "yellow", "waiting": "cyan", "warning": "yellow", "failed": "red"}

// painted are the words and marks that have a colour at the beginning of a line. Colour only repeats what they say.
var painted = map[string]string{
	"✓": "done", "+": "done", "ok": "done", "done": "done", "finished": "done",
	"→": "active", ">": "active", "running": "active", "interrupted": "active",
	"?": "waiting", "waiting": "waiting", "idle": "waiting", "paused": "waiting",
	"!": "warning", "warning": "warning", "warning:": "warning", "fix": "warning", "look": "warning",
	"x": "failed", "failed": "failed", "fail": "failed", "conflict": "failed", "blocked": "failed", "lost": "failed",
	"missing": "failed", "unreadable": "failed", "error:": "failed", "fatal:": "failed",
}

// Painter colours the first word of each line that goes through it. What comes from a repository was stripped of
// escapes before; here the only ones that a terminal sees are added.
type Painter struct {
	Out     io.Writer
	Palette Palette
	// inLine: the beginning of the line has gone out already.
	inLine bool
}

// Write paints whole lines and beginnings of lines; it reports the length that it was given.
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
