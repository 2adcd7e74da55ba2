package handler

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate"
	"github.com/git-resume/git-resume/gitstate/locate"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/adopt"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/site"
	"github.com/git-resume/git-resume/internal/sources"
)

// list is a small invented system. The first line of its file "job" is a branch or "-", and each further line is a task and its state.
type list struct{}

func (list) Name() string { return "list" }

func (list) Find(_ context.Context, v *sources.View) ([]sources.Found, error) {
	for _, t := range v.Trees {
		data, err := t.Read("job")
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		f := sources.Found{
			Source: "list", ID: "job-1", Home: t.WorkTree, Root: ".", Files: []string{"job"}, State: sources.Interrupted,
			Active: t.Changed("job"), Alternatives: []sources.Alternative{{Name: sources.Continue}, {Name: sources.Reset}, {Name: sources.StartFresh}},
			Command: "list --go",
		}
		if f.Branch = refs.Name(lines[0]); f.Branch == "-" {
			f.Branch = ""
		}
		if on, ok := v.OnBranch(f.Branch); ok {
			f.Worktree = on.WorkTree
		}
		for _, l := range lines[1:] {
			id, state, _ := strings.Cut(l, " ")
			f.Tasks = append(f.Tasks, sources.Task{ID: id, State: sources.MeaningOf(state).TaskState(), Raw: state})
			if f.Point.Task == "" && state != "done" {
				f.Point.Task = id
			}
		}
		return []sources.Found{f}, nil
	}
	return nil, nil
}

func (list) Act(_ context.Context, _ *sources.View, f *sources.Found, w sources.ActionRequest) ([]sources.Change, error) {
	was, err := sources.Files{Top: f.Home}.Read("job")
	if err != nil {
		return nil, err
	}
	switch w.Name {
	case sources.Reset:
		return []sources.Change{{Tree: f.Home, Path: "job", Was: was, Now: bytes.ReplaceAll(was, []byte("active"), []byte("pending"))},
			{Tree: f.Home, Path: "notes/why", Now: []byte("reset\n")}}, nil
	case sources.StartFresh:
		return []sources.Change{{Tree: f.Home, Path: "state", To: "state.old"}}, nil
	case sources.CleanUp:
		return []sources.Change{{Tree: f.Home, Path: "state/mark", Was: []byte("left over\n"), Gone: true}}, nil
	case sources.Continue:
		return nil, nil
	}
	return nil, &sources.NoActionError{Key: f.Key(), Name: w.Name}
}

func foreignEngine(t *testing.T, r *gittest.Repo) *Engine {
	t.Helper()
	p, err := locate.Find(r.Dir, r.Env)
	if err != nil {
		t.Fatal(err)
	}
	repo := gitstate.Open(p, r.Env)
	t.Cleanup(repo.Close)
	now := func() time.Time { return time.Now().Add(time.Hour) } // an hour ahead, so that files that the test has just written count as old
	return New(site.Site{Repo: repo, Store: &journal.Store{Repo: repo, Now: now, Nonce: "n1"}, Now: now, PID: os.Getpid(),
		Random: func() [4]byte { return [4]byte{1, 2, 3, 4} }}, list{})
}

func only(t *testing.T, e *Engine) candidate.Summary {
	t.Helper()
	all, err := e.Find.Status(t.Context(), journal.OpenRuns)
	if err != nil || len(all) != 1 {
		t.Fatalf("found %d pieces of work: %v", len(all), err)
	}
	return all[0]
}

