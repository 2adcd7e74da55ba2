package handler

import (
	"context"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// taskLists replaces the real reader of task lists. It finds the same work as the type "list", but names a tool such as kiro as its source.
// In an earlier version the source of this work was "boxes".
type taskLists struct {
	list
	source string
}

func (taskLists) Name() string { return sources.TaskLists }

func (l taskLists) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	all, err := l.list.Find(ctx, v)
	for i := range all {
		all[i].Source = l.source
	}
	return all, err
}

func versionWith(t *testing.T, r *gittest.Repo, source string) *Engine {
	t.Helper()
	e := foreignEngine(t, r)
	e.Find.Sources = []sources.Source{taskLists{source: source}}
	return e
}

// An earlier version recorded work under the name "boxes". This version finds, shows and restores that work under the name of its tool.
func TestNaming_recordsOfTheVersionBefore(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na done\nb active\n")
	before := versionWith(t, r, sources.TaskLists)
	p, err := before.Adopt.Propose(t.Context(), "boxes:job-1", sources.ActionRequest{Name: sources.Reset})
	if err != nil {
		t.Fatal(err)
	}
	j, err := before.Adopt.Carry(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	now := versionWith(t, r, sources.SpecKit)
	if s := only(t, now); s.Run.ID != j.Run.ID || s.Called() != "spec-kit:job-1" || s.Source() != sources.SpecKit {
		t.Errorf("it is called %s, its run is %s, not %s", s.Called(), s.Run.ID, j.Run.ID)
	}
	for _, name := range []string{"spec-kit:job-1", "boxes:job-1", "job-1", string(j.Run.ID)} {
		if key, err := now.Find.Which(t.Context(), name); err != nil || key.Run() != j.Run.ID {
			t.Errorf("%s means %s: %v", name, key, err)
		}
	}
	if s := only(t, now); s.Found != nil {
		if id, err := now.Adopt.AdoptedID(t.Context(), s.Found); err != nil || id != j.Run.ID {
			t.Errorf("continuing it would make a second run %s: %v", id, err)
		}
	}
	hide := &adopt.Proposal{Summary: only(t, before), Request: sources.ActionRequest{Name: sources.Hide}}
	if _, err := before.Adopt.Carry(t.Context(), hide); err != nil {
		t.Fatal(err)
	}
	now = versionWith(t, r, sources.SpecKit)
	all, err := now.Find.Status(t.Context(), journal.OpenRuns)
	if hidden := (candidate.Hiding{Find: now.Find}).Count(); err != nil || len(all) > 0 || hidden != 1 {
		t.Errorf("%d pieces of work are shown, %d hidden: %v", len(all), hidden, err)
	}
	all, err = now.Find.Status(t.Context(), journal.AllRuns)
	if err != nil || len(all) != 1 || !all[0].Hidden || all[0].Called() != "spec-kit:job-1" {
		t.Errorf("all work: %+v, %v", all, err)
	}
	for _, want := range []string{"-\na done\nb pending\n", "-\na done\nb active\n"} { // first the hide is undone, then the reset
		if _, err := undoNewest(t, now, ""); err != nil {
			t.Fatal(err)
		}
		now = versionWith(t, r, sources.SpecKit)
		s := only(t, now)
		if got := r.Read("job"); got != want || s.Called() != "spec-kit:job-1" {
			t.Errorf("after the undo it is called %s: %q", s.Called(), got)
		}
	}
}

// inFolder finds the same work as taskLists, but puts a folder before each id. In a repository with several projects, real ids begin with
// the folder of a project.
type inFolder struct{ taskLists }

func (l inFolder) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	all, err := l.taskLists.Find(ctx, v)
	for i := range all {
		all[i].ID = "apps/Web/" + all[i].ID
	}
	return all, err
}

// Hidden work does not count as open if one of our runs has adopted and merged it. To find this run, only the last part of the work's id
// may be compared with the id of the run, because the id of the work can begin with a folder.
func TestHide_countsNoMergedWork(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na done\nb active\n")
	open := func() *Engine {
		e := foreignEngine(t, r)
		e.Find.Sources = []sources.Source{inFolder{taskLists{source: sources.SpecKit}}}
		return e
	}
	e := open()
	p, err := e.Adopt.Propose(t.Context(), "spec-kit:apps/Web/job-1", sources.ActionRequest{Name: sources.Reset})
	if err != nil {
		t.Fatal(err)
	}
	j, err := e.Adopt.Carry(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	hide := &adopt.Proposal{Summary: only(t, e), Request: sources.ActionRequest{Name: sources.Hide}}
	if _, err := e.Adopt.Carry(t.Context(), hide); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{1, 0} {
		e = open()
		all, err := e.Find.Status(t.Context(), journal.OpenRuns)
		if hidden := (candidate.Hiding{Find: e.Find}).Count(); err != nil || len(all) > 0 || hidden != want {
			t.Errorf("%d pieces of work are shown, %d hidden, want %d: %v", len(all), hidden, want, err)
		}
		merged := checkpoint.Event{Event: checkpoint.RunMerged, Commit: object.ID(r.Git("rev-parse", "HEAD"))}
		if _, err := e.Store.Append(t.Context(), j.Run.ID, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) { return []checkpoint.Event{merged}, nil }}); err != nil {
			t.Fatal(err)
		}
	}
}

// The name of a folder may look like a pattern. The value of resume.ignore that hides the work in this folder must hide no other work.
func TestHide_valueHidesOneThing(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"login", "*", "a[b", `a\*`, "x?y", "specs/login", "a:b"} {
		value := candidate.HidingValue(sources.Kiro, id)
		f, other := &sources.Found{Source: sources.Kiro, ID: id}, &sources.Found{Source: sources.Kiro, ID: "other"}
		if !candidate.HidesWork(value, sources.Kiro, id) || !candidate.Excludes(value, f) {
			t.Errorf("%q does not hide %q", value, id)
		}
		if candidate.HidesWork(value, sources.SpecKit, id) || candidate.Excludes(value, other) {
			t.Errorf("%q hides other work than %q", value, id)
		}
	}
}
