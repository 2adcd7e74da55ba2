package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/merge"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/screen"
	"github.com/git-resume/git-resume/internal/sources"
)

// foreign continues work that another system began: it shows what was found, and what can be done about it by name.
func (p *program) foreign(c *cli.Context, e *handler.Engine, a *assess.Assessment, w assess.Wish) error {
	f := a.Summary.Found
	if f == nil {
		return p.vanished(e, a)
	}
	if !f.State.Open() {
		screen.ForeignOver(p.screen(), &a.Summary)
		return nil
	}
	w = recordedElsewhere(c, a, w)
	d := assess.Decide(a, w)
	d.Given = given(c)
	p.present(e, a, w)
	if c.Bool("dry-run") || c.Bool("print") {
		return p.onlySay(c, a)
	}
	if d.Why == assess.WhyWaiting {
		return p.foreignQuestion(c, e, a, w)
	}
	choice := resume.Choice{Decision: d, Mode: w.Mode, Update: w.Update}
	if d.Action == assess.Stop && p.mayChoose(a, d, w) {
		return p.chooseWayOut(c, e, a, d, w)
	}
	if d.Action == assess.Stop {
		_, err := p.settle(c, e, a, d, &choice)
		return err
	}
	name, err := p.nameForeign(c, e, a, d, w)
	if err != nil {
		return err
	}
	if name != sources.Continue && !handsOver(name) {
		return p.chooseAlternative(c, e, a.Summary.Run.ID, name)
	}
	choice.Foreign.Name = name
	if name == sources.Respawn { // another agent works on it: the brief and the tool are not given the old one's
		other := *f
		other.Agent, other.Session = "", ""
		a.Summary.Found = &other
	}
	return p.advance(c, e, a, choice)
}

// leftNothing: work of another system whose state is gone, and which has no branch of its own of which more could be said.
func leftNothing(m *candidate.Summary) bool {
	return m.Vanished() && m.Run.Branch == "" && !m.Run.Closed()
}

// vanished says that nothing can be continued, because the state of the system that began the work is gone:
// it was moved aside, deleted, or is on another branch.
func (p *program) vanished(e *handler.Engine, a *assess.Assessment) error {
	var last *discard.Undoing
	if u, err := e.Undoing.Undoing(p.ctx, string(a.Summary.Run.ID)); err == nil && u.What.Event == checkpoint.RunActed {
		last = u
	}
	screen.Vanished(p.screen(), &a.Summary, last)
	return nil
}

// mayChoose reports whether somebody can be asked what to do about work that cannot continue as it is.
func (p *program) mayChoose(a *assess.Assessment, d assess.Decision, w assess.Wish) bool {
	stands := d.Why == assess.WhyConflicts || d.Why == assess.WhyUnrecoverable
	return stands && p.interactive() && w.Mode != assess.Auto && w.Alternative == "" && len(p.waysOut(a)) > 0
}

// waysOut are the alternatives but to go on as if nothing were in the way; a conflict with the base alone may wait for the merge.
func (p *program) waysOut(a *assess.Assessment) []sources.Alternative {
	alts := slices.Clone(beside(&a.Summary))
	for i := range alts {
		if alts[i].Name == sources.Continue && a.OnlyConflicts() {
			alts[i].Text += ", as with --despite-conflicts: the conflict waits for the merge"
		}
	}
	return slices.DeleteFunc(alts, func(alt sources.Alternative) bool {
		return alt.Name == sources.Continue && !a.OnlyConflicts() || handsOver(alt.Name)
	})
}