func TestForeign_isFoundAdoptedAndHandedOver(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na done\nb active\n")
	e := foreignEngine(t, r)
	s := only(t, e)
	if s.Run.ID != "list:job-1" || s.State != checkpoint.Interrupted || s.Source() != "list" {
		t.Fatalf("found %s, %s, %s", s.Run.ID, s.State, s.Source())
	}
	if n, task := s.Run.Current(); n != 2 || task.ID != "b" {
		t.Errorf("it stands at %d", n)
	}
	a, err := e.Judge.Assess(t.Context(), s.Key(), assess.AndSave)
	if err != nil || a.Verdict != candidate.Clean {
		t.Fatalf("%v: %+v", err, a)
	}
	if r.Git("rev-parse", a.Snapshot.Name()+"/work") == "" {
		t.Error("nothing was saved")
	}
	adv, err := e.Resuming.Advance(t.Context(), a, resume.Choice{Mode: assess.Interactive, Reasons: []string{"a test"}})
	if err != nil {
		t.Fatal(err)
	}
	if run := adv.Journal.Run; run.Source != "list" || run.SourceID != "job-1" || string(run.ID) != a.Snapshot.Run {
		t.Errorf("adopted as %+v", run)
	}
	// After git-resume has adopted the work, the work is still listed only once. Both the other system's name for the work and the new
	// run id find it.
	if again := only(t, e); again.Run.ID != adv.Journal.Run.ID || again.Found == nil {
		t.Errorf("afterwards: %s", again.Run.ID)
	}
	for _, name := range []string{"list:job-1", "job-1", string(adv.Journal.Run.ID)} {
		if id, err := e.Find.Which(t.Context(), name); err != nil || id.Run() != adv.Journal.Run.ID {
			t.Errorf("%s is %s, %v", name, id, err)
		}
	}
	r.Fsck()
}

func TestForeign_aHandOverThatChangedNoFileIsTakenBack(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	e := foreignEngine(t, r)
	goOn := func(nonce string) checkpoint.Run {
		t.Helper()
		e.Store.Nonce = nonce
		s := only(t, e)
		a, err := e.Judge.Assess(t.Context(), s.Key(), assess.AndSave)
		if err != nil {
			t.Fatal(err)
		}
		adv, err := e.Resuming.Advance(t.Context(), a, resume.Choice{Mode: assess.Interactive})
		if err != nil {
			t.Fatal(err)
		}
		return adv.Journal.Run
	}
	first := goOn("n2")
	if first.HandedAt.IsZero() || first.Fruitless.Times != 1 {
		t.Fatalf("handed over at %v, %d times in vain", first.HandedAt, first.Fruitless.Times)
	}
	e.Store.Nonce = "n3"
	done, err := undoNewest(t, e, string(first.ID))
	if err != nil || !done.Journal.Run.HandedAt.IsZero() {
		t.Fatalf("the hand-over was not taken back: %v", err)
	}
	if s := only(t, e); s.State != checkpoint.Interrupted || r.Read("job") != "-\na active\n" {
		t.Errorf("afterwards it is %s", s.State)
	}
	e.Store.Nonce = "n4"
	if _, err := undoNewest(t, e, string(first.ID)); !errors.Is(err, discard.ErrNothingToUndo) {
		t.Errorf("a second undo: %v", err)
	}
	goOn("n5")
	if again := goOn("n6"); again.Fruitless.Times != 2 {
		t.Errorf("continued twice in vain, and counted %d", again.Fruitless.Times)
	}
	r.Fsck()
}

func TestForeign_doesNotGoOnWhenItMoved(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	e := foreignEngine(t, r)
	a, err := e.Judge.Assess(t.Context(), "list:job-1", assess.AndSave)
	if err != nil {
		t.Fatal(err)
	}
	r.Write("job", "-\na done\nb pending\n")
	if _, err := e.Resuming.Advance(t.Context(), a, resume.Choice{}); !errors.Is(err, candidate.ErrMoved) {
		t.Errorf("went on: %v", err)
	}
}

