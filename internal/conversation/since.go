package conversation

import (
	"time"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/handler/since"
	"github.com/git-resume/git-resume/internal/screen/brief"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/page"
)

// Since shows the news of one run or of all runs. If the time "from" is zero, the news starts where this person last looked.
func Since(t *Talk, run string, from time.Time) error {
	r, err := t.Engine.Looking.Look(t.Context, since.Request{Run: run, Since: from})
	if err != nil {
		return err
	}
	history.Since(t.Person.Screen(), r)
	if err := t.Engine.Looking.Seen(r); err != nil {
		history.Unremembered(t.Person.Screen(), err)
	}
	return nil
}

// showBrief prints the brief of a run, with what happened since this person last looked.
func (t *Talk) showBrief(s page.Page, a *assess.Assessment, path string) {
	var seen *brief.Seen
	if news, at, ok := t.Engine.Looking.OfRun(t.Context, &a.Summary); ok {
		seen = &brief.Seen{News: news, At: at}
	}
	brief.Show(s, a, path, seen)
	if f := a.Summary.Found; f != nil && f.Command != "" && s.Terminal { // a user at a terminal may expect that an agent was started, so say that none was
		s.Note("\nNothing was started: follow the text above, or give it to your agent.")
	}
}
