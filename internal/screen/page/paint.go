package page

import (
	"bytes"
	"io"
	"strings"
)

// Palette holds the escape sequence for each slot; an empty sequence paints nothing.
type Palette map[string]string

// Slots are the slots of the settings color.resume.<slot>, each with its default colour.
var Slots = map[string]string{"done": "green", "active": "yellow", "waiting": "cyan", "warning": "yellow", "failed": "red"}

// painted are the words and marks that are coloured at the start of a line. Colour only repeats what they say.
var painted = map[string]string{
	"✓": "done", "+": "done", "ok": "done", "done": "done", "finished": "done",
	"→": "active", ">": "active", "running": "active", "interrupted": "active",
	"?": "waiting", "waiting": "waiting", "idle": "waiting", "paused": "waiting",
	"!": "warning", "warning": "warning", "warning:": "warning", "fix": "warning", "look": "warning",
	"x": "failed", "failed": "failed", "fail": "failed", "conflict": "failed", "blocked": "failed", "lost": "failed",
	"missing": "failed", "unreadable": "failed", "error:": "failed", "fatal:": "failed",
}

// Painter colours the first word of each line that is written to it. Escapes from a repository were removed before;
// the only ones that a terminal sees are added here.
type Painter struct {
	Out     io.Writer
	Palette Palette
	// inLine says that the beginning of the line has been written already.
	inLine bool
}

// Write paints whole lines and beginnings of lines; it returns the length of the data that it was given.
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
