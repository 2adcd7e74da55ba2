package page

import (
	"io"

	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Fit returns the number of the first version of a screen, from 0 to "last", that fits on the terminal. The argument "below" is the number of
// lines that are printed after the screen and must be visible with it. If no version fits, the user must scroll in any case, so Fit returns 0,
// the most readable version. It also returns 0 if the height of the terminal is not known.
func (s Page) Fit(below, last int, draw func(s Page, version int)) int {
	if !s.Terminal || s.Rows == 0 {
		return 0
	}
	for version := range last + 1 {
		n := &lineCount{columns: s.Width()}
		trial := s
		trial.Out, trial.Err = n, n
		if draw(trial, version); n.lines+below <= s.Rows {
			return version
		}
	}
	return 0
}

// lineCount counts the lines that a text takes on a terminal, which continues a line that is too long on the next one.
type lineCount struct{ columns, lines, column int }

func (c *lineCount) Write(b []byte) (int, error) {
	for _, r := range string(b) {
		wide := phrase.RuneWidth(r)
		switch {
		case r == '\n':
			c.column = 0
			c.lines++
		case c.column+wide > c.columns:
			c.column = wide
			c.lines++
		default:
			c.column += wide
		}
	}
	return len(b), nil
}

// Dense returns a page that prints no empty lines.
func (s Page) Dense() Page {
	s.Out = withoutEmptyLines{s.Out}
	return s
}

// withoutEmptyLines passes output on, except a line end that is printed alone.
type withoutEmptyLines struct{ to io.Writer }

func (w withoutEmptyLines) Write(b []byte) (int, error) {
	if string(b) == "\n" {
		return len(b), nil
	}
	return w.to.Write(b)
}
