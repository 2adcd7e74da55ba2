package others

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/sources"
)

// Hiding prints what a discard does to work that has no worktree: it only hides the work.
func Hiding(s page.Page, f *sources.Found) {
	s.Tell("This hides %s in this clone; no file of it is changed or moved", quote.Clean(f.Key()))
}

// Hidden prints the command that shows discarded work again: "undo", or "hide --undo" if there is no journal of the work.
func Hidden(s page.Page, f *sources.Found, j *journal.Journal) {
	again := quote.Command("git resume hide --undo %s", f.Key())
	if j != nil {
		again = quote.Command("git resume undo %s", f.Key())
	}
	s.Tell("Hidden. To see it again: %s", again)
}

// StillHidden says that the work is already hidden.
func StillHidden(s page.Page, r *checkpoint.Run) {
	s.Say("%s is already hidden in this clone\n", quote.Clean(r.Source+":"+r.SourceID))
	s.Say("To see it again: %s\n", quote.Command("git resume undo %s", words.Called(r)))
}

// HidWork prints which work was hidden, and the command that shows it again. In a dry run nothing was hidden.
func HidWork(s page.Page, found []*sources.Found, dry bool) {
	verb := "Hid"
	if dry {
		verb = "Would hide"
	}
	for _, f := range found {
		s.Say("%s %s\n", verb, quote.Clean(f.Key()))
	}
	switch {
	case dry || len(found) == 0:
	case len(found) == 1:
		s.Hint("to see it again: " + phrase.Double("git resume hide --undo %s", found[0].Key()))
	default:
		s.Hint(fmt.Sprintf("to see one of them again: %s; all hidden work: %s", phrase.Double("git resume hide --undo %s", found[0].Key()), phrase.Double("git resume hide --undo")))
	}
}

// AlreadyHidden names work that the user wanted to hide and that is hidden already.
func AlreadyHidden(s page.Page, keys []string) {
	for _, key := range keys {
		s.Say("%s is already hidden in this clone\n", quote.Clean(key))
	}
}

// NothingOld says that there is no old work to hide.
func NothingOld(s page.Page, stale time.Duration) {
	s.Say("There is no inactive work of other systems to hide (no activity for more than %s).\n", phrase.Long(stale))
}

// HiddenList prints the hidden work, and the values of the setting resume.ignore that hide nothing now.
func HiddenList(s page.Page, works []candidate.HiddenWork, unused []string) {
	if len(works)+len(unused) == 0 {
		s.Say("Nothing is hidden in this clone.\n")
		return
	}
	byName := func(w candidate.HiddenWork) bool { return candidate.HidesWork(w.Value, w.Aside.Source, w.Aside.ID) }
	var rows [][]string
	for i := range works {
		w, by := &works[i], ""
		if !byName(*w) {
			by = "by resume.ignore=" + quote.Clean(w.Value)
		}
		rows = append(rows, []string{"hidden", quote.Clean(w.Called()), words.Position(&w.Summary), s.When(w.Run.LastAt), by})
	}
	for _, v := range unused {
		rows = append(rows, []string{"unused", quote.Clean(v), "", "", "matches no work here now"})
	}
	s.Table(rows)
	if i := slices.IndexFunc(works, byName); i >= 0 { // the command cannot show work again that a pattern hides
		s.Hint("to see it again: " + phrase.Double("git resume hide --undo %s", works[i].Called()))
	}
}

// ShownAgain prints which work is shown again. In a dry run, it prints which work would be shown again.
func ShownAgain(s page.Page, works []candidate.HiddenWork, dry bool) {
	if len(works) == 0 {
		s.Say("No work in this clone is hidden by its name. Patterns in the setting resume.ignore still hide what they match.\n")
		return
	}
	for i := range works {
		if dry {
			s.Say("Would show %s again\n", quote.Clean(works[i].Called()))
		} else {
			s.Say("%s is no longer hidden\n", quote.Clean(works[i].Called()))
		}
	}
}