// chooseWayOut says why work cannot continue and lets somebody choose what to do about it; a no leaves it as it is.
func (p *program) chooseWayOut(c *cli.Context, e *handler.Engine, a *assess.Assessment, d assess.Decision, w assess.Wish) error {
	for _, r := range d.Reasons[:min(1, len(d.Reasons))] {
		p.screen().Note("\nerror: %s", r)
	}
	name, err := p.pickAlternative(p.waysOut(a), false)
	var no exitCode
	if errors.As(err, &no) {
		return exitCode(whyCodes[d.Why])
	}
	if err != nil {
		return err
	}
	if name == sources.Continue {
		if err := p.confirmAtWork(c, a); err != nil {
			return err
		}
		w.DespiteConflicts = true
		choice := resume.Choice{Decision: assess.Decide(a, w), Mode: w.Mode}
		if choice.Decision.Action == assess.Stop {
			_, err := p.settle(c, e, a, choice.Decision, &choice)
			return err
		}
		choice.Foreign.Name = name
		return p.advance(c, e, a, choice)
	}
	return p.chooseAlternative(c, e, a.Summary.Run.ID, name)
}

// nameForeign finds out which alternative is meant: the one that was named, one that somebody chooses, or to continue.
func (p *program) nameForeign(c *cli.Context, e *handler.Engine, a *assess.Assessment, d assess.Decision, w assess.Wish) (string, error) {
	switch {
	case w.Alternative == "" && d.Action == assess.Ask:
		name, err := p.askForeign(a, d, w)
		switch {
		case err != nil || w.Mode == assess.Preflight:
			return name, err
		case name == sources.Continue:
			return name, p.confirmAtWork(c, a)
		case !handsOver(name):
			return name, nil
		}
		return name, p.confirmHandOver(c, e, a, name, false)
	case w.Alternative == "":
		return sources.Continue, nil
	case w.Alternative == sources.Continue && d.Action == assess.Ask && atWork(a) != nil:
		return w.Alternative, p.confirmAtWork(c, a)
	case w.Alternative == sources.Continue && d.Action == assess.Ask && !d.Default:
		return w.Alternative, p.confirm(c, "Continue despite the warnings?")
	case w.Alternative == sources.Continue:
		return w.Alternative, nil
	}
	return w.Alternative, p.confirmHandOver(c, e, a, w.Alternative, true)
}

// confirmHandOver shows what a way to continue changes, and asks; who chose it from a list is not asked again where it changes nothing.
func (p *program) confirmHandOver(c *cli.Context, e *handler.Engine, a *assess.Assessment, name string, named bool) error {
	changes, err := p.propose(e, a, name)
	switch {
	case err != nil:
		return err
	case atWork(a) != nil:
		return p.confirmAtWork(c, a)
	case changes || named:
		return p.confirm(c, "Do this?")
	}
	return nil
}

// atWork says that somebody may be at work on what is about to continue; nil if nothing speaks for it.
func atWork(a *assess.Assessment) *adopt.AtWorkError {
	var working *adopt.AtWorkError
	pr := adopt.Proposal{Summary: a.Summary, Wish: sources.Wish{Name: sources.Continue}}
	errors.As(pr.AtWork(), &working)
	return working
}

// confirmAtWork lets somebody say that work shall continue although others may be at it; nothing is asked where nobody may be.
func (p *program) confirmAtWork(c *cli.Context, a *assess.Assessment) error {
	working := atWork(a)
	if working == nil || c.Bool("force") && c.Bool("yes") {
		return nil
	}
	return p.vouch(c, working, "Continue all the same?")
}

// propose shows which files an alternative changes, and tells whether there are any.
func (p *program) propose(e *handler.Engine, a *assess.Assessment, name string) (changes bool, err error) {
	pr, err := e.Adopt.Propose(p.ctx, a.Summary.Run.ID, sources.Wish{Name: name})
	if err != nil {
		return false, err
	}
	side := p.screen().OnErr()
	screen.Proposal(side, pr)
	return len(pr.Changes) > 0, nil
}

// handsOver tells the alternatives that are ways to continue: their changes are made, and the work is handed over at once.
func handsOver(name string) bool { return name == sources.ResumeAgent || name == sources.Respawn }

