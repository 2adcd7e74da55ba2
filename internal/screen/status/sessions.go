package status

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sessions"
)

// sessionWords are the words for the states of agents' sessions.
var sessionWords = map[sessions.State]string{
	sessions.Waits: "asks", sessions.Cut: "interrupted", sessions.Limit: "at its limit", sessions.Stopped: "stopped", sessions.Running: "running",
}

// Sessions lists the sessions of coding agents that are unfinished, each with the command that continues it. Sessions that only ended with
// a polite question are counted, unless all are asked for.
func Sessions(s page.Page, found candidate.Sessions, all bool) {
	var rows [][]string
	var commands []string
	soft, further := 0, 0
	for i := range found.List {
		one := &found.List[i]
		switch {
		case one.Soft && one.State == sessions.Waits && !all:
			soft++
			continue
		case len(rows) == mostNamed && !all:
			further++
			continue
		}
		row, command := sessionRow(s, one, found.Quiet)
		rows, commands = append(rows, row), append(commands, command)
	}
	if len(rows) > 0 {
		s.Say("Sessions of agents:\n")
	}
	for i, lines := range page.TableRows(rows, 0) {
		s.Say("%s\n", lines[0])
		if commands[i] != "" {
			s.Say("      %s\n", commands[i])
		}
	}
	var more []string
	if further > 0 {
		more = append(more, phrase.Count(further, "further session", "further sessions"))
	}
	if soft > 0 {
		more = append(more, phrase.Count(soft, "session that ended with a question", "sessions that ended with a question"))
	}
	if len(more) > 0 {
		s.Tell("Not listed: %s (git resume status --all)", strings.Join(more, ", "))
	}
	if found.First {
		s.Hint("sessions are found in the agents' own files, of which only the ends of this repository's were read (of Codex's, also where each began). Nothing is stored or sent. To turn this off: git config --global resume.agents.scan false")
	}
	for _, agent := range slices.Sorted(maps.Keys(found.Looked)) {
		if why := found.Looked[agent]; why != "ok" {
			s.Tell("Not read: %s (%s)", agent, quote.Clean(why))
		}
	}
}

// sessionRow returns the cells of a session's line, and the command that continues it. A session that still runs, or whose limit lasts, has
// no such command.
func sessionRow(s page.Page, one *sessions.Session, quiet bool) (row []string, command string) {
	const titleWidth, detailWidth = 20, 24 // so that a line has no more than 80 columns
	title, detail := one.Title, one.Detail
	if quiet {
		title, detail = "", ""
	}
	switch place := s.Near(one.Dir); {
	case one.State == sessions.Running:
		if detail = ""; one.PID > 0 {
			detail = fmt.Sprintf("pid %d", one.PID)
		}
		if one.Dir != s.Dir {
			detail = strings.TrimPrefix(detail+", "+place, ", ")
		}
	case one.State == sessions.Limit && one.Until.IsZero():
		detail = "until its vendor allows more"
	case one.State == sessions.Limit:
		detail = "until " + one.Until.In(time.Local).Format("2006-01-02 15:04")
	case !one.CanContinue():
		detail = strings.TrimSuffix(fmt.Sprintf("open in pid %d, %s", one.PID, detail), ", ")
	default:
		command = quote.Words(one.Command)
		if one.Dir != s.Dir {
			command = quote.Words([]string{"cd", place}) + " && " + command
		}
	}
	return []string{"  " + sessionWords[one.State], one.Agent, phrase.Shorten(quote.Clean(cmp.Or(title, "-")), titleWidth), phrase.Shorten(quote.Clean(detail), detailWidth), s.When(one.Last)}, command
}
