package conversation

import (
	"cmp"
	"slices"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
)

// Resume runs the command "git resume". It finds the work, checks it, shows the result, asks the user, and continues the work.
func Resume(t *Talk, given string) error { return own{t}.resume(given) }

func (t own) resume(given string) error {
	if err := t.Options.answerFits(given); err != nil {
		return err
	}
	w, err := t.wish(given != "")
	if err != nil {
		return err
	}
	if !t.Options.DryRun {
		t.Engine.Repo.Guard.ClearDead() // remove the lock files of killed git processes even if no work is open, because they would block the user's own git
	}
	t.Engine.Find.Look.Hold() // scan the repository only once before the first question
	defer t.Engine.Find.Look.Release()
	key, err := finding(t).which(given, w)
	if err != nil || key == "" {
		return err
	}
	if t.Options.Force {
		if s, err := t.Engine.Find.Lookup(t.Context, key); err != nil || s.Found == nil || key.Kind() == candidate.GitOperation {
			return exit.Usagef("--force can only be used with --discard, or for another system's work")
		}
	}
	if key.Kind() == candidate.GitOperation {
		t.Engine.Find.Look.Release()
		return operations(t).operation(key, w)
	}
	if err := t.flagsFit(key); err != nil {
		return err
	}
	if t.Options.From != "" && !t.Options.HasPlan {
		if err := t.Engine.Reporting.CheckFrom(t.Context, key, t.Options.From); err != nil {
			return err
		}
	}
	if t.Options.HasPlan {
		if t.newPlan, err = t.Engine.Resuming.ReadPlan(t.Context, key.Run(), t.Options.Plan, t.Options.From); err != nil {
			return err
		}
	}
	if name := t.Options.Choose; name != "" {
		t.Engine.Find.Look.Release()
		return t.chosen(key, name, w)
	}
	if t.Options.Restart {
		t.Engine.Find.Look.Release()
		return t.restartRun(key)
	}
	return t.continueRun(key, w)
}

func (t own) restartRun(key candidate.Key) error {
	s, err := t.Engine.Find.Lookup(t.Context, key)
	if err != nil {
		return err
	}
	return continuing(t).restart(&s)
}

// ownFlags returns the flags that apply only to our own runs, each with the alternative that does the same for other work, if any.
func (o *Options) ownFlags() []ownFlag {
	return []ownFlag{
		{"restart", o.Restart, "", sources.StartFresh}, {"from", o.From != "" && o.Choose == "", o.From, sources.RestartUnit},
		{resume.FlagSkip, o.Skip.On, cmp.Or(o.Skip.Task, o.From), sources.SkipUnit}, {resume.FlagMarkDone, o.MarkDone.On, o.From, ""},
		{"retry", o.Retry, o.From, sources.RestartUnit}, {"keep", o.Keep, o.From, ""}, {"plan", o.HasPlan, o.From, ""},
	}
}

type ownFlag struct {
	name  string
	given bool
	// task is the task that the user named with the flag or with --from; it may be empty. alternative is the action on another system's
	// work that does the same as this flag; it is empty if there is no such action.
	task, alternative string
}

// flagsFit refuses flags that do not apply to another system's work. The error suggests a command or lists the alternatives.
func (t own) flagsFit(key candidate.Key) error {
	for _, f := range t.Options.ownFlags() {
		if !f.given {
			continue
		}
		s, err := t.Engine.Find.Lookup(t.Context, key)
		if err != nil || s.Run.Source == "" && s.Found == nil {
			return err
		}
		if s.Found != nil {
			f.alternative = s.Found.Offered(f.alternative)
		}
		if s.Found == nil || f.alternative == "" || !s.Found.Offers(f.alternative) {
			return exit.Usagef("--%s does not apply to '%s', which is another system's work; %s", f.name, quote.Printable(s.Called()), chooseFrom(s.Alternatives()))
		}
		words := quote.Command("git resume %s --choose %s", key, sources.ShownName(f.alternative))
		if f.task != "" {
			words += " " + quote.Command("--from %s", f.task)
		}
		if f.alternative == sources.StartFresh && s.Found.Offers(sources.RestartUnit) { // "restart" is also the name of an action on one task
			return exit.Usagef("--%s does not apply to another system's work; use '%s' to start its task again, or '%s' to start from scratch", f.name,
				quote.Command("git resume %s --choose %s", key, sources.ShownName(sources.RestartUnit)), words)
		}
		return exit.Usagef("--%s does not apply to another system's work; use '%s'", f.name, words)
	}
	return nil
}

// chosen carries out the alternative that --choose names. For our own runs, each alternative does the same as another command or flag.
func (t own) chosen(key candidate.Key, name string, w assess.Request) error {
	s, err := t.Engine.Find.Lookup(t.Context, key)
	if err != nil {
		return err
	}
	if s.Found != nil {
		name = sources.NamedByPeople(name)
	}
	if s.Found == nil && !slices.ContainsFunc(s.Alternatives(), func(a sources.Alternative) bool { return a.Name == name }) {
		return exit.Usagef("'%s' is not a choice for %s; %s", quote.Printable(name), quote.Clean(s.Called()), chooseFrom(s.Alternatives()))
	}
	switch {
	case s.Found != nil && (name == candidate.AltContinue || handsOver(name)) && s.Found.Offers(name):
		w.Alternative = name
		return t.continueRun(key, w)
	case name == candidate.AltContinue:
		return t.continueRun(key, w)
	case s.Found != nil:
		return foreign(t).chooseAlternative(key, name)
	case name == candidate.AltRestart:
		return continuing(t).restart(&s)
	case name == candidate.AltSkip:
		t.Options.Skip.On = true
		w.Doubt = plan.Retry
		return t.continueRun(key, w)
	case name == candidate.AltAnswer:
		return t.continueRun(key, w)
	case name == candidate.AltDiscard:
		return discarding(t).discardRun(string(key))
	}
	return foreign(t).chooseAlternative(key, name)
}

func (t own) wish(named bool) (assess.Request, error) {
	w := assess.Request{
		Mode: assess.Interactive, Terminal: t.Person.CanAnswer(), Named: named, Yes: t.Options.Yes, EvenIdle: t.Options.EvenIdle, KeepGoing: t.Options.KeepGoing,
		Takeover: t.Options.Takeover, Force: t.Options.Force, DespiteConflicts: t.Options.DespiteConflicts, Update: t.Options.Update, Doubt: t.Options.Doubt(), From: t.Options.From,
	}
	err := t.Options.fit()
	if err != nil {
		return w, err
	}
	if w.Mode, err = t.Options.Named(); err == nil && w.Mode == "" {
		w.Mode, err = t.Engine.Resuming.Mode(t.Context)
		w.Mode = personal(w.Mode, w)
	}
	if err != nil {
		return w, err
	}
	if w.Doubt == "" && (t.Options.From != "" || t.Options.Skip.On) {
		w.Doubt = plan.Retry // --from and --skip set aside the uncommitted work of an interrupted task, as --retry does
	}
	switch {
	case w.Takeover && !named:
		return w, exit.Usagef("--takeover needs the name of the run")
	case w.Takeover && (t.Options.Auto || t.Options.Mode == "auto"):
		return w, exit.Usagef("--takeover and --auto cannot be used together: only a person can take over a run")
	case w.Takeover && w.Mode == assess.Auto:
		w.Mode = assess.Interactive // a setting asks for the automatic mode, and --takeover overrides it
	}
	return w, nil
}
