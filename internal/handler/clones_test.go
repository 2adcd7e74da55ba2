package handler_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/checkpoint"
	"github.com/git-resume/git-resume/internal/candidate"
	"github.com/git-resume/git-resume/internal/gittest"
	"github.com/git-resume/git-resume/internal/handler"
	"github.com/git-resume/git-resume/internal/site"
)

const fetchNotes = "+refs/notes/resume/*:refs/notes/resume/*"

// inClone clones the repository and returns a user who works in the clone. The notes are fetched only if notes is true.
func (u *user) inClone(notes bool) *user {
	u.T.Helper()
	dir := filepath.Join(u.T.(interface{ TempDir() string }).TempDir(), "clone")
	u.Git("clone", "-q", u.Dir, dir)
	c := &user{Repo: u.In(dir), id: u.id}
	if notes {
		c.Git("fetch", "-q", "origin", fetchNotes)
	}
	return c
}

func TestClone_withNotesKnowsTheRun(t *testing.T) {
	t.Parallel()
	for gap := range len(steps) {
		if !gittest.Proving() && gap != 3 {
			continue
		}
		u := start(t, "a", "b", "c")
		for _, step := range steps[:gap] {
			step(u)
		}
		u.loseDriver()
		before := u.lines()
		c := u.inClone(true)
		if got := c.lines(); !slices.Equal(got, before) {
			t.Fatalf("gap %d: %d lines, want %d", gap, len(got), len(before))
		}
		was, now := u.see(), c.see()
		for _, task := range was.Tasks {
			if now.task(task.ID) != task.State {
				t.Errorf("gap %d: task %s is %s here and %s there", gap, task.ID, task.State, now.task(task.ID))
			}
		}
		// Another clone cannot see whether the run's worker is alive.
		if now.State != "idle" || now.Driver.Alive != nil {
			t.Errorf("gap %d: %s, driver %+v", gap, now.State, now.Driver)
		}
		if out, code := c.Resume("task", "start", "c"); code != 11 {
			t.Errorf("gap %d: a report without a takeover: %d %s", gap, code, out)
		}
		if out, code := c.Resume("task", "start", "c", "--takeover", "--run", c.id); code != 11 || !strings.Contains(out, "git resume "+c.id+" --takeover") {
			t.Errorf("gap %d: a report takes over what nobody has seen: %d %s", gap, code, out)
		}
		c.takeOver()
		c.MustResume("task", "start", "c")
		for _, step := range steps[gap:] {
			step(c)
		}
		c.mustHold(before)
		if s := c.see(); s.State != "finished" {
			t.Errorf("gap %d: %s", gap, s.State)
		}
		c.Fsck()
	}
}

// takeOver makes the run belong to this clone, although another clone worked on it last.
func (u *user) takeOver() {
	u.T.Helper()
	u.MustResume(u.id, "--takeover", "--yes")
}

func TestClone_withoutNotesTellsWhatCommitsTell(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b", "c")
	for _, step := range steps[:5] {
		step(u)
	}
	c := u.inClone(false)
	s := c.see()
	if !s.Rebuilt || s.task("a") != "done" || s.task("b") != "done" || s.task("c") != "" {
		t.Errorf("rebuilt %v: %v", s.Rebuilt, s.Tasks)
	}
	c.checkCommits()
	// If the notes are fetched later, the record is complete again.
	c.Git("fetch", "-q", "origin", fetchNotes)
	if s := c.see(); s.Rebuilt || s.task("c") != "active" {
		t.Errorf("with notes: %v %v", s.Rebuilt, s.Tasks)
	}
}

func TestClone_bothWorkedAndAreUnited(t *testing.T) {
	t.Parallel()
	a := start(t, "a", "b", "c")
	a.MustResume("task", "start", "a")
	a.loseDriver()
	b := a.inClone(true)
	b.takeOver()
	b.MustResume("task", "done", "a")
	b.MustResume("task", "start", "b")
	a.MustResume("task", "fail", "a", "--cause", "quota")
	linesA, linesB := a.lines(), b.lines()
	all := slices.Compact(sorted(append(slices.Clone(linesA), linesB...)))
	// Clone b overwrites its own notes with the notes of clone a. This loses nothing, because the journal is stored in other
	// refs.
	b.Git("fetch", "-q", "origin", fetchNotes)
	for _, when := range []string{"before", "after"} {
		s := b.see()
		if !s.has("reported-elsewhere") || s.task("a") != "done" || s.task("b") != map[string]string{"before": "active", "after": "failed"}[when] {
			t.Errorf("%s the next report: %v %v", when, s.Findings, s.Tasks)
		}
		b.mustHold(all)
		if when == "before" {
			b.MustResume("task", "fail", "b", "--cause", "quota")
		}
	}
	if out := b.MustResume("status"); !strings.Contains(out, "from another clone or user") {
		t.Errorf("what came from elsewhere is not shown:\n%s", out)
	}
	// After clone a has fetched the notes of clone b, both clones have the same journal lines.
	all = b.lines()
	a.Git("fetch", "-q", b.Dir, fetchNotes)
	if got := a.lines(); !slices.Equal(got, all) {
		t.Errorf("a has %d lines, b %d", len(got), len(all))
	}
	// Clone a shows the report of clone b, but its own record of the task stays as it is.
	if s := a.see(); !s.has("reported-elsewhere") || s.task("a") != "failed" {
		t.Errorf("in a: %v %v", s.Findings, s.Tasks)
	}
	a.takeOver()
	a.MustResume("task", "start", "c")
	// Fetching and merging the notes again changes nothing.
	all = a.lines()
	for range 2 {
		b.Git("fetch", "-q", "origin", fetchNotes)
		a.Git("fetch", "-q", b.Dir, fetchNotes)
		if x, y := a.lines(), b.lines(); !slices.Equal(x, all) || !slices.Equal(y, all) {
			t.Errorf("a %d lines, b %d, want %d", len(x), len(y), len(all))
		}
	}
	b.MustResume("pause", b.id)
	b.mustHold(all)
	if got := len(b.lines()); got != len(all)+1 {
		t.Errorf("a pause added %d lines", got-len(all))
	}
	a.Fsck()
	b.Fsck()
}

