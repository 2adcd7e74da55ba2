package conversation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/condition"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/phrase"
	"github.com/git-resume/git-resume/internal/screen/status"
	"github.com/git-resume/git-resume/internal/screen/words"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/sources/gitops"
)

type finding struct{ *Talk }

// The method "which" chooses the work to continue. It returns an empty key after it has shown that there is nothing to do.
func (t finding) which(given string, w assess.Request) (candidate.Key, error) {
	if given = cmp.Or(given, t.Engine.RunName); given != "" {
		return t.Engine.Find.Which(t.Context, given)
	}
	t.Person.StartLooking()
	all, err := candidate.Judging{Find: t.Engine.Find}.Status(t.Context, journal.OpenRuns)
	if t.Person.EndLooking(); err != nil {
		return "", err
	}
	return t.among(all, w, t.look)
}

// looking assesses a piece of work, and writes nothing.
type looking func(candidate.Key) (*assess.Assessment, error)

func (t finding) look(key candidate.Key) (*assess.Assessment, error) {
	return t.Engine.Judge.Assess(t.Context, key, assess.OnlyLook)
}

// among chooses one of the pieces of work that were found. It returns an empty key after it has shown that there is nothing to do.
func (t finding) among(all []candidate.Summary, w assess.Request, look looking) (candidate.Key, error) {
	all, rest := candidate.Split(all)
	open := t.Engine.Find.AroundFirst(resume.OwnOnly(all))
	if len(open) == 0 && len(all) > 0 {
		return "", &candidate.ElsewhereOnlyError{Runs: all}
	}
	if len(open) == 0 {
		return "", t.nothing(rest)
	}
	// Without a terminal nobody can agree to touch another system's work, so it must be named on the command line.
	unasked := !w.Terminal && !t.Options.DryRun
	others := candidate.OfOthers(open)
	if w.Mode == assess.Auto {
		others = t.notAutomatic(others)
	}
	// At a terminal, --auto may continue another system's work without its name only if no other work is open.
	several := !t.Options.DryRun && len(open) > 1 && len(t.Engine.Find.Standing(open)) != 1
	if w.Mode == assess.Auto && (unasked || several) {
		if open = without(open, others); len(open) == 0 {
			return "", &candidate.AmbiguousError{Runs: others, Others: unasked}
		}
	}
	key, err := t.oneOf(open, rest, w, look)
	isChosen := func(s candidate.Summary) bool { return s.Key() == key }
	if unasked && slices.ContainsFunc(others, isChosen) {
		return "", &candidate.AmbiguousError{Runs: others, Others: true}
	}
	return key, err
}

// notAutomatic leaves out the work that the user allowed with the setting resume.auto: the only open work of all systems that it names, or
// the most recent one if these systems decide so themselves.
func (t finding) notAutomatic(others []candidate.Summary) []candidate.Summary {
	c, err := t.Engine.Repo.Settings.Config(t.Context)
	if err != nil {
		return others
	}
	named := func(s candidate.Summary) bool {
		return slices.ContainsFunc(c.All("resume.auto"), func(name string) bool { return sources.SameSource(name, s.Source()) })
	}
	allowed := slices.DeleteFunc(slices.Clone(others), func(s candidate.Summary) bool { return !named(s) })
	onlyAlone := func(s candidate.Summary) bool { return s.Found == nil || !s.Found.Newest }
	if len(allowed) == 0 || len(allowed) > 1 && slices.ContainsFunc(allowed, onlyAlone) {
		return others
	}
	newest := slices.MaxFunc(allowed, func(a, b candidate.Summary) int { return a.Run.LastAt.Compare(b.Run.LastAt) })
	return slices.DeleteFunc(slices.Clone(others), func(s candidate.Summary) bool { return s.Key() == newest.Key() })
}

