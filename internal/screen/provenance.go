package screen

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// The details of a state that programs read beside it.
const (
	detailElsewhere = "elsewhere"
	detailContinued = "continued-elsewhere"
)

// Detail says more about a run's state, where there is more to say: whether it is from elsewhere.
func Detail(m *candidate.Summary) string {
	r := &m.Run
	switch {
	case m.Found != nil || r.Rebuilt || m.Damaged != "":
		return ""
	case !r.Ours():
		return detailElsewhere
	case len(r.Unheard()) > 0 && !r.Closed():
		return detailContinued
	}
	return ""
}

// stateWord is the state as people read it.
func stateWord(m *candidate.Summary) string {
	if Detail(m) == detailElsewhere && m.State == checkpoint.Idle {
		return detailElsewhere
	}
	if m.Found != nil && m.Found.State == sources.Ended { // its own system closed it; nobody here discarded it
		return "ended"
	}
	return string(m.State)
}

// lackWords say why a run is not ours.
var lackWords = map[checkpoint.Lack]string{
	checkpoint.LackRoot:      "started elsewhere",
	checkpoint.LackSignature: "recorded without a signature",
	checkpoint.LackKey:       "the key of this user cannot be used",
	checkpoint.LackFile:      "closed here before, or put back",
	checkpoint.LackLines:     "records made here are missing",
}

func elsewhereRemark(r *checkpoint.Run) string {
	text := lackWords[r.Lack]
	a := r.Driver
	if a == nil {
		a = r.Owner
	}
	if a != nil && a.Host != "" {
		text += " on " + Clean(a.Host)
	}
	return text
}

// Approval shows in full what would be approved: nothing is shortened, and what cannot be seen is shown as an escape.
func Approval(s Screen, a *tasks.Approval) {
	r, see := &a.Run, &approving{}
	s.say("%s (%s): %s\n", see.name(r.Name), r.ID.Suffix(), count(len(a.Commands), "command", "commands"))
	showCommands(s, a.Commands)
	if len(a.Strange) > 0 {
		s.say("  %s on its branch came from elsewhere; the commands would run on them:\n", count(len(a.Strange), "commit", "commits"))
		showCommits(s, a.Strange, see)
	}
	see.note(s)
	if !a.Open() {
		s.say("  all of this was approved before\n")
		return
	}
	s.say("  hash %s\n", a.Hash())
}

// showCommands shows command texts whole.
func showCommands(s Screen, all []string) {
	for _, line := range commandLines(all, "    ", s.width()) {
		s.say("%s\n", line)
	}
}

func showCommits(s Screen, all []object.Commit, see *approving) {
	for _, c := range all {
		s.say("    %s  %s  (%s)\n", c.ID.Short(), see.name(c.Subject()), see.name(c.Author.Name))
	}
}

// Takeover shows what taking a run over would rely on.
func Takeover(s Screen, a *assess.Assessment, what *tasks.Approval) {
	r, see := &a.Summary.Run, &approving{}
	s.say("\nTaking over %s (%s) means to rely on what is recorded of it:\n", see.name(r.Name), r.ID.Suffix())
	s.say("  base      %s  %s\n", see.name(r.Base.Name), r.Base.Commit.Short())
	if r.Branch != "" {
		s.say("  branch    %s\n", see.name(shortBranch(r.Branch)))
	}
	if a.Tree.Path != "" {
		s.say("  worktree  %s\n", see.name(a.Tree.Path))
	}
	for i, t := range r.Tasks {
		if t.LastSeq > 0 || t.Found {
			s.say("  task %-3d  %s, %s\n", i+1, see.name(string(t.ID)), t.State)
		}
	}
	if len(what.Built) > 0 {
		s.say("  %s since its base:\n", count(len(what.Built), "commit", "commits"))
		showCommits(s, what.Built, see)
	}
	see.note(s)
	if len(what.Commands) > 0 {
		s.say("  %s that it would run:\n", count(len(what.Commands), "command", "commands"))
		showCommands(s, what.Commands)
	} else {
		s.say("  it runs no commands; whoever works on it reports\n")
	}
}

// Undoing says what an undo would take back.
func Undoing(s Screen, u *discard.Undoing) {
	back := " back"
	if u.Redo {
		back = ""
		s.say("This takes an undo back and does %s again: %s\n", changeWords(&u.What), title(&u.Run))
	} else {
		s.say("This undoes %s: %s\n", changeWords(&u.What), title(&u.Run))
	}
	if u.Base != "" {
		s.say("  %s moves from %s%s to %s\n", Clean(u.Base), u.From.Short(), back, u.To.Short())
	}
	if u.Path != "" {
		s.say("  worktree  %s\n", Clean(u.Path))
	}
	for _, f := range u.Files {
		to := ""
		if f.To != "" {
			to = " -> " + Clean(f.To)
		}
		s.say("  %-8s %s%s\n", f.Does, Clean(f.Path), to)
	}
	for _, f := range u.Committed {
		s.say("  %s is committed: others may rely on it, and its removal has to be committed too\n", Clean(f))
	}
	if !u.WentOn.IsZero() {
		s.say("  the work went on since (%s): what was done on top of this change stays\n", s.when(u.WentOn))
	}
	if u.Unsure {
		s.say("  an older version recorded it, so that nothing proves who did it\n")
	}
}

// Changes lists what could be undone, the newest first.
func Changes(s Screen, all []discard.Undoing) {
	if len(all) == 0 {
		s.Note("there is nothing to undo")
		return
	}
	rows := make([][]string, 0, len(all))
	for i := range all {
		u := &all[i]
		rows = append(rows, []string{fmt.Sprint(i + 1), s.when(u.What.At), changeWords(&u.What), Clean(calledRun(&u.Run))})
	}
	s.table(rows)
}

// changeWords name a change as people think of it.
func changeWords(e *checkpoint.Event) string {
	what := undoWords[e.Event]
	switch e.Event {
	case checkpoint.RunDiscarded:
		what = "the discard"
	case checkpoint.RunActed:
		what = "'" + Clean(sources.ShownName(e.Name)) + "'"
	}
	if e.Task != "" && e.Event != checkpoint.RunResumed {
		what += " of task '" + Clean(string(e.Task)) + "'"
	}
	return what
}