func sorted(in []string) []string { slices.Sort(in); return in }

func TestClone_pruningFetchTakesNoRecord(t *testing.T) {
	t.Parallel()
	origin := start(t)
	c := &user{Repo: origin.inClone(false).Repo}
	c.Git("config", "fetch.prune", "true")
	c.Git("config", "--add", "remote.origin.fetch", fetchNotes)
	c.begin("mine", "a", "b")
	c.work("a")
	before := c.lines()
	c.Git("fetch", "-q", "origin")
	if _, code := c.Try("git", "rev-parse", "-q", "--verify", "refs/notes/resume/"+c.id); code == 0 {
		t.Log("the fetch pruned nothing")
	}
	c.mustHold(before)
	c.work("b")
	c.mustHold(before)
	if s := c.see(); s.State != "finished" {
		t.Errorf("%s", s.State)
	}
	if c.Git("rev-parse", "refs/notes/resume/"+c.id) != c.Git("rev-parse", "refs/resume/journal/"+c.id) {
		t.Error("the notes are not published again")
	}
}

// TestAmending_inALoopLosesNoReport reports tasks while a user amends a commit again and again. Each amend makes git rewrite our notes, in
// the way that the setting notes.rewriteMode names. Each accepted report must be in the journal exactly once.
func TestAmending_inALoopLosesNoReport(t *testing.T) {
	modes := []string{"concatenate", "overwrite", "cat_sort_uniq", "ignore"}
	reports := 4
	if gittest.Proving() {
		reports = 40
	}
	for i, mode := range modes {
		if !gittest.Proving() && i%2 == 1 {
			continue
		}
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			u := start(t)
			u.Git("commit", "-q", "--allow-empty", "-m", "to amend")
			u.Git("config", "notes.rewriteRef", "refs/notes/*")
			u.Git("config", "notes.rewriteMode", mode)
			u.Git("config", "notes.displayRef", "refs/notes/*")
			stop := filepath.Join(filepath.Dir(u.Dir), "stop")
			loop := u.script("amend.sh", `while [ ! -e "$1" ] && kill -0 "$2"; do git commit -q --amend --allow-empty -m "amended $RANDOM $(date +%N)" || :; done`)
			cmd := exec.Command("bash", loop, stop, strconv.Itoa(os.Getpid()))
			cmd.Dir, cmd.Env = u.Dir, u.Env
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			acked, refused := []string{}, 0
			for n := range reports {
				task := say("t%d", n)
				if _, code := u.Resume("task", "start", task, "--add"); code == 0 {
					acked = append(acked, say(`"event":"task.started","task":"%s"`, task))
				} else {
					refused++
				}
				if _, code := u.Resume("task", "fail", task, "-m", "why"); code == 0 {
					acked = append(acked, say(`"event":"task.failed","task":"%s"`, task))
				}
				u.Write(task, task)
				if _, code := u.Resume("task", "done", task, task); code == 0 {
					acked = append(acked, say(`"event":"task.done","task":"%s"`, task))
				}
			}
			if err := os.WriteFile(stop, nil, 0o644); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			text := strings.Join(u.lines(), "\n")
			for _, want := range acked {
				if n := strings.Count(text, want); n != 1 {
					t.Errorf("%d times: %s", n, want)
				}
			}
			if len(acked) < 2*reports-2 {
				t.Errorf("only %d of %d reports were taken", len(acked), 3*reports)
			}
			u.MustResume("pause")
			if u.Git("rev-parse", "refs/notes/resume/"+u.id) != u.Git("rev-parse", "refs/resume/journal/"+u.id) {
				t.Error("the notes are not published again")
			}
			u.checkCommits()
			u.Fsck()
		})
	}
}

func TestTakeOver_ofWhatWasNotShownIsRefused(t *testing.T) {
	t.Parallel()
	u := start(t, "a", "b")
	u.MustResume("task", "start", "a")
	c := u.inClone(true)
	store := c.store("seen")
	e := handler.New(site.Site{Repo: store.Repo, Store: store, Now: time.Now, PID: os.Getpid()})
	ctx := t.Context()
	shown, err := store.Load(ctx, checkpoint.RunID(c.id))
	if err != nil {
		t.Fatal(err)
	}
	tip, err := store.History().BranchTip(ctx, &shown.Run)
	if err != nil {
		t.Fatal(err)
	}
	u.MustResume("task", "fail", "a", "--cause", "quota")
	c.Git("fetch", "-q", "origin", fetchNotes)
	before := c.lines()
	if _, err := e.Taking.TakeOver(ctx, &shown.Run, tip); !errors.Is(err, candidate.ErrMoved) || !slices.Equal(c.lines(), before) {
		t.Errorf("with a line that was not shown: %v, %d lines, were %d", err, len(c.lines()), len(before))
	}
	if shown, err = store.Load(ctx, checkpoint.RunID(c.id)); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Taking.TakeOver(ctx, &shown.Run, "0123456789012345678901234567890123456789"); !errors.Is(err, candidate.ErrMoved) {
		t.Errorf("with another tip: %v", err)
	}
	if j, err := e.Taking.TakeOver(ctx, &shown.Run, tip); err != nil || !j.Run.Ours() {
		t.Errorf("as it was shown: %v", err)
	}
}
