// Package agentsetup shows what is installed for coding agents and whether it works, and what an installation changes in their files.
package agentsetup

import (
	"fmt"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/agents"
	"github.com/git-resume/git-resume/internal/agents/session"
	"github.com/git-resume/git-resume/internal/handler/agentsetup"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// List prints one line for each agent, and the living sessions in this repository.
func List(s page.Page, list []agentsetup.Standing, live []session.Record) {
	rows := [][]string{{"agent", "program", "hooks", "trusted", "task list", "last event"}}
	for _, st := range list {
		rows = append(rows, []string{st.Name, program(st), hooks(st), trusted(st), tasks(st), lastEvent(s, st)})
	}
	s.Table(rows)
	s.Say("\nnot tried: nobody has tested these hooks, so 'agents install' only prints them\n")
	s.Say("none: the agent has no hooks\n")
	if len(live) == 0 {
		return
	}
	s.Say("\nSessions that are open in this repository:\n")
	rows = nil
	for _, rec := range live {
		rows = append(rows, []string{"  " + rec.Agent, quote.Clean(rec.Session), words.Process(rec.Actor.PID), phrase.Ago(s.Now.Sub(rec.Last)), quote.Clean(s.Near(rec.Dir))})
	}
	s.Table(rows)
}

// lastEvent says when a hook of an agent last called git-resume. It returns "-" if the hook is not expected to call.
func lastEvent(s page.Page, st agentsetup.Standing) string {
	switch {
	case !st.Heard.IsZero():
		return phrase.Ago(s.Now.Sub(st.Heard))
	case st.Silent():
		return "none yet"
	}
	return "-"
}

func program(st agentsetup.Standing) string {
	switch {
	case st.Path == "":
		return "not found"
	case st.Version == "":
		return "found"
	}
	return quote.Clean(st.Version)
}

func hooks(st agentsetup.Standing) string {
	switch {
	case st.Support == agents.Printed:
		return "not tried"
	case st.Support == agents.BriefOnly:
		return "none"
	}
	return map[agentsetup.Installation]string{
		agentsetup.Absent: "not installed", agentsetup.Whole: "installed", agentsetup.Partly: "incomplete", agentsetup.Unreadable: "unreadable",
	}[st.Installed]
}

func trusted(st agentsetup.Standing) string {
	if st.Support != agents.Installed || st.Installed == agentsetup.Absent {
		return "-"
	}
	return map[agentsetup.Trusted]string{
		agentsetup.TrustNotNeeded: "not needed", agentsetup.TrustGiven: "yes", agentsetup.TrustMissing: "no", agentsetup.TrustByFolder: "by folder", agentsetup.TrustUnknown: "unknown",
	}[st.Trust]
}

func tasks(st agentsetup.Standing) string {
	return map[agentsetup.Switched]string{
		agentsetup.SwitchedOn: "on", agentsetup.SwitchedOff: "off", agentsetup.SwitchedNoNeed: "on", agentsetup.SwitchedUnread: "not readable", agentsetup.SwitchedUnknown: "-",
	}[st.Tasks]
}

// Check prints for each agent whether its hooks work, and why not.
func Check(s page.Page, list []agentsetup.Standing, onPath bool) {
	if !onPath {
		line(s, "dead", "all", "no hook works, because git-resume is not on PATH")
	}
	for _, st := range list {
		word, lines := judged(s, st)
		for i, l := range lines {
			if i > 0 {
				word = ""
			}
			line(s, word, named(st, i), l)
		}
	}
}

func line(s page.Page, word, agent, text string) {
	s.Paragraph(fmt.Sprintf("%-4s  %-8s  ", word, agent), "                ", text)
}

func named(st agentsetup.Standing, i int) string {
	if i > 0 {
		return ""
	}
	return st.Name
}

// judged returns one word for the state of an agent's hooks, such as "ok" or "dead", and the lines that explain it.
func judged(s page.Page, st agentsetup.Standing) (word string, lines []string) {
	first := st.Title + ", " + strings.TrimPrefix(program(st), "found")
	switch {
	case st.Path == "":
		first = st.Title + " was not found on PATH"
	case st.Version == "":
		first = st.Title + ", version unknown"
	case st.Tried != "" && agents.Older(st.Version, st.Tried):
		first += fmt.Sprintf(", older than the tested version %s", st.Tried)
	}
	switch word = "ok"; {
	case st.Support == agents.Printed:
		return "-", []string{first, fmt.Sprintf("its hooks were never tested with git-resume, so %s only prints them, and you can add them yourself", phrase.Double("git resume agents install %s", st.Name))}
	case st.Support == agents.BriefOnly:
		return "-", []string{first, "it has no hooks, so git-resume does not see its sessions; to continue work with it, paste the output of 'git resume --print'"}
	case st.Installed == agentsetup.Absent:
		return "-", []string{first + "; its hooks are not installed"}
	case st.Dead():
		word = "dead"
	case st.Silent():
		word = "new"
	}
	return word, slices.Concat([]string{first}, installed(st), trustLines(st), taskLines(st), eventLines(s, st), probeLines(st))
}

func eventLines(s page.Page, st agentsetup.Standing) []string {
	switch {
	case !st.Heard.IsZero():
		return []string{"last event: " + phrase.Ago(s.Now.Sub(st.Heard))}
	case st.Silent():
		return []string{fmt.Sprintf("last event: none since the installation; give %s one prompt, then check again", st.Title)}
	}
	return nil
}

func probeLines(st agentsetup.Standing) []string {
	switch p := st.Probed; {
	case p == nil:
		return nil
	case p.Called:
		return []string{"probe: in a trial session without a model, a hook ran git-resume"}
	default:
		return []string{"probe: " + quote.Clean(p.Err.Error())}
	}
}

func installed(st agentsetup.Standing) []string {
	switch st.Installed {
	case agentsetup.Partly:
		return []string{fmt.Sprintf("hooks: incomplete (missing: %s); %s completes them", cleaned(st.Lacks), phrase.Double("git resume agents install %s", st.Name))}
	case agentsetup.Unreadable:
		return []string{"hooks: " + quote.Clean(st.Err.Error())}
	}
	return []string{"hooks: installed"}
}

func cleaned(list []string) string {
	out := make([]string, len(list))
	for i, l := range list {
		out[i] = quote.Clean(l)
	}
	return strings.Join(out, ", ")
}

func trustLines(st agentsetup.Standing) []string {
	switch st.Trust {
	case agentsetup.TrustMissing:
		return []string{fmt.Sprintf("trust: %s does not run these hooks until you trust them: %s", st.Title, cleaned(st.Untrusted)), "choose in Codex to trust them; git-resume never does that itself"}
	case agentsetup.TrustGiven:
		return []string{"trust: given"}
	case agentsetup.TrustByFolder:
		return []string{fmt.Sprintf("trust: %s runs hooks only in folders that you trust, so each new worktree must be trusted too", st.Title)}
	case agentsetup.TrustUnknown:
		if st.TrustErr != nil {
			return []string{"trust: unknown: " + quote.Clean(st.TrustErr.Error())}
		}
	}
	return nil
}

func taskLines(st agentsetup.Standing) []string {
	switch st.Tasks {
	case agentsetup.SwitchedOff:
		return []string{fmt.Sprintf("task list: not switched on; %s switches it on", phrase.Double("git resume agents install --tasks %s", st.Name))}
	case agentsetup.SwitchedUnread:
		return []string{"task list: in a database, which git resume does not read"}
	}
	return nil
}
