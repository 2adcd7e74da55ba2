package trash

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/ongoing"
	"github.com/git-resume/git-resume/worktree/record"
	"github.com/git-resume/git-resume/worktree/snapshot"
	"github.com/git-resume/git-resume/worktree/treetest"
)

func TestExpire_forgetsOnlyWhatIsOld(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	tree.Write("own/file", "f")
	tree.at(tree.Path("own")).Git("init", "-q")
	f.discard(tree)
	f.Write(".git/resume/logs/"+treetest.Job+"/log", "text")
	runs, err := Expire(t.Context(), f.Open(), Expiry{Now: treetest.Clock().Add(-time.Hour)})
	if err != nil || len(runs) != 0 {
		t.Fatalf("%v %v", runs, err)
	}
	runs, err = Expire(t.Context(), f.Open(), Expiry{Now: treetest.Clock().Add(time.Hour)})
	if err != nil || !slices.Equal(runs, []string{treetest.Job}) {
		t.Fatalf("%v %v", runs, err)
	}
	if refs := f.Git("for-each-ref", "refs/resume"); refs != "" {
		t.Errorf("refs left: %s", refs)
	}
	for _, path := range []string{".git/resume/trash/" + treetest.Job + ".kept", ".git/resume/logs/" + treetest.Job} {
		if treetest.Exists(f.Path(path)) {
			t.Errorf("%s is still there", path)
		}
	}
	if got := treetest.Dump(t, f.Beside("shop.worktrees")); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
	if _, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock}); !errors.Is(err, ErrNothingDiscarded) {
		t.Errorf("got %v", err)
	}
}

