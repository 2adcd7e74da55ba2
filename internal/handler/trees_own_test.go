package handler

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/checkpoint/journal"
	"github.com/git-resume/git-resume/gitstate/refs"
	"github.com/git-resume/git-resume/internal/assess"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler/discard"
	"github.com/git-resume/git-resume/internal/handler/resume"
	"github.com/git-resume/git-resume/internal/handler/start"
	"github.com/git-resume/git-resume/internal/sources"
	"github.com/git-resume/git-resume/internal/staging"
	"github.com/git-resume/git-resume/worktree"
	"github.com/git-resume/git-resume/worktree/place"
)

// A journal only says where to look for a worktree. Git's registration of the worktree says to which run it belongs.
func TestTreeOf_isWhatTheRegistrationSays(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	beside := func(name string) string { return filepath.Join(filepath.Dir(r.Dir), name) }
	lock := func(run string) []string { return []string{"--lock", "--reason", "git-resume " + run} }
	add := func(name, branch string, args ...string) {
		r.Git(append(append([]string{"worktree", "add", "-q"}, args...), "-b", branch, beside(name))...)
	}
	add("feature", "feature")
	add("login-page", "team/login-page") // this name has the form of a run id, but the worktree is the user's
	add("other-bbbb", "resume/other-bbbb", lock("other-bbbb")...)
	add("work-aaaa", "resume/work-aaaa", lock("work-aaaa")...)
	add("moved-away", "renamed", lock("gone-cccc")...)
	add("by-hand", "resume/hand-dddd")
	add("old-eeee", "agents/old-eeee")
	add("marked-ffff", "topic")
	if err := worktree.Mark(filepath.Join(r.Dir, ".git", "worktrees", "marked-ffff"), "marked-ffff"); err != nil {
		t.Fatal(err)
	}
	e := foreignEngine(t, r)
	type run = checkpoint.Run
	check := func(what string, r run, want string) {
		t.Helper()
		p, ok := e.TreeOf(&r)
		if ok != (want != "") || ok && p.WorkTree != beside(want) {
			t.Errorf("%s: %s, %v; want %q", what, p.WorkTree, ok, want)
		}
	}
	own := "refs/heads/resume/work-aaaa"
	check("its own", run{ID: "work-aaaa", Admin: "work-aaaa", Branch: refs.Name(own)}, "work-aaaa")
	for _, admin := range []string{"feature", "main", "other-bbbb", "marked-ffff", "nothing"} {
		check("the journal says "+admin, run{ID: "work-aaaa", Admin: admin, Branch: refs.Name(own)}, "work-aaaa")
	}
	check("on a branch that was renamed", run{ID: "gone-cccc", Admin: "moved-away", Branch: "refs/heads/resume/gone-cccc"}, "moved-away")
	check("made by hand on its branch", run{ID: "hand-dddd", Admin: "by-hand", Branch: "refs/heads/resume/hand-dddd"}, "by-hand")
	check("marked, and its lock taken off", run{ID: "marked-ffff", Admin: "marked-ffff", Branch: "refs/heads/resume/marked-ffff"}, "marked-ffff")
	check("never complete", run{ID: "work-aaaa", Branch: refs.Name(own)}, "")
	check("the user's own, and its branch", run{ID: "evil-zzzz", Admin: "feature", Branch: "refs/heads/feature"}, "")
	check("the user's own, and its name", run{ID: "login-page", Admin: "login-page", Branch: "refs/heads/team/login-page"}, "")
	check("another run's, and its branch", run{ID: "evil-zzzz", Admin: "other-bbbb", Branch: "refs/heads/resume/other-bbbb"}, "")
	check("the main tree, and its branch", run{ID: "evil-zzzz", Admin: "main", Branch: "refs/heads/main"}, "")
	check("the user's own, and a branch of the run's", run{ID: "evil-zzzz", Admin: "feature", Branch: "refs/heads/resume/evil-zzzz"}, "")
	check("a folder of branches that nobody chose", run{ID: "old-eeee", Admin: "old-eeee", Branch: "refs/heads/agents/old-eeee"}, "")
	r.Git("config", "resume.branchPrefix", "agents")
	e = foreignEngine(t, r)
	check("a folder of branches that the user chose", run{ID: "old-eeee", Admin: "old-eeee", Branch: "refs/heads/agents/old-eeee"}, "old-eeee")

	for where, want := range map[string]bool{"work-aaaa": true, "feature": false, "other-bbbb": false} {
		at := foreignEngine(t, r.In(beside(where)))
		if got := at.WorksHere(&run{ID: "work-aaaa", Admin: "feature", Branch: refs.Name(own)}); got != want {
			t.Errorf("in %s it works here: %v", where, got)
		}
	}
}

// staged starts a run in its own worktree.
func staged(t *testing.T, r *gittest.Repo) (*Engine, *staging.Started) {
	t.Helper()
	e := foreignEngine(t, r)
	st, err := e.Starting.Start(t.Context(), start.Request{Name: "work", Tasks: []string{"a"}})
	if err != nil {
		t.Fatal(err)
	}
	return e, st
}