// askForeign lets somebody choose among the alternatives; pressing return takes the first one where nothing speaks against it.
func (p *program) askForeign(a *assess.Assessment, d assess.Decision, w assess.Wish) (string, error) {
	if w.Mode == assess.Preflight {
		if working := atWork(a); working != nil {
			screen.AtWork(p.screen(), working)
		}
		return sources.Continue, p.askProceed()
	}
	return p.pickAlternative(beside(&a.Summary), d.Default)
}

// leaveIt is the first choice where somebody may be at work: it does nothing.
const leaveIt = "leave"

// beside are the alternatives as somebody chooses among them; where others may be at work, the first is to leave it to them.
func beside(m *candidate.Summary) []sources.Alternative {
	alts := m.Alternatives()
	if m.Busy == "" || len(alts) == 0 {
		return alts
	}
	return append([]sources.Alternative{{Name: leaveIt, Text: "leave it to whoever works on it; nothing is changed"}}, alts...)
}

// pickAlternative lets somebody choose by number; return takes the first one where that is the default.
func (p *program) pickAlternative(alts []sources.Alternative, first bool) (string, error) {
	screen.Alternatives(p.screen(), alts)
	def := "1"
	if !first || len(alts) == 0 {
		def = "q"
	}
	names := make([]string, len(alts))
	for i, alt := range alts {
		names[i] = sources.ShownName(alt.Name)
	}
	n := p.pickOne(fmt.Sprintf("Which? [%sq] (%s) ", numbers(len(alts)), def), def, names)
	if n < 0 || alts[n].Name == leaveIt {
		return "", exitCode(codeNo)
	}
	return alts[n].Name, nil
}

// chooseAlternative does one of the alternatives of a piece of work by its name.
func (p *program) chooseAlternative(c *cli.Context, e *handler.Engine, id checkpoint.RunID, name string) error {
	s, err := e.Find.Lookup(p.ctx, id)
	if err != nil {
		return err
	}
	alts := s.Alternatives()
	at := slices.IndexFunc(alts, func(a sources.Alternative) bool { return a.Name == name })
	if at < 0 {
		return usagef("'%s' is no alternative of %s; there are: %s", printable(sources.ShownName(name)), id, nameList(alts))
	}
	part, err := p.askPart(c, alts[at])
	if err != nil {
		return err
	}
	switch name {
	case candidate.AltReview:
		v, err := e.Merging.Review(p.ctx, string(id), false)
		if err == nil {
			screen.Review(p.screen(), v)
		}
		if err == nil && s.Found != nil {
			screen.ForeignDoubts(p.screen(), &s)
		}
		return err
	case candidate.AltMerge:
		_, err := p.merge(c, e, merge.Request{Run: string(id)})
		return err
	case sources.Hide:
		return p.hide(c, e, &s)
	case sources.Discard:
		return p.discardForeign(c, e, id)
	case sources.Answer:
		if c.String("answer") == "" {
			return p.askAnswer(c, e, &s)
		}
	}
	return p.changeForeign(c, e, id, sources.Wish{Name: name, Task: part, Text: c.String("answer")})
}

// askPart finds out to which part an alternative is done: the one that was named, or one that somebody chooses.
func (p *program) askPart(c *cli.Context, alt sources.Alternative) (string, error) {
	if c.String("from") != "" || len(alt.Of) == 0 || !p.interactive() || c.Bool("yes") {
		return c.String("from"), nil
	}
	s := p.screen()
	s.Note("")
	for i, name := range alt.Of {
		s.Note("  %d  %s", i+1, printable(name))
	}
	n := p.pickOne(fmt.Sprintf("From which? [%sq] (q) ", numbers(len(alt.Of))), "q", alt.Of)
	if n < 0 {
		return "", exitCode(codeNo)
	}
	return alt.Of[n], nil
}

