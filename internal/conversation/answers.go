package conversation

import (
	"cmp"
	"errors"
	"slices"

	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/outcome"
	"github.com/git-resume/git-resume/internal/sources"
)

// Answer stores an answer where its question came from: in a run of our own, or in the files of another system.
func Answer(t *Talk, q adopt.AnswerRequest) error {
	f := foreign{t}
	if key, ok := f.foreignAsks(q.Run, q.Task); ok {
		w := sources.ActionRequest{Name: sources.Answer, Task: q.Task, Text: q.Text, Own: q.Own}
		if err := f.answerForeign(key, w); err != nil {
			return err
		}
		f.whatNext(key, w)
		return nil
	}
	j, task, err := t.Engine.Reporting.Answer(t.Context, q)
	if err == nil {
		outcome.Answered(t.Person.Screen(), j, task)
	}
	return err
}

// askAnswer asks another system's open questions, one after the other, until none is left or the user leaves one unanswered.
func (t foreign) askAnswer(m *candidate.Summary) error {
	if len(m.Found.Questions) == 0 {
		return &sources.NoActionError{Key: m.Found.Key(), Name: sources.Answer}
	}
	if !t.Person.CanAnswer() {
		return exit.Usagef("'--choose answer' also needs '--answer TEXT'")
	}
	asked, key := map[string]bool{}, m.Key()
	for len(m.Found.Questions) > 0 && !asked[m.Found.Questions[0].Task] {
		q := m.Found.Questions[0]
		answer, err := t.readForeignAnswer(m, q)
		switch {
		case err != nil && len(asked) == 0:
			return err
		case err != nil:
			return nil // leaving this question unanswered is not an error, because the earlier answers are stored
		}
		w := sources.ActionRequest{Name: sources.Answer, Task: q.Task, Text: cmp.Or(answer.text, answer.key), Own: answer.text != ""}
		if err := t.answerForeign(key, w); err != nil {
			return err
		}
		t.changed = true
		asked[q.Task] = true
		next, err := t.Engine.Find.Lookup(t.Context, candidate.FoundKey(m.Found))
		if err != nil || next.Found == nil {
			return err
		}
		m, key = &next, next.Key()
	}
	t.whatNext(key, sources.ActionRequest{Name: sources.Answer})
	return nil
}

func (t foreign) readForeignAnswer(m *candidate.Summary, q sources.Question) (reply, error) {
	s := t.Person.Screen().OnErr()
	others.Question(s, m, true)
	if len(q.Options) > 0 {
		s.Note("      %d  write your own answer", len(q.Options)+1)
	}
	return t.readAnswer(question{kind: askAnswerForeign, diff: differences(t).built(m)}, q.Options)
}

// foreignAsks finds another system's work that asks about this task. If the argument "run" is empty, exactly one piece of work must ask.
func (t foreign) foreignAsks(run, task string) (candidate.Key, bool) {
	asks := func(s *candidate.Summary) bool {
		return s.Found != nil && slices.ContainsFunc(s.Found.Questions, func(q sources.Question) bool { return q.Task == task })
	}
	if run != "" {
		key, err := t.Engine.Find.Which(t.Context, run)
		if err != nil {
			return "", false // the caller looks up the run again and reports the error
		}
		s, err := t.Engine.Find.Lookup(t.Context, key)
		return key, err == nil && asks(&s)
	}
	all, err := t.Engine.Find.Status(t.Context, journal.OpenRuns)
	if err != nil {
		return "", false
	}
	all = slices.DeleteFunc(all, func(s candidate.Summary) bool { return !asks(&s) })
	if len(all) != 1 {
		return "", false
	}
	return all[0].Key(), true
}

// answerForeign stores an answer in the other system's files. It asks for confirmation only if somebody may be working there.
func (t foreign) answerForeign(key candidate.Key, w sources.ActionRequest) error {
	pr, err := t.Engine.Adopt.Propose(t.Context, key, w)
	if err != nil {
		return err
	}
	pr.Sure = t.Options.Force
	var working *adopt.AtWorkError
	if errors.As(pr.AtWork(), &working) {
		if err := t.vouch(working, yesNo(askAnswerAtWork, "Answer it anyway?", "store the answer", differences(t).proposed(pr))); err != nil {
			return err
		}
		pr.Sure = true
	}
	if _, err := t.Engine.Adopt.Carry(t.Context, pr); err != nil {
		return err
	}
	s := t.Person.Screen().OnErr()
	others.Acted(s, pr)
	return nil
}