func TestExpire_leavesLivingRunsAlone(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	f.discard(tree)
	f.undo()
	if _, err := Expire(t.Context(), f.Open(), Expiry{Now: treetest.Clock().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if f.Git("rev-parse", string(snapshot.Ref(treetest.Job))) == "" || !treetest.Exists(tree.Path("work")) {
		t.Error("a run that came back lost something")
	}
}

func TestPreviewDiscard_saysWhatGoes(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("a.txt", "one\n")
	tree.Git("commit", "-qam", "one")
	tree.Write("a.txt", "two\n")
	tree.Write("notes.txt", "n")
	tree.Write(".env", "SECRET")
	tree.Write("node_modules/m/x.js", "12345")
	tree.Write("node_modules/m/y.js", "12345")
	before := treetest.Dump(t, f.Path(".git"))
	p, err := PreviewDiscard(t.Context(), f.Open(), f.dropRequest(tree), "refs/heads/main")
	if err != nil || p.Refusal != nil {
		t.Fatal(err, p.Refusal)
	}
	if !slices.Equal(p.Changed, []string{"a.txt"}) || !slices.Equal(p.Untracked, []string{"notes.txt"}) || p.Ahead != 1 || !p.HoldsData() {
		t.Errorf("%+v", p)
	}
	for _, l := range p.Ignored {
		if l.Path == "node_modules/" && (l.Size != 10 || l.Files != 2 || l.Data) {
			t.Errorf("%+v", l)
		}
	}
	treetest.RequireSame(t, before, treetest.Dump(t, f.Path(".git")))
	tree.Write(".git-untouched", "")
	tree.Conflict()
	req := f.dropRequest(tree)
	req.Care = Careful
	p, err = PreviewDiscard(t.Context(), f.Open(), req, "refs/heads/main")
	var mid *MidOperationError
	if err != nil || !errors.As(p.Refusal, &mid) {
		t.Errorf("%v, refusal %v", err, p.Refusal)
	}
}

func TestExpire_forgetsOldSnapshotsOfOperations(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	for _, name := range []string{ForOperation(ongoing.Rebase, "main"), treetest.Job} {
		if _, err := snapshot.Take(t.Context(), f.Open(), snapshot.Request{Run: name, When: snapshot.Always, Now: treetest.Clock}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		before time.Time
		want   int
	}{{treetest.Clock().Add(-time.Hour), 2}, {treetest.Clock().Add(time.Hour), 1}} {
		if _, err := Expire(t.Context(), f.Open(), Expiry{Now: c.before}); err != nil {
			t.Fatal(err)
		}
		if refs := strings.Fields(f.Git("for-each-ref", "--format=%(refname)", "refs/resume/snapshots")); len(refs) != c.want {
			t.Errorf("refs are %v, want %d", refs, c.want)
		}
	}
}

// TestExpire_believesNoSingleLookAtTheClock checks that Expire deletes nothing too early if the clock is wrong for less than a day.
func TestExpire_believesNoSingleLookAtTheClock(t *testing.T) {
	t.Parallel()
	const day, keep = 24 * time.Hour, 30 * 24 * time.Hour
	for _, c := range []struct {
		name string
		// The field "looks" lists the times at which Expire is called, in days after the discard.
		looks []float64
		gone  bool
	}{
		{"once, in time", []float64{1}, false},
		{"once, too late", []float64{31}, false},
		{"a year ahead for a moment, again and again", []float64{1, 365, 1.1, 365, 1.2, 366, 1.3}, false},
		{"a year ahead for some hours", []float64{1, 365, 365.2, 365.9, 1.9}, false},
		{"noted long ago, then a jump", []float64{29, 29.5, 400, 29.6}, false},
		{"far behind", []float64{-9000, -8990, 1}, false},
		{"late, and a day later", []float64{31, 32}, true},
		{"after a long time away", []float64{5, 100, 101.5}, true},
		{"due while the clock was ahead, and then truly", []float64{365, 1, 31, 33}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f, tree := newStagedRepo(t)
			tree.Write("work", "w")
			f.discard(tree)
			for _, days := range c.looks {
				at := treetest.Clock().Add(time.Duration(days * float64(day)))
				if _, err := Expire(t.Context(), f.Open(), Expiry{Now: at, Keep: keep}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Undo(t.Context(), f.Open(), UndoRequest{Run: treetest.Job, Now: treetest.Clock})
			if gone := errors.Is(err, ErrNothingDiscarded); gone != c.gone || err != nil && !gone {
				t.Errorf("gone: %v, want %v: %v", gone, c.gone, err)
			}
		})
	}
}

// TestExpire_noteGoesWithItsCause checks that Expire removes the dueFile when nothing is due any more. It also checks that Due lists the
// runs that Expire would delete.
func TestExpire_noteGoesWithItsCause(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	f.discard(tree)
	late := Expiry{Now: treetest.Clock().Add(48 * time.Hour), Keep: 24 * time.Hour}
	for i, want := range []Overdue{
		{Later: []string{treetest.Job}},
		{Later: []string{treetest.Job}, At: late.Now.Add(24 * time.Hour)},
		{Now: []string{treetest.Job}},
	} {
		x := Expiry{Now: late.Now.Add(time.Duration(i) * 12 * time.Hour), Keep: late.Keep}
		last := i == 2
		due, err := Due(f.Open(), x)
		if err != nil || !slices.Equal(due.Now, want.Now) || !slices.Equal(due.Later, want.Later) || !due.At.Equal(want.At) {
			t.Errorf("look %d: %+v %v, want %+v", i, due, err, want)
		}
		runs, err := Expire(t.Context(), f.Open(), x)
		if err != nil || (len(runs) == 1) != last || treetest.Exists(f.Path(".git/resume/trash/"+dueFile)) == last {
			t.Errorf("look %d: %v %v", i, runs, err)
		}
	}
}

// Parked work that a user dropped is kept for the same time as a discarded run. This time starts when the user drops the work. If that
// moment is not recorded, the time starts with the first call of Expire.
func TestExpire_forgetsDroppedWork(t *testing.T) {
	t.Parallel()
	f, _ := newStagedRepo(t)
	const noted, unnoted, parked = droppedSpace + "job-1/1", droppedSpace + "job-1/2", ParkedSpace + "job-1/3"
	for _, ref := range []string{noted, unnoted, parked} {
		f.Git("update-ref", ref, "HEAD")
	}
	if err := noteDropped(f.Open(), noted, treetest.Clock()); err != nil {
		t.Fatal(err)
	}
	const keep = 48 * time.Hour
	for _, c := range []struct {
		after time.Duration
		left  []string
	}{
		{24 * time.Hour, []string{noted, unnoted, parked}},
		{49 * time.Hour, []string{noted, unnoted, parked}}, // due, but kept for one more day, because the clock may be wrong
		{74 * time.Hour, []string{unnoted, parked}},
		{200 * time.Hour, []string{parked}},
	} {
		now := treetest.Clock().Add(c.after)
		if _, err := Expire(t.Context(), f.Open(), Expiry{Now: now, Keep: keep}); err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(f.Git("for-each-ref", "--format=%(refname)", droppedSpace, ParkedSpace))
		if !slices.Equal(got, c.left) {
			t.Errorf("after %s: %v, want %v", c.after, got, c.left)
		}
	}
	if treetest.Exists(f.Path(".git/resume/dropped/job-1")) {
		t.Error("the times are still recorded")
	}
	if err := ForgetParked(t.Context(), f.Open(), "job-1"); err != nil {
		t.Fatal(err)
	}
	if got := f.Git("for-each-ref", droppedSpace, ParkedSpace); got != "" {
		t.Errorf("left: %s", got)
	}
}

// Versions before 0.9.0 stored snapshots and discards as chains of commits, and the record of a discard in another folder. Nothing reads
// these, so nothing may delete them.
func TestExpire_leavesWhatItCannotRead(t *testing.T) {
	t.Parallel()
	f, tree := newStagedRepo(t)
	tree.Write("work", "w")
	f.discard(tree)
	for _, name := range []string{"wip/job-a7f3", "wip/git.rebase.main", "trash/job-a7f3", "trash/gone-b2c4", "trash/acted/job-a7f3"} {
		f.Git("update-ref", "refs/resume/"+name, "HEAD")
	}
	before := f.Git("for-each-ref", "refs/resume/wip", "refs/resume/trash")
	moved := f.Path(".trash-gone-b2c4")
	rec := record.Record{Version: 1, Run: "gone-b2c4", At: treetest.Clock(), Phase: record.Gone, Trash: record.Exact(moved)}
	f.Write(".trash-gone-b2c4/file", "moved")
	if err := rec.SaveAs(filepath.Join(record.TrashDir(f.Open(), "gone-b2c4"), record.OldFile)); err != nil {
		t.Fatal(err)
	}
	late := Expiry{Now: treetest.Clock().Add(time.Hour)}
	if due, err := Due(f.Open(), late); err != nil || !slices.Equal(due.Now, []string{treetest.Job}) {
		t.Errorf("due are %v: %v", due, err)
	}
	if runs, err := Expire(t.Context(), f.Open(), late); err != nil || !slices.Equal(runs, []string{treetest.Job}) {
		t.Errorf("expired are %v: %v", runs, err)
	}
	if now := f.Git("for-each-ref", "refs/resume/wip", "refs/resume/trash"); now != before {
		t.Errorf("refs are now\n%s\nwere\n%s", now, before)
	}
	if !treetest.Exists(f.Path(".git/resume/trash/gone-b2c4/"+record.OldFile)) || !treetest.Exists(filepath.Join(moved, "file")) {
		t.Error("the record or the moved worktree is gone")
	}
}
