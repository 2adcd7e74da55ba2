package resume

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// adopt gives foreign work a journal of its own, so that what is done about it is on record and can be undone.
// Work that has one already keeps it.
func (e *Engine) adopt(ctx context.Context, s *Summary) (*checkpoint.Journal, error) {
	f := s.Found
	id, err := e.adoptedID(ctx, f)
	if err != nil {
		return nil, err
	}
	j, err := e.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if err == nil || !errors.As(err, &none) {
		return j, errors.Join(err, e.markAdopted(f, id))
	}
	if err := e.Store.Room(ctx); err != nil {
		return nil, err
	}
	// The same work always gets the same id: what an adoption left that was cut off would stand in the way for ever.
	if err := e.Store.Sweep(ctx); err != nil {
		return nil, err
	}
	_, head, err := e.Repo.Refs.Head(ctx)
	if err != nil {
		return nil, err
	}
	base := checkpoint.Base{Name: f.Base, Commit: f.Start}
	if base.Commit == "" {
		base.Commit = head
	}
	if base.Commit == "" {
		return nil, ErrUnborn
	}
	ev := checkpoint.Event{
		Event: checkpoint.RunAdopted, Source: f.Source, SourceID: f.ID, Name: s.Run.Name, Base: &base, Branch: f.Branch,
		Here: s.Run.Here, Head: f.Last, Text: f.Headline,
	}
	if ev.Head == "" {
		ev.Head = base.Commit
	}
	if p, ok := e.registeredAt(s.Run.Worktree); ok {
		ev.Worktree, ev.Admin = p.WorkTree, adminOf(p)
	}
	if err := e.markAdopted(f, id); err != nil {
		return nil, err
	}
	return e.Store.Create(ctx, id, []checkpoint.Event{ev}, nil)
}

// registeredAt is the worktree of this repository at a path, as git has it.
func (e *Engine) registeredAt(path string) (gitstate.Place, bool) {
	if path == "" {
		return gitstate.Place{}, false
	}
	p, err := gitstate.Locate(path, nil)
	return p, err == nil && p.CommonDir == e.Repo.CommonDir && p.WorkTree == path
}

// markAdopted notes in the registration of the work's own worktree that it is now this run's.
// Only that makes it so: a discard drops no other.
func (e *Engine) markAdopted(f *sources.Found, id checkpoint.RunID) error {
	p, ok := e.registeredAt(f.Worktree)
	if !ok || p.GitDir == p.CommonDir {
		return nil
	}
	return worktree.Mark(p.GitDir, string(id))
}

// advanceForeign carries a decision about foreign work out: it adopts it, looks again, makes a worktree that is missing,
// lets its system's files say that it goes on, records why, and hands it over.
func (e *Engine) advanceForeign(ctx context.Context, a *Assessment, c Choice) (*Advanced, error) {
	j, err := e.adopt(ctx, &a.Summary)
	if err != nil {
		return nil, err
	}
	owner, err := e.claim(ctx, j.Run.ID, nil)
	if err != nil {
		return nil, err
	}
	defer owner.Release()
	m := &mover{Engine: e, a: a, c: c, owner: owner}
	m.out.Journal, m.out.Path = j, a.Tree.Path
	for _, step := range []func(context.Context) error{m.lookAgainForeign, m.findTree, m.makeTree, m.tellSystem, m.recordForeign} {
		if err := step(ctx); err != nil {
			return &m.out, err
		}
	}
	_, err = m.handOff(ctx)
	return &m.out, err
}

// lookAgainForeign makes sure that neither the state nor the worktree moved while somebody was asked.
func (m *mover) lookAgainForeign(ctx context.Context) error {
	now, err := m.Lookup(ctx, checkpoint.RunID(m.a.Summary.Found.Key()))
	if err != nil {
		return errors.Join(ErrMoved, err)
	}
	if fingerprint(now.Found) != m.a.seen.found {
		return ErrMoved
	}
	if m.a.seen.branch != "" {
		if tip, err := m.Repo.Refs.Ref(ctx, m.a.Summary.Found.Branch); err != nil || tip != m.a.seen.branch {
			return errors.Join(ErrMoved, err)
		}
	}
	if !m.a.seen.saved {
		return nil
	}
	place, err := gitstate.Locate(m.a.Tree.Path, nil)
	if m.a.Tree.Health == worktree.Moved {
		place, err = movedPlace(m.a.Tree)
	}
	if err != nil {
		return err
	}
	return m.sameUncommitted(ctx, place, m.out.Journal.Run.ID)
}

