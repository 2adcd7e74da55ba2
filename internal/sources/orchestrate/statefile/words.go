package statefile

import (
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/sources"
)

// MeaningOf returns the meaning of a status and the words that express it. It ignores remarks after the status, as in
// "InProgress (second try)".
func MeaningOf(word string) (m sources.Meaning, phrase string) {
	phrase = word
	for _, end := range []string{" — ", " – ", " - ", "(", ";", ",", " → "} {
		phrase, _, _ = strings.Cut(phrase, end)
	}
	phrase = strings.TrimFunc(phrase, func(r rune) bool { return !IsLetter(r) })
	if m := sources.MeaningOf(word); m != sources.MeansUnknown {
		return m, phrase
	}
	for cut := phrase; ; {
		i := strings.LastIndexAny(cut, " _:.!→")
		if i <= 0 {
			return sources.MeansUnknown, phrase
		}
		cut = strings.TrimRight(cut[:i], " _:.!→")
		if m := sources.MeaningOf(cut); m != sources.MeansUnknown && m != sources.MeansDone {
			return m, cut
		}
	}
}

// IsLetter reports whether a character is an ASCII letter or has a code from U+0080 to U+1FFF. Digits, ASCII punctuation, emoji and East
// Asian characters do not count.
func IsLetter(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r > 0x7f && r < 0x2000
}

// SaysStopped reports whether a status means that nobody is working now, for example "paused".
func SaysStopped(status string) bool { return slices.Contains(stoppedWords, sources.FoldWord(status)) }

// stoppedWords are the statuses that mean that nobody is working.
var stoppedWords = []string{"interrupted", "paused", "aborted", "stopped", "escalated", "abandoned", "failed", "blocked", "error", "errored", "timeout", "timedout", "pending"}
