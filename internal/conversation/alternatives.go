package conversation

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/exit"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/quote"
	"github.com/git-resume/git-resume/internal/screen/history"
	"github.com/git-resume/git-resume/internal/screen/others"
	"github.com/git-resume/git-resume/internal/screen/prompt"
	"github.com/git-resume/git-resume/internal/sources"
)

// leaveIt is the choice to do nothing. It is offered first if somebody may already be working.
const leaveIt = "leave"

// beside returns the alternatives that the user can choose from. If somebody may be working, the first alternative is to change nothing.
func beside(m *candidate.Summary) []sources.Alternative {
	alts := m.Alternatives()
	if m.Busy == "" || len(alts) == 0 {
		return alts
	}
	return append([]sources.Alternative{{Name: leaveIt, Text: "leave it to its worker; nothing is changed"}}, alts...)
}

// pickAlternative lets the user choose an alternative by its number. If the argument "first" is true, pressing return chooses number 1.
func (t foreign) pickAlternative(a *assess.Assessment, alts []sources.Alternative, first bool) (string, error) {
	shown := len(alts)
	if shown > 0 && alts[0].Name != leaveIt { // while somebody may be at work, each way stands where it is the least dangerous
		alts, shown = sources.InOrder(a.Summary.Source(), alts)
	}
	others.Alternatives(t.Person.Screen(), alts, 0, shown)
	others.StartsNothing(t.Person.Screen(), alts, t.continuation(a))
	names, does := make([]string, len(alts)), make([]string, len(alts))
	for i, alt := range alts {
		names[i] = sources.ShownName(alt.Name)
		does[i] = names[i] + ": " + alt.Text
	}
	q := question{kind: askAlternative, text: "Which?", keys: listed(names, does), no: leaves, def: leaves.Name, words: maps.Clone(otherWords), diff: differences(t).soFar(a)}
	if shown < len(alts) {
		q.views = append(q.views, view{prompt.Key{Name: prompt.MoreKey, Does: "show the other ways"}, func() { others.Alternatives(t.Person.Screen(), alts, shown, len(alts)) }})
	}
	if first && len(alts) > 0 {
		q.def, q.words["y"], q.words["yes"] = "1", []string{"1"}, []string{"1"}
	}
	answer, err := t.put(q)
	if err != nil {
		return "", err
	}
	if name := alts[position(answer.key)].Name; name != leaveIt {
		return name, nil
	}
	return "", t.declined()
}

// continuation finds out what continuing the work would do here.
func (t foreign) continuation(a *assess.Assessment) others.Continuation {
	changes, err := t.Engine.Adopt.ChangesFor(t.Context, a.Summary.Found, sources.ActionRequest{Name: sources.Continue})
	return others.Continuation{Changes: changes, Known: err == nil, HandsOff: t.Engine.Resuming.HandsOff(t.Context, a)}
}

func (t foreign) chooseAlternative(key candidate.Key, name string) error {
	s, err := t.Engine.Find.Lookup(t.Context, key)
	if err != nil {
		return err
	}
	alts := s.Alternatives()
	if s.Found != nil {
		name = s.Found.Offered(name)
	}
	at := slices.IndexFunc(alts, func(a sources.Alternative) bool { return a.Name == name })
	if at < 0 {
		return exit.Usagef("'%s' is not a choice for %s; %s", quote.Printable(sources.ShownName(name)), quote.Clean(s.Called()), chooseFrom(alts))
	}
	if alts[at].On != "" {
		return t.dealWithOther(candidate.Key(alts[at].On), alts[at].Does)
	}
	part, err := t.askPart(alts[at])
	if err != nil {
		return err
	}
	switch name {
	case candidate.AltReview:
		if err := t.review(key, &s); err != nil {
			return err
		}
		if file := alts[at].Edits; file != "" {
			others.EditHint(t.Person.Screen(), &s, file)
		}
		return nil
	case candidate.AltMerge:
		_, err := merging(t).merge(merge.Request{Run: string(key)})
		return err
	case sources.Hide:
		return discarding(t).hide(&s)
	case sources.Discard:
		return discarding(t).discardForeign(key)
	case sources.Answer:
		if t.Options.Answer == "" && (t.Options.DryRun || t.Options.Print) {
			others.Question(t.Person.Screen(), &s, false)
			return nil
		}
		if t.Options.Answer == "" {
			return t.askAnswer(&s)
		}
	}
	return t.changeForeign(key, sources.ActionRequest{Name: name, Task: part, Text: t.Options.Answer})
}

