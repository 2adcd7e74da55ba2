package worktree

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/git-resume/git-resume/gitstate/object"
	"github.com/git-resume/git-resume/gitstate/ongoing"
)

func TestExpire_forgetsOnlyWhatIsOld(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	tree.write("own/file", "f")
	tree.at(tree.path("own")).git("init", "-q")
	f.discard(tree)
	f.write(".git/resume/logs/"+job+"/log", "text")
	runs, err := Expire(t.Context(), f.repo(), Expiry{Now: clock().Add(-time.Hour)})
	if err != nil || len(runs) != 0 {
		t.Fatalf("%v %v", runs, err)
	}
	runs, err = Expire(t.Context(), f.repo(), Expiry{Now: clock().Add(time.Hour)})
	if err != nil || !slices.Equal(runs, []string{job}) {
		t.Fatalf("%v %v", runs, err)
	}
	if refs := f.git("for-each-ref", "refs/resume"); refs != "" {
		t.Errorf("refs left: %s", refs)
	}
	for _, path := range []string{".git/resume/trash/" + job + ".kept", ".git/resume/logs/" + job} {
		if exists(f.path(path)) {
			t.Errorf("%s is still there", path)
		}
	}
	if got := dump(t, f.beside("shop.worktrees")); len(got) != 1 {
		t.Errorf("left: %v", got)
	}
	if _, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock}); !errors.Is(err, ErrNothingDiscarded) {
		t.Errorf("got %v", err)
	}
}

func TestExpire_leavesLivingRunsAlone(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	f.discard(tree)
	f.undo()
	if _, err := Expire(t.Context(), f.repo(), Expiry{Now: clock().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	if f.git("rev-parse", SnapshotsRef(job)) == "" || !exists(tree.path("work")) {
		t.Error("a run that came back lost something")
	}
}

func TestPreviewDiscard_saysWhatGoes(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("a.txt", "one\n")
	tree.git("commit", "-qam", "one")
	tree.write("a.txt", "two\n")
	tree.write("notes.txt", "n")
	tree.write(".env", "SECRET")
	tree.write("node_modules/m/x.js", "12345")
	tree.write("node_modules/m/y.js", "12345")
	before := dump(t, f.path(".git"))
	p, err := PreviewDiscard(t.Context(), f.repo(), f.dropRequest(tree), "refs/heads/main")
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
	requireSame(t, before, dump(t, f.path(".git")))
	tree.write(".git-untouched", "")
	conflict(tree)
	req := f.dropRequest(tree)
	req.Care = Careful
	p, err = PreviewDiscard(t.Context(), f.repo(), req, "refs/heads/main")
	var mid *MidOperationError
	if err != nil || !errors.As(p.Refusal, &mid) {
		t.Errorf("%v, refusal %v", err, p.Refusal)
	}
}

func TestContained_everyWayOfMerging(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(f *fixture)
		want Containment
	}{
		{"nothing done", func(*fixture) {}, SameCommit},
		{"fast forward and on", func(f *fixture) {
			work(f)
			f.git("merge", "-q", "--ff-only", "topic")
			f.write("later", "l")
			f.git("add", "-A")
			f.git("commit", "-qm", "later")
		}, Ancestor},
		{"squash, nothing after", func(f *fixture) {
			work(f)
			f.git("merge", "-q", "--squash", "topic")
			f.git("commit", "-qm", "squash")
		}, EqualTrees},
		{"squash among others", func(f *fixture) {
			work(f)
			f.write("dir/b.txt", "meanwhile\n")
			f.git("commit", "-qam", "meanwhile")
			f.git("merge", "-q", "--squash", "topic")
			f.git("commit", "-qm", "squash")
		}, EmptyMerge},
		{"squash, then changed again", func(f *fixture) {
			work(f)
			f.git("merge", "-q", "--squash", "topic")
			f.git("commit", "-qm", "squash")
			f.write("a.txt", "another way\n")
			f.git("commit", "-qam", "changed again")
		}, Squashed},
		{"not merged", work, NotContained},
		{"part of it picked", func(f *fixture) {
			work(f)
			f.git("cherry-pick", "topic~1")
		}, NotContained},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.git("branch", "topic")
			c.do(f)
			tip, base := object.ID(f.git("rev-parse", "topic")), object.ID(f.git("rev-parse", "main"))
			objects := f.git("count-objects")
			got, err := Contained(t.Context(), f.repo(), tip, base)
			if err != nil || got != c.want {
				t.Errorf("%q %v, want %q", got, err, c.want)
			}
			if after := f.git("count-objects"); after != objects {
				t.Errorf("objects: %s, before %s", after, objects)
			}
		})
	}
}

