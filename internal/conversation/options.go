package conversation

import (
	"slices"
	"strconv"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/plan"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/tasks"
)

// TaskFlag is a flag with an optional task: --skip or --skip=TASK.
type TaskFlag struct {
	On   bool
	Task string
}

// Options are the flags of the command line.
type Options struct {
	// These flags decide which questions are asked, and whether the command only shows something.
	Yes, Force, Auto, Preflight, DryRun, Print bool
	Mode                                       string
	// These flags decide how a run continues.
	Takeover, Offline, EvenIdle, Update, DespiteConflicts, Retry, Keep, Restart bool
	Skip, MarkDone                                                              TaskFlag
	From                                                                        string
	// Plan can be empty although HasPlan is true, as in --plan="". The error then comes from reading the plan file.
	Plan    string
	HasPlan bool
	// These flags decide how tasks are executed.
	KeepGoing, NoVerify, Verbose bool
	// Jobs is how many tasks may run at the same time. It is 0 if HasJobs is false.
	Jobs    int
	HasJobs bool
	// Choose names an action to carry out instead of continuing. Answer is the text of the answer if that action is "answer".
	Choose, Answer string
}

// given returns the given flags that decide how to continue a run, for example "--skip=build".
func (o *Options) given() []string {
	var out []string
	for _, f := range []struct {
		name string
		on   bool
		text string
	}{
		{"takeover", o.Takeover, ""}, {"offline", o.Offline, ""}, {"force", o.Force, ""}, {"even-idle", o.EvenIdle, ""}, {"update", o.Update, ""}, {"despite-conflicts", o.DespiteConflicts, ""},
		{resume.FlagSkip, o.Skip.On, o.Skip.Task}, {"retry", o.Retry, ""}, {"keep", o.Keep, ""}, {resume.FlagMarkDone, o.MarkDone.On, o.MarkDone.Task},
		{"keep-going", o.KeepGoing, ""}, {"no-verify", o.NoVerify, ""}, {"verbose", o.Verbose, ""}, {"yes", o.Yes, ""},
		{"from", false, o.From}, {"plan", false, o.Plan}, {"jobs", false, o.jobs()},
	} {
		switch {
		case f.text != "":
			out = append(out, "--"+f.name+"="+f.text)
		case f.on:
			out = append(out, "--"+f.name)
		}
	}
	return out
}

func (o *Options) jobs() string {
	if !o.HasJobs {
		return ""
	}
	return strconv.Itoa(o.Jobs)
}

// fit refuses flags that contradict each other. Otherwise one of them would be ignored silently.
func (o *Options) fit() error {
	type flag struct {
		name string
		on   bool
	}
	retry, keep, done := flag{"--retry", o.Retry}, flag{"--keep", o.Keep}, flag{"--mark-done", o.MarkDone.On}
	skip, restart, from := flag{"--skip", o.Skip.On}, flag{"--restart", o.Restart}, flag{"--from", o.From != ""}
	for _, group := range [][]flag{
		{retry, keep, done, skip, restart}, {from, skip, restart},
		{{"--auto", o.Auto}, {"--preflight", o.Preflight}},
		{{"--auto", o.Auto}, {"--mode " + o.Mode, o.Mode != "" && o.Mode != "auto"}},
		{{"--preflight", o.Preflight}, {"--mode " + o.Mode, o.Mode != "" && o.Mode != "preflight"}},
	} {
		group = slices.DeleteFunc(group, func(f flag) bool { return !f.on })
		if len(group) > 1 {
			return exit.Usagef("%s and %s cannot be used together", group[0].name, quote.Printable(group[1].name))
		}
	}
	return o.answerFits("")
}

// answerFits refuses --answer without the choice that it belongs to. The argument "given" is the name of the work that the user gave, or
// empty.
func (o *Options) answerFits(given string) error {
	if o.Answer != "" && o.Choose != sources.Answer {
		meant := "git resume"
		if given != "" {
			meant = quote.Command("git resume %s", given)
		}
		return exit.Meantf(meant+" "+quote.Command("--choose answer --answer %s", o.Answer), "--answer can only be used with --choose answer")
	}
	return nil
}

// Named returns the mode that the command line names, or "" if it names none.
func (o *Options) Named() (assess.Mode, error) {
	switch {
	case o.Auto:
		return assess.Auto, nil
	case o.Preflight:
		return assess.Preflight, nil
	case o.Mode == "":
		return "", nil
	}
	mode, ok := resume.ModeOf(o.Mode)
	if !ok {
		return "", exit.Usagef("--mode is interactive, auto or preflight, not '%s'", quote.Printable(o.Mode))
	}
	return mode, nil
}

// recordedElsewhere sets the pre-flight mode if the other system's files ask for it, or if they name no mode and the work is old. A mode on
// the command line has priority. The files can ask only for more care, so any other mode in them is ignored.
func (o *Options) recordedElsewhere(a *assess.Assessment, w assess.Request) assess.Request {
	recorded := sources.FoldWord(a.Summary.Found.Mode)
	if flag, err := o.Named(); err != nil || flag != "" && (flag != assess.Auto || recorded != "preflight") {
		return w
	}
	switch recorded {
	case "preflight":
		w.Mode = assess.Preflight
	case "":
		if w.Mode == assess.Interactive && a.Old() && a.Summary.Found.Source != candidate.GitSource {
			w.Mode = assess.Preflight
		}
	}
	return w
}

// personal replaces the automatic mode by the interactive one if --yes was given, because a user who types --yes is present.
func personal(mode assess.Mode, w assess.Request) assess.Mode {
	if mode == assess.Auto && w.Yes {
		return assess.Interactive
	}
	return mode
}

// acts reports whether a flag was given that asks for more than the brief, which is the printed text that says what to do next.
func (o *Options) acts() bool {
	return o.From != "" || o.Skip.On || o.Retry || o.Keep || o.MarkDone.On || o.Update || o.Takeover || o.HasPlan || o.Yes || o.DryRun
}

// Doubt returns what to do with an interrupted task if a flag such as --retry says so. Otherwise it returns "".
func (o *Options) Doubt() plan.OnInterrupt {
	switch {
	case o.Retry:
		return plan.Retry
	case o.Keep:
		return tasks.Keep
	case o.MarkDone.On:
		return resume.MarkDone
	default:
		return ""
	}
}

// assessing returns the mode of the assessment. A dry run saves nothing.
func (o *Options) assessing() assess.AssessMode {
	if o.DryRun {
		return assess.OnlyLook
	}
	return assess.AndSave
}
