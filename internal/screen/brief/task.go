package brief

import (
	"fmt"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/page"
	"github.com/git-resume/git-resume/internal/screen/phrase"
)

// OfTask prints the brief for the worker who does one task in a worktree of its own, while others do other tasks of the run.
func OfTask(s page.Page, r *checkpoint.Run, id checkpoint.TaskID, dir string) {
	t := r.Task(id)
	if t == nil {
		return
	}
	s.Say("# Do task %s of run %s\n\n", quote.Name(string(id)), quote.Name(string(r.ID)))
	s.Paragraph("", "", "Work in "+phrase.Unbroken(quote.Name(dir))+". Only this task works there; others do other tasks of the run elsewhere at the same time. "+
		"Stay on the detached HEAD: the result is brought onto the run's branch when you are finished.")
	s.Say(dataNote)
	s.Say("The task:\n")
	data(s, "%s %s", id, t.Title)
	switch {
	case t.State == checkpoint.Failed:
		s.Say("It failed before. Check whether files of that attempt are still here. The failure:\n")
		data(s, "%s", failureText(t))
	case t.Attempts > 0:
		s.Say("It was started before. Check whether files of that attempt are still here.\n")
	}
	if t.Answer != "" {
		s.Say("Its question was answered:\n")
		data(s, "%s", t.Question)
		data(s, "answer: %s", t.Answer)
	}
	var done []string
	for i, d := range r.Tasks {
		if d.State == checkpoint.Done {
			done = append(done, fmt.Sprintf("%d. %s %s", i+1, d.ID, d.Title))
		}
	}
	if len(done) > 0 {
		s.Say("\nDone before, and in these files:\n")
		lastOf(s, done)
	}
	s.Say("\nReport with one of these, and then end:\n")
	for _, form := range []string{"git resume task done %s", "git resume task fail %s -m WHY", "git resume task block %s --ask QUESTION"} {
		s.Say("  %s\n", quote.Command(form, id))
	}
}