// appendUnchecked appends a line to a run's journal without any checks.
func appendUnchecked(t *testing.T, e *Engine, id checkpoint.RunID, ev checkpoint.Event) *journal.Journal {
	t.Helper()
	j, err := e.Store.Append(t.Context(), id, journal.Batch{Decide: func(*checkpoint.Run) ([]checkpoint.Event, error) {
		return []checkpoint.Event{ev}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// The path of a run's worktree must not be taken from the journal, not even from our own lines.
func TestStage_takesNoPlaceFromTheJournal(t *testing.T) {
	t.Parallel()
	for _, admin := range []string{"feature", "main", "nothing"} {
		r := gittest.New(t)
		beside := func(name string) string { return filepath.Join(filepath.Dir(r.Dir), name) }
		r.Git("worktree", "add", "-q", "-b", "feature", beside("feature"))
		e, st := staged(t, r)
		id := st.Journal.Run.ID
		place := beside("repo.worktrees/" + string(id))
		r.Git("worktree", "unlock", place)
		r.Git("worktree", "remove", place)
		j := appendUnchecked(t, e, id, checkpoint.Event{Event: checkpoint.TreeReady, Worktree: beside("planted"), Admin: admin})
		a, err := e.Judge.Assess(t.Context(), candidate.RunKey(id), assess.OnlyLook)
		if err != nil || a.Tree.Path != place || !a.Has(candidate.FindTreeMissing) || a.Verdict == candidate.Blocked {
			t.Errorf("%s: %v %+v %v", admin, err, a.Tree, a.Findings)
		}
		drop, err := e.Dropping.Request(t.Context(), &j.Run, discard.DiscardForced)
		if err != nil || drop.Path != place {
			t.Errorf("%s: a discard would drop %q, %v", admin, drop.Path, err)
		}
		again := &staging.Started{Journal: j}
		if err := e.Staging.Stage(t.Context(), again); err != nil || again.Path != place {
			t.Fatalf("%s: made at %q, %v", admin, again.Path, err)
		}
		if run := again.Journal.Run; run.Worktree != place || run.Admin != string(id) {
			t.Errorf("%s: recorded as %s, %s", admin, run.Admin, run.Worktree)
		}
		if _, err := os.Lstat(beside("planted")); err == nil {
			t.Errorf("%s: the journal's place is there", admin)
		}
	}
}

// A worktree that was moved with git is found at its new path, even if the setting names another folder. If its folder is deleted, it is
// created again at the new path.
func TestStage_staysWhereGitHasIt(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	_, st := staged(t, r)
	id := st.Journal.Run.ID
	moved := filepath.Join(filepath.Dir(r.Dir), "moved")
	r.Git("worktree", "unlock", st.Path)
	r.Git("worktree", "move", st.Path, moved)
	r.Git("config", "resume.worktreeDir", "../trees")
	e := foreignEngine(t, r)
	if p, ok := e.TreeOf(&st.Journal.Run); !ok || p.WorkTree != moved {
		t.Errorf("%+v %v", p, ok)
	}
	if err := os.RemoveAll(moved); err != nil {
		t.Fatal(err)
	}
	again := &staging.Started{Journal: st.Journal}
	if err := e.Staging.Stage(t.Context(), again); err != nil || again.Path != moved || !again.Tree.Fresh {
		t.Errorf("made at %q, %v", again.Path, err)
	}
	r.In(moved).Git("rev-parse", "HEAD")
	if got := r.Git("worktree", "list", "--porcelain"); !strings.Contains(got, "locked git-resume "+string(id)) {
		t.Errorf("it is not locked again:\n%s", got)
	}
}

// placedSource is an invented system that names the path at which its worktree must be.
type placedSource struct {
	sources.Source
	found sources.Found
}

func (placedSource) Name() string { return "places" }

func (p placedSource) Find(_ context.Context, v *sources.View) ([]sources.Found, error) {
	f := p.found
	f.Source, f.Home, f.Root, f.State, f.Branch = "places", v.Trees[0].WorkTree, ".", sources.Interrupted, "refs/heads/topic"
	return []sources.Found{f}, nil
}

func TestForeign_placesOfWorktrees(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		found sources.Found
		at    string // the expected path of the worktree, or the symbolic link and its target if the link is refused
		stops candidate.Case
	}{
		{found: sources.Found{ID: "x", Wants: ".worktrees/x"}, at: "repo/.worktrees/x"},
		{found: sources.Found{ID: "x", Wants: "a/b/c"}, at: "repo/a/b/c"},
		{found: sources.Found{ID: "x", Wants: "../repo.worktrees/x", Beside: true}, at: "repo.worktrees/x"},
		{found: sources.Found{ID: "group/x", Wants: "../repo.worktrees/x", Beside: true}, at: "repo.worktrees/x"},
		{found: sources.Found{ID: "x", Wants: "../repo.worktrees/x"}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "x", Wants: "a/../../planted"}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "x", Wants: "/planted"}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "x", Wants: "."}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "x", Wants: ".git/hooks/x"}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "x", Wants: "sub/.GIT/x"}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "..", Wants: "../repo.worktrees/..", Beside: true}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "group/..", Wants: "../repo.worktrees/..", Beside: true}, stops: candidate.PlaceOutside},
		{found: sources.Found{ID: "x", Wants: "link/x"}, stops: candidate.PlaceIsLink, at: "link ../outside"},
		{found: sources.Found{ID: "x", Wants: "real/last"}, stops: candidate.PlaceIsLink, at: "real/last ../../outside"},
	} {
		r := gittest.New(t)
		outside := filepath.Join(filepath.Dir(r.Dir), "outside")
		if err := errors.Join(os.Mkdir(outside, 0o755), os.Symlink("../outside", filepath.Join(r.Dir, "link")),
			os.Mkdir(filepath.Join(r.Dir, "real"), 0o755), os.Symlink("../../outside", filepath.Join(r.Dir, "real", "last"))); err != nil {
			t.Fatal(err)
		}
		r.Git("branch", "topic")
		e := foreignEngine(t, r)
		e.Find.Sources = []sources.Source{placedSource{found: c.found}}
		a, err := e.Judge.Assess(t.Context(), candidate.RunKey(only(t, e).Run.ID), assess.OnlyLook)
		if err != nil {
			t.Fatal(err)
		}
		if c.stops != "" {
			if i := findingOf(a, candidate.FindTreePlace); i == nil || i.Severity != candidate.Blocking || i.Note.Case != c.stops || c.at != "" && i.Note.Facts.Path+" "+i.Note.Facts.To != c.at || a.Verdict != candidate.Blocked {
				t.Errorf("%+v: %v", c.found, a.Findings)
			}
			continue
		}
		adv, err := e.Resuming.Advance(t.Context(), a, resume.Choice{Mode: assess.Interactive})
		want := filepath.Join(filepath.Dir(r.Dir), filepath.FromSlash(c.at))
		if err != nil || a.Has(candidate.FindTreePlace) || adv.Path != want {
			t.Errorf("%+v: made at %+v, %v", c.found, adv, err)
		}
		if run := adv.Journal.Run; run.Worktree != want || worktree.RunOf(filepath.Join(r.Dir, ".git", "worktrees", run.Admin)) != string(run.ID) {
			t.Errorf("%+v: recorded as %s, %s", c.found, run.Admin, run.Worktree)
		}
	}
}