// findTree tells git where a worktree was moved to. The state that lies in it counts from now on:
// if it says something else than what was shown, everything is looked at again.
func (m *mover) findTree(ctx context.Context) error {
	if !slices.Contains(m.a.Mends, MendRepair) {
		return nil
	}
	t, err := worktree.Repair(ctx, m.Repo, m.a.Tree)
	if err != nil {
		return err
	}
	m.out.Path = t.Path
	m.out.Mended = append(m.out.Mended, MendRepair)
	before := m.a.Summary.Found
	now, err := m.Lookup(ctx, checkpoint.RunID(before.Key()))
	if err != nil {
		return errors.Join(ErrMoved, err)
	}
	same := func(f *sources.Found) string {
		return fingerprint(&sources.Found{Tasks: f.Tasks, Point: f.Point, State: f.State})
	}
	if now.Found == nil || same(now.Found) != same(before) {
		return ErrMoved
	}
	m.a.Summary.Found = now.Found
	return m.markAdopted(now.Found, m.out.Journal.Run.ID)
}

// makeTree makes the worktree where the work's own system would have it, on its branch.
func (m *mover) makeTree(ctx context.Context) error {
	f := m.a.Summary.Found
	for _, step := range m.a.Mends {
		if step != MendRecreate && step != MendMake {
			continue
		}
		at := f.Start
		if m.a.seen.branch != "" {
			at = ""
		} else if at == "" {
			at = m.out.Journal.Run.Base.Commit
		}
		made, err := worktree.Create(ctx, m.Repo, worktree.CreateRequest{
			Run: string(m.out.Journal.Run.ID), Branch: strings.TrimPrefix(f.Branch, "refs/heads/"), At: at, Path: m.a.Tree.Path, Now: m.Now,
		})
		if err != nil {
			return err
		}
		// Its own system must be able to remove it; only our own worktrees stay locked.
		if err := worktree.Unlock(made.Tree, string(m.out.Journal.Run.ID)); err != nil {
			return err
		}
		m.out.Path = made.Tree.Path
		m.out.Mended = append(m.out.Mended, step)
	}
	return nil
}

// tellSystem changes the files of the work's own system as that system would when it goes on.
func (m *mover) tellSystem(ctx context.Context) error {
	w := m.c.Foreign
	if w.Name == "" {
		w.Name = sources.Continue
	}
	changes, err := m.changesFor(ctx, m.a.Summary.Found, w)
	if err != nil || len(changes) == 0 {
		return err
	}
	j, err := m.act(ctx, &m.a.Summary, m.out.Journal.Run.ID, w, changes, m.owner.Append)
	if j != nil {
		m.out.Journal = j
	}
	return err
}

func (m *mover) recordForeign(ctx context.Context) error {
	f := m.a.Summary.Found
	ev := checkpoint.Event{
		Event: checkpoint.RunResumed, Task: checkpoint.TaskID(f.Point.Task), Verdict: string(m.a.Verdict),
		Reasons: append(short(m.c.Decision.Reasons), resumeFacts(f)...), Silent: int64(m.a.Silent.Seconds()), Text: string(m.c.Mode),
		BaseTip: m.a.seen.base, Head: m.a.seen.branch, Standing: m.a.standing(),
	}
	if m.HandsOff(ctx, m.a) {
		ev.Name = checkpoint.ToTool
	}
	if place, ok := m.registeredAt(m.out.Path); ok && len(m.out.Mended) > 0 {
		ev.Worktree, ev.Admin = place.WorkTree, adminOf(place)
	}
	j, err := m.owner.Append(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) { return []checkpoint.Event{ev}, nil })
	if err == nil {
		m.out.Journal = j
	}
	return err
}

