package resume

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// Adopter takes other systems' work into a journal, and changes its files so that it can be undone.
type Adopter struct {
	*Site
	Find    *Finder
	Staging *Stager
}

// adopt gives foreign work a journal of its own, so that what is done about it is on record and can be undone.
// Work that has one already keeps it.
func (e *Adopter) adopt(ctx context.Context, s *Summary) (*journal.Journal, error) {
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
func (e *Adopter) registeredAt(path string) (locate.Place, bool) {
	if path == "" {
		return locate.Place{}, false
	}
	p, err := locate.Find(path, nil)
	return p, err == nil && p.CommonDir == e.Repo.CommonDir && p.WorkTree == path
}

// markAdopted notes in the registration of the work's own worktree that it is now this run's.
// Only that makes it so: a discard drops no other.
func (e *Adopter) markAdopted(f *sources.Found, id checkpoint.RunID) error {
	p, ok := e.registeredAt(f.Worktree)
	if !ok || p.GitDir == p.CommonDir {
		return nil
	}
	return worktree.Mark(p.GitDir, string(id))
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
func (e *Adopter) changesFor(ctx context.Context, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	for _, s := range e.Find.Sources {
		if s.Name() != f.Source {
			continue
		}
		actor, ok := s.(sources.Actor)
		if !ok {
			break
		}
		return e.Find.view(ctx).AskChanges(ctx, actor, f, w)
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
func (e *Adopter) Propose(ctx context.Context, id checkpoint.RunID, w sources.Wish) (*Proposal, error) {
	s, err := e.Find.Lookup(ctx, id)
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
func (e *Adopter) answering(s *Summary, w sources.Wish) (sources.Wish, error) {
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
func (e *Adopter) Carry(ctx context.Context, p *Proposal) (*journal.Journal, error) {
	hides := p.Wish.Name == sources.Hide
	j, err := e.adopt(ctx, &p.Summary)
	if hides && errors.Is(err, ErrUnborn) {
		return nil, e.ignore(ctx, p.Summary.Found.Key()) // without a commit there is no journal that could record it
	}
	if err != nil || len(p.Changes) == 0 && !hides {
		return j, err
	}
	release, err := e.Staging.hold(j.Run.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	record := func(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error) {
		return e.Store.Append(ctx, j.Run.ID, journal.Batch{Decide: decide})
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
func (e *Adopter) ignore(ctx context.Context, key string) error {
	c, err := e.Repo.Again().Settings.Config(ctx)
	if err != nil || slices.Contains(c.All("resume.ignore"), key) {
		return err
	}
	return e.Repo.Settings.Configure(ctx, "--local", "--add", "resume.ignore", key)
}

// show takes an ignore back; what a person wrote there in another form stays.
func (e *Adopter) show(ctx context.Context, key string) error {
	c, err := e.Repo.Again().Settings.Config(ctx)
	if err != nil || !slices.Contains(c.All("resume.ignore"), key) {
		return err
	}
	return e.Repo.Settings.Configure(ctx, "--local", "--unset-all", "resume.ignore", "^"+regexp.QuoteMeta(key)+"$")
}

// Hidden reports whether a run of another system's work is kept from being shown in this clone.
func (e *Adopter) Hidden(ctx context.Context, r *checkpoint.Run) (bool, error) {
	if r.Source == "" {
		return false, nil
	}
	c, err := e.Repo.Settings.Config(ctx)
	return err == nil && slices.Contains(c.All("resume.ignore"), foreignKey(r)), err
}

// flipHide takes a hiding back, or does it again.
func (e *Adopter) flipHide(ctx context.Context, id checkpoint.RunID, back bool) error {
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

// stateFiles are the record that a system keeps of its own work. Many a repository ignores them; dropping the work must not lose them.
func stateFiles(f *sources.Found) []string {
	out := slices.Clone(f.Files)
	if f.Root != "" && f.Root != "." {
		out = append(out, f.Root)
	}
	return out
}

// adoptedID is the name that our journal of foreign work has or will have. It depends on the work alone,
// so that two who adopt it at once mean the same run; a closed one is never taken up again.
func (e *Adopter) adoptedID(ctx context.Context, f *sources.Found) (checkpoint.RunID, error) {
	for n := 0; ; n++ {
		id := checkpoint.RunIDFor(f.Slug(), fmt.Sprintf("%s#%d", f.Key(), n))
		j, err := e.Store.Load(ctx, id)
		var none *checkpoint.NoRunError
		switch {
		case errors.As(err, &none):
			return id, nil
		case err != nil:
			return "", err
		case j.Run.Source == f.Source && j.Run.SourceID == f.ID && !j.Run.Closed() && j.Run.Ours():
			return id, nil
		}
	}
}

// fingerprint is what must be the same when the answer comes as when the question was asked.
func fingerprint(f *sources.Found) string {
	text, _ := json.Marshal(f) // plain values only
	return string(text)
}
