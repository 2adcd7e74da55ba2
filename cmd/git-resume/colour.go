package main

import (
	"io"
	"os"

	"github.com/git-resume/git-resume/gitstate/settings"
	"github.com/git-resume/git-resume/internal/screen/page"
	"golang.org/x/term"
)

// painted adds colours to a stream if git would: according to color.resume, otherwise color.ui, and never with NO_COLOR.
func (p *program) painted(out io.Writer) io.Writer {
	f, ok := raw(out).(*os.File)
	if !ok || p.getenv("NO_COLOR") != "" || p.getenv("TERM") == "dumb" {
		return out
	}
	onTerminal := term.IsTerminal(int(f.Fd()))
	paged := f == os.Stdout && p.getenv("GIT_PAGER_IN_USE") != ""
	if !onTerminal && !paged && (p.repo == nil || !p.repo.Settings.Mentions("always")) {
		return out // no other setting can colour a pipe, so no process is started to read them
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

// settings reads the user's settings if they can contain the section; it returns nil if not, or outside a repository.
func (p *program) settings(section string) *settings.Config {
	if p.repo == nil || !p.repo.Settings.Mentions(section) {
		return nil
	}
	c, err := p.repo.Settings.Config(p.ctx)
	if err != nil {
		return nil // a command that needs the settings reports the error
	}
	return c
}

// hints reports whether the user wants advice: yes, unless it was switched off in the settings or for this call.
func (p *program) hints() bool {
	if p.getenv("GIT_ADVICE") == "0" {
		return false
	}
	c := p.settings("advice")
	return c == nil || c.Bool("advice.resumehints", true)
}

// quotesHigh reports whether porcelain quotes bytes above ASCII: yes, unless core.quotePath says otherwise.
func (p *program) quotesHigh() bool {
	c := p.settings("quotepath")
	return c == nil || c.Bool("core.quotepath", true)
}