// resumeFacts are what a log of another system's work tells besides the verdict: where its state is, and who goes on with what.
func resumeFacts(f *sources.Found) []string {
	var out []string
	if path, _ := f.Protocol["state_source_path"].(string); path != "" {
		out = append(out, "state source: "+path)
	}
	if agent, _ := f.Protocol["agent"].(string); agent != "" && f.Stands != "" {
		out = append(out, "resume point: "+f.Stands+", "+agent)
	}
	return out
}

// changesFor asks the source how a wish changes its system's files.
func (e *Engine) changesFor(ctx context.Context, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	for _, s := range e.Sources {
		if s.Name() != f.Source {
			continue
		}
		actor, ok := s.(sources.Actor)
		if !ok {
			break
		}
		return e.view(ctx).AskChanges(ctx, actor, f, w)
	}
	if w.Name == sources.Continue {
		return nil, nil
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

// Proposal is what an alternative would change, for a person to see first.
type Proposal struct {
	Summary Summary
	Wish    sources.Wish
	Changes []sources.Change
}

// Propose works out what an alternative of foreign work would change; it writes nothing.
func (e *Engine) Propose(ctx context.Context, id checkpoint.RunID, w sources.Wish) (*Proposal, error) {
	s, err := e.Lookup(ctx, id)
	if err != nil {
		return nil, err
	}
	if s.Found == nil {
		return nil, &sources.NoActionError{Key: string(id), Name: w.Name}
	}
	if w, err = e.answering(&s, w); err != nil {
		return nil, err
	}
	changes, err := e.changesFor(ctx, s.Found, w)
	if err != nil {
		return nil, err
	}
	return &Proposal{Summary: s, Wish: w, Changes: changes}, nil
}

// answering holds an answer to the options of the question that it is about.
func (e *Engine) answering(s *Summary, w sources.Wish) (sources.Wish, error) {
	if w.Name != sources.Answer {
		return w, nil
	}
	for i, q := range s.Found.Questions {
		if q.Task != w.Task && (w.Task != "" || i > 0) {
			continue
		}
		var err error
		w.Text, err = AnswerRequest{Run: string(s.Run.ID), Task: q.Task, Text: w.Text, Own: w.Own}.chosen(q.Options)
		return w, err
	}
	return w, nil
}

// Carry out a proposal that a person agreed to.
func (e *Engine) Carry(ctx context.Context, p *Proposal) (*checkpoint.Journal, error) {
	hides := p.Wish.Name == sources.Hide
	j, err := e.adopt(ctx, &p.Summary)
	if hides && errors.Is(err, ErrUnborn) {
		return nil, e.ignore(ctx, p.Summary.Found.Key()) // without a commit there is no journal that could record it
	}
	if err != nil || len(p.Changes) == 0 && !hides {
		return j, err
	}
	release, err := e.hold(j.Run.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	record := func(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*checkpoint.Journal, error) {
		return e.Store.Append(ctx, j.Run.ID, checkpoint.Batch{Decide: decide})
	}
	if !hides {
		return e.act(ctx, &p.Summary, j.Run.ID, p.Wish, p.Changes, record)
	}
	j, err = record(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunActed, Name: sources.Hide}}, nil
	})
	if err != nil {
		return nil, err
	}
	return j, e.ignore(ctx, p.Summary.Found.Key())
}

// ignore keeps a piece of foreign work from being shown in this clone.
func (e *Engine) ignore(ctx context.Context, key string) error {
	c, err := e.Repo.Again().Settings.Config(ctx)
	if err != nil || slices.Contains(c.All("resume.ignore"), key) {
		return err
	}
	return e.Repo.Settings.Configure(ctx, "--local", "--add", "resume.ignore", key)
}

// show takes an ignore back; what a person wrote there in another form stays.
func (e *Engine) show(ctx context.Context, key string) error {
	c, err := e.Repo.Again().Settings.Config(ctx)
	if err != nil || !slices.Contains(c.All("resume.ignore"), key) {
		return err
	}
	return e.Repo.Settings.Configure(ctx, "--local", "--unset-all", "resume.ignore", "^"+regexp.QuoteMeta(key)+"$")
}

