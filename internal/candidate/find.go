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
	"github.com/git-resume/git-resume/internal/proc"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// Finder finds work that can be continued.
type Finder struct {
	*site.Site
	// Sources read the state of other systems. If two sources find the same work, the first one in this list wins.
	Sources []sources.Source

	// systems lists the other systems whose work the last search found.
	systems []string
	// hidden counts the open work that the last search found and the user has hidden.
	hidden int
	// Look caches the current search for all work.
	Look Scan
}

// Status finds the work of every source in every worktree. It lists each piece of work once, the most recently active first. It sets the
// field Listed for all open work that is not hidden.
//
// In contrast to Judging.Status, it does not examine whether other systems' work is old or already finished, so such work is listed too.
func (e *Finder) Status(ctx context.Context, mode journal.ListMode) ([]Summary, error) {
	own, err := e.Summaries(ctx, mode)
	if err != nil {
		return nil, err
	}
	if e.Look.scan = e.currentScan(ctx); !e.Look.held {
		defer func() { e.Look.scan = nil }()
	}
	found, err := e.Foreign(ctx)
	if err != nil {
		return nil, err
	}
	e.systems, e.hidden = nil, Hiding{Find: e}.count(ctx)
	for i := range e.Look.scan.unwanted {
		e.systems = withSystem(e.systems, e.Look.scan.unwanted[i].Source)
	}
	for i := range own { // the state files of a closed run may be gone, so its system may be missing in "found"
		e.systems = withSystem(e.systems, own[i].Run.Source)
	}
	u := union{Site: e.Site, scan: e.Look.scan, all: slices.Grow(own, len(found)), mode: mode}
	for i := range found {
		e.systems = withSystem(e.systems, found[i].Source)
		u.add(&found[i])
	}
	if mode == journal.OpenRuns {
		u.all = slices.DeleteFunc(u.all, isOver)
	}
	for i := range u.all {
		whyGone(ctx, e.Repo, &u.all[i])
		e.Look.scan.setAside(&u.all[i])
	}
	if mode == journal.AllRuns {
		u.all = append(u.all, e.Look.scan.hiddenWithoutRun(u.all)...)
	}
	for i := range u.all {
		u.all[i].Listed = !u.all[i].Run.Closed() && !u.all[i].Hidden
	}
	byActivity(u.all)
	return u.all, nil
}

// noSystem lists the sources that are never suggested for starting new work: git itself, and the readers of to-do lists and planning
// files.
var noSystem = []string{GitSource, sources.TaskLists, sources.PlanningFiles, "planning"}

func withSystem(systems []string, name string) []string {
	if name == "" || slices.Contains(noSystem, sources.ReaderOf(name)) || slices.Contains(systems, name) {
		return systems
	}
	return append(systems, name)
}

// Systems names the other systems in which the user could start new work: those whose work the last search found, open or closed. Some
// names are followed by the commands that start work there.
func (e *Finder) Systems() []string {
	var out []string
	for _, name := range append(slices.Clone(e.systems), e.setUp()...) {
		where := name + " itself"
		for _, s := range e.Sources {
			if starter, ok := s.(sources.Starter); ok && s.Name() == name {
				where += ", " + starter.Starts()
			}
		}
		out = append(out, where)
	}
	return out
}

// setUp names the systems whose commands are installed in the current worktree, and of which no work was found.
func (e *Finder) setUp() (out []string) {
	for _, s := range e.Sources {
		if starter, ok := s.(sources.Starter); ok && !slices.Contains(e.systems, s.Name()) && starter.SetUp(sources.Tree{Files: sources.Files{Top: e.Repo.WorkTree}}) {
			out = append(out, s.Name())
		}
	}
	return out
}

// isOver reports whether adopted work is closed, according to the other system, and is not being executed. Work that the other system no
// longer knows counts as closed.
func isOver(s Summary) bool {
	return s.Run.Source != "" && (s.Found == nil || !s.Found.State.Open()) && !s.Life.Held()
}

// Foreign asks every source for other systems' work, and leaves out work that the settings exclude.
func (e *Finder) Foreign(ctx context.Context) ([]sources.Found, error) {
	if len(e.Sources) == 0 {
		return nil, nil
	}
	found, err := e.currentScan(ctx).found()
	return slices.Clone(found), err // return a copy, because the caller may change these entries
}

// ask asks all sources at the same time, and leaves out work that the settings exclude.
func (e *scan) ask(ctx context.Context, readers []sources.Source) ([]sources.Found, error) {
	answers := make([][]sources.Found, len(readers))
	var asked sync.WaitGroup
	for i, s := range readers {
		asked.Go(func() {
			answers[i] = e.view.Ask(ctx, s)
			if slices.ContainsFunc(answers[i], hasDriver) {
				e.commands() // read the process list now, while the other sources are still working
			}
		})
	}
	asked.Wait()
	all := slices.Concat(answers...)
	if len(all) == 0 {
		return nil, nil
	}
	shown, unwanted, err := filterShown(ctx, e.Repo, all)
	e.unwanted = slices.DeleteFunc(unwanted, func(f sources.Found) bool {
		again := e.movedOn(ctx, &f)
		if again {
			shown = append(shown, f)
		}
		return again
	})
	return shown, err
}