func (t foreign) review(key candidate.Key, m *candidate.Summary) error {
	v, err := t.Engine.Merging.Review(t.Context, string(key), false)
	if err != nil {
		return err
	}
	history.Review(t.Person.Screen(), v)
	if m.Found != nil {
		others.Doubts(t.Person.Screen(), m)
	}
	return nil
}

// dealWithOther reviews, merges or discards other work that prevents this work from continuing. It also works if that other work is closed.
func (t foreign) dealWithOther(key candidate.Key, does string) error {
	switch does {
	case sources.ReviewIt:
		s, err := t.Engine.Find.Lookup(t.Context, key)
		if err != nil {
			return err
		}
		return t.review(key, &s)
	case sources.MergeIt:
		_, err := merging(t).merge(merge.Request{Run: string(key)})
		return err
	case sources.Discard:
		return discarding(t).discardForeign(key)
	}
	return exit.Usagef("'%s' cannot be used for %s", quote.Printable(does), key)
}

// askPart returns the part of the work to which an alternative applies. This is the value of --from. If that is empty, the user chooses.
// With --yes, without a terminal or without parts to choose from, it stays empty.
func (t foreign) askPart(alt sources.Alternative) (string, error) {
	if t.Options.From != "" || len(alt.Of) == 0 || !t.Person.CanAnswer() || t.Options.Yes {
		return t.Options.From, nil
	}
	s := t.Person.Screen()
	s.Note("")
	for i, name := range alt.Of {
		s.Note("  %d  %s", i+1, quote.Printable(name))
	}
	answer, err := t.put(question{
		kind: askPart, text: "Which one?", keys: listed(alt.Of, alt.Of), no: leaves, def: leaves.Name,
		diff: difference{none: "the changes depend on this answer and are shown after it"},
	})
	if err != nil {
		return "", err
	}
	return alt.Of[position(answer.key)], nil
}

// chooseFrom says which alternatives there are.
func chooseFrom(alts []sources.Alternative) string {
	names := make([]string, len(alts))
	for i, a := range alts {
		names[i] = sources.ShownName(a.Name)
	}
	if len(names) == 0 {
		return "there is nothing to choose"
	}
	return "choose one of: " + strings.Join(names, ", ")
}

// changeForeign shows what an alternative would change in another system's work, asks, and makes the change.
func (t foreign) changeForeign(key candidate.Key, w sources.ActionRequest) error {
	pr, err := t.Engine.Adopt.Propose(t.Context, key, w)
	if err != nil {
		return err
	}
	side := t.Person.Screen().OnErr()
	others.Proposal(side, pr)
	if t.Options.DryRun || t.Options.Print {
		return nil
	}
	if len(pr.Changes) == 0 { // without changes, there is nothing to confirm and nothing to record
		t.whatNext(key, w)
		return nil
	}
	if err := t.agree(pr, "Do this?"); err != nil {
		return err
	}
	if _, err := t.Engine.Adopt.Carry(t.Context, pr); err != nil {
		return err
	}
	others.Acted(side, pr)
	t.whatNext(key, w)
	return nil
}

// whatNext shows, after an action, the next question or the command that continues the work. For work that is closed it shows nothing.
func (t foreign) whatNext(key candidate.Key, w sources.ActionRequest) {
	s, err := t.Engine.Find.Lookup(t.Context, key)
	if err != nil || s.Found == nil || !s.Found.State.Open() {
		return
	}
	side := t.Person.Screen().OnErr()
	if w.Name == sources.StartFresh || w.Name == sources.PlanAgain {
		if s.Found.Again != "" {
			others.OrHere(side, &s)
		}
		return
	}
	if w.Name == sources.Answer && len(s.Found.Questions) > 0 {
		others.NextQuestion(side, &s)
		return
	}
	if w.Name == sources.Repair { // show the problems that the repair has left for a person
		others.Warnings(side, s.Found)
	}
	others.ContinueHint(side, &s)
}