func TestForeign_actionsAreSavedAndUndone(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	r.Write("state/deep/file", "kept\n")
	e := foreignEngine(t, r)
	do := func(name string) checkpoint.RunID {
		t.Helper()
		p, err := e.Adopt.Propose(t.Context(), "list:job-1", sources.ActionRequest{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		j, err := e.Adopt.Carry(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return j.Run.ID
	}
	there := func(path string) bool {
		_, err := os.Stat(filepath.Join(r.Dir, path))
		return err == nil
	}
	undo := func(id checkpoint.RunID) {
		t.Helper()
		if _, err := undoNewest(t, e, string(id)); err != nil {
			t.Fatal(err)
		}
	}
	id := do(sources.Reset)
	if r.Read("job") != "-\na pending\n" || !there("notes/why") {
		t.Fatal("the action did nothing")
	}
	undo(id)
	if r.Read("job") != "-\na active\n" || there("notes/why") {
		t.Error("undo did not bring it back")
	}
	if _, err := redoNewest(t, e, string(id)); err != nil {
		t.Fatal(err)
	}
	if r.Read("job") != "-\na pending\n" || !there("notes/why") {
		t.Error("the undo was not taken back")
	}
	undo(id)
	e.Store.Nonce = "n2"
	do(sources.StartFresh)
	if there("state") || !there("state.old/deep/file") {
		t.Fatal("the folder was not moved aside")
	}
	if got := r.Git("show", "refs/resume/acted/"+string(id)+":0002/before/0/deep/file"); got != "kept" {
		t.Errorf("kept %q", got)
	}
	undo(id)
	if !there("state/deep/file") || there("state.old") {
		t.Error("undo did not bring the folder back")
	}
	r.Fsck()
}

func TestForeign_takesAFileAwayAndBringsItBack(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	r.Write("state/mark", "changed since\n")
	e := foreignEngine(t, r)
	clean := func() (*journal.Journal, error) {
		t.Helper()
		p, err := e.Adopt.Propose(t.Context(), "list:job-1", sources.ActionRequest{Name: sources.CleanUp})
		if err != nil {
			t.Fatal(err)
		}
		return e.Adopt.Carry(t.Context(), p)
	}
	if _, err := clean(); !errors.Is(err, candidate.ErrMoved) || r.Read("state/mark") != "changed since\n" {
		t.Fatalf("took away what was not looked at: %v", err)
	}
	r.Write("state/mark", "left over\n")
	j, err := clean()
	if err != nil {
		t.Fatal(err)
	}
	gone := func() bool {
		_, err := os.Lstat(filepath.Join(r.Dir, "state/mark"))
		return errors.Is(err, fs.ErrNotExist)
	}
	if !gone() {
		t.Fatal("it is still there")
	}
	if err := os.Remove(filepath.Join(r.Dir, "state")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{false, true, false} {
		flip := undoNewest
		if want {
			flip = redoNewest
		}
		if _, err := flip(t, e, string(j.Run.ID)); err != nil {
			t.Fatal(err)
		}
		if gone() != want || !want && r.Read("state/mark") != "left over\n" {
			t.Errorf("gone is %v, want %v", gone(), want)
		}
	}
}

func TestForeign_keepsTheModesOfFiles(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	r.Write("state/mark", "left over\n")
	modes := map[string]fs.FileMode{"job": 0o600, "state/mark": 0o640}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(r.Dir, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	e := foreignEngine(t, r)
	check := func(when string) {
		t.Helper()
		for name, mode := range modes {
			if info, err := os.Stat(filepath.Join(r.Dir, name)); err == nil && info.Mode().Perm() != mode {
				t.Errorf("%s: %s has mode %o, want %o", when, name, info.Mode().Perm(), mode)
			}
		}
	}
	for i, name := range []string{sources.Reset, sources.CleanUp} {
		e.Store.Nonce = fmt.Sprintf("n%d", i)
		p, err := e.Adopt.Propose(t.Context(), "list:job-1", sources.ActionRequest{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		j, err := e.Adopt.Carry(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		check(name)
		for i, flip := range []func(*testing.T, *Engine, string) (*discard.Undone, error){undoNewest, redoNewest, undoNewest} {
			if _, err := flip(t, e, string(j.Run.ID)); err != nil {
				t.Fatal(err)
			}
			check(name + ", " + []string{"undone", "done again", "undone again"}[i])
		}
	}
	for name := range modes {
		if _, err := os.Stat(filepath.Join(r.Dir, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestForeign_undoLeavesWhatWasWrittenSince(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	e := foreignEngine(t, r)
	p, err := e.Adopt.Propose(t.Context(), "list:job-1", sources.ActionRequest{Name: sources.Reset})
	if err != nil {
		t.Fatal(err)
	}
	r.Write("job", "-\na active\nb active\n")
	if _, err := e.Adopt.Carry(t.Context(), p); !errors.Is(err, candidate.ErrMoved) || r.Read("job") != "-\na active\nb active\n" {
		t.Fatalf("wrote over a change: %v", err)
	}
	if p, err = e.Adopt.Propose(t.Context(), "list:job-1", sources.ActionRequest{Name: sources.Reset}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Adopt.Carry(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	r.Write("job", "-\nmine\n")
	var changed *adopt.ChangedError
	if _, err := undoNewest(t, e, ""); !errors.As(err, &changed) || r.Read("job") != "-\nmine\n" {
		t.Errorf("undo wrote over a change: %v", err)
	}
}

func TestFind_obeysTheSettings(t *testing.T) {
	t.Parallel()
	for setting, shown := range map[string]bool{
		"resume.ignore=list:job-1": false, "resume.ignore=list:*": false, "resume.ignore=list": false, "resume.ignore=list:job-2": true,
		"resume.sources=boxes": false, "resume.sources=boxes, list": true,
	} {
		r := gittest.New(t)
		r.Write("job", "-\na active\n")
		key, value, _ := strings.Cut(setting, "=")
		r.Git("config", key, value)
		all, err := foreignEngine(t, r).Find.Status(t.Context(), journal.OpenRuns)
		if err != nil || len(all) == 1 != shown {
			t.Errorf("%s: %d found, %v", setting, len(all), err)
		}
	}
}

func TestForeign_thatJustChangedMayBeRunning(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Write("job", "-\na active\n")
	e := foreignEngine(t, r)
	e.Now = time.Now
	if s := only(t, e); s.State != checkpoint.Running || s.Busy == "" {
		t.Errorf("state %s, %q", s.State, s.Busy)
	}
	a, err := e.Judge.Assess(t.Context(), "list:job-1", assess.OnlyLook)
	if err != nil || !a.Has(candidate.FindMaybeAlive) {
		t.Fatalf("%v", err)
	}
	if d := assess.Decide(a, assess.Request{Mode: assess.Auto}); d.Why != assess.WhyBusy {
		t.Errorf("auto would go on: %+v", d)
	}
}

// undoNewest undoes the newest change, like the undo command after the user has said yes.
func undoNewest(t *testing.T, e *Engine, run string) (*discard.Undone, error) {
	t.Helper()
	u, err := e.Undoing.Undoing(t.Context(), run)
	if err != nil {
		return nil, err
	}
	return e.Undoing.Undo(t.Context(), u)
}

// redoNewest reverses the newest undo.
func redoNewest(t *testing.T, e *Engine, run string) (*discard.Undone, error) {
	t.Helper()
	u, err := e.Undoing.Redoing(t.Context(), run)
	if err != nil {
		return nil, err
	}
	return e.Undoing.Undo(t.Context(), u)
}

// fixedSource is an invented system that reports the same work for every repository.
type fixedSource struct{ found sources.Found }

func (s fixedSource) Name() string { return s.found.Source }

func (s fixedSource) Find(context.Context, *sources.View) ([]sources.Found, error) {
	return []sources.Found{s.found}, nil
}

func TestFind_unitesWhatIsOnePieceOfWork(t *testing.T) {
	t.Parallel()
	r := gittest.New(t).WithBinary()
	r.Git("branch", "topic")
	r.Git("worktree", "add", "-q", "../w", "topic")
	r.Write("job", "refs/heads/topic\na active\n")
	e := foreignEngine(t, r)
	path := only(t, e).Path
	rebase := fixedSource{sources.Found{Source: candidate.GitSource, ID: "rebase@w", Worktree: path, State: sources.Interrupted}}
	over := fixedSource{sources.Found{Source: "other", ID: "over", State: sources.Complete}}
	e.Find.Sources = []sources.Source{list{}, rebase, over}
	if s := only(t, e); s.Source() != candidate.GitSource || !slices.Contains(s.Also, "list:job-1") {
		t.Errorf("an operation leads in its worktree: %+v", s)
	}
	r.In(path).MustResume("start", "--here", "--name", "own", "--task", "a")
	e.Find.Sources = []sources.Source{list{}}
	if s := only(t, e); s.Run.Branch != "refs/heads/topic" || !slices.Contains(s.Also, "list:job-1") {
		t.Errorf("a run leads on its branch: %+v", s)
	}
}
