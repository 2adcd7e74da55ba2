package adopt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// Adopter records other systems' work in a journal, and changes those systems' files in a way that can be undone.
type Adopter struct {
	*site.Site
	Find    *candidate.Finder
	Staging *staging.Stager
}

// Adopt creates a journal for another system's work, so that later actions on that work are recorded and can be undone.
// If the work already has a journal, Adopt returns it.
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
	// First remove the leftovers of an interrupted adoption. They use the id of the new journal, which could otherwise not be created.
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

// RegisteredAt finds the worktree of this repository that git has registered at exactly this path. It returns false if there is none.
func (e *Adopter) RegisteredAt(path string) (locate.Place, bool) {
	if path == "" {
		return locate.Place{}, false
	}
	p, err := locate.Find(path, nil)
	return p, err == nil && p.CommonDir == e.Repo.CommonDir && p.WorkTree == path
}

// MarkAdopted writes the run's id into git's registration of the other system's worktree. Without this mark the worktree would not count as
// the run's own, and a discard would not remove it. The main worktree is never marked.
func (e *Adopter) MarkAdopted(f *sources.Found, id checkpoint.RunID) error {
	p, ok := e.RegisteredAt(f.Worktree)
	if !ok || p.GitDir == p.CommonDir {
		return nil
	}
	return worktree.Mark(p.GitDir, string(id))
}

// ResumeFacts lists details about another system's work for the log: where its state is, where it continues, and with which agent.
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

// ChangesFor returns the changes to the other system's files that would do what the user requested. For the action Continue there may be
// none.
func (e *Adopter) ChangesFor(ctx context.Context, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	for _, s := range e.Find.Sources {
		if s.Name() != sources.ReaderOf(f.Source) {
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

// Proposal lists what an action would change. The proposal is shown to a person before the action is carried out.
type Proposal struct {
	Summary candidate.Summary
	Request sources.ActionRequest
	Changes []sources.Change
	// Sure is true if a person said that nobody is working on the other system's work, although it looks as if somebody is.
	Sure bool
}

// AtWork returns an error if the action could disturb somebody who may be working on the other system's work. It returns nil if Sure is
// true.
func (p *Proposal) AtWork() error {
	if p.Sure || p.Summary.Busy == "" || p.Summary.Found == nil || !candidate.Disturbs(p.Request.Name) || p.ticksHanded() {
		return nil
	}
	return &AtWorkError{Key: p.Summary.Found.Key(), Sign: p.Summary.Busy}
}

// ticksHanded reports whether the action ticks the task for which we printed a brief, the text that says what to do next. The brief asks
// its reader to tick this task at the end, so the action is allowed, although the work counts as in use: the printed brief is the only
// reason why it does. The action must name the task: without a name, another person could tick a task that the worker has just started.
func (p *Proposal) ticksHanded() bool {
	s, task := &p.Summary, p.Request.Task
	ticks := p.Request.Name == sources.SkipUnit && sources.ReaderOf(s.Found.Source) == sources.TaskLists
	return ticks && s.Handed && task != "" && (task == string(s.Run.HandedTask) || task == s.Found.Point.Task)
}

// Propose computes what an action on another system's work would change. It writes nothing.
func (e *Adopter) Propose(ctx context.Context, key candidate.Key, w sources.ActionRequest) (*Proposal, error) {
	s, err := e.Find.Lookup(ctx, key)
	if err != nil {
		return nil, err
	}
	if s.Found == nil {
		return nil, &sources.NoActionError{Key: string(key), Name: w.Name}
	}
	if w, err = e.resolveAnswer(&s, w); err != nil {
		return nil, err
	}
	changes, err := e.ChangesFor(ctx, s.Found, w)
	if err != nil {
		return nil, err
	}
	return &Proposal{Summary: s, Request: w, Changes: changes}, nil
}

// resolveAnswer replaces the text of an answer by the option that the text names. If the question has options, any other text must be
// marked as free text, or it is refused.
func (e *Adopter) resolveAnswer(s *candidate.Summary, w sources.ActionRequest) (sources.ActionRequest, error) {
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

// Carry carries out a proposal that a person agreed to.
func (e *Adopter) Carry(ctx context.Context, p *Proposal) (*journal.Journal, error) {
	hides := p.Request.Name == sources.Hide
	if err := p.AtWork(); err != nil && len(p.Changes) > 0 {
		return nil, err
	}
	j, err := e.Adopt(ctx, &p.Summary)
	if hides && errors.Is(err, site.ErrUnborn) {
		return nil, e.Hide(ctx, p.Summary.Found) // a repository without a commit can have no journal, so the work is only hidden
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
		return e.Act(ctx, &p.Summary, j.Run.ID, p.Request, p.Changes, record)
	}
	j, err = record(ctx, func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{{Event: checkpoint.RunActed, Name: sources.Hide}}, nil
	})
	if err != nil {
		return nil, err
	}
	return j, e.Hide(ctx, p.Summary.Found)
}

// AtWorkError says that somebody may be working on another system's work. Sign describes what we saw.
type AtWorkError struct{ Key, Sign string }

func (e *AtWorkError) Error() string {
	return fmt.Sprintf("somebody may be working on '%s': %s", e.Key, e.Sign)
}

// StateFiles lists the files and the folder in which another system records its work. Many repositories ignore them, but a discard must not
// lose them.
func StateFiles(f *sources.Found) []string {
	out := slices.Clone(f.Files)
	if f.Root != "" && f.Root != "." {
		out = append(out, f.Root)
	}
	return out
}

// AdoptedID returns the id of our journal for another system's work, whether or not the journal exists yet. The id is made from the key
// that earlier versions used, so that this version finds the runs that they made.
func (e *Adopter) AdoptedID(ctx context.Context, f *sources.Found) (checkpoint.RunID, error) {
	for n := 0; ; n++ {
		id := checkpoint.RunIDFor(f.Slug(), fmt.Sprintf("%s#%d", f.FormerKey(), n))
		j, err := e.Store.Load(ctx, id)
		var none *checkpoint.NoRunError
		switch {
		case errors.As(err, &none):
			return id, nil
		case err != nil:
			return "", err
		case f.Is(j.Run.Source, j.Run.SourceID) && !j.Run.Closed() && j.Run.Ours():
			return id, nil
		}
	}
}

// Fingerprint returns a text that is different after a change of the work. It shows whether the work changed while the user answered a
// question.
func Fingerprint(f *sources.Found) string {
	text, _ := json.Marshal(f) // Marshal cannot fail here, because JSON supports all types in f
	return string(text)
}
