package assessment

import (
	"fmt"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// ageRow prints how long ago somebody worked on the run. For another system's work that is old, it adds advice.
func ageRow(s page.Page, a *assess.Assessment) {
	age, advice := "ok", ""
	switch {
	case a.Summary.Run.LastAt.IsZero():
		checkRow(s, unchecked, "age", "it is not known when somebody last worked on it")
		return
	case words.Ahead(s.Now, a.Summary.Run.LastAt):
		checkRow(s, unchecked, "age", "its last activity is dated in the future")
		return
	case a.Has(candidate.FindStale):
		age = candidate.Warning.String()
		if a.Summary.Found != nil {
			advice = "; review it before you continue"
			if own, _ := a.Summary.Found.Protocol["recommendation"].(string); own != "" && !a.Summary.Found.Active.After(a.Summary.Run.LastAt) { // no such advice if git-resume itself changed the state last
				advice = ": " + quote.Clean(words.LowerFirst(own))
			}
			advice += fmt.Sprintf(" (%s)", quote.Command("git resume review %s", a.Summary.Called()))
		}
	}
	checkRow(s, age, "age", fmt.Sprintf("%s (%s)%s", phrase.Long(a.Silent), a.Age, advice))
}
