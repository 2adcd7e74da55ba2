package main

import (
	"io"
	"os"

	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/screen/page"
	"golang.org/x/term"
)

// painted returns a writer that shows colours if git would show them. Otherwise it returns the given writer.
func (p *program) painted(out io.Writer) io.Writer {
	f, ok := raw(out).(*os.File)
	if !ok || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return out
	}
	onTerminal := term.IsTerminal(int(f.Fd()))
	paged := f == os.Stdout && p.getenv("GIT_PAGER_IN_USE") != ""
	if !onTerminal && !paged && (p.repo == nil || !p.repo.Settings.Mentions("always")) {
		return out // git shows colours in a pipe only if a setting has the value "always", and here no settings file contains this word
	}
	c := p.settings("color")
	if c == nil {
		c = &settings.Config{}
	}
	if !wantsColour(c, onTerminal, paged) {
		return out
	}
	palette := page.Palette{}
	for slot, colour := range page.Slots {
		palette[slot] = c.Colour("color.resume."+slot, colour)
	}
	return &page.Painter{Out: out, Palette: palette}
}

func wantsColour(c *settings.Config, onTerminal, paged bool) bool {
	value, ok := c.Get("color.resume")
	if !ok {
		value, ok = c.Get("color.ui")
	}
	switch {
	case ok && (value == "always"):
		return true
	case ok && (value == "never" || value == "false" || value == "no" || value == "off"):
		return false
	case paged:
		return c.Bool("color.pager", true)
	}
	return onTerminal
}

// settings returns the user's git settings. It returns nil outside of a repository, if no settings file contains the name of the section,
// or if the settings cannot be read.
func (p *program) settings(section string) *settings.Config {
	if p.repo == nil || !p.repo.Settings.Mentions(section) {
		return nil
	}
	c, err := p.repo.Settings.Config(p.ctx)
	if err != nil {
		return nil // ignore the error: commands that cannot work without the settings report it
	}
	return c
}

// The method "hints" reports whether to print hints. They can be turned off with advice.resumeHints or GIT_ADVICE=0.
func (p *program) hints() bool {
	if p.getenv("GIT_ADVICE") == "0" {
		return false
	}
	c := p.settings("advice")
	return c == nil || c.Bool("advice.resumehints", true)
}

// quotesHigh reports whether the porcelain output quotes non-ASCII bytes in paths. It is false only if core.quotePath is false.
func (p *program) quotesHigh() bool {
	c := p.settings("quotepath")
	return c == nil || c.Bool("core.quotepath", true)
}
