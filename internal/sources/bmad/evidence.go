package bmad

import (
	"strings"
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
)

// proofTime limits the comparison of a table with commits. A table whose last change is older is not compared.
const proofTime = 30 * 24 * time.Hour

var (
	// namedStory matches the forms in which people name a story in a commit subject: "story 1.2", "Story-1-2", "feat(1-2)", "1-2-sell-cards".
	namedStory = textdoc.NewForm(`(?i)\bstor(?:y|ies)[ :#_/-]*([0-9]+)[.-]([0-9]+)\b|\(([0-9]+)[.-]([0-9]+)\)|(?:^|[ /'])([0-9]+)-([0-9]+)-[a-z]`)
	// planned matches the subjects of commits that only write or prepare a story file, and do not carry out the story.
	planned = textdoc.NewForm(`(?i)^(?:docs|chore|plan|spec)\b|\b(?:create|creates|created|draft|drafts|drafted|add|adds|added|plan|prepare|prepared|generate|write|context) (?:the )?(?:story|stories)\b|\bready[- ]for[- ]dev\b`)
)

// addNamed finds the stories that were carried out, although nobody changed the table. The evidence is a commit on the checked out branch
// that names the story and is newer than the last change of the table. For a story in progress or in review, the commit must be a merge
// or the squashed commit of a pull request.
func (s *sprint) addNamed() {
	written, by := s.View.Written(s.Ctx, s.Tree, s.file)
	if by != "commit" || s.View.Now.Sub(written) > proofTime {
		return
	}
	numbers := map[string]*story{}
	for _, st := range s.table.stories {
		if s.table.numbers[st.number] == 1 && !st.closed() {
			numbers[st.number] = st
		}
	}
	h := s.View.Recent.History(s.Ctx, written)
	here := h.Within(s.View.Head(s.Ctx, s.Tree))
	for c := range h.Newer(written) {
		if !c.When.After(written) || !here(c.ID) || planned.MatchString(c.Subject) {
			continue
		}
		merge := strings.HasPrefix(c.Subject, "Merge ") || strings.HasSuffix(c.Subject, ")") && strings.Contains(c.Subject, "(#")
		for _, m := range namedStory.FindAllStringSubmatch(c.Subject, -1) {
			st := numbers[m[1]+m[3]+m[5]+"-"+m[2]+m[4]+m[6]]
			if st != nil && st.named == "" && (merge || st.means == sources.MeansPending || st.means == sources.MeansReady) && !c.When.Before(st.touched) {
				st.named = c.ID
			}
		}
	}
}
