package screen

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/hooks"
	"github.com/git-resume/git-resume/internal/handler/doctor"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Hook prints whether git-resume's hook is installed, and where.
func Hook(s page.Page, h hooks.State) {
	if !h.Installed() {
		s.Say("hook  not installed\n")
		if h.Shadowed {
			s.Note("note: a hook is in the repository's own hooks folder, but core.hooksPath makes git look in %s", quote.Clean(h.Dir))
		}
		s.Hint(`"git resume hooks install" makes git mention interrupted work after a checkout`)
		return
	}
	s.Tell("hook  %s", HookWords(h))
	if !h.Current {
		s.Note(`note: another version of git-resume installed the hook; "git resume hooks install" updates it`)
	}
}

// HookWords describes in a few words where the hook is and whether git runs it.
func HookWords(h hooks.State) string {
	where := "at " + quote.Clean(h.Path)
	switch {
	case h.Way == hooks.BySetting && h.Global:
		where = "in your git settings, for all repositories"
	case h.Way == hooks.BySetting:
		where = "in this repository's settings"
	case h.Way == hooks.ByManager:
		where = fmt.Sprintf("in %s, the file of %s", quote.Clean(h.Path), h.Manager)
	}
	switch {
	case h.CallsItself:
		return "in place " + where + `, but it may call itself without end; "git resume hooks install" repairs it`
	case !h.Alive && h.Then != "" && h.Way == hooks.ByManager:
		return fmt.Sprintf("%s; git does not run it yet: first run %s", where, h.Then)
	case !h.Alive:
		return "in place " + where + ", but git does not run it"
	case h.Chained:
		return "installed " + where + "; the hook that was there runs first"
	default:
		return "installed " + where
	}
}

// Check prints one check of "git resume doctor", for example "ok  hooks  installed".
func Check(s page.Page, word string, c doctor.Check) {
	text := quote.Clean(c.Text)
	if c.Disk != nil {
		for _, line := range words.DiskLines(c.Disk) {
			s.Say("%-4s  %-11s  %s\n", word, "disk", line)
		}
		return
	}
	switch {
	case word == "fix":
		text += "   (--fix)"
	case word == "look" && c.Help != "":
		text += "   (" + page.MarkCommands(quote.Clean(c.Help)) + ")"
	}
	first := fmt.Sprintf("%-4s  %-11s  ", word, quote.Clean(c.Name))
	s.Paragraph(first, strings.Repeat(" ", len(first)), text)
}
