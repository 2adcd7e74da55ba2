package screen

import (
	"fmt"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
)

// Review shows what a run built.
func Review(s Screen, v *merge.Reviewed) {
	r := &v.Summary.Run
	if v.Summary.Found != nil {
		s.headed(nameOf(&v.Summary), foreignHeadline(s, &v.Summary))
	} else {
		s.headed(title(r), headline(s, &v.Summary))
	}
	commits := 0
	for i, t := range v.Tasks {
		line := fmt.Sprintf("  %s %d  %s", markOf(s, &v.Summary, t.Task), i+1, Clean(string(t.Task.ID)))
		if v.Summary.Found != nil && t.Task.Title != "" {
			line += "  " + Clean(t.Task.Title)
		}
		if t.Commit != "" {
			commits++
			line += fmt.Sprintf("  %s %s", t.Commit.Short(), Clean(t.Subject))
		} else if w := resultOf(&v.Summary, t.Task); w != "" {
			line += "  " + w
		}
		s.paragraph("", "       ", line)
		if t.Stat != "" {
			s.say("       %s\n", strings.TrimSpace(Clean(t.Stat)))
		}
	}
	if v.Summary.Found != nil {
		reviewedElsewhere(s, v, commits)
	}
	if v.Stat != "" {
		s.say("\nagainst %s %s:\n", baseName(r), v.From.Short())
		s.lines(v.Stat)
	}
	if v.Diff != "" {
		s.say("\n")
		s.lines(v.Diff)
	}
}

// reviewedElsewhere says what there is of another system's work besides commits that name its tasks.
func reviewedElsewhere(s Screen, v *merge.Reviewed, commits int) {
	s.say("\n")
	if commits == 0 {
		s.say("  commits      none is known for its tasks\n")
	}
	if n := len(v.Uncommitted); n > 0 {
		s.paragraph("  uncommitted  ", "               ", fmt.Sprintf("%s: %s", count(n, "file", "files"), some(v.Uncommitted)))
	} else {
		s.say("  uncommitted  nothing but its own state\n")
	}
}

// lines prints text from the repository line by line, each made safe.
func (s Screen) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		parts := strings.Split(line, "\t")
		for i := range parts {
			parts[i] = Clean(parts[i])
		}
		s.say("%s\n", strings.Join(parts, "\t"))
	}
}

// MergeUnfinished asks whether what there is of a run shall be merged.
func MergeUnfinished(e *merge.UnfinishedError) string {
	text := fmt.Sprintf("%d of %s done", e.Done, count(e.Of, Clean(e.Unit), Clean(e.Unit)+"s"))
	switch {
	case e.Failed != "":
		text += fmt.Sprintf(", '%s' failed", Clean(string(e.Failed)))
	case e.State == checkpoint.Paused:
		text += ", and the run is paused"
	}
	if n := len(e.Uncommitted); n > 0 {
		text += fmt.Sprintf(", %s not committed (%s)", count(n, "file", "files"), Clean(e.Uncommitted[0]))
	}
	if n := len(e.Conflicts); n > 0 {
		text += fmt.Sprintf(", and the merge will stop at a conflict in %s", Clean(e.Conflicts[0]))
		if n > 1 {
			text += " and " + count(n-1, "more file", "more files")
		}
	}
	return text + "; merge what is there?"
}

// Merged says that a run is in its base.
func Merged(s Screen, m *merge.Merged) {
	r := &m.Journal.Run
	switch {
	case m.Already:
		s.say("%s is in %s already\n", title(r), Clean(m.Base))
	case m.Finished:
		s.say("finished the merge of %s into %s as %s\n", title(r), Clean(m.Base), m.Commit.Short())
	default:
		s.say("merged %s into %s as %s\n", title(r), Clean(m.Base), m.Commit.Short())
	}
	if n := len(m.Uncommitted); n > 0 {
		s.Note("not merged: %s not committed in %s (%s)", count(n, "file is", "files are"), Clean(s.near(m.At)), some(m.Uncommitted))
	}
	if r.Finished {
		s.Hint("drop its worktree with " + double("git resume --discard %s", r.ID))
	}
}

// undoWords name a change as people think of it.
var undoWords = map[checkpoint.Kind]string{
	checkpoint.RunFinished: "the finish", checkpoint.RunPaused: "the pause", checkpoint.RunSuperseded: "the restart",
	checkpoint.TaskSkipped: "the skip", checkpoint.TaskAnswered: "the answer", checkpoint.TaskReset: "the reset",
	checkpoint.RunPlanned: "the change of plan", checkpoint.RunMerged: "the merge", checkpoint.RunResumed: "the end of the pause",
	checkpoint.RunActed: "the change",
}

// takeUndoBack names the command that takes an undo back: another undo takes back what was done before.
func takeUndoBack(s Screen, u *discard.Undone) {
	if !u.Redo {
		s.Hint(fmt.Sprintf("use %s to take this undo back", double("git resume undo --redo %s", calledRun(&u.Journal.Run))))
	}
}

// calledRun is the name under which people know a run.
func calledRun(r *checkpoint.Run) string {
	m := candidate.Summary{Run: *r}
	return m.Called()
}

// TookBack says which change was reversed.
func TookBack(s Screen, u *discard.Undone) {
	back, did := " back", "undid"
	if u.Redo {
		back, did = "", "did again"
	}
	s.say("%s %s: %s\n", did, changeWords(&u.What), title(&u.Journal.Run))
	if u.Base != "" {
		s.say("  %s moved%s from %s to %s\n", Clean(u.Base), back, u.From.Short(), u.To.Short())
	}
	takeUndoBack(s, u)
	if u.Redo {
		return
	}
	if u.Made != "" {
		s.Hint(fmt.Sprintf("the worktree %s that was made stays; drop it, recoverably, with %s", Clean(u.Made), double("git resume --discard %s", calledRun(&u.Journal.Run))))
	}
	if u.What.Event == checkpoint.RunSuperseded {
		s.Hint(fmt.Sprintf("%s is open too; drop it with %s", Clean(u.What.Text), double("git resume --discard %s", u.What.Text)))
	}
}
