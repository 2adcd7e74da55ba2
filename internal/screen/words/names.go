// Package words turns the values that describe work into words: its name, its state, why it stopped, and what is kept of it.
//
// Its functions are pure. They lay nothing out and print nothing.
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

// Title names a run for people: its name and four characters.
func Title(r *checkpoint.Run) string {
	if system, _, foreign := strings.Cut(string(r.ID), ":"); foreign { // it is not a run of ours and has no four characters
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(system))
	}
	if r.Source != "" { // people know this work by its own system's name
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(r.Source))
	}
	return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), r.ID.Suffix())
}

// Name names a piece of work for people: our runs by name and four characters, other work together with its system.
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

// OnBranch names the branch of a run; another system's work without a branch continues on whatever is checked out.
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

// Called is the name by which people know a run.
func Called(r *checkpoint.Run) string {
	m := candidate.Summary{Run: *r}
	return m.Called()
}

// Program is the name of the running program: the agent if it is known, otherwise the first word of the command.
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

// MergeByHand is the git command that merges a branch.
func MergeByHand(branch refs.Name) string {
	return quote.Command("git merge %s", phrase.Revision(ShortBranch(branch)))
}

func NextStep(f *sources.Found) string {
	text := quote.Clean(f.Point.Task)
	if f.Point.Title != "" {
		text += ": " + quote.Clean(f.Point.Title)
	}
	return text
}
