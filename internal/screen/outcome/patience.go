package outcome

import (
	"fmt"
	"strings"
	"time"

	"github.com/git-resume/git-resume/gitstate/process"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Waiting returns a note about the git process for which the program is waiting.
func Waiting(w process.Waiting) string {
	return fmt.Sprintf("note: still waiting for 'git %s' (process %d) after %s", phrase.Cut(quote.Clean(w.Args[0]), 30), w.PID, w.Waited.Round(time.Second))
}

// looking is shown while the program looks for work. After it, the characters in "turns" are shown one after another, so that a stroke
// seems to turn.
const (
	looking = "Looking for unfinished work "
	turns   = `|/-\`
)

// Reading returns the line that is shown while the program looks for work. It replaces the line that was shown before.
func Reading(turn int) string { return "\r" + looking + turns[turn%len(turns):][:1] }

// ReadingDone is printed to remove the line that Reading returned.
var ReadingDone = "\r" + strings.Repeat(" ", len(looking)+1) + "\r"

// Storing returns a text that says how much of a large file has been saved.
func Storing(name string, done, of int64) string {
	if of <= 0 {
		of = 1
	}
	return fmt.Sprintf("Saving %s: %3d%% (%s of %s)", phrase.Cut(quote.Clean(name), 40), min(100*done/of, 100), phrase.Bytes(done), phrase.Bytes(of))
}
