package report

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/resume"
)

// Brief is the text that tells a person or an agent where a run stands and what to do next.
func (s Screen) Brief(a *resume.Assessment, path string) {
	if a.Summary.Found != nil {
		s.foreignBrief(a, path)
		return
	}
	r := &a.Summary.Run
	s.say("# %s: go on with this run\n\n", Clean(r.Name))
	s.say("Run %s stopped %s ago. Work in %s (branch %s).\n\n", r.ID, Long(a.Silent), Clean(path), Clean(shortBranch(r.Branch)))
	s.say("Done:\n")
	for i, t := range r.Tasks {
		if t.State == checkpoint.Done {
			s.say("  %d. %s %s %s\n", i+1, Clean(string(t.ID)), Clean(t.Title), s.result(&a.Summary, t))
		}
	}
	if n, t := r.Current(); t != nil {
		s.say("\nNext: task %d of %d, %s", n, len(r.Tasks), Clean(string(t.ID)))
		if t.Title != "" {
			s.say(": %s", Clean(t.Title))
		}
		s.say("\n")
		if t.State == checkpoint.Active {
			s.say("It was begun and not finished.\n")
		}
		if t.Answer != "" {
			s.say("Its question %q was answered: %s\n", Clean(t.Question), Clean(t.Answer))
		}
	}
	s.briefSaved(a)
	s.briefFindings(a)
	s.briefCommands(r)
}

// briefSaved says where uncommitted work is now.
func (s Screen) briefSaved(a *resume.Assessment) {
	switch {
	case a.Snapshot.ID == "":
		return
	case a.Cleared:
		s.say("\nSet aside, and saved as %s: %s\n", a.Snapshot.ID.Short(), held(a.Snapshot))
	case a.Updated != "":
		s.say("\nWhat was uncommitted is committed as unfinished work: %s\n", some(a.Snapshot.Paths))
	case held(a.Snapshot) == noContent:
		s.say("\n")
	default:
		s.say("\nUncommitted, kept in place and saved as %s: %s\n", a.Snapshot.ID.Short(), held(a.Snapshot))
	}
	for _, what := range unsaved(a.Snapshot.Left) {
		s.say("Kept in place, but not saved: %s\n", what)
	}
}

func (s Screen) briefFindings(a *resume.Assessment) {
	if a.Updated != "" {
		s.say("\nChanged meanwhile: %s was taken in as %s\n", Clean(baseName(&a.Summary.Run)), a.Updated.Short())
		return
	}
	s.say("\nChanged meanwhile: %s\n", orNothing(s.since(a)))
	for _, f := range a.Findings {
		text := Clean(f.Text)
		if needsPath(f) {
			text = Clean(f.Path) + ": " + text
		}
		s.say("  - %s\n", text)
	}
}

func orNothing(s string) string {
	if s == "" {
		return "nothing that is known"
	}
	return s
}

func (s Screen) briefCommands(r *checkpoint.Run) {
	_, t := r.Current()
	if t == nil && r.Planned > 0 {
		return
	}
	if t == nil {
		s.say("\nNo further task is known. Report one with:\n  git resume task start ID --add\n  git resume task done ID\nOr end the run: %s\n", command("git resume finish %s", r.ID))
		return
	}
	if d := r.Agent; d != nil {
		s.say("\nIts agent was %s, session %s%s\n", Clean(d.Agent), Clean(d.Session), agentHint(d))
	}
	s.say("\nReport with:\n")
	for _, form := range []string{"git resume task start %s", "git resume task done %s", "git resume task fail %s --cause TEXT", "git resume task block %s --ask QUESTION"} {
		s.say("  %s\n", command(form, t.ID))
	}
	s.say("Then take the next task: %s\n", command("git resume status %s", r.ID))
}

// agentHint is the agent's own command to take its session up again; it is printed, never started.
func agentHint(a *checkpoint.Actor) string {
	switch a.Agent {
	case "claude":
		return " (" + command("claude --resume %s", a.Session) + ")"
	case "codex":
		return " (" + command("codex resume %s", a.Session) + ")"
	default:
		return ""
	}
}

// foreignBrief tells where foreign work stands, and ends with its own system's way to go on.
func (s Screen) foreignBrief(a *resume.Assessment, path string) {
	m := &a.Summary
	f := m.Found
	s.say("# %s: go on with this work\n\n", Clean(m.Run.Name))
	s.say("%s %s.\n", nameOf(m), s.foreignHeadline(m))
	if f.Headline != "" {
		s.say("%s\n", Clean(f.Headline))
	}
	s.say("Work in %s", Clean(path))
	if m.Run.Branch != "" {
		s.say(" (branch %s)", Clean(shortBranch(m.Run.Branch)))
	}
	s.say(". Its state is in %s.\n\nDone:\n", Clean(f.Root))
	for i, t := range m.Run.Tasks {
		if t.State == checkpoint.Done {
			s.say("  %s\n", strings.TrimRight(fmt.Sprintf("%d. %s %s %s", i+1, Clean(string(t.ID)), Clean(t.Title), t.Commit.Short()), " "))
		}
	}
	s.say("\nNext: %s\n", nextStep(f))
	if f.Point.Reason != "" {
		s.say("  because %s\n", Clean(f.Point.Reason))
	}
	for _, t := range f.Tasks {
		if t.ID == f.Point.Task && len(t.Files) > 0 {
			s.say("  files: %s\n", some(t.Files))
		}
	}
	if a.Snapshot.ID != "" {
		s.say("\nUncommitted, kept in place and saved as %s: %s\n", a.Snapshot.ID.Short(), held(a.Snapshot))
	}
	s.briefFindings(a)
	switch d := (&checkpoint.Actor{Agent: f.Agent, Session: f.Session}); {
	case f.Session == "":
	case f.Agent == "":
		s.say("\nIts agent is known as %s\n", Clean(d.Session))
	default:
		s.say("\nIts agent was %s, session %s%s\n", Clean(d.Agent), Clean(d.Session), agentHint(d))
	}
	if f.Command != "" {
		s.say("\nContinue with:\n  %s\n", Clean(f.Command))
	}
}