// The method "nothing" tells the user that there is no open work. It also lists unmerged runs, and work whose worktree was deleted.
func (t finding) nothing(rest []candidate.Summary) error {
	unmerged, err := candidate.Merges{Find: t.Engine.Find}.Unmerged(t.Context)
	if err != nil {
		return err
	}
	lost, err := t.Engine.Find.LostStates(t.Context, nil)
	if err != nil {
		return err
	}
	unlisted, err := t.unlisted(nil, rest)
	if err != nil {
		return err
	}
	status.Nothing(t.Person.Screen(), t.Engine.Find.Systems(), unlisted, unmerged...)
	status.LostStates(t.Person.Screen(), lost)
	trees := t.Engine.Find.Look.Registered(t.Engine.Repo)
	status.HalfRestored(t.Person.Screen(), site.AllHalfRestored(t.Engine.Repo, trees))
	status.HalfMerged(t.Person.Screen(), site.AllHalfMerged(t.Engine.Repo, trees))
	return nil
}

func (t finding) oneOf(open, rest []candidate.Summary, w assess.Request, look looking) (candidate.Key, error) {
	here, closed := t.Engine.Find.Standing(open), t.Engine.Find.ClosedHere(t.Context)
	switch {
	case len(here) == 1 && (w.Mode != assess.Auto || len(open) > 1):
		t.besides(here[0].Source(), rest)
		return here[0].Key(), nil
	case w.Mode == assess.Auto:
		return t.pick(open, w, look)
	case len(here) == 0 && closed != "":
		return candidate.RunKey(closed), nil
	}
	runs := open
	if stopped := stoppedOf(open); len(stopped) > 0 {
		runs = stopped
	}
	switch {
	case len(runs) == 1:
		t.besides(runs[0].Source(), rest)
		return runs[0].Key(), nil
	case w.Terminal:
		return t.choose(runs, rest, look)
	}
	return "", &candidate.AmbiguousError{Runs: runs}
}

// besides names older unfinished work of the same other system. Without a name on the command line, the user may mean that work.
func (t finding) besides(source string, rest []candidate.Summary) {
	s := t.Person.Screen()
	for _, m := range rest {
		if m.Found != nil && m.Source() == source && m.Condition.Word != condition.Finished && m.Condition.Word != condition.NotStarted {
			s.Note("note: %s was left unfinished %s\n  (use %s to take it up)", quote.Printable(m.Called()),
				phrase.LongAgo(s.Now.Sub(m.Run.LastAt)), phrase.Double("git resume %s", m.Called()))
		}
	}
}

func without(runs, others []candidate.Summary) []candidate.Summary {
	return slices.DeleteFunc(slices.Clone(runs), func(s candidate.Summary) bool {
		return slices.ContainsFunc(others, func(o candidate.Summary) bool { return o.Run.ID == s.Run.ID })
	})
}

// stoppedOf returns the runs that were interrupted, have failed, or wait for an answer.
func stoppedOf(runs []candidate.Summary) []candidate.Summary {
	return slices.DeleteFunc(slices.Clone(runs), func(m candidate.Summary) bool { return !m.State.Announced() })
}

// pick chooses the work for automatic mode: the most recent work that can continue without questions. If there is none, it returns work
// that was interrupted, waits for an answer, or is being worked on, and the screen of that work explains why nothing continues. If no work
// is in one of these states, pick shows the list of all open work and returns an empty key.
func (t finding) pick(open []candidate.Summary, w assess.Request, look looking) (candidate.Key, error) {
	var first, waits, busy candidate.Key
	why := "" // why the most recent run was not chosen
	for _, m := range open {
		switch {
		case m.Key().Kind() == candidate.GitOperation && m.State == checkpoint.Interrupted:
			o, err := operations(t).findOperation(m.Key())
			if err != nil {
				return "", err
			}
			if automatic(o) && offers(o, gitops.Continue) {
				return m.Key(), nil
			}
			first = cmp.Or(first, m.Key())
		case m.State == checkpoint.Interrupted, m.State == checkpoint.FailedRun, m.State == checkpoint.Idle && w.EvenIdle:
			a, err := look(m.Key())
			if err != nil {
				return "", err
			}
			d := assess.Decide(a, w)
			if d.Action == assess.Go {
				t.passedOver(first, why)
				return m.Key(), nil
			}
			if first == "" {
				why = words.WhyStopped(d)
			}
			first = cmp.Or(first, m.Key())
		case m.State == checkpoint.Waiting:
			waits = cmp.Or(waits, m.Key())
		case m.State == checkpoint.Running, m.State == checkpoint.Idle && m.Run.Begun():
			busy = cmp.Or(busy, m.Key())
		}
	}
	if key := cmp.Or(first, waits, busy); key != "" {
		return key, nil
	}
	t.Person.Screen().Note("nothing can be continued automatically")
	status.List(t.Person.Screen(), open, status.Unlisted{})
	return "", nil
}

