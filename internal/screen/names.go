package screen

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/sources"
)

// title names a run as people read it: name and four characters.
func title(r *checkpoint.Run) string {
	if system, _, foreign := strings.Cut(string(r.ID), ":"); foreign { // it has no run of ours, and no four characters
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(system))
	}
	if r.Source != "" { // people know it by its own system
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(r.Source))
	}
	return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), r.ID.Suffix())
}

// nameOf names a piece of work as people read it: our runs by name and four characters, others with their system.
func nameOf(m *candidate.Summary) string {
	if m.Found != nil {
		return fmt.Sprintf("%s (%s)", quote.Clean(m.Run.Name), m.Source())
	}
	return title(&m.Run)
}

func shortBranch(ref string) string {
	if ref == "" {
		return "detached HEAD"
	}
	return strings.TrimPrefix(ref, "refs/heads/")
}

// onBranch names the branch of a run; work of another system without one goes on in whatever is checked out.
func onBranch(m *candidate.Summary) string {
	if m.Found != nil && m.Run.Branch == "" {
		return ""
	}
	return "  (" + quote.Clean(shortBranch(m.Run.Branch)) + ")"
}

func baseName(r *checkpoint.Run) string {
	if r.Base.Name == "" {
		return "commit"
	}
	return quote.Clean(r.Base.Name)
}

// calledRun is the name under which people know a run.
func calledRun(r *checkpoint.Run) string {
	m := candidate.Summary{Run: *r}
	return m.Called()
}

// program is the name of what runs: the agent if known, else the command's first word.
func program(a *checkpoint.Actor) string {
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

// mergeByHand is how git merges a branch.
func mergeByHand(branch string) string {
	return quote.Command("git merge %s", phrase.Revision(shortBranch(branch)))
}

func nextStep(f *sources.Found) string {
	text := quote.Clean(f.Point.Task)
	if f.Point.Title != "" {
		text += ": " + quote.Clean(f.Point.Title)
	}
	return text
}
