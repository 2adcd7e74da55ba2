package others

import (
	"strings"
	"testing"

	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/sources"
)

// TestQuestion_keepsLines: a list in a question stays a list.
func TestQuestion_keepsLines(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	s := page.Page{Out: &out, Err: &out, Columns: 80}
	Question(s.OnErr(), &candidate.Summary{Found: &sources.Found{Questions: []sources.Question{{Task: "2", Text: "Which?\n\n- by page\n- by \x1b[31mcursor\n"}}}}, false)
	gittest.Equal(t, "the question", out.String(), "\n  ? Which?\n    - by page\n    - by cursor\n")
}
