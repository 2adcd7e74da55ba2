// Package words describes runs in words: their names, their states, and why they stopped. Its functions return text and print nothing.
package words

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// Title returns the name of a run for people, followed by the last four characters of its id: "login (ab2c)". For work of another system,
// the name of that system follows instead.
func Title(r *checkpoint.Run) string {
	if system, _, foreign := strings.Cut(string(r.ID), ":"); foreign { // work of another system has the id "system:name"
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(system))
	}
	if r.Source != "" { // for work of another system, show the name of that system
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(r.Source))
	}
	return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), r.ID.Suffix())
}

// Name returns the name of a piece of work for people, for example "login (ab2c)" or "login (auto-claude)".
func Name(m *candidate.Summary) string {
	if m.Found != nil {
		return fmt.Sprintf("%s (%s)", quote.Clean(m.Run.Name), m.Source())
	}
	return Title(&m.Run)
}

func ShortBranch(ref refs.Name) string {
	if ref == "" {
		return "detached HEAD"
	}
	return refs.Short(ref)
}

// OnBranch returns the branch of a run in parentheses. It returns "" for another system's work without a branch.
func OnBranch(m *candidate.Summary) string {
	if m.Found != nil && m.Run.Branch == "" {
		return ""
	}
	return "  (" + quote.Clean(ShortBranch(m.Run.Branch)) + ")"
}

func BaseName(r *checkpoint.Run) string {
	if r.Base.Name == "" {
		return "commit"
	}
	return quote.Clean(r.Base.Name)
}

// Called returns the name by which users know a run: its id, or "system:name" for work of another system.
func Called(r *checkpoint.Run) string {
	m := candidate.Summary{Run: *r}
	return m.Called()
}

// Program returns the name of the coding agent. If no agent is known, it returns the first word of the command without its folder, or
// "process".
func Program(a *checkpoint.Actor) string {
	if a.Agent != "" {
		return a.Agent
	}
	word, _, _ := strings.Cut(a.Command, " ")
	if i := strings.LastIndexByte(word, '/'); i >= 0 {
		word = word[i+1:]
	}
	if word == "" {
		return "process"
	}
	return word
}

// Process names a process that works on a run. The number 0 means a session of a coding agent whose process is not known.
func Process(pid int) string {
	if pid == 0 {
		return "a session of a coding agent"
	}
	return fmt.Sprintf("process %d", pid)
}

// TaskLabel returns the id of another system's task. If the id is only a number, the system's word for a task comes first, for example
// "plan 02".
func TaskLabel(f *sources.Found, id string) string {
	unit := f.Unit()
	if id == "" || strings.Trim(id, "0123456789") != "" || unit == "task" && !strings.HasPrefix(f.Stands, "task ") {
		return id
	}
	return unit + " " + id
}

// MergeByHand returns the git command that merges a branch.
func MergeByHand(branch refs.Name) string {
	return quote.Command("git merge %s", phrase.Revision(ShortBranch(branch)))
}

// Clause returns the reason for a next step as a clause that can follow "because". Some reasons only name the step, as in "the first open
// box"; others are clauses already.
func Clause(reason string) string {
	for _, names := range []string{"the first ", "the next ", "the current "} {
		if strings.HasPrefix(reason, names) {
			return "it is " + reason
		}
	}
	return reason
}

func NextStep(f *sources.Found) string {
	text := quote.Clean(TaskLabel(f, f.Point.Task))
	if f.Point.Title != "" {
		text += ": " + quote.Clean(f.Point.Title)
	}
	return text
}
