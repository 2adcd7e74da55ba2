package words

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/conflicts/clash"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// Text returns the sentence that describes a finding.
func Text(f candidate.Finding) string {
	if f.Note.Case == "" {
		return f.Said
	}
	if f.By != nil && f.Note.Facts.Text == "" {
		return fmt.Sprintf("+%d -%d by %s, %s", f.By.Added, f.By.Deleted, f.By.Author, f.By.Commit.Short())
	}
	return Sentence(f.Note)
}

// Sentence describes a note in words: it fills the facts of the note into the sentence for its case.
func Sentence(n candidate.Note) string {
	if say, ok := sentences()[n.Case]; ok {
		return say(n.Facts)
	}
	return string(n.Case) // a test makes sure that every case has a sentence
}

// More returns the lines that are shown below the sentence of a finding. Times are shown in the given zone.
func More(f candidate.Finding, zone *time.Location) []string {
	out := append([]string(nil), f.More...)
	if c := f.Note.Facts.Conflict; c != nil {
		out = append(out, overlap(*c, f.Note.Facts.Base, zone)...)
	}
	for _, d := range f.Details {
		out = append(out, Sentence(d))
	}
	return out
}

// conflictText says how a file conflicts with the base.
func conflictText(f candidate.Facts) string {
	c := f.Conflict
	switch {
	case c.Kind == clash.Content && len(c.Ours.Ranges) > 0:
		return fmt.Sprintf("%s changed here and on %s", lines(c.Ours.Ranges), f.Base)
	case c.Ours.Path == "":
		return fmt.Sprintf("deleted here, changed on %s", f.Base)
	case c.Theirs.Path == "":
		return fmt.Sprintf("deleted on %s, changed here", f.Base)
	default:
		return fmt.Sprintf("%s conflict with %s", c.Kind, f.Base)
	}
}

// lines lists ranges of lines, for example "lines 3, 10-12".
func lines(ranges []conflicts.Range) string {
	if len(ranges) == 1 && ranges[0].To <= ranges[0].From {
		return fmt.Sprintf("line %d", ranges[0].From)
	}
	parts := make([]string, 0, len(ranges))
	for _, r := range ranges {
		if r.To <= r.From {
			parts = append(parts, strconv.Itoa(r.From))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d-%d", r.From, r.To))
	}
	return "lines " + strings.Join(parts, ", ")
}

// overlap lists the changes on both sides of a conflict. Each line starts with the side of the change: "here" or the name of the base.
func overlap(c conflicts.Conflict, base string, zone *time.Location) []string {
	var out []string
	side := func(name string, s conflicts.Side) {
		name = phrase.Pad(name, max(len("here"), phrase.Width(base)))
		if s.Uncommitted {
			out = append(out, name+"  not committed")
		}
		for _, by := range s.Commits {
			what := by.Task
			if what == "" {
				what = by.Author
			}
			out = append(out, fmt.Sprintf("%s  %s, %s  %s", name, what, by.When.In(zone).Format("2006-01-02 15:04"), by.ID.Short()))
		}
	}
	side("here", c.Ours)
	side(base, c.Theirs)
	return out
}

// changedOnBase describes a file that changed on the base. If f.Text is set, it is more exact and is used instead.
func changedOnBase(f candidate.Facts) string {
	if f.Text != "" {
		return f.Text
	}
	return "changed on " + f.Base
}

// savedLast appends the name of the snapshot with the uncommitted work of a missing worktree, if there is one.
func savedLast(text, snapshot string) string {
	if snapshot == "" {
		return text
	}
	return text + "; uncommitted work was last saved as " + savedInText(snapshot)
}

// lastBy appends the host on which somebody last worked on the run, if it is known.
func lastBy(text, host string) string {
	if host == "" {
		return text
	}
	return text + ", last by " + host
}

// reported describes what others reported about a run of this clone.
func reported(f candidate.Facts) string {
	task, w := fmt.Sprintf("task '%s'", f.Task), f.Seen
	switch w.Event {
	case checkpoint.TaskDone:
		if w.Commit == "" {
			return fmt.Sprintf("another clone or user reported %s as done, without a commit", task)
		}
		return fmt.Sprintf("another clone or user reported %s as done in commit %s", task, w.Commit.Short())
	case checkpoint.TaskFailed:
		if w.Cause == "" {
			return fmt.Sprintf("another clone or user reported %s as failed", task)
		}
		return fmt.Sprintf("another clone or user reported %s as failed: %s", task, Cause(w.Cause))
	case checkpoint.TaskBlocked:
		return fmt.Sprintf("another clone or user reported a question of %s: %s", task, w.Text)
	case checkpoint.TaskAnswered:
		return fmt.Sprintf("another clone or user answered a question of %s: %s", task, w.Text)
	case checkpoint.TaskSkipped:
		return "another clone or user skipped " + task
	case checkpoint.RunPaused:
		return "another clone or user asked to pause it"
	case checkpoint.RunFinished:
		return "another clone or user reported it as finished"
	case checkpoint.RunSuperseded:
		return "another clone or user replaced it by another run"
	case checkpoint.RunDiscarded:
		return "another clone or user discarded it"
	case checkpoint.RunMerged:
		return "another clone or user reported it as merged"
	default:
		return "another clone or user changed its plan; here it still follows the old plan"
	}
}
