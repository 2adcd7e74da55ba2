package handler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/conflicts"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/sources"
)

// crashingReader is a reader with a bug: it reads its file and then panics.
type crashingReader struct{}

func (crashingReader) Name() string { return "crashing" }

func (crashingReader) Find(_ context.Context, v *sources.View) ([]sources.Found, error) {
	data, err := v.Trees[0].Read("dir/odd")
	if err != nil {
		return nil, nil
	}
	return []sources.Found{{ID: string(data[:len(data)-100])}}, nil
}

// historyReader is a list reader that also asks git which commits changed the file "job".
type historyReader struct{ list }

func (s historyReader) Find(ctx context.Context, v *sources.View) ([]sources.Found, error) {
	v.Touches(ctx, v.Trees[0], time.Time{}, 10, nil, "job")
	return s.list.Find(ctx, v)
}

func TestForeign_crashOfOneReaderIsToldAndTheOthersAreShown(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na done\nb active\n")
	r.Write("dir/odd", "x")
	e := foreignEngine(t, r)
	e.Find.Sources = []sources.Source{crashingReader{}, historyReader{}, crashingReader{}}
	all, err := e.Find.Status(t.Context(), journal.OpenRuns)
	if err != nil {
		t.Fatal(err)
	}
	at := func(id string) *candidate.Summary {
		i := slices.IndexFunc(all, func(s candidate.Summary) bool { return string(s.Run.ID) == id })
		if i < 0 {
			t.Fatalf("%s is not among %v", id, all)
		}
		return &all[i]
	}
	if s := at("list:job-1"); s.State != checkpoint.Interrupted {
		t.Errorf("the other work is %s", s.State)
	}
	s := at("crashing:unreadable")
	for _, want := range []string{"crashing", "dir/odd", "slice bounds out of range", "crash_test.go:", "bug in git-resume"} {
		if !strings.Contains(s.Damaged, want) {
			t.Errorf("%q does not name %q", s.Damaged, want)
		}
	}
	if d := s.Found.Doubts; len(d) != 1 || d[0].Severity != conflicts.Blocking || d[0].Path != "dir/odd" {
		t.Errorf("its doubts are %+v", d)
	}
	a, err := e.Judge.Assess(t.Context(), s.Key(), assess.OnlyLook)
	if err != nil || a.Verdict != candidate.Blocked {
		t.Errorf("its verdict is %v, %v", a, err)
	}
}

// crashingChanger finds work correctly, but panics when it is asked which files to change.
type crashingChanger struct{ list }

func (crashingChanger) Act(_ context.Context, v *sources.View, _ *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	_, _ = v.Trees[0].Read("job")
	return nil, fmt.Errorf("%d", []int{}[len(w.Name)])
}

func TestForeign_crashWhileChangesAreWorkedOutIsAnError(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na done\nb active\n")
	e := foreignEngine(t, r)
	e.Find.Sources = []sources.Source{crashingChanger{}}
	_, err := e.Adopt.Propose(t.Context(), "list:job-1", sources.ActionRequest{Name: sources.Reset})
	var crash *sources.ReaderError
	if !errors.As(err, &crash) || crash.Source != "list" || crash.File != "job" {
		t.Fatalf("the answer is %v", err)
	}
	if r.Read("job") != "-\na done\nb active\n" {
		t.Error("the file was changed")
	}
	only(t, e) // the work is still listed, although its reader panicked
}
