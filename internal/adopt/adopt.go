package adopt

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
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree"
)

// Adopter takes other systems' work into a journal, and changes its files so that it can be undone.
type Adopter struct {
	*site.Site
	Find    *candidate.Finder
	Staging *staging.Stager
}

// Adopt gives foreign work a journal of its own, so that what is done about it is on record and can be undone.
// Work that has one already keeps it.
func (e *Adopter) Adopt(ctx context.Context, s *candidate.Summary) (*journal.Journal, error) {
	f := s.Found
	id, err := e.AdoptedID(ctx, f)
	if err != nil {
		return nil, err
	}
	j, err := e.Store.Load(ctx, id)
	var none *checkpoint.NoRunError
	if err == nil || !errors.As(err, &none) {
		return j, errors.Join(err, e.MarkAdopted(f, id))
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
		return nil, site.ErrUnborn
	}
	ev := checkpoint.Event{
		Event: checkpoint.RunAdopted, Source: f.Source, SourceID: f.ID, Name: s.Run.Name, Base: &base, Branch: f.Branch,
		Here: s.Run.Here, Head: f.Last, Text: f.Headline,
	}
	if ev.Head == "" {
		ev.Head = base.Commit
	}
	if p, ok := e.RegisteredAt(s.Run.Worktree); ok {
		ev.Worktree, ev.Admin = p.WorkTree, site.AdminOf(p)
	}
	if err := e.MarkAdopted(f, id); err != nil {
		return nil, err
	}
	return e.Store.Create(ctx, id, []checkpoint.Event{ev}, nil)
}

// RegisteredAt is the worktree of this repository at a path, as git has it.
func (e *Adopter) RegisteredAt(path string) (locate.Place, bool) {
	if path == "" {
		return locate.Place{}, false
	}
	p, err := locate.Find(path, nil)
	return p, err == nil && p.CommonDir == e.Repo.CommonDir && p.WorkTree == path
}

// MarkAdopted notes in the registration of the work's own worktree that it is now this run's.
// Only that makes it so: a discard drops no other.
func (e *Adopter) MarkAdopted(f *sources.Found, id checkpoint.RunID) error {
	p, ok := e.RegisteredAt(f.Worktree)
	if !ok || p.GitDir == p.CommonDir {
		return nil
	}
	return worktree.Mark(p.GitDir, string(id))
}

// ResumeFacts are what a log of another system's work tells besides the verdict: where its state is, and who goes on with what.
func ResumeFacts(f *sources.Found) []string {
	var out []string
	if path, _ := f.Protocol["state_source_path"].(string); path != "" {
		out = append(out, "state source: "+path)
	}
	if agent, _ := f.Protocol["agent"].(string); agent != "" && f.Stands != "" {
		out = append(out, "resume point: "+f.Stands+", "+agent)
	}
	return out
}

// ChangesFor asks the source how a wish changes its system's files.
func (e *Adopter) ChangesFor(ctx context.Context, f *sources.Found, w sources.Wish) ([]sources.Change, error) {
	for _, s := range e.Find.Sources {
		if s.Name() != f.Source {
			continue
		}
		actor, ok := s.(sources.Actor)
		if !ok {
			break
		}
		return e.Find.View(ctx).AskChanges(ctx, actor, f, w)
	}
	if w.Name == sources.Continue {
		return nil, nil
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

// Proposal is what an alternative would change, for a person to see first.
type Proposal struct {
	Summary candidate.Summary
	Wish    sources.Wish
	Changes []sources.Change
	// Sure: a person said that nobody is at work on it, whatever it looks like.
	Sure bool
}

// AtWork refuses what would get in the way of somebody who may be at work; nil where nothing speaks for that, or a person is sure.
func (p *Proposal) AtWork() error {
	if p.Sure || p.Summary.Busy == "" || p.Summary.Found == nil || !candidate.Disturbs(p.Wish.Name) {
		return nil
	}
	return &AtWorkError{Key: p.Summary.Found.Key(), Sign: p.Summary.Busy}
}

// Propose works out what an alternative of foreign work would change; it writes nothing.
func (e *Adopter) Propose(ctx context.Context, key candidate.Key, w sources.Wish) (*Proposal, error) {
	s, err := e.Find.Lookup(ctx, key)
	if err != nil {
		return nil, err
	}
	if s.Found == nil {
		return nil, &sources.NoActionError{Key: string(key), Name: w.Name}
	}
	if w, err = e.answering(&s, w); err != nil {
		return nil, err
	}
	changes, err := e.ChangesFor(ctx, s.Found, w)
	if err != nil {
		return nil, err
	}
	return &Proposal{Summary: s, Wish: w, Changes: changes}, nil
}

// answering holds an answer to the options of the question that it is about.
func (e *Adopter) answering(s *candidate.Summary, w sources.Wish) (sources.Wish, error) {
	if w.Name != sources.Answer {
		return w, nil
	}
	for i, q := range s.Found.Questions {
		if q.Task != w.Task && (w.Task != "" || i > 0) {
			continue
		}
		var err error
		w.Text, err = AnswerRequest{Run: string(s.Run.ID), Task: q.Task, Text: w.Text, Own: w.Own}.Chosen(q.Options)
		return w, err
	}
	return w, nil
}

// Carry out a proposal that a person agreed to.
func (e *Adopter) Carry(ctx context.Context, p *Proposal) (*journal.Journal, error) {
	hides := p.Wish.Name == sources.Hide
	if err := p.AtWork(); err != nil && len(p.Changes) > 0 {
		return nil, err
	}
	j, err := e.Adopt(ctx, &p.Summary)
	if hides && errors.Is(err, site.ErrUnborn) {
		return nil, e.ignore(ctx, p.Summary.Found.Key()) // without a commit there is no journal that could record it
	}
	if err != nil || len(p.Changes) == 0 && !hides {
		return j, err
	}
	release, err := e.Staging.Hold(j.Run.ID)
	if err != nil {
		return nil, err
	}
	defer release()
	record := func(ctx context.Context, decide func(*checkpoint.Run) ([]checkpoint.Event, error)) (*journal.Journal, error) {
		return e.Store.Append(ctx, j.Run.ID, journal.Batch{Decide: decide})
	}
	if !hides {
		return e.Act(ctx, &p.Summary, j.Run.ID, p.Wish, p.Changes, record)
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
	return err == nil && slices.Contains(c.All("resume.ignore"), candidate.ForeignKey(r)), err
}

// flipHide takes a hiding back, or does it again.
func (e *Adopter) flipHide(ctx context.Context, id checkpoint.RunID, back bool) error {
	j, err := e.Store.Load(ctx, id)
	if err != nil {
		return err
	}
	key := candidate.ForeignKey(&j.Run)
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

// StateFiles are the record that a system keeps of its own work. Many a repository ignores them; dropping the work must not lose them.
func StateFiles(f *sources.Found) []string {
	out := slices.Clone(f.Files)
	if f.Root != "" && f.Root != "." {
		out = append(out, f.Root)
	}
	return out
}

// AdoptedID is the name that our journal of foreign work has or will have. It depends on the work alone,
// so that two who adopt it at once mean the same run; a closed one is never taken up again.
func (e *Adopter) AdoptedID(ctx context.Context, f *sources.Found) (checkpoint.RunID, error) {
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

// Fingerprint is what must be the same when the answer comes as when the question was asked.
func Fingerprint(f *sources.Found) string {
	text, _ := json.Marshal(f) // plain values only
	return string(text)
}