// setAside sets the field Aside of a run that adopted another system's work. It does so only if the setting resume.ignore hides this work.
// Aside then describes the work as it is in the other system.
func (e *scan) setAside(s *Summary) {
	for i := range e.unwanted {
		if f := &e.unwanted[i]; s.Found == nil && f.Is(s.Run.Source, s.Run.SourceID) && s.Run.Ours() {
			s.Aside = f
		}
	}
}

// View returns the repository in the form in which each sources.Source reads it.
func (e *Finder) View(ctx context.Context) *sources.View {
	set := sync.OnceValue(func() bool { return e.Repo.Settings.Mentions("resume") })
	return sources.NewView(e.Repo, e.Now(), func(key string) []string {
		if !set() {
			return nil // no settings file mentions resume, and asking git for its settings would take longer than the whole search
		}
		c, err := e.Repo.Settings.Config(ctx)
		if err != nil {
			return nil // ignore the error; the next caller that needs the settings reports it
		}
		return c.All(strings.ToLower(key))
	})
}

// filterShown leaves out work that the settings resume.sources and resume.ignore exclude. The result "ignored" has only the work that
// resume.ignore excludes.
func filterShown(ctx context.Context, repo *gitstate.Repo, all []sources.Found) (shown, ignored []sources.Found, err error) {
	if !repo.Settings.Mentions("resume") {
		return all, nil, nil
	}
	c, err := repo.Settings.Config(ctx)
	if err != nil {
		return nil, nil, err
	}
	selected, ignore := c.All("resume.sources"), c.All(IgnoreSetting)
	for _, f := range all {
		switch {
		case !sources.Selects(selected, f.Source):
		case slices.ContainsFunc(ignore, func(pattern string) bool { return Excludes(pattern, &f) }):
			ignored = append(ignored, f)
		default:
			shown = append(shown, f)
		}
	}
	return shown, ignored, nil
}

// Excludes reports whether a value of resume.ignore excludes a piece of work, by a pattern for its key or by the name of its system. The
// value may use a name that an earlier version gave to the work.
func Excludes(pattern string, f *sources.Found) bool {
	for _, key := range sources.KeysOf(f) {
		if hit, _ := filepath.Match(pattern, key); hit || pattern == key {
			return true
		}
	}
	return sources.SameSource(pattern, f.Source)
}

// Standing returns the work that belongs to the current worktree. It leaves out runs that cannot be read. In the main worktree, it also
// leaves out other systems' work, because many pieces of such work may be there. But it does not leave out git operations: they must end
// before anything else can continue there.
func (e *Finder) Standing(all []Summary) []Summary {
	main, _ := e.Repo.Main()
	return slices.DeleteFunc(slices.Clone(all), func(s Summary) bool {
		if s.Found != nil {
			return s.Path != e.Repo.WorkTree || s.Path == main.WorkTree && s.Found.Source != GitSource
		}
		return s.Damaged != "" || !e.WorksHere(&s.Run) && site.PlaceHere(e.Site, &s.Run) == nil
	})
}

// Lookup finds one piece of work by its key. If another system started the work, the result has the state from that system's files, as
// far as it was found.
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
		if s.Key() == key || s.Found != nil && slices.Contains(sources.KeysOf(s.Found), string(key)) {
			return s, nil
		}
	}
	if own { // the other system's state is gone, but our journal still exists
		s, err := e.Summary(ctx, key.Run())
		if err == nil {
			whyGone(ctx, e.Repo, &s)
		}
		return s, err
	}
	return e.lookupHidden(ctx, key)
}

// lookupHidden finds work that the list shows under another key.
// For example, the list shows a rebase instead of the work in the same worktree.
func (e *Finder) lookupHidden(ctx context.Context, key Key) (Summary, error) {
	found, err := e.Foreign(ctx)
	if err != nil {
		return Summary{}, err
	}
	for i := range found {
		if slices.Contains(sources.KeysOf(&found[i]), string(key)) {
			return e.SummaryOf(ctx, &found[i]), nil
		}
	}
	return Summary{}, &NoneError{Given: string(key)}
}

func newScan(ctx context.Context, e *Finder) *scan {
	s := &scan{
		Site: e.Site, view: e.View(ctx), runs: map[string][]proc.Process{},
		read: map[checkpoint.RunID][]checkpoint.Line{}, wrote: map[checkpoint.RunID]ownWrites{},
	}
	s.commands = sync.OnceValue(s.allCommands)
	s.found = sync.OnceValues(func() ([]sources.Found, error) { return s.ask(ctx, e.Sources) })
	return s
}

// currentScan returns the stored scan or starts a new one. A new scan is stored only between Hold and Release.
func (e *Finder) currentScan(ctx context.Context) *scan {
	if e.Look.scan != nil {
		return e.Look.scan
	}
	s := newScan(ctx, e)
	if e.Look.held {
		e.Look.scan = s
	}
	return s
}

// SummaryOf describes another system's work in the same form as one of our runs.
func (e *Finder) SummaryOf(ctx context.Context, f *sources.Found) Summary {
	return e.currentScan(ctx).summaryOf(f)
}
