package longrun

import (
	"time"

	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/textdoc"
	"github.com/git-resume/git-resume/internal/textdoc/yamldoc"
)

// summary is the file that records how a plan ended.
type summary struct {
	path   string
	status string
	reason string
	group  string
	ended  time.Time
	data   []byte
	// open is the number of unticked boxes in the list of tasks. The field "commits" lists the commits that the ticked tasks name.
	open    int
	commits []string
}

// done reports whether the summary says that the plan is finished. A summary without a status counts as finished, unless its task list has
// open boxes.
func (s *summary) done() bool {
	if s == nil {
		return false
	}
	if s.status == "" {
		return s.open == 0
	}
	return sources.MeaningOf(s.status) == sources.MeansDone
}

func (s *summary) is(word string) bool { return s != nil && sources.FoldWord(s.status) == word }

var summaryTask = textdoc.NewForm(`^[ \t]*- \[([ xX])\] (?i:task)\b.*$`)
var commitWord = textdoc.NewForm(`\bcommit[: ]+` + "`?" + `([0-9a-f]{7,64})\b`)

func (s *summary) parse(text string) error {
	front, body, err := yamldoc.FrontMatter(text)
	if err != nil {
		return err
	}
	lines := textdoc.Visible(body)
	s.status, s.reason, s.group = front.Get("status").Text(), front.Get("reason").Text(), front.Get("task_group").Text()
	if s.status == "" {
		s.status = textdoc.Labels(lines)["status"]
	}
	s.ended, _, _ = sources.ParseTime(front.Get("completed_at").Text())
	for _, l := range lines {
		m := summaryTask.FindStringSubmatch(l.Text)
		if m == nil {
			continue
		}
		if m[1] == " " {
			s.open++
			continue
		}
		if c := commitWord.FindStringSubmatch(l.Text); c != nil {
			s.commits = append(s.commits, c[1])
		}
	}
	return nil
}

// These are the reasons that long-run itself writes into the summary of a skipped plan.
const (
	byUser  = "skipped-by-user"
	unclear = "needs-clarification"
)