func nameList(alts []sources.Alternative) string {
	names := make([]string, len(alts))
	for i, a := range alts {
		names[i] = sources.ShownName(a.Name)
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// changeForeign shows what an alternative would change, asks, and does it.
func (p *program) changeForeign(c *cli.Context, e *handler.Engine, id checkpoint.RunID, w sources.Wish) error {
	pr, err := e.Adopt.Propose(p.ctx, id, w)
	if err != nil {
		return err
	}
	side := p.screen().OnErr()
	screen.Proposal(side, pr)
	if c.Bool("dry-run") {
		return nil
	}
	if len(pr.Changes) == 0 { // nothing is to be agreed to, and nothing is recorded
		p.whatNext(e, id, w)
		return nil
	}
	if err := p.agree(c, pr, "Do this?"); err != nil {
		return err
	}
	if _, err := e.Adopt.Carry(p.ctx, pr); err != nil {
		return err
	}
	screen.Acted(side, pr)
	p.whatNext(e, id, w)
	return nil
}

// whatNext says after an action what is asked next, or how the work is continued.
// The action is done: where nothing is left, or cannot be looked at, there is nothing to say.
func (p *program) whatNext(e *handler.Engine, id checkpoint.RunID, w sources.Wish) {
	s, err := e.Find.Lookup(p.ctx, id)
	if err != nil || s.Found == nil || !s.Found.State.Open() {
		return
	}
	side := p.screen().OnErr()
	if w.Name == sources.StartFresh {
		if s.Found.Again != "" {
			screen.OrHere(side, &s)
		}
		return
	}
	if w.Name == sources.Answer && len(s.Found.Questions) > 0 {
		screen.NextQuestion(side, &s)
		return
	}
	if w.Name == sources.Repair { // what could not be repaired is for a person
		screen.ForeignWarnings(side, s.Found)
	}
	screen.ContinueHint(side, &s)
}

// foreignQuestion shows the question that foreign work waits for, and what else can be done:
// to answer is one alternative among others.
func (p *program) foreignQuestion(c *cli.Context, e *handler.Engine, a *assess.Assessment, w assess.Wish) error {
	s := p.screen().OnErr()
	screen.ForeignQuestion(s, &a.Summary)
	alts := beside(&a.Summary)
	if !p.interactive() || w.Mode == assess.Auto || len(alts) == 0 {
		screen.ForeignCommands(s, &a.Summary)
		return exitCode(codeWaiting)
	}
	name, err := p.pickAlternative(alts, alts[0].Name == sources.Answer && w.Mode == assess.Interactive)
	switch {
	case err != nil:
		return err
	case name == sources.Continue || handsOver(name):
		w.Alternative = name
		return p.foreign(c, e, a, w)
	}
	return p.chooseAlternative(c, e, a.Summary.Run.ID, name)
}

// askAnswer asks the questions that foreign work waits for, one after the other, until one is left without an answer.
func (p *program) askAnswer(c *cli.Context, e *handler.Engine, m *candidate.Summary) error {
	if len(m.Found.Questions) == 0 {
		return &sources.NoActionError{Key: m.Found.Key(), Name: sources.Answer}
	}
	if !p.interactive() {
		return usagef("--choose answer needs the answer: --answer TEXT")
	}
	asked, id := map[string]bool{}, m.Run.ID
	for len(m.Found.Questions) > 0 && !asked[m.Found.Questions[0].Task] {
		q := m.Found.Questions[0]
		text, own := p.readForeignAnswer(m, q)
		switch {
		case text == "" && len(asked) == 0:
			return exitCode(codeNo)
		case text == "":
			return nil // the answers that were given are stored
		}
		if err := p.answerForeign(c, e, id, sources.Wish{Name: sources.Answer, Task: q.Task, Text: text, Own: own}); err != nil {
			return err
		}
		asked[q.Task] = true
		next, err := e.Find.Lookup(p.ctx, checkpoint.RunID(m.Found.Key()))
		if err != nil || next.Found == nil {
			return err
		}
		m, id = &next, next.Run.ID
	}
	p.whatNext(e, id, sources.Wish{Name: sources.Answer})
	return nil
}

func (p *program) readForeignAnswer(m *candidate.Summary, q sources.Question) (text string, own bool) {
	s := p.screen().OnErr()
	screen.ForeignQuestion(s, m)
	if len(q.Options) > 0 {
		s.Note("      %d  write your own answer", len(q.Options)+1)
	}
	return p.readAnswer(q.Options, "")
}

// foreignAsks finds the work of another system that asks about this task: the run that is named, or the only one that does.
func (p *program) foreignAsks(e *handler.Engine, run, task string) (checkpoint.RunID, bool) {
	asks := func(s *candidate.Summary) bool {
		return s.Found != nil && slices.ContainsFunc(s.Found.Questions, func(q sources.Question) bool { return q.Task == task })
	}
	if run != "" {
		id, err := e.Find.Which(p.ctx, run)
		if err != nil {
			return "", false // whoever looks next says so
		}
		s, err := e.Find.Lookup(p.ctx, id)
		return id, err == nil && asks(&s)
	}
	all, err := e.Find.Status(p.ctx, journal.OpenRuns)
	if err != nil {
		return "", false
	}
	all = slices.DeleteFunc(all, func(s candidate.Summary) bool { return !asks(&s) })
	if len(all) != 1 {
		return "", false
	}
	return all[0].Run.ID, true
}

// answerForeign stores an answer in the system's own files; whoever answers has said yes already.
func (p *program) answerForeign(c *cli.Context, e *handler.Engine, id checkpoint.RunID, w sources.Wish) error {
	pr, err := e.Adopt.Propose(p.ctx, id, w)
	if err != nil {
		return err
	}
	pr.Sure = c.Bool("force")
	var working *adopt.AtWorkError
	if errors.As(pr.AtWork(), &working) {
		if err := p.vouch(c, working, "Answer it all the same?"); err != nil {
			return err
		}
		pr.Sure = true
	}
	if _, err := e.Adopt.Carry(p.ctx, pr); err != nil {
		return err
	}
	s := p.screen().OnErr()
	screen.Acted(s, pr)
	return nil
}

// hide makes a piece of work invisible in this clone; undo shows it again.
func (p *program) hide(c *cli.Context, e *handler.Engine, s *candidate.Summary) error {
	if err := p.confirm(c, fmt.Sprintf("Hide %s in this clone?", s.Found.Key())); err != nil {
		return err
	}
	j, err := e.Adopt.Carry(p.ctx, &adopt.Proposal{Summary: *s, Wish: sources.Wish{Name: sources.Hide}})
	if err != nil {
		return err
	}
	screen.Hidden(p.screen(), s.Found, j)
	return nil
}

// discardForeign hides work that another system began, and drops a worktree of its own.
// Its system's files are a project's documents as often as not: they are moved only by the alternative that says so.
func (p *program) discardForeign(c *cli.Context, e *handler.Engine, id checkpoint.RunID) error {
	s, err := e.Find.Lookup(p.ctx, id)
	if err != nil {
		return err
	}
	if s.Found == nil {
		return &candidate.NoneError{Given: string(id)}
	}
	return p.dropForeign(c, e, &adopt.Proposal{Summary: s, Wish: sources.Wish{Name: sources.Hide}})
}

func (p *program) dropForeign(c *cli.Context, e *handler.Engine, pr *adopt.Proposal) error {
	mode := discard.DiscardCarefully
	if c.Bool("force") {
		mode = discard.DiscardForced
	}
	d, err := e.Dropping.DroppingForeign(p.ctx, pr, mode)
	if err != nil {
		return err
	}
	s := p.screen()
	if d != nil {
		screen.Dropping(s, d)
	}
	if d == nil {
		screen.Hiding(s, pr.Summary.Found)
	}
	if c.Bool("dry-run") {
		return nil
	}
	if d != nil && d.Preview.HoldsData() && !c.Bool("force") {
		return dataError(d)
	}
	if d == nil {
		return p.hide(c, e, &pr.Summary)
	}
	if err := p.confirm(c, "Discard?"); err != nil {
		return err
	}
	_, dropped, err := e.Dropping.DiscardForeign(p.ctx, pr, mode)
	if err == nil && dropped != nil {
		screen.Dropped(s, dropped)
	}
	return err
}
