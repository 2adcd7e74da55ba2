package brief

import (
	"time"

	"github.com/git-resume/git-resume/internal/handler/since"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/words"
)

// Seen says what happened to the run since the user last looked with "git resume review --since last". At is when the user looked.
type Seen struct {
	News since.News
	At   time.Time
}

// briefSince prints what happened since the user last looked.
func briefSince(s page.Page, seen *Seen) {
	if seen == nil {
		return
	}
	s.Say("\nSince you last looked, %s:", words.SinceWhen(seen.At, s.Now))
	if seen.News.Empty() {
		s.Say(" nothing happened\n")
		return
	}
	s.Say("\n")
	for _, row := range words.NewsRows(&seen.News, s.Now.Location()) {
		data(s, "%s: %s", row.Word, row.Text)
	}
}