// Hidden reports whether a run of another system's work is kept from being shown in this clone.
func (e *Engine) Hidden(ctx context.Context, r *checkpoint.Run) (bool, error) {
	if r.Source == "" {
		return false, nil
	}
	c, err := e.Repo.Settings.Config(ctx)
	return err == nil && slices.Contains(c.All("resume.ignore"), foreignKey(r)), err
}

// foreignKey names the work that a run was adopted from.
func foreignKey(r *checkpoint.Run) string { return r.Source + ":" + r.SourceID }

// flipHide takes a hiding back, or does it again.
func (e *Engine) flipHide(ctx context.Context, id checkpoint.RunID, back bool) error {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	key := foreignKey(&j.Run)
	if back {
		return e.show(ctx, key)
	}
	return e.ignore(ctx, key)
}

// AtWorkError says that somebody may be at work on what another system began, and by what sign.
type AtWorkError struct{ Key, Sign string }

func (e *AtWorkError) Error() string {
	return fmt.Sprintf("somebody may be at work on '%s': %s", e.Key, e.Sign)
}

// DroppingForeign tells what discarding foreign work would drop of branch and worktree; nil if it has none of its own.
func (e *Engine) DroppingForeign(ctx context.Context, p *Proposal, mode DiscardMode) (*Dropping, error) {
	f := p.Summary.Found
	// Who discards what was just handed over takes it back; processes in the worktree are looked for all the same.
	handed := p.Summary.Busy == e.handedOver(&p.Summary.Run, f)
	if p.Summary.Busy != "" && !handed && mode != DiscardForced {
		return nil, &AtWorkError{Key: f.Key(), Sign: p.Summary.Busy}
	}
	if f.Worktree == "" || f.Branch == "" {
		return nil, nil
	}
	d := &Dropping{Run: p.Summary}
	var err error
	if d.Keep, err = e.keepFor(ctx); err != nil {
		return nil, err
	}
	id, err := e.adoptedID(ctx, f)
	if err != nil {
		return nil, err
	}
	r := p.Summary.Run
	r.ID = id
	req, err := e.discardRequest(ctx, &r, mode)
	if err != nil {
		return nil, err
	}
	if p, ok := e.registeredAt(f.Worktree); ok {
		req.Path, req.Branch = p.WorkTree, f.Branch
	}
	req.Keep = stateFiles(f)
	// What lies in the tree that goes away goes, and comes back, with it.
	p.Changes = slices.DeleteFunc(p.Changes, func(c sources.Change) bool { return c.Tree == req.Path })
	d.Preview, err = worktree.PreviewDiscard(ctx, e.Repo, req, string(e.baseTip(ctx, &r)))
	return d, errors.Join(err, d.Preview.Refusal)
}

// DiscardForeign hides foreign work, and drops a worktree of its own. Its system's files in other trees stay where they are.
// One undo brings both back.
func (e *Engine) DiscardForeign(ctx context.Context, p *Proposal, mode DiscardMode) (*checkpoint.Journal, *Dropped, error) {
	f := p.Summary.Found
	own := f.Worktree != "" && f.Branch != ""
	if own && mode != DiscardForced { // before anything is moved
		if err := e.unused(p.Summary.Run.ID, f.Worktree, nil); err != nil {
			return nil, nil, err
		}
	}
	j, err := e.Carry(ctx, p)
	if err != nil || !own {
		return j, nil, err
	}
	d, err := e.discard(ctx, j.Run.ID, discardWay{mode: mode, keep: stateFiles(f)})
	return j, d, err
}

// stateFiles are the record that a system keeps of its own work. Many a repository ignores them; dropping the work must not lose them.
func stateFiles(f *sources.Found) []string {
	out := slices.Clone(f.Files)
	if f.Root != "" && f.Root != "." {
		out = append(out, f.Root)
	}
	return out
}