// work puts two commits on topic and goes back to main.
func work(f *fixture) {
	f.git("checkout", "-q", "topic")
	f.write("a.txt", strings.Repeat("line\n", 5))
	f.git("commit", "-qam", "one")
	f.write("new.txt", "new\n")
	f.git("add", "-A")
	f.git("commit", "-qm", "two")
	f.git("checkout", "-q", "main")
}

func TestExpire_forgetsOldSnapshotsOfOperations(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	for _, name := range []string{ForOperation(ongoing.Rebase, "main"), job} {
		if _, err := Take(t.Context(), f.repo(), SnapshotRequest{Run: name, When: Always, Now: clock}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		before time.Time
		want   int
	}{{clock().Add(-time.Hour), 2}, {clock().Add(time.Hour), 1}} {
		if _, err := Expire(t.Context(), f.repo(), Expiry{Now: c.before}); err != nil {
			t.Fatal(err)
		}
		if refs := strings.Fields(f.git("for-each-ref", "--format=%(refname)", "refs/resume/snapshots")); len(refs) != c.want {
			t.Errorf("refs are %v, want %d", refs, c.want)
		}
	}
}

// TestExpire_believesNoSingleLookAtTheClock: a clock that jumps, ahead or back, for less than a day costs nothing that is kept.
func TestExpire_believesNoSingleLookAtTheClock(t *testing.T) {
	t.Parallel()
	const day, keep = 24 * time.Hour, 30 * 24 * time.Hour
	for _, c := range []struct {
		name string
		// looks are the times at which somebody looks, in days after the discard.
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
			f, tree := staged(t)
			tree.write("work", "w")
			f.discard(tree)
			for _, days := range c.looks {
				at := clock().Add(time.Duration(days * float64(day)))
				if _, err := Expire(t.Context(), f.repo(), Expiry{Now: at, Keep: keep}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := Undo(t.Context(), f.repo(), UndoRequest{Run: job, Now: clock})
			if gone := errors.Is(err, ErrNothingDiscarded); gone != c.gone || err != nil && !gone {
				t.Errorf("gone: %v, want %v: %v", gone, c.gone, err)
			}
		})
	}
}

// TestExpire_noteGoesWithItsCause, and what a look would forget can be asked before.
func TestExpire_noteGoesWithItsCause(t *testing.T) {
	t.Parallel()
	f, tree := staged(t)
	tree.write("work", "w")
	f.discard(tree)
	late := Expiry{Now: clock().Add(48 * time.Hour), Keep: 24 * time.Hour}
	for i, want := range []Dues{
		{Later: []string{job}},
		{Later: []string{job}, At: late.Now.Add(24 * time.Hour)},
		{Now: []string{job}},
	} {
		x := Expiry{Now: late.Now.Add(time.Duration(i) * 12 * time.Hour), Keep: late.Keep}
		last := i == 2
		due, err := Due(f.repo(), x)
		if err != nil || !slices.Equal(due.Now, want.Now) || !slices.Equal(due.Later, want.Later) || !due.At.Equal(want.At) {
			t.Errorf("look %d: %+v %v, want %+v", i, due, err, want)
		}
		runs, err := Expire(t.Context(), f.repo(), x)
		if err != nil || (len(runs) == 1) != last || exists(f.path(".git/resume/trash/"+dueFile)) == last {
			t.Errorf("look %d: %v %v", i, runs, err)
		}
	}
}
