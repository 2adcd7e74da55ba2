package agentsetup

import (
	"strings"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// Plan prints which lines of which files change.
func Plan(s page.Page, p agentsetup.Plan) {
	shown := map[string]string{}
	for _, c := range p.Changes {
		if !c.Changes() {
			continue
		}
		what := "change"
		switch {
		case !c.Had:
			what = "create"
		case !c.Has:
			what = "delete"
		}
		s.Say("%s %s  (%s)\n", what, quote.Clean(s.Near(c.Path)), strings.Join(c.Agents, ", "))
		first, isShown := shown[string(c.Now)]
		switch {
		case !c.Has:
		case isShown && !c.Had:
			s.Say("           the same text as %s\n", quote.Clean(s.Near(first)))
		default:
			s.Changed(c.Was, c.Now)
			shown[string(c.Now)] = c.Path
		}
	}
}

// Refused prints the files that are left as they are, and why. If there is a text that a person can add, it prints that too.
func Refused(s page.Page, p agentsetup.Plan) {
	for _, c := range p.Refused() {
		s.Note("warning: %s", quote.Clean(c.Err.Error()))
		if len(c.Snippet) > 0 {
			s.Note("Add this to it yourself:")
			s.OnErr().Wholly("| ", strings.Split(strings.TrimSuffix(string(c.Snippet), "\n"), "\n"))
		}
	}
}

// NothingToDo says that no file has to be changed.
func NothingToDo(s page.Page, installing bool) {
	if installing {
		s.Tell("Everything is installed already.")
		return
	}
	s.Tell("Nothing of git-resume is installed for these agents.")
}

// Done says what was done, and what remains for the user to do.
func Done(s page.Page, installing bool, list []agents.Agent) {
	if !installing {
		s.Say("Removed.\n")
		return
	}
	s.Tell("Installed. Restart sessions that are already running, because they still work without the hooks.")
	for _, a := range list {
		if a.Trust == agents.TrustEach {
			s.Tell("%s does not run new hooks until you trust them. Start %s and confirm that you trust them.", a.Title, a.Program)
		}
	}
	s.Hint(`check it with "git resume agents check"`)
}

// TasksLeftOff names the agents whose task lists stay off.
func TasksLeftOff(s page.Page, names []string) {
	s.Tell("The task list of %s stays off; --tasks switches it on.", strings.Join(names, " and "))
}

// Text prints what a person can do for an agent for which git-resume installs nothing.
func Text(s page.Page, a agents.Agent, snippets []agents.Snippet) {
	if a.Support == agents.BriefOnly {
		s.Say("%s has no hooks, so nothing is installed for it.\nTo continue interrupted work with it, paste the output of 'git resume --print'.\n", a.Title)
		return
	}
	s.Tell("%s was not tested with git-resume, so nothing is installed. According to its documentation, this would work:", a.Title)
	for _, snip := range snippets {
		s.Say("in %s\n", quote.Clean(s.Near(snip.Path)))
		s.Wholly("| ", strings.Split(strings.TrimSuffix(string(snip.Text), "\n"), "\n"))
	}
}

// TasksQuestion returns the question whether to switch task lists on.
func TasksQuestion(names []string) string {
	return "Also switch on the built-in task list of " + strings.Join(names, " and ") + "?"
}
