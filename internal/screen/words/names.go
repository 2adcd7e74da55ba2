// Package words says of work, in words, what its values mean: what it is called, how it stands, why it stopped, what of it is kept.
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

// Title names a run as people read it: name and four characters.
func Title(r *checkpoint.Run) string {
	if system, _, foreign := strings.Cut(string(r.ID), ":"); foreign { // it has no run of ours, and no four characters
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(system))
	}
	if r.Source != "" { // people know it by its own system
		return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), quote.Clean(r.Source))
	}
	return fmt.Sprintf("%s (%s)", quote.Clean(r.Name), r.ID.Suffix())
}

// Name names a piece of work as people read it: our runs by name and four characters, others with their system.
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

// OnBranch names the branch of a run; work of another system without one goes on in whatever is checked out.
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

// Called is the name under which people know a run.
func Called(r *checkpoint.Run) string {
	m := candidate.Summary{Run: *r}
	return m.Called()
}

// Program is the name of what runs: the agent if known, else the command's first word.
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

// MergeByHand is how git merges a branch.
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
