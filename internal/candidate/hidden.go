package candidate

import (
	"context"
	"slices"
	"strings"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/worktree"
)

// IgnoreSetting names the setting that lists hidden work.
const IgnoreSetting = "resume.ignore"

// HidingValue returns the value of the setting resume.ignore that hides exactly one piece of work. The value is read as a pattern, so
// special characters in the name are escaped. Otherwise a repository could choose a name that hides other work too.
func HidingValue(source, id string) string {
	escape := strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
	return escape.Replace(source + ":" + id)
}

// HidesWork reports whether a value of the setting resume.ignore hides exactly this work. The value may use a name that an earlier version
// gave to the work.
func HidesWork(value, source, id string) bool {
	for _, v := range []string{value, unescaped(value)} {
		given, rest, ok := strings.Cut(v, ":")
		if ok && rest == id && sources.SameSource(given, source) {
			return true
		}
	}
	return false
}

// unescaped removes the backslashes that HidingValue adds.
func unescaped(value string) string {
	var b strings.Builder
	for i := 0; i < len(value); i++ {
		if value[i] == '\\' && i+1 < len(value) {
			i++
		}
		b.WriteByte(value[i])
	}
	return b.String()
}

// HiddenWork is a piece of work that the setting resume.ignore excludes, and the value that excludes it.
type HiddenWork struct {
	Summary
	Value string
}

// Hiding finds the work that the setting resume.ignore excludes.
type Hiding struct{ Find *Finder }

// List returns the hidden work that still exists, and the values of the setting resume.ignore that hide nothing now.
func (e Hiding) List(ctx context.Context) (works []HiddenWork, unused []string, err error) {
	c, err := e.Find.Repo.Settings.Config(ctx)
	if err != nil {
		return nil, nil, err
	}
	scan := e.Find.currentScan(ctx)
	if _, err := scan.found(); err != nil {
		return nil, nil, err
	}
	used := map[string]bool{}
	values := c.All(IgnoreSetting)
	for i := range scan.unwanted {
		f := &scan.unwanted[i]
		at := slices.IndexFunc(values, func(v string) bool { return HidesWork(v, f.Source, f.ID) })
		if at < 0 {
			at = slices.IndexFunc(values, func(v string) bool { return Excludes(v, f) })
		}
		used[values[at]] = true
		works = append(works, HiddenWork{Summary: scan.hiddenSummary(f), Value: values[at]})
	}
	for _, v := range values {
		if !used[v] && !slices.Contains(unused, v) {
			unused = append(unused, v)
		}
	}
	return works, unused, nil
}

// movedOn reports whether work that was discarded here was started again since: it has a worktree that was made after the discard, or its
// files or commits are newer. Such work is shown, because a discard ends the old build and not the next one. Each discard and each hiding
// adds a value for the work. So with more values than discards, the user has hidden the next build too, and with a pattern all builds.
func (e *scan) movedOn(ctx context.Context, f *sources.Found) bool {
	c, err := e.Repo.Settings.Config(ctx)
	if err != nil || !f.State.Open() {
		return false
	}
	values := 0
	for _, v := range c.All(IgnoreSetting) {
		switch {
		case HidesWork(v, f.Source, f.ID):
			values++
		case Excludes(v, f):
			return false
		}
	}
	ids, err := e.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return false
	}
	var last checkpoint.Run
	for _, id := range adoptersOf(f.Slug(), ids) {
		j, err := e.Store.Load(ctx, id)
		if err != nil || !j.Run.Ours() || !j.Run.Discarded || !f.Is(j.Run.Source, j.Run.SourceID) {
			continue
		}
		if values--; j.Run.LastAt.After(last.LastAt) {
			last = j.Run
		}
	}
	if last.ID == "" || values > 0 {
		return false
	}
	t, ok := e.view.At(f.Worktree)
	return f.Active.After(last.LastAt) || ok && !t.Main() && worktree.RunOf(t.Linked.GitDir) != string(last.ID)
}

// hiddenSummary describes hidden work in the form of a hidden run without tasks.
func (e *scan) hiddenSummary(f *sources.Found) Summary {
	s := e.summaryOf(f)
	r := checkpoint.Run{ID: s.Run.ID, Name: s.Run.Name, Source: f.Source, SourceID: f.ID, LastAt: s.Run.LastAt, Here: true}
	return Summary{Run: r, State: checkpoint.Idle, Hidden: true, Aside: f}
}

// hiddenWithoutRun describes the hidden work that no run of ours has adopted.
func (e *scan) hiddenWithoutRun(known []Summary) (out []Summary) {
	for i := range e.unwanted {
		f := &e.unwanted[i]
		if !slices.ContainsFunc(known, func(s Summary) bool { return s.Aside == f }) {
			out = append(out, e.hiddenSummary(f))
		}
	}
	return out
}

// Count returns how many pieces of open work the last search left out because of the setting resume.ignore.
func (e Hiding) Count() int { return e.Find.hidden }

// count counts the open work that the setting resume.ignore excludes. It leaves out work that one of our runs has merged, because nobody
// needs to be told about that.
func (e Hiding) count(ctx context.Context) (n int) {
	open := slices.DeleteFunc(slices.Clone(e.Find.Look.scan.unwanted), func(f sources.Found) bool { return !f.State.Open() })
	if len(open) == 0 {
		return 0
	}
	ids, err := e.Find.Store.List(ctx, journal.AllRuns)
	if err != nil {
		return len(open)
	}
	for i := range open {
		if !e.merged(ctx, &open[i], ids) {
			n++
		}
	}
	return n
}

// merged reports whether one of the runs adopted the work and was merged as a whole.
func (e Hiding) merged(ctx context.Context, f *sources.Found, ids []checkpoint.RunID) bool {
	return slices.ContainsFunc(adoptersOf(f.Slug(), ids), func(id checkpoint.RunID) bool {
		s, err := e.Find.Summary(ctx, id)
		return err == nil && s.Run.Merged != "" && !f.MergedInPart() && f.Is(s.Run.Source, s.Run.SourceID)
	})
}
