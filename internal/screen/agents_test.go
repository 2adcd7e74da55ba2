package screen

import (
	"errors"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
	shows "github.com/git-resume/git-resume/internal/screen/agentsetup"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// addAgents adds the screens about coding agents. The given text is used for paths, versions and errors, which come from outside of the
// program.
func addAgents(text string, add func(string, func(page.Page))) {
	claude, _ := agents.Lookup("claude")
	var all []agentsetup.Standing
	for _, i := range []agentsetup.Installation{agentsetup.Whole, agentsetup.Partly, agentsetup.Unreadable} {
		for _, trust := range []agentsetup.Trusted{agentsetup.TrustMissing, agentsetup.TrustUnknown} {
			all = append(all, agentsetup.Standing{Agent: claude, Path: text, Version: text, Installed: i, Lacks: []string{text}, Err: errors.New(text), Trust: trust, Untrusted: []string{text}, TrustErr: errors.New(text), Tasks: agentsetup.SwitchedOff})
		}
	}
	plan := agentsetup.Plan{Changes: []agentsetup.Change{
		{Path: "/" + text, Was: []byte(text), Now: []byte(text + "\n" + text), Had: true, Has: true}, {Path: "/" + text, Had: true}, {Path: "/" + text, Has: true, Now: []byte(text)},
		{Path: "/" + text, Err: &agentsetup.RefusedError{Path: text, Why: text}, Snippet: []byte(text)},
	}}
	add("agentsetup.List", func(s page.Page) {
		shows.List(s, all, []session.Record{{Agent: "claude", Session: text, Dir: "/" + text, Actor: &checkpoint.Actor{}}})
	})
	add("agentsetup.Check", func(s page.Page) { shows.Check(s, all, false) })
	add("agentsetup.Plan", func(s page.Page) { shows.Plan(s, plan) })
	add("agentsetup.Refused", func(s page.Page) { shows.Refused(s, plan) })
	add("agentsetup.Text", func(s page.Page) { shows.Text(s, claude, []agents.Snippet{{Path: text, Text: []byte(text)}}) })
}