func findingOf(a *assess.Assessment, code candidate.Code) *candidate.Finding {
	for i := range a.Findings {
		if a.Findings[i].Code == code {
			return &a.Findings[i]
		}
	}
	return nil
}

func TestForeign_linkThatCameMeanwhile(t *testing.T) {
	t.Parallel()
	r := gittest.New(t)
	r.Git("branch", "topic")
	e := foreignEngine(t, r)
	e.Find.Sources = []sources.Source{placedSource{found: sources.Found{ID: "x", Wants: ".worktrees/x"}}}
	a, err := e.Judge.Assess(t.Context(), candidate.RunKey(only(t, e).Run.ID), assess.OnlyLook)
	if err != nil || a.Verdict != candidate.Clean {
		t.Fatalf("%v %+v", err, a)
	}
	outside := t.TempDir()
	if err := os.Symlink(outside, filepath.Join(r.Dir, ".worktrees")); err != nil {
		t.Fatal(err)
	}
	_, err = e.Resuming.Advance(t.Context(), a, resume.Choice{Mode: assess.Interactive})
	var link *place.LinkError
	if !errors.As(err, &link) || link.Link != filepath.Join(r.Dir, ".worktrees") {
		t.Errorf("got %v", err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("outside has %v", left)
	}
}

func TestDiscardRequest_dropsOnlyTheRunsOwn(t *testing.T) {
	t.Parallel()
	for _, there := range []bool{true, false} {
		r := gittest.New(t)
		mine := filepath.Join(filepath.Dir(r.Dir), "login-page")
		r.Git("worktree", "add", "-q", "-b", "login-page", mine)
		r.Git("config", "resume.worktreeDir", "..")
		if !there {
			if err := os.RemoveAll(mine); err != nil {
				t.Fatal(err)
			}
		}
		e := foreignEngine(t, r)
		for _, branch := range []string{"refs/heads/login-page", "refs/heads/main", "refs/heads/team/login-page"} {
			req, err := e.Dropping.Request(t.Context(), &checkpoint.Run{ID: "login-page", Admin: "login-page", Branch: refs.Name(branch)}, discard.DiscardForced)
			if err != nil || req.Path != "" || req.Branch != "" {
				t.Errorf("there %v, branch %s: drops %q and %q, %v", there, branch, req.Path, req.Branch, err)
			}
		}
		if err := worktree.Mark(filepath.Join(r.Dir, ".git", "worktrees", "login-page"), "login-page"); err != nil {
			t.Fatal(err)
		}
		req, err := e.Dropping.Request(t.Context(), &checkpoint.Run{ID: "login-page", Admin: "login-page", Branch: "refs/heads/login-page"}, discard.DiscardForced)
		if err != nil || req.Path != mine || req.Branch != "refs/heads/login-page" {
			t.Errorf("there %v: of its own it drops %q and %q, %v", there, req.Path, req.Branch, err)
		}
	}
}
