package candidate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// Finder finds what can be continued.
type Finder struct {
	*site.Site
	// Sources read what other systems left; the first one leads where two see the same work.
	Sources []sources.Source

	// systems are the other systems of which something was found when all work was last looked for.
	systems []string
	// Look is the look for all work that is under way.
	Look Look
}

// Status finds work of every source in every worktree, each piece once, the most recently active first.
func (e *Finder) Status(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	own, err := e.Summaries(ctx, mode)
	if err != nil {
		return nil, err
	}
	if e.Look.scan = e.looking(ctx); !e.Look.holding {
		defer func() { e.Look.scan = nil }()
	}
	found, err := e.Foreign(ctx)
	if err != nil {
		return nil, err
	}
	e.systems = nil
	u := union{Site: e.Site, scan: e.Look.scan, all: own, mode: mode}
	for i := range found {
		if name := found[i].Source; !slices.Contains(noSystem, name) && !slices.Contains(e.systems, name) {
			e.systems = append(e.systems, name)
		}
		u.take(&found[i])
	}
	if mode == journal.OpenRuns {
		u.all = slices.DeleteFunc(u.all, over)
	}
	for i := range u.all {
		whyGone(ctx, e.Repo, &u.all[i])
	}
	byActivity(u.all)
	return u.all, nil
}

// noSystem are the sources that stand for no system in which somebody would begin new work: git, and lists that anybody may write.
var noSystem = []string{GitSource, "boxes", "planning"}

// Systems names the other systems of which something was found when all work was last looked for, open or not.
func (e *Finder) Systems() []string { return slices.Clone(e.systems) }

// over: work that was adopted is as open as its own system says, and closed where that knows nothing of it any more.
func over(s Summary) bool {
	return s.Run.Source != "" && (s.Found == nil || !s.Found.State.Open()) && !s.Life.Held()
}

// Foreign asks every other source, and leaves out what the user does not want to see.
// The settings are read only if something was found: most repositories hold nothing of the kind.
func (e *Finder) Foreign(ctx context.Context) ([]sources.Found, error) {
	if len(e.Sources) == 0 {
		return nil, nil
	}
	found, err := e.looking(ctx).found()
	return slices.Clone(found), err // whoever asks may join and change what was found
}

// ask puts the question to all sources.
func (e *scan) ask(ctx context.Context, readers []sources.Source) ([]sources.Found, error) {
	answers := make([][]sources.Found, len(readers))
	var asked sync.WaitGroup
	through := make([]func(context.Context), len(readers))
	for i, s := range readers {
		through[i] = e.view.Expect(s)
	}
	for _, historian := range []bool{true, false} { // whoever waits for git goes first, and the others work meanwhile
		for i, s := range readers {
			if _, is := s.(sources.Historian); is != historian {
				continue
			}
			asked.Go(func() {
				defer through[i](ctx)
				answers[i] = e.view.Ask(ctx, s)
				if slices.ContainsFunc(answers[i], hasDriver) {
					e.commands() // which others need not wait for
				}
			})
		}
	}
	asked.Wait()
	all := slices.Concat(answers...)
	if len(all) == 0 {
		return nil, nil
	}
	return wanted(ctx, e.Repo, all)
}

// View is the repository as sources see it.
func (e *Finder) View(ctx context.Context) *sources.View {
	set := sync.OnceValue(func() bool { return e.Repo.Settings.Mentions("resume") })
	return sources.NewView(e.Repo, e.Now(), func(key string) []string {
		if !set() {
			return nil // asking git would cost more than all the rest
		}
		c, err := e.Repo.Settings.Config(ctx)
		if err != nil {
			return nil // whoever needs the settings next says so
		}
		return c.All(strings.ToLower(key))
	})
}

// wanted holds what was found to resume.sources and resume.ignore.
func wanted(ctx context.Context, repo *gitstate.Repo, all []sources.Found) ([]sources.Found, error) {
	if !repo.Settings.Mentions("resume") {
		return all, nil
	}
	c, err := repo.Settings.Config(ctx)
	if err != nil {
		return nil, err
	}
	var only []string
	for _, v := range c.All("resume.sources") {
		only = append(only, strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })...)
	}
	ignore := c.All("resume.ignore")
	return slices.DeleteFunc(all, func(f sources.Found) bool {
		if len(only) > 0 && !slices.Contains(only, f.Source) {
			return true
		}
		return slices.ContainsFunc(ignore, func(pattern string) bool {
			hit, _ := filepath.Match(pattern, f.Key())
			return hit || pattern == f.Key() || pattern == f.Source
		})
	}), nil
}

// Standing are the pieces of work whose own worktree this is.
func (e *Finder) Standing(all []Summary) []Summary {
	main, _ := e.Repo.Main()
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool {
		if s.Found != nil {
			return s.Path != e.Repo.WorkTree || s.Path == main.WorkTree && s.Found.Source != GitSource
		}
		return s.Damaged != "" || !e.WorksHere(&s.Run)
	})
}

// Lookup finds one piece of work by its name, with what its own system says of it.
func (e *Finder) Lookup(ctx context.Context, key Key) (Summary, error) {
	own := key.Kind() == OwnRun
	if own {
		s, err := e.Summary(ctx, key.Run())
		if err != nil || s.Run.Source == "" {
			return s, err
		}
	}
	all, err := e.Status(ctx, journal.AllRuns)
	if err != nil {
		return Summary{}, err
	}
	for _, s := range all {
		if s.Key() == key || s.Found != nil && FoundKey(s.Found) == key {
			return s, nil
		}
	}
	if own { // its own system's state is gone; the journal is still here
		s, err := e.Summary(ctx, key.Run())
		if err == nil {
			whyGone(ctx, e.Repo, &s)
		}
		return s, err
	}
	return e.lookupHidden(ctx, key)
}

// lookupHidden finds work that is listed under something else, such as the rebase that is under way in its worktree.
func (e *Finder) lookupHidden(ctx context.Context, key Key) (Summary, error) {
	found, err := e.Foreign(ctx)
	if err != nil {
		return Summary{}, err
	}
	for i := range found {
		if FoundKey(&found[i]) == key {
			return e.SummaryOf(ctx, &found[i]), nil
		}
	}
	return Summary{}, &NoneError{Given: string(key)}
}

func (e *Finder) newScan(ctx context.Context) *scan {
	s := &scan{Site: e.Site, view: e.View(ctx), read: map[checkpoint.RunID][]checkpoint.Line{}, wrote: map[checkpoint.RunID]ownWrites{}}
	s.commands = sync.OnceValue(s.allCommands)
	s.found = sync.OnceValues(func() ([]sources.Found, error) { return s.ask(ctx, e.Sources) })
	return s
}

// looking is the scan that is under way, or a new one: for a single question, or for all until Release.
func (e *Finder) looking(ctx context.Context) *scan {
	if e.Look.scan != nil {
		return e.Look.scan
	}
	s := e.newScan(ctx)
	if e.Look.holding {
		e.Look.scan = s
	}
	return s
}

// SummaryOf describes foreign work in the words of our own runs.
func (e *Finder) SummaryOf(ctx context.Context, f *sources.Found) Summary {
	return e.looking(ctx).summaryOf(f)
}