// passedOver shows that more recent work exists, and why it was not continued.
func (t finding) passedOver(key candidate.Key, why string) {
	if why != "" {
		t.Person.Screen().Note("note: %s is more recent but cannot be continued automatically: %s", quote.Printable(string(key)), why)
	}
}

// Unlisted collects what a list of open work tells besides that work. The argument "rest" is work that was found and is not in the list.
func Unlisted(ctx context.Context, find *candidate.Finder, listed, rest []candidate.Summary, agents candidate.Sessions) (out status.Unlisted, err error) {
	out = status.Unlisted{Work: rest, Agents: agents, Hidden: candidate.Hiding{Find: find}.Count()}
	out.Left, err = find.LeftOnBranches(ctx, slices.Concat(listed, rest))
	return out, err
}

// unlisted is Unlisted, with the sessions of agents if a person asks.
func (t finding) unlisted(listed, rest []candidate.Summary) (status.Unlisted, error) {
	find := t.Engine.Find
	agents, err := find.Sessions(t.Context, t.Person.CanAnswer(), slices.Concat(listed, rest))
	if err != nil {
		return status.Unlisted{}, err
	}
	return Unlisted(t.Context, find, listed, rest, agents)
}

func (t finding) choose(runs, rest []candidate.Summary, look looking) (candidate.Key, error) {
	unlisted, err := t.unlisted(runs, rest)
	if err != nil {
		return "", err
	}
	// Other systems' work can be a lot, so it is checked after the user chose it.
	ours := func(m *candidate.Summary) bool { return m.Found == nil || m.Found.Source == candidate.GitSource }
	if err := check(runs, look, ours); err != nil {
		return "", err
	}
	t.Engine.Find.Look.Release() // the user may take long to answer, and the scan would be out of date
	status.Several(t.Person.Screen(), runs, unlisted)
	names, does := make([]string, len(runs)), make([]string, len(runs))
	for i, m := range runs {
		names[i], does[i] = string(m.Run.ID), "continue "+m.Called()
	}
	q := question{kind: askWhichWork, text: "Continue which?", keys: listed(names, does), no: leaves, def: "1", words: map[string][]string{"y": {"1"}, "yes": {"1"}}}
	for i, m := range runs {
		q.words[strings.ToLower(m.Called())] = []string{q.keys[i].Name}
	}
	q.diff = difference{what: "the changes that each run has made so far", show: func() {
		for i := range runs {
			differences(t).showBuilt(&runs[i])
		}
	}}
	answer, err := t.put(q)
	if err != nil {
		return "", err
	}
	return runs[position(answer.key)].Key(), nil
}

// Check adds a verdict and findings to each open run that can be read.
func Check(t *Talk, runs []candidate.Summary) error {
	return check(runs, finding{t}.look, func(*candidate.Summary) bool { return true })
}

func check(runs []candidate.Summary, look looking, wanted func(*candidate.Summary) bool) error {
	for i := range runs {
		if runs[i].Damaged != "" || runs[i].Run.Closed() || !wanted(&runs[i]) {
			continue
		}
		a, err := look(runs[i].Key())
		if err != nil {
			return err
		}
		runs[i] = a.Summary
		runs[i].Checked = &a.Picture
	}
	return nil
}
